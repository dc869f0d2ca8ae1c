//! Arguments as words, for calls that are read from a table.

use std::mem::transmute_copy;

/// A function of the program for a word that is not 0. Calling it does nothing.
pub(crate) fn function<T>(word: usize) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<usize>()) }
    let nothing: extern "C" fn() = nothing;
    // SAFETY: both are pointers to functions; a function that takes nothing can be called with any
    // arguments by the C convention, and none of the callbacks has a result that is read.
    (word != 0).then(|| unsafe { transmute_copy::<extern "C" fn(), T>(&nothing) })
}

extern "C" fn nothing() {}
