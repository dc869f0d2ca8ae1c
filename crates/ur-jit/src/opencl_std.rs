//! The instructions of the OpenCL.std set as LLVM IR.
//!
//! Functions that LLVM computes exactly become intrinsics on the whole vector. Transcendental ones
//! call the C library one lane at a time, and those that only OpenCL has are written here in IR from
//! these. A half is computed as a float and rounded once, which is exact wherever the specification
//! asks for it.
//!
//! Scalars and vectors of any length are accepted. Error limits are the full profile's; the special
//! cases (infinities, zeros, NaN) are those of the OpenCL C specification.

mod bits;
mod common;
mod geometric;
mod integer;
mod lanes;
mod libm;
mod memory;
mod power;
mod printf;
mod rounding;
mod trig;

#[cfg(test)]
mod tests;

pub use rounding::{Rounding, convert_rounded};

use crate::ir::{FunctionBuilder, Type, Value};
use std::fmt;
use ur_spirv::spirv::OpenclStd100Op as ClOp;

/// Something that is not translated; the text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

/// What a translation gives.
pub type Result<T> = std::result::Result<T, Unsupported>;

/// Emits instruction `op` of OpenCL.std and returns its value (an operand of type void for those
/// that have none).
///
/// `args` are the operands that are values, in order. `literals` are those that are literal numbers:
/// the length of `vloadn` and of its like, and the rounding mode of the `_r` stores.
///
/// The builder's fast-math flags do not apply to what is emitted.
///
/// # Errors
/// [`Unsupported`] if the instruction does not exist on such operands.
pub fn translate(
    fb: &mut FunctionBuilder,
    op: ClOp,
    result: &Type,
    args: &[Value],
    literals: &[u32],
) -> Result<Value> {
    check_count(op, args)?;
    // The special cases depend on infinities, zeros' signs and NaN being what they are.
    let flags = std::mem::take(&mut fb.fast_math);
    let value = dispatch(fb, op, result, args, literals.last().copied());
    fb.fast_math = flags;
    value
}

fn dispatch(
    fb: &mut FunctionBuilder,
    op: ClOp,
    result: &Type,
    args: &[Value],
    literal: Option<u32>,
) -> Result<Value> {
    use ClOp as O;
    let args = &spread(fb, op, result, args)[..];
    Ok(match op {
        O::printf => printf::printf(fb, result, args)?,
        O::prefetch => Value::new(&Type::Void, ""),

        O::vloadn => memory::vload(fb, result, args),
        O::vstoren => memory::vstore(fb, args),
        O::vload_half | O::vload_halfn => memory::vload_half(fb, result, args, false)?,
        O::vloada_halfn => memory::vload_half(fb, result, args, true)?,
        O::vstore_half | O::vstore_halfn => memory::vstore_half(fb, args, None, false)?,
        O::vstorea_halfn => memory::vstore_half(fb, args, None, true)?,
        O::vstore_half_r | O::vstore_halfn_r => memory::vstore_half(fb, args, literal, false)?,
        O::vstorea_halfn_r => memory::vstore_half(fb, args, literal, true)?,

        O::shuffle => lanes::shuffle(fb, result, &args[0], &args[1]),
        O::shuffle2 => lanes::shuffle2(fb, result, args),
        O::select => lanes::select(fb, args),
        O::bitselect => lanes::bitselect(fb, args),

        O::cross
        | O::distance
        | O::length
        | O::normalize
        | O::fast_distance
        | O::fast_length
        | O::fast_normalize => geometric::translate(fb, op, args)?,

        _ if integer::handles(op) => {
            need(op, args, Type::is_int)?;
            integer::translate(fb, op, result, args)?
        }
        O::nan => {
            need(op, args, Type::is_int)?;
            bits::nan(fb, result, &args[0])
        }
        _ => {
            need(op, &args[..1], Type::is_float)?;
            float(fb, op, args)?
        }
    })
}

