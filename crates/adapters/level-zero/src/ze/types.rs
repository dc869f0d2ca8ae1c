//! Level Zero's handles and small types.

#![allow(non_camel_case_types, reason = "the names of Level Zero")]

use std::ffi::c_void;
use ur_api::ur_native_handle_t;

/// What a function gives back; see the `ZE_RESULT_` numbers.
pub type ze_result_t = u32;
/// 0 or 1.
pub type ze_bool_t = u8;
/// Which structure it is that a pointer leads to.
pub type ze_structure_type_t = u32;
/// Major version in the upper 16 bits, minor in the lower.
pub type ze_api_version_t = u32;
/// Bytes that name a device or a driver.
pub type ze_uuid_t = [u8; 16];

/// Bytes of a handle for another process.
pub const ZE_MAX_IPC_HANDLE_SIZE: usize = 64;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(*mut c_void);

        impl $name {
            /// No object.
            pub const NULL: Self = Self(std::ptr::null_mut());

            /// Whether it names no object.
            pub fn is_null(self) -> bool {
                self.0.is_null()
            }

            /// The handle as a number of the API.
            pub fn to_native(self) -> ur_native_handle_t {
                self.0 as ur_native_handle_t
            }

            /// The handle that a number of the API stands for.
            pub fn from_native(native: ur_native_handle_t) -> Self {
                Self(native as *mut c_void)
            }

            /// The handle as the pointer that it is.
            pub fn to_pointer(self) -> *mut c_void {
                self.0
            }

            /// The handle that a pointer is.
            pub fn from_pointer(pointer: *mut c_void) -> Self {
                Self(pointer)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NULL
            }
        }

        // SAFETY: Level Zero's handles may be used by every thread, command lists and kernels by one
        // at a time (see `queue` and `kernel`).
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// A driver.
    ze_driver_handle_t;
    /// A device or sub-device.
    ze_device_handle_t;
    /// A context.
    ze_context_handle_t;
    /// A queue that takes closed command lists.
    ze_command_queue_handle_t;
    /// A command list, to be closed and executed or immediate.
    ze_command_list_handle_t;
    /// A fence, which says that an execution of command lists has ended.
    ze_fence_handle_t;
    /// Room for events.
    ze_event_pool_handle_t;
    /// An event.
    ze_event_handle_t;
    /// An image.
    ze_image_handle_t;
    /// A module, which is a program.
    ze_module_handle_t;
    /// What the compiler said.
    ze_module_build_log_handle_t;
    /// A kernel.
    ze_kernel_handle_t;
    /// A sampler.
    ze_sampler_handle_t;
    /// Physical memory, to be mapped to reserved addresses.
    ze_physical_mem_handle_t;
    /// An external semaphore that was imported (`ZE_extension_external_semaphores`).
    ze_external_semaphore_ext_handle_t;
    /// A node of the net of devices.
    ze_fabric_vertex_handle_t;
}

/// An allocation as another process can open it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ze_ipc_mem_handle_t {
    /// What it is made of is the driver's own business.
    pub data: [u8; ZE_MAX_IPC_HANDLE_SIZE],
}

/// An event pool as another process can open it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ze_ipc_event_pool_handle_t {
    /// What it is made of is the driver's own business.
    pub data: [u8; ZE_MAX_IPC_HANDLE_SIZE],
}

/// A counter-based event as another process can open it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ze_ipc_event_counter_based_handle_t {
    /// What it is made of is the driver's own business.
    pub data: [u8; ZE_MAX_IPC_HANDLE_SIZE],
}

/// A version of the interface.
pub const fn version(major: u16, minor: u16) -> ze_api_version_t {
    ((major as u32) << 16) | minor as u32
}
