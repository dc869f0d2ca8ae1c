//! Functions of the program that the adapter calls while commands wait for them.
//!
//! Such a function must not wait for commands, not even by what the API does for it: its own would be
//! among them.

use std::cell::Cell;

thread_local! {
    static HOSTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function of the program.
pub fn call<R>(function: impl FnOnce() -> R) -> R {
    let before = HOSTED.replace(true);
    let result = function();
    HOSTED.set(before);
    result
}

/// Whether this thread is in such a function.
pub fn is_hosted() -> bool {
    HOSTED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest() {
        assert!(!is_hosted());
        call(|| {
            call(|| assert!(is_hosted()));
            assert!(is_hosted());
        });
        assert!(!is_hosted());
    }
}
