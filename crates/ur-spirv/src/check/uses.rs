//! Every id an instruction names must stand for what the instruction takes there.

use crate::decode::Raw;
use crate::model::{Def, ExtSet, Inst, Module};
use crate::weight::Budget;
use crate::{Id, Result, grammar};
use rspirv::spirv::{MemoryAccess, Op};

/// Checks the ids among the operands of an instruction of function number `function`, and takes
/// what the values cost out of the budget.
pub fn check(module: &Module, function: usize, inst: &Inst, budget: &mut Budget) -> Result<()> {
    let raw = Raw {
        op: inst.op,
        words: &inst.args,
        offset: inst.offset,
    };
    let mut value = |id| {
        expect_value(module, function, &raw, id)?;
        budget.operand(module, id, inst.offset)
    };
    match inst.op {
        Op::ExtInst => {
            let set = inst.arg(0);
            if !matches!(module.def(set), Def::ExtSet(ExtSet::OpenClStd)) {
                return Err(raw.invalid(format!("id {set} is no imported instruction set")));
            }
            let operands = Raw {
                words: inst.args_from(2),
                ..raw
            };
            grammar::walk_opencl(&operands, inst.arg(1), value)
        }
        Op::FunctionCall => {
            let callee = inst.arg(0);
            if !matches!(module.def(callee), Def::Function(_)) {
                return Err(raw.invalid(format!("id {callee} is no function")));
            }
            inst.args_from(1).iter().try_for_each(|id| value(*id))
        }
        Op::Load | Op::Store | Op::CopyMemory | Op::CopyMemorySized => {
            let first = match inst.op {
                Op::Load => 1,
                Op::Store | Op::CopyMemory => 2,
                _ => 3,
            };
            let values = inst.args.iter().take(first);
            values.copied().try_for_each(value)?;
            alias_lists(module, &raw, inst.args_from(first))
        }
        _ => grammar::walk_args(&raw, value),
    }
}

/// Alias scope lists among memory operands, whose shape was checked when they were read.
fn alias_lists(module: &Module, raw: &Raw<'_>, mut words: &[u32]) -> Result<()> {
    let allowed = MemoryAccess::VOLATILE
        | MemoryAccess::ALIGNED
        | MemoryAccess::NONTEMPORAL
        | MemoryAccess::ALIAS_SCOPE_INTEL_MASK
        | MemoryAccess::NO_ALIAS_INTEL_MASK;
    while let Some((mask, rest)) = words.split_first() {
        let mask = MemoryAccess::from_bits_truncate(*mask);
        if !allowed.contains(mask) {
            return Err(raw.unsupported(format!("memory access {mask:?}")));
        }
        words = rest;
        if mask.contains(MemoryAccess::ALIGNED) {
            words = words.get(1..).unwrap_or(&[]);
        }
        for bit in [
            MemoryAccess::ALIAS_SCOPE_INTEL_MASK,
            MemoryAccess::NO_ALIAS_INTEL_MASK,
        ] {
            if !mask.contains(bit) {
                continue;
            }
            let list = words.first().copied().unwrap_or(0);
            let alias = match module.def(list) {
                Def::Alias(index) => module.alias.get(*index as usize),
                _ => None,
            };
            if alias.is_none_or(|alias| alias.op != Op::AliasScopeListDeclINTEL) {
                return Err(raw.invalid(format!("id {list} is no alias scope list")));
            }
            words = words.get(1..).unwrap_or(&[]);
        }
    }
    Ok(())
}

/// Checks that `id` is a value that function number `function` may use.
pub fn expect_value(module: &Module, function: usize, raw: &Raw<'_>, id: Id) -> Result<()> {
    match module.def(id) {
        Def::Constant { .. } | Def::Global(_) => Ok(()),
        Def::Param { function: of, .. } | Def::Value { function: of, .. } => {
            if *of as usize == function {
                Ok(())
            } else {
                Err(raw.invalid(format!("id {id} belongs to another function")))
            }
        }
        Def::None => Err(raw.invalid(format!("id {id} is not defined"))),
        Def::Function(_) => Err(raw.unsupported(format!("function {id} used as a value"))),
        _ => Err(raw.invalid(format!("id {id} is no value"))),
    }
}
