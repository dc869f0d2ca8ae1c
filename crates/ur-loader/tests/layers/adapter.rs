//! An adapter in this program, and the loader with layers.

use crate::generated::calls::{BY_HAND, TABLE};
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_api::*;
use ur_layers::Active;
use ur_layers::switch::{self, Outputs, Settings};

thread_local! {
    static CALLED: Cell<Option<&'static str>> = const { Cell::new(None) };
    static RESULT: Cell<ur_result_t> = const { Cell::new(UR_RESULT_SUCCESS) };
}

/// A function of the adapter was called.
pub fn called(function: &'static str) -> ur_result_t {
    CALLED.set(Some(function));
    RESULT.get()
}

/// The function that was called since the last time this was asked.
pub fn last_called() -> Option<&'static str> {
    CALLED.take()
}

/// Whether a call that is right got past the layers. The adapter has no place for arguments that
/// are set before a launch, so the loader answers for it where a function of earlier releases
/// sets some.
pub fn passed(function: &str, result: ur_result_t, called: Option<&str>) -> bool {
    let removed = FUNCTIONS.iter().any(|f| f.removed && f.name == function);
    match called {
        None if removed => result == UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        Some("urEnqueueKernelLaunchWithArgsExp") if removed => result == UR_RESULT_SUCCESS,
        _ => {
            result == UR_RESULT_SUCCESS && (called == Some(function) || BY_HAND.contains(&function))
        }
    }
}

/// An object of the adapter.
#[repr(C)]
pub struct Object {
    table: &'static ur_dditable_t,
}

impl Object {
    pub fn new() -> Object {
        static OWN: ur_dditable_t = TABLE;
        Object { table: &OWN }
    }

    /// An object of another adapter.
    pub fn of_another() -> Object {
        static OTHER: ur_dditable_t = TABLE;
        Object { table: &OTHER }
    }

    /// The handle as a word.
    pub fn word(&self) -> usize {
        (&raw const *self).expose_provenance()
    }
}

/// A function of the program, or none; it must not be called.
pub fn function<T>(word: usize) -> Option<T> {
    assert_eq!(size_of::<T>(), size_of::<usize>());
    let any: extern "C" fn() = never;
    // SAFETY: both are pointers to functions, and no one calls this one.
    (word != 0).then(|| unsafe { std::mem::transmute_copy::<extern "C" fn(), T>(&any) })
}

extern "C" fn never() {
    std::process::abort();
}

/// What the layers said.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn said() -> MutexGuard<'static, Vec<String>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the layers have said since the last time this was asked.
pub fn messages() -> Vec<String> {
    std::mem::take(&mut *said())
}

/// Runs `test` between an initialisation with these layers and its teardown; one at a time.
pub fn with_layers(layers: &str, test: impl FnOnce()) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // The first outputs of a process stay, so these are not the loader's logs.
    let note = |line: std::fmt::Arguments<'_>| said().push(line.to_string());
    switch::turn_on(
        Active::default(),
        Settings {
            outputs: Outputs {
                trace: note,
                problem: note,
            },
            log: false,
            xpti: None,
            location: (None, 0),
        },
    );
    messages();
    let name = CString::new(layers).expect("no NUL");
    let mut config: ur_loader_config_handle_t = null_mut();
    // SAFETY: the configuration lives until its release, and adapters are not looked for where
    // there are none.
    unsafe {
        assert_eq!(
            ur_loader::urLoaderConfigCreate(&raw mut config),
            UR_RESULT_SUCCESS
        );
        let enabled = ur_loader::urLoaderConfigEnableLayer(config, name.as_ptr());
        assert_eq!(enabled, UR_RESULT_SUCCESS, "{layers}");
        assert_eq!(ur_loader::urLoaderInit(0, config), UR_RESULT_SUCCESS);
        ur_loader::urLoaderConfigRelease(config);
    }
    test();
    // SAFETY: nothing is used any more.
    assert_eq!(unsafe { ur_loader::urLoaderTearDown() }, UR_RESULT_SUCCESS);
}
