//! Modules of Level Zero: what the compiler makes for a device.

use super::source::{Constants, Part};
use crate::context::Context;
use crate::device::Device;
use crate::ze::driver::list;
use crate::ze::{self, Functions, Owned, check};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// A module, which its kernels and the commands that use them keep.
#[derive(Debug)]
pub struct Module {
    /// First, so that it goes before its context.
    native: Owned<ze::ze_module_handle_t>,
    context: Handle<Context>,
}

/// What a module is made of.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// SPIR-V, of which there is at least one.
    Il(&'a [Part]),
    /// A binary, and Level Zero's options.
    Binary(&'a [u8], &'a CStr),
}

/// The names that a driver gives to modules of its own among the kernels.
const INTERNAL: &[u8] = b"Intel_Symbol_Table_Void_Program";

impl Module {
    /// Compiles a module for a device. What the compiler said comes along.
    ///
    /// # Errors
    /// `PROGRAM_BUILD_FAILURE`, `INVALID_NATIVE_BINARY` for a binary that the driver does not know, and
    /// what it says.
    pub fn create(
        context: &Object<Context>,
        device: &Device,
        input: Input<'_>,
    ) -> (Result<Self>, String) {
        match input {
            Input::Binary(bytes, options) => {
                let mut desc = ze::ze_module_desc_t::new();
                desc.format = ze::ZE_MODULE_FORMAT_NATIVE;
                desc.inputSize = bytes.len();
                desc.pInputModule = bytes.as_ptr();
                desc.pBuildFlags = options.as_ptr();
                // SAFETY: the description leads to what the input has.
                let (made, log) = unsafe { create(context, device, &desc) };
                (made.map_err(not_a_binary), log)
            }
            Input::Il(parts) => {
                let (made, log) = compile(context, device, parts);
                (made.map_err(not_built), log)
            }
        }
    }

    /// A module that a program hands in.
    ///
    /// # Safety
    /// The module is alive for as long as the value is; if it is `given`, the caller owns it, and it
    /// becomes the value's.
    pub unsafe fn of_native(
        context: &Object<Context>,
        native: ze::ze_module_handle_t,
        given: bool,
    ) -> Self {
        Self {
            // SAFETY: forwarded.
            native: unsafe { Owned::of_native(context.api(), native, given) },
            context: context.handle(),
        }
    }

