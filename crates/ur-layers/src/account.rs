//! What a call did to the references that the program has: the other half of [`crate::objects`].

use crate::generated::kinds::{CONTEXT, DEVICE};
use crate::objects::{Call, Family, Held, Kind, TABLE, next_generation};
use crate::table::{Entry, Slot, State, steps};
use crate::{active, bounds, devices, leaks};
use std::ffi::c_void;
use ur_api::{UR_RESULT_SUCCESS, ur_result_t};

impl Call {
    /// The call made an object or gave a reference to one, and stored its handle at `place`,
    /// which may be null. What is new belongs to what the call's handles belong to.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn created<T>(
        &self,
        result: ur_result_t,
        place: *mut *mut T,
        kind: Kind,
        family: Family,
    ) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        self.got(unsafe { *place }.addr(), kind, family);
    }

    /// The call stored a handle at `place`, which may be null, without a reference to its object.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn seen<T>(
        &self,
        result: ur_result_t,
        place: *mut *mut T,
        kind: Kind,
        family: Family,
    ) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        self.saw(unsafe { *place }.addr(), kind, family);
    }

    /// The call used the object whose handle stands at `place`, or made one if there was none
    /// that lives.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle.
    pub unsafe fn kept_or_created<T>(
        &self,
        result: ur_result_t,
        place: *mut *mut T,
        kind: Kind,
        family: Family,
    ) {
        if result != UR_RESULT_SUCCESS || place.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        let address = unsafe { *place }.addr();
        let known = TABLE.find(address).is_some_and(|slot| {
            let entry = slot.entry();
            entry.state == State::Live && entry.kind == kind.0
        });
        if !known {
            self.got(address, kind, family);
        }
    }

    /// The call stored handles at `places`, which may be null or has room for `room`; how many
    /// there are is at `count`, which may be null. `owned` says whether the program has a
    /// reference to each.
    ///
    /// # Safety
    /// If the call succeeded, `places` is null or has so many handles.
    #[allow(clippy::too_many_arguments, reason = "an array is three of them")]
    pub unsafe fn listed<T>(
        &self,
        result: ur_result_t,
        places: *mut *mut T,
        room: u32,
        count: *const u32,
        kind: Kind,
        owned: bool,
        family: Family,
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
                self.got(address, kind, family);
            } else {
                self.saw(address, kind, family);
            }
        }
    }

    /// A query wrote handles to `value`, which may be null and has room for `size` bytes; how
    /// many it wrote is at `needed`, which may be null.
    ///
    /// # Safety
    /// If the call succeeded, `value` is null or has so many bytes of handles.
    pub unsafe fn answered(
        &self,
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
            self.saw(address, kind, Family::default());
        }
    }

    /// The call took one more reference to an object that was `held` before it.
    #[inline(always)]
    pub fn retained<T>(&self, result: ur_result_t, handle: *mut T, kind: Kind, held: Held) {
        if result != UR_RESULT_SUCCESS || held.slot.is_some_and(|slot| slot.add(held.word)) {
            return;
        }
        self.retained_else(handle.addr(), kind);
    }

    #[cold]
    #[inline(never)]
    fn retained_else(&self, address: usize, kind: Kind) {
        self.got(address, kind, Family::default());
    }

    /// The call is going to give back a reference to an object that was `held` before it.
    /// [`Release::done`] must follow.
    ///
    /// The account changes before the call: when the call returns, another thread may have made
    /// an object at the address.
    #[inline(always)]
    #[must_use]
    pub fn releasing<T>(&self, handle: *mut T, held: Held) -> Release {
        if held.slot.is_some_and(|slot| slot.take(held.word)) {
            return Release {
                address: handle.addr(),
                began: held.word & !u64::from(u32::MAX) | Release::OWNED,
            };
        }
        Release {
            address: handle.addr(),
            began: releasing_else(handle.addr()),
        }
    }

    fn got(&self, address: usize, kind: Kind, family: Family) {
        if address == 0 || !active().accounts() {
            return;
        }
        let slot = TABLE.enter(address);
        // Mostly it is a known object, which needs no generation.
        let kept = slot.change(|entry| steps::kept(entry, kind.0));
        let change = kept.or_else(|| {
            let generation = next_generation();
            slot.change(|entry| Some(steps::got(entry, kind.0, generation)))
        });
        let Some((before, after)) = change else {
            return;
        };
        if after.generation != before.generation {
            let to = if kind.heads() {
                after.generation
            } else {
                family.head
            };
            slot.set_tie(after.generation, to);
        }
        // The first reference, or the first after the object was only shown.
        if after.count == 1 && active().leaks() {
            leaks::remember(address, after.generation, self.function);
        }
    }

    fn saw(&self, address: usize, kind: Kind, family: Family) {
        if address == 0 || !active().accounts() {
            return;
        }
        let slot = TABLE.enter(address);
        let entry = slot.entry();
        if steps::seen(entry, kind.0, 0).is_none() {
            return;
        }
        let generation = next_generation();
        let change = slot.change(|entry| steps::seen(entry, kind.0, generation));
        if let Some((before, after)) = change {
            let to = if kind.heads() {
                same_head(slot, before, kind).unwrap_or(after.generation)
            } else {
                family.head
            };
            slot.set_tie(after.generation, to);
        }
    }
}

