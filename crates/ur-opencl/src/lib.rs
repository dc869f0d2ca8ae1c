//! Devices of other drivers, through the OpenCL library opened at run time, for tools that compare
//! ours with them. Errors are texts for people.
//!
//! Which drivers the OpenCL library finds is the environment's business; [`vendors`] makes a folder
//! for `OCL_ICD_VENDORS` that leads it to the ones wanted.

mod found;
mod functions;
mod usm;

pub use found::{Found, Kind};
use functions::Functions;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
pub use usm::{Block, Usm};

/// An object of the library.
pub type Handle = *mut c_void;

const OUT_OF_ORDER: u64 = 1 << 0;
const READ_WRITE: u64 = 1 << 0;
const COPY_HOST_POINTER: u64 = 1 << 5;
const DEVICE_NAME: c_uint = 0x102b;
const DRIVER_VERSION: c_uint = 0x102d;
const IL_VERSION: c_uint = 0x105b;
const PROGRAM_BUILD_LOG: c_uint = 0x1183;
const MAX_SUB_GROUP_SIZE_FOR_NDRANGE: c_uint = 0x2033;
const TRUE: c_uint = 1;

/// Makes a folder of `.icd` files, one for each driver, with this name among the temporary files;
/// `OCL_ICD_VENDORS` takes it. A driver's name without a slash that is no file here is looked for as
/// the dynamic linker does. The caller removes the folder. An old folder of that name goes first, so
/// that nobody else can have put a driver into it.
///
/// # Errors
/// The folder or a file cannot be written, or the old folder belongs to someone else.
pub fn vendors(name: &str, drivers: &[&Path]) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(name);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
    for (number, driver) in drivers.iter().enumerate() {
        let name = driver.parent() == Some(Path::new(""));
        let driver = if name && !driver.exists() {
            (*driver).to_owned()
        } else {
            std::path::absolute(driver)?
        };
        let text = format!("{}\n", driver.display());
        std::fs::write(folder.join(format!("{number}.icd")), text)?;
    }
    Ok(folder)
}

/// The OpenCL library; it stays open as long as the process lives.
#[derive(Clone, Copy)]
pub struct Library(&'static Functions);

/// A device with a context and an in-order queue. They live as long as the process.
#[derive(Clone)]
pub struct Device {
    functions: &'static Functions,
    platform: Handle,
    device: Handle,
    context: Handle,
    queue: Handle,
}

/// A program; it lives as long as a value refers to it.
pub struct Program(Owned);
/// A kernel.
pub struct Kernel(Owned);
/// A buffer.
pub struct Buffer {
    object: Owned,
    size: usize,
}
/// A queue beside the device's own.
pub struct Queue(Owned);

/// An object that is given back.
struct Owned(Handle, unsafe extern "C" fn(Handle) -> c_int);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made with one reference of ours, which nobody else gives back.
        unsafe { (self.1)(self.0) };
    }
}

/// Sizes of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// Global size, a number for each of 1 to 3 dimensions.
    pub global: &'a [usize],
    /// Global offset, as many numbers; none means 0.
    pub offset: Option<&'a [usize]>,
    /// Work-group size, as many numbers; the driver chooses when there is none.
    pub local: Option<&'a [usize]>,
}

/// Turns a code into a result.
fn check(call: &str, code: c_int) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("{call} returned {code}")),
    }
}

impl Library {
    /// Opens the library; a name without a slash is looked for as the dynamic linker does.
    ///
    /// # Errors
    /// It cannot be opened, or lacks a function.
    pub fn open(library: &Path) -> Result<Self, String> {
        Ok(Self(Box::leak(Box::new(Functions::open(library)?))))
    }

    /// The CPU devices of all platforms: the platform's name, and the device ready for use.
    ///
    /// # Errors
    /// A call that failed.
    pub fn devices(&self) -> Result<Vec<(String, Device)>, String> {
        let found = self.find(Kind::Cpu)?.into_iter();
        found
            .map(|found| Ok((found.platform(), found.open()?)))
            .collect()
    }

    /// A program of OpenCL C in a context that somebody else made, not built. The caller owns the
    /// reference.
    ///
    /// # Errors
    /// A call that failed.
    ///
    /// # Safety
    /// `context` is a live context of this library.
    pub unsafe fn program(&self, context: Handle, source: &str) -> Result<Handle, String> {
        let mut status = 0;
        // SAFETY: a live context; the text is readable for its length; the status's place is ours.
        let program = unsafe {
            (self.0.clCreateProgramWithSource)(
                context,
                1,
                &source.as_ptr().cast(),
                &source.len(),
                &raw mut status,
            )
        };
        check("clCreateProgramWithSource", status)?;
        Ok(program)
    }
}