    /// Level Zero's own handle.
    pub fn native(&self) -> ze::ze_module_handle_t {
        self.native.get()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// Whether it needs symbols of other modules.
    pub fn imports(&self) -> bool {
        let mut properties = ze::ze_module_properties_t::new();
        // SAFETY: a live module and a place of ours.
        let code =
            unsafe { (self.api().zeModuleGetProperties)(self.native(), &raw mut properties) };
        code == ze::ZE_RESULT_SUCCESS && properties.flags & ze::ZE_MODULE_PROPERTY_FLAG_IMPORTS != 0
    }

    /// The names of its kernels.
    pub fn kernel_names(&self) -> Vec<CString> {
        let names = list(null::<c_char>(), |count, names| {
            // SAFETY: a live module; the places are as `list` says.
            unsafe { (self.api().zeModuleGetKernelNames)(self.native(), count, names) }
        });
        let names = names.into_iter().filter(|name| !name.is_null());
        // SAFETY: terminated names that the module keeps.
        let names = names.map(|name| unsafe { CStr::from_ptr(name) }.to_owned());
        names.filter(|name| name.to_bytes() != INTERNAL).collect()
    }

    /// Bytes of its binary.
    ///
    /// # Errors
    /// What the driver says.
    pub fn binary_size(&self) -> Result<usize> {
        let mut size = 0;
        let get = self.api().zeModuleGetNativeBinary;
        // SAFETY: a live module and a place of ours.
        check(unsafe { get(self.native(), &raw mut size, null_mut()) })?;
        Ok(size)
    }

    /// Its binary.
    ///
    /// # Errors
    /// What the driver says.
    pub fn binary(&self) -> Result<Vec<u8>> {
        let mut size = self.binary_size()?;
        let mut bytes = vec![0; size];
        let get = self.api().zeModuleGetNativeBinary;
        // SAFETY: a live module, and room for that many bytes.
        check(unsafe { get(self.native(), &raw mut size, bytes.as_mut_ptr()) })?;
        bytes.truncate(size);
        Ok(bytes)
    }

    /// The device's address of a variable, and its size in bytes.
    ///
    /// # Errors
    /// `INVALID_VALUE` for a name that it does not have, and what the driver says.
    pub fn variable(&self, name: &CStr) -> Result<(*mut c_void, usize)> {
        let (mut size, mut address) = (0, null_mut());
        let get = self.api().zeModuleGetGlobalPointer;
        // SAFETY: a live module and a terminated name; the places are ours.
        let code = unsafe {
            get(
                self.native(),
                name.as_ptr(),
                &raw mut size,
                &raw mut address,
            )
        };
        match code {
            // Intel's driver names the argument.
            ze::ZE_RESULT_ERROR_INVALID_GLOBAL_NAME | ze::ZE_RESULT_ERROR_INVALID_ARGUMENT => {
                let message = format!("no variable {name:?} in the program");
                Err(Error::value(message).with_native(code.cast_signed()))
            }
            code => check(code).map(|()| (address, size)),
        }
    }

    /// The device's address of a function.
    ///
    /// # Errors
    /// `INVALID_KERNEL_NAME` for a name that it does not have, and what the driver says.
    pub fn function(&self, name: &CStr) -> Result<*mut c_void> {
        let mut address = null_mut();
        let get = self.api().zeModuleGetFunctionPointer;
        // SAFETY: a live module and a terminated name; the place is ours.
        match unsafe { get(self.native(), name.as_ptr(), &raw mut address) } {
            // Intel's driver now and then has no objection.
            ze::ZE_RESULT_SUCCESS if address.is_null() => {
                Err(ze::error::failed(ze::ZE_RESULT_ERROR_INVALID_FUNCTION_NAME))
            }
            code => check(code).map(|()| address),
        }
    }
}

/// Compiles SPIR-V, of several parts linked.
fn compile(context: &Object<Context>, device: &Device, parts: &[Part]) -> (Result<Module>, String) {
    let Some(first) = parts.first() else {
        return (Err(Error::unsupported()), String::new());
    };
    let lists: Vec<_> = parts.iter().map(Constants::of).collect();
    let natives: Vec<_> = lists.iter().map(Constants::native).collect();
    let constants: Vec<*const ze::ze_module_constants_t> = natives
        .iter()
        .map(|native| match native.numConstants {
            0 => null(),
            _ => std::ptr::from_ref(native),
        })
        .collect();
    let sizes: Vec<_> = parts.iter().map(|part| part.il.bytes.len()).collect();
    let modules: Vec<_> = parts.iter().map(|part| part.il.bytes.as_ptr()).collect();
    let texts: Vec<_> = parts.iter().map(Part::flags).collect();
    let options: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
    let mut program = ze::ze_module_program_exp_desc_t::new();
    program.count = parts.len() as u32;
    program.inputSizes = sizes.as_ptr();
    program.pInputModules = modules.as_ptr();
    program.pBuildFlags = options.as_ptr();
    program.pConstants = constants.as_ptr();
    let mut desc = ze::ze_module_desc_t::new();
    desc.format = ze::ZE_MODULE_FORMAT_IL_SPIRV;
    desc.inputSize = first.il.bytes.len();
    desc.pInputModule = first.il.bytes.as_ptr();
    desc.pBuildFlags = options.first().copied().unwrap_or(null());
    desc.pConstants = constants.first().copied().unwrap_or(null());
    if parts.len() > 1 {
        desc.pNext = (&raw const program).cast();
    }
    // SAFETY: the descriptions lead to lists that live here.
    unsafe { create(context, device, &desc) }
}

/// Makes a module, and gives what the compiler said.
///
/// # Safety
/// The description leads to what its fields say.
unsafe fn create(
    context: &Object<Context>,
    device: &Device,
    desc: &ze::ze_module_desc_t,
) -> (Result<Module>, String) {
    let api = context.api();
    let mut native = ze::ze_module_handle_t::NULL;
    let mut log = ze::ze_module_build_log_handle_t::NULL;
    // SAFETY: live objects; the description is as the caller says, and the places are ours.
    let code = unsafe {
        (api.zeModuleCreate)(
            context.native(),
            device.native(),
            desc,
            &raw mut native,
            &raw mut log,
        )
    };
    // A build that failed may leave a log as well.
    // SAFETY: made for this call.
    let log = (!log.is_null()).then(|| unsafe { Owned::new(api, log) });
    let text = log.as_ref().map(said).unwrap_or_default();
    if code == ze::ZE_RESULT_SUCCESS && !native.is_null() {
        // SAFETY: made for this call.
        let native = unsafe { Owned::new(api, native) };
        let context = context.handle();
        return (Ok(Module { native, context }), text);
    }
    (Err(ze::error::failed(code)), text)
}

/// A log's text.
pub fn said(log: &Owned<ze::ze_module_build_log_handle_t>) -> String {
    let get = log.api().zeModuleBuildLogGetString;
    let mut size = 0;
    // SAFETY: a live log and a place of ours.
    let code = unsafe { get(log.get(), &raw mut size, null_mut()) };
    if code != ze::ZE_RESULT_SUCCESS || size == 0 {
        return String::new();
    }
    let mut text: Vec<c_char> = vec![0; size];
    // SAFETY: a live log, and room for that many.
    let code = unsafe { get(log.get(), &raw mut size, text.as_mut_ptr()) };
    match code {
        ze::ZE_RESULT_SUCCESS => ze::text(&text).into_owned(),
        _ => String::new(),
    }
}

/// Whether an error says nothing of what was to be built.
fn is_other(error: &Error) -> bool {
    matches!(
        error.native.cast_unsigned(),
        ze::ZE_RESULT_ERROR_DEVICE_LOST
            | ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
            | ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
            | ze::ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE
            | ze::ZE_RESULT_ERROR_UNINITIALIZED
    )
}

/// Why SPIR-V was not compiled: drivers say so in several ways.
fn not_built(error: Error) -> Error {
    match is_other(&error) {
        true => error,
        false => Error {
            code: UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE,
            ..error
        },
    }
}

/// Why a binary was not taken.
fn not_a_binary(error: Error) -> Error {
    match is_other(&error) {
        true => error,
        false => Error {
            code: UR_RESULT_ERROR_INVALID_NATIVE_BINARY,
            ..error
        },
    }
}
