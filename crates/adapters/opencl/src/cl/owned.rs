//! Ownership of OpenCL objects.

use super::functions::Functions;
use super::types::*;
use super::{check, cl_int};
use ur_adapter::Result;

/// A kind of OpenCL object whose references are counted.
pub trait Counted: Copy {
    /// Gives one reference up.
    ///
    /// # Safety
    /// The caller owns the reference.
    unsafe fn release(self, api: &Functions) -> cl_int;

    /// Adds a reference.
    ///
    /// # Safety
    /// The object is alive.
    unsafe fn retain(self, api: &Functions) -> cl_int;
}

macro_rules! counted {
    ($($type:ty: $retain:ident, $release:ident;)*) => {$(
        impl Counted for $type {
            unsafe fn release(self, api: &Functions) -> cl_int {
                // SAFETY: forwarded.
                unsafe { (api.$release)(self) }
            }

            unsafe fn retain(self, api: &Functions) -> cl_int {
                // SAFETY: forwarded.
                unsafe { (api.$retain)(self) }
            }
        }
    )*};
}

counted! {
    cl_device_id: clRetainDevice, clReleaseDevice;
    cl_context: clRetainContext, clReleaseContext;
    cl_command_queue: clRetainCommandQueue, clReleaseCommandQueue;
    cl_event: clRetainEvent, clReleaseEvent;
    cl_mem: clRetainMemObject, clReleaseMemObject;
    cl_sampler: clRetainSampler, clReleaseSampler;
    cl_program: clRetainProgram, clReleaseProgram;
    cl_kernel: clRetainKernel, clReleaseKernel;
}

/// One reference to an OpenCL object, given up when dropped.
#[derive(Debug)]
pub struct Owned<T: Counted> {
    api: &'static Functions,
    object: T,
}

impl<T: Counted> Owned<T> {
    /// Takes a reference over.
    ///
    /// # Safety
    /// The object is alive and the caller owns the reference, which becomes the value's.
    pub unsafe fn new(api: &'static Functions, object: T) -> Self {
        Self { api, object }
    }

    /// A reference to an object that a program hands in: its own if it gives that away, otherwise one
    /// more, so that the object stays as long as the value does.
    ///
    /// # Errors
    /// What the driver says of the object.
    ///
    /// # Safety
    /// The object is alive; if it is `given`, the caller owns a reference, which becomes the value's.
    pub unsafe fn of_native(api: &'static Functions, object: T, given: bool) -> Result<Self> {
        if !given {
            // SAFETY: alive, as the caller says.
            check(unsafe { object.retain(api) })?;
        }
        Ok(Self { api, object })
    }

    /// The object.
    pub fn get(&self) -> T {
        self.object
    }

    /// Another reference.
    ///
    /// # Errors
    /// What the driver says.
    pub fn share(&self) -> Result<Self> {
        // SAFETY: alive, as the value is.
        unsafe { Self::of_native(self.api, self.object, false) }
    }

    /// Gives the reference away.
    pub fn give(self) -> T {
        std::mem::ManuallyDrop::new(self).object
    }

    /// The library that it is of.
    pub fn api(&self) -> &'static Functions {
        self.api
    }
}

impl<T: Counted> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the value owns the reference. A driver that refuses leaves nothing to be done.
        unsafe { self.object.release(self.api) };
    }
}
