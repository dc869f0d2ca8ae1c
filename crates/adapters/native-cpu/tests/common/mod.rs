//! What the tests share: calls through the C tables, as a loader makes them, and small owners of the
//! objects that tests need.

#![allow(dead_code, reason = "every test file uses a part of this")]

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use ur_adapter_native_cpu::TABLE;
use ur_api::*;

/// Calls an entry of a table: `ur!(Context.pfnCreate(…))`.
#[macro_export]
macro_rules! ur {
    ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {{
        #[allow(clippy::macro_metavars_in_unsafe, reason = "as short as a call in C")]
        // SAFETY: the tests pass what the API asks for.
        unsafe {
            (ur_adapter_native_cpu::TABLE.$table.$entry.unwrap())($($arg),*)
        }
    }};
}

/// As [`ur!`], and the call must succeed.
#[macro_export]
macro_rules! ok {
    ($($call:tt)*) => {
        assert_eq!($crate::ur!($($call)*), UR_RESULT_SUCCESS)
    };
}

/// The adapter's platform.
pub fn platform() -> ur_platform_handle_t {
    let mut adapter = null_mut();
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    let mut platform = null_mut();
    ok!(Platform.pfnGet(adapter, 1, &mut platform, null_mut()));
    ok!(Adapter.pfnRelease(adapter));
    platform
}

