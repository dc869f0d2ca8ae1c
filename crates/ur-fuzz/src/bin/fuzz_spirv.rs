//! The target `spirv` under libFuzzer.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use ur_fuzz::{memory, spirv};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

fuzz_target!(|data: &[u8]| spirv::run(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 3 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    spirv::mutate(&mut bytes, max_size, u64::from(seed));
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
});
