//! Our device, through UR.

use crate::case::{Arg, Case, Job, Range};
use crate::device::{Device, LARGE, Ready, SMALL, Step, Steps};
use crate::functions::Functions;
use crate::suite;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Calls a function of the table and turns its code into a result; the caller's block is `unsafe`.
macro_rules! ur {
    ($functions:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $functions.$name {
            None => Err(concat!("the loader lacks ", stringify!($name)).to_owned()),
            Some(function) => match function($($arg),*) {
                UR_RESULT_SUCCESS => Ok(()),
                code => Err(format!("{} returned {code}", stringify!($name))),
            },
        }
    };
}

/// A device with a context and an in-order queue. They live as long as the process.
pub struct Ours {
    functions: Functions,
    device: ur_device_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
}

/// An object that is given back.
struct Owned<H: Copy>(H, Option<unsafe extern "C" fn(H) -> ur_result_t>);

impl<H: Copy> Drop for Owned<H> {
    fn drop(&mut self) {
        if let Some(release) = self.1 {
            // SAFETY: made with one reference of ours, which nobody else gives back.
            unsafe { release(self.0) };
        }
    }
}

/// A built program.
struct Program(Owned<ur_program_handle_t>);
/// A kernel.
struct Kernel(Owned<ur_kernel_handle_t>);

/// Device memory.
struct Block<'d> {
    device: &'d Ours,
    pointer: *mut c_void,
    size: usize,
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        if let Some(free) = self.device.functions.urUSMFree {
            // SAFETY: allocated in this context; what used it was waited for.
            unsafe { free(self.device.context, self.pointer) };
        }
    }
}

impl Ours {
    /// Opens the first device of the adapters that the environment names.
    ///
    /// # Errors
    /// A call that failed, or no device.
    pub fn open(functions: Functions) -> Result<Self, String> {
        let mut adapter = null_mut();
        let mut platform = null_mut();
        let mut device = null_mut();
        let mut context = null_mut();
        let count = null_mut();
        // SAFETY: out-parameters are ours and hold one handle each; handles are used while alive,
        // that is to the end of the process.
        unsafe {
            ur!(functions, urLoaderInit(0, null_mut()))?;
            ur!(functions, urAdapterGet(1, &raw mut adapter, count))?;
            if adapter.is_null() {
                return Err("no adapter; `ur info` shows which were tried".to_owned());
            }
            ur!(
                functions,
                urPlatformGet(adapter, 1, &raw mut platform, count)
            )?;
            let all = UR_DEVICE_TYPE_ALL;
            ur!(
                functions,
                urDeviceGet(platform, all, 1, &raw mut device, count)
            )?;
            ur!(
                functions,
                urContextCreate(1, &raw const device, null(), &raw mut context)
            )?;
        }
        let mut this = Self {
            functions,
            device,
            context,
            queue: null_mut(),
        };
        this.queue = this.new_queue(0)?;
        Ok(this)
    }

