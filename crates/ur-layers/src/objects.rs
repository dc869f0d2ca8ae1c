//! Which handles stand for live objects, and how many references the program has to each.
//!
//! The account is the layer's own and decides about nothing but the layer's answers: calls go to
//! the adapter that the object names, as without layers. An entry is not kept beyond its object:
//! whatever a call hands out is entered anew with the next generation, unless it is known to be
//! the same object, and the end of a release is written down only if no other object has come to
//! the address while it ran.
//!
//! Here is what a call asks before it is made; `account.rs` has what it tells afterwards.

use crate::generated::kinds::{CONTEXT, KINDS, PLATFORM};
use crate::switch;
use crate::table::{self, Entry, FIRST, Slot, State, Table};
use crate::zeroed::Zeroed;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::{UR_RESULT_ERROR_INVALID_CONTEXT, ur_result_t};

pub use crate::account::Release;

/// A kind of object; see [`crate::kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub(crate) u8);

impl Kind {
    /// What it is called in messages.
    pub(crate) fn name(self) -> &'static str {
        KINDS.get(usize::from(self.0)).unwrap_or(&KINDS[0]).0
    }

    /// The result for a handle that is none of this kind.
    pub(crate) fn refusal(self) -> ur_result_t {
        KINDS.get(usize::from(self.0)).unwrap_or(&KINDS[0]).1
    }

    /// Whether objects of the kind belong to nothing but themselves, and others to them.
    pub(crate) fn heads(self) -> bool {
        self == CONTEXT || self == PLATFORM
    }
}

/// The first part of the table, whose address every check knows.
static PLACES: Zeroed<[Slot; table::places(FIRST)]> = Zeroed::new();

pub(crate) static TABLE: Table = Table::over(PLACES.get(), FIRST);

/// Where an address is nearly always, if it was entered.
#[inline(always)]
pub(crate) fn near(address: usize) -> &'static Slot {
    // SAFETY: the number has so many bits, and there are more places.
    unsafe { PLACES.get().get_unchecked(table::place(address, FIRST)) }
}

/// The generation of the last object that was met.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Forgets all objects.
pub(crate) fn forget() {
    TABLE.forget();
    GENERATION.store(0, Ordering::Relaxed);
}

/// Objects to which the program has references, in the order in which it met them.
pub(crate) fn referenced() -> Vec<(usize, Entry)> {
    let mut held: Vec<_> = TABLE
        .entries()
        .into_iter()
        .filter(|(_, entry)| entry.count > 0)
        .collect();
    held.sort_by_key(|(_, entry)| entry.generation);
    held
}

pub(crate) fn next_generation() -> u32 {
    GENERATION.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// A call of a function, for its name.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub(crate) function: &'static str,
    /// Whether the function has a result for objects of several contexts.
    says_context: bool,
}

/// What was known of a live object when a call asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub(crate) slot: Option<&'static Slot>,
    pub(crate) word: u64,
}

impl Held {
    /// Of no object: nobody asked, or the handle is null.
    pub const NONE: Held = Held {
        slot: None,
        word: 0,
    };

    /// What the object belongs to, 0 if that is not known.
    #[inline]
    fn tie(self) -> u32 {
        let generation = (self.word >> 32) as u32;
        self.slot.map_or(0, |slot| slot.tie(generation))
    }
}

/// What the handles of a call have in common, as far as they were met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Family {
    /// Their adapter's table, 0 before the first one.
    adapter: usize,
    /// What they belong to: a context, for devices a platform; 0 while that is not known.
    pub(crate) head: u32,
}

impl Call {
    /// A call of that function.
    pub const fn new(function: &'static str) -> Call {
        Call {
            function,
            says_context: false,
        }
    }

    /// A call of a function that gives `INVALID_CONTEXT` for objects of several contexts.
    pub const fn in_context(function: &'static str) -> Call {
        Call {
            function,
            says_context: true,
        }
    }

    /// Writes a problem down, and gives the result for it.
    #[cold]
    pub(crate) fn refuse(
        &self,
        parameter: &str,
        result: ur_result_t,
        problem: std::fmt::Arguments<'_>,
    ) -> ur_result_t {
        if let Some(outputs) = switch::outputs() {
            (outputs.problem)(format_args!("{}: {parameter} {problem}", self.function));
        }
        result
    }

    /// A handle that the call uses, which may be null where the function lets it.
    ///
    /// # Errors
    /// The result for a handle that stands for no live object of the kind.
    #[inline(always)]
    pub fn holds<T>(
        &self,
        parameter: &'static str,
        handle: *mut T,
        kind: Kind,
    ) -> Result<Held, ur_result_t> {
        let slot = near(handle.addr());
        let word = slot.word_of(handle.addr());
        if table::lives(word, kind.0) {
            return Ok(Held {
                slot: Some(slot),
                word,
            });
        }
        let held = self.holds_far(parameter, handle.cast(), kind);
        if held.slot.is_none() && held.word != 0 {
            return Err(ur_result_t(held.word as u32));
        }
        Ok(held)
    }

    /// The same for handles that are null, not in their first place, or refused: then the word is
    /// the result. (What fits into two registers costs the other way nothing.)
    #[cold]
    #[inline(never)]
    fn holds_far(&self, parameter: &str, handle: *mut c_void, kind: Kind) -> Held {
        if handle.is_null() {
            return Held::NONE;
        }
        let slot = TABLE.find(handle.addr());
        let word = slot.map_or(0, |slot| slot.word_of(handle.addr()));
        if table::lives(word, kind.0) {
            return Held { slot, word };
        }
        let result = self.not_live(parameter, handle, kind, Entry::unpack(word));
        Held {
            slot: None,
            word: u64::from(result.0),
        }
    }

