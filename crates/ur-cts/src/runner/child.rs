//! A worker from its parent's side.

use super::Args;
use super::protocol::{COVERAGE, Event, Listed, PIPE};
use crate::test::Environment;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A worker.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    output: PathBuf,
}

/// What a worker answers.
#[derive(Debug)]
pub(super) enum Answer {
    /// An event.
    Event(Event),
    /// It has ended.
    Gone(ExitStatus),
    /// Nothing for that long.
    Late,
}

/// How much of what a test printed is kept.
const OUTPUT: u64 = 4000;

impl Worker {
    /// Starts a worker in a folder for its files.
    pub(super) fn start(
        args: &Args,
        environment: Environment,
        folder: &Path,
        coverage: &Path,
    ) -> Result<Worker> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let output = folder.join(format!("output-{number}"));
        let printed = File::options().create(true).append(true).open(&output)?;
        let (reader, writer) = pipe()?;
        let end = writer.as_raw_fd();
        // Not by its path, where a newer build may be by now.
        let mut command = Command::new("/proc/self/exe");
        command
            .args(std::env::args_os().skip(1))
            .env(PIPE, end.to_string())
            .env(COVERAGE, coverage)
            .stdin(Stdio::piped())
            .stdout(printed.try_clone()?)
            .stderr(printed);
        for (name, value) in environment.variables() {
            command.env(name, value);
        }
        let adapters = args.adapters()?;
        if !adapters.is_empty() {
            let paths: Vec<String> = adapters.iter().map(|p| p.display().to_string()).collect();
            command.env("UR_ADAPTERS_FORCE_LOAD", paths.join(","));
        }
        // SAFETY: between fork and exec only fcntl is called.
        unsafe {
            command.pre_exec(move || {
                // The pipe's other users close it when they start programs; this one is for it.
                match libc::fcntl(end, libc::F_SETFD, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let mut child = command.spawn().context("cannot start a worker")?;
        drop(writer);
        let (send, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines() {
                let Ok(line) = line else { break };
                let Ok(event) = serde_json::from_str(&line) else {
                    break;
                };
                if send.send(event).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Ok(Worker {
            child,
            stdin,
            events,
            output,
        })
    }

    /// The tests, which a worker says first.
    pub(super) fn tests(&mut self, limit: Duration) -> Result<Vec<Listed>> {
        match self.answer(limit)? {
            Answer::Event(Event::Tests(tests)) => Ok(tests),
            Answer::Event(Event::Broken(why)) => bail!("{why}"),
            Answer::Event(_) => bail!("the worker said something else"),
            Answer::Gone(status) => {
                bail!(
                    "the worker ended while it listed tests: {}{}",
                    ending(status),
                    self.output(0)
                )
            }
            Answer::Late => bail!("the worker does not list its tests"),
        }
    }

    /// Asks for a test.
    pub(super) fn ask(&mut self, index: usize) {
        // That the worker is gone shows when its answer is waited for.
        if let Some(stdin) = &mut self.stdin {
            let _ = writeln!(stdin, "{index}").and_then(|()| stdin.flush());
        }
    }

    /// Waits for an event or the worker's end.
    pub(super) fn answer(&mut self, limit: Duration) -> Result<Answer> {
        let end = Instant::now() + limit;
        loop {
            // A process that a test left behind may hold the pipe, so its end says nothing.
            match self.events.recv_timeout(Duration::from_millis(20)) {
                Ok(event) => return Ok(Answer::Event(event)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(match self.gone(Duration::from_secs(5))? {
                        Some(status) => Answer::Gone(status),
                        None => Answer::Late,
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(status) = self.child.try_wait()? {
                // What it said before may still be on its way.
                return Ok(match self.events.recv_timeout(Duration::from_millis(200)) {
                    Ok(event) => Answer::Event(event),
                    Err(_) => Answer::Gone(status),
                });
            }
            if Instant::now() >= end {
                return Ok(Answer::Late);
            }
        }
    }

    fn gone(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What was printed from a place on.
    pub(super) fn output(&self, from: u64) -> String {
        let read = || -> std::io::Result<String> {
            let mut file = File::open(&self.output)?;
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(OUTPUT).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        match read() {
            Ok(text) if !text.trim().is_empty() => format!("\n{}", text.trim_end()),
            _ => String::new(),
        }
    }

    /// Ends the worker at once.
    pub(super) fn kill(mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Lets the worker give everything back and end; what was wrong with that, if anything.
    pub(super) fn stop(mut self, limit: Duration) -> Result<Option<String>> {
        self.stdin = None;
        let mut said = None;
        loop {
            match self.answer(limit)? {
                Answer::Event(Event::Stopped { problem }) => said = Some(problem),
                Answer::Event(_) => {}
                Answer::Late => {
                    self.kill();
                    return Ok(Some("the process did not end".into()));
                }
                Answer::Gone(status) => {
                    return Ok(match said {
                        Some(Some(problem)) => Some(problem),
                        Some(None) if status.success() => None,
                        _ => Some(format!(
                            "the process ended with {} in its teardown{}",
                            ending(status),
                            self.output(0)
                        )),
                    });
                }
            }
        }
    }
}

/// How a process ended, in words.
pub(super) fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (_, Some(code)) => format!("exit code {code}"),
        _ => status.to_string(),
    }
}

/// A pipe that programs do not inherit.
fn pipe() -> Result<(File, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) };
    if made != 0 {
        return Err(std::io::Error::last_os_error()).context("a pipe");
    }
    // SAFETY: both were just made and belong to nobody else.
    let ends = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    let [reader, writer] = ends;
    Ok((File::from(reader), writer))
}
