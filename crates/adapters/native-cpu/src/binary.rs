//! The container of a program that was saved: the SPIR-V it was made of, how it was built, and the
//! machine code that came out.
//!
//! All numbers are little-endian; text and bytes stand behind their length of 8 bytes. What a file
//! holds is checked before it is used, so a truncated or altered one is refused and never read out of
//! bounds. Reading allocates at most [`BOUND`] times the size of the file and [`BOUND_EXTRA`] bytes.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `CNCRDCPU` |
//! | 4 | version of the format |
//! | 4 | kind: 1 compiled, 2 executable, 3 library |
//! | 32 | SHA-256 of everything before and after this field |
//! | 4 | number of specialisation constants |
//! | 16 each | specialisation constants: id (4), size (4), bits (8) |
//! | text | build options |
//! | bytes | SPIR-V |
//! | 4 | 1 if machine code follows, 0 if not |
//! | 32 | fingerprint of the CPU that the code is for |
//! | text | name of that CPU |
//! | bytes | identification of the JIT library that made the code |
//! | bytes | [`ModuleRecord`] |
//! | 4 | number of kernels |
//! | text, bytes | name of a kernel, and its [`KernelRecord`] |

use crate::cpu::Fingerprint;
use sha2::{Digest, Sha256};
use ur_jit_abi::record::{KernelRecord, ModuleRecord};
use ur_jit_abi::wire::{Malformed, Reader, Writer};

/// The first bytes of a saved program.
pub const MAGIC: [u8; 8] = *b"CNCRDCPU";
const VERSION: u32 = 2;
const HASH: usize = 16;
const HEADER: usize = 48;

/// Most bytes that [`read`] and [`Saved::examine`] have allocated at any time, for each byte read.
pub const BOUND: usize = 6;

/// Most bytes that they have allocated besides.
pub const BOUND_EXTRA: usize = 4096;

/// How far a saved program had been built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Compiled, to be linked.
    Compiled = 1,
    /// Built.
    Executable = 2,
    /// Linked, to be linked with others.
    Library = 3,
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

/// Machine code of a saved program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode {
    /// The CPU that it is for.
    pub cpu: Fingerprint,
    /// That CPU's name.
    pub cpu_name: String,
    /// Identification of the JIT library that made it, empty if unknown.
    pub build_id: Vec<u8>,
    /// The bytes of the [`ModuleRecord`].
    pub module: Vec<u8>,
    /// Names of kernels and the bytes of their [`KernelRecord`]s.
    pub kernels: Vec<(String, Vec<u8>)>,
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
    /// Its machine code, if it was built.
    pub code: Option<MachineCode>,
}

/// Why bytes are no saved program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// They do not begin like one.
    Magic,
    /// They were written by another version.
    Version(u32),
    /// They were cut or changed.
    Checksum,
    /// A part that makes no sense.
    Part(&'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Magic => f.write_str("not a program saved by this adapter"),
            Refusal::Version(version) => write!(f, "saved in format {version}, not {VERSION}"),
            Refusal::Checksum => f.write_str("the checksum does not match"),
            Refusal::Part(name) => write!(f, "bad {name}"),
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(Malformed(part): Malformed) -> Self {
        Refusal::Part(part)
    }
}

/// The hash over a file whose header may be incomplete.
fn hash(bytes: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(bytes.get(..HASH).unwrap_or(bytes));
    hash.update(bytes.get(HEADER..).unwrap_or_default());
    hash.finalize().into()
}

/// Puts the right hash over whatever the bytes hold; does nothing with too few for a header. For
/// tests that want to get past it.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    let hash = hash(bytes);
    if let Some(place) = bytes.get_mut(HASH..HEADER) {
        place.copy_from_slice(&hash);
    }
}

/// The bytes of a saved program.
pub fn write(saved: &Saved) -> Vec<u8> {
    let mut to = Writer::default();
    to.0.extend(MAGIC);
    to.u32(VERSION);
    to.u32(saved.stage as u32);
    to.0.extend([0; HEADER - HASH]);
    to.count(saved.constants.len());
    for constant in &saved.constants {
        to.u32(constant.id);
        to.u32(constant.size);
        to.u64(constant.bits);
    }
    to.bytes(saved.options.as_bytes());
    to.u64(saved.words.len() as u64 * 4);
    to.0.extend(saved.words.iter().flat_map(|w| w.to_le_bytes()));
    match &saved.code {
        None => to.u32(0),
        Some(code) => {
            to.u32(1);
            to.0.extend(code.cpu);
            to.bytes(code.cpu_name.as_bytes());
            to.bytes(&code.build_id);
            to.bytes(&code.module);
            to.count(code.kernels.len());
            for (name, record) in &code.kernels {
                to.bytes(name.as_bytes());
                to.bytes(record);
            }
        }
    }
    seal(&mut to.0);
    to.0
}

