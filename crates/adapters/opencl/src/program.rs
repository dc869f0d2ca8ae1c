//! Programs.

pub mod build;
pub mod create;
pub mod info;

use crate::OpenCl;
use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use crate::device::Device;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use ur_adapter::{Error, Handle, Info, Object, ProgramExpFns, ProgramFns, Result, il};
use ur_api::*;

/// What a program handle names.
#[derive(Debug)]
pub struct Program {
    /// First, so that it goes before its context.
    native: Owned<cl::cl_program>,
    context: Handle<Context>,
    devices: Vec<Handle<Device>>,
    /// For a program that was linked: the functions that its parts export.
    exports: Vec<Box<[u8]>>,
}

impl Program {
    fn new(
        context: &Object<Context>,
        native: Owned<cl::cl_program>,
        exports: Vec<Box<[u8]>>,
    ) -> Result<Handle<Self>> {
        let (api, program) = (native.api(), native.get());
        let devices = query::list::<cl::cl_device_id>(|size, value, told| {
            // SAFETY: a live program; the places are as `query` says.
            unsafe { (api.clGetProgramInfo)(program, cl::CL_PROGRAM_DEVICES, size, value, told) }
        })?;
        // SAFETY: a program keeps its devices.
        let handle = |device| unsafe { context.device_of(device) };
        Handle::new(Self {
            devices: devices.into_iter().map(handle).collect::<Result<_>>()?,
            native,
            context: context.handle(),
            exports,
        })
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_program {
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

    /// The devices that it is for.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }

    /// A list that the driver has about it.
    fn list<T: query::Answer>(&self, name: cl::cl_uint) -> Result<Vec<T>> {
        query::list(|size, value, told| {
            // SAFETY: a live program; the places are as `query` says.
            unsafe { (self.api().clGetProgramInfo)(self.native(), name, size, value, told) }
        })
    }

    /// Whether a kernel or a function that others can link to has this name, as far as that can be
    /// known.
    fn has_function(&self, name: &CStr) -> bool {
        let name = name.to_bytes();
        let kernels = self.list::<u8>(cl::CL_PROGRAM_KERNEL_NAMES);
        let kernels = kernels.unwrap_or_default();
        let mut kernels = kernels.split(|byte| matches!(byte, b';' | 0));
        kernels.any(|kernel| kernel == name) || self.exports().iter().any(|own| **own == *name)
    }

    /// The functions that it exports.
    fn exports(&self) -> Vec<Box<[u8]>> {
        let mut exports = self.exports.clone();
        if let Ok(il) = self.list::<u8>(cl::CL_PROGRAM_IL) {
            let contents = il::Contents::read(&il);
            exports.extend(contents.functions().map(Box::from));
        }
        exports
    }
}

impl ProgramFns for OpenCl {
    unsafe fn program_create_with_il(
        context: &Object<Context>,
        il: *const c_void,
        length: usize,
        properties: Option<&ur_program_properties_t>,
    ) -> Result<Handle<Program>> {
        // SAFETY: forwarded.
        unsafe { create::from_il(context, il, length, properties) }
    }

    fn program_create_with_binary(
        context: &Object<Context>,
        devices: &[&Object<Device>],
        lengths: &[usize],
        binaries: &[*const u8],
        properties: Option<&ur_program_properties_t>,
    ) -> Result<Handle<Program>> {
        create::from_binaries(context, devices, lengths, binaries, properties)
    }

    fn program_build(
        context: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        build::expect_context(context, program)?;
        build::build(program, &[], options)
    }

    fn program_compile(
        context: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        build::expect_context(context, program)?;
        build::compile(program, &[], options)
    }

    fn program_link(
        context: &Object<Context>,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        build::link(context, &[], programs, options)
    }

    fn program_get_function_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        function_name: &CStr,
    ) -> Result<*mut c_void> {
        let missing = || match program.has_function(function_name) {
            true => Error::code(UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE),
            false => Error::code(UR_RESULT_ERROR_INVALID_KERNEL_NAME),
        };
        let get = device
            .platform()
            .extensions()
            .clGetDeviceFunctionPointerINTEL;
        let get = get.ok_or_else(missing)?;
        let mut address = 0;
        let name = function_name.as_ptr();
        // SAFETY: live objects and a terminated name; the place is ours.
        match unsafe { get(device.native(), program.native(), name, &raw mut address) } {
            cl::CL_SUCCESS if address != 0 => Ok(address as *mut c_void),
            cl::CL_SUCCESS | cl::CL_INVALID_ARG_VALUE => Err(missing()),
            code => Err(cl::error::failed(code)),
        }
    }

    fn program_get_global_variable_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        global_variable_name: &CStr,
        global_variable_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result<*mut c_void> {
        let functions = device.platform().extensions();
        let get = functions.clGetDeviceGlobalVariablePointerINTEL;
        let get = get.ok_or_else(Error::unsupported)?;
        let (mut bytes, mut address) = (0, std::ptr::null_mut());
        let name = global_variable_name.as_ptr();
        // SAFETY: live objects and a terminated name; the places are ours.
        let code = unsafe {
            get(
                device.native(),
                program.native(),
                name,
                &raw mut bytes,
                &raw mut address,
            )
        };
        match code {
            cl::CL_INVALID_ARG_VALUE => {
                return Err(Error::value("no such variable").with_native(code));
            }
            code => check(code)?,
        }
        if let Some(place) = global_variable_size_ret {
            place.write(bytes);
        }
        Ok(address)
    }

    fn program_get_info(
        program: &Object<Program>,
        prop_name: ur_program_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer(program, prop_name, info)
    }

    fn program_get_build_info(
        program: &Object<Program>,
        device: &Object<Device>,
        prop_name: ur_program_build_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer_build(program, device, prop_name, info)
    }

    fn program_set_specialization_constants(
        program: &Object<Program>,
        spec_constants: &[ur_specialization_constant_info_t],
    ) -> Result {
        if spec_constants.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        let set = program.api().clSetProgramSpecializationConstant;
        let able = program
            .devices
            .iter()
            .all(|device| device.facts().specialises(device));
        let set = set.filter(|_| able).ok_or_else(Error::unsupported)?;
        for constant in spec_constants {
            if constant.pValue.is_null() {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
            }
            // SAFETY: a live program; the value has the size that the program says.
            let code = unsafe {
                set(
                    program.native(),
                    constant.id,
                    constant.size,
                    constant.pValue,
                )
            };
            check(code)?;
        }
        Ok(())
    }

    fn program_get_native_handle(program: &Object<Program>) -> Result<ur_native_handle_t> {
        program.context().pending().note_others();
        Ok(program.native().to_native())
    }

    fn program_create_with_native_handle(
        native_program: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_program_native_properties_t>,
    ) -> Result<Handle<Program>> {
        create::from_native(native_program, context, properties)
    }
}

impl ProgramExpFns for OpenCl {
    fn program_build_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        build::check_flags(flags)?;
        build::build(program, devices, options)
    }

    fn program_compile_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        build::check_flags(flags)?;
        build::compile(program, devices, options)
    }

    fn program_link_exp(
        context: &Object<Context>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        build::check_flags(flags)?;
        build::link(context, devices, programs, options)
    }
}
