//! Trigonometric functions of multiples of π.
//!
//! The argument is reduced exactly before π is multiplied in, so the error is that of one product
//! and one function near zero.

use super::bits::{copysign, infinity};
use super::{ClOp, Result, libm};
use crate::ir::{FunctionBuilder, Type, Value};
use std::f64::consts::PI;

/// `sinpi`, `cospi` and `tanpi`.
pub(super) fn translate(fb: &mut FunctionBuilder, op: ClOp, x: &Value) -> Value {
    match op {
        ClOp::sinpi => sinpi(fb, x),
        ClOp::cospi => cospi(fb, x),
        _ => tanpi(fb, x),
    }
}

/// `x` minus the nearest multiple of `period`, a power of two: exact, NaN for infinities.
fn reduce(fb: &mut FunctionBuilder, x: &Value, period: f64) -> Value {
    let scaled = fb.binary("fmul", x, &Value::float(&x.ty, 1.0 / period));
    let nearest = fb.intrinsic_same("rint", &[scaled]);
    let multiple = fb.binary("fmul", &nearest, &Value::float(&x.ty, period));
    fb.binary("fsub", x, &multiple)
}

fn fabs(fb: &mut FunctionBuilder, x: &Value) -> Value {
    fb.intrinsic_same("fabs", std::slice::from_ref(x))
}

/// `f(π a)` for a small `a`.
fn of_pi(fb: &mut FunctionBuilder, f: &str, a: &Value) -> Value {
    let angle = fb.binary("fmul", a, &Value::float(&a.ty, PI));
    libm::named(fb, f, &[angle])
}

/// For `a` in [0, 1/2]: sin(π a), or cos(π a) if `cosine`, with angles up to π/4 only.
fn quarter(fb: &mut FunctionBuilder, a: &Value, cosine: bool) -> Value {
    let rest = fb.binary("fsub", &Value::float(&a.ty, 0.5), a);
    let far = fb.fcmp("ogt", a, &Value::float(&a.ty, 0.25));
    let near = fb.select(&far, &rest, a);
    let sine = of_pi(fb, "sin", &near);
    let cos = of_pi(fb, "cos", &near);
    if cosine {
        fb.select(&far, &sine, &cos)
    } else {
        fb.select(&far, &cos, &sine)
    }
}

fn sinpi(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let r = reduce(fb, x, 2.0);
    let a = fabs(fb, &r);
    let mirrored = fb.binary("fsub", &Value::float(&x.ty, 1.0), &a);
    let far = fb.fcmp("ogt", &a, &Value::float(&x.ty, 0.5));
    let a = fb.select(&far, &mirrored, &a);
    let magnitude = quarter(fb, &a, false);
    // At integers the zero has the sign of x.
    let zero = fb.fcmp("oeq", &magnitude, &Value::zero(&x.ty));
    let sign = fb.select(&zero, x, &r);
    copysign(fb, &magnitude, &sign)
}

fn cospi(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let r = reduce(fb, x, 2.0);
    let a = fabs(fb, &r);
    let mirrored = fb.binary("fsub", &Value::float(&x.ty, 1.0), &a);
    let far = fb.fcmp("ogt", &a, &Value::float(&x.ty, 0.5));
    let near = fb.select(&far, &mirrored, &a);
    let magnitude = quarter(fb, &near, true);
    let negative = fb.fneg(&magnitude);
    fb.select(&far, &negative, &magnitude)
}

fn tanpi(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let one = Value::float(&x.ty, 1.0);
    let half = Value::float(&x.ty, 0.5);
    let r = reduce(fb, x, 1.0);
    let a = fabs(fb, &r);
    let rest = fb.binary("fsub", &half, &a);
    let far = fb.fcmp("ogt", &a, &Value::float(&x.ty, 0.25));
    let near = fb.select(&far, &rest, &a);
    let tangent = of_pi(fb, "tan", &near);
    let inverse = fb.binary("fdiv", &one, &tangent);
    let magnitude = fb.select(&far, &inverse, &tangent);
    let value = copysign(fb, &magnitude, &r);

    // Where x lies between two even integers, in [0, 1): integers are at 0 (even) and 1/2 (odd),
    // the poles at 1/4 and 3/4.
    let scaled = fb.binary("fmul", x, &half);
    let floor = fb.intrinsic_same("floor", std::slice::from_ref(&scaled));
    let place = fb.binary("fsub", &scaled, &floor);
    let at_zero = fb.fcmp("oeq", &value, &Value::zero(&x.ty));
    let odd = fb.fcmp("oeq", &place, &half);
    let opposite = fb.fneg(x);
    let sign = fb.select(&odd, &opposite, x);
    let zero = copysign(fb, &Value::zero(&x.ty), &sign);
    let value = fb.select(&at_zero, &zero, &value);
    let at_pole = fb.fcmp("oeq", &a, &half);
    let rising = fb.fcmp("olt", &place, &half);
    let pole = fb.select(
        &rising,
        &infinity(&x.ty),
        &Value::float(&x.ty, f64::NEG_INFINITY),
    );
    fb.select(&at_pole, &pole, &value)
}

/// `acospi`, `asinpi`, `atanpi` and `atan2pi`: the angle divided by π.
pub(super) fn inverse(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    let base = match op {
        ClOp::acospi => "acos",
        ClOp::asinpi => "asin",
        ClOp::atanpi => "atan",
        _ => "atan2",
    };
    let ty = args[0].ty.clone();
    if ty.scalar() == Type::Float {
        // In double, so that exact fractions of a turn come out exactly.
        let wide = ty.with_scalar(&Type::Double);
        let args: Vec<Value> = args.iter().map(|a| fb.float_cast(a, &wide)).collect();
        let angle = libm::named(fb, base, &args);
        let turns = fb.binary("fdiv", &angle, &Value::float(&wide, PI));
        return Ok(fb.float_cast(&turns, &ty));
    }
    let angle = libm::named(fb, base, args);
    Ok(fb.binary("fdiv", &angle, &Value::float(&ty, PI)))
}
