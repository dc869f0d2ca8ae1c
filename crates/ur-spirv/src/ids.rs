//! The table from ids to what they stand for.

use std::collections::HashMap;

use crate::Id;
use crate::model::Def;

/// Definitions by id. Ids may lie far apart, so the wide part holds only small numbers, and only as
/// far as the module is long.
#[derive(Clone, Debug)]
pub struct Ids {
    /// For each id below `near`, 1 plus an index into `defs`, or 0.
    slots: Vec<u32>,
    near: usize,
    /// The same for the other ids, of which a module of its length can have only a few.
    far: HashMap<Id, u32>,
    defs: Vec<Def>,
}

impl Ids {
    /// No definitions, for a module of `words` words.
    pub fn new(words: usize) -> Self {
        Ids {
            slots: Vec::new(),
            near: words.saturating_mul(2),
            far: HashMap::new(),
            defs: Vec::new(),
        }
    }

    /// 1 plus the index of the definition of `id`, or 0.
    fn slot(&self, id: Id) -> u32 {
        let slot = if (id as usize) < self.near {
            self.slots.get(id as usize)
        } else {
            self.far.get(&id)
        };
        slot.copied().unwrap_or(0)
    }

    /// What `id` stands for.
    pub fn get(&self, id: Id) -> &Def {
        const NONE: &Def = &Def::None;
        match self.slot(id).checked_sub(1) {
            Some(index) => self.defs.get(index as usize).unwrap_or(NONE),
            None => NONE,
        }
    }

    /// Gives `id` its meaning; false if it has one already.
    pub fn define(&mut self, id: Id, def: Def) -> bool {
        let at = id as usize;
        let slot = if at < self.near {
            if self.slots.len() <= at {
                self.slots.resize(at + 1, 0);
            }
            self.slots.get_mut(at)
        } else {
            Some(self.far.entry(id).or_insert(0))
        };
        let Some(slot @ 0) = slot else {
            return false;
        };
        self.defs.push(def);
        *slot = self.defs.len() as u32;
        true
    }

    /// Replaces the meaning of an id that has one.
    pub fn replace(&mut self, id: Id, def: Def) {
        if let Some(index) = self.slot(id).checked_sub(1)
            && let Some(entry) = self.defs.get_mut(index as usize)
        {
            *entry = def;
        }
    }
}
