//! Programs. What they are made of, SPIR-V, a binary or source, is a text here:
//! `kernels copy/3 fill/2` has the kernel `copy` with three arguments and another with two. With the
//! word `broken` it does not build.

pub mod build;

pub use build::*;

use crate::call::{Raw, call, call_of, code, list, made, tell};
use crate::cl::*;
use crate::world::{Body, Kind, World};
use std::ffi::{CStr, c_char, c_void};

/// A program.
#[derive(Debug)]
pub struct Program {
    /// Its context.
    pub context: usize,
    /// Its devices.
    pub devices: Vec<usize>,
    text: String,
    from_il: bool,
    built: cl_int,
    binary: cl_uint,
    options: String,
}

impl Program {
    /// Names and numbers of arguments.
    fn kernels(&self) -> Vec<(&str, cl_uint)> {
        let words = self.text.split_whitespace();
        let kernels = words.filter_map(|word| word.split_once('/'));
        let kernels = kernels.filter_map(|(name, count)| Some((name, count.parse().ok()?)));
        kernels.collect()
    }

    /// How many arguments a kernel has.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_NAME`, `CL_INVALID_PROGRAM_EXECUTABLE` before a build.
    pub fn kernel(&self, name: &str) -> Result<cl_uint, cl_int> {
        if self.binary != CL_PROGRAM_BINARY_TYPE_EXECUTABLE {
            return Err(CL_INVALID_PROGRAM_EXECUTABLE);
        }
        let kernels = self.kernels();
        let found = kernels.iter().find(|kernel| kernel.0 == name);
        found.map(|kernel| kernel.1).ok_or(CL_INVALID_KERNEL_NAME)
    }

    fn build(&mut self, options: String, becomes: cl_uint, failure: cl_int) -> Result<(), cl_int> {
        self.options = options;
        if self.text.split_whitespace().any(|word| word == "broken") {
            self.built = CL_BUILD_ERROR;
            return Err(failure);
        }
        self.built = CL_BUILD_SUCCESS;
        self.binary = becomes;
        Ok(())
    }

    fn answer(&self, name: cl_uint) -> Result<Vec<u8>, cl_int> {
        let count = self.devices.len();
        let names: Vec<_> = self.kernels().iter().map(|kernel| kernel.0).collect();
        let size = match self.binary {
            CL_PROGRAM_BINARY_TYPE_NONE => 0,
            _ => self.text.len(),
        };
        let built = self.binary == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        Ok(match name {
            CL_PROGRAM_CONTEXT => self.context.raw(),
            CL_PROGRAM_NUM_DEVICES => (count as cl_uint).raw(),
            CL_PROGRAM_DEVICES => self.devices[..].raw(),
            CL_PROGRAM_SOURCE => "".raw(),
            CL_PROGRAM_BINARY_SIZES => vec![size; count][..].raw(),
            CL_PROGRAM_NUM_KERNELS if built => names.len().raw(),
            CL_PROGRAM_KERNEL_NAMES if built => names.join(";").as_str().raw(),
            CL_PROGRAM_NUM_KERNELS | CL_PROGRAM_KERNEL_NAMES => {
                return Err(CL_INVALID_PROGRAM_EXECUTABLE);
            }
            CL_PROGRAM_IL if self.from_il => self.text.as_bytes().to_vec(),
            CL_PROGRAM_IL => Vec::new(),
            _ => return Err(CL_INVALID_VALUE),
        })
    }
}

/// Makes a program of a text.
fn create(
    world: &mut World,
    context: cl_context,
    devices: Option<Vec<usize>>,
    text: &[u8],
    from_il: bool,
) -> Result<usize, cl_int> {
    let context = context.to_native();
    let platform = world.platform_of(context, Kind::Context)?;
    let devices = devices.unwrap_or(world.context(context)?.devices.clone());
    let text = std::str::from_utf8(text).map_err(|_| CL_INVALID_VALUE)?;
    if !text.starts_with("kernels") {
        return Err(CL_INVALID_VALUE);
    }
    let program = Program {
        context,
        devices,
        text: text.to_owned(),
        from_il,
        built: CL_BUILD_NONE,
        binary: CL_PROGRAM_BINARY_TYPE_NONE,
        options: String::new(),
    };
    Ok(world.add(platform, Body::Program(program), vec![context]))
}

/// Makes a program of SPIR-V.
pub unsafe extern "C" fn clCreateProgramWithIL(
    context: cl_context,
    il: *const c_void,
    length: usize,
    place: *mut cl_int,
) -> cl_program {
    let result = call("clCreateProgramWithIL", |world| {
        // SAFETY: as the caller says.
        let il = unsafe { list(il.cast::<u8>(), length) };
        create(world, context, None, &il, true)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_program::from_native) }
}

