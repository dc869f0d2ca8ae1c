//! The reserved addresses of a context and what is mapped to them: Level Zero does not keep physical
//! memory that is mapped, nor look at every range.

use super::PhysicalMem;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Result};
use ur_api::*;

/// A mapped part of a range.
#[derive(Clone, Debug)]
pub struct Part {
    /// The address behind its last byte.
    pub end: usize,
    /// What devices may do with it, as the API's flags.
    pub access: u32,
    /// The memory behind it.
    pub memory: Handle<PhysicalMem>,
}

/// Mapped parts by their first address.
type Parts = BTreeMap<usize, Part>;

/// A reserved range.
#[derive(Debug)]
struct Reserved {
    end: usize,
    parts: Parts,
}

/// The reserved ranges of a context by their first address. They are locked while the driver maps or
/// unmaps, so that nobody gets addresses that are about to go.
#[derive(Debug, Default)]
pub struct Ranges(Mutex<BTreeMap<usize, Reserved>>);

/// The addresses that a program passes.
///
/// # Errors
/// `INVALID_SIZE` for none, `INVALID_VALUE` for a range that goes beyond the last one.
pub fn span(start: *const c_void, size: usize) -> Result<Range<usize>> {
    if size == 0 {
        return Err(Error::new(UR_RESULT_ERROR_INVALID_SIZE, "no addresses"));
    }
    let end = (start as usize).checked_add(size);
    let end = end.ok_or_else(|| Error::value("a range that is too long"))?;
    Ok(start as usize..end)
}

impl Reserved {
    /// The mapped parts that a range is all of, by their first and last addresses.
    fn wholes(&self, range: &Range<usize>) -> Result<Vec<(usize, usize)>> {
        let parts = self.parts.range(range.start..range.end);
        let parts: Vec<_> = parts.map(|(start, part)| (*start, part.end)).collect();
        let mut at = range.start;
        for (start, end) in &parts {
            if *start != at {
                break;
            }
            at = *end;
        }
        match at == range.end {
            true => Ok(parts),
            false => Err(Error::value("not a number of whole mappings")),
        }
    }

    /// The parts that have something of a range, if there are no gaps between them.
    fn cover(&self, range: &Range<usize>) -> Option<Vec<&Part>> {
        let mut at = range.start;
        let mut found = Vec::new();
        for (start, part) in self.parts.range(..range.end) {
            if part.end <= at {
                continue;
            }
            if *start > at {
                return None;
            }
            at = part.end;
            found.push(part);
        }
        (at >= range.end).then_some(found)
    }
}

impl Ranges {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Reserved>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a range that was reserved.
    pub fn enter(&self, start: usize, end: usize) {
        let parts = Parts::new();
        self.lock().insert(start, Reserved { end, parts });
    }

    /// Forgets a whole range after `free`, and gives what was mapped to it.
    ///
    /// # Errors
    /// `INVALID_VALUE` for what is no such range; what `free` returns.
    pub fn leave(
        &self,
        range: &Range<usize>,
        free: impl FnOnce(&Parts) -> Result,
    ) -> Result<Parts> {
        let mut ranges = self.lock();
        let found = ranges.get(&range.start);
        let found = found.filter(|found| found.end == range.end);
        let reserved =
            found.ok_or_else(|| Error::value("not a whole range that the context reserved"))?;
        free(&reserved.parts)?;
        let gone = ranges.remove(&range.start);
        Ok(gone.map(|gone| gone.parts).unwrap_or_default())
    }

    /// Does something with the reserved range that holds another.
    fn inside<T>(
        &self,
        range: &Range<usize>,
        body: impl FnOnce(&mut Reserved) -> Result<T>,
    ) -> Result<T> {
        let mut ranges = self.lock();
        let found = ranges.range_mut(..=range.start).next_back();
        match found {
            Some((_, reserved)) if range.end <= reserved.end => body(reserved),
            _ => Err(Error::value(
                "not inside of a range that the context reserved",
            )),
        }
    }

    /// Enters a part after `map`.
    ///
    /// # Errors
    /// `INVALID_VALUE` for addresses that are not reserved or have something mapped to them already;
    /// what `map` returns.
    pub fn map(&self, range: &Range<usize>, part: Part, map: impl FnOnce() -> Result) -> Result {
        self.inside(range, |reserved| {
            let taken = reserved.parts.range(..range.end).next_back();
            if taken.is_some_and(|(_, part)| part.end > range.start) {
                return Err(Error::value("a part of the range is mapped already"));
            }
            map()?;
            reserved.parts.insert(range.start, part);
            Ok(())
        })
    }

    /// Takes the parts that a range is all of out, each after `unmap` of its addresses.
    ///
    /// # Errors
    /// `INVALID_VALUE` for a range that is not made of whole parts; what `unmap` returns of the first
    /// that fails, which stays with those behind it.
    pub fn unmap(
        &self,
        range: &Range<usize>,
        mut unmap: impl FnMut(usize, usize) -> Result,
    ) -> Result<Vec<Part>> {
        self.inside(range, |reserved| {
            let mut gone = Vec::new();
            for (start, end) in reserved.wholes(range)? {
                unmap(start, end)?;
                gone.extend(reserved.parts.remove(&start));
            }
            Ok(gone)
        })
    }

    /// Notes another access of the parts that a range is all of, each after `set` of its addresses.
    ///
    /// # Errors
    /// As [`Ranges::unmap`].
    pub fn set_access(
        &self,
        range: &Range<usize>,
        access: u32,
        mut set: impl FnMut(usize, usize) -> Result,
    ) -> Result {
        self.inside(range, |reserved| {
            for (start, end) in reserved.wholes(range)? {
                set(start, end)?;
                if let Some(part) = reserved.parts.get_mut(&start) {
                    part.access = access;
                }
            }
            Ok(())
        })
    }

    /// What devices may do with a range.
    ///
    /// # Errors
    /// `INVALID_VALUE` for a range that is not mapped, or not with one access.
    pub fn access(&self, range: &Range<usize>) -> Result<u32> {
        self.inside(range, |reserved| {
            let parts = reserved.cover(range);
            let parts = parts.ok_or_else(|| Error::value("a part of the range is not mapped"))?;
            let first = parts.first().map_or(0, |part| part.access);
            match parts.iter().all(|part| part.access == first) {
                true => Ok(first),
                false => Err(Error::value("access differs within the range")),
            }
        })
    }
}
