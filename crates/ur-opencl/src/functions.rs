//! Functions of the OpenCL library, looked up at run time.

use crate::Handle;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;

/// Declares the functions that are looked up, each with its type.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),* $(,)?) -> $result:ty;)*) => {
        /// Functions of the library.
        #[allow(non_snake_case, reason = "the names of the library")]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) -> $result,)*
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
    clGetPlatformInfo: fn(Handle, c_uint, usize, *mut c_void, *mut usize) -> c_int;
    clGetDeviceIDs: fn(Handle, u64, c_uint, *mut Handle, *mut c_uint) -> c_int;
    clGetDeviceInfo: fn(Handle, c_uint, usize, *mut c_void, *mut usize) -> c_int;
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
    clCreateKernelsInProgram: fn(Handle, c_uint, *mut Handle, *mut c_uint) -> c_int;
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
    clEnqueueWriteBuffer: fn(
        Handle, Handle, c_uint, usize, usize, *const c_void, c_uint, *const Handle, *mut Handle,
    ) -> c_int;
    clEnqueueCopyBuffer: fn(
        Handle, Handle, Handle, usize, usize, usize, c_uint, *const Handle, *mut Handle,
    ) -> c_int;
    clGetExtensionFunctionAddressForPlatform: fn(Handle, *const c_char) -> *mut c_void;
    clFinish: fn(Handle) -> c_int;
    clReleaseMemObject: fn(Handle) -> c_int;
    clReleaseKernel: fn(Handle) -> c_int;
    clReleaseProgram: fn(Handle) -> c_int;
    clReleaseCommandQueue: fn(Handle) -> c_int;
}

impl Functions {
    /// Opens the library for the rest of the process.
    pub(crate) fn open(library: &Path) -> Result<Self, String> {
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
        unsafe { Self::of(handle) }
    }
}
