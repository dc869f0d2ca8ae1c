//! Cube root and the length of a vector.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, Ty, V, polynomial};
use super::logarithm::{abnormal, split, split_all};

/// The cube root of `2^exponent (1 + rest)`.
fn root<'e>(exponent: V<'e>, rest: V<'e>) -> V<'e> {
    let format = rest.format();
    // Thirds of the exponent, and what is left of it: -1, 0 or 1.
    let sum = exponent.fma(1.0 / 3.0, format.round);
    let third = sum - format.round;
    let left = third.fma(-3.0, exponent) + format.round;
    let m = ((rest + 1.0).bits() + (left.bits() << format.fraction)).float();
    // y comes near m^(-1/3): each step takes the error e of m y³ to the fourth power, or the third.
    let step = |y: V<'e>, terms: &[f64]| {
        let e = (m * y).fma(-(y * y), 1.0);
        (y * e).fma(polynomial(e, terms), y)
    };
    let mut y = step(
        polynomial(m, &c::CBRT_GUESS),
        &[1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0],
    );
    if m.ty() == Ty::F64 {
        y = step(y, &[1.0 / 3.0, 2.0 / 9.0]);
    }
    let square = y * y;
    let guess = m * square;
    let missing = (guess * guess).fma(-guess, m);
    let value = missing.fma(square * (1.0 / 3.0), guess);
    (value.bits() + (sum.bits() << format.fraction)).float()
}

pub fn cbrt(x: V<'_>) -> Fast<'_> {
    let magnitude = x.abs();
    let parts = split(magnitude);
    Fast {
        value: root(parts.exponent, parts.rest).copysign(x),
        rare: Some(abnormal(magnitude)),
    }
}

pub fn cbrt_all(x: V<'_>) -> V<'_> {
    let magnitude = x.abs();
    let (exponent, rest) = split_all(magnitude);
    let value = root(exponent, rest).copysign(x);
    // Zeros, infinities and what is no number stay.
    let finite = magnitude.is(P::Lt, f64::INFINITY) & magnitude.is(P::Gt, 0.0);
    finite.choose(value, x)
}

/// Sizes whose squares neither overflow nor lose bits: from 2^-n to 2^n.
fn square_range(x: V<'_>) -> f64 {
    if x.ty() == Ty::F32 {
        2f64.powi(50)
    } else {
        2f64.powi(480)
    }
}

pub fn hypot<'e>(x: V<'e>, y: V<'e>) -> Fast<'e> {
    let (a, b) = (x.abs(), y.abs());
    let steep = b.is(P::Gt, a);
    let (larger, smaller) = (steep.choose(b, a), steep.choose(a, b));
    let range = square_range(x);
    let low = larger.bits() - larger.constant(1.0 / range).bits();
    Fast {
        value: larger.fma(larger, smaller * smaller).sqrt(),
        rare: Some(low | larger.above(range) | smaller.above(range)),
    }
}

pub fn hypot_all<'e>(x: V<'e>, y: V<'e>) -> V<'e> {
    let (a, b) = (x.abs(), y.abs());
    let range = square_range(x);
    // Of the bits, so that the larger one is infinity or no number if there is one.
    let steep = b.bits().int_is(P::Gt, a.bits());
    let larger = steep.choose(b, a);
    // Down by 2^n and up by 2^2n: subnormal numbers are far below the range.
    let (large, small) = (larger.is(P::Gt, range), larger.is(P::Lt, 1.0 / range));
    let down = range.recip() * range.recip().sqrt();
    let up = range * range;
    let factor = large.choose(a.constant(down), small.choose(a.constant(up), 1.0));
    let back = large.choose(
        a.constant(down.recip()),
        small.choose(a.constant(up.recip()), 1.0),
    );
    let (a, b) = (a * factor, b * factor);
    let value = a.fma(a, b * b).sqrt() * back;
    let infinite = a.is(P::Eq, f64::INFINITY) | b.is(P::Eq, f64::INFINITY);
    infinite.choose(a.constant(f64::INFINITY), value)
}
