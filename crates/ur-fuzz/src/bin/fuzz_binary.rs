//! The target `binary` under libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ur_fuzz::{binary, memory};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

fuzz_target!(|data: &[u8]| binary::run(data));
