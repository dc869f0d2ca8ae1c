//! The targets on a fixed sequence of damaged inputs.

use std::time::{Duration, Instant};
use ur_fuzz_loader::{TARGETS, paths};

/// Damaged inputs for each seed.
const RUNS: u64 = 400;

/// The splitmix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// One to four changes, with characters that mean something more often than others.
fn damaged(seed: &[u8], all: &[&str], random: &mut Random) -> Vec<u8> {
    const MEANING: &[u8] = b"!*:;,.\"/0129-\0\xff\n ";
    let mut data = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(data.len() + 1);
        match random.below(5) {
            0 => data.insert(at, MEANING[random.below(MEANING.len())]),
            1 => data.insert(at, random.below(256) as u8),
            2 if at < data.len() => drop(data.remove(at)),
            3 => data.truncate(at),
            _ => {
                let other = all[random.below(all.len())].as_bytes();
                let from = random.below(other.len());
                data.splice(at..at, other[from..].iter().copied());
            }
        }
    }
    data
}

#[test]
fn damaged_inputs_break_no_promise() {
    let mut slowest = Duration::ZERO;
    for (name, target, seeds) in TARGETS {
        let mut random = Random(name.len() as u64);
        for seed in seeds {
            target(seed.as_bytes());
            for _ in 0..RUNS {
                let data = damaged(seed.as_bytes(), seeds, &mut random);
                let start = Instant::now();
                target(&data);
                slowest = slowest.max(start.elapsed());
            }
        }
    }
    paths::clean();
    assert!(slowest < Duration::from_secs(10), "one took {slowest:?}");
}
