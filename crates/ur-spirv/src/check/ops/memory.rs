//! Variables, loads, stores, addresses.

use super::Checked;
use crate::types::Type;
use crate::{Id, Result};
use rspirv::spirv::{Op, StorageClass};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::Variable => variable(it)?,
        O::Load => {
            let (_, pointee) = it.pointer(0)?;
            it.rule(
                pointee == it.inst.ty,
                "the result is not of the type pointed to",
            )?;
            in_memory(it, pointee)?;
        }
        O::Store => {
            let (storage, pointee) = it.pointer(0)?;
            it.rule(
                pointee == it.ty(1),
                "the value is not of the type pointed to",
            )?;
            in_memory(it, pointee)?;
            writable(it, storage)?;
        }
        O::CopyMemory => {
            let ((storage, to), (_, from)) = (it.pointer(0)?, it.pointer(1)?);
            it.rule(to == from, "the pointers point to different types")?;
            in_memory(it, to)?;
            writable(it, storage)?;
        }
        O::CopyMemorySized => {
            let (storage, _) = it.pointer(0)?;
            it.pointer(1)?;
            it.integer(2)?;
            writable(it, storage)?;
        }
        O::AccessChain | O::InBoundsAccessChain => address(it, 1)?,
        O::PtrAccessChain | O::InBoundsPtrAccessChain => {
            it.integer(1)?;
            let (_, pointee) = it.pointer(0)?;
            in_memory(it, pointee)?;
            address(it, 2)?;
        }
        O::PtrEqual | O::PtrNotEqual => {
            it.pointer(0)?;
            it.rule(it.ty(0) == it.ty(1), "the pointers are not alike")?;
            it.rule(
                *it.module.ty(it.inst.ty) == Type::Bool,
                "the result is not Bool",
            )?;
        }
        O::PtrDiff => {
            let (_, pointee) = it.pointer(0)?;
            in_memory(it, pointee)?;
            it.rule(it.ty(0) == it.ty(1), "the pointers are not alike")?;
            it.rule(
                it.module.ty(it.inst.ty).is_int(),
                "the result is no integer",
            )?;
        }
        O::SizeOf => {
            let (_, pointee) = it.pointer(0)?;
            in_memory(it, pointee)?;
            it.rule(
                *it.module.ty(it.inst.ty) == Type::Int { width: 32 },
                "the result is no 32-bit integer",
            )?;
        }
        O::LifetimeStart | O::LifetimeStop => {
            let (storage, _) = it.pointer(0)?;
            it.rule(
                storage == StorageClass::Function,
                "the pointer is not to private memory",
            )?;
        }
        O::GenericPtrMemSemantics => {
            it.pointer(0)?;
            it.rule(
                it.module.ty(it.inst.ty).is_int(),
                "the result is no integer",
            )?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Values of the type can stand in memory.
fn in_memory(it: &Checked<'_>, ty: Id) -> Result<()> {
    it.rule(
        it.module.layout(ty).is_some(),
        &format!("values of type {ty} cannot stand in memory"),
    )
}

fn writable(it: &Checked<'_>, storage: StorageClass) -> Result<()> {
    it.rule(
        !matches!(storage, StorageClass::Input | StorageClass::UniformConstant),
        "writes memory that cannot be written",
    )
}

fn variable(it: &Checked<'_>) -> Result<()> {
    let Type::Pointer { storage, pointee } = *it.module.ty(it.inst.ty) else {
        return Err(it.invalid("the type is no pointer"));
    };
    it.rule(
        storage == StorageClass::Function && it.inst.arg(0) == StorageClass::Function as u32,
        "a variable in a function that is not private",
    )?;
    in_memory(it, pointee)?;
    match it.inst.args.get(1) {
        Some(init) => it.rule(
            it.module.type_id_of(*init) == pointee
                && (it.module.constant(*init).is_some() || it.module.global(*init).is_some()),
            "the initializer is no constant of the variable's type",
        ),
        None => Ok(()),
    }
}

/// An address computed from operand 0 and the indices from operand `first` on.
fn address(it: &Checked<'_>, first: usize) -> Result<()> {
    let (storage, mut ty) = it.pointer(0)?;
    for index in it.inst.args_from(first) {
        it.rule(
            it.module.type_of(*index).is_int(),
            &format!("index {index} is no integer"),
        )?;
        ty = match it.module.ty(ty) {
            Type::Vector { elem, .. } | Type::Array { elem, .. } => *elem,
            Type::Struct { members, .. } => {
                let member = it.module.constant_bits(*index);
                let member = member.and_then(|bits| usize::try_from(bits).ok());
                match member.and_then(|member| members.get(member)) {
                    Some(member) => *member,
                    None => {
                        return Err(it.invalid(format!("index {index} is no member's number")));
                    }
                }
            }
            _ => return Err(it.invalid(format!("index {index} into a type without parts"))),
        };
    }
    let fits = matches!(
        *it.module.ty(it.inst.ty),
        Type::Pointer { storage: s, pointee: p } if s == storage && p == ty
    );
    it.rule(fits, "the result is no pointer to the part reached")
}
