//! Calls through the adapter's table, as a loader makes them, and owners of the objects that tests
//! need. Whatever can fail gives the API's error, so that a test can go on after one.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use ur_adapter_opencl::cl;
use ur_api::*;

/// What a call gives.
pub type Result<T = ()> = std::result::Result<T, ur_result_t>;

/// The result of a call.
pub fn check(code: ur_result_t) -> Result {
    match code {
        UR_RESULT_SUCCESS => Ok(()),
        code => Err(code),
    }
}

/// Calls an entry of the adapter's table: `ur!(Context.pfnCreate(…))` gives a result.
#[macro_export]
macro_rules! ur {
    ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {{
        #[allow(clippy::macro_metavars_in_unsafe, reason = "as short as a call in C")]
        // SAFETY: the tests pass what the API asks for.
        $crate::support::check(unsafe {
            (ur_adapter_opencl::TABLE.$table.$entry.expect("an entry"))($($arg),*)
        })
    }};
}

/// The adapter's handle.
pub fn adapter() -> ur_adapter_handle_t {
    let mut adapter = null_mut();
    ur!(Adapter.pfnGet(1, &mut adapter, null_mut())).expect("the adapter");
    adapter
}

/// All platforms.
pub fn platforms() -> Vec<ur_platform_handle_t> {
    let mut count = 0;
    ur!(Platform.pfnGet(adapter(), 0, null_mut(), &mut count)).expect("a count");
    let mut platforms = vec![null_mut(); count as usize];
    if count > 0 {
        ur!(Platform.pfnGet(adapter(), count, platforms.as_mut_ptr(), null_mut()))
            .expect("platforms");
    }
    platforms
}

/// The devices of a platform.
pub fn devices(platform: ur_platform_handle_t) -> Vec<ur_device_handle_t> {
    let all = UR_DEVICE_TYPE_ALL;
    let mut count = 0;
    ur!(Device.pfnGet(platform, all, 0, null_mut(), &mut count)).expect("a count");
    let mut devices = vec![null_mut(); count as usize];
    if count > 0 {
        let place = devices.as_mut_ptr();
        ur!(Device.pfnGet(platform, all, count, place, null_mut())).expect("devices");
    }
    devices
}

/// The first device of the first platform.
pub fn device() -> ur_device_handle_t {
    devices(platforms()[0])[0]
}

macro_rules! owners {
    ($($(#[$doc:meta])* $name:ident: $raw:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name(pub $raw);

        impl Drop for $name {
            fn drop(&mut self) {
                ur!($name.pfnRelease(self.0)).expect("a release");
            }
        }
    )*};
}

owners! {
    /// A context.
    Context: ur_context_handle_t;
    /// A queue.
    Queue: ur_queue_handle_t;
    /// An event.
    Event: ur_event_handle_t;
    /// A buffer or image.
    Mem: ur_mem_handle_t;
    /// A sampler.
    Sampler: ur_sampler_handle_t;
    /// A program.
    Program: ur_program_handle_t;
    /// A kernel.
    Kernel: ur_kernel_handle_t;
    /// A sub-device.
    Device: ur_device_handle_t;
}

/// Memory of a context, which it keeps.
pub struct Usm<'a> {
    context: &'a Context,
    pub address: *mut c_void,
}

impl Drop for Usm<'_> {
    fn drop(&mut self) {
        ur!(USM.pfnFree(self.context.0, self.address)).expect("a free");
    }
}

/// Kinds of USM.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Host,
    Device,
    Shared,
}

/// A text as native code of the driver, with the kernels `copy` and `fill`.
pub const KERNELS: &[u8] = b"kernels copy/3 fill/2 none/0";

impl Context {
    /// A context of the first device.
    pub fn new() -> Result<Self> {
        Self::of(&[device()])
    }

    /// A context of devices.
    pub fn of(devices: &[ur_device_handle_t]) -> Result<Self> {
        let mut raw = null_mut();
        let count = devices.len() as u32;
        ur!(Context.pfnCreate(count, devices.as_ptr(), null(), &mut raw))?;
        Ok(Self(raw))
    }

    /// OpenCL's handle.
    pub fn native(&self) -> Result<ur_native_handle_t> {
        let mut native = 0;
        ur!(Context.pfnGetNativeHandle(self.0, &mut native))?;
        Ok(native)
    }

    /// A queue with flags on the first device.
    pub fn queue(&self, flags: u32) -> Result<Queue> {
        self.queue_on(device(), flags)
    }

