//! Constants, as LLVM constants and as bytes in memory.

use ur_spirv::{Constant, Def, Id, Module, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};

use super::types;

/// No constant nests deeper.
const MAX_DEPTH: u32 = 64;

/// Whether the constant's value is known to the compiler: made of numbers alone, without addresses.
pub fn is_literal(module: &Module, id: Id) -> bool {
    literal_at(module, id, 0)
}

fn literal_at(module: &Module, id: Id, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match module.constant(id) {
        Some(
            Constant::Bits(_)
            | Constant::Null
            | Constant::Undef
            | Constant::Sampler { .. }
            | Constant::Function(_),
        ) => true,
        Some(Constant::Composite(parts)) => parts
            .iter()
            .all(|part| literal_at(module, *part, depth + 1)),
        _ => false,
    }
}

/// A literal constant as an LLVM constant of its register type.
pub fn literal(module: &Module, id: Id) -> Result<Value> {
    let Def::Constant { ty, value } = module.def(id) else {
        return Err(Error::internal(format!("%{id} is no constant")));
    };
    let register = types::register(module, *ty)?;
    Ok(match value {
        Constant::Bits(bits) if register.is_float() => Value::float_bits(&register, *bits),
        Constant::Bits(bits) if register.is_int() => Value::int(&register, i128::from(*bits)),
        Constant::Function(function) => {
            let address = function_address(module, *function)?;
            Value::new(&Type::PTR, format!("inttoptr (i64 {address} to ptr)"))
        }
        Constant::Sampler { .. } => {
            let bits = super::image::sampler(value).map_or(0, |sampler| sampler.0);
            Value::int(&register, bits.into())
        }
        Constant::Null => Value::zero(&register),
        Constant::Undef => Value::undef(&register),
        Constant::Composite(parts) => {
            let parts = parts
                .iter()
                .map(|part| literal(module, *part))
                .collect::<Result<Vec<_>>>()?;
            match &register {
                Type::Vector(..) => Value::vector(&parts),
                Type::Array(element, _) => Value::array(element, &parts),
                _ => Value::structure(&register, &parts),
            }
        }
        _ => return Err(Error::unsupported(format!("the constant %{id}"))),
    })
}

/// Writes the constant into `bytes` as it stands in memory. `address` gives the address of a global
/// variable, or nothing if the variable has no fixed one.
pub fn write_bytes(
    module: &Module,
    id: Id,
    bytes: &mut [u8],
    address: &dyn Fn(Id) -> Option<u64>,
) -> Result<()> {
    write_at(module, id, bytes, address, 0)
}

fn write_at(
    module: &Module,
    id: Id,
    bytes: &mut [u8],
    address: &dyn Fn(Id) -> Option<u64>,
    depth: u32,
) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(Error::unsupported("a constant nested too deep"));
    }
    let (ty, value) = match module.def(id) {
        Def::Constant { ty, value } => (*ty, value),
        Def::Global(_) => {
            let at = address(id)
                .ok_or_else(|| Error::unsupported(format!("the address of %{id} in a constant")))?;
            return put(bytes, 0, &at.to_le_bytes());
        }
        _ => return Err(Error::internal(format!("%{id} is no constant"))),
    };
    let size = |ty: Id| {
        module
            .layout(ty)
            .map(|layout| layout.size)
            .ok_or_else(|| Error::unsupported("a constant without a layout"))
    };
    match value {
        Constant::Null | Constant::Undef => Ok(()),
        Constant::Function(function) => put(
            bytes,
            0,
            &function_address(module, *function)?.to_le_bytes(),
        ),
        Constant::Sampler { .. } => {
            let bits = super::image::sampler(value).map_or(0, |sampler| sampler.0);
            put(bytes, 0, &bits.to_le_bytes())
        }
        Constant::Bits(bits) => {
            let size = usize::try_from(size(ty)?).unwrap_or(usize::MAX).min(8);
            put(bytes, 0, &bits.to_le_bytes()[..size])
        }
        Constant::Composite(parts) => {
            for (index, part) in parts.iter().enumerate() {
                let offset = match module.ty(ty) {
                    Spv::Struct { offsets, .. } => offsets.get(index).copied().unwrap_or(0),
                    Spv::Array { elem, .. } | Spv::Vector { elem, .. } => {
                        size(*elem)? * index as u64
                    }
                    _ => return Err(Error::internal("a composite constant of a scalar type")),
                };
                let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes
                    .get_mut(offset..)
                    .ok_or_else(|| Error::internal("a constant larger than its variable"))?;
                write_at(module, *part, rest, address, depth + 1)?;
            }
            Ok(())
        }
        Constant::Op { op, args } => {
            let at = folded_address(module, *op, args, address, depth)?;
            put(bytes, 0, &at.to_le_bytes())
        }
    }
}

/// Value of an operation on addresses: casts and access chains with constant indices.
fn folded_address(
    module: &Module,
    op: ur_spirv::spirv::Op,
    args: &[u32],
    address: &dyn Fn(Id) -> Option<u64>,
    depth: u32,
) -> Result<u64> {
    use ur_spirv::spirv::Op;
    if depth > MAX_DEPTH {
        return Err(Error::unsupported("a constant nested too deep"));
    }
    let base = args.first().copied().unwrap_or(0);
    let inner = || -> Result<u64> {
        match module.def(base) {
            Def::Constant {
                value: Constant::Op { op, args },
                ..
            } => folded_address(module, *op, args, address, depth + 1),
            Def::Constant {
                value: Constant::Function(function),
                ..
            } => function_address(module, *function),
            Def::Global(_) => address(base)
                .ok_or_else(|| Error::unsupported(format!("the address of %{base} in a constant"))),
            _ => module
                .constant_bits(base)
                .or_else(|| matches!(module.constant(base), Some(Constant::Null)).then_some(0))
                .ok_or_else(|| Error::unsupported(format!("the constant operation {op:?}"))),
        }
    };
    match op {
        Op::Bitcast
        | Op::PtrCastToGeneric
        | Op::GenericCastToPtr
        | Op::ConvertPtrToU
        | Op::ConvertUToPtr => inner(),
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain => {
            let by_element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
            let offset = super::memory::constant_offset(
                module,
                base,
                args.get(1..).unwrap_or(&[]),
                by_element,
            )?;
            Ok(inner()?.wrapping_add_signed(offset))
        }
        _ => Err(Error::unsupported(format!("the constant operation {op:?}"))),
    }
}

/// Copies `part` into `bytes` at `offset`.
fn put(bytes: &mut [u8], offset: usize, part: &[u8]) -> Result<()> {
    bytes
        .get_mut(offset..offset + part.len())
        .ok_or_else(|| Error::internal("a constant larger than its variable"))?
        .copy_from_slice(part);
    Ok(())
}

/// The number that stands for a function's address.
fn function_address(module: &Module, function: Id) -> Result<u64> {
    module
        .address_of(function)
        .ok_or_else(|| Error::internal(format!("%{function} is no function")))
}
