//! Functions called by their address.
//!
//! Each kernel is compiled by itself, so a function has no machine address that holds for all of
//! them, for variables of the module and for the host. The address of a function is a number
//! instead ([`Module::address_of`]). A call compares it with the functions it may
//! mean, those of the same signature whose address is taken or that are exported; a number that
//! means none of them does nothing and gives zeros.

use std::collections::HashSet;

use ur_spirv::spirv::LinkageType;
use ur_spirv::{Function, Id, Inst, Module};

use crate::error::Result;
use crate::ir::{Type, Value};

use super::function::Body;

/// The functions that a call through a pointer may reach.
pub fn candidates(module: &Module) -> impl Iterator<Item = &Function> {
    let taken: HashSet<Id> = module
        .function_pointers
        .iter()
        .map(|pointer| pointer.function)
        .collect();
    module.functions.iter().filter(move |function| {
        let exported = function
            .linkage
            .as_ref()
            .is_some_and(|linkage| linkage.kind == LinkageType::Export);
        !function.blocks.is_empty() && (exported || taken.contains(&function.id))
    })
}

impl Body<'_, '_> {
    /// A call through a pointer, and what it returns.
    pub fn indirect_call(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let spv = self.t.spv;
        let pointer = self.value(inst.arg(0))?;
        let number = self.fb.cast("ptrtoint", &pointer, &Type::I64);
        let args = inst
            .args_from(1)
            .iter()
            .map(|arg| self.value(*arg))
            .collect::<Result<Vec<_>>>()?;
        let result = self.result_ty(inst)?;

        let done = self.fb.block("called");
        let before = self.fb.current();
        self.fb.switch_to(done);
        let phi = (result != Type::Void).then(|| self.fb.phi(&result));
        let mut cases = Vec::new();
        for function in candidates(spv) {
            let mut fits =
                self.t.ty(function.ret)? == result && function.params.len() == args.len();
            for (param, arg) in function.params.iter().zip(&args) {
                fits = fits && self.t.ty(param.ty)? == arg.ty;
            }
            let Some(address) = spv.address_of(function.id).filter(|_| fits) else {
                continue;
            };
            let block = self.fb.block("call");
            self.fb.switch_to(block);
            let value = self.direct_call(function, args.clone())?;
            let from = self.fb.current();
            if let (Some(phi), Some(value)) = (&phi, value) {
                self.fb.add_incoming(phi, &value, from);
            }
            self.fb.br(done);
            cases.push((Value::int(&Type::I64, i128::from(address)), block));
        }
        self.fb.switch_to(before);
        if let Some(phi) = &phi {
            self.fb.add_incoming(phi, &Value::zero(&result), before);
        }
        self.fb.switch(&number, done, &cases);
        self.fb.switch_to(done);
        Ok(phi.map(|phi| phi.value))
    }

    /// A call of a function that is a function in the IR as well.
    pub fn direct_call(&mut self, function: &Function, args: Vec<Value>) -> Result<Option<Value>> {
        let mut all = Vec::with_capacity(args.len() + 2);
        if self.t.plan.needs_item(function.id) {
            all.extend([self.item.clone(), self.group.clone()]);
        }
        all.extend(args);
        let name = self.t.helper_name(function.id);
        let ty = self.t.ty(function.ret)?;
        let value = self.fb.call(&name, &ty, &all);
        Ok((ty != Type::Void).then_some(value))
    }
}
