//! Vectorised kernels that wait: what a sub-group does between two waits becomes the body of a loop
//! over the sub-groups.
//!
//! What comes in is the vectorised function with calls of `ur.wait.KEY` where it waits. What goes out
//! runs one *phase* of a work-group: every sub-group that waits with a key goes on to the next place
//! where it waits. Blocks are copied for each phase that runs them, so that a phase is a loop of its
//! own. Values that live across a wait stand in the sub-group's frame behind its record; those that
//! are cheap are computed again instead.
//!
//! Each sub-group's record says where it waits, and a phase passes over those that wait elsewhere. So
//! nothing is taken for granted of where the sub-groups of a work-group go.

use std::collections::HashMap;

use super::Refused;
use crate::item::item;
use crate::llvm::edit::{Block, Builder, IntPredicate, Opcode, Type, Value};

/// What a phase returns where no sub-group waits any more.
pub const NONE: i64 = 0xffff_ffff;

/// Name of memory that holds nothing across a wait.
pub const PASSING: &str = "passing";

/// How often a function's instructions may be copied on average, in phases that share blocks.
const MOST_COPIES: usize = 6;

/// Number of instructions that are copied however often.
const FEW: usize = 3000;

/// Instructions up to which a value is computed again rather than kept.
const CHEAP: usize = 16;

/// Index of an instruction.
type Id = usize;

/// Name of the function whose call is a wait.
pub fn wait_name(key: u32) -> String {
    format!("ur.wait.{key}")
}

/// A run of instructions without a wait.
struct Piece<'m> {
    insts: Vec<Id>,
    end: End<'m>,
}

enum End<'m> {
    /// A wait, and the piece behind it.
    Wait(u32, usize),
    /// A terminator.
    Go(Value<'m>),
}

/// A value that lives across a wait.
enum Kept<'m> {
    /// In the frame, and as a variable of the function that the copies of a phase share.
    Stored { offset: u64, variable: Value<'m> },
    /// Computed again at the start of a phase; as a variable too.
    Again { variable: Value<'m> },
}

/// A set of instructions.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, id: Id) {
        self.0[id / 64] |= 1 << (id % 64);
    }

    fn has(&self, id: Id) -> bool {
        self.0[id / 64] >> (id % 64) & 1 != 0
    }

    fn add_all(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn all(&self) -> impl Iterator<Item = Id> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| 64 * at + bit)
        })
    }
}

/// The function that is split.
struct Whole<'m> {
    insts: Vec<Value<'m>>,
    ids: HashMap<Value<'m>, Id>,
    params: Vec<Value<'m>>,
    pieces: Vec<Piece<'m>>,
    /// The first piece of a block.
    first: HashMap<Block<'m>, usize>,
    /// The piece that an instruction stands in.
    home: Vec<usize>,
}

