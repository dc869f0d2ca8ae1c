//! Writes the phases: copies of the pieces that run from one wait to the next.

use std::collections::HashMap;

use super::NONE;
use super::layout::alignment;
use super::set::Set;
use super::whole::{End, Id, Whole};
use crate::item::item;
use crate::llvm::edit::{Block, Builder, IntPredicate, Opcode, Type, Value};

/// A value that lives across a wait.
pub(super) enum Kept<'m> {
    /// In the frame, and as a variable of the function that the copies of a phase share.
    Stored { offset: u64, variable: Value<'m> },
    /// Computed again at the start of a phase; as a variable too.
    Again { variable: Value<'m> },
}

/// Memory of the function.
pub(super) enum Memory<'m> {
    /// Of the function that runs phases.
    Here(Value<'m>),
    /// In the frame.
    Frame(u64),
}

/// What the phases are written from.
pub(super) struct Splitter<'a, 'm> {
    pub(super) b: &'a Builder<'m>,
    pub(super) whole: &'a Whole<'m>,
    pub(super) to: Value<'m>,
    pub(super) alive: &'a [Set],
    pub(super) kept: HashMap<Id, Kept<'m>>,
    pub(super) memory: HashMap<Id, Memory<'m>>,
    pub(super) record_bytes: u64,
    pub(super) stride: u64,
    /// Whether all sub-groups always wait at the same place, see [`Whole::is_in_step`].
    pub(super) in_step: bool,
}

/// One phase.
struct Phase<'m> {
    /// What stands for the function's parameters.
    params: Vec<Value<'m>>,
    /// The sub-group's record.
    record: Value<'m>,
    /// Where a sub-group goes that has done its part, with the key that it then waits with.
    latch: Block<'m>,
    /// Nothing where all wait with the same.
    next_key: Option<Value<'m>>,
    /// Copies of pieces and of instructions.
    blocks: HashMap<usize, Block<'m>>,
    copies: HashMap<Id, Value<'m>>,
    /// Values computed in this phase.
    made: Set,
    /// Phis, what they get, and along which way.
    ways: Vec<(Id, Value<'m>, Block<'m>)>,
}

