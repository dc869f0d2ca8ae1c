//! Processes of their own that tests start, for what takes two of them or ends one.
//!
//! A test starts this program again with the same arguments and the name of an act, which then plays
//! in the place of tests.

use crate::api::Api;
use crate::failure::{Outcome, Stop};
use crate::suites;
use crate::world::{Cx, World};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const NAME: &str = "UR_CTS_ACT";
const INPUT: &str = "UR_CTS_ACT_INPUT";
const DEVICE: &str = "UR_CTS_ACT_DEVICE";

/// Exit codes of an act that ended early.
const FAILED: i32 = 103;
const UNSUPPORTED: i32 = 104;

/// What an act is given.
#[derive(Debug)]
pub(crate) struct Scene {
    /// What the test said.
    pub(crate) input: String,
    device: String,
    loader: PathBuf,
    adapters: Vec<PathBuf>,
}

/// An act.
pub(crate) type Act = fn(&Scene) -> Outcome;

impl Scene {
    /// Opens the loader, without a call of it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(&self) -> Result<&'static Api, Stop> {
        Api::open(&self.loader).map_err(Stop::fail)
    }

    /// Opens the loader and starts it.
    ///
    /// # Errors
    /// When something fails.
    pub(crate) fn start(&self) -> Result<&'static World, Stop> {
        let world = World::start(self.open()?, &self.adapters).map_err(Stop::fail)?;
        Ok(Box::leak(Box::new(world)))
    }

    /// The device of the test that started the act.
    ///
    /// # Errors
    /// When there is none of that name.
    pub(crate) fn device(&self, world: &'static World) -> Result<Cx, Stop> {
        for (at, adapter) in world.adapters.iter().enumerate() {
            let cx = Cx::all(world).of_adapter(at);
            let mut number = 0;
            for (at, platform) in adapter.platforms.iter().enumerate() {
                for index in 0..platform.devices.len() {
                    let cx = cx.of_platform(at).of_device(index, number);
                    if cx.label() == self.device {
                        return Ok(cx);
                    }
                    number += 1;
                }
            }
        }
        Err(Stop::fail(format_args!("no device {}", self.device)))
    }

    /// Opens and starts everything, and gives the device.
    ///
    /// # Errors
    /// When something fails.
    pub(crate) fn begin(&self) -> Result<Cx, Stop> {
        self.device(self.start()?)
    }
}

/// The name of the act that this process is to play.
pub(crate) fn asked() -> Option<String> {
    std::env::var(NAME).ok()
}

/// Plays an act; the process ends with its exit code.
pub(crate) fn play(name: &str, loader: PathBuf, adapters: Vec<PathBuf>) {
    let var = |name| std::env::var(name).unwrap_or_default();
    let scene = Scene {
        input: var(INPUT),
        device: var(DEVICE),
        loader,
        adapters,
    };
    let act = suites::acts().find(|(own, _)| *own == name);
    let outcome = match act {
        Some((_, act)) => act(&scene),
        None => Err(Stop::fail(format_args!("no act {name}"))),
    };
    let Err(stop) = outcome else {
        return;
    };
    match stop {
        Stop::Fail(text) => {
            eprintln!("{name}: {text}");
            std::process::exit(FAILED);
        }
        Stop::Unsupported(text) => {
            println!("{text}");
            std::process::exit(UNSUPPORTED);
        }
        Stop::Call(failure) => {
            eprintln!("{name}: {} returned {}", failure.call, failure.code);
            std::process::exit(FAILED);
        }
    }
}

/// A process that plays an act. It ends with the process that started it.
#[derive(Debug)]
pub(crate) struct Player {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Its exit code, or the signal that it ended by.
    pub(crate) code: Result<i32, i32>,
    /// What it said that was not heard before.
    pub(crate) said: String,
}

impl Player {
    /// Starts an act for the device of a test.
    ///
    /// # Errors
    /// When no process can be started.
    #[track_caller]
    pub(crate) fn start(cx: &Cx, name: &str, input: &str) -> Result<Player, Stop> {
        // Not by its path, where a newer build may be by now.
        let mut command = Command::new("/proc/self/exe");
        command
            .args(std::env::args_os().skip(1))
            .env(NAME, name)
            .env(INPUT, input)
            .env(DEVICE, cx.label())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // SAFETY: between fork and exec only prctl is called.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let mut child = command.spawn().map_err(Stop::fail)?;
        let input = child.stdin.take();
        let Some(output) = child.stdout.take() else {
            return Err(Stop::fail("a process without output"));
        };
        Ok(Player {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    /// Tells the act a line.
    ///
    /// # Errors
    /// When it has ended.
    #[track_caller]
    pub(crate) fn tell(&mut self, line: &str) -> Outcome {
        let Some(input) = &mut self.input else {
            return Err(Stop::fail("the process hears nothing any more"));
        };
        writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .map_err(Stop::fail)
    }

    /// The next line that the act says; empty when it has ended.
    ///
    /// # Errors
    /// When it cannot be heard.
    #[track_caller]
    pub(crate) fn hear(&mut self) -> Result<String, Stop> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(Stop::fail)?;
        Ok(line.trim_end().to_owned())
    }

    /// Waits until the process has ended.
    ///
    /// # Errors
    /// When that cannot be found out.
    #[track_caller]
    pub(crate) fn ending(mut self) -> Result<Ending, Stop> {
        drop(self.input.take());
        let mut said = String::new();
        self.output.read_to_string(&mut said).map_err(Stop::fail)?;
        let status = self.child.wait().map_err(Stop::fail)?;
        let code = match (status.code(), status.signal()) {
            (Some(UNSUPPORTED), _) => {
                return Err(Stop::Unsupported(said.trim().to_owned()));
            }
            (Some(code), _) => Ok(code),
            (None, signal) => Err(signal.unwrap_or(0)),
        };
        Ok(Ending { code, said })
    }

    /// Waits until the act has ended, which must be as it should.
    ///
    /// # Errors
    /// When the act failed, or is unsupported.
    #[track_caller]
    pub(crate) fn end(self) -> Outcome {
        let ending = self.ending()?;
        if ending.code == Ok(0) {
            return Ok(());
        }
        Err(Stop::fail(format_args!("the other process: {ending:?}")))
    }
}

/// The next line that the test says to this act; empty when it says no more.
///
/// # Errors
/// When it cannot be heard.
pub(crate) fn hear() -> Result<String, Stop> {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(Stop::fail)?;
    Ok(line.trim_end().to_owned())
}

/// Says a line to the test that started this act.
///
/// # Errors
/// When it does not listen.
pub(crate) fn tell(line: &str) -> Outcome {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .map_err(Stop::fail)
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes of a text by [`hex`].
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    let number = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    digits.filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_become_text_and_back() {
        let bytes = [0, 1, 127, 128, 255];
        assert_eq!(super::hex(&bytes), "00017f80ff");
        assert_eq!(super::unhex("00017f80ff"), bytes);
    }
}
