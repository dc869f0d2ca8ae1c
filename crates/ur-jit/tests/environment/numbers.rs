//! Conversions in every rounding mode, dot products and integer functions.

use rspirv::spirv::{Capability, Decoration, Op};

use super::asm::{Asm, Ty, elementwise, float, int};
use super::run::{fill, get, run};

/// A number of `bits` bits, sign-extended.
pub fn sign(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

/// All halves that are finite, by value.
fn halves() -> Vec<f64> {
    let mut all: Vec<f64> = (0..=0xffffu64)
        .map(|bits| value_of(bits, 16))
        .filter(|x| x.is_finite())
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The float with these bits.
pub fn value_of(bits: u64, width: u32) -> f64 {
    match width {
        64 => f64::from_bits(bits),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => {
            let (exponent, fraction) = ((bits >> 10) & 31, (bits & 0x3ff) as f64);
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
            };
            if bits >> 15 & 1 != 0 { -size } else { size }
        }
    }
}

/// The bits of the float of that width nearest to `x`.
pub fn bits_of(x: f64, width: u32) -> u64 {
    match width {
        64 => x.to_bits(),
        32 => u64::from((x as f32).to_bits()),
        _ => {
            let sign = u64::from(x.is_sign_negative()) << 15;
            if x.is_nan() {
                return sign | 0x7e00;
            }
            let size = x.abs();
            if size >= 65520.0 {
                return sign | 0x7c00;
            }
            // Units of the last place at this size.
            let exponent = (size.to_bits() >> 52) as i32 - 1023;
            let unit = 2f64.powi((exponent - 10).max(-24));
            let steps = (size / unit).round_ties_even();
            let value = steps * unit;
            let exponent = (value.to_bits() >> 52) as i32 - 1023;
            sign | if value < 2f64.powi(-14) {
                (value / 2f64.powi(-24)) as u64
            } else {
                ((exponent + 15) as u64) << 10 | (value / 2f64.powi(exponent - 10)) as u64 & 0x3ff
            }
        }
    }
}

/// Floats of that width at the limits of everything.
pub fn float_samples(width: u32) -> Vec<f64> {
    let mut all = vec![
        0.0,
        -0.0,
        0.4,
        0.5,
        -0.5,
        1.5,
        2.5,
        -3.7,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        65504.0,
        -65505.0,
    ];
    for power in [7, 8, 15, 16, 31, 32, 63, 64] {
        let limit = 2f64.powi(power);
        all.extend([
            limit,
            limit - 0.5,
            limit - 1.0,
            -limit,
            -limit - 1.0,
            -limit - 0.5,
        ]);
    }
    all.iter()
        .map(|x| value_of(bits_of(*x, width), width))
        .collect()
}

/// Rounding modes by SPIR-V's numbers: to the nearest, towards zero, up, down.
const MODES: [u32; 4] = [0, 1, 2, 3];

/// An integer rounded to a float of that width: the result's value.
fn round_int(value: i128, width: u32, mode: u32) -> f64 {
    let precision = match width {
        16 => 11,
        32 => 24,
        _ => 53,
    };
    let (size, negative) = (value.unsigned_abs(), value < 0);
    let drop = (128 - size.leading_zeros()).saturating_sub(precision);
    let (kept, rest) = (size >> drop << drop, size & ((1u128 << drop) - 1));
    let half = (1u128 << drop) / 2;
    let away = match mode {
        0 => rest > half || rest == half && drop > 0 && kept >> drop & 1 == 1,
        1 => false,
        2 => rest != 0 && !negative,
        _ => rest != 0 && negative,
    };
    let rounded = kept + if away { 1u128 << drop } else { 0 };
    let mut x = rounded as f64;
    if width == 16 && x > 65504.0 {
        let nearest_is_finite = mode == 0 && size < 65520;
        let towards_zero = mode == 1 || mode == 2 && negative || mode == 3 && !negative;
        x = if nearest_is_finite || towards_zero {
            65504.0
        } else {
            f64::INFINITY
        };
    }
    if negative { -x } else { x }
}

/// All conversions of an integer type to floats in all modes.
pub fn int_to_float_module(ty: Ty) -> (Vec<u32>, Vec<(Op, u32, u32)>) {
    let mut kinds = Vec::new();
    for op in [Op::ConvertSToF, Op::ConvertUToF] {
        for width in [16, 32, 64] {
            for mode in MODES {
                kinds.push((op, width, mode));
            }
        }
    }
    let outputs: Vec<Ty> = kinds.iter().map(|k| float(k.1).times(ty.lanes)).collect();
    let words = elementwise(Asm::new(0), &[ty], &outputs, |asm, values| {
        kinds
            .iter()
            .map(|(op, width, mode)| {
                let to = asm.ty(float(*width).times(ty.lanes));
                let id = asm.op(*op, to, values);
                asm.decorate(id, Decoration::FPRoundingMode, &[*mode]);
                id
            })
            .collect()
    });
    (words, kinds)
}

#[test]
fn integers_to_floats_in_every_rounding_mode() {
    for bits in [8u32, 16, 32, 64] {
        let mask = u64::MAX >> (64 - bits);
        let mut samples = vec![0, 1, 3, mask, mask >> 1, (mask >> 1) + 1, mask - 1];
        for shift in 0..bits {
            let one = 1u64 << shift;
            samples.extend([
                one,
                one + 1,
                one.wrapping_sub(1),
                one | one >> 11,
                one | one >> 24,
            ]);
            samples.extend([one | one >> 12 | 1, one | one >> 25, one | one >> 54 | 1]);
            samples.extend([
                0u64.wrapping_sub(one | 1),
                !one,
                (one | one >> 11 | one >> 10) ^ 1,
            ]);
        }
        samples.extend([
            2047, 2049, 65519, 65520, 65521, 65504, 65505, 65536, 4097, 4099,
        ]);
        for value in &mut samples {
            *value &= mask;
        }
        for lanes in [1u32, 2, 3, 16] {
            let ty = int(bits).times(lanes);
            let (words, kinds) = int_to_float_module(ty);
            let count = samples.len().div_ceil(lanes as usize);
            let sample =
                |i: usize, lane: usize| samples[(i * lanes as usize + lane) % samples.len()];
            let mut inputs = [fill(ty, count, sample)];
            let outputs: Vec<Ty> = kinds.iter().map(|k| float(k.1).times(lanes)).collect();
            let results = run(&words, count, &mut inputs, &outputs);
            for ((op, width, mode), result) in kinds.iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let raw = sample(i, lane);
                        let value = if *op == Op::ConvertSToF {
                            i128::from(sign(raw, bits))
                        } else {
                            i128::from(raw)
                        };
                        let got =
                            value_of(get(result, float(*width).times(lanes), i, lane), *width);
                        let want = round_int(value, *width, *mode);
                        assert!(
                            got == want,
                            "{op:?} of {value} to {width} bits, mode {mode}: {got} where {want} is right"
                        );
                    }
                }
            }
        }
    }
}

