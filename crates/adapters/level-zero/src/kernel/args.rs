//! Arguments of kernels.

use super::code::{Code, Held};
use crate::device::Device;
use crate::memory::Mem;
use crate::sampler::Sampler;
use std::ffi::c_void;
use ur_adapter::args::Given;
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// What objects among arguments are on a device, found before the kernel is locked.
#[derive(Debug, Default)]
pub struct Objects {
    /// Addresses and Level Zero's handles, in the arguments' order.
    values: Vec<usize>,
    /// What a command with these arguments keeps.
    kept: Kept,
}

/// Objects that a command keeps.
#[derive(Debug, Default)]
pub struct Kept {
    memory: Vec<Handle<Mem>>,
    samplers: Vec<Handle<Sampler>>,
}

impl Objects {
    /// Those among these arguments.
    ///
    /// # Errors
    /// What is wrong with one of them.
    ///
    /// # Safety
    /// Handles in the arguments are what their types say.
    #[inline]
    pub unsafe fn of(device: &Device, args: &[ur_exp_kernel_arg_properties_t]) -> Result<Self> {
        let mut objects = Self::default();
        for arg in args {
            let value = match arg.r#type {
                // SAFETY: the type says which member is set.
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => unsafe {
                    objects.memory(device, arg.value.memObjTuple.hMem)
                },
                // SAFETY: as above.
                UR_EXP_KERNEL_ARG_TYPE_SAMPLER => unsafe {
                    objects.sampler(device, arg.value.sampler)
                },
                _ => continue,
            };
            let value = value.map_err(|error| refused(arg.index, error))?;
            objects.values.push(value);
        }
        Ok(objects)
    }

    /// What a command with these arguments keeps.
    pub fn keep(&mut self) -> Kept {
        std::mem::take(&mut self.kept)
    }

    /// # Safety
    /// The handle is null or of a live object.
    unsafe fn memory(&mut self, device: &Device, raw: ur_mem_handle_t) -> Result<usize> {
        if raw.is_null() {
            return Ok(0);
        }
        // SAFETY: as the caller says.
        let memory = unsafe { Object::<Mem>::from_raw(raw) }?;
        self.kept.memory.push(memory.handle());
        memory.argument(device)
    }

    /// # Safety
    /// The handle is of a live object.
    unsafe fn sampler(&mut self, device: &Device, raw: ur_sampler_handle_t) -> Result<usize> {
        // SAFETY: as the caller says.
        let sampler = unsafe { Object::<Sampler>::from_raw(raw) }?;
        self.kept.samplers.push(sampler.handle());
        Ok(sampler.native_on(device)?.to_native())
    }
}

impl Code {
    /// Sets all arguments and hands the kernel to `call`, which is alone with it. What `call` gives is
    /// given back. `objects` are those of the arguments.
    ///
    /// # Errors
    /// What is wrong with an argument; `INVALID_VALUE` for one that is missing.
    ///
    /// # Safety
    /// Pointers and handles in the arguments are what their types say.
    #[inline]
    pub unsafe fn with_args<R>(
        &self,
        args: &[ur_exp_kernel_arg_properties_t],
        objects: &Objects,
        call: impl FnOnce(&mut Held<'_>) -> Result<R>,
    ) -> Result<R> {
        let mut held = self.lock();
        let count = self.facts().properties.numKernelArgs;
        let mut given = Given::new(count);
        let mut values = objects.values.iter();
        for arg in args {
            // SAFETY: forwarded.
            unsafe { held.set(arg, &mut values) }.map_err(|error| refused(arg.index, error))?;
            given.set(arg.index);
        }
        // Level Zero would take what an earlier launch left.
        if let Some(missing) = given.missing(count) {
            return Err(Error::value(format!("argument {missing} is not set")));
        }
        call(&mut held)
    }

    /// Looks whether a value has the size of its argument, which drivers do not.
    #[inline]
    fn expect_size(&self, index: u32, size: usize) -> Result {
        match self.facts().sizes.get(index as usize) {
            Some(Some(known)) if *known as usize != size => {
                Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE))
            }
            _ if size == 0 => Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)),
            _ => Ok(()),
        }
    }
}

impl Held<'_> {
    /// Sets an argument; `objects` are those that are left.
    ///
    /// # Safety
    /// Pointers in it are what its type says.
    #[inline]
    unsafe fn set(
        &self,
        arg: &ur_exp_kernel_arg_properties_t,
        objects: &mut std::slice::Iter<'_, usize>,
    ) -> Result {
        let index = arg.index;
        match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                if value.is_null() {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
                }
                self.code.expect_size(index, arg.size)?;
                // SAFETY: the program passes `size` bytes.
                unsafe { self.set_argument(index, arg.size, value) }
            }
            UR_EXP_KERNEL_ARG_TYPE_POINTER => {
                // SAFETY: the type says which member is set.
                let pointer = unsafe { arg.value.pointer };
                self.set_address(index, pointer.addr())
            }
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ | UR_EXP_KERNEL_ARG_TYPE_SAMPLER => {
                self.set_address(index, objects.next().copied().unwrap_or(0))
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => {
                if arg.size == 0 {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE));
                }
                // SAFETY: local memory has no value.
                unsafe { self.set_argument(index, arg.size, std::ptr::null()) }
            }
            _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        }
    }

    /// Sets an argument to an address or to a handle of Level Zero's. A null one is no value to drivers.
    #[inline]
    fn set_address(&self, index: u32, address: usize) -> Result {
        let place: *const c_void = match address {
            0 => std::ptr::null(),
            _ => (&raw const address).cast(),
        };
        // SAFETY: null or a value of that size.
        unsafe { self.set_argument(index, size_of_val(&address), place) }
    }
}

/// Why an argument was not taken.
#[cold]
fn refused(index: u32, error: Error) -> Error {
    let message = match &error.message {
        Some(message) => format!("argument {index} is refused: {message}"),
        None => format!("argument {index} is refused"),
    };
    let code = match error.code {
        UR_RESULT_ERROR_INVALID_ARGUMENT => UR_RESULT_ERROR_INVALID_VALUE,
        code => code,
    };
    Error::new(code, message).with_native(error.native)
}
