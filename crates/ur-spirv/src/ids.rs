//! The table from ids to what they stand for.

use crate::Id;
use crate::model::Def;

/// Definitions by id. Ids may lie far apart, so the wide part holds only small numbers.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    /// For each id, 1 plus an index into `defs`, or 0.
    slots: Vec<u32>,
    defs: Vec<Def>,
}

impl Ids {
    /// What `id` stands for.
    pub fn get(&self, id: Id) -> &Def {
        const NONE: &Def = &Def::None;
        let slot = self.slots.get(id as usize).copied().unwrap_or(0);
        match slot.checked_sub(1) {
            Some(index) => self.defs.get(index as usize).unwrap_or(NONE),
            None => NONE,
        }
    }

    /// Gives `id` its meaning; false if it has one already.
    pub fn define(&mut self, id: Id, def: Def) -> bool {
        let at = id as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, 0);
        }
        let Some(slot @ 0) = self.slots.get_mut(at) else {
            return false;
        };
        self.defs.push(def);
        *slot = self.defs.len() as u32;
        true
    }

    /// Replaces the meaning of an id that has one.
    pub fn replace(&mut self, id: Id, def: Def) {
        let slot = self.slots.get(id as usize).copied().unwrap_or(0);
        if let Some(index) = slot.checked_sub(1)
            && let Some(entry) = self.defs.get_mut(index as usize)
        {
            *entry = def;
        }
    }
}
