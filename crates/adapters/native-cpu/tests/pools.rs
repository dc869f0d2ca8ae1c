//! USM pools, enqueued allocations, memory made known, exported memory and peers.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A pool, released at the end.
struct Pool(ur_usm_pool_handle_t);

impl Drop for Pool {
    fn drop(&mut self) {
        ok!(USM.pfnPoolRelease(self.0));
    }
}

impl Pool {
    fn new(context: &Context, flags: u32) -> Pool {
        Pool::with(context, flags, null())
    }

    fn limited(context: &Context, largest: usize, least: usize) -> Pool {
        let limits = ur_usm_pool_limits_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_POOL_LIMITS_DESC,
            maxPoolableSize: largest,
            minDriverAllocSize: least,
            ..Default::default()
        };
        Pool::with(context, 0, (&raw const limits).cast())
    }

    fn with(context: &Context, flags: u32, next: *const c_void) -> Pool {
        let mut desc = ur_usm_pool_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
            pNext: next,
            flags,
        };
        let mut pool = null_mut();
        ok!(USM.pfnPoolCreate(context.0, &mut desc, &mut pool));
        Pool(pool)
    }

    fn device(&self, context: &Context, size: usize) -> Result<*mut u8, ur_result_t> {
        let mut mem = null_mut();
        let outcome = ur!(USM.pfnDeviceAlloc(context.0, device(), null(), self.0, size, &mut mem));
        if outcome == UR_RESULT_SUCCESS {
            Ok(mem.cast())
        } else {
            Err(outcome)
        }
    }

    fn number(&self, name: ur_usm_pool_info_t) -> usize {
        pool_number(self.0, name)
    }

    fn set(&self, name: ur_usm_pool_info_t, mut value: usize) -> ur_result_t {
        ur!(USMExp.pfnPoolSetInfoExp(self.0, name, (&raw mut value).cast(), 8))
    }

    fn reserved(&self) -> usize {
        self.number(UR_USM_POOL_INFO_RESERVED_CURRENT_EXP)
    }

    fn used(&self) -> usize {
        self.number(UR_USM_POOL_INFO_USED_CURRENT_EXP)
    }
}

fn pool_number(pool: ur_usm_pool_handle_t, name: ur_usm_pool_info_t) -> usize {
    let (mut value, mut size) = (0usize, 0);
    ok!(USMExp.pfnPoolGetInfoExp(pool, name, (&raw mut value).cast(), &mut size));
    assert_eq!(size, 8);
    let mut again = 0usize;
    ok!(USM.pfnPoolGetInfo(pool, name, 8, (&raw mut again).cast(), null_mut()));
    assert_eq!(again, value);
    value
}

fn free(context: &Context, mem: *mut u8) {
    ok!(USM.pfnFree(context.0, mem.cast()));
}

/// What the registry says the pointer is.
fn kind_of(context: &Context, mem: *const c_void) -> ur_usm_type_t {
    let mut kind = ur_usm_type_t(99);
    let place = (&raw mut kind).cast();
    let name = UR_USM_ALLOC_INFO_TYPE;
    ok!(USM.pfnGetMemAllocInfo(context.0, mem, name, 4, place, null_mut()));
    kind
}

