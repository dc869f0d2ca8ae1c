//! Memory.

use crate::case;
use crate::support::*;
use std::ffi::c_void;
use std::os::fd::FromRawFd;
use ze_fake::command_list::*;
use ze_fake::control::*;
use ze_fake::event::*;
use ze_fake::memory::*;
use ze_fake::physical_mem::*;
use ze_fake::virtual_mem::*;
use ze_fake::ze::*;

case! {
    /// What an address is of.
    properties, "1.15 devices=2", |fake| {
        let (device, mut host) = (fake.memory(100), std::ptr::null_mut());
        let desc = ze_host_mem_alloc_desc_t::new();
        good(unsafe { zeMemAllocHost(fake.context, &desc, 10, 1 << 16, &mut host) });
        assert!((host as usize).is_multiple_of(1 << 16));
        let ask = |address: *const c_void| {
            let mut properties = ze_memory_allocation_properties_t::new();
            let mut of = ze_device_handle_t::NULL;
            good(unsafe {
                zeMemGetAllocProperties(fake.context, address, &mut properties, &mut of)
            });
            (properties.type_, of)
        };
        let inside = unsafe { device.add(99) }.cast();
        assert_eq!(ask(inside), (ZE_MEMORY_TYPE_DEVICE, fake.device()));
        assert_eq!(ask(host), (ZE_MEMORY_TYPE_HOST, ze_device_handle_t::NULL));
        let local = 1;
        let unknown = (ZE_MEMORY_TYPE_UNKNOWN, ze_device_handle_t::NULL);
        assert_eq!(ask((&raw const local).cast()), unknown);
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        good(unsafe { zeMemGetAddressRange(fake.context, inside, &mut start, &mut size) });
        assert_eq!((start.cast::<u8>(), size), (device, 100));
        fake.free(device);
        fake.free(host.cast());
        fake.end();
    }
}

