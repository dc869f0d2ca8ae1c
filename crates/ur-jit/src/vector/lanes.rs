//! What has no vector form: each lane in turn.

use super::Refused;
use super::cfg::{BlockId, InstId, Operand};
use super::emit::{Emitter, Mask, Repr};
use crate::llvm::edit::{Kind, Opcode, Type, Value};

/// Lanes up to which a memory access is written out for each.
const MOST_IN_A_ROW: u32 = 32;

/// An operand whose values for the lanes are picked one by one.
enum Each<'m> {
    /// The first lane's, and the distance to the next one's.
    Stride(Value<'m>, i64),
    /// In memory, with their type and the one they have there.
    Memory(Value<'m>, Type<'m>, Type<'m>),
    /// Extended from shorter ones.
    Extended(Opcode, Type<'m>, Box<Each<'m>>),
    /// Addresses, as an instruction computes them from a base and an index.
    Element(Value<'m>, Value<'m>, Box<Each<'m>>),
}

impl<'m> Emitter<'_, 'm> {
    /// The value of the lane with the number `lane`, of 64 bits.
    fn nth(&self, first: Value<'m>, stride: i64, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        let by = b.binary(Opcode::LLVMMul, lane, lane.ty().int(stride));
        let ty = first.ty();
        if ty.is_ptr() {
            return b.ptr_add(first, by);
        }
        let by = match ty.bits() {
            64 => by,
            ..64 => b.cast(Opcode::LLVMTrunc, by, ty),
            _ => b.cast(Opcode::LLVMSExt, by, ty),
        };
        b.binary(Opcode::LLVMAdd, first, by)
    }

    /// Carries out an instruction for one lane after the other, in a loop over the lanes of a mask
    /// that has one.
    pub(super) fn each_lane(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        if self.is_all(mask) && self.lanes <= MOST_IN_A_ROW {
            let access = matches!(
                inst.op,
                Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAtomicRMW
            );
            if access && inst.ty.kind() != Kind::LLVMStructTypeKind {
                self.in_a_row(id);
                return Ok(());
            }
        }
        let operands: Vec<Each<'m>> = inst
            .operands
            .clone()
            .into_iter()
            .map(|o| self.each(o, inst.block))
            .collect();
        let parts: Vec<Type<'m>> = match inst.ty.kind() {
            Kind::LLVMVoidTypeKind => Vec::new(),
            Kind::LLVMStructTypeKind => inst.ty.members(),
            _ => vec![inst.ty],
        };
        let results: Vec<(Value<'m>, Type<'m>, Type<'m>)> = parts
            .iter()
            .map(|part| {
                let stored = self.stored_type(*part);
                let place = self.passing_memory(stored.array(u64::from(self.lanes)));
                (place, *part, stored)
            })
            .collect();

        let wide = b.int_type(64);
        let bits = self.bits(mask.lanes);
        let bits = if self.lanes < 64 {
            b.cast(Opcode::LLVMZExt, bits, wide)
        } else {
            bits
        };
        let before = b.current();
        let (turn, done) = (b.block(self.target, "lane"), b.block(self.target, "lanes"));
        b.br(turn);
        b.at_end(turn);
        let left = b.phi(wide);
        left.add_incoming(bits, before);
        let lane = b.call_intrinsic("llvm.cttz", &[wide], &[left, b.int_type(1).ones()]);
        let operands: Vec<Value<'m>> = operands.iter().map(|o| self.pick(o, lane)).collect();
        let plain = if inst.op == Opcode::LLVMAtomicRMW {
            self.modify(inst.raw, operands[0], operands[1])
        } else {
            None
        };
        let made = if let Some(old) = plain {
            old
        } else {
            let copy = b.repeat(inst.raw);
            for (at, operand) in operands.into_iter().enumerate() {
                copy.set_operand(at as u32, operand);
            }
            copy
        };
        for (at, (place, part, stored)) in results.iter().enumerate() {
            let value = if inst.ty.kind() == Kind::LLVMStructTypeKind {
                b.extract_value(made, at as u32)
            } else {
                made
            };
            let value = if stored == part {
                value
            } else {
                b.cast(Opcode::LLVMZExt, value, *stored)
            };
            let to = b.gep(*stored, *place, &[lane], None);
            b.store(value, to, self.natural(*stored));
        }
        let less = b.binary(Opcode::LLVMSub, left, wide.int(1));
        let rest = b.binary(Opcode::LLVMAnd, left, less);
        let more = self.is_set(rest);
        left.add_incoming(rest, b.current());
        b.cond_br(more, turn, done);
        b.at_end(done);
        let mut reprs: Vec<Repr<'m>> = results
            .iter()
            .map(|(place, part, stored)| {
                let ty = self.vector_of(*stored);
                let all = b.load(ty, *place, self.natural(*stored));
                let all = if stored == part {
                    all
                } else {
                    b.cast(Opcode::LLVMTrunc, all, self.vector_of(*part))
                };
                Repr::Vector(all)
            })
            .collect();
        match inst.ty.kind() {
            Kind::LLVMVoidTypeKind => {}
            Kind::LLVMStructTypeKind => self.set(id, Repr::Members(reprs)),
            _ => self.set(id, reprs.remove(0)),
        }
        Ok(())
    }

    /// Carries out a memory access for all lanes without a loop.
    fn in_a_row(&mut self, id: InstId) {
        let b = self.b;
        let inst = &self.f.insts[id];
        let operands: Vec<Each<'m>> = inst
            .operands
            .clone()
            .into_iter()
            .map(|operand| self.each(operand, inst.block))
            .collect();
        let has_result = !inst.ty.is_void() && !inst.users.is_empty();
        let ty = if has_result { inst.ty } else { b.int_type(1) };
        let mut result = self.vector_of(ty).poison();
        for lane in 0..self.lanes {
            let lane = b.int_type(64).int(i64::from(lane));
            let values: Vec<Value<'m>> = operands.iter().map(|o| self.pick(o, lane)).collect();
            let plain = if inst.op == Opcode::LLVMAtomicRMW {
                self.modify(inst.raw, values[0], values[1])
            } else {
                None
            };
            let made = plain.unwrap_or_else(|| {
                let copy = b.repeat(inst.raw);
                for (at, value) in values.into_iter().enumerate() {
                    copy.set_operand(at as u32, value);
                }
                copy
            });
            if has_result {
                result = b.insert_element(result, made, lane);
            }
        }
        if has_result {
            self.set(id, Repr::Vector(result));
        }
    }

    /// An operand from which the lanes' values are picked one by one. What differs in no known way goes
    /// through memory: picking an element by a number would do the same each time.
    fn each(&mut self, operand: Operand<'m>, block: BlockId) -> Each<'m> {
        if let Repr::Scalar(first, stride) = self.repr(operand) {
            return Each::Stride(first, stride);
        }
        // An address is computed by each lane: there are scalar registers enough, and an index is
        // short. What instructions of another block use need not be at hand here.
        if let Operand::Inst(id) = operand
            && let inst = &self.f.insts[id]
            && inst.block == block
            && inst.op == Opcode::LLVMGetElementPtr
            && inst.operands.len() == 2
            && let [base, index] = inst.operands[..]
            && self.is_uniform(base)
        {
            let base = self.scalar(base);
            let index = Box::new(self.each(index, block));
            return Each::Element(inst.raw, base, index);
        }
        if let Operand::Inst(id) = operand
            && let inst = &self.f.insts[id]
            && inst.block == block
            && let Opcode::LLVMZExt | Opcode::LLVMSExt = inst.op
            && inst.raw.operand(0).ty().bits() >= 8
        {
            let (op, ty) = (inst.op, inst.ty);
            let inner = Box::new(self.each(inst.operands[0], block));
            return Each::Extended(op, ty, inner);
        }
        let all = self.vector(operand);
        let element = all.ty().element();
        let (kept, stored) = self.storable(all, element);
        let place = self.passing_memory(stored.array(u64::from(self.lanes)));
        self.b.store(kept, place, self.natural(stored));
        Each::Memory(place, element, stored)
    }

    /// The value of the lane with the number `lane`, of 64 bits.
    fn pick(&self, each: &Each<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        match each {
            Each::Stride(first, 0) => *first,
            Each::Stride(first, stride) => self.nth(*first, *stride, lane),
            Each::Memory(place, element, stored) => {
                let at = b.gep(*stored, *place, &[lane], None);
                let value = b.load(*stored, at, self.natural(*stored));
                if stored == element {
                    value
                } else {
                    b.cast(Opcode::LLVMTrunc, value, *element)
                }
            }
            Each::Extended(op, ty, inner) => b.cast(*op, self.pick(inner, lane), *ty),
            Each::Element(like, base, index) => {
                let index = self.pick(index, lane);
                b.gep(like.gep_type(), *base, &[index], None)
            }
        }
    }

    /// The type as which an element stands in memory: of whole bytes.
    pub(super) fn stored_type(&self, ty: Type<'m>) -> Type<'m> {
        if !ty.is_int() {
            return ty;
        }
        self.b.int_type(ty.bits().next_power_of_two().max(8))
    }

    pub(super) fn storable(&self, all: Value<'m>, element: Type<'m>) -> (Value<'m>, Type<'m>) {
        let stored = self.stored_type(element);
        if stored == element {
            return (all, stored);
        }
        let ty = self.vector_of(stored);
        (self.b.cast(Opcode::LLVMZExt, all, ty), stored)
    }

    fn natural(&self, ty: Type<'m>) -> u32 {
        u32::try_from(self.b.size_of(ty)).unwrap_or(1).min(16)
    }
}
