//! What an adapter's `urGet…ProcAddrTable` say, and which release's layout that is.
//!
//! The loader follows the table pointer in each handle, so an adapter whose tables are laid out
//! for another release would be called through the wrong slots. All releases give the same version
//! number. What an adapter cannot hide is which tables it has and how many entries it writes into
//! each: it is handed more room than any table needs, filled with a value that no function has for
//! its address.

use crate::foreign::{Entries, Foreign};
use crate::generated::TABLES;
use crate::generated::foreign::{OLD, RELEASE};
use crate::library::Library;
use crate::log::{Level, log};
use std::ffi::c_void;
use ur_api::{UR_API_VERSION_CURRENT, UR_RESULT_SUCCESS, ur_api_version_t, ur_result_t};

/// The signature that all `urGet…ProcAddrTable` functions share.
type Getter = unsafe extern "C" fn(ur_api_version_t, *mut c_void) -> ur_result_t;

/// Room for a table, in words: several times the largest.
const ROOM: usize = 256;

/// What the room is filled with.
const UNWRITTEN: usize = usize::from_ne_bytes([0xa5; size_of::<usize>()]);

/// The tables as an adapter wrote them, in the order of [`TABLES`]; `None` for those that it does
/// not export.
#[derive(Debug)]
pub struct Written(Vec<Option<Vec<usize>>>);

/// How many words of the room an adapter has written: up to the last that is not as it was.
fn extent(words: &[usize; ROOM]) -> usize {
    // Most of the room is untouched, so it is looked at in large steps.
    const STEP: usize = 32;
    static UNTOUCHED: [usize; STEP] = [UNWRITTEN; STEP];
    let untouched = words.rchunks(STEP).take_while(|step| **step == UNTOUCHED);
    let end = ROOM - STEP * untouched.count();
    let last = words[..end].iter().rposition(|&word| word != UNWRITTEN);
    last.map_or(0, |last| last + 1)
}

/// Whose layout an adapter's tables have.
#[derive(Debug)]
pub enum Layout {
    /// This release's. Holds what its `urAdapterGet` is.
    Current(usize),
    /// An earlier release's.
    Foreign(&'static Foreign),
}

impl Written {
    /// Asks an adapter for all its tables.
    ///
    /// # Errors
    /// A sentence naming the function that refused.
    pub fn by(library: &Library) -> Result<Written, String> {
        let mut tables = Vec::with_capacity(TABLES.len());
        // One room for all tables: what one of them took is made as new for the next.
        let mut words = [UNWRITTEN; ROOM];
        for table in &TABLES {
            let Some(symbol) = library.symbol(table.getter) else {
                tables.push(None);
                continue;
            };
            // SAFETY: the API fixes the signature of a function of this name.
            let function: Getter = unsafe { std::mem::transmute(symbol.as_ptr()) };
            // SAFETY: there is room for the table, and for larger ones of other releases.
            let result = unsafe { function(UR_API_VERSION_CURRENT, words.as_mut_ptr().cast()) };
            if result != UR_RESULT_SUCCESS {
                let getter = table.getter.to_string_lossy();
                return Err(format!("its {getter} returned {result}"));
            }
            let extent = extent(&words);
            let written = &mut words[..extent];
            tables.push(Some(written.to_vec()));
            written.fill(UNWRITTEN);
        }
        Ok(Written(tables))
    }

    /// Finds the layout, and logs which experimental tables the adapter called `name` lacks.
    ///
    /// # Errors
    /// A sentence naming what differs from each known release.
    pub fn layout(&self, name: &str) -> Result<Layout, String> {
        let current: Vec<Shape> = TABLES.iter().map(Shape::current).collect();
        let mut best = self.full(&current).map(|full| (full, None));
        for (release, old) in OLD.iter().enumerate() {
            if best.is_some_and(|(most, _)| most == TABLES.len()) {
                break;
            }
            // Only a better one: what fits several is this release's.
            if let Some(full) = self.full(&Shape::old(release))
                && best.is_none_or(|(most, _)| full > most)
            {
                best = Some((full, Some(old)));
            }
        }
        match best {
            None => Err(self.differences()),
            Some((_, None)) => {
                for (table, written) in TABLES.iter().zip(&self.0) {
                    if written.is_none() {
                        let getter = table.getter.to_string_lossy();
                        log!(Level::Warning, "adapter {name} has no {getter}");
                    }
                }
                // The table of urAdapterGet is the first, and it the first there.
                Ok(Layout::Current(self.entry(0, 0)))
            }
            Some((_, Some(old))) => {
                let mut entries = Entries::new();
                for table in old.tables {
                    let index = TABLES.iter().position(|t| t.getter == table.getter);
                    let index = index.ok_or("a table that no release has")?;
                    for (slot, &place) in table.entries.iter().enumerate() {
                        entries.put(place, self.entry(index, slot));
                    }
                }
                log!(
                    Level::Info,
                    "adapter {name} has the tables of {}, which are translated",
                    old.releases
                );
                // SAFETY: the adapter's tables fit the layout, which says what each entry is.
                Ok(Layout::Foreign(unsafe { Foreign::with(entries) }))
            }
        }
    }

    /// One entry; 0 for none.
    fn entry(&self, table: usize, slot: usize) -> usize {
        let written = self.0[table].as_ref();
        written
            .and_then(|words| words.get(slot))
            .copied()
            .filter(|&word| word != UNWRITTEN)
            .unwrap_or(0)
    }