#[test]
fn a_pool_keeps_what_is_freed_and_gives_it_back_when_told() {
    let context = Context::new();
    let pool = Pool::limited(&context, 1 << 20, 1 << 16);
    let first = pool.device(&context, 1000).unwrap();
    // One request of the system serves many allocations.
    let others: Vec<_> = (0..10)
        .map(|_| pool.device(&context, 1000).unwrap())
        .collect();
    assert_eq!(pool.reserved(), 1 << 16);
    assert_eq!(pool.used(), 11 * 4096);
    let mut told: ur_usm_pool_handle_t = null_mut();
    let (name, place) = (UR_USM_ALLOC_INFO_POOL, (&raw mut told).cast());
    ok!(USM.pfnGetMemAllocInfo(context.0, first.cast(), name, 8, place, null_mut()));
    assert_eq!(told, pool.0);
    free(&context, first);
    assert_eq!(pool.device(&context, 500).unwrap(), first, "used again");
    for mem in others.into_iter().chain([first]) {
        free(&context, mem);
    }
    assert_eq!((pool.used(), pool.reserved()), (0, 1 << 16));
    assert_eq!(pool.number(UR_USM_POOL_INFO_USED_HIGH_EXP), 11 * 4096);
    // Larger ones are not kept.
    let large = pool.device(&context, (1 << 20) + 1).unwrap();
    assert!(pool.reserved() > 1 << 20);
    free(&context, large);
    assert_eq!(pool.reserved(), 1 << 16);
    ok!(USMExp.pfnPoolTrimToExp(context.0, device(), pool.0, 1 << 16));
    assert_eq!(pool.reserved(), 1 << 16);
    ok!(USMExp.pfnPoolTrimToExp(context.0, device(), pool.0, 0));
    assert_eq!(pool.reserved(), 0);
    assert!(pool.number(UR_USM_POOL_INFO_RESERVED_HIGH_EXP) > 1 << 20);
    assert_eq!(
        pool.set(UR_USM_POOL_INFO_RESERVED_HIGH_EXP, 0),
        UR_RESULT_SUCCESS
    );
    assert_eq!(pool.number(UR_USM_POOL_INFO_RESERVED_HIGH_EXP), 0);
}

#[test]
fn limits_and_thresholds() {
    let context = Context::new();
    let pool = Pool::new(&context, 0);
    assert_eq!(
        pool.set(UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP, 1 << 16),
        UR_RESULT_SUCCESS
    );
    let half = pool.device(&context, 1 << 15).unwrap();
    assert_eq!(
        pool.device(&context, (1 << 15) + 1).err(),
        Some(UR_RESULT_ERROR_OUT_OF_RESOURCES)
    );
    let other = pool.device(&context, 1 << 15).unwrap();
    assert_eq!(
        pool.device(&context, 1).err(),
        Some(UR_RESULT_ERROR_OUT_OF_RESOURCES)
    );
    free(&context, half);
    free(&context, other);
    // What is unused makes room for what fits none of it.
    let whole = pool.device(&context, 1 << 16).unwrap();
    free(&context, whole);
    assert_eq!(pool.reserved(), 1 << 16);
    assert_eq!(
        pool.set(UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP, 0),
        UR_RESULT_SUCCESS
    );
    assert_eq!(pool.reserved(), 0);
    free(&context, pool.device(&context, 100).unwrap());
    assert_eq!(pool.reserved(), 0, "nothing is kept above the threshold");
    assert_eq!(
        pool.set(UR_USM_POOL_INFO_USED_CURRENT_EXP, 0),
        UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION
    );
    assert_eq!(
        pool.set(UR_USM_POOL_INFO_USED_HIGH_EXP, 1),
        UR_RESULT_ERROR_INVALID_VALUE
    );
}

#[test]
fn blocks_are_zero_when_asked_for() {
    let context = Context::new();
    let pool = Pool::new(&context, UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0);
    let first = pool.device(&context, 5000).unwrap();
    // SAFETY: the allocation has 5000 bytes, on this device reachable for the host.
    unsafe { first.write_bytes(0xFF, 5000) };
    free(&context, first);
    let second = pool.device(&context, 5000).unwrap();
    assert_eq!(second, first);
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(second, 5000) };
    assert!(bytes.iter().all(|byte| *byte == 0));
    free(&context, second);
}

