//! Arithmetic in registers and caches.

use super::{Rng, case, code, float, uint, wide, zeros};
use crate::case::{Arg, Case, Code, Job, Range, Scale, Work, bytes, close, equal, from_f32};

const CODE: Code = code!("compute");
const HALF: Code = code!("half");
/// Multiply-adds of a work-item in single and double precision.
const STEPS: usize = 512;
/// The same in half precision.
const HALF_STEPS: usize = 128;

pub fn cases() -> Vec<Case> {
    vec![
        case(CODE, "fma_f32", fma_f32),
        case(CODE, "fma_f64", fma_f64),
        case(HALF, "fma_f16", fma_f16),
        case(CODE, "nbody", nbody),
        case(CODE, "matmul_naive", |scale| {
            matmul(scale.pick(256, 32), None)
        }),
        case(CODE, "matmul_tiled", |scale| {
            matmul(scale.pick(256, 32), Some(vec![16, 16]))
        }),
        case(CODE, "hash64", hash64),
    ]
}

fn fma_f32(scale: Scale) -> Job {
    let count = scale.pick(1 << 16, 1 << 9);
    let input = Rng(21).reals(count, 0.0, 1.0);
    let (factor, addend) = (-0.999f32, 0.5f32);
    Job {
        range: Range::line(count),
        args: vec![Arg::Buffer(from_f32(&input)), float(factor), float(addend)],
        work: Work::Flops(2 * (STEPS * count) as u64),
        check: Box::new(move |buffers| {
            let (factor, addend) = (f64::from(factor), f64::from(addend));
            let wanted = input
                .iter()
                .map(|x| (0..STEPS).fold(f64::from(*x), |x, _| x * factor + addend));
            close(wide(&buffers[0]), wanted, 1e-5, 1e-5)
        }),
    }
}

fn fma_f64(scale: Scale) -> Job {
    let count = scale.pick(1 << 15, 1 << 9);
    let input: Vec<f64> = Rng(22)
        .reals(count, 0.0, 1.0)
        .into_iter()
        .map(f64::from)
        .collect();
    let (factor, addend) = (-0.999f64, 0.5f64);
    Job {
        range: Range::line(count),
        args: vec![
            Arg::Buffer(bytes(&input, f64::to_le_bytes)),
            Arg::Value(factor.to_le_bytes().to_vec()),
            Arg::Value(addend.to_le_bytes().to_vec()),
        ],
        work: Work::Flops(2 * (STEPS * count) as u64),
        check: Box::new(move |buffers| {
            let (words, _) = buffers[0].as_chunks::<8>();
            let found = words.iter().map(|word| f64::from_le_bytes(*word));
            let wanted = input
                .iter()
                .map(|x| (0..STEPS).fold(*x, |x, _| x * factor + addend));
            close(found, wanted, 1e-12, 1e-12)
        }),
    }
}

/// The bits of the nearest half-precision number; `value` is 0 or within the normal numbers.
fn half_bits(value: f64) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let mut exponent = value.abs().log2().floor() as i32;
    let mut fraction = (value.abs() / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    if fraction == 2048 {
        (exponent, fraction) = (exponent + 1, 1024);
    }
    let sign = u16::from(value < 0.0) << 15;
    sign | ((exponent + 15) as u16) << 10 | (fraction - 1024)
}

/// The value of a half-precision number that is 0 or normal.
fn half_value(bits: u16) -> f64 {
    if bits & 0x7fff == 0 {
        return 0.0;
    }
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 31) - 15;
    sign * f64::from(1024 + (bits & 1023)) * 2f64.powi(exponent - 10)
}

fn fma_f16(scale: Scale) -> Job {
    let count = scale.pick(1 << 16, 1 << 9);
    let reals = Rng(23).reals(count, 0.25, 1.0);
    let input: Vec<u16> = reals.iter().map(|x| half_bits(f64::from(*x))).collect();
    let constants = [half_bits(-0.9975), half_bits(1.25)];
    Job {
        range: Range::line(count),
        args: vec![
            Arg::Buffer(bytes(&input, u16::to_le_bytes)),
            Arg::Buffer(bytes(&constants, u16::to_le_bytes)),
        ],
        work: Work::Flops(2 * (HALF_STEPS * count) as u64),
        check: Box::new(move |buffers| {
            let (words, _) = buffers[0].as_chunks::<2>();
            let found = words
                .iter()
                .map(|word| half_value(u16::from_le_bytes(*word)));
            let [factor, addend] = constants.map(half_value);
            let wanted = input.iter().map(|x| {
                (0..HALF_STEPS).fold(half_value(*x), |x, _| {
                    half_value(half_bits(x * factor + addend))
                })
            });
            // Devices may keep more precision in between.
            close(found, wanted, 0.0, 0.03)
        }),
    }
}