/// What objects belonged to whose context the program has released, and which is now shown again
/// by one of them: it is the same context.
fn same_head(slot: &Slot, before: Entry, kind: Kind) -> Option<u32> {
    let tie = slot.tie(before.generation);
    (before.kind == kind.0 && tie != 0).then_some(tie)
}

/// What [`Release::began`] is for a release that takes the last reference, or of an object that is
/// not where it mostly is.
#[cold]
#[inline(never)]
fn releasing_else(address: usize) -> u64 {
    let slot = TABLE.find(address);
    match slot.and_then(|slot| slot.change(steps::releasing)) {
        Some((_, after)) => {
            let mut began = u64::from(after.generation) << 32 | Release::OWNED;
            if after.state == State::Ending {
                bounds::begin_free();
                began |= Release::ENDING;
            }
            began
        }
        None if address == 0 => Release::OWNED,
        None => 0,
    }
}

/// A release that has begun.
#[derive(Debug)]
pub struct Release {
    address: usize,
    /// The generation of the object, above what follows.
    began: u64,
}

impl Release {
    /// The program has the reference.
    const OWNED: u64 = 1;
    /// It is the last one.
    const ENDING: u64 = 2;

    /// Whether the program has the reference that it gives back.
    #[inline(always)]
    pub fn is_owned(&self) -> bool {
        self.began & Release::OWNED != 0
    }

    /// The call has ended with that result.
    #[inline(always)]
    pub fn done(self, result: ur_result_t) {
        if result != UR_RESULT_SUCCESS || self.began & Release::ENDING != 0 {
            ended(self.address, self.began, result);
        }
    }
}

#[cold]
#[inline(never)]
fn ended(address: usize, began: u64, result: ur_result_t) {
    if began & Release::OWNED == 0 {
        return;
    }
    if began & Release::ENDING != 0 {
        bounds::end_free();
    }
    let generation = (began >> 32) as u32;
    let done = result == UR_RESULT_SUCCESS;
    let Some(slot) = TABLE.find(address) else {
        return;
    };
    let changed = slot.change(|entry| steps::released(entry, generation, done));
    let Some((_, after)) = changed.filter(|(_, after)| after.state == State::Released) else {
        return;
    };
    if after.kind == CONTEXT.0 {
        devices::forget_context(slot.tie(generation));
    }
    if active().leaks() {
        leaks::drop(address, generation);
    }
}

impl Call {
    /// The call made a context, whose handle is at `place`, for so many devices; none where it
    /// does not say.
    ///
    /// # Safety
    /// `place` is null or, if the call succeeded, holds a handle; `devices` is null or has so many.
    pub unsafe fn made_for<T, D>(
        &self,
        result: ur_result_t,
        place: *mut *mut T,
        devices: *const *mut D,
        len: u32,
    ) {
        if result != UR_RESULT_SUCCESS || place.is_null() || devices.is_null() || len == 0 {
            return;
        }
        // SAFETY: the call succeeded, so there is a handle.
        let slot = TABLE.find(unsafe { *place }.addr());
        let Some(slot) = slot else { return };
        let tie = slot.tie(slot.entry().generation);
        // SAFETY: there are so many.
        let all = (0..len as usize).map(|index| unsafe { *devices.add(index) }.addr());
        devices::note_context(tie, all.collect());
    }

    /// The call listed devices: those of a platform, or the parts of `parent`. The rest as for
    /// [`Call::listed`].
    ///
    /// # Safety
    /// As for [`Call::listed`].
    pub unsafe fn found<T>(
        &self,
        result: ur_result_t,
        places: *mut *mut T,
        room: u32,
        count: *const u32,
        parent: *mut T,
    ) {
        if result != UR_RESULT_SUCCESS || places.is_null() || count.is_null() {
            return;
        }
        // SAFETY: the call succeeded, so the number was written, and so many handles that fit.
        let count = unsafe { *count }.min(room);
        for index in 0..count as usize {
            // SAFETY: as above.
            let device = unsafe { *places.add(index) }.addr();
            devices::note_device(device, parent.addr());
        }
    }

    /// A device that the call uses must be one that its context was made for, or a part of one,
    /// where that is known.
    ///
    /// # Errors
    /// The result for a device that is none of them.
    pub fn within<T>(
        &self,
        parameter: &'static str,
        device: *mut T,
        family: Family,
    ) -> Result<(), ur_result_t> {
        if device.is_null() || devices::may_use(family.head, device.addr()) {
            return Ok(());
        }
        Err(self.refuse(
            parameter,
            DEVICE.refusal(),
            format_args!("= {device:p} is no device of the context"),
        ))
    }

    /// The same for an array, which may be null where the function lets it.
    ///
    /// # Errors
    /// As for [`Call::within`].
    ///
    /// # Safety
    /// `devices` is null or has so many.
    pub unsafe fn all_within<T>(
        &self,
        parameter: &'static str,
        devices: *const *mut T,
        len: usize,
        family: Family,
    ) -> Result<(), ur_result_t> {
        let len = if devices.is_null() { 0 } else { len };
        // SAFETY: there are so many.
        (0..len)
            .try_for_each(|index| self.within(parameter, unsafe { *devices.add(index) }, family))
    }
}