/// A float rounded to a narrower one of 16 or 32 bits.
fn narrow(x: f64, width: u32, mode: u32, halves: &[f64]) -> f64 {
    if !x.is_finite() {
        return x;
    }
    let (below, above) = if width == 16 {
        let at = halves.partition_point(|h| *h < x);
        let above = halves.get(at).copied().unwrap_or(f64::INFINITY);
        if above == x {
            return x;
        }
        let below = at.checked_sub(1).map_or(f64::NEG_INFINITY, |at| halves[at]);
        (below, above)
    } else {
        let near = x as f32;
        if f64::from(near) == x {
            return x;
        }
        if f64::from(near) < x {
            (f64::from(near), f64::from(near.next_up()))
        } else {
            (f64::from(near.next_down()), f64::from(near))
        }
    };
    match mode {
        0 => value_of(bits_of(x, width), width),
        1 => {
            if x > 0.0 {
                below
            } else {
                above
            }
        }
        2 => above,
        _ => below,
    }
}

/// Conversions between floats in all modes, and of floats to integers in all modes.
pub fn rounding_module(ty: Ty) -> (Vec<u32>, Vec<(Op, Ty, u32)>) {
    let mut kinds = Vec::new();
    for mode in MODES {
        for width in [16, 32] {
            if width < ty.bits {
                kinds.push((Op::FConvert, float(width).times(ty.lanes), mode));
            }
        }
        for op in [Op::ConvertFToS, Op::ConvertFToU] {
            for width in [8, 16, 32, 64] {
                kinds.push((op, int(width).times(ty.lanes), mode));
            }
        }
    }
    let outputs: Vec<Ty> = kinds.iter().map(|k| k.1).collect();
    let words = elementwise(Asm::new(0), &[ty], &outputs, |asm, values| {
        kinds
            .iter()
            .map(|(op, to, mode)| {
                let to = asm.ty(*to);
                let id = asm.op(*op, to, values);
                asm.decorate(id, Decoration::FPRoundingMode, &[*mode]);
                if *op != Op::FConvert {
                    asm.decorate(id, Decoration::SaturatedConversion, &[]);
                }
                id
            })
            .collect()
    });
    (words, kinds)
}

