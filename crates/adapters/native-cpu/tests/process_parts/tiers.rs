//! A kernel that gets better code, and how a test sees that it does.

use crate::common::*;
use crate::ok;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// How often the adapter said that it makes better code.
pub static BEGUN: AtomicU32 = AtomicU32::new(0);

/// How often it said that better code is used.
pub static USED: AtomicU32 = AtomicU32::new(0);

/// How often it said that there is none.
pub static MISSED: AtomicU32 = AtomicU32::new(0);

/// How often it has said that it is done with a kernel.
pub fn ended() -> u32 {
    USED.load(Ordering::Acquire) + MISSED.load(Ordering::Acquire)
}

/// Whether it is at work on a kernel.
pub fn is_compiling() -> bool {
    BEGUN.load(Ordering::Acquire) > ended()
}

/// Listens to the adapter. No lock: a child may be forked at any time.
pub fn listen() {
    unsafe extern "C" fn hear(_: ur_logger_level_t, text: *const c_char, _: *mut c_void) {
        // SAFETY: the adapter passes a terminated text.
        let text = unsafe { CStr::from_ptr(text) }.to_bytes();
        let said = [
            (&b": vectorised code is being made"[..], &BEGUN),
            (&b": vectorised code is used from now on"[..], &USED),
            (&b": no vectorised code: "[..], &MISSED),
        ];
        for (words, count) in said {
            if text.windows(words.len()).any(|part| part == words) {
                count.fetch_add(1, Ordering::Release);
            }
        }
    }
    let mut adapter = null_mut();
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    let level = UR_LOGGER_LEVEL_DEBUG;
    ok!(Adapter.pfnSetLoggerCallback(adapter, Some(hear), null_mut(), level));
    ok!(Adapter.pfnRelease(adapter));
}

/// A program of the kernels in `tiers.spv`, built with `options`.
pub fn program(context: &Context, options: &CStr) -> Program {
    let program = context.unbuilt(&module("tiers.spv"));
    ok!(Program.pfnBuild(context.0, program.0, options.as_ptr()));
    program
}

/// Work-items of a launch, which are one work-group.
pub const SIZE: usize = 1024;

/// Steps of each work-item: together some milliseconds.
pub const STEPS: u32 = 1000;

/// What a work-item computes.
pub fn steps(mut x: u32, count: u32) -> u32 {
    for i in 0..count {
        x ^= x << 13;
        x ^= x >> 17;
        if x & 1 != 0 {
            x = x.wrapping_add(i);
        }
        x ^= x << 5;
    }
    x
}

/// The kernel `neighbours` with memory for it.
pub struct Neighbours {
    pub kernel: Kernel,
    last: Box<u32>,
    seen: Vec<u32>,
    out: Vec<u32>,
    expected: Vec<u32>,
}

impl Neighbours {
    pub fn new(program: &Program) -> Neighbours {
        Neighbours {
            kernel: program.kernel("neighbours"),
            last: Box::new(0),
            seen: vec![0; SIZE],
            out: vec![0; SIZE],
            expected: (1..=SIZE as u32).map(|id| steps(id, STEPS)).collect(),
        }
    }

    /// The arguments.
    pub fn args(&mut self) -> [Arg<'static>; 4] {
        static COUNT: [u8; 4] = STEPS.to_ne_bytes();
        [
            Arg::Pointer((&raw mut *self.last).cast_const().cast()),
            Arg::Pointer(self.seen.as_mut_ptr().cast_const().cast()),
            Arg::Pointer(self.out.as_mut_ptr().cast_const().cast()),
            Arg::Value(&COUNT),
        ]
    }

    /// Prepares the memory for a launch.
    pub fn clear(&mut self) {
        *self.last = u32::MAX;
        self.seen.fill(7);
        self.out.fill(7);
    }

    /// Checks what a launch has computed, and says whether its work-items were lanes of vectors.
    pub fn were_lanes(&self) -> bool {
        // SAFETY: the launch that wrote it is over.
        let last = unsafe { std::ptr::from_ref(&*self.last).read_volatile() };
        assert!(last < SIZE as u32);
        assert_eq!(self.out, self.expected);
        let before = (0..SIZE as u32).map(|id| id.wrapping_sub(1));
        if before.eq(self.seen.iter().copied()) {
            return false;
        }
        // Then nobody sees a neighbour of the same vector.
        assert_eq!(self.seen[0], self.seen[1]);
        true
    }

    /// Launches it and says the same.
    pub fn launch(&mut self, queue: &Queue) -> bool {
        self.clear();
        let args = self.args();
        queue.run(&self.kernel, &[SIZE], Some(&[SIZE]), &args);
        self.were_lanes()
    }

    /// Launches it until the adapter makes better code for it, and before it has any.
    pub fn begin(&mut self, queue: &Queue) {
        let begun = BEGUN.load(Ordering::Acquire);
        while BEGUN.load(Ordering::Acquire) == begun {
            assert!(!self.launch(queue), "better code that nobody made");
        }
        assert!(is_compiling(), "the compiler was too fast for the test");
    }

    /// Launches it until its work-items are lanes.
    pub fn finish(&mut self, queue: &Queue) {
        while !self.launch(queue) {}
    }
}
