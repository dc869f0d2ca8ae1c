//! Objects that the program never released, with the place where it got them.

use crate::objects::{self, Kind};
use crate::site::Site;
use crate::switch;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How the program came by an object.
#[derive(Debug)]
struct Origin {
    generation: u32,
    function: &'static str,
    site: Site,
}

/// By address. The generation tells whether an origin is that of the object that lies there.
fn origins() -> MutexGuard<'static, Option<HashMap<usize, Origin>>> {
    static ORIGINS: Mutex<Option<HashMap<usize, Origin>>> = Mutex::new(None);
    ORIGINS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers that the current call of a function gave the first reference to an object.
pub(crate) fn remember(address: usize, generation: u32, function: &'static str) {
    // Before the lock is taken: it may call a function of the program.
    let site = Site::here();
    let mut origins = origins();
    let all = origins.get_or_insert_default();
    let newer = all
        .get(&address)
        .is_some_and(|known| known.generation > generation);
    if !newer {
        all.insert(
            address,
            Origin {
                generation,
                function,
                site,
            },
        );
    }
}

/// Forgets how the program came by an object that it released.
pub(crate) fn drop(address: usize, generation: u32) {
    let mut origins = origins();
    if let Some(all) = origins.as_mut()
        && all
            .get(&address)
            .is_some_and(|known| known.generation == generation)
    {
        all.remove(&address);
    }
}

/// Forgets everything.
pub(crate) fn forget() {
    *origins() = None;
}

/// Writes what was never released, in the order in which the program got it.
pub(crate) fn report() {
    let Some(outputs) = switch::outputs() else {
        return;
    };
    let problem = outputs.problem;
    let left = objects::referenced();
    if left.is_empty() {
        return;
    }
    let origins = origins().take().unwrap_or_default();
    for (address, entry) in &left {
        let name = Kind(entry.kind).name();
        let number = entry.generation;
        let count = entry.count;
        let references = if count == 1 {
            "reference"
        } else {
            "references"
        };
        problem(format_args!(
            "leak: {name} #{number} at {address:#x}: {count} {references} left"
        ));
        let Some(origin) = origins
            .get(address)
            .filter(|origin| origin.generation == entry.generation)
        else {
            continue;
        };
        problem(format_args!("  first got by {}", origin.function));
        for line in origin.site.lines() {
            problem(format_args!("  {line}"));
        }
    }
    let count = left.len();
    let objects = if count == 1 { "object" } else { "objects" };
    problem(format_args!("leak: {count} {objects} never released"));
}
