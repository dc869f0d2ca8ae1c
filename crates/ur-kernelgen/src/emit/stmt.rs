//! Statements.

use super::Body;
use crate::ast::{Atomic, CELLS, Case, Expr, Form, Scope, Stmt, Type};
use rspirv::spirv::{Capability, Op, StorageClass};

const ALIGNED: u32 = 2;
const DEVICE: u64 = 1;
const WORKGROUP: u64 = 2;
const SUBGROUP: u64 = 3;
/// Acquire and release of local and global memory.
const FENCE: u64 = 0x8 | 0x100 | 0x200;

impl Body<'_, '_> {
    /// Writes statements up to the first that ends the block.
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.block.is_none() {
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Set(var, value) => {
                let value = self.expr(value);
                self.asm.act(Op::Store, &[self.vars[*var], value]);
            }
            Stmt::SetLane(var, place, value) => {
                let ty = self.function.vars[*var];
                let place = self.wrapped(place, ty.lanes.into());
                let value = self.expr(value);
                let scalar = self.asm.ty(Type::of(ty.scalar));
                let pointer = self.asm.pointer(StorageClass::Function, scalar);
                let operands = [self.vars[*var], place];
                let place = self.asm.op(Op::InBoundsAccessChain, pointer, &operands);
                self.asm.act(Op::Store, &[place, value]);
            }
            Stmt::Private(array, index, value) => {
                let place = self.private_place(*array, index);
                let value = self.expr(value);
                self.asm.act(Op::Store, &[place, value]);
            }
            Stmt::Own(array, index, value) => {
                let place = self.own_place(*array, index);
                let align = value.ty.size() as u32;
                let value = self.expr(value);
                self.asm.act(Op::Store, &[place, value, ALIGNED, align]);
            }
            Stmt::LocalOwn(array, value) => {
                let value = self.expr(value);
                let index = self.builtin(crate::ast::Builtin::LocalLinearId);
                let place = self.local_place(*array, index);
                self.asm.act(Op::Store, &[place, value]);
            }
            Stmt::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            Stmt::SubGroupIf(condition, then, otherwise) => {
                self.branch(condition, then, otherwise);
                self.barrier(Scope::SubGroup);
            }
            Stmt::Switch(selector, cases, default) => self.switch(selector, cases, default),
            Stmt::Loop {
                counter,
                form,
                bound,
                mask,
                body,
            } => {
                let word = self.asm.ty(Type::I32);
                let bound = self.expr(bound);
                let mask = self.asm.int(Type::I32, (*mask).into());
                let rounds = self.asm.op(Op::BitwiseAnd, word, &[bound, mask]);
                self.repeat(*counter, *form, rounds, body);
            }
            Stmt::Break(depth) => {
                let at = self.loops.len() - 1 - depth;
                self.jump(self.loops[at].0);
            }
            Stmt::Continue(depth) => {
                let at = self.loops.len() - 1 - depth;
                self.jump(self.loops[at].1);
            }
            Stmt::Return(None) => self.end(Op::Return, &[]),
            Stmt::Return(Some(value)) => {
                let value = self.expr(value);
                self.end(Op::ReturnValue, &[value]);
            }
            Stmt::Shared(wide, op, index, value) => {
                let ty = if *wide { Type::I64 } else { Type::I32 };
                let family = op.family().unwrap_or_default() * CELLS;
                let index = self.wrapped(index, CELLS as u64);
                let word = self.asm.ty(Type::I64);
                let family = self.asm.int(Type::I64, family as u64);
                let index = self.asm.op(Op::IAdd, word, &[index, family]);
                let value = self.expr(value);
                let elem = self.asm.ty(ty);
                let pointer = self.asm.pointer(StorageClass::CrossWorkgroup, elem);
                let base = self.pointers.shared[usize::from(*wide)];
                let place = self
                    .asm
                    .op(Op::InBoundsPtrAccessChain, pointer, &[base, index]);
                self.atomic(*op, ty, place, DEVICE, value, value);
            }
            Stmt::LocalAtomic(array, op, index, value) => {
                let ty = Type::of(self.kernel.local[*array].0);
                let index = self.long(index);
                let count = self.group_items();
                let word = self.asm.ty(Type::I64);
                let index = self.asm.op(Op::UMod, word, &[index, count]);
                let value = self.expr(value);
                let place = self.local_place(*array, index);
                self.atomic(*op, ty, place, WORKGROUP, value, value);
            }
            Stmt::OwnAtomic(var, array, op, index, value, comparator) => {
                let ty = self.kernel.own[*array].elem;
                let place = self.own_place(*array, index);
                let value = self.expr(value);
                let comparator = self.expr(comparator);
                if let Some(old) = self.atomic(*op, ty, place, DEVICE, value, comparator) {
                    self.asm.act(Op::Store, &[self.vars[*var], old]);
                }
            }
            Stmt::Barrier(scope) => self.barrier(*scope),
            Stmt::Group(var, op, scope, value, index) => {
                let result = self.group(*op, *scope, value, index.as_ref());
                self.asm.act(Op::Store, &[self.vars[*var], result]);
            }
            Stmt::Call {
                result,
                callee,
                args,
                arrays,
            } => self.call(*result, *callee, args, arrays),
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.expr(condition);
        let (yes, join) = (self.asm.fresh(), self.asm.fresh());
        let no = if otherwise.is_empty() {
            join
        } else {
            self.asm.fresh()
        };
        self.end(Op::BranchConditional, &[condition, yes, no]);
        self.label(yes);
        self.stmts(then);
        self.jump(join);
        if no != join {
            self.label(no);
            self.stmts(otherwise);
            self.jump(join);
        }
        self.label(join);
    }

