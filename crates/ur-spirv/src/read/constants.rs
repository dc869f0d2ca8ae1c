//! Constants and program-scope variables.

use super::Reader;
use crate::constant::Constant;
use crate::decode::Raw;
use crate::fold;
use crate::model::{Def, FunctionPointer, Global, Linkage, SpecConstant};
use crate::types::Type;
use crate::{Id, Result, grammar, weight};
use rspirv::spirv::{BuiltIn, Decoration, LinkageType, Op, StorageClass};

impl Reader<'_> {
    pub(super) fn constant(&mut self, raw: &Raw<'_>) -> Result<()> {
        if raw.op != Op::SpecConstantOp {
            grammar::walk(raw, |_| Ok(()))?;
        }
        let (ty, id) = (raw.word(0)?, raw.word(1)?);
        self.expect_type(raw, ty)?;
        if matches!(self.module.ty(ty), Type::Void | Type::Function { .. }) {
            return Err(raw.invalid(format!("type {ty} has no constants")));
        }
        let value = match raw.op {
            Op::Undef => Constant::Undef,
            Op::ConstantNull => Constant::Null,
            Op::ConstantTrue => self.truth(raw, ty, true)?,
            Op::ConstantFalse => self.truth(raw, ty, false)?,
            Op::SpecConstantTrue => self.specialised(raw, ty, id, 1)?,
            Op::SpecConstantFalse => self.specialised(raw, ty, id, 0)?,
            Op::Constant => Constant::Bits(self.literal(raw, ty)?),
            Op::SpecConstant => {
                let default = self.literal(raw, ty)?;
                self.specialised(raw, ty, id, default)?
            }
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(raw, ty)?,
            Op::ConstantSampler => {
                if *self.module.ty(ty) != Type::Sampler {
                    return Err(raw.invalid("the type is no sampler"));
                }
                Constant::Sampler {
                    addressing: raw.word(2)?,
                    normalized: raw.word(3)? == 1,
                    linear: raw.word(4)? == 1,
                }
            }
            Op::ConstantFunctionPointerINTEL => {
                let function = raw.word(2)?;
                self.module.function_pointers.push(FunctionPointer {
                    id,
                    function,
                    offset: raw.offset,
                });
                Constant::Function(function)
            }
            _ => self.operation(raw, ty)?,
        };
        weight::note_constant(&mut self.module, raw, id, &value)?;
        self.define(raw, id, Def::Constant { ty, value })
    }

    fn truth(&self, raw: &Raw<'_>, ty: Id, value: bool) -> Result<Constant> {
        if *self.module.ty(ty) == Type::Bool {
            Ok(Constant::Bits(u64::from(value)))
        } else {
            Err(raw.invalid("the type is not Bool"))
        }
    }

    /// A number in the literal words of `OpConstant`.
    fn literal(&self, raw: &Raw<'_>, ty: Id) -> Result<u64> {
        let width = match self.module.ty(ty) {
            Type::Int { width } | Type::Float { width } => *width,
            _ => return Err(raw.invalid("the type is neither integer nor float")),
        };
        match (raw.rest(2), width) {
            (&[low, high], 64) => Ok(u64::from(high) << 32 | u64::from(low)),
            (&[low], 32) => Ok(u64::from(low)),
            // Narrow signed values may come sign-extended.
            (&[low], 8 | 16) => Ok(u64::from(low) & ((1 << width) - 1)),
            (words, _) => Err(raw.invalid(format!(
                "{} literal words for a value of {width} bits",
                words.len()
            ))),
        }
    }

    /// A specialisation constant: the override if there is one.
    fn specialised(&mut self, raw: &Raw<'_>, ty: Id, id: Id, default: u64) -> Result<Constant> {
        let size = match self.module.ty(ty) {
            Type::Bool => 1,
            Type::Int { width } | Type::Float { width } => width / 8,
            _ => return Err(raw.invalid("the type is no scalar")),
        };
        let Some(spec_id) = self
            .module
            .decoration(id, Decoration::SpecId)
            .map(|d| d.param(0))
        else {
            return Ok(Constant::Bits(default));
        };
        let given = self.spec.iter().rev().find(|s| s.spec_id == spec_id);
        let bits = match (given, self.module.ty(ty)) {
            (None, _) => default,
            (Some(given), Type::Bool) => u64::from(given.bits & 0xff != 0),
            (Some(given), _) => given.bits & (u64::MAX >> (64 - 8 * size)),
        };
        self.module.spec_constants.push(SpecConstant {
            spec_id,
            id,
            size,
            bits,
        });
        Ok(Constant::Bits(bits))
    }

    fn composite(&self, raw: &Raw<'_>, ty: Id) -> Result<Constant> {
        let parts = raw.rest(2);
        let (count, same, members) = match self.module.ty(ty) {
            Type::Vector { elem, len } => (u64::from(*len), *elem, None),
            Type::Array { elem, len } => (*len, *elem, None),
            Type::Struct { members, .. } => (members.len() as u64, 0, Some(members)),
            _ => return Err(raw.invalid("the type is no composite")),
        };
        if parts.len() as u64 != count {
            return Err(raw.invalid(format!(
                "{} constituents where the type has {count}",
                parts.len()
            )));
        }
        for (n, part) in parts.iter().enumerate() {
            let expected = members.map_or(Some(same), |m| m.get(n).copied());
            if !matches!(
                self.module.def(*part),
                Def::Constant { .. } | Def::Global(_)
            ) {
                return Err(raw.invalid(format!("constituent {part} is no constant")));
            }
            if expected != Some(self.module.type_id_of(*part)) {
                return Err(raw.invalid(format!("constituent {part} has another type")));
            }
        }
        Ok(Constant::Composite(parts.to_vec()))
    }

    /// `OpSpecConstantOp`: evaluated if it works on scalars, kept otherwise.
    fn operation(&self, raw: &Raw<'_>, ty: Id) -> Result<Constant> {
        let number = raw.word(2)?;
        let op = Op::from_u32(number)
            .filter(|op| fold::is_constant_op(*op))
            .ok_or_else(|| raw.invalid(format!("opcode {number} is not for constants")))?;
        // As an instruction of that opcode, which is what its operands are checked as.
        let words: Vec<u32> = [ty, raw.word(1)?]
            .into_iter()
            .chain(raw.rest(3).iter().copied())
            .collect();
        let inner = Raw {
            op,
            words: &words,
            offset: raw.offset,
        };
        grammar::walk(&inner, |id| match self.module.def(id) {
            Def::Constant { .. } | Def::Global(_) => Ok(()),
            _ => Err(raw.invalid(format!("operand {id} is no constant defined before"))),
        })?;
        crate::check::ops::check(
            &self.module,
            &crate::Inst {
                op,
                ty,
                id: raw.word(1)?,
                args: raw.rest(3).into(),
                offset: raw.offset,
            },
        )?;
        if let Some(bits) = fold::fold(&self.module, op, ty, raw.rest(3)) {
            return Ok(Constant::Bits(bits));
        }
        Ok(Constant::Op {
            op,
            args: raw.rest(3).into(),
        })
    }

    pub(super) fn variable(&mut self, raw: &Raw<'_>) -> Result<()> {
        grammar::walk(raw, |_| Ok(()))?;
        let (ty, id) = (raw.word(0)?, raw.word(1)?);
        let storage = super::types::storage(raw, 2)?;
        let &Type::Pointer {
            storage: of_type,
            pointee,
        } = self.module.ty(ty)
        else {
            return Err(raw.invalid("the type is no pointer"));
        };
        if of_type != storage {
            return Err(raw.invalid("the storage class differs from the type's"));
        }
        match storage {
            StorageClass::Generic => return Err(raw.invalid("a variable in generic memory")),
            StorageClass::CodeSectionINTEL => return Err(raw.invalid("a variable in code memory")),
            _ => {}
        }
        if self.module.layout(pointee).is_none() {
            return Err(raw.invalid(format!("values of type {pointee} cannot stand in memory")));
        }
        let init = raw.words.get(3).copied();
        if let Some(init) = init {
            if !matches!(self.module.def(init), Def::Constant { .. } | Def::Global(_)) {
                return Err(raw.invalid(format!("initializer {init} is no constant")));
            }
            if self.module.type_id_of(init) != pointee {
                return Err(raw.invalid(format!("initializer {init} has another type")));
            }
        }
        let builtin = match self.module.decoration(id, Decoration::BuiltIn) {
            Some(d) => {
                let number = d.param(0);
                Some(BuiltIn::from_u32(number).ok_or_else(|| {
                    raw.unsupported(format!("unknown built-in variable {number}"))
                })?)
            }
            None => None,
        };
        if storage == StorageClass::Input && builtin.is_none() {
            return Err(raw.unsupported("an Input variable that is no built-in"));
        }
        let linkage = self.linkage(raw, id)?;
        let index = self.module.globals.len() as u32;
        self.define(raw, id, Def::Global(index))?;
        self.module.globals.push(Global {
            id,
            ty,
            pointee,
            storage,
            init,
            builtin,
            linkage,
            offset: raw.offset,
        });
        Ok(())
    }

    /// The linkage decoration of `id`.
    pub(super) fn linkage(&self, raw: &Raw<'_>, id: Id) -> Result<Option<Linkage>> {
        let Some(decorated) = self.module.decoration(id, Decoration::LinkageAttributes) else {
            return Ok(None);
        };
        let decoration = Raw {
            op: Op::Decorate,
            words: &decorated.params,
            offset: decorated.offset,
        };
        let (name, words) = decoration.string(0)?;
        let number = decoration.word(words)?;
        let kind = LinkageType::from_u32(number)
            .ok_or_else(|| raw.unsupported(format!("unknown linkage type {number}")))?;
        Ok(Some(Linkage { name, kind }))
    }
}
