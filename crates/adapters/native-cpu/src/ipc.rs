//! The entry points by which processes share memory.

use crate::NativeCpu;
use crate::context::Context;
use crate::device::Device;
use crate::usm::ipc::{self, Ticket};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use ur_adapter::{IpcExpFns, Object, Result};

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
}
