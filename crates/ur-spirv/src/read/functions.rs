//! Functions and their blocks.

use super::Reader;
use crate::decode::Raw;
use crate::model::{Block, Def, ExtSet, Function, Inst, Param, Phi, Terminator};
use crate::types::Type;
use crate::{Id, Result, grammar};
use rspirv::spirv::{
    Decoration, FunctionControl, FunctionParameterAttribute, LinkageType, LoopControl, Op,
};

/// A function whose end has not come.
pub struct Open {
    function: Function,
    /// Parameter types that the function type lists.
    expected: Vec<Id>,
    block: Option<Block>,
}

impl Reader<'_> {
    /// Any instruction from `OpFunction` to `OpFunctionEnd`.
    pub(super) fn in_function(&mut self, raw: &Raw<'_>) -> Result<()> {
        let Some(open) = self.open.take() else {
            return self.begin_function(raw);
        };
        self.open = self.continue_function(raw, open)?;
        Ok(())
    }

    fn begin_function(&mut self, raw: &Raw<'_>) -> Result<()> {
        grammar::walk(raw, |_| Ok(()))?;
        let (ret, id, control, ty) = (raw.word(0)?, raw.word(1)?, raw.word(2)?, raw.word(3)?);
        self.expect_type(raw, ret)?;
        let Type::Function {
            ret: returned,
            params,
        } = self.module.ty(ty)
        else {
            return Err(raw.invalid(format!("id {ty} is no function type")));
        };
        if *returned != ret {
            return Err(raw.invalid("the result type is not what the function type returns"));
        }
        let expected = params.clone();
        let linkage = self.linkage(raw, id)?;
        let index = self.module.functions.len() as u32;
        self.define(raw, id, Def::Function(index))?;
        self.open = Some(Open {
            function: Function {
                id,
                ty,
                ret,
                control: FunctionControl::from_bits_truncate(control),
                params: Vec::new(),
                blocks: Vec::new(),
                linkage,
                offset: raw.offset,
            },
            expected,
            block: None,
        });
        Ok(())
    }

    fn continue_function(&mut self, raw: &Raw<'_>, mut open: Open) -> Result<Option<Open>> {
        match raw.op {
            Op::Line | Op::NoLine | Op::Nop => {}
            Op::FunctionParameter => self.parameter(raw, &mut open)?,
            Op::Label => self.label(raw, &mut open)?,
            Op::FunctionEnd => {
                self.end_function(raw, open)?;
                return Ok(None);
            }
            Op::ExtInst if self.is_info(raw) => {
                let id = raw.word(1)?;
                self.define(raw, id, Def::Other)?;
            }
            _ => {
                let Some(block) = open.block.as_mut() else {
                    return Err(raw.invalid("stands outside of a block"));
                };
                let place = Place {
                    function: self.module.functions.len() as u32,
                    block: open.function.blocks.len() as u32,
                };
                if self.in_block(raw, block, place)? {
                    open.function.blocks.extend(open.block.take());
                }
            }
        }
        Ok(Some(open))
    }

    fn is_info(&self, raw: &Raw<'_>) -> bool {
        let set = raw.words.get(2).copied().unwrap_or(0);
        matches!(self.module.def(set), Def::ExtSet(ExtSet::Info))
    }

    fn parameter(&mut self, raw: &Raw<'_>, open: &mut Open) -> Result<()> {
        let (ty, id) = (raw.word(0)?, raw.word(1)?);
        if open.block.is_some() || !open.function.blocks.is_empty() {
            return Err(raw.invalid("a parameter after the first block"));
        }
        let index = open.function.params.len();
        if open.expected.get(index) != Some(&ty) {
            return Err(raw.invalid(format!(
                "parameter {index} is not of the type that the function type lists"
            )));
        }
        let function = self.module.functions.len() as u32;
        let def = Def::Param {
            function,
            index: index as u32,
            ty,
        };
        self.define(raw, id, def)?;
        let attributes = self
            .module
            .decorations(id)
            .filter(|d| d.decoration == Decoration::FuncParamAttr)
            .filter_map(|d| FunctionParameterAttribute::from_u32(d.param(0)))
            .collect();
        let align = self.module.decoration(id, Decoration::Alignment);
        open.function.params.push(Param {
            id,
            ty,
            attributes,
            align: align.map(|d| d.param(0)),
        });
        Ok(())
    }

    fn label(&mut self, raw: &Raw<'_>, open: &mut Open) -> Result<()> {
        let label = raw.word(0)?;
        if open.block.is_some() {
            return Err(raw.invalid("the block before has no terminator"));
        }
        if open.function.params.len() != open.expected.len() {
            return Err(raw.invalid("parameters are missing before the first block"));
        }
        let def = Def::Block {
            function: self.module.functions.len() as u32,
            block: open.function.blocks.len() as u32,
        };
        self.define(raw, label, def)?;
        open.block = Some(Block {
            label,
            phis: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            terminator_offset: raw.offset,
            loop_control: None,
            reachable: false,
        });
        Ok(())
    }

    fn end_function(&mut self, raw: &Raw<'_>, open: Open) -> Result<()> {
        let function = open.function;
        if open.block.is_some() {
            return Err(raw.invalid("the last block has no terminator"));
        }
        if function.params.len() != open.expected.len() {
            return Err(raw.invalid("parameters are missing"));
        }
        let import = function
            .linkage
            .as_ref()
            .is_some_and(|linkage| linkage.kind == LinkageType::Import);
        if import != function.blocks.is_empty() {
            return Err(raw.invalid(if import {
                "an imported function has a body"
            } else {
                "a function without a body is not imported"
            }));
        }
        self.module.functions.push(function);
        Ok(())
    }

    /// An instruction of a block; true if it ends the block.
    fn in_block(&mut self, raw: &Raw<'_>, block: &mut Block, place: Place) -> Result<bool> {
        if raw.op == Op::Switch {
            block.terminator = self.switch(raw)?;
            block.terminator_offset = raw.offset;
            return Ok(true);
        }
        grammar::walk(raw, |_| Ok(()))?;
        let terminator = match raw.op {
            Op::Branch => Terminator::Branch(raw.word(0)?),
            Op::BranchConditional => {
                if !matches!(raw.words.len(), 3 | 5) {
                    return Err(raw.invalid("one branch weight where there must be two or none"));
                }
                Terminator::Conditional {
                    condition: raw.word(0)?,
                    then: raw.word(1)?,
                    otherwise: raw.word(2)?,
                }
            }
            Op::Return => Terminator::Return,
            Op::ReturnValue => Terminator::ReturnValue(raw.word(0)?),
            Op::Unreachable => Terminator::Unreachable,
            Op::Kill | Op::TerminateInvocation | Op::IgnoreIntersectionKHR => {
                return Err(raw.unsupported("not of the OpenCL environment"));
            }
            _ => {
                self.ordinary(raw, block, place)?;
                return Ok(false);
            }
        };
        block.terminator = terminator;
        block.terminator_offset = raw.offset;
        Ok(true)
    }

    fn ordinary(&mut self, raw: &Raw<'_>, block: &mut Block, place: Place) -> Result<()> {
        match raw.op {
            Op::SelectionMerge => return Ok(()),
            Op::LoopMerge => {
                block.loop_control = Some(LoopControl::from_bits_truncate(raw.word(2)?));
                return Ok(());
            }
            Op::LoopControlINTEL => {
                block.loop_control = Some(LoopControl::from_bits_truncate(raw.word(0)?));
                return Ok(());
            }
            Op::Phi => return self.phi(raw, block, place),
            Op::Function => return Err(raw.invalid("the function before has no end")),
            _ => {}
        }
        let (has_type, has_result) = grammar::has_type_and_result(raw.op);
        if has_type && !has_result {
            return Err(raw.unsupported("a type without a result"));
        }
        let mut at = 0;
        let mut next = |has: bool| -> Result<Id> {
            if !has {
                return Ok(0);
            }
            at += 1;
            raw.word(at - 1)
        };
        let (ty, id) = (next(has_type)?, next(has_result)?);
        if has_result {
            if !has_type {
                return Err(raw.invalid("may not stand in a block"));
            }
            self.expect_type(raw, ty)?;
            let position = (block.phis.len() + block.insts.len()) as u32;
            self.define(raw, id, place.value(position, ty))?;
        }
        block.insts.push(Inst {
            op: raw.op,
            ty,
            id,
            args: raw.rest(at).into(),
            offset: raw.offset,
        });
        Ok(())
    }

    fn phi(&mut self, raw: &Raw<'_>, block: &mut Block, place: Place) -> Result<()> {
        if !block.insts.is_empty() {
            return Err(raw.invalid("a phi after other instructions"));
        }
        let (ty, id) = (raw.word(0)?, raw.word(1)?);
        self.expect_type(raw, ty)?;
        let position = block.phis.len() as u32;
        self.define(raw, id, place.value(position, ty))?;
        let pairs = raw.rest(2).as_chunks::<2>().0;
        block.phis.push(Phi {
            id,
            ty,
            incoming: pairs
                .iter()
                .map(|[value, label]| (*value, *label))
                .collect(),
            offset: raw.offset,
        });
        Ok(())
    }

    /// `OpSwitch`, whose literals are as wide as its selector.
    fn switch(&self, raw: &Raw<'_>) -> Result<Terminator> {
        let (selector, default) = (raw.word(0)?, raw.word(1)?);
        let Type::Int { width } = *self.module.type_of(selector) else {
            return Err(raw.invalid(format!("selector {selector} is no integer defined before")));
        };
        let rest = raw.rest(2);
        let (cases, odd) = if width == 64 {
            let (chunks, odd) = rest.as_chunks::<3>();
            let wide = |[low, high, to]: &[u32; 3]| (u64::from(*high) << 32 | u64::from(*low), *to);
            (chunks.iter().map(wide).collect::<Vec<_>>(), odd)
        } else {
            let (chunks, odd) = rest.as_chunks::<2>();
            let mask = u64::MAX >> (64 - width);
            let narrow = |[value, to]: &[u32; 2]| (u64::from(*value) & mask, *to);
            (chunks.iter().map(narrow).collect::<Vec<_>>(), odd)
        };
        if !odd.is_empty() {
            return Err(raw.invalid("the last case is incomplete"));
        }
        let mut values: Vec<u64> = cases.iter().map(|case| case.0).collect();
        values.sort_unstable();
        if values.array_windows().any(|[a, b]| a == b) {
            return Err(raw.invalid("two cases have the same value"));
        }
        Ok(Terminator::Switch {
            selector,
            default,
            cases,
        })
    }
}

/// Where an instruction stands.
#[derive(Clone, Copy)]
struct Place {
    function: u32,
    block: u32,
}

impl Place {
    fn value(self, position: u32, ty: Id) -> Def {
        Def::Value {
            function: self.function,
            block: self.block,
            position,
            ty,
        }
    }
}
