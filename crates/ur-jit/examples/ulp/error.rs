//! The error of a result in units of the last place.

use super::quad::{Quad, Split, scale};

/// Fraction bits, exponent of the smallest normal number, exponent above the largest.
fn format(width: u32) -> (i32, i32, i32) {
    match width {
        16 => (10, -14, 16),
        32 => (23, -126, 128),
        _ => (52, -1022, 1024),
    }
}

/// The error of `got`, a number of `width` bits, in units of the last place of the exact value.
pub fn error(got: f64, exact: Quad, width: u32) -> f64 {
    let (fraction, lowest, top) = format(width);
    match exact.split() {
        Split::Special(want) if want.is_nan() || got.is_nan() => {
            if want.is_nan() && got.is_nan() {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Split::Special(want) if want.is_infinite() => {
            if got == want {
                0.0
            } else {
                f64::INFINITY
            }
        }
        // A zero, or next to it.
        Split::Special(_) => scale(got.abs(), fraction - lowest),
        Split::Number { exponent, high, .. } if exponent >= top => {
            if got.is_infinite() && (got > 0.0) == (high > 0.0) {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Split::Number {
            high,
            low,
            exponent,
        } => {
            // Infinity stands for the number behind the largest.
            let got = if got.is_infinite() {
                if exponent < top - 1 {
                    return f64::INFINITY;
                }
                scale(got.signum(), top - exponent)
            } else {
                scale(got, -exponent)
            };
            let unit = exponent.max(lowest) - fraction;
            scale(((got - high) - low).abs(), exponent - unit)
        }
    }
}
