//! A folder laid out as the built tree, with the `ur` program and chosen adapter libraries in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder; it goes away when this is dropped.
pub struct Place {
    /// Where it is.
    pub dir: PathBuf,
}

impl Place {
    /// `bin/ur`, `bin/ur-tool` and an empty `lib`.
    pub fn empty() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("place-{}-{number}", std::process::id()));
        let place = Place { dir };
        fs::create_dir_all(place.dir.join("bin")).expect("a folder for programs");
        fs::create_dir_all(place.lib()).expect("a folder for libraries");
        // A second name and no copy: while a program is open for writing it cannot start, and a
        // child that another test's thread starts meanwhile keeps the copy's descriptor open.
        for (name, built) in [
            ("ur", env!("CARGO_BIN_EXE_ur")),
            ("ur-tool", env!("CARGO_BIN_EXE_ur-tool")),
        ] {
            fs::hard_link(built, place.dir.join("bin").join(name)).expect("a new name");
        }
        place
    }

    /// Where the libraries are.
    pub fn lib(&self) -> PathBuf {
        self.dir.join("lib")
    }

    /// Puts a library that cargo built beside the tests into `lib`.
    pub fn add(&self, built: &str, name: &str) -> PathBuf {
        let test = std::env::current_exe().expect("the path of this test");
        let from = test.with_file_name(built);
        let to = self.lib().join(name);
        fs::copy(&from, &to).unwrap_or_else(|e| panic!("cannot copy {}: {e}", from.display()));
        to
    }

    /// `ur` with these arguments, in an environment that says nothing to the loader.
    pub fn ur(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.dir.join("bin/ur"));
        for (name, _) in std::env::vars_os() {
            let foreign = name.to_str().is_some_and(|n| {
                n.starts_with("UR_") || n.starts_with("ONEAPI_") || n == "LD_LIBRARY_PATH"
            });
            if foreign {
                command.env_remove(name);
            }
        }
        command.args(args).current_dir(&self.dir);
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Runs it and gives the exit code, standard output and standard error.
pub fn finish(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("ur starts");
    (
        status.code(),
        String::from_utf8(stdout).expect("text"),
        String::from_utf8(stderr).expect("text"),
    )
}
