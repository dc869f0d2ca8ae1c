//! Loads and stores of vectors with the alignment of their elements, and of halves as floats.

use super::rounding::{Rounding, convert_rounded};
use super::{Result, Unsupported};
use crate::ir::{FunctionBuilder, Type, Value};

/// Address of vector number `index` behind `base`: `stride` elements of type `element` apart.
fn address(
    fb: &mut FunctionBuilder,
    base: &Value,
    index: &Value,
    element: &Type,
    stride: u32,
) -> Value {
    let index = fb.int_cast(index, &Type::I64, false);
    let bytes = element.size() * u64::from(stride);
    let offset = fb.binary("mul", &index, &Value::int(&Type::I64, bytes.into()));
    fb.ptr_add(base, &offset)
}

/// `vloadn`: operands index and pointer.
pub(super) fn vload(fb: &mut FunctionBuilder, result: &Type, args: &[Value]) -> Value {
    let element = result.scalar();
    let at = address(fb, &args[1], &args[0], &element, result.lanes());
    fb.load(result, &at, element.align())
}

/// `vstoren`: operands data, index and pointer.
pub(super) fn vstore(fb: &mut FunctionBuilder, args: &[Value]) -> Value {
    let data = &args[0];
    let element = data.ty.scalar();
    let at = address(fb, &args[2], &args[1], &element, data.ty.lanes());
    fb.store(data, &at, element.align());
    Value::new(&Type::Void, "")
}

/// Elements from one vector of `n` halves to the next, and their alignment in bytes.
fn half_layout(n: u32, aligned: bool) -> (u32, u64) {
    if aligned {
        let stride = if n == 3 { 4 } else { n };
        (stride, u64::from(stride) * 2)
    } else {
        (n, 2)
    }
}

/// `vload_half`, `vload_halfn` and, if `aligned`, `vloada_halfn`.
pub(super) fn vload_half(
    fb: &mut FunctionBuilder,
    result: &Type,
    args: &[Value],
    aligned: bool,
) -> Result<Value> {
    if !result.is_float() {
        return Err(Unsupported(format!("loading halves as {result}")));
    }
    let (stride, align) = half_layout(result.lanes(), aligned);
    let at = address(fb, &args[1], &args[0], &Type::Half, stride);
    let halves = fb.load(&result.with_scalar(&Type::Half), &at, align);
    Ok(fb.float_cast(&halves, result))
}

/// `vstore_half`, `vstore_halfn` and, if `aligned`, `vstorea_halfn`; `mode` is SPIR-V's number of
/// the rounding mode, to the nearest even if there is none.
pub(super) fn vstore_half(
    fb: &mut FunctionBuilder,
    args: &[Value],
    mode: Option<u32>,
    aligned: bool,
) -> Result<Value> {
    let data = &args[0];
    if !data.ty.is_float() {
        return Err(Unsupported(format!("storing {} as halves", data.ty)));
    }
    let rounding = Rounding::from_spirv(mode.unwrap_or(0))?;
    let (stride, align) = half_layout(data.ty.lanes(), aligned);
    let at = address(fb, &args[2], &args[1], &Type::Half, stride);
    let halves = convert_rounded(fb, data, &data.ty.with_scalar(&Type::Half), rounding);
    fb.store(&halves, &at, align);
    Ok(Value::new(&Type::Void, ""))
}