/// Makes a program of SPIR-V on a platform before 2.1.
pub unsafe extern "C" fn clCreateProgramWithILKHR<const P: usize>(
    context: cl_context,
    il: *const c_void,
    length: usize,
    place: *mut cl_int,
) -> cl_program {
    let of = (context.to_native(), Kind::Context);
    let result = call_of(P, "clCreateProgramWithILKHR", of, |world| {
        // SAFETY: as the caller says.
        let il = unsafe { list(il.cast::<u8>(), length) };
        create(world, context, None, &il, true)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_program::from_native) }
}

/// Makes a program of source.
pub unsafe extern "C" fn clCreateProgramWithSource(
    context: cl_context,
    count: cl_uint,
    texts: *const *const c_char,
    lengths: *const usize,
    place: *mut cl_int,
) -> cl_program {
    let result = call("clCreateProgramWithSource", |world| {
        // SAFETY: as the caller says.
        let lengths = unsafe { list(lengths, count as usize) };
        // SAFETY: as the caller says.
        let texts = unsafe { list(texts, count as usize) };
        let mut whole = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            // SAFETY: as the caller says: of that length, or terminated.
            whole.extend(unsafe {
                match lengths.get(at) {
                    Some(length) if *length > 0 => list(text.cast::<u8>(), *length),
                    _ => CStr::from_ptr(text).to_bytes().to_vec(),
                }
            });
        }
        create(world, context, None, &whole, false)
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_program::from_native) }
}

/// Makes a program of binaries, which must be the same for all devices.
pub unsafe extern "C" fn clCreateProgramWithBinary(
    context: cl_context,
    count: cl_uint,
    devices: *const cl_device_id,
    lengths: *const usize,
    binaries: *const *const u8,
    statuses: *mut cl_int,
    place: *mut cl_int,
) -> cl_program {
    let result = call("clCreateProgramWithBinary", |world| {
        // SAFETY: as the caller says.
        let devices = unsafe { list(devices, count as usize) };
        let devices: Vec<_> = devices.iter().map(|device| device.to_native()).collect();
        for device in &devices {
            world.device(*device)?;
        }
        if devices.is_empty() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let binary = unsafe { list(*binaries, *lengths) };
        let program = create(world, context, Some(devices), &binary, false);
        let program = program.map_err(|code| match code {
            CL_INVALID_VALUE => CL_INVALID_BINARY,
            code => code,
        });
        for device in 0..count as usize {
            if !statuses.is_null() {
                // SAFETY: the caller has room for a status of each device.
                unsafe {
                    statuses
                        .add(device)
                        .write(program.err().unwrap_or(CL_SUCCESS))
                };
            }
        }
        world.program(program?)?.binary = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        program
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_program::from_native) }
}

/// Answers a question about a program.
pub unsafe extern "C" fn clGetProgramInfo(
    program: cl_program,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetProgramInfo", |world| {
        let handle = program.to_native();
        let program = world.program(handle)?;
        if name == CL_PROGRAM_BINARIES {
            // SAFETY: the caller passes a pointer for each device, with room for its binary.
            let places = unsafe { list(value.cast::<*mut u8>(), program.devices.len()) };
            for place in places.into_iter().filter(|place| !place.is_null()) {
                let text = program.text.as_bytes();
                // SAFETY: as above.
                unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), place, text.len()) };
            }
            return Ok(());
        }
        if name == CL_PROGRAM_IL {
            let device = program.devices[0];
            if world.device(device)?.version() < (2, 1) {
                return Err(CL_INVALID_VALUE);
            }
        }
        let answer = world.program(handle)?.answer(name)?;
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Answers a question about a build.
pub unsafe extern "C" fn clGetProgramBuildInfo(
    program: cl_program,
    _: cl_device_id,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetProgramBuildInfo", |world| {
        let program = world.program(program.to_native())?;
        let answer = match name {
            CL_PROGRAM_BUILD_STATUS => program.built.raw(),
            CL_PROGRAM_BUILD_OPTIONS => program.options.as_str().raw(),
            CL_PROGRAM_BUILD_LOG => "".raw(),
            CL_PROGRAM_BINARY_TYPE => program.binary.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Sets a specialization constant, which changes nothing.
pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    program: cl_program,
    _: cl_uint,
    _: usize,
    _: *const c_void,
) -> cl_int {
    code(call(
        "clSetProgramSpecializationConstant",
        |world| match world.program(program.to_native())?.from_il {
            true => Ok(()),
            false => Err(CL_INVALID_PROGRAM),
        },
    ))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainProgram(program: cl_program) -> cl_int {
    code(call("clRetainProgram", |world| {
        world.retain(program.to_native(), Kind::Program)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseProgram(program: cl_program) -> cl_int {
    code(call("clReleaseProgram", |world| {
        world.release(program.to_native(), Kind::Program)
    }))
}
