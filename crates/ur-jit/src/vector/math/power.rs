//! Powers of any base.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, Ty, V, polynomial};
use super::exponential::{scaled, scaled_all, two_to_f32, two_to_f64};
use super::logarithm::{abnormal, split, split_all};

/// `x y` as a sum of two numbers.
pub fn product<'e>(x: V<'e>, y: V<'e>) -> (V<'e>, V<'e>) {
    let high = x * y;
    if x.features().fma {
        return (high, x.fma(y, -high));
    }
    // Without fused operations, each number is cut into halves whose products are exact.
    let half = if x.ty() == Ty::F32 { 12 } else { 27 };
    let cut = |a: V<'e>| {
        let large = a * (2f64.powi(half) + 1.0);
        let top = large - (large - a);
        (top, a - top)
    };
    let ((xh, xl), (yh, yl)) = (cut(x), cut(y));
    let low = ((xh * yh - high) + xh * yl + xl * yh) + xl * yl;
    (high, low)
}

/// A constant in two parts times `(high, low)`.
fn times_constant<'e>(high: V<'e>, low: V<'e>, [c, c_low]: [f64; 2]) -> (V<'e>, V<'e>) {
    let (top, rest) = product(high, high.constant(c));
    (top, rest + high.fma(c_low, low * c))
}

/// `a + b` as a sum of two numbers, where `a` is the larger or zero.
fn sum<'e>(a: V<'e>, b: V<'e>) -> (V<'e>, V<'e>) {
    let high = a + b;
    (high, (a - high) + b)
}

/// The logarithm of `2^exponent (1 + rest)` to the base 2 in two parts, with about 10 bits more than
/// a double has.
fn log2<'e>(exponent: V<'e>, rest: V<'e>) -> (V<'e>, V<'e>) {
    // With s = r / (2 + r) it is 2 artanh(s) log2(e); 2 + r is not exact, nor is the quotient.
    let denominator = rest + 2.0;
    let lost = rest - (denominator - 2.0);
    let inverse = rest.constant(1.0) / denominator;
    let s = rest * inverse;
    let (back, back_low) = product(s, denominator);
    let left = ((rest - back) - back_low) - s * lost;
    let s_low = left * inverse;
    let (square, square_low) = product(s, s);
    let square_low = square_low + (s + s) * s_low;
    // artanh(s) / s = 1 + s² (1/3 + s² Q).
    let [third, third_low] = c::THIRD_F64;
    let tail = square * polynomial(square, &c::ARTANH_F64[2..]);
    let (q, q_low) = sum(square.constant(third), tail);
    let q_low = q_low + third_low;
    let (v, v_low) = product(square, q);
    let v_low = v_low + square.fma(q_low, square_low * q);
    let (more, more_low) = product(s, v);
    let more_low = more_low + s.fma(v_low, s_low * v);
    let (artanh, artanh_low) = sum(s, more);
    let artanh_low = artanh_low + (more_low + s_low);
    let (high, low) = times_constant(artanh, artanh_low, c::TWO_LOG2_E_F64);
    let (total, total_low) = sum(exponent, high);
    (total, total_low + low)
}

/// The logarithm of a positive normal float to the base 2, as a double.
fn log2_wide<'e>(exponent: V<'e>, rest: V<'e>) -> V<'e> {
    let r = rest.widen();
    r.fma(polynomial(r, &c::LOG2_WIDE), exponent.widen())
}

pub fn pow<'e>(x: V<'e>, y: V<'e>) -> Fast<'e> {
    let parts = split(x);
    if x.ty() == Ty::F32 {
        let t = y.widen() * log2_wide(parts.exponent, parts.rest);
        let (p, exponent) = two_to_f32(t);
        return Fast {
            value: scaled(p, exponent),
            rare: Some(abnormal(x) | t.narrow().abs().above(125.0)),
        };
    }
    let (log, log_low) = log2(parts.exponent, parts.rest);
    let (high, low) = product(y, log);
    let low = y.fma(log_low, low);
    let (p, exponent) = two_to_f64(high, low);
    Fast {
        value: scaled(p, exponent),
        rare: Some(abnormal(x) | high.abs().above(1020.0)),
    }
}

/// Whether `x` of the magnitude `magnitude` is an integer.
fn is_integer(magnitude: V<'_>) -> V<'_> {
    let format = magnitude.format();
    let whole = 2f64.powi(format.fraction as i32);
    // Added to it, the fraction is rounded off; larger numbers have none.
    let rounded = (magnitude + whole) - whole;
    let large = magnitude.is(P::Ge, whole);
    large | rounded.is(P::Eq, magnitude)
}

pub fn pow_all<'e>(x: V<'e>, y: V<'e>) -> V<'e> {
    let format = x.format();
    let magnitude = x.abs();
    let (exponent, rest) = split_all(magnitude);
    // The logarithm of zero and infinity; of no number, it is none.
    let end = |log: V<'e>| {
        let magnitude = if log.ty() == magnitude.ty() {
            magnitude
        } else {
            magnitude.widen()
        };
        let log = magnitude.is(P::Lt, f64::INFINITY).choose(log, magnitude);
        magnitude
            .is(P::Eq, 0.0)
            .choose(log.constant(f64::NEG_INFINITY), log)
    };
    let (low_end, high_end) = (-(format.bias as f64) - 60.0, format.bias as f64 + 2.0);
    let (p, sum) = if x.ty() == Ty::F32 {
        let t = y.widen() * end(log2_wide(exponent, rest));
        two_to_f32(t.at_least(low_end).at_most(high_end))
    } else {
        let (log, log_low) = log2(exponent, rest);
        let log = end(log);
        let (high, low) = product(y, log);
        let low = y.fma(log_low, low);
        let inside = high.abs().is(P::Lt, 1100.0);
        let low = inside.choose(low, 0.0);
        two_to_f64(high.at_least(low_end).at_most(high_end), low)
    };
    let value = scaled_all(p, sum, 0);
    let value = magnitude
        .is(P::Eq, 1.0)
        .choose(y.is(P::Uno, y).choose(y, 1.0), value);

    // Negative bases: the sign of odd powers, and no value where the exponent is no integer.
    let size = y.abs();
    let integer = is_integer(size);
    let odd =
        integer & !is_integer(size * 0.5) & size.is(P::Lt, 2f64.powi(format.fraction as i32 + 1));
    let sign = odd.choose(x.bits() & format.sign, 0i64);
    let value = (value.bits() | sign).float();
    let undefined = x.is(P::Lt, 0.0) & x.is(P::Gt, f64::NEG_INFINITY) & !integer;
    let value = undefined.choose(value.constant(f64::NAN), value);
    let one = y.is(P::Eq, 0.0) | x.is(P::Eq, 1.0);
    one.choose(value.constant(1.0), value)
}
