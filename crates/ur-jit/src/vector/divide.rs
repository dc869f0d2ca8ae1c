//! Divisions of integers, which processors do not do on vectors.

use super::cfg::{InstId, Operand};
use super::emit::{Emitter, Mask};
use crate::llvm::edit::{IntPredicate, Opcode, Value};

impl<'m> Emitter<'_, 'm> {
    /// A division or remainder whose operands are not both uniform. The original never divides by
    /// zero in lanes that are there.
    pub(super) fn divide(&mut self, id: InstId, mask: &Mask<'m>) -> Value<'m> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let (op, ty) = (inst.op, inst.ty);
        let [of, by] = [inst.operands[0], inst.operands[1]];
        let known = match by {
            Operand::Constant(value) => value.constant_int().is_some(),
            _ => false,
        };
        let (a, d) = (self.vector(of), self.vector(by));
        if known {
            // LLVM knows how to multiply instead.
            let made = b.binary(op, a, d);
            b.copy_flags(inst.raw, made);
            return made;
        }
        if ty.bits() <= 32 {
            return self.divide_as_numbers(op, a, d);
        }
        if ty.bits() == 64
            && let Some(function) = self.long_division()
        {
            return self.divide_long(op, a, d, mask, function);
        }
        // Lanes that are not there divide by 1.
        let one = b.splat(ty.int(1), self.lanes);
        let d = b.select(mask.lanes, d, one);
        let a = b.select(mask.lanes, a, a.ty().zero());
        let mut result = a.ty().poison();
        for lane in 0..i64::from(self.lanes) {
            let lane = b.int_type(64).int(lane);
            let (x, y) = (b.extract_element(a, lane), b.extract_element(d, lane));
            let z = b.binary(op, x, y);
            result = b.insert_element(result, z, lane);
        }
        result
    }

    /// A division of 64 bits by way of the function for unsigned ones.
    fn divide_long(
        &mut self,
        op: Opcode,
        a: Value<'m>,
        d: Value<'m>,
        mask: &Mask<'m>,
        function: Value<'m>,
    ) -> Value<'m> {
        let b = self.b;
        let ty = a.ty();
        let signed = matches!(op, Opcode::LLVMSDiv | Opcode::LLVMSRem);
        // Lanes that are not there divide by 1.
        let one = b.splat(b.int_type(64).int(1), self.lanes);
        let d = b.select(mask.lanes, d, one);
        let a = b.select(mask.lanes, a, ty.zero());
        let size = |v: Value<'m>| {
            if !signed {
                return v;
            }
            let no = b.int_type(1).zero();
            b.call_intrinsic("llvm.abs", &[ty], &[v, no])
        };
        let quotient = b.call_function(function, &[size(a), size(d)]);
        let quotient = if signed {
            let signs = b.binary(Opcode::LLVMXor, a, d);
            let differ = b.icmp(IntPredicate::LLVMIntSLT, signs, ty.zero());
            let negated = b.binary(Opcode::LLVMSub, ty.zero(), quotient);
            b.select(differ, negated, quotient)
        } else {
            quotient
        };
        if matches!(op, Opcode::LLVMSDiv | Opcode::LLVMUDiv) {
            return quotient;
        }
        let product = b.binary(Opcode::LLVMMul, quotient, d);
        b.binary(Opcode::LLVMSub, a, product)
    }

    /// The function that divides vectors of unsigned integers of 64 bits, defined when it is first
    /// needed: numbers below 2^52 as doubles, with a correction of the last place, others one by one.
    fn long_division(&mut self) -> Option<Value<'m>> {
        let b = self.b;
        let name = format!("ur.vec.udiv64.{}", self.lanes);
        if let Some(found) = b.function(&name) {
            return Some(found);
        }
        let wide = b.int_type(64);
        let ty = self.vector_of(wide);
        let function = b.declare(&name, b.function_type(ty, &[ty, ty]))?;
        function.set_internal();
        function.set_noinline();
        let here = b.current();
        let params = function.params();
        let (a, d) = (params[0], params[1]);
        let [entry, fast, slow, turn, done] =
            ["entry", "fast", "slow", "turn", "done"].map(|n| b.block(function, n));
        b.at_end(entry);
        let both = b.binary(Opcode::LLVMOr, a, d);
        let high = b.call_intrinsic("llvm.vector.reduce.or", &[ty], &[both]);
        let limit = wide.int(1 << 52);
        let small = b.icmp(IntPredicate::LLVMIntULT, high, limit);
        b.cond_br(small, fast, slow);

        b.at_end(fast);
        let double = self.vector_of(b.double_type());
        // A number below 2^52 in the last bits of 2^52, as a double.
        let bits = b.splat(wide.int(0x4330_0000_0000_0000), self.lanes);
        let unit = b.splat(b.double_type().real(4_503_599_627_370_496.0), self.lanes);
        let number = |v: Value<'m>| {
            let placed = b.binary(Opcode::LLVMOr, v, bits);
            let placed = b.cast(Opcode::LLVMBitCast, placed, double);
            b.binary(Opcode::LLVMFSub, placed, unit)
        };
        let quotient = b.binary(Opcode::LLVMFDiv, number(a), number(d));
        let whole = b.call_intrinsic("llvm.floor", &[double], &[quotient]);
        let placed = b.binary(Opcode::LLVMFAdd, whole, unit);
        let placed = b.cast(Opcode::LLVMBitCast, placed, ty);
        let quotient = b.binary(Opcode::LLVMXor, placed, bits);
        // A quotient of 2^52 (of such a number by 1) does not occur; one too many may.
        let product = b.binary(Opcode::LLVMMul, quotient, d);
        let over = b.icmp(IntPredicate::LLVMIntUGT, product, a);
        let over = b.cast(Opcode::LLVMSExt, over, ty);
        let exact = b.binary(Opcode::LLVMAdd, quotient, over);
        b.br(done);

        b.at_end(slow);
        let array = wide.array(u64::from(self.lanes));
        let [dividends, divisors, quotients] = [0; 3].map(|_| b.alloca(array, 64));
        b.store(a, dividends, 8);
        b.store(d, divisors, 8);
        b.br(turn);
        b.at_end(turn);
        let lane = b.phi(wide);
        lane.add_incoming(wide.zero(), slow);
        let at = |place: Value<'m>| b.gep(wide, place, &[lane], None);
        let x = b.load(wide, at(dividends), 8);
        let y = b.load(wide, at(divisors), 8);
        b.store(b.binary(Opcode::LLVMUDiv, x, y), at(quotients), 8);
        let next = b.binary(Opcode::LLVMAdd, lane, wide.int(1));
        lane.add_incoming(next, turn);
        let more = b.icmp(
            IntPredicate::LLVMIntULT,
            next,
            wide.int(i64::from(self.lanes)),
        );
        let stored = b.block(function, "stored");
        b.cond_br(more, turn, stored);
        b.at_end(stored);
        let loaded = b.load(ty, quotients, 8);
        b.br(done);

        b.at_end(done);
        let result = b.phi(ty);
        result.add_incoming(exact, fast);
        result.add_incoming(loaded, stored);
        b.ret(result);
        b.at_end(here);
        Some(function)
    }

    /// The same of integers of at most 32 bits: the quotient of two such numbers as doubles, which
    /// hold them exactly, is further from the next integer than its rounding goes.
    fn divide_as_numbers(&self, op: Opcode, a: Value<'m>, d: Value<'m>) -> Value<'m> {
        let b = self.b;
        let signed = matches!(op, Opcode::LLVMSDiv | Opcode::LLVMSRem);
        let (to, from) = if signed {
            (Opcode::LLVMSIToFP, Opcode::LLVMFPToSI)
        } else {
            (Opcode::LLVMUIToFP, Opcode::LLVMFPToUI)
        };
        let double = self.vector_of(b.double_type());
        let [x, y] = [a, d].map(|v| b.cast(to, v, double));
        let quotient = b.cast(from, b.binary(Opcode::LLVMFDiv, x, y), a.ty());
        if matches!(op, Opcode::LLVMSDiv | Opcode::LLVMUDiv) {
            return quotient;
        }
        let product = b.binary(Opcode::LLVMMul, quotient, d);
        b.binary(Opcode::LLVMSub, a, product)
    }
}
