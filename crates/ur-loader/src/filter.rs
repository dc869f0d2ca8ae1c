//! Which adapters `ONEAPI_DEVICE_SELECTOR` spares the loader.
//!
//! An adapter whose devices the selector cannot pick, whatever they are, need not be opened: its
//! library, its driver and their start-up cost nothing. `UR_LOADER_PRELOAD_FILTER=0` has all of
//! them opened. Libraries that the user names (`UR_ADAPTERS_FORCE_LOAD`) are opened anyway.

use crate::environment::{harmless, switch};
use crate::generated::ADAPTERS;
use crate::log::{Level, log};
use crate::selector::{self, Backend, DeviceType, Selector};
use ur_api::{
    UR_DEVICE_INIT_FLAG_CPU, UR_DEVICE_INIT_FLAG_FPGA, UR_DEVICE_INIT_FLAG_GPU,
    UR_DEVICE_INIT_FLAG_MCA, UR_DEVICE_INIT_FLAG_VPU, ur_device_init_flags_t,
};

/// The environment variable that turns this off.
pub const PRELOAD_FILTER: &str = "UR_LOADER_PRELOAD_FILTER";

/// The selector to leave out adapters by; `None` when all are to be opened. One that cannot be read
/// leaves out none, and the log names its bad term.
pub fn from_environment() -> Option<Selector> {
    let text = harmless(selector::VARIABLE)?;
    if !switch(PRELOAD_FILTER, true) {
        return None;
    }
    text.to_string_lossy()
        .parse()
        .inspect_err(|error| log!(Level::Warning, "{}: {error}", selector::VARIABLE))
        .ok()
}

/// True when the selector picks no device that the adapter of this name could have. One that is
/// not known could have any.
pub fn leaves_out(selector: &Selector, name: &str) -> bool {
    let kinds = ADAPTERS.iter().find(|(known, _)| *known == name);
    kinds.is_some_and(|(_, kinds)| !selector.may_select(&backends(name), &types(*kinds)))
}

/// What the platforms of an adapter can report.
fn backends(name: &str) -> Vec<Backend> {
    let named = name.trim_end_matches("_v2");
    let known = Backend::NAMES.iter().find(|(_, known)| *known == named);
    let mut backends: Vec<Backend> = known.map(|(backend, _)| *backend).into_iter().collect();
    if name == "native_cpu" {
        // Ours passes for OpenCL, because clients give SPIR-V to few others.
        backends.push(Backend::OpenCl);
    }
    backends
}

fn types(kinds: ur_device_init_flags_t) -> Vec<DeviceType> {
    const TYPES: [(ur_device_init_flags_t, DeviceType); 5] = [
        (UR_DEVICE_INIT_FLAG_CPU.0, DeviceType::Cpu),
        (UR_DEVICE_INIT_FLAG_GPU.0, DeviceType::Gpu),
        (UR_DEVICE_INIT_FLAG_FPGA.0, DeviceType::Fpga),
        (UR_DEVICE_INIT_FLAG_MCA.0, DeviceType::Mca),
        (UR_DEVICE_INIT_FLAG_VPU.0, DeviceType::Vpu),
    ];
    let mut types: Vec<DeviceType> = TYPES
        .iter()
        .filter(|(flag, _)| flag & kinds != 0)
        .map(|(_, kind)| *kind)
        .collect();
    if kinds & !(UR_DEVICE_INIT_FLAG_CPU.0 | UR_DEVICE_INIT_FLAG_GPU.0) != 0 {
        // There is no flag for custom devices; an adapter with accelerators may have some.
        types.push(DeviceType::Other);
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(text: &str) -> Vec<&'static str> {
        let selector: Selector = text.parse().expect("a selector");
        let names = ADAPTERS.iter().map(|(name, _)| *name);
        names.filter(|name| !leaves_out(&selector, name)).collect()
    }

    const ALL: [&str; 7] = [
        "opencl",
        "cuda",
        "hip",
        "level_zero",
        "level_zero_v2",
        "native_cpu",
        "offload",
    ];

    fn all_but(names: &[&str]) -> Vec<&'static str> {
        let all = ALL.into_iter();
        all.filter(|name| !names.contains(name)).collect()
    }

    #[test]
    fn adapters_that_could_have_a_chosen_device_stay() {
        for (text, names) in [
            ("*:*", ALL.to_vec()),
            ("cuda:*", vec!["cuda"]),
            ("cuda:7.1.*", vec!["cuda"]),
            ("cuda:cpu", vec![]),
            ("cuda:acc", vec![]),
            ("level_zero:gpu", vec!["level_zero", "level_zero_v2"]),
            ("opencl:*", vec!["opencl", "native_cpu"]),
            ("opencl:gpu", vec!["opencl"]),
            ("opencl:acc", vec!["opencl"]),
            ("native_cpu:*", vec!["native_cpu"]),
            ("hip:0;cuda:cpu,gpu", vec!["cuda", "hip"]),
            ("*:gpu", all_but(&["native_cpu"])),
            ("*:cpu", all_but(&["cuda", "hip"])),
            ("!cuda:*", all_but(&["cuda"])),
            ("!cuda:gpu", all_but(&["cuda"])),
            ("!cuda:0", ALL.to_vec()),
            ("!cuda:*.*", ALL.to_vec()),
            // Its devices may pass for OpenCL's.
            ("!native_cpu:*", ALL.to_vec()),
            ("!native_cpu:*;!opencl:cpu", all_but(&["native_cpu"])),
            ("!*:gpu", all_but(&["cuda", "hip"])),
            (
                "!*:cpu,gpu",
                all_but(&["cuda", "hip", "native_cpu", "offload"]),
            ),
            ("*:*;!hip:*", all_but(&["hip"])),
            ("!*:*", vec![]),
        ] {
            assert_eq!(opened(text), names, "{text}");
        }
    }

    #[test]
    fn unknown_adapters_stay() {
        let selector: Selector = "!*:*".parse().expect("a selector");
        assert!(!leaves_out(&selector, "unheard_of"));
    }
}
