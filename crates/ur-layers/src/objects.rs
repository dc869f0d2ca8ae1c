//! Which handles stand for live objects, and how many references the program has to each.
//!
//! The account is the layer's own and decides about nothing but the layer's answers: calls go to
//! the adapter that the object names, as without layers. An entry is not kept beyond its object:
//! whatever a call hands out is entered anew with the next generation, unless it is known to be
//! the same object, and the end of a release is written down only if no other object has come to
//! the address while it ran.

use crate::generated::kinds::KINDS;
use crate::table::{Entry, State, Table, steps};
use crate::{active, leaks, switch};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::{UR_RESULT_SUCCESS, ur_result_t};

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
}

static TABLE: OnceLock<Table> = OnceLock::new();

/// The generation of the last object that was met.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Makes room, before objects are met.
pub(crate) fn prepare() {
    TABLE.get_or_init(Table::new);
}

/// Forgets all objects.
pub(crate) fn forget() {
    if let Some(table) = TABLE.get() {
        table.forget();
    }
    GENERATION.store(0, Ordering::Relaxed);
}

/// Objects to which the program has references, in the order in which it met them.
pub(crate) fn referenced() -> Vec<(usize, Entry)> {
    let entries = TABLE.get().map_or_else(Vec::new, Table::entries);
    let mut held: Vec<_> = entries
        .into_iter()
        .filter(|(_, entry)| entry.count > 0)
        .collect();
    held.sort_by_key(|(_, entry)| entry.generation);
    held
}

fn next_generation() -> u32 {
    GENERATION.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// A call of a function, for its name.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    function: &'static str,
}

impl Call {
    /// A call of that function.
    pub const fn new(function: &'static str) -> Call {
        Call { function }
    }

    /// Writes a problem down, and gives the result for it.
    #[cold]
    pub(crate) fn refuse(
        self,
        parameter: &str,
        result: ur_result_t,
        problem: std::fmt::Arguments<'_>,
    ) -> ur_result_t {
        if let Some(outputs) = switch::outputs() {
            (outputs.problem)(format_args!("{}: {parameter} {problem}", self.function));
        }
        result
    }

    /// A handle that the call uses, which may be null where the function lets it. `owner` is the
    /// adapter of the call's first handle, 0 before it.
    ///
    /// # Errors
    /// The result for a handle that stands for no live object of the kind, or for one of another
    /// adapter.
    ///
    /// # Safety
    /// If an object is live at the address, it begins with its adapter's table.
    #[inline]
    pub unsafe fn uses<T>(
        self,
        parameter: &'static str,
        handle: *mut T,
        kind: Kind,
        owner: &mut usize,
    ) -> Result<(), ur_result_t> {
        if handle.is_null() {
            return Ok(());
        }
        let slot = TABLE.get().and_then(|table| table.find(handle.addr()));
        match slot.map(|slot| slot.entry()) {
            Some(entry) if entry.state == State::Live && entry.kind == kind.0 => {
                // SAFETY: it is live, so it begins with the table.
                let table = unsafe { *handle.cast::<usize>() };
                if *owner == 0 {
                    *owner = table;
                } else if *owner != table {
                    return Err(self.refuse(
                        parameter,
                        kind.refusal(),
                        format_args!(
                            "= {handle:p} belongs to another adapter than the handles before it"
                        ),
                    ));
                }
                Ok(())
            }
            found => Err(self.not_live(parameter, handle.cast(), kind, found)),
        }
    }

    /// The same for an array, which may be null where the function lets it.
    ///
    /// # Errors
    /// As for [`Call::uses`].
    ///
    /// # Safety
    /// `handles` is null or points to `len` handles, of which [`Call::uses`] may be asked.
    pub unsafe fn uses_all<T>(
        self,
        parameter: &'static str,
        handles: *const *mut T,
        len: usize,
        kind: Kind,
        owner: &mut usize,
    ) -> Result<(), ur_result_t> {
        if handles.is_null() {
            return Ok(());
        }
        // SAFETY: there are so many, and each is as it must be.
        (0..len)
            .try_for_each(|index| unsafe { self.uses(parameter, *handles.add(index), kind, owner) })
    }

    #[cold]
    fn not_live(
        self,
        parameter: &str,
        handle: *mut c_void,
        kind: Kind,
        found: Option<Entry>,
    ) -> ur_result_t {
        let name = kind.name();
        let entry = found.filter(|entry| entry.state != State::Unknown);
        let Some(entry) = entry else {
            return self.refuse(
                parameter,
                kind.refusal(),
                format_args!("= {handle:p} is no {name}: no call gave such a handle"),
            );
        };
        let found = Kind(entry.kind).name();
        let number = entry.generation;
        if entry.state == State::Live {
            return self.refuse(
                parameter,
                kind.refusal(),
                format_args!("= {handle:p} is no {name} but {found} #{number}"),
            );
        }
        self.refuse(
            parameter,
            kind.refusal(),
            format_args!("= {handle:p} is used after the last release of {found} #{number}"),
        )
    }

