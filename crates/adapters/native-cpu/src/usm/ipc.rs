//! Device memory that several processes share.
//!
//! An allocation is ordinary memory until a handle for other processes is asked for. Then its pages
//! move into a memory file, behind the same addresses and at a standstill, so that no command's
//! writes are lost; the host does not write to device memory. A handle's bytes say where the file is
//! to be found: process, descriptor and what tells it from any other file.

use super::registry::{self, Allocation, Origin};
use super::{check_device, key};
use crate::context::Context;
use crate::device::Device;
use crate::memfd::{self, Identity, MemFile, PAGE};
use crate::standstill;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// What a handle's bytes begin with; the last digit is the version of their layout.
const MAGIC: u64 = u64::from_le_bytes(*b"CNCDIPC1");

/// The bytes of a handle: numbers in the machine's order, since both processes are on one machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    magic: u64,
    pid: u32,
    fd: i32,
    device: u64,
    inode: u64,
    /// Bytes that are meant.
    pub size: u64,
    /// Where in them the pointer was.
    pub offset: u64,
}

/// Bytes in a handle.
pub const TICKET: usize = size_of::<Ticket>();

fn failed(what: &str, error: &std::io::Error) -> Error {
    Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, format!("{what}: {error}"))
        .with_native(error.raw_os_error().unwrap_or(0))
}

impl Ticket {
    /// The bytes that name `file` to other processes.
    ///
    /// # Errors
    /// `OUT_OF_RESOURCES` when the kernel does not tell of the file.
    pub fn new(file: &MemFile, size: usize, offset: usize) -> Result<Ticket> {
        let identity = file
            .identity()
            .map_err(|error| failed("no shared memory", &error))?;
        Ok(Ticket {
            magic: MAGIC,
            pid: std::process::id(),
            fd: file.fd(),
            device: identity.device,
            inode: identity.inode,
            size: size as u64,
            offset: offset as u64,
        })
    }

    /// Hands the bytes to the program, until [`Ticket::put`].
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
    pub unsafe fn put(data: *mut c_void) -> Result {
        let ticket = data.cast::<Ticket>();
        // SAFETY: as the caller says; the check finds some pointers that are none of these.
        if !ticket.is_aligned() || unsafe { (*ticket).magic } != MAGIC {
            return Err(Error::value("not the bytes of a handle"));
        }
        // SAFETY: as the caller says.
        let mut ticket = unsafe { Box::from_raw(ticket) };
        ticket.magic = 0;
        Ok(())
    }

    /// Reads the bytes that another process sent.
    ///
    /// # Errors
    /// `INVALID_VALUE` for anything else.
    ///
    /// # Safety
    /// `data` has `size` bytes.
    pub unsafe fn read(data: *const c_void, size: usize) -> Result<Ticket> {
        if size != TICKET {
            return Err(Error::value(format!("{size} bytes, a handle has {TICKET}")));
        }
        // SAFETY: there are that many bytes, and any are a ticket.
        let ticket = unsafe { data.cast::<Ticket>().read_unaligned() };
        let sane = ticket.magic == MAGIC
            && ticket.size > 0
            && ticket.offset < ticket.size
            && ticket.size < 1 << 47;
        if !sane {
            return Err(Error::value("not the bytes of a handle"));
        }
        Ok(ticket)
    }

    /// Opens the file that the bytes name.
    ///
    /// # Errors
    /// `INVALID_VALUE` when there is no such file (any more), or this process may not open it.
    pub fn open(&self) -> Result<MemFile> {
        let meant = Identity {
            device: self.device,
            inode: self.inode,
        };
        let pages = (self.size as usize).next_multiple_of(PAGE);
        MemFile::open(self.pid, self.fd, meant, pages).map_err(|error| {
            let message = format!(
                "the memory of process {} cannot be opened: {error}",
                self.pid
            );
            Error::new(UR_RESULT_ERROR_INVALID_VALUE, message)
                .with_native(error.raw_os_error().unwrap_or(0))
        })
    }
}