    /// How many tables are as long as in a layout, if none is longer and none missing that an
    /// adapter must have.
    fn full(&self, shapes: &[Shape]) -> Option<usize> {
        let mut full = 0;
        for (written, shape) in self.0.iter().zip(shapes) {
            match (written, shape.entries) {
                (Some(words), Some(entries)) if words.len() > entries => return None,
                (Some(words), None) if !words.is_empty() => return None,
                (None, Some(_)) if !shape.experimental => return None,
                (Some(words), entries) => full += usize::from(entries == Some(words.len())),
                (None, entries) => full += usize::from(entries.is_none()),
            }
        }
        Some(full)
    }

    /// Names each table that is not as in this release, with its length in all known ones.
    fn differences(&self) -> String {
        let olds: Vec<Vec<Shape>> = (0..OLD.len()).map(Shape::old).collect();
        let said = |entries: Option<usize>| match entries {
            Some(entries) => entries.to_string(),
            None => "none".to_owned(),
        };
        let mut differences = Vec::new();
        for (index, (table, written)) in TABLES.iter().zip(&self.0).enumerate() {
            let shape = Shape::current(table);
            let getter = table.getter.to_string_lossy();
            match written {
                None if shape.experimental => {}
                None => differences.push(format!("it lacks the symbol {getter}")),
                Some(words) if Some(words.len()) == shape.entries => {}
                Some(words) => {
                    let old = OLD.iter().zip(&olds).map(|(release, shapes)| {
                        let entries = said(shapes[index].entries);
                        format!(", {} {entries}", release.releases)
                    });
                    differences.push(format!(
                        "its {getter} fills {} entries ({RELEASE} has {}{})",
                        words.len(),
                        said(shape.entries),
                        old.collect::<String>()
                    ));
                }
            }
        }
        format!(
            "{}; it was built for another release",
            differences.join("; ")
        )
    }
}

/// What a layout asks of one table.
#[derive(Debug)]
struct Shape {
    /// Its entries; `None` when the layout has no such table.
    entries: Option<usize>,
    /// Whether an adapter may do without.
    experimental: bool,
}

impl Shape {
    fn current(table: &crate::generated::Table) -> Shape {
        Shape {
            entries: Some(table.size / size_of::<usize>()),
            experimental: table.experimental,
        }
    }

    /// All of an earlier release, in the order of [`TABLES`].
    fn old(release: usize) -> Vec<Shape> {
        let find = |getter| OLD[release].tables.iter().find(|t| t.getter == getter);
        TABLES
            .iter()
            .map(|table| Shape {
                entries: find(table.getter).map(|t| t.entries.len()),
                experimental: table.experimental,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::Place;

    /// Tables whose entries are numbers of their own, with as many as a release has.
    fn filled(shapes: &[Shape]) -> Written {
        let mut next = 0x1000;
        let mut table = |shape: &Shape| {
            let words = (0..shape.entries?).map(|_| {
                next += 1;
                next
            });
            Some(words.collect())
        };
        Written(shapes.iter().map(&mut table).collect())
    }

    fn current() -> Vec<Shape> {
        TABLES.iter().map(Shape::current).collect()
    }

    fn table(getter: &std::ffi::CStr) -> usize {
        let found = TABLES.iter().position(|t| t.getter == getter);
        found.expect("a table of the API")
    }

    #[test]
    fn the_last_written_word_counts() {
        let mut words = [UNWRITTEN; ROOM];
        assert_eq!(extent(&words), 0);
        for last in 0..ROOM {
            words[last] = 0;
            assert_eq!(extent(&words), last + 1);
            words[last / 2] = 1;
            assert_eq!(extent(&words), last + 1);
            words[last] = UNWRITTEN;
            words[last / 2] = UNWRITTEN;
        }
    }

    #[test]
    fn each_release_is_told_from_the_others() {
        let written = filled(&current());
        assert!(matches!(written.layout("x"), Ok(Layout::Current(0x1001))));
        for release in 0..OLD.len() {
            let written = filled(&Shape::old(release));
            assert!(written.full(&current()).is_none());
            assert!(written.full(&Shape::old(release)) == Some(TABLES.len()));
        }
    }

    #[test]
    fn every_entry_of_an_earlier_release_has_a_place_of_its_own() {
        for old in &OLD {
            let mut places: Vec<(bool, usize)> = Vec::new();
            for place in old.tables.iter().flat_map(|table| table.entries) {
                places.push(match *place {
                    Place::Current(word) => (true, word),
                    Place::Removed(word) => (false, word),
                });
            }
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), all, "{}", old.releases);
        }
    }

    #[test]
    fn an_adapter_may_leave_out_experimental_tables_and_entries_at_the_end() {
        let mut written = filled(&current());
        written.0[table(c"urGetGraphExpProcAddrTable")] = None;
        assert!(matches!(written.layout("x"), Ok(Layout::Current(_))));
        let device = table(c"urGetDeviceProcAddrTable");
        written.0[device].as_mut().expect("words").truncate(5);
        assert!(matches!(written.layout("x"), Ok(Layout::Current(_))));
        written.0[device] = None;
        let reason = written.layout("x").unwrap_err();
        assert!(
            reason.contains("lacks the symbol urGetDeviceProcAddrTable"),
            "{reason}"
        );
    }

    #[test]
    fn what_no_release_has_is_refused_with_what_differs() {
        let mut written = filled(&current());
        let kernel = table(c"urGetKernelProcAddrTable");
        written.0[kernel].as_mut().expect("words").resize(19, 0);
        let reason = written.layout("x").unwrap_err();
        assert!(
            reason.contains("its urGetKernelProcAddrTable fills 19 entries (2026.2 has 13, 2026.0.0 and 2026.1.0 17, 2026.1.1 and 2026.1.2 17)"),
            "{reason}"
        );
        // This release's graphs with the kernels of an earlier one.
        written.0[kernel].as_mut().expect("words").truncate(17);
        let reason = written.layout("x").unwrap_err();
        assert!(reason.contains("fills 17 entries"), "{reason}");
    }
}
