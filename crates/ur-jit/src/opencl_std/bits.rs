//! Functions on the representation of floating-point numbers: exponents, neighbours, parts.

use crate::ir::{FunctionBuilder, Type, Value};

/// The layout of an IEEE format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Bits of the fraction.
    pub fraction: u32,
    /// Bias of the exponent.
    pub bias: i32,
    /// The exponent field of infinities, all ones.
    pub top: i32,
}

impl Format {
    /// The format of a floating-point type or of a vector's elements.
    pub(super) fn of(ty: &Type) -> Format {
        let (fraction, exponent) = match ty.scalar() {
            Type::Half => (10, 5),
            Type::Float => (23, 8),
            _ => (52, 11),
        };
        Format {
            fraction,
            bias: (1 << (exponent - 1)) - 1,
            top: (1 << exponent) - 1,
        }
    }

    /// The bits of positive infinity.
    pub(super) fn infinity(self) -> i128 {
        i128::from(self.top) << self.fraction
    }
}

/// Positive infinity of type `ty`.
pub(super) fn infinity(ty: &Type) -> Value {
    Value::float(ty, f64::INFINITY)
}

/// A quiet NaN of type `ty`.
pub(super) fn quiet_nan(ty: &Type) -> Value {
    let format = Format::of(ty);
    let bits = format.infinity() as u64 | 1 << (format.fraction - 1);
    Value::float_bits(ty, bits)
}

/// Whether `x` is infinite, for each lane.
pub(super) fn is_infinite(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    fb.fcmp("oeq", &magnitude, &infinity(&x.ty))
}

/// `magnitude` with the sign of `sign`.
pub(super) fn copysign(fb: &mut FunctionBuilder, magnitude: &Value, sign: &Value) -> Value {
    fb.intrinsic_same("copysign", &[magnitude.clone(), sign.clone()])
}

/// The bits of `x` scaled into the normal range, and the exponent (as an integer of the same width,
/// unbiased) that `x` has. Meaningless for zeros, infinities and NaN.
fn normalised(fb: &mut FunctionBuilder, x: &Value) -> (Value, Value) {
    let format = Format::of(&x.ty);
    let int = x.ty.as_int();
    // Enough to lift every subnormal number.
    let lift = format.fraction as i32 + 1;
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let smallest = Value::float_bits(&x.ty, 1 << format.fraction);
    let subnormal = fb.fcmp("olt", &magnitude, &smallest);
    let lifted = fb.binary("fmul", x, &Value::float(&x.ty, 2f64.powi(lift)));
    let normal = fb.select(&subnormal, &lifted, x);
    let bits = fb.bitcast(&normal, &int);
    let field = fb.binary("lshr", &bits, &Value::int(&int, format.fraction.into()));
    let field = fb.binary("and", &field, &Value::int(&int, format.top.into()));
    let bias = fb.select(
        &subnormal,
        &Value::int(&int, i128::from(format.bias + lift)),
        &Value::int(&int, i128::from(format.bias)),
    );
    let exponent = fb.binary("sub", &field, &bias);
    (bits, exponent)
}

/// Whether `x` is a number other than zero and the infinities, for each lane.
fn is_ordinary(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let finite = fb.fcmp("olt", &magnitude, &infinity(&x.ty));
    let non_zero = fb.fcmp("one", x, &Value::zero(&x.ty));
    fb.binary("and", &finite, &non_zero)
}

/// The fraction of `x`, in [0.5, 1); the exponent goes to `target`, an int for each lane.
pub(super) fn frexp(fb: &mut FunctionBuilder, x: &Value, target: &Value) -> Value {
    let format = Format::of(&x.ty);
    let int = x.ty.as_int();
    let (bits, exponent) = normalised(fb, x);
    let rest = fb.binary("and", &bits, &Value::int(&int, !format.infinity()));
    let half = i128::from(format.bias - 1) << format.fraction;
    let fraction = fb.binary("or", &rest, &Value::int(&int, half));
    let fraction = fb.bitcast(&fraction, &x.ty);
    let exponent = fb.binary("add", &exponent, &Value::int(&int, 1));
    let ordinary = is_ordinary(fb, x);
    let exponent = fb.select(&ordinary, &exponent, &Value::zero(&int));
    let ints = x.ty.with_scalar(&Type::I32);
    let exponent = fb.int_cast(&exponent, &ints, true);
    fb.store(&exponent, target, 4);
    fb.select(&ordinary, &fraction, x)
}

