//! Devices of other drivers, through the OpenCL library opened at run time. Which driver that finds
//! is the environment's business (`OCL_ICD_VENDORS`).

use crate::job::{Answer, Arg, Bytes, Code, Job, Launch, Ran};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

const CPU_DEVICE: u64 = 1 << 1;
const READ_WRITE: u64 = 1 << 0;
const COPY_HOST_POINTER: u64 = 1 << 5;
const PROGRAM_BUILD_LOG: c_uint = 0x1183;
const MAX_SUB_GROUP_SIZE_FOR_NDRANGE: c_uint = 0x2033;
const TRUE: c_uint = 1;

/// Declares the functions that are looked up, each with its type.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),* $(,)?) -> $result:ty;)*) => {
        /// Functions of the library.
        #[allow(non_snake_case, reason = "the names of the library")]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> $result,)*
        }

        impl Functions {
            /// Looks all of them up.
            ///
            /// # Safety
            /// `library` was opened and is OpenCL's.
            unsafe fn of(library: *mut c_void) -> Result<Self, String> {
                Ok(Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: an open library and a terminated name.
                        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                        if address.is_null() {
                            return Err(format!("the OpenCL library lacks {}", stringify!($name)));
                        }
                        // SAFETY: the function of that name has this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($arg),*) -> $result,
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    clGetPlatformIDs: fn(c_uint, *mut Handle, *mut c_uint) -> c_int;
    clGetDeviceIDs: fn(Handle, u64, c_uint, *mut Handle, *mut c_uint) -> c_int;
    clCreateContext: fn(
        *const isize, c_uint, *const Handle, *const c_void, *const c_void, *mut c_int,
    ) -> Handle;
    clCreateCommandQueue: fn(Handle, Handle, u64, *mut c_int) -> Handle;
    clCreateProgramWithIL: fn(Handle, *const c_void, usize, *mut c_int) -> Handle;
    clCreateProgramWithSource: fn(
        Handle, c_uint, *const *const c_char, *const usize, *mut c_int,
    ) -> Handle;
    clBuildProgram: fn(
        Handle, c_uint, *const Handle, *const c_char, *const c_void, *const c_void,
    ) -> c_int;
    clGetProgramBuildInfo: fn(
        Handle, Handle, c_uint, usize, *mut c_void, *mut usize,
    ) -> c_int;
    clCreateKernel: fn(Handle, *const c_char, *mut c_int) -> Handle;
    clSetKernelArg: fn(Handle, c_uint, usize, *const c_void) -> c_int;
    clGetKernelSubGroupInfo: fn(
        Handle, Handle, c_uint, usize, *const c_void, usize, *mut c_void, *mut usize,
    ) -> c_int;
    clCreateBuffer: fn(Handle, u64, usize, *mut c_void, *mut c_int) -> Handle;
    clEnqueueNDRangeKernel: fn(
        Handle, Handle, c_uint, *const usize, *const usize, *const usize, c_uint, *const Handle,
        *mut Handle,
    ) -> c_int;
    clEnqueueReadBuffer: fn(
        Handle, Handle, c_uint, usize, usize, *mut c_void, c_uint, *const Handle, *mut Handle,
    ) -> c_int;
    clFinish: fn(Handle) -> c_int;
    clReleaseMemObject: fn(Handle) -> c_int;
    clReleaseKernel: fn(Handle) -> c_int;
    clReleaseProgram: fn(Handle) -> c_int;
}

/// A CPU device with a context and a queue. They live as long as the process.
pub struct OpenCl {
    functions: Functions,
    device: Handle,
    context: Handle,
    queue: Handle,
}

/// An object that is given back.
struct Owned(Handle, unsafe extern "C" fn(Handle) -> c_int);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made with one reference of ours, which nobody else gives back.
        unsafe { (self.1)(self.0) };
    }
}

/// Turns a code into a result.
fn check(call: &str, code: c_int) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("{call} returned {code}")),
    }
}

