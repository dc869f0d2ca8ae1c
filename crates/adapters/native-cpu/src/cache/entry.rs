//! The file of an entry.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `CNCRDJIT` |
//! | 4 | version of the format |
//! | 4 | zero |
//! | 32 | fingerprint of the CPU |
//! | 32 | the key |
//! | 8 | bytes of payload |
//! | 32 | SHA-256 of all before this field and of the payload |
//! | … | payload |

use super::Key;
use crate::cpu;
use sha2::{Digest, Sha256};

const MAGIC: [u8; 8] = *b"CNCRDJIT";
const VERSION: u32 = 1;
const CPU: usize = 16;
const KEY: usize = 48;
const LENGTH: usize = 80;
const HASH: usize = 88;

/// Bytes in front of the payload.
pub const HEADER: usize = 120;

/// The bytes of an entry.
pub fn seal(key: &Key, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(cpu::fingerprint());
    bytes.extend(key.0);
    bytes.extend((payload.len() as u64).to_le_bytes());
    let hash = hash(&bytes, payload);
    bytes.extend(hash);
    bytes.extend(payload);
    bytes
}

fn hash(head: &[u8], payload: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(head);
    hash.update(payload);
    hash.finalize().into()
}

/// Puts the right hash over changed bytes.
#[cfg(test)]
pub fn reseal(bytes: &mut [u8]) {
    let (head, payload) = bytes.split_at_mut(HEADER);
    let hash = hash(&head[..HASH], payload);
    head[HASH..].copy_from_slice(&hash);
}

/// The payload of an entry.
///
/// # Errors
/// Why the bytes are not the entry that they should be.
pub fn open(mut bytes: Vec<u8>, key: &Key) -> Result<Vec<u8>, &'static str> {
    let Some((head, payload)) = bytes.split_at_checked(HEADER) else {
        return Err("the file is too short");
    };
    if head[..8] != MAGIC || head[8..12] != VERSION.to_le_bytes() || head[12..16] != [0; 4] {
        return Err("the file is of another format");
    }
    if head[CPU..KEY] != *cpu::fingerprint() {
        return Err("the file was made for another CPU");
    }
    if head[KEY..LENGTH] != key.0 {
        return Err("the file has another's name");
    }
    if head[LENGTH..HASH] != (payload.len() as u64).to_le_bytes() {
        return Err("the file was cut");
    }
    if head[HASH..] != hash(&head[..HASH], payload) {
        return Err("the file was changed");
    }
    bytes.drain(..HEADER);
    Ok(bytes)
}
