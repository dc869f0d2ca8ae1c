//! Powers of a fixed base, the hyperbolic functions, and what is common to them.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, V, polynomial};
use std::f64::consts::{LOG2_10, LOG2_E};

/// How powers of one base are computed.
pub struct Base {
    /// The logarithm of the base to the base 2.
    scale: f64,
    /// The logarithm of 2 to the base, in pieces; the first one times an exponent is exact.
    pieces: &'static [f64],
    /// The power of a number around zero.
    polynomial: &'static [f64],
    /// Up to this magnitude of the argument all results are normal numbers.
    limit: f64,
    /// Below this one all results are zero.
    low: f64,
    /// Above this one all results are infinite.
    high: f64,
}

pub const EXP_F32: Base = Base {
    scale: LOG2_E,
    pieces: &c::LN2_F32,
    polynomial: &c::EXP_F32,
    limit: 87.0,
    low: -104.5,
    high: 89.0,
};

pub const EXP2_F32: Base = Base {
    scale: 1.0,
    pieces: &[1.0],
    polynomial: &c::EXP2_F32,
    limit: 125.5,
    low: -151.0,
    high: 129.0,
};

pub const EXP10_F32: Base = Base {
    scale: LOG2_10,
    pieces: &c::LOG10_2_F32,
    polynomial: &c::EXP10_F32,
    limit: 37.75,
    low: -45.5,
    high: 39.0,
};

pub const EXP_F64: Base = Base {
    scale: LOG2_E,
    pieces: &c::LN2_F64,
    polynomial: &c::EXP_F64,
    limit: 708.0,
    low: -746.0,
    high: 710.0,
};

pub const EXP2_F64: Base = Base {
    scale: 1.0,
    pieces: &[1.0],
    polynomial: &c::EXP2_F64,
    limit: 1021.5,
    low: -1076.0,
    high: 1025.0,
};

pub const EXP10_F64: Base = Base {
    scale: LOG2_10,
    pieces: &c::LOG10_2_F64,
    polynomial: &c::EXP10_F64,
    limit: 307.5,
    low: -324.5,
    high: 309.0,
};

/// `x` as a number of powers of two and a rest: the number as a sum with `round`, and the rest.
fn reduce<'e>(x: V<'e>, base: &Base) -> (V<'e>, V<'e>) {
    let round = x.format().round;
    let sum = if base.scale == 1.0 {
        x + round
    } else {
        x.fma(base.scale, round)
    };
    let k = sum - round;
    let rest = base
        .pieces
        .iter()
        .fold(x, |rest, piece| k.fma(-piece, rest));
    (sum, rest)
}

/// The integer in the low bits of `sum` where an exponent stands in a number.
fn exponent(sum: V<'_>) -> V<'_> {
    sum.bits() << sum.format().fraction
}

/// `p` times 2 to the power of the integer in the low bits of `sum`, for normal results.
pub fn scaled<'e>(p: V<'e>, sum: V<'e>) -> V<'e> {
    (p.bits() + exponent(sum)).float()
}

/// The same, divided by 2^`halvings`, where the result may be any number; `p` may be a NaN.
pub fn scaled_all<'e>(p: V<'e>, sum: V<'e>, halvings: i64) -> V<'e> {
    // Results around the smallest normal number and below are made 2^100 times as large and rounded
    // by the last product; the others are made smaller, since the largest power is no number.
    let format = p.format();
    let k = sum - format.round;
    let small = k.is(P::Lt, 20.0 - format.bias as f64);
    let one = format.bias << format.fraction;
    let step = 1 << format.fraction;
    let bits = exponent(sum);
    let bias = small.choose(bits.constant(one + 100 * step), one - 2 * step);
    let power = (bits + bias).float();
    let halved = 0.5f64.powi(halvings as i32);
    let last = small.choose(p.constant(2f64.powi(-100) * halved), 4.0 * halved);
    // What is below half the smallest number is made zero by a factor: a product that underflows
    // takes some processors far longer.
    let none = k.is(P::Lt, -0.5 - (format.bias + format.fraction) as f64);
    let last = none.choose(last.constant(0.0), last);
    p * power * last
}

/// The parts of the power of `x - low`, `low` being small: a number around 1 and the sum that holds
/// the exponent.
pub fn parts<'e>(x: V<'e>, low: V<'e>, base: &Base) -> (V<'e>, V<'e>) {
    let (sum, r) = reduce(x, base);
    (polynomial(r - low, base.polynomial), sum)
}

/// A power where the result is normal.
pub fn power<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    let (sum, r) = reduce(x, base);
    Fast {
        value: scaled(polynomial(r, base.polynomial), sum),
        rare: Some(x.abs().above(base.limit)),
    }
}

