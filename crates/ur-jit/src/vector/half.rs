//! Doubles as halves.

use super::emit::Emitter;
use crate::llvm::edit::{Opcode, RealPredicate, Value};

impl<'m> Emitter<'_, 'm> {
    /// A vector of doubles, rounded to halves once. Processors only convert floats: rounded to a float
    /// first, a double keeps whether it was exact in the last bit, which is more than a half looks at
    /// but for ties.
    pub(super) fn to_half(&self, doubles: Value<'m>) -> Value<'m> {
        let b = self.b;
        let [float, integer, half] =
            [b.float_type(), b.int_type(32), b.half_type()].map(|ty| self.vector_of(ty));
        let near = b.cast(Opcode::LLVMFPTrunc, doubles, float);
        let back = b.cast(Opcode::LLVMFPExt, near, doubles.ty());
        let inexact = b.fcmp(RealPredicate::LLVMRealONE, back, doubles);
        let size = |v: Value<'m>| b.call_intrinsic("llvm.fabs", &[v.ty()], &[v]);
        let above = b.fcmp(RealPredicate::LLVMRealOGT, size(back), size(doubles));
        // Towards zero, and then the last bit set where that is not all of it.
        let bits = b.cast(Opcode::LLVMBitCast, near, integer);
        let down = b.cast(Opcode::LLVMSExt, above, integer);
        let bits = b.binary(Opcode::LLVMAdd, bits, down);
        let last = b.cast(Opcode::LLVMZExt, inexact, integer);
        let bits = b.binary(Opcode::LLVMOr, bits, last);
        let odd = b.cast(Opcode::LLVMBitCast, bits, float);
        b.cast(Opcode::LLVMFPTrunc, odd, half)
    }
}
