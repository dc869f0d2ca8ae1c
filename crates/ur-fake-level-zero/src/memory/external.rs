//! Memory in files that other interfaces can have.

use super::{Allocation, Request};
use crate::call::{fill_behind, find};
use crate::ze::*;
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};

/// How memory can be given and got.
pub const KINDS: u32 =
    ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;

/// The file of its own that an allocation is to be in, if it is.
///
/// # Errors
/// `INVALID_ENUMERATION` for another kind; `INVALID_ARGUMENT` for what is no file, or one that is too
/// short; `OUT_OF_HOST_MEMORY`.
pub(super) fn file(request: &Request, size: usize) -> Answer<Option<OwnedFd>> {
    if let Some((kind, file)) = request.import {
        if kind & !KINDS != 0 || kind == 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let wrong = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if file < 0 {
            return Err(wrong);
        }
        // SAFETY: it is the program's as long as the call lasts; what is none is refused.
        let file = unsafe { BorrowedFd::borrow_raw(file) };
        let file = file.try_clone_to_owned().map_err(|_| wrong)?;
        let file = File::from(file);
        let length = file.metadata().map_err(|_| wrong)?.len();
        return match length >= size as u64 {
            true => Ok(Some(file.into())),
            false => Err(wrong),
        };
    }
    if request.export == 0 {
        return Ok(None);
    }
    if request.export & !KINDS != 0 {
        return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let none = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    // SAFETY: a terminated name.
    let file = unsafe { libc::memfd_create(c"ze_fake".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(none);
    }
    // SAFETY: it was just made.
    let file = unsafe { File::from_raw_fd(file) };
    let size = size.next_multiple_of(crate::heap::PAGE) as u64;
    file.set_len(size).map_err(|_| none)?;
    Ok(Some(file.into()))
}

/// Gives the file of an allocation, if that is asked for behind its properties: one more, which is the
/// program's.
///
/// # Errors
/// `UNSUPPORTED_FEATURE` for an allocation without.
///
/// # Safety
/// `next` leads to a chain of structures.
pub(super) unsafe fn tell(memory: Option<&Allocation>, next: *const c_void) -> Answer {
    // SAFETY: as the caller says.
    let Some(place) = (unsafe { find::<ze_external_memory_export_fd_t>(next) }) else {
        return Ok(());
    };
    let file = memory.and_then(|memory| memory.file.as_ref());
    let file = file.ok_or(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)?;
    let file = file
        .try_clone()
        .map_err(|_| ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)?;
    let mut export = ze_external_memory_export_fd_t::new();
    // SAFETY: as the caller says.
    export.flags = unsafe { (*place).flags };
    export.fd = file.into_raw_fd();
    // SAFETY: as the caller says.
    unsafe { fill_behind(next, export) };
    Ok(())
}