    /// A queue with flags.
    pub fn queue_on(&self, device: ur_device_handle_t, flags: u32) -> Result<Queue> {
        let properties = ur_queue_properties_t {
            stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
            flags,
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(Queue.pfnCreate(self.0, device, &properties, &mut raw))?;
        Ok(Queue(raw))
    }

    /// A buffer.
    pub fn buffer(&self, size: usize) -> Result<Mem> {
        let mut raw = null_mut();
        ur!(Mem.pfnBufferCreate(self.0, 0, size, null(), &mut raw))?;
        Ok(Mem(raw))
    }

    /// An image of 4 × 4 texels.
    pub fn image(&self) -> Result<Mem> {
        let format = ur_image_format_t {
            channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
            channelType: UR_IMAGE_CHANNEL_TYPE_UNORM_INT8,
        };
        let desc = ur_image_desc_t {
            stype: UR_STRUCTURE_TYPE_IMAGE_DESC,
            r#type: UR_MEM_TYPE_IMAGE2D,
            width: 4,
            height: 4,
            depth: 1,
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(Mem.pfnImageCreate(self.0, 0, &format, &desc, null_mut(), &mut raw))?;
        Ok(Mem(raw))
    }

    /// A sampler.
    pub fn sampler(&self) -> Result<Sampler> {
        let desc = ur_sampler_desc_t {
            stype: UR_STRUCTURE_TYPE_SAMPLER_DESC,
            addressingMode: UR_SAMPLER_ADDRESSING_MODE_CLAMP,
            filterMode: UR_SAMPLER_FILTER_MODE_LINEAR,
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(Sampler.pfnCreate(self.0, &desc, &mut raw))?;
        Ok(Sampler(raw))
    }

    /// A program of what the driver takes for SPIR-V.
    pub fn program(&self, text: &[u8]) -> Result<Program> {
        let mut raw = null_mut();
        let (start, size) = (text.as_ptr().cast(), text.len());
        ur!(Program.pfnCreateWithIL(self.0, start, size, null(), &mut raw))?;
        Ok(Program(raw))
    }

    /// A program of a binary for the first device.
    pub fn program_of_binary(&self, text: &[u8]) -> Result<Program> {
        let (mut devices, mut sizes, mut texts) = ([device()], [text.len()], [text.as_ptr()]);
        let mut raw = null_mut();
        ur!(Program.pfnCreateWithBinary(
            self.0,
            1,
            devices.as_mut_ptr(),
            sizes.as_mut_ptr(),
            texts.as_mut_ptr(),
            null(),
            &mut raw,
        ))?;
        Ok(Program(raw))
    }

    /// A program that is built.
    pub fn built(&self) -> Result<Program> {
        let program = self.program(KERNELS)?;
        ur!(Program.pfnBuild(self.0, program.0, null()))?;
        Ok(program)
    }

    /// USM.
    pub fn usm(&self, kind: Kind, size: usize) -> Result<Usm<'_>> {
        self.usm_on(device(), kind, size)
    }

    /// USM of a device.
    pub fn usm_on(&self, on: ur_device_handle_t, kind: Kind, size: usize) -> Result<Usm<'_>> {
        let mut address = null_mut();
        let pool = null_mut();
        match kind {
            Kind::Host => ur!(USM.pfnHostAlloc(self.0, null(), pool, size, &mut address)),
            Kind::Device => ur!(USM.pfnDeviceAlloc(self.0, on, null(), pool, size, &mut address)),
            Kind::Shared => ur!(USM.pfnSharedAlloc(self.0, on, null(), pool, size, &mut address)),
        }?;
        Ok(Usm {
            context: self,
            address,
        })
    }

    /// An event of an event of OpenCL's, which is given away.
    pub fn event_of(&self, native: cl::cl_event) -> Result<Event> {
        let properties = ur_event_native_properties_t {
            stype: UR_STRUCTURE_TYPE_EVENT_NATIVE_PROPERTIES,
            isNativeHandleOwned: true,
            ..Default::default()
        };
        let mut raw = null_mut();
        let number = native.to_native();
        let made = ur!(Event.pfnCreateWithNativeHandle(number, self.0, &properties, &mut raw));
        if made.is_err() {
            // SAFETY: it was not taken.
            unsafe { (api().clReleaseEvent)(native) };
        }
        made.map(|()| Event(raw))
    }

    /// An event that the test completes, and OpenCL's handle of it.
    pub fn user_event(&self) -> Result<(Event, cl::cl_event)> {
        let native = cl::cl_context::from_native(self.native()?);
        let mut code = 0;
        // SAFETY: a live context; the place is ours.
        let event = unsafe { (api().clCreateUserEvent)(native, &raw mut code) };
        if code != cl::CL_SUCCESS {
            return Err(UR_RESULT_ERROR_UNKNOWN);
        }
        Ok((self.event_of(event)?, event))
    }
}

/// The OpenCL library.
pub fn api() -> &'static cl::Functions {
    cl::Functions::get().expect("the library")
}

