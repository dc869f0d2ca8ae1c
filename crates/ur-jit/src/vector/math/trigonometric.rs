//! Sine, cosine and tangent.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{Ty, V, polynomial};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};

/// Up to where [`minus_multiple`] is exact enough, with and without fused operations.
fn limit(x: V<'_>) -> f64 {
    match (x.ty(), x.features().fma) {
        (Ty::F32, true) => 131_072.0,
        (Ty::F32, false) => 6_000.0,
        (_, true) => 1e9,
        (_, false) => 8e5,
    }
}

/// `x - k π factor`; the factor is a power of two.
fn minus_multiple<'e>(x: V<'e>, k: V<'e>, factor: f64) -> V<'e> {
    // Fused, the first difference is exact and the others have small errors. Else the products
    // must be exact, so the pieces are short.
    let pieces: &[f64] = match (x.ty(), x.features().fma) {
        (Ty::F32, true) => &c::PI_F32,
        (Ty::F32, false) => &c::PI_F32_SHORT,
        (_, true) => &c::PI_F64,
        (_, false) => &c::PI_F64_SHORT,
    };
    pieces
        .iter()
        .fold(x, |rest, piece| k.fma(-piece * factor, rest))
}

/// sin(r) for `r` from -π/2 to π/2.
fn sine(r: V<'_>) -> V<'_> {
    let square = r * r;
    let tail: &[f64] = if r.ty() == Ty::F32 {
        &c::SIN_F32[1..]
    } else {
        &c::SIN_F64[1..]
    };
    (r * square).fma(polynomial(square, tail), r)
}

/// The lowest bit of the integer in the low bits of `sum`, as a sign.
fn parity(sum: V<'_>) -> V<'_> {
    sum.bits() << i64::from(sum.ty().bits() - 1)
}

pub fn sin(x: V<'_>) -> Fast<'_> {
    // Of the magnitude, so that the zeros keep their signs.
    let magnitude = x.abs();
    let round = x.format().round;
    let sum = magnitude.fma(FRAC_1_PI, round);
    let r = minus_multiple(magnitude, sum - round, 1.0);
    let sign = (x.bits() & x.format().sign) ^ parity(sum);
    Fast {
        value: (sine(r).bits() ^ sign).float(),
        rare: Some(magnitude.above(limit(x))),
    }
}

pub fn cos(x: V<'_>) -> Fast<'_> {
    let magnitude = x.abs();
    let round = x.format().round;
    // The nearest zero of the cosine is at (k + 1/2) π.
    let sum = magnitude.fma(FRAC_1_PI, -0.5) + round;
    let r = minus_multiple(magnitude, (sum - round) + 0.5, 1.0);
    let sign = parity(sum) ^ x.format().sign;
    Fast {
        value: (sine(r).bits() ^ sign).float(),
        rare: Some(magnitude.above(limit(x))),
    }
}

pub fn tan(x: V<'_>) -> Fast<'_> {
    let magnitude = x.abs();
    let round = x.format().round;
    let sum = magnitude.fma(FRAC_2_PI, round);
    let r = minus_multiple(magnitude, sum - round, 0.5);
    let square = r * r;
    let tail: &[f64] = if r.ty() == Ty::F32 {
        &c::TAN_F32[1..]
    } else {
        &c::TAN_F64[1..]
    };
    let tangent = (r * square).fma(polynomial(square, tail), r);
    // Behind an odd quarter it is the negative inverse.
    let odd = parity(sum).int_is(super::emit::P::Lt, 0);
    let value = odd.choose(r.constant(-1.0) / tangent, tangent);
    let sign = x.bits() & x.format().sign;
    Fast {
        value: (value.bits() ^ sign).float(),
        rare: Some(magnitude.above(limit(x) * 0.5)),
    }
}
