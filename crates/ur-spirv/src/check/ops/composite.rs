//! Vectors, arrays and structures in parts.

use super::Checked;
use crate::check::shape::shape_of;
use crate::types::Type;
use crate::{Id, Result};
use rspirv::spirv::Op;

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::CompositeConstruct => construct(it)?,
        O::CompositeExtract => {
            let part = part(it, it.ty(0), it.inst.args_from(1))?;
            it.rule(part == it.inst.ty, "the result is not of the part's type")?;
        }
        O::CompositeInsert => {
            it.same_as_result(1)?;
            let part = part(it, it.ty(1), it.inst.args_from(2))?;
            it.rule(part == it.ty(0), "the object is not of the part's type")?;
        }
        O::VectorExtractDynamic => {
            it.rule(
                elem(it, it.ty(0))?.0 == it.inst.ty,
                "the result is no element of the vector",
            )?;
            it.integer(1)?;
        }
        O::VectorInsertDynamic => {
            it.same_as_result(0)?;
            it.rule(
                elem(it, it.ty(0))?.0 == it.ty(1),
                "the component is no element of the vector",
            )?;
            it.integer(2)?;
        }
        O::VectorShuffle => shuffle(it)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Element type and number of elements of a vector type.
fn elem(it: &Checked<'_>, ty: Id) -> Result<(Id, u32)> {
    match *it.module.ty(ty) {
        Type::Vector { elem, len } => Ok((elem, len)),
        _ => Err(it.invalid("works on vectors only")),
    }
}

/// Type of the part of `ty` that literal indices lead to.
fn part(it: &Checked<'_>, mut ty: Id, indices: &[u32]) -> Result<Id> {
    for index in indices {
        let found = match it.module.ty(ty) {
            Type::Vector { elem, len } => (index < len).then_some(*elem),
            Type::Array { elem, len } => (u64::from(*index) < *len).then_some(*elem),
            Type::Struct { members, .. } => members.get(*index as usize).copied(),
            _ => None,
        };
        ty = found.ok_or_else(|| it.invalid(format!("no part number {index}")))?;
    }
    Ok(ty)
}

fn construct(it: &Checked<'_>) -> Result<()> {
    let parts = &it.inst.args;
    let type_of = |id: &u32| it.module.type_id_of(*id);
    match it.module.ty(it.inst.ty) {
        Type::Vector { elem, len } => {
            let mut lanes = 0u64;
            for part in parts {
                let ty = type_of(part);
                let of = match it.module.ty(ty) {
                    Type::Vector { elem, .. } => *elem,
                    _ => ty,
                };
                it.rule(of == *elem, &format!("constituent {part} is no part of it"))?;
                lanes += u64::from(shape_of(it.module, ty).map_or(0, |shape| shape.lanes));
            }
            it.rule(
                lanes == u64::from(*len),
                "the constituents have not as many elements as the vector",
            )
        }
        Type::Array { elem, len } => it.rule(
            parts.len() as u64 == *len && parts.iter().all(|part| type_of(part) == *elem),
            "the constituents are not the array's",
        ),
        Type::Struct { members, .. } => it.rule(
            parts.len() == members.len()
                && parts
                    .iter()
                    .zip(members)
                    .all(|(part, m)| type_of(part) == *m),
            "the constituents are not the structure's",
        ),
        _ => Err(it.invalid("the result is no composite")),
    }
}

fn shuffle(it: &Checked<'_>) -> Result<()> {
    let (a, b) = (elem(it, it.ty(0))?, elem(it, it.ty(1))?);
    let result = elem(it, it.inst.ty)?;
    it.rule(
        a.0 == b.0 && a.0 == result.0,
        "the vectors have different elements",
    )?;
    let picks = it.inst.args_from(2);
    it.rule(
        picks.len() == result.1 as usize,
        "not one literal for each element",
    )?;
    it.rule(
        picks
            .iter()
            .all(|pick| *pick < a.1 + b.1 || *pick == u32::MAX),
        "a literal is beyond both vectors",
    )
}