#[test]
fn floats_in_every_rounding_mode() {
    let halves = halves();
    for bits in [16, 32, 64] {
        let mut samples = float_samples(bits);
        let step = 2f64.powi(-13);
        for n in 0..200 {
            let x = f64::from(n - 100) * 1.37 + f64::from(n) * step;
            samples.extend([x, x * 1e-6, x * 523.0].map(|x| value_of(bits_of(x, bits), bits)));
        }
        for lanes in [1u32, 3, 8] {
            let ty = float(bits).times(lanes);
            let (words, kinds) = rounding_module(ty);
            let count = samples.len().div_ceil(lanes as usize);
            let sample =
                |i: usize, lane: usize| samples[(i * lanes as usize + lane) % samples.len()];
            let mut inputs = [fill(ty, count, |i, lane| bits_of(sample(i, lane), bits))];
            let outputs: Vec<Ty> = kinds.iter().map(|k| k.1).collect();
            let results = run(&words, count, &mut inputs, &outputs);
            for ((op, to, mode), result) in kinds.iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let x = sample(i, lane);
                        let got = get(result, *to, i, lane);
                        if *op == Op::FConvert {
                            let (got, want) =
                                (value_of(got, to.bits), narrow(x, to.bits, *mode, &halves));
                            assert!(
                                got == want || got.is_nan() && want.is_nan(),
                                "{x} to {to:?}, mode {mode}: {got} where {want} is right"
                            );
                            continue;
                        }
                        let whole = match mode {
                            0 => x.round_ties_even(),
                            1 => x.trunc(),
                            2 => x.ceil(),
                            _ => x.floor(),
                        };
                        let mask = u64::MAX >> (64 - to.bits);
                        let want = if *op == Op::ConvertFToS {
                            let most = (mask >> 1) as i64;
                            (whole as i64).clamp(-most - 1, most) as u64 & mask
                        } else {
                            (whole as u64).min(mask)
                        };
                        assert_eq!(got, want, "{op:?} of {x} to {to:?}, mode {mode}");
                    }
                }
            }
        }
    }
}

const DOTS: [Op; 6] = [
    Op::SDot,
    Op::UDot,
    Op::SUDot,
    Op::SDotAccSat,
    Op::UDotAccSat,
    Op::SUDotAccSat,
];

/// All dot products of vectors of type `ty` (or packed words if it is a scalar) into `to`.
pub fn dot_module(ty: Ty, to: Ty) -> Vec<u32> {
    let mut asm = Asm::new(6);
    asm.capability(Capability::DotProduct);
    asm.capability(Capability::DotProductInputAll);
    asm.capability(Capability::DotProductInput4x8BitPacked);
    asm.extension("SPV_KHR_integer_dot_product");
    elementwise(asm, &[ty, ty, to], &[to; 6], |asm, values| {
        let id = asm.ty(to);
        DOTS.iter()
            .enumerate()
            .map(|(n, op)| {
                let mut operands = values[..if n < 3 { 2 } else { 3 }].to_vec();
                if ty.lanes == 1 {
                    operands.push(0);
                }
                asm.op(*op, id, &operands)
            })
            .collect()
    })
}

