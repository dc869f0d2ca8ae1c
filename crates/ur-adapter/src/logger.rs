//! Where an adapter's messages go: to the callback that the program gave it, and to the log that the
//! user sets by a variable.

use std::ffi::{CString, c_char, c_void};
use std::sync::Mutex;
use ur_api::*;
use ur_log::{Level, Log};

/// Where an adapter's messages go: the callback of `urAdapterSetLoggerCallback`, if there is one,
/// and the log of a variable such as `UR_LOG_NATIVE_CPU`, if the adapter has one.
#[derive(Debug)]
pub struct Logger {
    sink: Mutex<Sink>,
    log: Option<Log>,
}

#[derive(Clone, Copy, Debug)]
struct Sink {
    callback: ur_logger_callback_t,
    user: *mut c_void,
    level: ur_logger_level_t,
}

// SAFETY: the pointer is the caller's own, only ever handed back to its callback.
unsafe impl Send for Sink {}

/// Who is to be told a message.
pub struct Listener {
    callback: Option<(Callback, *mut c_void)>,
    log: Option<(&'static Log, Level)>,
    level: ur_logger_level_t,
}

type Callback = unsafe extern "C" fn(ur_logger_level_t, *const c_char, *mut c_void);

impl Listener {
    /// Tells it.
    pub fn hear(&self, message: &str) {
        if let Some((log, level)) = self.log {
            log.write(level, format_args!("{message}"));
        }
        if let Some((callback, user)) = self.callback {
            let text = CString::new(message.replace('\0', "?")).unwrap_or_default();
            // SAFETY: the program gave the callback for this, with this argument.
            unsafe { callback(self.level, text.as_ptr(), user) };
        }
    }
}

impl Default for Logger {
    fn default() -> Self {
        Self::new()
    }
}

impl Logger {
    /// A logger that says nothing until there is a callback.
    pub const fn new() -> Self {
        Self {
            sink: Mutex::new(Sink {
                callback: None,
                user: std::ptr::null_mut(),
                level: UR_LOGGER_LEVEL_QUIET,
            }),
            log: None,
        }
    }

    /// A logger that also writes the log that the environment variable sets, whose lines begin
    /// with the name; see [`ur_log`].
    pub const fn named(variable: &'static str, name: &'static str) -> Self {
        let Self { sink, .. } = Self::new();
        Self {
            sink,
            log: Some(Log::new(variable, name)),
        }
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
    pub fn say(&'static self, level: ur_logger_level_t, message: &str) {
        if let Some(listener) = self.listener(level) {
            listener.hear(message);
        }
    }

    /// Who hears of messages of this level, if anybody. This takes a lock for a moment; speaking does not.
    pub fn listener(&'static self, level: ur_logger_level_t) -> Option<Listener> {
        let Sink {
            callback,
            user,
            level: lowest,
        } = *self.lock();
        let callback = callback.filter(|_| level.0 >= lowest.0);
        let callback = callback.map(|callback| (callback, user));
        let log = self.log.as_ref().and_then(|log| {
            let level = severity(level)?;
            log.shows(level).then_some((log, level))
        });
        (callback.is_some() || log.is_some()).then_some(Listener {
            callback,
            log,
            level,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Sink> {
        self.sink
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The level of the API as one of the log; none for that of silence.
fn severity(level: ur_logger_level_t) -> Option<Level> {
    match level {
        UR_LOGGER_LEVEL_DEBUG => Some(Level::Debug),
        UR_LOGGER_LEVEL_INFO => Some(Level::Info),
        UR_LOGGER_LEVEL_WARN => Some(Level::Warning),
        UR_LOGGER_LEVEL_ERROR => Some(Level::Error),
        _ => None,
    }
}
