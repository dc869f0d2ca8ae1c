//! How often an address that one adapter freed became an object of another.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 64;

/// The adapter that last had an object at each address.
#[derive(Debug)]
pub struct Reuse {
    last: Vec<Mutex<HashMap<usize, usize>>>,
    across: AtomicU64,
}

impl Default for Reuse {
    fn default() -> Self {
        Self {
            last: (0..SHARDS).map(|_| Mutex::default()).collect(),
            across: AtomicU64::new(0),
        }
    }
}

impl Reuse {
    /// Notes that `adapter` made an object at `address`.
    pub fn created(&self, address: usize, adapter: usize) {
        let Some(shard) = self.last.get((address >> 6) % SHARDS) else {
            return;
        };
        let before = shard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(address, adapter);
        if before.is_some_and(|before| before != adapter) {
            self.across.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Addresses that went from one adapter to another.
    pub fn across(&self) -> u64 {
        self.across.load(Ordering::Relaxed)
    }
}
