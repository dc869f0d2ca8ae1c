//! Sub-group instructions that an item carries out by itself.

use crate::ir::{FunctionBuilder, Type, Value};
use crate::item;
use crate::opencl_std::{Result, Unsupported};
use ur_spirv::spirv::{GroupOperation, Op};

/// Whether [`local`] translates `op`.
pub fn is_local_op(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::GroupNonUniformInverseBallot
            | O::GroupNonUniformBallotBitExtract
            | O::GroupNonUniformBallotBitCount
            | O::GroupNonUniformBallotFindLSB
            | O::GroupNonUniformBallotFindMSB
            | O::SubgroupBlockReadINTEL
            | O::SubgroupBlockWriteINTEL
    )
}

/// Emits a group instruction that needs no synchronisation. `item` is the record of the work-item,
/// `operation` the literal if [`super::shape`] says there is one, `args` the values behind it and
/// `width` the number of work-items in a full sub-group.
///
/// # Errors
/// [`Unsupported`] for other instructions, or operands that do not fit.
pub fn local(
    fb: &mut FunctionBuilder,
    item: &Value,
    op: Op,
    operation: Option<u32>,
    result: &Type,
    args: &[Value],
    width: u32,
) -> Result<Value> {
    use Op as O;
    let lane = |fb: &mut FunctionBuilder| item::load(fb, item, item::item::LANE, &Type::I32);
    let first = args
        .first()
        .ok_or_else(|| Unsupported(format!("{op:?} without operands")))?;
    let second = || {
        args.get(1)
            .ok_or_else(|| Unsupported(format!("{op:?} with one operand")))
    };
    Ok(match op {
        O::GroupNonUniformInverseBallot => {
            let lane = lane(fb);
            bit(fb, first, &lane)
        }
        O::GroupNonUniformBallotBitExtract => {
            let index = second()?.clone();
            bit(fb, first, &index)
        }
        O::GroupNonUniformBallotBitCount => {
            let lane = lane(fb);
            let mask = votes(fb, first);
            // Only bits of items that exist count.
            let size = item::load(fb, item, item::item::SUB_GROUP_SIZE, &Type::I32);
            let limit = match operation.and_then(GroupOperation::from_u32) {
                Some(GroupOperation::Reduce) => size,
                Some(GroupOperation::InclusiveScan) => fb.binary("add", &lane, &Value::i32(1)),
                Some(GroupOperation::ExclusiveScan) => lane,
                other => return Err(Unsupported(format!("{op:?} with {other:?}"))),
            };
            let below = below(fb, &limit);
            let kept = fb.binary("and", &mask, &below);
            let count = fb.intrinsic_same("ctpop", &[kept]);
            fb.int_cast(&count, result, false)
        }
        O::GroupNonUniformBallotFindLSB => {
            let mask = votes(fb, first);
            let ty = mask.ty.clone();
            let index = fb.intrinsic("cttz", &[&ty], &ty, &[mask, Value::bool(false)]);
            fb.int_cast(&index, result, false)
        }
        O::GroupNonUniformBallotFindMSB => {
            let mask = votes(fb, first);
            let ty = mask.ty.clone();
            let zeros = fb.intrinsic("ctlz", &[&ty], &ty, &[mask, Value::bool(false)]);
            let index = fb.binary("sub", &Value::int(&ty, 127), &zeros);
            fb.int_cast(&index, result, false)
        }
        O::SubgroupBlockReadINTEL => {
            let lane = lane(fb);
            let element = result.scalar();
            let mut parts = Vec::new();
            for part in 0..result.lanes() {
                let at = block_element(fb, first, &lane, &element, part, width);
                parts.push(fb.load(&element, &at, element.align()));
            }
            fb.from_lanes(result, &parts)
        }
        O::SubgroupBlockWriteINTEL => {
            let lane = lane(fb);
            let data = second()?.clone();
            let element = data.ty.scalar();
            for part in 0..data.ty.lanes() {
                let at = block_element(fb, first, &lane, &element, part, width);
                let value = fb.lane(&data, part);
                fb.store(&value, &at, element.align());
            }
            Value::new(&Type::Void, "")
        }
        _ => return Err(Unsupported(format!("{op:?}"))),
    })
}

/// Address of element `part` of an item's share of a block: the items' first elements stand side by
/// side, then their second ones.
fn block_element(
    fb: &mut FunctionBuilder,
    base: &Value,
    lane: &Value,
    element: &Type,
    part: u32,
    width: u32,
) -> Value {
    let lane = fb.int_cast(lane, &Type::I64, false);
    let index = fb.binary(
        "add",
        &lane,
        &Value::i64(i64::from(part) * i64::from(width)),
    );
    fb.gep(element, base, &index)
}

/// A ballot's four words as one number.
fn votes(fb: &mut FunctionBuilder, ballot: &Value) -> Value {
    fb.bitcast(ballot, &Type::Int(128))
}

/// The mask of all bits below `limit`, at most 128.
fn below(fb: &mut FunctionBuilder, limit: &Value) -> Value {
    let wide = Type::Int(128);
    let limit = fb.int_cast(limit, &wide, false);
    // A shift by the width would be undefined; sub-groups are smaller.
    let one = fb.binary("shl", &Value::int(&wide, 1), &limit);
    fb.binary("sub", &one, &Value::int(&wide, 1))
}

/// Bit `index` of a ballot.
fn bit(fb: &mut FunctionBuilder, ballot: &Value, index: &Value) -> Value {
    let mask = votes(fb, ballot);
    let index = fb.int_cast(index, &mask.ty.clone(), false);
    let index = fb.binary("and", &index, &Value::int(&mask.ty, 127));
    let moved = fb.binary("lshr", &mask, &index);
    fb.cast("trunc", &moved, &Type::I1)
}
