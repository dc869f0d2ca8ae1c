//! The function that is split: its instructions in pieces without a wait.

use std::collections::HashMap;

use super::set::Set;
use crate::item::{bit, item};
use crate::llvm::edit::{Block, Opcode, Value};

/// Index of an instruction.
pub(super) type Id = usize;

/// A run of instructions without a wait.
pub(super) struct Piece<'m> {
    pub(super) insts: Vec<Id>,
    pub(super) end: End<'m>,
}

pub(super) enum End<'m> {
    /// A wait, and the piece behind it.
    Wait(u32, usize),
    /// A terminator.
    Go(Value<'m>),
}

/// The function that is split.
pub(super) struct Whole<'m> {
    pub(super) insts: Vec<Value<'m>>,
    pub(super) ids: HashMap<Value<'m>, Id>,
    pub(super) params: Vec<Value<'m>>,
    pub(super) pieces: Vec<Piece<'m>>,
    /// The first piece of a block.
    pub(super) first: HashMap<Block<'m>, usize>,
}

impl<'m> Whole<'m> {
    pub(super) fn read(function: Value<'m>) -> Self {
        let mut this = Self {
            insts: Vec::new(),
            ids: HashMap::new(),
            params: function.params(),
            pieces: Vec::new(),
            first: HashMap::new(),
        };
        for block in function.blocks() {
            this.first.insert(block, this.pieces.len());
            let mut insts = Vec::new();
            for inst in block.instructions() {
                let id = this.insts.len();
                this.insts.push(inst);
                this.ids.insert(inst, id);
                if let Some(key) = wait_key(inst) {
                    let next = this.pieces.len() + 1;
                    let insts = std::mem::take(&mut insts);
                    let end = End::Wait(key, next);
                    this.pieces.push(Piece { insts, end });
                } else if inst.is_terminator() {
                    let insts = std::mem::take(&mut insts);
                    let end = End::Go(inst);
                    this.pieces.push(Piece { insts, end });
                } else {
                    insts.push(id);
                }
            }
        }
        this
    }

    /// Pieces that run next without a wait between.
    pub(super) fn next(&self, piece: usize) -> Vec<usize> {
        match &self.pieces[piece].end {
            End::Wait(..) => Vec::new(),
            End::Go(terminator) => terminator
                .successors()
                .iter()
                .map(|block| self.first[block])
                .collect(),
        }
    }

    /// Instructions whose values an instruction reads, for a phi none.
    pub(super) fn operands(&self, inst: Value<'m>) -> Vec<Id> {
        if inst.opcode() == Opcode::LLVMPHI {
            return Vec::new();
        }
        (0..inst.operand_count())
            .filter_map(|i| self.ids.get(&inst.operand(i)).copied())
            .collect()
    }

    /// What phis read at the end of a piece.
    fn handed_on(&self, piece: usize) -> Vec<Id> {
        let End::Go(terminator) = &self.pieces[piece].end else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for to in self.next(piece) {
            for id in self.phis(to) {
                for (value, from) in self.insts[id].incoming() {
                    if from.terminator() == *terminator {
                        all.extend(self.ids.get(&value));
                    }
                }
            }
        }
        all
    }

