//! Logarithms and the functions that come down to them.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, Ty, V, polynomial};
use std::f64::consts::{LOG2_E, LOG10_E, SQRT_2};

/// The base of a logarithm.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Base {
    E,
    Two,
    Ten,
}

/// A positive normal number as `2^exponent (1 + rest)` with `1 + rest` from √½ to √2.
pub struct Parts<'e> {
    /// As a number of the same type.
    pub exponent: V<'e>,
    pub rest: V<'e>,
    /// 2^-exponent.
    pub inverse: V<'e>,
}

pub fn split(x: V<'_>) -> Parts<'_> {
    let format = x.format();
    let bits = x.bits();
    let one = format.bias << format.fraction;
    let twice_bias = 2 * one;
    if x.ty() == Ty::F32 {
        let root = i64::from((SQRT_2 as f32 / 2.0).to_bits());
        let e = (bits - root).sra(format.fraction);
        let shifted = e << format.fraction;
        return Parts {
            exponent: e.to_f32(),
            rest: (bits - shifted).float() - 1.0,
            inverse: (shifted.constant(one) - shifted).float(),
        };
    }
    // There are few operations on integers of 64 bits: the exponent becomes a number by being put
    // into the fraction of 2^52.
    let root = (SQRT_2 / 2.0).to_bits().cast_signed();
    let moved = bits + (one - root);
    let magic = 2f64.powi(52);
    let e = (moved.srl(format.fraction) | magic.to_bits().cast_signed()).float();
    let fraction = (1i64 << format.fraction) - 1;
    Parts {
        exponent: e - (magic + format.bias as f64),
        rest: ((moved & fraction) + root).float() - 1.0,
        inverse: (moved.constant(twice_bias) - (moved & !fraction)).float(),
    }
}

/// log(1 + r) = r - u: u.
fn difference(r: V<'_>) -> V<'_> {
    if r.ty() == Ty::F32 {
        return -((r * r) * polynomial(r, &c::LOG_F32[1..]));
    }
    let s = r / (r + 2.0);
    let square = s * s;
    let tail = square * polynomial(square, &c::LOG_F64[1..]);
    let half = r * r * 0.5;
    half - s * (half + tail)
}

/// The logarithm of `2^exponent (1 + rest)`.
fn combine<'e>(exponent: V<'e>, rest: V<'e>, base: Base) -> V<'e> {
    let u = difference(rest);
    if rest.ty() == Ty::F32 {
        let natural = rest - u;
        return match base {
            Base::E => exponent.fma(c::LN2_F32_NEAREST, natural),
            Base::Two => natural.fma(LOG2_E, exponent),
            Base::Ten => {
                let low = exponent.fma(c::LOG10_2_F32[1], natural * LOG10_E);
                exponent.fma(c::LOG10_2_F32[0], low)
            }
        };
    }
    if base == Base::E {
        let low = exponent.fma(c::LN2_F64[1], -u);
        return exponent.fma(c::LN2_F64[0], rest + low);
    }
    // The natural logarithm with what its rounding loses, for the product.
    let natural = rest - u;
    let lost = (rest - natural) - u;
    let [high, low] = if base == Base::Two {
        c::LOG2_E_F64
    } else {
        c::LOG10_E_F64
    };
    let small = natural.fma(low, lost * high);
    if base == Base::Two {
        exponent + natural.fma(high, small)
    } else {
        let [ten, ten_low] = c::LOG10_2_F64;
        exponent.fma(ten, natural.fma(high, exponent.fma(ten_low, small)))
    }
}

/// Negative where `x` is not a positive normal number.
pub fn abnormal(x: V<'_>) -> V<'_> {
    outside(x, x.format().largest)
}

/// Negative where `x` is not between the smallest normal number and `top`.
fn outside(x: V<'_>, top: f64) -> V<'_> {
    let format = x.format();
    let (lowest, highest) = if x.ty() == Ty::F32 {
        (1 << format.fraction, i64::from((top as f32).to_bits()))
    } else {
        (1 << format.fraction, top.to_bits().cast_signed())
    };
    // Numbers from the smallest normal one on become 0 and more; those up to `top` stay positive
    // when what is between it and the largest integer is added.
    let above = x.bits() - lowest;
    above | (above + (!format.sign - (highest - lowest)))
}

pub fn log(x: V<'_>, base: Base) -> Fast<'_> {
    let parts = split(x);
    Fast {
        value: combine(parts.exponent, parts.rest, base),
        rare: Some(abnormal(x)),
    }
}

/// As [`split`], of any positive number.
pub fn split_all(x: V<'_>) -> (V<'_>, V<'_>) {
    let small = x.is(P::Lt, x.format().smallest);
    let up = x.format().fraction as i32 + 1;
    let parts = split(small.choose(x * 2f64.powi(up), x));
    let exponent = small.choose(parts.exponent - f64::from(up), parts.exponent);
    (exponent, parts.rest)
}

/// A logarithm of any number.
pub fn log_all(x: V<'_>, base: Base) -> V<'_> {
    let (exponent, rest) = split_all(x);
    ends(x, combine(exponent, rest, base))
}

/// The logarithm of zeros, infinity, negative numbers and NaN, else `value`.
fn ends<'e>(x: V<'e>, value: V<'e>) -> V<'e> {
    let value = x.is(P::Lt, f64::INFINITY).choose(value, x);
    let other = x
        .is(P::Eq, 0.0)
        .choose(x.constant(f64::NEG_INFINITY), f64::NAN);
    x.is(P::Gt, 0.0).choose(value, other)
}

/// log(1 + x), without the sign of a zero, and 1 + x.
fn plus_one(x: V<'_>) -> (V<'_>, V<'_>) {
    let sum = x + 1.0;
    // What the sum's rounding lost.
    let of_x = sum - 1.0;
    let lost = (x - of_x) + (x.constant(1.0) - (sum - of_x));
    let parts = split(sum);
    let rest = lost.fma(parts.inverse, parts.rest);
    (combine(parts.exponent, rest, Base::E), sum)
}

/// Up to here [`plus_one`] holds: the inverse power of two is a number.
fn plus_one_limit(x: V<'_>) -> f64 {
    2f64.powi(x.format().bias as i32 - 1)
}

pub fn log1p(x: V<'_>) -> Fast<'_> {
    let (value, sum) = plus_one(x);
    Fast {
        value: value.copysign(x),
        rare: Some(outside(sum, plus_one_limit(x))),
    }
}

pub fn log1p_all(x: V<'_>) -> V<'_> {
    let (value, sum) = plus_one(x);
    let large = sum.is(P::Gt, plus_one_limit(x));
    let parts = split(sum);
    let value = large.choose(combine(parts.exponent, parts.rest, Base::E), value);
    // 1 + x is never subnormal.
    ends(sum, value.copysign(x))
}

/// Beyond this magnitude, squares are not computed.
fn square_limit(x: V<'_>) -> f64 {
    if x.ty() == Ty::F32 { 1e18 } else { 1e150 }
}

/// √(1 + x²) - 1 + x of a positive number: log1p of it is the area hyperbolic sine.
fn asinh_argument(x: V<'_>) -> V<'_> {
    let square = x * x;
    let root = (square + 1.0).sqrt();
    x + square / (root + 1.0)
}

pub fn asinh(x: V<'_>) -> Fast<'_> {
    let magnitude = x.abs();
    Fast {
        value: plus_one(asinh_argument(magnitude)).0.copysign(x),
        rare: Some(magnitude.above(square_limit(x))),
    }
}

/// log(2 x) of a large number.
fn log_twice(x: V<'_>) -> V<'_> {
    let parts = split(x);
    x.is(P::Lt, f64::INFINITY)
        .choose(combine(parts.exponent + 1.0, parts.rest, Base::E), x)
}

pub fn asinh_all(x: V<'_>) -> V<'_> {
    let magnitude = x.abs();
    let near = plus_one(asinh_argument(magnitude)).0;
    let far = magnitude.above(square_limit(x)).int_is(P::Lt, 0);
    far.choose(log_twice(magnitude), near).copysign(x)
}

/// As [`asinh_argument`] for the area hyperbolic cosine.
fn acosh_argument(x: V<'_>) -> V<'_> {
    let t = x - 1.0;
    t + t.fma(t, t + t).sqrt()
}

pub fn acosh(x: V<'_>) -> Fast<'_> {
    // Numbers below 1 are rare ones.
    let (value, sum) = plus_one(acosh_argument(x));
    Fast {
        value,
        rare: Some((x - 1.0).bits() | x.abs().above(square_limit(x)) | abnormal(sum)),
    }
}

pub fn acosh_all(x: V<'_>) -> V<'_> {
    let argument = acosh_argument(x);
    let near = plus_one(argument).0;
    let far = x.is(P::Gt, square_limit(x));
    let value = far.choose(log_twice(x), near);
    x.is(P::Ge, 1.0).choose(value, f64::NAN)
}

/// log1p of it is twice the area hyperbolic tangent of a positive number.
fn atanh_argument(x: V<'_>) -> V<'_> {
    (x + x) / (x.constant(1.0) - x)
}

pub fn atanh(x: V<'_>) -> Fast<'_> {
    let (value, sum) = plus_one(atanh_argument(x.abs()));
    Fast {
        value: (value * 0.5).copysign(x),
        rare: Some(abnormal(sum)),
    }
}

pub fn atanh_all(x: V<'_>) -> V<'_> {
    let (value, sum) = plus_one(atanh_argument(x.abs()));
    let value = ends(sum, value);
    (value * 0.5).copysign(x)
}
