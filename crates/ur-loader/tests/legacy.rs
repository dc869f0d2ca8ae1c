//! Arguments that are set before a launch, on the mock adapter, which shows what reaches it.

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use ur_api::*;
use ur_loader::*;

fn good(result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS);
}

/// The mock's library, which cargo made beside this test.
fn mock() -> PathBuf {
    let program = std::env::current_exe().expect("a program");
    let deps = program.parent().expect("a folder");
    let file = "libur_adapter_mock.so";
    [deps.join(file), deps.with_file_name(file)]
        .into_iter()
        .find(|path| path.exists())
        .expect("the mock's library")
}

/// A function of the mock's library.
///
/// # Safety
/// `F` is its type.
unsafe fn function<F>(path: &str, name: &str) -> F {
    let (path, name) = (CString::new(path).unwrap(), CString::new(name).unwrap());
    // SAFETY: texts are terminated; the library stays open, and the caller vouches for the type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        let symbol = libc::dlsym(library, name.as_ptr());
        assert!(!symbol.is_null(), "{name:?}");
        std::mem::transmute_copy(&symbol)
    }
}

/// What a launch said about one argument.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Value(Vec<u8>),
    Pointer(usize),
    Memory(usize, ur_mem_flags_t),
    Local(usize),
    Sampler(usize),
}

/// What a launch said about all of them, in order, each with its index.
type Arguments = Vec<(u32, Seen)>;

/// The launches that nobody looked at yet, each with its kernel.
static LAUNCHES: Mutex<Vec<(usize, Arguments)>> = Mutex::new(Vec::new());

/// Takes the place of the mock's launch.
unsafe extern "C" fn launch(params: *mut c_void, _: *mut c_void) -> ur_result_t {
    // SAFETY: the mock passes pointers to the arguments of this function, which are alive.
    let (kernel, arguments) = unsafe {
        let params = &*params.cast::<ur_enqueue_kernel_launch_with_args_exp_params_t>();
        let (first, count) = (*params.ppArgs, *params.pnumArgs as usize);
        assert_eq!(first.is_null(), count == 0);
        let all = if count == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(first, count)
        };
        (
            *params.phKernel as usize,
            all.iter().map(|a| (a.index, seen(a))).collect(),
        )
    };
    LAUNCHES.lock().unwrap().push((kernel, arguments));
    UR_RESULT_SUCCESS
}

unsafe fn seen(argument: &ur_exp_kernel_arg_properties_t) -> Seen {
    assert_eq!(argument.stype, UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES);
    // SAFETY: the type says which member is set, and values have their size.
    unsafe {
        match argument.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => Seen::Value(
                std::slice::from_raw_parts(argument.value.value.cast::<u8>(), argument.size).into(),
            ),
            UR_EXP_KERNEL_ARG_TYPE_POINTER => Seen::Pointer(argument.value.pointer as usize),
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => Seen::Memory(
                argument.value.memObjTuple.hMem as usize,
                argument.value.memObjTuple.flags,
            ),
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => Seen::Local(argument.size),
            UR_EXP_KERNEL_ARG_TYPE_SAMPLER => Seen::Sampler(argument.value.sampler as usize),
            other => panic!("{other}"),
        }
    }
}

/// How many arguments kernels have.
static LIMIT: AtomicUsize = AtomicUsize::new(8);

unsafe extern "C" fn kernel_info(params: *mut c_void, _: *mut c_void) -> ur_result_t {
    // SAFETY: the mock passes pointers to the arguments of this function; the loader asks for the
    // number of arguments with room for it.
    unsafe {
        let params = &*params.cast::<ur_kernel_get_info_params_t>();
        assert_eq!(*params.ppropName, UR_KERNEL_INFO_NUM_ARGS);
        let limit = u32::try_from(LIMIT.load(Ordering::Relaxed)).unwrap();
        (*params.ppPropValue).cast::<u32>().write(limit);
    }
    UR_RESULT_SUCCESS
}

/// Blocks given back; the last one is handed out again first.
static FREE: Mutex<Vec<usize>> = Mutex::new(Vec::new());
const BLOCK: usize = 4096;

unsafe extern "C" fn allocate(size: usize, align: usize) -> *mut u8 {
    assert!(size <= BLOCK && align <= 64);
    if let Some(free) = FREE.lock().unwrap().pop() {
        return free as *mut u8;
    }
    // SAFETY: the layout is a valid one.
    unsafe { std::alloc::alloc(std::alloc::Layout::from_size_align(BLOCK, 64).unwrap()) }
}

