//! Evaluates specialisation-time operations on scalars.

use crate::model::Module;
use crate::types::Type;
use crate::{Constant, Id};
use rspirv::spirv::Op;

/// Whether `OpSpecConstantOp` may name the opcode in kernels.
pub fn is_constant_op(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::SConvert
            | O::UConvert
            | O::FConvert
            | O::SNegate
            | O::Not
            | O::IAdd
            | O::ISub
            | O::IMul
            | O::UDiv
            | O::SDiv
            | O::UMod
            | O::SRem
            | O::SMod
            | O::ShiftRightLogical
            | O::ShiftRightArithmetic
            | O::ShiftLeftLogical
            | O::BitwiseOr
            | O::BitwiseXor
            | O::BitwiseAnd
            | O::VectorShuffle
            | O::CompositeExtract
            | O::CompositeInsert
            | O::LogicalOr
            | O::LogicalAnd
            | O::LogicalNot
            | O::LogicalEqual
            | O::LogicalNotEqual
            | O::Select
            | O::IEqual
            | O::INotEqual
            | O::ULessThan
            | O::SLessThan
            | O::UGreaterThan
            | O::SGreaterThan
            | O::ULessThanEqual
            | O::SLessThanEqual
            | O::UGreaterThanEqual
            | O::SGreaterThanEqual
            | O::ConvertFToS
            | O::ConvertSToF
            | O::ConvertFToU
            | O::ConvertUToF
            | O::ConvertPtrToU
            | O::ConvertUToPtr
            | O::GenericCastToPtr
            | O::PtrCastToGeneric
            | O::Bitcast
            | O::FNegate
            | O::FAdd
            | O::FSub
            | O::FMul
            | O::FDiv
            | O::FRem
            | O::FMod
            | O::AccessChain
            | O::InBoundsAccessChain
            | O::PtrAccessChain
            | O::InBoundsPtrAccessChain
    )
}

/// A scalar operand: its bits and width (1 for Bool).
#[derive(Clone, Copy)]
struct Scalar {
    bits: u64,
    width: u32,
}

impl Scalar {
    fn signed(self) -> i64 {
        let shift = 64 - self.width;
        ((self.bits << shift) as i64) >> shift
    }
}

/// The result of `op` on scalar constants, or none where that is not known here: operands are no
/// scalars, or the operation is undefined, on halves or on addresses.
pub fn fold(module: &Module, op: Op, ty: Id, args: &[u32]) -> Option<u64> {
    if let Some(bits) = fold_float(module, op, ty, args) {
        return Some(bits);
    }
    let width = width_of(module.ty(ty))?;
    let mask = u64::MAX >> (64 - width);
    if matches!(module.ty(ty), Type::Float { .. })
        && !matches!(op, Op::Select | Op::Bitcast | Op::CompositeExtract)
    {
        return None;
    }
    if op == Op::CompositeExtract {
        return extract(module, args);
    }
    let operand = |n: usize| -> Option<Scalar> {
        let id = *args.get(n)?;
        let ty = module.type_of(id);
        Some(Scalar {
            bits: module.constant_bits(id)?,
            width: width_of(ty)?,
        })
    };
    let a = operand(0)?;
    if matches!(module.type_of(*args.first()?), Type::Float { .. }) && op != Op::Bitcast {
        return None;
    }
    let bits = match args.len() {
        1 => match op {
            Op::SConvert => a.signed() as u64,
            Op::UConvert | Op::Bitcast => a.bits,
            Op::SNegate => a.bits.wrapping_neg(),
            Op::Not => !a.bits,
            Op::LogicalNot => a.bits ^ 1,
            _ => return None,
        },
        2 => binary(op, a, operand(1)?)?,
        3 if op == Op::Select => {
            let chosen = if a.bits != 0 {
                operand(1)?
            } else {
                operand(2)?
            };
            chosen.bits
        }
        _ => return None,
    };
    Some(bits & mask)
}

