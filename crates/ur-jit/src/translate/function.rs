//! Bodies of functions: values, blocks, phis and calls.

use std::collections::HashMap;

use ur_spirv::spirv::FunctionParameterAttribute;
use ur_spirv::{Constant, Def, Function, Id, Inst, Terminator, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::{Block, FunctionBuilder, Phi, Type, Value};

use super::{Translator, constants};

/// An LLVM function under construction, into which bodies of SPIR-V functions are put.
pub struct Body<'t, 'm> {
    /// The translation it belongs to.
    pub t: &'t mut Translator<'m>,
    /// Its builder.
    pub fb: FunctionBuilder,
    /// Pointer to the item record.
    pub item: Value,
    /// Pointer to the group record.
    pub group: Value,
    /// Where a suspended or finished work-item leaves, in a coroutine.
    pub leave: Option<Block>,
    /// Values of the function whose body is being put in.
    values: HashMap<Id, Value>,
    blocks: HashMap<Id, Block>,
    phis: HashMap<Id, Vec<Phi>>,
    /// Where returns go, and the value they bring.
    exit: Option<(Block, Option<Phi>)>,
    /// Whether the body being put in has returned anywhere.
    returned: bool,
    /// Whether an assertion has failed when the block being translated has come so far.
    pub asserted: bool,
    /// Constants within constants being computed.
    nesting: u32,
}

impl<'t, 'm> Body<'t, 'm> {
    /// An empty body.
    pub fn new(t: &'t mut Translator<'m>, fb: FunctionBuilder, item: Value, group: Value) -> Self {
        Self {
            t,
            fb,
            item,
            group,
            leave: None,
            values: HashMap::new(),
            blocks: HashMap::new(),
            phis: HashMap::new(),
            exit: None,
            returned: false,
            asserted: false,
            nesting: 0,
        }
    }

    /// Puts a function's body here and goes on behind it with what it returns.
    pub fn inline(&mut self, function: &'m Function, args: &[Value]) -> Result<Option<Value>> {
        if function.blocks.is_empty() {
            return Err(Error::unsupported(format!(
                "a call of {}, which has no body",
                function.linkage.as_ref().map_or("a function", |l| &l.name)
            )));
        }
        let result = self.t.ty(function.ret)?;
        let outer = (
            std::mem::take(&mut self.values),
            std::mem::take(&mut self.blocks),
            std::mem::take(&mut self.phis),
            self.exit.take(),
            std::mem::take(&mut self.returned),
        );
        let exit = self.fb.block("exit");
        let here = self.fb.current();
        self.fb.switch_to(exit);
        let phi = (result != Type::Void).then(|| self.fb.phi(&result));
        self.fb.switch_to(here);
        self.exit = Some((exit, phi.clone()));

        for (param, value) in function.params.iter().zip(args) {
            let by_value = param
                .attributes
                .contains(&FunctionParameterAttribute::ByVal);
            let value = match self.t.spv.ty(param.ty) {
                Spv::Pointer { pointee, .. } if by_value => {
                    self.private_copy(value, *pointee, param.align)?
                }
                _ => value.clone(),
            };
            self.values.insert(param.id, value);
        }
        self.blocks_of(function)?;

        if !self.returned {
            // A phi must have an edge, even where none is ever taken.
            let never = self.fb.block("never");
            self.fb.switch_to(never);
            self.return_with(Some(&Value::poison(&result)))?;
        }
        (
            self.values,
            self.blocks,
            self.phis,
            self.exit,
            self.returned,
        ) = outer;
        self.fb.switch_to(exit);
        Ok(phi.map(|phi| phi.value))
    }

    /// A copy of what a ByVal parameter points to, for the callee to change.
    fn private_copy(&mut self, from: &Value, pointee: Id, align: Option<u32>) -> Result<Value> {
        let layout = self
            .t
            .spv
            .layout(pointee)
            .ok_or_else(|| Error::unsupported("a by-value argument without a size"))?;
        let align = layout.align.max(u64::from(align.unwrap_or(1)));
        let copy = self.private(layout.size, align);
        self.fb.line(format!(
            "call void @llvm.memcpy.p0.p0.i64(ptr align {align} {}, ptr align {} {}, i64 {}, i1 false)",
            copy.text, layout.align, from.text, layout.size
        ));
        self.declare_memcpy();
        Ok(copy)
    }

    /// Declares LLVM's copy intrinsic.
    pub fn declare_memcpy(&mut self) {
        self.t.ir.declare(
            "llvm.memcpy.p0.p0.i64",
            &Type::Void,
            &[Type::PTR, Type::PTR, Type::I64, Type::I1],
            "",
        );
    }

    /// Translates all reachable blocks, each after those that dominate it.
    fn blocks_of(&mut self, function: &'m Function) -> Result<()> {
        let order = reverse_postorder(function);
        let here = self.fb.current();
        for index in &order {
            let source = &function.blocks[*index];
            let block = self.fb.block("b");
            self.blocks.insert(source.label, block);
            self.fb.switch_to(block);
            let mut phis = Vec::with_capacity(source.phis.len());
            for phi in &source.phis {
                let ty = self.t.ty(phi.ty)?;
                let made = self.fb.phi(&ty);
                self.values.insert(phi.id, made.value.clone());
                phis.push(made);
            }
            self.phis.insert(source.label, phis);
        }
        self.fb.switch_to(here);
        let first = self.block(function.blocks[0].label)?;
        self.fb.br(first);
        let by_label: HashMap<Id, usize> = function
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| (block.label, index))
            .collect();
        for index in &order {
            let source = &function.blocks[*index];
            let block = self.block(source.label)?;
            self.fb.switch_to(block);
            self.asserted = false;
            for inst in &source.insts {
                self.instruction(inst).map_err(|e| e.at(inst.offset))?;
            }
            // Only work-items that wait for each other can go in step.
            if let Terminator::Conditional { condition, .. } = source.terminator
                && self.leave.is_some()
                && self.t.plan.is_leader(function.id, condition)
            {
                self.yield_to_sub_group();
            }
            self.leave_to(function, &by_label, source)
                .and_then(|()| self.terminator(&source.terminator))
                .map_err(|e| e.at(source.terminator_offset))?;
        }
        Ok(())
    }

    /// Gives the phis of all successors their values for the edges from this block.
    fn leave_to(
        &mut self,
        function: &'m Function,
        by_label: &HashMap<Id, usize>,
        source: &ur_spirv::Block,
    ) -> Result<()> {
        let mut successors = source.terminator.successors();
        if matches!(source.terminator, Terminator::Conditional { .. })
            && successors.first() == successors.get(1)
        {
            successors.truncate(1);
        }
        for label in &successors {
            let Some(target) = by_label.get(label).map(|index| &function.blocks[*index]) else {
                continue;
            };
            for (number, phi) in target.phis.iter().enumerate() {
                let value = phi
                    .incoming
                    .iter()
                    .find(|(_, from)| *from == source.label)
                    .map(|(value, _)| *value)
                    .ok_or_else(|| Error::internal("a phi lacks a predecessor"))?;
                let value = self.value(value)?;
                let made = self
                    .phis
                    .get(label)
                    .and_then(|phis| phis.get(number))
                    .cloned();
                let made = made.ok_or_else(|| Error::internal("a phi is missing"))?;
                let from = self.fb.current();
                self.fb.add_incoming(&made, &value, from);
            }
        }
        Ok(())
    }

    /// Emits the end of a block.
    fn terminator(&mut self, terminator: &Terminator) -> Result<()> {
        match terminator {
            Terminator::Branch(to) => {
                let to = self.block(*to)?;
                self.fb.br(to);
            }
            Terminator::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.value(*condition)?;
                let (yes, no) = (self.block(*then)?, self.block(*otherwise)?);
                if yes == no {
                    self.fb.br(yes);
                } else {
                    self.fb.cond_br(&condition, yes, no);
                }
            }
            Terminator::Switch {
                selector,
                default,
                cases,
            } => {
                let selector = self.value(*selector)?;
                let default = self.block(*default)?;
                let cases = cases
                    .iter()
                    .map(|(bits, label)| {
                        let value = Value::int(&selector.ty, i128::from(*bits));
                        Ok((value, self.block(*label)?))
                    })
                    .collect::<Result<Vec<_>>>()?;
                self.fb.switch(&selector, default, &cases);
            }
            Terminator::Return => self.return_with(None)?,
            Terminator::ReturnValue(value) => {
                let value = self.value(*value)?;
                self.return_with(Some(&value))?;
            }
            // A failed assertion ends the function where the program counted on the process's end.
            Terminator::Unreachable if self.asserted => {
                let result = self.exit.as_ref().and_then(|(_, phi)| phi.clone());
                let value = result.map(|phi| Value::zero(&phi.value.ty));
                self.return_with(value.as_ref())?;
            }
            Terminator::Unreachable => self.fb.unreachable(),
        }
        Ok(())
    }

    fn return_with(&mut self, value: Option<&Value>) -> Result<()> {
        let (exit, phi) = self
            .exit
            .clone()
            .ok_or_else(|| Error::internal("a return outside a function"))?;
        self.returned = true;
        let from = self.fb.current();
        if let (Some(phi), Some(value)) = (&phi, value) {
            self.fb.add_incoming(phi, value, from);
        }
        self.fb.br(exit);
        Ok(())
    }

    fn block(&self, label: Id) -> Result<Block> {
        self.blocks
            .get(&label)
            .copied()
            .ok_or_else(|| Error::internal(format!("no block %{label}")))
    }

    /// The value of an id at this place.
    pub fn value(&mut self, id: Id) -> Result<Value> {
        if let Some(value) = self.values.get(&id) {
            return Ok(value.clone());
        }
        if let Some(value) = self.t.literals.get(&id) {
            return Ok(value.clone());
        }
        let spv = self.t.spv;
        match spv.def(id) {
            Def::Constant { ty, value } => {
                // Refuses what is too large before looking at its parts.
                self.t.ty(*ty)?;
                if constants::is_literal(spv, id) {
                    let value = constants::literal(spv, id)?;
                    self.t.literals.insert(id, value.clone());
                    return Ok(value);
                }
                // Each level may have several operands; their number is not bounded otherwise.
                if self.nesting > 16 {
                    return Err(Error::unsupported("a constant nested too deep"));
                }
                self.nesting += 1;
                let result = self.computed_constant(id, *ty, value);
                self.nesting -= 1;
                result
            }
            Def::Global(_) => self.global(id),
            _ => Err(Error::internal(format!("%{id} has no value here"))),
        }
    }

    /// A constant that depends on addresses: computed where it is used.
    fn computed_constant(&mut self, id: Id, ty: Id, value: &'m Constant) -> Result<Value> {
        match value {
            Constant::Composite(parts) => {
                let register = self.t.ty(ty)?;
                let parts = parts
                    .iter()
                    .map(|part| self.value(*part))
                    .collect::<Result<Vec<_>>>()?;
                self.aggregate(&register, &parts)
            }
            Constant::Op { op, args } => {
                let inst = Inst {
                    op: *op,
                    ty,
                    id,
                    args: args.clone(),
                    offset: 0,
                };
                self.instruction(&inst)?;
                // The value belongs to this place alone: another use may not be dominated by it.
                self.values
                    .remove(&id)
                    .ok_or_else(|| Error::unsupported(format!("the constant operation {op:?}")))
            }
            other => Err(Error::unsupported(format!("the constant {other:?}"))),
        }
    }

    /// Makes `value` the result of an instruction.
    pub fn set(&mut self, inst: &Inst, value: Value) {
        if inst.id != 0 {
            self.values.insert(inst.id, value);
        }
    }

    /// Register type of an instruction's result.
    pub fn result_ty(&self, inst: &Inst) -> Result<Type> {
        self.t.ty(inst.ty)
    }
}

/// Indices of the reachable blocks, so that each comes after those that dominate it.
fn reverse_postorder(function: &Function) -> Vec<usize> {
    let by_label: HashMap<Id, usize> = function
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| (block.label, index))
        .collect();
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(function.blocks.len());
    seen[0] = true;
    // Each entry: a block, its successors, and how many of them have been visited.
    let mut stack = vec![(0usize, function.blocks[0].terminator.successors(), 0usize)];
    while let Some((index, successors, visited)) = stack.last_mut() {
        // The last successor first keeps the first one next to its block.
        let next = successors.len().checked_sub(*visited + 1);
        match next.map(|n| successors[n]) {
            Some(label) => {
                *visited += 1;
                if let Some(target) = by_label.get(&label).copied()
                    && !seen[target]
                {
                    seen[target] = true;
                    stack.push((target, function.blocks[target].terminator.successors(), 0));
                }
            }
            None => {
                order.push(*index);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
