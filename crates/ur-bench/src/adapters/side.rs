//! One of the two adapters with what the calls are made on.

use crate::functions::functions;
use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use ur_api::*;

functions! {
    /// The loader's functions.
    Calls:
    urLoaderInit: PfnUrLoaderInit,
    urAdapterGet: PfnUrAdapterGet,
    urPlatformGet: PfnUrPlatformGet,
    urDeviceGet: PfnUrDeviceGet,
    urDeviceGetInfo: PfnUrDeviceGetInfo,
    urDeviceGetNativeHandle: PfnUrDeviceGetNativeHandle,
    urContextCreate: PfnUrContextCreate,
    urQueueCreate: PfnUrQueueCreate,
    urQueueFinish: PfnUrQueueFinish,
    urProgramCreateWithIL: PfnUrProgramCreateWithIL,
    urProgramBuild: PfnUrProgramBuild,
    urKernelCreate: PfnUrKernelCreate,
    urKernelSetArgPointer: PfnUrKernelSetArgPointer,
    urKernelSetArgValue: PfnUrKernelSetArgValue,
    urEnqueueKernelLaunch: PfnUrEnqueueKernelLaunch,
    urEnqueueKernelLaunchWithArgsExp: PfnUrEnqueueKernelLaunchWithArgsExp,
    urEventRelease: PfnUrEventRelease,
    urEnqueueUSMMemcpy: PfnUrEnqueueUSMMemcpy,
    urUSMHostAlloc: PfnUrUSMHostAlloc,
    urUSMDeviceAlloc: PfnUrUSMDeviceAlloc,
    urUSMSharedAlloc: PfnUrUSMSharedAlloc,
    urUSMFree: PfnUrUSMFree,
}

/// Bytes of a copy, and of each allocation that is there all the time.
pub(super) const SIZE: usize = 64;
/// Kinds of USM, as indices.
pub(super) const HOST: usize = 0;
/// As above.
pub(super) const DEVICE: usize = 1;
/// As above.
pub(super) const SHARED: usize = 2;

/// The kernel that is launched.
const KERNEL: &[u8] = include_bytes!("../../../../benches/kernels/launch.spv");
/// Its last argument.
const FACTOR: f32 = 1.5;

/// An adapter with an in-order queue, a kernel and memory, which live as long as the process.
pub(super) struct Side<'c> {
    calls: &'c Calls,
    device: ur_device_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
    kernel: ur_kernel_handle_t,
    /// Two allocations of each kind.
    memory: [[*mut c_void; 2]; 3],
    /// The kernel's arguments.
    args: Cell<Args>,
}

/// The kernel's arguments: where it writes, where it reads, the factor.
#[derive(Clone, Copy)]
struct Args {
    to: *mut c_void,
    from: *mut c_void,
    factor: f32,
}

/// Calls a function of the loader's with handles of its own and places of ours, and gives the bits of
/// the result, all of them if there is no such function. The caller's block is `unsafe`.
macro_rules! bits {
    ($calls:expr, $name:ident($($argument:expr),* $(,)?)) => {
        match $calls.$name {
            Some(function) => function($($argument),*).0,
            None => !0,
        }
    };
}

/// As [`bits`], with the function's name if it fails.
macro_rules! call {
    ($calls:expr, $name:ident($($argument:expr),* $(,)?)) => {
        match bits!($calls, $name($($argument),*)) {
            0 => Ok(()),
            code => Err(format!("{} returned {}", stringify!($name), ur_result_t(code))),
        }
    };
}

