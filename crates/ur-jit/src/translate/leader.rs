//! Branches that only the first work-item of a group takes.
//!
//! Programs are met that let each work-item write to local memory and the first one read it without
//! a barrier between the two. They are wrong, but work wherever the work-items of a sub-group run in
//! step, which is everywhere that they are tested. So the others of the sub-group go as far as such a
//! branch before the first one takes it.

use std::collections::HashSet;

use ur_spirv::spirv::{BuiltIn, Op};
use ur_spirv::{Function, Id, Inst, Module, Terminator};

/// The conditions of the branches of a function that tell a work-item of a group by its number.
pub fn branches(module: &Module, function: &Function) -> HashSet<Id> {
    let leaders = leaders(module, function);
    let conditions = function.blocks.iter().map(|block| match block.terminator {
        Terminator::Conditional { condition, .. } => Some(condition),
        _ => None,
    });
    conditions
        .flatten()
        .filter(|condition| leaders.contains(condition))
        .collect()
}

/// The values of a function that tell a work-item of a group by its number.
fn leaders(module: &Module, function: &Function) -> HashSet<Id> {
    let mut lanes = HashSet::new();
    let mut leaders = HashSet::new();
    for block in function.blocks.iter().filter(|block| block.reachable) {
        for phi in &block.phis {
            for set in [&mut lanes, &mut leaders] {
                if phi.incoming.iter().any(|(value, _)| set.contains(value)) {
                    set.insert(phi.id);
                }
            }
        }
        for inst in &block.insts {
            let any = |set: &HashSet<Id>| inst.args.iter().any(|arg| set.contains(arg));
            let set = match inst.op {
                Op::Load if is_number(module, inst) => &mut lanes,
                Op::CompositeExtract
                | Op::UConvert
                | Op::SConvert
                | Op::IAdd
                | Op::IMul
                | Op::BitwiseAnd
                | Op::BitwiseOr
                | Op::Select
                    if any(&lanes) =>
                {
                    &mut lanes
                }
                Op::IEqual | Op::INotEqual if any(&lanes) && has_constant(module, inst) => {
                    &mut leaders
                }
                Op::LogicalAnd | Op::LogicalOr | Op::LogicalNot | Op::Select if any(&leaders) => {
                    &mut leaders
                }
                _ => continue,
            };
            set.insert(inst.id);
        }
    }
    leaders
}

fn has_constant(module: &Module, inst: &Inst) -> bool {
    inst.args.iter().any(|arg| module.constant(*arg).is_some())
}

/// Whether an instruction loads the number of the work-item in its group.
fn is_number(module: &Module, load: &Inst) -> bool {
    let builtin = module.global(load.arg(0)).and_then(|g| g.builtin);
    matches!(
        builtin,
        Some(
            BuiltIn::LocalInvocationId
                | BuiltIn::LocalInvocationIndex
                | BuiltIn::SubgroupLocalInvocationId
        )
    )
}
