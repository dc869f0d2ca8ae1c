//! A small builder of textual LLVM IR: the vocabulary of the whole translator.
//!
//! The translator writes LLVM IR as text and lets LLVM's own parser and verifier read it, so that a
//! mistake here or an odd input ends in an error message, never in a crash, and the text can be
//! looked at and compared. Everything here is plain data and strings; nothing calls LLVM.
//!
//! * [`Type`] and [`Value`]: cheap to clone, printed as LLVM spells them. Floating-point constants
//!   are always printed by their bits.
//! * [`ModuleBuilder`]: types, globals, declarations (one for each name), attributes, metadata and
//!   finished functions. A clone is another reference to the same module.
//! * [`FunctionBuilder`]: blocks, instructions and φ-nodes of one function.
//!
//! Instructions named by the caller (`"add"`, `"icmp slt"`) are not checked here: the verifier does
//! that. Operands have to have the types that the instruction wants.

mod function;
mod module;
mod types;
mod value;

pub use function::{Block, FastMath, FunctionBuilder, Phi};
pub use module::{Linkage, ModuleBuilder, quote};
pub use types::Type;
pub use value::{Value, f16_from_f64, f64_from_f16};
