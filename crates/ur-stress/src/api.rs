//! The entry points of a loader opened by path, so that any loader can be put to the test.

use anyhow::{Result, anyhow};
use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use ur_api::*;

/// A shared object that stays open for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Library(usize);

impl Library {
    /// Opens a library with symbols of its own.
    ///
    /// # Errors
    /// What the dynamic linker says.
    pub fn open(path: &Path) -> Result<Self> {
        let name = CString::new(path.as_os_str().as_encoded_bytes())?;
        // SAFETY: a terminated path; the library's initialisers are what any program would run.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: after a failure dlerror gives a terminated text.
            let reason = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(anyhow!("{}", reason.to_string_lossy()));
        }
        Ok(Self(handle as usize))
    }

    /// Address of a symbol as a function pointer of type `F`.
    ///
    /// # Errors
    /// When the library has no such symbol.
    ///
    /// # Safety
    /// `F` is the type of the function with that name.
    pub unsafe fn symbol<F: Copy>(&self, name: &str) -> Result<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        let c_name = CString::new(name)?;
        // SAFETY: the library is open and the name terminated.
        let address = unsafe { libc::dlsym(self.0 as *mut c_void, c_name.as_ptr()) };
        if address.is_null() {
            return Err(anyhow!("no symbol {name}"));
        }
        // SAFETY: a function pointer has the size of an address, and the caller vouches for the type.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

macro_rules! entry_points {
    ($($name:ident: $ty:ty,)*) => {
        /// The entry points that the stress uses. Each is as unsafe to call as C.
        #[derive(Clone, Copy, Debug)]
        #[allow(non_snake_case)]
        pub struct Api {
            $(
                #[doc = concat!("`", stringify!($name), "`.")]
                pub $name: <$ty as Pointer>::Function,
            )*
        }

        impl Api {
            /// Looks every entry point up.
            ///
            /// # Errors
            /// The first symbol that is missing.
            pub fn of(library: &Library) -> Result<Self> {
                Ok(Self {
                    $(
                        // SAFETY: the type is the one that the API gives this name.
                        $name: unsafe { library.symbol(stringify!($name)) }?,
                    )*
                })
            }
        }
    };
}

/// What is inside the `Option` of a function pointer type.
pub trait Pointer {
    /// The function pointer itself.
    type Function: Copy;
}

impl<F: Copy> Pointer for Option<F> {
    type Function = F;
}

entry_points! {
    urLoaderInit: PfnUrLoaderInit,
    urLoaderTearDown: PfnUrLoaderTearDown,
    urAdapterGet: PfnUrAdapterGet,
    urAdapterRelease: PfnUrAdapterRelease,
    urPlatformGet: PfnUrPlatformGet,
    urDeviceGet: PfnUrDeviceGet,
    urDeviceRelease: PfnUrDeviceRelease,
    urContextCreate: PfnUrContextCreate,
    urContextRetain: PfnUrContextRetain,
    urContextRelease: PfnUrContextRelease,
    urContextGetInfo: PfnUrContextGetInfo,
    urQueueCreate: PfnUrQueueCreate,
    urQueueRetain: PfnUrQueueRetain,
    urQueueRelease: PfnUrQueueRelease,
    urQueueGetInfo: PfnUrQueueGetInfo,
    urQueueFinish: PfnUrQueueFinish,
    urEnqueueEventsWait: PfnUrEnqueueEventsWait,
    urEnqueueMemBufferWrite: PfnUrEnqueueMemBufferWrite,
    urEventRetain: PfnUrEventRetain,
    urEventRelease: PfnUrEventRelease,
    urEventGetInfo: PfnUrEventGetInfo,
    urEventWait: PfnUrEventWait,
    urMemBufferCreate: PfnUrMemBufferCreate,
    urMemRetain: PfnUrMemRetain,
    urMemRelease: PfnUrMemRelease,
    urMemGetInfo: PfnUrMemGetInfo,
}

/// Turns a result code into an error that names the call.
///
/// # Errors
/// Every code but success.
pub fn check(what: &str, code: ur_result_t) -> Result<()> {
    if code == UR_RESULT_SUCCESS {
        return Ok(());
    }
    Err(anyhow!("{what}: {code}"))
}
