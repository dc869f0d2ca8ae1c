//! What has to be known of the functions a kernel reaches before any is translated.

use std::collections::{HashMap, HashSet};

use ur_spirv::spirv::{Op, StorageClass};
use ur_spirv::{Constant, Def, Id, Module};

/// Facts about the functions that a kernel reaches.
#[derive(Debug, Default)]
pub struct Plan {
    facts: HashMap<Id, Facts>,
    /// Workgroup variables used, in order of definition.
    pub locals: Vec<Id>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// It or something it calls uses the work-item or work-group record.
    item: bool,
    /// It or something it calls has a synchronisation point.
    sync: bool,
}

impl Plan {
    /// Looks at everything that `kernel` reaches.
    pub fn new(module: &Module, kernel: Id) -> Self {
        let mut plan = Self::default();
        let mut locals = HashSet::new();
        // Callees before callers; the call graph has no cycle.
        let mut stack = vec![(kernel, false)];
        while let Some((id, ready)) = stack.pop() {
            if plan.facts.contains_key(&id) {
                continue;
            }
            let Some(function) = module.function(id) else {
                continue;
            };
            let mut facts = Facts::default();
            let mut pending = Vec::new();
            let insts = function
                .blocks
                .iter()
                .filter(|block| block.reachable)
                .flat_map(|block| &block.insts);
            for inst in insts {
                if inst.op == Op::FunctionCall {
                    let callee = inst.arg(0);
                    match plan.facts.get(&callee) {
                        Some(known) => {
                            facts.item |= known.item;
                            facts.sync |= known.sync;
                        }
                        None => pending.push((callee, false)),
                    }
                }
                if is_sync(inst.op) {
                    facts.sync = true;
                    facts.item = true;
                }
                if matches!(
                    inst.op,
                    Op::GenericCastToPtrExplicit | Op::GenericPtrMemSemantics
                ) {
                    facts.item = true;
                }
            }
            if !ready && !pending.is_empty() {
                stack.push((id, true));
                stack.append(&mut pending);
                continue;
            }
            for operand in operands(function) {
                facts.item |= uses_item(module, operand, &mut locals, 0);
            }
            plan.facts.insert(id, facts);
        }
        let order = |id: &Id| match module.def(*id) {
            Def::Global(index) => *index,
            _ => u32::MAX,
        };
        plan.locals = locals.into_iter().collect();
        plan.locals.sort_by_key(order);
        plan
    }

    /// Whether a function needs the hidden parameters.
    pub fn needs_item(&self, function: Id) -> bool {
        self.facts.get(&function).is_some_and(|facts| facts.item)
    }

    /// Whether a function holds a synchronisation point, itself or by a call.
    pub fn has_sync(&self, function: Id) -> bool {
        self.facts.get(&function).is_some_and(|facts| facts.sync)
    }
}

/// Every word of a function that may be an id. Literals among them do no harm: a number taken for an
/// id at worst passes the records to a function that has no use for them.
fn operands(function: &ur_spirv::Function) -> impl Iterator<Item = Id> {
    function
        .blocks
        .iter()
        .filter(|block| block.reachable)
        .flat_map(|block| {
            let phis = block
                .phis
                .iter()
                .flat_map(|phi| phi.incoming.iter().map(|(value, _)| *value));
            let insts = block
                .insts
                .iter()
                .flat_map(|inst| inst.args.iter().copied());
            let end = match block.terminator {
                ur_spirv::Terminator::ReturnValue(value) => Some(value),
                _ => None,
            };
            phis.chain(insts).chain(end)
        })
}

/// Whether a use of `id` needs the records; notes Workgroup variables.
fn uses_item(module: &Module, id: Id, locals: &mut HashSet<Id>, depth: u32) -> bool {
    match module.def(id) {
        Def::Global(_) => match module.global(id).map(|global| global.storage) {
            Some(StorageClass::Workgroup) => {
                locals.insert(id);
                true
            }
            Some(StorageClass::Input) => true,
            _ => false,
        },
        Def::Constant { value, .. } if depth < 64 => match value {
            Constant::Composite(parts) => {
                let mut any = false;
                for part in parts {
                    any |= uses_item(module, *part, locals, depth + 1);
                }
                any
            }
            Constant::Op { args, .. } => {
                let mut any = false;
                for arg in args.iter() {
                    any |= uses_item(module, *arg, locals, depth + 1);
                }
                any
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether work-items wait for each other at this instruction.
pub fn is_sync(op: Op) -> bool {
    if matches!(
        op,
        Op::ControlBarrier | Op::GroupWaitEvents | Op::GroupAsyncCopy
    ) {
        return true;
    }
    crate::group::is_group_op(op)
}
