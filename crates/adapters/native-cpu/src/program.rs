//! Programs: SPIR-V, how it was built, and what it is found to contain.

mod build;
mod contents;
mod create;
mod info;
mod link;
pub mod options;
mod save;
pub mod specialise;

use crate::NativeCpu;
use crate::binary::{MachineCode, Saved, Specialisation, Stage};
use crate::code::Module;
use crate::context::Context;
use crate::device::Device;
use crate::fork::{Guard, Mutex};
use build::Build;
use contents::Contents;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, Object, ProgramExpFns, ProgramFns, Result};
use ur_api::*;

/// What a program handle names.
pub struct Program {
    context: Handle<Context>,
    devices: Vec<Handle<Device>>,
    words: Arc<[u32]>,
    contents: Contents,
    state: Mutex<State>,
}

/// How far a program is built.
struct State {
    /// For each device, how it was built for that one.
    builds: Vec<Build>,
    constants: Vec<Specialisation>,
    /// What came with a saved program: build options and machine code.
    restored: Option<(String, Option<MachineCode>)>,
    code: Option<Code>,
    /// The bytes as a saved program, once they were asked for.
    saved: Option<Arc<[u8]>>,
}

/// What the last build made.
#[derive(Clone)]
struct Code {
    module: Arc<Module>,
    /// What is in the module, if it is made of several programs.
    merged: Option<Arc<Contents>>,
}

impl Program {
    fn create(
        context: &Object<Context>,
        devices: Vec<Handle<Device>>,
        saved: Saved,
        is_saved: bool,
    ) -> Result<Handle<Program>> {
        let contents = Contents::read(&saved.words)?;
        let build = if is_saved {
            Build::restored(saved.stage, &saved.options)
        } else {
            Build::default()
        };
        Handle::new(Program {
            context: context.handle(),
            contents,
            words: saved.words.into(),
            state: Mutex::new(State {
                builds: vec![build; devices.len()],
                constants: saved.constants,
                restored: is_saved.then_some((saved.options, saved.code)),
                code: None,
                saved: None,
            }),
            devices,
        })
    }

    fn state(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// What the SPIR-V says of a kernel.
    pub fn kernel(&self, name: &str) -> Option<&ur_spirv::Kernel> {
        self.contents.kernel(name)
    }

    /// Whether a kernel could notice how its work-items are grouped: if not, any grouping will do.
    pub fn sees_groups(&self) -> bool {
        self.contents.sees_groups
    }

    /// Whether a kernel might wait for something that another thread does.
    pub fn may_wait(&self) -> bool {
        self.contents.may_wait
    }

    fn code(&self) -> Result<Code> {
        let state = self.state();
        if let Some(code) = &state.code {
            return Ok(code.clone());
        }
        Err(if state.builds.iter().any(Build::is_unlinked) {
            Error::new(
                UR_RESULT_ERROR_PROGRAM_UNLINKED,
                "the program misses symbols and has not been linked",
            )
        } else {
            Error::new(
                UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE,
                "the program has not been built",
            )
        })
    }

    /// The built module.
    ///
    /// # Errors
    /// `INVALID_PROGRAM_EXECUTABLE` for a program that was not built, `PROGRAM_UNLINKED` for one
    /// that misses symbols.
    pub fn module(&self) -> Result<Arc<Module>> {
        Ok(self.code()?.module)
    }

    /// Adds to the build log.
    pub fn log(&self, text: &str) {
        for build in &mut self.state().builds {
            build.say(text);
        }
    }

    /// Number of the device, or of the one that it is a part of, among the program's.
    ///
    /// # Errors
    /// `INVALID_DEVICE`.
    fn device(&self, device: &Object<Device>) -> Result<usize> {
        let own = |same: &dyn Fn(&Object<Device>) -> bool| {
            let mut devices = self.devices.iter();
            devices.position(|own| same(own))
        };
        own(&|own| std::ptr::eq(own, device))
            .or_else(|| own(&|own| device.is_part_of(own)))
            .ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_DEVICE))
    }

    fn devices(&self, devices: &[&Object<Device>]) -> Result<Vec<usize>> {
        devices.iter().map(|device| self.device(device)).collect()
    }

    fn all_devices(&self) -> Vec<usize> {
        (0..self.devices.len()).collect()
    }
}

impl ProgramFns for NativeCpu {
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
        _: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        program.build(&program.all_devices(), options, Stage::Executable, false)
    }

    fn program_compile(
        _: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        program.build(&program.all_devices(), options, Stage::Compiled, false)
    }

    fn program_link(
        context: &Object<Context>,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        link::link(context, None, programs, options, false)
    }

    fn program_get_function_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        function_name: &CStr,
    ) -> Result<*mut c_void> {
        program.device(device)?;
        let name = function_name.to_str().unwrap_or_default();
        let code = program.code()?;
        let contents = code.merged.as_deref().unwrap_or(&program.contents);
        // The work-groups of a kernel are run by code of the host: no device code can call it.
        if contents.kernel(name).is_some() {
            return Err(Error::new(
                UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
                format!("{name} is a kernel"),
            ));
        }
        let value = contents.function(name).ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_NAME,
                format!("no function {name:?} in the program"),
            )
        })?;
        Ok(value as *mut c_void)
    }

    fn program_get_global_variable_pointer(
        device: &Object<Device>,
        program: &Object<Program>,
        global_variable_name: &CStr,
        global_variable_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result<*mut c_void> {
        program.device(device)?;
        let (address, size) = variable(program, global_variable_name)?;
        if let Some(place) = global_variable_size_ret {
            place.write(size);
        }
        Ok(address as *mut c_void)
    }

    fn program_get_info(
        program: &Object<Program>,
        prop_name: ur_program_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::program(program, prop_name, info)
    }

    fn program_get_build_info(
        program: &Object<Program>,
        device: &Object<Device>,
        prop_name: ur_program_build_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::build(program, device, prop_name, info)
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
            values.push(unsafe { specialise::value(&program.contents.constants, constant) }?);
        }
        let mut state = program.state();
        // Code that was saved is for other values.
        if let Some((_, code)) = &mut state.restored {
            *code = None;
        }
        state.saved = None;
        for value in values {
            state.constants.retain(|old| old.id != value.id);
            state.constants.push(value);
        }
        Ok(())
    }
}

impl ProgramExpFns for NativeCpu {
    fn program_build_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        let unlinked = build::allows_unresolved(flags)?;
        let devices = program.devices(devices)?;
        program.build(&devices, options, Stage::Executable, unlinked)
    }

    fn program_compile_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        build::allows_unresolved(flags)?;
        let devices = program.devices(devices)?;
        program.build(&devices, options, Stage::Compiled, false)
    }

    fn program_link_exp(
        context: &Object<Context>,
        devices: &[&Object<Device>],
        flags: ur_exp_program_flags_t,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        let unlinked = build::allows_unresolved(flags)?;
        link::link(context, Some(devices), programs, options, unlinked)
    }

    fn program_dynamic_link_exp(
        context: &Object<Context>,
        programs: &[&Object<Program>],
    ) -> Result {
        link::link_built(context, programs)
    }
}

/// Address and size of a program-scope variable of a built program.
///
/// # Errors
/// `INVALID_PROGRAM_EXECUTABLE` before the build, `INVALID_VALUE` for an unknown name.
pub fn variable(program: &Program, name: &CStr) -> Result<(usize, usize)> {
    let module = program.module()?;
    name.to_str()
        .ok()
        .and_then(|name| module.variable(name))
        .ok_or_else(|| Error::value(format!("no variable {name:?} in the program")))
}
