//! What the suite has exercised: for each function how often, with which results, and what was
//! given at each place. An account is memory shared with the processes that run tests, so nothing is
//! lost when one of them ends or forks. Each test has one for itself, which is added to that of the
//! run if the test was in order.

use crate::generated::places::{FUNCTIONS, UR_RESULT};
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use ur_api::{UR_RESULT_SUCCESS, ur_result_t};

/// The number of a place that was not there: a member behind a null pointer.
pub(crate) const UNSEEN: u64 = u64::MAX;

/// What a place takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Null or not.
    Pointer,
    /// A function of the program, or none.
    Function,
    /// Zero or not.
    Number,
    /// False or true.
    Truth,
    /// One of these.
    Enum(&'static [(u32, &'static str)]),
    /// Some of these.
    Bits(&'static [(u32, &'static str)]),
}

/// A parameter, or a member of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
}

/// A function, what can be given to it, and the errors that are documented for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionPlaces {
    pub(crate) name: &'static str,
    /// Whether the current release no longer has it.
    pub(crate) removed: bool,
    pub(crate) places: &'static [Place],
    pub(crate) errors: &'static [&'static str],
}

/// The function of that name.
pub(crate) fn function(name: &str) -> Option<&'static FunctionPlaces> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// Whether a result is among those that the API documents for a function.
pub(crate) fn documents(name: &str, code: &str) -> bool {
    function(name).is_some_and(|f| f.errors.contains(&code))
}

/// Every result with its name.
pub(crate) fn results() -> &'static [(u32, &'static str)] {
    UR_RESULT
}

/// Words for a set of values: numbers of an enumeration by their place in the list.
const SET: usize = 4;
/// Words for each place: what was given in any call, then what was given in calls that succeeded.
const PLACE: usize = 2 * SET;
/// Words for each function before its places: calls, calls that succeeded, results.
const HEAD: usize = NUMBERS + SET;
/// Words of these that are numbers; all others are sets.
const NUMBERS: usize = 2;

/// Where the words of each function begin, and how many there are of all.
fn layout() -> &'static (Vec<usize>, usize) {
    static LAYOUT: OnceLock<(Vec<usize>, usize)> = OnceLock::new();
    LAYOUT.get_or_init(|| {
        let mut next = 0;
        let starts = FUNCTIONS.iter().map(|f| {
            let start = next;
            next += HEAD + f.places.len() * PLACE;
            start
        });
        (starts.collect(), next)
    })
}

/// The account.
#[derive(Debug)]
pub struct Coverage {
    words: &'static [AtomicU64],
}

static COVERAGE: OnceLock<Coverage> = OnceLock::new();