/// The root device.
pub fn device() -> ur_device_handle_t {
    let mut device = null_mut();
    ok!(Device.pfnGet(platform(), UR_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
    device
}

/// A context of the root device, released at the end.
pub struct Context(pub ur_context_handle_t);

impl Context {
    pub fn new() -> Context {
        let mut context = null_mut();
        ok!(Context.pfnCreate(1, &device(), null(), &mut context));
        Context(context)
    }

    /// Runs the kernel of `link_main.spv`, linked with `link_library.spv`, and holds it to what both
    /// say.
    pub fn uses(&self, kernel: &Kernel) {
        let input: Vec<i32> = (0..30).map(|i| i - 7).collect();
        let (mut out, mut count) = (vec![-1i32; 30], 0i32);
        let args = [
            Arg::Pointer(input.as_ptr().cast()),
            Arg::Pointer(out.as_mut_ptr().cast_const().cast()),
            Arg::Pointer((&raw mut count).cast_const().cast()),
        ];
        self.queue().run(kernel, &[30], None, &args);
        assert_eq!(count, 30);
        for (i, x) in input.iter().enumerate() {
            let table = [100, 200, 300][i % 3];
            assert_eq!(out[i], x * 1000 + i as i32 + 30 + table + 2 * x);
        }
    }

    /// An in-order queue.
    pub fn queue(&self) -> Queue {
        self.queue_with(0)
    }

    /// A queue with flags.
    pub fn queue_with(&self, flags: u32) -> Queue {
        let properties = ur_queue_properties_t {
            stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
            flags,
            ..Default::default()
        };
        let mut queue = null_mut();
        ok!(Queue.pfnCreate(self.0, device(), &properties, &mut queue));
        Queue(queue)
    }

    /// A buffer that holds `bytes`.
    pub fn buffer(&self, bytes: &[u8]) -> Mem {
        let properties = ur_buffer_properties_t {
            stype: UR_STRUCTURE_TYPE_BUFFER_PROPERTIES,
            pHost: bytes.as_ptr().cast_mut().cast(),
            ..Default::default()
        };
        let mut mem = null_mut();
        ok!(Mem.pfnBufferCreate(
            self.0,
            UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0,
            bytes.len(),
            &properties,
            &mut mem,
        ));
        Mem(mem)
    }

    /// A built program of one of the SPIR-V test modules.
    pub fn program(&self, name: &str) -> Program {
        let program = self.unbuilt(&module(name));
        let outcome = ur!(Program.pfnBuild(self.0, program.0, null()));
        assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", program.log());
        program
    }

    /// A program of SPIR-V, not yet built.
    pub fn unbuilt(&self, spirv: &[u8]) -> Program {
        let mut program = null_mut();
        let (start, len) = (spirv.as_ptr().cast(), spirv.len());
        ok!(Program.pfnCreateWithIL(self.0, start, len, null(), &mut program));
        Program(program)
    }
}

macro_rules! owner {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $table:ident) => {
        $(#[$doc])*
        pub struct $name(pub $raw);
        release!($name, $table);
    };
}

macro_rules! release {
    ($name:ident, $table:ident) => {
        impl Drop for $name {
            fn drop(&mut self) {
                ok!($table.pfnRelease(self.0));
            }
        }
    };
}

release!(Context, Context);
owner!(
    /// A queue.
    Queue, ur_queue_handle_t, Queue
);
owner!(
    /// A buffer.
    Mem, ur_mem_handle_t, Mem
);
owner!(
    /// A program.
    Program, ur_program_handle_t, Program
);
owner!(
    /// A kernel.
    Kernel, ur_kernel_handle_t, Kernel
);
owner!(
    /// An event.
    Event, ur_event_handle_t, Event
);

impl Queue {
    pub fn finish(&self) {
        ok!(Queue.pfnFinish(self.0));
    }

    /// Reads a buffer, blocking.
    pub fn read(&self, mem: &Mem, bytes: &mut [u8]) {
        let to = bytes.as_mut_ptr().cast();
        let len = bytes.len();
        ok!(Enqueue.pfnMemBufferRead(self.0, mem.0, true, 0, len, to, 0, null(), null_mut()));
    }

    /// An event that is complete when `wait_list` is (or, if empty, everything before).
    pub fn wait_event(&self, wait_list: &[ur_event_handle_t]) -> Event {
        let mut event = null_mut();
        let (count, list) = (wait_list.len() as u32, list(wait_list));
        ok!(Enqueue.pfnEventsWait(self.0, count, list, &mut event));
        Event(event)
    }

    /// Enqueues a host task that ends when the sender is used or dropped.
    pub fn block(&self) -> (std::sync::mpsc::Sender<()>, Event) {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        unsafe extern "C" fn wait(data: *mut c_void) {
            // SAFETY: the box made below, which comes back once.
            let receiver = unsafe { Box::from_raw(data.cast::<std::sync::mpsc::Receiver<()>>()) };
            let _ = receiver.recv();
        }
        let data = Box::into_raw(Box::new(receiver)).cast();
        let mut event = null_mut();
        ok!(EnqueueExp.pfnHostTaskExp(self.0, Some(wait), data, null(), 0, null(), &mut event));
        (sender, Event(event))
    }

    /// Launches a kernel.
    pub fn launch(
        &self,
        kernel: &Kernel,
        global: &[usize],
        local: Option<&[usize]>,
        args: &[Arg],
    ) -> (ur_result_t, Option<Event>) {
        self.launch_after(kernel, global, local, args, &[])
    }

    /// Launches a kernel after some events.
    pub fn launch_after(
        &self,
        kernel: &Kernel,
        global: &[usize],
        local: Option<&[usize]>,
        args: &[Arg],
        wait_list: &[ur_event_handle_t],
    ) -> (ur_result_t, Option<Event>) {
        let args = raw(args);
        let mut event = null_mut();
        let outcome = ur!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            self.0,
            kernel.0,
            global.len() as u32,
            null(),
            global.as_ptr(),
            local.map_or(null(), <[usize]>::as_ptr),
            args.len() as u32,
            args.as_ptr(),
            null(),
            wait_list.len() as u32,
            list(wait_list),
            &mut event,
        ));
        (outcome, (!event.is_null()).then(|| Event(event)))
    }

    /// Launches a kernel, which must succeed, and waits.
    pub fn run(&self, kernel: &Kernel, global: &[usize], local: Option<&[usize]>, args: &[Arg]) {
        let (outcome, event) = self.launch(kernel, global, local, args);
        assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
        event.unwrap().wait();
    }
}

fn list(events: &[ur_event_handle_t]) -> *const ur_event_handle_t {
    if events.is_empty() {
        null()
    } else {
        events.as_ptr()
    }
}

/// Arguments as a launch takes them.
pub fn raw(args: &[Arg]) -> Vec<ur_exp_kernel_arg_properties_t> {
    args.iter().enumerate().map(|(i, arg)| arg.raw(i)).collect()
}

impl Kernel {
    /// Records a launch, whose kernel one of `others` may replace later, and stores its command if there
    /// is a place for it.
    pub fn record(
        &self,
        buffer: ur_exp_command_buffer_handle_t,
        others: &[&Kernel],
        global: &[usize],
        local: Option<&[usize]>,
        args: &[Arg],
        command: *mut ur_exp_command_buffer_command_handle_t,
    ) -> ur_result_t {
        let args = raw(args);
        let mut others: Vec<_> = others.iter().map(|kernel| kernel.0).collect();
        ur!(CommandBufferExp.pfnAppendKernelLaunchWithArgsExp(
            buffer,
            self.0,
            global.len() as u32,
            null(),
            global.as_ptr(),
            local.map_or(null(), <[usize]>::as_ptr),
            args.len() as u32,
            args.as_ptr(),
            others.len() as u32,
            if others.is_empty() {
                null_mut()
            } else {
                others.as_mut_ptr()
            },
            0,
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
            command,
        ))
    }
}

