//! Callbacks of the mock adapter, on its dispatch table.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter_mock::TABLE;
use ur_adapter_mock::callback::{When, on, ur_mock_set_callback};
use ur_api::*;

/// Callbacks are the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn adapters() -> (ur_result_t, u32) {
    let mut count = 99;
    let get = TABLE.Adapter.pfnGet.unwrap();
    // SAFETY: without room only the number is stored.
    let result = unsafe { get(0, null_mut(), &mut count) };
    (result, count)
}

#[test]
fn each_moment_has_its_callback() {
    let _alone = alone();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let order = order.clone();
        move |_: &mut ur_adapter_get_params_t| {
            order.lock().unwrap().push(what);
            UR_RESULT_SUCCESS
        }
    };
    let before = on(When::Before, note("before"));
    let after = on(When::After, note("after"));
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 1));
    let replace = on(When::Replace, note("replace"));
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 99));
    drop((before, after));
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 99));
    drop(replace);
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 1));
    let wanted = ["before", "after", "before", "replace", "after", "replace"];
    assert_eq!(*order.lock().unwrap(), wanted);
}

#[test]
fn a_failure_ends_the_call() {
    let _alone = alone();
    let later = Arc::new(AtomicU32::new(0));
    let count = later.clone();
    let _after = on(When::After, move |_: &mut ur_adapter_get_params_t| {
        count.fetch_add(1, Ordering::Relaxed);
        UR_RESULT_SUCCESS
    });
    for when in [When::Before, When::Replace] {
        let _fails = on(when, |_: &mut ur_adapter_get_params_t| {
            UR_RESULT_ERROR_DEVICE_LOST
        });
        assert_eq!(adapters(), (UR_RESULT_ERROR_DEVICE_LOST, 99));
    }
    assert_eq!(later.load(Ordering::Relaxed), 0);
    let _fails = on(When::After, |_: &mut ur_adapter_get_params_t| {
        UR_RESULT_ERROR_DEVICE_LOST
    });
    // What the call did stays done.
    assert_eq!(adapters(), (UR_RESULT_ERROR_DEVICE_LOST, 1));
}

#[test]
fn arguments_can_be_changed() {
    let _alone = alone();
    let mut handle = null_mut();
    let get = TABLE.Adapter.pfnGet.unwrap();
    let _before = on(When::Before, |params: &mut ur_adapter_get_params_t| {
        // SAFETY: the members point to the arguments.
        unsafe { *params.pNumEntries = 1 };
        UR_RESULT_SUCCESS
    });
    // SAFETY: there is room for one handle, which the callback says.
    let result = unsafe { get(0, &mut handle, null_mut()) };
    assert_eq!(result, UR_RESULT_SUCCESS);
    assert!(!handle.is_null());
    // SAFETY: the handle is ours.
    unsafe { TABLE.Adapter.pfnRelease.unwrap()(handle) };
}

#[test]
fn a_panic_is_an_error_and_the_next_call_works() {
    let _alone = alone();
    let hook = on(When::Before, |_: &mut ur_adapter_get_params_t| {
        panic!("on purpose")
    });
    assert_eq!(adapters(), (UR_RESULT_ERROR_UNKNOWN, 99));
    drop(hook);
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 1));
}

#[test]
fn a_callback_may_call_the_api_and_change_callbacks() {
    let _alone = alone();
    let inner = Arc::new(Mutex::new(None));
    let place = inner.clone();
    let hook = on(When::Before, move |_: &mut ur_adapter_get_params_t| {
        // SAFETY: no callback is given.
        let removed = unsafe {
            ur_mock_set_callback(
                UR_FUNCTION_ADAPTER_GET,
                When::Before as u32,
                None,
                null_mut(),
            )
        };
        assert_eq!(removed, UR_RESULT_SUCCESS);
        *place.lock().unwrap() = Some(adapters());
        UR_RESULT_ERROR_DEVICE_LOST
    });
    assert_eq!(adapters(), (UR_RESULT_ERROR_DEVICE_LOST, 99));
    assert_eq!(*inner.lock().unwrap(), Some((UR_RESULT_SUCCESS, 1)));
    // It removed itself.
    assert_eq!(adapters(), (UR_RESULT_SUCCESS, 1));
    drop(hook);
}

#[test]
fn a_hook_removes_only_its_own_callback() {
    let _alone = alone();
    let first = on(When::Before, |_: &mut ur_adapter_get_params_t| {
        UR_RESULT_ERROR_DEVICE_LOST
    });
    let second = on(When::Before, |_: &mut ur_adapter_get_params_t| {
        UR_RESULT_ERROR_OUT_OF_RESOURCES
    });
    drop(first);
    assert_eq!(adapters().0, UR_RESULT_ERROR_OUT_OF_RESOURCES);
    drop(second);
    assert_eq!(adapters().0, UR_RESULT_SUCCESS);
}

#[test]
fn what_a_callback_holds_goes_with_it() {
    let _alone = alone();
    let held = Arc::new(());
    let copy = held.clone();
    let hook = on(When::After, move |_: &mut ur_adapter_get_params_t| {
        let _ = &copy;
        UR_RESULT_SUCCESS
    });
    adapters();
    assert_eq!(Arc::strong_count(&held), 2);
    drop(hook);
    assert_eq!(Arc::strong_count(&held), 1);
}

unsafe extern "C" fn count_up(params: *mut c_void, user: *mut c_void) -> ur_result_t {
    // SAFETY: the test gave the address of a counter and says for which function.
    unsafe {
        let params = &*params.cast::<ur_context_create_params_t>();
        assert_eq!(*params.pDeviceCount, 0);
        (*user.cast::<AtomicU32>()).fetch_add(1, Ordering::Relaxed);
    }
    UR_RESULT_SUCCESS
}

#[test]
fn callbacks_from_c_run_on_many_threads_while_others_are_set() {
    let _alone = alone();
    let counter = AtomicU32::new(0);
    let user = (&raw const counter).cast_mut().cast::<c_void>() as usize;
    let set = |callback| {
        // SAFETY: the counter outlives the threads below.
        unsafe {
            ur_mock_set_callback(UR_FUNCTION_CONTEXT_CREATE, 1, callback, user as *mut c_void)
        }
    };
    assert_eq!(set(Some(count_up)), UR_RESULT_SUCCESS);
    let create = TABLE.Context.pfnCreate.unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for _ in 0..1000 {
                    let mut context = null_mut();
                    // SAFETY: the callback takes the place of the function and reads no array.
                    let result = unsafe { create(0, null(), null(), &mut context) };
                    assert_eq!(result, UR_RESULT_SUCCESS);
                }
            });
        }
        for _ in 0..200 {
            drop(on(When::Before, |_: &mut ur_context_create_params_t| {
                UR_RESULT_SUCCESS
            }));
        }
    });
    assert_eq!(counter.load(Ordering::Relaxed), 4000);
    assert_eq!(set(None), UR_RESULT_SUCCESS);
    // SAFETY: no callback is given.
    let bad = unsafe { ur_mock_set_callback(UR_FUNCTION_CONTEXT_CREATE, 3, None, null_mut()) };
    assert_eq!(bad, UR_RESULT_ERROR_INVALID_ENUMERATION);
}
