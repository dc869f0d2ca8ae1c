//! Operand types of each opcode.

mod arithmetic;
mod atomic;
mod composite;
mod convert;
mod extension;
mod group;
mod image;
mod memory;

use super::opencl;
use super::shape::{Elem, Shape, shape_of};
use crate::decode::Raw;
use crate::model::{Inst, Module};
use crate::types::Type;
use crate::{Error, Id, Result};
use rspirv::spirv::{Op, StorageClass};

/// Checks the types of one instruction. Its ids were checked before.
pub fn check(module: &Module, inst: &Inst) -> Result<()> {
    let it = Checked { module, inst };
    for family in [
        arithmetic::check,
        memory::check,
        convert::check,
        composite::check,
        atomic::check,
        group::check,
        image::check,
        extension::check,
        other,
    ] {
        if family(&it)? {
            return Ok(());
        }
    }
    Err(Error::unsupported(inst.offset, format!("Op{:?}", inst.op)))
}

/// Checks that an instruction may stand in block number `block` of its function.
pub fn check_placement(module: &Module, inst: &Inst, block: usize) -> Result<()> {
    let it = Checked { module, inst };
    it.rule(
        inst.op != Op::Variable || block == 0,
        "a variable outside of the entry block",
    )
}

/// An instruction under check.
struct Checked<'a> {
    module: &'a Module,
    inst: &'a Inst,
}

impl<'a> Checked<'a> {
    /// The error that the instruction breaks a rule.
    fn invalid(&self, rule: impl std::fmt::Display) -> Error {
        Raw {
            op: self.inst.op,
            words: &[],
            offset: self.inst.offset,
        }
        .invalid(rule)
    }

    /// The error that the instruction needs something that is missing.
    fn unsupported(&self, what: impl std::fmt::Display) -> Error {
        Raw {
            op: self.inst.op,
            words: &[],
            offset: self.inst.offset,
        }
        .unsupported(what)
    }

    /// An error with `rule` unless `holds`.
    fn rule(&self, holds: bool, rule: &str) -> Result<()> {
        if holds {
            Ok(())
        } else {
            Err(self.invalid(rule))
        }
    }

    /// Shape of the result.
    fn result(&self) -> Result<Shape> {
        shape_of(self.module, self.inst.ty)
            .ok_or_else(|| self.invalid("the result is neither scalar nor vector"))
    }

    /// Type id of operand `n`.
    fn ty(&self, n: usize) -> Id {
        self.module.type_id_of(self.inst.arg(n))
    }

    /// Shape of operand `n`.
    fn shape(&self, n: usize) -> Result<Shape> {
        shape_of(self.module, self.ty(n))
            .ok_or_else(|| self.invalid(format!("operand {n} is neither scalar nor vector")))
    }

    /// Storage class and pointee of operand `n`.
    fn pointer(&self, n: usize) -> Result<(StorageClass, Id)> {
        match *self.module.ty(self.ty(n)) {
            Type::Pointer { storage, pointee } => Ok((storage, pointee)),
            _ => Err(self.invalid(format!("operand {n} is no pointer"))),
        }
    }

    /// Operand `n` is a scalar integer of 32 bits: a scope, memory semantics, an amount.
    fn word(&self, n: usize) -> Result<()> {
        let word = Shape {
            elem: Elem::Int(32),
            lanes: 1,
        };
        self.rule(
            self.shape(n)? == word,
            &format!("operand {n} is no 32-bit integer"),
        )
    }

    /// Operand `n` is a scalar integer.
    fn integer(&self, n: usize) -> Result<()> {
        self.rule(
            self.module.type_of(self.inst.arg(n)).is_int(),
            &format!("operand {n} is no integer"),
        )
    }

    /// Operand `n` has the type of the result.
    fn same_as_result(&self, n: usize) -> Result<()> {
        self.rule(
            self.ty(n) == self.inst.ty,
            &format!("operand {n} is not of the result's type"),
        )
    }
}

/// Calls, extended instructions, hints.
fn other(it: &Checked<'_>) -> Result<bool> {
    match it.inst.op {
        Op::FunctionCall => call(it)?,
        Op::ExtInst => opencl::check(it.module, it.inst)?,
        Op::Undef => it.rule(
            !matches!(it.module.ty(it.inst.ty), Type::Void | Type::Function { .. }),
            "a type without values",
        )?,
        Op::CopyObject => it.same_as_result(0)?,
        Op::CopyLogical => it.rule(
            it.module.type_id_of(it.inst.arg(0)) != 0
                && match_logically(it.module, it.ty(0), it.inst.ty),
            "the types do not match member by member",
        )?,
        Op::ExpectKHR => {
            it.same_as_result(0)?;
            it.same_as_result(1)?;
        }
        Op::AssumeTrueKHR => it.rule(
            *it.module.type_of(it.inst.arg(0)) == Type::Bool,
            "the operand is not Bool",
        )?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn call(it: &Checked<'_>) -> Result<()> {
    let Some(callee) = it.module.function(it.inst.arg(0)) else {
        return Err(it.invalid("calls no function"));
    };
    it.rule(
        callee.ret == it.inst.ty,
        "the result is not of the type that the function returns",
    )?;
    let args = it.inst.args_from(1);
    it.rule(
        args.len() == callee.params.len(),
        "the number of arguments is not the function's",
    )?;
    for (arg, param) in args.iter().zip(&callee.params) {
        it.rule(
            it.module.type_id_of(*arg) == param.ty,
            &format!("argument {arg} is not of its parameter's type"),
        )?;
    }
    Ok(())
}

/// Whether two types are made of the same members, their decorations aside. Types nest and expand no
/// further than reading them allows.
fn match_logically(module: &Module, a: Id, b: Id) -> bool {
    match (module.ty(a), module.ty(b)) {
        _ if a == b => true,
        (Type::Array { elem: x, len: n }, Type::Array { elem: y, len: m }) => {
            n == m && match_logically(module, *x, *y)
        }
        (Type::Struct { members: x, .. }, Type::Struct { members: y, .. }) => {
            x.len() == y.len()
                && x.iter()
                    .zip(y)
                    .all(|(x, y)| match_logically(module, *x, *y))
        }
        _ => false,
    }
}
