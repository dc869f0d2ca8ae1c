//! Branches that only the first work-item of a group takes.
//!
//! Programs are met that let each work-item write to local memory and the first one read it without
//! a barrier between the two. They are wrong, but work wherever the work-items of a sub-group run in
//! step, which is everywhere that they are tested. So the others of the sub-group go as far as such a
//! branch before the first one takes it.

use std::collections::HashSet;

use ur_spirv::spirv::{BuiltIn, Op};
use ur_spirv::{Function, Id, Inst, Module};

/// The values of a function that tell a work-item of a group by its number.
pub fn leaders(module: &Module, function: &Function) -> HashSet<Id> {
    let mut lanes = HashSet::new();
    let mut leaders = HashSet::new();
    let reachable = function.blocks.iter().filter(|block| block.reachable);
    for inst in reachable.flat_map(|block| &block.insts) {
        let id = inst.id;
        let any = |set: &HashSet<Id>| inst.args.iter().any(|arg| set.contains(arg));
        match inst.op {
            Op::Load if is_number(module, inst) => {
                lanes.insert(id);
            }
            Op::CompositeExtract
            | Op::UConvert
            | Op::SConvert
            | Op::IAdd
            | Op::IMul
            | Op::BitwiseAnd
            | Op::BitwiseOr
                if any(&lanes) =>
            {
                lanes.insert(id);
            }
            Op::IEqual | Op::INotEqual if any(&lanes) => {
                if inst.args.iter().any(|arg| module.constant(*arg).is_some()) {
                    leaders.insert(id);
                }
            }
            Op::LogicalAnd | Op::LogicalOr | Op::LogicalNot | Op::Select if any(&leaders) => {
                leaders.insert(id);
            }
            _ => {}
        }
    }
    leaders
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
