//! A shared library opened at run time.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// An opened library. Dropping it gives the reference back to ld.so, but the code stays mapped
/// (`RTLD_NODELETE`): a driver's threads, thread-local destructors and `atexit` handlers may run
/// long after the loader has no more use for it.
#[derive(Debug)]
pub struct Library {
    handle: NonNull<c_void>,
}

// SAFETY: ld.so's functions on handles may be called from any thread.
unsafe impl Send for Library {}
// SAFETY: as above; nothing is written through the handle.
unsafe impl Sync for Library {}

/// When the symbols that a library needs are bound to those that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// All at once, and so are those of the libraries that it needs.
    Now,
    /// As each library asks for; for one that asks for nothing, each function at its first call.
    AsBuilt,
}

impl Library {
    /// Opens a library by path, or, when `name` has no slash, by ld.so's search.
    ///
    /// With [`Binding::Now`] a library that needs a symbol nobody has is refused here with that
    /// symbol's name, and does not end the process at the first call of it. With `deep`
    /// the library uses its own symbols, and those of the libraries it needs, before symbols of
    /// the same names elsewhere in the process (`RTLD_DEEPBIND`).
    ///
    /// # Errors
    /// ld.so's own message.
    pub fn open(name: &OsStr, binding: Binding, deep: bool) -> Result<Library, String> {
        let name = CString::new(name.as_bytes())
            .map_err(|_| "the name has a zero byte inside".to_owned())?;
        let mut flags = libc::RTLD_LOCAL | libc::RTLD_NODELETE;
        flags |= match binding {
            Binding::Now => libc::RTLD_NOW,
            Binding::AsBuilt => libc::RTLD_LAZY,
        };
        if deep {
            flags |= libc::RTLD_DEEPBIND;
        }
        // SAFETY: the name is a C string; running the library's constructors is what opening an
        // adapter means.
        let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
        NonNull::new(handle)
            .map(|handle| Library { handle })
            .ok_or_else(last_error)
    }

    /// The program itself.
    ///
    /// # Errors
    /// ld.so's own message.
    pub fn program() -> Result<Library, String> {
        // SAFETY: a null name stands for the program, which is open already.
        let handle = unsafe { libc::dlopen(std::ptr::null(), libc::RTLD_NOW) };
        NonNull::new(handle)
            .map(|handle| Library { handle })
            .ok_or_else(last_error)
    }

    /// The address of an exported symbol.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle is open as long as `self` lives.
        NonNull::new(unsafe { libc::dlsym(self.handle.as_ptr(), name.as_ptr()) })
    }

    /// The file ld.so opened, as it wrote it down.
    pub fn path(&self) -> Option<PathBuf> {
        let mut map: *mut LinkMap = std::ptr::null_mut();
        // SAFETY: the handle is open, and RTLD_DI_LINKMAP stores one pointer.
        let status = unsafe {
            libc::dlinfo(
                self.handle.as_ptr(),
                libc::RTLD_DI_LINKMAP,
                (&raw mut map).cast(),
            )
        };
        if status != 0 || map.is_null() {
            return None;
        }
        // SAFETY: ld.so keeps the link map and its name as long as the library is open.
        let name = unsafe { CStr::from_ptr((*map).name) };
        Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
}

impl PartialEq for Library {
    /// True when ld.so knows both as one library, however they were found.
    fn eq(&self, other: &Library) -> bool {
        self.handle == other.handle
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: this is the one reference that `open` got.
        unsafe { libc::dlclose(self.handle.as_ptr()) };
    }
}

/// The public head of ld.so's `struct link_map`.
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const libc::c_char,
}

/// What ld.so says about this thread's last failure.
fn last_error() -> String {
    // SAFETY: the text belongs to this thread until its next call of ld.so.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            "ld.so gives no reason".to_owned()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

/// The file that holds the code at `address`.
#[derive(Debug, PartialEq, Eq)]
pub enum Holder {
    /// The program itself.
    Program(PathBuf),
    /// A shared library.
    Library(PathBuf),
}

/// Which file the code at `address` was loaded from, as an absolute path; `None` when the system
/// does not say.
pub fn holder_of(address: *const c_void) -> Option<Holder> {
    let info = dladdr(address)?;
    // SAFETY: reads the auxiliary vector; it holds the address at which the program begins.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) } as *const c_void;
    if dladdr(entry).is_some_and(|program| program.dli_fbase == info.dli_fbase) {
        // Not ld.so's name for it: that is argv[0], which can be anything.
        return std::env::current_exe().ok().map(Holder::Program);
    }
    // SAFETY: ld.so keeps the name as long as the object is mapped, and it holds this code.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    if path.is_absolute() {
        return Some(Holder::Library(path.to_owned()));
    }
    // Found through a relative path, as in LD_LIBRARY_PATH=lib. The current folder may be another
    // one by now, so the kernel is asked.
    mapped_file(address as usize, &std::fs::read("/proc/self/maps").ok()?).map(Holder::Library)
}

fn dladdr(address: *const c_void) -> Option<libc::Dl_info> {
    // SAFETY: an all-zero Dl_info is a valid value of that plain C struct.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: ld.so only compares the address with its map.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0;
    (found && !info.dli_fname.is_null()).then_some(info)
}

/// The file mapped at `address`, by the kernel's list of mappings (lines of
/// `from-to mode offset device inode path`).
fn mapped_file(address: usize, maps: &[u8]) -> Option<PathBuf> {
    maps.split(|&byte| byte == b'\n').find_map(|line| {
        let range = line.split(|&byte| byte == b' ').next()?;
        let (from, to) = std::str::from_utf8(range).ok()?.split_once('-')?;
        let from = usize::from_str_radix(from, 16).ok()?;
        let to = usize::from_str_radix(to, 16).ok()?;
        let path = line.iter().position(|&byte| byte == b'/')?;
        (from..to)
            .contains(&address)
            .then(|| PathBuf::from(OsStr::from_bytes(&line[path..])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_the_system_opens_by_name() {
        let library = Library::open(OsStr::new("libc.so.6"), Binding::Now, false).expect("libc");
        let again = Library::open(OsStr::new("libc.so.6"), Binding::Now, false).expect("libc");
        assert!(library == again);
        let path = library.path().expect("a path");
        assert!(path.ends_with("libc.so.6"), "{path:?}");
        assert!(library.symbol(c"malloc").is_some());
        assert!(library.symbol(c"no_such_function_here").is_none());
        let holder = holder_of(library.symbol(c"malloc").expect("malloc").as_ptr());
        assert_eq!(holder, Some(Holder::Library(path)));
    }

    #[test]
    fn a_failure_has_its_reason() {
        let reason =
            Library::open(OsStr::new("/no/such/library.so"), Binding::Now, false).unwrap_err();
        assert!(reason.contains("/no/such/library.so"), "{reason}");
        assert!(Library::open(OsStr::new("a\0b"), Binding::Now, false).is_err());
    }

    #[test]
    fn our_own_code_is_in_the_program() {
        let holder = holder_of(our_own_code_is_in_the_program as *const c_void);
        assert_eq!(holder, std::env::current_exe().ok().map(Holder::Program));
        assert_eq!(holder_of(std::ptr::null()), None);
    }

    #[test]
    fn mappings() {
        let maps = b"1000-2000 r-xp 0 00:00 0 /a b/c.so\n3000-4000 rw-p 0 00:00 0\n";
        assert_eq!(mapped_file(0x1fff, maps), Some("/a b/c.so".into()));
        assert_eq!(mapped_file(0x2000, maps), None);
        assert_eq!(mapped_file(0x3000, maps), None);
    }
}