/// Instructions whose first operand is floating-point.
fn float(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    use ClOp as O;
    let x = &args[0];
    Ok(match op {
        // On a half these look at the bits, and rounding would lose what they are for.
        O::nextafter => bits::nextafter(fb, x, &args[1]),
        O::fabs => fb.intrinsic_same("fabs", args),
        O::copysign => fb.intrinsic_same("copysign", args),
        O::fma if x.ty.scalar() == Type::Half => rounding::fma_half(fb, args),
        _ if x.ty.scalar() == Type::Half => {
            return via_float(fb, op, args);
        }

        O::ceil => fb.intrinsic_same("ceil", args),
        O::floor => fb.intrinsic_same("floor", args),
        O::trunc => fb.intrinsic_same("trunc", args),
        O::rint => fb.intrinsic_same("rint", args),
        O::round => fb.intrinsic_same("round", args),
        O::fma => fb.intrinsic_same("fma", args),
        O::mad => fb.intrinsic_same("fmuladd", args),
        O::fmax => fb.intrinsic_same("maxnum", args),
        O::fmin => fb.intrinsic_same("minnum", args),
        O::sqrt | O::half_sqrt | O::native_sqrt => fb.intrinsic_same("sqrt", args),
        O::rsqrt | O::half_rsqrt | O::native_rsqrt => {
            let root = fb.intrinsic_same("sqrt", args);
            fb.binary("fdiv", &Value::float(&x.ty, 1.0), &root)
        }
        O::half_recip | O::native_recip => fb.binary("fdiv", &Value::float(&x.ty, 1.0), x),
        O::half_divide | O::native_divide => fb.binary("fdiv", x, &args[1]),

        O::frexp => bits::frexp(fb, x, &args[1]),
        O::ilogb => bits::ilogb(fb, x),
        O::logb => bits::logb(fb, x),
        O::modf => bits::modf(fb, x, &args[1]),
        O::fract => bits::fract(fb, x, &args[1]),

        O::sinpi | O::cospi | O::tanpi => trig::translate(fb, op, x),
        O::acospi | O::asinpi | O::atanpi | O::atan2pi => trig::inverse(fb, op, args)?,
        O::sincos => {
            let cosine = libm::call(fb, O::cos, &args[..1])?;
            let value = libm::call(fb, O::sin, &args[..1])?;
            fb.store(&cosine, &args[1], x.ty.scalar().align());
            value
        }

        O::pown => power::pown(fb, x, &args[1])?,
        O::rootn => power::rootn(fb, x, &args[1])?,
        O::powr | O::half_powr | O::native_powr => power::powr(fb, x, &args[1])?,

        O::fclamp
        | O::degrees
        | O::radians
        | O::fmax_common
        | O::fmin_common
        | O::mix
        | O::step
        | O::smoothstep
        | O::sign
        | O::maxmag
        | O::minmag
        | O::fdim => common::translate(fb, op, args)?,

        O::ldexp => libm::ldexp(fb, x, &args[1]),
        O::lgamma => libm::lgamma(fb, x, None),
        O::lgamma_r => libm::lgamma(fb, x, Some(&args[1])),
        O::remquo => libm::remquo(fb, x, &args[1], &args[2]),
        _ => libm::call(fb, op, args)?,
    })
}

/// A function of halves as the function of floats, the result rounded once. What goes out through a
/// pointer is a half as well, unless it is an integer.
fn via_float(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    let half = args[0].ty.clone();
    let single = half.with_scalar(&Type::Float);
    let mut wide: Vec<Value> = args
        .iter()
        .map(|a| {
            if a.ty.is_float() {
                fb.float_cast(a, &single)
            } else {
                a.clone()
            }
        })
        .collect();
    // The slot in memory of a floating-point result.
    let narrow = if matches!(op, ClOp::modf | ClOp::fract | ClOp::sincos) {
        let target = args[1].clone();
        let slot = fb.alloca(&single, 1, single.align());
        wide[1] = slot.clone();
        Some((slot, target))
    } else {
        None
    };
    let value = float(fb, op, &wide)?;
    if let Some((slot, target)) = narrow {
        let stored = fb.load(&single, &slot, single.align());
        let rounded = fb.float_cast(&stored, &half);
        fb.store(&rounded, &target, half.scalar().align());
    }
    if value.ty.is_int() {
        return Ok(value);
    }
    let rounded = fb.float_cast(&value, &half);
    if op == ClOp::fract {
        // A float just under 1 must not become 1.
        let below_one = Value::float_bits(&half, 0x3bff);
        let over = fb.fcmp("ogt", &rounded, &below_one);
        return Ok(fb.select(&over, &below_one, &rounded));
    }
    Ok(rounded)
}

