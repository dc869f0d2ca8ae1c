//! The calls that are timed.

use crate::functions::functions;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

functions! {
    /// Functions of a loader whose calls are timed, and those that make what they need.
    Calls:
    urLoaderInit: PfnUrLoaderInit,
    urAdapterGet: PfnUrAdapterGet,
    urPlatformGet: PfnUrPlatformGet,
    urDeviceGet: PfnUrDeviceGet,
    urContextCreate: PfnUrContextCreate,
    urQueueCreate: PfnUrQueueCreate,
    urEnqueueEventsWait: PfnUrEnqueueEventsWait,
    urEventWait: PfnUrEventWait,
    urDeviceGetInfo: PfnUrDeviceGetInfo,
    urQueueGetInfo: PfnUrQueueGetInfo,
    urContextRetain: PfnUrContextRetain,
    urContextRelease: PfnUrContextRelease,
    urEventRetain: PfnUrEventRetain,
    urEventRelease: PfnUrEventRelease,
    urUSMHostAlloc: PfnUrUSMHostAlloc,
    urUSMFree: PfnUrUSMFree,
    urEnqueueUSMMemcpy: PfnUrEnqueueUSMMemcpy,
}

/// Bytes of an allocation and of a copy.
const SIZE: usize = 64;

/// One thing to time: its name, how many calls it is, and the loop that does it so many times.
/// The loop gives every bit of every result.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) calls: u32,
    /// Repeats of a batch: some 50 µs, since reading the clock takes one.
    pub(super) repeats: u32,
    run: unsafe fn(&Functions, &Objects, u32) -> u32,
}

/// The functions themselves, from a loader or from an adapter's tables.
pub(super) struct Functions {
    device_info: unsafe extern "C" fn(
        ur_device_handle_t,
        ur_device_info_t,
        usize,
        *mut c_void,
        *mut usize,
    ) -> ur_result_t,
    queue_info: unsafe extern "C" fn(
        ur_queue_handle_t,
        ur_queue_info_t,
        usize,
        *mut c_void,
        *mut usize,
    ) -> ur_result_t,
    context: [unsafe extern "C" fn(ur_context_handle_t) -> ur_result_t; 2],
    event: [unsafe extern "C" fn(ur_event_handle_t) -> ur_result_t; 2],
    alloc: unsafe extern "C" fn(
        ur_context_handle_t,
        *const ur_usm_desc_t,
        ur_usm_pool_handle_t,
        usize,
        *mut *mut c_void,
    ) -> ur_result_t,
    free: unsafe extern "C" fn(ur_context_handle_t, *mut c_void) -> ur_result_t,
    copy: unsafe extern "C" fn(
        ur_queue_handle_t,
        bool,
        *mut c_void,
        *const c_void,
        usize,
        u32,
        *const ur_event_handle_t,
        *mut ur_event_handle_t,
    ) -> ur_result_t,
}

impl Functions {
    /// Those of a loader.
    pub(super) fn of_loader(calls: &Calls) -> Option<Functions> {
        Some(Functions {
            device_info: calls.urDeviceGetInfo?,
            queue_info: calls.urQueueGetInfo?,
            context: [calls.urContextRetain?, calls.urContextRelease?],
            event: [calls.urEventRetain?, calls.urEventRelease?],
            alloc: calls.urUSMHostAlloc?,
            free: calls.urUSMFree?,
            copy: calls.urEnqueueUSMMemcpy?,
        })
    }

    /// Those that an adapter's objects point to.
    pub(super) fn of_adapter(tables: &ur_dditable_t) -> Option<Functions> {
        Some(Functions {
            device_info: tables.Device.pfnGetInfo?,
            queue_info: tables.Queue.pfnGetInfo?,
            context: [tables.Context.pfnRetain?, tables.Context.pfnRelease?],
            event: [tables.Event.pfnRetain?, tables.Event.pfnRelease?],
            alloc: tables.USM.pfnHostAlloc?,
            free: tables.USM.pfnFree?,
            copy: tables.Enqueue.pfnUSMMemcpy?,
        })
    }
}

/// What the calls are made on.
pub(super) struct Objects {
    pub(super) device: ur_device_handle_t,
    pub(super) context: ur_context_handle_t,
    pub(super) queue: ur_queue_handle_t,
    pub(super) event: ur_event_handle_t,
    pub(super) memory: [*mut c_void; 2],
}

fn good(result: ur_result_t, what: &str) -> Result<(), String> {
    if result == UR_RESULT_SUCCESS {
        Ok(())
    } else {
        Err(format!("{what} returned {result}"))
    }
}

/// Calls a function of the loader's and looks at its result.
macro_rules! call {
    ($calls:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        let function = $calls.$name.ok_or(stringify!($name))?;
        // SAFETY: the loader's function of that name, with handles of its own and places of ours.
        good(unsafe { function($($argument),*) }, stringify!($name))
    }};
}