#[test]
fn dot_products() {
    let mut kinds = vec![(int(32), int(32)), (int(32), int(64)), (int(32), int(8))];
    for bits in [8u32, 16, 32, 64] {
        for to in [8, 16, 32, 64] {
            if to >= bits {
                kinds.extend([2, 3, 4, 8, 16].map(|lanes| (int(bits).times(lanes), int(to))));
            }
        }
    }
    for (ty, to) in kinds {
        let count = 40;
        let mask = u64::MAX >> (64 - ty.bits);
        let to_mask = u64::MAX >> (64 - to.bits);
        let number = |i: usize, lane: usize, salt: u64| {
            let x = (i as u64 * 16 + lane as u64 + 1).wrapping_mul(salt);
            match i % 4 {
                // All ones, smallest and largest values, then anything.
                0 => mask,
                1 if salt.is_multiple_of(3) => mask >> 1,
                1 => (mask >> 1) + 1,
                _ => x ^ x >> 29,
            }
        };
        let a = |i, lane| number(i, lane, 0x9e37_79b9_7f4a_7c15) & mask;
        let b = |i, lane| number(i, lane, 0xc2b2_ae3d_27d4_eb4d) & mask;
        let c = |i| number(i, 0, 0x1656_67b1_9e37_79f9) & to_mask;
        let mut inputs = [
            fill(ty, count, a),
            fill(ty, count, b),
            fill(to, count, |i, _| c(i)),
        ];
        let results = run(&dot_module(ty, to), count, &mut inputs, &[to; 6]);
        // Elements of the vectors, or bytes of the words.
        let (lanes, bits) = if ty.lanes == 1 {
            (4, 8)
        } else {
            (ty.lanes as usize, ty.bits)
        };
        let part = |value: &dyn Fn(usize, usize) -> u64, i: usize, lane: usize| {
            if ty.lanes == 1 {
                value(i, 0) >> (8 * lane) & 0xff
            } else {
                value(i, lane)
            }
        };
        for (op, result) in DOTS.into_iter().zip(&results) {
            for i in 0..count {
                // Products of 64-bit numbers may not fit when added: compare modulo 2^128.
                let mut sum = 0i128;
                for lane in 0..lanes {
                    let (x, y) = (part(&a, i, lane), part(&b, i, lane));
                    let signed = |v: u64| i128::from(sign(v, bits));
                    let (x, y) = match op {
                        Op::SDot | Op::SDotAccSat => (signed(x), signed(y)),
                        Op::UDot | Op::UDotAccSat => (i128::from(x), i128::from(y)),
                        _ => (signed(x), i128::from(y)),
                    };
                    sum = sum.wrapping_add(x.wrapping_mul(y));
                }
                let want = match op {
                    Op::SDot | Op::UDot | Op::SUDot => sum as u64 & to_mask,
                    // The sum of the products must fit 128 bits for the reference.
                    _ if bits == 64 => continue,
                    Op::UDotAccSat => {
                        (sum as u128 + u128::from(c(i))).min(u128::from(to_mask)) as u64
                    }
                    _ => {
                        let most = i128::from(to_mask >> 1);
                        let total = sum + i128::from(sign(c(i), to.bits));
                        total.clamp(-most - 1, most) as u64 & to_mask
                    }
                };
                assert_eq!(
                    get(result, to, i, 0),
                    want,
                    "{op:?} number {i}, {ty:?} into {to:?}"
                );
            }
        }
    }
}

const INTEGERS: [Op; 12] = [
    Op::UCountLeadingZerosINTEL,
    Op::UCountTrailingZerosINTEL,
    Op::AbsISubINTEL,
    Op::AbsUSubINTEL,
    Op::IAddSatINTEL,
    Op::UAddSatINTEL,
    Op::ISubSatINTEL,
    Op::USubSatINTEL,
    Op::IAverageINTEL,
    Op::UAverageINTEL,
    Op::IAverageRoundedINTEL,
    Op::UAverageRoundedINTEL,
];

