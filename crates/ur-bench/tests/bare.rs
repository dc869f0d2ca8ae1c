//! Our OpenCL adapter beside the driver that it stands on, which is PoCL, where it is installed: the
//! same device twice, with buffers and programs of OpenCL C.

use std::path::{Path, PathBuf};
use ur_bench::case::Scale;
use ur_bench::device::{Device, Step};
use ur_bench::functions::Functions;
use ur_bench::measure::verify;
use ur_bench::modules;
use ur_bench::ours::Ours;
use ur_bench::peer::Peer;
use ur_bench::suite;
use ur_opencl::{Kind, Library};

const POCL: &str = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

/// Kernels with values, local memory and atomics: a few, since PoCL compiles slowly.
const KERNELS: [&str; 3] = ["triad", "transpose", "histogram_local"];

#[test]
fn kernels_are_right_through_the_adapter_and_without_it() {
    if !Path::new(POCL).exists() {
        println!("skipped: PoCL is not installed");
        return;
    }
    let beside = std::env::current_exe().expect("the path of this test");
    let adapter: PathBuf = beside.with_file_name("libur_adapter_opencl.so");
    assert!(adapter.exists(), "{} is missing", adapter.display());
    let name = format!("ur-bench-bare-{}", std::process::id());
    let folder = ur_opencl::vendors(&name, &[Path::new(POCL)]).expect("a folder");
    // SAFETY: this file has one test, and no other thread reads the environment yet.
    unsafe {
        std::env::set_var("OCL_ICD_VENDORS", &folder);
        std::env::set_var("POCL_CACHE_DIR", &folder);
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", adapter);
        std::env::set_var("ONEAPI_DEVICE_SELECTOR", "*:*");
    }
    let library = match Library::open(Path::new("libOpenCL.so.1")) {
        Ok(library) => library,
        Err(reason) => {
            println!("skipped: {reason}");
            return;
        }
    };
    let ours = Ours::open(Functions::linked()).expect("our device");
    assert!(!ours.takes_il(), "PoCL's package has no SPIR-V");
    let refused = ours.make(&suite::EMPTY, "").expect_err("no library yet");
    assert!(refused.contains("no OpenCL"), "{refused}");
    let ours = ours.on_opencl(library);
    let mut found = library.find(Kind::Any).expect("devices");
    assert_eq!(found.len(), 1, "the folder names one driver");
    let bare = Peer::bare(found.remove(0).open().expect("the device"));
    let native = ours.native_device().expect("the driver's device");
    assert_eq!(native, bare.native_device());
    assert_eq!(ours.takes_il(), bare.takes_il());

    let devices: [Box<dyn Device>; 2] = [Box::new(ours), Box::new(bare)];
    for device in &devices {
        for case in suite::all() {
            if KERNELS.contains(&case.name) {
                let job = (case.job)(Scale::Small);
                let mut ready = device.prepare(&case, &job).expect("a kernel");
                verify(&mut *ready, &job).expect(case.name);
            }
        }
        let broken = ur_bench::case::Code {
            source: "kernel void broken() { nowhere(); return 1; }",
            ..suite::EMPTY
        };
        let reason = device.make(&broken, "").expect_err("not OpenCL C");
        assert!(reason.contains("nowhere"), "{reason}");
        let mut steps = device.steps().expect("steps");
        for step in [Step::Empty, Step::Fan, Step::CopySmall] {
            steps.enqueue(step).expect("an enqueue");
            steps.finish(step).expect("the end");
        }
        steps.write().expect("a write");
        steps.read().expect("a read");
        steps.allocate().expect("memory");
        steps.query().expect("a query");
    }
    let row = modules::one(&devices, 1);
    assert_eq!(row.name, "program in OpenCL C");
    assert!(row.ratio_bare.is_some(), "{:?}", row.notes);
    let _ = std::fs::remove_dir_all(folder);
}