case! {
    /// Limits, and what is beyond them.
    limits, "1.15 memory=16 -shared", |fake| {
        let mut place = std::ptr::null_mut();
        let mut desc = ze_device_mem_alloc_desc_t::new();
        let host = ze_host_mem_alloc_desc_t::new();
        let (context, device) = (fake.context, fake.device());
        let mut allocate = |desc: &ze_device_mem_alloc_desc_t, size| unsafe {
            zeMemAllocDevice(context, desc, size, 0, device, &mut place)
        };
        assert_eq!(allocate(&desc, (8 << 20) + 1), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        assert_eq!(allocate(&desc, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        let mut relaxed = ze_relaxed_allocation_limits_exp_desc_t::new();
        relaxed.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
        desc.pNext = (&raw const relaxed).cast();
        assert_eq!(allocate(&desc, 17 << 20), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        good(allocate(&desc, 16 << 20));
        assert_eq!(allocate(&desc, 1), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        fake.free(place.cast());
        let mut other = std::ptr::null_mut();
        let result = unsafe {
            zeMemAllocShared(context, &desc, &host, 1, 0, device, &mut other)
        };
        assert_eq!(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        fake.end();
    }
}

case! {
    /// Memory is not freed while a command uses it, or when the command has ended.
    freeing, "1.15", |fake| {
        let (pool, [go, done]) = fake.events(0);
        let list = fake.immediate(0);
        let memory = fake.memory(8);
        good(fill(list, memory, 1, 8, done, &[go]));
        let result = unsafe { zeMemFree(fake.context, memory.cast()) };
        assert_eq!(result, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        fault("memory is freed that commands use");
        let mut desc = ze_memory_free_ext_desc_t::new();
        desc.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
        good(unsafe { zeMemFreeExt(fake.context, &desc, memory.cast()) });
        assert_eq!(fake_alive(14), 1);
        good(unsafe { zeEventHostSignal(go) });
        synchronise(done);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        while fake_alive(14) > 0 {
            std::thread::yield_now();
        }
        for event in [go, done] {
            good(unsafe { zeEventHostReset(event) });
        }
        let memory = fake.memory(8);
        good(fill(list, memory, 1, 8, done, &[go]));
        desc.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
        let go_on = std::thread::spawn(move || good(unsafe { zeEventHostSignal(go) }));
        good(unsafe { zeMemFreeExt(fake.context, &desc, memory.cast()) });
        go_on.join().unwrap();
        good(unsafe { zeEventQueryStatus(done) });
        assert_eq!(unsafe { zeMemFree(fake.context, memory.cast()) }, 0x7800_0004);
        fault("no allocation of the context begins");
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[go, done]));
        fake.end();
    }
}

/// The variable that has a handle for another process.
const HANDLE: &str = "UR_FAKE_LEVEL_ZERO_HANDLE";

case! {
    /// An allocation is opened once more by its handle, here and in another process.
    handles_for_others, "1.15", |fake| {
        let (context, device) = (fake.context, fake.device());
        let open = |handle, place: &mut *mut c_void| unsafe {
            zeMemOpenIpcHandle(context, device, handle, 0, place)
        };
        let mut other = std::ptr::null_mut();
        if let Some(text) = std::env::var_os(HANDLE) {
            let bytes = text.to_str().expect("numbers").split(',');
            let bytes: Vec<u8> = bytes.map(|byte| byte.parse().expect("a byte")).collect();
            let data = bytes.try_into().expect("a handle");
            good(open(ze_ipc_mem_handle_t { data }, &mut other));
            assert_eq!(unsafe { other.cast::<u8>().add(99).read() }, 7);
            unsafe { other.cast::<u8>().add(50).write(8) };
            good(unsafe { zeMemCloseIpcHandle(context, other) });
            return fake.end();
        }
        let memory = fake.memory(100);
        unsafe { memory.add(99).write(7) };
        let mut handle = ze_ipc_mem_handle_t { data: [0; 64] };
        good(unsafe { zeMemGetIpcHandle(context, memory.cast(), &mut handle) });
        good(open(handle, &mut other));
        let second: *mut u8 = other.cast();
        assert_ne!(second, memory);
        assert_eq!(unsafe { second.add(99).read() }, 7);
        unsafe { second.write(9) };
        assert_eq!(unsafe { memory.read() }, 9);
        good(unsafe { zeMemCloseIpcHandle(context, other) });
        let text: Vec<_> = handle.data.iter().map(u8::to_string).collect();
        let child = std::process::Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "memory::handles_for_others"])
            .env(HANDLE, text.join(","))
            .output()
            .expect("the test starts");
        assert!(child.status.success(), "{child:?}");
        assert_eq!(unsafe { memory.add(50).read() }, 8);
        let wrong = ze_ipc_mem_handle_t { data: [1; 64] };
        assert_eq!(open(wrong, &mut other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Memory is given to others as a file, and got from one.
    files, "1.15", |fake| {
        let (context, device) = (fake.context, fake.device());
        let mut export = ze_external_memory_export_desc_t::new();
        export.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
        let mut desc = ze_device_mem_alloc_desc_t::new();
        desc.pNext = (&raw const export).cast();
        let mut first = std::ptr::null_mut();
        good(unsafe { zeMemAllocDevice(context, &desc, 100, 0, device, &mut first) });
        let ask = |address: *mut c_void| {
            let mut file = ze_external_memory_export_fd_t::new();
            file.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
            let mut properties = ze_memory_allocation_properties_t::new();
            properties.pNext = (&raw mut file).cast();
            let none = std::ptr::null_mut();
            let result = unsafe {
                zeMemGetAllocProperties(context, address, &mut properties, none)
            };
            (result, file.fd)
        };
        let (result, file) = ask(first);
        good(result);
        let mut import = ze_external_memory_import_fd_t::new();
        import.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
        import.fd = file;
        desc.pNext = (&raw const import).cast();
        let mut second = std::ptr::null_mut();
        good(unsafe { zeMemAllocDevice(context, &desc, 100, 0, device, &mut second) });
        let (first, second): (*mut u8, *mut u8) = (first.cast(), second.cast());
        unsafe { first.add(99).write(3) };
        assert_eq!(unsafe { second.add(99).read() }, 3);
        import.fd = -1;
        let mut none = std::ptr::null_mut();
        desc.pNext = (&raw const import).cast();
        let result = unsafe { zeMemAllocDevice(context, &desc, 100, 0, device, &mut none) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        let plain = fake.memory(1);
        assert_eq!(ask(plain.cast()).0, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        for memory in [first, second, plain] {
            fake.free(memory);
        }
        drop(unsafe { std::os::fd::OwnedFd::from_raw_fd(file) });
        fake.end();
    }
}

case! {
    /// Physical memory is mapped twice, with what it may be used for.
    virtual_memory, "1.15", |fake| {
        let (context, device) = (fake.context, fake.device());
        let mut page = 0;
        good(unsafe { zeVirtualMemQueryPageSize(context, device, 1, &mut page) });
        let mut start = std::ptr::null_mut();
        good(unsafe { zeVirtualMemReserve(context, std::ptr::null(), 2 * page, &mut start) });
        let mut desc = ze_physical_mem_desc_t::new();
        desc.size = page;
        let mut physical = ze_physical_mem_handle_t::NULL;
        good(unsafe { zePhysicalMemCreate(context, device, &desc, &mut physical) });
        let first: *mut u8 = start.cast();
        let second = unsafe { first.add(page) };
        let map = |place: *mut u8, access| unsafe {
            zeVirtualMemMap(context, place.cast(), page, physical, 0, access)
        };
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let result = fill(list, first, 1, 1, NONE, &[]);
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("which is reserved");
        good(map(first, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
        good(map(second, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
        good(fill(list, first, 5, page, NONE, &[]));
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(unsafe { second.read() }, 5);
        let (mut access, mut size) = (0, 0);
        good(unsafe {
            let place = second.cast();
            zeVirtualMemGetAccessAttribute(context, place, page, &mut access, &mut size)
        });
        assert_eq!((access, size), (ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY, page));
        let destroyed = unsafe { zePhysicalMemDestroy(context, physical) };
        assert_eq!(destroyed, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("mapped");
        for place in [first, second] {
            good(unsafe { zeVirtualMemUnmap(context, place.cast(), page) });
        }
        good(unsafe { zePhysicalMemDestroy(context, physical) });
        good(unsafe { zeVirtualMemFree(context, start, 2 * page) });
        good(unsafe { zeCommandListDestroy(list) });
        fake.end();
    }
}

case! {
    /// Memory of the program's is imported once, and given back.
    imports, "1.15", |fake| {
        let mut host = vec![0u8; 100];
        let start = host.as_mut_ptr().cast();
        let driver = fake.driver;
        let import = || unsafe { zexDriverImportExternalPointer(driver, start, 100) };
        let release = || unsafe { zexDriverReleaseImportedPointer(driver, start) };
        good(import());
        assert_eq!(fake_alive(16), 1);
        assert_eq!(import(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("twice");
        good(release());
        assert_eq!(release(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("not imported");
        fake.end();
    }
}
