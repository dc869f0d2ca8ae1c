//! Comparisons of numbers that grow by a constant from lane to lane.
//!
//! Work-items compare their ids with sizes, mostly. The first lane's numbers tell how many lanes the
//! answer holds for, or which one; a comparison of lane numbers with that, in elements as wide as the
//! kernel's other values, is the mask.

use super::cfg::{InstId, Operand};
use super::emit::{Emitter, Repr, Tests};
use super::shape;
use crate::llvm::edit::{IntPredicate, Opcode, Value};

/// An order: `a < b`, or `a <= b` if not strict, of numbers with or without signs.
#[derive(Clone, Copy)]
struct Order {
    signed: bool,
    strict: bool,
}

impl Order {
    /// The order that a predicate stands for, and whether its operands change sides.
    fn of(predicate: IntPredicate) -> Option<(Self, bool)> {
        use IntPredicate::*;
        let (signed, strict, swapped) = match predicate {
            LLVMIntULT => (false, true, false),
            LLVMIntULE => (false, false, false),
            LLVMIntUGT => (false, true, true),
            LLVMIntUGE => (false, false, true),
            LLVMIntSLT => (true, true, false),
            LLVMIntSLE => (true, false, false),
            LLVMIntSGT => (true, true, true),
            LLVMIntSGE => (true, false, true),
            LLVMIntEQ | LLVMIntNE => return None,
        };
        Some((Self { signed, strict }, swapped))
    }

    fn predicate(self) -> IntPredicate {
        match (self.signed, self.strict) {
            (false, true) => IntPredicate::LLVMIntULT,
            (false, false) => IntPredicate::LLVMIntULE,
            (true, true) => IntPredicate::LLVMIntSLT,
            (true, false) => IntPredicate::LLVMIntSLE,
        }
    }
}

/// A number as it is without bounds: the first lane's in 64 bits, and what lanes add.
type Linear<'m> = (Value<'m>, i64);

