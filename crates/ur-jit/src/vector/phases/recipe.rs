//! Which values are computed again after a wait, and from what.

use std::collections::HashMap;

use super::whole::{Id, Whole};
use crate::llvm::edit::{Builder, Opcode};

/// Instructions up to which a value is computed again rather than kept.
const CHEAP: usize = 16;

/// The instructions that computing a value again takes, and the values that have to be kept for it.
pub(super) struct Recipe {
    steps: usize,
    pub(super) leaves: Vec<Id>,
}

/// Finds out what is computed again.
pub(super) struct Recipes<'a, 'm> {
    pub(super) whole: &'a Whole<'m>,
    pub(super) b: &'a Builder<'m>,
    pub(super) known: HashMap<Id, Option<std::rc::Rc<Recipe>>>,
}

impl Recipes<'_, '_> {
    pub(super) fn of(&mut self, id: Id, depth: usize) -> Option<std::rc::Rc<Recipe>> {
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