impl OpenCl {
    /// Opens the first CPU device that the library finds.
    ///
    /// # Errors
    /// The library or a device is missing, or a call failed.
    pub fn open(library: &Path) -> Result<Self, String> {
        let path = CString::new(library.as_os_str().as_encoded_bytes())
            .map_err(|error| error.to_string())?;
        // SAFETY: a terminated path; what the library does on being opened is its business.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            // SAFETY: after a failure the text is there, and copied at once.
            let reason = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(reason.to_string_lossy().into_owned());
        }
        // SAFETY: opened above.
        let functions = unsafe { Functions::of(handle) }?;
        let mut platforms = [null_mut(); 16];
        let mut found = 0;
        // SAFETY: the array has the length named; the count is ours.
        let code =
            unsafe { (functions.clGetPlatformIDs)(16, platforms.as_mut_ptr(), &raw mut found) };
        check("clGetPlatformIDs", code)?;
        let found = platforms.iter().take(found as usize).find_map(|platform| {
            let mut device = null_mut();
            // SAFETY: a platform of the library; the place is for one device.
            let code = unsafe {
                (functions.clGetDeviceIDs)(*platform, CPU_DEVICE, 1, &raw mut device, null_mut())
            };
            (code == 0).then_some(device)
        });
        let device = found.ok_or("no CPU device")?;
        let mut code = 0;
        // SAFETY: one live device, no properties, no callback; the code's place is ours.
        let context = unsafe {
            (functions.clCreateContext)(null(), 1, &device, null(), null(), &raw mut code)
        };
        check("clCreateContext", code)?;
        // SAFETY: live handles; the code's place is ours.
        let queue = unsafe { (functions.clCreateCommandQueue)(context, device, 0, &raw mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Self {
            functions,
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
        let program = self.program(&job.code)?;
        let options = CString::new(job.options.as_str()).map_err(|error| error.to_string())?;
        // SAFETY: live handles and a terminated text; no callback, so the call waits.
        let code = unsafe {
            (self.functions.clBuildProgram)(
                program.0,
                1,
                &self.device,
                options.as_ptr(),
                null(),
                null(),
            )
        };
        if let Err(failure) = check("clBuildProgram", code) {
            return Err(format!("{failure}: {}", self.log(program.0)));
        }
        let name = CString::new(job.kernel.as_str()).map_err(|error| error.to_string())?;
        let mut code = 0;
        // SAFETY: a built program and a terminated name; the code's place is ours.
        let kernel =
            unsafe { (self.functions.clCreateKernel)(program.0, name.as_ptr(), &raw mut code) };
        check("clCreateKernel", code)?;
        let kernel = Owned(kernel, self.functions.clReleaseKernel);
        job.launches
            .iter()
            .map(|launch| {
                Ok(Ran {
                    buffers: self.launch(kernel.0, launch)?,
                    width: self.width(kernel.0, launch),
                })
            })
            .collect()
    }

    fn program(&self, code: &Code) -> Result<Owned, String> {
        let mut status = 0;
        // SAFETY: the code is readable for its length; the status's place is ours.
        let program = unsafe {
            match code {
                Code::Il(bytes) => (self.functions.clCreateProgramWithIL)(
                    self.context,
                    bytes.0.as_ptr().cast(),
                    bytes.0.len(),
                    &raw mut status,
                ),
                Code::Source(text) => (self.functions.clCreateProgramWithSource)(
                    self.context,
                    1,
                    &text.as_ptr().cast(),
                    &text.len(),
                    &raw mut status,
                ),
            }
        };
        check("clCreateProgram", status)?;
        Ok(Owned(program, self.functions.clReleaseProgram))
    }

    fn log(&self, program: Handle) -> String {
        let mut text = vec![0u8; 1 << 16];
        let mut size = 0;
        // SAFETY: live handles; the place has the size named.
        let code = unsafe {
            (self.functions.clGetProgramBuildInfo)(
                program,
                self.device,
                PROGRAM_BUILD_LOG,
                text.len(),
                text.as_mut_ptr().cast(),
                &raw mut size,
            )
        };
        text.truncate(if code == 0 { size.saturating_sub(1) } else { 0 });
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Work-items of a full sub-group in a launch, 0 if the driver has none.
    fn width(&self, kernel: Handle, launch: &Launch) -> u32 {
        let mut width = 0usize;
        // SAFETY: live handles; both places have the sizes named.
        let code = unsafe {
            (self.functions.clGetKernelSubGroupInfo)(
                kernel,
                self.device,
                MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                launch.dims as usize * size_of::<usize>(),
                launch.local.as_ptr().cast(),
                size_of::<usize>(),
                (&raw mut width).cast(),
                null_mut(),
            )
        };
        if code == 0 { width as u32 } else { 0 }
    }

    fn launch(&self, kernel: Handle, launch: &Launch) -> Result<Vec<Bytes>, String> {
        let mut blocks = Vec::new();
        for (index, arg) in (0..).zip(&launch.args) {
            let code = match arg {
                Arg::Buffer(content) => {
                    let block = self.filled(&content.0)?;
                    // SAFETY: the value is a live memory object, copied by the call.
                    let code = unsafe {
                        let value = (&raw const block.0).cast();
                        (self.functions.clSetKernelArg)(kernel, index, size_of::<Handle>(), value)
                    };
                    blocks.push((block, content.0.len()));
                    code
                }
                // SAFETY: the value is readable for its length, and copied by the call.
                Arg::Value(bytes) => unsafe {
                    let value = bytes.0.as_ptr().cast();
                    (self.functions.clSetKernelArg)(kernel, index, bytes.0.len(), value)
                },
                // SAFETY: local memory has no value.
                Arg::Local(size) => unsafe {
                    (self.functions.clSetKernelArg)(kernel, index, *size, null())
                },
            };
            check("clSetKernelArg", code)?;
        }
        // SAFETY: live handles; the arrays hold a number for each dimension; no events.
        let code = unsafe {
            (self.functions.clEnqueueNDRangeKernel)(
                self.queue,
                kernel,
                launch.dims,
                launch.offset.as_ptr(),
                launch.global.as_ptr(),
                launch.local.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueNDRangeKernel", code)?;
        // SAFETY: a live queue.
        check("clFinish", unsafe { (self.functions.clFinish)(self.queue) })?;
        blocks
            .iter()
            .map(|(block, size)| self.content(block.0, *size))
            .collect()
    }

    fn filled(&self, content: &[u8]) -> Result<Owned, String> {
        // Memory of no size does not exist.
        let mut bytes = content.to_vec();
        bytes.resize(bytes.len().max(1), 0);
        let mut code = 0;
        // SAFETY: the content is read during the call and has the length named.
        let block = unsafe {
            (self.functions.clCreateBuffer)(
                self.context,
                READ_WRITE | COPY_HOST_POINTER,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                &raw mut code,
            )
        };
        check("clCreateBuffer", code)?;
        Ok(Owned(block, self.functions.clReleaseMemObject))
    }

    fn content(&self, block: Handle, size: usize) -> Result<Bytes, String> {
        let mut content = vec![0; size];
        if size > 0 {
            // SAFETY: a live buffer of at least that size; the call waits for the copy.
            let code = unsafe {
                (self.functions.clEnqueueReadBuffer)(
                    self.queue,
                    block,
                    TRUE,
                    0,
                    size,
                    content.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            check("clEnqueueReadBuffer", code)?;
        }
        Ok(Bytes(content))
    }
}
