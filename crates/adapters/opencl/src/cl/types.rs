//! OpenCL's types.

#![allow(non_camel_case_types, reason = "the names of OpenCL")]

use std::ffi::c_void;
use ur_api::ur_native_handle_t;

/// A signed 32-bit number; also a result.
pub type cl_int = i32;
/// An unsigned 32-bit number.
pub type cl_uint = u32;
/// An unsigned 64-bit number.
pub type cl_ulong = u64;
/// A set of flags.
pub type cl_bitfield = u64;
/// 0 or 1.
pub type cl_bool = cl_uint;
/// A key or a value of a list of properties that ends with 0, for contexts and sub-devices.
pub type cl_properties = isize;
/// A key or a value of a list of properties that ends with 0, for all other objects.
pub type cl_properties64 = u64;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        }

        // SAFETY: OpenCL's handles may be used by every thread (kernels with care, see `kernel`).
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// A platform.
    cl_platform_id;
    /// A device or sub-device.
    cl_device_id;
    /// A context.
    cl_context;
    /// A queue.
    cl_command_queue;
    /// An event.
    cl_event;
    /// A buffer or image.
    cl_mem;
    /// A sampler.
    cl_sampler;
    /// A program.
    cl_program;
    /// A kernel.
    cl_kernel;
    /// A command buffer (`cl_khr_command_buffer`).
    cl_command_buffer_khr;
    /// A command in one that can be changed; it goes with the command buffer.
    cl_mutable_command_khr;
}

/// A place in a command buffer.
pub type cl_sync_point_khr = cl_uint;

/// A new argument of a recorded launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_mutable_dispatch_arg_khr {
    /// Which argument.
    pub arg_index: cl_uint,
    /// Bytes of its value.
    pub arg_size: usize,
    /// Its value; for memory with an address the address itself.
    pub arg_value: *const c_void,
}

/// What changes in a recorded launch (`cl_khr_command_buffer_mutable_dispatch` from 0.9.3 on).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_mutable_dispatch_config_khr {
    /// The launch.
    pub command: cl_mutable_command_khr,
    /// How many of `arg_list`.
    pub num_args: cl_uint,
    /// How many of `arg_svm_list`.
    pub num_svm_args: cl_uint,
    /// How many of `exec_info_list`.
    pub num_exec_infos: cl_uint,
    /// Dimensions of the sizes.
    pub work_dim: cl_uint,
    /// Arguments that are values.
    pub arg_list: *const cl_mutable_dispatch_arg_khr,
    /// Arguments that are addresses.
    pub arg_svm_list: *const cl_mutable_dispatch_arg_khr,
    /// What `clSetKernelExecInfo` tells.
    pub exec_info_list: *const c_void,
    /// Null for none.
    pub global_work_offset: *const usize,
    /// Null for none.
    pub global_work_size: *const usize,
    /// Null for none.
    pub local_work_size: *const usize,
}

/// An extension and its version.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_name_version {
    /// 10 bits of major, 10 of minor, 12 of patch.
    pub version: cl_uint,
    /// A terminated text.
    pub name: [u8; 64],
}

/// What the texels of an image are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct cl_image_format {
    /// `CL_RGBA` and others.
    pub image_channel_order: cl_uint,
    /// `CL_FLOAT` and others.
    pub image_channel_data_type: cl_uint,
}

/// How an image is to be.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_image_desc {
    /// `CL_MEM_OBJECT_IMAGE2D` and others.
    pub image_type: cl_uint,
    /// In texels.
    pub image_width: usize,
    /// In texels.
    pub image_height: usize,
    /// In texels.
    pub image_depth: usize,
    /// In images.
    pub image_array_size: usize,
    /// In bytes; 0 for what the width asks for.
    pub image_row_pitch: usize,
    /// In bytes; 0 for what the rows ask for.
    pub image_slice_pitch: usize,
    /// 0.
    pub num_mip_levels: cl_uint,
    /// 0.
    pub num_samples: cl_uint,
    /// The buffer that an image of type `CL_MEM_OBJECT_IMAGE1D_BUFFER` is over.
    pub mem_object: cl_mem,
}

/// A part of a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_buffer_region {
    /// In bytes.
    pub origin: usize,
    /// In bytes.
    pub size: usize,
}

/// A function that hears of errors in a context.
pub type ContextNotify =
    Option<unsafe extern "C" fn(*const std::ffi::c_char, *const c_void, usize, *mut c_void)>;
/// A function that hears that a program is built.
pub type ProgramNotify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
/// A function that hears that an event has reached a status.
pub type EventNotify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