/// The result of `op` on floats or doubles, as for integers.
fn fold_float(module: &Module, op: Op, ty: Id, args: &[u32]) -> Option<u64> {
    let operand = |n: usize| -> Option<f64> {
        let id = *args.get(n)?;
        let bits = module.constant_bits(id)?;
        match module.type_of(id) {
            Type::Float { width: 32 } => Some(f64::from(f32::from_bits(bits as u32))),
            Type::Float { width: 64 } => Some(f64::from_bits(bits)),
            _ => None,
        }
    };
    // A double has more than twice the digits of a float, so rounding its result is rounding once.
    let float = |value: f64| match module.ty(ty) {
        Type::Float { width: 32 } => Some(u64::from((value as f32).to_bits())),
        Type::Float { width: 64 } => Some(value.to_bits()),
        _ => None,
    };
    let integer = |n: usize| -> Option<Scalar> {
        let id = *args.get(n)?;
        match module.type_of(id) {
            Type::Int { width } => Some(Scalar {
                bits: module.constant_bits(id)?,
                width: *width,
            }),
            _ => None,
        }
    };
    let value = match op {
        Op::FNegate => -operand(0)?,
        Op::FConvert => operand(0)?,
        Op::FAdd => operand(0)? + operand(1)?,
        Op::FSub => operand(0)? - operand(1)?,
        Op::FMul => operand(0)? * operand(1)?,
        Op::FDiv => operand(0)? / operand(1)?,
        Op::FRem => operand(0)? % operand(1)?,
        // Rounded once each, where a double in between would be rounded twice.
        Op::ConvertSToF if *module.ty(ty) == (Type::Float { width: 32 }) => {
            return Some(u64::from((integer(0)?.signed() as f32).to_bits()));
        }
        Op::ConvertUToF if *module.ty(ty) == (Type::Float { width: 32 }) => {
            return Some(u64::from((integer(0)?.bits as f32).to_bits()));
        }
        Op::ConvertSToF => integer(0)?.signed() as f64,
        Op::ConvertUToF => integer(0)?.bits as f64,
        _ => return None,
    };
    float(value)
}

fn binary(op: Op, a: Scalar, b: Scalar) -> Option<u64> {
    let shift = (b.bits < u64::from(a.width)).then_some(b.bits as u32);
    let overflow = a.signed() == -1i64 << (a.width - 1) && b.signed() == -1;
    Some(match op {
        Op::IAdd => a.bits.wrapping_add(b.bits),
        Op::ISub => a.bits.wrapping_sub(b.bits),
        Op::IMul => a.bits.wrapping_mul(b.bits),
        Op::UDiv => a.bits.checked_div(b.bits)?,
        Op::UMod => a.bits.checked_rem(b.bits)?,
        Op::SDiv if !overflow => a.signed().checked_div(b.signed())? as u64,
        Op::SRem if !overflow => a.signed().checked_rem(b.signed())? as u64,
        Op::SMod if !overflow => {
            let (x, y) = (a.signed(), b.signed());
            let rem = x.checked_rem(y)?;
            (if rem != 0 && (rem < 0) != (y < 0) {
                rem + y
            } else {
                rem
            }) as u64
        }
        Op::ShiftLeftLogical => a.bits << shift?,
        Op::ShiftRightLogical => a.bits >> shift?,
        Op::ShiftRightArithmetic => (a.signed() >> shift?) as u64,
        Op::BitwiseOr | Op::LogicalOr => a.bits | b.bits,
        Op::BitwiseAnd | Op::LogicalAnd => a.bits & b.bits,
        Op::BitwiseXor | Op::LogicalNotEqual => a.bits ^ b.bits,
        Op::LogicalEqual | Op::IEqual => u64::from(a.bits == b.bits),
        Op::INotEqual => u64::from(a.bits != b.bits),
        Op::ULessThan => u64::from(a.bits < b.bits),
        Op::ULessThanEqual => u64::from(a.bits <= b.bits),
        Op::UGreaterThan => u64::from(a.bits > b.bits),
        Op::UGreaterThanEqual => u64::from(a.bits >= b.bits),
        Op::SLessThan => u64::from(a.signed() < b.signed()),
        Op::SLessThanEqual => u64::from(a.signed() <= b.signed()),
        Op::SGreaterThan => u64::from(a.signed() > b.signed()),
        Op::SGreaterThanEqual => u64::from(a.signed() >= b.signed()),
        _ => return None,
    })
}

/// A scalar out of composites of constants.
fn extract(module: &Module, args: &[u32]) -> Option<u64> {
    let (first, path) = args.split_first()?;
    let mut id = *first;
    for index in path {
        match module.constant(id)? {
            Constant::Composite(parts) => id = *parts.get(*index as usize)?,
            Constant::Null => return Some(0),
            _ => return None,
        }
    }
    module.constant_bits(id)
}

fn width_of(ty: &Type) -> Option<u32> {
    match ty {
        Type::Bool => Some(1),
        Type::Int { width } | Type::Float { width } => Some(*width),
        _ => None,
    }
}
