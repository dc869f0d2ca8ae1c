//! Events.

use crate::case;
use crate::support::*;
use ze_fake::command_list::*;
use ze_fake::control::*;
use ze_fake::device::*;
use ze_fake::event::*;
use ze_fake::event_pool::*;
use ze_fake::ze::*;

case! {
    /// A command waits for the host, and the host for it, with and without an end.
    signals_go_both_ways, "1.0", |fake| {
        let memory = fake.memory(8);
        let (pool, [go, done]) = fake.events(0);
        let list = fake.immediate(0);
        good(fill(list, memory, 1, 8, done, &[go]));
        assert_eq!(unsafe { zeEventQueryStatus(done) }, ZE_RESULT_NOT_READY);
        assert_eq!(unsafe { zeEventHostSynchronize(done, 1_000_000) }, ZE_RESULT_NOT_READY);
        assert_eq!(unsafe { zeEventHostSynchronize(done, 0) }, ZE_RESULT_NOT_READY);
        assert_eq!(unsafe { memory.read() }, 0);
        good(unsafe { zeEventHostSignal(go) });
        synchronise(done);
        good(unsafe { zeEventQueryStatus(done) });
        assert_eq!(unsafe { memory.read() }, 1);
        good(unsafe { zeEventHostReset(done) });
        assert_eq!(unsafe { zeEventQueryStatus(done) }, ZE_RESULT_NOT_READY);
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[go, done]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Two lists that wait for each other's events in turn.
    lists_wait_for_each_other, "1.0", |fake| {
        let memory = fake.memory(8);
        let (pool, events) = fake.events::<64>(0);
        let lists = [0, 1].map(|index| fake.immediate_on(fake.device(), 0, index, 0));
        for (step, event) in events.iter().enumerate() {
            let waits = step.checked_sub(1).map(|before| events[before]);
            let waits: Vec<_> = waits.into_iter().collect();
            good(fill(lists[step % 2], memory, step as u8, 8, *event, &waits));
        }
        synchronise(events[63]);
        assert_eq!(unsafe { memory.read() }, 63);
        for list in lists {
            good(unsafe { zeCommandListDestroy(list) });
        }
        fake.drop_events((pool, &events));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Times are told of events that have them, in ticks which go with the device's clock.
    times, "1.15", |fake| {
        let memory = fake.memory(1024);
        let (pool, [done, other]) = fake.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
        let list = fake.immediate(0);
        let clock = || {
            let (mut host, mut ticks) = (0, 0);
            good(unsafe { zeDeviceGetGlobalTimestamps(fake.device(), &mut host, &mut ticks) });
            ticks & 0xffff_ffff
        };
        let mut times = ze_kernel_timestamp_result_t::default();
        let query = |event, place| unsafe { zeEventQueryKernelTimestamp(event, place) };
        assert_eq!(query(done, &mut times), ZE_RESULT_NOT_READY);
        let before = clock();
        good(fill(list, memory, 1, 1024, done, &[]));
        synchronise(done);
        let after = clock();
        good(query(done, &mut times));
        let (start, end) = (times.global.kernelStart, times.global.kernelEnd);
        // Unless the clock has begun anew.
        assert!(before > after || (before <= start && start <= end && end <= after));
        let place: *mut ze_kernel_timestamp_result_t = memory.cast();
        good(unsafe {
            zeCommandListAppendQueryKernelTimestamps(
                list, 1, &done, place.cast(), std::ptr::null(), other, 0, std::ptr::null(),
            )
        });
        synchronise(other);
        assert_eq!(unsafe { place.read() }, times);
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[done, other]));
        let (pool, [plain]) = fake.events(0);
        assert_eq!(query(plain, &mut times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("has none");
        fake.drop_events((pool, &[plain]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// A counter-based event stands for the command that it was given to last, and is never reset.
    counters, "1.15", |fake| {
        let memory = fake.memory(8);
        let mut event = NONE;
        let desc = std::ptr::null();
        good(unsafe { zeEventCounterBasedCreate(fake.context, fake.device(), desc, &mut event) });
        good(unsafe { zeEventQueryStatus(event) });
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let other = fake.immediate_on(fake.device(), 0, 1, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        fake_hold(true);
        good(fill(list, memory, 1, 8, event, &[]));
        // Waits for the first command, whatever the event stands for later.
        good(copy(other, unsafe { memory.add(4) }, memory, 1, NONE, &[event]));
        good(fill(list, memory, 2, 1, event, &[]));
        assert_eq!(unsafe { zeEventQueryStatus(event) }, ZE_RESULT_NOT_READY);
        fake_step(1);
        while fake_unfinished() > 2 {
            std::thread::yield_now();
        }
        assert_eq!(unsafe { zeEventQueryStatus(event) }, ZE_RESULT_NOT_READY);
        fake_hold(false);
        synchronise(event);
        good(unsafe { zeCommandListHostSynchronize(other, u64::MAX) });
        assert_eq!(unsafe { memory.read() }, 2);
        assert!(matches!(unsafe { memory.add(4).read() }, 1 | 2));
        assert_eq!(unsafe { zeEventHostReset(event) }, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("counter-based");
        let loose = fake.immediate(0);
        let result = fill(loose, memory, 2, 1, event, &[]);
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("not in order");
        for list in [list, other, loose] {
            good(unsafe { zeCommandListDestroy(list) });
        }
        good(unsafe { zeEventDestroy(event) });
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// What is wrong with the use of an event is noted.
    misuse, "1.15", |fake| {
        let memory = fake.memory(8);
        let (pool, [go, done]) = fake.events(0);
        let twice = event(pool, 0);
        fault("two events at place 0");
        good(unsafe { zeEventDestroy(twice) });
        let list = fake.immediate(0);
        good(fill(list, memory, 1, 8, done, &[go]));
        assert_eq!(unsafe { zeEventDestroy(go) }, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        fault("is destroyed while 0 objects and 1 commands need it");
        good(unsafe { zeEventHostReset(done) });
        fault("1 commands need");
        assert_eq!(unsafe { zeCommandListDestroy(list) }, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        fault("CommandList");
        good(unsafe { zeEventHostSignal(go) });
        synchronise(done);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        let mut desc = ze_event_pool_desc_t::new();
        desc.count = 1;
        let mut hidden = ze_event_pool_handle_t::NULL;
        let none = std::ptr::null();
        good(unsafe { zeEventPoolCreate(fake.context, &desc, 0, none, &mut hidden) });
        let unseen = event(hidden, 0);
        let result = unsafe { zeEventQueryStatus(unseen) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
        fault("cannot see");
        fake.drop_events((hidden, &[unseen]));
        assert_eq!(unsafe { zeEventQueryStatus(unseen) }, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        fault("is no Event but None");
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[go, done]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Clocks begin anew when their bits are used up, those of commands sooner.
    clocks_begin_anew, "1.15", |fake| {
        let memory = fake.memory(1);
        let (pool, [done]) = fake.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
        let list = fake.immediate(0);
        for (bits, upper) in [(32, 1 << 32), (36, 0)] {
            fake_clock(1 << bits);
            good(fill(list, memory, 1, 1, done, &[]));
            synchronise(done);
            let mut times = ze_kernel_timestamp_result_t::default();
            good(unsafe { zeEventQueryKernelTimestamp(done, &mut times) });
            let (mut host, mut ticks) = (0, 0);
            good(unsafe { zeDeviceGetGlobalTimestamps(fake.device(), &mut host, &mut ticks) });
            assert_eq!(ticks & !0xffff_ffff, upper);
            let (start, end) = (times.global.kernelStart, times.global.kernelEnd);
            assert!(start <= end && end <= ticks - upper);
            good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
            good(unsafe { zeEventHostReset(done) });
        }
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[done]));
        fake.free(memory);
        fake.end();
    }
}
