//! What an entry is kept under: a hash of everything that compiled code depends on.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Names an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// Name of the file that holds the entry.
    pub fn file_name(&self) -> String {
        let mut name = String::with_capacity(64);
        for byte in self.0 {
            let _ = write!(name, "{byte:02x}");
        }
        name
    }

    /// The key of a part of what this key names.
    pub fn part(&self, kind: &str, name: &str) -> Key {
        let mut maker = KeyMaker::new("part");
        maker.add(&self.0);
        maker.add(kind.as_bytes());
        maker.add(name.as_bytes());
        maker.finish()
    }
}

/// Hashes the parts of a key. Each part goes in with its length, so that no two lists of parts look
/// the same.
pub struct KeyMaker(Sha256);

impl KeyMaker {
    /// Starts a key; `kind` keeps keys of different kinds apart.
    pub fn new(kind: &str) -> KeyMaker {
        let mut maker = KeyMaker(Sha256::new());
        maker.add(kind.as_bytes());
        maker
    }

    /// Adds a part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(self.0.finalize().into())
    }
}
