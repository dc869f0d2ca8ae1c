//! The loader's log, set by `UR_LOG_LOADER`; see [`ur_log`].

use std::fmt;
pub use ur_log::Level;
use ur_log::Log;

/// The environment variable that sets the log.
pub const VARIABLE: &str = "UR_LOG_LOADER";

static LOG: Log = Log::new(VARIABLE, "LOADER");

/// True when messages of this level are shown; saves the making of a text that nobody reads.
pub fn shows(level: Level) -> bool {
    LOG.shows(level)
}

/// Writes one message.
pub fn write(level: Level, message: fmt::Arguments<'_>) {
    LOG.write(level, message);
}

/// `log!(Level::Info, "loaded {name}")`
macro_rules! log {
    ($level:expr, $($message:tt)+) => {
        $crate::log::write($level, format_args!($($message)+))
    };
}
pub(crate) use log;
