//! Reads and checks SPIR-V modules of the OpenCL environment.
//!
//! [`Module::parse`] turns words into a [`Module`] in which every promise listed in [`model`] holds,
//! or gives an [`Error`] that names the word offset and the rule. It never panics, its memory is
//! bounded by a small multiple of the input's, and nothing recurses with the input.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::todo
)]

mod check;
pub mod constant;
mod decode;
mod error;
mod fold;
mod grammar;
mod ids;
pub mod kernel;
mod link;
pub mod model;
mod read;
pub mod types;
mod weight;

pub use constant::Constant;
pub use error::{Error, ErrorKind, Result};
pub use kernel::{ArgKind, Kernel, KernelArg};
pub use link::link;
pub use model::{
    Block, Decorated, Def, EntryPoint, ExtSet, Function, FunctionPointer, Global, Inst, Linkage,
    Module, Param, Phi, SpecConstant, Terminator,
};
/// The enumerations of SPIR-V: opcodes, storage classes, decorations and so on.
pub use rspirv::spirv;
pub use types::{Layout, Type};

/// An id of SPIR-V; 0 is never one.
pub type Id = u32;

/// A value that replaces the default of a specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecOverride {
    /// The `SpecId`; one that the module does not have is ignored.
    pub spec_id: u32,
    /// The value's bits; those beyond the constant's width are ignored.
    pub bits: u64,
}

impl Module {
    /// Reads and checks a module of host-endian or byte-swapped words.
    ///
    /// # Errors
    /// The first broken rule found, or the first thing that is not supported.
    pub fn parse(words: &[u32], spec: &[SpecOverride]) -> Result<Self> {
        if words.first() == Some(&decode::MAGIC.swap_bytes()) {
            let words: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
            return Self::parse_native(&words, spec);
        }
        Self::parse_native(words, spec)
    }

    /// As [`Module::parse`], from bytes of either byte order and any alignment.
    ///
    /// # Errors
    /// As [`Module::parse`]; also if the length is no multiple of 4.
    pub fn parse_bytes(bytes: &[u8], spec: &[SpecOverride]) -> Result<Self> {
        let (chunks, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Error::invalid(
                chunks.len(),
                "the size in bytes is no multiple of 4",
            ));
        }
        let words: Vec<u32> = chunks
            .iter()
            .map(|chunk| u32::from_ne_bytes(*chunk))
            .collect();
        Self::parse(&words, spec)
    }

    fn parse_native(words: &[u32], spec: &[SpecOverride]) -> Result<Self> {
        let mut module = read::read(words, spec)?;
        check::check(&mut module)?;
        Ok(module)
    }
}
