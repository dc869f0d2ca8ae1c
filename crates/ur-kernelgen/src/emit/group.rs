//! Operations that work-items do together.

use super::Body;
use crate::ast::{Builtin, Combine, Expr, GroupOp, Reach, Scope, Type};
use rspirv::spirv::{Capability, GroupOperation, Op};

impl Body<'_, '_> {
    /// Writes an operation and gives its result, of the variable's type.
    pub(super) fn group(
        &mut self,
        op: GroupOp,
        scope: Scope,
        value: &Expr,
        index: Option<&Expr>,
    ) -> u32 {
        let ty = value.ty;
        let value = self.expr(value);
        let index = index.map(|index| self.expr(index)).unwrap_or_default();
        let width = scope;
        let scope = self.asm.int(
            Type::I32,
            match scope {
                Scope::Group => 2,
                Scope::SubGroup => 3,
            },
        );
        if op.may_diverge() {
            self.asm.capability(Capability::GroupNonUniform);
        } else {
            self.asm.capability(Capability::Groups);
        }
        let id = self.asm.ty(ty);
        let truth = self.asm.ty(Type::BOOL);
        match op {
            GroupOp::Reduce(non_uniform, combine, reach) => {
                self.reduce(non_uniform, combine, reach, ty, scope, value)
            }
            GroupOp::All(non_uniform) | GroupOp::Any(non_uniform) => {
                let all = matches!(op, GroupOp::All(_));
                let code = match (all, non_uniform) {
                    (true, false) => Op::GroupAll,
                    (false, false) => Op::GroupAny,
                    (true, true) => Op::GroupNonUniformAll,
                    (false, true) => Op::GroupNonUniformAny,
                };
                if non_uniform {
                    self.asm.capability(Capability::GroupNonUniformVote);
                }
                let value = self.truth(ty, value);
                let result = self.asm.op(code, truth, &[scope, value]);
                self.number(result)
            }
            GroupOp::AllEqual => {
                self.asm.capability(Capability::GroupNonUniformVote);
                let result = self
                    .asm
                    .op(Op::GroupNonUniformAllEqual, truth, &[scope, value]);
                self.number(result)
            }
            GroupOp::Elect => {
                let result = self.asm.op(Op::GroupNonUniformElect, truth, &[scope]);
                self.number(result)
            }
            GroupOp::Ballot => {
                self.asm.capability(Capability::GroupNonUniformBallot);
                let value = self.truth(ty, value);
                let four = self.asm.ty(Type::vector(crate::ast::Scalar::I32, 4));
                let votes = self
                    .asm
                    .op(Op::GroupNonUniformBallot, four, &[scope, value]);
                let (word, long) = (self.asm.ty(Type::I32), self.asm.ty(Type::I64));
                let low = self.asm.op(Op::CompositeExtract, word, &[votes, 0]);
                let high = self.asm.op(Op::CompositeExtract, word, &[votes, 1]);
                let low = self.asm.op(Op::UConvert, long, &[low]);
                let high = self.asm.op(Op::UConvert, long, &[high]);
                let by = self.asm.int(Type::I32, 32);
                let high = self.asm.op(Op::ShiftLeftLogical, long, &[high, by]);
                self.asm.op(Op::BitwiseOr, long, &[low, high])
            }
            GroupOp::BroadcastFirst => {
                self.asm.capability(Capability::GroupNonUniformBallot);
                self.asm
                    .op(Op::GroupNonUniformBroadcastFirst, id, &[scope, value])
            }
            GroupOp::Broadcast(non_uniform) => {
                let place = match width {
                    Scope::Group => self.local_id(index),
                    Scope::SubGroup => self.modulo(index, Builtin::SubGroupSize),
                };
                let code = if non_uniform {
                    self.asm.capability(Capability::GroupNonUniformBallot);
                    Op::GroupNonUniformBroadcast
                } else {
                    Op::GroupBroadcast
                };
                self.asm.op(code, id, &[scope, value, place])
            }
            GroupOp::Shuffle => {
                self.asm.capability(Capability::GroupNonUniformShuffle);
                let place = self.modulo(index, Builtin::SubGroupSize);
                self.asm
                    .op(Op::GroupNonUniformShuffle, id, &[scope, value, place])
            }
            GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                self.moved(op, id, scope, value, index)
            }
        }
    }

    /// Shuffles by a distance; where nobody is there, the own value.
    fn moved(&mut self, op: GroupOp, id: u32, scope: u32, value: u32, index: u32) -> u32 {
        let word = self.asm.ty(Type::I32);
        let truth = self.asm.ty(Type::BOOL);
        let by = self.modulo(index, Builtin::MaxSubGroupSize);
        let own = self.builtin(Builtin::SubGroupLocalId);
        let size = self.builtin(Builtin::SubGroupSize);
        let (code, from) = match op {
            GroupOp::ShuffleXor => (Op::GroupNonUniformShuffleXor, Op::BitwiseXor),
            GroupOp::ShuffleUp => (Op::GroupNonUniformShuffleUp, Op::ISub),
            _ => (Op::GroupNonUniformShuffleDown, Op::IAdd),
        };
        self.asm.capability(if op == GroupOp::ShuffleXor {
            Capability::GroupNonUniformShuffle
        } else {
            Capability::GroupNonUniformShuffleRelative
        });
        let moved = self.asm.op(code, id, &[scope, value, by]);
        let from = self.asm.op(from, word, &[own, by]);
        let there = self.asm.op(Op::ULessThan, truth, &[from, size]);
        self.asm.op(Op::Select, id, &[there, moved, value])
    }

    /// An `I32` modulo a built-in value.
    fn modulo(&mut self, value: u32, builtin: Builtin) -> u32 {
        let word = self.asm.ty(Type::I32);
        let size = self.builtin(builtin);
        self.asm.op(Op::UMod, word, &[value, size])
    }

    /// The local id of the work-item with the linear number `index`, an `I32`, which wraps.
    fn local_id(&mut self, index: u32) -> u32 {
        let long = self.asm.ty(Type::I64);
        let count = self.group_items();
        let index = self.asm.op(Op::UConvert, long, &[index]);
        let index = self.asm.op(Op::UMod, long, &[index, count]);
        let x = self.builtin(Builtin::LocalSize(0));
        let y = self.builtin(Builtin::LocalSize(1));
        let in_row = self.asm.op(Op::UMod, long, &[index, x]);
        let row = self.asm.op(Op::UDiv, long, &[index, x]);
        let in_plane = self.asm.op(Op::UMod, long, &[row, y]);
        let plane = self.asm.op(Op::UDiv, long, &[row, y]);
        let three = self.asm.ty(Type::vector(crate::ast::Scalar::I64, 3));
        self.asm
            .op(Op::CompositeConstruct, three, &[in_row, in_plane, plane])
    }

    /// Whether an integer is not zero.
    fn truth(&mut self, ty: Type, value: u32) -> u32 {
        let truth = self.asm.ty(Type::BOOL);
        let zero = self.asm.value(ty, &[0]);
        self.asm.op(Op::INotEqual, truth, &[value, zero])
    }

    /// A truth value as `I32`.
    fn number(&mut self, truth: u32) -> u32 {
        let word = self.asm.ty(Type::I32);
        let (one, zero) = (self.asm.int(Type::I32, 1), self.asm.int(Type::I32, 0));
        self.asm.op(Op::Select, word, &[truth, one, zero])
    }

    fn reduce(
        &mut self,
        non_uniform: bool,
        combine: Combine,
        reach: Reach,
        ty: Type,
        scope: u32,
        value: u32,
    ) -> u32 {
        let float = ty.scalar.is_float();
        let value = if float {
            self.exact_operand(combine, ty, value)
        } else {
            value
        };
        let (group, apart) = match combine {
            Combine::Add if float => (Op::GroupFAdd, Op::GroupNonUniformFAdd),
            Combine::Add => (Op::GroupIAdd, Op::GroupNonUniformIAdd),
            Combine::Mul if float => (Op::GroupFMulKHR, Op::GroupNonUniformFMul),
            Combine::Mul => (Op::GroupIMulKHR, Op::GroupNonUniformIMul),
            Combine::SMin => (Op::GroupSMin, Op::GroupNonUniformSMin),
            Combine::UMin => (Op::GroupUMin, Op::GroupNonUniformUMin),
            Combine::SMax => (Op::GroupSMax, Op::GroupNonUniformSMax),
            Combine::UMax => (Op::GroupUMax, Op::GroupNonUniformUMax),
            Combine::FMin => (Op::GroupFMin, Op::GroupNonUniformFMin),
            Combine::FMax => (Op::GroupFMax, Op::GroupNonUniformFMax),
            Combine::And => (Op::GroupBitwiseAndKHR, Op::GroupNonUniformBitwiseAnd),
            Combine::Or => (Op::GroupBitwiseOrKHR, Op::GroupNonUniformBitwiseOr),
            Combine::Xor => (Op::GroupBitwiseXorKHR, Op::GroupNonUniformBitwiseXor),
        };
        if non_uniform {
            self.asm.capability(Capability::GroupNonUniformArithmetic);
        } else if matches!(
            combine,
            Combine::Mul | Combine::And | Combine::Or | Combine::Xor
        ) {
            self.asm.capability(Capability::GroupUniformArithmeticKHR);
            self.asm.extension("SPV_KHR_uniform_group_instructions");
        }
        let operation = match reach {
            Reach::All => GroupOperation::Reduce,
            Reach::Inclusive => GroupOperation::InclusiveScan,
            Reach::Exclusive => GroupOperation::ExclusiveScan,
            Reach::Cluster(_) => GroupOperation::ClusteredReduce,
        };
        let mut operands = vec![scope, operation as u32, value];
        if let Reach::Cluster(count) = reach {
            self.asm.capability(Capability::GroupNonUniformClustered);
            operands.push(self.asm.int(Type::I32, count.into()));
        }
        let id = self.asm.ty(ty);
        let code = if non_uniform { apart } else { group };
        self.asm.op(code, id, &operands)
    }

    /// A small whole number made of a float, so that every order gives the same.
    fn exact_operand(&mut self, combine: Combine, ty: Type, value: u32) -> u32 {
        let word = self.asm.ty(Type::I32);
        let id = self.asm.ty(ty);
        let whole = self.asm.op(Op::ConvertFToS, word, &[value]);
        let one = self.asm.int(Type::I32, 1);
        let small = if combine == Combine::Mul {
            let low = self.asm.op(Op::BitwiseAnd, word, &[whole, one]);
            self.asm.op(Op::IAdd, word, &[low, one])
        } else {
            let mask = self.asm.int(Type::I32, 0x7f);
            self.asm.op(Op::BitwiseAnd, word, &[whole, mask])
        };
        self.asm.op(Op::ConvertSToF, id, &[small])
    }
}
