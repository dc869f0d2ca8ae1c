//! Which kind of CPU this is, as far as compiled code depends on it.

use crate::fork::once;
use sha2::{Digest, Sha256};
use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, _xgetbv};
use std::sync::OnceLock;

/// Tells kinds of CPUs apart: two with the same value have the same instructions.
pub type Fingerprint = [u8; 32];

/// The fingerprint of this machine's CPU: a hash of everything that a compiler finds out about its
/// instructions from the processor itself.
pub fn fingerprint() -> &'static Fingerprint {
    static PRINT: OnceLock<Fingerprint> = OnceLock::new();
    once(&PRINT, read)
}

/// Leaf and sub-leaf, and which of eax, ebx, ecx and edx count. Left out is what differs between the
/// cores of one machine (numbers of the core, sizes that depend on what is switched on).
const LEAVES: [(u32, u32, [bool; 4]); 12] = [
    (0, 0, [false, true, true, true]),
    (1, 0, [true, false, true, true]),
    (7, 0, [false, true, true, true]),
    (7, 1, [true; 4]),
    (0xd, 1, [true, false, false, false]),
    (0x14, 0, [false, true, false, false]),
    (0x19, 0, [false, true, false, false]),
    (0x1e, 1, [true, false, false, false]),
    (0x24, 0, [false, true, false, false]),
    (0x8000_0001, 0, [false, false, true, true]),
    (0x8000_0008, 0, [false, true, false, false]),
    (0x8000_0021, 0, [true, false, false, false]),
];

fn read() -> Fingerprint {
    let mut hash = Sha256::new();
    for (leaf, sub_leaf, counts) in LEAVES {
        if __get_cpuid_max(leaf & 0x8000_0000).0 < leaf {
            continue;
        }
        let answer = __cpuid_count(leaf, sub_leaf);
        let words = [answer.eax, answer.ebx, answer.ecx, answer.edx];
        for (word, _) in words.into_iter().zip(counts).filter(|(_, counts)| *counts) {
            hash.update(leaf.to_le_bytes());
            hash.update(word.to_le_bytes());
        }
    }
    hash.update(enabled_state().to_le_bytes());
    hash.finalize().into()
}

/// The register sets that the system saves, without which their instructions do not work.
fn enabled_state() -> u64 {
    #[target_feature(enable = "xsave")]
    fn read() -> u64 {
        // SAFETY: the register exists wherever the system has switched the instruction on, which
        // is what the caller found.
        unsafe { _xgetbv(0) }
    }
    if is_x86_feature_detected!("xsave") {
        // SAFETY: the instruction is there.
        unsafe { read() }
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_gives_the_same() {
        assert_eq!(read(), read());
        let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(read)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), *fingerprint());
        }
        assert_ne!(*fingerprint(), [0; 32]);
    }
}
