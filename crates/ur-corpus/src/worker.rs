//! Builds in processes of their own, so that a crash or a hang costs one module only.
//!
//! The parent writes to a worker's input how many modules there are to link, and of each the number
//! of its words and the words; the worker answers with one line of JSON. The kernels are those of
//! the first module.

use crate::CorpusModule;
use crate::images::entry_points;
use crate::jit::{Failure, Jit};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A worker's answer.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    /// What failed, or none.
    stage: Option<String>,
    /// Why.
    reason: String,
    /// How many kernels were compiled.
    kernels: usize,
}

/// Outcome of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The module and all of its kernels, so many, were built.
    Built(usize),
    /// What failed and why.
    Failed(String, String),
}

/// The worker's side: builds what comes in until there is no more.
///
/// # Errors
/// The JIT does not open, or the parent's words are cut off.
pub fn serve(jit: &Path) -> anyhow::Result<()> {
    let jit = Jit::open(jit)?;
    let mut input = std::io::stdin().lock();
    while let Some(count) = number(&mut input) {
        let mut parts = Vec::new();
        for _ in 0..count {
            let words = number(&mut input).context("a module without a length")?;
            let mut bytes = vec![0; 4 * words];
            input.read_exact(&mut bytes)?;
            let (chunks, _) = bytes.as_chunks::<4>();
            let words = chunks.iter().map(|chunk| u32::from_le_bytes(*chunk));
            parts.push(words.collect::<Vec<u32>>());
        }
        let answer = match build(&jit, &parts) {
            Ok(kernels) => Answer {
                stage: None,
                reason: String::new(),
                kernels,
            },
            Err(failure) => Answer {
                stage: Some(failure.stage),
                reason: failure.reason,
                kernels: 0,
            },
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{}", serde_json::to_string(&answer)?)?;
        output.flush()?;
    }
    Ok(())
}

/// The next number of the input; none at its end.
fn number(input: &mut impl Read) -> Option<usize> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes).ok()?;
    Some(u32::from_le_bytes(bytes) as usize)
}

/// Links the parts if there are several, compiles the kernels of the first and says how many.
fn build(jit: &Jit, parts: &[Vec<u32>]) -> Result<usize, Failure> {
    let kernels = parts
        .first()
        .map_or_else(Vec::new, |words| entry_points(words));
    match parts {
        [words] => jit.build(words, &kernels)?,
        _ => {
            let parts: Vec<&[u32]> = parts.iter().map(Vec::as_slice).collect();
            let words = ur_spirv::link(&parts).map_err(|error| Failure {
                stage: "link".to_owned(),
                reason: error.to_string(),
            })?;
            jit.build(&words, &kernels)?;
        }
    }
    Ok(kernels.len())
}

/// The parent's side of a worker; the process is started when it is needed and again after it died.
pub struct Worker {
    jit: PathBuf,
    timeout: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    /// A worker that uses the JIT library at `jit` and is killed if a module takes longer than
    /// `timeout`.
    pub fn new(jit: PathBuf, timeout: Duration) -> Self {
        Self {
            jit,
            timeout,
            running: None,
        }
    }

    /// Builds the kernels of the first module, linked with the others.
    ///
    /// # Errors
    /// No worker can be started.
    pub fn build(&mut self, parts: &[&CorpusModule]) -> anyhow::Result<Outcome> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let mut bytes = (parts.len() as u32).to_le_bytes().to_vec();
        for part in parts {
            bytes.extend((part.words.len() as u32).to_le_bytes());
            bytes.extend(part.words.iter().flat_map(|word| word.to_le_bytes()));
        }
        // A worker that died does not read; the missing answer tells.
        let _ = running.input.write_all(&bytes);
        match running.lines.recv_timeout(self.timeout) {
            Ok(line) => {
                self.running = Some(running);
                let answer: Answer = serde_json::from_str(&line)?;
                Ok(match answer.stage {
                    None => Outcome::Built(answer.kernels),
                    Some(stage) => Outcome::Failed(stage, answer.reason),
                })
            }
            Err(RecvTimeoutError::Timeout) => {
                running.child.kill()?;
                running.child.wait()?;
                let reason = format!("no answer in {} s", self.timeout.as_secs());
                Ok(Outcome::Failed("time".to_owned(), reason))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait()?;
                let reason = match (status.signal(), status.code()) {
                    (Some(signal), _) => format!("the worker died of signal {signal}"),
                    (None, Some(code)) => format!("the worker ended with code {code}"),
                    (None, None) => "the worker ended".to_owned(),
                };
                Ok(Outcome::Failed("crash".to_owned(), reason))
            }
        }
    }

    fn start(&self) -> anyhow::Result<Running> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--worker")
            .arg("--jit")
            .arg(&self.jit)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            anyhow::bail!("a worker without pipes");
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Text that code under test prints is not an answer.
                if line.starts_with("{\"stage\":") && sender.send(line).is_err() {
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
        if let Some(Running {
            mut child, input, ..
        }) = self.running.take()
        {
            // The end of its input ends the worker.
            drop(input);
            let _ = child.wait();
        }
    }
}
