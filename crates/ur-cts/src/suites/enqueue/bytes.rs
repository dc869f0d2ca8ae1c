//! Bytes to move, and whether they arrived.

use crate::Outcome;
use crate::failure::Stop;

/// Bytes of which no two neighbourhoods are alike, another row for each seed. Fewer of a seed are the
/// beginning of more.
pub(crate) fn bytes(size: usize, seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut all = Vec::with_capacity(size + 8);
    while all.len() < size {
        // Xorshift, whose period is longer than any of these.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.extend_from_slice(&state.to_le_bytes());
    }
    all.truncate(size);
    all
}

/// A size or offset in names of tests.
pub(crate) fn named(size: usize) -> String {
    match size {
        0 => "0".into(),
        n if n % (1 << 20) == 0 => format!("{}MiB", n >> 20),
        n if n % 1024 == 0 => format!("{}KiB", n >> 10),
        n => n.to_string(),
    }
}

/// Whether the bytes are those wanted, and where they first differ.
///
/// # Errors
/// When they differ.
#[track_caller]
pub(crate) fn alike(what: &str, found: &[u8], wanted: &[u8]) -> Outcome {
    if found.len() != wanted.len() {
        return Err(Stop::fail(format_args!(
            "{what}: {} bytes instead of {}",
            found.len(),
            wanted.len()
        )));
    }
    if found == wanted {
        return Ok(());
    }
    match found.iter().zip(wanted).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => {
            let count = found.iter().zip(wanted).filter(|(a, b)| a != b).count();
            Err(Stop::fail(format_args!(
                "{what}: {count} of {} bytes differ, the first at {at}: {:#x} instead of {:#x}",
                found.len(),
                found[at],
                wanted[at]
            )))
        }
    }
}

/// Memory of the host that commands may use, with room on both sides that they may not.
#[derive(Debug)]
pub(crate) struct Host {
    all: Vec<u8>,
    size: usize,
}

/// Bytes on each side.
const GUARD: usize = 64;
/// What they are.
const UNUSED: u8 = 0xa5;

impl Host {
    /// So many bytes, of no use yet.
    pub(crate) fn new(size: usize) -> Host {
        Host {
            all: vec![UNUSED; size + 2 * GUARD],
            size,
        }
    }

    /// These bytes.
    pub(crate) fn of(bytes: &[u8]) -> Host {
        let mut host = Host::new(bytes.len());
        host.all[GUARD..][..bytes.len()].copy_from_slice(bytes);
        host
    }

    /// Where they begin.
    pub(crate) fn at(&mut self) -> *mut u8 {
        self.all[GUARD..].as_mut_ptr()
    }

    /// The bytes as they are now; whoever writes them must have ended.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.all[GUARD..][..self.size]
    }

    /// Whether nothing was written beside the bytes.
    ///
    /// # Errors
    /// When something was.
    #[track_caller]
    pub(crate) fn guarded(&self) -> Outcome {
        let (before, rest) = self.all.split_at(GUARD);
        let after = &rest[self.size..];
        if before.iter().chain(after).all(|byte| *byte == UNUSED) {
            return Ok(());
        }
        Err(Stop::fail("bytes beside those of the call were written"))
    }
}
