//! The folder: reading and writing files that are this user's alone.

use std::ffi::CString;
use std::fs::{File, Metadata};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Files being written carry this in front of their names.
const UNFINISHED: &str = "tmp-";

/// A file being written this long was left behind.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Rights of others.
const OTHERS: u32 = 0o077;

/// An open folder that was found to be this user's alone.
#[derive(Debug)]
pub struct Folder {
    file: File,
    path: PathBuf,
}

/// A file that was read.
#[derive(Debug)]
pub struct Content {
    /// What it holds.
    pub bytes: Vec<u8>,
    /// The file itself, still open.
    pub file: File,
    /// When it was written or marked as used.
    pub used: SystemTime,
}

/// Checks that a file or folder is this user's and no one else's.
fn check(about: &Metadata) -> Result<(), String> {
    // SAFETY: asks for a number.
    let user = unsafe { libc::geteuid() };
    if about.uid() != user {
        return Err(format!("it belongs to user {}, not {user}", about.uid()));
    }
    if about.mode() & OTHERS != 0 {
        return Err(format!(
            "others have rights to it (mode {:o})",
            about.mode() & 0o7777
        ));
    }
    Ok(())
}

impl Folder {
    /// Opens a folder, making it if it is not there.
    ///
    /// # Errors
    /// Why it must not be used.
    pub fn open(path: &Path) -> Result<Folder, String> {
        let explain = |reason: String| format!("{}: {reason}", path.display());
        if !path.is_absolute() {
            return Err(explain("not an absolute path".into()));
        }
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path);
        // What is in the way, if something is, is found below.
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| explain(e.to_string()))?;
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: the name is terminated.
        let raw = unsafe { libc::open(name.as_ptr(), flags) };
        if raw < 0 {
            let error = std::io::Error::last_os_error();
            return Err(explain(match (error.raw_os_error(), made) {
                (Some(libc::ELOOP | libc::ENOTDIR), _) => "not a folder, or a link".into(),
                (_, Err(error)) => error.to_string(),
                _ => error.to_string(),
            }));
        }
        // SAFETY: just opened, and nobody else's.
        let file = unsafe { File::from_raw_fd(raw) };
        let about = file.metadata().map_err(|e| explain(e.to_string()))?;
        check(&about).map_err(explain)?;
        Ok(Folder {
            file,
            path: path.to_owned(),
        })
    }

    fn open_file(&self, name: &str, flags: i32) -> std::io::Result<File> {
        let name = CString::new(name)?;
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the folder is open and the name terminated.
        let raw = unsafe { libc::openat(self.file.as_raw_fd(), name.as_ptr(), flags, 0o600) };
        if raw < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: just opened, and nobody else's.
        Ok(unsafe { File::from_raw_fd(raw) })
    }

    /// Reads a file of at most `limit` bytes; none if it is not there.
    ///
    /// # Errors
    /// Why it must not be used.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Content>, String> {
        let explain = |reason: String| format!("{}: {reason}", self.path.join(name).display());
        let mut file = match self.open_file(name, libc::O_RDONLY) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(explain(error.to_string())),
        };
        let about = file.metadata().map_err(|e| explain(e.to_string()))?;
        check(&about).map_err(explain)?;
        if !about.is_file() || about.len() > limit {
            return Err(explain("not a file of the cache".into()));
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        // A file is never changed once it has its name, but nothing here depends on that.
        (&mut file)
            .take(about.len())
            .read_to_end(&mut bytes)
            .map_err(|e| explain(e.to_string()))?;
        // Without a time it counts as used just now.
        let used = about.modified().unwrap_or_else(|_| SystemTime::now());
        Ok(Some(Content { bytes, file, used }))
    }

    /// Writes a file, in the place of any older one of that name.
    ///
    /// # Errors
    /// What the system says; nothing is left behind.
    pub fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Beyond the process's limit the system would end it with a signal.
        if bytes.len() as u64 > largest_file() {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        // Processes that do not see each other may have the same number, and forked ones the same
        // random one; O_EXCL guards against the rest.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let random = RandomState::new().build_hasher().finish();
        let process = std::process::id();
        let unfinished = format!("{UNFINISHED}{process}-{number}-{random:x}");
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL;
        let mut file = self.open_file(&unfinished, flags)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| self.rename(&unfinished, name));
        if written.is_err() {
            self.remove(&unfinished);
        }
        written
    }

    fn rename(&self, from: &str, to: &str) -> std::io::Result<()> {
        let (from, to) = (CString::new(from)?, CString::new(to)?);
        let folder = self.file.as_raw_fd();
        // SAFETY: the folder is open and the names terminated.
        match unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) {
        if let Ok(name) = CString::new(name) {
            // SAFETY: the folder is open and the name terminated.
            unsafe { libc::unlinkat(self.file.as_raw_fd(), name.as_ptr(), 0) };
        }
    }

    /// Removes what was used longest ago until an eighth of `limit` bytes is free, if there is more
    /// than `limit`, and files that were never finished. Gives the bytes that are left.
    pub fn shrink(&self, limit: u64) -> u64 {
        // By the open folder, since its path may lead elsewhere by now; files are removed by it too.
        let place = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let list = std::fs::read_dir(place).or_else(|_| std::fs::read_dir(&self.path));
        let Ok(list) = list else {
            return 0;
        };
        let now = SystemTime::now();
        let mut files = Vec::new();
        let mut total = 0u64;
        for found in list.flatten() {
            let Ok(about) = found.metadata() else {
                continue;
            };
            let Ok(name) = found.file_name().into_string() else {
                continue;
            };
            let time = about.modified().unwrap_or(now);
            let old = || now.duration_since(time).is_ok_and(|age| age > ABANDONED);
            if name.starts_with(UNFINISHED) && old() {
                self.remove(&name);
            } else if about.is_file() {
                total += about.len();
                files.push((time, about.len(), name));
            }
        }
        if total > limit {
            files.sort();
            let wanted = limit - limit / 8;
            for (_, len, name) in files {
                if total <= wanted {
                    break;
                }
                self.remove(&name);
                total -= len;
            }
        }
        total
    }
}

/// Bytes of the largest file that this process may write.
fn largest_file() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: fills in the limit.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    limit.rlim_cur
}
