//! A process that measures one setting when it is asked to.

use super::Libraries;
use super::operations::{Calls, Functions, OPERATIONS, Objects};
use super::setting::{Layers, Loader, Setting};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::null_mut;
use ur_api::*;

/// Batches of each operation in a turn, for the loader and for the adapter.
const BATCHES: usize = 6;

/// The shortest times of a turn in nanoseconds, one pair for each operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turn {
    /// Through the loader.
    pub(super) through: Vec<f64>,
    /// By the adapter's own functions.
    pub(super) direct: Vec<f64>,
}

/// A running process.
pub(super) struct Child {
    process: std::process::Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Child {
    /// Starts a process for a setting and waits until it is ready.
    pub(super) fn start(libraries: &Libraries, setting: Setting) -> Result<Child> {
        let loader = match setting.loader {
            Loader::Ours => &libraries.loader,
            Loader::Released => libraries.released.as_ref().context("no released loader")?,
        };
        let adapters: Vec<String> = [&libraries.adapter]
            .into_iter()
            .chain(&libraries.others)
            .take(setting.adapters)
            .map(|path| path.display().to_string())
            .collect();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bench", "--calls-child"]).arg(loader);
        command.arg("--adapter").arg(&libraries.adapter);
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if ["UR_", "ONEAPI_", "SYCL_", "XPTI_"]
                .iter()
                .any(|start| name_text.starts_with(start))
            {
                command.env_remove(&name);
            }
        }
        command
            .env("UR_ADAPTERS_FORCE_LOAD", adapters.join(","))
            .env("UR_ENABLE_LAYERS", setting.layers.variable())
            // What it is tried out with is no news.
            .env("UR_LOG_VALIDATION", "level:quiet;output:stderr")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let ask = process.stdin.take().context("no pipe")?;
        let answers = BufReader::new(process.stdout.take().context("no pipe")?);
        let mut child = Child {
            process,
            ask,
            answers,
        };
        let refused = child.line()?;
        if expected(setting).is_some_and(|expected| refused != format!("{expected:?}")) {
            bail!("the loader does not check what it should: {refused}");
        }
        Ok(child)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("it ended with {}", self.process.wait()?);
        }
        Ok(line.trim_end().to_owned())
    }

    /// Has it measure each operation once more.
    pub(super) fn turn(&mut self) -> Result<Turn> {
        writeln!(self.ask, "go")?;
        Ok(serde_json::from_str(&self.line()?)?)
    }

    /// Ends it.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.ask);
        let status = self.process.wait()?;
        if !status.success() {
            bail!("it ended with {status}");
        }
        Ok(())
    }
}

/// What the checks of a loader refuse: a query without a place for its answer, a handle that no
/// call gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refused {
    argument: bool,
    handle: bool,
}

/// What a setting of ours must refuse, so that nothing else is measured. A released loader that has
/// one adapter calls it whatever the handle says, so nothing can be learned from it.
fn expected(setting: Setting) -> Option<Refused> {
    (setting.loader == Loader::Ours).then_some(Refused {
        argument: matches!(setting.layers, Layers::Parameters | Layers::Full),
        handle: setting.layers == Layers::Full,
    })
}

/// The answer of the adapter whose objects nobody made.
const REACHED: ur_result_t = UR_RESULT_ERROR_DEVICE_LOST;

unsafe extern "C" fn reached(
    _: ur_device_handle_t,
    _: ur_device_info_t,
    _: usize,
    _: *mut c_void,
    _: *mut usize,
) -> ur_result_t {
    REACHED
}

/// Tries out what a loader refuses on an object of an adapter that does nothing.
fn refused(calls: &Calls) -> Option<Refused> {
    // SAFETY: a table is made of optional functions, which zero is none of.
    let mut tables: ur_dditable_t = unsafe { std::mem::zeroed() };
    tables.Device.pfnGetInfo = Some(reached);
    let tables: &'static ur_dditable_t = Box::leak(Box::new(tables));
    let object: &'static mut &ur_dditable_t = Box::leak(Box::new(tables));
    let device: ur_device_handle_t = (&raw mut *object).cast();
    let query = calls.urDeviceGetInfo?;
    let mut room = 0u64;
    // SAFETY: the object begins with a table, and nothing else of it is used.
    let of = |size, place| unsafe {
        query(device, UR_DEVICE_INFO_TYPE, size, place, null_mut()) != REACHED
    };
    Some(Refused {
        argument: of(0, null_mut()),
        handle: of(8, (&raw mut room).cast()),
    })
}

/// Is such a process: says what the loader's checks refuse, then measures for each line of the
/// standard input.
///
/// # Errors
/// The libraries cannot be used, or a call failed.
pub fn child(loader: &Path, adapter: &Path) -> Result<()> {
    let calls = Calls::open(loader).map_err(anyhow::Error::msg)?;
    let init = calls.urLoaderInit.context("no urLoaderInit")?;
    // SAFETY: no configuration.
    let result = unsafe { init(0, null_mut()) };
    if result != UR_RESULT_SUCCESS {
        bail!("urLoaderInit returned {result}");
    }
    let adapter: PathBuf = std::fs::canonicalize(adapter)?;
    let objects = Objects::new(&calls, &adapter).map_err(anyhow::Error::msg)?;
    let through = Functions::of_loader(&calls).context("a function is missing")?;
    let direct = Functions::of_adapter(objects.tables()).context("a function is missing")?;
    let refused = refused(&calls).context("a function is missing")?;
    let mut out = std::io::stdout();
    writeln!(out, "{refused:?}")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        line?;
        let turn = turn(&through, &direct, &objects).map_err(|text| anyhow!(text))?;
        writeln!(out, "{}", serde_json::to_string(&turn)?)?;
        out.flush()?;
    }
    Ok(())
}

fn turn(through: &Functions, direct: &Functions, objects: &Objects) -> Result<Turn, String> {
    let mut turn = Turn {
        through: Vec::new(),
        direct: Vec::new(),
    };
    for operation in OPERATIONS {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..BATCHES {
            for (least, functions) in least.iter_mut().zip([through, direct]) {
                *least = least.min(operation.time(functions, objects)?);
            }
        }
        turn.through.push(least[0]);
        turn.direct.push(least[1]);
    }
    Ok(turn)
}
