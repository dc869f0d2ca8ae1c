//! Sine, cosine and tangent.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{V, polynomial};
use super::exponential::ROUND_F32;
use std::f64::consts::FRAC_1_PI;

/// Up to where [`minus_pi_f32`] is exact enough, with and without fused operations.
fn limit_f32(x: V<'_>) -> f64 {
    if x.features().fma { 131_072.0 } else { 10_000.0 }
}

/// `x - k π`.
fn minus_pi_f32<'e>(x: V<'e>, k: V<'e>) -> V<'e> {
    // Fused, the first difference is exact and the others have small errors. Else the products
    // must be exact, so the pieces are short.
    let pieces: &[f64] = if x.features().fma {
        &c::PI_F32
    } else {
        &c::PI_F32_SHORT
    };
    pieces.iter().fold(x, |rest, piece| k.fma(-piece, rest))
}

/// sin(r) for `r` from -π/2 to π/2.
fn sine_f32<'e>(r: V<'e>) -> V<'e> {
    let square = r * r;
    (r * square).fma(polynomial(square, &c::SIN_F32), r)
}

pub fn sin_f32<'e>(x: &[V<'e>]) -> Fast<'e> {
    let x = x[0];
    // Of the magnitude, so that the zeros keep their signs.
    let magnitude = x.abs();
    let sum = magnitude.fma(FRAC_1_PI, ROUND_F32);
    let r = minus_pi_f32(magnitude, sum - ROUND_F32);
    let sign = (x.bits() & 0x8000_0000) ^ (sum.bits() << 31);
    Fast {
        value: (sine_f32(r).bits() ^ sign).float(),
        rare: Some(magnitude.above(limit_f32(x))),
    }
}

pub fn cos_f32<'e>(x: &[V<'e>]) -> Fast<'e> {
    let x = x[0].abs();
    // The nearest zero of the cosine is at (k + 1/2) π.
    let sum = x.fma(FRAC_1_PI, -0.5) + ROUND_F32;
    let r = minus_pi_f32(x, (sum - ROUND_F32) + 0.5);
    let sign = (sum.bits() << 31) ^ 0x8000_0000;
    Fast {
        value: (sine_f32(r).bits() ^ sign).float(),
        rare: Some(x.above(limit_f32(x))),
    }
}
