//! Making modules.

use super::{Contents, Module};
use crate::call::{call, find, get, list, put, text, world};
use crate::world::{Body, Kind};
use crate::ze::*;
use std::ffi::c_char;
use std::sync::Arc;
use ur_adapter_native_cpu::binary::{self, Specialisation};
use ur_adapter_native_cpu::code::{self, Source};
use ur_adapter_native_cpu::program::{options, specialise::specialise};

/// One of the modules that are put together.
struct Input {
    words: Vec<u32>,
    options: String,
    constants: Vec<Specialisation>,
}

/// What is to be built.
struct Request {
    context: usize,
    device: usize,
    inputs: Vec<Input>,
}

/// A text that may be left out.
///
/// # Safety
/// As [`text`].
unsafe fn optional(place: *const c_char) -> String {
    // SAFETY: as the caller says.
    unsafe { text(place) }.unwrap_or_default()
}

/// Reads SPIR-V with its options and constants.
///
/// # Errors
/// `INVALID_SIZE` for what is no whole number of words.
///
/// # Safety
/// The places have what the description says.
unsafe fn input(
    (start, size): (*const u8, usize),
    options: *const c_char,
    constants: *const ze_module_constants_t,
) -> Answer<Input> {
    // SAFETY: as the caller says.
    let bytes = unsafe { list(start, size) }?;
    let (words, rest) = bytes.as_chunks::<4>();
    if words.is_empty() || !rest.is_empty() {
        return Err(ZE_RESULT_ERROR_INVALID_SIZE);
    }
    let words: Vec<u32> = words.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    // SAFETY: as the caller says.
    let constants = unsafe { values(&words, constants) }?;
    Ok(Input {
        words,
        // SAFETY: as the caller says.
        options: unsafe { optional(options) },
        constants,
    })
}

/// Values of specialisation constants, which have the sizes that the module says.
///
/// # Errors
/// `INVALID_NULL_POINTER`.
///
/// # Safety
/// As [`input`].
unsafe fn values(
    words: &[u32],
    constants: *const ze_module_constants_t,
) -> Answer<Vec<Specialisation>> {
    // SAFETY: as the caller says.
    let Some(constants) = (unsafe { constants.as_ref() }) else {
        return Ok(Vec::new());
    };
    let count = constants.numConstants as usize;
    // SAFETY: as the caller says.
    let (ids, places) = unsafe {
        (
            list(constants.pConstantIds, count)?,
            list(constants.pConstantValues, count)?,
        )
    };
    let contents = Contents::read(words);
    let known = contents.map_or(Vec::new(), |contents| contents.constants);
    let mut all = Vec::new();
    for (id, place) in ids.into_iter().zip(places) {
        // One that the module does not have is of no use.
        let Some(size) = known
            .iter()
            .find(|one| one.spec_id == id)
            .map(|one| one.size)
        else {
            continue;
        };
        let mut bits = [0; 8];
        // SAFETY: as the caller says.
        let bytes = unsafe { list(place.cast::<u8>(), size as usize) }?;
        bits[..bytes.len()].copy_from_slice(&bytes);
        let bits = u64::from_le_bytes(bits);
        all.push(Specialisation { id, size, bits });
    }
    Ok(all)
}