    fn switch(&mut self, selector: &Expr, cases: &[Case], default: &[Stmt]) {
        let ty = selector.ty;
        let selector = self.expr(selector);
        let blocks: Vec<u32> = cases.iter().map(|_| self.asm.fresh()).collect();
        let (last, join) = (self.asm.fresh(), self.asm.fresh());
        let mut operands = vec![selector, last];
        for (case, block) in cases.iter().zip(&blocks) {
            for label in &case.labels {
                operands.push(*label as u32);
                if ty == Type::I64 {
                    operands.push((*label >> 32) as u32);
                }
                operands.push(*block);
            }
        }
        self.end(Op::Switch, &operands);
        for (number, case) in cases.iter().enumerate() {
            self.label(blocks[number]);
            self.stmts(&case.body);
            let next = blocks.get(number + 1).copied().unwrap_or(last);
            self.jump(if case.falls_through { next } else { join });
        }
        self.label(last);
        self.stmts(default);
        self.jump(join);
        self.label(join);
    }

    fn repeat(&mut self, counter: usize, form: Form, rounds: u32, body: &[Stmt]) {
        let word = self.asm.ty(Type::I32);
        let truth = self.asm.ty(Type::BOOL);
        let zero = self.asm.int(Type::I32, 0);
        let one = self.asm.int(Type::I32, 1);
        let before = self.block.unwrap_or_default();
        let [head, inside, next, exit] = [(); 4].map(|()| self.asm.fresh());
        let following = self.asm.fresh();
        self.jump(head);
        self.label(head);
        let count = self.asm.op(Op::Phi, word, &[zero, before, following, next]);
        self.counters[counter] = count;
        if form == Form::While {
            let more = self.asm.op(Op::ULessThan, truth, &[count, rounds]);
            self.end(Op::BranchConditional, &[more, inside, exit]);
        } else {
            self.jump(inside);
        }
        self.label(inside);
        self.loops.push((exit, next));
        self.stmts(body);
        self.loops.pop();
        self.jump(next);
        self.label(next);
        self.asm.act(Op::IAdd, &[word, following, count, one]);
        if form == Form::While {
            self.jump(head);
        } else {
            let more = self.asm.op(Op::ULessThan, truth, &[following, rounds]);
            self.end(Op::BranchConditional, &[more, head, exit]);
        }
        self.label(exit);
    }