impl Coverage {
    /// An account in a file, which is made as large as needed; processes that open the same file
    /// share it.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn open(path: &Path) -> Result<Coverage> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options
            .open(path)
            .with_context(|| path.display().to_string())?;
        let words = layout().1;
        let bytes = words * size_of::<u64>();
        if file.metadata()?.len() < bytes as u64 {
            file.set_len(bytes as u64)?;
        }
        // SAFETY: a new mapping of an open file that is as large.
        let address = unsafe {
            libc::mmap(
                null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        ensure!(address != libc::MAP_FAILED, "cannot map {}", path.display());
        // SAFETY: the mapping is that large, aligned to pages, never ends, and is only used as
        // atomics, in every process.
        let words = unsafe { std::slice::from_raw_parts(address.cast::<AtomicU64>(), words) };
        Ok(Coverage { words })
    }

    /// Makes this the account of this process; of several the first one counts.
    pub fn install(self) {
        let _ = COVERAGE.set(self);
    }

    fn head(&self, function: usize) -> &[AtomicU64] {
        &self.words[layout().0[function]..][..HEAD]
    }

    fn place(&self, function: usize, place: usize) -> &[AtomicU64] {
        &self.words[layout().0[function] + HEAD + place * PLACE..][..PLACE]
    }

    fn record(&self, function: usize, seen: &[u64], result: ur_result_t) {
        let head = self.head(function);
        let good = result == UR_RESULT_SUCCESS;
        head[0].fetch_add(1, Ordering::Relaxed);
        head[1].fetch_add(u64::from(good), Ordering::Relaxed);
        if let Some(at) = position(UR_RESULT, result.0) {
            set(&head[2..], at);
        }
        for (index, (place, value)) in FUNCTIONS[function].places.iter().zip(seen).enumerate() {
            if *value == UNSEEN {
                continue;
            }
            let words = self.place(function, index);
            let (any, successful) = words.split_at(SET);
            for half in [Some(any), good.then_some(successful)]
                .into_iter()
                .flatten()
            {
                match place.kind {
                    Kind::Enum(names) => {
                        if let Some(at) = position(names, *value as u32) {
                            set(half, at);
                        }
                    }
                    Kind::Bits(names) => {
                        for (at, (bit, _)) in names.iter().enumerate() {
                            if *value as u32 & bit != 0 {
                                set(half, at);
                            }
                        }
                        // The last bit says that there were none.
                        if *value == 0 {
                            set(half, NONE);
                        }
                    }
                    _ => set(half, usize::from(*value != 0)),
                }
            }
        }
    }

    /// Adds what another account holds, and empties that.
    pub(crate) fn take(&self, other: &Coverage) {
        for (number, function) in FUNCTIONS.iter().enumerate() {
            let start = layout().0[number];
            let end = start + HEAD + function.places.len() * PLACE;
            if other.words[start].load(Ordering::Relaxed) == 0 {
                continue;
            }
            let pairs = self.words[start..end].iter().zip(&other.words[start..end]);
            for (at, (to, from)) in pairs.enumerate() {
                let value = from.swap(0, Ordering::Relaxed);
                if at < NUMBERS {
                    to.fetch_add(value, Ordering::Relaxed);
                } else {
                    to.fetch_or(value, Ordering::Relaxed);
                }
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for word in self.words {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// How often a function was called, and how often with success.
    pub(crate) fn calls(&self, function: usize) -> (u64, u64) {
        let head = self.head(function);
        (
            head[0].load(Ordering::Relaxed),
            head[1].load(Ordering::Relaxed),
        )
    }

    /// Names of the results that a function has given.
    pub(crate) fn results(&self, function: usize) -> Vec<&'static str> {
        let head = self.head(function);
        let given = |(at, _): &(usize, _)| has(&head[2..], *at);
        let named = UR_RESULT.iter().enumerate().filter(given);
        named.map(|(_, (_, name))| *name).collect()
    }

    /// What a place can be given, by name, and whether it was: in any call, in one that succeeded.
    pub(crate) fn values(&self, function: usize, place: usize) -> Vec<(&'static str, bool, bool)> {
        let words = self.place(function, place);
        let (any, good) = words.split_at(SET);
        let one = |at: usize, name| (name, has(any, at), has(good, at));
        match FUNCTIONS[function].places[place].kind {
            Kind::Pointer | Kind::Function => vec![one(0, "null"), one(1, "given")],
            Kind::Number => vec![one(0, "0"), one(1, "more")],
            Kind::Truth => vec![one(0, "false"), one(1, "true")],
            Kind::Enum(names) => names
                .iter()
                .enumerate()
                .map(|(at, n)| one(at, n.1))
                .collect(),
            Kind::Bits(names) => {
                let bits = names.iter().enumerate().map(|(at, n)| one(at, n.1));
                bits.chain([one(NONE, "none")]).collect()
            }
        }
    }
}

/// The place in a set that stands for no bits.
const NONE: usize = SET * 64 - 1;

fn position(names: &[(u32, &str)], value: u32) -> Option<usize> {
    // The lists are mostly dense and in order, so the number itself is tried first.
    let guess = names.get(value as usize).is_some_and(|n| n.0 == value);
    if guess {
        return Some(value as usize);
    }
    names.iter().position(|n| n.0 == value)
}

fn set(words: &[AtomicU64], at: usize) {
    let (word, bit) = (&words[at / 64], 1 << (at % 64));
    if word.load(Ordering::Relaxed) & bit == 0 {
        word.fetch_or(bit, Ordering::Relaxed);
    }
}

fn has(words: &[AtomicU64], at: usize) -> bool {
    words[at / 64].load(Ordering::Relaxed) & (1 << (at % 64)) != 0
}

/// Notes a call; without an account, nothing.
pub(crate) fn record(function: usize, seen: &[u64], result: ur_result_t) {
    if let Some(coverage) = COVERAGE.get() {
        coverage.record(function, seen, result);
    }
}