    /// A handle of a call that uses several: they must all be the same adapter's.
    ///
    /// # Errors
    /// The result for a handle that stands for no live object of the kind, or for one of another
    /// adapter.
    ///
    /// # Safety
    /// If an object is live at the address, it begins with its adapter's table.
    #[inline]
    pub unsafe fn uses<T>(
        &self,
        parameter: &'static str,
        handle: *mut T,
        kind: Kind,
        family: &mut Family,
    ) -> Result<Held, ur_result_t> {
        let held = self.holds(parameter, handle, kind)?;
        if held.slot.is_none() {
            return Ok(held);
        }
        // SAFETY: it is live, so it begins with the table.
        let adapter = unsafe { *handle.cast::<usize>() };
        if family.adapter == 0 {
            family.adapter = adapter;
        } else if family.adapter != adapter {
            return Err(self.stranger(parameter, handle.cast(), kind));
        }
        Ok(held)
    }

    /// A handle of a call that uses several: beside [`Call::uses`], all that are met here must
    /// belong to one context (devices and platforms: to one platform), where that is known.
    ///
    /// # Errors
    /// Those of [`Call::uses`], and the result for an object of another context.
    ///
    /// # Safety
    /// As for [`Call::uses`].
    #[inline]
    pub unsafe fn shares<T>(
        &self,
        parameter: &'static str,
        handle: *mut T,
        kind: Kind,
        family: &mut Family,
    ) -> Result<Held, ur_result_t> {
        // SAFETY: the same is asked of the caller.
        let held = unsafe { self.uses(parameter, handle, kind, family) }?;
        let tie = held.tie();
        if family.head == 0 {
            family.head = tie;
        } else if tie != 0 && tie != family.head {
            return Err(self.elsewhere(parameter, handle.cast(), kind));
        }
        Ok(held)
    }

    /// [`Call::uses`] for an array, which may be null where the function lets it.
    ///
    /// # Errors
    /// As for [`Call::uses`].
    ///
    /// # Safety
    /// `handles` is null or points to `len` handles, of which [`Call::uses`] may be asked.
    pub unsafe fn uses_all<T>(
        &self,
        parameter: &'static str,
        handles: *const *mut T,
        len: usize,
        kind: Kind,
        family: &mut Family,
    ) -> Result<(), ur_result_t> {
        let len = if handles.is_null() { 0 } else { len };
        for index in 0..len {
            // SAFETY: there are so many, and each is as it must be.
            unsafe { self.uses(parameter, *handles.add(index), kind, family) }?;
        }
        Ok(())
    }

    /// [`Call::shares`] for an array, which may be null where the function lets it.
    ///
    /// # Errors
    /// As for [`Call::shares`].
    ///
    /// # Safety
    /// `handles` is null or points to `len` handles, of which [`Call::uses`] may be asked.
    pub unsafe fn shares_all<T>(
        &self,
        parameter: &'static str,
        handles: *const *mut T,
        len: usize,
        kind: Kind,
        family: &mut Family,
    ) -> Result<(), ur_result_t> {
        let len = if handles.is_null() { 0 } else { len };
        for index in 0..len {
            // SAFETY: there are so many, and each is as it must be.
            unsafe { self.shares(parameter, *handles.add(index), kind, family) }?;
        }
        Ok(())
    }

    /// The family of a live object, if it is where it mostly is.
    ///
    /// # Safety
    /// If an object is live at the address, it begins with its adapter's table.
    #[inline(always)]
    pub unsafe fn family<T>(handle: *mut T, kind: Kind) -> Option<Family> {
        let slot = near(handle.addr());
        let word = slot.word_of(handle.addr());
        table::lives(word, kind.0).then(|| Family {
            // SAFETY: it is live, so it begins with the table.
            adapter: unsafe { *handle.cast::<usize>() },
            head: slot.tie((word >> 32) as u32),
        })
    }

    #[cold]
    fn stranger(&self, parameter: &str, handle: *mut c_void, kind: Kind) -> ur_result_t {
        self.refuse(
            parameter,
            kind.refusal(),
            format_args!("= {handle:p} belongs to another adapter than the handles before it"),
        )
    }

    #[cold]
    fn elsewhere(&self, parameter: &str, handle: *mut c_void, kind: Kind) -> ur_result_t {
        let device = kind == crate::kinds::DEVICE;
        let result = if self.says_context && !device {
            UR_RESULT_ERROR_INVALID_CONTEXT
        } else {
            kind.refusal()
        };
        let head = if device { "platform" } else { "context" };
        self.refuse(
            parameter,
            result,
            format_args!("= {handle:p} belongs to another {head} than the handles before it"),
        )
    }

    #[cold]
    fn not_live(
        &self,
        parameter: &str,
        handle: *mut c_void,
        kind: Kind,
        entry: Entry,
    ) -> ur_result_t {
        let name = kind.name();
        let found = Kind(entry.kind).name();
        let number = entry.generation;
        match entry.state {
            State::Unknown => self.refuse(
                parameter,
                kind.refusal(),
                format_args!("= {handle:p} is no {name}: no call gave such a handle"),
            ),
            State::Live => self.refuse(
                parameter,
                kind.refusal(),
                format_args!("= {handle:p} is no {name} but {found} #{number}"),
            ),
            State::Ending | State::Released => self.refuse(
                parameter,
                kind.refusal(),
                format_args!("= {handle:p} is used after the last release of {found} #{number}"),
            ),
        }
    }

    /// The result of a release that the program has no reference for.
    #[cold]
    pub fn not_owned<T>(&self, parameter: &str, handle: *mut T, kind: Kind) -> ur_result_t {
        let name = kind.name();
        self.refuse(
            parameter,
            kind.refusal(),
            format_args!("= {handle:p}: the program has no reference to this {name}"),
        )
    }
}
