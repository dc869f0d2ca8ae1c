//! USM that is freed when nothing uses it, and kept for the next allocation that is alike.

use crate::case;
use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::ur;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Allocates and frees; the address.
fn passing(context: &Context, kind: Kind, size: usize) -> *mut c_void {
    context.usm(kind, size).expect("memory").address
}

fn kind_at(context: &Context, address: *mut c_void) -> ur_usm_type_t {
    let mut kind = ur_usm_type_t::default();
    let (size, place) = (size_of_val(&kind), (&raw mut kind).cast());
    let name = UR_USM_ALLOC_INFO_TYPE;
    ur!(USM.pfnGetMemAllocInfo(context.0, address, name, size, place, null_mut()))
        .expect("an answer");
    kind
}

/// Whether an allocation is kept when it is freed.
fn is_kept(driver: &Driver, context: &Context) -> bool {
    let freed = driver.calls("clMemBlockingFreeINTEL");
    passing(context, Kind::Shared, 48);
    driver.calls("clMemBlockingFreeINTEL") == freed
}

case! { memory_comes_again, EVERYTHING, comes_again }

fn comes_again(driver: &Driver) {
    let context = Context::new().expect("a context");
    let [host, own] = [Kind::Host, Kind::Device].map(|kind| passing(&context, kind, 100));
    assert_ne!(host, own);
    for _ in 0..3 {
        assert_eq!(passing(&context, Kind::Device, 100), own);
        assert_eq!(passing(&context, Kind::Host, 100), host);
    }
    assert_eq!(driver.calls("clDeviceMemAllocINTEL"), 1);
    assert_eq!(driver.calls("clHostMemAllocINTEL"), 1);
    // Another size, and two at a time.
    assert_ne!(passing(&context, Kind::Device, 99), own);
    let first = context.usm(Kind::Device, 100).expect("memory");
    let second = context.usm(Kind::Device, 100).expect("memory");
    assert!(first.address == own && second.address != own);
    assert_eq!(driver.calls("clDeviceMemAllocINTEL"), 3);
    drop((first, second));
    // Larger ones are not kept.
    passing(&context, Kind::Device, (1 << 20) + 1);
    assert_eq!(driver.calls("clMemBlockingFreeINTEL"), 1);
    drop(context);
    assert_eq!(driver.alive(), 0);
}

case! { what_is_kept_is_no_allocation, EVERYTHING, no_allocation }

