//! The driver behind Level Zero's loader and its layers, and in the loader's place: by the functions and
//! types that the adapter declares.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "functions of Level Zero, called as it wants"
)]

mod ze;

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use ze::*;

/// The variable that says which test the process is for.
const CASE: &str = "UR_FAKE_LEVEL_ZERO_CASE";

/// The driver's library, which cargo built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.with_file_name("libze_fake.so")
}

/// Whether this process is for that test.
fn is_for(test: &str) -> bool {
    std::env::var_os(CASE).is_some_and(|case| case == test)
}

/// Runs a test in a process of its own, with variables.
fn alone(test: &str, variables: &[(&str, &str)], body: fn(&Functions)) {
    if is_for(test) {
        let api = Functions::open().expect("a loader");
        body(&api);
        return;
    }
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CASE, test)
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    let output = command.output().expect("the test starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

#[track_caller]
fn good(result: ze_result_t) {
    assert_eq!(result, ZE_RESULT_SUCCESS, "{result:#x}");
}

/// A function that the library exports to tests.
fn control<T: Copy>(library: &Path, name: &str) -> T {
    let path = CString::new(library.to_str().expect("a path")).expect("a path");
    let name = CString::new(name).expect("a name");
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null(), "{path:?}");
        let address = libc::dlsym(library, name.as_ptr());
        assert!(!address.is_null(), "{name:?}");
        std::mem::transmute_copy(&address)
    }
}

