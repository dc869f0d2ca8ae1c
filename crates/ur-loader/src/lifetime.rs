//! A value that is there from the first of several beginnings to the last end.

// The model test brings locks of its own.
use super::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module documentation. `held` starts as none.
#[derive(Debug)]
pub struct Lifetime<T> {
    pub(super) held: Mutex<Option<Held<T>>>,
}

#[derive(Debug)]
pub struct Held<T> {
    /// Beginnings without an end, at least one.
    uses: u32,
    value: Arc<T>,
}

/// There are as many beginnings as can be counted.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany;

/// There was no beginning, or it has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct NotThere;

impl<T> Lifetime<T> {
    fn lock(&self) -> MutexGuard<'_, Option<Held<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a beginning; the first one makes the value. The lock is held meanwhile, so that who
    /// begins second returns only when the value is there.
    ///
    /// # Errors
    /// The count would pass its largest value.
    pub fn begin(&self, make: impl FnOnce() -> T) -> Result<(), TooMany> {
        let mut held = self.lock();
        match held.as_mut() {
            Some(held) => held.uses = held.uses.checked_add(1).ok_or(TooMany)?,
            None => {
                *held = Some(Held {
                    uses: 1,
                    value: Arc::new(make()),
                });
            }
        }
        Ok(())
    }

    /// Counts an end; the last one runs `last`, with the lock held, and gives up the value, which is
    /// returned: it may have more to do when it goes than a lock should be held for.
    ///
    /// # Errors
    /// There is no beginning to end.
    pub fn end(&self, last: impl FnOnce()) -> Result<Option<Arc<T>>, NotThere> {
        let mut held = self.lock();
        let open = held.as_mut().ok_or(NotThere)?;
        open.uses -= 1;
        if open.uses > 0 {
            return Ok(None);
        }
        last();
        Ok(held.take().map(|held| held.value))
    }

    /// The value, which stays as long as the caller holds on to it.
    ///
    /// # Errors
    /// It is not there.
    pub fn value(&self) -> Result<Arc<T>, NotThere> {
        let held = self.lock();
        held.as_ref()
            .map(|held| Arc::clone(&held.value))
            .ok_or(NotThere)
    }
}
