//! Our device, through the loader.

use crate::job::{Answer, Arg, Bytes, Code, Job, Launch, Ran};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Calls a function and turns its code into a result; the caller's block is `unsafe`.
macro_rules! ur {
    ($name:ident($($arg:expr),* $(,)?)) => {
        match ur_loader::$name($($arg),*) {
            UR_RESULT_SUCCESS => Ok(()),
            code => Err(format!("{} returned {code}", stringify!($name))),
        }
    };
}

/// A device with a context and a queue. They live as long as the process.
pub struct Unified {
    device: ur_device_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
}

/// An object that is given back.
struct Owned<H: Copy>(H, unsafe extern "C" fn(H) -> ur_result_t);

impl<H: Copy> Drop for Owned<H> {
    fn drop(&mut self) {
        // SAFETY: made with one reference of ours, which nobody else gives back.
        unsafe { (self.1)(self.0) };
    }
}

/// Device memory.
struct Block<'d> {
    device: &'d Unified,
    pointer: *mut c_void,
    size: usize,
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated in this context; the queue was finished.
        unsafe { ur_loader::urUSMFree(self.device.context, self.pointer) };
    }
}

impl Unified {
    /// Opens the first device of the adapters that the environment names.
    ///
    /// # Errors
    /// A call that failed.
    pub fn open() -> Result<Self, String> {
        let mut adapter = null_mut();
        let mut platform = null_mut();
        let mut device = null_mut();
        let mut context = null_mut();
        let mut queue = null_mut();
        let count = null_mut();
        // SAFETY: out-parameters are ours and hold one handle each; handles are used while alive,
        // that is to the end of the process.
        unsafe {
            ur!(urLoaderInit(0, null_mut()))?;
            ur!(urAdapterGet(1, &raw mut adapter, count))?;
            ur!(urPlatformGet(adapter, 1, &raw mut platform, count))?;
            let all = UR_DEVICE_TYPE_ALL;
            ur!(urDeviceGet(platform, all, 1, &raw mut device, count))?;
            ur!(urContextCreate(
                1,
                &raw const device,
                null(),
                &raw mut context
            ))?;
            ur!(urQueueCreate(context, device, null(), &raw mut queue))?;
        }
        if queue.is_null() {
            return Err("no device".to_owned());
        }
        Ok(Self {
            device,
            context,
            queue,
        })
    }

    /// Does a job.
    pub fn run(&self, job: &Job) -> Answer {
        self.try_run(job).map_or_else(Answer::Refused, Answer::Ran)
    }

    fn try_run(&self, job: &Job) -> Result<Vec<Ran>, String> {
        let Code::Il(code) = &job.code else {
            return Err("it takes SPIR-V only".to_owned());
        };
        let options = CString::new(job.options.as_str()).map_err(|error| error.to_string())?;
        let name = CString::new(job.kernel.as_str()).map_err(|error| error.to_string())?;
        let mut program = null_mut();
        // SAFETY: the code is readable for its length; the out-parameter is ours.
        unsafe {
            ur!(urProgramCreateWithIL(
                self.context,
                code.0.as_ptr().cast(),
                code.0.len(),
                null(),
                &raw mut program
            ))
        }?;
        let program = Owned(program, ur_loader::urProgramRelease);
        // SAFETY: live handles and terminated texts; the out-parameter is ours.
        let kernel = unsafe {
            if let Err(failure) = ur!(urProgramBuild(self.context, program.0, options.as_ptr())) {
                return Err(format!("{failure}: {}", self.log(program.0)));
            }
            let mut kernel = null_mut();
            ur!(urKernelCreate(program.0, name.as_ptr(), &raw mut kernel))?;
            Owned(kernel, ur_loader::urKernelRelease)
        };
        let width = self.width(kernel.0);
        job.launches
            .iter()
            .map(|launch| {
                let buffers = self.launch(kernel.0, launch)?;
                Ok(Ran { buffers, width })
            })
            .collect()
    }