/// Reads a saved program. What the machine code is made of is read when it is needed.
///
/// # Errors
/// Says what is wrong with the bytes.
pub fn read(bytes: &[u8]) -> Result<Saved, Refusal> {
    if !bytes.starts_with(&MAGIC) {
        return Err(Refusal::Magic);
    }
    let mut from = Reader(bytes);
    from.take(MAGIC.len(), "header")?;
    let version = from.u32("header")?;
    if version != VERSION {
        return Err(Refusal::Version(version));
    }
    let stage = from.u32("header")?;
    let sum = from.take(HEADER - HASH, "header")?;
    if sum != hash(bytes) {
        return Err(Refusal::Checksum);
    }
    let stage = match stage {
        1 => Stage::Compiled,
        2 => Stage::Executable,
        3 => Stage::Library,
        _ => return Err(Refusal::Part("kind")),
    };
    let count = from.count(16, "specialisation constants")?;
    let mut constants = Vec::with_capacity(count);
    for _ in 0..count {
        let constant = Specialisation {
            id: from.u32("specialisation constant")?,
            size: from.u32("specialisation constant")?,
            bits: from.u64("specialisation constant")?,
        };
        if !(1..=8).contains(&constant.size) {
            return Err(Refusal::Part("specialisation constant"));
        }
        constants.push(constant);
    }
    let options = from.text("build options")?.to_owned();
    let (words, rest) = from.bytes("SPIR-V")?.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Refusal::Part("SPIR-V"));
    }
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let code = match from.u32("machine code")? {
        0 => None,
        1 => Some(machine_code(&mut from)?),
        _ => return Err(Refusal::Part("machine code")),
    };
    from.end("end")?;
    Ok(Saved {
        stage,
        constants,
        options,
        words,
        code,
    })
}

fn machine_code(from: &mut Reader<'_>) -> Result<MachineCode, Refusal> {
    let mut cpu = Fingerprint::default();
    cpu.copy_from_slice(from.take(size_of::<Fingerprint>(), "CPU")?);
    let cpu_name = from.text("CPU")?.to_owned();
    let build_id = from.bytes("identification of the JIT")?.to_vec();
    let module = from.bytes("module")?.to_vec();
    let count = from.count(16, "number of kernels")?;
    let mut kernels = Vec::with_capacity(count);
    for _ in 0..count {
        let name = from.text("kernel")?.to_owned();
        kernels.push((name, from.bytes("kernel")?.to_vec()));
    }
    Ok(MachineCode {
        cpu,
        cpu_name,
        build_id,
        module,
        kernels,
    })
}

impl Saved {
    /// Reads what the machine code is made of, and runs nothing of it: all that loading would read.
    ///
    /// # Errors
    /// The part that makes no sense.
    pub fn examine(&self) -> Result<(), Refusal> {
        if let Some(code) = &self.code {
            ModuleRecord::from_bytes(&code.module)?;
            for (_, record) in &code.kernels {
                KernelRecord::from_bytes(record)?;
            }
        }
        Ok(())
    }
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
            code: Some(MachineCode {
                cpu: [3; 32],
                cpu_name: "a CPU".into(),
                build_id: vec![1, 2],
                module: ModuleRecord::default().to_bytes(),
                kernels: vec![("k".into(), vec![9])],
            }),
        }
    }

    #[test]
    fn every_truncation_and_every_changed_bit_is_refused() {
        let bytes = write(&sample());
        assert_eq!(read(&bytes), Ok(sample()));
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&changed).is_err(), "bit {bit}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(read(&longer), Err(Refusal::Checksum));
        seal(&mut longer);
        assert_eq!(read(&longer), Err(Refusal::Part("end")));
    }

    #[test]
    fn changes_that_were_sealed_again_are_read_or_refused() {
        let bytes = write(&sample());
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = value;
                seal(&mut changed);
                if let Ok(saved) = read(&changed) {
                    let _ = saved.examine();
                }
                let mut cut = changed[..at].to_vec();
                seal(&mut cut);
                assert!(read(&cut).is_err());
            }
        }
    }

    #[test]
    fn code_is_examined() {
        let mut saved = sample();
        assert!(saved.examine().is_err(), "the kernel is no record");
        if let Some(code) = &mut saved.code {
            code.kernels.clear();
        }
        assert_eq!(saved.examine(), Ok(()));
    }

    proptest! {
        #[test]
        fn comes_back_as_written(
            stage in prop::sample::select(vec![Stage::Compiled, Stage::Executable, Stage::Library]),
            constants in prop::collection::vec((0u32.., 1u32..=8, 0u64..), 0..5),
            options in "[ -~é]{0,40}",
            words in prop::collection::vec(0u32.., 0..100),
            code in prop::option::of(("[a-z]{0,5}", prop::collection::vec(0u8.., 0..9))),
        ) {
            let saved = Saved {
                stage,
                constants: constants
                    .into_iter()
                    .map(|(id, size, bits)| Specialisation { id, size, bits })
                    .collect(),
                options,
                words,
                code: code.map(|(name, bytes)| MachineCode {
                    cpu: [5; 32],
                    cpu_name: name.clone(),
                    build_id: bytes.clone(),
                    module: bytes.clone(),
                    kernels: vec![(name, bytes)],
                }),
            };
            prop_assert_eq!(read(&write(&saved)), Ok(saved));
        }

        #[test]
        fn random_bytes_are_refused(mut bytes in prop::collection::vec(0u8.., 0..200), head: bool) {
            if head {
                let len = bytes.len().min(16);
                bytes[..len].copy_from_slice(&write(&sample())[..len]);
            }
            prop_assert!(read(&bytes).is_err());
            seal(&mut bytes);
            let _ = read(&bytes).map(|saved| saved.examine());
        }
    }
}