/// A power of any number.
pub fn power_all<'e>(x: V<'e>, base: &Base) -> V<'e> {
    power_halved(x, base, 0)
}

/// A power divided by 2^`halvings`.
fn power_halved<'e>(x: V<'e>, base: &Base, halvings: i64) -> V<'e> {
    let x = x.at_least(base.low).at_most(base.high + halvings as f64);
    let (sum, r) = reduce(x, base);
    scaled_all(polynomial(r, base.polynomial), sum, halvings)
}

/// e^x - 1 where e^x is normal; the zero has no sign.
pub fn minus_one<'e>(x: V<'e>, base: &Base) -> V<'e> {
    let (sum, r) = reduce(x, base);
    let rest = (r * r).fma(polynomial(r, &base.polynomial[2..]), r);
    let format = x.format();
    let power = (exponent(sum) + (format.bias << format.fraction)).float();
    power.fma(rest, power - 1.0)
}

pub fn expm1<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    Fast {
        value: minus_one(x, base).copysign(x),
        rare: Some(x.abs().above(base.limit)),
    }
}

pub fn expm1_all<'e>(x: V<'e>, base: &Base) -> V<'e> {
    let near = minus_one(x.at_least(-base.limit).at_most(base.limit), base).copysign(x);
    // Beyond, 1 is nothing.
    let large = x.is(P::Gt, base.limit);
    large.choose(power_all(x, base), near)
}

/// e^x / 2 and e^-x / 2, in parts whose sums they are: (cosh(x), sinh(x)) for `x` ≥ 0 up to the
/// base's limit.
fn hyperbolic<'e>(x: V<'e>, base: &Base) -> (V<'e>, V<'e>) {
    let (sum, r) = reduce(x, base);
    let square = r * r;
    let even: Vec<f64> = base.polynomial.iter().step_by(2).copied().collect();
    let odd: Vec<f64> = base.polynomial.iter().skip(1).step_by(2).copied().collect();
    // cosh(r) - 1 and sinh(r).
    let cosine = square * polynomial(square, &even[1..]);
    let sine = (square * r).fma(polynomial(square, &odd[1..]), r);
    let format = x.format();
    let half = (format.bias - 1) << format.fraction;
    let rising = (exponent(sum) + half).float();
    let falling = (x.constant(0.5).bits() - exponent(sum)).float();
    let plus = rising + falling;
    let minus = rising - falling;
    let cosh = plus + plus.fma(cosine, minus * sine);
    let sinh = minus + minus.fma(cosine, plus * sine);
    (cosh, sinh)
}

pub fn sinh<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    let magnitude = x.abs();
    Fast {
        value: hyperbolic(magnitude, base).1.copysign(x),
        rare: Some(magnitude.above(base.limit - 1.0)),
    }
}

pub fn cosh<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    let magnitude = x.abs();
    Fast {
        value: hyperbolic(magnitude, base).0,
        rare: Some(magnitude.above(base.limit - 1.0)),
    }
}

pub fn sinh_all<'e>(x: V<'e>, base: &Base) -> V<'e> {
    let magnitude = x.abs();
    let near = hyperbolic(magnitude.at_most(base.limit), base).1;
    let far = magnitude.is(P::Gt, base.limit - 1.0);
    far.choose(power_halved(magnitude, base, 1), near)
        .copysign(x)
}

pub fn cosh_all<'e>(x: V<'e>, base: &Base) -> V<'e> {
    let magnitude = x.abs();
    let near = hyperbolic(magnitude.at_most(base.limit), base).0;
    let far = magnitude.is(P::Gt, base.limit - 1.0);
    far.choose(power_halved(magnitude, base, 1), near)
}

/// The hyperbolic tangent, of all numbers: from `end` on it is 1.
pub fn tanh<'e>(x: V<'e>, base: &Base, end: f64) -> Fast<'e> {
    let magnitude = x.abs().at_most(end);
    let grown = minus_one(magnitude + magnitude, base);
    (grown / (grown + 2.0)).copysign(x).into()
}

/// 2^(high + low) where the result is a normal float, for doubles.
pub fn two_to_f32(t: V<'_>) -> (V<'_>, V<'_>) {
    let near = t.narrow();
    let round = near.format().round;
    let sum = near + round;
    let rest = (t - (sum - round).widen()).narrow();
    (polynomial(rest, &c::EXP2_F32), sum)
}

/// The parts of 2^(high + low), `low` being small: a number around 1 and the sum that holds the
/// exponent.
pub fn two_to_f64<'e>(high: V<'e>, low: V<'e>) -> (V<'e>, V<'e>) {
    let round = high.format().round;
    let sum = high + round;
    let rest = (high - (sum - round)) + low;
    let p = rest.fma(polynomial(rest, &c::EXP2_F64[1..]), 1.0);
    (p, sum)
}
