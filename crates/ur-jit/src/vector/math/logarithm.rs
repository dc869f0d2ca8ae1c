//! Logarithms.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, V, polynomial};

/// A positive normal number as `2^e (1 + r)` with `1 + r` from √½ to √2.
fn split_f32<'e>(x: V<'e>) -> (V<'e>, V<'e>) {
    let root = i64::from((0.5f32.sqrt()).to_bits());
    let bits = x.bits();
    let e = (bits - root).sra(23);
    let r = (bits - (e << 23)).float() - 1.0;
    (e.to_f32(), r)
}

/// log(1 + r) - r.
fn tail_f32<'e>(r: V<'e>) -> V<'e> {
    let [c3, c4, c5, c6, c7, c8, c9] = c::LOG_F32;
    (r * r) * polynomial(r, &[-0.5, c3, c4, c5, c6, c7, c8, c9])
}

fn log_f32_reduced<'e>(e: V<'e>, r: V<'e>) -> V<'e> {
    e.fma(c::LN2_F32_NEAREST, r + tail_f32(r))
}

/// Negative where `x` is not a positive normal number.
fn abnormal_f32<'e>(x: V<'e>) -> V<'e> {
    // Numbers from the smallest normal one on become 0 and more; those before infinity stay
    // positive when what is between infinity and the sign is added.
    let above = x.bits() - 0x0080_0000;
    above | (above + 0x0100_0000)
}

pub fn log_f32<'e>(x: &[V<'e>]) -> Fast<'e> {
    let (e, r) = split_f32(x[0]);
    Fast {
        value: log_f32_reduced(e, r),
        rare: Some(abnormal_f32(x[0])),
    }
}

pub fn log_f32_all<'e>(x: &[V<'e>]) -> V<'e> {
    all_f32(x[0], log_f32_reduced)
}

/// A logarithm of any number, from that of normal ones.
fn all_f32<'e>(x: V<'e>, normal: fn(V<'e>, V<'e>) -> V<'e>) -> V<'e> {
    let small = x.is(P::Lt, f64::from(f32::MIN_POSITIVE));
    let scaled = small.choose(x * 2f64.powi(23), x);
    let (e, r) = split_f32(scaled);
    let e = small.choose(e - 23.0, e);
    ends(x, normal(e, r))
}

/// The logarithm of zeros, infinity, negative numbers and NaN, else `value`.
fn ends<'e>(x: V<'e>, value: V<'e>) -> V<'e> {
    let value = x.is(P::Lt, f64::INFINITY).choose(value, x);
    let other = x
        .is(P::Eq, 0.0)
        .choose(x.constant(f64::NEG_INFINITY), f64::NAN);
    x.is(P::Gt, 0.0).choose(value, other)
}
