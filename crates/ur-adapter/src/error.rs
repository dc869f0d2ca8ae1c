//! Errors, and the last one of each thread for `urAdapterGetLastError`.

use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::ffi::c_char;
use ur_api::*;

/// What a call of an adapter gives.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Why a call failed: the code that the caller sees, and what `urAdapterGetLastError` tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The call's result.
    pub code: ur_result_t,
    /// For a person.
    pub message: Option<Cow<'static, str>>,
    /// The driver's own number, 0 when there is none.
    pub native: i32,
}

impl Error {
    /// An error without a message.
    pub const fn code(code: ur_result_t) -> Self {
        Self {
            code,
            message: None,
            native: 0,
        }
    }

    /// An error with a message.
    pub fn new(code: ur_result_t, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: Some(message.into()),
            native: 0,
        }
    }

    /// The driver's error number along with it.
    pub fn with_native(mut self, native: i32) -> Self {
        self.native = native;
        self
    }

    /// The adapter does not do this.
    pub const fn unsupported() -> Self {
        Self::code(UR_RESULT_ERROR_UNSUPPORTED_FEATURE)
    }

    /// The adapter does not answer this query.
    pub const fn unsupported_query() -> Self {
        Self::code(UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION)
    }

    /// A value is out of range; `message` says which.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(UR_RESULT_ERROR_INVALID_VALUE, message)
    }

    /// Keeps the message for this thread's next `urAdapterGetLastError`.
    pub(crate) fn remember(&self) {
        if let Some(message) = &self.message {
            LAST.with(|last| last.set(message, self.native));
        } else if self.native != 0 {
            LAST.with(|last| last.set("", self.native));
        }
    }
}

impl From<ur_result_t> for Error {
    fn from(code: ur_result_t) -> Self {
        Self::code(code)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{}: {message}", self.code),
            None => write!(f, "{}", self.code),
        }
    }
}

impl std::error::Error for Error {}

const CAPACITY: usize = 1024;

/// A thread's last message. A plain array, so that the thread's end runs no destructor of ours.
struct Last(UnsafeCell<(i32, [u8; CAPACITY])>);

thread_local! {
    static LAST: Last = const { Last(UnsafeCell::new((0, [0; CAPACITY]))) };
}

impl Last {
    fn set(&self, message: &str, native: i32) {
        let mut end = message.len().min(CAPACITY - 1);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: only this thread reaches the cell, and no reference into it is kept; C code reads
        // the text between calls.
        let (number, text) = unsafe { &mut *self.0.get() };
        *number = native;
        for (to, from) in text.iter_mut().zip(message.as_bytes().iter().take(end)) {
            // A zero inside would end the text early.
            *to = if *from == 0 { b'?' } else { *from };
        }
        if let Some(terminator) = text.get_mut(end) {
            *terminator = 0;
        }
    }
}

/// The calling thread's last message, which stays valid until its next failing call, and number.
pub fn last() -> (*const c_char, i32) {
    LAST.with(|last| {
        // SAFETY: only this thread reaches the cell.
        let (number, text) = unsafe { &*last.0.get() };
        (text.as_ptr().cast(), *number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last_text() -> String {
        // SAFETY: `last` gives a terminated text.
        unsafe { CStr::from_ptr(last().0) }
            .to_string_lossy()
            .into_owned()
    }

    #[test]
    fn message_is_kept_per_thread() {
        Error::new(UR_RESULT_ERROR_UNKNOWN, "here")
            .with_native(7)
            .remember();
        std::thread::spawn(|| assert_eq!(last_text(), ""))
            .join()
            .unwrap();
        assert_eq!(last_text(), "here");
        assert_eq!(last().1, 7);
    }

    #[test]
    fn long_message_is_cut_at_a_character() {
        Error::value("é".repeat(CAPACITY)).remember();
        let text = last_text();
        assert!(text.len() < CAPACITY && text.len() > CAPACITY - 4);
        assert!(text.chars().all(|c| c == 'é'));
    }

    #[test]
    fn zero_byte_does_not_end_the_message() {
        Error::value("a\0b").remember();
        assert_eq!(last_text(), "a?b");
    }
}
