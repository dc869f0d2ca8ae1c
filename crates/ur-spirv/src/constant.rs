//! Constants.

use crate::Id;
use rspirv::spirv::Op;

/// Value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// Bits of a scalar: integers and floats zero-extended from their width, Bool 0 or 1.
    Bits(u64),
    /// All bits zero: any type.
    Null,
    /// No particular value.
    Undef,
    /// A vector, array or structure: ids of its elements, each a constant or a global.
    Composite(Vec<Id>),
    /// A specialisation-time operation that is not evaluated here, because it works on addresses or
    /// vectors: opcode and operand words, as in an instruction of that opcode.
    Op {
        /// Opcode.
        op: Op,
        /// Operands after type and result.
        args: Box<[u32]>,
    },
    /// Address of a function.
    Function(Id),
    /// A sampler.
    Sampler {
        /// Addressing mode: 0 none, 1 clamp to edge, 2 clamp, 3 repeat, 4 mirrored repeat.
        addressing: u32,
        /// True for coordinates in 0 to 1.
        normalized: bool,
        /// True for linear filtering.
        linear: bool,
    },
}
