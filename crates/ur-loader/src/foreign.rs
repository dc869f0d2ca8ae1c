//! Adapters whose tables have the layout of an earlier release.
//!
//! Every handle of such an adapter points to the adapter's own container, in the old order. The
//! loader makes a container in this release's order from the same functions, and every handle is
//! pointed to it when the adapter hands it out: then calls find their functions as they do for
//! any other adapter, and nothing on the way of a call knows the difference. A handle can come out
//! of few functions only: those that make objects, list them, or answer a question with them. In
//! the new container these have a function in front ([`crate::generated::foreign`]) that adopts
//! what comes out.
//!
//! The first word of an object is the loader's by the API's own rule: an adapter writes it when it
//! makes the object and has no use for it.

use crate::generated::foreign::{Removed, wrap};
use crate::registry::Registry;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use ur_api::{UR_RESULT_SUCCESS, ur_dditable_t, ur_result_t};

/// The tables of earlier releases.
#[derive(Debug)]
pub struct Old {
    /// The releases, in words.
    pub releases: &'static str,
    /// The tables.
    pub tables: &'static [Table],
}

/// One table of an earlier release.
#[derive(Debug)]
pub struct Table {
    /// The function that fills it.
    pub getter: &'static CStr,
    /// Where each entry belongs.
    pub entries: &'static [Place],
}

/// Where an entry of an earlier release's table belongs.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// In this word of this release's container.
    Current(usize),
    /// In this word of [`Removed`].
    Removed(usize),
}

const WORDS: usize = size_of::<ur_dditable_t>() / size_of::<usize>();
const REMOVED: usize = size_of::<Removed>() / size_of::<usize>();

/// The entries of an adapter in this release's order.
#[derive(Debug)]
pub struct Entries {
    current: [usize; WORDS],
    removed: [usize; REMOVED],
}

impl Entries {
    /// None yet.
    pub fn new() -> Self {
        Entries {
            current: [0; WORDS],
            removed: [0; REMOVED],
        }
    }

    /// Puts a function of the adapter, or 0 for none, where it belongs.
    pub fn put(&mut self, place: Place, function: usize) {
        match place {
            Place::Current(word) => self.current[word] = function,
            Place::Removed(word) => self.removed[word] = function,
        }
    }
}

/// An adapter of an earlier release.
#[repr(C)]
#[derive(Debug)]
pub struct Foreign {
    /// What its handles point to; the first member, so that they point to all of this.
    table: ur_dditable_t,
    /// Its own functions.
    pub(crate) original: ur_dditable_t,
    /// Its functions that this release has no more.
    pub(crate) removed: Removed,
    entries: Entries,
}

static KNOWN: Registry<Foreign> = Registry::new();

impl Foreign {
    /// The adapter with these functions: the same one for the same functions, so that opening and
    /// closing the loader again and again needs no more memory each time.
    ///
    /// # Safety
    /// Each entry is 0 or the function of the adapter that belongs there.
    pub unsafe fn with(entries: Entries) -> &'static Foreign {
        if let Some(known) = KNOWN.find(|known| {
            known.entries.current == entries.current && known.entries.removed == entries.removed
        }) {
            return known;
        }
        // SAFETY: the container is nothing but optional function pointers, of which 0 is none and
        // the others are the functions of their types, says the caller.
        let original: ur_dditable_t = unsafe { std::mem::transmute(entries.current) };
        // SAFETY: as above.
        let removed: Removed = unsafe { std::mem::transmute(entries.removed) };
        let mut table = original;
        wrap(&mut table);
        KNOWN.add(Foreign {
            table,
            original,
            removed,
            entries,
        })
    }

    /// The adapter of an earlier release whose handles point to `tables`, if it is one.
    pub fn of(tables: *const ur_dditable_t) -> Option<&'static Foreign> {
        KNOWN.find(|known| std::ptr::eq(&raw const known.table, tables))
    }

    /// The adapter behind a handle of such an adapter.
    ///
    /// # Safety
    /// The handle is live and was adopted.
    pub(crate) unsafe fn behind<T>(handle: *mut T) -> &'static Foreign {
        // SAFETY: an adopted object's first word points to `table` of one that lives for ever, and
        // that is its first member.
        unsafe { &**handle.cast::<*const Foreign>() }
    }

    /// Points an object of the adapter to the loader's container.
    ///
    /// # Safety
    /// Null, or a live object that begins with the pointer to its adapter's tables.
    pub(crate) unsafe fn adopt<T>(&'static self, handle: *mut T) {
        if handle.is_null() {
            return;
        }
        let own = std::ptr::from_ref(self).cast_mut();
        // SAFETY: the object begins with a pointer, which only this function changes once the
        // object was handed out.
        let word = unsafe { AtomicPtr::from_ptr(handle.cast::<*mut Foreign>()) };
        let now = word.load(Ordering::Relaxed);
        // Two threads may be given the same object for the first time. Only one of them changes
        // the word, so it never changes below a thread that has gone on to use it.
        if now != own {
            let _ = word.compare_exchange(now, own, Ordering::AcqRel, Ordering::Acquire);
        }
    }

    /// Adopts the handles that a call stored.
    ///
    /// # Safety
    /// If the call succeeded: `places` is null or holds `count` objects or nulls.
    pub(crate) unsafe fn adopt_all<T>(
        &'static self,
        result: ur_result_t,
        places: *const *mut T,
        count: u32,
    ) {
        if result != UR_RESULT_SUCCESS || places.is_null() {
            return;
        }
        for index in 0..count as usize {
            // SAFETY: there are that many, says the caller.
            unsafe { self.adopt(*places.add(index)) };
        }
    }
}

