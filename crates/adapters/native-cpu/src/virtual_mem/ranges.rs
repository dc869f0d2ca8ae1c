//! The reserved ranges of the process, by address, because pointers are all that the API gives for
//! them.

use super::PhysicalMem;
use crate::context::Context;
use crate::fork::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use ur_adapter::{Error, Handle, Object, Result};

/// A mapped part of a range.
pub struct Mapped {
    /// Address after its last byte.
    pub end: usize,
    /// What devices may do with it.
    pub access: u32,
    /// Where its first byte is in the memory.
    pub offset: usize,
    /// The memory behind it.
    pub memory: Handle<PhysicalMem>,
}

/// A reserved range.
pub struct Reserved {
    /// Address after its last byte.
    pub end: usize,
    /// Address of the context; only compared.
    pub context: usize,
    /// Mapped parts by their first address.
    pub parts: BTreeMap<usize, Mapped>,
}

/// The reserved ranges of the process by their first address.
pub fn ranges<T>(body: impl FnOnce(&mut BTreeMap<usize, Reserved>) -> T) -> T {
    static RANGES: Mutex<BTreeMap<usize, Reserved>> = Mutex::new(BTreeMap::new());
    body(&mut RANGES.lock())
}

/// What a range knows its context by.
pub fn key(context: &Object<Context>) -> usize {
    std::ptr::from_ref(context) as usize
}

fn not_reserved() -> Error {
    Error::value("not inside of a range that the context reserved")
}

/// Runs `body` on the reserved range of the context that contains `range`.
///
/// # Errors
/// `INVALID_VALUE` when there is none.
pub fn inside<T>(
    context: &Object<Context>,
    range: &Range<usize>,
    body: impl FnOnce(&mut Reserved) -> Result<T>,
) -> Result<T> {
    ranges(|ranges| {
        let (_, reserved) = ranges
            .range_mut(..=range.start)
            .next_back()
            .ok_or_else(not_reserved)?;
        if range.end > reserved.end || reserved.context != key(context) {
            return Err(not_reserved());
        }
        body(reserved)
    })
}

impl Reserved {
    /// Whether mapped parts cover `range` without gaps.
    pub fn covers(&self, range: &Range<usize>) -> bool {
        let mut at = range.start;
        for (start, part) in self.parts.range(..range.end) {
            if part.end <= at {
                continue;
            }
            if *start > at {
                return false;
            }
            at = part.end;
        }
        at >= range.end
    }

    /// Splits the part that contains `at`, so that one begins there.
    fn split(&mut self, at: usize) {
        let Some((start, part)) = self.parts.range_mut(..at).next_back() else {
            return;
        };
        if part.end <= at {
            return;
        }
        let rest = Mapped {
            end: part.end,
            access: part.access,
            offset: part.offset + (at - start),
            memory: part.memory.clone(),
        };
        part.end = at;
        self.parts.insert(at, rest);
    }

    /// Splits parts so that none reaches over the ends of `range`.
    pub fn cut(&mut self, range: &Range<usize>) {
        self.split(range.start);
        self.split(range.end);
    }

    /// Takes the parts in `range` out; the handles are to be dropped without the lock.
    pub fn remove(&mut self, range: &Range<usize>) -> Vec<Mapped> {
        self.cut(range);
        self.parts
            .extract_if(range.clone(), |_, _| true)
            .map(|(_, part)| part)
            .collect()
    }
}
