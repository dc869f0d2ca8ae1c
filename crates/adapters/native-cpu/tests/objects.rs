//! Handles, counts and queries of platform, device, context and queue.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

fn count(query: impl Fn(*mut c_void) -> ur_result_t) -> u32 {
    let mut value = 0u32;
    assert_eq!(query((&raw mut value).cast()), UR_RESULT_SUCCESS);
    value
}

#[test]
fn the_adapter_can_be_released_and_got_again() {
    let mut adapter = null_mut();
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    let mut again = null_mut();
    ok!(Adapter.pfnGet(1, &mut again, null_mut()));
    assert_eq!(adapter, again);
    let mut total = 0;
    ok!(Adapter.pfnGet(0, null_mut(), &mut total));
    assert_eq!(total, 1);
    let mut backend = ur_backend_t(0);
    let place = (&raw mut backend).cast();
    ok!(Adapter.pfnGetInfo(adapter, UR_ADAPTER_INFO_BACKEND, 4, place, null_mut()));
    assert_eq!(backend, UR_BACKEND_OPENCL);
    ok!(Adapter.pfnRelease(adapter));
    ok!(Adapter.pfnRelease(adapter));
}

#[test]
fn listings_follow_the_rules() {
    let platform = platform();
    let mut devices = [null_mut(); 4];
    let mut total = 0;
    for (kind, expected) in [
        (UR_DEVICE_TYPE_ALL, 1),
        (UR_DEVICE_TYPE_DEFAULT, 1),
        (UR_DEVICE_TYPE_CPU, 1),
        (UR_DEVICE_TYPE_GPU, 0),
        (UR_DEVICE_TYPE_FPGA, 0),
    ] {
        ok!(Device.pfnGet(platform, kind, 0, null_mut(), &mut total));
        assert_eq!(total, expected);
        ok!(Device.pfnGet(platform, kind, 4, devices.as_mut_ptr(), &mut total));
        assert_eq!(total, expected);
    }
    assert!(!devices[0].is_null() && devices[1].is_null());
    let kind = UR_DEVICE_TYPE_ALL;
    assert_eq!(
        ur!(Device.pfnGet(platform, kind, 0, devices.as_mut_ptr(), null_mut())),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    assert_eq!(
        ur!(Device.pfnGet(platform, kind, 1, null_mut(), null_mut())),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        ur!(Device.pfnGet(
            platform,
            ur_device_type_t(99),
            1,
            devices.as_mut_ptr(),
            null_mut()
        )),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
    assert_eq!(
        ur!(Device.pfnGet(null_mut(), kind, 1, devices.as_mut_ptr(), null_mut())),
        UR_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    // A handle of another kind is not taken for one of this kind.
    assert_eq!(
        ur!(Device.pfnGet(devices[0].cast(), kind, 1, devices.as_mut_ptr(), null_mut())),
        UR_RESULT_ERROR_INVALID_PLATFORM
    );
}

/// Every query of a device, by number: those that the API names and many that it does not.
#[test]
fn every_device_query_has_an_answer() {
    let device = device();
    let mut answered = 0;
    for number in (0..0x200).chain(0x1000..0x1100).chain(0x2000..0x9100) {
        let name = ur_device_info_t(number);
        let mut size = usize::MAX;
        let outcome = ur!(Device.pfnGetInfo(device, name, 0, null_mut(), &mut size));
        if outcome == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
            continue;
        }
        assert_eq!(outcome, UR_RESULT_SUCCESS, "{name}");
        assert!(Enumeration::name(name).is_some(), "{number} is no query");
        answered += 1;
        let mut value = vec![0xa5u8; size + 8];
        let place = value.as_mut_ptr().cast::<c_void>();
        if size > 0 {
            ok!(Device.pfnGetInfo(device, name, size, place, null_mut()));
            assert_eq!(value[size..], [0xa5; 8], "{name} writes too much");
        }
        if size > 1 {
            assert_eq!(
                ur!(Device.pfnGetInfo(device, name, size - 1, place, null_mut())),
                UR_RESULT_ERROR_INVALID_SIZE,
                "{name}"
            );
        }
        assert_eq!(
            ur!(Device.pfnGetInfo(device, name, 0, null_mut(), null_mut())),
            UR_RESULT_ERROR_INVALID_NULL_POINTER
        );
    }
    assert!(answered > 140, "{answered}");
}

fn info<T: Copy + Default>(device: ur_device_handle_t, name: ur_device_info_t) -> T {
    let mut value = T::default();
    let place = (&raw mut value).cast();
    ok!(Device.pfnGetInfo(device, name, size_of::<T>(), place, null_mut()));
    value
}

#[test]
fn device_info_agrees_with_itself() {
    let device = device();
    let units: u32 = info(device, UR_DEVICE_INFO_MAX_COMPUTE_UNITS);
    assert!(units >= 1);
    let sizes: [usize; 3] = info(device, UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES);
    let group: usize = info(device, UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE);
    assert!(sizes.iter().all(|size| *size <= group));
    let memory: u64 = info(device, UR_DEVICE_INFO_GLOBAL_MEM_SIZE);
    assert!(info::<u64>(device, UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE) <= memory);
    assert!(info::<u64>(device, UR_DEVICE_INFO_GLOBAL_MEM_FREE) <= memory);
    let uuid = || info::<[u8; 16]>(device, UR_DEVICE_INFO_UUID);
    assert_eq!(uuid(), uuid());
    assert_eq!(info::<u32>(device, UR_DEVICE_INFO_REFERENCE_COUNT), 1);
    ok!(Device.pfnRetain(device));
    assert_eq!(info::<u32>(device, UR_DEVICE_INFO_REFERENCE_COUNT), 1);
    ok!(Device.pfnRelease(device));
    let mut text = vec![0u8; 4096];
    let mut size = 0;
    let place = text.as_mut_ptr().cast();
    ok!(Device.pfnGetInfo(device, UR_DEVICE_INFO_EXTENSIONS, 4096, place, &mut size));
    let text = String::from_utf8(text[..size - 1].to_vec()).unwrap();
    for wanted in ["cl_khr_il_program", "cl_khr_fp64"] {
        assert!(text.split(' ').any(|word| word == wanted), "{wanted}");
    }
    assert!(!text.contains("  "));
}

fn partition(
    device: ur_device_handle_t,
    properties: &[(ur_device_partition_t, u32)],
) -> Result<Vec<ur_device_handle_t>, ur_result_t> {
    let list: Vec<_> = properties
        .iter()
        .map(|(kind, value)| ur_device_partition_property_t {
            r#type: *kind,
            value: ur_device_partition_value_t { count: *value },
        })
        .collect();
    let properties = ur_device_partition_properties_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES,
        pNext: null_mut(),
        pProperties: list.as_ptr(),
        PropCount: list.len(),
    };
    let mut count = 0;
    match ur!(Device.pfnPartition(device, &properties, 0, null_mut(), &mut count)) {
        UR_RESULT_SUCCESS => {}
        error => return Err(error),
    }
    let mut parts = vec![null_mut(); count as usize];
    ok!(Device.pfnPartition(device, &properties, count, parts.as_mut_ptr(), null_mut()));
    Ok(parts)
}

#[test]
fn sub_devices_are_counted_and_know_their_parent() {
    let root = device();
    let units: u32 = info(root, UR_DEVICE_INFO_MAX_COMPUTE_UNITS);
    for part in partition(root, &[(UR_DEVICE_PARTITION_EQUALLY, 1)]).unwrap() {
        assert_eq!(info::<u32>(part, UR_DEVICE_INFO_MAX_COMPUTE_UNITS), 1);
        assert_eq!(
            info::<usize>(part, UR_DEVICE_INFO_PARENT_DEVICE),
            root as usize
        );
        assert_eq!(
            info::<[u32; 2]>(part, UR_DEVICE_INFO_PARTITION_TYPE),
            [UR_DEVICE_PARTITION_EQUALLY.0, 1]
        );
        assert_eq!(info::<u32>(part, UR_DEVICE_INFO_REFERENCE_COUNT), 1);
        ok!(Device.pfnRetain(part));
        assert_eq!(info::<u32>(part, UR_DEVICE_INFO_REFERENCE_COUNT), 2);
        ok!(Device.pfnRelease(part));
        // A queue of the part in a context of the whole.
        let context = Context::new();
        let mut queue = null_mut();
        ok!(Queue.pfnCreate(context.0, part, null(), &mut queue));
        assert!(info::<u32>(part, UR_DEVICE_INFO_REFERENCE_COUNT) > 1);
        ok!(Queue.pfnRelease(queue));
        assert_eq!(info::<u32>(part, UR_DEVICE_INFO_REFERENCE_COUNT), 1);
        ok!(Device.pfnRelease(part));
    }
    for part in partition(root, &[(UR_DEVICE_PARTITION_BY_COUNTS, units)]).unwrap() {
        assert_eq!(info::<u32>(part, UR_DEVICE_INFO_MAX_COMPUTE_UNITS), units);
        ok!(Device.pfnRelease(part));
    }
    let too_many = partition(root, &[(UR_DEVICE_PARTITION_BY_COUNTS, units + 1)]);
    assert_eq!(
        too_many,
        Err(UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT)
    );
    let none = partition(root, &[(UR_DEVICE_PARTITION_BY_COUNTS, 0)]);
    assert_eq!(none, Err(UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT));
    let too_large = partition(root, &[(UR_DEVICE_PARTITION_EQUALLY, units + 1)]);
    assert_eq!(too_large, Err(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED));
    assert_eq!(partition(root, &[]), Err(UR_RESULT_ERROR_INVALID_VALUE));
}

#[test]
fn spirv_is_the_binary_that_is_selected() {
    let binary = |target: &std::ffi::CStr| ur_device_binary_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_BINARY,
        pNext: null(),
        pDeviceTargetSpec: target.as_ptr(),
    };
    let list = [
        binary(c"nvptx64"),
        binary(c"spir64_x86_64"),
        binary(c"spir64"),
        binary(c"spir"),
    ];
    let mut selected = 99;
    ok!(Device.pfnSelectBinary(device(), list.as_ptr(), 4, &mut selected));
    assert_eq!(selected, 2);
    let outcome = ur!(Device.pfnSelectBinary(device(), list.as_ptr(), 2, &mut selected));
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_BINARY);
    let outcome = ur!(Device.pfnSelectBinary(device(), list.as_ptr(), 0, &mut selected));
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_SIZE);
}

