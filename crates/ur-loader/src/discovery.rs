//! Finding the adapters.
//!
//! When `UR_ADAPTERS_FORCE_LOAD` is set, the libraries it lists are opened and no others. Otherwise
//! adapters that are part of the program ([`linked`]) are used, and each other known one is looked
//! for under its file name `libur_adapter_<name>.so.0`; the first place where a usable one is found
//! ends the search for that name:
//!
//! 1. the folders in `UR_ADAPTERS_SEARCH_PATH`, in order;
//! 2. ld.so's own search (`LD_LIBRARY_PATH`, the system's folders);
//! 3. the folder that holds the loader.
//!
//! Both variables are lists of absolute paths, separated by `,` or `:`; the current folder is
//! never looked at. A library that cannot be used is passed over with its reason written down
//! ([`Tried`]) and never keeps another from being found. One library found twice, through links
//! or under two names, is used once.
//!
//! Known adapters that `ONEAPI_DEVICE_SELECTOR` cannot pick a device of are left out ([`filter`]).
//! `UR_ADAPTERS_DEEP_BIND=1` has each library use its own symbols before those of the process.

use crate::adapter::Adapter;
pub use crate::adapter::linked;
use crate::elf;
use crate::environment::{privileged, split_paths, switch, variable};
use crate::filter;
use crate::generated::ADAPTERS;
use crate::library::{Binding, Holder, Library, holder_of};
use crate::log::{Level, log};
use crate::selector::{self, Selector};
use crate::trust;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use ur_api::ur_device_init_flags_t;
use ur_log::environment::REFUSED;

/// Names full paths of the only libraries to open.
pub const FORCE_LOAD: &str = "UR_ADAPTERS_FORCE_LOAD";
/// Names folders to look in first.
pub const SEARCH_PATH: &str = "UR_ADAPTERS_SEARCH_PATH";
/// Says whether libraries use their own symbols before those of the process.
pub const DEEP_BIND: &str = "UR_ADAPTERS_DEEP_BIND";

/// The order in which adapters are looked for, and so the order of their handles.
const ORDER: [&str; 7] = [
    "level_zero",
    "level_zero_v2",
    "opencl",
    "cuda",
    "hip",
    "native_cpu",
    "offload",
];

/// Opened only for a program that asks for mocking, and then as the only one.
const MOCK: &str = "mock";

/// How a library came to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Listed in `UR_ADAPTERS_FORCE_LOAD`.
    Forced,
    /// In a folder of `UR_ADAPTERS_SEARCH_PATH`.
    SearchPath,
    /// By ld.so's search.
    System,
    /// Beside the loader.
    OwnFolder,
    /// Part of the program.
    Linked,
    /// Not tried at all: for what `ONEAPI_DEVICE_SELECTOR` says.
    Selector,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Forced => FORCE_LOAD,
            Origin::SearchPath => SEARCH_PATH,
            Origin::System => "ld.so",
            Origin::OwnFolder => "the loader's folder",
            Origin::Linked => "part of the program",
            Origin::Selector => selector::VARIABLE,
        })
    }
}

/// What came of trying a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is in use.
    Loaded,
    /// It is the same library as one that is in use already.
    AlreadyLoaded,
    /// There is no such file.
    NotFound,
    /// It was not looked for, because no device of it is wanted.
    LeftOut,
    /// It cannot be used, for this reason.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Loaded => f.write_str("loaded"),
            Outcome::AlreadyLoaded => f.write_str("is loaded already"),
            Outcome::NotFound => f.write_str("not found"),
            Outcome::LeftOut => f.write_str("is left out"),
            Outcome::Failed(reason) => write!(f, "cannot be used: {reason}"),
        }
    }
}

/// One attempt to open an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The adapter's short name; for a forced library its file name.
    pub adapter: String,
    /// The file; for an adapter in the program its name; for ld.so's search the name it was given, or what it found.
    pub path: PathBuf,
    /// Why it was tried.
    pub origin: Origin,
    /// What came of it.
    pub outcome: Outcome,
}

/// Which folders are the loader's own.
#[derive(Clone, Debug)]
pub enum Own {
    /// These.
    Folders(Vec<PathBuf>),
    /// Where its file lies; that is found out when no other place has an adapter.
    OfFile,
}

