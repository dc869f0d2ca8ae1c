//! Kernels.
//!
//! Level Zero keeps a kernel's arguments, its group size and its offset on the kernel, and lets only one
//! thread at a time touch them. Here they come with the launch, so setting them and using the kernel is
//! one step under the kernel's lock ([`Code::with_args`]).

pub mod args;
pub mod code;
pub mod info;
pub mod range;
pub mod suggest;

use crate::LevelZero;
use crate::context::Context;
use crate::device::{Able, Device};
use crate::program::{Program, not_built};
use crate::queue::Queue;
use crate::ze::{self, Owned};
use args::Objects;
use code::{Code, Held};
use range::Range;
use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, KernelFns, Object, Result, il};
use ur_api::*;

/// What a kernel handle names.
#[derive(Debug)]
pub struct Kernel {
    program: Handle<Program>,
    name: CString,
    /// For each of the program's devices; none for one that it was not built for.
    codes: Vec<Option<Arc<Code>>>,
}

impl Kernel {
    /// The program that it is of.
    pub fn program(&self) -> &Handle<Program> {
        &self.program
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        self.program.context()
    }

    /// What runs on a device.
    ///
    /// # Errors
    /// `INVALID_DEVICE`, `INVALID_PROGRAM_EXECUTABLE` if the program was not built for that one.
    #[inline]
    pub fn on(&self, device: &Device) -> Result<&Arc<Code>> {
        let position = match &self.codes[..] {
            [_] if std::ptr::eq::<Device>(&**self.program.devices()[0], device) => 0,
            _ => self.program.position(device)?,
        };
        let code = self.codes.get(position).and_then(Option::as_ref);
        code.ok_or_else(not_built)
    }

    /// What runs on a queue's device.
    ///
    /// # Errors
    /// `INVALID_KERNEL` for a queue of another context, and as [`Kernel::on`].
    #[inline]
    pub fn for_queue(&self, queue: &Queue) -> Result<&Arc<Code>> {
        if !self.context().is(queue.context()) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL,
                "the kernel is of another context than the queue",
            ));
        }
        self.on(queue.device())
    }

    /// What runs on each device, those that are one in Level Zero once.
    fn different(&self) -> impl Iterator<Item = &Arc<Code>> {
        let all = || self.codes.iter().flatten();
        all().enumerate().filter_map(move |(at, code)| {
            let mut before = all().take(at);
            (!before.any(|other| Arc::ptr_eq(other, code))).then_some(code)
        })
    }

    /// What runs on the first device.
    fn first(&self) -> Result<&Arc<Code>> {
        self.codes.iter().flatten().next().ok_or_else(not_built)
    }
}

/// What SPIR-V says of a kernel of a program's.
fn sizes<'a>(program: &'a Program, name: &CStr) -> Option<&'a il::Entry> {
    let mut contents = program.source().contents();
    contents.find_map(|contents| contents.entry(name.to_bytes()))
}

impl KernelFns for LevelZero {
    fn kernel_create(program: &Object<Program>, kernel_name: &CStr) -> Result<Handle<Kernel>> {
        let mut made: Vec<Arc<Code>> = Vec::new();
        let mut codes = Vec::new();
        for built in program.codes() {
            let Some(built) = built else {
                codes.push(None);
                continue;
            };
            let same = |code: &&Arc<Code>| Arc::ptr_eq(code.module(), &built.module);
            let code = match made.iter().find(same) {
                Some(code) => code.clone(),
                None => {
                    let device = &program.devices()[codes.len()];
                    let code = Code::create(built, device, kernel_name)?;
                    Arc::new(code.with_sizes(sizes(program, kernel_name)))
                }
            };
            made.push(code.clone());
            codes.push(Some(code));
        }
        if made.is_empty() {
            return Err(not_built());
        }
        Handle::new(Kernel {
            program: program.handle(),
            name: kernel_name.to_owned(),
            codes,
        })
    }

    fn kernel_get_info(
        kernel: &Object<Kernel>,
        prop_name: ur_kernel_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer(kernel, prop_name, info)
    }

    fn kernel_get_group_info(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        prop_name: ur_kernel_group_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer_group(kernel.on(device)?, prop_name, info)
    }

    fn kernel_get_sub_group_info(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        prop_name: ur_kernel_sub_group_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer_sub_group(kernel.on(device)?, prop_name, info)
    }

    fn kernel_get_native_handle(kernel: &Object<Kernel>) -> Result<ur_native_handle_t> {
        Ok(kernel.first()?.native().to_native())
    }