    fn new_queue(&self, flags: ur_queue_flags_t) -> Result<ur_queue_handle_t, String> {
        let properties = ur_queue_properties_t {
            flags,
            ..Default::default()
        };
        let mut queue = null_mut();
        // SAFETY: live handles and a valid structure; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urQueueCreate(
                    self.context,
                    self.device,
                    &raw const properties,
                    &raw mut queue
                )
            )
        }?;
        Ok(queue)
    }

    fn program(&self, il: &[u8]) -> Result<Program, String> {
        let mut program = null_mut();
        // SAFETY: the code is readable for its length; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urProgramCreateWithIL(
                    self.context,
                    il.as_ptr().cast(),
                    il.len(),
                    null(),
                    &raw mut program
                )
            )
        }?;
        let program = Program(Owned(program, self.functions.urProgramRelease));
        // SAFETY: live handles and a terminated text.
        let built = unsafe {
            ur!(
                self.functions,
                urProgramBuild(self.context, program.0.0, c"".as_ptr())
            )
        };
        built.map_err(|failure| format!("{failure}: {}", self.log(&program)))?;
        Ok(program)
    }

    fn log(&self, program: &Program) -> String {
        let mut text = vec![0u8; 4096];
        let mut size = 0;
        // SAFETY: live handles; the place has the size named.
        let asked = unsafe {
            ur!(
                self.functions,
                urProgramGetBuildInfo(
                    program.0.0,
                    self.device,
                    UR_PROGRAM_BUILD_INFO_LOG,
                    text.len(),
                    text.as_mut_ptr().cast(),
                    &raw mut size,
                )
            )
        };
        text.truncate(asked.map_or(0, |()| size.saturating_sub(1)));
        String::from_utf8_lossy(&text).into_owned()
    }

    fn kernel(&self, program: &Program, name: &str) -> Result<Kernel, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let mut kernel = null_mut();
        // SAFETY: a live program and a terminated name; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urKernelCreate(program.0.0, name.as_ptr(), &raw mut kernel)
            )
        }?;
        Ok(Kernel(Owned(kernel, self.functions.urKernelRelease)))
    }

    fn block(&self, size: usize) -> Result<Block<'_>, String> {
        let mut pointer = null_mut();
        // SAFETY: live handles, no pool; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urUSMDeviceAlloc(
                    self.context,
                    self.device,
                    null(),
                    null_mut(),
                    size.max(1),
                    &raw mut pointer
                )
            )
        }?;
        Ok(Block {
            device: self,
            pointer,
            size,
        })
    }

    fn copy(
        &self,
        blocking: bool,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
    ) -> Result<(), String> {
        if size == 0 {
            return Ok(());
        }
        // SAFETY: both sides hold `size` bytes: blocks, or a vector that lives longer than a
        // blocking call.
        unsafe {
            ur!(
                self.functions,
                urEnqueueUSMMemcpy(self.queue, blocking, to, from, size, 0, null(), null_mut())
            )
        }
    }

    fn enqueue(
        &self,
        queue: ur_queue_handle_t,
        kernel: &Kernel,
        range: &Range,
        args: &[ur_exp_kernel_arg_properties_t],
    ) -> Result<(), String> {
        let local = range.local.as_ref().map_or(null(), |local| local.as_ptr());
        // SAFETY: live handles; the arrays have the lengths named; values of arguments are readable
        // during the call, which copies them, and memory lives until it was waited for; no events.
        unsafe {
            ur!(
                self.functions,
                urEnqueueKernelLaunchWithArgsExp(
                    queue,
                    kernel.0.0,
                    range.global.len() as u32,
                    [0usize; 3].as_ptr(),
                    range.global.as_ptr(),
                    local,
                    args.len() as u32,
                    args.as_ptr(),
                    null(),
                    0,
                    null(),
                    null_mut()
                )
            )
        }
    }

    fn finish(&self, queue: ur_queue_handle_t) -> Result<(), String> {
        // SAFETY: a live queue.
        unsafe { ur!(self.functions, urQueueFinish(queue)) }
    }

    /// A block with its first content.
    fn filled(&self, content: &[u8]) -> Result<Block<'_>, String> {
        let block = self.block(content.len())?;
        self.copy(true, block.pointer, content.as_ptr().cast(), content.len())?;
        Ok(block)
    }
}

/// The structure that passes an argument to a launch. It points to the value that is in `arg`.
fn properties(
    index: u32,
    arg: &Arg,
    pointer: Option<*mut c_void>,
) -> ur_exp_kernel_arg_properties_t {
    let (r#type, size, value) = match arg {
        Arg::Buffer(_) => {
            let pointer = pointer.unwrap_or(null_mut());
            let value = ur_exp_kernel_arg_value_t { pointer };
            (UR_EXP_KERNEL_ARG_TYPE_POINTER, size_of::<usize>(), value)
        }
        Arg::Value(bytes) => {
            let value = bytes.as_ptr().cast();
            let value = ur_exp_kernel_arg_value_t { value };
            (UR_EXP_KERNEL_ARG_TYPE_VALUE, bytes.len(), value)
        }
        Arg::Local(size) => {
            let value = ur_exp_kernel_arg_value_t { value: null() };
            (UR_EXP_KERNEL_ARG_TYPE_LOCAL, *size, value)
        }
    };
    ur_exp_kernel_arg_properties_t {
        r#type,
        index,
        size,
        value,
        ..Default::default()
    }
}

/// A kernel with its arguments.
struct Prepared<'d> {
    device: &'d Ours,
    kernel: Kernel,
    blocks: Vec<Block<'d>>,
    /// The buffers' first contents and the values, which `properties` points to.
    args: Vec<Arg>,
    properties: Vec<ur_exp_kernel_arg_properties_t>,
    range: Range,
}