impl<'m> Splitter<'_, 'm> {
    fn field(&self, record: Value<'m>, offset: i64) -> Value<'m> {
        self.b.ptr_add(record, self.b.int_type(64).int(offset))
    }

    fn slot(&self, record: Value<'m>, offset: u64) -> Value<'m> {
        self.field(record, (self.record_bytes + offset).cast_signed())
    }

    /// Writes the loop of a phase.
    pub(super) fn phase(&self, key: u32, starts: &[usize], reached: &[usize], head: Block<'m>) {
        let b = self.b;
        let (wide, word) = (b.int_type(64), b.int_type(32));
        let none = word.int(NONE);
        let [turn, mine, latch, out] =
            ["turn", "mine", "latch", "out"].map(|name| b.block(self.to, name));
        let params = self.to.params();
        b.at_end(head);
        b.br(turn);
        b.at_end(turn);
        let index = b.phi(wide);
        index.add_incoming(wide.zero(), head);
        let lowest = (!self.in_step).then(|| b.phi(word));
        let offset = b.binary(Opcode::LLVMMul, index, wide.int(self.stride.cast_signed()));
        let record = b.ptr_add(params[0], offset);
        let mut next_key = None;
        if let Some(lowest) = lowest {
            lowest.add_incoming(none, head);
            let others = b.block(self.to, "others");
            let waits = b.load(word, self.field(record, item::KEY), 4);
            let is_mine = b.icmp(IntPredicate::LLVMIntEQ, waits, word.int(i64::from(key)));
            b.cond_br(is_mine, mine, others);
            b.at_end(others);
            let done = b.icmp(IntPredicate::LLVMIntEQ, waits, word.zero());
            let other_key = b.select(done, none, waits);
            b.br(latch);
            b.at_end(latch);
            let phi = b.phi(word);
            phi.add_incoming(other_key, others);
            next_key = Some(phi);
        } else {
            b.br(mine);
            b.at_end(latch);
        }
        let following = match (lowest, next_key) {
            (Some(lowest), Some(next_key)) => {
                let lower = b.call_intrinsic("llvm.umin", &[word], &[lowest, next_key]);
                lowest.add_incoming(lower, latch);
                lower
            }
            _ => match self.whole.outcomes(reached)[..] {
                [Some(key)] => word.int(i64::from(key)),
                _ => none,
            },
        };
        let next = b.binary(Opcode::LLVMAdd, index, wide.int(1));
        let more = b.icmp(IntPredicate::LLVMIntNE, next, params[3]);
        index.add_incoming(next, latch);
        b.cond_br(more, turn, out);
        b.at_end(out);
        b.ret(following);

        b.at_end(mine);
        let items = b.load(word, self.field(record, item::ITEMS), 4);
        let mut made = Set::new(self.whole.insts.len());
        for piece in reached {
            self.whole.pieces[*piece]
                .insts
                .iter()
                .for_each(|id| made.add(*id));
        }
        let mut phase = Phase {
            params: vec![record, params[1], params[2], items],
            record,
            latch,
            next_key,
            blocks: HashMap::new(),
            copies: HashMap::new(),
            made,
            ways: Vec::new(),
        };
        for piece in reached {
            phase.blocks.insert(*piece, b.block(self.to, "piece"));
        }
        let begins: Vec<Block<'m>> = starts.iter().map(|_| b.block(self.to, "start")).collect();
        if let [only] = begins[..] {
            b.br(only);
        } else {
            let at = b.load(word, self.field(record, item::PLACE), 4);
            let cases: Vec<(i64, Block<'m>)> = starts
                .iter()
                .zip(&begins)
                .map(|(piece, block)| (*piece as i64, *block))
                .collect();
            // One of them it is.
            b.switch(at, begins[0], &cases[1..]);
        }
        for (piece, begin) in starts.iter().zip(&begins) {
            b.at_end(*begin);
            self.restore(*piece, &phase);
            b.br(phase.blocks[piece]);
        }
        for piece in reached {
            self.piece(*piece, &mut phase);
        }
        for (id, value, from) in std::mem::take(&mut phase.ways) {
            phase.copies[&id].add_incoming(value, from);
        }
    }

    /// Gives variables their values at the start of a phase.
    fn restore(&self, piece: usize, phase: &Phase<'m>) {
        let b = self.b;
        let mut known = HashMap::new();
        for id in self.alive[piece].all() {
            match self.kept.get(&id) {
                Some(Kept::Stored { offset, variable }) => {
                    let value = self.fetch(id, *offset, phase, &mut known);
                    b.store(value, *variable, alignment(b, value.ty()));
                }
                Some(Kept::Again { variable }) => {
                    let value = self.again(self.whole.insts[id], phase, &mut known);
                    b.store(value, *variable, alignment(b, value.ty()));
                }
                None => {}
            }
        }
    }

    /// A value from the frame.
    fn fetch(
        &self,
        id: Id,
        offset: u64,
        phase: &Phase<'m>,
        known: &mut HashMap<Id, Value<'m>>,
    ) -> Value<'m> {
        if let Some(value) = known.get(&id) {
            return *value;
        }
        let b = self.b;
        let ty = self.whole.insts[id].ty();
        let from = self.slot(phase.record, offset);
        let value = match bits(b, ty) {
            Some((plain, stored)) => {
                let all = b.load(stored, from, alignment(b, stored));
                let all = if plain == stored {
                    all
                } else {
                    b.cast(Opcode::LLVMTrunc, all, plain)
                };
                b.cast(Opcode::LLVMBitCast, all, ty)
            }
            None => b.load(ty, from, alignment(b, ty)),
        };
        known.insert(id, value);
        value
    }

    /// Computes a value again.
    fn again(
        &self,
        value: Value<'m>,
        phase: &Phase<'m>,
        known: &mut HashMap<Id, Value<'m>>,
    ) -> Value<'m> {
        if let Some(param) = self.whole.params.iter().position(|p| *p == value) {
            return phase.params[param];
        }
        let Some(id) = self.whole.ids.get(&value).copied() else {
            return value;
        };
        if let Some(made) = known.get(&id) {
            return *made;
        }
        if self.memory.contains_key(&id) {
            return self.memory_of(id, phase);
        }
        if let Some(Kept::Stored { offset, .. }) = self.kept.get(&id) {
            return self.fetch(id, *offset, phase, known);
        }
        let operands: Vec<Value<'m>> = (0..value.operand_count())
            .map(|i| self.again(value.operand(i), phase, known))
            .collect();
        let copy = self.b.repeat(value);
        for (i, operand) in operands.into_iter().enumerate() {
            copy.set_operand(i as u32, operand);
        }
        known.insert(id, copy);
        copy
    }

    fn memory_of(&self, id: Id, phase: &Phase<'m>) -> Value<'m> {
        match self.memory[&id] {
            Memory::Here(at) => at,
            Memory::Frame(offset) => self.slot(phase.record, offset),
        }
    }

    /// Stores what lives across the wait at the end of a piece. What this phase did not compute is
    /// there already.
    fn save(&self, next: usize, phase: &Phase<'m>, here: &mut HashMap<Id, Value<'m>>) {
        let b = self.b;
        for id in self.alive[next].all() {
            let Some(Kept::Stored { offset, .. }) = self.kept.get(&id) else {
                continue;
            };
            if !phase.made.has(id) {
                continue;
            }
            let value = self.value(self.whole.insts[id], phase, here);
            let value = match bits(b, value.ty()) {
                Some((plain, stored)) => {
                    let all = b.cast(Opcode::LLVMBitCast, value, plain);
                    if plain == stored {
                        all
                    } else {
                        b.cast(Opcode::LLVMZExt, all, stored)
                    }
                }
                None => value,
            };
            let to = self.slot(phase.record, *offset);
            b.store(value, to, alignment(b, value.ty()));
        }
    }

    /// A value of the function in a phase's copy of a piece, `here` being those known in it.
    fn value(
        &self,
        value: Value<'m>,
        phase: &Phase<'m>,
        here: &mut HashMap<Id, Value<'m>>,
    ) -> Value<'m> {
        if let Some(param) = self.whole.params.iter().position(|p| *p == value) {
            return phase.params[param];
        }
        let Some(id) = self.whole.ids.get(&value).copied() else {
            return value;
        };
        if let Some(known) = here.get(&id) {
            return *known;
        }
        if self.memory.contains_key(&id) {
            return self.memory_of(id, phase);
        }
        match self.kept.get(&id) {
            Some(Kept::Stored { variable, .. } | Kept::Again { variable }) => {
                let ty = value.ty();
                let loaded = self.b.load(ty, *variable, alignment(self.b, ty));
                here.insert(id, loaded);
                loaded
            }
            None => phase
                .copies
                .get(&id)
                .copied()
                .unwrap_or_else(|| value.ty().poison()),
        }
    }

    /// Writes a phase's copy of a piece.
    fn piece(&self, piece: usize, phase: &mut Phase<'m>) {
        let b = self.b;
        let word = b.int_type(32);
        b.at_end(phase.blocks[&piece]);
        let mut here: HashMap<Id, Value<'m>> = HashMap::new();
        let insts = &self.whole.pieces[piece].insts;
        let phis = self.whole.phis(piece).count();
        for id in &insts[..phis] {
            let copy = b.phi(self.whole.insts[*id].ty());
            here.insert(*id, copy);
            phase.copies.insert(*id, copy);
        }
        let keep = |id: Id, value: Value<'m>| {
            if let Some(Kept::Stored { variable, .. } | Kept::Again { variable }) =
                self.kept.get(&id)
            {
                b.store(value, *variable, alignment(b, value.ty()));
            }
        };
        for id in &insts[..phis] {
            keep(*id, here[id]);
        }
        for id in &insts[phis..] {
            if self.memory.contains_key(id) {
                continue;
            }
            let inst = self.whole.insts[*id];
            let operands: Vec<Value<'m>> = (0..inst.operand_count())
                .map(|i| self.value(inst.operand(i), phase, &mut here))
                .collect();
            let copy = b.repeat(inst);
            for (i, operand) in operands.into_iter().enumerate() {
                copy.set_operand(i as u32, operand);
            }
            here.insert(*id, copy);
            phase.copies.insert(*id, copy);
            keep(*id, copy);
        }
        let leave = |key: Value<'m>, next_key: Value<'m>| {
            if let Some(phi) = phase.next_key {
                b.store(key, self.field(phase.record, item::KEY), 4);
                phi.add_incoming(next_key, b.current());
            }
            b.br(phase.latch);
        };
        match &self.whole.pieces[piece].end {
            End::Wait(key, next) => {
                self.save(*next, phase, &mut here);
                let place = word.int(*next as i64);
                b.store(place, self.field(phase.record, item::PLACE), 4);
                let key = word.int(i64::from(*key));
                leave(key, key);
            }
            End::Go(terminator) if terminator.opcode() == Opcode::LLVMRet => {
                leave(word.zero(), word.int(NONE));
            }
            End::Go(terminator) => {
                let block = phase.blocks[&piece];
                for to in self.whole.next(piece) {
                    for id in self.whole.phis(to) {
                        for (value, from) in self.whole.insts[id].incoming() {
                            if from.terminator() == *terminator {
                                let value = self.value(value, phase, &mut here);
                                phase.ways.push((id, value, block));
                            }
                        }
                    }
                }
                let successors = terminator.successors();
                let condition = (successors.len() > 1)
                    .then(|| self.value(terminator.operand(0), phase, &mut here));
                let copy = b.repeat(*terminator);
                if let Some(condition) = condition {
                    copy.set_operand(0, condition);
                }
                for (i, block) in successors.iter().enumerate() {
                    let to = phase.blocks[&self.whole.first[block]];
                    copy.set_successor(i as u32, to);
                }
            }
        }
    }
}

/// The integer that a vector of bits stands in memory as: first one of as many bits, then one of whole
/// bytes.
fn bits<'m>(b: &Builder<'m>, ty: Type<'m>) -> Option<(Type<'m>, Type<'m>)> {
    if !ty.is_vector() || !ty.element().is_int() || ty.element().bits() != 1 {
        return None;
    }
    let count = ty.lanes();
    Some((
        b.int_type(count),
        b.int_type(count.next_power_of_two().max(8)),
    ))
}
