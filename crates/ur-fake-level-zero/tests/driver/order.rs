//! Which command begins when.

use crate::case;
use crate::support::*;
use ze_fake::command_list::*;
use ze_fake::control::*;
use ze_fake::event::*;
use ze_fake::ze::*;

/// Fills one byte again and again, and gives what it is then, for as many sequences of choices.
fn last(fake: &Fake, flags: u32, between: fn(ze_command_list_handle_t)) -> Vec<u8> {
    let memory = fake.memory(1);
    let list = fake.immediate(flags);
    let mut seen = Vec::new();
    for seed in 1..=20 {
        fake_seed(seed * 0x9e37_79b9);
        fake_hold(true);
        for byte in 0..8 {
            good(fill(list, memory, byte, 1, NONE, &[]));
            between(list);
        }
        fake_hold(false);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        seen.push(unsafe { memory.read() });
    }
    good(unsafe { zeCommandListDestroy(list) });
    fake.free(memory);
    seen
}

case! {
    /// Commands come in any order, unless something says which.
    only_what_is_said_is_in_order, "1.15", |fake| {
        let any = last(fake, 0, |_| ());
        assert!(any.iter().any(|byte| *byte != 7), "{any:?}");
        let list = last(fake, ZE_COMMAND_QUEUE_FLAG_IN_ORDER, |_| ());
        assert_eq!(list, [7; 20]);
        let barrier = last(fake, 0, |list| {
            good(unsafe { zeCommandListAppendBarrier(list, NONE, 0, std::ptr::null()) });
        });
        assert_eq!(barrier, [7; 20]);
        fake.end();
    }
}

case! {
    /// An engine that takes commands one after the other keeps their order.
    fifo_keeps_the_order, "1.15 fifo", |fake| {
        assert_eq!(last(fake, 0, |_| ()), [7; 20]);
        fake.end();
    }
}

/// Whether a list waits for another one, of the same engine, that waits for the host.
fn is_held_up(fake: &Fake) -> bool {
    let memory = fake.memory(2);
    let (pool, [go, first, second]) = fake.events(0);
    let lists = [(); 2].map(|()| fake.immediate(0));
    good(fill(lists[0], memory, 1, 1, first, &[go]));
    good(fill(lists[1], unsafe { memory.add(1) }, 1, 1, second, &[]));
    let result = unsafe { zeEventHostSynchronize(second, 50_000_000) };
    good(unsafe { zeEventHostSignal(go) });
    for event in [first, second] {
        synchronise(event);
    }
    for list in lists {
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        good(unsafe { zeCommandListDestroy(list) });
    }
    fake.drop_events((pool, &[go, first, second]));
    fake.free(memory);
    result == ZE_RESULT_NOT_READY
}

case! {
    /// Lists of an engine do not wait for each other …
    lists_go_side_by_side, "1.15 fifo", |fake| {
        assert!(!is_held_up(fake));
        fake.end();
    }
}

case! {
    /// … unless the engine takes all commands in their order.
    one_stream, "1.15 one-stream", |fake| {
        assert!(is_held_up(fake));
        fake.end();
    }
}

case! {
    /// Commands that are held begin one by one.
    steps, "1.15", |fake| {
        let memory = fake.memory(4);
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        fake_hold(true);
        for place in 0..4 {
            good(fill(list, unsafe { memory.add(place) }, 1, 1, NONE, &[]));
        }
        for left in (0..4).rev() {
            fake_step(1);
            while fake_unfinished() > left {
                std::thread::yield_now();
            }
            let bytes = unsafe { std::slice::from_raw_parts(memory, 4) };
            assert_eq!(bytes.iter().filter(|byte| **byte == 0).count(), left);
        }
        fake_hold(false);
        good(unsafe { zeCommandListDestroy(list) });
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// Lists that are appended to an immediate one begin with the events and end with the signal.
    appended_lists, "1.15", |fake| {
        let memory = fake.memory(2);
        let (pool, [go, done]) = fake.events(0);
        let list = fake.list(ZE_COMMAND_LIST_FLAG_IN_ORDER);
        good(fill(list, memory, 1, 1, NONE, &[]));
        good(copy(list, unsafe { memory.add(1) }, memory, 1, NONE, &[]));
        good(unsafe { zeCommandListClose(list) });
        let immediate = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let append = || unsafe {
            zeCommandListImmediateAppendCommandListsExp(immediate, 1, &list, done, 1, &go)
        };
        for _ in 0..10 {
            unsafe { memory.write(0) };
            good(append());
            assert_eq!(unsafe { zeEventQueryStatus(done) }, ZE_RESULT_NOT_READY);
            good(unsafe { zeEventHostSignal(go) });
            synchronise(done);
            assert_eq!(unsafe { memory.add(1).read() }, 1);
            good(unsafe { zeCommandListHostSynchronize(immediate, u64::MAX) });
            for event in [go, done] {
                good(unsafe { zeEventHostReset(event) });
            }
        }
        for list in [list, immediate] {
            good(unsafe { zeCommandListDestroy(list) });
        }
        fake.drop_events((pool, &[go, done]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// What a command did can be seen before its event is signalled.
    mute, "1.15", |fake| {
        let memory = fake.memory(2);
        let (pool, [first, second]) = fake.events(0);
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        fake_mute(true);
        good(fill(list, memory, 5, 1, first, &[]));
        good(fill(list, unsafe { memory.add(1) }, 6, 1, second, &[]));
        while unsafe { memory.read_volatile() } != 5 {
            std::thread::yield_now();
        }
        assert_eq!(unsafe { zeEventQueryStatus(first) }, ZE_RESULT_NOT_READY);
        // The next one follows it, so it has not begun.
        assert_eq!(unsafe { memory.add(1).read_volatile() }, 0);
        while unsafe { zeEventQueryStatus(first) } != ZE_RESULT_SUCCESS {
            fake_tell(1);
        }
        assert_eq!(unsafe { zeEventQueryStatus(second) }, ZE_RESULT_NOT_READY);
        fake_mute(false);
        synchronise(second);
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[first, second]));
        fake.free(memory);
        fake.end();
    }
}

case! {
    /// A lost device does nothing more, waits end, and what it needed can be taken away.
    loss, "1.15", |fake| {
        let memory = fake.memory(1);
        let (pool, [go, done]) = fake.events(0);
        let list = fake.immediate(0);
        good(fill(list, memory, 1, 1, done, &[go]));
        let lost = ZE_RESULT_ERROR_DEVICE_LOST;
        let waits = std::thread::spawn(move || unsafe { zeEventHostSynchronize(done, u64::MAX) });
        fake_lose();
        assert_eq!(waits.join().unwrap(), lost);
        assert_eq!(fill(list, memory, 1, 1, NONE, &[]), lost);
        assert_eq!(unsafe { zeCommandListHostSynchronize(list, 0) }, lost);
        assert_eq!(unsafe { zeEventQueryStatus(done) }, lost);
        good(unsafe { zeCommandListDestroy(list) });
        fake.drop_events((pool, &[go, done]));
        fake.free(memory);
        fake.end();
    }
}