impl Default for Own {
    /// None.
    fn default() -> Own {
        Own::Folders(Vec::new())
    }
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The only libraries to open, if any.
    pub forced: Vec<PathBuf>,
    /// Folders to look in first.
    pub search: Vec<PathBuf>,
    /// Folders to look in last.
    pub own: Own,
    /// Leaves out adapters of which it picks no device.
    pub selector: Option<Selector>,
    /// Whether libraries use their own symbols before those of the process.
    pub deep_bind: bool,
}

impl Places {
    /// The places that the environment and the loader's own file give.
    pub fn from_environment() -> Places {
        let list = |name| variable(name).map_or_else(Vec::new, |value| split_paths(&value));
        Places {
            forced: list(FORCE_LOAD),
            search: list(SEARCH_PATH),
            own: own(),
            selector: filter::from_environment(),
            deep_bind: switch(DEEP_BIND, false),
        }
    }
}

static OWN_FOLDERS: Mutex<Option<Vec<PathBuf>>> = Mutex::new(None);

/// Says where adapters lie that came with this loader, for a program that has the loader linked
/// in. Counts from the next initialisation on.
pub fn set_own_folders(folders: Vec<PathBuf>) {
    *OWN_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner) = Some(folders);
}

fn own() -> Own {
    let set = OWN_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    set.clone().map_or(Own::OfFile, Own::Folders)
}

/// The folders that came with the loader: where its file lies, by the name it was opened under
/// and, if that is a link, where the link leads. For a program `…/bin/x` with the loader linked
/// in also `…/lib`.
fn own_folders() -> Vec<PathBuf> {
    let Some(holder) = holder_of(own_folders as *const std::ffi::c_void) else {
        return Vec::new();
    };
    let (Holder::Library(file) | Holder::Program(file)) = &holder;
    let mut folders: Vec<PathBuf> = file.parent().map(Path::to_owned).into_iter().collect();
    let mut add = |folder: PathBuf| {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    };
    if let Ok(real) = std::fs::canonicalize(file)
        && let Some(folder) = real.parent()
    {
        add(folder.to_owned());
    }
    if let Holder::Program(file) = &holder
        && let Some(bin) = file.parent()
        && bin.ends_with("bin")
    {
        add(bin.with_file_name("lib"));
    }
    if privileged() {
        // Its user may have given the program a second name, in a folder of the user's own.
        folders = folders.into_iter().filter_map(guarded).collect();
    }
    folders
}

/// A folder that a process with raised privileges may use.
fn guarded(folder: PathBuf) -> Option<PathBuf> {
    let guarded = trust::guarded(&folder);
    if guarded.is_none() {
        log!(
            Level::Info,
            "{} is not looked at: others than root can write there, and {REFUSED}",
            folder.display()
        );
    }
    guarded
}

/// The adapters found, and every attempt made.
#[derive(Debug, Default)]
pub struct Discovery {
    /// Usable adapters, in the order of their handles.
    pub adapters: Vec<Adapter>,
    /// Every attempt, in order.
    pub tried: Vec<Tried>,
    /// Device and inode of the files in use.
    files: Vec<(u64, u64)>,
    /// The loader's own folders, once they were needed.
    own: OnceCell<Vec<PathBuf>>,
}

impl Discovery {
    /// Opens what the places hold. `kinds` leaves out adapters that cannot have a device of any
    /// of these kinds; 0 leaves out none. With `mock`, only the mock adapter is looked for.
    pub fn run(places: &Places, kinds: ur_device_init_flags_t, mock: bool) -> Discovery {
        let mut found = Discovery::default();
        if mock {
            found.known(MOCK, places);
        } else if places.forced.is_empty() {
            let linked = linked::all().into_iter().map(|linked| linked.name);
            // Out of a program's adapters only those with another name are new to us.
            let others = linked.filter(|name| name != MOCK && !ORDER.contains(&name.as_str()));
            let others: Vec<String> = others.collect();
            let names = ORDER.into_iter().chain(others.iter().map(String::as_str));
            for name in names.filter(|name| has_kind(name, kinds)) {
                let selector = places.selector.as_ref();
                if selector.is_some_and(|selector| filter::leaves_out(selector, name)) {
                    found.leave_out(name);
                } else {
                    found.known(name, places);
                }
            }
        } else {
            for path in &places.forced {
                let name = path.file_name().unwrap_or(path.as_os_str());
                found.attempt(&short_name(name), path, Origin::Forced, places.deep_bind);
            }
        }
        found
    }

