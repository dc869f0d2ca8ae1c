//! Kernels.
//!
//! OpenCL keeps a kernel's arguments on the kernel and lets only one thread at a time touch them.
//! Here arguments come with the launch, so setting them and using the kernel is one step under the
//! kernel's lock ([`Kernel::with_args`]).

pub mod args;
pub mod info;
pub mod last;
pub mod suggest;

use crate::OpenCl;
use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use crate::device::Device;
use crate::program::{Program, create};
use crate::queue::Queue;
use crate::usm::driver::Source;
use crate::usm::known::List;
use args::SetPointer;
use last::Last;
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLockReadGuard};
use ur_adapter::{Error, Handle, Info, KernelFns, Object, Result};
use ur_api::*;

/// What a kernel handle names.
#[derive(Debug)]
pub struct Kernel {
    /// First, so that it goes before its program.
    native: Owned<cl::cl_kernel>,
    program: Handle<Program>,
    arg_count: u32,
    set_pointer: SetPointer,
    /// Held by whoever sets arguments, until they are used.
    arguments: Mutex<State>,
}

impl Kernel {
    fn new(program: &Object<Program>, native: Owned<cl::cl_kernel>) -> Result<Handle<Self>> {
        let arg_count = value(native.api(), native.get(), cl::CL_KERNEL_NUM_ARGS)?;
        Handle::new(Self {
            arg_count,
            native,
            program: program.handle(),
            set_pointer: SetPointer::of(program.context()),
            arguments: Mutex::new(State {
                seen: None,
                last: Last::new(arg_count),
            }),
        })
    }

    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_kernel {
        self.native.get()
    }

    /// The library's functions.
    pub fn api(&self) -> &'static Functions {
        self.native.api()
    }

    /// The program that it is of.
    pub fn program(&self) -> &Handle<Program> {
        &self.program
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        self.program.context()
    }

    /// How many arguments it has.
    pub fn arg_count(&self) -> u32 {
        self.arg_count
    }

    /// Makes the kernel this thread's until the guard goes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.arguments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets one piece of what OpenCL knows of how the kernel runs.
    fn set_exec_info(&self, name: cl::cl_uint, value: cl::cl_bool) -> Result {
        let set = self.api().clSetKernelExecInfo;
        let set = set.ok_or_else(Error::unsupported)?;
        let size = size_of_val(&value);
        let _guard = self.lock();
        // SAFETY: a live kernel, which is this thread's; the value has that size.
        check(unsafe { set(self.native(), name, size, (&raw const value).cast()) })
    }

    /// Tells the kernel of all shared virtual memory if it reaches that and there is news: unlike
    /// Intel's extension, OpenCL wants to know each allocation.
    /// None of it goes before what comes back is dropped, which is after the launch.
    #[inline]
    fn reach_new(&self, seen: &mut Option<u64>) -> Result<Option<RwLockReadGuard<'_, List>>> {
        match seen {
            None => Ok(None),
            Some(seen) => self.tell_allocations(seen).map(Some),
        }
    }

    #[cold]
    fn tell_allocations(&self, seen: &mut u64) -> Result<RwLockReadGuard<'_, List>> {
        let (list, mut now) = (self.context().known().list(), *seen);
        let Some(starts) = list.news(&mut now) else {
            return Ok(list);
        };
        if !starts.is_empty() {
            let set = self.api().clSetKernelExecInfo;
            let set = set.ok_or_else(Error::unsupported)?;
            let (size, name) = (size_of_val(&*starts), cl::CL_KERNEL_EXEC_INFO_SVM_PTRS);
            // SAFETY: a live kernel, which is this thread's; the list has that size.
            check(unsafe { set(self.native(), name, size, starts.as_ptr().cast()) })?;
        }
        *seen = now;
        Ok(list)
    }

    /// Lets the kernel reach all USM, not only what arguments point to.
    fn reach_all(&self) -> Result {
        match self.context().usm().source() {
            Source::Intel => {}
            Source::Svm(_) => {
                self.lock().seen = Some(0);
                return Ok(());
            }
            // There is nothing that it could not reach.
            Source::None => return Ok(()),
        }
        for name in [
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
        ] {
            self.set_exec_info(name, cl::CL_TRUE)?;
        }
        Ok(())
    }
}

/// What OpenCL's kernel keeps from one launch to the next.
#[derive(Debug)]
struct State {
    /// Which state of the list of shared virtual memory the kernel was told; none if it only reaches
    /// what its arguments point to.
    seen: Option<u64>,
    /// Its arguments.
    last: Last,
}