/// What a description asks for.
///
/// # Errors
/// What is wrong with it.
///
/// # Safety
/// As [`input`].
unsafe fn inputs(desc: &ze_module_desc_t) -> Answer<Vec<Input>> {
    // SAFETY: as the caller says.
    let program = unsafe { find::<ze_module_program_exp_desc_t>(desc.pNext) };
    if let Some(program) = program {
        // SAFETY: as the caller says.
        let program = unsafe { get(program) }?;
        let count = program.count as usize;
        // SAFETY: as the caller says.
        let (sizes, starts) = unsafe {
            (
                list(program.inputSizes, count)?,
                list(program.pInputModules, count)?,
            )
        };
        let mut all = Vec::new();
        for place in 0..count {
            // SAFETY: as the caller says; the lists may be left out.
            let input = unsafe {
                let flags = program.pBuildFlags.cast_mut();
                let flags = match flags.is_null() {
                    true => std::ptr::null(),
                    false => *flags.add(place),
                };
                let constants = program.pConstants.cast_mut();
                let constants = match constants.is_null() {
                    true => std::ptr::null(),
                    false => *constants.add(place),
                };
                input((starts[place], sizes[place]), flags, constants)?
            };
            all.push(input);
        }
        return Ok(all);
    }
    match desc.format {
        // SAFETY: as the caller says.
        ZE_MODULE_FORMAT_IL_SPIRV => Ok(vec![unsafe {
            input(
                (desc.pInputModule, desc.inputSize),
                desc.pBuildFlags,
                desc.pConstants,
            )
        }?]),
        ZE_MODULE_FORMAT_NATIVE => {
            // SAFETY: as the caller says.
            let bytes = unsafe { list(desc.pInputModule, desc.inputSize) }?;
            let saved = binary::read(&bytes).map_err(|_| ZE_RESULT_ERROR_INVALID_NATIVE_BINARY)?;
            Ok(vec![Input {
                words: saved.words,
                options: saved.options,
                constants: saved.constants,
            }])
        }
        _ => Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    }
}

/// Puts modules together, each with the values of its own constants.
///
/// # Errors
/// What does not fit together.
fn merge(mut inputs: Vec<Input>) -> Result<Source, String> {
    if inputs.len() == 1 {
        let only = inputs.remove(0);
        return Ok(Source {
            words: only.words.into(),
            options: only.options,
            constants: only.constants,
        });
    }
    for input in &mut inputs {
        specialise(&mut input.words, &input.constants);
    }
    let words: Vec<_> = inputs.iter().map(|input| &input.words[..]).collect();
    let words = ur_spirv::link(&words).map_err(|error| error.to_string())?;
    let mut options: Vec<&str> = inputs.iter().map(|input| &*input.options).collect();
    options.dedup();
    Ok(Source {
        words: words.into(),
        options: options.join(" "),
        constants: Vec::new(),
    })
}

/// Builds a module.
fn build(request: Request) -> Result<Module, String> {
    for input in &request.inputs {
        options::check(&input.options)?;
    }
    let source = merge(request.inputs)?;
    let contents = Arc::new(Contents::read(&source.words)?);
    let code = match contents.imports.is_empty() {
        true => Some((
            Arc::new(code::Module::build(source.clone())?),
            contents.clone(),
        )),
        false => None,
    };
    Ok(Module {
        context: request.context,
        device: request.device,
        source,
        contents,
        code,
    })
}

/// Makes a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_module_desc_t,
    place: *mut ze_module_handle_t,
    log: *mut ze_module_build_log_handle_t,
) -> ze_result_t {
    let mut wanted = None;
    let result = call("zeModuleCreate", |world| {
        let (context, device) = (context.to_native(), device.to_native());
        world.device_in(context, device)?;
        if place.is_null() {
            return Err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        wanted = Some(Request {
            context,
            device,
            // SAFETY: as the caller says.
            inputs: unsafe { inputs(&get(desc)?) }?,
        });
        Ok(())
    });
    let Some(request) = wanted else {
        return result;
    };
    // Without the lock: it takes long.
    crate::jit::find();
    let built = super::guarded(|| build(request));
    let mut world = world();
    let context = context.to_native();
    let said = built.as_ref().err().map_or("", String::as_str);
    // SAFETY: as the caller says.
    let logged = unsafe { world.add_log(context, said, log) };
    let module = match (built, logged) {
        (_, Err(error)) => return error,
        (Err(_), _) => return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        (Ok(module), _) => module,
    };
    let driver = world
        .object(context, Kind::Context)
        .map(|object| object.driver);
    let driver = match driver {
        Ok(driver) => driver,
        Err(error) => return error,
    };
    let handle = world.add(driver, Body::Module(module), vec![context]);
    // SAFETY: as the caller says.
    crate::call::code(unsafe { put(place, ze_module_handle_t::from_native(handle)) })
}
