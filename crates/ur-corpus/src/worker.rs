//! Builds in processes of their own, so that a crash or a hang costs one module only.
//!
//! The parent writes to a worker's input the number of words of a module and the words; the worker
//! answers with one line of JSON.

use crate::CorpusModule;
use crate::jit::Jit;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A worker's answer.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    /// What failed, or none.
    stage: Option<String>,
    /// Why.
    reason: String,
}

/// Outcome of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The module and all of its kernels were built.
    Built,
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
    loop {
        let mut count = [0; 4];
        if input.read_exact(&mut count).is_err() {
            return Ok(());
        }
        let mut bytes = vec![0; 4 * u32::from_le_bytes(count) as usize];
        input.read_exact(&mut bytes)?;
        let (chunks, _) = bytes.as_chunks::<4>();
        let module = CorpusModule {
            library: Arc::from(""),
            index: 0,
            words: chunks.iter().map(|c| u32::from_le_bytes(*c)).collect(),
        };
        let answer = match jit.build(&module.words, &module.kernels()) {
            Ok(()) => Answer {
                stage: None,
                reason: String::new(),
            },
            Err(failure) => Answer {
                stage: Some(failure.stage),
                reason: failure.reason,
            },
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{}", serde_json::to_string(&answer)?)?;
        output.flush()?;
    }
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

    /// Builds one module.
    ///
    /// # Errors
    /// No worker can be started.
    pub fn build(&mut self, module: &CorpusModule) -> anyhow::Result<Outcome> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let count = (module.words.len() as u32).to_le_bytes();
        let words = module.words.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = count.into_iter().chain(words).collect();
        // A worker that died does not read; the missing answer tells.
        let _ = running.input.write_all(&bytes);
        match running.lines.recv_timeout(self.timeout) {
            Ok(line) => {
                self.running = Some(running);
                let answer: Answer = serde_json::from_str(&line)?;
                Ok(match answer.stage {
                    None => Outcome::Built,
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