    /// The call made an object or gave a reference to one, and stored its handle at `place`,
    /// which may be null.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn created<T>(self, result: ur_result_t, place: *mut *mut T, kind: Kind) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        self.got(unsafe { *place }.addr(), kind);
    }

    /// The call stored a handle at `place`, which may be null, without a reference to its object.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn seen<T>(self, result: ur_result_t, place: *mut *mut T, kind: Kind) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        self.saw(unsafe { *place }.addr(), kind);
    }

    /// The call used the object whose handle stands at `place`, or made one if there was none
    /// that lives.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn kept_or_created<T>(self, result: ur_result_t, place: *mut *mut T, kind: Kind) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        let address = unsafe { *place }.addr();
        let slot = TABLE.get().and_then(|table| table.find(address));
        let known = slot.is_some_and(|slot| {
            let entry = slot.entry();
            entry.state == State::Live && entry.kind == kind.0
        });
        if !known {
            self.got(address, kind);
        }
    }

    /// The call stored handles at `places`, which may be null or has room for `room`; how many
    /// there are is at `count`, which may be null.
    ///
    /// # Safety
    /// If the call succeeded, `places` is null or has so many handles.
    pub unsafe fn listed<T>(
        self,
        result: ur_result_t,
        places: *mut *mut T,
        room: u32,
        count: *const u32,
        kind: Kind,
        owned: bool,
    ) {
        if result != UR_RESULT_SUCCESS || places.is_null() || count.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so the number was written, and so many handles that fit.
        let count = unsafe { *count }.min(room);
        for index in 0..count as usize {
            // SAFETY: as above.
            let address = unsafe { *places.add(index) }.addr();
            if owned {
                self.got(address, kind);
            } else {
                self.saw(address, kind);
            }
        }
    }

    /// A query wrote handles to `value`, which may be null and has room for `size` bytes; how
    /// many it wrote is at `needed`, which may be null.
    ///
    /// # Safety
    /// If the call succeeded, `value` is null or has so many bytes of handles.
    pub unsafe fn answered(
        self,
        result: ur_result_t,
        value: *const c_void,
        size: usize,
        needed: *const usize,
        kind: Kind,
    ) {
        if result != UR_RESULT_SUCCESS || value.is_null() || needed.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so the number was written, and so many bytes that fit.
        let size = unsafe { *needed }.min(size);
        for index in 0..size / size_of::<usize>() {
            // SAFETY: as above; the caller's memory need not be aligned.
            let address = unsafe { value.cast::<usize>().add(index).read_unaligned() };
            self.saw(address, kind);
        }
    }

    /// The call took one more reference.
    pub fn retained<T>(self, result: ur_result_t, handle: *mut T, kind: Kind) {
        if result == UR_RESULT_SUCCESS && !handle.is_null() {
            self.got(handle.addr(), kind);
        }
    }

    /// The call is going to give a reference back. [`Release::done`] must follow.
    ///
    /// The account changes before the call: when the call returns, another thread may have made
    /// an object at the address.
    #[must_use]
    pub fn releasing<T>(self, handle: *mut T) -> Release {
        let slot = TABLE.get().and_then(|table| table.find(handle.addr()));
        let changed = slot.and_then(|slot| slot.change(steps::releasing));
        Release {
            address: handle.addr(),
            generation: changed.map(|(_, after)| after.generation),
            ending: changed.is_some_and(|(_, after)| after.state == State::Ending),
        }
    }

    /// The result of a release that the program has no reference for.
    #[cold]
    pub fn not_owned<T>(self, parameter: &str, handle: *mut T, kind: Kind) -> ur_result_t {
        let name = kind.name();
        self.refuse(
            parameter,
            kind.refusal(),
            format_args!("= {handle:p}: the program has no reference to this {name}"),
        )
    }

    fn got(self, address: usize, kind: Kind) {
        let Some(table) = TABLE.get().filter(|_| address != 0) else {
            return;
        };
        let slot = table.enter(address);
        // Mostly it is a known object, which needs no generation.
        let kept = slot.change(|entry| steps::kept(entry, kind.0));
        let change = kept.or_else(|| {
            let generation = next_generation();
            slot.change(|entry| Some(steps::got(entry, kind.0, generation)))
        });
        // The first reference, or the first after the object was only shown.
        if let Some((_, after)) = change
            && after.count == 1
            && active().leaks()
        {
            leaks::remember(address, after.generation, self.function);
        }
    }

    fn saw(self, address: usize, kind: Kind) {
        let Some(table) = TABLE.get().filter(|_| address != 0) else {
            return;
        };
        let slot = table.enter(address);
        let entry = slot.entry();
        if steps::seen(entry, kind.0, 0).is_some() {
            let generation = next_generation();
            slot.change(|entry| steps::seen(entry, kind.0, generation));
        }
    }
}

/// A release that has begun.
#[derive(Debug)]
pub struct Release {
    address: usize,
    /// None: the program had no reference that is known.
    generation: Option<u32>,
    /// It was the last one.
    ending: bool,
}

impl Release {
    /// Whether the program has the reference that it gives back.
    pub fn is_owned(&self) -> bool {
        self.generation.is_some() || self.address == 0
    }

    /// The call has ended with that result.
    pub fn done(self, result: ur_result_t) {
        let Some(generation) = self.generation else {
            return;
        };
        let done = result == UR_RESULT_SUCCESS;
        if done && !self.ending {
            return;
        }
        let slot = TABLE.get().and_then(|table| table.find(self.address));
        let changed =
            slot.and_then(|slot| slot.change(|entry| steps::released(entry, generation, done)));
        if changed.is_some_and(|(_, after)| after.state == State::Released) && active().leaks() {
            leaks::drop(self.address, generation);
        }
    }
}