/// Moves the pages of an allocation into a memory file.
fn share(allocation: &mut Allocation) -> Result<Arc<MemFile>> {
    if let Some(file) = &allocation.file {
        return Ok(file.clone());
    }
    let pages = allocation.size.next_multiple_of(PAGE);
    let file = MemFile::new(pages).map_err(|error| failed("no shared memory", &error))?;
    let copy = file
        .map(0, pages)
        .map_err(|error| failed("no address space", &error))?;
    // SAFETY: the new mapping and the allocation's own pages have that many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(allocation.base as *const u8, copy as *mut u8, pages);
        memfd::unmap(copy, pages);
    }
    let usual = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: device memory has its pages to itself; they are replaced by the same bytes.
    unsafe { file.map_at(allocation.base, 0, pages, usual, libc::MAP_FIXED) }
        .map_err(|error| failed("no address space", &error))?;
    let file = Arc::new(file);
    allocation.file = Some(file.clone());
    Ok(file)
}

/// Bytes by which other processes can open the allocation that contains `mem`.
///
/// # Errors
/// `INVALID_VALUE` for what is no device memory of the context and for memory of another process.
pub fn get(
    context: &Object<Context>,
    mem: *mut c_void,
    data: Option<&mut MaybeUninit<*mut c_void>>,
    size: Option<&mut MaybeUninit<usize>>,
) -> Result {
    let (Some(data), Some(size)) = (data, size) else {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
    };
    let address = mem as usize;
    let unsuitable = || {
        Error::value("only device memory that was allocated in this process and context is shared")
    };
    let ticket = standstill::during(|| {
        registry::change(key(context), address, |allocation| {
            let ours = match &allocation.origin {
                Origin::Heap | Origin::Exportable(_) => true,
                // Pages of the program's own memory are not ours to replace.
                Origin::Pool(pool, _) => !pool.is_given(),
                Origin::Registered | Origin::Imported(_) => false,
            };
            if allocation.kind != UR_USM_TYPE_DEVICE || !ours {
                return Err(unsuitable());
            }
            let file = share(allocation)?;
            Ticket::new(&file, allocation.size, address - allocation.base)
        })
    });
    let ticket = ticket.ok_or_else(unsuitable)??;
    data.write(ticket.give());
    size.write(TICKET);
    Ok(())
}

/// Opens memory of another process: the address that corresponds to the other's pointer.
///
/// # Errors
/// `INVALID_VALUE` for bytes that name no memory that this process can open; `OUT_OF_RESOURCES`.
///
/// # Safety
/// `data` has `size` bytes.
pub unsafe fn open(
    context: &Object<Context>,
    device: &Object<Device>,
    data: *const c_void,
    size: usize,
) -> Result<*mut c_void> {
    check_device(context, device)?;
    // SAFETY: forwarded.
    let ticket = unsafe { Ticket::read(data, size) }?;
    let file = ticket.open()?;
    let len = (ticket.size as usize).next_multiple_of(PAGE);
    let base = file
        .map(0, len)
        .map_err(|error| failed("no address space", &error))?;
    crate::fork::watch();
    registry::insert(Allocation {
        base,
        size: ticket.size as usize,
        kind: UR_USM_TYPE_DEVICE,
        context: key(context),
        device: Some(device.handle()),
        origin: Origin::Imported(len),
        file: None,
    });
    Ok((base + ticket.offset as usize) as *mut c_void)
}

/// Closes memory of another process.
///
/// # Errors
/// `INVALID_VALUE` for a pointer into none.
pub fn close(context: &Object<Context>, mem: *mut c_void) -> Result {
    let key = key(context);
    let base = registry::find(key, mem as usize).map_or(0, |found| found.base);
    let mut mapped = 0;
    let meant = |origin: &Origin| match origin {
        Origin::Imported(len) => {
            mapped = *len;
            true
        }
        _ => false,
    };
    if registry::remove(key, base, meant).is_none() {
        return Err(Error::value("not memory of another process"));
    }
    // SAFETY: it was mapped by `open` and has just left the registry.
    unsafe { memfd::unmap(base, mapped) };
    Ok(())
}
