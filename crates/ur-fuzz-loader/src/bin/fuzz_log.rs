//! The target `log` under libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ur_fuzz_loader::log::run(data));
