//! Handles whose addresses are used again at once, by objects of another platform or kind.

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::ur;
use std::ptr::{null, null_mut};
use ur_api::*;

case! {
    /// Each platform's extension functions are its own; the driver notes when one is called for an
    /// object of another platform.
    functions_of_two_platforms_are_not_mixed_up, &format!("{EVERYTHING};{EVERYTHING}"), two_platforms
}

/// Uses everything that goes through functions of extensions. Gives OpenCL's handle of the context.
fn use_extensions(on: ur_device_handle_t) -> ur_native_handle_t {
    let context = Context::of(&[on]).expect("a context");
    let queue = context
        .queue_on(on, UR_QUEUE_FLAG_PRIORITY_LOW.0)
        .expect("a queue");
    let host = context.usm_on(on, Kind::Host, 64).expect("memory");
    let own = context.usm_on(on, Kind::Device, 64).expect("memory");
    let none = null_mut();
    let (to, from) = (own.address, host.address);
    ur!(Enqueue.pfnUSMMemcpy(queue.0, true, to, from, 64, 0, null(), none)).expect("a copy");
    let pattern = [0u8; 4];
    let start = pattern.as_ptr().cast();
    ur!(Enqueue.pfnUSMFill(queue.0, to, 4, start, 64, 0, null(), none)).expect("a fill");
    let kernel = context
        .built()
        .expect("a program")
        .kernel(c"fill")
        .expect("a kernel");
    let args = [Arg::Pointer(to), Arg::Value(&[0; 4])];
    queue.launch(&kernel, &args, false).expect("a launch");
    queue.finish().expect("an end");
    context.native().expect("a handle")
}

fn two_platforms(driver: &Driver) {
    driver.recycle(true);
    let devices: Vec<_> = platforms()
        .into_iter()
        .map(|platform| devices(platform)[0])
        .collect();
    assert_eq!(devices.len(), 2);
    let mut last = None;
    for round in 0..200 {
        let context = use_extensions(devices[round % 2]);
        // The point of the test: the other platform's context was there just now.
        assert!(
            last.is_none_or(|last| last == context),
            "no address was used again"
        );
        last = Some(context);
        assert_eq!(driver.faults(), "", "round {round}");
        assert_eq!(driver.alive(), 0, "round {round}");
    }
}

case! {
    /// A device of one platform does not get into a context, queue or program of the other.
    objects_of_two_platforms_do_not_meet, &format!("{EVERYTHING};{EVERYTHING}"), strangers
}

fn strangers(driver: &Driver) {
    let devices: Vec<_> = platforms()
        .into_iter()
        .map(|platform| devices(platform)[0])
        .collect();
    assert_eq!(
        Context::of(&devices).err(),
        Some(UR_RESULT_ERROR_INVALID_DEVICE)
    );
    let context = Context::of(&devices[..1]).expect("a context");
    let refused = Some(UR_RESULT_ERROR_INVALID_DEVICE);
    assert_eq!(context.queue_on(devices[1], 0).err(), refused);
    assert_eq!(context.usm_on(devices[1], Kind::Device, 8).err(), refused);
    drop(context);
    assert_eq!(driver.alive(), 0);
}