unsafe extern "C" fn deallocate(memory: *mut u8, _: usize, _: usize) {
    FREE.lock().unwrap().push(memory as usize);
}

type Allocate = unsafe extern "C" fn(usize, usize) -> *mut u8;
type Deallocate = unsafe extern "C" fn(*mut u8, usize, usize);
type Callback = unsafe extern "C" fn(*mut c_void, *mut c_void) -> ur_result_t;

struct World {
    adapter: ur_adapter_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
    program: ur_program_handle_t,
}

// SAFETY: handles may be used from any thread.
unsafe impl Sync for World {}

impl World {
    /// The mock under the loader, with a launch that is seen and addresses that are used again.
    fn new() -> World {
        let path = mock().display().to_string();
        // SAFETY: this is the only test of this program, and no other thread has begun; types
        // are those of the functions, and handles are live.
        unsafe {
            std::env::set_var("UR_ADAPTERS_FORCE_LOAD", &path);
            let set: unsafe extern "C" fn(Option<Allocate>, Option<Deallocate>) -> ur_result_t =
                function(&path, "ur_mock_set_allocator");
            good(set(Some(allocate), Some(deallocate)));
            let set: unsafe extern "C" fn(
                ur_function_t,
                u32,
                Option<Callback>,
                *mut c_void,
            ) -> ur_result_t = function(&path, "ur_mock_set_callback");
            let name = UR_FUNCTION_ENQUEUE_KERNEL_LAUNCH_WITH_ARGS_EXP;
            good(set(name, 1, Some(launch), null_mut()));
            good(set(
                UR_FUNCTION_KERNEL_GET_INFO,
                1,
                Some(kernel_info),
                null_mut(),
            ));

            good(urLoaderInit(0, null_mut()));
            let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
            good(urAdapterGet(1, &raw mut adapter, null_mut()));
            good(urPlatformGet(adapter, 1, &raw mut platform, null_mut()));
            good(urDeviceGet(
                platform,
                UR_DEVICE_TYPE_ALL,
                1,
                &raw mut device,
                null_mut(),
            ));
            let (mut context, mut queue) = (null_mut(), null_mut());
            good(urContextCreate(
                1,
                &raw const device,
                null(),
                &raw mut context,
            ));
            good(urQueueCreate(context, device, null(), &raw mut queue));
            let mut program = null_mut();
            let il = 0x0723_0203u32.to_ne_bytes();
            let made = urProgramCreateWithIL(
                context,
                il.as_ptr().cast(),
                il.len(),
                null(),
                &raw mut program,
            );
            good(made);
            World {
                adapter,
                context,
                queue,
                program,
            }
        }
    }

    fn kernel(&self) -> ur_kernel_handle_t {
        let mut kernel = null_mut();
        // SAFETY: the program is live.
        good(unsafe { urKernelCreate(self.program, c"k".as_ptr(), &raw mut kernel) });
        kernel
    }

    /// Launches a kernel and says which arguments the adapter saw.
    fn launch(&self, kernel: ur_kernel_handle_t) -> Arguments {
        let size = 1usize;
        // SAFETY: handles are live.
        good(unsafe {
            urEnqueueKernelLaunch(
                self.queue,
                kernel,
                1,
                null(),
                &raw const size,
                null(),
                null(),
                0,
                null(),
                null_mut(),
            )
        });
        let mut launches = LAUNCHES.lock().unwrap();
        let at = launches.iter().position(|(of, _)| *of == kernel as usize);
        launches.remove(at.expect("a launch of this kernel")).1
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: the references are ours, and nothing is used any more.
        unsafe {
            good(urProgramRelease(self.program));
            good(urQueueRelease(self.queue));
            good(urContextRelease(self.context));
            good(urAdapterRelease(self.adapter));
            good(urLoaderTearDown());
        }
    }
}

fn set(kernel: ur_kernel_handle_t, index: u32, bytes: &[u8]) -> ur_result_t {
    // SAFETY: the kernel is live.
    unsafe { urKernelSetArgValue(kernel, index, bytes.len(), null(), bytes.as_ptr().cast()) }
}

fn release(kernel: ur_kernel_handle_t) {
    // SAFETY: the reference is ours.
    good(unsafe { urKernelRelease(kernel) });
}