/// Gives a user event its last status.
pub fn complete(event: cl::cl_event, status: i32) {
    // SAFETY: a live user event.
    let code = unsafe { (api().clSetUserEventStatus)(event, status) };
    assert_eq!(code, cl::CL_SUCCESS);
}

impl Program {
    /// A kernel.
    pub fn kernel(&self, name: &CStr) -> Result<Kernel> {
        let mut raw = null_mut();
        ur!(Kernel.pfnCreate(self.0, name.as_ptr(), &mut raw))?;
        Ok(Kernel(raw))
    }
}

/// A list as the API takes it.
pub fn list(events: &[&Event]) -> Vec<ur_event_handle_t> {
    events.iter().map(|event| event.0).collect()
}

/// The list's address, null if it is empty.
pub fn start<T>(list: &[T]) -> *const T {
    match list {
        [] => null(),
        list => list.as_ptr(),
    }
}

impl Queue {
    /// Waits for all.
    pub fn finish(&self) -> Result {
        ur!(Queue.pfnFinish(self.0))
    }

    /// A marker's event.
    pub fn marker(&self, waits: &[&Event]) -> Result<Event> {
        let waits = list(waits);
        let mut raw = null_mut();
        let count = waits.len() as u32;
        ur!(Enqueue.pfnEventsWait(self.0, count, start(&waits), &mut raw))?;
        Ok(Event(raw))
    }

    /// Reads a buffer.
    pub fn read(&self, mem: &Mem, bytes: &mut [u8], blocking: bool) -> Result {
        let (to, size) = (bytes.as_mut_ptr().cast(), bytes.len());
        let none = null_mut();
        ur!(Enqueue.pfnMemBufferRead(self.0, mem.0, blocking, 0, size, to, 0, null(), none))
    }

    /// Launches a kernel for one work-item; its event if it is wanted.
    pub fn launch(&self, kernel: &Kernel, args: &[Arg<'_>], wanted: bool) -> Result<Option<Event>> {
        let args: Vec<_> = args
            .iter()
            .enumerate()
            .map(|(at, arg)| arg.raw(at))
            .collect();
        let mut raw = null_mut();
        let event = match wanted {
            true => &raw mut raw,
            false => null_mut(),
        };
        ur!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            self.0,
            kernel.0,
            1,
            null(),
            &1,
            null(),
            args.len() as u32,
            start(&args),
            null(),
            0,
            null(),
            event,
        ))?;
        Ok((!raw.is_null()).then(|| Event(raw)))
    }
}

/// An argument of a kernel.
pub enum Arg<'a> {
    Value(&'a [u8]),
    Pointer(*const c_void),
    Mem(&'a Mem),
    Local(usize),
    Sampler(&'a Sampler),
}

impl Arg<'_> {
    /// As the API takes it.
    pub fn raw(&self, index: usize) -> ur_exp_kernel_arg_properties_t {
        let pointer = size_of::<usize>();
        let (kind, size, value) = match self {
            Arg::Value(bytes) => (
                UR_EXP_KERNEL_ARG_TYPE_VALUE,
                bytes.len(),
                ur_exp_kernel_arg_value_t {
                    value: bytes.as_ptr().cast(),
                },
            ),
            Arg::Pointer(to) => (
                UR_EXP_KERNEL_ARG_TYPE_POINTER,
                pointer,
                ur_exp_kernel_arg_value_t { pointer: *to },
            ),
            Arg::Mem(mem) => (
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ,
                pointer,
                ur_exp_kernel_arg_value_t {
                    memObjTuple: ur_exp_kernel_arg_mem_obj_tuple_t {
                        hMem: mem.0,
                        flags: 0,
                    },
                },
            ),
            Arg::Local(size) => (
                UR_EXP_KERNEL_ARG_TYPE_LOCAL,
                *size,
                ur_exp_kernel_arg_value_t { value: null() },
            ),
            Arg::Sampler(sampler) => (
                UR_EXP_KERNEL_ARG_TYPE_SAMPLER,
                pointer,
                ur_exp_kernel_arg_value_t { sampler: sampler.0 },
            ),
        };
        ur_exp_kernel_arg_properties_t {
            stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
            r#type: kind,
            index: index as u32,
            size,
            value,
            ..Default::default()
        }
    }
}

impl Event {
    /// Waits for it.
    pub fn wait(&self) -> Result {
        ur!(Event.pfnWait(1, &self.0))
    }

    /// How far it is.
    pub fn status(&self) -> Result<ur_event_status_t> {
        let mut value = 0u32;
        let name = UR_EVENT_INFO_COMMAND_EXECUTION_STATUS;
        ur!(Event.pfnGetInfo(self.0, name, 4, (&raw mut value).cast(), null_mut()))?;
        Ok(ur_event_status_t(value))
    }
}