    /// The phis of a piece.
    pub(super) fn phis(&self, piece: usize) -> impl Iterator<Item = Id> + '_ {
        let insts = &self.pieces[piece].insts;
        insts
            .iter()
            .copied()
            .take_while(|id| self.insts[*id].opcode() == Opcode::LLVMPHI)
    }

    /// The pieces that can be reached from `start` without a wait, in an order in which definitions
    /// come before their uses.
    pub(super) fn reached(&self, starts: &[usize]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.pieces.len()];
        for start in starts {
            if seen[*start] {
                continue;
            }
            seen[*start] = true;
            let mut stack = vec![(*start, self.next(*start))];
            while let Some((at, left)) = stack.last_mut() {
                match left.pop() {
                    Some(to) => {
                        if !seen[to] {
                            seen[to] = true;
                            stack.push((to, self.next(to)));
                        }
                    }
                    None => {
                        order.push(*at);
                        stack.pop();
                    }
                }
            }
        }
        order.reverse();
        order
    }

    /// What can come behind these pieces: the keys of waits, nothing for the end.
    pub(super) fn outcomes(&self, reached: &[usize]) -> Vec<Option<u32>> {
        let mut all = Vec::new();
        for piece in reached {
            let outcome = match &self.pieces[*piece].end {
                End::Wait(key, _) => Some(*key),
                End::Go(terminator) if terminator.opcode() == Opcode::LLVMRet => None,
                End::Go(_) => continue,
            };
            if !all.contains(&outcome) {
                all.push(outcome);
            }
        }
        all
    }

    /// Whether all sub-groups of a work-group go from wait to wait together, because each phase,
    /// with the pieces that it reaches, ends in only one way.
    pub(super) fn is_in_step(&self, phases: &[Vec<usize>]) -> bool {
        phases
            .iter()
            .all(|reached| self.outcomes(reached).len() == 1)
    }

    /// The values that are alive at the start of each piece, `more` being read there too. Memory of
    /// the function is no such value.
    pub(super) fn alive(&self, more: &HashMap<usize, Set>) -> Vec<Set> {
        let count = self.insts.len();
        let mut alive = Vec::with_capacity(self.pieces.len());
        let mut made = Vec::with_capacity(self.pieces.len());
        let mut at_end = Vec::with_capacity(self.pieces.len());
        for (number, piece) in self.pieces.iter().enumerate() {
            let mut read = more
                .get(&number)
                .cloned()
                .unwrap_or_else(|| Set::new(count));
            let mut own = Set::new(count);
            let end = match &piece.end {
                End::Go(terminator) => Some(*terminator),
                End::Wait(..) => None,
            };
            for inst in piece.insts.iter().map(|id| self.insts[*id]).chain(end) {
                for id in self.operands(inst) {
                    if !own.has(id) && self.insts[id].opcode() != Opcode::LLVMAlloca {
                        read.add(id);
                    }
                }
                own.add(self.ids[&inst]);
            }
            let mut handed = Set::new(count);
            for id in self.handed_on(number) {
                if self.insts[id].opcode() != Opcode::LLVMAlloca {
                    handed.add(id);
                }
            }
            alive.push(read);
            made.push(own);
            at_end.push(handed);
        }
        loop {
            let mut changed = false;
            for piece in (0..self.pieces.len()).rev() {
                let mut after = at_end[piece].clone();
                match &self.pieces[piece].end {
                    End::Wait(_, next) => after.add_all(&alive[*next]),
                    End::Go(_) => {
                        for next in self.next(piece) {
                            after.add_all(&alive[next]);
                        }
                    }
                }
                after.remove_all(&made[piece]);
                after.add_all(&alive[piece]);
                if after != alive[piece] {
                    alive[piece] = after;
                    changed = true;
                }
            }
            if !changed {
                return alive;
            }
        }
    }

    /// Parameter and, where it is constant, offset that an address is made of.
    fn place(&self, address: Value<'m>) -> Option<(usize, Option<i64>)> {
        if let Some(param) = self.params.iter().position(|p| *p == address) {
            return Some((param, Some(0)));
        }
        let inst = self.insts[*self.ids.get(&address)?];
        if inst.opcode() != Opcode::LLVMGetElementPtr {
            return None;
        }
        let (param, offset) = self.place(inst.operand(0))?;
        let of = inst.gep_type();
        let by = (inst.operand_count() == 2 && of.is_int())
            .then(|| inst.operand(1).constant_int())
            .flatten()
            .map(|count| count * i64::from(of.bits() / 8));
        Some((param, offset.zip(by).map(|(offset, by)| offset + by)))
    }

    /// The fields of the sub-group's record that are read, as in [`FIELDS`](crate::item::FIELDS).
    pub(super) fn fields(&self) -> u32 {
        let mut read = 0;
        for inst in &self.insts {
            let of_record = |i: u32| self.place(inst.operand(i)).filter(|(param, _)| *param == 0);
            let addresses = match inst.opcode() {
                Opcode::LLVMGetElementPtr => 0..1,
                Opcode::LLVMLoad => {
                    match of_record(0) {
                        Some((_, None)) => return u32::MAX,
                        Some((_, Some(offset))) if offset < item::SLOTS => read |= bit(offset),
                        _ => {}
                    }
                    0..1
                }
                Opcode::LLVMStore => 1..2,
                _ => 0..0,
            };
            // Whoever else has the address may read anything.
            let others = (0..inst.operand_count()).filter(|i| !addresses.contains(i));
            if others.into_iter().any(|i| of_record(i).is_some()) {
                return u32::MAX;
            }
        }
        read
    }

    /// Whether an instruction can be carried out again at any later time, with the same result.
    pub(super) fn is_lasting(&self, inst: Value<'m>) -> bool {
        match inst.opcode() {
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMICmp
            | Opcode::LLVMSelect
            | Opcode::LLVMInsertElement
            | Opcode::LLVMExtractElement
            | Opcode::LLVMShuffleVector => {
                // Such a constant may be another number each time.
                (0..inst.operand_count()).all(|i| !inst.operand(i).is_undefined())
            }
            Opcode::LLVMLoad if !inst.is_special_access() => match self.place(inst.operand(0)) {
                Some((0, Some(offset))) => {
                    offset == item::LANE || (item::LOCAL_ID..item::SLOTS).contains(&offset)
                }
                Some((0, None)) => false,
                // The work-group's record and the arguments stay as they are.
                Some(_) => true,
                None => false,
            },
            _ => false,
        }
    }
}

/// The key of a wait.
fn wait_key(inst: Value<'_>) -> Option<u32> {
    if inst.opcode() != Opcode::LLVMCall || !inst.callee().is_function() {
        return None;
    }
    inst.callee().name().strip_prefix("ur.wait.")?.parse().ok()
}
