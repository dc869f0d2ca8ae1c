//! The container of a program that was saved: the SPIR-V it was made of and how it was built.
//!
//! All numbers are little-endian. What a file holds is checked before it is used, so a truncated or
//! altered one is refused and never read out of bounds.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `CNCRDCPU` |
//! | 4 | version of the format |
//! | 4 | kind: 1 compiled, 2 executable |
//! | 4 | number of specialisation constants `S` |
//! | 4 | bytes of build options `O` |
//! | 8 | words of SPIR-V `W` |
//! | 8 | checksum of everything after this field |
//! | 16·S | specialisation constants: id (4), size (4), bits (8) |
//! | O | build options |
//! | 0–3 | zeros up to a multiple of 4 |
//! | 4·W | SPIR-V |

/// The first bytes of a saved program.
pub const MAGIC: [u8; 8] = *b"CNCRDCPU";
const VERSION: u32 = 1;
const HEADER: usize = 40;

/// How far a saved program had been built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Compiled, to be linked.
    Compiled = 1,
    /// Built.
    Executable = 2,
}

/// A value given to a specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialisation {
    /// Its `SpecId`.
    pub id: u32,
    /// Bytes of the value.
    pub size: u32,
    /// The value, zero-extended.
    pub bits: u64,
}

/// A program as it is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// How far it had been built.
    pub stage: Stage,
    /// Specialisation constants that were set.
    pub constants: Vec<Specialisation>,
    /// Build options.
    pub options: String,
    /// The SPIR-V.
    pub words: Vec<u32>,
}

/// Why bytes are no saved program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// They do not begin like one.
    Magic,
    /// They were written by another version.
    Version(u32),
    /// There are fewer or more than the header says.
    Length,
    /// They were changed.
    Checksum,
    /// A field holds a value that has no meaning.
    Field(&'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Magic => f.write_str("not a program saved by this adapter"),
            Refusal::Version(version) => write!(f, "saved in format {version}, not {VERSION}"),
            Refusal::Length => f.write_str("the length does not match the header"),
            Refusal::Checksum => f.write_str("the checksum does not match"),
            Refusal::Field(name) => write!(f, "bad {name}"),
        }
    }
}

/// 64-bit FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The bytes of a saved program.
pub fn write(saved: &Saved) -> Vec<u8> {
    let mut body = Vec::with_capacity(saved.words.len() * 4 + saved.options.len() + 64);
    for constant in &saved.constants {
        body.extend(constant.id.to_le_bytes());
        body.extend(constant.size.to_le_bytes());
        body.extend(constant.bits.to_le_bytes());
    }
    body.extend(saved.options.as_bytes());
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(saved.words.iter().flat_map(|word| word.to_le_bytes()));
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((saved.stage as u32).to_le_bytes());
    bytes.extend((saved.constants.len() as u32).to_le_bytes());
    bytes.extend((saved.options.len() as u32).to_le_bytes());
    bytes.extend((saved.words.len() as u64).to_le_bytes());
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

/// Whether bytes begin like a saved program, whatever follows.
pub fn is_saved(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a saved program.
///
/// # Errors
/// Says what is wrong with the bytes.
pub fn read(bytes: &[u8]) -> Result<Saved, Refusal> {
    if !is_saved(bytes) {
        return Err(Refusal::Magic);
    }
    let number = |at| u32_at(bytes, at).ok_or(Refusal::Length);
    let version = number(8)?;
    if version != VERSION {
        return Err(Refusal::Version(version));
    }
    let stage = match number(12)? {
        1 => Stage::Compiled,
        2 => Stage::Executable,
        _ => return Err(Refusal::Field("kind")),
    };
    let (constants, options) = (number(16)? as usize, number(20)? as usize);
    let words = u64_at(bytes, 24).ok_or(Refusal::Length)?;
    let sum = u64_at(bytes, 32).ok_or(Refusal::Length)?;
    let body = bytes.get(HEADER..).ok_or(Refusal::Length)?;
    // 32-bit counts cannot overflow these; the number of words can.
    let options_start = constants * 16;
    let options_end = options_start + options;
    let words_start = options_end.next_multiple_of(4);
    let expected = usize::try_from(words)
        .ok()
        .and_then(|words| words.checked_mul(4))
        .and_then(|size| size.checked_add(words_start))
        .ok_or(Refusal::Length)?;
    if body.len() != expected {
        return Err(Refusal::Length);
    }
    if checksum(body) != sum {
        return Err(Refusal::Checksum);
    }
    let constants = (0..constants)
        .map(|i| {
            Some(Specialisation {
                id: u32_at(body, i * 16)?,
                size: u32_at(body, i * 16 + 4)?,
                bits: u64_at(body, i * 16 + 8)?,
            })
        })
        .collect::<Option<Vec<_>>>()
        .ok_or(Refusal::Length)?;
    if constants.iter().any(|c| !(1..=8).contains(&c.size)) {
        return Err(Refusal::Field("specialisation constant"));
    }
    let options = body
        .get(options_start..options_end)
        .and_then(|text| std::str::from_utf8(text).ok())
        .ok_or(Refusal::Field("build options"))?
        .to_owned();
    let words = body
        .get(words_start..)
        .unwrap_or_default()
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    Ok(Saved {
        stage,
        constants,
        options,
        words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Saved {
        Saved {
            stage: Stage::Executable,
            constants: vec![Specialisation {
                id: 7,
                size: 4,
                bits: 42,
            }],
            options: "-cl-fast-relaxed-math".into(),
            words: vec![0x0723_0203, 0x0001_0000, 0, 5, 0],
        }
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_refused() {
        let bytes = write(&sample());
        assert_eq!(read(&bytes), Ok(sample()));
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len}");
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0xff, bytes[at] ^ 0x80] {
                if value == bytes[at] {
                    continue;
                }
                let mut changed = bytes.clone();
                changed[at] = value;
                // The one field the checksum does not cover and that has two meanings.
                let legal = at == 12 && value == 1;
                assert_eq!(read(&changed).is_ok(), legal, "byte {at} = {value}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(read(&longer), Err(Refusal::Length));
    }

    proptest! {
        #[test]
        fn comes_back_as_written(
            executable: bool,
            constants in prop::collection::vec((0u32.., 1u32..=8, 0u64..), 0..5),
            options in "[ -~é]{0,40}",
            words in prop::collection::vec(0u32.., 0..100),
        ) {
            let saved = Saved {
                stage: if executable { Stage::Executable } else { Stage::Compiled },
                constants: constants
                    .into_iter()
                    .map(|(id, size, bits)| Specialisation { id, size, bits })
                    .collect(),
                options,
                words,
            };
            prop_assert_eq!(read(&write(&saved)), Ok(saved));
        }

        #[test]
        fn random_bytes_are_refused(mut bytes in prop::collection::vec(0u8.., 0..200), head: bool) {
            if head {
                let len = bytes.len().min(12);
                bytes[..len].copy_from_slice(&write(&sample())[..len]);
            }
            prop_assert!(read(&bytes).is_err());
        }
    }
}