#[test]
fn arguments_reach_the_launch_and_die_with_their_kernel() {
    let world = World::new();

    // All kinds, with values copied when they are set.
    let kernel = world.kernel();
    assert_eq!(world.launch(kernel), []);
    let (mem, sampler) = (0x1000 as ur_mem_handle_t, 0x2000 as ur_sampler_handle_t);
    let mut bytes = [1u8, 2, 3];
    good(set(kernel, 4, &bytes));
    bytes.fill(9);
    let access = ur_kernel_arg_mem_obj_properties_t {
        stype: UR_STRUCTURE_TYPE_KERNEL_ARG_MEM_OBJ_PROPERTIES,
        pNext: null_mut(),
        memoryAccess: UR_MEM_FLAG_READ_ONLY.0,
    };
    // SAFETY: the kernel is live; nobody looks at what is no handle.
    unsafe {
        good(urKernelSetArgPointer(
            kernel,
            0,
            null(),
            0x3000 as *const c_void,
        ));
        good(urKernelSetArgMemObj(kernel, 1, &raw const access, mem));
        good(urKernelSetArgMemObj(kernel, 2, null(), null_mut()));
        good(urKernelSetArgLocal(kernel, 3, 256, null()));
        good(urKernelSetArgSampler(kernel, 5, null(), sampler));
    }
    let all = [
        (4, Seen::Value(vec![1, 2, 3])),
        (0, Seen::Pointer(0x3000)),
        (1, Seen::Memory(0x1000, UR_MEM_FLAG_READ_ONLY.0)),
        (2, Seen::Memory(0, UR_MEM_FLAG_READ_WRITE.0)),
        (3, Seen::Local(256)),
        (5, Seen::Sampler(0x2000)),
    ];
    assert_eq!(world.launch(kernel), all);
    // They stay, each until it is set again.
    good(set(kernel, 0, &[7; 8]));
    let mut changed = all.clone();
    changed[1] = (0, Seen::Value(vec![7; 8]));
    assert_eq!(world.launch(kernel), changed);
    // Another kernel has none of them.
    let other = world.kernel();
    assert_eq!(world.launch(other), []);
    good(set(other, 0, &[5]));
    assert_eq!(world.launch(kernel), changed);
    release(other);

    // Wrong calls.
    // SAFETY: handles are null or live.
    unsafe {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        assert_eq!(urKernelSetArgLocal(null_mut(), 0, 1, null()), null_handle);
        assert_eq!(
            urKernelSetArgSampler(kernel, 0, null(), null_mut()),
            null_handle
        );
        let no_value = urKernelSetArgValue(kernel, 0, 4, null(), null());
        assert_eq!(no_value, UR_RESULT_ERROR_INVALID_NULL_POINTER);
        assert_eq!(
            set(kernel, 0, &[]),
            UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE
        );
        assert_eq!(
            set(kernel, 8, &[1]),
            UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        );
        assert_eq!(
            set(world.queue.cast(), 0, &[1]),
            UR_RESULT_ERROR_INVALID_KERNEL
        );
    }
    assert_eq!(world.launch(kernel), changed);

    // The next kernel at the same address.
    // SAFETY: the kernel is live.
    good(unsafe { urKernelRetain(kernel) });
    release(kernel);
    assert_eq!(world.launch(kernel), changed);
    release(kernel);
    let next = world.kernel();
    assert_eq!(next, kernel);
    assert_eq!(world.launch(next), []);
    good(set(next, 1, &[4]));
    assert_eq!(world.launch(next), [(1, Seen::Value(vec![4]))]);
    release(next);

    // Nothing stays behind.
    let cycle = || {
        let kernel = world.kernel();
        good(set(kernel, 0, &[0; 1024]));
        release(kernel);
    };
    (0..1000).for_each(|_| cycle());
    let before = allocated();
    (0..1000).for_each(|_| cycle());
    let grown = allocated().saturating_sub(before);
    assert!(grown < 100_000, "{grown} bytes of 1000 kernels stay");

    // Threads on a kernel of all and on kernels of their own: no value is torn.
    let kernel = world.kernel();
    let shared = kernel as usize;
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..500 {
                    let shared = shared as ur_kernel_handle_t;
                    good(set(shared, 0, &[thread; 200]));
                    for (index, argument) in world.launch(shared) {
                        let Seen::Value(bytes) = argument else {
                            panic!("{argument:?}")
                        };
                        assert!(index == 0 && bytes.len() == 200);
                        assert!(bytes.iter().all(|&byte| byte == bytes[0]));
                    }
                    let own = world.kernel();
                    assert_eq!(world.launch(own), []);
                    good(set(own, 3, &[thread, round as u8]));
                    let want = [(3, Seen::Value(vec![thread, round as u8]))];
                    assert_eq!(world.launch(own), want);
                    release(own);
                }
            });
        }
    });
    release(kernel);
}

/// Bytes that malloc has handed out.
fn allocated() -> usize {
    // SAFETY: asks for numbers only.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}
