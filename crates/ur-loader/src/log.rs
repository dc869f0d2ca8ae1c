//! The loader's log, set by `UR_LOG_LOADER`.
//!
//! ```text
//! UR_LOG_LOADER="level:debug;flush:info;output:file,/tmp/loader.log"
//! ```
//! `level` is the least severe kind of message shown: `debug`, `info`, `warning`, `error` (when
//! nothing is said) or `quiet`. `output` is `stderr` (when nothing is said), `stdout` or
//! `file,PATH`. `flush` takes a level too; it is read for the sake of existing scripts and changes
//! nothing, because each message is handed to the kernel whole, as it is written. A value that
//! cannot be read is reported and the default used instead.
//!
//! One message is one line: `<LOADER>[INFO]: text`.

mod settings;

use crate::environment;
use settings::{Output, Settings};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::OnceLock;

/// The environment variable that sets the log.
pub const VARIABLE: &str = "UR_LOG_LOADER";

/// How severe a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every step.
    Debug,
    /// What was found and loaded.
    Info,
    /// Something is wrong, and the loader goes on without it.
    Warning,
    /// What was asked for cannot be done.
    Error,
}

impl Level {
    fn label(self) -> &'static str {
        match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warning => "WARNING",
            Level::Error => "ERROR",
        }
    }
}

/// Where messages go, and which.
struct Logger {
    /// `None`: no message at all.
    level: Option<Level>,
    output: Sink,
}

enum Sink {
    Descriptor(i32),
    File(File),
}

impl Logger {
    /// Reads the settings and reports what is wrong with them.
    fn from_environment() -> Logger {
        let (settings, mut problems) = match environment::variable(VARIABLE) {
            None => (Settings::default(), Vec::new()),
            Some(text) => settings::parse(&text),
        };
        let output = match settings.output {
            Output::Stderr => Sink::Descriptor(libc::STDERR_FILENO),
            Output::Stdout => Sink::Descriptor(libc::STDOUT_FILENO),
            Output::File(path) => match OpenOptions::new().append(true).create(true).open(&path) {
                Ok(file) => Sink::File(file),
                Err(error) => {
                    problems.push(format!("cannot write '{}': {error}", path.display()));
                    Sink::Descriptor(libc::STDERR_FILENO)
                }
            },
        };
        let logger = Logger {
            level: settings.level,
            output,
        };
        for problem in problems {
            logger.write(Level::Error, format_args!("{VARIABLE}: {problem}"));
        }
        logger
    }

    fn shows(&self, level: Level) -> bool {
        self.level.is_some_and(|least| least <= level)
    }

    /// Writes one line with one call, so that lines of several threads or processes do not mix,
    /// and without a lock. A log that cannot be written is no reason to fail.
    fn write(&self, level: Level, message: fmt::Arguments<'_>) {
        if !self.shows(level) {
            return;
        }
        let line = format!("<LOADER>[{}]: {message}\n", level.label());
        let _ = self.output.write(line.as_bytes());
    }
}

impl Sink {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::File(file) => (&*file).write_all(bytes),
            Sink::Descriptor(number) => {
                // SAFETY: the standard descriptors are the process's; `ManuallyDrop` keeps this
                // borrowed one open. On a closed one the write fails, which is harmless.
                let file = ManuallyDrop::new(unsafe { File::from_raw_fd(*number) });
                (&*file).write_all(bytes)
            }
        }
    }
}

/// Made by the first message and never destroyed: messages may come from `atexit` handlers.
fn logger() -> &'static Logger {
    static LOGGER: OnceLock<Logger> = OnceLock::new();
    LOGGER.get_or_init(Logger::from_environment)
}

/// True when messages of this level are shown; saves the making of a text that nobody reads.
pub fn shows(level: Level) -> bool {
    logger().shows(level)
}

/// Writes one message.
pub fn write(level: Level, message: fmt::Arguments<'_>) {
    logger().write(level, message);
}

/// `log!(Level::Info, "loaded {name}")`
macro_rules! log {
    ($level:expr, $($message:tt)+) => {
        $crate::log::write($level, format_args!($($message)+))
    };
}
pub(crate) use log;
