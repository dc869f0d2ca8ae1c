//! The lists of adapters, `UR_ADAPTERS_FORCE_LOAD` and `UR_ADAPTERS_SEARCH_PATH`.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use ur_loader::discovery::{Discovery, Outcome, Places};
use ur_log::environment::split_paths;

/// Inputs to start from. The names are those of what lies in the folder of the target.
pub const SEEDS: [&str; 8] = [
    "/text.so,/loop.so",
    "/pipe.so:/folder",
    "\"/text.so\",\"/folder/a:b\"",
    "relative.so,./text.so,../text.so",
    "/text.so/below,/no/such",
    ",,::,",
    "\"/text.so",
    "/dangling.so:/empty.so",
];

/// Reads a list and has the loader look at all that it names, once as libraries and once as
/// folders. Absolute paths are taken to lie in a folder of this target, with things in it that are
/// no libraries, so nothing may be loaded, and what is tried is what the list names, in order.
///
/// # Panics
/// A promise is broken.
pub fn run(data: &[u8]) {
    let folder = folder();
    let list = OsStr::from_bytes(data);
    let paths = split_paths(list);
    for path in &paths {
        assert!(!path.as_os_str().is_empty(), "an empty path");
    }
    // Quoted, each of them is one path again.
    let mut quoted = OsString::new();
    for path in &paths {
        quoted.push("\"");
        quoted.push(path);
        quoted.push("\",");
    }
    assert_eq!(split_paths(&quoted), paths, "quoting changes a list");

    let inside: Vec<PathBuf> = paths
        .iter()
        .filter(|path| !path.components().any(|part| part == Component::ParentDir))
        .map(|path| match path.is_absolute() {
            true => below(folder, path),
            false => path.clone(),
        })
        .collect();
    if inside.is_empty() {
        // Nothing is named, so everything would be looked for.
        return;
    }
    let forced = Places {
        forced: inside.clone(),
        ..Places::default()
    };
    let found = Discovery::run(&forced, 0, false);
    assert!(found.adapters.is_empty());
    let tried = found.tried.iter().map(|tried| &tried.path);
    assert!(tried.eq(&inside), "{:?} is not what was named", found.tried);
    for tried in &found.tried {
        let known = matches!(tried.outcome, Outcome::NotFound | Outcome::Failed(_));
        assert!(known, "{tried:?}");
    }
    let searched = Places {
        search: inside,
        ..Places::default()
    };
    // With mocking only one name is looked for.
    let found = Discovery::run(&searched, 0, true);
    assert!(found.adapters.is_empty());
}

fn below(folder: &Path, path: &Path) -> PathBuf {
    let mut joined = folder.as_os_str().as_bytes().to_vec();
    joined.extend(path.as_os_str().as_bytes());
    PathBuf::from(OsString::from_vec(joined))
}

/// The folder, made once for the process.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // SAFETY: targets run on one thread, and this is its first use of the loader.
        unsafe { std::env::set_var("UR_LOG_LOADER", "level:quiet") };
        let name = format!("ur-fuzz-paths-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        make(&folder).expect("a folder for the target");
        folder
    })
}

fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("folder"))?;
    std::fs::write(folder.join("text.so"), "this is no library")?;
    std::fs::write(folder.join("empty.so"), "")?;
    std::fs::write(folder.join("folder/a:b"), [0x7f, b'E', b'L', b'F', 2, 1, 1])?;
    std::fs::write(folder.join("folder/libur_adapter_mock.so.0"), "text")?;
    std::os::unix::fs::symlink("loop.so", folder.join("loop.so"))?;
    std::os::unix::fs::symlink("nowhere", folder.join("dangling.so"))?;
    let pipe = CString::new(folder.join("pipe.so").into_os_string().into_vec())?;
    // SAFETY: the name is a C string.
    if unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

/// Removes the folder, at the end of a process that is done with the target.
pub fn clean() {
    let _ = std::fs::remove_dir_all(folder());
}