#[test]
fn alignment_in_pools() {
    let context = Context::new();
    let pool = Pool::new(&context, 0);
    let mut live = Vec::new();
    for align in [1u32, 8, 256, 4096, 1 << 16, 1 << 20] {
        let desc = ur_usm_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_DESC,
            align,
            ..Default::default()
        };
        let mut mem = null_mut();
        ok!(USM.pfnHostAlloc(context.0, &desc, pool.0, 100, &mut mem));
        assert!((mem as usize).is_multiple_of(align.max(128) as usize));
        ok!(
            USM.pfnSharedAlloc(context.0, device(), &desc, pool.0, 100, {
                live.push(mem);
                &mut mem
            })
        );
        assert!((mem as usize).is_multiple_of(align.max(128) as usize));
        live.push(mem);
    }
    for mem in live {
        free(&context, mem.cast());
    }
}

#[test]
fn counts_contexts_and_wrong_pools() {
    let (context, other) = (Context::new(), Context::new());
    let pool = Pool::new(&context, 0);
    let mut count = 0u32;
    let (name, place) = (UR_USM_POOL_INFO_REFERENCE_COUNT, (&raw mut count).cast());
    ok!(USM.pfnPoolGetInfo(pool.0, name, 4, place, null_mut()));
    assert_eq!(count, 1);
    let mut told: ur_context_handle_t = null_mut();
    let (name, place) = (UR_USM_POOL_INFO_CONTEXT, (&raw mut told).cast());
    ok!(USM.pfnPoolGetInfo(pool.0, name, 8, place, null_mut()));
    assert_eq!(told, context.0);
    assert_eq!(
        pool.device(&other, 10).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
    // An allocation outlives the pool's handle.
    let mem = pool.device(&context, 10).unwrap();
    drop(pool);
    // SAFETY: the allocation has ten bytes.
    unsafe { mem.write_bytes(1, 10) };
    free(&context, mem);
    let mut desc = ur_usm_pool_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
        flags: 1 << 20,
        ..Default::default()
    };
    let mut none = null_mut();
    assert_eq!(
        ur!(USM.pfnPoolCreate(context.0, &mut desc, &mut none)),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn memory_of_the_program_as_a_pool() {
    let context = Context::new();
    let mut memory = vec![0u8; 1 << 16];
    let range = memory.as_mut_ptr_range();
    let buffer = ur_usm_pool_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_POOL_BUFFER_DESC,
        pMem: range.start.cast(),
        size: memory.len(),
        memType: UR_USM_TYPE_HOST,
        ..Default::default()
    };
    {
        let pool = Pool::with(&context, 0, (&raw const buffer).cast());
        let mut mem = null_mut();
        ok!(USM.pfnHostAlloc(context.0, null(), pool.0, 1000, &mut mem));
        assert!(range.contains(&mem.cast()));
        assert_eq!(
            ur!(USM.pfnHostAlloc(context.0, null(), pool.0, 1 << 16, null_mut())),
            UR_RESULT_ERROR_INVALID_NULL_POINTER
        );
        let mut more = null_mut();
        assert_eq!(
            ur!(USM.pfnHostAlloc(context.0, null(), pool.0, 1 << 16, &mut more)),
            UR_RESULT_ERROR_OUT_OF_RESOURCES
        );
        assert_eq!(
            pool.device(&context, 10).err(),
            Some(UR_RESULT_ERROR_INVALID_VALUE)
        );
        free(&context, mem.cast());
    }
    memory.fill(3);
}

#[test]
fn default_and_current_pools_of_a_device() {
    let context = Context::new();
    let get = |current: bool| {
        let mut pool = null_mut();
        if current {
            ok!(USMExp.pfnPoolGetDevicePoolExp(context.0, device(), &mut pool));
        } else {
            ok!(USMExp.pfnPoolGetDefaultDevicePoolExp(context.0, device(), &mut pool));
        }
        pool
    };
    let default = get(false);
    assert_eq!(get(false), default);
    assert_eq!(get(true), default);
    let mut count = 0u32;
    let (name, place) = (UR_USM_POOL_INFO_REFERENCE_COUNT, (&raw mut count).cast());
    ok!(USM.pfnPoolGetInfo(default, name, 4, place, null_mut()));
    assert_eq!(count, 1, "asking for it makes no owner");
    assert_eq!(
        ur!(USMExp.pfnPoolDestroyExp(context.0, device(), default)),
        UR_RESULT_ERROR_INVALID_VALUE
    );
    let mut desc = ur_usm_pool_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
        ..Default::default()
    };
    let mut own = null_mut();
    ok!(USMExp.pfnPoolCreateExp(context.0, device(), &mut desc, &mut own));
    ok!(USMExp.pfnPoolSetDevicePoolExp(context.0, device(), own));
    assert_eq!(get(true), own);
    assert_eq!(get(false), default);
    // An enqueued allocation without a pool comes from there.
    let queue = context.queue();
    let mut mem = null_mut();
    ok!(EnqueueExp.pfnUSMDeviceAllocExp(
        queue.0,
        null_mut(),
        100,
        null(),
        0,
        null(),
        &mut mem,
        null_mut()
    ));
    assert_eq!(pool_number(own, UR_USM_POOL_INFO_USED_CURRENT_EXP), 4096);
    ok!(EnqueueExp.pfnUSMFreeExp(queue.0, null_mut(), mem, 0, null(), null_mut()));
    queue.finish();
    assert_eq!(pool_number(own, UR_USM_POOL_INFO_USED_CURRENT_EXP), 0);
    ok!(USMExp.pfnPoolDestroyExp(context.0, device(), own));
    assert_eq!(get(true), default, "the pool that is gone is not current");
}

