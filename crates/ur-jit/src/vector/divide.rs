//! Divisions of integers, which processors do not do on vectors.

use super::cfg::InstId;
use super::emit::{Emitter, Mask};
use crate::llvm::edit::{Opcode, Value};

impl<'m> Emitter<'_, 'm> {
    /// A division or remainder whose operands are not both uniform. The original never divides by
    /// zero in lanes that are there.
    pub(super) fn divide(&mut self, id: InstId, mask: &Mask<'m>) -> Value<'m> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let (op, ty) = (inst.op, inst.ty);
        let [of, by] = [inst.operands[0], inst.operands[1]];
        if self.is_uniform(by) {
            // LLVM knows how to multiply instead where it is a constant.
            let (a, d) = (self.vector(of), self.vector(by));
            let made = b.binary(op, a, d);
            b.copy_flags(inst.raw, made);
            return made;
        }
        let (a, d) = (self.vector(of), self.vector(by));
        if ty.bits() <= 32 {
            return self.divide_as_numbers(op, a, d);
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