fn no_allocation(driver: &Driver) {
    let context = Context::new().expect("a context");
    let address = passing(&context, Kind::Device, 100);
    let last = address.wrapping_byte_add(99);
    assert_eq!(kind_at(&context, last), UR_USM_TYPE_UNKNOWN);
    let again = ur!(USM.pfnFree(context.0, address));
    assert_eq!(again, Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    let mut size = 0usize;
    let (name, place) = (UR_USM_ALLOC_INFO_SIZE, (&raw mut size).cast());
    let asked = ur!(USM.pfnGetMemAllocInfo(context.0, address, name, 8, place, null_mut()));
    assert_eq!(asked, Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    let memory = context.usm(Kind::Device, 100).expect("memory");
    assert_eq!(memory.address, address);
    assert_eq!(kind_at(&context, last), UR_USM_TYPE_DEVICE);
    drop(memory);
    drop(context);
    assert_eq!(driver.alive(), 0);
}

case! { no_more_than_a_few_are_kept, EVERYTHING, a_few }

fn a_few(driver: &Driver) {
    let context = Context::new().expect("a context");
    let before = driver.alive();
    for size in 1..100 {
        passing(&context, Kind::Host, size);
    }
    assert_eq!(driver.alive() - before, 16);
    // All at once: each is freed when others fall out, and none twice.
    let all: Vec<_> = (1..100).map(|size| context.usm(Kind::Host, size)).collect();
    drop(all);
    assert_eq!(driver.alive() - before, 16);
    drop(context);
    assert_eq!(driver.alive(), 0);
}

case! { what_a_command_may_use_is_freed_by_the_driver, EVERYTHING, pending }

fn pending(driver: &Driver) {
    driver.lazy(true);
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let other = context.queue(0).expect("a queue");
    assert!(is_kept(driver, &context));
    drop(queue.marker(&[]).expect("a marker"));
    assert!(!is_kept(driver, &context));
    other.finish().expect("an end");
    assert!(!is_kept(driver, &context));
    queue.finish().expect("an end");
    assert!(is_kept(driver, &context));
    // A wait that fails has waited for nothing.
    drop(queue.marker(&[]).expect("a marker"));
    driver.fail("clFinish", -5, 0, 1);
    assert!(queue.finish().is_err());
    assert!(!is_kept(driver, &context));
    queue.finish().expect("an end");
    assert!(is_kept(driver, &context));
    // Nor does a queue that goes count for ever.
    drop(queue.marker(&[]).expect("a marker"));
    drop(queue);
    assert!(is_kept(driver, &context));
    drop(other);
    assert!(is_kept(driver, &context));
    drop(context);
    assert_eq!(driver.alive(), 0);
}

case! { a_queue_that_nobody_can_wait_for_counts, EVERYTHING, untold }

fn untold(driver: &Driver) {
    driver.lazy(true);
    for function in ["clEnqueueMarkerWithWaitList", "clSetEventCallback"] {
        let context = Context::new().expect("a context");
        let queue = context.queue(0).expect("a queue");
        drop(queue.marker(&[]).expect("a marker"));
        driver.fail(function, -5, 0, 1);
        drop(queue);
        assert!(!is_kept(driver, &context), "{function}");
        drop(context);
        assert_eq!(driver.alive(), 0, "{function}");
    }
}

case! { a_command_that_fails_may_have_begun, EVERYTHING, failing }

fn failing(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    driver.fail("clEnqueueMarkerWithWaitList", -5, 0, 1);
    assert!(queue.marker(&[]).is_err());
    assert!(!is_kept(driver, &context));
    queue.finish().expect("an end");
    assert!(is_kept(driver, &context));
}

case! { whoever_has_a_handle_of_the_drivers_may_enqueue, EVERYTHING, native }

fn native(driver: &Driver) {
    for number in 0..8 {
        let context = Context::new().expect("a context");
        let queue = context.queue(0).expect("a queue");
        let event = queue.marker(&[]).expect("a marker");
        queue.finish().expect("an end");
        let (mem, sampler) = (context.buffer(64), context.sampler());
        let (mem, sampler) = (mem.expect("a buffer"), sampler.expect("a sampler"));
        let program = context.built().expect("a program");
        let kernel = program.kernel(c"copy").expect("a kernel");
        assert!(is_kept(driver, &context));
        let mut native = 0;
        match number {
            0 => ur!(Context.pfnGetNativeHandle(context.0, &mut native)),
            1 => ur!(Queue.pfnGetNativeHandle(queue.0, null_mut(), &mut native)),
            2 => ur!(Event.pfnGetNativeHandle(event.0, &mut native)),
            3 => ur!(Mem.pfnGetNativeHandle(mem.0, device(), &mut native)),
            4 => ur!(Sampler.pfnGetNativeHandle(sampler.0, &mut native)),
            5 => ur!(Program.pfnGetNativeHandle(program.0, &mut native)),
            6 => ur!(Kernel.pfnGetNativeHandle(kernel.0, &mut native)),
            // A context that was made of one of OpenCL's.
            _ => {
                let mut raw = null_mut();
                let made = context.native().and_then(|of| {
                    ur!(Context.pfnCreateWithNativeHandle(
                        of,
                        adapter(),
                        0,
                        null(),
                        null(),
                        &mut raw
                    ))
                });
                let second = made.map(|()| Context(raw)).expect("a context");
                assert!(!is_kept(driver, &second));
                Ok(())
            }
        }
        .expect("a handle");
        assert!(!is_kept(driver, &context), "{number}");
    }
    assert_eq!(driver.alive(), 0);
}

case! { an_allocation_that_a_command_frees_is_forgotten, EVERYTHING, freed_by_a_command }

fn freed_by_a_command(driver: &Driver) {
    let context = Context::new().expect("a context");
    let queue = context.queue(0).expect("a queue");
    let memory = std::mem::ManuallyDrop::new(context.usm(Kind::Device, 100).expect("memory"));
    let (address, none) = (memory.address, null_mut());
    ur!(EnqueueExp.pfnUSMFreeExp(queue.0, null_mut(), address, 0, null(), none)).expect("a free");
    queue.finish().expect("an end");
    let again = ur!(USM.pfnFree(context.0, address));
    assert_eq!(again, Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    // What is kept cannot be freed by a command either.
    let kept = passing(&context, Kind::Device, 100);
    let freed = ur!(EnqueueExp.pfnUSMFreeExp(queue.0, null_mut(), kept, 0, null(), none));
    assert_eq!(freed, Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
    drop((queue, context));
    assert_eq!(driver.alive(), 0);
}

case! { memory_of_a_part_of_a_device_is_not_kept, EVERYTHING, of_a_part }

fn of_a_part(driver: &Driver) {
    let mut property = ur_device_partition_property_t {
        r#type: UR_DEVICE_PARTITION_EQUALLY,
        ..Default::default()
    };
    property.value.equally = 2;
    let properties = ur_device_partition_properties_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES,
        pProperties: &raw const property,
        PropCount: 1,
        ..Default::default()
    };
    let mut raw = [null_mut(); 2];
    let place = raw.as_mut_ptr();
    ur!(Device.pfnPartition(device(), &properties, 2, place, null_mut())).expect("parts");
    let parts = raw.map(Device);
    // A part may go before the context of the whole does, and another take its place.
    let whole = Context::new().expect("a context");
    drop(whole.usm_on(parts[0].0, Kind::Device, 64).expect("memory"));
    assert_eq!(driver.calls("clMemBlockingFreeINTEL"), 1);
    // A context of the part keeps it.
    let own = Context::of(&[parts[0].0]).expect("a context");
    drop(own.usm_on(parts[0].0, Kind::Device, 64).expect("memory"));
    assert_eq!(driver.calls("clMemBlockingFreeINTEL"), 1);
    drop((whole, own, parts));
    assert_eq!(driver.alive(), 0);
}
