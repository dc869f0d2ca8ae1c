//! Barriers and operations of work-groups and sub-groups.

use super::Checked;
use crate::check::shape::{Elem, Shape, shape_of};
use crate::types::Type;
use crate::{Id, Result};
use rspirv::spirv::{GroupOperation, Op, Scope, StorageClass};

/// Four words, as ballots give them.
const BALLOT: Shape = Shape {
    elem: Elem::Int(32),
    lanes: 4,
};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::ControlBarrier | O::ControlBarrierArriveINTEL | O::ControlBarrierWaitINTEL => {
            scope(it, 0)?;
            it.word(1)?;
            it.word(2)?;
        }
        O::MemoryBarrier => {
            it.word(0)?;
            it.word(1)?;
        }
        O::GroupAll | O::GroupAny | O::GroupNonUniformAll | O::GroupNonUniformAny => {
            scope(it, 0)?;
            truth(it, 1)?;
            bool_result(it)?;
        }
        O::SubgroupAllKHR | O::SubgroupAnyKHR | O::SubgroupAllEqualKHR => {
            truth(it, 0)?;
            bool_result(it)?;
        }
        O::GroupNonUniformElect => {
            scope(it, 0)?;
            bool_result(it)?;
        }
        O::GroupNonUniformAllEqual => {
            scope(it, 0)?;
            number(it.shape(1)?, it)?;
            bool_result(it)?;
        }
        O::GroupBroadcast => {
            value(it, 0)?;
            let local = it.shape(2)?;
            it.rule(
                matches!(local.elem, Elem::Int(_)) && matches!(local.lanes, 1..=3),
                "the local id is no integer or vector of two or three",
            )?;
        }
        O::GroupNonUniformBroadcast
        | O::GroupNonUniformShuffle
        | O::GroupNonUniformShuffleXor
        | O::GroupNonUniformShuffleUp
        | O::GroupNonUniformShuffleDown
        | O::GroupNonUniformQuadBroadcast => {
            value(it, 0)?;
            it.integer(2)?;
        }
        O::GroupNonUniformQuadSwap => {
            value(it, 0)?;
            it.word(2)?;
        }
        O::GroupNonUniformRotateKHR => {
            value(it, 0)?;
            it.integer(2)?;
            cluster(it, 3)?;
        }
        O::GroupNonUniformBroadcastFirst => value(it, 0)?,
        O::SubgroupFirstInvocationKHR => it.same_as_result(0)?,
        O::SubgroupReadInvocationKHR | O::SubgroupShuffleINTEL | O::SubgroupShuffleXorINTEL => {
            it.same_as_result(0)?;
            number(it.result()?, it)?;
            it.integer(1)?;
        }
        O::SubgroupShuffleDownINTEL | O::SubgroupShuffleUpINTEL => {
            it.same_as_result(0)?;
            it.same_as_result(1)?;
            number(it.result()?, it)?;
            it.integer(2)?;
        }
        O::SubgroupBlockReadINTEL => block(it, it.inst.ty)?,
        O::SubgroupBlockWriteINTEL => block(it, it.ty(1))?,
        O::SubgroupBallotKHR => {
            truth(it, 0)?;
            it.rule(it.result()? == BALLOT, "the result is no ballot")?;
        }
        O::GroupNonUniformBallot => {
            scope(it, 0)?;
            truth(it, 1)?;
            it.rule(it.result()? == BALLOT, "the result is no ballot")?;
        }
        O::GroupNonUniformInverseBallot => {
            ballot(it, 1)?;
            bool_result(it)?;
        }
        O::GroupNonUniformBallotBitExtract => {
            ballot(it, 1)?;
            it.integer(2)?;
            bool_result(it)?;
        }
        O::GroupNonUniformBallotBitCount => {
            operation(it)?;
            ballot(it, 2)?;
            integer_result(it)?;
        }
        O::GroupNonUniformBallotFindLSB | O::GroupNonUniformBallotFindMSB => {
            ballot(it, 1)?;
            integer_result(it)?;
        }
        O::GroupAsyncCopy => async_copy(it)?,
        O::GroupWaitEvents => {
            scope(it, 0)?;
            it.integer(1)?;
            let (_, pointee) = it.pointer(2)?;
            it.rule(
                *it.module.ty(pointee) == Type::Event,
                "operand 2 is no pointer to events",
            )?;
        }
        op => return collective(it, op),
    }
    Ok(true)
}

