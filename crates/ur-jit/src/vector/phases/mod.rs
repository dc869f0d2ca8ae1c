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
//! nothing is taken for granted of where the sub-groups of a work-group go. Where the code leaves them
//! one way only, records say nothing and nobody is passed over.

mod copy;
mod layout;
mod recipe;
mod set;
mod whole;

use std::collections::HashMap;

use super::Refused;
use crate::item::{bit, item};
use crate::llvm::edit::{Builder, Opcode, Value};
use copy::{Kept, Memory, Splitter};
use layout::{Layout, alignment};
use recipe::Recipes;
use set::Set;
use whole::{End, Whole};

/// What a phase returns where no sub-group waits any more.
pub const NONE: i64 = 0xffff_ffff;

/// Name of memory that holds nothing across a wait.
pub const PASSING: &str = "passing";

/// How often a function's instructions may be copied on average, in phases that share blocks.
const MOST_COPIES: usize = 6;

/// Number of instructions that are copied however often.
const FEW: usize = 3000;

/// What comes of a function that is split.
pub struct Split {
    /// Bytes of a frame.
    pub frame: u64,
    /// The fields of records that are read, as in [`FIELDS`](crate::item::FIELDS).
    pub fields: u32,
}

/// Name of the function whose call is a wait.
pub fn wait_name(key: u32) -> String {
    format!("ur.wait.{key}")
}

/// Defines `to`, of type `i32 (ptr items, ptr group, ptr arguments, i64 sub-groups, i32 key)`, from
/// `from`: it lets every sub-group that waits with `key` go on, [`START`](item::START) being that of
/// those that have not begun. The result is the lowest key of a sub-group that waits then, or
/// [`NONE`]. `record_bytes` are the bytes of a record without the frame.
///
/// A record and its frame stand `stride` bytes apart, which is the variable of that name.
///
/// # Errors
/// If the function has to be copied too often.
pub fn split<'m>(
    b: &Builder<'m>,
    from: Value<'m>,
    to: Value<'m>,
    record_bytes: u64,
    align: u64,
) -> Result<Split, Refused> {
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
    let in_step = whole.is_in_step(&reached);

    let splitter = Splitter {
        b,
        whole: &whole,
        to,
        alive: &alive,
        kept,
        memory,
        record_bytes,
        stride: record_bytes + frame,
        in_step,
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
    // Whoever walks over the records sees by it whether they tell where a sub-group waits.
    let fields = if in_step {
        whole.fields() & !bit(item::KEY)
    } else {
        whole.fields() | bit(item::KEY)
    };
    Ok(Split { frame, fields })
}
