//! What commands do.

use crate::case;
use crate::support::*;
use ze_fake::command_list::*;
use ze_fake::command_queue::*;
use ze_fake::fence::*;
use ze_fake::ze::*;

case! {
    /// Copies, fills and boxes, on an engine that does all and on one that copies.
    copies_and_fills, "1.15", |fake| {
        let memory = fake.memory(4096);
        let (pool, [done]) = fake.events(0);
        for ordinal in [0, 1] {
            let in_order = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
            let list = fake.immediate_on(fake.device(), ordinal, 0, in_order);
            let host: Vec<u8> = (0..=255).collect();
            good(fill(list, memory, 7, 4096, NONE, &[]));
            good(copy(list, memory, host.as_ptr(), 256, NONE, &[]));
            let region = |x, y| ze_copy_region_t {
                originX: x, originY: y, originZ: 0, width: 2, height: 2, depth: 1,
            };
            let (to, from) = (region(1, 20), region(3, 1));
            let (dst, src) = (memory.cast(), memory.cast_const().cast());
            good(unsafe {
                zeCommandListAppendMemoryCopyRegion(
                    list, dst, &to, 64, 0, src, &from, 16, 0, done, 0, std::ptr::null(),
                )
            });
            synchronise(done);
            let bytes = unsafe { std::slice::from_raw_parts(memory, 4096) };
            assert_eq!(bytes[..256], host);
            assert_eq!((bytes[256], bytes[4095]), (7, 7));
            assert_eq!(bytes[20 * 64..][..4], [7, 19, 20, 7]);
            assert_eq!(bytes[21 * 64..][..4], [7, 35, 36, 7]);
            good(unsafe { ze_fake::event::zeEventHostReset(done) });
            good(unsafe { zeCommandListDestroy(list) });
        }
        fake.drop_events((pool, &[done]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// A pattern may be longer where all is done than where is only copied.
    patterns, "1.0 fill=4", |fake| {
        let memory = fake.memory(64);
        let pattern = [1u8, 2, 3, 4, 5, 6, 7, 8];
        let append = |list, size| unsafe {
            let (dst, pattern) = (memory.cast(), pattern.as_ptr().cast());
            zeCommandListAppendMemoryFill(list, dst, pattern, size, 64, NONE, 0, std::ptr::null())
        };
        let lists = [0, 1].map(|ordinal| fake.immediate_on(fake.device(), ordinal, 0, 0));
        assert_eq!(append(lists[1], 8), ZE_RESULT_ERROR_INVALID_SIZE);
        assert_eq!(append(lists[0], 3), ZE_RESULT_ERROR_INVALID_SIZE);
        good(append(lists[0], 8));
        while fake_unfinished() > 0 {
            std::thread::yield_now();
        }
        let bytes = unsafe { std::slice::from_raw_parts(memory, 64) };
        assert!(bytes.chunks(8).all(|chunk| chunk == pattern));
        for list in lists {
            good(unsafe { zeCommandListDestroy(list) });
        }
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Lists are closed, executed again and again, and tell their end by a fence.
    lists_are_executed, "1.0", |fake| {
        let (memory, mut host) = (fake.memory(64), [0u8; 64]);
        let list = fake.list(0);
        good(copy(list, memory, host.as_ptr(), 64, NONE, &[]));
        good(unsafe { zeCommandListAppendBarrier(list, NONE, 0, std::ptr::null()) });
        good(copy(list, unsafe { memory.add(32) }, memory, 1, NONE, &[]));
        let desc = ze_command_queue_desc_t::new();
        let mut queue = ze_command_queue_handle_t::NULL;
        good(unsafe { zeCommandQueueCreate(fake.context, fake.device(), &desc, &mut queue) });
        let mut fence = ze_fence_handle_t::NULL;
        good(unsafe { zeFenceCreate(queue, &ze_fence_desc_t::new(), &mut fence) });
        assert_eq!(unsafe { zeFenceQueryStatus(fence) }, ZE_RESULT_NOT_READY);
        let run = |fence| unsafe { zeCommandQueueExecuteCommandLists(queue, 1, &list, fence) };
        assert_eq!(run(fence), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("not closed");
        good(unsafe { zeCommandListClose(list) });
        let late = copy(list, memory, host.as_ptr(), 64, NONE, &[]);
        assert_eq!(late, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("closed list");
        for round in 1..=3 {
            host.fill(round);
            good(run(fence));
            good(unsafe { zeFenceHostSynchronize(fence, u64::MAX) });
            good(unsafe { zeFenceQueryStatus(fence) });
            good(unsafe { zeFenceReset(fence) });
            assert_eq!(unsafe { memory.add(32).read() }, round);
        }
        good(run(ze_fence_handle_t::NULL));
        good(unsafe { zeCommandQueueSynchronize(queue, u64::MAX) });
        good(unsafe { zeCommandListReset(list) });
        good(unsafe { zeFenceDestroy(fence) });
        good(unsafe { zeCommandQueueDestroy(queue) });
        good(unsafe { zeCommandListDestroy(list) });
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Memory that is not there, or not all of it, is an error and a fault.
    memory_is_checked, "1.15", |fake| {
        let memory = fake.memory(64);
        let list = fake.immediate(0);
        let host = [0u8; 128];
        let wrong = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        assert_eq!(copy(list, memory, host.as_ptr(), 65, NONE, &[]), wrong);
        fault("of an allocation of 64");
        let nowhere = 16 as *mut u8;
        assert_eq!(copy(list, nowhere, host.as_ptr(), 1, NONE, &[]), wrong);
        fault("where no memory is");
        let null = std::ptr::null_mut();
        let result = copy(list, null, host.as_ptr(), 1, NONE, &[]);
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        good(unsafe { zeCommandListDestroy(list) });
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// A list that is synchronous has done its work when the call returns.
    synchronous_lists, "1.0", |fake| {
        let memory = fake.memory(8);
        let mut desc = ze_command_queue_desc_t::new();
        desc.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        let mut list = ze_command_list_handle_t::NULL;
        let device = fake.device();
        good(unsafe { zeCommandListCreateImmediate(fake.context, device, &desc, &mut list) });
        for byte in 0..50 {
            good(fill(list, memory, byte, 8, NONE, &[]));
            assert_eq!(unsafe { memory.add(7).read() }, byte);
        }
        good(unsafe { zeCommandListDestroy(list) });
        fake.free(memory);
        fake.end();
    }
}

use ze_fake::control::fake_unfinished;