impl<'m> Emitter<'_, 'm> {
    /// The mask that an integer comparison makes; nothing if its operands are of other kinds.
    pub(super) fn compare(&mut self, id: InstId) -> Option<Value<'m>> {
        let inst = &self.f.insts[id];
        let (x, y) = (inst.operands[0], inst.operands[1]);
        if !inst.raw.operand(0).ty().is_int() {
            return None;
        }
        let predicate = inst.raw.int_predicate();
        match Order::of(predicate) {
            None => self.equal(x, y, predicate == IntPredicate::LLVMIntNE),
            Some((order, swapped)) => {
                let a = self.unbounded(x, order.signed)?;
                let b = self.unbounded(y, order.signed)?;
                let (a, b) = if swapped { (b, a) } else { (a, b) };
                self.ordered(order, a, b)
            }
        }
    }

    /// Lane numbers, and a number of lanes in all lanes, for comparisons.
    fn beside(&self, count: Value<'m>) -> (Value<'m>, Value<'m>) {
        let ty = self.b.int_type(self.mask_bits);
        let count = if count.ty() == ty {
            count
        } else if count.ty().bits() > ty.bits() {
            self.b.cast(Opcode::LLVMTrunc, count, ty)
        } else {
            self.b.cast(Opcode::LLVMSExt, count, ty)
        };
        (self.lane_numbers(ty, 1), self.b.splat(count, self.lanes))
    }

    /// The first `count` lanes, `count` from 0 to their number.
    pub(super) fn first_lanes(&mut self, count: Value<'m>) -> Value<'m> {
        let b = self.b;
        let (numbers, wide) = self.beside(count);
        let made = b.icmp(IntPredicate::LLVMIntSLT, numbers, wide);
        let most = count.ty().int(i64::from(self.lanes));
        let any = b.icmp(IntPredicate::LLVMIntNE, count, count.ty().zero());
        let all = b.icmp(IntPredicate::LLVMIntEQ, count, most);
        self.tests.insert(made, Tests { any, all });
        made
    }

    /// The lanes behind `last`, from -1 to the last of all.
    fn lanes_behind(&mut self, last: Value<'m>) -> Value<'m> {
        let b = self.b;
        let (numbers, wide) = self.beside(last);
        let made = b.icmp(IntPredicate::LLVMIntSGT, numbers, wide);
        let most = last.ty().int(i64::from(self.lanes) - 1);
        let any = b.icmp(IntPredicate::LLVMIntNE, last, most);
        let all = b.icmp(IntPredicate::LLVMIntEQ, last, last.ty().ones());
        self.tests.insert(made, Tests { any, all });
        made
    }

    /// Lanes where numbers are equal, or differ: at most one, since numbers come back only after many
    /// more lanes than there are.
    fn equal(&mut self, x: Operand<'m>, y: Operand<'m>, differ: bool) -> Option<Value<'m>> {
        let (Repr::Scalar(a, by_a), Repr::Scalar(c, by_c)) = (self.repr(x), self.repr(y)) else {
            return None;
        };
        let b = self.b;
        let ty = a.ty();
        let stride = shape::wrap(by_a.wrapping_sub(by_c), ty);
        let (up, from, to) = if stride > 0 {
            (stride, a, c)
        } else {
            (stride.checked_neg()?, c, a)
        };
        let all = up.checked_mul(i64::from(self.lanes))?;
        if up == 0 || all > i64::MAX >> (64 - ty.bits().min(64)) || ty.bits() > 64 {
            return None;
        }
        let way = b.binary(Opcode::LLVMSub, to, from);
        let near = b.icmp(IntPredicate::LLVMIntULT, way, ty.int(all));
        let (lane, there) = if up == 1 {
            (way, near)
        } else {
            let lane = b.binary(Opcode::LLVMUDiv, way, ty.int(up));
            let back = b.binary(Opcode::LLVMMul, lane, ty.int(up));
            let exact = b.icmp(IntPredicate::LLVMIntEQ, back, way);
            (lane, b.select(exact, near, near.ty().zero()))
        };
        let lane = b.select(there, lane, ty.ones());
        let (numbers, lane) = self.beside(lane);
        let bit = there.ty();
        let (predicate, tests) = if differ {
            let all = b.binary(Opcode::LLVMXor, there, bit.ones());
            let any = bit.ones();
            (IntPredicate::LLVMIntNE, Tests { any, all })
        } else {
            let (any, all) = (there, bit.zero());
            (IntPredicate::LLVMIntEQ, Tests { any, all })
        };
        let made = b.icmp(predicate, numbers, lane);
        self.tests.insert(made, tests);
        Some(made)
    }

    /// A number that no lane's goes beyond the bounds of its type for; nothing if that is not known.
    fn unbounded(&mut self, operand: Operand<'m>, signed: bool) -> Option<Linear<'m>> {
        let Repr::Scalar(value, stride) = self.repr(operand) else {
            return None;
        };
        let bits = value.ty().bits();
        if bits == 64 {
            let known = stride == 0 || shape::is_small(self.f, operand);
            return known.then_some((value, stride));
        }
        if bits > 64 {
            return None;
        }
        let wide = self.b.int_type(64);
        let op = if signed {
            Opcode::LLVMSExt
        } else {
            Opcode::LLVMZExt
        };
        let own = self.b.cast(op, value, wide);
        if stride == 0 {
            return Some((own, 0));
        }
        let stride = shape::exact(self.f, &self.shapes.values, operand, signed)?;
        let extended = self.extended(operand, signed).ok()?;
        // A work-item on its own may have any id.
        Some((self.b.select(self.together, extended, own), stride))
    }

    /// Lanes where `a < b`, or `a <= b`.
    fn ordered(&mut self, order: Order, a: Linear<'m>, b: Linear<'m>) -> Option<Value<'m>> {
        let stride = a.1.checked_sub(b.1)?;
        if stride == 0 {
            return None;
        }
        if stride > 0 {
            let (first, last) = self.holds(order, a.0, b.0, stride);
            let ty = last.ty();
            let count = self.b.binary(Opcode::LLVMAdd, last, ty.int(1));
            let count = self.b.select(first, count, ty.zero());
            return Some(self.first_lanes(count));
        }
        // It holds from where `b <= a`, or `b < a`, no longer does.
        let other = Order {
            strict: !order.strict,
            ..order
        };
        let (first, last) = self.holds(other, b.0, a.0, stride.checked_neg()?);
        let last = self.b.select(first, last, last.ty().ones());
        Some(self.lanes_behind(last))
    }

    /// Whether it holds for the first lane, and up to which one then, where `a` gains `stride` on `b`
    /// with each lane.
    fn holds(
        &self,
        order: Order,
        a: Value<'m>,
        b: Value<'m>,
        stride: i64,
    ) -> (Value<'m>, Value<'m>) {
        let build = self.b;
        let ty = a.ty();
        let first = build.icmp(order.predicate(), a, b);
        let mut way = build.binary(Opcode::LLVMSub, b, a);
        if order.strict {
            way = build.binary(Opcode::LLVMSub, way, ty.int(1));
        }
        let more = if stride == 1 {
            way
        } else {
            build.binary(Opcode::LLVMUDiv, way, ty.int(stride))
        };
        // Only what can be computed again after a wait.
        let last = ty.int(i64::from(self.lanes) - 1);
        let few = build.icmp(IntPredicate::LLVMIntULT, more, last);
        (first, build.select(few, more, last))
    }
}
