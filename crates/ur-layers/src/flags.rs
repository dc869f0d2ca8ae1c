//! A set of bits that calls look at and that an initialisation and a teardown change.

// The model test brings atomics of its own.
use super::atomic::{AtomicU32, Ordering};

/// Bits, of which none is set at first.
#[derive(Debug)]
pub struct Flags {
    /// Public so that a variable can be made of it; to be used by the functions alone.
    pub bits: AtomicU32,
}

impl Flags {
    /// The bits.
    #[inline(always)]
    pub fn get(&self) -> u32 {
        // Relaxed: who calls with a handle got it after the initialisation that set the bits, and
        // gives up the right to call before the teardown that clears them.
        self.bits.load(Ordering::Relaxed)
    }

    /// Sets them, after all that they announce is there.
    pub fn set(&self, bits: u32) {
        self.bits.store(bits, Ordering::Release);
    }

    /// Clears them, before what they announced goes. Returns what they were.
    pub fn take(&self) -> u32 {
        self.bits.swap(0, Ordering::AcqRel)
    }
}
