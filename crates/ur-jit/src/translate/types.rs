//! SPIR-V types as LLVM types.
//!
//! A value in a register has the type given here. In memory a Bool is a byte, and members stand at
//! the offsets the module's layout gives; loads and stores see to that.

use ur_spirv::{Id, Module, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::Type;

/// No type nests deeper; real ones stay under ten.
const MAX_DEPTH: u32 = 64;

/// The register type of the SPIR-V type `id`.
pub fn register(module: &Module, id: Id) -> Result<Type> {
    at_depth(module, id, 0)
}

fn at_depth(module: &Module, id: Id, depth: u32) -> Result<Type> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported(format!(
            "a type nested deeper than {MAX_DEPTH}"
        )));
    }
    Ok(match module.ty(id) {
        Spv::Void => Type::Void,
        Spv::Bool => Type::I1,
        Spv::Int { width } => Type::Int(*width),
        Spv::Float { width: 16 } => Type::Half,
        Spv::Float { width: 32 } => Type::Float,
        Spv::Float { width: 64 } => Type::Double,
        Spv::Vector { elem, len } => Type::vector(&at_depth(module, *elem, depth + 1)?, *len),
        Spv::Array { elem, len } => Type::array(&at_depth(module, *elem, depth + 1)?, *len),
        Spv::Struct { members, .. } => {
            let fields = members
                .iter()
                .map(|member| at_depth(module, *member, depth + 1))
                .collect::<Result<Vec<_>>>()?;
            Type::structure(&fields)
        }
        Spv::Pointer { .. } => Type::PTR,
        // Events carry nothing: a wait is a barrier.
        Spv::Event => Type::I64,
        other => return Err(Error::unsupported(format!("the type {other:?}"))),
    })
}

/// The type a scalar or vector has in memory: bytes for Bools.
pub fn in_memory(register: &Type) -> Type {
    if register.is_int() && register.scalar_bits() == 1 {
        register.with_scalar(&Type::I8)
    } else {
        register.clone()
    }
}
