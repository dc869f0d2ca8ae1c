//! Control flow: branch targets, phis, and definitions before uses.

use super::dominators::Dominators;
use super::uses::expect_value;
use crate::decode::Raw;
use crate::model::{Block, Def, Function, Module, Phi, Terminator};
use crate::types::Type;
use crate::{Id, Result, grammar};
use rspirv::spirv::Op;

/// Checks function number `index`; gives for each block whether control can reach it.
pub fn check(module: &Module, index: usize, function: &Function) -> Result<Vec<bool>> {
    if function.blocks.is_empty() {
        return Ok(Vec::new());
    }
    let mut successors = Vec::with_capacity(function.blocks.len());
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        let targets = targets(module, index, function, block)?;
        for target in &targets {
            if let Some(list) = predecessors.get_mut(*target as usize) {
                list.push(number as u32);
            }
        }
        successors.push(targets);
    }
    for list in &mut predecessors {
        list.dedup();
    }
    let scope = Scope {
        module,
        index,
        dominators: Dominators::new(&successors),
    };
    for (number, (block, before)) in function.blocks.iter().zip(&predecessors).enumerate() {
        for phi in &block.phis {
            scope.phi(phi, before)?;
        }
        if scope.dominators.reachable(number as u32) {
            scope.block(number as u32, block)?;
        }
    }
    Ok((0..function.blocks.len() as u32)
        .map(|block| scope.dominators.reachable(block))
        .collect())
}

/// Checks a block's terminator and gives the numbers of its successors, each once.
fn targets(module: &Module, index: usize, function: &Function, block: &Block) -> Result<Vec<u32>> {
    let raw = terminator_raw(block);
    match &block.terminator {
        Terminator::Conditional { condition, .. } => {
            expect_value(module, index, &raw, *condition)?;
            if *module.type_of(*condition) != Type::Bool {
                return Err(raw.invalid(format!("condition {condition} is not Bool")));
            }
        }
        Terminator::Switch { selector, .. } => expect_value(module, index, &raw, *selector)?,
        Terminator::ReturnValue(value) => {
            expect_value(module, index, &raw, *value)?;
            if module.type_id_of(*value) != function.ret {
                return Err(raw.invalid(format!("value {value} is not of the type returned")));
            }
        }
        Terminator::Return if *module.ty(function.ret) != Type::Void => {
            return Err(raw.invalid("the function must return a value"));
        }
        Terminator::Branch(_) | Terminator::Return | Terminator::Unreachable => {}
    }
    let mut targets = Vec::new();
    for label in block.terminator.successors() {
        match module.def(label) {
            Def::Block {
                function: of,
                block: target,
            } if *of as usize == index => {
                if *target == 0 {
                    return Err(raw.invalid("a branch to the entry block"));
                }
                targets.push(*target);
            }
            _ => {
                return Err(raw.invalid(format!("id {label} is no label of this function")));
            }
        }
    }
    targets.sort_unstable();
    targets.dedup();
    Ok(targets)
}

/// The terminator, for error messages.
fn terminator_raw(block: &Block) -> Raw<'static> {
    Raw {
        op: match block.terminator {
            Terminator::Branch(_) => Op::Branch,
            Terminator::Conditional { .. } => Op::BranchConditional,
            Terminator::Switch { .. } => Op::Switch,
            Terminator::Return => Op::Return,
            Terminator::ReturnValue(_) => Op::ReturnValue,
            Terminator::Unreachable => Op::Unreachable,
        },
        words: &[],
        offset: block.terminator_offset,
    }
}

/// A function under check.
struct Scope<'a> {
    module: &'a Module,
    index: usize,
    dominators: Dominators,
}

impl Scope<'_> {
    fn phi(&self, phi: &Phi, predecessors: &[u32]) -> Result<()> {
        let raw = Raw {
            op: Op::Phi,
            words: &[],
            offset: phi.offset,
        };
        if matches!(self.module.ty(phi.ty), Type::Void | Type::Function { .. }) {
            return Err(raw.invalid("a phi of a type without values"));
        }
        let mut parents = Vec::with_capacity(phi.incoming.len());
        for (value, label) in &phi.incoming {
            expect_value(self.module, self.index, &raw, *value)?;
            if self.module.type_id_of(*value) != phi.ty {
                return Err(raw.invalid(format!("value {value} has another type")));
            }
            let &Def::Block { function, block } = self.module.def(*label) else {
                return Err(raw.invalid(format!("id {label} is no label")));
            };
            if function as usize != self.index {
                return Err(raw.invalid(format!("label {label} is of another function")));
            }
            parents.push(block);
            // At the end of the parent every definition in it has been made.
            if self.dominators.reachable(block) {
                self.available(&raw, *value, block, u32::MAX)?;
            }
        }
        parents.sort_unstable();
        if parents != predecessors {
            return Err(raw.invalid("the parents are not exactly the block's predecessors"));
        }
        Ok(())
    }

    fn block(&self, number: u32, block: &Block) -> Result<()> {
        let first = block.phis.len() as u32;
        for (position, inst) in (first..).zip(&block.insts) {
            let raw = Raw {
                op: inst.op,
                words: &inst.args,
                offset: inst.offset,
            };
            let available = |id| self.available(&raw, id, number, position);
            if inst.op == Op::ExtInst {
                let operands = Raw {
                    words: inst.args_from(2),
                    ..raw
                };
                grammar::walk_opencl(&operands, inst.arg(1), available)?;
            } else {
                grammar::walk_args(&raw, available)?;
            }
        }
        let raw = terminator_raw(block);
        match &block.terminator {
            Terminator::Conditional { condition: id, .. }
            | Terminator::Switch { selector: id, .. }
            | Terminator::ReturnValue(id) => self.available(&raw, *id, number, u32::MAX),
            _ => Ok(()),
        }
    }

    /// Checks that the definition of `id` comes before position `position` of block `number` on
    /// every way there.
    fn available(&self, raw: &Raw<'_>, id: Id, number: u32, position: u32) -> Result<()> {
        let &Def::Value {
            block,
            position: at,
            ..
        } = self.module.def(id)
        else {
            return Ok(());
        };
        let before = if block == number {
            at < position
        } else {
            self.dominators.dominates(block, number)
        };
        if before {
            Ok(())
        } else {
            Err(raw.invalid(format!("id {id} is used where it may not be defined yet")))
        }
    }
}
