//! Conversions in a given rounding mode, and exact rounding of halves.

use super::{Result, Unsupported};
use crate::ir::{FunctionBuilder, Type, Value};

/// A rounding mode, in SPIR-V's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest value, ties to the even one.
    NearestEven,
    /// Towards zero.
    TowardsZero,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

impl Rounding {
    /// The mode with that number in SPIR-V (`FPRoundingMode`).
    ///
    /// # Errors
    /// [`Unsupported`] if there is none.
    pub fn from_spirv(number: u32) -> Result<Rounding> {
        Ok(match number {
            0 => Rounding::NearestEven,
            1 => Rounding::TowardsZero,
            2 => Rounding::Up,
            3 => Rounding::Down,
            n => return Err(Unsupported(format!("rounding mode {n}"))),
        })
    }
}

/// A floating-point value (scalar or vector) converted to `to`, a floating-point type of as many
/// lanes, in that rounding mode.
pub fn convert_rounded(
    fb: &mut FunctionBuilder,
    value: &Value,
    to: &Type,
    rounding: Rounding,
) -> Value {
    let nearest = fb.float_cast(value, to);
    if rounding == Rounding::NearestEven || to.scalar_bits() >= value.ty.scalar_bits() {
        return nearest;
    }
    // What the nearest one is, exactly; where it lies on the wrong side, its neighbour is wanted.
    let back = fb.float_cast(&nearest, &value.ty);
    let int = to.as_int();
    let bits = fb.bitcast(&nearest, &int);
    let (one, minus) = (Value::int(&int, 1), Value::int(&int, -1));
    let (wrong, step) = match rounding {
        Rounding::TowardsZero => {
            let a = fb.intrinsic_same("fabs", &[back]);
            let b = fb.intrinsic_same("fabs", std::slice::from_ref(value));
            (fb.fcmp("ogt", &a, &b), minus)
        }
        _ => {
            let up = rounding == Rounding::Up;
            let predicate = if up { "olt" } else { "ogt" };
            let wrong = fb.fcmp(predicate, &back, value);
            // Bits grow with the magnitude.
            let negative = fb.icmp("slt", &bits, &Value::zero(&int));
            let step = if up {
                fb.select(&negative, &minus, &one)
            } else {
                fb.select(&negative, &one, &minus)
            };
            (wrong, step)
        }
    };
    let moved = fb.binary("add", &bits, &step);
    let kept = fb.select(&wrong, &moved, &bits);
    fb.bitcast(&kept, to)
}

/// `a * b + c` of halves, rounded once.
///
/// The product is exact in single precision. The sum is rounded to odd there: it keeps a trace of
/// what was lost, so that rounding it to half cannot go wrong.
pub(super) fn fma_half(fb: &mut FunctionBuilder, args: &[Value]) -> Value {
    let half = args[0].ty.clone();
    let wide = half.with_scalar(&Type::Float);
    let int = wide.as_int();
    let x: Vec<Value> = args.iter().map(|a| fb.float_cast(a, &wide)).collect();
    let product = fb.binary("fmul", &x[0], &x[1]);
    let sum = fb.binary("fadd", &product, &x[2]);
    // The rounding error of the sum, exact (two-sum): nothing here is below 2^-48.
    let back = fb.binary("fsub", &sum, &product);
    let rest = fb.binary("fsub", &sum, &back);
    let lost_product = fb.binary("fsub", &product, &rest);
    let lost_addend = fb.binary("fsub", &x[2], &back);
    let error = fb.binary("fadd", &lost_product, &lost_addend);

    let bits = fb.bitcast(&sum, &int);
    let error_bits = fb.bitcast(&error, &int);
    let inexact = fb.fcmp("one", &error, &Value::zero(&wide));
    let low = fb.binary("and", &bits, &Value::int(&int, 1));
    let even = fb.icmp("eq", &low, &Value::zero(&int));
    let adjust = fb.binary("and", &inexact, &even);
    // One more if the error has the sum's sign, else one less.
    let differ = fb.binary("xor", &bits, &error_bits);
    let sign = fb.binary("ashr", &differ, &Value::int(&int, 31));
    let step = fb.binary("or", &sign, &Value::int(&int, 1));
    let moved = fb.binary("add", &bits, &step);
    let kept = fb.select(&adjust, &moved, &bits);
    let odd = fb.bitcast(&kept, &wide);
    fb.float_cast(&odd, &half)
}