/// What was done wrong.
fn faults(library: &Path) -> String {
    type Faults = unsafe extern "C" fn(*mut u8, usize) -> usize;
    let told: Faults = control(library, "fake_faults");
    let mut bytes = vec![0; 4096];
    let size = unsafe { told(bytes.as_mut_ptr(), bytes.len()) };
    bytes.truncate(size);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Makes one of each object, runs a kernel between copies, and takes all away.
fn life_cycle(api: &Functions) {
    unsafe {
        good((api.zeInit)(0));
        let (mut count, mut driver) = (1, ze_driver_handle_t::NULL);
        good((api.zeDriverGet)(&mut count, &mut driver));
        let (mut count, mut device) = (1, ze_device_handle_t::NULL);
        good((api.zeDeviceGet)(driver, &mut count, &mut device));
        let mut properties = ze_device_properties_t::new();
        good((api.zeDeviceGetProperties)(device, &mut properties));
        assert!(text(&properties.name).starts_with("Fake"));
        let mut context = ze_context_handle_t::NULL;
        good((api.zeContextCreate)(
            driver,
            &ze_context_desc_t::new(),
            &mut context,
        ));

        let path = format!(
            "{}/../../tests/spirv/vector_add.spv",
            env!("CARGO_MANIFEST_DIR")
        );
        let bytes = std::fs::read(path).expect("a module");
        let mut desc = ze_module_desc_t::new();
        desc.inputSize = bytes.len();
        desc.pInputModule = bytes.as_ptr();
        let mut module = ze_module_handle_t::NULL;
        let mut log = ze_module_build_log_handle_t::NULL;
        good((api.zeModuleCreate)(
            context,
            device,
            &desc,
            &mut module,
            &mut log,
        ));
        good((api.zeModuleBuildLogDestroy)(log));
        let mut desc = ze_kernel_desc_t::new();
        desc.pKernelName = c"vector_add".as_ptr();
        let mut kernel = ze_kernel_handle_t::NULL;
        good((api.zeKernelCreate)(module, &desc, &mut kernel));
        good((api.zeKernelSetGroupSize)(kernel, 8, 1, 1));

        let mut memory = std::ptr::null_mut();
        let desc = ze_device_mem_alloc_desc_t::new();
        good((api.zeMemAllocDevice)(
            context,
            &desc,
            96,
            64,
            device,
            &mut memory,
        ));
        for index in 0..3u32 {
            let place = (memory as usize + 32 * index as usize) as *mut c_void;
            let value = (&raw const place).cast();
            good((api.zeKernelSetArgumentValue)(kernel, index, 8, value));
        }

        let mut desc = ze_event_pool_desc_t::new();
        desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
        desc.count = 2;
        let mut pool = ze_event_pool_handle_t::NULL;
        good((api.zeEventPoolCreate)(
            context, &desc, 1, &device, &mut pool,
        ));
        let events = [0, 1].map(|index| {
            let mut desc = ze_event_desc_t::new();
            desc.index = index;
            let mut event = ze_event_handle_t::NULL;
            good((api.zeEventCreate)(pool, &desc, &mut event));
            event
        });
        let [written, done] = events;
        let none = std::ptr::null();

        let mut list = ze_command_list_handle_t::NULL;
        let desc = ze_command_list_desc_t::new();
        good((api.zeCommandListCreate)(context, device, &desc, &mut list));
        let host: [f32; 24] = std::array::from_fn(|place| place as f32);
        let mut out = [0f32; 8];
        let from = host.as_ptr().cast();
        good((api.zeCommandListAppendMemoryCopy)(
            list, memory, from, 96, written, 0, none,
        ));
        let groups = ze_group_count_t {
            groupCountX: 1,
            groupCountY: 1,
            groupCountZ: 1,
        };
        good((api.zeCommandListAppendLaunchKernel)(
            list, kernel, &groups, done, 1, &written,
        ));
        let (to, from) = (
            out.as_mut_ptr().cast(),
            (memory as usize + 64) as *const c_void,
        );
        let nothing = ze_event_handle_t::NULL;
        good((api.zeCommandListAppendMemoryCopy)(
            list, to, from, 32, nothing, 1, &done,
        ));
        good((api.zeCommandListClose)(list));

        let mut queue = ze_command_queue_handle_t::NULL;
        let desc = ze_command_queue_desc_t::new();
        good((api.zeCommandQueueCreate)(
            context, device, &desc, &mut queue,
        ));
        let mut fence = ze_fence_handle_t::NULL;
        good((api.zeFenceCreate)(
            queue,
            &ze_fence_desc_t::new(),
            &mut fence,
        ));
        good((api.zeCommandQueueExecuteCommandLists)(
            queue, 1, &list, fence,
        ));
        good((api.zeFenceHostSynchronize)(fence, u64::MAX));
        good((api.zeCommandQueueSynchronize)(queue, u64::MAX));
        assert_eq!(out, std::array::from_fn(|place| (2 * place + 8) as f32));

        good((api.zeFenceDestroy)(fence));
        good((api.zeCommandListDestroy)(list));
        good((api.zeCommandQueueDestroy)(queue));
        for event in events {
            good((api.zeEventDestroy)(event));
        }
        good((api.zeEventPoolDestroy)(pool));
        good((api.zeMemFree)(context, memory));
        good((api.zeKernelDestroy)(kernel));
        good((api.zeModuleDestroy)(module));
        good((api.zeContextDestroy)(context));
    }
}

/// Expects that nothing is left of a life cycle and nothing was wrong.
fn clean(library: &Path) {
    assert_eq!(faults(library), "");
    let alive: unsafe extern "C" fn(u32) -> usize = control(library, "fake_alive");
    assert_eq!(unsafe { alive(u32::MAX) }, 0);
}

/// An empty folder for a test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("fake-level-zero")
        .join(test);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("what an earlier run left can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Where the system's loader is looked for.
const LOADER: &str = "/usr/lib/x86_64-linux-gnu/libze_loader.so.1";

/// Level Zero's own loader, with its layer that checks parameters, finds the driver and nothing wrong.
#[test]
fn behind_the_loader() {
    if !Path::new(LOADER).exists() {
        eprintln!("not run: the system has no {LOADER}");
        return;
    }
    let library = library();
    let driver = library.to_str().expect("a path");
    let drivers = ["1.15", "1.0 -mutable", "1.4;1.15 devices=2"];
    for settings in drivers {
        let variables = [
            ("ZE_ENABLE_ALT_DRIVERS", driver),
            ("ZE_ENABLE_VALIDATION_LAYER", "1"),
            ("ZE_ENABLE_PARAMETER_VALIDATION", "1"),
            ("UR_FAKE_LEVEL_ZERO", settings),
        ];
        alone("behind_the_loader", &variables, |api| {
            life_cycle(api);
            clean(&library_of_process());
        });
        if is_for("behind_the_loader") {
            break;
        }
    }
}

/// The library that the loader was told to open.
fn library_of_process() -> PathBuf {
    PathBuf::from(std::env::var_os("ZE_ENABLE_ALT_DRIVERS").expect("the variable is set"))
}

/// A link called as the loader stands for it.
#[test]
fn in_place_of_the_loader() {
    let folder = folder("link");
    let link = folder.join("libze_loader.so.1");
    std::os::unix::fs::symlink(library(), &link).expect("a link");
    let path = folder.to_str().expect("a path");
    let variables = [("LD_LIBRARY_PATH", path), ("UR_FAKE_LEVEL_ZERO", "1.15")];
    alone("in_place_of_the_loader", &variables, |api| {
        life_cycle(api);
        clean(&library());
        assert!(api.later.zeEventCounterBasedCreate.is_some());
    });
}

/// A copy that exports what an earlier loader does.
#[test]
fn as_an_earlier_loader() {
    let folder = folder("earlier");
    let without = ["zeKernelGetSourceAttributes"];
    let wrong = ze_fake::loader::write(&library(), &folder, 15, &["zeNothing"]);
    assert!(wrong.is_err());
    ze_fake::loader::write(&library(), &folder, 6, &[]).expect("a loader");
    let path = folder.to_str().expect("a path");
    let variables = [
        ("LD_LIBRARY_PATH", path),
        ("UR_FAKE_LEVEL_ZERO", "1.15"),
        ("UR_FAKE_LEVEL_ZERO_FOLDER", path),
    ];
    alone("as_an_earlier_loader", &variables, |api| {
        let later = &api.later;
        assert!(later.zeCommandListHostSynchronize.is_some());
        assert!(later.zeContextCreateEx.is_some());
        assert!(later.zeInitDrivers.is_none() && later.zeEventCounterBasedCreate.is_none());
        assert!(later.zeCommandListImmediateAppendCommandListsExp.is_none());
        let folder = std::env::var_os("UR_FAKE_LEVEL_ZERO_FOLDER").expect("the variable is set");
        life_cycle(api);
        clean(&Path::new(&folder).join("libze_loader.so.1"));
    });
    let folder = self::folder("broken");
    ze_fake::loader::write(&library(), &folder, 0, &without).expect("a loader");
    let broken = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", "lacks_a_function", "--nocapture"])
        .env(CASE, "lacks_a_function")
        .env("LD_LIBRARY_PATH", folder)
        .output()
        .expect("the test starts");
    assert!(broken.status.success(), "{broken:?}");
}

/// What the adapter says of a loader that lacks what must be there; called by the test above.
#[test]
fn lacks_a_function() {
    if is_for("lacks_a_function") {
        let error = Functions::open().expect_err("it lacks a function");
        assert!(error.contains("zeKernelGetSourceAttributes"), "{error}");
    }
}
