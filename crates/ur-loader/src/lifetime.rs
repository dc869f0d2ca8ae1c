//! A value that is there from the first of several beginnings to the last end, and is made when it
//! is first asked for.

// The model test brings locks of its own.
use super::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module documentation. `held` starts as none.
#[derive(Debug)]
pub struct Lifetime<S, T> {
    pub(super) held: Mutex<Option<Held<S, T>>>,
}

/// What is there between a beginning and its end.
#[derive(Debug)]
pub struct Held<S, T> {
    /// Beginnings without an end, at least one.
    uses: u32,
    /// What the first beginning asked for.
    seed: S,
    /// What was made of it.
    value: Option<Arc<T>>,
}

/// There are as many beginnings as can be counted.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany;

/// There was no beginning, or it has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct NotThere;

impl<S, T> Lifetime<S, T> {
    fn lock(&self) -> MutexGuard<'_, Option<Held<S, T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a beginning; the first one says, with the lock held, what the value is to be made of.
    ///
    /// # Errors
    /// The count would pass its largest value.
    pub fn begin(&self, first: impl FnOnce() -> S) -> Result<(), TooMany> {
        let mut held = self.lock();
        match held.as_mut() {
            Some(held) => held.uses = held.uses.checked_add(1).ok_or(TooMany)?,
            None => {
                *held = Some(Held {
                    uses: 1,
                    seed: first(),
                    value: None,
                });
            }
        }
        Ok(())
    }

    /// Counts an end; the last one runs `last`, with the lock held, and gives up what was there,
    /// which is returned: it may have more to do when it goes than a lock should be held for.
    ///
    /// # Errors
    /// There is no beginning to end.
    pub fn end(&self, last: impl FnOnce()) -> Result<Option<Held<S, T>>, NotThere> {
        let mut held = self.lock();
        let open = held.as_mut().ok_or(NotThere)?;
        open.uses -= 1;
        if open.uses > 0 {
            return Ok(None);
        }
        last();
        Ok(held.take())
    }

    /// The value, which stays as long as the caller holds on to it. Who asks first makes it, with
    /// the lock held, so that who asks second gets it when it is whole.
    ///
    /// # Errors
    /// It is not there.
    pub fn value(&self, make: impl FnOnce(&S) -> T) -> Result<Arc<T>, NotThere> {
        let mut held = self.lock();
        let Held { seed, value, .. } = held.as_mut().ok_or(NotThere)?;
        let value = value.get_or_insert_with(|| Arc::new(make(seed)));
        Ok(Arc::clone(value))
    }
}
