//! What a launch costs: `launch WHAT [COUNT]` does the same thing `COUNT` times and prints the time and the
//! CPU time (of all threads) that one took, in nanoseconds. `launch` alone does everything.
//!
//! For instructions, which no other load of the machine disturbs, run it twice under
//! `valgrind --tool=callgrind` with two counts; the difference of the two totals divided by that of the
//! counts is what one costs:
//!
//! ```text
//! cargo build --release --example launch -p ur-adapter-native-cpu
//! for count in 1000 3000; do valgrind --tool=callgrind target/release/examples/launch finish $count; done
//! ```

mod calls;

use calls::{ok, pointer};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use ur_api::*;

/// SPIR-V of a kernel `e` without arguments that does nothing.
const EMPTY: [u32; 28] = [
    0x0723_0203, // magic
    0x0001_0000, // version 1.0
    0,
    6, // bound
    0,
    0x0002_0011, // OpCapability
    4,           // Addresses
    0x0002_0011,
    6,           // Kernel
    0x0003_000e, // OpMemoryModel
    2,           // Physical64
    2,           // OpenCL
    0x0004_000f, // OpEntryPoint
    6,           // Kernel
    1,
    0x65,        // "e"
    0x0002_0013, // OpTypeVoid
    2,
    0x0003_0021, // OpTypeFunction
    3,
    2,
    0x0005_0036, // OpFunction
    2,
    1,
    0,
    3,
    0x0002_00f8, // OpLabel
    4,
];

/// The end of the module: return, and the function's end.
const END: [u32; 2] = [0x0001_00fd, 0x0001_0038];

