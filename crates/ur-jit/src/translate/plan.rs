//! What has to be known of the functions a kernel reaches before any is translated.

use std::collections::{HashMap, HashSet};

use ur_spirv::spirv::{FunctionParameterAttribute, Op, StorageClass};
use ur_spirv::{Constant, Def, Id, Module, Type};

use crate::error::{Error, Result};

use super::{LARGE, imports, indirect, leader, modes};

/// Facts about the functions that a kernel reaches.
#[derive(Debug, Default)]
pub struct Plan {
    facts: HashMap<Id, Facts>,
    /// Workgroup variables used, in order of definition.
    pub locals: Vec<Id>,
    /// The conditions of branches before which work-items go in step, by function.
    leaders: HashMap<Id, HashSet<Id>>,
    /// Functions that calls through pointers may reach.
    by_address: HashSet<Id>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// It or something it calls uses the work-item or work-group record.
    item: bool,
    /// It or something it calls has a synchronisation point.
    sync: bool,
    /// It or something it calls has a branch before which work-items go in step.
    leader: bool,
    /// Its instructions once everything that is put in place of calls is there.
    weight: u64,
    /// Calls within calls below it.
    depth: u32,
}

/// No kernel may be longer once calls are replaced by what they call: calls in both arms of calls
/// double it each time.
const MAX_WEIGHT: u64 = 1 << 21;

/// No kernel may have calls within calls deeper than this.
const MAX_CALLS: u32 = 128;

impl Plan {
    /// Looks at everything that `kernel` reaches.
    ///
    /// # Errors
    /// If the kernel would become too long.
    pub fn new(module: &Module, kernel: Id) -> Result<Self> {
        let mut plan = Self::default();
        let mut uses = Uses::default();
        // Calls that calls through pointers become, in all functions.
        let mut indirect = 0u64;
        // Callees before callers; the graph of direct calls has no cycle. What calls through pointers
        // may reach comes below everything else: such calls order nothing.
        let mut stack: Vec<(Id, bool)> = modes::initialisers(module)
            .filter(|id| *id != kernel)
            .map(|id| (id, false))
            .collect();
        stack.push((kernel, false));
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
                facts.weight = facts.weight.saturating_add(1);
                if inst.op == Op::FunctionCall {
                    let callee = inst.arg(0);
                    match plan.facts.get(&callee) {
                        Some(known) => {
                            facts.item |= known.item;
                            facts.sync |= known.sync;
                            facts.leader |= known.leader;
                            facts.depth = facts.depth.max(known.depth + 1);
                            if known.item {
                                facts.weight = facts.weight.saturating_add(known.weight);
                            }
                        }
                        None => pending.push((callee, false)),
                    }
                }
                if inst.op == Op::FunctionPointerCallINTEL {
                    facts.item = true;
                    if plan.by_address.is_empty() {
                        plan.by_address
                            .extend(indirect::candidates(module).map(|f| f.id));
                        let more = plan.by_address.iter().map(|id| (*id, false));
                        stack.splice(0..0, more);
                    }
                    // A call of each. Counted again for a function that waits for its callees,
                    // which at worst doubles it.
                    let calls = plan.by_address.len() as u64;
                    facts.weight = facts.weight.saturating_add(calls);
                    indirect = indirect.saturating_add(calls);
                }
                if inst.op == Op::FunctionCall && imports::needs_item(module, inst.arg(0))
                    || inst.op == Op::Variable && is_large(module, module.type_of(inst.id))
                {
                    facts.item = true;
                }
                if is_sync(inst.op) {
                    facts.sync = true;
                    facts.item = true;
                }
                if crate::group::is_local_op(inst.op)
                    || matches!(
                        inst.op,
                        Op::GenericCastToPtrExplicit | Op::GenericPtrMemSemantics
                    )
                {
                    facts.item = true;
                }
            }
            let by_value = function.params.iter().filter(|param| {
                param
                    .attributes
                    .contains(&FunctionParameterAttribute::ByVal)
            });
            for param in by_value {
                facts.item |= is_large(module, module.ty(param.ty));
            }
            if !ready && !pending.is_empty() {
                stack.push((id, true));
                stack.append(&mut pending);
                continue;
            }
            let branches = leader::branches(module, function);
            facts.leader |= !branches.is_empty();
            plan.leaders.insert(id, branches);
            for operand in operands(function) {
                facts.item |= uses.item(module, operand, 0);
            }
            if facts.weight > MAX_WEIGHT || indirect > MAX_WEIGHT {
                return Err(Error::unsupported(
                    "a kernel that long once calls are replaced",
                ));
            }
            if facts.depth > MAX_CALLS {
                return Err(Error::unsupported(format!(
                    "calls nested deeper than {MAX_CALLS}"
                )));
            }
            plan.facts.insert(id, facts);
        }
        if let Some(id) = plan.by_address.iter().find(|id| plan.has_sync(**id)) {
            return Err(Error::unsupported(format!(
                "work-items waiting for each other in function {}, which is called by its address",
                module.name(*id).unwrap_or_default()
            )));
        }
        let order = |id: &Id| match module.def(*id) {
            Def::Global(index) => *index,
            _ => u32::MAX,
        };
        plan.locals = uses.locals.into_iter().collect();
        plan.locals.sort_by_key(order);
        Ok(plan)
    }

    /// Whether a function needs the hidden parameters.
    pub fn needs_item(&self, function: Id) -> bool {
        self.facts.get(&function).is_some_and(|facts| facts.item)
    }

    /// Whether calls through pointers may reach a function.
    pub fn is_called_by_address(&self, function: Id) -> bool {
        self.by_address.contains(&function)
    }

    /// Whether work-items go in step before branches of `function` under `condition`.
    pub fn is_leader(&self, function: Id, condition: Id) -> bool {
        self.leaders
            .get(&function)
            .is_some_and(|branches| branches.contains(&condition))
    }

    /// Whether work-items go in step before a branch of a function, or of one that it calls.
    pub fn has_leader(&self, function: Id) -> bool {
        self.facts.get(&function).is_some_and(|facts| facts.leader)
    }

    /// Whether a function holds a synchronisation point, itself or by a call.
    pub fn has_sync(&self, function: Id) -> bool {
        self.facts.get(&function).is_some_and(|facts| facts.sync)
    }
}

