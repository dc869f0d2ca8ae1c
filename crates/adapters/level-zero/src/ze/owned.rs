//! Ownership of Level Zero objects.

use super::functions::Functions;
use super::types::*;

/// A kind of Level Zero object that is destroyed. Level Zero counts no references: an object is
/// destroyed once, by its one owner.
pub trait Object: Copy {
    /// Destroys it.
    ///
    /// # Safety
    /// The caller owns the object, and nothing uses it any more.
    unsafe fn destroy(self, api: &Functions) -> ze_result_t;
}

macro_rules! objects {
    ($($type:ty: $destroy:ident;)*) => {$(
        impl Object for $type {
            unsafe fn destroy(self, api: &Functions) -> ze_result_t {
                // SAFETY: forwarded.
                unsafe { (api.$destroy)(self) }
            }
        }
    )*};
}

objects! {
    ze_context_handle_t: zeContextDestroy;
    ze_command_queue_handle_t: zeCommandQueueDestroy;
    ze_command_list_handle_t: zeCommandListDestroy;
    ze_fence_handle_t: zeFenceDestroy;
    ze_event_pool_handle_t: zeEventPoolDestroy;
    ze_event_handle_t: zeEventDestroy;
    ze_image_handle_t: zeImageDestroy;
    ze_module_handle_t: zeModuleDestroy;
    ze_module_build_log_handle_t: zeModuleBuildLogDestroy;
    ze_kernel_handle_t: zeKernelDestroy;
    ze_sampler_handle_t: zeSamplerDestroy;
}

/// Physical memory with its context, without which it cannot be destroyed.
#[derive(Clone, Copy, Debug)]
pub struct Physical {
    /// The context that it was made in.
    pub context: ze_context_handle_t,
    /// The memory.
    pub memory: ze_physical_mem_handle_t,
}

impl Object for Physical {
    unsafe fn destroy(self, api: &Functions) -> ze_result_t {
        // SAFETY: forwarded.
        unsafe { (api.zePhysicalMemDestroy)(self.context, self.memory) }
    }
}

/// A Level Zero object, destroyed when dropped, unless it belongs to the program.
#[derive(Debug)]
pub struct Owned<T: Object> {
    api: &'static Functions,
    object: T,
    ours: bool,
}

impl<T: Object> Owned<T> {
    /// Takes an object over.
    ///
    /// # Safety
    /// The object is alive and the caller owns it; it becomes the value's.
    pub unsafe fn new(api: &'static Functions, object: T) -> Self {
        let ours = true;
        Self { api, object, ours }
    }

    /// An object that a program hands in: the value's own if it is `given` away, otherwise the
    /// program's, who keeps it alive for as long as the value is (as the API asks of it).
    ///
    /// # Safety
    /// The object is alive for as long as the value is; if it is `given`, the caller owns it, and it
    /// becomes the value's.
    pub unsafe fn of_native(api: &'static Functions, object: T, given: bool) -> Self {
        let ours = given;
        Self { api, object, ours }
    }

    /// The object.
    pub fn get(&self) -> T {
        self.object
    }

    /// Whether it is destroyed when dropped.
    pub fn is_ours(&self) -> bool {
        self.ours
    }

    /// Gives the object away without destroying it.
    pub fn give(self) -> T {
        std::mem::ManuallyDrop::new(self).object
    }

    /// The library that it is of.
    pub fn api(&self) -> &'static Functions {
        self.api
    }
}

impl<T: Object> Drop for Owned<T> {
    fn drop(&mut self) {
        if self.ours && !super::exit::is_gone() {
            // SAFETY: the value owns the object. A driver that refuses leaves nothing to be done.
            unsafe { self.object.destroy(self.api) };
        }
    }
}
