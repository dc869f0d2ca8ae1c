//! The reader of SPIR-V modules.

use crate::memory::{self, Limit};
use crate::random::Random;
use ur_spirv::{Module, SpecOverride};

/// What reading a module may allocate.
pub const LIMIT: Limit = Limit {
    factor: 64,
    extra: 1 << 20,
};

/// Words of a module's header.
const HEADER: usize = 5;

/// Reads a module and asks it everything that an adapter asks; a module that is accepted must still
/// be one after the linker has taken it apart and put it together.
///
/// # Panics
/// A promise is broken.
pub fn run(data: &[u8]) {
    // Constants of these numbers are common in what the seeds hold.
    let spec: Vec<SpecOverride> = (0..4u32)
        .map(|spec_id| SpecOverride {
            spec_id,
            bits: u64::from(spec_id).wrapping_sub(1),
        })
        .collect();
    let accepted = memory::bounded(LIMIT, data.len(), || {
        let Ok(module) = Module::parse_bytes(data, &spec) else {
            return false;
        };
        for kernel in module.kernels() {
            assert!(module.function(kernel.function).is_some());
        }
        for global in &module.globals {
            module.layout(global.pointee);
        }
        true
    });
    if accepted {
        let (chunks, _) = data.as_chunks::<4>();
        let words: Vec<u32> = chunks.iter().map(|c| u32::from_ne_bytes(*c)).collect();
        if let Ok(linked) = ur_spirv::link(&[&words])
            && let Err(error) = Module::parse(&linked, &[])
        {
            panic!("linking an accepted module alone gives a refused one: {error}");
        }
    }
}

/// Changes a module where a change of single bytes would hardly lead anywhere: operands become
/// others that occur, instructions move, vanish and double. `data` is what comes out, at most `max`
/// bytes.
pub fn mutate(data: &mut Vec<u8>, max: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (chunks, _) = data.as_chunks::<4>();
    let mut words: Vec<u32> = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
    for _ in 0..1 + random.below(3) {
        let starts = starts(&words);
        if starts.is_empty() {
            break;
        }
        let at = starts[random.below(starts.len())];
        let count = (words[at] >> 16) as usize;
        let end = (at + count).min(words.len());
        let other = starts[random.below(starts.len())];
        match random.below(8) {
            // An operand of this instruction becomes any word that occurs, a small number or an id.
            0..=4 if end > at + 1 => {
                let place = at + 1 + random.below(end - at - 1);
                words[place] = match random.below(4) {
                    0 => words[random.below(words.len())],
                    1 => random.below(64) as u32,
                    2 => random.below(words[3].min(1 << 20) as usize + 1) as u32,
                    _ => words[place] ^ (1 << random.below(32)),
                };
            }
            // Another opcode, mostly a near one.
            5 => {
                let opcode = (words[at] & 0xffff).wrapping_add(random.below(9) as u32) & 0xffff;
                words[at] = (words[at] & !0xffff) | opcode.saturating_sub(4);
            }
            6 => {
                words.drain(at..end);
            }
            _ => {
                let copy = words[at..end].to_vec();
                words.splice(other..other, copy);
            }
        }
    }
    words.truncate(max / 4);
    data.clear();
    data.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Where instructions begin, as far as they can be followed.
fn starts(words: &[u32]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        let count = (first >> 16) as usize;
        if count == 0 {
            break;
        }
        starts.push(at);
        at += count;
    }
    starts
}