/// An info value that is text; empty when the object does not have it.
fn text(
    get: unsafe extern "C" fn(Handle, c_uint, usize, *mut c_void, *mut usize) -> c_int,
    object: Handle,
    name: c_uint,
) -> String {
    let mut bytes = [0u8; 1024];
    let mut size = 0;
    // SAFETY: a live object; the place has the size named.
    let code = unsafe {
        get(
            object,
            name,
            bytes.len(),
            bytes.as_mut_ptr().cast(),
            &raw mut size,
        )
    };
    let size = if code == 0 { size.saturating_sub(1) } else { 0 };
    String::from_utf8_lossy(&bytes[..size.min(bytes.len())])
        .trim()
        .to_owned()
}

impl Device {
    /// The device's name and its driver's version.
    pub fn name(&self) -> String {
        let get = self.functions.clGetDeviceInfo;
        let (name, version) = (
            text(get, self.device, DEVICE_NAME),
            text(get, self.device, DRIVER_VERSION),
        );
        format!("{name}, driver {version}")
    }

    /// The driver's own object.
    pub fn handle(&self) -> Handle {
        self.device
    }

    /// Whether programs can be SPIR-V.
    pub fn takes_il(&self) -> bool {
        text(self.functions.clGetDeviceInfo, self.device, IL_VERSION).contains("SPIR-V")
    }

    /// Asks for some of the device's info values; the names are `CL_DEVICE_*`.
    ///
    /// # Errors
    /// The device does not know one, or it is longer than 256 bytes.
    pub fn query(&self, names: &[c_uint]) -> Result<(), String> {
        let mut place = [0u8; 256];
        for name in names {
            let (size, to) = (place.len(), place.as_mut_ptr().cast());
            let get = self.functions.clGetDeviceInfo;
            // SAFETY: a live device; the place has the size named.
            let code = unsafe { get(self.device, *name, size, to, null_mut()) };
            check("clGetDeviceInfo", code)?;
        }
        Ok(())
    }

    /// A queue that may run its commands in any order.
    ///
    /// # Errors
    /// The driver has none.
    pub fn out_of_order(&self) -> Result<Queue, String> {
        let mut code = 0;
        // SAFETY: live handles; the code's place is ours.
        let queue = unsafe {
            (self.functions.clCreateCommandQueue)(
                self.context,
                self.device,
                OUT_OF_ORDER,
                &raw mut code,
            )
        };
        check("clCreateCommandQueue", code)?;
        Ok(Queue(Owned(queue, self.functions.clReleaseCommandQueue)))
    }

    /// A program from SPIR-V, built.
    ///
    /// # Errors
    /// The driver's build log.
    pub fn build_il(&self, il: &[u8], options: &str) -> Result<Program, String> {
        let mut status = 0;
        // SAFETY: the code is readable for its length; the status's place is ours.
        let program = unsafe {
            (self.functions.clCreateProgramWithIL)(
                self.context,
                il.as_ptr().cast(),
                il.len(),
                &raw mut status,
            )
        };
        check("clCreateProgramWithIL", status)?;
        self.built(Owned(program, self.functions.clReleaseProgram), options)
    }

    /// A program from OpenCL C, built.
    ///
    /// # Errors
    /// The driver's build log.
    pub fn build_source(&self, source: &str, options: &str) -> Result<Program, String> {
        // SAFETY: the context is the device's own.
        let program = unsafe { Library(self.functions).program(self.context, source) }?;
        self.built(Owned(program, self.functions.clReleaseProgram), options)
    }

    fn built(&self, program: Owned, options: &str) -> Result<Program, String> {
        let options = CString::new(options).map_err(|error| error.to_string())?;
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
        match check("clBuildProgram", code) {
            Ok(()) => Ok(Program(program)),
            Err(failure) => Err(format!("{failure}: {}", self.log(program.0))),
        }
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

    /// A kernel of a program.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn kernel(&self, program: &Program, name: &str) -> Result<Kernel, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let mut code = 0;
        // SAFETY: a built program and a terminated name; the code's place is ours.
        let kernel =
            unsafe { (self.functions.clCreateKernel)(program.0.0, name.as_ptr(), &raw mut code) };
        check("clCreateKernel", code)?;
        Ok(Kernel(Owned(kernel, self.functions.clReleaseKernel)))
    }

