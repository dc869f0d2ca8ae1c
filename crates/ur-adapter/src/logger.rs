//! The logger callback that a program can give an adapter.

use std::ffi::{CString, c_char, c_void};
use std::sync::Mutex;
use ur_api::*;

/// Where an adapter's messages go: the callback of `urAdapterSetLoggerCallback`, if there is one.
#[derive(Debug, Default)]
pub struct Logger(Mutex<Sink>);

#[derive(Clone, Copy, Debug)]
struct Sink {
    callback: ur_logger_callback_t,
    user: *mut c_void,
    level: ur_logger_level_t,
}

// SAFETY: the pointer is the caller's own, only ever handed back to its callback.
unsafe impl Send for Sink {}

/// A callback that is to be told a message.
pub struct Listener {
    callback: unsafe extern "C" fn(ur_logger_level_t, *const c_char, *mut c_void),
    user: *mut c_void,
    level: ur_logger_level_t,
}

impl Listener {
    /// Calls it.
    pub fn hear(&self, message: &str) {
        let text = CString::new(message.replace('\0', "?")).unwrap_or_default();
        // SAFETY: the program gave the callback for this, with this argument.
        unsafe { (self.callback)(self.level, text.as_ptr(), self.user) };
    }
}

impl Default for Sink {
    fn default() -> Self {
        Self {
            callback: None,
            user: std::ptr::null_mut(),
            level: UR_LOGGER_LEVEL_QUIET,
        }
    }
}

impl Logger {
    /// A logger that says nothing.
    pub const fn new() -> Self {
        Self(Mutex::new(Sink {
            callback: None,
            user: std::ptr::null_mut(),
            level: UR_LOGGER_LEVEL_QUIET,
        }))
    }

    /// Sets the callback, what it is given, and the lowest level that it hears of.
    pub fn set(&self, callback: ur_logger_callback_t, user: *mut c_void, level: ur_logger_level_t) {
        *self.lock() = Sink {
            callback,
            user,
            level,
        };
    }

    /// Changes the lowest level that the callback hears of.
    pub fn set_level(&self, level: ur_logger_level_t) {
        self.lock().level = level;
    }

    /// Hands a message on, outside of any lock.
    pub fn say(&self, level: ur_logger_level_t, message: &str) {
        if let Some(listener) = self.listener(level) {
            listener.hear(message);
        }
    }

    /// Who hears of messages of this level, if anybody. This takes a lock for a moment; speaking does not.
    pub fn listener(&self, level: ur_logger_level_t) -> Option<Listener> {
        let Sink {
            callback,
            user,
            level: lowest,
        } = *self.lock();
        let callback = callback.filter(|_| level.0 >= lowest.0)?;
        Some(Listener {
            callback,
            user,
            level,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Sink> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
