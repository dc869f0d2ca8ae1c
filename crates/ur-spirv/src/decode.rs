//! From words to single instructions.

use crate::{Error, Result};
use rspirv::spirv::Op;

/// First word of every module.
pub const MAGIC: u32 = 0x0723_0203;

/// Largest id bound that SPIR-V lets a module count on.
pub const MAX_BOUND: u32 = 0x3f_ffff;

/// The five words before the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Generator's magic number.
    pub generator: u32,
    /// All ids are smaller.
    pub bound: u32,
}

/// An instruction as it stands in the module.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// Opcode.
    pub op: Op,
    /// Words after the first.
    pub words: &'a [u32],
    /// Offset of the first word in the module.
    pub offset: usize,
}

impl<'a> Raw<'a> {
    /// Operand word `n`.
    pub fn word(&self, n: usize) -> Result<u32> {
        self.words
            .get(n)
            .copied()
            .ok_or_else(|| self.invalid(format!("needs at least {} operand words", n + 1)))
    }

    /// Operand words from `n` on.
    pub fn rest(&self, n: usize) -> &'a [u32] {
        self.words.get(n..).unwrap_or(&[])
    }

    /// The string that starts at operand word `n`, and the number of words it takes.
    pub fn string(&self, n: usize) -> Result<(String, usize)> {
        let (bytes, words) =
            string_bytes(self.rest(n)).ok_or_else(|| self.invalid("a string is not terminated"))?;
        let text = String::from_utf8(bytes).map_err(|_| self.invalid("a string is not UTF-8"))?;
        Ok((text, words))
    }

    /// As [`Raw::string`] for strings that only inform: bytes that are not UTF-8 are replaced.
    pub fn lossy_string(&self, n: usize) -> Result<String> {
        let (bytes, _) =
            string_bytes(self.rest(n)).ok_or_else(|| self.invalid("a string is not terminated"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A broken rule of this instruction.
    pub fn invalid(&self, rule: impl std::fmt::Display) -> Error {
        Error::invalid(self.offset, format!("Op{:?}: {rule}", self.op))
    }

    /// Something unsupported in this instruction.
    pub fn unsupported(&self, what: impl std::fmt::Display) -> Error {
        Error::unsupported(self.offset, format!("Op{:?}: {what}", self.op))
    }
}

/// Bytes of a zero-terminated string, and how many words it takes with its terminator.
pub fn string_bytes(words: &[u32]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    for (n, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((bytes, n + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// Reads the header and gives the instructions after it.
pub fn open(words: &[u32]) -> Result<(Header, Instructions<'_>)> {
    let &[magic, version, generator, bound, schema, ref rest @ ..] = words else {
        return Err(Error::invalid(words.len(), "the header is cut off"));
    };
    if magic != MAGIC {
        return Err(Error::invalid(0, "no SPIR-V: wrong magic number"));
    }
    let [zero_high, major, minor, zero_low] = version.to_be_bytes();
    if zero_high != 0 || zero_low != 0 || major != 1 || minor > 6 {
        return Err(Error::unsupported(
            1,
            format!("version {major}.{minor} (word {version:#x})"),
        ));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(Error::invalid(
            3,
            format!("the id bound {bound} is not in 1 to {MAX_BOUND}"),
        ));
    }
    if schema != 0 {
        return Err(Error::invalid(4, "the instruction schema is not 0"));
    }
    let header = Header {
        version: (major, minor),
        generator,
        bound,
    };
    Ok((header, Instructions { rest, offset: 5 }))
}

/// The instructions of a module, one after the other.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    rest: &'a [u32],
    offset: usize,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Raw<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.rest.first()?;
        let offset = self.offset;
        let count = (first >> 16) as usize;
        let Some((words, rest)) = self.rest.split_at_checked(count).filter(|_| count > 0) else {
            let left = self.rest.len();
            self.rest = &[];
            return Some(Err(Error::invalid(
                offset,
                format!("an instruction of {count} words where {left} are left"),
            )));
        };
        self.rest = rest;
        self.offset += count;
        let Some(op) = Op::from_u32(first & 0xffff) else {
            self.rest = &[];
            return Some(Err(Error::unsupported(
                offset,
                format!("unknown opcode {}", first & 0xffff),
            )));
        };
        let words = words.get(1..).unwrap_or(&[]);
        Some(Ok(Raw { op, words, offset }))
    }
}