/// A value that the driver has about a kernel.
fn value<T: query::Answer>(api: &Functions, native: cl::cl_kernel, name: cl::cl_uint) -> Result<T> {
    query::value(|size, value, told| {
        // SAFETY: a live kernel; the places are as `query` says.
        unsafe { (api.clGetKernelInfo)(native, name, size, value, told) }
    })
}

impl KernelFns for OpenCl {
    fn kernel_create(program: &Object<Program>, kernel_name: &CStr) -> Result<Handle<Kernel>> {
        let api = program.api();
        let mut code = 0;
        // SAFETY: a live program and a terminated name; the code's place is ours.
        let native =
            unsafe { (api.clCreateKernel)(program.native(), kernel_name.as_ptr(), &raw mut code) };
        check(code)?;
        // SAFETY: made for this call.
        Kernel::new(program, unsafe { Owned::new(api, native) })
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
        info::answer_group(kernel, device, prop_name, info)
    }

    fn kernel_get_sub_group_info(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        prop_name: ur_kernel_sub_group_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        info::answer_sub_group(kernel, device, prop_name, info)
    }

    fn kernel_get_native_handle(kernel: &Object<Kernel>) -> Result<ur_native_handle_t> {
        kernel.context().pending().note_others();
        Ok(kernel.native().to_native())
    }

    fn kernel_create_with_native_handle(
        native_kernel: ur_native_handle_t,
        context: &Object<Context>,
        program: Option<&Object<Program>>,
        properties: Option<&ur_kernel_native_properties_t>,
    ) -> Result<Handle<Kernel>> {
        let api = context.api();
        let native = cl::cl_kernel::from_native(native_kernel);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL));
        }
        let of: cl::cl_context = value(api, native, cl::CL_KERNEL_CONTEXT)?;
        if of != context.native() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let of: cl::cl_program = value(api, native, cl::CL_KERNEL_PROGRAM)?;
        let program = match program {
            Some(program) if program.native() != of => {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_PROGRAM));
            }
            Some(program) => program.handle(),
            // A kernel keeps its program.
            None => create::from_native(of.to_native(), context, None)?,
        };
        let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        // SAFETY: a live kernel; the program says whether its reference is ours.
        let native = unsafe { Owned::of_native(api, native, given) }?;
        Kernel::new(&program, native)
    }

    unsafe fn kernel_get_suggested_local_work_size(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) -> Result {
        let range = suggest::Range {
            dimensions: num_work_dim,
            offset: global_work_offset,
            global: global_work_size,
        };
        // SAFETY: the program passes that many sizes and has room for as many.
        unsafe { suggest::local_size(kernel, queue, &range, None, suggested_local_work_size) }
    }

    unsafe fn kernel_get_suggested_local_work_size_with_args(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        args: &[ur_exp_kernel_arg_properties_t],
        suggested_local_work_size: *mut usize,
    ) -> Result {
        let range = suggest::Range {
            dimensions: num_work_dim,
            offset: global_work_offset,
            global: global_work_size,
        };
        // SAFETY: as above; arguments are what their types say.
        unsafe { suggest::local_size(kernel, queue, &range, Some(args), suggested_local_work_size) }
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
        match prop_name {
            UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS => {
                expect(prop_size == size_of::<ur_bool_t>())?;
                // SAFETY: the program passes a value of that size.
                match unsafe { prop_value.cast::<ur_bool_t>().read_unaligned() } {
                    0 => Ok(()),
                    _ => kernel.reach_all(),
                }
            }
            // A list that grows would have to be kept and told again and again; all is sound, too.
            UR_KERNEL_EXEC_INFO_USM_PTRS => {
                expect(prop_size.is_multiple_of(size_of::<*mut c_void>()))?;
                kernel.reach_all()
            }
            // OpenCL has no such choice.
            UR_KERNEL_EXEC_INFO_CACHE_CONFIG => {
                expect(prop_size == size_of::<ur_kernel_cache_config_t>())
            }
            _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        }
    }

    unsafe fn kernel_suggest_max_cooperative_group_count(
        _: &Object<Kernel>,
        _: &Object<Device>,
        work_dim: u32,
        _: *const usize,
        _: usize,
    ) -> Result<u32> {
        if !(1..=3).contains(&work_dim) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        // Nothing says that work-groups run at the same time.
        Err(Error::unsupported())
    }
}
