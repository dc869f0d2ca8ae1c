//! Which devices a context was made for, and which devices are parts of others.
//!
//! Devices are known by their addresses: a device that a program releases and gets again is the
//! same one. What was not told here is not known, and refuses nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Known {
    /// The devices of contexts.
    contexts: HashMap<u32, Vec<usize>>,
    /// What a device is a part of, 0 if it is a whole one.
    parents: HashMap<usize, usize>,
}

fn known() -> MutexGuard<'static, Option<Known>> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A context was made for these devices.
pub(crate) fn note_context(context: u32, devices: Vec<usize>) {
    if context != 0 {
        let mut known = known();
        let known = known.get_or_insert_default();
        known.contexts.insert(context, devices);
    }
}

/// The program has released a context.
pub(crate) fn forget_context(context: u32) {
    if let Some(known) = known().as_mut() {
        known.contexts.remove(&context);
    }
}

/// A device was listed, as a part of `parent` or (0) as a whole one.
pub(crate) fn note_device(device: usize, parent: usize) {
    let mut known = known();
    known.get_or_insert_default().parents.insert(device, parent);
}

/// Whether a device, or what it is a part of, may be one of a context's, as far as is known.
pub(crate) fn may_use(context: u32, device: usize) -> bool {
    let known = known();
    let Some(known) = known.as_ref() else {
        return true;
    };
    let Some(devices) = known.contexts.get(&context) else {
        return true;
    };
    let mut at = device;
    // Parts of parts are few levels deep; what an address was known for before must not lead round.
    for _ in 0..16 {
        if devices.contains(&at) {
            return true;
        }
        match known.parents.get(&at) {
            // A handle that no list showed may be one more of a device that is known.
            None => return true,
            Some(0) => return false,
            Some(parent) => at = *parent,
        }
    }
    true
}

/// Forgets everything.
pub(crate) fn forget() {
    *known() = None;
}