/// Waits for a flag.
unsafe extern "C" fn hold(flag: *mut c_void) {
    // SAFETY: it is given the address of one that lives until it returns.
    let flag = unsafe { &*flag.cast::<AtomicBool>() };
    while !flag.load(Ordering::Acquire) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

struct Setup {
    context: ur_context_handle_t,
    device: ur_device_handle_t,
    in_order: ur_queue_handle_t,
    out_of_order: ur_queue_handle_t,
    profiled: ur_queue_handle_t,
    empty: ur_kernel_handle_t,
    add: ur_kernel_handle_t,
    data: Vec<f32>,
    il: Vec<u8>,
}

impl Setup {
    fn new() -> Setup {
        let mut adapter = null_mut();
        ok!(Adapter.pfnGet(1, &mut adapter, null_mut()));
        let mut platform = null_mut();
        ok!(Platform.pfnGet(adapter, 1, &mut platform, null_mut()));
        let mut device = null_mut();
        ok!(Device.pfnGet(platform, UR_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
        let mut context = null_mut();
        ok!(Context.pfnCreate(1, &device, null(), &mut context));
        let queue = |flags: u32| {
            let properties = ur_queue_properties_t {
                stype: UR_STRUCTURE_TYPE_QUEUE_PROPERTIES,
                flags,
                ..Default::default()
            };
            let mut queue = null_mut();
            ok!(Queue.pfnCreate(context, device, &properties, &mut queue));
            queue
        };
        let empty: Vec<u32> = EMPTY.into_iter().chain(END).collect();
        let add = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../tests/spirv/vector_add.spv"
        );
        let add = std::fs::read(add).unwrap_or_else(|error| panic!("{add}: {error}"));
        let mut setup = Setup {
            context,
            device,
            in_order: queue(0),
            out_of_order: queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0),
            profiled: queue(UR_QUEUE_FLAG_PROFILING_ENABLE.0),
            empty: null_mut(),
            add: null_mut(),
            data: vec![1.0; 3 << 22],
            il: add,
        };
        setup.empty = setup.kernel(empty.as_ptr().cast(), size_of_val(&*empty), c"e");
        setup.add = setup.kernel(setup.il.as_ptr().cast(), setup.il.len(), c"vector_add");
        setup
    }

    fn kernel(&self, il: *const c_void, len: usize, name: &std::ffi::CStr) -> ur_kernel_handle_t {
        let mut program = null_mut();
        ok!(Program.pfnCreateWithIL(self.context, il, len, null(), &mut program));
        ok!(Program.pfnBuild(self.context, program, null()));
        let mut kernel = null_mut();
        ok!(Kernel.pfnCreate(program, name.as_ptr(), &mut kernel));
        ok!(Program.pfnRelease(program));
        kernel
    }

    /// Launches the empty kernel.
    fn launch(
        &self,
        queue: ur_queue_handle_t,
        wait: &[ur_event_handle_t],
        event: *mut ur_event_handle_t,
    ) {
        let list = if wait.is_empty() {
            null()
        } else {
            wait.as_ptr()
        };
        let count = wait.len() as u32;
        ok!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            queue,
            self.empty,
            1,
            null(),
            &1,
            &1,
            0,
            null(),
            null(),
            count,
            list,
            event,
        ));
    }

    /// Launches the addition of `size` numbers.
    fn add(&self, queue: ur_queue_handle_t, size: usize, local: usize) {
        let start = self.data.as_ptr();
        let args =
            [0, 1, 2].map(|index| pointer(index, start.wrapping_add((index as usize) << 22)));
        let local = if local == 0 { null() } else { &raw const local };
        ok!(EnqueueExp.pfnKernelLaunchWithArgsExp(
            queue,
            self.add,
            1,
            null(),
            &size,
            local,
            3,
            args.as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        ));
    }

    fn finish(&self, queue: ur_queue_handle_t) {
        ok!(Queue.pfnFinish(queue));
    }

    fn run(&self, what: &str, count: usize) {
        let mut event = null_mut();
        match what {
            // The empty kernel, and waiting for it.
            "finish" => (0..count).for_each(|_| {
                self.launch(self.in_order, &[], null_mut());
                self.finish(self.in_order);
            }),
            // The same with an event, waited for and released.
            "event" | "profiled" => (0..count).for_each(|_| {
                let queue = if what == "event" {
                    self.in_order
                } else {
                    self.profiled
                };
                self.launch(queue, &[], &mut event);
                ok!(Event.pfnWait(1, &event));
                ok!(Event.pfnRelease(event));
            }),
            // Many empty kernels, waited for once.
            "chain" | "fan" => {
                let queue = if what == "chain" {
                    self.in_order
                } else {
                    self.out_of_order
                };
                (0..count).for_each(|_| self.launch(queue, &[], null_mut()));
                self.finish(queue);
            }
            // Many behind a task of the host, so that each is a command of the pool.
            "held" => {
                let flag = AtomicBool::new(false);
                let data = (&raw const flag).cast_mut().cast();
                ok!(EnqueueExp.pfnHostTaskExp(
                    self.in_order,
                    Some(hold),
                    data,
                    null(),
                    0,
                    null(),
                    null_mut(),
                ));
                (0..count).for_each(|_| self.launch(self.in_order, &[], null_mut()));
                flag.store(true, Ordering::Release);
                self.finish(self.in_order);
            }
            // Each waits for the event of the one before.
            "events" => {
                let mut before = Vec::new();
                for _ in 0..count {
                    self.launch(self.out_of_order, &before, &mut event);
                    before.drain(..).for_each(|old| ok!(Event.pfnRelease(old)));
                    before.push(event);
                }
                self.finish(self.out_of_order);
                before.drain(..).for_each(|old| ok!(Event.pfnRelease(old)));
            }
            // A kernel with arguments in groups of one work-item.
            "args" => (0..count).for_each(|_| {
                self.add(self.in_order, 64, 64);
                self.finish(self.in_order);
            }),
            "tiny groups" => (0..count).for_each(|_| {
                self.add(self.in_order, 1 << 16, 1);
                self.finish(self.in_order);
            }),
            "large" => (0..count).for_each(|_| {
                self.add(self.in_order, 1 << 20, 0);
                self.finish(self.in_order);
            }),
            "copy" => (0..count).for_each(|_| {
                let from = self.data.as_ptr();
                let to = from.wrapping_add(1024).cast_mut();
                ok!(Enqueue.pfnUSMMemcpy(
                    self.in_order,
                    false,
                    to.cast(),
                    from.cast(),
                    64,
                    0,
                    null(),
                    null_mut(),
                ));
                self.finish(self.in_order);
            }),
            // The first again, among much that is alive.
            "crowded" => {
                let mut memory = vec![null_mut(); 10_000];
                for place in &mut memory {
                    let (null, size) = (null(), 64);
                    ok!(USM.pfnHostAlloc(self.context, null, null_mut(), size, place));
                }
                let il = (self.il.as_ptr().cast(), self.il.len());
                let kernel = |_| self.kernel(il.0, il.1, c"vector_add");
                let kernels: Vec<_> = (0..100).map(kernel).collect();
                let mut events = vec![null_mut(); 10_000];
                for event in &mut events {
                    self.launch(self.in_order, &[], event);
                }
                self.run("finish", count);
                for event in events {
                    ok!(Event.pfnRelease(event));
                }
                for kernel in kernels {
                    ok!(Kernel.pfnRelease(kernel));
                }
                for pointer in memory {
                    ok!(USM.pfnFree(self.context, pointer));
                }
            }
            // Reading, building and making a kernel, all of it kept from an earlier time.
            "build" => (0..count).for_each(|_| {
                let kernel = self.kernel(self.il.as_ptr().cast(), self.il.len(), c"vector_add");
                ok!(Kernel.pfnRelease(kernel));
            }),
            _ => panic!("no such thing: {what}"),
        }
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        for kernel in [self.empty, self.add] {
            ok!(Kernel.pfnRelease(kernel));
        }
        for queue in [self.in_order, self.out_of_order, self.profiled] {
            ok!(Queue.pfnRelease(queue));
        }
        ok!(Context.pfnRelease(self.context));
        ok!(Device.pfnRelease(self.device));
    }
}

fn time(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place for the answer.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Everything, with how often it is done by default.
const ALL: [(&str, usize); 13] = [
    ("finish", 100_000),
    ("crowded", 100_000),
    ("event", 100_000),
    ("profiled", 100_000),
    ("chain", 10_000),
    ("fan", 10_000),
    ("held", 10_000),
    ("events", 10_000),
    ("args", 100_000),
    ("tiny groups", 100),
    ("large", 100),
    ("copy", 100_000),
    ("build", 1000),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let setup = Setup::new();
    let chosen = |what: &str| args.first().is_none_or(|arg| arg == what);
    for (what, count) in ALL.into_iter().filter(|(what, _)| chosen(what)) {
        let count = args
            .get(1)
            .map_or(count, |text| text.parse().expect("a number"));
        // The first launches start threads and find out what the kernel costs.
        setup.run(what, 10);
        let clocks = [libc::CLOCK_MONOTONIC, libc::CLOCK_PROCESS_CPUTIME_ID];
        let before = clocks.map(time);
        setup.run(what, count);
        let [wall, cpu] = [0, 1].map(|i| (time(clocks[i]) - before[i]) / count as f64);
        println!("{what:12} {wall:10.0} ns {cpu:10.0} ns CPU");
    }
}
