//! Programs: SPIR-V or binaries, and the modules that are made of them.
//!
//! Level Zero has a module for each device, which is compiled and linked in one step. So a program that
//! is compiled is only read and checked; what it is linked with goes to the compiler together with it.

pub mod build;
pub mod create;
pub mod info;
pub mod link;
pub mod module;
pub mod options;
pub mod source;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::ze;
use build::{Build, Code, allows_unresolved};
use source::{Source, Specialisation};
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Info, Object, ProgramExpFns, ProgramFns, Result};
use ur_api::*;

/// What a program handle names.
#[derive(Debug)]
pub struct Program {
    context: Handle<Context>,
    devices: Vec<Handle<Device>>,
    source: Source,
    state: Mutex<State>,
}

/// How far a program is built.
#[derive(Debug)]
struct State {
    /// What was said of specialisation constants.
    constants: Vec<Specialisation>,
    /// For each device, how it was built for that one.
    builds: Vec<Build>,
}

impl Program {
    /// A program for devices, each built so far.
    fn new(
        context: &Object<Context>,
        devices: Vec<(Handle<Device>, Build)>,
        source: Source,
    ) -> Result<Handle<Self>> {
        let (devices, builds) = devices.into_iter().unzip();
        Handle::new(Self {
            context: context.handle(),
            devices,
            source,
            state: Mutex::new(State {
                constants: Vec::new(),
                builds,
            }),
        })
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// The devices that it is for.
    pub fn devices(&self) -> &[Handle<Device>] {
        &self.devices
    }

    /// What it is made of.
    pub fn source(&self) -> &Source {
        &self.source
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position of a device, or of the one that it is a part of, among the program's.
    ///
    /// # Errors
    /// `INVALID_DEVICE`.
    pub fn position(&self, device: &Device) -> Result<usize> {
        for device in device.line() {
            let mut own = self.devices.iter();
            if let Some(found) = own.position(|own| std::ptr::eq::<Device>(&***own, device)) {
                return Ok(found);
            }
        }
        Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE))
    }

    /// The positions of devices; all if none is named.
    fn positions(&self, devices: &[&Object<Device>]) -> Result<Vec<usize>> {
        match devices {
            [] => Ok(self.all()),
            devices => devices.iter().map(|device| self.position(device)).collect(),
        }
    }

    /// The positions of all its devices.
    fn all(&self) -> Vec<usize> {
        (0..self.devices.len()).collect()
    }

    /// How it was built for the device at a position.
    fn build_at(&self, position: usize) -> Build {
        let state = self.state();
        state.builds.get(position).cloned().unwrap_or_default()
    }

    /// What was made of it for each device; none for one that it was not built for.
    pub fn codes(&self) -> Vec<Option<Code>> {
        let state = self.state();
        state
            .builds
            .iter()
            .map(|build| build.code.clone())
            .collect()
    }

    /// What was made of it for a device, or for the one that it is a part of.
    ///
    /// # Errors
    /// `INVALID_DEVICE`, `INVALID_PROGRAM_EXECUTABLE` if it was not built for that one.
    pub fn code(&self, device: &Device) -> Result<Code> {
        let build = self.build_at(self.position(device)?);
        build.code.ok_or_else(not_built)
    }

    /// Whether a kernel or a function that others can link to has this name, as far as that can be
    /// known.
    fn has_function(&self, name: &CStr) -> bool {
        let mut contents = self.source.contents();
        let has = |contents: &ur_adapter::il::Contents| {
            let mut functions = contents.functions();
            functions.any(|function| function == name.to_bytes())
        };
        contents.any(has) || info::names(self).iter().any(|own| **own == *name)
    }
}

/// A program without what a build makes.
pub(crate) fn not_built() -> Error {
    Error::new(
        UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE,
        "the program has not been built",
    )
}

impl ProgramFns for LevelZero {
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
        link::expect_context(context, program)?;
        program.build(&program.all(), options, false)
    }

    fn program_compile(
        context: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        link::expect_context(context, program)?;
        program.compile(&program.all(), options)
    }

    fn program_link(
        context: &Object<Context>,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        link::link(context, &[], programs, options, false)
    }

    fn program_get_function_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        function_name: &CStr,
    ) -> Result<*mut c_void> {
        let code = program.code(device)?;
        code.module.function(function_name).map_err(|error| {
            let result = match error.native.cast_unsigned() {
                ze::ZE_RESULT_ERROR_INVALID_FUNCTION_NAME
                | ze::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => {
                    if program.has_function(function_name) {
                        UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE
                    } else {
                        UR_RESULT_ERROR_INVALID_KERNEL_NAME
                    }
                }
                _ => error.code,
            };
            Error {
                code: result,
                ..error
            }
        })
    }

    fn program_get_global_variable_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        global_variable_name: &CStr,
        global_variable_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result<*mut c_void> {
        let code = program.code(device)?;
        let (address, size) = code.module.variable(global_variable_name)?;
        if let Some(place) = global_variable_size_ret {
            place.write(size);
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
        let mut values = Vec::with_capacity(spec_constants.len());
        for constant in spec_constants {
            // SAFETY: the program passes `size` bytes.
            values.push(unsafe { program.source.specialise(constant) }?);
        }
        let mut state = program.state();
        for value in values {
            state.constants.retain(|old| old.id != value.id);
            state.constants.push(value);
        }
        Ok(())
    }

    fn program_get_native_handle(program: &Object<Program>) -> Result<ur_native_handle_t> {
        let mut codes = program.codes().into_iter().flatten();
        let first = codes.next().ok_or_else(not_built)?;
        Ok(first.module.native().to_native())
    }

    fn program_create_with_native_handle(
        native_program: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_program_native_properties_t>,
    ) -> Result<Handle<Program>> {
        create::from_native(native_program, context, properties)
    }
}

impl ProgramExpFns for LevelZero {
    fn program_build_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        let unresolved = allows_unresolved(flags)?;
        program.build(&program.positions(devices)?, options, unresolved)
    }

    fn program_compile_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        allows_unresolved(flags)?;
        program.compile(&program.positions(devices)?, options)
    }

    fn program_link_exp(
        context: &Object<Context>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        let unresolved = allows_unresolved(flags)?;
        link::link(context, devices, programs, options, unresolved)
    }

    fn program_dynamic_link_exp(
        context: &Object<Context>,
        programs: &[&Object<Program>],
    ) -> Result {
        link::link_built(context, programs)
    }
}

/// Whether a device takes SPIR-V.
pub fn takes_il(device: &Device) -> bool {
    device.facts().module.spirvVersionSupported != 0
}

/// What programs on devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    let able = match name {
        UR_DEVICE_INFO_COMPILER_AVAILABLE | UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS => {
            takes_il(device)
        }
        UR_DEVICE_INFO_LINKER_AVAILABLE => takes_il(device) && link::takes_several(device),
        UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT
        | UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP
        | UR_DEVICE_INFO_MULTI_DEVICE_COMPILE_SUPPORT_EXP => true,
        _ => return None,
    };
    Some(Able::Bool(able))
}
