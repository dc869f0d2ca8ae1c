//! The kernels of the suite. Their OpenCL C is in `benches/kernels`, with the SPIR-V made of it.

mod compute;
mod divergent;
mod groups;
mod maths;
mod memory;

use crate::case::{Arg, Case, Code, Job, Scale, to_f32};
use crate::limits::{ELEMENTS, ITERATIONS, Kind};

/// The code of a file in `benches/kernels`.
macro_rules! code {
    ($name:literal) => {
        $crate::case::Code {
            source: include_str!(concat!("../../../../benches/kernels/", $name, ".cl")),
            il: include_bytes!(concat!("../../../../benches/kernels/", $name, ".spv")),
        }
    };
}
use code;

/// Where the kernel is that does nothing.
pub const EMPTY: Code = code!("memory");
/// Its name.
pub const EMPTY_KERNEL: &str = "empty";

/// All kernels, in the order of the reports.
pub fn all() -> Vec<Case> {
    [
        memory::cases(),
        maths::cases(),
        compute::cases(),
        divergent::cases(),
        groups::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A kernel that is called in reports as in its file.
fn case(code: Code, name: &'static str, job: fn(Scale) -> Job) -> Case {
    Case {
        name,
        code,
        kernel: name,
        options: "",
        job,
    }
}

/// A zeroed buffer of so many elements of four bytes.
fn zeros(count: usize) -> Arg {
    Arg::Buffer(vec![0; 4 * count])
}

/// A number as an argument.
fn float(value: f32) -> Arg {
    Arg::Value(value.to_le_bytes().to_vec())
}

/// A number as an argument.
fn uint(value: usize) -> Arg {
    Arg::Value((value as u32).to_le_bytes().to_vec())
}

/// The numbers of a buffer, widened.
fn wide(bytes: &[u8]) -> impl Iterator<Item = f64> {
    to_f32(bytes).into_iter().map(f64::from)
}

/// What the machine itself is to do beside a kernel, if the kernel comes up against a limit.
pub fn limit(case: &Case) -> Option<(Kind, usize)> {
    match case.name {
        "triad" => Some((Kind::Triad, ELEMENTS)),
        "copy" => Some((Kind::Copy, ELEMENTS)),
        "fma_f32" => Some((Kind::Fma, ITERATIONS)),
        _ => None,
    }
}

/// Random numbers that are the same everywhere (SplitMix64).
struct Rng(u64);

impl Rng {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    fn real(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.bits() >> 40) as f32 / (1u32 << 24) as f32;
        low + (high - low) * unit
    }

    /// So many numbers from `low` to `high`.
    fn reals(&mut self, count: usize, low: f32, high: f32) -> Vec<f32> {
        (0..count).map(|_| self.real(low, high)).collect()
    }

    /// So many numbers below `limit`.
    fn integers(&mut self, count: usize, limit: u32) -> Vec<u32> {
        let below = |rng: &mut Self| (((rng.bits() >> 32) * u64::from(limit)) >> 32) as u32;
        (0..count).map(|_| below(self)).collect()
    }
}
