//! Unified shared memory, an extension of Intel's driver.

use crate::{Device, Handle, check};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

type Alloc =
    unsafe extern "C" fn(Handle, Handle, *const u64, usize, c_uint, *mut c_int) -> *mut c_void;
type Free = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;
type Copy = unsafe extern "C" fn(
    Handle,
    c_uint,
    *mut c_void,
    *const c_void,
    usize,
    c_uint,
    *const Handle,
    *mut Handle,
) -> c_int;

/// The extension's functions on one device.
#[derive(Clone)]
pub struct Usm {
    device: Device,
    alloc: Alloc,
    free: Free,
    copy: Copy,
}

/// Device memory.
pub struct Block {
    usm: Usm,
    pointer: *mut c_void,
    size: usize,
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in this context, not used after this.
        unsafe { (self.usm.free)(self.usm.device.context, self.pointer) };
    }
}

impl Usm {
    /// The extension, if the driver has it.
    pub fn of(device: &Device) -> Option<Self> {
        let find = |name: &std::ffi::CStr| {
            // SAFETY: a live platform and a terminated name.
            let address = unsafe {
                (device.functions.clGetExtensionFunctionAddressForPlatform)(
                    device.platform,
                    name.as_ptr(),
                )
            };
            (!address.is_null()).then_some(address)
        };
        let alloc = find(c"clDeviceMemAllocINTEL")?;
        let free = find(c"clMemBlockingFreeINTEL")?;
        let copy = find(c"clEnqueueMemcpyINTEL")?;
        // SAFETY: the functions of these names have these types.
        unsafe {
            Some(Self {
                device: device.clone(),
                alloc: std::mem::transmute::<Handle, Alloc>(alloc),
                free: std::mem::transmute::<Handle, Free>(free),
                copy: std::mem::transmute::<Handle, Copy>(copy),
            })
        }
    }

    /// Device memory of so many bytes.
    ///
    /// # Errors
    /// A call that failed.
    pub fn block(&self, size: usize) -> Result<Block, String> {
        let mut code = 0;
        // SAFETY: live handles, no properties; the code's place is ours.
        let pointer = unsafe {
            (self.alloc)(
                self.device.context,
                self.device.device,
                null(),
                size,
                0,
                &raw mut code,
            )
        };
        check("clDeviceMemAllocINTEL", code)?;
        Ok(Block {
            usm: self.clone(),
            pointer,
            size,
        })
    }

    /// Enqueues a copy between blocks of the same size.
    ///
    /// # Errors
    /// The sizes differ, or the call failed.
    pub fn copy(&self, to: &Block, from: &Block) -> Result<(), String> {
        if to.size != from.size {
            return Err("blocks of different sizes".to_owned());
        }
        // SAFETY: both blocks are alive and hold so many bytes.
        let code = unsafe {
            (self.copy)(
                self.device.queue,
                0,
                to.pointer,
                from.pointer,
                to.size,
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueMemcpyINTEL", code)
    }
}