impl Objects {
    /// Makes them on the first device of the adapter whose functions lie in that library.
    pub(super) fn new(calls: &Calls, library: &std::path::Path) -> Result<Objects, String> {
        let mut count = 0;
        call!(calls.urAdapterGet(0, null_mut(), &raw mut count))?;
        let mut adapters = vec![null_mut(); count as usize];
        call!(calls.urAdapterGet(count, adapters.as_mut_ptr(), null_mut()))?;
        let adapter = adapters
            .into_iter()
            .find(|adapter| library_of(*adapter).is_some_and(|path| path == library))
            .ok_or("the loader has no such adapter")?;
        let mut platform = null_mut();
        call!(calls.urPlatformGet(adapter, 1, &raw mut platform, null_mut()))?;
        let mut objects = Objects {
            device: null_mut(),
            context: null_mut(),
            queue: null_mut(),
            event: null_mut(),
            memory: [null_mut(); 2],
        };
        call!(calls.urDeviceGet(
            platform,
            UR_DEVICE_TYPE_ALL,
            1,
            &raw mut objects.device,
            null_mut(),
        ))?;
        call!(calls.urContextCreate(
            1,
            &raw const objects.device,
            null(),
            &raw mut objects.context
        ))?;
        call!(calls.urQueueCreate(
            objects.context,
            objects.device,
            null(),
            &raw mut objects.queue
        ))?;
        call!(calls.urEnqueueEventsWait(objects.queue, 0, null(), &raw mut objects.event))?;
        call!(calls.urEventWait(1, &raw const objects.event))?;
        for memory in &mut objects.memory {
            call!(calls.urUSMHostAlloc(objects.context, null(), null_mut(), SIZE, memory))?;
        }
        Ok(objects)
    }

    /// The tables of the adapter.
    pub(super) fn tables(&self) -> &'static ur_dditable_t {
        // SAFETY: an object begins with the pointer to its adapter's tables, which stay.
        unsafe { *self.context.cast::<&'static ur_dditable_t>() }
    }
}

/// The file that an adapter's functions come from.
fn library_of(adapter: ur_adapter_handle_t) -> Option<std::path::PathBuf> {
    // SAFETY: an object begins with the pointer to its adapter's tables, which stay.
    let tables = unsafe { *adapter.cast::<&'static ur_dditable_t>() };
    let function = tables.Device.pfnGetInfo?;
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked about, and there is room for the answer.
    if unsafe { libc::dladdr(function as *const c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it was written, and its name is a text of the dynamic linker's.
    let name = unsafe { std::ffi::CStr::from_ptr(info.assume_init().dli_fname) };
    std::fs::canonicalize(name.to_str().ok()?).ok()
}

/// The timed operations.
pub(super) const OPERATIONS: [Operation; 6] = [
    Operation {
        name: "urDeviceGetInfo",
        calls: 1,
        repeats: 8000,
        run: device_info,
    },
    Operation {
        name: "urQueueGetInfo",
        calls: 1,
        repeats: 8000,
        run: queue_info,
    },
    Operation {
        name: "urContextRetain + Release",
        calls: 2,
        repeats: 5000,
        run: context,
    },
    Operation {
        name: "urEventRetain + Release",
        calls: 2,
        repeats: 5000,
        run: event,
    },
    Operation {
        name: "urUSMHostAlloc + Free",
        calls: 2,
        repeats: 1000,
        run: memory,
    },
    Operation {
        name: "urEnqueueUSMMemcpy, blocking",
        calls: 1,
        repeats: 2000,
        run: copy,
    },
];

// SAFETY of the loops: functions and objects belong together, and the objects live.

unsafe fn device_info(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let function = functions.device_info;
    let (mut bad, mut kind) = (0, ur_device_type_t(0));
    let place = (&raw mut kind).cast();
    for _ in 0..repeats {
        // SAFETY: as above; there is room for the answer.
        let result = unsafe {
            function(
                objects.device,
                UR_DEVICE_INFO_TYPE,
                size_of_val(&kind),
                place,
                null_mut(),
            )
        };
        bad |= result.0;
    }
    bad
}

unsafe fn queue_info(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let function = functions.queue_info;
    let (mut bad, mut count) = (0, 0u32);
    let place = (&raw mut count).cast();
    for _ in 0..repeats {
        // SAFETY: as above; there is room for the answer.
        let result = unsafe {
            function(
                objects.queue,
                UR_QUEUE_INFO_REFERENCE_COUNT,
                size_of_val(&count),
                place,
                null_mut(),
            )
        };
        bad |= result.0;
    }
    bad
}

unsafe fn context(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let [retain, release] = functions.context;
    let mut bad = 0;
    for _ in 0..repeats {
        // SAFETY: as above; what is released was retained.
        bad |= unsafe { retain(objects.context).0 | release(objects.context).0 };
    }
    bad
}

unsafe fn event(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let [retain, release] = functions.event;
    let mut bad = 0;
    for _ in 0..repeats {
        // SAFETY: as above; what is released was retained.
        bad |= unsafe { retain(objects.event).0 | release(objects.event).0 };
    }
    bad
}

unsafe fn memory(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let (alloc, free) = (functions.alloc, functions.free);
    let (mut bad, mut memory) = (0, null_mut());
    for _ in 0..repeats {
        // SAFETY: as above; what is freed was allocated.
        unsafe {
            bad |= alloc(objects.context, null(), null_mut(), SIZE, &raw mut memory).0;
            bad |= free(objects.context, memory).0;
        }
    }
    bad
}

unsafe fn copy(functions: &Functions, objects: &Objects, repeats: u32) -> u32 {
    let function = functions.copy;
    let [to, from] = objects.memory;
    let mut bad = 0;
    for _ in 0..repeats {
        // SAFETY: as above; both have so many bytes.
        let result =
            unsafe { function(objects.queue, true, to, from, SIZE, 0, null(), null_mut()) };
        bad |= result.0;
    }
    bad
}

/// Nanoseconds that this thread has run.
fn clock() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

impl Operation {
    /// CPU time of one of the operation's repeats in a batch, in nanoseconds.
    ///
    /// # Errors
    /// A call failed.
    pub(super) fn time(&self, functions: &Functions, objects: &Objects) -> Result<f64, String> {
        let start = clock();
        // SAFETY: functions and objects belong together, see `child`.
        let bad = unsafe { (self.run)(functions, objects, self.repeats) };
        let end = clock();
        if bad == 0 {
            Ok((end - start) / f64::from(self.repeats))
        } else {
            Err(format!("calls of {} failed", self.name))
        }
    }
}