#[test]
fn enqueued_allocations_and_frees_are_ordered() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let pool = Pool::new(&context, 0);
    let (go, held) = queue.block();
    let (mut mem, mut event) = (null_mut(), null_mut());
    ok!(EnqueueExp.pfnUSMHostAllocExp(
        queue.0,
        pool.0,
        4096,
        null(),
        1,
        &held.0,
        &mut mem,
        &mut event
    ));
    let allocated = Event(event);
    assert_eq!(
        event_info(allocated.0, UR_EVENT_INFO_COMMAND_TYPE),
        UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP.0
    );
    assert_ne!(allocated.status(), UR_EVENT_STATUS_COMPLETE);
    assert_eq!(kind_of(&context, mem), UR_USM_TYPE_HOST);
    let mut event = null_mut();
    let value = 0x5Au8;
    ok!(Enqueue.pfnUSMFill(
        queue.0,
        mem,
        1,
        (&raw const value).cast(),
        4096,
        1,
        &allocated.0,
        &mut event
    ));
    let filled = Event(event);
    let mut event = null_mut();
    ok!(EnqueueExp.pfnUSMFreeExp(queue.0, pool.0, mem, 1, &filled.0, &mut event));
    let freed = Event(event);
    // Not freed as long as the command has not run.
    assert_eq!(pool.used(), 4096);
    drop(go);
    freed.wait();
    assert_eq!(pool.used(), 0);
    assert_eq!(kind_of(&context, mem), UR_USM_TYPE_UNKNOWN);
    assert_eq!(
        ur!(EnqueueExp.pfnUSMFreeExp(queue.0, pool.0, mem, 0, null(), null_mut())),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    let mut mem = null_mut();
    ok!(EnqueueExp.pfnUSMSharedAllocExp(
        queue.0,
        pool.0,
        64,
        null(),
        0,
        null(),
        &mut mem,
        null_mut()
    ));
    assert_eq!(kind_of(&context, mem), UR_USM_TYPE_SHARED);
    // Ordinary freeing does as well.
    free(&context, mem.cast());
}