/// Repeats scalar operands of functions that mix vectors with scalars.
fn spread(fb: &mut FunctionBuilder, op: ClOp, result: &Type, args: &[Value]) -> Vec<Value> {
    use ClOp as O;
    let mixes = matches!(
        op,
        O::fclamp
            | O::fmax
            | O::fmin
            | O::fmax_common
            | O::fmin_common
            | O::mix
            | O::step
            | O::smoothstep
            | O::ldexp
            | O::pown
            | O::rootn
            | O::s_max
            | O::s_min
            | O::u_max
            | O::u_min
            | O::s_clamp
            | O::u_clamp
    );
    args.iter()
        .map(|a| {
            if mixes && result.is_vector() && !a.ty.is_vector() {
                let ty = result.with_scalar(&a.ty);
                fb.splat(&ty, a)
            } else {
                a.clone()
            }
        })
        .collect()
}

/// Refuses operands that `fits` does not hold for.
fn need(op: ClOp, args: &[Value], fits: fn(&Type) -> bool) -> Result<()> {
    match args.iter().find(|a| !fits(&a.ty)) {
        Some(a) => Err(Unsupported(format!("OpenCL.std {op:?} of {}", a.ty))),
        None => Ok(()),
    }
}

/// Refuses a wrong number of operands.
fn check_count(op: ClOp, args: &[Value]) -> Result<()> {
    use ClOp as O;
    let want = match op {
        O::atan2 | O::atan2pi | O::copysign | O::fdim | O::fmax | O::fmin | O::fmod => 2,
        O::fract | O::frexp | O::hypot | O::ldexp | O::lgamma_r | O::maxmag | O::minmag => 2,
        O::modf | O::nextafter | O::pow | O::pown | O::powr | O::remainder | O::rootn => 2,
        O::sincos | O::half_divide | O::half_powr | O::native_divide | O::native_powr => 2,
        O::fmax_common | O::fmin_common | O::step | O::cross | O::distance => 2,
        O::fast_distance | O::shuffle | O::prefetch | O::vloadn | O::vload_half => 2,
        O::vload_halfn | O::vloada_halfn => 2,
        O::s_abs_diff | O::u_abs_diff | O::s_add_sat | O::u_add_sat | O::s_hadd => 2,
        O::u_hadd | O::s_rhadd | O::u_rhadd | O::s_max | O::u_max | O::s_min | O::u_min => 2,
        O::s_mul_hi | O::u_mul_hi | O::rotate | O::s_sub_sat | O::u_sub_sat => 2,
        O::u_upsample | O::s_upsample | O::s_mul24 | O::u_mul24 => 2,
        O::fma | O::mad | O::remquo | O::fclamp | O::mix | O::smoothstep => 3,
        O::s_clamp | O::u_clamp | O::s_mad_hi | O::u_mad_hi | O::s_mad_sat => 3,
        O::u_mad_sat | O::s_mad24 | O::u_mad24 | O::select | O::bitselect | O::shuffle2 => 3,
        O::vstoren | O::vstore_half | O::vstore_half_r | O::vstore_halfn => 3,
        O::vstore_halfn_r | O::vstorea_halfn | O::vstorea_halfn_r => 3,
        O::printf => {
            return if args.is_empty() {
                Err(wrong_count(op))
            } else {
                Ok(())
            };
        }
        _ => 1,
    };
    if args.len() == want {
        Ok(())
    } else {
        Err(wrong_count(op))
    }
}

fn wrong_count(op: ClOp) -> Unsupported {
    Unsupported(format!("OpenCL.std {op:?} with that many operands"))
}
