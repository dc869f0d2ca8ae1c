//! Kernels on PoCL, where it is installed: the way to other drivers works, and the references agree
//! with a device that is not ours.

use std::path::Path;
use ur_bench::case::Scale;
use ur_bench::device::{Device, Step};
use ur_bench::measure::verify;
use ur_bench::peer::Peer;
use ur_bench::suite;

const POCL: &str = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

/// A few kernels: PoCL compiles slowly.
const KERNELS: [&str; 3] = ["triad", "transpose", "histogram_local"];

#[test]
fn pocl_agrees_with_the_references() {
    if !Path::new(POCL).exists() {
        println!("skipped: PoCL is not installed");
        return;
    }
    let name = format!("ur-bench-peer-{}", std::process::id());
    let folder = ur_opencl::vendors(&name, &[Path::new(POCL)]).expect("a folder");
    // SAFETY: this file has one test, and no other thread reads the environment yet.
    unsafe {
        std::env::set_var("OCL_ICD_VENDORS", &folder);
        std::env::set_var("POCL_CACHE_DIR", &folder);
    }
    let library = match ur_opencl::Library::open(Path::new("libOpenCL.so.1")) {
        Ok(library) => library,
        Err(reason) => {
            println!("skipped: {reason}");
            return;
        }
    };
    let mut devices = library.devices().expect("devices");
    assert_eq!(devices.len(), 1, "the folder names one driver");
    let (platform, device) = devices.remove(0);
    assert_eq!(platform, "Portable Computing Language");
    let device = Peer::new("pocl", false, device);
    assert!(
        device.describe().contains("driver"),
        "{}",
        device.describe()
    );
    for case in suite::all() {
        if KERNELS.contains(&case.name) {
            let job = (case.job)(Scale::Small);
            let mut ready = device.prepare(&case, &job).expect("a kernel");
            verify(&mut *ready, &job).expect(case.name);
        }
    }
    assert!(device.build(suite::EMPTY.il, &[]).is_err(), "no SPIR-V");
    let mut steps = device.steps().expect("steps");
    for step in [Step::Empty, Step::Fan, Step::CopySmall] {
        steps.enqueue(step).expect("an enqueue");
        steps.finish(step).expect("the end");
    }
    steps.write().expect("a write");
    steps.read().expect("a read");
    steps.allocate().expect("memory");
    steps.query().expect("a query");
    let _ = std::fs::remove_dir_all(folder);
}
