//! Devices in processes of their own: drivers bring compilers that do not get on with each other,
//! and a crash or a hang is to cost one kernel only.

use crate::job::{Answer, Job};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What answers begin with; what drivers print does not.
const MARK: &str = "answer ";

/// The worker's side: answers job after job until there is no more.
///
/// # Errors
/// The parent's words make no sense.
pub fn serve(mut run: impl FnMut(&Job) -> Answer) -> Result<()> {
    for line in std::io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        let answer = serde_json::to_string(&run(&job))?;
        let mut output = std::io::stdout().lock();
        // A driver may have left the line half full.
        writeln!(output, "\n{MARK}{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// What came of a job.
#[derive(Debug)]
pub enum End {
    /// The device's answer.
    Answer(Answer),
    /// The process died or was stopped, and how.
    Died(String),
}

/// The parent's side. The process is started when it is needed and again after it died.
pub struct Worker {
    /// How the device is called.
    pub name: &'static str,
    /// Whether it takes SPIR-V; OpenCL C otherwise.
    pub takes_il: bool,
    /// Arguments of the worker's command line.
    pub args: Vec<OsString>,
    /// Its environment.
    pub env: Vec<(&'static str, OsString)>,
    /// How long a job may take.
    pub timeout: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    /// A device that is not started yet.
    pub fn new(name: &'static str, takes_il: bool, timeout: Duration) -> Self {
        Self {
            name,
            takes_il,
            args: Vec::new(),
            env: Vec::new(),
            timeout,
            running: None,
        }
    }

    /// Has the device do a job.
    ///
    /// # Errors
    /// No process can be started.
    pub fn run(&mut self, job: &Job) -> Result<End> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        // A process that died does not read; the missing answer tells.
        let _ = writeln!(running.input, "{}", serde_json::to_string(job)?);
        match running.lines.recv_timeout(self.timeout) {
            Ok(line) => {
                self.running = Some(running);
                Ok(End::Answer(serde_json::from_str(&line)?))
            }
            Err(RecvTimeoutError::Timeout) => {
                running.child.kill()?;
                running.child.wait()?;
                let seconds = self.timeout.as_secs();
                Ok(End::Died(format!("no answer in {seconds} s")))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait()?;
                Ok(End::Died(match status.signal() {
                    Some(signal) => format!("it died of signal {signal}"),
                    None => format!("it ended with {status}"),
                }))
            }
        }
    }

    fn start(&self) -> Result<Running> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--worker")
            .arg(self.name)
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("a worker without input")?;
        let output = child.stdout.take().context("a worker without output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(answer) = line.strip_prefix(MARK)
                    && sender.send(answer.to_owned()).is_err()
                {
                    return;
                }
            }
        });
        Ok(Running {
            child,
            input,
            lines,
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            // The end of its input ends the worker.
            drop(running.input);
            let mut child = running.child;
            let _ = child.wait();
        }
    }
}