impl<'c> Side<'c> {
    /// Makes everything on the first device of the adapter that is in this library.
    ///
    /// # Errors
    /// The loader has no such adapter, or a call failed.
    pub(super) fn new(calls: &'c Calls, library: &Path) -> Result<Side<'c>, String> {
        let mut side = Side {
            calls,
            device: null_mut(),
            context: null_mut(),
            queue: null_mut(),
            kernel: null_mut(),
            memory: [[null_mut(); 2]; 3],
            args: Cell::new(Args {
                to: null_mut(),
                from: null_mut(),
                factor: FACTOR,
            }),
        };
        let (mut platform, mut program, none) = (null_mut(), null_mut(), null_mut());
        // SAFETY: handles are used while alive, that is to the end of the process, and each place holds
        // what is written to it.
        unsafe {
            let adapter = adapter(calls, library)?;
            call!(calls, urPlatformGet(adapter, 1, &raw mut platform, none))?;
            let (all, device) = (UR_DEVICE_TYPE_ALL, &raw mut side.device);
            call!(calls, urDeviceGet(platform, all, 1, device, null_mut()))?;
            let (device, context) = (&raw const side.device, &raw mut side.context);
            call!(calls, urContextCreate(1, device, null(), context))?;
            let (context, queue) = (side.context, &raw mut side.queue);
            call!(calls, urQueueCreate(context, side.device, null(), queue))?;
            let (il, size) = (KERNEL.as_ptr().cast(), KERNEL.len());
            call!(
                calls,
                urProgramCreateWithIL(context, il, size, null(), &raw mut program)
            )?;
            call!(calls, urProgramBuild(context, program, c"".as_ptr()))?;
            let kernel = &raw mut side.kernel;
            call!(calls, urKernelCreate(program, c"scale".as_ptr(), kernel))?;
        }
        let mut memory = side.memory;
        for (kind, places) in memory.iter_mut().enumerate() {
            for place in places {
                if side.allocate(kind, SIZE, place) != 0 {
                    return Err(format!("no USM of kind {kind}"));
                }
            }
        }
        side.memory = memory;
        side.reset_args();
        Ok(side)
    }

    /// The driver's own handle of the device.
    pub(super) fn native(&self) -> Result<ur_native_handle_t, String> {
        let mut native = 0;
        // SAFETY: a live device and a place of ours.
        unsafe {
            call!(
                self.calls,
                urDeviceGetNativeHandle(self.device, &raw mut native)
            )
        }?;
        Ok(native)
    }

    /// The device's name.
    pub(super) fn name(&self) -> Result<String, String> {
        let mut text = [0u8; 256];
        let place = text.as_mut_ptr().cast();
        let (name, size) = (UR_DEVICE_INFO_NAME, text.len() - 1);
        // SAFETY: a live device, and room for so many bytes; the last stays zero.
        unsafe {
            call!(
                self.calls,
                urDeviceGetInfo(self.device, name, size, place, null_mut())
            )
        }?;
        let text = CStr::from_bytes_until_nul(&text).map_err(|error| error.to_string())?;
        Ok(text.to_string_lossy().into_owned())
    }

    /// Waits for everything; the result's bits.
    pub(super) fn finish(&self) -> u32 {
        // SAFETY: a live queue.
        unsafe { bits!(self.calls, urQueueFinish(self.queue)) }
    }

    fn reset_args(&self) {
        let [to, from] = self.memory[DEVICE];
        let factor = FACTOR;
        self.args.set(Args { to, from, factor });
    }

    /// Makes every argument of the kernel another one.
    pub(super) fn exchange(&self) {
        let Args { to, from, factor } = self.args.get();
        self.args.set(Args {
            to: from,
            from: to,
            factor: -factor,
        });
    }

    /// Launches the kernel with its arguments, by one call; the bits of the results.
    pub(super) fn launch(&self, event: *mut ur_event_handle_t) -> u32 {
        let Args { to, from, factor } = self.args.get();
        let pointer = |index, pointer| ur_exp_kernel_arg_properties_t {
            r#type: UR_EXP_KERNEL_ARG_TYPE_POINTER,
            index,
            size: size_of::<usize>(),
            value: ur_exp_kernel_arg_value_t { pointer },
            ..Default::default()
        };
        let value = ur_exp_kernel_arg_properties_t {
            r#type: UR_EXP_KERNEL_ARG_TYPE_VALUE,
            index: 2,
            size: size_of::<f32>(),
            value: ur_exp_kernel_arg_value_t {
                value: (&raw const factor).cast(),
            },
            ..Default::default()
        };
        let (queue, kernel, one, zero) = (self.queue, self.kernel, 1, 0);
        let args = [pointer(0, to), pointer(1, from), value];
        let (offset, global) = (&raw const zero, &raw const one);
        let (count, args) = (args.len() as u32, args.as_ptr());
        let (properties, local, waits) = (null(), null(), null());
        // SAFETY: live handles, sizes of one dimension, arguments that are what they say.
        unsafe {
            bits!(
                self.calls,
                urEnqueueKernelLaunchWithArgsExp(
                    queue, kernel, 1, offset, global, local, count, args, properties, 0, waits,
                    event
                )
            )
        }
    }

    /// Sets the kernel's arguments one by one and launches it; the bits of the results.
    pub(super) fn set_and_launch(&self, event: *mut ur_event_handle_t) -> u32 {
        let (calls, queue, kernel) = (self.calls, self.queue, self.kernel);
        let Args { to, from, factor } = self.args.get();
        let (factor, size) = (&raw const factor, size_of::<f32>());
        let (one, zero) = (1, 0);
        let (offset, global) = (&raw const zero, &raw const one);
        let (properties, local, waits) = (null(), null(), null());
        // SAFETY: as above.
        unsafe {
            bits!(calls, urKernelSetArgPointer(kernel, 0, null(), to))
                | bits!(calls, urKernelSetArgPointer(kernel, 1, null(), from))
                | bits!(
                    calls,
                    urKernelSetArgValue(kernel, 2, size, null(), factor.cast())
                )
                | bits!(
                    calls,
                    urEnqueueKernelLaunch(
                        queue, kernel, 1, offset, global, local, properties, 0, waits, event
                    )
                )
        }
    }

    /// Gives an event back; the result's bits.
    pub(super) fn release(&self, event: ur_event_handle_t) -> u32 {
        // SAFETY: a live event of ours.
        unsafe { bits!(self.calls, urEventRelease(event)) }
    }

    /// Copies [`SIZE`] bytes between the two allocations of a kind; the result's bits.
    pub(super) fn copy(&self, kind: usize, blocking: bool) -> u32 {
        let [to, from] = self.memory[kind];
        self.copy_between(to, from, blocking)
    }

    /// Copies [`SIZE`] bytes of the host's into memory of the device, and waits; the result's bits.
    pub(super) fn copy_in(&self, to: *mut c_void) -> u32 {
        self.copy_between(to, self.memory[HOST][0], true)
    }

    fn copy_between(&self, to: *mut c_void, from: *const c_void, blocking: bool) -> u32 {
        let (queue, waits, event) = (self.queue, null(), null_mut());
        // SAFETY: a live queue, and that many bytes on both sides.
        unsafe {
            bits!(
                self.calls,
                urEnqueueUSMMemcpy(queue, blocking, to, from, SIZE, 0, waits, event)
            )
        }
    }

    /// Allocates memory of a kind; the result's bits.
    pub(super) fn allocate(&self, kind: usize, size: usize, place: &mut *mut c_void) -> u32 {
        let (calls, context, device) = (self.calls, self.context, self.device);
        let (desc, pool) = (null(), null_mut());
        // SAFETY: live handles, no description and no pool.
        unsafe {
            match kind {
                HOST => bits!(calls, urUSMHostAlloc(context, desc, pool, size, place)),
                DEVICE => bits!(
                    calls,
                    urUSMDeviceAlloc(context, device, desc, pool, size, place)
                ),
                _ => bits!(
                    calls,
                    urUSMSharedAlloc(context, device, desc, pool, size, place)
                ),
            }
        }
    }

    /// Frees memory; the result's bits.
    pub(super) fn free(&self, memory: *mut c_void) -> u32 {
        // SAFETY: memory of this context, which nothing uses.
        unsafe { bits!(self.calls, urUSMFree(self.context, memory)) }
    }

    /// Looks whether copies of every kind and launches of both sorts do what they should.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        const COUNT: usize = SIZE / size_of::<f32>();
        let mut content = [0f32; COUNT];
        let good = |bits: u32, what: &str| match bits {
            0 => Ok(()),
            _ => Err(format!("{what} failed")),
        };
        for (kind, [to, from]) in self.memory.into_iter().enumerate() {
            let given: [f32; COUNT] = std::array::from_fn(|at| (at + kind) as f32);
            good(
                self.copy_between(from, given.as_ptr().cast(), true),
                "a copy in",
            )?;
            good(self.copy(kind, false) | self.finish(), "a copy")?;
            good(
                self.copy_between(content.as_mut_ptr().cast(), to, true),
                "a copy out",
            )?;
            if content != given {
                return Err(format!("a copy of kind {kind} gave {content:?}"));
            }
        }
        self.reset_args();
        let [out, from] = self.memory[DEVICE];
        for (number, launch) in [Side::launch, Side::set_and_launch].into_iter().enumerate() {
            let given = [3.0 + number as f32; COUNT];
            good(
                self.copy_between(from, given.as_ptr().cast(), true),
                "a copy in",
            )?;
            good(launch(self, null_mut()) | self.finish(), "a launch")?;
            let place = content.as_mut_ptr().cast();
            good(self.copy_between(place, out, true), "a copy out")?;
            if content[0] != FACTOR * given[0] {
                return Err(format!("launch {number} gave {}", content[0]));
            }
        }
        Ok(())
    }
}