/// Empties a list that the adapter may fill in part.
///
/// # Safety
/// `places` is null or has room for `count` handles.
pub(crate) unsafe fn blank<T>(places: *mut *mut T, count: u32) {
    if !places.is_null() {
        // SAFETY: there is room for that many.
        unsafe { places.write_bytes(0, count as usize) };
    }
}

/// Stands in for the caller's place for a new handle. What the caller has there is unknown when
/// the call fails, but some calls fail and make an object all the same.
#[derive(Debug)]
pub(crate) struct Made<T> {
    caller: *mut *mut T,
    value: *mut T,
}

impl<T> Made<T> {
    /// For the caller's place, which may be null.
    pub(crate) fn at(caller: *mut *mut T) -> Self {
        Made {
            caller,
            value: std::ptr::null_mut(),
        }
    }

    /// What the adapter gets; null if the caller's is.
    pub(crate) fn place(&mut self) -> *mut *mut T {
        if self.caller.is_null() {
            std::ptr::null_mut()
        } else {
            &raw mut self.value
        }
    }

    /// Gives the caller what was made.
    ///
    /// # Safety
    /// The caller's place is null or may be written; the adapter stored null or a live object.
    pub(crate) unsafe fn give(self, foreign: &'static Foreign, result: ur_result_t) {
        let made = !self.value.is_null();
        if self.caller.is_null() || !(made || result == UR_RESULT_SUCCESS) {
            return;
        }
        // SAFETY: as the caller says.
        unsafe {
            foreign.adopt(self.value);
            self.caller.write(self.value);
        }
    }
}

/// Stands in for the caller's place for the size of an answer that is made of handles.
#[derive(Debug)]
pub(crate) struct Answer {
    caller: *mut usize,
    size: usize,
    handles: bool,
}

impl Answer {
    /// For the caller's place, which may be null, and an answer that is made of handles or not.
    pub(crate) fn to(caller: *mut usize, handles: bool) -> Self {
        Answer {
            caller,
            size: 0,
            handles,
        }
    }

    /// What the adapter gets.
    pub(crate) fn place(&mut self) -> *mut usize {
        if self.handles {
            &raw mut self.size
        } else {
            self.caller
        }
    }

    /// Adopts the answer's handles, and gives the caller the size.
    ///
    /// # Safety
    /// The caller's place is null or may be written; after a success, `value` is null or holds
    /// what the adapter answered.
    pub(crate) unsafe fn give(
        self,
        foreign: &'static Foreign,
        result: ur_result_t,
        value: *const c_void,
    ) {
        if !self.handles || result != UR_RESULT_SUCCESS {
            return;
        }
        let count = self.size / size_of::<*mut c_void>();
        // SAFETY: the answer is that many handles; the caller's place may be written if it isn't
        // null.
        unsafe {
            foreign.adopt_all::<c_void>(result, value.cast(), count as u32);
            if !self.caller.is_null() {
                self.caller.write(self.size);
            }
        }
    }
}
