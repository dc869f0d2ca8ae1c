//! Arithmetic, bits, comparisons, logic.

use super::Checked;
use crate::Result;
use crate::check::shape::{Elem, Shape};
use crate::types::Type;
use rspirv::spirv::Op;

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::IAdd
        | O::ISub
        | O::IMul
        | O::UDiv
        | O::SDiv
        | O::UMod
        | O::SRem
        | O::SMod
        | O::BitwiseOr
        | O::BitwiseXor
        | O::BitwiseAnd => same(it, is_int, 2)?,
        O::Not | O::SNegate | O::BitReverse => same(it, is_int, 1)?,
        O::FAdd | O::FSub | O::FMul | O::FDiv | O::FRem | O::FMod => same(it, is_float, 2)?,
        O::FNegate => same(it, is_float, 1)?,
        O::LogicalOr | O::LogicalAnd | O::LogicalEqual | O::LogicalNotEqual => {
            same(it, is_bool, 2)?;
        }
        O::LogicalNot => same(it, is_bool, 1)?,
        O::ShiftLeftLogical | O::ShiftRightLogical | O::ShiftRightArithmetic => shift(it)?,
        O::BitCount => {
            let (result, of) = (it.result()?, it.shape(0)?);
            it.rule(
                is_int(result) && is_int(of) && result.lanes == of.lanes,
                "takes and gives integers with equally many elements",
            )?;
        }
        O::BitFieldInsert => {
            same(it, is_int, 2)?;
            it.integer(2)?;
            it.integer(3)?;
        }
        O::BitFieldSExtract | O::BitFieldUExtract => {
            same(it, is_int, 1)?;
            it.integer(1)?;
            it.integer(2)?;
        }
        O::IAddCarry | O::ISubBorrow | O::UMulExtended | O::SMulExtended => extended(it)?,
        O::VectorTimesScalar => times_scalar(it)?,
        O::Dot => dot(it)?,
        O::IEqual
        | O::INotEqual
        | O::UGreaterThan
        | O::SGreaterThan
        | O::UGreaterThanEqual
        | O::SGreaterThanEqual
        | O::ULessThan
        | O::SLessThan
        | O::ULessThanEqual
        | O::SLessThanEqual => compare(it, is_int, 2)?,
        O::FOrdEqual
        | O::FUnordEqual
        | O::FOrdNotEqual
        | O::FUnordNotEqual
        | O::FOrdLessThan
        | O::FUnordLessThan
        | O::FOrdGreaterThan
        | O::FUnordGreaterThan
        | O::FOrdLessThanEqual
        | O::FUnordLessThanEqual
        | O::FOrdGreaterThanEqual
        | O::FUnordGreaterThanEqual
        | O::LessOrGreater
        | O::Ordered
        | O::Unordered => compare(it, is_float, 2)?,
        O::IsNan | O::IsInf | O::IsFinite | O::IsNormal | O::SignBitSet => {
            compare(it, is_float, 1)?;
        }
        O::Any | O::All => it.rule(
            *it.module.ty(it.inst.ty) == Type::Bool && is_bool(it.shape(0)?),
            "takes Bools and gives one",
        )?,
        O::Select => select(it)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn is_int(shape: Shape) -> bool {
    matches!(shape.elem, Elem::Int(_))
}

fn is_float(shape: Shape) -> bool {
    matches!(shape.elem, Elem::Float(_))
}

fn is_bool(shape: Shape) -> bool {
    shape.elem == Elem::Bool
}

/// The first `count` operands are like the result, which is of a kind.
fn same(it: &Checked<'_>, kind: fn(Shape) -> bool, count: usize) -> Result<()> {
    let result = it.result()?;
    it.rule(kind(result), "the result is of the wrong kind")?;
    for n in 0..count {
        it.rule(
            it.shape(n)? == result,
            &format!("operand {n} is not like the result"),
        )?;
    }
    Ok(())
}

/// Bools from operands of a kind, element by element.
fn compare(it: &Checked<'_>, kind: fn(Shape) -> bool, count: usize) -> Result<()> {
    let (result, first) = (it.result()?, it.shape(0)?);
    it.rule(
        is_bool(result) && result.lanes == first.lanes,
        "the result has not one Bool for each element",
    )?;
    it.rule(kind(first), "operand 0 is of the wrong kind")?;
    it.rule(
        count == 1 || it.shape(1)? == first,
        "the operands are not alike",
    )
}

fn shift(it: &Checked<'_>) -> Result<()> {
    same(it, is_int, 1)?;
    let (result, amount) = (it.result()?, it.shape(1)?);
    it.rule(
        is_int(amount) && amount.lanes == result.lanes,
        "the amount has not one integer for each element",
    )
}

/// Two results in a structure.
fn extended(it: &Checked<'_>) -> Result<()> {
    let operand = it.shape(0)?;
    it.rule(is_int(operand), "operand 0 is no integer")?;
    it.rule(it.ty(0) == it.ty(1), "the operands are not alike")?;
    let fits = match it.module.ty(it.inst.ty) {
        Type::Struct { members, .. } => *members == [it.ty(0), it.ty(0)],
        _ => false,
    };
    it.rule(fits, "the result is no structure of two such integers")
}

fn times_scalar(it: &Checked<'_>) -> Result<()> {
    same(it, is_float, 1)?;
    let (result, scalar) = (it.result()?, it.shape(1)?);
    it.rule(
        result.lanes > 1 && scalar.lanes == 1 && scalar.elem == result.elem,
        "operand 1 is no element of the vector",
    )
}

fn dot(it: &Checked<'_>) -> Result<()> {
    let (result, a, b) = (it.result()?, it.shape(0)?, it.shape(1)?);
    it.rule(
        is_float(result) && result.lanes == 1 && a == b && a.elem == result.elem && a.lanes > 1,
        "takes two float vectors and gives an element",
    )
}

fn select(it: &Checked<'_>) -> Result<()> {
    it.same_as_result(1)?;
    it.same_as_result(2)?;
    it.rule(
        !matches!(it.module.ty(it.inst.ty), Type::Void | Type::Function { .. }),
        "selects between no values",
    )?;
    let condition = it.shape(0)?;
    it.rule(is_bool(condition), "the condition is not Bool")?;
    it.rule(
        condition.lanes == 1 || it.result()?.lanes == condition.lanes,
        "the condition has not one Bool for each element",
    )
}
