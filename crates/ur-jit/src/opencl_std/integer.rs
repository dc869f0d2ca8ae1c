//! Integer functions.

use super::{ClOp, Result, Unsupported};
use crate::ir::{FunctionBuilder, Type, Value};

/// Whether `op` is one of the integer functions.
pub(super) fn handles(op: ClOp) -> bool {
    let number = op as u32;
    (ClOp::s_abs as u32..=ClOp::u_mul24 as u32).contains(&number)
        || (ClOp::u_abs as u32..=ClOp::u_mad_hi as u32).contains(&number)
}

pub(super) fn translate(
    fb: &mut FunctionBuilder,
    op: ClOp,
    result: &Type,
    args: &[Value],
) -> Result<Value> {
    use ClOp as O;
    let x = &args[0];
    let flag = Value::bool(false);
    Ok(match op {
        O::s_abs => fb.intrinsic("abs", &[&x.ty], &x.ty, &[x.clone(), flag]),
        O::u_abs => x.clone(),
        O::s_abs_diff => {
            let high = fb.intrinsic_same("smax", args);
            let low = fb.intrinsic_same("smin", args);
            fb.binary("sub", &high, &low)
        }
        O::u_abs_diff => {
            let high = fb.intrinsic_same("umax", args);
            let low = fb.intrinsic_same("umin", args);
            fb.binary("sub", &high, &low)
        }
        O::s_add_sat => fb.intrinsic_same("sadd.sat", args),
        O::u_add_sat => fb.intrinsic_same("uadd.sat", args),
        O::s_sub_sat => fb.intrinsic_same("ssub.sat", args),
        O::u_sub_sat => fb.intrinsic_same("usub.sat", args),
        O::s_hadd => halved(fb, args, "ashr", false),
        O::u_hadd => halved(fb, args, "lshr", false),
        O::s_rhadd => halved(fb, args, "ashr", true),
        O::u_rhadd => halved(fb, args, "lshr", true),
        O::s_max => fb.intrinsic_same("smax", args),
        O::u_max => fb.intrinsic_same("umax", args),
        O::s_min => fb.intrinsic_same("smin", args),
        O::u_min => fb.intrinsic_same("umin", args),
        O::s_clamp => {
            let above = fb.intrinsic_same("smax", &args[..2]);
            fb.intrinsic_same("smin", &[above, args[2].clone()])
        }
        O::u_clamp => {
            let above = fb.intrinsic_same("umax", &args[..2]);
            fb.intrinsic_same("umin", &[above, args[2].clone()])
        }
        O::clz => fb.intrinsic("ctlz", &[&x.ty], &x.ty, &[x.clone(), flag]),
        O::ctz => fb.intrinsic("cttz", &[&x.ty], &x.ty, &[x.clone(), flag]),
        O::popcount => fb.intrinsic_same("ctpop", args),
        O::s_mul_hi => mul_hi(fb, args, true),
        O::u_mul_hi => mul_hi(fb, args, false),
        O::s_mad_hi => {
            let high = mul_hi(fb, args, true);
            fb.binary("add", &high, &args[2])
        }
        O::u_mad_hi => {
            let high = mul_hi(fb, args, false);
            fb.binary("add", &high, &args[2])
        }
        O::s_mad_sat => mad_sat(fb, args, true),
        O::u_mad_sat => mad_sat(fb, args, false),
        O::rotate => fb.intrinsic_same("fshl", &[x.clone(), x.clone(), args[1].clone()]),
        O::u_upsample | O::s_upsample => {
            let high = fb.int_cast(x, result, false);
            let low = fb.int_cast(&args[1], result, false);
            let by = Value::int(result, x.ty.scalar_bits().into());
            let high = fb.binary("shl", &high, &by);
            fb.binary("or", &high, &low)
        }
        // Operands wider than 24 bits are the program's fault: the plain product is as good.
        O::s_mul24 | O::u_mul24 => fb.binary("mul", x, &args[1]),
        O::s_mad24 | O::u_mad24 => {
            let product = fb.binary("mul", x, &args[1]);
            fb.binary("add", &product, &args[2])
        }
        _ => return Err(Unsupported(format!("OpenCL.std {op:?}"))),
    })
}

/// Half of the sum, rounded down or up, without overflow.
fn halved(fb: &mut FunctionBuilder, args: &[Value], shift: &str, up: bool) -> Value {
    let differing = fb.binary("xor", &args[0], &args[1]);
    let half = fb.binary(shift, &differing, &Value::int(&differing.ty, 1));
    if up {
        let either = fb.binary("or", &args[0], &args[1]);
        fb.binary("sub", &either, &half)
    } else {
        let both = fb.binary("and", &args[0], &args[1]);
        fb.binary("add", &both, &half)
    }
}

/// A type of twice the width.
fn doubled(ty: &Type) -> Type {
    ty.with_scalar(&Type::Int(ty.scalar_bits() * 2))
}

/// The high half of a product.
fn mul_hi(fb: &mut FunctionBuilder, args: &[Value], signed: bool) -> Value {
    let ty = args[0].ty.clone();
    let wide = doubled(&ty);
    let a = fb.int_cast(&args[0], &wide, signed);
    let b = fb.int_cast(&args[1], &wide, signed);
    let product = fb.binary("mul", &a, &b);
    let high = fb.binary(
        "lshr",
        &product,
        &Value::int(&wide, ty.scalar_bits().into()),
    );
    fb.int_cast(&high, &ty, signed)
}

/// `a * b + c`, the nearest value if that does not fit.
fn mad_sat(fb: &mut FunctionBuilder, args: &[Value], signed: bool) -> Value {
    let ty = args[0].ty.clone();
    let wide = doubled(&ty);
    let ext: Vec<Value> = args.iter().map(|a| fb.int_cast(a, &wide, signed)).collect();
    let product = fb.binary("mul", &ext[0], &ext[1]);
    let sum = fb.binary("add", &product, &ext[2]);
    let bits = ty.scalar_bits();
    let kept = if signed {
        let top = Value::int(&wide, (1i128 << (bits - 1)) - 1);
        let bottom = Value::int(&wide, -(1i128 << (bits - 1)));
        let low = fb.intrinsic_same("smin", &[sum, top]);
        fb.intrinsic_same("smax", &[low, bottom])
    } else {
        let top = Value::int(&wide, (1i128 << bits) - 1);
        fb.intrinsic_same("umin", &[sum, top])
    };
    fb.int_cast(&kept, &ty, signed)
}
