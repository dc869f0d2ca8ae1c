//! SPIR-V types as LLVM types.
//!
//! A value in a register has the type given here. In memory a Bool is a byte, and members stand at
//! the offsets the module's layout gives; loads and stores see to that.

use ur_spirv::{Id, Module, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::Type;

/// No type nests deeper; real ones stay under ten.
const MAX_DEPTH: u32 = 64;

/// No value in registers has more scalars: LLVM handles each one by itself.
const MAX_SCALARS: u64 = 1 << 14;

/// The register type of the SPIR-V type `id`.
pub fn register(module: &Module, id: Id) -> Result<Type> {
    let mut scalars = 0;
    at_depth(module, id, 0, &mut scalars)
}

/// As [`register`], adding the type's number of scalars to `scalars`.
fn at_depth(module: &Module, id: Id, depth: u32, scalars: &mut u64) -> Result<Type> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported(format!(
            "a type nested deeper than {MAX_DEPTH}"
        )));
    }
    let before = *scalars;
    let ty = match module.ty(id) {
        Spv::Void => Type::Void,
        Spv::Bool => Type::I1,
        Spv::Int { width } => Type::Int(*width),
        Spv::Float { width: 16 } => Type::Half,
        Spv::Float { width: 32 } => Type::Float,
        Spv::Float { width: 64 } => Type::Double,
        Spv::Vector { elem, len } => {
            Type::vector(&at_depth(module, *elem, depth + 1, scalars)?, *len)
        }
        Spv::Array { elem, len } => {
            let element = at_depth(module, *elem, depth + 1, scalars)?;
            *scalars = before.saturating_add((*scalars - before).saturating_mul(*len));
            Type::array(&element, *len)
        }
        Spv::Struct { members, .. } => {
            let fields = members
                .iter()
                .map(|member| at_depth(module, *member, depth + 1, scalars))
                .collect::<Result<Vec<_>>>()?;
            Type::structure(&fields)
        }
        Spv::Pointer { .. } => Type::PTR,
        Spv::Image { .. } => Type::PTR,
        Spv::Sampler => Type::I64,
        Spv::SampledImage { .. } => super::image::sampled_type(),
        // Events carry nothing: a wait is a barrier.
        Spv::Event => Type::I64,
        other => return Err(Error::unsupported(format!("the type {other:?}"))),
    };
    if !ty.is_aggregate() {
        *scalars += 1;
    }
    if *scalars > MAX_SCALARS {
        return Err(Error::unsupported(format!(
            "a value of more than {MAX_SCALARS} scalars"
        )));
    }
    Ok(ty)
}

/// The type a scalar or vector has in memory: bytes for Bools.
pub fn in_memory(register: &Type) -> Type {
    if register.is_int() && register.scalar_bits() == 1 {
        register.with_scalar(&Type::I8)
    } else {
        register.clone()
    }
}
