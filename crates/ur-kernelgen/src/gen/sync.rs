//! Random synchronisation: barriers and group operations.

use super::{Maker, Mode};
use crate::ast::{Atomic, Combine, GroupOp, Level, Reach, Scalar, Scope, Stmt, Type};

impl Maker<'_> {
    /// Something that work-items do together, where they all are.
    pub(super) fn synchronise(&mut self, out: &mut Vec<Stmt>) {
        let group = self.level.min(self.top) == Level::Group;
        match self.rng.below(10) {
            0..3 if group => {
                out.push(Stmt::Barrier(Scope::Group));
                for array in 0..self.modes.len() {
                    self.modes[array] = self.mode(array);
                }
            }
            0 => out.push(Stmt::Barrier(Scope::SubGroup)),
            1 => {
                let condition = self.expr(Type::BOOL, self.near(), Level::Item);
                let then = self.apart();
                let otherwise = if self.rng.chance(50) {
                    self.apart()
                } else {
                    Vec::new()
                };
                out.push(Stmt::SubGroupIf(condition, then, otherwise));
            }
            _ if group && self.rng.chance(55) => self.group_op(Scope::Group, false, out),
            _ => {
                let diverge = self.rng.chance(30);
                self.group_op(Scope::SubGroup, diverge, out);
            }
        }
    }

    fn mode(&mut self, array: usize) -> Mode {
        let scalar = self.shared.local[array].0;
        match self.rng.below(5) {
            0 | 1 => Mode::Read,
            2 if matches!(scalar, Scalar::I32 | Scalar::I64) => {
                Mode::Atomic(self.rng.below(Atomic::FAMILIES.len()))
            }
            _ => Mode::Own,
        }
    }

    /// Statements where a part of a sub-group is.
    fn apart(&mut self) -> Vec<Stmt> {
        let outer = std::mem::replace(&mut self.level, Level::Item);
        let mut out = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            if self.rng.chance(60) {
                self.group_op(Scope::SubGroup, true, &mut out);
            } else {
                let ty = Type::of(self.rng.pick(&Scalar::MEMORY));
                let var = self.variable(ty, Level::Item);
                let value = self.expr(ty, self.near(), Level::Item);
                out.push(Stmt::Set(var, value));
            }
        }
        self.level = outer;
        out
    }

    /// An operation of a group or sub-group; one that some may be absent from if `diverge`.
    fn group_op(&mut self, scope: Scope, diverge: bool, out: &mut Vec<Stmt>) {
        let newer = self.shared.minor >= 5;
        let moves = [
            GroupOp::Shuffle,
            GroupOp::ShuffleXor,
            GroupOp::ShuffleUp,
            GroupOp::ShuffleDown,
            GroupOp::Broadcast(newer && self.rng.chance(50)),
        ];
        let apart = [
            GroupOp::All(true),
            GroupOp::Any(true),
            GroupOp::AllEqual,
            GroupOp::Elect,
            GroupOp::Ballot,
            GroupOp::BroadcastFirst,
        ];
        let together = [
            GroupOp::All(false),
            GroupOp::Any(false),
            GroupOp::Broadcast(false),
        ];
        let scalar = self.rng.pick(&[
            Scalar::I8,
            Scalar::I16,
            Scalar::I32,
            Scalar::I32,
            Scalar::I64,
            Scalar::F32,
            Scalar::F64,
        ]);
        let op = if self.rng.chance(55) {
            self.reduction(scalar, diverge)
        } else if diverge {
            self.rng.pick(&apart)
        } else if scope == Scope::SubGroup && self.rng.chance(70) {
            self.rng.pick(&moves)
        } else {
            self.rng.pick(&together)
        };
        let ty = match op {
            GroupOp::All(_) | GroupOp::Any(_) | GroupOp::Elect | GroupOp::Ballot => Type::I32,
            GroupOp::AllEqual => Type::of(scalar.as_int()),
            _ => Type::of(scalar),
        };
        let result = match op {
            GroupOp::AllEqual => Type::I32,
            GroupOp::Ballot => Type::I64,
            _ => ty,
        };
        // Everyone of the scope gets the same from some, if all take part.
        let common = !self.level.eq(&Level::Item)
            && match op {
                GroupOp::Reduce(_, _, reach) => reach == Reach::All,
                GroupOp::All(_)
                | GroupOp::Any(_)
                | GroupOp::Broadcast(_)
                | GroupOp::AllEqual
                | GroupOp::BroadcastFirst => true,
                _ => false,
            };
        let level = match scope {
            Scope::Group => Level::Group,
            Scope::SubGroup => Level::SubGroup,
        };
        let var = if common && self.rng.chance(70) {
            self.variable(result, level)
        } else {
            self.variable(result, Level::Item)
        };
        let value = self.expr(ty, self.near(), Level::Item);
        let index = match op {
            GroupOp::Broadcast(_) => Some(self.expr(Type::I32, 2, level)),
            GroupOp::Shuffle | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                Some(self.expr(Type::I32, 2, Level::Item))
            }
            // Which work-items trade must be agreed on by both.
            GroupOp::ShuffleXor => Some(self.expr(Type::I32, 2, Level::SubGroup)),
            _ => None,
        };
        out.push(Stmt::Group(var, op, scope, value, index));
    }

    fn reduction(&mut self, scalar: Scalar, diverge: bool) -> GroupOp {
        let combine = if scalar.is_float() {
            self.rng
                .pick(&[Combine::Add, Combine::Mul, Combine::FMin, Combine::FMax])
        } else {
            self.rng.pick(&[
                Combine::Add,
                Combine::Add,
                Combine::Mul,
                Combine::SMin,
                Combine::UMin,
                Combine::SMax,
                Combine::UMax,
                Combine::And,
                Combine::Or,
                Combine::Xor,
            ])
        };
        let mut reach = self
            .rng
            .pick(&[Reach::All, Reach::Inclusive, Reach::Exclusive]);
        if diverge && self.shared.width > 1 && self.rng.chance(25) {
            let most = self.shared.width.ilog2() as usize;
            reach = Reach::Cluster(1 << self.rng.between(0, most));
        }
        GroupOp::Reduce(diverge, combine, reach)
    }
}