    /// All kernels of a program.
    ///
    /// # Errors
    /// A call that failed.
    pub fn kernels(&self, program: &Program) -> Result<Vec<Kernel>, String> {
        let create = self.functions.clCreateKernelsInProgram;
        let mut count = 0;
        // SAFETY: a built program; only the count is asked for.
        let code = unsafe { create(program.0.0, 0, null_mut(), &raw mut count) };
        check("clCreateKernelsInProgram", code)?;
        let mut kernels = vec![null_mut(); count as usize];
        // SAFETY: the array has room for so many.
        let code = unsafe { create(program.0.0, count, kernels.as_mut_ptr(), null_mut()) };
        check("clCreateKernelsInProgram", code)?;
        let release = self.functions.clReleaseKernel;
        let owned = kernels.into_iter();
        Ok(owned.map(|kernel| Kernel(Owned(kernel, release))).collect())
    }

    /// Work-items of a full sub-group in launches with this work-group size, 0 if the driver has
    /// none.
    pub fn sub_group_size(&self, kernel: &Kernel, local: &[usize]) -> u32 {
        let mut width = 0usize;
        // SAFETY: live handles; both places have the sizes named.
        let code = unsafe {
            (self.functions.clGetKernelSubGroupInfo)(
                kernel.0.0,
                self.device,
                MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                size_of_val(local),
                local.as_ptr().cast(),
                size_of::<usize>(),
                (&raw mut width).cast(),
                null_mut(),
            )
        };
        if code == 0 { width as u32 } else { 0 }
    }

    /// A buffer with its first content; one byte large when there is none, since memory of no size
    /// does not exist.
    ///
    /// # Errors
    /// A call that failed.
    pub fn buffer(&self, content: &[u8]) -> Result<Buffer, String> {
        let one = [0u8];
        let from = if content.is_empty() { &one } else { content };
        let place = from.as_ptr().cast_mut().cast();
        // SAFETY: the content is only read, during the call, and has the length named.
        let object = unsafe { self.memory(READ_WRITE | COPY_HOST_POINTER, from.len(), place) }?;
        Ok(Buffer {
            object,
            size: content.len(),
        })
    }

    /// A buffer of so many bytes, whose content is not known.
    ///
    /// # Errors
    /// A call that failed.
    pub fn empty_buffer(&self, size: usize) -> Result<Buffer, String> {
        // SAFETY: nothing is read.
        let object = unsafe { self.memory(READ_WRITE, size, null_mut()) }?;
        Ok(Buffer { object, size })
    }

    /// A memory object.
    ///
    /// # Safety
    /// What `from` points to is readable for `size` bytes, if it is not null.
    unsafe fn memory(&self, flags: u64, size: usize, from: Handle) -> Result<Owned, String> {
        let (create, mut code) = (self.functions.clCreateBuffer, 0);
        // SAFETY: as the caller says; the code's place is ours.
        let object = unsafe { create(self.context, flags, size, from, &raw mut code) };
        check("clCreateBuffer", code)?;
        Ok(Owned(object, self.functions.clReleaseMemObject))
    }

