//! Builds what the tests run: the linked loader, the C program and the C adapters.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/c");

/// A folder of that name for this run of the test program, empty at first.
pub fn folder(name: &str) -> PathBuf {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        if root.exists() {
            fs::remove_dir_all(&root).expect("what an earlier run left can be removed");
        }
        root
    });
    let path = root.join(name);
    fs::create_dir_all(&path).expect("a folder");
    path
}

fn run(command: &mut Command) {
    let output = command.output().expect("the compiler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
}

/// The linked loader, made once from the static library that cargo built beside this test.
pub fn loader() -> &'static Path {
    static LOADER: OnceLock<PathBuf> = OnceLock::new();
    LOADER.get_or_init(|| {
        let program = std::env::current_exe().expect("a program");
        let deps = program.parent().expect("a folder");
        let archive = [
            deps.join("libur_loader.a"),
            deps.with_file_name("libur_loader.a"),
        ]
        .into_iter()
        .chain(hashed(deps))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .max()
        .expect("cargo builds the static library with the tests")
        .1;
        let out = folder("lib").join("libur_loader.so.0");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/exports.generated.map");
        run(Command::new("gcc")
            .args([
                "-shared",
                "-Wl,-soname,libur_loader.so.0",
                "-Wl,-Bsymbolic",
                "-o",
            ])
            .arg(&out)
            .arg(format!("-Wl,--version-script={script}"))
            .arg("-Wl,--whole-archive")
            .arg(archive)
            .args([
                "-Wl,--no-whole-archive",
                "-Wl,--gc-sections",
                "-Wl,-z,relro,-z,now",
            ])
            .args(["-Wl,--no-undefined", "-lgcc_s", "-lc", "-lm"]));
        out
    })
}

/// Static libraries with cargo's hash in the name.
fn hashed(deps: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(deps).expect("a folder");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libur_loader-") && name.ends_with(".a")
        })
        .collect()
}

/// The program that has the loader linked to it.
pub fn client() -> &'static Path {
    static CLIENT: OnceLock<PathBuf> = OnceLock::new();
    CLIENT.get_or_init(|| program("client", &[loader().as_os_str()]))
}

/// The program that opens the loader at run time.
pub fn opener() -> &'static Path {
    static OPENER: OnceLock<PathBuf> = OnceLock::new();
    OPENER.get_or_init(|| program("open", &[]))
}

/// Makes a client that finds the loader in a folder by itself.
pub fn link_client(out: &Path, loader_folder: &Path) {
    let path = format!("-Wl,-rpath,{}", loader_folder.display());
    compile(out, "client", &[loader().as_os_str(), OsStr::new(&path)]);
}

/// A C program of this folder's, linked with the libraries.
pub fn program(name: &str, libraries: &[&OsStr]) -> PathBuf {
    let out = folder("bin").join(name);
    compile(&out, name, libraries);
    out
}

fn compile(out: &Path, name: &str, libraries: &[&OsStr]) {
    run(Command::new("gcc")
        .args([
            "-std=c11",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Werror",
            "-pthread",
            "-rdynamic",
            "-o",
        ])
        .arg(out)
        .arg(format!("{SOURCES}/{name}.c"))
        .args(libraries));
}

/// A good adapter that says its name.
pub fn adapter(name: &str) -> PathBuf {
    adapter_with(name, &[])
}

/// An adapter compiled with options; see the head of `adapter.c`.
pub fn adapter_with(name: &str, options: &[&str]) -> PathBuf {
    static BUILT: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let path = folder("adapters").join(format!("libur_adapter_{name}.so.0"));
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = built.get_or_insert_with(|| {
        fs::write(folder("adapters").join("tables.h"), tables()).expect("write");
        HashSet::new()
    });
    if built.insert(name.to_owned()) {
        run(Command::new("gcc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "-I"])
            .arg(folder("adapters"))
            .arg(format!("-DNAME=\"{name}\""))
            .args(options)
            .arg("-o")
            .arg(&path)
            .arg(format!("{SOURCES}/adapter.c")));
    }
    path
}

/// The library that stands in for XPTI's.
pub fn xpti() -> PathBuf {
    let path = folder("lib").join("xpti.so");
    run(Command::new("gcc")
        .args(["-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&path)
        .arg(format!("{SOURCES}/xpti.c")));
    path
}

/// The dispatch tables as the C source reads them.
fn tables() -> String {
    let mut first = 0;
    let mut text = String::new();
    for table in ur_loader::TABLES {
        let words = table.size / size_of::<usize>();
        text += &format!(
            "TABLE({}, {words}, {first})\n",
            table.getter.to_string_lossy()
        );
        first += words;
    }
    text
}

/// One run of the C program.
pub struct Case {
    variables: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
}

/// What the program wrote.
pub struct Answer {
    pub output: String,
    pub errors: String,
}

impl Answer {
    pub fn lines(&self) -> Vec<&str> {
        self.output.lines().collect()
    }
}

impl Case {
    pub fn new() -> Case {
        Case {
            variables: Vec::new(),
            folder: None,
        }
    }

    pub fn set(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Case {
        self.variables
            .push((name.as_ref().into(), value.as_ref().into()));
        self
    }

    /// Shows messages of this level on standard error.
    pub fn log(self, level: &str) -> Case {
        self.set("UR_LOG_LOADER", format!("level:{level};output:stderr"))
    }

    pub fn at(mut self, folder: &Path) -> Case {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Runs the commands; the program must end well.
    pub fn run(self, commands: &[&str]) -> Answer {
        self.run_with(Command::new(client()), commands)
    }

    /// As [`Case::run`], with another program than the usual one.
    pub fn run_with(self, mut command: Command, commands: &[&str]) -> Answer {
        command
            .args(commands)
            .stdin(Stdio::null())
            .env_clear()
            .env("LD_LIBRARY_PATH", loader().parent().expect("a folder"))
            .envs(self.variables);
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        let output = command.output().expect("the program starts");
        let answer = Answer {
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(
            output.status.success(),
            "{commands:?}: {}\n{}{}",
            output.status,
            answer.output,
            answer.errors
        );
        answer
    }
}