/// Whether what a pointer of that type points to is too large for a stack.
fn is_large(module: &Module, pointer: &Type) -> bool {
    match pointer {
        Type::Pointer { pointee, .. } => module
            .layout(*pointee)
            .is_some_and(|layout| layout.size >= LARGE),
        _ => false,
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

/// Finds out which ids need the records where they are used.
#[derive(Default)]
struct Uses {
    /// What is known of constants that are made of others.
    constants: HashMap<Id, bool>,
    /// Workgroup variables met.
    locals: HashSet<Id>,
}

impl Uses {
    /// Whether a use of `id` needs the records.
    fn item(&mut self, module: &Module, id: Id, depth: u32) -> bool {
        match module.def(id) {
            Def::Global(_) => match module.global(id).map(|global| global.storage) {
                Some(StorageClass::Workgroup) => {
                    self.locals.insert(id);
                    true
                }
                Some(StorageClass::Input) => true,
                _ => false,
            },
            Def::Constant { value, .. } if depth < 64 => {
                let parts: &[Id] = match value {
                    Constant::Composite(parts) => parts,
                    Constant::Op { args, .. } => args,
                    _ => return false,
                };
                if let Some(known) = self.constants.get(&id) {
                    return *known;
                }
                let mut any = false;
                for part in parts {
                    any |= self.item(module, *part, depth + 1);
                }
                self.constants.insert(id, any);
                any
            }
            _ => false,
        }
    }
}

/// Whether work-items wait for each other at this instruction.
pub fn is_sync(op: Op) -> bool {
    if matches!(
        op,
        Op::ControlBarrier | Op::ControlBarrierWaitINTEL | Op::GroupWaitEvents | Op::GroupAsyncCopy
    ) {
        return true;
    }
    crate::group::is_group_op(op)
}
