//! Launches: sizes and argument values, and the memory that a kernel works on.

use crate::ast::{Atomic, INPUT_BYTES, Kernel, SHARED_CELLS, Scalar, Type};
use crate::rng::Rng;

/// One NDRange of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Number of dimensions.
    pub dims: u32,
    /// Global size.
    pub global: [u64; 3],
    /// Global offset.
    pub offset: [u64; 3],
    /// Work-group size; the last groups may be smaller.
    pub local: [u64; 3],
    /// Ranges of linear group numbers to run, in this order.
    pub ranges: Vec<(u64, u64)>,
    /// Lanes of the structure's members, then of the kernel's parameters.
    pub values: Vec<Vec<u64>>,
    /// Seed of the memory's initial content.
    pub seed: u64,
}

impl Launch {
    /// Work-groups in each dimension.
    pub fn group_counts(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.global[d].div_ceil(self.local[d]))
    }

    /// Work-items of all groups.
    pub fn items(&self) -> u64 {
        self.global.iter().product()
    }
}

/// What a kernel reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The input buffer.
    pub input: Vec<u8>,
    /// The 32-bit and the 64-bit shared cells.
    pub shared: [Vec<u8>; 2],
    /// The arrays in global memory.
    pub own: Vec<Vec<u8>>,
}

impl Memory {
    /// The memory before a launch.
    pub fn new(kernel: &Kernel, launch: &Launch) -> Memory {
        let mut rng = Rng::new(launch.seed);
        let mut input = Vec::new();
        while input.len() < INPUT_BYTES {
            let word = match rng.below(4) {
                0 => rng.f32() | (rng.f32() << 32),
                1 => rng.f64(),
                2 => rng.int(32) | (rng.int(32) << 32),
                _ => rng.int(64),
            };
            input.extend(word.to_le_bytes());
        }
        let mut random = |bytes: usize| (0..bytes).map(|_| rng.bits() as u8).collect::<Vec<u8>>();
        let shared = [random(4 * SHARED_CELLS), random(8 * SHARED_CELLS)];
        let items = launch.items() as usize;
        let own = kernel
            .own
            .iter()
            .map(|array| random(items * array.len * array.elem.size()))
            .collect();
        Memory { input, shared, own }
    }
}

/// Lanes read from memory.
pub fn read(memory: &[u8], at: usize, ty: Type) -> [u64; 16] {
    let bytes = ty.scalar.bytes();
    let mut lanes = [0; 16];
    for (lane, out) in lanes.iter_mut().take(ty.lanes as usize).enumerate() {
        let mut word = [0; 8];
        let at = at + lane * bytes;
        word[..bytes].copy_from_slice(&memory[at..at + bytes]);
        *out = u64::from_le_bytes(word);
    }
    lanes
}

/// Writes lanes to memory.
pub fn write(memory: &mut [u8], at: usize, ty: Type, lanes: &[u64; 16]) {
    let bytes = ty.scalar.bytes();
    for (lane, value) in lanes.iter().take(ty.lanes as usize).enumerate() {
        let at = at + lane * bytes;
        memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// The old value and the new one of a cell, of the type `s`.
pub fn atomic(op: Atomic, s: Scalar, old: u64, value: u64, comparator: u64) -> u64 {
    let signed = |bits| crate::ops::signed(s, bits);
    let new = match op {
        Atomic::Add => old.wrapping_add(value),
        Atomic::Sub => old.wrapping_sub(value),
        Atomic::Inc => old.wrapping_add(1),
        Atomic::Dec => old.wrapping_sub(1),
        Atomic::And => old & value,
        Atomic::Or => old | value,
        Atomic::Xor => old ^ value,
        Atomic::SMin => signed(old).min(signed(value)) as u64,
        Atomic::SMax => signed(old).max(signed(value)) as u64,
        Atomic::UMin => old.min(value),
        Atomic::UMax => old.max(value),
        Atomic::Exchange | Atomic::Store => value,
        Atomic::CompareExchange if old == comparator => value,
        Atomic::CompareExchange | Atomic::Load => old,
    };
    new & s.mask()
}
