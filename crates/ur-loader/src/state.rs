//! What lasts from `urLoaderInit` to `urLoaderTearDown`: the adapters in use.
//!
//! Initialisations are counted. The first one reads the environment; the libraries are opened by
//! the first call that needs adapters, `urAdapterGet`, so that a program which initialises the
//! loader and then finds no use for it has not waited for drivers. The last teardown gives the
//! adapters back, and after the next initialisation they are looked for again. Calls on handles
//! never come here.

use crate::adapter::Adapter;
use crate::discovery::{Discovery, Outcome, Places, Tried};
use crate::layers;
use crate::lifetime::{Lifetime, NotThere};
use crate::log::{Level, log};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_api::{
    UR_RESULT_ERROR_OUT_OF_RESOURCES, UR_RESULT_ERROR_UNINITIALIZED, ur_adapter_handle_t,
    ur_device_init_flags_t, ur_result_t,
};

/// What the first initialisation asked for.
#[derive(Debug)]
struct Wanted {
    places: Places,
    kinds: ur_device_init_flags_t,
    mock: bool,
}

/// The adapters in use. Their lock is held while libraries are opened and never during a call into
/// an adapter's API.
static ADAPTERS: Lifetime<Wanted, Vec<Adapter>> = Lifetime {
    held: Mutex::new(None),
};

/// Every attempt since the last initialisation; kept after the teardown, for who asks what happened.
fn tried() -> MutexGuard<'static, Vec<Tried>> {
    static TRIED: Mutex<Vec<Tried>> = Mutex::new(Vec::new());
    TRIED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<NotThere> for ur_result_t {
    fn from(_: NotThere) -> ur_result_t {
        UR_RESULT_ERROR_UNINITIALIZED
    }
}

/// Counts an initialisation; the first one runs `first`, before any other thread gets to use
/// adapters, and notes which are wanted.
///
/// # Errors
/// OUT_OF_RESOURCES when the count would pass its largest value.
pub fn initialise(
    kinds: ur_device_init_flags_t,
    mock: bool,
    first: impl FnOnce(),
) -> Result<(), ur_result_t> {
    let wanted = || {
        first();
        tried().clear();
        // Also the message that brings out what is wrong with the log's own settings.
        log!(
            Level::Debug,
            "initialised; the first urAdapterGet opens libraries"
        );
        Wanted {
            places: Places::from_environment(),
            kinds,
            mock,
        }
    };
    ADAPTERS
        .begin(wanted)
        .map_err(|_| UR_RESULT_ERROR_OUT_OF_RESOURCES)
}

/// Takes one initialisation back; the last one gives up the adapters.
///
/// # Errors
/// UNINITIALIZED when there is none.
pub fn tear_down() -> Result<(), ur_result_t> {
    // With the lock, so that the next initialisation turns on what it wants afterwards.
    if let Some(held) = ADAPTERS.end(layers::turn_off)? {
        // Without the lock: closing a library may run code of its own.
        drop(held);
        log!(Level::Info, "torn down");
    }
    Ok(())
}

/// The adapters in use, which the first call after an initialisation finds.
///
/// # Errors
/// UNINITIALIZED before the first initialisation and after the last teardown.
pub fn adapters() -> Result<Arc<Vec<Adapter>>, ur_result_t> {
    let find = |wanted: &Wanted| {
        let found = Discovery::run(&wanted.places, wanted.kinds, wanted.mock);
        log!(Level::Info, "{} adapters are loaded", found.adapters.len());
        *tried() = found.tried;
        found.adapters
    };
    Ok(ADAPTERS.value(find)?)
}

/// Fills `room` with adapter handles, adapter after adapter, and returns how many there are in
/// all. An adapter that cannot give its handles (no driver, no device) is left out with a line in
/// the log and in the report, and the others follow.
///
/// # Errors
/// UNINITIALIZED.
pub fn adapter_handles(room: &mut [ur_adapter_handle_t]) -> Result<u32, ur_result_t> {
    let adapters = adapters()?;
    let mut filled = 0;
    let mut total = 0u32;
    for adapter in adapters.iter() {
        let answer = adapter.count().and_then(|count| {
            let wanted = (count as usize).min(room.len() - filled);
            if wanted > 0 {
                filled += adapter.handles(&mut room[filled..filled + wanted])? as usize;
            }
            Ok(count)
        });
        match answer {
            Ok(count) => total = total.saturating_add(count),
            Err(result) => failed(adapter, result),
        }
    }
    Ok(total)
}

/// Writes down that an adapter's `urAdapterGet` failed; once, however often it is asked again.
fn failed(adapter: &Adapter, result: ur_result_t) {
    let outcome = Outcome::Failed(format!("its urAdapterGet returned {result}"));
    let mut tried = tried();
    let entry = tried
        .iter_mut()
        .filter(|tried| tried.path == adapter.path)
        .find(|tried| tried.outcome == Outcome::Loaded);
    if let Some(entry) = entry {
        log!(Level::Warning, "adapter {}: {outcome}", adapter.name);
        entry.outcome = outcome;
    }
}

/// Every attempt since the last initialisation.
pub fn report() -> Vec<Tried> {
    tried().clone()
}