#[test]
fn queries_that_give_handles_do_not_change_counts() {
    let context = Context::new();
    let queue = context.queue();
    let event = queue.wait_event(&[]);
    let contexts = || {
        count(|place| {
            ur!(Context.pfnGetInfo(
                context.0,
                UR_CONTEXT_INFO_REFERENCE_COUNT,
                4,
                place,
                null_mut()
            ))
        })
    };
    let queues = || {
        count(|place| {
            ur!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_REFERENCE_COUNT, 4, place, null_mut()))
        })
    };
    let before = (contexts(), queues());
    for _ in 0..100 {
        let mut handle = 0usize;
        let place = (&raw mut handle).cast::<c_void>();
        ok!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_CONTEXT, 8, place, null_mut()));
        assert_eq!(handle, context.0 as usize);
        ok!(Queue.pfnGetInfo(queue.0, UR_QUEUE_INFO_DEVICE, 8, place, null_mut()));
        assert_eq!(handle, device() as usize);
        ok!(Event.pfnGetInfo(event.0, UR_EVENT_INFO_COMMAND_QUEUE, 8, place, null_mut()));
        assert_eq!(handle, queue.0 as usize);
        ok!(Event.pfnGetInfo(event.0, UR_EVENT_INFO_CONTEXT, 8, place, null_mut()));
        assert_eq!(handle, context.0 as usize);
        ok!(Context.pfnGetInfo(context.0, UR_CONTEXT_INFO_DEVICES, 8, place, null_mut()));
        assert_eq!(handle, device() as usize);
        ok!(Device.pfnGetInfo(device(), UR_DEVICE_INFO_PLATFORM, 8, place, null_mut()));
        assert_eq!(handle, platform() as usize);
    }
    assert_eq!((contexts(), queues()), before);
    // A handle is a pointer to an object whose first word is the adapter's table.
    // SAFETY: that is what is being tested.
    assert!(std::ptr::eq(unsafe { (*context.0).table }, table()));
}