/// The adapter that is in a library.
///
/// # Safety
/// The loader is initialised.
unsafe fn adapter(calls: &Calls, library: &Path) -> Result<ur_adapter_handle_t, String> {
    let mut count = 0;
    // SAFETY: the places are ours.
    unsafe { call!(calls, urAdapterGet(0, null_mut(), &raw mut count)) }?;
    let mut adapters = vec![null_mut(); count as usize];
    let place = adapters.as_mut_ptr();
    // SAFETY: there is room for so many.
    unsafe { call!(calls, urAdapterGet(count, place, null_mut())) }?;
    let found = adapters.into_iter().find(|adapter| {
        // SAFETY: a live object.
        unsafe { library_of(adapter.cast()) }.is_some_and(|path| path == library)
    });
    found.ok_or_else(|| {
        let library = library.display();
        format!("the loader does not use {library}; UR_LOG_LOADER=level:info says why")
    })
}

/// The file that the functions of an object come from.
///
/// # Safety
/// The object is a live one of an adapter's.
unsafe fn library_of(object: *const c_void) -> Option<PathBuf> {
    // SAFETY: an object begins with the pointer to its adapter's tables, which stay.
    let tables = unsafe { *object.cast::<&'static ur_dditable_t>() };
    // No loader has a function of its own in front of this one.
    let function = tables.Queue.pfnFinish?;
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked about, and there is room for the answer.
    if unsafe { libc::dladdr(function as *const c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it was written, and its name is a text of the dynamic linker's.
    let name = unsafe { CStr::from_ptr(info.assume_init().dli_fname) };
    std::fs::canonicalize(name.to_str().ok()?).ok()
}
