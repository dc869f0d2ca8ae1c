//! Functions of OpenCL under their own names.
//!
//! `sycl::get_native` gives a program an owner of its own of each OpenCL object, and libsycl looks for
//! the functions to do so in the adapter's library, whose dependencies are searched as well. The
//! OpenCL library is none of ours, since it need not be there, so the functions are passed on.

use crate::cl::*;

macro_rules! passed_on {
    ($($name:ident: $object:ty, $invalid:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the OpenCL library.")]
        ///
        /// # Safety
        /// The object is alive.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(object: $object) -> cl_int {
            match Functions::get() {
                // SAFETY: forwarded.
                Ok(api) => unsafe { (api.$name)(object) },
                // Without the library there is no object either.
                Err(_) => $invalid,
            }
        }
    )*};
}

passed_on! {
    clRetainDevice: cl_device_id, CL_INVALID_DEVICE;
    clRetainContext: cl_context, CL_INVALID_CONTEXT;
    clRetainCommandQueue: cl_command_queue, CL_INVALID_COMMAND_QUEUE;
    clRetainEvent: cl_event, CL_INVALID_EVENT;
    clRetainMemObject: cl_mem, CL_INVALID_MEM_OBJECT;
    clRetainProgram: cl_program, CL_INVALID_PROGRAM;
    clRetainKernel: cl_kernel, CL_INVALID_KERNEL;
}