    fn log(&self, program: ur_program_handle_t) -> String {
        let mut text = vec![0u8; 4096];
        let mut size = 0;
        // SAFETY: live handles; the place has the size named.
        unsafe {
            ur_loader::urProgramGetBuildInfo(
                program,
                self.device,
                UR_PROGRAM_BUILD_INFO_LOG,
                text.len(),
                text.as_mut_ptr().cast(),
                &raw mut size,
            )
        };
        text.truncate(size.saturating_sub(1));
        String::from_utf8_lossy(&text).into_owned()
    }

    fn width(&self, kernel: ur_kernel_handle_t) -> u32 {
        let mut width = 0u32;
        // SAFETY: live handles; the place has the size named.
        let code = unsafe {
            ur_loader::urKernelGetSubGroupInfo(
                kernel,
                self.device,
                UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE,
                size_of::<u32>(),
                (&raw mut width).cast(),
                null_mut(),
            )
        };
        if code == UR_RESULT_SUCCESS { width } else { 0 }
    }

    fn launch(&self, kernel: ur_kernel_handle_t, launch: &Launch) -> Result<Vec<Bytes>, String> {
        let mut blocks = Vec::new();
        let mut properties = Vec::new();
        for (index, arg) in (0u32..).zip(&launch.args) {
            let (r#type, size, value) = match arg {
                Arg::Buffer(content) => {
                    let block = self.filled(&content.0)?;
                    let pointer = block.pointer;
                    blocks.push(block);
                    let value = ur_exp_kernel_arg_value_t { pointer };
                    (UR_EXP_KERNEL_ARG_TYPE_POINTER, size_of::<usize>(), value)
                }
                Arg::Value(bytes) => {
                    let value = bytes.0.as_ptr().cast();
                    let value = ur_exp_kernel_arg_value_t { value };
                    (UR_EXP_KERNEL_ARG_TYPE_VALUE, bytes.0.len(), value)
                }
                Arg::Local(size) => {
                    let value = ur_exp_kernel_arg_value_t { value: null() };
                    (UR_EXP_KERNEL_ARG_TYPE_LOCAL, *size, value)
                }
            };
            properties.push(ur_exp_kernel_arg_properties_t {
                r#type,
                index,
                size,
                value,
                ..Default::default()
            });
        }
        // SAFETY: live handles; the arrays have the lengths named; argument values and memory live
        // until the queue is finished.
        unsafe {
            ur!(urEnqueueKernelLaunchWithArgsExp(
                self.queue,
                kernel,
                launch.dims,
                launch.offset.as_ptr(),
                launch.global.as_ptr(),
                launch.local.as_ptr(),
                properties.len() as u32,
                properties.as_ptr(),
                null(),
                0,
                null(),
                null_mut()
            ))?;
            ur!(urQueueFinish(self.queue))?;
        }
        blocks.iter().map(Block::content).collect()
    }

    fn filled(&self, content: &[u8]) -> Result<Block<'_>, String> {
        let mut pointer = null_mut();
        // SAFETY: live handles, no pool; the out-parameter is ours.
        unsafe {
            ur!(urUSMDeviceAlloc(
                self.context,
                self.device,
                null(),
                null_mut(),
                content.len().max(1),
                &raw mut pointer
            ))
        }?;
        let block = Block {
            device: self,
            pointer,
            size: content.len(),
        };
        self.copy(pointer, content.as_ptr().cast(), content.len())?;
        Ok(block)
    }

    /// A blocking copy.
    fn copy(&self, to: *mut c_void, from: *const c_void, size: usize) -> Result<(), String> {
        if size == 0 {
            return Ok(());
        }
        // SAFETY: both sides hold `size` bytes: one is a block, the other a vector of its size.
        unsafe {
            ur!(urEnqueueUSMMemcpy(
                self.queue,
                true,
                to,
                from,
                size,
                0,
                null(),
                null_mut()
            ))
        }
    }
}

impl Block<'_> {
    fn content(&self) -> Result<Bytes, String> {
        let mut content = vec![0; self.size];
        self.device
            .copy(content.as_mut_ptr().cast(), self.pointer, self.size)?;
        Ok(Bytes(content))
    }
}
