//! The UR functions that are measured, from a loader's library or from the loader linked in.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use ur_api::*;

/// Opens a library, which stays open.
///
/// # Errors
/// The dynamic linker's words.
pub fn open(library: &Path) -> Result<*mut c_void, String> {
    let path =
        CString::new(library.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: a terminated path; what the library does on being opened is its business.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    if handle.is_null() {
        // SAFETY: after a failure the text is there, and copied at once.
        let reason = unsafe { CStr::from_ptr(libc::dlerror()) };
        return Err(reason.to_string_lossy().into_owned());
    }
    Ok(handle)
}

/// Declares a table of a loader's functions: function and type of its pointer.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident: $($name:ident: $pointer:ident),* $(,)?) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the names of the library")]
        pub struct $table {
            $(#[doc = concat!("`", stringify!($name), "`.")] pub $name: $pointer,)*
        }

        impl $table {
            /// The loader that is part of this program.
            #[allow(dead_code, reason = "not every table is filled from it")]
            pub fn linked() -> Self {
                Self { $($name: Some(ur_loader::$name),)* }
            }

            /// A loader's library, which stays open.
            ///
            /// # Errors
            /// It cannot be opened or lacks a function.
            pub fn open(library: &std::path::Path) -> Result<Self, String> {
                let handle = $crate::functions::open(library)?;
                Ok(Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: an open library and a terminated name.
                        let address = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
                        if address.is_null() {
                            return Err(format!("the loader lacks {}", stringify!($name)));
                        }
                        // SAFETY: the function of that name has this type.
                        unsafe { std::mem::transmute::<*mut libc::c_void, $pointer>(address) }
                    },)*
                })
            }
        }
    };
}

pub(crate) use functions;

functions! {
    /// Functions of a loader.
    Functions:
    urLoaderInit: PfnUrLoaderInit,
    urAdapterGet: PfnUrAdapterGet,
    urPlatformGet: PfnUrPlatformGet,
    urDeviceGet: PfnUrDeviceGet,
    urDeviceGetInfo: PfnUrDeviceGetInfo,
    urDeviceGetNativeHandle: PfnUrDeviceGetNativeHandle,
    urContextCreate: PfnUrContextCreate,
    urContextGetNativeHandle: PfnUrContextGetNativeHandle,
    urQueueCreate: PfnUrQueueCreate,
    urQueueRelease: PfnUrQueueRelease,
    urQueueFinish: PfnUrQueueFinish,
    urProgramCreateWithIL: PfnUrProgramCreateWithIL,
    urProgramCreateWithNativeHandle: PfnUrProgramCreateWithNativeHandle,
    urProgramBuild: PfnUrProgramBuild,
    urProgramGetBuildInfo: PfnUrProgramGetBuildInfo,
    urProgramRelease: PfnUrProgramRelease,
    urKernelCreate: PfnUrKernelCreate,
    urKernelRelease: PfnUrKernelRelease,
    urEnqueueKernelLaunchWithArgsExp: PfnUrEnqueueKernelLaunchWithArgsExp,
    urEnqueueUSMMemcpy: PfnUrEnqueueUSMMemcpy,
    urUSMDeviceAlloc: PfnUrUSMDeviceAlloc,
    urUSMFree: PfnUrUSMFree,
    urMemBufferCreate: PfnUrMemBufferCreate,
    urMemRelease: PfnUrMemRelease,
    urEnqueueMemBufferRead: PfnUrEnqueueMemBufferRead,
    urEnqueueMemBufferWrite: PfnUrEnqueueMemBufferWrite,
    urEnqueueMemBufferCopy: PfnUrEnqueueMemBufferCopy,
}