impl Ready for Prepared<'_> {
    fn reset(&mut self) -> Result<(), String> {
        let contents = self.args.iter().filter_map(Arg::content);
        for (block, content) in self.blocks.iter().zip(contents) {
            let from = content.as_ptr().cast();
            self.device.copy(true, block.pointer, from, content.len())?;
        }
        Ok(())
    }

    fn launch(&mut self) -> Result<(), String> {
        let queue = self.device.queue;
        self.device
            .enqueue(queue, &self.kernel, &self.range, &self.properties)?;
        self.device.finish(queue)
    }

    fn contents(&mut self) -> Result<Vec<Vec<u8>>, String> {
        let read = |block: &Block<'_>| {
            let mut content = vec![0u8; block.size];
            let to = content.as_mut_ptr().cast();
            self.device.copy(true, to, block.pointer, block.size)?;
            Ok(content)
        };
        self.blocks.iter().map(read).collect()
    }
}

/// Objects for the short steps.
struct Short<'d> {
    device: &'d Ours,
    kernel: Kernel,
    any_order: Owned<ur_queue_handle_t>,
    small: [Block<'d>; 2],
    large: [Block<'d>; 2],
    range: Range,
}

impl Steps for Short<'_> {
    fn enqueue(&mut self, step: Step) -> Result<(), String> {
        let device = self.device;
        let copy = |[to, from]: &[Block<'_>; 2]| {
            device.copy(false, to.pointer, from.pointer.cast_const(), to.size)
        };
        match step {
            Step::Empty => device.enqueue(device.queue, &self.kernel, &self.range, &[]),
            Step::Fan => device.enqueue(self.any_order.0, &self.kernel, &self.range, &[]),
            Step::CopySmall => copy(&self.small),
            Step::CopyLarge => copy(&self.large),
        }
    }

    fn finish(&mut self, step: Step) -> Result<(), String> {
        self.device.finish(match step {
            Step::Fan => self.any_order.0,
            _ => self.device.queue,
        })
    }
}

impl Device for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn describe(&self) -> String {
        let mut text = [0u8; 256];
        let mut size = 0;
        // SAFETY: a live device; the place has the size named.
        let asked = unsafe {
            ur!(
                self.functions,
                urDeviceGetInfo(
                    self.device,
                    UR_DEVICE_INFO_NAME,
                    text.len(),
                    text.as_mut_ptr().cast(),
                    &raw mut size
                )
            )
        };
        let size = asked.map_or(0, |()| size.saturating_sub(1));
        String::from_utf8_lossy(&text[..size]).trim().to_owned()
    }

    fn takes_il(&self) -> bool {
        true
    }

    fn prepare<'d>(&'d self, case: &Case, job: &Job) -> Result<Box<dyn Ready + 'd>, String> {
        let program = self.program(case.code.il)?;
        let kernel = self.kernel(&program, case.kernel)?;
        let args = job.args.clone();
        let mut blocks = Vec::new();
        let mut list = Vec::new();
        for (index, arg) in (0u32..).zip(&args) {
            let block = arg.content().map(|content| self.filled(content));
            let block = block.transpose()?;
            let pointer = block.as_ref().map(|block| block.pointer);
            // The values stay where they are when `args` moves.
            list.push(properties(index, arg, pointer));
            blocks.extend(block);
        }
        Ok(Box::new(Prepared {
            device: self,
            kernel,
            blocks,
            args,
            properties: list,
            range: job.range.clone(),
        }))
    }

    fn build(&self, il: &[u8], kernels: &[String]) -> Result<(), String> {
        let program = self.program(il)?;
        for name in kernels {
            self.kernel(&program, name)?;
        }
        Ok(())
    }

    fn steps<'d>(&'d self) -> Result<Box<dyn Steps + 'd>, String> {
        let program = self.program(suite::EMPTY.il)?;
        let any_order = self.new_queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)?;
        Ok(Box::new(Short {
            device: self,
            kernel: self.kernel(&program, suite::EMPTY_KERNEL)?,
            any_order: Owned(any_order, self.functions.urQueueRelease),
            small: [self.block(SMALL)?, self.block(SMALL)?],
            large: [self.block(LARGE)?, self.block(LARGE)?],
            range: Range::groups(1, 1),
        }))
    }
}
