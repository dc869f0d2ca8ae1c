//! Runs a function over many inputs and finds its largest error.

use super::common::{Arg, Compiled, Jit};
use super::error::error;
use super::functions::{Function, Second};
use super::{Arguments, kernel};
use ur_jit::ir::{f16_from_f64, f64_from_f16};

/// The largest error found.
#[derive(Clone, Copy, Default)]
pub struct Worst {
    /// In ULP.
    pub error: f64,
    /// The first operand there.
    pub at: f64,
    /// Numbers for which the function of vectors gives something else.
    pub vectors_differ: usize,
}

/// Inputs of one launch.
const CHUNK: usize = 1 << 16;

/// A number's bits as a double.
fn widen(bits: u64, width: u32) -> f64 {
    match width {
        16 => f64_from_f16(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the number nearest to a double.
fn narrow(value: f64, width: u32) -> u64 {
    match width {
        16 => u64::from(f16_from_f64(value)),
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) ^ (x >> 29)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }
}

/// Makes the inputs: bits of the first operand and of the second, or an int.
pub struct Inputs {
    width: u32,
    second: Second,
    count: u64,
    /// Distance of first operands that go through the range in order.
    step: u64,
    random: Random,
}

impl Inputs {
    /// For operands of that width, about as many as wanted.
    pub fn new(width: u32, second: Second, wanted: u64) -> Inputs {
        // Every half, if there is no second operand.
        let count = if width == 16 && second == Second::None {
            1 << 16
        } else {
            wanted
        };
        let step = match width {
            16 => 1,
            // Odd, so that the low bits vary.
            32 => ((1 << 32) / count) | 1,
            _ => 0,
        };
        Inputs {
            width,
            second,
            count,
            step,
            random: Random(u64::from(width)),
        }
    }

    /// The operands of that number.
    pub fn get(&mut self, index: u64) -> (u64, u64) {
        let wild = self.random.next();
        // Half of the inputs all over the range, half where functions are busy. One operand of
        // float or half covers its range in order.
        let ordered = self.second == Second::None && self.width < 64;
        let first = if ordered {
            index * self.step
        } else if index.is_multiple_of(2) {
            wild
        } else if self.second == Second::None {
            narrow((self.random.unit() - 0.5) * 60.0, self.width)
        } else {
            let sign = if wild & 1 == 0 { 1.0 } else { -1.0 };
            let size = (self.random.unit() * 20.0 - 10.0).exp();
            narrow(size * sign, self.width)
        };
        let mask = u64::MAX >> (64 - self.width);
        let second = match self.second {
            Second::None => 0,
            Second::Number if index.is_multiple_of(4) => self.random.next() & mask,
            Second::Number => narrow(self.random.unit() * 20.0 - 10.0, self.width),
            Second::Int if index.is_multiple_of(4) => self.random.next() & 0xffff_ffff,
            Second::Int => {
                let n = (self.random.next() % 63) as i32 - 31;
                u64::from(n as u32)
            }
        };
        (first & mask, second)
    }
}

/// A function's kernel on vectors of some width.
struct Vectors {
    lanes: u32,
    compiled: Compiled,
}

impl Vectors {
    fn new(function: &Function, width: u32, arguments: &Arguments, lanes: u32) -> Vectors {
        let int = function.second == Second::Int;
        let operands = function.second.operands();
        let words = kernel::module(function.op as u32, width, operands, int, lanes);
        let jit = Jit::from_words(&words, arguments.width, &[])
            .unwrap_or_else(|(status, text)| panic!("{:?}: {status:?}: {text}", function.op));
        Vectors {
            lanes,
            compiled: jit.kernel(kernel::NAME),
        }
    }

    /// The results for a chunk of operands of `size` and `second_size` bytes; the fourth numbers
    /// between vectors of three are missing.
    fn run(&self, chunk: &Chunk, function: &Function) -> Numbers {
        let mut first = chunk.first.clone();
        let mut second = chunk.second.clone();
        let mut out = Numbers::new(chunk.first.size);
        let pointer = |numbers: &mut Numbers| Arg::Pointer(numbers.lines.as_mut_ptr().cast());
        let mut args = vec![pointer(&mut first)];
        if function.second != Second::None {
            args.push(pointer(&mut second));
        }
        args.push(pointer(&mut out));
        let vectors = CHUNK as u64 / u64::from(self.lanes.next_power_of_two());
        self.compiled.run([vectors, 1, 1], [64, 1, 1], &args);
        out
    }
}

/// Operands of one launch.
struct Chunk {
    first: Numbers,
    second: Numbers,
}

/// Memory as aligned as the widest vector.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Line([u64; 16]);

/// A chunk of numbers of `size` bytes.
#[derive(Clone)]
struct Numbers {
    size: usize,
    lines: Vec<Line>,
}

impl Numbers {
    fn new(size: usize) -> Numbers {
        Numbers {
            size,
            lines: vec![Line([0; 16]); CHUNK * size / 128],
        }
    }

    /// One number of each pair.
    fn of(pairs: &[(u64, u64)], size: usize, part: fn(&(u64, u64)) -> u64) -> Numbers {
        let mut numbers = Numbers::new(size);
        for (i, pair) in pairs.iter().enumerate() {
            let at = i * size;
            numbers.lines[at / 128].0[at % 128 / 8] |= part(pair) << (at % 8 * 8);
        }
        numbers
    }

    fn get(&self, i: usize) -> u64 {
        let at = i * self.size;
        let word = self.lines[at / 128].0[at % 128 / 8] >> (at % 8 * 8);
        word & (u64::MAX >> (64 - 8 * self.size))
    }
}

/// Measures a function of numbers of `width` bits, and compares vectors of every width with what
/// the scalar function gives.
pub fn function(function: &Function, width: u32, arguments: &Arguments) -> Worst {
    let scalar = Vectors::new(function, width, arguments, 1);
    let vectors: Vec<Vectors> = [2, 3, 4, 8, 16]
        .map(|lanes| Vectors::new(function, width, arguments, lanes))
        .into();
    let int = function.second == Second::Int;
    let size = width as usize / 8;
    let second_size = if int { 4 } else { size };

    let mut inputs = Inputs::new(width, function.second, arguments.inputs);
    let mut worst = Worst::default();
    let mut done = 0;
    while done < inputs.count {
        let batch = CHUNK.min((inputs.count - done) as usize);
        let pairs: Vec<(u64, u64)> = (0..batch as u64).map(|i| inputs.get(done + i)).collect();
        let chunk = Chunk {
            first: Numbers::of(&pairs, size, |pair| pair.0),
            second: Numbers::of(&pairs, second_size, |pair| pair.1),
        };
        let out = scalar.run(&chunk, function);
        for (i, (a, b)) in pairs.iter().enumerate() {
            let got = widen(out.get(i), width);
            let x = widen(*a, width);
            let y = if int {
                f64::from(*b as u32 as i32)
            } else {
                widen(*b, width)
            };
            // To the C library, which the reference comes from, a signalling NaN is an exception.
            let quiet = |x: f64| if x.is_nan() { f64::NAN.copysign(x) } else { x };
            let error = error(got, (function.exact)(quiet(x), quiet(y)), width);
            if error > worst.error {
                worst.error = error;
                worst.at = x;
            }
        }
        for vector in &vectors {
            let wide = vector.run(&chunk, function);
            let differs = |i: &usize| {
                let (a, b) = (out.get(*i), wide.get(*i));
                let nans = widen(a, width).is_nan() && widen(b, width).is_nan();
                a != b && !nans && (vector.lanes != 3 || i % 4 != 3)
            };
            worst.vectors_differ += (0..batch).filter(differs).count();
        }
        done += batch as u64;
    }
    worst
}
