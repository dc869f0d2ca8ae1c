//! Entry points and the call graph.

use crate::model::{Def, Module};
use crate::types::Type;
use crate::{Error, Result};
use rspirv::spirv::{LinkageType, Op, StorageClass};
use std::collections::HashSet;

/// Most bytes that a kernel takes by value in one argument.
const MAX_ARGUMENT: u64 = 1 << 20;

/// Checks entry points and exported names.
pub fn entry_points(module: &Module) -> Result<()> {
    for entry in &module.entry_points {
        let fail = |rule: String| {
            Err(Error::invalid(
                entry.offset,
                format!("entry point {:?}: {rule}", entry.name),
            ))
        };
        let Some(function) = module.function(entry.function) else {
            return fail(format!("id {} is no function", entry.function));
        };
        if function.blocks.is_empty() {
            return fail("its function is imported".to_owned());
        }
        if *module.ty(function.ret) != Type::Void {
            return fail("its function returns a value".to_owned());
        }
        if entry.is_initializer() && !function.params.is_empty() {
            return fail("an initializer with parameters".to_owned());
        }
        for id in &entry.interface {
            if module.global(*id).is_none() {
                return fail(format!("interface id {id} is no variable"));
            }
        }
        for param in &function.params {
            let by_value = match module.ty(param.ty) {
                Type::Pointer {
                    storage: StorageClass::Function,
                    pointee,
                } => *pointee,
                _ => param.ty,
            };
            let size = module.layout(by_value).map_or(0, |layout| layout.size);
            if size > MAX_ARGUMENT {
                return Err(Error::unsupported(
                    entry.offset,
                    format!("entry point {:?}: an argument of {size} bytes", entry.name),
                ));
            }
            let fits = match module.ty(param.ty) {
                Type::Pointer { storage, .. } => {
                    !matches!(storage, StorageClass::Generic | StorageClass::Input)
                }
                Type::Bool => false,
                _ => true,
            };
            if !fits {
                return fail(format!(
                    "parameter {} is of a type no host can pass",
                    param.id
                ));
            }
        }
    }
    exported_once(module)
}

fn exported_once(module: &Module) -> Result<()> {
    let functions = module.functions.iter().map(|f| (&f.linkage, f.offset));
    let globals = module.globals.iter().map(|g| (&g.linkage, g.offset));
    let mut seen = HashSet::new();
    for (linkage, offset) in functions.chain(globals) {
        if let Some(linkage) = linkage
            && linkage.kind != LinkageType::Import
            && !seen.insert(linkage.name.as_str())
        {
            return Err(Error::invalid(
                offset,
                format!("the name {:?} is exported twice", linkage.name),
            ));
        }
    }
    Ok(())
}

/// Checks that each address of a function is one, and is of a type that points to the function's.
pub fn function_pointers(module: &Module) -> Result<()> {
    for pointer in &module.function_pointers {
        let fail = |rule: String| {
            Err(Error::invalid(
                pointer.offset,
                format!("OpConstantFunctionPointerINTEL: {rule}"),
            ))
        };
        let Some(function) = module.function(pointer.function) else {
            return fail(format!("id {} is no function", pointer.function));
        };
        match module.type_of(pointer.id) {
            Type::Pointer { pointee, .. } if *pointee == function.ty => {}
            _ => return fail("the type is no pointer to the function's type".to_owned()),
        }
        if function.blocks.is_empty() {
            return Err(Error::unsupported(
                pointer.offset,
                "OpConstantFunctionPointerINTEL: the address of an imported function",
            ));
        }
    }
    Ok(())
}

/// Refuses cycles of direct calls in the call graph.
pub fn no_recursion(module: &Module) -> Result<()> {
    // For each function the functions it calls, with the offset of a call.
    let calls: Vec<Vec<(u32, usize)>> = module
        .functions
        .iter()
        .map(|function| {
            let insts = function.blocks.iter().flat_map(|block| &block.insts);
            let mut list: Vec<(u32, usize)> = insts
                .filter(|inst| inst.op == Op::FunctionCall)
                .filter_map(|inst| match module.def(inst.arg(0)) {
                    Def::Function(callee) => Some((*callee, inst.offset)),
                    _ => None,
                })
                .collect();
            list.sort_unstable();
            list.dedup_by_key(|call| call.0);
            list
        })
        .collect();
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; calls.len()];
    for root in 0..calls.len() {
        if states.get(root) != Some(&State::New) {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        while let Some((function, next)) = stack.pop() {
            if let Some(state) = states.get_mut(function) {
                *state = State::Open;
            }
            let Some((callee, offset)) = calls.get(function).and_then(|list| list.get(next)) else {
                if let Some(state) = states.get_mut(function) {
                    *state = State::Done;
                }
                continue;
            };
            stack.push((function, next + 1));
            match states.get(*callee as usize) {
                Some(State::Open) => {
                    return Err(Error::invalid(*offset, "OpFunctionCall: recursion"));
                }
                Some(State::New) => stack.push((*callee as usize, 0)),
                _ => {}
            }
        }
    }
    Ok(())
}
