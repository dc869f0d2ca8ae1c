//! Loads, stores and private variables.

use super::cfg::{InstId, Operand};
use super::emit::{Emitter, Mask, Repr};
use super::{Refused, shape};
use crate::llvm::edit::{IntPredicate, Opcode, RmwOp, Type, Value};

impl<'m> Emitter<'_, 'm> {
    /// Whether memory holds values of the type just as a vector does.
    fn is_whole(&self, ty: Type<'m>) -> bool {
        let bytes = self.b.store_size(ty);
        self.b.size_of(ty) == bytes && (!ty.is_int() || u64::from(ty.bits()) == 8 * bytes)
    }

    pub(super) fn load(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        if shape::field(self.f, id).is_some()
            && let shape::Shape::Stride(by) = self.shape(id)
        {
            let copy = self.repeat(id);
            self.set(id, Repr::Scalar(copy, by));
            return Ok(());
        }
        if !self.is_whole(inst.ty) || inst.raw.is_special_access() {
            return self.each_lane(id, mask);
        }
        let align = inst.raw.align();
        let ty = self.vector_of(inst.ty);
        let size = self.b.store_size(inst.ty).cast_signed();
        let poison = ty.poison();
        let value = match self.repr(inst.operands[0]) {
            Repr::Scalar(_, 0) => {
                let copy = self.repeat(id);
                self.set(id, Repr::Scalar(copy, 0));
                return Ok(());
            }
            Repr::Scalar(base, stride) if stride == size => {
                self.masked_load(ty, base, align, mask.lanes)
            }
            Repr::Scalar(base, stride) if stride == -size => {
                let back = i64::from(self.lanes - 1) * stride;
                let first = self.b.ptr_add(base, self.b.int_type(64).int(back));
                let lanes = self.reversed(mask.lanes);
                let loaded = self.masked_load(ty, first, align, lanes);
                self.reversed(loaded)
            }
            // What LLVM makes of it without such instructions is a branch for each lane.
            _ if !self.features.avx512 => return self.each_lane(id, mask),
            _ => {
                let address = self.vector(inst.operands[0]);
                let align = self.b.int_type(32).int(i64::from(align));
                self.b.call_intrinsic(
                    "llvm.masked.gather",
                    &[ty, address.ty()],
                    &[address, align, mask.lanes, poison],
                )
            }
        };
        self.set(id, Repr::Vector(value));
        Ok(())
    }

    fn masked_load(
        &self,
        ty: Type<'m>,
        from: Value<'m>,
        align: u32,
        lanes: Value<'m>,
    ) -> Value<'m> {
        let align = self.b.int_type(32).int(i64::from(align));
        self.b.call_intrinsic(
            "llvm.masked.load",
            &[ty, self.b.ptr_type()],
            &[from, align, lanes, ty.poison()],
        )
    }

    /// The elements of a vector from the last to the first.
    fn reversed(&self, vector: Value<'m>) -> Value<'m> {
        let order: Vec<u32> = (0..self.lanes).rev().collect();
        self.b.shuffle(vector, vector.ty().poison(), &order)
    }

    pub(super) fn store(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        let [value, address] = inst.operands[..] else {
            return Err(Refused::new("a store of another form"));
        };
        let ty = inst.raw.operand(0).ty();
        if !ty.is_scalar() {
            return Err(Refused::new("a store of a structure"));
        }
        if !self.is_whole(ty) || inst.raw.is_special_access() {
            return self.each_lane(id, mask);
        }
        let align = inst.raw.align();
        let size = self.b.store_size(ty).cast_signed();
        match self.repr(address) {
            Repr::Scalar(to, 0) => {
                // All lanes store to one place; the last one's value stays.
                let stored = if self.is_uniform(value) {
                    self.scalar(value)
                } else {
                    let all = self.vector(value);
                    let last = self.last(mask.lanes);
                    self.b.extract_element(all, last)
                };
                self.b.store(stored, to, align);
            }
            Repr::Scalar(to, stride) if stride == size => {
                let all = self.vector(value);
                self.masked_store(all, to, align, mask.lanes);
            }
            Repr::Scalar(to, stride) if stride == -size => {
                let all = self.vector(value);
                let back = i64::from(self.lanes - 1) * stride;
                let first = self.b.ptr_add(to, self.b.int_type(64).int(back));
                let lanes = self.reversed(mask.lanes);
                let all = self.reversed(all);
                self.masked_store(all, first, align, lanes);
            }
            _ if !self.features.avx512 => return self.each_lane(id, mask),
            _ => {
                let all = self.vector(value);
                let to = self.vector(address);
                let align = self.b.int_type(32).int(i64::from(align));
                self.b.call_intrinsic(
                    "llvm.masked.scatter",
                    &[all.ty(), to.ty()],
                    &[all, to, align, mask.lanes],
                );
            }
        }
        Ok(())
    }

    fn masked_store(&self, value: Value<'m>, to: Value<'m>, align: u32, lanes: Value<'m>) {
        let align = self.b.int_type(32).int(i64::from(align));
        self.b.call_intrinsic(
            "llvm.masked.store",
            &[value.ty(), self.b.ptr_type()],
            &[value, to, align, lanes],
        );
    }

    /// Number of the last lane of a mask that has one.
    fn last(&self, lanes: Value<'m>) -> Value<'m> {
        let bits = self.bits(lanes);
        let ty = bits.ty();
        let zeros = self
            .b
            .call_intrinsic("llvm.ctlz", &[ty], &[bits, self.b.int_type(1).zero()]);
        self.b
            .binary(Opcode::LLVMSub, ty.int(i64::from(self.lanes) - 1), zeros)
    }

    /// A private variable: each lane's own behind the one before.
    pub(super) fn private(&mut self, id: InstId) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        if !matches!(inst.operands[..], [Operand::Constant(count)] if count.constant_int() == Some(1))
        {
            return Err(Refused::new("private variables of a variable number"));
        }
        let stride = shape::private_stride(self.b, self.f, id);
        let bytes = stride.unsigned_abs() * u64::from(self.lanes);
        let ty = self.b.int_type(8).array(bytes);
        let memory = self.alloca(ty, inst.raw.align());
        self.set(id, Repr::Scalar(memory, stride));
        Ok(())
    }

    /// An atomic operation. Where all lanes add to one place and nobody looks at the result, they
    /// add their sum.
    pub(super) fn atomic(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        let [address, value] = inst.operands[..] else {
            return Err(Refused::new("an atomic operation of another form"));
        };
        let reduction = match inst.raw.rmw_op() {
            RmwOp::LLVMAtomicRMWBinOpAdd => Some("llvm.vector.reduce.add"),
            RmwOp::LLVMAtomicRMWBinOpAnd => Some("llvm.vector.reduce.and"),
            RmwOp::LLVMAtomicRMWBinOpOr => Some("llvm.vector.reduce.or"),
            RmwOp::LLVMAtomicRMWBinOpXor => Some("llvm.vector.reduce.xor"),
            RmwOp::LLVMAtomicRMWBinOpMax => Some("llvm.vector.reduce.smax"),
            RmwOp::LLVMAtomicRMWBinOpMin => Some("llvm.vector.reduce.smin"),
            RmwOp::LLVMAtomicRMWBinOpUMax => Some("llvm.vector.reduce.umax"),
            RmwOp::LLVMAtomicRMWBinOpUMin => Some("llvm.vector.reduce.umin"),
            _ => None,
        };
        let Some(reduction) = reduction
            .filter(|_| inst.users.is_empty() && inst.ty.is_int() && self.is_uniform(address))
        else {
            return self.each_lane(id, mask);
        };
        let all = self.vector(value);
        let ty = inst.ty;
        // What leaves the other operand as it is.
        let bits = ty.bits();
        let neutral = match inst.raw.rmw_op() {
            RmwOp::LLVMAtomicRMWBinOpAnd | RmwOp::LLVMAtomicRMWBinOpUMin => ty.int(-1),
            RmwOp::LLVMAtomicRMWBinOpMax => ty.int(i64::MIN >> (64 - bits.min(64))),
            RmwOp::LLVMAtomicRMWBinOpMin => ty.int(!(i64::MIN >> (64 - bits.min(64)))),
            _ => ty.int(0),
        };
        let neutral = self.b.splat(neutral, self.lanes);
        let all = self.b.select(mask.lanes, all, neutral);
        let one = self.b.call_intrinsic(reduction, &[all.ty()], &[all]);
        let to = self.scalar(address);
        if self.modify(inst.raw, to, one).is_some() {
            return Ok(());
        }
        let copy = self.b.repeat(inst.raw);
        copy.set_operand(0, to);
        copy.set_operand(1, one);
        Ok(())
    }

    /// An atomic operation on memory that no other thread reaches, as a load and a store; nothing for
    /// others. Returns the old value.
    pub(super) fn modify(
        &self,
        like: Value<'m>,
        at: Value<'m>,
        value: Value<'m>,
    ) -> Option<Value<'m>> {
        if !like.is_single_thread() {
            return None;
        }
        let b = self.b;
        let ty = value.ty();
        let align = like.align();
        enum How {
            Binary(Opcode),
            Choose(IntPredicate),
            Set,
        }
        let how = match like.rmw_op() {
            RmwOp::LLVMAtomicRMWBinOpXchg => How::Set,
            RmwOp::LLVMAtomicRMWBinOpAdd => How::Binary(Opcode::LLVMAdd),
            RmwOp::LLVMAtomicRMWBinOpSub => How::Binary(Opcode::LLVMSub),
            RmwOp::LLVMAtomicRMWBinOpAnd => How::Binary(Opcode::LLVMAnd),
            RmwOp::LLVMAtomicRMWBinOpOr => How::Binary(Opcode::LLVMOr),
            RmwOp::LLVMAtomicRMWBinOpXor => How::Binary(Opcode::LLVMXor),
            RmwOp::LLVMAtomicRMWBinOpFAdd => How::Binary(Opcode::LLVMFAdd),
            RmwOp::LLVMAtomicRMWBinOpMax => How::Choose(IntPredicate::LLVMIntSGT),
            RmwOp::LLVMAtomicRMWBinOpMin => How::Choose(IntPredicate::LLVMIntSLT),
            RmwOp::LLVMAtomicRMWBinOpUMax => How::Choose(IntPredicate::LLVMIntUGT),
            RmwOp::LLVMAtomicRMWBinOpUMin => How::Choose(IntPredicate::LLVMIntULT),
            _ => return None,
        };
        let old = b.load(ty, at, align);
        let new = match how {
            How::Set => value,
            How::Binary(op) => b.binary(op, old, value),
            How::Choose(predicate) => {
                let keeps = b.icmp(predicate, old, value);
                b.select(keeps, old, value)
            }
        };
        b.store(new, at, align);
        Some(old)
    }

    /// Whether a lane's bit is set.
    pub(super) fn is_set(&self, bits: Value<'m>) -> Value<'m> {
        self.b.icmp(IntPredicate::LLVMIntNE, bits, bits.ty().zero())
    }
}