/// A kernel argument.
pub enum Arg<'a> {
    Value(&'a [u8]),
    Pointer(*const c_void),
    Mem(&'a Mem),
    Local(usize),
    Sampler(ur_sampler_handle_t),
}

impl Arg<'_> {
    pub fn raw(&self, index: usize) -> ur_exp_kernel_arg_properties_t {
        let (kind, size, value) = match self {
            Arg::Value(bytes) => (
                UR_EXP_KERNEL_ARG_TYPE_VALUE,
                bytes.len(),
                ur_exp_kernel_arg_value_t {
                    value: bytes.as_ptr().cast(),
                },
            ),
            Arg::Pointer(pointer) => (
                UR_EXP_KERNEL_ARG_TYPE_POINTER,
                8,
                ur_exp_kernel_arg_value_t { pointer: *pointer },
            ),
            Arg::Mem(mem) => (
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ,
                8,
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
                8,
                ur_exp_kernel_arg_value_t { sampler: *sampler },
            ),
        };
        ur_exp_kernel_arg_properties_t {
            stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
            pNext: null_mut(),
            r#type: kind,
            index: index as u32,
            size,
            value,
        }
    }
}

impl Event {
    pub fn wait(&self) {
        ok!(Event.pfnWait(1, &self.0));
    }

    pub fn status(&self) -> ur_event_status_t {
        ur_event_status_t(event_info(self.0, UR_EVENT_INFO_COMMAND_EXECUTION_STATUS))
    }

    pub fn time(&self, which: ur_profiling_info_t) -> u64 {
        let mut time = 0u64;
        let place = (&raw mut time).cast();
        ok!(Event.pfnGetProfilingInfo(self.0, which, 8, place, null_mut()));
        time
    }
}

/// A 32-bit answer of `urEventGetInfo`.
pub fn event_info(event: ur_event_handle_t, name: ur_event_info_t) -> u32 {
    let mut value = 0u32;
    ok!(Event.pfnGetInfo(event, name, 4, (&raw mut value).cast(), null_mut()));
    value
}

impl Program {
    pub fn kernel(&self, name: &str) -> Kernel {
        let name = CString::new(name).unwrap();
        let mut kernel = null_mut();
        let outcome = ur!(Kernel.pfnCreate(self.0, name.as_ptr(), &mut kernel));
        assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
        Kernel(kernel)
    }

    /// A kernel, or why there is none.
    pub fn try_kernel(&self, name: &std::ffi::CStr) -> Result<Kernel, ur_result_t> {
        let mut kernel = null_mut();
        match ur!(Kernel.pfnCreate(self.0, name.as_ptr(), &mut kernel)) {
            UR_RESULT_SUCCESS => Ok(Kernel(kernel)),
            outcome => Err(outcome),
        }
    }

    pub fn log(&self) -> String {
        let mut size = 0;
        let name = UR_PROGRAM_BUILD_INFO_LOG;
        ok!(Program.pfnGetBuildInfo(self.0, device(), name, 0, null_mut(), &mut size));
        let mut text = vec![0u8; size];
        let place = text.as_mut_ptr().cast();
        ok!(Program.pfnGetBuildInfo(self.0, device(), name, size, place, null_mut()));
        String::from_utf8_lossy(&text)
            .trim_end_matches('\0')
            .to_owned()
    }
}

/// The message of the thread's last error.
pub fn last_error() -> String {
    let mut adapter = null_mut();
    ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
    let (mut message, mut number) = (null(), 0);
    ok!(Adapter.pfnGetLastError(adapter, &mut message, &mut number));
    // SAFETY: a terminated text of this thread.
    let text = unsafe { std::ffi::CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned();
    ok!(Adapter.pfnRelease(adapter));
    text
}

/// The bytes of a SPIR-V test module.
pub fn module(name: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../../tests/spirv", name]
        .iter()
        .collect();
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The bytes of a slice of numbers.
pub fn bytes<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the tests use numbers without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of a slice of numbers, to be written.
pub fn bytes_mut<T: Copy>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above; any bits are numbers.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Bytes of memory that the process holds.
pub fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// A small generator of numbers, so that every run is the same.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The table itself, for tests that need it.
pub fn table() -> &'static ur_dditable_t {
    &TABLE
}
