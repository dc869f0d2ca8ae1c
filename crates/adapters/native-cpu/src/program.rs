//! Programs: SPIR-V, how it was built, and what it is found to contain.

use crate::NativeCpu;
use crate::binary::{self, Saved, Specialisation, Stage};
use crate::context::Context;
use crate::device::Device;
use crate::launch::Module;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Info, Object, ProgramExpFns, ProgramFns, Result};
use ur_api::*;
use ur_jit_abi::SpecConstant;
use ur_spirv::{ErrorKind, spirv::BuiltIn};

/// What a program handle names.
pub struct Program {
    context: Handle<Context>,
    devices: Vec<Handle<Device>>,
    words: Arc<[u32]>,
    contents: Contents,
    state: Mutex<State>,
}

/// What reading the SPIR-V tells.
struct Contents {
    kernels: Vec<ur_spirv::Kernel>,
    constants: Vec<ur_spirv::SpecConstant>,
    /// Whether a kernel could notice how its work-items are grouped.
    sees_groups: bool,
    /// Set for a module that needs something unknown; building it fails with this.
    unsupported: Option<String>,
}

/// How far a program is built.
struct State {
    status: ur_program_build_status_t,
    binary: ur_program_binary_type_t,
    options: String,
    log: String,
    constants: Vec<Specialisation>,
    module: Option<Arc<Module>>,
}

impl Contents {
    /// # Errors
    /// `INVALID_BINARY` for malformed SPIR-V; the message names the word and the rule.
    fn read(words: &[u32]) -> Result<Contents> {
        match ur_spirv::Module::parse(words, &[]) {
            Ok(module) => Ok(Contents {
                kernels: module.kernels(),
                constants: module.spec_constants.clone(),
                sees_groups: module
                    .globals
                    .iter()
                    .filter_map(|global| global.builtin)
                    .any(|builtin| {
                        !matches!(
                            builtin,
                            BuiltIn::GlobalInvocationId
                                | BuiltIn::GlobalSize
                                | BuiltIn::GlobalOffset
                                | BuiltIn::GlobalLinearId
                                | BuiltIn::WorkDim
                        )
                    }),
                unsupported: None,
            }),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Contents {
                kernels: Vec::new(),
                constants: Vec::new(),
                sees_groups: true,
                unsupported: Some(error.to_string()),
            }),
            Err(error) => Err(Error::new(
                UR_RESULT_ERROR_INVALID_BINARY,
                error.to_string(),
            )),
        }
    }
}

impl Program {
    fn create(
        context: &Object<Context>,
        devices: Vec<Handle<Device>>,
        saved: Saved,
    ) -> Result<Handle<Program>> {
        let contents = Contents::read(&saved.words)?;
        // What was saved as compiled can be linked at once.
        let (status, binary) = match saved.stage {
            Stage::Compiled => (
                UR_PROGRAM_BUILD_STATUS_SUCCESS,
                UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            ),
            Stage::Executable => (UR_PROGRAM_BUILD_STATUS_NONE, UR_PROGRAM_BINARY_TYPE_NONE),
        };
        Handle::new(Program {
            context: context.handle(),
            devices,
            words: saved.words.into(),
            contents,
            state: Mutex::new(State {
                status,
                binary,
                options: saved.options,
                log: String::new(),
                constants: saved.constants,
                module: None,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// What the SPIR-V says of a kernel.
    pub fn kernel(&self, name: &str) -> Option<&ur_spirv::Kernel> {
        self.contents
            .kernels
            .iter()
            .find(|kernel| kernel.name == name)
    }

    /// Whether a kernel could notice how its work-items are grouped: if not, any grouping will do.
    pub fn sees_groups(&self) -> bool {
        self.contents.sees_groups
    }

    /// The built module.
    ///
    /// # Errors
    /// `INVALID_PROGRAM_EXECUTABLE` for a program that was not built.
    pub fn module(&self) -> Result<Arc<Module>> {
        self.state().module.clone().ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE,
                "the program has not been built",
            )
        })
    }

    /// The options it was built with.
    pub fn options(&self) -> String {
        self.state().options.clone()
    }

    /// Adds to the build log.
    pub fn log(&self, text: &str) {
        let mut state = self.state();
        if !state.log.is_empty() {
            state.log.push('\n');
        }
        state.log.push_str(text);
    }

    /// Builds up to `stage`. Compiling is reading and checking, since a module may need others to be
    /// whole; a program that is built keeps what the JIT made of it.
    fn build(&self, options: Option<&CStr>, stage: Stage) -> Result {
        let (options, constants) = {
            let mut state = self.state();
            if let Some(options) = options {
                state.options = options.to_string_lossy().into_owned();
            }
            state.status = UR_PROGRAM_BUILD_STATUS_IN_PROGRESS;
            (state.options.clone(), state.constants.clone())
        };
        let built = match &self.contents.unsupported {
            Some(reason) => Err(reason.clone()),
            None if stage == Stage::Compiled => Ok(None),
            None => {
                let constants: Vec<SpecConstant> = constants
                    .iter()
                    .map(|constant| SpecConstant {
                        id: constant.id,
                        size: constant.size,
                        bits: constant.bits,
                    })
                    .collect();
                // Without the lock: other threads may ask how far the build is.
                Module::create(&self.words, &options, &constants).map(Some)
            }
        };
        let mut state = self.state();
        match built {
            Ok(module) => {
                state.status = UR_PROGRAM_BUILD_STATUS_SUCCESS;
                state.log.clear();
                state.binary = match module {
                    Some(_) => UR_PROGRAM_BINARY_TYPE_EXECUTABLE,
                    None => UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                };
                state.module = module.map(Arc::new);
                Ok(())
            }
            Err(reason) => {
                state.status = UR_PROGRAM_BUILD_STATUS_ERROR;
                state.binary = UR_PROGRAM_BINARY_TYPE_NONE;
                state.module = None;
                state.log = reason.clone();
                Err(Error::new(UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE, reason))
            }
        }
    }

    /// Its bytes as a saved program; empty before it is built.
    fn saved(&self) -> Vec<u8> {
        let state = self.state();
        let stage = match state.binary {
            UR_PROGRAM_BINARY_TYPE_EXECUTABLE => Stage::Executable,
            UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT => Stage::Compiled,
            _ => return Vec::new(),
        };
        binary::write(&Saved {
            stage,
            constants: state.constants.clone(),
            options: state.options.clone(),
            words: self.words.to_vec(),
        })
    }

    fn check_devices(&self, devices: &[&Object<Device>]) -> Result {
        if devices.iter().all(|device| self.context.has(device)) {
            return Ok(());
        }
        Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE))
    }
}