pub fn integer_module(ty: Ty) -> Vec<u32> {
    let mut asm = Asm::new(0);
    asm.capability(Capability::IntegerFunctions2INTEL);
    asm.extension("SPV_INTEL_shader_integer_functions2");
    elementwise(asm, &[ty, ty], &[ty; 12], |asm, values| {
        let id = asm.ty(ty);
        INTEGERS
            .iter()
            .enumerate()
            .map(|(n, op)| asm.op(*op, id, &values[..if n < 2 { 1 } else { 2 }]))
            .collect()
    })
}

#[test]
fn integer_functions() {
    for bits in [8u32, 16, 32, 64] {
        let mask = u64::MAX >> (64 - bits);
        let samples = [0, 1, 2, 5, mask, mask - 1, mask >> 1, (mask >> 1) + 1, 77];
        let pairs: Vec<(u64, u64)> = samples
            .iter()
            .flat_map(|a| samples.iter().map(|b| (*a, *b)))
            .collect();
        for lanes in [1u32, 4] {
            let ty = int(bits).times(lanes);
            let count = pairs.len().div_ceil(lanes as usize);
            let pair = |i: usize, lane: usize| pairs[(i * lanes as usize + lane) % pairs.len()];
            let mut inputs = [
                fill(ty, count, |i, lane| pair(i, lane).0),
                fill(ty, count, |i, lane| pair(i, lane).1),
            ];
            let results = run(&integer_module(ty), count, &mut inputs, &[ty; 12]);
            for (op, result) in INTEGERS.into_iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let (a, b) = pair(i, lane);
                        let (ua, ub) = (i128::from(a), i128::from(b));
                        let (sa, sb) = (i128::from(sign(a, bits)), i128::from(sign(b, bits)));
                        let (umax, smax) = (i128::from(mask), i128::from(mask >> 1));
                        let want = match op {
                            Op::UCountLeadingZerosINTEL => {
                                i128::from(a.leading_zeros() - (64 - bits))
                            }
                            Op::UCountTrailingZerosINTEL => {
                                i128::from(a.trailing_zeros().min(bits))
                            }
                            Op::AbsISubINTEL => (sa - sb).abs(),
                            Op::AbsUSubINTEL => (ua - ub).abs(),
                            Op::IAddSatINTEL => (sa + sb).clamp(-smax - 1, smax),
                            Op::UAddSatINTEL => (ua + ub).min(umax),
                            Op::ISubSatINTEL => (sa - sb).clamp(-smax - 1, smax),
                            Op::USubSatINTEL => (ua - ub).max(0),
                            Op::IAverageINTEL => (sa + sb) >> 1,
                            Op::UAverageINTEL => (ua + ub) >> 1,
                            Op::IAverageRoundedINTEL => (sa + sb + 1) >> 1,
                            _ => (ua + ub + 1) >> 1,
                        };
                        assert_eq!(
                            get(result, ty, i, lane),
                            want as u64 & mask,
                            "{op:?} of {a:#x} and {b:#x}, {ty:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Saturated conversions of a signed and of an unsigned integer to all integers.
pub fn saturation_module(ty: Ty) -> (Vec<u32>, Vec<(Op, Ty)>) {
    let mut kinds = Vec::new();
    for bits in [8, 16, 32, 64] {
        for op in [
            Op::SConvert,
            Op::UConvert,
            Op::SatConvertSToU,
            Op::SatConvertUToS,
        ] {
            // Conversions that keep the sign must change the width.
            if bits != ty.bits || matches!(op, Op::SatConvertSToU | Op::SatConvertUToS) {
                kinds.push((op, int(bits).times(ty.lanes)));
            }
        }
    }
    let outputs: Vec<Ty> = kinds.iter().map(|k| k.1).collect();
    let words = elementwise(Asm::new(0), &[ty], &outputs, |asm, values| {
        kinds
            .iter()
            .map(|(op, to)| {
                let to = asm.ty(*to);
                let id = asm.op(*op, to, values);
                if matches!(op, Op::SConvert | Op::UConvert) {
                    asm.decorate(id, Decoration::SaturatedConversion, &[]);
                }
                id
            })
            .collect()
    });
    (words, kinds)
}

#[test]
fn saturated_integers() {
    for bits in [8u32, 16, 32, 64] {
        let mask = u64::MAX >> (64 - bits);
        let mut samples = vec![0, 1, mask, mask >> 1, (mask >> 1) + 1];
        for shift in [7, 8, 15, 16, 31, 32, 63] {
            let one = 1u64 << shift;
            samples.extend([one, one - 1, one + 1, 0u64.wrapping_sub(one), !one].map(|x| x & mask));
        }
        for lanes in [1u32, 3, 16] {
            let ty = int(bits).times(lanes);
            let (words, kinds) = saturation_module(ty);
            let count = samples.len().div_ceil(lanes as usize);
            let sample =
                |i: usize, lane: usize| samples[(i * lanes as usize + lane) % samples.len()];
            let mut inputs = [fill(ty, count, sample)];
            let outputs: Vec<Ty> = kinds.iter().map(|k| k.1).collect();
            let results = run(&words, count, &mut inputs, &outputs);
            for ((op, to), result) in kinds.iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let raw = sample(i, lane);
                        let signed = matches!(op, Op::SConvert | Op::SatConvertSToU);
                        let value = if signed {
                            i128::from(sign(raw, bits))
                        } else {
                            i128::from(raw)
                        };
                        let to_mask = u64::MAX >> (64 - to.bits);
                        let want = if matches!(op, Op::SConvert | Op::SatConvertUToS) {
                            let most = i128::from(to_mask >> 1);
                            value.clamp(-most - 1, most)
                        } else {
                            value.clamp(0, i128::from(to_mask))
                        };
                        assert_eq!(
                            get(result, *to, i, lane),
                            want as u64 & to_mask,
                            "{op:?} of {value} to {to:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Floats to bfloat16, which travels as an integer, and back.
pub fn bfloat16_module() -> Vec<u32> {
    let mut asm = Asm::new(0);
    asm.capability(Capability::BFloat16ConversionINTEL);
    asm.extension("SPV_INTEL_bfloat16_conversion");
    let (single, word) = (float(32).times(2), int(16).times(2));
    elementwise(asm, &[single], &[word, single], |asm, values| {
        let (single, word) = (asm.ty(single), asm.ty(word));
        let narrow = asm.op(Op::ConvertFToBF16INTEL, word, values);
        vec![narrow, asm.op(Op::ConvertBF16ToFINTEL, single, &[narrow])]
    })
}

#[test]
fn bfloat16_is_rounded_to_the_nearest() {
    let (single, word) = (float(32).times(2), int(16).times(2));
    let count = 2000;
    let sample = |i: usize, lane: usize| (i * 2 + lane) as u32 * 1_073_789;
    let mut inputs = [fill(single, count, |i, lane| u64::from(sample(i, lane)))];
    let results = run(&bfloat16_module(), count, &mut inputs, &[word, single]);
    for i in 0..count {
        for lane in 0..2 {
            let x = f32::from_bits(sample(i, lane));
            let got = get(&results[0], word, i, lane) as u32;
            let back = f32::from_bits(get(&results[1], single, i, lane) as u32);
            assert!(back.to_bits() == got << 16 || x.is_nan() && back.is_nan());
            if x.is_nan() {
                continue;
            }
            // The two neighbours by cutting off and going one up; ties go to the even one.
            let (low, high) = (x.to_bits() >> 16, (x.to_bits() >> 16) + 1);
            let rest = x.to_bits() & 0xffff;
            let up = rest > 0x8000 || rest == 0x8000 && low % 2 == 1;
            assert_eq!(got, if up { high } else { low }, "{x}");
        }
    }
}
