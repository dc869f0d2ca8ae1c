//! Variables that are zero from the start and cost nothing before they are used.

use crate::memory::Answers;
use crate::table::Slot;
use std::mem::MaybeUninit;

/// A value of which all zero is one that was never used.
///
/// # Safety
/// All bits zero are a value of the type, and it may be used from several threads.
pub(crate) unsafe trait Zero {}

// SAFETY: it is made of atomics.
unsafe impl<const N: usize> Zero for [Slot; N] {}
// SAFETY: it is made of atomics.
unsafe impl<const N: usize> Zero for Answers<N> {}

/// See the module documentation.
pub(crate) struct Zeroed<T>(MaybeUninit<T>);

// SAFETY: the trait says so.
unsafe impl<T: Zero> Sync for Zeroed<T> {}

impl<T: Zero> Zeroed<T> {
    pub(crate) const fn new() -> Zeroed<T> {
        Zeroed(MaybeUninit::zeroed())
    }

    #[inline(always)]
    pub(crate) const fn get(&self) -> &T {
        // SAFETY: it is zero from the start, which the trait says is a value.
        unsafe { self.0.assume_init_ref() }
    }
}
