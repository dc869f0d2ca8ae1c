//! Our device, through UR.

mod memory;
mod prepared;
mod program;
mod steps;

use crate::case::{Case, Code, Job};
use crate::device::{Device, Ready, Steps};
use crate::functions::Functions;
use memory::Memory;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Calls a function of the table and turns its code into a result; the caller's block is `unsafe`.
macro_rules! ur {
    ($functions:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $functions.$name {
            None => Err(concat!("the loader lacks ", stringify!($name)).to_owned()),
            Some(function) => match function($($arg),*) {
                UR_RESULT_SUCCESS => Ok(()),
                code => Err(format!("{} returned {code}", stringify!($name))),
            },
        }
    };
}

use ur;

/// The first device of the adapters that the environment names, before anything is made on it.
pub struct Found {
    functions: Functions,
    device: ur_device_handle_t,
}

/// A device with a context and an in-order queue. They live as long as the process.
pub struct Ours {
    functions: Functions,
    device: ur_device_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
    memory: Memory,
    takes_il: bool,
    /// What makes programs of OpenCL C, if the device is one of OpenCL's.
    opencl: Option<ur_opencl::Library>,
}

/// An object that is given back.
struct Owned<H: Copy>(H, Option<unsafe extern "C" fn(H) -> ur_result_t>);

impl<H: Copy> Drop for Owned<H> {
    fn drop(&mut self) {
        if let Some(release) = self.1 {
            // SAFETY: made with one reference of ours, which nobody else gives back.
            unsafe { release(self.0) };
        }
    }
}

impl Found {
    /// Looks for the device.
    ///
    /// # Errors
    /// A call that failed, or no device.
    pub fn first(functions: Functions) -> Result<Self, String> {
        let mut adapter = null_mut();
        let mut platform = null_mut();
        let mut device = null_mut();
        let mut platforms = 0;
        let count = null_mut();
        // SAFETY: out-parameters are ours and hold one handle each; handles are used while alive,
        // that is to the end of the process.
        unsafe {
            ur!(functions, urLoaderInit(0, null_mut()))?;
            ur!(functions, urAdapterGet(1, &raw mut adapter, count))?;
            if adapter.is_null() {
                return Err("no adapter; `ur info` shows which were tried".to_owned());
            }
            let (platform, platforms) = (&raw mut platform, &raw mut platforms);
            ur!(functions, urPlatformGet(adapter, 0, null_mut(), platforms))?;
            if *platforms == 0 {
                return Err("the adapter has no platform".to_owned());
            }
            ur!(functions, urPlatformGet(adapter, 1, platform, count))?;
            let all = UR_DEVICE_TYPE_ALL;
            ur!(
                functions,
                urDeviceGet(*platform, all, 1, &raw mut device, count)
            )?;
        }
        Ok(Self { functions, device })
    }

    /// Makes the device ready for use.
    ///
    /// # Errors
    /// A call that failed.
    pub fn open(self) -> Result<Ours, String> {
        let Self { functions, device } = self;
        let mut context = null_mut();
        // SAFETY: a live device; the out-parameter is ours.
        unsafe {
            ur!(
                functions,
                urContextCreate(1, &raw const device, null(), &raw mut context)
            )
        }?;
        let mut this = Ours {
            functions,
            device,
            context,
            queue: null_mut(),
            memory: Memory::Usm,
            takes_il: false,
            opencl: None,
        };
        this.queue = this.new_queue(0)?;
        this.takes_il = this.text(UR_DEVICE_INFO_IL_VERSION).contains("SPIR-V");
        Ok(this)
    }
}

impl Ours {
    /// Opens the first device of the adapters that the environment names.
    ///
    /// # Errors
    /// A call that failed, or no device.
    pub fn open(functions: Functions) -> Result<Self, String> {
        Found::first(functions)?.open()
    }

    /// The same device, to be measured beside the driver that it stands on: its memory is buffers,
    /// which every driver has, and kernels are built from OpenCL C if it takes no SPIR-V. `library`
    /// is the one that the adapter uses.
    pub fn on_opencl(self, library: ur_opencl::Library) -> Self {
        Self {
            memory: Memory::Buffers,
            opencl: Some(library),
            ..self
        }
    }

    /// The driver's own object for the device.
    ///
    /// # Errors
    /// The adapter has none.
    pub fn native_device(&self) -> Result<ur_opencl::Handle, String> {
        let mut native = 0;
        // SAFETY: a live device; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urDeviceGetNativeHandle(self.device, &raw mut native)
            )
        }?;
        Ok(native as ur_opencl::Handle)
    }

    /// An info value of the device in its bytes, as far as the place holds them.
    fn query(&self, name: ur_device_info_t, place: &mut [u8]) -> Result<usize, String> {
        let (length, to) = (place.len(), place.as_mut_ptr().cast());
        let mut size = 0;
        // SAFETY: a live device; the place has the size named.
        unsafe {
            ur!(
                self.functions,
                urDeviceGetInfo(self.device, name, length, to, &raw mut size)
            )
        }?;
        Ok(size)
    }

    /// An info value that is text; empty when the device does not have it.
    fn text(&self, name: ur_device_info_t) -> String {
        let mut text = [0u8; 512];
        let size = self.query(name, &mut text);
        let size = size.map_or(0, |size| size.saturating_sub(1));
        String::from_utf8_lossy(&text[..size]).trim().to_owned()
    }

    fn new_queue(&self, flags: ur_queue_flags_t) -> Result<ur_queue_handle_t, String> {
        let properties = ur_queue_properties_t {
            flags,
            ..Default::default()
        };
        let mut queue = null_mut();
        // SAFETY: live handles and a valid structure; the out-parameter is ours.
        unsafe {
            ur!(
                self.functions,
                urQueueCreate(
                    self.context,
                    self.device,
                    &raw const properties,
                    &raw mut queue
                )
            )
        }?;
        Ok(queue)
    }

    fn finish(&self, queue: ur_queue_handle_t) -> Result<(), String> {
        // SAFETY: a live queue.
        unsafe { ur!(self.functions, urQueueFinish(queue)) }
    }
}

impl Device for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn describe(&self) -> String {
        self.text(UR_DEVICE_INFO_NAME)
    }

    fn takes_il(&self) -> bool {
        self.takes_il
    }

    fn prepare<'d>(&'d self, case: &Case, job: &Job) -> Result<Box<dyn Ready + 'd>, String> {
        Ok(Box::new(self.prepared(case, job)?))
    }

    fn make(&self, code: &Code, options: &str) -> Result<(), String> {
        self.program(code, options).map(drop)
    }

    fn build(&self, il: &[u8], kernels: &[String]) -> Result<(), String> {
        if !self.takes_il {
            return Err("it takes no SPIR-V".to_owned());
        }
        let program = self.program_of_il(il)?;
        for name in kernels {
            self.kernel(&program, name)?;
        }
        Ok(())
    }

    fn steps<'d>(&'d self) -> Result<Box<dyn Steps + 'd>, String> {
        Ok(Box::new(self.short()?))
    }
}
