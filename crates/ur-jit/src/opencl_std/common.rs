//! Common functions, and simple arithmetic ones.

use super::{ClOp, Result, Unsupported};
use crate::ir::{FunctionBuilder, Value};

pub(super) fn translate(fb: &mut FunctionBuilder, op: ClOp, args: &[Value]) -> Result<Value> {
    use ClOp as O;
    let x = &args[0];
    let constant = |v: f64| Value::float(&x.ty, v);
    let (zero, one) = (constant(0.0), constant(1.0));
    Ok(match op {
        O::fclamp => clamp(fb, x, &args[1], &args[2]),
        O::degrees => fb.binary("fmul", x, &constant(180.0 / std::f64::consts::PI)),
        O::radians => fb.binary("fmul", x, &constant(std::f64::consts::PI / 180.0)),
        O::fmax_common => {
            let less = fb.fcmp("olt", x, &args[1]);
            fb.select(&less, &args[1], x)
        }
        O::fmin_common => {
            let less = fb.fcmp("olt", &args[1], x);
            fb.select(&less, &args[1], x)
        }
        O::mix => {
            let span = fb.binary("fsub", &args[1], x);
            let part = fb.binary("fmul", &span, &args[2]);
            fb.binary("fadd", x, &part)
        }
        O::step => {
            let below = fb.fcmp("olt", &args[1], x);
            fb.select(&below, &zero, &one)
        }
        O::smoothstep => {
            let (low, high, x) = (&args[0], &args[1], &args[2]);
            let above = fb.binary("fsub", x, low);
            let span = fb.binary("fsub", high, low);
            let t = fb.binary("fdiv", &above, &span);
            let t = clamp(fb, &t, &zero, &one);
            let double = fb.binary("fmul", &t, &constant(2.0));
            let rest = fb.binary("fsub", &constant(3.0), &double);
            let square = fb.binary("fmul", &t, &t);
            fb.binary("fmul", &square, &rest)
        }
        O::sign => {
            let unit = fb.intrinsic_same("copysign", &[one, x.clone()]);
            let equal = fb.fcmp("oeq", x, &zero);
            let unit = fb.select(&equal, x, &unit);
            let number = fb.fcmp("ord", x, x);
            fb.select(&number, &unit, &zero)
        }
        O::maxmag => by_magnitude(fb, x, &args[1], "ogt", "maxnum"),
        O::minmag => by_magnitude(fb, x, &args[1], "olt", "minnum"),
        O::fdim => {
            let difference = fb.binary("fsub", x, &args[1]);
            let not_above = fb.fcmp("ole", x, &args[1]);
            fb.select(&not_above, &zero, &difference)
        }
        _ => return Err(Unsupported(format!("OpenCL.std {op:?}"))),
    })
}

/// `x` kept between `low` and `high`.
fn clamp(fb: &mut FunctionBuilder, x: &Value, low: &Value, high: &Value) -> Value {
    let above = fb.intrinsic_same("maxnum", &[x.clone(), low.clone()]);
    fb.intrinsic_same("minnum", &[above, high.clone()])
}

/// The operand whose magnitude compares so with the other's; of equal ones, `otherwise`.
fn by_magnitude(
    fb: &mut FunctionBuilder,
    x: &Value,
    y: &Value,
    predicate: &str,
    otherwise: &str,
) -> Value {
    let x_size = fb.intrinsic_same("fabs", std::slice::from_ref(x));
    let y_size = fb.intrinsic_same("fabs", std::slice::from_ref(y));
    let first = fb.fcmp(predicate, &x_size, &y_size);
    let second = fb.fcmp(predicate, &y_size, &x_size);
    let equal = fb.intrinsic_same(otherwise, &[x.clone(), y.clone()]);
    let rest = fb.select(&second, y, &equal);
    fb.select(&first, x, &rest)
}
