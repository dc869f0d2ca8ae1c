//! Memory of other processes. There is none of the other objects: physical memory, Level Zero gives to
//! nobody.

mod ticket;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::usm::{check_device, driver};
use crate::ze::{self, check};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ticket::Ticket;
use ur_adapter::{Error, IpcExpFns, Object, Result};
use ur_api::*;

/// What other processes on devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    if name != UR_DEVICE_INFO_IPC_MEMORY_SUPPORT_EXP {
        return None;
    }
    let mut properties = ze::ze_driver_ipc_properties_t::new();
    let get = device.api().zeDriverGetIpcProperties;
    // SAFETY: a live driver, a place of ours.
    let code = unsafe { get(device.platform().native(), &raw mut properties) };
    let memory = properties.flags & ze::ZE_IPC_PROPERTY_FLAG_MEMORY != 0;
    Some(Able::Bool(code == ze::ZE_RESULT_SUCCESS && memory))
}

impl IpcExpFns for LevelZero {
    unsafe fn ipc_get_mem_handle_exp(
        context: &Object<Context>,
        mem: *mut c_void,
        ipc_mem_handle_data: Option<&mut MaybeUninit<*mut c_void>>,
        ipc_mem_handle_data_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result {
        let (Some(data), Some(size)) = (ipc_mem_handle_data, ipc_mem_handle_data_size_ret) else {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
        };
        if driver::tell(context, mem)?.kind != UR_USM_TYPE_DEVICE {
            return Err(Error::value("only device memory of the context is shared"));
        }
        let (base, _) = driver::range(context, mem)?;
        let mut native = ze::ze_ipc_mem_handle_t { data: [0; 64] };
        let get = context.api().zeMemGetIpcHandle;
        // SAFETY: a live context, an allocation of it, a place of ours.
        check(unsafe { get(context.native(), base, &raw mut native) })?;
        let offset = mem as usize - base as usize;
        data.write(Ticket::new(context, native, offset).give());
        size.write(ticket::SIZE);
        Ok(())
    }

    unsafe fn ipc_put_mem_handle_exp(
        context: &Object<Context>,
        ipc_mem_handle_data: *mut c_void,
    ) -> Result {
        // SAFETY: the program passes bytes that it got and uses them no more.
        let ticket = unsafe { Ticket::take_back(ipc_mem_handle_data) }?;
        let Some(put) = context.api().later.zeMemPutIpcHandle else {
            return Ok(());
        };
        // SAFETY: a live context, and what it gave.
        match unsafe { put(context.native(), ticket.native()) } {
            // The loader has the function, the driver does not.
            ze::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => Ok(()),
            code => check(code),
        }
    }

    unsafe fn ipc_open_mem_handle_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        ipc_mem_handle_data: *mut c_void,
        ipc_mem_handle_data_size: usize,
    ) -> Result<*mut c_void> {
        check_device(context, device)?;
        // SAFETY: the program passes that many bytes.
        let ticket = unsafe { Ticket::read(ipc_mem_handle_data, ipc_mem_handle_data_size) }?;
        let (native, file) = ticket.here(context)?;
        let mut base = std::ptr::null_mut();
        let (open, of, on) = (
            context.api().zeMemOpenIpcHandle,
            context.native(),
            device.native(),
        );
        // SAFETY: live objects, a place of ours.
        let opened = check(unsafe { open(of, on, native, 0, &raw mut base) });
        drop(file);
        opened.map_err(|error| match error.code {
            UR_RESULT_ERROR_INVALID_ARGUMENT => Error {
                code: UR_RESULT_ERROR_INVALID_VALUE,
                ..error
            },
            _ => error,
        })?;
        Ok(base.wrapping_byte_add(ticket.offset as usize))
    }

    unsafe fn ipc_close_mem_handle_exp(context: &Object<Context>, mem: *mut c_void) -> Result {
        let none = || Error::value("not memory of another process");
        let (base, _) = driver::range(context, mem).map_err(|_| none())?;
        let close = context.api().zeMemCloseIpcHandle;
        // SAFETY: a live context; the driver looks whether it knows the pointer.
        match unsafe { close(context.native(), base) } {
            ze::ZE_RESULT_ERROR_INVALID_ARGUMENT => Err(none()),
            code => check(code),
        }
    }
}