    fn kernel_create_with_native_handle(
        native_kernel: ur_native_handle_t,
        context: &Object<Context>,
        program: Option<&Object<Program>>,
        properties: Option<&ur_kernel_native_properties_t>,
    ) -> Result<Handle<Kernel>> {
        let native = ze::ze_kernel_handle_t::from_native(native_kernel);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL));
        }
        // Level Zero does not tell what a kernel is of.
        let program = program.ok_or(UR_RESULT_ERROR_INVALID_NULL_HANDLE)?;
        crate::program::link::expect_context(context, program)?;
        let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        let built = program.codes();
        let first = built.iter().position(Option::is_some);
        let (device, code) = first
            .and_then(|at| Some((&program.devices()[at], built[at].clone()?)))
            .ok_or_else(not_built)?;
        // SAFETY: a live kernel; the program says whether it is ours.
        let native = unsafe { Owned::of_native(context.api(), native, given) };
        let code = Arc::new(Code::new(code, device, native)?);
        let name = code.name()?;
        Handle::new(Kernel {
            program: program.handle(),
            codes: built
                .iter()
                .map(|built| built.as_ref().map(|_| code.clone()))
                .collect(),
            name,
        })
    }

    unsafe fn kernel_get_suggested_local_work_size(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        _: *const usize,
        global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) -> Result {
        let code = kernel.for_queue(queue)?;
        // SAFETY: the program passes that many sizes.
        let range = unsafe { Range::suggestion(num_work_dim, global_work_size) }?;
        let local = code.lock().choose(range.global)?;
        // SAFETY: the program has room for as many.
        unsafe { range.write(local, suggested_local_work_size) };
        Ok(())
    }

    unsafe fn kernel_get_suggested_local_work_size_with_args(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        _: *const usize,
        global_work_size: *const usize,
        args: &[ur_exp_kernel_arg_properties_t],
        suggested_local_work_size: *mut usize,
    ) -> Result {
        let code = kernel.for_queue(queue)?;
        // SAFETY: the program passes that many sizes.
        let range = unsafe { Range::suggestion(num_work_dim, global_work_size) }?;
        // SAFETY: arguments are what their types say.
        let objects = unsafe { Objects::of(queue.device(), args) }?;
        let choose = |held: &mut Held<'_>| held.choose(range.global);
        // SAFETY: as above.
        let local = unsafe { code.with_args(args, &objects, choose) }?;
        // SAFETY: the program has room for as many.
        unsafe { range.write(local, suggested_local_work_size) };
        Ok(())
    }

    unsafe fn kernel_set_exec_info(
        kernel: &Object<Kernel>,
        prop_name: ur_kernel_exec_info_t,
        prop_size: usize,
        _: Option<&ur_kernel_exec_info_properties_t>,
        prop_value: *const c_void,
    ) -> Result {
        let expect = |fits: bool| match fits {
            true => Ok(()),
            false => Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE)),
        };
        let mut codes = kernel.different();
        match prop_name {
            UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS => {
                expect(prop_size == size_of::<ur_bool_t>())?;
                // SAFETY: the program passes a value of that size.
                match unsafe { prop_value.cast::<ur_bool_t>().read_unaligned() } {
                    0 => Ok(()),
                    _ => codes.try_for_each(|code| code.lock().reach_all()),
                }
            }
            // Level Zero takes no list; all is sound, too.
            UR_KERNEL_EXEC_INFO_USM_PTRS => {
                expect(prop_size.is_multiple_of(size_of::<*mut c_void>()))?;
                codes.try_for_each(|code| code.lock().reach_all())
            }
            UR_KERNEL_EXEC_INFO_CACHE_CONFIG => {
                expect(prop_size == size_of::<ur_kernel_cache_config_t>())?;
                // SAFETY: the program passes a value of that size.
                let config = unsafe {
                    prop_value
                        .cast::<ur_kernel_cache_config_t>()
                        .read_unaligned()
                };
                codes.try_for_each(|code| code.lock().prefer(config))
            }
            _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        }
    }

    unsafe fn kernel_suggest_max_cooperative_group_count(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        work_dim: u32,
        local_work_size: *const usize,
        dynamic_shared_memory_size: usize,
    ) -> Result<u32> {
        if !(1..=3).contains(&work_dim) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        if !suggest::runs_cooperative(device) {
            return Err(Error::unsupported());
        }
        let code = kernel.on(device)?;
        // SAFETY: the program passes that many sizes.
        let local = unsafe { range::sizes(local_work_size, work_dim, 1) };
        code.lock()
            .most_cooperative(local, dynamic_shared_memory_size)
    }
}

/// What kernels on devices can do; none for other questions.
pub fn able(device: &Device, name: ur_device_info_t) -> Option<Able> {
    match name {
        UR_DEVICE_INFO_KERNEL_LAUNCH_CAPABILITIES => {
            Some(Able::Flags(match suggest::runs_cooperative(device) {
                true => UR_KERNEL_LAUNCH_PROPERTIES_FLAG_COOPERATIVE.0,
                false => 0,
            }))
        }
        _ => None,
    }
}
