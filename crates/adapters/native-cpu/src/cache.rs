//! Compiled code on disk, for other processes and later ones.
//!
//! Every entry is a file of its own, named after the hash of all that the code depends on ([`Key`]).
//! A file is written under another name and then renamed, so a reader sees all of it or nothing and
//! nobody needs a lock; two processes that compile the same write the same. What a file holds is
//! checked by a hash before it is used, and a bad one is removed.
//!
//! Code from the folder will run in this process. So the folder must be one that only its user can
//! look into, and the files must be that user's; anything else is refused.
//!
//! Nothing that goes wrong here is an error: there is no cache then.

mod entry;
mod folder;
mod key;

pub use key::{Key, KeyMaker};

use crate::{NativeCpu, fork};
use folder::Folder;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use ur_adapter::Backend;
use ur_api::{UR_LOGGER_LEVEL_INFO, UR_LOGGER_LEVEL_WARN};

/// Most bytes of all entries together, unless `UR_JIT_CACHE_SIZE` says another number.
pub const DEFAULT_SIZE: u64 = 1 << 30;

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    folder: Folder,
    /// Most bytes of all entries together.
    limit: u64,
    /// Bytes of all entries as far as this process knows; [`UNKNOWN`] before it looked.
    used: AtomicU64,
    /// Bytes that this process wrote since it looked.
    written: AtomicU64,
    /// Set when writing failed: the disk is full, or the folder cannot be written to.
    read_only: AtomicBool,
}

const UNKNOWN: u64 = u64::MAX;

/// What was used this recently need not be marked as used again.
const FRESH: Duration = Duration::from_secs(3600);

/// The cache of this process, if there is one. The environment is read once:
/// `UR_JIT_CACHE` is `off` or a folder, `UR_JIT_CACHE_SIZE` a number of bytes.
pub fn get() -> Option<&'static Cache> {
    static CACHE: OnceLock<(Option<Cache>, Vec<String>)> = OnceLock::new();
    static SAID: AtomicBool = AtomicBool::new(false);
    let (cache, warnings) = fork::once(&CACHE, from_environment);
    // The logger is code of the program, which must not be called in the middle of the above.
    if !warnings.is_empty() && !SAID.swap(true, Ordering::Relaxed) {
        warnings.iter().for_each(|warning| warn(warning));
    }
    cache.as_ref()
}

/// The cache that the environment asks for, and what is to be said of it.
fn from_environment() -> (Option<Cache>, Vec<String>) {
    let mut warnings = Vec::new();
    // A process with more rights than its user must not run what the user prepared.
    // SAFETY: reads a number that the system gave the process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return (None, warnings);
    }
    let Some(path) = place(|name| std::env::var_os(name)) else {
        return (None, warnings);
    };
    let limit = match std::env::var("UR_JIT_CACHE_SIZE") {
        Err(_) => DEFAULT_SIZE,
        Ok(text) => size(&text).unwrap_or_else(|| {
            warnings.push(format!("UR_JIT_CACHE_SIZE: {text:?} is no number of bytes"));
            DEFAULT_SIZE
        }),
    };
    if limit == 0 {
        return (None, warnings);
    }
    match Cache::open(&path, limit) {
        Ok(cache) => (Some(cache), warnings),
        Err(reason) => {
            warnings.push(format!("compiled code is not kept: {reason}"));
            (None, warnings)
        }
    }
}

fn warn(message: &str) {
    NativeCpu::logger().say(UR_LOGGER_LEVEL_WARN, message);
}

/// The folder that the environment asks for, or the usual one; none if there is to be none.
fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(value) = set("UR_JIT_CACHE") {
        if value.as_bytes().eq_ignore_ascii_case(b"off") {
            return None;
        }
        return Some(PathBuf::from(value));
    }
    let absolute = |name| set(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("concord"))
}

/// A number of bytes, with K, M, G or T behind it for powers of 1024.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1 << 10),
        (at, 'm' | 'M') => (&text[..at], 1 << 20),
        (at, 'g' | 'G') => (&text[..at], 1 << 30),
        (at, 't' | 'T') => (&text[..at], 1 << 40),
        _ => (text, 1),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(unit)
}

impl Cache {
    /// The cache in the folder `path`, which is made if it is not there.
    ///
    /// # Errors
    /// For a person: why the folder must not be used.
    pub fn open(path: &Path, limit: u64) -> Result<Cache, String> {
        Ok(Cache {
            folder: Folder::open(path)?,
            limit,
            used: AtomicU64::new(UNKNOWN),
            written: AtomicU64::new(0),
            read_only: AtomicBool::new(false),
        })
    }

    /// What was kept under `key`.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let name = key.file_name();
        let file = match self.folder.read(&name, self.limit) {
            Ok(file) => file?,
            Err(reason) => {
                warn(&format!("compiled code is not used: {reason}"));
                return None;
            }
        };
        match entry::open(file.bytes, key) {
            Ok(payload) => {
                // The time of change is the time of last use, by which entries are removed. Writing it
                // takes as long as all else here, so it is only exact where something may have to go.
                let now = SystemTime::now();
                let fresh = now.duration_since(file.used).is_ok_and(|age| age < FRESH);
                if !fresh || self.is_filling() {
                    let _ = file.file.set_modified(now);
                }
                Some(payload)
            }
            Err(reason) => {
                NativeCpu::logger().say(
                    UR_LOGGER_LEVEL_INFO,
                    &format!("compiled code is made again: {reason}"),
                );
                self.folder.remove(&name);
                None
            }
        }
    }

    /// Whether more than half of the space is used, as far as this process knows.
    fn is_filling(&self) -> bool {
        match self.used.load(Ordering::Relaxed) {
            UNKNOWN => false,
            used => used.saturating_add(self.written.load(Ordering::Relaxed)) > self.limit / 2,
        }
    }

    /// Forgets what was kept under `key`, which turned out to be of no use.
    pub fn remove(&self, key: &Key) {
        self.folder.remove(&key.file_name());
    }

    /// Keeps something under `key`.
    pub fn put(&self, key: &Key, payload: &[u8]) {
        let bytes = entry::seal(key, payload);
        let len = bytes.len() as u64;
        // One entry must not push out all others.
        if self.read_only.load(Ordering::Relaxed) || len > self.limit / 2 {
            return;
        }
        if let Err(reason) = self.folder.write(&key.file_name(), &bytes) {
            if !self.read_only.swap(true, Ordering::Relaxed) {
                warn(&format!("compiled code is not kept from here on: {reason}"));
            }
            return;
        }
        // Looking through the folder takes a while, so it is done when this process has written a
        // sixteenth of what is allowed, or when as far as it knows there is too much.
        let written = self.written.fetch_add(len, Ordering::Relaxed) + len;
        let used = self.used.load(Ordering::Relaxed);
        if used == UNKNOWN || used + written > self.limit || written > self.limit / 16 {
            self.written.fetch_sub(written, Ordering::Relaxed);
            self.used
                .store(self.folder.shrink(self.limit), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
