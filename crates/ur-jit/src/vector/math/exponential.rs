//! Powers of a fixed base.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, V, polynomial};

/// 1.5 · 2^23: a number added to it is rounded to an integer, which stands in the sum's low bits.
pub const ROUND_F32: f64 = 12_582_912.0;

/// `x log2(b)` rounded to an integer: as the sum with [`ROUND_F32`], and as a number.
fn exponent_f32<'e>(x: V<'e>, scale: f64) -> (V<'e>, V<'e>) {
    let sum = x.fma(scale, ROUND_F32);
    (sum, sum - ROUND_F32)
}

/// e^r for `x = k log(2) + r`.
fn exp_f32_reduced<'e>(x: V<'e>) -> (V<'e>, V<'e>) {
    let (sum, k) = exponent_f32(x, std::f64::consts::LOG2_E);
    let r = k.fma(-c::LN2_F32[0], x);
    let r = k.fma(-c::LN2_F32[1], r);
    let [c2, c3, c4, c5, c6] = c::EXP_F32;
    (sum, polynomial(r, &[1.0, 1.0, c2, c3, c4, c5, c6]))
}

/// `p` times 2 to the power of the integer in the low bits of `sum`, for normal results.
fn scaled_f32<'e>(p: V<'e>, sum: V<'e>) -> V<'e> {
    (p.bits() + (sum.bits() << 23)).float()
}

/// The same for any power from 2^-151 to 2^128, and a NaN stays.
fn scaled_f32_all<'e>(p: V<'e>, sum: V<'e>, small: V<'e>) -> V<'e> {
    // Results below the normal range are made 2^100 times as large and rounded by the last product;
    // the others half as large, since 2^128 itself is no number.
    let one = 127i64 << 23;
    let bits = sum.bits();
    let bias = small.choose(bits.constant(one + (100 << 23)), one - (1 << 23));
    let power = ((bits << 23) + bias).float();
    let last = small.choose(p.constant(2f64.powi(-100)), 2.0);
    p * power * last
}

pub fn exp_f32<'e>(x: &[V<'e>]) -> Fast<'e> {
    let (sum, p) = exp_f32_reduced(x[0]);
    Fast {
        value: scaled_f32(p, sum),
        rare: Some(x[0].abs().above(87.0)),
    }
}

pub fn exp_f32_all<'e>(x: &[V<'e>]) -> V<'e> {
    let x = x[0].at_least(-104.0).at_most(89.0);
    let (sum, p) = exp_f32_reduced(x);
    scaled_f32_all(p, sum, x.is(P::Lt, -86.0))
}
