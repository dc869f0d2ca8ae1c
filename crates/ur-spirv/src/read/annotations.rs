//! Decorations.

use super::Reader;
use crate::decode::Raw;
use crate::model::{Decorated, Def};
use crate::{Error, Id, Result, grammar};
use rspirv::spirv::{Decoration, Op};
use std::collections::HashSet;

/// Largest alignment in bytes that may be asked for.
const MAX_ALIGN: u32 = 4096;

/// Decoration groups, which later sections never see: targets get copies of their decorations.
#[derive(Default)]
pub struct Groups {
    /// Ids of groups.
    ids: HashSet<Id>,
    /// Group, target, member of the target; with the offset.
    targets: Vec<(Id, Id, Option<u32>, usize)>,
}

impl Reader<'_> {
    pub(super) fn annotation(&mut self, raw: &Raw<'_>) -> Result<()> {
        match raw.op {
            Op::Decorate | Op::DecorateId | Op::DecorateString => self.decorate(raw, None, 1),
            Op::MemberDecorate | Op::MemberDecorateString => {
                let member = raw.word(1)?;
                self.decorate(raw, Some(member), 2)
            }
            Op::DecorationGroup => {
                let id = raw.word(0)?;
                self.define(raw, id, Def::Other)?;
                self.groups.ids.insert(id);
                Ok(())
            }
            Op::GroupDecorate => {
                let group = self.group(raw)?;
                for target in raw.rest(1) {
                    self.groups.targets.push((group, *target, None, raw.offset));
                }
                Ok(())
            }
            _ => {
                grammar::walk(raw, |_| Ok(()))?;
                let group = self.group(raw)?;
                for pair in raw.rest(1).as_chunks::<2>().0 {
                    let [target, member] = *pair;
                    self.groups
                        .targets
                        .push((group, target, Some(member), raw.offset));
                }
                Ok(())
            }
        }
    }

    fn group(&self, raw: &Raw<'_>) -> Result<Id> {
        let group = raw.word(0)?;
        if self.groups.ids.contains(&group) {
            Ok(group)
        } else {
            Err(raw.invalid(format!("id {group} is no decoration group")))
        }
    }

    fn decorate(&mut self, raw: &Raw<'_>, member: Option<u32>, at: usize) -> Result<()> {
        let target = raw.word(0)?;
        let number = raw.word(at)?;
        if target == 0 || target >= self.module.bound {
            return Err(raw.invalid(format!("id {target} is not below the bound")));
        }
        // Decorations of vendors' own that the grammar does not know carry no meaning here.
        let Some(decoration) = Decoration::from_u32(number) else {
            return Ok(());
        };
        let params = raw.rest(at + 1);
        let least = match decoration {
            Decoration::BuiltIn
            | Decoration::SpecId
            | Decoration::Alignment
            | Decoration::MaxByteOffset
            | Decoration::FuncParamAttr
            | Decoration::FPRoundingMode
            | Decoration::FPFastMathMode
            | Decoration::Offset
            | Decoration::ArrayStride
            | Decoration::AlignmentId
            | Decoration::AliasScopeINTEL
            | Decoration::NoAliasINTEL => 1,
            Decoration::LinkageAttributes => 2,
            _ => 0,
        };
        if params.len() < least {
            return Err(raw.invalid(format!("{decoration:?} needs {least} operands")));
        }
        if decoration == Decoration::Alignment {
            let align = params.first().copied().unwrap_or(0);
            if !align.is_power_of_two() || align > MAX_ALIGN {
                return Err(raw.unsupported(format!("an alignment of {align} bytes")));
            }
        }
        let decorated = Decorated {
            decoration,
            member,
            params: params.into(),
            offset: raw.offset,
        };
        self.module.decorations.push((target, decorated));
        Ok(())
    }

    /// Copies groups' decorations to their targets and sorts what is looked up by id.
    pub(super) fn finish_annotations(&mut self) -> Result<()> {
        self.annotations_done = true;
        let module = &mut self.module;
        module.decorations.sort_by_key(|(id, _)| *id);
        let limit = module.decorations.len() + 4 * self.size;
        let mut copies = Vec::new();
        for (group, target, member, offset) in &self.groups.targets {
            for (_, decorated) in crate::model::find(&module.decorations, *group) {
                if copies.len() >= limit {
                    return Err(Error::unsupported(
                        *offset,
                        "too many decorations in groups",
                    ));
                }
                let mut decorated = decorated.clone();
                decorated.member = member.or(decorated.member);
                copies.push((*target, decorated));
            }
        }
        module.decorations.append(&mut copies);
        module.decorations.sort_by_key(|(id, _)| *id);
        module.names.sort_by_key(|(id, _)| *id);
        Ok(())
    }
}
