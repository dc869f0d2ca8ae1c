//! Memory that has a file descriptor: it can be mapped more than once, also by other processes.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Bytes in a page.
pub const PAGE: usize = 4096;

/// A memory file.
#[derive(Debug)]
pub struct MemFile {
    file: File,
    size: usize,
}

/// Tells a memory file from any other that may have its number later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Device and inode.
    pub device: u64,
    /// Number on the device.
    pub inode: u64,
}

fn identity(file: &File) -> io::Result<Identity> {
    let about = file.metadata()?;
    Ok(Identity {
        device: about.dev(),
        inode: about.ino(),
    })
}

impl MemFile {
    /// A new one of `size` bytes, all 0; `size` is a multiple of [`PAGE`].
    ///
    /// # Errors
    /// What the kernel says.
    pub fn new(size: usize) -> io::Result<MemFile> {
        // SAFETY: the name is a terminated text.
        let fd = unsafe { libc::memfd_create(c"ur-native-cpu".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        let file = unsafe { File::from_raw_fd(fd) };
        file.set_len(size as u64)?;
        Ok(MemFile { file, size })
    }

    /// Opens the memory file that is number `fd` in the process `pid`, if it is the one meant and
    /// has at least `size` bytes.
    ///
    /// # Errors
    /// `NotFound` if it is another one; what the kernel says.
    pub fn open(pid: u32, fd: RawFd, meant: Identity, size: usize) -> io::Result<MemFile> {
        let path = PathBuf::from(format!("/proc/{pid}/fd/{fd}"));
        let file = File::options().read(true).write(true).open(path)?;
        if identity(&file)? != meant || file.metadata()?.len() < size as u64 {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(MemFile { file, size })
    }

    /// Its descriptor in this process.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// What tells it from others.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn identity(&self) -> io::Result<Identity> {
        identity(&self.file)
    }

    /// A new descriptor of it, which is the caller's to close.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn duplicate(&self) -> io::Result<RawFd> {
        // SAFETY: the descriptor is open.
        let fd = unsafe { libc::fcntl(self.fd(), libc::F_DUPFD_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(fd)
    }

    /// Bytes in it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Maps `size` bytes from `offset`, both multiples of [`PAGE`], wherever there is room.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn map(&self, offset: usize, size: usize) -> io::Result<usize> {
        // SAFETY: a mapping where the kernel finds room harms nobody.
        unsafe { self.map_at(0, offset, size, libc::PROT_READ | libc::PROT_WRITE, 0) }
    }

    /// Maps at `address` with some protection and flags.
    ///
    /// # Errors
    /// What the kernel says.
    ///
    /// # Safety
    /// With `MAP_FIXED` among the flags, what was mapped there before must be the caller's to
    /// replace.
    pub unsafe fn map_at(
        &self,
        address: usize,
        offset: usize,
        size: usize,
        protection: libc::c_int,
        flags: libc::c_int,
    ) -> io::Result<usize> {
        // SAFETY: as the caller says.
        let start = unsafe {
            libc::mmap(
                address as *mut _,
                size,
                protection,
                libc::MAP_SHARED | flags,
                self.fd(),
                offset as libc::off_t,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(start as usize)
    }
}

/// Puts fresh private memory over a range.
///
/// # Errors
/// What the kernel says.
///
/// # Safety
/// The range is whole pages that are the caller's to replace.
pub unsafe fn blank(start: usize, size: usize, protection: libc::c_int) -> io::Result<()> {
    // SAFETY: as the caller says.
    let mapped = unsafe {
        libc::mmap(
            start as *mut _,
            size,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Takes a range out of the address space.
///
/// # Safety
/// The range was mapped by the caller and nobody uses it any more.
pub unsafe fn unmap(start: usize, size: usize) {
    // SAFETY: as the caller says.
    unsafe { libc::munmap(start as *mut _, size) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_are_one_memory() {
        let file = MemFile::new(2 * PAGE).unwrap();
        let (first, second) = (
            file.map(0, 2 * PAGE).unwrap(),
            file.map(PAGE, PAGE).unwrap(),
        );
        // SAFETY: both are mapped; the second begins at the second page of the first.
        unsafe {
            ((first + PAGE + 8) as *mut u64).write(77);
            assert_eq!(((second + 8) as *const u64).read(), 77);
            blank(second, PAGE, libc::PROT_READ | libc::PROT_WRITE).unwrap();
            assert_eq!(((second + 8) as *const u64).read(), 0);
            assert_eq!(((first + PAGE + 8) as *const u64).read(), 77);
            unmap(first, 2 * PAGE);
            unmap(second, PAGE);
        }
    }

    #[test]
    fn another_file_of_the_same_number_is_refused() {
        let file = MemFile::new(PAGE).unwrap();
        let meant = file.identity().unwrap();
        let pid = std::process::id();
        assert!(MemFile::open(pid, file.fd(), meant, PAGE).is_ok());
        assert!(MemFile::open(pid, file.fd(), meant, PAGE + 1).is_err());
        let other = Identity {
            inode: meant.inode + 1,
            ..meant
        };
        assert!(MemFile::open(pid, file.fd(), other, PAGE).is_err());
    }
}
