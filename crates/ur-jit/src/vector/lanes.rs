//! What has no vector form: each lane in turn.

use super::Refused;
use super::cfg::InstId;
use super::emit::{Emitter, Mask, Repr};
use crate::llvm::edit::{Kind, Opcode, Type, Value};

/// Where a lane's operand comes from.
enum Place<'m> {
    /// It is the same for all.
    Same(Value<'m>),
    /// Lane 0's value, and what each lane adds.
    Linear(Value<'m>, i64),
    /// Memory, the element's type, and the one it has there.
    Memory(Value<'m>, Type<'m>, Type<'m>),
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
        // Operands that differ in no known way go through memory: picking an element by a number would do the same
        // each time.
        let mut places = Vec::new();
        for operand in inst.operands.clone() {
            let uniform = self.is_uniform(operand);
            if uniform {
                places.push(Place::Same(self.scalar(operand)));
                continue;
            }
            if let Repr::Scalar(first, stride) = self.repr(operand) {
                places.push(Place::Linear(first, stride));
                continue;
            }
            let all = self.vector(operand);
            let element = all.ty().element();
            let (kept, stored) = self.storable(all, element);
            let place = self.passing_memory(stored.array(u64::from(self.lanes)));
            b.store(kept, place, self.natural(stored));
            places.push(Place::Memory(place, element, stored));
        }
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
        let operands: Vec<Value<'m>> = places
            .iter()
            .map(|place| match place {
                Place::Same(value) => *value,
                Place::Linear(first, stride) => self.nth(*first, *stride, lane),
                Place::Memory(place, element, stored) => {
                    let at = b.gep(*stored, *place, &[lane], None);
                    let value = b.load(*stored, at, self.natural(*stored));
                    if stored == element {
                        value
                    } else {
                        b.cast(Opcode::LLVMTrunc, value, *element)
                    }
                }
            })
            .collect();
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