/// Reductions and scans.
fn collective(it: &Checked<'_>, op: Op) -> Result<bool> {
    use Op as O;
    let fits: fn(Elem) -> bool = match op {
        O::GroupIAdd
        | O::GroupUMin
        | O::GroupSMin
        | O::GroupUMax
        | O::GroupSMax
        | O::GroupIMulKHR
        | O::GroupBitwiseAndKHR
        | O::GroupBitwiseOrKHR
        | O::GroupBitwiseXorKHR
        | O::GroupNonUniformIAdd
        | O::GroupNonUniformIMul
        | O::GroupNonUniformUMin
        | O::GroupNonUniformSMin
        | O::GroupNonUniformUMax
        | O::GroupNonUniformSMax
        | O::GroupNonUniformBitwiseAnd
        | O::GroupNonUniformBitwiseOr
        | O::GroupNonUniformBitwiseXor => |elem| matches!(elem, Elem::Int(_)),
        O::GroupFAdd
        | O::GroupFMin
        | O::GroupFMax
        | O::GroupFMulKHR
        | O::GroupNonUniformFAdd
        | O::GroupNonUniformFMul
        | O::GroupNonUniformFMin
        | O::GroupNonUniformFMax => |elem| matches!(elem, Elem::Float(_)),
        O::GroupLogicalAndKHR
        | O::GroupLogicalOrKHR
        | O::GroupLogicalXorKHR
        | O::GroupNonUniformLogicalAnd
        | O::GroupNonUniformLogicalOr
        | O::GroupNonUniformLogicalXor => |elem| elem == Elem::Bool,
        _ => return Ok(false),
    };
    operation(it)?;
    it.same_as_result(2)?;
    it.rule(fits(it.result()?.elem), "the result is of the wrong kind")?;
    let clustered = it.inst.arg(1) == GroupOperation::ClusteredReduce as u32;
    if clustered {
        cluster(it, 3)?;
    }
    it.rule(
        it.inst.args.len() == if clustered { 4 } else { 3 },
        "a cluster size goes with ClusteredReduce only",
    )?;
    Ok(true)
}

/// Operand 0 is a scope and operand 1 an operation that groups have.
fn operation(it: &Checked<'_>) -> Result<()> {
    scope(it, 0)?;
    match GroupOperation::from_u32(it.inst.arg(1)) {
        Some(
            GroupOperation::Reduce
            | GroupOperation::InclusiveScan
            | GroupOperation::ExclusiveScan
            | GroupOperation::ClusteredReduce,
        ) => Ok(()),
        _ => Err(it.unsupported(format!("group operation {}", it.inst.arg(1)))),
    }
}

/// Operand `n` is a constant scope of a group.
fn scope(it: &Checked<'_>, n: usize) -> Result<()> {
    it.word(n)?;
    let Some(bits) = it.module.constant_bits(it.inst.arg(n)) else {
        return Err(it.unsupported("a scope that is not constant"));
    };
    if bits == Scope::Workgroup as u64 || bits == Scope::Subgroup as u64 {
        Ok(())
    } else {
        Err(it.invalid(format!("scope {bits} is neither Workgroup nor Subgroup")))
    }
}

/// After the scope in operand `n` comes a value like the result.
fn value(it: &Checked<'_>, n: usize) -> Result<()> {
    scope(it, n)?;
    it.same_as_result(n + 1)?;
    number(it.result()?, it)
}

fn number(shape: Shape, it: &Checked<'_>) -> Result<()> {
    it.rule(
        shape.elem != Elem::Pointer,
        "the value is no number or Bool",
    )
}

fn truth(it: &Checked<'_>, n: usize) -> Result<()> {
    it.rule(
        *it.module.type_of(it.inst.arg(n)) == Type::Bool,
        "the predicate is not Bool",
    )
}

fn bool_result(it: &Checked<'_>) -> Result<()> {
    it.rule(
        *it.module.ty(it.inst.ty) == Type::Bool,
        "the result is not Bool",
    )
}

fn integer_result(it: &Checked<'_>) -> Result<()> {
    it.rule(
        it.module.ty(it.inst.ty).is_int(),
        "the result is no integer",
    )
}

/// A scope, and in operand `n` a ballot.
fn ballot(it: &Checked<'_>, n: usize) -> Result<()> {
    scope(it, 0)?;
    it.rule(it.shape(n)? == BALLOT, "the operand is no ballot")
}

/// Operand 0 points to elements of `data`, an integer or a vector of integers.
fn block(it: &Checked<'_>, data: Id) -> Result<()> {
    let (storage, pointee) = it.pointer(0)?;
    let of = |ty| shape_of(it.module, ty);
    let fits = match (of(pointee), of(data)) {
        (Some(element), Some(data)) => {
            element.lanes == 1 && element.elem == data.elem && matches!(element.elem, Elem::Int(_))
        }
        _ => false,
    };
    it.rule(
        fits && matches!(
            storage,
            StorageClass::CrossWorkgroup | StorageClass::Workgroup
        ),
        "the pointer is not to the block's integers in global or local memory",
    )
}

/// Operand `n`, if given, is a constant power of two.
fn cluster(it: &Checked<'_>, n: usize) -> Result<()> {
    let Some(size) = it.inst.args.get(n) else {
        return Ok(());
    };
    it.word(n)?;
    it.rule(
        it.module
            .constant_bits(*size)
            .is_some_and(u64::is_power_of_two),
        "the cluster size is no constant power of two",
    )
}

/// Destination, source, number of elements, stride, event.
fn async_copy(it: &Checked<'_>) -> Result<()> {
    scope(it, 0)?;
    let ((_, to), (_, from)) = (it.pointer(1)?, it.pointer(2)?);
    it.rule(
        to == from && it.module.layout(to).is_some(),
        "the pointers point to different types",
    )?;
    it.integer(3)?;
    it.integer(4)?;
    it.rule(
        *it.module.type_of(it.inst.arg(5)) == Type::Event
            && *it.module.ty(it.inst.ty) == Type::Event,
        "takes and gives an event",
    )
}
