//! Powers and roots that only OpenCL has.

use super::bits::{copysign, is_infinite, quiet_nan};
use super::{Result, libm};
use crate::ir::{FunctionBuilder, Type, Value};

/// `x` to the power of an integer.
pub(super) fn pown(fb: &mut FunctionBuilder, x: &Value, n: &Value) -> Result<Value> {
    // In double, where every int is exact.
    let wide = x.ty.with_scalar(&Type::Double);
    let base = fb.float_cast(x, &wide);
    let exponent = fb.cast("sitofp", n, &wide);
    let power = libm::named(fb, "pow", &[base, exponent]);
    Ok(fb.float_cast(&power, &x.ty))
}

/// `x` to the power `y` for `x` ≥ 0.
pub(super) fn powr(fb: &mut FunctionBuilder, x: &Value, y: &Value) -> Result<Value> {
    let zero = Value::zero(&x.ty);
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let power = libm::named(fb, "pow", &[magnitude.clone(), y.clone()]);
    // Where the limit depends on the way to it, the result is a NaN.
    let negative = fb.fcmp("olt", x, &zero);
    let unordered = fb.fcmp("uno", x, y);
    let y_zero = fb.fcmp("oeq", y, &zero);
    let x_zero = fb.fcmp("oeq", x, &zero);
    let x_infinite = is_infinite(fb, x);
    let x_limit = fb.binary("or", &x_zero, &x_infinite);
    let undefined = fb.binary("and", &y_zero, &x_limit);
    let x_one = fb.fcmp("oeq", x, &Value::float(&x.ty, 1.0));
    let y_infinite = is_infinite(fb, y);
    let at_one = fb.binary("and", &x_one, &y_infinite);
    let bad = fb.binary("or", &negative, &unordered);
    let bad = fb.binary("or", &bad, &undefined);
    let bad = fb.binary("or", &bad, &at_one);
    Ok(fb.select(&bad, &quiet_nan(&x.ty), &power))
}

/// The `n`-th root of `x`.
pub(super) fn rootn(fb: &mut FunctionBuilder, x: &Value, n: &Value) -> Result<Value> {
    let wide = x.ty.with_scalar(&Type::Double);
    let base = fb.float_cast(x, &wide);
    let magnitude = fb.intrinsic_same("fabs", &[base]);
    let order = fb.cast("sitofp", n, &wide);
    let one = Value::float(&wide, 1.0);

    // 1/n is rounded, and a large logarithm multiplies that error: x^(1/n) is corrected by what the
    // rounding left.
    let exponent = fb.binary("fdiv", &one, &order);
    let minus = fb.fneg(&exponent);
    let left = fb.intrinsic_same("fma", &[minus, order.clone(), one]);
    let left = fb.binary("fdiv", &left, &order);
    let power = libm::named(fb, "pow", &[magnitude.clone(), exponent]);
    let logarithm = libm::named(fb, "log", std::slice::from_ref(&magnitude));
    let correction = fb.binary("fmul", &left, &logarithm);
    let correction = fb.binary("fmul", &correction, &power);
    let corrected = fb.binary("fadd", &power, &correction);
    // There is nothing to correct at the ends, where a product would have no value: of 0 and of
    // infinity, and where the inverse of a subnormal number is too large.
    let infinite = is_infinite(fb, &logarithm);
    let too_large = is_infinite(fb, &power);
    let ends = fb.binary("or", &infinite, &too_large);
    let root = fb.select(&ends, &power, &corrected);
    let root = fb.float_cast(&root, &x.ty);

    // Odd roots keep the sign; even roots of negative numbers and the 0th root are NaN.
    let zero = Value::zero(&x.ty);
    let low = fb.binary("and", n, &Value::int(&n.ty, 1));
    let odd = fb.icmp("ne", &low, &Value::zero(&n.ty));
    let signed = copysign(fb, &root, x);
    let root = fb.select(&odd, &signed, &root);
    let negative = fb.fcmp("olt", x, &zero);
    let even = fb.not(&odd);
    let bad = fb.binary("and", &negative, &even);
    let no_order = fb.icmp("eq", n, &Value::zero(&n.ty));
    let bad = fb.binary("or", &bad, &no_order);
    Ok(fb.select(&bad, &quiet_nan(&x.ty), &root))
}
