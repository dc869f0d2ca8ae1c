//! A list that only grows, read without a lock: what the loader knows of adapters by their tables.
//!
//! Adapters stay mapped, so what is known of one stays true, and there are as many entries as
//! adapters.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A list of values that live as long as the process.
#[derive(Debug)]
pub struct Registry<T: 'static> {
    first: AtomicPtr<Node<T>>,
}

#[derive(Debug)]
struct Node<T: 'static> {
    value: T,
    next: Option<&'static Node<T>>,
}

impl<T: Sync> Registry<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Registry {
            first: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn first(&self) -> Option<&'static Node<T>> {
        // SAFETY: null or a node that `add` leaked, whose contents it made before.
        unsafe { self.first.load(Ordering::Acquire).as_ref() }
    }

    /// The first value that holds.
    pub fn find(&self, holds: impl Fn(&T) -> bool) -> Option<&'static T> {
        let mut node = self.first();
        while let Some(here) = node {
            if holds(&here.value) {
                return Some(&here.value);
            }
            node = here.next;
        }
        None
    }

    /// Adds a value. Two that are the same to `find` should not be added; who comes later finds
    /// the newer one.
    pub fn add(&self, value: T) -> &'static T {
        let node = Box::leak(Box::new(Node { value, next: None }));
        loop {
            let first = self.first();
            node.next = first;
            let old = first.map_or(std::ptr::null_mut(), |first| {
                std::ptr::from_ref(first).cast_mut()
            });
            let new = std::ptr::from_mut(node);
            if self
                .first
                .compare_exchange(old, new, Ordering::Release, Ordering::Relaxed)
                .is_ok()
            {
                // SAFETY: leaked, and shared from now on.
                return unsafe { &(*new).value };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_and_find() {
        static LIST: Registry<usize> = Registry::new();
        assert_eq!(LIST.find(|_| true), None);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for i in 0..100 {
                        let value = thread * 100 + i;
                        assert_eq!(*LIST.add(value), value);
                        assert_eq!(LIST.find(|&v| v == value), Some(&value));
                    }
                });
            }
        });
        for value in 0..400 {
            assert_eq!(LIST.find(|&v| v == value), Some(&value));
        }
    }
}