    /// Writes down that an adapter is not wanted.
    fn leave_out(&mut self, name: &str) {
        let tried = Tried {
            adapter: name.to_owned(),
            path: file_name(name).into(),
            origin: Origin::Selector,
            outcome: Outcome::LeftOut,
        };
        log!(
            Level::Info,
            "adapter {name} {} ({})",
            tried.outcome,
            tried.origin
        );
        self.tried.push(tried);
    }

    /// Takes an adapter from the program, or looks for its library if it is not in there.
    fn known(&mut self, name: &str, places: &Places) {
        let linked = linked::all();
        let Some(linked) = linked.iter().find(|linked| linked.name == name) else {
            return self.search(name, places);
        };
        let outcome = match Adapter::linked(linked) {
            Ok(adapter) => {
                self.adapters.push(adapter);
                Outcome::Loaded
            }
            Err(reason) => Outcome::Failed(reason),
        };
        let used = outcome == Outcome::Loaded;
        log!(
            if used { Level::Info } else { Level::Warning },
            "adapter {name}: {} {outcome}",
            Origin::Linked
        );
        self.tried.push(Tried {
            adapter: name.to_owned(),
            path: name.into(),
            origin: Origin::Linked,
            outcome,
        });
    }

    /// Looks for one adapter until a usable one is found.
    fn search(&mut self, name: &str, places: &Places) {
        let file = file_name(name);
        for folder in &places.search {
            if self.attempt(
                name,
                &folder.join(&file),
                Origin::SearchPath,
                places.deep_bind,
            ) {
                return;
            }
        }
        if self.attempt(name, Path::new(&file), Origin::System, places.deep_bind) {
            return;
        }
        let own: Vec<PathBuf> = match &places.own {
            Own::Folders(folders) => folders,
            Own::OfFile => self.own.get_or_init(own_folders),
        }
        .iter()
        .map(|folder| folder.join(&file))
        .collect();
        for path in own {
            if self.attempt(name, &path, Origin::OwnFolder, places.deep_bind) {
                return;
            }
        }
    }

    /// Tries one library, writes down what came of it, and says whether it is in use now.
    fn attempt(&mut self, name: &str, path: &Path, origin: Origin, deep: bool) -> bool {
        let mut path = path.to_owned();
        let outcome = self.open(name, &mut path, origin, deep);
        let level = match (&outcome, origin) {
            (Outcome::Loaded | Outcome::AlreadyLoaded, _) => Level::Info,
            (_, Origin::Forced) => Level::Error,
            (Outcome::NotFound | Outcome::LeftOut, _) => Level::Debug,
            (Outcome::Failed(_), _) => Level::Warning,
        };
        log!(
            level,
            "adapter {name}: {} ({origin}) {outcome}",
            path.display()
        );
        let in_use = matches!(outcome, Outcome::Loaded | Outcome::AlreadyLoaded);
        self.tried.push(Tried {
            adapter: name.to_owned(),
            path,
            origin,
            outcome,
        });
        in_use
    }

    /// Opens one library and takes it into use. For one that ld.so found, `path` becomes that of
    /// the file.
    fn open(&mut self, name: &str, path: &mut PathBuf, origin: Origin, deep: bool) -> Outcome {
        let mut file = None;
        if origin != Origin::System {
            if !path.is_absolute() {
                return Outcome::Failed("it is not an absolute path".to_owned());
            }
            match std::fs::metadata(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Outcome::NotFound;
                }
                Err(error) => return Outcome::Failed(error.to_string()),
                // Known before anything in it runs.
                Ok(known) if self.files.contains(&(known.dev(), known.ino())) => {
                    return Outcome::AlreadyLoaded;
                }
                // Opening a pipe would wait for who writes to it.
                Ok(other) if !other.is_file() && !other.is_dir() => {
                    return Outcome::Failed("it is no regular file".to_owned());
                }
                Ok(there) => file = Some(there),
            }
        }
        // A library that is bound at once anyway need not have all those that it needs bound at once,
        // too: the thousand functions of a C++ library, of which it calls a few.
        let binding = match &file {
            Some(file) if file.is_file() && elf::binds_at_once(path) => Binding::AsBuilt,
            _ => Binding::Now,
        };
        let library = match Library::open(path.as_os_str(), binding, deep) {
            Ok(library) => library,
            Err(reason) => {
                // ld.so words it like this for the library itself; for one that it needs in turn,
                // the sentence begins with that one's name.
                let absent = format!(
                    "{}: cannot open shared object file: No such",
                    path.display()
                );
                return if origin == Origin::System && reason.starts_with(&absent) {
                    Outcome::NotFound
                } else {
                    Outcome::Failed(reason)
                };
            }
        };
        if origin == Origin::System
            && let Some(file) = library.path()
        {
            *path = file;
        }
        if self.adapters.iter().any(|known| known.library == library) {
            return Outcome::AlreadyLoaded;
        }
        match Adapter::new(name, path, library) {
            Ok(adapter) => {
                let file = file.or_else(|| std::fs::metadata(&path).ok());
                self.files.extend(file.map(|file| (file.dev(), file.ino())));
                self.adapters.push(adapter);
                Outcome::Loaded
            }
            Err(reason) => Outcome::Failed(reason),
        }
    }
}