    /// What is in a buffer, after all that was enqueued before.
    ///
    /// # Errors
    /// A call that failed.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, String> {
        let mut content = vec![0; buffer.size];
        self.read_to(buffer, &mut content)?;
        Ok(content)
    }

    /// Reads as many bytes of a buffer as there is room for, after all that was enqueued before.
    ///
    /// # Errors
    /// There is more room than bytes, or a call failed.
    pub fn read_to(&self, buffer: &Buffer, content: &mut [u8]) -> Result<(), String> {
        if content.is_empty() {
            return Ok(());
        }
        // SAFETY: a live buffer, whose size the driver checks; the call waits for the copy.
        let code = unsafe {
            (self.functions.clEnqueueReadBuffer)(
                self.queue,
                buffer.object.0,
                TRUE,
                0,
                content.len(),
                content.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueReadBuffer", code)
    }

    /// Gives a buffer new content, as long as or shorter than its first.
    ///
    /// # Errors
    /// A call that failed.
    pub fn write(&self, buffer: &Buffer, content: &[u8]) -> Result<(), String> {
        if content.is_empty() {
            return Ok(());
        }
        // SAFETY: a live buffer, whose size the driver checks; the call waits for the copy.
        let code = unsafe {
            (self.functions.clEnqueueWriteBuffer)(
                self.queue,
                buffer.object.0,
                TRUE,
                0,
                content.len(),
                content.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueWriteBuffer", code)
    }

    /// Enqueues a copy of the first `size` bytes of a buffer to another.
    ///
    /// # Errors
    /// A call that failed.
    pub fn copy(&self, to: &Buffer, from: &Buffer, size: usize) -> Result<(), String> {
        // SAFETY: live buffers, whose sizes the driver checks.
        let code = unsafe {
            (self.functions.clEnqueueCopyBuffer)(
                self.queue,
                from.object.0,
                to.object.0,
                0,
                0,
                size,
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueCopyBuffer", code)
    }

    /// Makes a buffer an argument.
    ///
    /// # Errors
    /// The kernel has no such argument.
    pub fn set_buffer(&self, kernel: &Kernel, index: u32, buffer: &Buffer) -> Result<(), String> {
        // SAFETY: the value is a live memory object, copied by the call.
        let code = unsafe {
            let value = (&raw const buffer.object.0).cast();
            (self.functions.clSetKernelArg)(kernel.0.0, index, size_of::<Handle>(), value)
        };
        check("clSetKernelArg", code)
    }

    /// Sets an argument that is a value.
    ///
    /// # Errors
    /// The kernel has no such argument.
    pub fn set_value(&self, kernel: &Kernel, index: u32, value: &[u8]) -> Result<(), String> {
        // SAFETY: the value is readable for its length, and copied by the call.
        let code = unsafe {
            let bytes = value.as_ptr().cast();
            (self.functions.clSetKernelArg)(kernel.0.0, index, value.len(), bytes)
        };
        check("clSetKernelArg", code)
    }

    /// Gives an argument so many bytes of local memory.
    ///
    /// # Errors
    /// The kernel has no such argument.
    pub fn set_local(&self, kernel: &Kernel, index: u32, size: usize) -> Result<(), String> {
        // SAFETY: local memory has no value.
        let code = unsafe { (self.functions.clSetKernelArg)(kernel.0.0, index, size, null()) };
        check("clSetKernelArg", code)
    }

    /// Enqueues a kernel whose arguments are set.
    ///
    /// # Errors
    /// A call that failed.
    pub fn enqueue(&self, kernel: &Kernel, range: Range<'_>) -> Result<(), String> {
        self.enqueue_on(self.queue, kernel, range)
    }

    /// The same on another queue.
    ///
    /// # Errors
    /// A call that failed.
    pub fn enqueue_to(
        &self,
        queue: &Queue,
        kernel: &Kernel,
        range: Range<'_>,
    ) -> Result<(), String> {
        self.enqueue_on(queue.0.0, kernel, range)
    }

    fn enqueue_on(&self, queue: Handle, kernel: &Kernel, range: Range<'_>) -> Result<(), String> {
        let dims = range.global.len();
        let fits = |sizes: Option<&[usize]>| sizes.is_none_or(|sizes| sizes.len() == dims);
        if !fits(range.offset) || !fits(range.local) {
            return Err("sizes of different dimensions".to_owned());
        }
        let pointer = |sizes: Option<&[usize]>| sizes.map_or(null(), <[usize]>::as_ptr);
        // SAFETY: live handles; the arrays hold a number for each dimension; no events.
        let code = unsafe {
            (self.functions.clEnqueueNDRangeKernel)(
                queue,
                kernel.0.0,
                dims as c_uint,
                pointer(range.offset),
                range.global.as_ptr(),
                pointer(range.local),
                0,
                null(),
                null_mut(),
            )
        };
        check("clEnqueueNDRangeKernel", code)
    }

    /// Waits for all that was enqueued.
    ///
    /// # Errors
    /// A command failed.
    pub fn finish(&self) -> Result<(), String> {
        // SAFETY: a live queue.
        check("clFinish", unsafe { (self.functions.clFinish)(self.queue) })
    }

    /// The same for another queue.
    ///
    /// # Errors
    /// A command failed.
    pub fn finish_queue(&self, queue: &Queue) -> Result<(), String> {
        // SAFETY: a live queue.
        check("clFinish", unsafe { (self.functions.clFinish)(queue.0.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::{Library, vendors};
    use std::path::Path;

    #[test]
    fn each_driver_has_a_file_and_nothing_else_is_there() {
        let name = format!("ur-opencl-test-{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder).expect("an old folder");
        std::fs::write(folder.join("foreign.icd"), "foreign.so").expect("a file");
        let drivers = ["/a/one.so", "/b/two.so", "name.so.1"].map(Path::new);
        assert_eq!(vendors(&name, &drivers).expect("a folder"), folder);
        let mut texts: Vec<String> = std::fs::read_dir(&folder)
            .expect("the folder")
            .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()))
            .collect::<Result<_, _>>()
            .expect("files");
        texts.sort();
        assert_eq!(texts, ["/a/one.so\n", "/b/two.so\n", "name.so.1\n"]);
        std::fs::remove_dir_all(&folder).expect("the folder can go");
    }

    #[test]
    fn libraries_that_are_none_are_refused() {
        assert!(Library::open(Path::new("/nowhere/libOpenCL.so.1")).is_err());
        // It can be opened, but has no function of OpenCL.
        let reason = Library::open(Path::new("libc.so.6")).err();
        assert!(reason.is_some_and(|reason| reason.contains("lacks cl")));
    }
}
