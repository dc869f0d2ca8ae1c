//! Loads, stores and private variables.

use super::cfg::{InstId, Operand};
use super::emit::{Emitter, Mask, Repr};
use super::{Refused, shape};
use crate::llvm::edit::{IntPredicate, Opcode, RmwOp, Type, Value};

/// Neighbouring elements in memory, one for each lane.
struct Run<'m> {
    /// The lowest address.
    first: Value<'m>,
    /// Whether lane 0's element is the last one.
    backwards: bool,
    /// Whether the processor has masked accesses to such elements.
    masked: bool,
}

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
        let size = self.b.store_size(inst.ty).cast_signed();
        match self.repr(inst.operands[0]) {
            Repr::Scalar(_, 0) => {
                let copy = self.repeat(id);
                self.set(id, Repr::Scalar(copy, 0));
                Ok(())
            }
            Repr::Scalar(base, stride) if stride == size || stride == -size => {
                let run = self.run(inst.ty, base, stride);
                self.load_run(id, &run, mask)
            }
            // What LLVM makes of it without such instructions is a branch for each lane.
            _ if !self.features.avx512 => self.each_lane(id, mask),
            _ => {
                let ty = self.vector_of(inst.ty);
                let address = self.vector(inst.operands[0]);
                let align = self.b.int_type(32).int(i64::from(align));
                let value = self.b.call_intrinsic(
                    "llvm.masked.gather",
                    &[ty, address.ty()],
                    &[address, align, mask.lanes, ty.poison()],
                );
                self.set(id, Repr::Vector(value));
                Ok(())
            }
        }
    }

    /// The memory of neighbouring elements, one for each lane, where lane 0's is at `base`.
    fn run(&self, element: Type<'m>, base: Value<'m>, stride: i64) -> Run<'m> {
        let backwards = stride < 0;
        Run {
            first: if backwards {
                let back = i64::from(self.lanes - 1) * stride;
                self.b.ptr_add(base, self.b.int_type(64).int(back))
            } else {
                base
            },
            backwards,
            masked: self.features.avx512 || (self.features.avx2 && self.b.store_size(element) >= 4),
        }
    }

    fn load_run(&mut self, id: InstId, run: &Run<'m>, mask: &Mask<'m>) -> Result<(), Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let ty = self.vector_of(inst.ty);
        let align = inst.raw.align();
        if run.masked {
            let lanes = self.in_order(run, mask.lanes);
            let align = b.int_type(32).int(i64::from(align));
            let args = [run.first, align, lanes, ty.poison()];
            let loaded = b.call_intrinsic("llvm.masked.load", &[ty, b.ptr_type()], &args);
            let value = self.in_order(run, loaded);
            self.set(id, Repr::Vector(value));
            return Ok(());
        }
        let whole = |emitter: &mut Self| {
            let loaded = emitter.b.load(ty, run.first, align);
            emitter.in_order(run, loaded)
        };
        if self.is_all(mask) {
            let value = whole(self);
            self.set(id, Repr::Vector(value));
            return Ok(());
        }
        let value = self.if_all(
            mask,
            |emitter| Ok(Some(whole(emitter))),
            |emitter| {
                emitter.each_lane(id, mask)?;
                Ok(Some(emitter.vector(Operand::Inst(id))))
            },
        )?;
        if let Some(value) = value {
            self.set(id, Repr::Vector(value));
        }
        Ok(())
    }

    /// Whether a mask has all lanes, and always so.
    pub(super) fn is_all(&self, mask: &Mask<'m>) -> bool {
        mask.lanes == mask.lanes.ty().ones()
    }

    /// Does one thing where a mask has all lanes and another where it lacks some. What both give is
    /// joined.
    fn if_all(
        &mut self,
        mask: &Mask<'m>,
        all: impl FnOnce(&mut Self) -> Result<Option<Value<'m>>, Refused>,
        some: impl FnOnce(&mut Self) -> Result<Option<Value<'m>>, Refused>,
    ) -> Result<Option<Value<'m>>, Refused> {
        let b = self.b;
        let full = self.all(mask.lanes);
        if full == full.ty().zero() {
            return some(self);
        }
        let [whole, parts, done] =
            ["whole", "parts", "done"].map(|name| b.block(self.target, name));
        b.cond_br(full, whole, parts);
        b.at_end(whole);
        let one = self.aside(all)?;
        let one_end = b.current();
        b.br(done);
        b.at_end(parts);
        let other = self.aside(some)?;
        let other_end = b.current();
        b.br(done);
        b.at_end(done);
        Ok(one.zip(other).map(|(one, other)| {
            let both = b.phi(one.ty());
            both.add_incoming(one, one_end);
            both.add_incoming(other, other_end);
            both
        }))
    }

    /// The elements of a vector in the order of memory, or back in that of the lanes.
    fn in_order(&self, run: &Run<'m>, vector: Value<'m>) -> Value<'m> {
        if run.backwards {
            self.reversed(vector)
        } else {
            vector
        }
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
            Repr::Scalar(to, stride) if stride == size || stride == -size => {
                let run = self.run(ty, to, stride);
                return self.store_run(id, &run, mask);
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

    fn store_run(&mut self, id: InstId, run: &Run<'m>, mask: &Mask<'m>) -> Result<(), Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let align = inst.raw.align();
        let value = self.vector(inst.operands[0]);
        let whole = |emitter: &mut Self| {
            let value = emitter.in_order(run, value);
            b.store(value, run.first, align);
        };
        let masked = |emitter: &mut Self| {
            let value = emitter.in_order(run, value);
            let lanes = emitter.in_order(run, mask.lanes);
            let align = b.int_type(32).int(i64::from(align));
            let args = [value, run.first, align, lanes];
            b.call_intrinsic("llvm.masked.store", &[value.ty(), b.ptr_type()], &args);
        };
        if self.is_all(mask) {
            whole(self);
        } else if self.features.avx512 {
            masked(self);
        } else {
            // Masked stores are slow on such processors, where there are any.
            self.if_all(
                mask,
                |emitter| {
                    whole(emitter);
                    Ok(None)
                },
                |emitter| {
                    if run.masked {
                        masked(emitter);
                    } else {
                        emitter.each_lane(id, mask)?;
                    }
                    Ok(None)
                },
            )?;
        }
        Ok(())
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