fn check_properties(properties: Option<&ur_program_properties_t>) -> Result {
    match properties {
        Some(list) if list.count > 0 && list.pMetadatas.is_null() => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))
        }
        Some(list) if list.count == 0 && !list.pMetadatas.is_null() => {
            Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE))
        }
        _ => Ok(()),
    }
}

/// Makes one program of several compiled ones and builds it.
fn link(
    context: &Object<Context>,
    programs: &[&Object<Program>],
    options: Option<&CStr>,
) -> Result<Handle<Program>> {
    let Some(first) = programs.first() else {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
    };
    let mut constants: Vec<Specialisation> = Vec::new();
    for program in programs {
        let state = program.state();
        if state.status != UR_PROGRAM_BUILD_STATUS_SUCCESS {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_OPERATION,
                "a program has not been compiled",
            ));
        }
        constants.extend(&state.constants);
    }
    let failed = |reason: String| Error::new(UR_RESULT_ERROR_PROGRAM_LINK_FAILURE, reason);
    let words = match programs {
        [program] => program.words.to_vec(),
        _ => {
            let modules: Vec<&[u32]> = programs.iter().map(|program| &*program.words).collect();
            ur_spirv::link(&modules).map_err(|error| failed(error.to_string()))?
        }
    };
    let linked = Program::create(
        context,
        first.devices.clone(),
        Saved {
            stage: Stage::Executable,
            constants,
            options: first.options(),
            words,
        },
    )?;
    linked
        .build(options, Stage::Executable)
        .map_err(|error| Error {
            code: UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
            ..error
        })?;
    Ok(linked)
}

