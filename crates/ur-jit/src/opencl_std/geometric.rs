//! Geometric functions.

use super::{ClOp, Result, Unsupported, need};
use crate::ir::{FunctionBuilder, Type, Value};

pub(super) fn translate(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    use ClOp as O;
    need(op, args, Type::is_float)?;
    let x = &args[0];
    Ok(match op {
        O::cross => return cross(fb, x, &args[1]),
        O::distance | O::fast_distance => {
            let between = fb.binary("fsub", x, &args[1]);
            length(fb, &between)
        }
        O::length | O::fast_length => length(fb, x),
        _ => normalize(fb, x),
    })
}

fn cross(fb: &mut FunctionBuilder, a: &Value, b: &Value) -> Result<Value> {
    let n = a.ty.lanes();
    if n != 3 && n != 4 {
        return Err(Unsupported(format!("OpenCL.std cross of {}", a.ty)));
    }
    let mut lanes = Vec::new();
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (aj, ak) = (fb.lane(a, j), fb.lane(a, k));
        let (bj, bk) = (fb.lane(b, j), fb.lane(b, k));
        let plus = fb.binary("fmul", &aj, &bk);
        let minus = fb.binary("fmul", &ak, &bj);
        lanes.push(fb.binary("fsub", &plus, &minus));
    }
    if n == 4 {
        lanes.push(Value::zero(&a.ty.scalar()));
    }
    Ok(fb.from_lanes(&a.ty, &lanes))
}

/// A vector scaled so that the squares of its elements neither overflow nor vanish.
struct Scaled {
    /// The elements times the scale, in the type they are computed in.
    vector: Value,
    /// The inverse of the scale, a scalar.
    unscale: Value,
    /// The sum of the squares of `vector`.
    square: Value,
}

fn scaled(fb: &mut FunctionBuilder, x: &Value) -> Scaled {
    // Squares of floats and halves fit into doubles as they are.
    let wide = x.ty.with_scalar(&Type::Double);
    let (vector, unscale) = if x.ty.scalar() == Type::Double {
        let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
        let mut largest = fb.lane(&magnitude, 0);
        for i in 1..x.ty.lanes() {
            let lane = fb.lane(&magnitude, i);
            largest = fb.intrinsic_same("maxnum", &[largest, lane]);
        }
        let number = |v: f64| Value::float(&Type::Double, v);
        let big = fb.fcmp("ogt", &largest, &number(2f64.powi(500)));
        let small = fb.fcmp("olt", &largest, &number(2f64.powi(-450)));
        let (up, down) = (number(2f64.powi(600)), number(2f64.powi(-600)));
        let scale = fb.select(&small, &up, &number(1.0));
        let scale = fb.select(&big, &down, &scale);
        let unscale = fb.select(&small, &down, &number(1.0));
        let unscale = fb.select(&big, &up, &unscale);
        let all = fb.splat(&x.ty, &scale);
        (fb.binary("fmul", x, &all), unscale)
    } else {
        (fb.float_cast(x, &wide), Value::float(&Type::Double, 1.0))
    };
    let squares = fb.binary("fmul", &vector, &vector);
    let mut square = fb.lane(&squares, 0);
    for i in 1..wide.lanes() {
        let lane = fb.lane(&squares, i);
        square = fb.binary("fadd", &square, &lane);
    }
    Scaled {
        vector,
        unscale,
        square,
    }
}

fn length(fb: &mut FunctionBuilder, x: &Value) -> Value {
    if !x.ty.is_vector() {
        return fb.intrinsic_same("fabs", std::slice::from_ref(x));
    }
    let s = scaled(fb, x);
    let root = fb.intrinsic_same("sqrt", &[s.square]);
    let root = fb.binary("fmul", &root, &s.unscale);
    fb.float_cast(&root, &x.ty.scalar())
}

/// `x` divided by its length. A zero vector stays as it is; with infinite elements, those count as 1
/// and the others as 0.
fn normalize(fb: &mut FunctionBuilder, x: &Value) -> Value {
    let infinity = Value::float(&x.ty, f64::INFINITY);
    let magnitude = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let infinite = fb.fcmp("oeq", &magnitude, &infinity);
    let mut any = fb.lane(&infinite, 0);
    for i in 1..x.ty.lanes() {
        let lane = fb.lane(&infinite, i);
        any = fb.binary("or", &any, &lane);
    }
    let unit = fb.cast("uitofp", &infinite, &x.ty);
    let unit = fb.intrinsic_same("copysign", &[unit, x.clone()]);
    let start = fb.select(&any, &unit, x);

    let s = scaled(fb, &start);
    let root = fb.intrinsic_same("sqrt", &[s.square]);
    let empty = fb.fcmp("oeq", &root, &Value::zero(&Type::Double));
    let divisor = fb.select(&empty, &Value::float(&Type::Double, 1.0), &root);
    let divisor = fb.splat(&s.vector.ty, &divisor);
    let quotient = fb.binary("fdiv", &s.vector, &divisor);
    fb.float_cast(&quotient, &x.ty)
}