impl<'m> Whole<'m> {
    fn read(function: Value<'m>) -> Self {
        let mut this = Self {
            insts: Vec::new(),
            ids: HashMap::new(),
            params: function.params(),
            pieces: Vec::new(),
            first: HashMap::new(),
            home: Vec::new(),
        };
        for block in function.blocks() {
            this.first.insert(block, this.pieces.len());
            let mut insts = Vec::new();
            for inst in block.instructions() {
                let id = this.insts.len();
                this.insts.push(inst);
                this.ids.insert(inst, id);
                this.home.push(this.pieces.len());
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
    fn next(&self, piece: usize) -> Vec<usize> {
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
    fn operands(&self, inst: Value<'m>) -> Vec<Id> {
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
    fn phis(&self, piece: usize) -> impl Iterator<Item = Id> + '_ {
        let insts = &self.pieces[piece].insts;
        insts
            .iter()
            .copied()
            .take_while(|id| self.insts[*id].opcode() == Opcode::LLVMPHI)
    }

    /// The pieces that can be reached from `start` without a wait, in an order in which definitions
    /// come before their uses.
    fn reached(&self, starts: &[usize]) -> Vec<usize> {
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

    /// The values that are alive at the start of each piece, `more` being read there too. Memory of
    /// the function is no such value.
    fn alive(&self, more: &HashMap<usize, Set>) -> Vec<Set> {
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
                for (word, own) in after.0.iter_mut().zip(&made[piece].0) {
                    *word &= !own;
                }
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

    /// Whether an instruction can be carried out again at any later time, with the same result.
    fn is_lasting(&self, inst: Value<'m>) -> bool {
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

/// The instructions that computing a value again takes, and the values that have to be kept for it.
struct Recipe {
    steps: usize,
    leaves: Vec<Id>,
}

/// Finds out what is computed again.
struct Recipes<'a, 'm> {
    whole: &'a Whole<'m>,
    b: &'a Builder<'m>,
    known: HashMap<Id, Option<std::rc::Rc<Recipe>>>,
}

impl Recipes<'_, '_> {
    fn of(&mut self, id: Id, depth: usize) -> Option<std::rc::Rc<Recipe>> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let made = self.make(id, depth).map(std::rc::Rc::new);
        self.known.insert(id, made.clone());
        made
    }

    fn make(&mut self, id: Id, depth: usize) -> Option<Recipe> {
        let inst = self.whole.insts[id];
        if depth > CHEAP || !self.whole.is_lasting(inst) {
            return None;
        }
        let mut recipe = Recipe {
            steps: 1,
            leaves: Vec::new(),
        };
        for operand in self.whole.operands(inst) {
            if self.whole.insts[operand].opcode() == Opcode::LLVMAlloca {
                continue;
            }
            match self.of(operand, depth + 1) {
                Some(inner) => {
                    recipe.steps += inner.steps;
                    recipe.leaves.extend(&inner.leaves);
                }
                None => recipe.leaves.push(operand),
            }
        }
        recipe.leaves.sort_unstable();
        recipe.leaves.dedup();
        if recipe.steps > CHEAP {
            return None;
        }
        // Not more may be kept than the value itself.
        let bytes: u64 = recipe
            .leaves
            .iter()
            .map(|leaf| self.b.size_of(self.whole.insts[*leaf].ty()))
            .sum();
        (bytes == 0 || 2 * bytes <= self.b.size_of(inst.ty())).then_some(recipe)
    }
}

/// Defines `to`, of type `i32 (ptr items, ptr group, ptr arguments, i64 sub-groups, i32 key)`, from
/// `from`: it lets every sub-group that waits with `key` go on, [`START`](item::START) being that of
/// those that have not begun. The result is the lowest key of a sub-group that waits then, or
/// [`NONE`]. `record_bytes` are the bytes of a record without the frame.
///
/// Gives the bytes of a frame. A record and its frame stand `stride` bytes apart, which is the
/// variable of that name.
///
/// # Errors
/// If the function has to be copied too often.
pub fn split<'m>(
    b: &Builder<'m>,
    from: Value<'m>,
    to: Value<'m>,
    record_bytes: u64,
    align: u64,
) -> Result<u64, Refused> {
    let whole = Whole::read(from);
    let mut starts: Vec<(u32, Vec<usize>)> = vec![(item::START, vec![0])];
    let waits: Vec<usize> = (0..whole.pieces.len())
        .filter(|p| matches!(whole.pieces[*p].end, End::Wait(..)))
        .collect();
    for piece in &waits {
        if let End::Wait(key, next) = whole.pieces[*piece].end {
            match starts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, all)) => all.push(next),
                None => starts.push((key, vec![next])),
            }
        }
    }
    starts.sort_by_key(|(key, _)| *key);
    let reached: Vec<Vec<usize>> = starts.iter().map(|(_, all)| whole.reached(all)).collect();
    let copies: usize = reached
        .iter()
        .flatten()
        .map(|piece| whole.pieces[*piece].insts.len() + 1)
        .sum();
    if copies > FEW.max(MOST_COPIES * whole.insts.len()) {
        return Err(Refused::new("too much to do between waits"));
    }

    // What lives across waits, and how.
    let count = whole.insts.len();
    let nexts: Vec<usize> = starts[1..]
        .iter()
        .flat_map(|(_, all)| all.clone())
        .collect();
    let mut recipes = Recipes {
        whole: &whole,
        b,
        known: HashMap::new(),
    };
    let alive = whole.alive(&HashMap::new());
    let mut leaves: HashMap<usize, Set> = HashMap::new();
    for next in &nexts {
        let mut more = Set::new(count);
        for id in alive[*next].all() {
            if let Some(recipe) = recipes.of(id, 0) {
                recipe.leaves.iter().for_each(|leaf| more.add(*leaf));
            }
        }
        leaves.insert(*next, more);
    }
    let alive = whole.alive(&leaves);
    let mut across = Set::new(count);
    nexts.iter().for_each(|next| across.add_all(&alive[*next]));

    let entry = b.block(to, "entry");
    b.at_end(entry);
    let mut layout = Layout::default();
    let mut memory = HashMap::new();
    for (id, inst) in whole.insts.iter().enumerate() {
        if inst.opcode() == Opcode::LLVMAlloca {
            memory.insert(
                id,
                if inst.name().starts_with(PASSING) {
                    Memory::Here(b.repeat(*inst))
                } else {
                    let bytes = b.size_of(inst.allocated());
                    Memory::Frame(layout.place(bytes, u64::from(inst.align()), None))
                },
            );
        }
    }
    let mut kept = HashMap::new();
    for id in across.all() {
        let ty = whole.insts[id].ty();
        let variable = b.alloca(ty, alignment(b, ty));
        kept.insert(
            id,
            if recipes.of(id, 0).is_some() {
                Kept::Again { variable }
            } else {
                let mut at = Set::new(whole.pieces.len());
                for next in nexts.iter().filter(|next| alive[**next].has(id)) {
                    at.add(*next);
                }
                let bytes = b.size_of(ty);
                let offset = layout.place(bytes, u64::from(alignment(b, ty)), Some(at));
                Kept::Stored { offset, variable }
            },
        );
    }
    let frame = layout.size.next_multiple_of(align);

    let splitter = Splitter {
        b,
        whole: &whole,
        to,
        alive: &alive,
        kept,
        memory,
        record_bytes,
        stride: record_bytes + frame,
    };
    let other = b.block(to, "other");
    let mut cases = Vec::new();
    for ((key, all), reached) in starts.iter().zip(&reached) {
        let head = b.block(to, "phase");
        cases.push((i64::from(*key), head));
        splitter.phase(*key, all, reached, head);
    }
    b.at_end(entry);
    b.switch(to.params()[4], other, &cases);
    b.at_end(other);
    b.ret(b.int_type(32).int(NONE));
    Ok(frame)
}

/// Alignment in a frame.
fn alignment(b: &Builder<'_>, ty: Type<'_>) -> u32 {
    let bytes = b.size_of(ty).max(1).next_power_of_two();
    u32::try_from(bytes).unwrap_or(64).min(64)
}

/// Where values stand in the frame. Those that never live across the same wait share places.
#[derive(Default)]
struct Layout {
    taken: Vec<(u64, u64, Option<Set>)>,
    size: u64,
}

impl Layout {
    /// Finds a place for a value that lives across the waits `at`, or across all.
    fn place(&mut self, bytes: u64, align: u64, at: Option<Set>) -> u64 {
        let mut offset = 0;
        loop {
            let clash = self.taken.iter().find(|(start, end, other)| {
                *start < offset + bytes
                    && offset < *end
                    && match (other, &at) {
                        (Some(a), Some(b)) => a.meets(b),
                        _ => true,
                    }
            });
            match clash {
                Some((_, end, _)) => offset = end.next_multiple_of(align.max(1)),
                None => break,
            }
        }
        self.taken.push((offset, offset + bytes, at));
        self.size = self.size.max(offset + bytes);
        offset
    }
}

/// Memory of the function.
enum Memory<'m> {
    /// Of the function that runs phases.
    Here(Value<'m>),
    /// In the frame.
    Frame(u64),
}

struct Splitter<'a, 'm> {
    b: &'a Builder<'m>,
    whole: &'a Whole<'m>,
    to: Value<'m>,
    alive: &'a [Set],
    kept: HashMap<Id, Kept<'m>>,
    memory: HashMap<Id, Memory<'m>>,
    record_bytes: u64,
    stride: u64,
}

/// One phase.
struct Phase<'m> {
    /// What stands for the function's parameters.
    params: Vec<Value<'m>>,
    /// The sub-group's record.
    record: Value<'m>,
    /// Where a sub-group goes that has done its part, with the key that it then waits with.
    latch: Block<'m>,
    next_key: Value<'m>,
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
    fn phase(&self, key: u32, starts: &[usize], reached: &[usize], head: Block<'m>) {
        let b = self.b;
        let (wide, word) = (b.int_type(64), b.int_type(32));
        let none = word.int(NONE);
        let [turn, mine, others, latch, out] =
            ["turn", "mine", "others", "latch", "out"].map(|name| b.block(self.to, name));
        let params = self.to.params();
        b.at_end(head);
        b.br(turn);
        b.at_end(turn);
        let index = b.phi(wide);
        let lowest = b.phi(word);
        index.add_incoming(wide.zero(), head);
        lowest.add_incoming(none, head);
        let offset = b.binary(Opcode::LLVMMul, index, wide.int(self.stride.cast_signed()));
        let record = b.ptr_add(params[0], offset);
        let waits = b.load(word, self.field(record, item::KEY), 4);
        let is_mine = b.icmp(IntPredicate::LLVMIntEQ, waits, word.int(i64::from(key)));
        b.cond_br(is_mine, mine, others);
        b.at_end(others);
        let done = b.icmp(IntPredicate::LLVMIntEQ, waits, word.zero());
        let other_key = b.select(done, none, waits);
        b.br(latch);
        b.at_end(latch);
        let next_key = b.phi(word);
        next_key.add_incoming(other_key, others);
        let lower = b.call_intrinsic("llvm.umin", &[word], &[lowest, next_key]);
        let next = b.binary(Opcode::LLVMAdd, index, wide.int(1));
        let more = b.icmp(IntPredicate::LLVMIntNE, next, params[3]);
        index.add_incoming(next, latch);
        lowest.add_incoming(lower, latch);
        b.cond_br(more, turn, out);
        b.at_end(out);
        b.ret(lower);

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
            b.store(key, self.field(phase.record, item::KEY), 4);
            phase.next_key.add_incoming(next_key, b.current());
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

#[cfg(test)]
mod tests {
    use super::{Layout, Set};

    fn set(ids: &[usize]) -> Set {
        let mut set = Set::new(100);
        ids.iter().for_each(|id| set.add(*id));
        set
    }

    #[test]
    fn frames_share_places_between_values_that_never_meet() {
        let mut layout = Layout::default();
        assert_eq!(layout.place(4, 4, Some(set(&[1]))), 0);
        assert_eq!(layout.place(32, 32, Some(set(&[1, 70]))), 32);
        assert_eq!(layout.place(8, 8, Some(set(&[2]))), 0);
        assert_eq!(layout.place(4, 4, Some(set(&[1, 2]))), 8);
        assert_eq!(layout.place(16, 16, None), 16);
        assert_eq!(layout.place(4, 4, Some(set(&[3]))), 0);
        assert_eq!(layout.size, 64);
    }

    #[test]
    fn sets_give_back_what_is_in_them() {
        let one = set(&[0, 63, 64, 99]);
        assert_eq!(one.all().collect::<Vec<_>>(), [0, 63, 64, 99]);
        assert!(one.has(64) && !one.has(65));
        assert!(one.meets(&set(&[99])) && !one.meets(&set(&[1])));
    }
}
