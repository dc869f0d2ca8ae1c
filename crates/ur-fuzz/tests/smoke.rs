//! The targets on a fixed sequence of damaged inputs, with the bound on memory held.

use std::path::Path;
use std::time::{Duration, Instant};
use ur_fuzz::random::Random;
use ur_fuzz::{binary, memory, seeds, spirv};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// Runs per seed.
const RUNS: u64 = 60;

/// One test, since what other threads allocate would count.
#[test]
fn damaged_inputs_break_no_promise() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    let mut slowest = Duration::ZERO;
    let mut run = |target: fn(&[u8]), data: &[u8]| {
        let start = Instant::now();
        target(data);
        slowest = slowest.max(start.elapsed());
    };

    let modules = seeds::spirv(&folder).expect("test modules");
    assert!(modules.len() > 10);
    for (number, (_, seed)) in modules.iter().enumerate() {
        run(spirv::run, seed);
        for round in 0..RUNS {
            let mut data = seed.clone();
            let mut random = Random::new(number as u64 * RUNS + round);
            if round % 3 == 0 {
                let at = random.below(data.len());
                data[at] = random.bits() as u8;
            } else {
                spirv::mutate(&mut data, seed.len() * 2, random.bits());
            }
            run(spirv::run, &data);
        }
    }

    run(spirv::run, &far_apart());

    for (_, seed) in seeds::binary(&folder).expect("test modules") {
        run(binary::run, &seed);
        let mut random = Random::new(seed.len() as u64);
        for _ in 0..10 * RUNS {
            let mut data = seed.clone();
            for _ in 0..1 + random.below(3) {
                // Mostly the header.
                let end = if random.below(4) == 0 { data.len() } else { 64 };
                let at = random.below(end.min(data.len()));
                data[at] = random.bits() as u8;
            }
            data.truncate(seed.len() - random.below(2) * random.below(seed.len()));
            run(binary::run, &data);
        }
    }
    assert!(slowest < Duration::from_secs(10), "one took {slowest:?}");
}

/// A module whose few ids lie as far apart as ids can.
fn far_apart() -> Vec<u8> {
    const BOUND: u32 = 0x3f_ffff;
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, BOUND, 0];
    // Capabilities Addresses and Kernel, Physical64 and OpenCL.
    words.extend([0x0002_0011, 4, 0x0002_0011, 6, 0x0003_000e, 2, 2]);
    for id in (1..BOUND).rev().step_by(8191) {
        // OpString, empty.
        words.extend([0x0003_0007, id, 0]);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
