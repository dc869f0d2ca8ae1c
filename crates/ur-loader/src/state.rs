//! What lasts from `urLoaderInit` to `urLoaderTearDown`: the adapters in use.
//!
//! Initialisations are counted; the last teardown gives the adapters back, and the next
//! initialisation looks for them again. Calls on handles never come here.

use crate::adapter::Adapter;
use crate::discovery::{Discovery, Outcome, Places, Tried};
use crate::layers;
use crate::log::{Level, log};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_api::{
    UR_RESULT_ERROR_OUT_OF_RESOURCES, UR_RESULT_ERROR_UNINITIALIZED, ur_adapter_handle_t,
    ur_device_init_flags_t, ur_result_t,
};

struct State {
    /// Initialisations that were not torn down.
    uses: u32,
    adapters: Arc<[Adapter]>,
    /// Kept after the teardown, for who asks what happened.
    tried: Vec<Tried>,
}

/// Held while libraries are opened, so that a second thread's initialisation returns only when
/// there are adapters; never held during a call into an adapter's API.
fn state() -> MutexGuard<'static, Option<State>> {
    static STATE: Mutex<Option<State>> = Mutex::new(None);
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts an initialisation; the first one finds the adapters and runs `first`, before any other
/// thread gets to use them.
///
/// # Errors
/// OUT_OF_RESOURCES when the count would pass its largest value.
pub fn initialise(
    kinds: ur_device_init_flags_t,
    mock: bool,
    first: impl FnOnce(),
) -> Result<(), ur_result_t> {
    let mut state = state();
    if let Some(state) = state.as_mut().filter(|state| state.uses > 0) {
        state.uses = state
            .uses
            .checked_add(1)
            .ok_or(UR_RESULT_ERROR_OUT_OF_RESOURCES)?;
        return Ok(());
    }
    first();
    let found = Discovery::run(&Places::from_environment(), kinds, mock);
    log!(Level::Info, "{} adapters are loaded", found.adapters.len());
    *state = Some(State {
        uses: 1,
        adapters: found.adapters.into(),
        tried: found.tried,
    });
    Ok(())
}

/// Takes one initialisation back; the last one gives up the adapters.
///
/// # Errors
/// UNINITIALIZED when there is none.
pub fn tear_down() -> Result<(), ur_result_t> {
    let mut guard = state();
    let state = guard
        .as_mut()
        .filter(|state| state.uses > 0)
        .ok_or(UR_RESULT_ERROR_UNINITIALIZED)?;
    state.uses -= 1;
    if state.uses == 0 {
        let adapters = std::mem::take(&mut state.adapters);
        // With the lock, so that the next initialisation turns on what it wants afterwards.
        layers::turn_off();
        drop(guard);
        // Without the lock: closing a library may run code of its own.
        drop(adapters);
        log!(Level::Info, "torn down");
    }
    Ok(())
}

/// The adapters in use.
///
/// # Errors
/// UNINITIALIZED before the first initialisation and after the last teardown.
pub fn adapters() -> Result<Arc<[Adapter]>, ur_result_t> {
    state()
        .as_ref()
        .filter(|state| state.uses > 0)
        .map(|state| Arc::clone(&state.adapters))
        .ok_or(UR_RESULT_ERROR_UNINITIALIZED)
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
    let mut state = state();
    let tried = state.iter_mut().flat_map(|state| &mut state.tried);
    let entry = tried
        .filter(|tried| tried.path == adapter.path)
        .find(|tried| tried.outcome == Outcome::Loaded);
    if let Some(entry) = entry {
        log!(Level::Warning, "adapter {}: {outcome}", adapter.name);
        entry.outcome = outcome;
    }
}

/// Every attempt of the last initialisation.
pub fn report() -> Vec<Tried> {
    state()
        .as_ref()
        .map_or_else(Vec::new, |state| state.tried.clone())
}
