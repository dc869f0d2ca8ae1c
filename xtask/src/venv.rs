//! Python environments with released SYCL runtimes and the clients on them.

use crate::{diff, process, repo};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A release of the SYCL runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// libsycl with the loader inside; it opens our adapters.
    V2026_2,
    /// libsycl linked to libur_loader.so.0; it runs on our loader.
    V2026_1,
}

impl Runtime {
    /// All of them, newest first.
    pub const ALL: [Runtime; 2] = [Runtime::V2026_2, Runtime::V2026_1];

    fn name(self) -> &'static str {
        match self {
            Runtime::V2026_2 => "2026.2",
            Runtime::V2026_1 => "2026.1",
        }
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ValueEnum for Runtime {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// The adapter that comes with the runtime 2026.1, on Intel's OpenCL driver: a name beside those of
/// our own.
pub const INTEL_OPENCL: &str = "intel-opencl";

/// Our OpenCL adapter, on the same driver.
const OPENCL: &str = "opencl";

/// An environment whose pinned packages are installed.
pub struct Venv {
    /// Release of the SYCL runtime in it.
    pub runtime: Runtime,
    dir: PathBuf,
}

impl Venv {
    /// Where the environment of a runtime is, or will be.
    fn at(runtime: Runtime) -> Self {
        Venv {
            runtime,
            dir: repo::root().join("target/venv").join(runtime.name()),
        }
    }

    /// The file that names its packages.
    fn pins(&self) -> PathBuf {
        repo::root().join(format!("tests/clients/pins-{}.txt", self.runtime))
    }

    /// The file that marks it as complete.
    pub fn stamp(&self) -> PathBuf {
        self.dir.join("pins.stamp")
    }

    /// What stands in that file if it is as it would be made now.
    fn made_of(&self) -> Result<String> {
        let pins = self.pins();
        let pins = fs::read_to_string(&pins).with_context(|| pins.display().to_string())?;
        let version = process::output(Command::new(base_python()?).arg("--version"))?;
        Ok(format!("{version}{pins}"))
    }

    fn is(&self, made_of: &str) -> bool {
        fs::read_to_string(self.stamp()).is_ok_and(|stamp| stamp == made_of)
    }

    /// The environment of a runtime if it is there; nothing is made.
    pub fn present(runtime: Runtime) -> Option<Self> {
        let venv = Self::at(runtime);
        let made_of = venv.made_of().ok()?;
        venv.is(&made_of).then_some(venv)
    }

    /// The environment of a runtime, made or made again when its pins or its Python changed.
    ///
    /// Packages are installed without their dependencies: the pins name all that is needed, and the
    /// dependencies would bring Intel's OpenCL driver, a second CPU device.
    pub fn ensure(runtime: Runtime) -> Result<Self> {
        let venv = Self::at(runtime);
        let made_of = venv.made_of()?;
        if venv.is(&made_of) {
            return Ok(venv);
        }

        let packages = made_of.lines().filter(|line| line.contains("==")).count();
        eprintln!(
            "installing {packages} Python packages into {} (about 2.5 GB unpacked)",
            venv.dir.display()
        );
        let start = Instant::now();
        if venv.dir.exists() {
            fs::remove_dir_all(&venv.dir)?;
        }
        process::run(
            Command::new(base_python()?)
                .args(["-m", "venv"])
                .arg(&venv.dir)
                .stdout(std::io::stderr()),
        )?;
        process::run(
            Command::new(venv.python())
                .args(["-m", "pip", "install", "--no-deps", "--no-input"])
                .args(["--disable-pip-version-check", "--progress-bar", "off"])
                .args(["--retries", "10", "--timeout", "60"])
                .arg("-r")
                .arg(venv.pins())
                .stdout(std::io::stderr()),
        )?;
        fs::write(venv.stamp(), made_of)?;
        eprintln!("installed in {:.0} s", start.elapsed().as_secs_f64());
        Ok(venv)
    }

    /// The interpreter.
    fn python(&self) -> PathBuf {
        self.dir.join("bin/python")
    }

    /// The folder that holds SYCL's headers.
    pub fn include(&self) -> PathBuf {
        self.dir.join("include")
    }

    /// The folder that holds libsycl.
    pub fn lib(&self) -> PathBuf {
        self.dir.join("lib")
    }

    /// The interpreter, as by [`Venv::command`], on these adapters and no others; and the libraries
    /// that it must have loaded then.
    pub fn command_on(&self, adapters: &[String]) -> Result<(Command, Vec<PathBuf>)> {
        let mut command = self.command()?;
        let mut libraries: Vec<PathBuf> = Vec::new();
        let mut force = Vec::new();
        for adapter in adapters {
            for library in self.install_adapter(adapter)? {
                if !libraries.contains(&library) {
                    libraries.push(library);
                }
            }
            force.extend(libraries.last().map(|path| path.display().to_string()));
            if on_a_driver(adapter) {
                let drivers = self.dir.join("intel-opencl-driver");
                fs::create_dir_all(&drivers)?;
                fs::write(
                    drivers.join("intel.icd"),
                    format!("{}\n", diff::intel()?.display()),
                )?;
                command.env("OCL_ICD_VENDORS", drivers);
            }
        }
        // The native CPU alone is found as users have it found.
        if adapters.iter().any(|adapter| on_a_driver(adapter)) {
            command.env("UR_ADAPTERS_FORCE_LOAD", force.join(","));
        }
        Ok((command, libraries))
    }

    /// Installs an adapter for the runtime and returns the libraries that a program on it must have
    /// loaded: links beside libsycl where that has the loader inside, the built tree otherwise.
    pub fn install_adapter(&self, name: &str) -> Result<Vec<PathBuf>> {
        let adapter = format!("libur_adapter_{}.so.0", name.replace('-', "_"));
        let dist = repo::dist_lib();
        if on_a_driver(name) && self.runtime == Runtime::V2026_2 {
            bail!("libsycl of 2026.2 has Intel's OpenCL adapter inside; use --runtime 2026.1");
        }
        if name == INTEL_OPENCL {
            let adapter = self.lib().join("libur_adapter_opencl.so.0");
            return Ok(vec![dist.join("libur_loader.so.0"), adapter]);
        }
        match self.runtime {
            Runtime::V2026_2 => {
                for library in [adapter.as_str(), "libur_jit.so"] {
                    link(&dist.join(library), &self.lib().join(library))?;
                }
                Ok(vec![self.lib().join(adapter)])
            }
            Runtime::V2026_1 => Ok(vec![dist.join("libur_loader.so.0"), dist.join(adapter)]),
        }
    }

    /// The interpreter, in an environment where no other driver is found and no variable of the
    /// caller changes what is.
    pub fn command(&self) -> Result<Command> {
        let no_drivers = self.dir.join("no-opencl-drivers");
        fs::create_dir_all(&no_drivers)?;
        let mut command = Command::new(self.python());
        for (name, _) in std::env::vars_os() {
            let foreign = name.to_str().is_some_and(|n| {
                ["UR_", "SYCL_", "ONEAPI_", "OCL_ICD_", "PYTHON"]
                    .iter()
                    .any(|prefix| n.starts_with(prefix))
            });
            if foreign {
                command.env_remove(name);
            }
        }
        command
            .env_remove("LD_LIBRARY_PATH")
            .env("OCL_ICD_VENDORS", no_drivers);
        if self.runtime == Runtime::V2026_1 {
            command.env("LD_LIBRARY_PATH", repo::dist_lib());
        }
        Ok(command)
    }

    /// The folder of an installed package.
    pub fn package_dir(&self, package: &str) -> Result<PathBuf> {
        let script = format!(
            "import importlib.util as u; print(u.find_spec('{package}').submodule_search_locations[0])"
        );
        let found = process::output(self.command()?.args(["-c", &script]).stdin(Stdio::null()))?;
        Ok(PathBuf::from(found.trim()))
    }
}

/// Whether an adapter runs on Intel's driver.
fn on_a_driver(adapter: &str) -> bool {
    adapter == INTEL_OPENCL || adapter == OPENCL
}

/// An interpreter that can make environments; the system's first, whose modules `./x setup`
/// provides.
pub fn base_python() -> Result<PathBuf> {
    let usable = |path: &Path| {
        process::succeeds(Command::new(path).args([
            "-c",
            "import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 15))",
        ]))
    };
    for candidate in ["/usr/bin/python3", "python3"] {
        if usable(Path::new(candidate)) {
            return Ok(candidate.into());
        }
    }
    bail!("no python3 from 3.10 to 3.14 with the venv module")
}

/// Makes `at` a symbolic link to `to`, replacing what is there.
fn link(to: &Path, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|old| old == to) {
        return Ok(());
    }
    if at.symlink_metadata().is_ok() {
        fs::remove_file(at)?;
    }
    symlink(to, at).with_context(|| format!("cannot link {}", at.display()))
}
