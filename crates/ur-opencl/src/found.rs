//! Devices as the library lists them, before anything is made on them.

use crate::{Device, Functions, Handle, Library, check, text};
use std::ffi::c_uint;
use std::ptr::{null, null_mut};

const PLATFORM_NAME: c_uint = 0x0902;

/// Which devices are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Processors.
    Cpu,
    /// Whatever there is.
    Any,
}

impl Kind {
    /// The kind as a bit field of `CL_DEVICE_TYPE_*`.
    fn bits(self) -> u64 {
        match self {
            Kind::Cpu => 1 << 1,
            Kind::Any => 0xffff_ffff,
        }
    }
}

/// The first device of a platform.
pub struct Found {
    functions: &'static Functions,
    platform: Handle,
    device: Handle,
}

impl Library {
    /// The first device of this kind of each platform that has one.
    ///
    /// # Errors
    /// The platforms cannot be listed.
    pub fn find(&self, kind: Kind) -> Result<Vec<Found>, String> {
        let functions = self.0;
        let mut platforms = [null_mut(); 16];
        let mut count = 0;
        // SAFETY: the array has the length named; the count is ours.
        let code =
            unsafe { (functions.clGetPlatformIDs)(16, platforms.as_mut_ptr(), &raw mut count) };
        check("clGetPlatformIDs", code)?;
        let mut found = Vec::new();
        for platform in platforms.into_iter().take(count as usize) {
            let mut device = null_mut();
            let (get, kind) = (functions.clGetDeviceIDs, kind.bits());
            // SAFETY: a platform of the library; the place is for one device.
            let code = unsafe { get(platform, kind, 1, &raw mut device, null_mut()) };
            if code == 0 {
                found.push(Found {
                    functions,
                    platform,
                    device,
                });
            }
        }
        Ok(found)
    }
}

impl Found {
    /// The platform's name.
    pub fn platform(&self) -> String {
        text(
            self.functions.clGetPlatformInfo,
            self.platform,
            PLATFORM_NAME,
        )
    }

    /// Makes the device ready for use.
    ///
    /// # Errors
    /// A call that failed.
    pub fn open(self) -> Result<Device, String> {
        let Self {
            functions,
            platform,
            device,
        } = self;
        let mut code = 0;
        // SAFETY: one live device, no properties, no callback; the code's place is ours.
        let context = unsafe {
            (functions.clCreateContext)(null(), 1, &device, null(), null(), &raw mut code)
        };
        check("clCreateContext", code)?;
        // SAFETY: live handles; the code's place is ours.
        let queue = unsafe { (functions.clCreateCommandQueue)(context, device, 0, &raw mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Device {
            functions,
            platform,
            device,
            context,
            queue,
        })
    }
}