impl ProgramFns for NativeCpu {
    unsafe fn program_create_with_il(
        context: &Object<Context>,
        il: *const c_void,
        length: usize,
        properties: Option<&ur_program_properties_t>,
    ) -> Result<Handle<Program>> {
        check_properties(properties)?;
        if length == 0 {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        // SAFETY: the program passes that many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(il.cast::<u8>(), length) };
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_BINARY,
                format!("{length} bytes are no whole number of SPIR-V words"),
            ));
        }
        let saved = Saved {
            stage: Stage::Executable,
            constants: Vec::new(),
            options: String::new(),
            words: words.iter().map(|word| u32::from_ne_bytes(*word)).collect(),
        };
        Program::create(context, context.devices().to_vec(), saved)
    }

    fn program_create_with_binary(
        context: &Object<Context>,
        devices: &[&Object<Device>],
        lengths: &[usize],
        binaries: &[*const u8],
        properties: Option<&ur_program_properties_t>,
    ) -> Result<Handle<Program>> {
        check_properties(properties)?;
        if devices.is_empty() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        if !devices.iter().all(|device| context.has(device)) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        let refuse = |reason: String| Error::new(UR_RESULT_ERROR_INVALID_NATIVE_BINARY, reason);
        let mut program: Option<Saved> = None;
        for (&length, &start) in lengths.iter().zip(binaries) {
            if start.is_null() {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
            }
            // SAFETY: the program passes that many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(start, length) };
            let saved = binary::read(bytes).map_err(|refusal| refuse(refusal.to_string()))?;
            match &program {
                Some(first) if *first != saved => {
                    return Err(refuse("the devices have different programs".into()));
                }
                _ => program = Some(saved),
            }
        }
        let saved = program.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_SIZE))?;
        let devices = devices.iter().map(|device| device.handle()).collect();
        Program::create(context, devices, saved).map_err(|error| match error.code {
            UR_RESULT_ERROR_INVALID_BINARY => Error {
                code: UR_RESULT_ERROR_INVALID_NATIVE_BINARY,
                ..error
            },
            _ => error,
        })
    }

    fn program_build(
        _: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        program.build(options, Stage::Executable)
    }

    fn program_compile(
        _: &Object<Context>,
        program: &Object<Program>,
        options: Option<&CStr>,
    ) -> Result {
        program.build(options, Stage::Compiled)
    }

    fn program_link(
        context: &Object<Context>,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        link(context, programs, options)
    }

    fn program_get_function_pointer(
        _: &Object<Device>,
        program: &Object<Program>,
        function_name: &CStr,
    ) -> Result<*mut c_void> {
        // Kernels run as whole work-groups: there is no address that device code could call.
        Err(Error::code(
            match function_name
                .to_str()
                .ok()
                .and_then(|name| program.kernel(name))
            {
                Some(_) => UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
                None => UR_RESULT_ERROR_INVALID_KERNEL_NAME,
            },
        ))
    }

    fn program_get_global_variable_pointer(
        _: &Object<Device>,
        program: &Object<Program>,
        global_variable_name: &CStr,
        global_variable_size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result<*mut c_void> {
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
        match prop_name {
            UR_PROGRAM_INFO_CONTEXT => info.handle(&*program.context),
            UR_PROGRAM_INFO_NUM_DEVICES => info.value(program.devices.len() as u32),
            UR_PROGRAM_INFO_DEVICES => info.handles(&program.devices),
            UR_PROGRAM_INFO_IL => info.slice(&program.words),
            UR_PROGRAM_INFO_BINARY_SIZES => {
                info.slice(&vec![program.saved().len(); program.devices.len()])
            }
            UR_PROGRAM_INFO_BINARIES => {
                let saved = program.saved();
                // SAFETY: this query's buffer is an array of pointers, with room for the sizes that
                // the query above told.
                unsafe { info.blobs(&vec![saved.as_slice(); program.devices.len()]) }
            }
            UR_PROGRAM_INFO_NUM_KERNELS => info.value(program.contents.kernels.len()),
            UR_PROGRAM_INFO_KERNEL_NAMES => {
                let names: Vec<&str> = program
                    .contents
                    .kernels
                    .iter()
                    .map(|kernel| kernel.name.as_str())
                    .collect();
                info.text(&names.join(";"))
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    fn program_get_build_info(
        program: &Object<Program>,
        device: &Object<Device>,
        prop_name: ur_program_build_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        program.check_devices(&[device])?;
        let state = program.state();
        match prop_name {
            UR_PROGRAM_BUILD_INFO_STATUS => info.value(state.status.0),
            UR_PROGRAM_BUILD_INFO_OPTIONS => info.text(&state.options),
            UR_PROGRAM_BUILD_INFO_LOG => info.text(&state.log),
            UR_PROGRAM_BUILD_INFO_BINARY_TYPE => info.value(state.binary.0),
            _ => Err(Error::unsupported_query()),
        }
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
            let known = program
                .contents
                .constants
                .iter()
                .find(|known| known.spec_id == constant.id)
                .ok_or_else(|| {
                    Error::new(
                        UR_RESULT_ERROR_INVALID_SPEC_ID,
                        format!("no specialisation constant {}", constant.id),
                    )
                })?;
            if constant.pValue.is_null() {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
            }
            if constant.size != known.size as usize || constant.size > 8 {
                return Err(Error::value(format!(
                    "specialisation constant {} has {} bytes, not {}",
                    constant.id, known.size, constant.size
                )));
            }
            let mut bits = [0u8; 8];
            // SAFETY: the program passes `size` bytes, 8 at most.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    constant.pValue.cast::<u8>(),
                    bits.as_mut_ptr(),
                    constant.size,
                )
            };
            values.push(Specialisation {
                id: constant.id,
                size: constant.size as u32,
                bits: u64::from_le_bytes(bits),
            });
        }
        let mut state = program.state();
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
        _: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        program.check_devices(devices)?;
        program.build(options, Stage::Executable)
    }

    fn program_compile_exp(
        program: &Object<Program>,
        devices: &[&Object<Device>],
        _: ur_exp_program_flags_t,
        options: Option<&CStr>,
    ) -> Result {
        program.check_devices(devices)?;
        program.build(options, Stage::Compiled)
    }

    fn program_link_exp(
        context: &Object<Context>,
        _: &[&Object<Device>],
        _: ur_exp_program_flags_t,
        programs: &[&Object<Program>],
        options: Option<&CStr>,
    ) -> Result<Handle<Program>> {
        link(context, programs, options)
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
