//! What relates the parts of a module to each other.

mod calls;
mod dominators;
mod flow;
mod opencl;
pub mod ops;
mod shape;
mod uses;

use crate::Result;
use crate::model::Module;
use crate::weight::Budget;

/// Checks a module that was read, and completes it with what the check finds.
pub fn check(module: &mut Module) -> Result<()> {
    calls::entry_points(module)?;
    calls::function_pointers(module)?;
    let mut budget = Budget::new(module)?;
    for (index, function) in module.functions.iter().enumerate() {
        for (number, block) in function.blocks.iter().enumerate() {
            for phi in &block.phis {
                budget.value(module, phi.ty, phi.offset)?;
            }
            for inst in &block.insts {
                if inst.ty != 0 {
                    budget.value(module, inst.ty, inst.offset)?;
                }
                uses::check(module, index, inst, &mut budget)?;
                ops::check(module, inst)?;
                ops::check_placement(module, inst, number)?;
            }
        }
    }
    let mut reachable = Vec::with_capacity(module.functions.len());
    for (index, function) in module.functions.iter().enumerate() {
        reachable.push(flow::check(module, index, function)?);
    }
    for (function, reachable) in module.functions.iter_mut().zip(reachable) {
        for (block, reached) in function.blocks.iter_mut().zip(reachable) {
            block.reachable = reached;
        }
    }
    calls::no_recursion(module)
}