    fn barrier(&mut self, scope: Scope) {
        let scope = match scope {
            Scope::Group => WORKGROUP,
            Scope::SubGroup => SUBGROUP,
        };
        let execution = self.asm.int(Type::I32, scope);
        let semantics = self.asm.int(Type::I32, FENCE);
        self.asm
            .act(Op::ControlBarrier, &[execution, execution, semantics]);
    }

    /// An atomic operation; gives the old value of those that have it.
    fn atomic(
        &mut self,
        op: Atomic,
        ty: Type,
        place: u32,
        scope: u64,
        value: u32,
        comparator: u32,
    ) -> Option<u32> {
        if ty == Type::I64 {
            self.asm.capability(Capability::Int64Atomics);
        }
        let id = self.asm.ty(ty);
        let scope = self.asm.int(Type::I32, scope);
        let relaxed = self.flip();
        let order = |ordered: u64| if relaxed { 0 } else { ordered };
        let memory = 0x100 | 0x200;
        let both = self.asm.int(Type::I32, order(0x8 | memory));
        let acquire = self.asm.int(Type::I32, order(0x2 | memory));
        let release = self.asm.int(Type::I32, order(0x4 | memory));
        let code = match op {
            Atomic::Add => Op::AtomicIAdd,
            Atomic::Sub => Op::AtomicISub,
            Atomic::And => Op::AtomicAnd,
            Atomic::Or => Op::AtomicOr,
            Atomic::Xor => Op::AtomicXor,
            Atomic::SMin => Op::AtomicSMin,
            Atomic::SMax => Op::AtomicSMax,
            Atomic::UMin => Op::AtomicUMin,
            Atomic::UMax => Op::AtomicUMax,
            Atomic::Exchange => Op::AtomicExchange,
            Atomic::Inc => {
                let operands = [place, scope, both];
                return Some(self.asm.op(Op::AtomicIIncrement, id, &operands));
            }
            Atomic::Dec => {
                let operands = [place, scope, both];
                return Some(self.asm.op(Op::AtomicIDecrement, id, &operands));
            }
            Atomic::Load => {
                let operands = [place, scope, acquire];
                return Some(self.asm.op(Op::AtomicLoad, id, &operands));
            }
            Atomic::Store => {
                self.asm
                    .act(Op::AtomicStore, &[place, scope, release, value]);
                return None;
            }
            Atomic::CompareExchange => {
                let operands = [place, scope, both, acquire, value, comparator];
                return Some(self.asm.op(Op::AtomicCompareExchange, id, &operands));
            }
        };
        Some(self.asm.op(code, id, &[place, scope, both, value]))
    }

    fn call(&mut self, result: Option<usize>, callee: usize, args: &[Expr], arrays: &[usize]) {
        let function = &self.kernel.functions[callee];
        let ty = match function.result {
            Some(ty) => self.asm.ty(ty),
            None => self.asm.void(),
        };
        let mut operands = vec![self.functions[callee], self.pointers.input];
        operands.extend(self.pointers.shared);
        operands.extend(&self.pointers.own);
        for ((_, argument), id) in self.kernel.local.iter().zip(&self.pointers.local) {
            if *argument {
                operands.push(*id);
            }
        }
        for array in arrays {
            operands.push(if *array < self.function.array_params {
                self.arrays[*array]
            } else {
                let elem = self.asm.ty(self.function.arrays[*array].elem);
                let pointer = self.asm.pointer(StorageClass::Function, elem);
                let zero = self.asm.int(Type::I64, 0);
                let array = self.arrays[*array];
                self.asm
                    .op(Op::InBoundsAccessChain, pointer, &[array, zero])
            });
        }
        for arg in args {
            operands.push(self.expr(arg));
        }
        let value = self.asm.op(Op::FunctionCall, ty, &operands);
        if let Some(var) = result {
            self.asm.act(Op::Store, &[self.vars[var], value]);
        }
    }
}
