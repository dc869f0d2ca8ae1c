//! Logs that users set by variables called `UR_LOG_…`.
//!
//! ```text
//! UR_LOG_LOADER="level:debug;flush:info;output:file,/tmp/loader.log"
//! ```
//! `level` is the least severe kind of message shown: `debug`, `info`, `warning`, `error` (when
//! nothing is said) or `quiet`. `output` is `stderr` (when nothing is said), `stdout` or
//! `file,PATH`; a file is appended to, so that several logs and processes can share it. `flush`
//! takes a level too; it is read for the sake of existing scripts and changes nothing, because each
//! message is handed to the kernel whole, as it is written. What cannot be read is reported in the
//! log, and the default used instead.
//!
//! One message is one line: `<LOADER>[INFO]: text`.
//!
//! In a process with raised privileges no file is written; see [`environment`].

pub mod environment;
pub mod settings;

use settings::{Output, Settings};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How severe a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every step.
    Debug,
    /// What was found and done.
    Info,
    /// Something is wrong, and the program goes on without it.
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

/// A log. Its variable is read by the first message, and what that makes is never destroyed:
/// messages may come from `atexit` handlers.
#[derive(Debug)]
pub struct Log {
    variable: &'static str,
    name: &'static str,
    /// No `OnceLock`: a child that was forked while a thread of its parent was making this would
    /// wait for that thread for ever.
    opened: AtomicPtr<Opened>,
}

/// Where messages go, and which.
#[derive(Debug)]
struct Opened {
    /// `None`: no message at all.
    level: Option<Level>,
    output: Sink,
}

#[derive(Debug)]
enum Sink {
    Descriptor(i32),
    File(File),
}

impl Log {
    /// A log set by `variable`, whose lines begin with `name` in angle brackets.
    pub const fn new(variable: &'static str, name: &'static str) -> Log {
        Log {
            variable,
            name,
            opened: AtomicPtr::new(null_mut()),
        }
    }

    /// True when messages of this level are shown; saves the making of a text that nobody reads.
    pub fn shows(&self, level: Level) -> bool {
        self.opened().shows(level)
    }

    /// Writes one message with one call of the system, so that lines of several threads or
    /// processes do not mix, and without a lock. A log that cannot be written is no reason to fail.
    pub fn write(&self, level: Level, message: fmt::Arguments<'_>) {
        let opened = self.opened();
        if opened.shows(level) {
            let _ = opened
                .output
                .write(line(self.name, level, message).as_bytes());
        }
    }

    /// Writes a line as it is, without the log's name, if messages of this level are shown.
    pub fn write_plain(&self, level: Level, message: fmt::Arguments<'_>) {
        let opened = self.opened();
        if opened.shows(level) {
            let _ = opened.output.write(format!("{message}\n").as_bytes());
        }
    }

    fn opened(&self) -> &'static Opened {
        let opened = self.opened.load(Ordering::Acquire);
        // SAFETY: what is stored here came from a box and is never freed.
        if let Some(opened) = unsafe { opened.as_ref() } {
            return opened;
        }
        let (opened, problems) = Opened::from_environment(self.variable);
        let mine = Box::into_raw(Box::new(opened));
        let exchanged =
            self.opened
                .compare_exchange(null_mut(), mine, Ordering::AcqRel, Ordering::Acquire);
        if let Err(others) = exchanged {
            // SAFETY: it came from a box, and nobody else has seen it.
            drop(unsafe { Box::from_raw(mine) });
            // SAFETY: as above; another thread stored it.
            return unsafe { &*others };
        }
        for problem in problems {
            self.write(Level::Error, format_args!("{}: {problem}", self.variable));
        }
        // SAFETY: as above; this thread stored it.
        unsafe { &*mine }
    }
}

/// The message as one line.
fn line(name: &str, level: Level, message: fmt::Arguments<'_>) -> String {
    let mut line = format!("<{name}>[{}]: {message}", level.label());
    if line.contains(['\n', '\r']) {
        // Names of files and values of variables can hold anything.
        line = line.replace('\n', "\\n").replace('\r', "\\r");
    }
    line.push('\n');
    line
}

impl Opened {
    /// What the variable asks for, and what is wrong with it.
    fn from_environment(variable: &str) -> (Opened, Vec<String>) {
        let (settings, mut problems) = match environment::harmless(variable) {
            None => (Settings::default(), Vec::new()),
            Some(text) => settings::parse(&text),
        };
        let output = match settings.output {
            Output::Stderr => Sink::Descriptor(libc::STDERR_FILENO),
            Output::Stdout => Sink::Descriptor(libc::STDOUT_FILENO),
            Output::File(path) => {
                let opened = if environment::privileged() {
                    Err(environment::REFUSED.to_owned())
                } else {
                    OpenOptions::new()
                        .append(true)
                        .create(true)
                        .open(&path)
                        .map_err(|error| error.to_string())
                };
                match opened {
                    Ok(file) => Sink::File(file),
                    Err(error) => {
                        problems.push(format!("'{}' is not written: {error}", path.display()));
                        Sink::Descriptor(libc::STDERR_FILENO)
                    }
                }
            }
        };
        let level = settings.level;
        (Opened { level, output }, problems)
    }

    fn shows(&self, level: Level) -> bool {
        self.level.is_some_and(|least| least <= level)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let text = line("LOADER", Level::Info, format_args!("a\nb\rc"));
        assert_eq!(text, "<LOADER>[INFO]: a\\nb\\rc\n");
    }

    #[test]
    fn errors_are_shown_when_nothing_is_said() {
        static LOG: Log = Log::new("UR_LOG_TEST_NO_SUCH_VARIABLE", "TEST");
        assert!(LOG.shows(Level::Error));
        assert!(!LOG.shows(Level::Warning));
    }

    #[test]
    fn threads_that_come_first_together_share_one() {
        static LOG: Log = Log::new("UR_LOG_TEST_NO_SUCH_VARIABLE", "TEST");
        let threads: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(|| LOG.opened() as *const Opened as usize))
            .collect();
        let all: Vec<usize> = threads
            .into_iter()
            .map(|thread| thread.join().expect("a thread"))
            .collect();
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    }
}
