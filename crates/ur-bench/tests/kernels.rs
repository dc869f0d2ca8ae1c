//! Every kernel of the suite gives the right results on our adapter, at a small size.

use std::path::PathBuf;
use ur_bench::case::Scale;
use ur_bench::device::{Device, Step};
use ur_bench::functions::Functions;
use ur_bench::measure::verify;
use ur_bench::ours::Ours;
use ur_bench::{latency, modules, suite};

/// Our device, with the adapter and the compiler that cargo built beside this test.
fn device() -> Ours {
    let beside = std::env::current_exe().expect("the path of this test");
    let adapter: PathBuf = beside.with_file_name("libur_adapter_native_cpu.so");
    assert!(adapter.exists(), "{} is missing", adapter.display());
    // SAFETY: this file has one test, which calls this first.
    unsafe {
        std::env::set_var("UR_ADAPTERS_FORCE_LOAD", adapter);
        std::env::set_var("ONEAPI_DEVICE_SELECTOR", "*:*");
        std::env::set_var("UR_JIT_CACHE", "off");
    }
    Ours::open(Functions::linked()).expect("our device")
}

#[test]
fn all_kernels_are_right_on_ours() {
    let device = device();
    assert!(!device.describe().is_empty());
    let mut names = Vec::new();
    let mut wrong = Vec::new();
    for case in suite::all() {
        let job = (case.job)(Scale::Small);
        let first: Vec<Vec<u8>> = job
            .args
            .iter()
            .filter_map(|arg| arg.content().map(<[u8]>::to_vec))
            .collect();
        assert!(
            (job.check)(&first).is_err(),
            "the reference of {} takes what no kernel has touched",
            case.name
        );
        let ran = device.prepare(&case, &job).and_then(|mut ready| {
            verify(&mut *ready, &job)?;
            // A second time, with code and buffers that were used before.
            ready.launch()?;
            verify(&mut *ready, &job)
        });
        if let Err(reason) = ran {
            wrong.push(format!("{}: {reason}", case.name));
        }
        names.push(case.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len(), "a name is taken twice");
    assert!(names.len() >= 28);

    let mut steps = device.steps().expect("steps");
    for step in [Step::Empty, Step::Fan, Step::CopySmall] {
        steps.enqueue(step).expect("an enqueue");
        steps.finish(step).expect("the end");
    }
    steps.write().expect("a write");
    steps.read().expect("a read");
    steps.allocate().expect("memory");
    steps.query().expect("a query");
    assert!(latency::names().count() >= 7);
    let il = suite::EMPTY.il;
    device.build(il, &modules::kernels(il)).expect("a build");
    assert!(device.build(il, &["absent".to_owned()]).is_err());
    assert!(device.build(&il[..40], &[]).is_err());
}