#[test]
fn counts_go_up_and_down() {
    let context = Context::new();
    let name = UR_CONTEXT_INFO_REFERENCE_COUNT;
    let get = || count(|place| ur!(Context.pfnGetInfo(context.0, name, 4, place, null_mut())));
    assert_eq!(get(), 1);
    ok!(Context.pfnRetain(context.0));
    assert_eq!(get(), 2);
    ok!(Context.pfnRelease(context.0));
    assert_eq!(get(), 1);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let raw = context.0 as usize;
            std::thread::spawn(move || {
                for _ in 0..10_000 {
                    ok!(Context.pfnRetain(raw as ur_context_handle_t));
                    ok!(Context.pfnRelease(raw as ur_context_handle_t));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(get(), 1);
}

#[test]
fn a_context_calls_its_deleters_last_first() {
    static ORDER: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
    unsafe extern "C" fn note(data: *mut c_void) {
        ORDER.lock().unwrap().push(data as usize);
    }
    let context = Context::new();
    for number in 1..=3usize {
        let data = number as *mut c_void;
        ok!(Context.pfnSetExtendedDeleter(context.0, Some(note), data));
    }
    assert_eq!(
        ur!(Context.pfnSetExtendedDeleter(context.0, None, null_mut())),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert!(ORDER.lock().unwrap().is_empty());
    drop(context);
    assert_eq!(*ORDER.lock().unwrap(), [3, 2, 1]);
}

#[test]
fn bad_creations_are_refused() {
    let mut context = null_mut();
    assert_eq!(
        ur!(Context.pfnCreate(0, &device(), null(), &mut context)),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    assert_eq!(
        ur!(Context.pfnCreate(1, null(), null(), &mut context)),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        ur!(Context.pfnCreate(1, &null_mut(), null(), &mut context)),
        UR_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(
        ur!(Context.pfnCreate(1, &device(), null(), null_mut())),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert!(context.is_null());
    let context = Context::new();
    let create = |flags| {
        let properties = ur_queue_properties_t {
            stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
            flags,
            ..Default::default()
        };
        let mut queue = null_mut();
        let outcome = ur!(Queue.pfnCreate(context.0, device(), &properties, &mut queue));
        if !queue.is_null() {
            ok!(Queue.pfnRelease(queue));
        }
        outcome
    };
    let both = UR_QUEUE_FLAG_PRIORITY_HIGH.0 | UR_QUEUE_FLAG_PRIORITY_LOW.0;
    assert_eq!(create(both), UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES);
    let both = UR_QUEUE_FLAG_SUBMISSION_BATCHED.0 | UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE.0;
    assert_eq!(create(both), UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES);
    assert_eq!(create(1 << 31), UR_RESULT_ERROR_INVALID_ENUMERATION);
    assert_eq!(create(UR_QUEUE_FLAG_PRIORITY_HIGH.0), UR_RESULT_SUCCESS);
}

#[test]
fn native_handles_are_refused() {
    let context = Context::new();
    let mut native = 0;
    assert_eq!(
        ur!(Context.pfnGetNativeHandle(context.0, &mut native)),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    assert_eq!(
        ur!(Device.pfnGetNativeHandle(device(), &mut native)),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    let queue = context.queue();
    assert_eq!(
        ur!(Queue.pfnGetNativeHandle(queue.0, null_mut(), &mut native)),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
}

#[test]
fn clocks_agree() {
    let (mut device_time, mut host_time) = (0, 0);
    let (d, h) = (&mut device_time, &mut host_time);
    ok!(Device.pfnGetGlobalTimestamps(device(), d, h));
    assert_eq!(device_time, host_time);
    let mut later = 0;
    ok!(Device.pfnGetGlobalTimestamps(device(), &mut later, null_mut()));
    assert!(later >= device_time);
}
