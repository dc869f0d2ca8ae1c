//! Conversions.

use super::Checked;
use crate::Result;
use crate::check::shape::{Elem, Shape};
use crate::types::Type;
use rspirv::spirv::{Op, StorageClass};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::ConvertFToU | O::ConvertFToS => convert(it, float, int)?,
        O::ConvertSToF | O::ConvertUToF => convert(it, int, float)?,
        O::UConvert | O::SConvert | O::SatConvertSToU | O::SatConvertUToS => {
            convert(it, int, int)?;
        }
        O::FConvert => convert(it, float, float)?,
        O::ConvertPtrToU => convert(it, pointer, int)?,
        O::ConvertUToPtr => convert(it, int, pointer)?,
        O::QuantizeToF16 => convert(it, single, single)?,
        O::ConvertFToBF16INTEL => convert(it, single, half_word)?,
        O::ConvertBF16ToFINTEL => convert(it, half_word, single)?,
        O::PtrCastToGeneric => {
            let (from, to) = casts(it)?;
            it.rule(
                is_concrete(from) && to == StorageClass::Generic,
                "casts to Generic from Workgroup, CrossWorkgroup or Function",
            )?;
        }
        O::GenericCastToPtr => {
            let (from, to) = casts(it)?;
            it.rule(
                from == StorageClass::Generic && is_concrete(to),
                "casts from Generic to Workgroup, CrossWorkgroup or Function",
            )?;
        }
        O::GenericCastToPtrExplicit => {
            let (from, to) = casts(it)?;
            it.rule(
                from == StorageClass::Generic && is_concrete(to) && it.inst.arg(1) == to as u32,
                "casts from Generic to the storage class that it names",
            )?;
        }
        O::Bitcast => bitcast(it)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn int(elem: Elem) -> bool {
    matches!(elem, Elem::Int(_))
}

fn float(elem: Elem) -> bool {
    matches!(elem, Elem::Float(_))
}

fn single(elem: Elem) -> bool {
    elem == Elem::Float(32)
}

/// A bfloat16 travels as an integer.
fn half_word(elem: Elem) -> bool {
    elem == Elem::Int(16)
}

fn pointer(elem: Elem) -> bool {
    elem == Elem::Pointer
}

fn convert(it: &Checked<'_>, from: fn(Elem) -> bool, to: fn(Elem) -> bool) -> Result<()> {
    let (result, operand) = (it.result()?, it.shape(0)?);
    it.rule(from(operand.elem), "the operand is of the wrong kind")?;
    it.rule(to(result.elem), "the result is of the wrong kind")?;
    it.rule(
        result.lanes == operand.lanes,
        "operand and result differ in the number of elements",
    )
}

/// Storage classes from and to of a cast that keeps the pointee.
fn casts(it: &Checked<'_>) -> Result<(StorageClass, StorageClass)> {
    let (from, pointee) = it.pointer(0)?;
    match *it.module.ty(it.inst.ty) {
        Type::Pointer {
            storage: to,
            pointee: p,
        } if p == pointee => Ok((from, to)),
        _ => Err(it.invalid("the result is no pointer to the same type")),
    }
}

fn is_concrete(storage: StorageClass) -> bool {
    matches!(
        storage,
        StorageClass::Workgroup | StorageClass::CrossWorkgroup | StorageClass::Function
    )
}

fn bitcast(it: &Checked<'_>) -> Result<()> {
    let (result, operand) = (it.result()?, it.shape(0)?);
    it.rule(
        result.elem != Elem::Bool && operand.elem != Elem::Bool,
        "Bools have no bits",
    )?;
    it.rule(
        result.bits() == operand.bits(),
        "operand and result differ in size",
    )?;
    let is_pointer = |shape: Shape| shape.elem == Elem::Pointer;
    if is_pointer(result) && is_pointer(operand) {
        let (from, _) = it.pointer(0)?;
        let same =
            matches!(*it.module.ty(it.inst.ty), Type::Pointer { storage, .. } if storage == from);
        return it.rule(same, "changes the storage class");
    }
    Ok(())
}
