//! Atomics.

use super::Checked;
use crate::check::shape::{Elem, Shape, shape_of};
use crate::types::Type;
use crate::{Id, Result};
use rspirv::spirv::{Op, StorageClass};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::AtomicLoad => access(it, &[1, 2], None, any)?,
        O::AtomicStore => access(it, &[1, 2], Some(3), any)?,
        O::AtomicExchange => access(it, &[1, 2], Some(3), any)?,
        O::AtomicCompareExchange | O::AtomicCompareExchangeWeak => {
            access(it, &[1, 2, 3], Some(4), int)?;
            it.rule(it.ty(5) == it.ty(4), "the comparator is not like the value")?;
        }
        O::AtomicIIncrement | O::AtomicIDecrement => access(it, &[1, 2], None, int)?,
        O::AtomicIAdd
        | O::AtomicISub
        | O::AtomicSMin
        | O::AtomicUMin
        | O::AtomicSMax
        | O::AtomicUMax
        | O::AtomicAnd
        | O::AtomicOr
        | O::AtomicXor => access(it, &[1, 2], Some(3), int)?,
        O::AtomicFAddEXT | O::AtomicFMinEXT | O::AtomicFMaxEXT => {
            access(it, &[1, 2], Some(3), float)?;
        }
        O::AtomicFlagTestAndSet => {
            flag(it)?;
            it.rule(
                *it.module.ty(it.inst.ty) == Type::Bool,
                "the result is not Bool",
            )?;
        }
        O::AtomicFlagClear => flag(it)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn int(elem: Elem) -> bool {
    matches!(elem, Elem::Int(32 | 64))
}

fn float(elem: Elem) -> bool {
    matches!(elem, Elem::Float(_))
}

fn any(elem: Elem) -> bool {
    int(elem) || float(elem)
}

/// Operand 0 points to a value of a kind; the operands `words` are scopes and semantics; operand
/// `value` and the result, where there are such, have that type.
fn access(
    it: &Checked<'_>,
    words: &[usize],
    value: Option<usize>,
    kind: fn(Elem) -> bool,
) -> Result<()> {
    let pointee = target(it)?;
    let fits = match shape_of(it.module, pointee) {
        Some(Shape { elem, lanes: 1 }) => kind(elem),
        _ => false,
    };
    it.rule(fits, "the pointer is not to a number of the right kind")?;
    for n in words {
        it.word(*n)?;
    }
    if let Some(n) = value {
        it.rule(
            it.ty(n) == pointee,
            "the value is not of the type pointed to",
        )?;
    }
    it.rule(
        it.inst.id == 0 || it.inst.ty == pointee,
        "the result is not of the type pointed to",
    )
}

fn flag(it: &Checked<'_>) -> Result<()> {
    let pointee = target(it)?;
    it.rule(
        *it.module.ty(pointee) == Type::Int { width: 32 },
        "the pointer is not to a 32-bit integer",
    )?;
    it.word(1)?;
    it.word(2)
}

fn target(it: &Checked<'_>) -> Result<Id> {
    let (storage, pointee) = it.pointer(0)?;
    it.rule(
        it.inst.op == Op::AtomicLoad
            || !matches!(storage, StorageClass::Input | StorageClass::UniformConstant),
        "works on memory that cannot be written",
    )?;
    Ok(pointee)
}