/// The exponent of `x` as an int; the smallest int for a zero, the largest for infinities and NaN.
pub(super) fn ilogb(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let ints = x.ty.with_scalar(&Type::I32);
    let (_, exponent) = normalised(fb, x);
    let exponent = fb.int_cast(&exponent, &ints, true);
    let ordinary = is_ordinary(fb, x);
    let zero = fb.fcmp("oeq", x, &Value::zero(&x.ty));
    let other = fb.select(
        &zero,
        &Value::int(&ints, i32::MIN.into()),
        &Value::int(&ints, i32::MAX.into()),
    );
    fb.select(&ordinary, &exponent, &other)
}

/// The exponent of `x` as a floating-point number.
pub(super) fn logb(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let (_, exponent) = normalised(fb, x);
    let exponent = fb.cast("sitofp", &exponent, &x.ty);
    let ordinary = is_ordinary(fb, x);
    let zero = fb.fcmp("oeq", x, &Value::zero(&x.ty));
    // |x| of an infinity is the infinity wanted, of a NaN a NaN.
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let other = fb.select(&zero, &Value::float(&x.ty, f64::NEG_INFINITY), &magnitude);
    fb.select(&ordinary, &exponent, &other)
}

/// The fraction of `x` with its sign; the integer part goes to `target`.
pub(super) fn modf(fb: &mut FunctionBuilder, x: &Value, target: &Value) -> Value {
    let whole = fb.intrinsic_same("trunc", std::slice::from_ref(x));
    let rest = fb.binary("fsub", x, &whole);
    let infinite = is_infinite(fb, x);
    let rest = fb.select(&infinite, &Value::zero(&x.ty), &rest);
    fb.store(&whole, target, x.ty.scalar().align());
    copysign(fb, &rest, x)
}

/// `x` minus its floor, less than 1; the floor goes to `target`.
pub(super) fn fract(fb: &mut FunctionBuilder, x: &Value, target: &Value) -> Value {
    let floor = fb.intrinsic_same("floor", std::slice::from_ref(x));
    fb.store(&floor, target, x.ty.scalar().align());
    let rest = fb.binary("fsub", x, &floor);
    let format = Format::of(&x.ty);
    let below_one = (u64::from(format.bias.unsigned_abs()) << format.fraction) - 1;
    let below_one = Value::float_bits(&x.ty, below_one);
    let over = fb.fcmp("ogt", &rest, &below_one);
    let rest = fb.select(&over, &below_one, &rest);
    // A zero or an infinity leaves a zero of its own sign.
    let infinite = is_infinite(fb, x);
    let zero = fb.fcmp("oeq", x, &Value::zero(&x.ty));
    let special = fb.binary("or", &infinite, &zero);
    let signed_zero = copysign(fb, &Value::zero(&x.ty), x);
    fb.select(&special, &signed_zero, &rest)
}

/// A quiet NaN that carries `code`.
pub(super) fn nan(fb: &mut FunctionBuilder, result: &Type, code: &Value) -> Value {
    let format = Format::of(result);
    let int = result.as_int();
    let code = fb.int_cast(code, &int, false);
    let quiet = 1i128 << (format.fraction - 1);
    let payload = fb.binary("and", &code, &Value::int(&int, quiet - 1));
    let bits = fb.binary("or", &payload, &Value::int(&int, format.infinity() | quiet));
    fb.bitcast(&bits, result)
}

/// The neighbour of `x` in the direction of `y`.
pub(super) fn nextafter(fb: &mut FunctionBuilder, x: &Value, y: &Value) -> Value {
    let int = x.ty.as_int();
    let bits = fb.bitcast(x, &int);
    let y_bits = fb.bitcast(y, &int);
    let sign_bit = 1i128 << (x.ty.scalar_bits() - 1);
    let zero = Value::zero(&x.ty);

    // Bits grow with the magnitude: up when moving away from zero.
    let upwards = fb.fcmp("olt", x, y);
    let negative = fb.icmp("slt", &bits, &Value::zero(&int));
    let away = fb.binary("xor", &upwards, &negative);
    let step = fb.select(&away, &Value::int(&int, 1), &Value::int(&int, -1));
    let moved = fb.binary("add", &bits, &step);

    // From a zero, the smallest number of the sign of y.
    let sign = fb.binary("and", &y_bits, &Value::int(&int, sign_bit));
    let smallest = fb.binary("or", &sign, &Value::int(&int, 1));
    let at_zero = fb.fcmp("oeq", x, &zero);
    let moved = fb.select(&at_zero, &smallest, &moved);

    let equal = fb.fcmp("oeq", x, y);
    let moved = fb.select(&equal, &y_bits, &moved);
    let moved = fb.bitcast(&moved, &x.ty);
    let ordered = fb.fcmp("ord", x, y);
    // Adding a NaN gives a quiet one.
    let sum = fb.binary("fadd", x, y);
    fb.select(&ordered, &moved, &sum)
}
