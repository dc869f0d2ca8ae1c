//! Functions that the C library has, one lane at a time. Where the vectoriser has a function of its own
//! for them, that one is called, by whatever code: work-items compute the same alone and as lanes.

use super::{ClOp, Result, Unsupported};
use crate::ir::{FunctionBuilder, Type, Value};
use crate::vector::math;

/// What LLVM may assume of a function that only computes.
const PURE: &str = "nounwind willreturn memory(none)";

/// The same of one that also writes through its pointer arguments.
const WRITES: &str = "nounwind willreturn memory(argmem: write)";

/// Calls `base` on doubles, `base` + `f` on floats, for each lane of `args`.
pub(super) fn named(fb: &mut FunctionBuilder, base: &str, args: &[Value]) -> Value {
    let ty = args[0].ty.clone();
    let scalar = ty.scalar();
    let mut name = symbol(base, &scalar);
    if math::names().any(|known| known == name) {
        name.insert_str(0, math::PREFIX);
    }
    each_lane(fb, &ty, args, |fb, lane| {
        fb.call_attributes(&name, &scalar, lane, PURE)
    })
}

/// The name of a C library function for that scalar type.
pub(super) fn symbol(base: &str, scalar: &Type) -> String {
    match scalar {
        Type::Float => format!("{base}f"),
        _ => base.to_string(),
    }
}

/// Calls `one` with the operands of each lane and puts the results together.
pub(super) fn each_lane(
    fb: &mut FunctionBuilder,
    ty: &Type,
    args: &[Value],
    mut one: impl FnMut(&mut FunctionBuilder, &[Value]) -> Value,
) -> Value {
    let mut results = Vec::new();
    for i in 0..ty.lanes() {
        let lane: Vec<Value> = args.iter().map(|a| fb.lane(a, i)).collect();
        results.push(one(fb, &lane));
    }
    fb.from_lanes(ty, &results)
}

/// A function of one or two floating-point operands that the C library has.
pub(super) fn call(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    use ClOp as O;
    // What squares are often written as.
    if op == O::pow && args[1].text == Value::float(&args[1].ty, 2.0).text {
        return Ok(fb.binary("fmul", &args[0], &args[0]));
    }
    let base = match op {
        O::acos => "acos",
        O::acosh => "acosh",
        O::asin => "asin",
        O::asinh => "asinh",
        O::atan => "atan",
        O::atan2 => "atan2",
        O::atanh => "atanh",
        O::cbrt => "cbrt",
        O::cos | O::half_cos | O::native_cos => "cos",
        O::cosh => "cosh",
        O::erf => "erf",
        O::erfc => "erfc",
        O::exp | O::half_exp | O::native_exp => "exp",
        O::exp2 | O::half_exp2 | O::native_exp2 => "exp2",
        O::exp10 | O::half_exp10 | O::native_exp10 => "exp10",
        O::expm1 => "expm1",
        O::fmod => "fmod",
        O::hypot => "hypot",
        O::log | O::half_log | O::native_log => "log",
        O::log2 | O::half_log2 | O::native_log2 => "log2",
        O::log10 | O::half_log10 | O::native_log10 => "log10",
        O::log1p => "log1p",
        O::pow => "pow",
        O::remainder => "remainder",
        O::sin | O::half_sin | O::native_sin => "sin",
        O::sinh => "sinh",
        O::tan | O::half_tan | O::native_tan => "tan",
        O::tanh => "tanh",
        O::tgamma => "tgamma",
        _ => return Err(Unsupported(format!("OpenCL.std {op:?} of {}", args[0].ty))),
    };
    Ok(named(fb, base, args))
}

/// `x` times 2 to the power `exponent`, rounded once.
pub(super) fn ldexp(fb: &mut FunctionBuilder, x: &Value, exponent: &Value) -> Value {
    let scalar = x.ty.scalar();
    let name = symbol("ldexp", &scalar);
    let args = [x.clone(), exponent.clone()];
    each_lane(fb, &x.ty, &args, |fb, lane| {
        let n = fb.int_cast(&lane[1], &Type::I32, true);
        fb.call_attributes(&name, &scalar, &[lane[0].clone(), n], PURE)
    })
}

/// The logarithm of the gamma function's magnitude; its sign goes to `sign`, an int for each lane.
pub(super) fn lgamma(fb: &mut FunctionBuilder, x: &Value, sign: Option<&Value>) -> Value {
    let scalar = x.ty.scalar();
    // The variant that takes a pointer: the other one writes a global variable.
    let name = match scalar {
        Type::Float => "lgammaf_r",
        _ => "lgamma_r",
    };
    with_int(fb, &x.ty, std::slice::from_ref(x), sign, |fb, lane| {
        fb.call_attributes(name, &scalar, lane, WRITES)
    })
}

/// The remainder of `x / y` for the nearest integer quotient, whose low seven bits and sign go to
/// `quotient`, an int for each lane.
pub(super) fn remquo(fb: &mut FunctionBuilder, x: &Value, y: &Value, quotient: &Value) -> Value {
    let scalar = x.ty.scalar();
    let name = symbol("ur_jit_remquo", &scalar);
    let args = [x.clone(), y.clone()];
    with_int(fb, &x.ty, &args, Some(quotient), |fb, lane| {
        fb.call_attributes(&name, &scalar, lane, WRITES)
    })
}

/// As [`each_lane`] for functions whose last operand points to an int they write; the ints of all
/// lanes are stored at `target`.
fn with_int(
    fb: &mut FunctionBuilder,
    ty: &Type,
    args: &[Value],
    target: Option<&Value>,
    mut one: impl FnMut(&mut FunctionBuilder, &[Value]) -> Value,
) -> Value {
    let slot = fb.alloca(&Type::I32, 1, 4);
    let mut ints = Vec::new();
    let value = each_lane(fb, ty, args, |fb, lane| {
        let mut lane = lane.to_vec();
        lane.push(slot.clone());
        let value = one(fb, &lane);
        ints.push(fb.load(&Type::I32, &slot, 4));
        value
    });
    if let Some(target) = target {
        let all = fb.from_lanes(&ty.with_scalar(&Type::I32), &ints);
        fb.store(&all, target, 4);
    }
    value
}