fn nbody(scale: Scale) -> Job {
    let count = scale.pick(2048, 128);
    let mut rng = Rng(24);
    let bodies: Vec<f32> = (0..count)
        .flat_map(|_| {
            let place = [(); 3].map(|()| rng.real(-1.0, 1.0));
            [place[0], place[1], place[2], rng.real(0.5, 1.0)]
        })
        .collect();
    Job {
        range: Range::groups(count, 64),
        args: vec![
            zeros(4 * count),
            Arg::Buffer(from_f32(&bodies)),
            uint(count),
        ],
        // Three differences, three multiply-adds of the square, the root, four products, three
        // multiply-adds of the sum.
        work: Work::Flops(20 * (count * count) as u64),
        check: Box::new(move |buffers| {
            let (bodies, _) = bodies.as_chunks::<4>();
            // In single precision: single terms are a millionth off, and their sum is large.
            let wanted = bodies.iter().flat_map(|own| {
                let mut sum = [0f64; 3];
                for other in bodies {
                    let d = [0, 1, 2].map(|axis| other[axis] - own[axis]);
                    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3;
                    let pull = other[3] / (square * square.sqrt());
                    for (sum, d) in sum.iter_mut().zip(d) {
                        *sum += f64::from(pull * d);
                    }
                }
                [sum[0], sum[1], sum[2], 0.0]
            });
            close(wide(&buffers[0]), wanted, 1e-3, 0.05)
        }),
    }
}

fn matmul(size: usize, local: Option<Vec<usize>>) -> Job {
    let mut rng = Rng(25);
    let (a, b) = (
        rng.reals(size * size, -1.0, 1.0),
        rng.reals(size * size, -1.0, 1.0),
    );
    Job {
        range: Range {
            global: vec![size, size],
            local,
        },
        args: vec![
            zeros(size * size),
            Arg::Buffer(from_f32(&a)),
            Arg::Buffer(from_f32(&b)),
            uint(size),
        ],
        work: Work::Flops(2 * (size * size * size) as u64),
        check: Box::new(move |buffers| {
            let mut wanted = vec![0f64; size * size];
            for (row, sums) in wanted.chunks_exact_mut(size).enumerate() {
                for (k, line) in b.chunks_exact(size).enumerate() {
                    let factor = f64::from(a[row * size + k]);
                    for (sum, b) in sums.iter_mut().zip(line) {
                        *sum += factor * f64::from(*b);
                    }
                }
            }
            close(wide(&buffers[0]), wanted, 1e-4, 1e-4)
        }),
    }
}

fn hash64(scale: Scale) -> Job {
    let count = scale.pick(1 << 19, 1 << 10);
    let mut rng = Rng(26);
    let input: Vec<u64> = (0..count).map(|_| rng.bits()).collect();
    Job {
        range: Range::line(count),
        args: vec![Arg::Buffer(bytes(&input, u64::to_le_bytes))],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let (words, _) = buffers[0].as_chunks::<8>();
            let found: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let wanted = input.iter().map(|value| {
                (0..16).fold(*value, |h, _| {
                    (h ^ h >> 31)
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                        .wrapping_add(0x632b_e59b_d9b4_e019)
                        .rotate_left(27)
                })
            });
            equal(&found, &wanted.collect::<Vec<_>>())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{half_bits, half_value};
    use crate::case::{Arg, Scale, to_f32};

    #[test]
    fn halves_are_rounded_to_the_nearest() {
        for (value, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (0.0, 0),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (1.999_9, 0x4000),
            (65504.0, 0x7bff),
        ] {
            assert_eq!(half_bits(value), bits, "{value}");
        }
        assert_eq!(half_value(0x3555), 0.333_251_953_125);
        assert_eq!(half_value(0xc000), -2.0);
    }

    #[test]
    fn references_refuse_what_did_not_run() {
        // The input itself is not the result.
        let job = super::fma_f32(Scale::Small);
        let contents: Vec<Vec<u8>> = job
            .args
            .iter()
            .filter_map(|arg| arg.content().map(<[u8]>::to_vec))
            .collect();
        assert!((job.check)(&contents).is_err());
        assert!(matches!(&job.args[0], Arg::Buffer(bytes) if to_f32(bytes).len() == 512));
    }
}
