//! Compiles modules of the tests and runs them over bytes.

use super::asm::Ty;
use super::common::{Arg, Jit, pointer};

/// Compiles a module; on failure says why.
pub fn jit(words: &[u32]) -> Jit {
    Jit::from_words(words, 0, &[]).unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"))
}

/// Why the module is refused.
pub fn refusal(words: &[u32]) -> String {
    match Jit::from_words(words, 0, &[]) {
        Ok(_) => panic!("the module is not refused"),
        Err((_, text)) => text,
    }
}

/// As much memory as the largest vector takes, with its alignment.
#[derive(Clone, Copy)]
#[repr(align(128))]
pub struct Line([u64; 16]);

/// Memory of values.
pub type Room = Vec<Line>;

/// Room for `count` values.
pub fn room(ty: Ty, count: usize) -> Room {
    let bytes = ty.stride().max(ty.lanes as usize) * count;
    vec![Line([0xa5a5_a5a5_a5a5_a5a5; 16]); bytes.div_ceil(128) + 1]
}

/// Values of each lane as memory has them. `lanes` gives the bits of lane `l` of value `i`.
pub fn fill(ty: Ty, count: usize, lanes: impl Fn(usize, usize) -> u64) -> Room {
    let mut words = room(ty, count);
    for i in 0..count {
        for lane in 0..ty.lanes as usize {
            set(&mut words, ty, i, lane, lanes(i, lane));
        }
    }
    words
}

/// Bytes of an element in memory; Bools are bytes there.
fn size(ty: Ty) -> usize {
    ty.element().max(1)
}

fn place(ty: Ty, i: usize, lane: usize) -> usize {
    (i * ty.lanes.next_power_of_two() as usize + lane) * size(ty)
}

fn set(words: &mut [Line], ty: Ty, i: usize, lane: usize, bits: u64) {
    let (at, size) = (place(ty, i, lane), size(ty));
    let shift = at % 8 * 8;
    let mask = (u64::MAX >> (64 - 8 * size)) << shift;
    let word = &mut words[at / 128].0[at % 128 / 8];
    *word = *word & !mask | (bits << shift) & mask;
}

/// Bits of lane `lane` of value `i`.
pub fn get(words: &[Line], ty: Ty, i: usize, lane: usize) -> u64 {
    let (at, size) = (place(ty, i, lane), size(ty));
    words[at / 128].0[at % 128 / 8] >> (at % 8 * 8) & (u64::MAX >> (64 - 8 * size))
}

/// Runs the kernel `k` of an elementwise module over `count` values.
pub fn run(words: &[u32], count: usize, inputs: &mut [Room], outputs: &[Ty]) -> Vec<Room> {
    let jit = jit(words);
    let kernel = jit.kernel("k");
    let mut results: Vec<Room> = outputs.iter().map(|ty| room(*ty, count)).collect();
    let args: Vec<Arg> = inputs
        .iter_mut()
        .chain(results.iter_mut())
        .map(|words| pointer(words))
        .collect();
    kernel.run([count as u64, 1, 1], [count.min(8) as u64, 1, 1], &args);
    results
}
