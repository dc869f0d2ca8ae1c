//! The entry points by which processes share memory.

use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::usm::ipc::{self, TICKET, Ticket};
use crate::virtual_mem::PhysicalMem;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_adapter::{Error, Handle, IpcExpFns, Object, Result};
use ur_api::*;

impl IpcExpFns for NativeCpu {
    unsafe fn ipc_get_mem_handle_exp(
        context: &Object<Context>,
        mem: *mut c_void,
        ipc_mem_handle_data: Option<&mut MaybeUninit<*mut c_void>>,
        ipc_mem_handle_data_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result {
        ipc::get(
            context,
            mem,
            ipc_mem_handle_data,
            ipc_mem_handle_data_size_ret,
        )
    }

    unsafe fn ipc_put_mem_handle_exp(
        _: &Object<Context>,
        ipc_mem_handle_data: *mut c_void,
    ) -> Result {
        // SAFETY: the program passes bytes that it got and uses them no more.
        unsafe { Ticket::put(ipc_mem_handle_data) }
    }

    unsafe fn ipc_open_mem_handle_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        ipc_mem_handle_data: *mut c_void,
        ipc_mem_handle_data_size: usize,
    ) -> Result<*mut c_void> {
        // SAFETY: the program passes that many bytes.
        unsafe {
            ipc::open(
                context,
                device,
                ipc_mem_handle_data,
                ipc_mem_handle_data_size,
            )
        }
    }

    unsafe fn ipc_close_mem_handle_exp(context: &Object<Context>, mem: *mut c_void) -> Result {
        ipc::close(context, mem)
    }

    fn ipc_get_phys_mem_handle_exp(
        _: &Object<Context>,
        phys_mem: &Object<PhysicalMem>,
    ) -> Result<(*mut c_void, usize)> {
        if !phys_mem.is_shareable() || phys_mem.is_imported() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_ARGUMENT,
                "the memory was not made to be shared by this process",
            ));
        }
        let file = phys_mem.file();
        Ok((Ticket::new(file, file.size(), 0)?.give(), TICKET))
    }

    unsafe fn ipc_put_phys_mem_handle_exp(
        _: &Object<Context>,
        ipc_phys_mem_handle_data: *const c_void,
    ) -> Result {
        // SAFETY: the program passes bytes that it got and uses them no more.
        unsafe { Ticket::put(ipc_phys_mem_handle_data.cast_mut()) }
    }

    unsafe fn ipc_open_phys_mem_handle_exp(
        context: &Object<Context>,
        device: &Object<Device>,
        ipc_phys_mem_handle_data: *const c_void,
        ipc_phys_mem_handle_data_size: usize,
    ) -> Result<Handle<PhysicalMem>> {
        if !context.has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        // SAFETY: the program passes that many bytes.
        let ticket =
            unsafe { Ticket::read(ipc_phys_mem_handle_data, ipc_phys_mem_handle_data_size) }?;
        PhysicalMem::import(context, device, ticket.open()?)
    }

    fn ipc_close_phys_mem_handle_exp(
        context: &Object<Context>,
        phys_mem: &Object<PhysicalMem>,
    ) -> Result {
        if !phys_mem.is_imported() || !phys_mem.context().is(context) {
            return Err(Error::value("not memory of another process"));
        }
        // SAFETY: the program gives its reference up with this call.
        drop(unsafe { Handle::from_owned(phys_mem) });
        Ok(())
    }
}
