//! What a processor can do, as far as the functions depend on it.

use crate::llvm;

/// Features of a processor that decide which code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// AVX2: vectors of 256 bits.
    pub avx2: bool,
    /// Fused multiply-add.
    pub fma: bool,
    /// AVX-512 F, DQ, BW and VL: vectors of 512 bits.
    pub avx512: bool,
}

impl Features {
    /// Those of an LLVM processor name and feature list, with the meaning that
    /// [`llvm::Target::new`] gives them: the host's where they are `None`. A name says nothing by
    /// itself unless it is one of the levels `x86-64`, `x86-64-v2` and so on.
    pub fn of(cpu: Option<&str>, features: Option<&str>) -> Self {
        let (_, host) = llvm::host();
        let list = features.unwrap_or(if cpu.is_none() { host } else { "" });
        let level = match cpu {
            Some("x86-64-v3") => 3,
            Some("x86-64-v4") => 4,
            _ => 0,
        };
        let has = |feature: &str, from: u32| {
            let mut known = level >= from;
            for entry in list.split(',') {
                match entry.split_at_checked(1) {
                    Some(("+", name)) if name == feature => known = true,
                    Some(("-", name)) if name == feature => known = false,
                    _ => {}
                }
            }
            known
        };
        Self {
            avx2: has("avx2", 3),
            fma: has("fma", 3),
            avx512: ["avx512f", "avx512dq", "avx512bw", "avx512vl"]
                .iter()
                .all(|feature| has(feature, 4)),
        }
    }

    /// Bits of a vector register.
    pub fn bits(self) -> u32 {
        if self.avx512 {
            512
        } else if self.avx2 {
            256
        } else {
            128
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_levels() {
        assert_eq!(Features::of(Some("x86-64"), None), Features::default());
        let haswell = Features::of(Some("x86-64-v3"), None);
        assert!(haswell.avx2 && haswell.fma && haswell.bits() == 256);
        assert!(!Features::of(Some("x86-64-v3"), Some("-fma")).fma);
        assert_eq!(Features::of(Some("x86-64-v4"), None).bits(), 512);
        let listed = Features::of(Some("x86-64"), Some("+fma,+avx2,-avx512f"));
        assert!(listed.avx2 && listed.fma && !listed.avx512);
    }
}
