//! Life cycles, versions, failures by order.

use crate::case;
use crate::support::*;
use ze_fake::command_list::*;
use ze_fake::context::*;
use ze_fake::control::*;
use ze_fake::device::*;
use ze_fake::driver::*;
use ze_fake::event::*;
use ze_fake::event_pool::*;
use ze_fake::ze::*;

case! {
    /// Devices, their parts and their engines are as the settings say.
    devices, "1.5 devices=2 parts=3 copies=4 computes=1", |fake| {
        assert_eq!(fake.devices.len(), 2);
        let mut parts = [ze_device_handle_t::NULL; 3];
        let mut count = 8;
        good(unsafe { zeDeviceGetSubDevices(fake.devices[1], &mut count, parts.as_mut_ptr()) });
        assert_eq!(count, 3);
        let mut uuids = Vec::new();
        for device in fake.devices.iter().chain(&parts) {
            let mut properties = ze_device_properties_t::new();
            good(unsafe { zeDeviceGetProperties(*device, &mut properties) });
            assert_eq!(properties.timerResolution, 80);
            properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
            good(unsafe { zeDeviceGetProperties(*device, &mut properties) });
            assert_eq!(properties.timerResolution, 12_500_000);
            assert_eq!(properties.stype, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
            uuids.push(properties.uuid);
        }
        uuids.sort_unstable();
        uuids.dedup();
        assert_eq!(uuids.len(), 5);
        let mut groups = [ze_command_queue_group_properties_t::new(); 3];
        let mut count = 3;
        good(unsafe {
            let place = groups.as_mut_ptr();
            zeDeviceGetCommandQueueGroupProperties(parts[0], &mut count, place)
        });
        assert_eq!(groups.map(|group| group.numQueues), [1, 1, 3]);
        let mut version = 0;
        good(unsafe { zeDriverGetApiVersion(fake.driver, &mut version) });
        assert_eq!(version, 0x1_0005);
        fake.end();
    }
}

case! {
    /// What came later than the version is not supported.
    versions, "1.0", |fake| {
        let unsupported = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        let list = fake.immediate(0);
        assert_eq!(unsafe { zeCommandListHostSynchronize(list, 0) }, unsupported);
        let mut desc = ze_command_queue_desc_t::new();
        desc.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
        let mut other = ze_command_list_handle_t::NULL;
        let (context, device) = (fake.context, fake.device());
        assert_eq!(
            unsafe { zeCommandListCreateImmediate(context, device, &desc, &mut other) },
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
        let mut event = NONE;
        let none = std::ptr::null();
        let result = unsafe { zeEventCounterBasedCreate(context, device, none, &mut event) };
        assert_eq!(result, unsupported);
        let mut count = 0;
        let mut init = ze_init_driver_type_desc_t::new();
        init.flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU;
        let drivers = std::ptr::null_mut();
        assert_eq!(unsafe { zeInitDrivers(&mut count, drivers, &init) }, unsupported);
        good(unsafe { zeCommandListDestroy(list) });
        fake.end();
    }
}

case! {
    /// Destroying twice, or what others need, is an error and a fault.
    destroying, "1.15", |fake| {
        let list = fake.immediate(0);
        let used = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
        assert_eq!(unsafe { zeContextDestroy(fake.context) }, used);
        fault("while 1 objects");
        good(unsafe { zeCommandListDestroy(list) });
        let gone = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        assert_eq!(unsafe { zeCommandListDestroy(list) }, gone);
        fault("is no CommandList but None");
        let null = ze_command_list_handle_t::NULL;
        let result = unsafe { zeCommandListDestroy(null) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        let (pool, [event]) = fake.events(0);
        assert_eq!(unsafe { zeEventPoolDestroy(pool) }, used);
        fault("EventPool");
        fake.drop_events((pool, &[event]));
        let memory = fake.memory(1);
        assert_eq!(unsafe { zeContextDestroy(fake.context) }, used);
        fault("has memory");
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// A place is used again by another kind of object at once, if the test wants it.
    places_are_used_again, "1.15", |fake| {
        let first = fake.immediate(0);
        good(unsafe { zeCommandListDestroy(first) });
        let second = fake.immediate(0);
        assert_ne!(first, second);
        fake_recycle(true);
        good(unsafe { zeCommandListDestroy(second) });
        let pool = fake.pool(1, 0);
        assert_eq!(pool.to_native(), second.to_native());
        good(unsafe { zeEventPoolDestroy(pool) });
        fake.end();
    }
}

case! {
    /// Calls fail as ordered, by name or any, and are counted and recorded.
    failures, "1.15", |fake| {
        fake_record(true);
        fail("zeEventPoolCreate", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, 1, 1);
        let mut desc = ze_event_pool_desc_t::new();
        desc.count = 1;
        let mut pool = ze_event_pool_handle_t::NULL;
        let none = std::ptr::null();
        let mut make = || unsafe { zeEventPoolCreate(fake.context, &desc, 0, none, &mut pool) };
        good(make());
        good(unsafe { zeEventPoolDestroy(pool) });
        let mut make = || unsafe { zeEventPoolCreate(fake.context, &desc, 0, none, &mut pool) };
        assert_eq!(make(), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        good(make());
        fail("*", ZE_RESULT_ERROR_DEVICE_LOST, 0, u64::MAX);
        good(unsafe { zeEventPoolDestroy(pool) });
        assert_eq!(unsafe { zeDeviceGetStatus(fake.device()) }, ZE_RESULT_ERROR_DEVICE_LOST);
        assert_eq!(fake_failed(), 2);
        let mut name = [0; 64];
        let size = unsafe { fake_failed_last(name.as_mut_ptr(), name.len()) };
        assert_eq!(&name[..size], b"zeDeviceGetStatus");
        assert_eq!(unsafe { fake_calls(c"zeEventPoolCreate".as_ptr()) }, 3);
        let mut text = [0; 256];
        let size = unsafe { fake_recorded(text.as_mut_ptr(), text.len()) };
        let text = String::from_utf8_lossy(&text[..size]);
        assert!(text.starts_with("zeEventPoolCreate\nzeEventPoolDestroy\nzeEventPoolCreate\n"));
        fake_reset();
        good(unsafe { zeDeviceGetStatus(fake.device()) });
        fake.end();
    }
}
