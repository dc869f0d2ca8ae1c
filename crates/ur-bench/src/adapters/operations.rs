//! What is timed.

use super::clocks::{Times, timed};
use super::side::{DEVICE, HOST, SHARED, SIZE, Side};
use std::ptr::null_mut;
use ur_api::ur_event_handle_t;

/// Does an operation once and gives all bits of the results.
type Run = fn(&Side<'_>) -> u32;

/// One thing to time.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// Repeats of a batch, so that it takes some 300 µs: reading the clocks takes two, and what else
    /// the machine does should miss most batches.
    repeats: u32,
    /// By our adapter and by the other one. They differ where a program of the other one's release makes
    /// other calls.
    run: [Run; 2],
}

/// The larger of the sizes that are allocated.
const LARGE: usize = 1 << 20;

/// An operation that is the same for both.
const fn same(name: &'static str, repeats: u32, run: Run) -> Operation {
    Operation {
        name,
        repeats,
        run: [run; 2],
    }
}

/// All of them.
pub(super) const OPERATIONS: [Operation; 21] = [
    Operation {
        name: "submit, as each release's programs do",
        repeats: 200,
        run: [submit, submit_set],
    },
    same("submit, arguments with the launch", 200, submit),
    same("submit, arguments set before", 200, submit_set),
    same("submit, other arguments each time", 200, |side| {
        side.exchange();
        submit(side)
    }),
    same("submit with event, release", 200, |side| {
        with_event(side, |event| side.launch(event))
    }),
    same("arguments set, submit with event, release", 200, |side| {
        with_event(side, |event| side.set_and_launch(event))
    }),
    same("kernel round trip", 100, |side| {
        submit(side) | side.finish()
    }),
    same("64 B copy, host, blocking", 100, |side| {
        side.copy(HOST, true)
    }),
    same("64 B copy, device, blocking", 100, |side| {
        side.copy(DEVICE, true)
    }),
    same("64 B copy, shared, blocking", 100, |side| {
        side.copy(SHARED, true)
    }),
    same("64 B copy, host, finish", 100, |side| {
        side.copy(HOST, false) | side.finish()
    }),
    same("64 B copy, device, finish", 100, |side| {
        side.copy(DEVICE, false) | side.finish()
    }),
    same("64 B copy, shared, finish", 100, |side| {
        side.copy(SHARED, false) | side.finish()
    }),
    same("submit of a 64 B copy, device", 200, |side| {
        side.copy(DEVICE, false)
    }),
    same("alloc and free, host, 64 B", 300, |side| {
        memory(side, HOST, SIZE)
    }),
    same("alloc and free, device, 64 B", 300, |side| {
        memory(side, DEVICE, SIZE)
    }),
    same("alloc and free, shared, 64 B", 300, |side| {
        memory(side, SHARED, SIZE)
    }),
    same("alloc, copy in, free, device, 64 B", 100, |side| {
        let mut memory = null_mut();
        side.allocate(DEVICE, SIZE, &mut memory) | side.copy_in(memory) | side.free(memory)
    }),
    same("alloc and free, host, 1 MiB", 50, |side| {
        memory(side, HOST, LARGE)
    }),
    same("alloc and free, device, 1 MiB", 50, |side| {
        memory(side, DEVICE, LARGE)
    }),
    same("alloc and free, shared, 1 MiB", 50, |side| {
        memory(side, SHARED, LARGE)
    }),
];

fn submit(side: &Side<'_>) -> u32 {
    side.launch(null_mut())
}

fn submit_set(side: &Side<'_>) -> u32 {
    side.set_and_launch(null_mut())
}

fn with_event(side: &Side<'_>, launch: impl FnOnce(*mut ur_event_handle_t) -> u32) -> u32 {
    let mut event = null_mut();
    launch(&raw mut event) | side.release(event)
}

fn memory(side: &Side<'_>, kind: usize, size: usize) -> u32 {
    let mut memory = null_mut();
    side.allocate(kind, size, &mut memory) | side.free(memory)
}

impl Operation {
    /// Times of one of the operation's repeats in a batch, in nanoseconds, on side `at`. What is
    /// still running then is waited for without being timed.
    ///
    /// # Errors
    /// A call failed.
    pub(super) fn time(&self, at: usize, side: &Side<'_>) -> Result<Times, String> {
        let run = self.run[at];
        let mut bad = 0;
        let times = timed(self.repeats, || {
            for _ in 0..self.repeats {
                bad |= run(side);
            }
            Ok(())
        })?;
        match bad | side.finish() {
            0 => Ok(times),
            _ => Err(format!("calls of \"{}\" failed", self.name)),
        }
    }
}