/// The name of an adapter's library.
fn file_name(name: &str) -> String {
    format!("libur_adapter_{name}.so.0")
}

/// True when an adapter can have a device of one of the kinds. Those of which nothing is known
/// can.
fn has_kind(name: &str, kinds: ur_device_init_flags_t) -> bool {
    kinds == 0
        || ADAPTERS
            .iter()
            .find(|(known, _)| *known == name)
            .is_none_or(|(_, has)| has & kinds != 0)
}

/// `native_cpu` for `libur_adapter_native_cpu.so.0`; other names stay as they are.
fn short_name(file: &OsStr) -> String {
    let name = file.to_string_lossy();
    let short = name
        .strip_prefix("libur_adapter_")
        .and_then(|rest| rest.split_once(".so"))
        .map(|(short, _)| short.to_owned());
    short.unwrap_or_else(|| name.into_owned())
}

/// Every attempt since the last initialisation; empty until `urAdapterGet` is called, which makes
/// them. An adapter whose own `urAdapterGet` failed stands as failed.
pub fn report() -> Vec<Tried> {
    crate::state::report()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_of_the_api_is_looked_for_once() {
        let mut ordered = ORDER.to_vec();
        ordered.sort_unstable();
        let mut known: Vec<&str> = ADAPTERS.iter().map(|(name, _)| *name).collect();
        known.sort_unstable();
        assert_eq!(ordered, known);
    }

    #[test]
    fn kinds_of_device_leave_out_adapters() {
        use ur_api::{UR_DEVICE_INIT_FLAG_CPU, UR_DEVICE_INIT_FLAG_GPU};
        assert!(has_kind("cuda", 0));
        assert!(has_kind("cuda", UR_DEVICE_INIT_FLAG_GPU.0));
        assert!(!has_kind("cuda", UR_DEVICE_INIT_FLAG_CPU.0));
        assert!(!has_kind("native_cpu", UR_DEVICE_INIT_FLAG_GPU.0));
        assert!(has_kind(
            "native_cpu",
            UR_DEVICE_INIT_FLAG_GPU.0 | UR_DEVICE_INIT_FLAG_CPU.0
        ));
        assert!(has_kind("unheard_of", UR_DEVICE_INIT_FLAG_CPU.0));
    }

    #[test]
    fn short_names() {
        assert_eq!(
            short_name(OsStr::new("libur_adapter_native_cpu.so.0")),
            "native_cpu"
        );
        assert_eq!(short_name(OsStr::new("libur_adapter_hip.so")), "hip");
        assert_eq!(short_name(OsStr::new("libother.so")), "libother.so");
    }

    #[test]
    fn places_that_hold_nothing() {
        let nowhere = PathBuf::from("/no/such/folder");
        let places = Places {
            forced: Vec::new(),
            search: vec![nowhere.clone(), PathBuf::from("relative")],
            own: Own::Folders(vec![nowhere]),
            ..Places::default()
        };
        let found = Discovery::run(&places, 0, true);
        assert!(found.adapters.is_empty());
        let outcomes: Vec<_> = found
            .tried
            .iter()
            .map(|tried| (tried.origin, tried.outcome.clone()))
            .collect();
        let relative = Outcome::Failed("it is not an absolute path".to_owned());
        assert_eq!(outcomes[0], (Origin::SearchPath, Outcome::NotFound));
        assert_eq!(outcomes[1], (Origin::SearchPath, relative));
        assert_eq!(outcomes[2].0, Origin::System);
        assert_eq!(outcomes[3], (Origin::OwnFolder, Outcome::NotFound));
    }
}
