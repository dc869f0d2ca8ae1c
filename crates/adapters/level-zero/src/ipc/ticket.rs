//! The bytes by which another process opens an allocation.
//!
//! What Level Zero gives may hold a file descriptor, which means something in the process that got it
//! only. So the bytes say whose it is, and who opens them takes a copy of the file over.

use crate::context::Context;
use crate::ze::{self, check};
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use ur_adapter::{Error, Result};

/// What the bytes begin with; the last digit is the version of their layout.
const MAGIC: u64 = u64::from_le_bytes(*b"CNCDZEM1");

/// The bytes: numbers in the machine's order, since both processes are on one machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    magic: u64,
    pid: u32,
    /// The file in what Level Zero gave; -1 if it does not tell of one.
    fd: i32,
    /// Where in the allocation the pointer was.
    pub offset: u64,
    native: ze::ze_ipc_mem_handle_t,
}

/// Bytes in a ticket.
pub const SIZE: usize = size_of::<Ticket>();

fn no_ticket() -> Error {
    Error::value("not the bytes of a handle")
}

impl Ticket {
    /// A ticket for what Level Zero gave of an allocation.
    pub fn new(context: &Context, native: ze::ze_ipc_mem_handle_t, offset: usize) -> Self {
        let mut fd = u64::MAX;
        if let Some(get) = context.api().later.zeMemGetFileDescriptorFromIpcHandleExp {
            // SAFETY: a live context, a handle of it, a place of ours.
            if unsafe { get(context.native(), native, &raw mut fd) } != ze::ZE_RESULT_SUCCESS {
                fd = u64::MAX;
            }
        }
        Self {
            magic: MAGIC,
            pid: std::process::id(),
            fd: i32::try_from(fd).unwrap_or(-1),
            offset: offset as u64,
            native,
        }
    }

    /// Hands the bytes to the program, until [`Ticket::take_back`].
    pub fn give(self) -> *mut c_void {
        Box::into_raw(Box::new(self)).cast()
    }

    /// Takes bytes of [`Ticket::give`] back.
    ///
    /// # Errors
    /// `INVALID_VALUE` for other bytes.
    ///
    /// # Safety
    /// `data` came from `give` and is not used any more.
    pub unsafe fn take_back(data: *mut c_void) -> Result<Self> {
        let ticket = data.cast::<Self>();
        // SAFETY: as the caller says; the check finds some pointers that are none of these.
        if !ticket.is_aligned() || unsafe { (*ticket).magic } != MAGIC {
            return Err(no_ticket());
        }
        // SAFETY: as the caller says.
        let mut ticket = unsafe { Box::from_raw(ticket) };
        let taken = *ticket;
        ticket.magic = 0;
        Ok(taken)
    }

    /// Reads the bytes that another process sent.
    ///
    /// # Errors
    /// `INVALID_VALUE` for anything else.
    ///
    /// # Safety
    /// `data` has `size` bytes.
    pub unsafe fn read(data: *const c_void, size: usize) -> Result<Self> {
        if size != SIZE {
            return Err(Error::value(format!("{size} bytes, a handle has {SIZE}")));
        }
        // SAFETY: there are that many bytes, and any are a ticket.
        let ticket = unsafe { data.cast::<Self>().read_unaligned() };
        match ticket.magic == MAGIC && ticket.offset < 1 << 47 {
            true => Ok(ticket),
            false => Err(no_ticket()),
        }
    }

    /// What Level Zero gave.
    pub fn native(&self) -> ze::ze_ipc_mem_handle_t {
        self.native
    }

    /// What Level Zero opens in this process, and the file that must stay until it has.
    ///
    /// # Errors
    /// `INVALID_VALUE` when the file of the other process cannot be had, and what the driver says.
    pub fn here(&self, context: &Context) -> Result<(ze::ze_ipc_mem_handle_t, Option<OwnedFd>)> {
        let make = context.api().later.zeMemGetIpcHandleFromFileDescriptorExp;
        let (Some(make), 0..) = (make, self.fd) else {
            return Ok((self.native, None));
        };
        if self.pid == std::process::id() {
            return Ok((self.native, None));
        }
        let file = duplicate(self.pid, self.fd).map_err(|error| {
            let message = format!(
                "the memory of process {} cannot be opened: {error}",
                self.pid
            );
            Error::value(message).with_native(error.raw_os_error().unwrap_or(0))
        })?;
        let mut native = self.native;
        let fd = file.as_raw_fd() as u64;
        // SAFETY: a live context, an open file, a place of ours.
        check(unsafe { make(context.native(), fd, &raw mut native) })?;
        Ok((native, Some(file)))
    }
}

/// A copy of another process's file descriptor.
fn duplicate(pid: u32, fd: i32) -> std::io::Result<OwnedFd> {
    // SAFETY: a call without pointers.
    let process = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    if process < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave it to us.
    let process = unsafe { OwnedFd::from_raw_fd(process as i32) };
    // SAFETY: a call without pointers.
    let file = unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), fd, 0) };
    if file < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave it to us.
    Ok(unsafe { OwnedFd::from_raw_fd(file as i32) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    fn ticket() -> Ticket {
        Ticket {
            magic: MAGIC,
            pid: 1,
            fd: -1,
            offset: 7,
            native: ze::ze_ipc_mem_handle_t { data: [3; 64] },
        }
    }

    #[test]
    fn bytes_are_there_and_back() {
        let given = ticket().give();
        // SAFETY: bytes of a ticket, taken back once.
        let (read, short, back) = unsafe {
            (
                Ticket::read(given, SIZE),
                Ticket::read(given, SIZE - 1),
                Ticket::take_back(given),
            )
        };
        assert_eq!(read.map(|read| read.offset), Ok(7));
        assert!(short.is_err());
        assert_eq!(back.map(|back| back.native().data), Ok([3; 64]));
        let other = [0u64; SIZE / 8];
        // SAFETY: as many bytes.
        assert!(unsafe { Ticket::read(other.as_ptr().cast(), SIZE) }.is_err());
    }

    #[test]
    fn files_are_taken_over() {
        // SAFETY: a terminated name.
        let fd = unsafe { libc::memfd_create(c"test".as_ptr(), 0) };
        assert!(fd >= 0);
        // SAFETY: just made.
        let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
        file.write_all(b"shared").expect("bytes are written");
        let copy = duplicate(std::process::id(), fd).expect("a copy");
        let mut copy = std::fs::File::from(copy);
        copy.rewind().expect("the beginning");
        let mut text = String::new();
        copy.read_to_string(&mut text).expect("the text");
        assert_eq!(text, "shared");
        assert!(duplicate(std::process::id(), i32::MAX).is_err());
    }
}
