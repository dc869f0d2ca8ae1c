//! How much types and constants expand to when they are written out.
//!
//! Types and constants name each other by id, so a module of a few hundred words can describe
//! structures that would fill the memory once written out in full, or nest so deep that whoever
//! follows them runs out of stack. Nothing real comes near these limits.

use crate::Id;
use crate::constant::Constant;
use crate::decode::Raw;
use crate::model::{Def, Module};
use crate::types::Type;
use crate::{Error, Result};

/// Types and constants may nest so deep.
const MAX_DEPTH: u32 = 64;

/// A type written out may name so many types.
const MAX_TYPE: u64 = 1 << 14;

/// A constant written out may name so many constants.
const MAX_CONSTANT: u64 = 1 << 20;

/// A value that is handled whole, not in memory, may have so many scalars.
const MAX_VALUE: u64 = 1 << 14;

/// All initialisers of variables written out may name so many constants.
const MAX_INITIALISERS: u64 = 1 << 24;

/// All types and constants that instructions name, written out each time, may come to so much.
const MAX_OPERANDS: u64 = 1 << 24;

/// What a type or constant expands to.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// Levels of nesting, 1 for what names nothing else.
    depth: u32,
    /// Number of types or constants when written out; elements of arrays are of one type.
    written: u64,
    /// For types, number of scalars in a value.
    scalars: u64,
}

impl Weight {
    const ONE: Weight = Weight {
        depth: 1,
        written: 1,
        scalars: 1,
    };

    /// Something that holds `parts`.
    fn around(parts: impl Iterator<Item = Weight>) -> Self {
        let mut sum = Weight {
            depth: 1,
            written: 1,
            scalars: 0,
        };
        for part in parts {
            sum.depth = sum.depth.max(part.depth.saturating_add(1));
            sum.written = sum.written.saturating_add(part.written);
            sum.scalars = sum.scalars.saturating_add(part.scalars);
        }
        sum
    }
}

fn weight(module: &Module, id: Id) -> Weight {
    module.weights.get(&id).copied().unwrap_or(Weight::ONE)
}

/// Notes what a type expands to and refuses what expands to too much.
pub fn note_type(module: &mut Module, raw: &Raw<'_>, id: Id, ty: &Type) -> Result<()> {
    let of = |id: &Id| weight(module, *id);
    let sum = match ty {
        Type::Vector { elem, len } => Weight {
            scalars: u64::from(*len),
            ..Weight::around(std::iter::once(of(elem)))
        },
        Type::Array { elem, len } => Weight {
            // Elements without scalars count, too: there may be any number of them.
            scalars: len.saturating_mul(of(elem).scalars.max(1)),
            ..Weight::around(std::iter::once(of(elem)))
        },
        Type::Struct { members, .. } => Weight::around(members.iter().map(of)),
        Type::Function { ret, params } => {
            Weight::around(std::iter::once(of(ret)).chain(params.iter().map(of)))
        }
        _ => return Ok(()),
    };
    if sum.depth > MAX_DEPTH {
        return Err(raw.unsupported(format!("types nested deeper than {MAX_DEPTH}")));
    }
    if sum.written > MAX_TYPE {
        return Err(raw.unsupported(format!("a type made of more than {MAX_TYPE} types")));
    }
    module.weights.insert(id, sum);
    Ok(())
}

/// Notes what a constant expands to and refuses what expands to too much.
pub fn note_constant(module: &mut Module, raw: &Raw<'_>, id: Id, value: &Constant) -> Result<()> {
    let parts: &[u32] = match value {
        Constant::Composite(parts) => parts,
        // Literal operands are too few to matter.
        Constant::Op { args, .. } => args,
        _ => return Ok(()),
    };
    let of = |id: &Id| match module.def(*id) {
        Def::Constant { .. } => weight(module, *id),
        _ => Weight::ONE,
    };
    let sum = Weight::around(parts.iter().map(of));
    if sum.depth > MAX_DEPTH {
        return Err(raw.unsupported(format!("constants nested deeper than {MAX_DEPTH}")));
    }
    if sum.written > MAX_CONSTANT {
        return Err(raw.unsupported(format!(
            "a constant made of more than {MAX_CONSTANT} constants"
        )));
    }
    module.weights.insert(id, sum);
    Ok(())
}

/// What a module may still make a translator write out.
pub struct Budget {
    left: u64,
}

impl Budget {
    /// The budget of a module whose initialisers have been looked at.
    pub fn new(module: &Module) -> Result<Self> {
        let mut sum = 0u64;
        for global in &module.globals {
            let Some(init) = global.init else { continue };
            sum = sum.saturating_add(weight(module, init).written);
            if sum > MAX_INITIALISERS {
                return Err(Error::unsupported(
                    global.offset,
                    format!("initialisers made of more than {MAX_INITIALISERS} constants"),
                ));
            }
        }
        Ok(Self { left: MAX_OPERANDS })
    }

    /// Takes what a value of type `ty` costs; refuses values that are too large.
    pub fn value(&mut self, module: &Module, ty: Id, offset: usize) -> Result<()> {
        let of_type = weight(module, ty);
        if of_type.scalars > MAX_VALUE {
            return Err(Error::unsupported(
                offset,
                format!("a value of more than {MAX_VALUE} scalars outside of memory"),
            ));
        }
        self.take(of_type.written, offset)
    }

    /// Takes what the use of the value `id` costs.
    pub fn operand(&mut self, module: &Module, id: Id, offset: usize) -> Result<()> {
        self.value(module, module.type_id_of(id), offset)?;
        match module.def(id) {
            Def::Constant { .. } => self.take(weight(module, id).written, offset),
            _ => Ok(()),
        }
    }

    fn take(&mut self, cost: u64, offset: usize) -> Result<()> {
        self.left = self.left.checked_sub(cost).ok_or_else(|| {
            Error::unsupported(
                offset,
                "types and constants too large for so many instructions",
            )
        })?;
        Ok(())
    }
}