#[test]
fn memory_of_the_host_is_made_known() {
    let context = Context::new();
    let mut memory = vec![0u8; 1000];
    let start: *mut c_void = memory.as_mut_ptr().cast();
    assert_eq!(kind_of(&context, start), UR_USM_TYPE_UNKNOWN);
    let register = |at, size| ur!(USMExp.pfnHostAllocRegisterExp(context.0, at, size, null()));
    assert_eq!(register(start, 0), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(register(start, 1000), UR_RESULT_SUCCESS);
    assert_eq!(register(start, 10), UR_RESULT_ERROR_INVALID_VALUE);
    let inside: *const c_void = (&raw const memory[999]).cast();
    assert_eq!(kind_of(&context, inside), UR_USM_TYPE_HOST);
    // It is not an allocation that could be freed.
    assert_eq!(
        ur!(USM.pfnFree(context.0, start)),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    ok!(USMExp.pfnHostAllocUnregisterExp(context.0, start));
    assert_eq!(
        ur!(USMExp.pfnHostAllocUnregisterExp(context.0, start)),
        UR_RESULT_ERROR_INVALID_VALUE
    );
    assert_eq!(kind_of(&context, inside), UR_USM_TYPE_UNKNOWN);
    ok!(USMExp.pfnImportExp(context.0, start, 1000));
    assert_eq!(
        ur!(USMExp.pfnImportExp(context.0, start, 0)),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    ok!(USMExp.pfnReleaseExp(context.0, start));
    let mut copy = [0u8; 4];
    memory[..4].copy_from_slice(b"abcd");
    ok!(USMExp.pfnContextMemcpyExp(
        context.0,
        copy.as_mut_ptr().cast(),
        memory.as_ptr().cast(),
        4
    ));
    assert_eq!(&copy, b"abcd");
}

#[test]
fn exported_memory_is_a_file_descriptor() {
    let context = Context::new();
    let (fd_type, win) = (
        UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD,
        UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT,
    );
    let mut mem = null_mut();
    let alloc = |align, size, kind, mem: &mut *mut c_void| {
        ur!(MemoryExportExp.pfnAllocExportableMemoryExp(
            context.0,
            device(),
            align,
            size,
            kind,
            mem
        ))
    };
    assert_eq!(
        alloc(3, 10, fd_type, &mut mem),
        UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT
    );
    assert_eq!(
        alloc(0, 0, fd_type, &mut mem),
        UR_RESULT_ERROR_INVALID_USM_SIZE
    );
    assert_eq!(
        alloc(0, 10, win, &mut mem),
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    assert_eq!(alloc(64, 5000, fd_type, &mut mem), UR_RESULT_SUCCESS);
    assert_eq!(kind_of(&context, mem), UR_USM_TYPE_DEVICE);
    // SAFETY: the allocation has 5000 bytes.
    unsafe { mem.cast::<u8>().write_bytes(0xAB, 5000) };
    let mut fd = -1i32;
    ok!(MemoryExportExp.pfnExportMemoryHandleExp(
        context.0,
        device(),
        fd_type,
        mem,
        (&raw mut fd).cast()
    ));
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::FileExt;
    // SAFETY: the descriptor is new and the test's.
    let file = unsafe { std::fs::File::from_raw_fd(fd) };
    let mut bytes = vec![0u8; 5000];
    file.read_exact_at(&mut bytes, 0).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 0xAB));
    file.write_all_at(b"other", 100).unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { mem.cast::<u8>().add(100).read() }, b'o');
    assert_eq!(
        ur!(USM.pfnFree(context.0, mem)),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    ok!(MemoryExportExp.pfnFreeExportableMemoryExp(context.0, device(), mem));
    assert_eq!(
        ur!(MemoryExportExp.pfnFreeExportableMemoryExp(context.0, device(), mem)),
        UR_RESULT_ERROR_INVALID_VALUE
    );
}

#[test]
fn peers_reach_each_other() {
    let device = device();
    let mut yes = 0i32;
    ok!(UsmP2PExp.pfnPeerAccessGetInfoExp(
        device,
        device,
        UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT,
        4,
        (&raw mut yes).cast(),
        null_mut()
    ));
    assert_eq!(yes, 1);
    ok!(UsmP2PExp.pfnEnablePeerAccessExp(device, device));
    ok!(UsmP2PExp.pfnDisablePeerAccessExp(device, device));
}
