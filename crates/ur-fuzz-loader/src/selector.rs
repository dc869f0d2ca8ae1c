//! `ONEAPI_DEVICE_SELECTOR`.

use ur_loader::selector::{Backend, DeviceType, Path, Selector};

/// Inputs to start from.
pub const SEEDS: [&str; 8] = [
    "*:*",
    "opencl:gpu,cpu;level_zero:*",
    "!cuda:0,1.2",
    "hip:0.1.2,*.*.*;!*:0.*",
    "native_cpu:acc,fpga,mca,vpu;",
    "offload:4294967295",
    "*:2,*;;",
    "!!:,:",
];

/// A platform of every backend: a device of each type, each in two parts.
const ROOTS: [DeviceType; 6] = [
    DeviceType::Cpu,
    DeviceType::Gpu,
    DeviceType::Fpga,
    DeviceType::Mca,
    DeviceType::Vpu,
    DeviceType::Other,
];

/// Reads a selector and has it choose. What is read must be the same when it is written and read
/// again, an error must name a term of the text, no device may come twice, and an adapter that is
/// ruled out must have no device that is chosen.
///
/// # Panics
/// A promise is broken.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let selector: Selector = match text.parse() {
        Ok(selector) => selector,
        Err(error) => {
            let term = text.split(';').nth(error.position - 1);
            assert_eq!(term, Some(error.term.as_str()), "another term is named");
            assert!(error.to_string().contains(&error.term));
            return;
        }
    };
    assert_eq!(
        selector.to_string().parse().as_ref(),
        Ok(&selector),
        "writing and reading changes a selector"
    );
    let backends = Backend::NAMES.map(|(backend, _)| Some(backend));
    for backend in backends.into_iter().chain([None]) {
        let chosen = selector.select(backend, &ROOTS, &mut children);
        for (index, path) in chosen.iter().enumerate() {
            assert!(!chosen[..index].contains(path), "{path:?} comes twice");
            let root = path.numbers()[0] as usize;
            let possible = backend.is_none_or(|b| selector.may_select(&[b], &[ROOTS[root]]));
            assert!(possible, "{path:?} is chosen and ruled out");
        }
    }
}

fn children(path: &Path) -> u32 {
    if path.numbers().len() < 3 { 2 } else { 0 }
}
