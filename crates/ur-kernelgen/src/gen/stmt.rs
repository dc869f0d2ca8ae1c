//! Random statements.

use super::{Loop, Maker, Mode};
use crate::ast::{Atomic, Case, Expr, Form, Level, Scalar, Scope, Stmt, Type, VarId};

impl Maker<'_> {
    /// Makes about `count` statements; fewer when the budget is spent or a way ends.
    pub(super) fn stmts(&mut self, count: usize, out: &mut Vec<Stmt>) {
        for _ in 0..count {
            if self.budget < self.weight || self.room == 0 {
                return;
            }
            self.budget -= self.weight;
            self.room -= 1;
            self.stmt(out);
            if matches!(
                out.last(),
                Some(Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_))
            ) {
                return;
            }
        }
    }

    /// Depth of an expression that is not the main thing of a statement.
    pub(super) fn near(&self) -> usize {
        self.shared.size.depth.min(3)
    }

    fn block(&mut self, count: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.stmts(count, &mut out);
        out
    }

    fn stmt(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.below(100) {
            0..30 => self.set(out),
            30..36 => self.store(out),
            36..50 => self.branch(out),
            50..54 => self.switch(out),
            54..64 if self.loops.len() < 3 => self.repeat(out),
            64..72 => self.leave(out),
            72..76 => {
                let wide = self.rng.chance(50);
                let ty = if wide { Type::I64 } else { Type::I32 };
                let family = self.rng.pick(&Atomic::FAMILIES);
                let op = self.rng.pick(family);
                let index = self.expr(Type::I32, 1, Level::Item);
                let value = self.expr(ty, self.near(), Level::Item);
                out.push(Stmt::Shared(wide, op, index, value));
            }
            76..79 => self.own_atomic(out),
            79..84 => self.call(out),
            84..88 => self.local(out),
            _ if self.top > Level::Item && self.level > Level::Item => self.synchronise(out),
            _ => self.set(out),
        }
    }

    /// A variable of a type and level, made if there is none.
    pub(super) fn variable(&mut self, ty: Type, level: Level) -> VarId {
        let found: Vec<usize> = (0..self.vars.len())
            .filter(|var| self.vars[*var] == (ty, level))
            .collect();
        if found.is_empty() {
            self.vars.push((ty, level));
            return self.vars.len() - 1;
        }
        self.rng.pick(&found)
    }

    fn set(&mut self, out: &mut Vec<Stmt>) {
        let here = self.level;
        let found: Vec<usize> = (0..self.vars.len())
            .filter(|var| self.vars[*var].1 <= here)
            .collect();
        if found.is_empty() {
            return;
        }
        let var = self.rng.pick(&found);
        let (ty, level) = self.vars[var];
        let depth = self.shared.size.depth;
        if ty.is_vector() && self.rng.chance(20) {
            let place = self.expr(Type::I32, 2, level);
            let value = self.expr(Type::of(ty.scalar), depth, level);
            out.push(Stmt::SetLane(var, place, value));
        } else {
            let value = self.expr(ty, depth, level);
            out.push(Stmt::Set(var, value));
        }
    }

    fn store(&mut self, out: &mut Vec<Stmt>) {
        let depth = self.shared.size.depth;
        let own = self.shared.own.len();
        if !self.arrays.is_empty() && (own == 0 || self.rng.chance(50)) {
            let array = self.rng.below(self.arrays.len());
            let index = self.expr(Type::I32, 2, Level::Item);
            let elem = self.arrays[array].elem;
            let value = self.expr(elem, depth, Level::Item);
            out.push(Stmt::Private(array, index, value));
        } else if own > 0 {
            let array = self.rng.below(own);
            let ty = self.rng.pick(&[Type::I32, Type::I64]);
            let index = self.expr(ty, 2, Level::Item);
            let elem = self.shared.own[array].elem;
            let value = self.expr(elem, depth, Level::Item);
            out.push(Stmt::Own(array, index, value));
        }
    }

    /// Whose choice a branch is: not more common than the flow of control.
    fn pick_level(&mut self) -> Level {
        let level = self
            .rng
            .pick(&[Level::Item, Level::Item, Level::SubGroup, Level::Group]);
        level.min(self.level)
    }

    /// Runs `make` where control flow is common to `level` only, and puts local arrays back into
    /// their modes behind it.
    fn inside(&mut self, level: Level, make: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Vec<Stmt> {
        let outer = self.level;
        let modes = self.modes.clone();
        self.level = level;
        let mut body = make(self);
        let ended = matches!(
            body.last(),
            Some(Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_))
        );
        if self.modes != modes && !ended {
            body.push(Stmt::Barrier(Scope::Group));
        }
        self.modes = modes;
        self.level = outer;
        body
    }

    fn branch(&mut self, out: &mut Vec<Stmt>) {
        let level = self.pick_level();
        let condition = self.expr(Type::BOOL, self.near(), level);
        let count = self.rng.between(1, 4);
        let then = self.inside(level, |maker| maker.block(count));
        let otherwise = if self.rng.chance(50) {
            let count = self.rng.between(1, 4);
            self.inside(level, |maker| maker.block(count))
        } else {
            Vec::new()
        };
        out.push(Stmt::If(condition, then, otherwise));
    }

    fn switch(&mut self, out: &mut Vec<Stmt>) {
        let level = self.pick_level();
        let ty = Type::of(self.rng.pick(&[
            Scalar::I32,
            Scalar::I32,
            Scalar::I64,
            Scalar::I16,
            Scalar::I8,
        ]));
        let few = self.rng.chance(70);
        let mut selector = self.expr(ty, self.near(), level);
        if few {
            let mask = Box::new(super::expr::int(ty, 7));
            let kind = crate::ast::Kind::Binary(crate::ops::Binary::And, Box::new(selector), mask);
            selector = Expr { ty, kind };
        }
        let mut free: Vec<u64> = (0..8).collect();
        // Negative labels of narrow types are where literals are easily misread.
        free.extend([ty.scalar.mask() >> 1, (ty.scalar.mask() >> 1) + 1]);
        let mut cases = Vec::new();
        for _ in 0..self.rng.between(1, 4) {
            let mut labels = Vec::new();
            for _ in 0..self.rng.between(1, 2) {
                let at = self.rng.below(free.len());
                labels.push(free.swap_remove(at));
            }
            let falls_through = self.rng.chance(25);
            let count = self.rng.below(4);
            let body = self.inside(level, |maker| maker.block(count));
            cases.push(Case {
                labels,
                body,
                falls_through,
            });
        }
        let count = self.rng.below(3);
        let default = self.inside(level, |maker| maker.block(count));
        out.push(Stmt::Switch(selector, cases, default));
    }

    fn repeat(&mut self, out: &mut Vec<Stmt>) {
        let level = self.pick_level();
        let mut mask = self.rng.pick(&[1, 3, 3, 7, 7, 15, 31]);
        while mask > 1 && self.weight * u64::from(mask) > 48 {
            mask /= 2;
        }
        let counter = self.counters;
        self.counters += 1;
        let bound = self.expr(Type::I32, self.near(), level);
        let form = self.rng.pick(&[Form::While, Form::While, Form::DoWhile]);
        let before = self.weight;
        self.weight *= u64::from(mask);
        self.loops.push(Loop {
            level,
            modes: self.modes.clone(),
            counter,
        });
        let count = self.rng.between(1, 5);
        let body = self.inside(level, |maker| maker.block(count));
        self.loops.pop();
        self.weight = before;
        out.push(Stmt::Loop {
            counter,
            form,
            bound,
            mask,
            body,
        });
    }

    /// A break, a continue or a return, under a condition.
    fn leave(&mut self, out: &mut Vec<Stmt>) {
        let here = self.level;
        let targets: Vec<usize> = (0..self.loops.len())
            .filter(|at| self.loops[*at].level <= here)
            .collect();
        let level = if self.rng.chance(50) {
            self.pick_level()
        } else {
            here
        };
        let targets: Vec<usize> = targets
            .into_iter()
            .filter(|at| self.loops[*at].level <= level)
            .collect();
        if !targets.is_empty() && self.rng.chance(80) {
            let target = self.rng.pick(&targets);
            let depth = self.loops.len() - 1 - target;
            let condition = self.expr(Type::BOOL, self.near(), level);
            let mut body = Vec::new();
            if self.loops[target].modes != self.modes {
                body.push(Stmt::Barrier(Scope::Group));
            }
            body.push(if self.rng.chance(55) {
                Stmt::Break(depth)
            } else {
                Stmt::Continue(depth)
            });
            out.push(Stmt::If(condition, body, Vec::new()));
        } else if (self.last || level >= self.top) && self.rng.chance(60) {
            let condition = self.expr(Type::BOOL, self.near(), level);
            let mut body = Vec::new();
            if self.is_kernel && self.shared.own.len() > 1 {
                self.store(&mut body);
            }
            let value = self
                .result
                .map(|ty| self.expr(ty, self.near(), Level::Item));
            body.push(Stmt::Return(value));
            out.push(Stmt::If(condition, body, Vec::new()));
        }
    }

    fn own_atomic(&mut self, out: &mut Vec<Stmt>) {
        let found: Vec<usize> = (0..self.shared.own.len())
            .filter(|a| matches!(self.shared.own[*a].elem, Type::I32 | Type::I64))
            .collect();
        if found.is_empty() {
            return;
        }
        let array = self.rng.pick(&found);
        let ty = self.shared.own[array].elem;
        let op = self.rng.pick(&[
            Atomic::Add,
            Atomic::Sub,
            Atomic::Inc,
            Atomic::Dec,
            Atomic::And,
            Atomic::Or,
            Atomic::Xor,
            Atomic::SMin,
            Atomic::SMax,
            Atomic::UMin,
            Atomic::UMax,
            Atomic::Exchange,
            Atomic::CompareExchange,
            Atomic::Load,
            Atomic::Store,
        ]);
        let var = self.variable(ty, Level::Item);
        let index = self.expr(Type::I32, 1, Level::Item);
        let value = self.expr(ty, self.near(), Level::Item);
        let comparator = if self.rng.chance(50) {
            // What is there, so that it is exchanged.
            let index = Box::new(index.clone());
            let kind = crate::ast::Kind::Own(array, index);
            Expr { ty, kind }
        } else {
            self.expr(ty, 2, Level::Item)
        };
        out.push(Stmt::OwnAtomic(var, array, op, index, value, comparator));
    }

    fn call(&mut self, out: &mut Vec<Stmt>) {
        let here = self.level.min(self.top);
        let possible: Vec<usize> = (0..self.callees.len())
            .filter(|at| {
                let callee = &self.callees[*at];
                let affordable = self.weight * callee.cost <= self.budget;
                let arrays = callee
                    .arrays
                    .iter()
                    .all(|wanted| self.arrays.iter().any(|a| a == wanted));
                callee.level <= here && affordable && arrays
            })
            .collect();
        if possible.is_empty() {
            return self.set(out);
        }
        let callee = self.callees[self.rng.pick(&possible)].clone();
        self.budget -= self.weight * callee.cost;
        let args = callee
            .params
            .iter()
            .map(|ty| self.expr(*ty, self.near(), Level::Item))
            .collect();
        let arrays = callee
            .arrays
            .iter()
            .filter_map(|wanted| self.arrays.iter().position(|a| a == wanted))
            .collect();
        let result = callee.result.map(|ty| self.variable(ty, Level::Item));
        out.push(Stmt::Call {
            result,
            callee: callee.number,
            args,
            arrays,
        });
    }

    /// Something with a local array, as its mode allows.
    fn local(&mut self, out: &mut Vec<Stmt>) {
        if self.modes.is_empty() {
            return self.set(out);
        }
        let array = self.rng.below(self.modes.len());
        let scalar = self.shared.local[array].0;
        let ty = Type::of(scalar);
        match self.modes[array] {
            Mode::Own => {
                let value = self.expr(ty, self.near(), Level::Item);
                out.push(Stmt::LocalOwn(array, value));
            }
            Mode::Read => {
                let index = self.expr(Type::I64, self.near(), Level::Item);
                let kind = crate::ast::Kind::Local(array, Box::new(index));
                let var = self.variable(ty, Level::Item);
                out.push(Stmt::Set(var, Expr { ty, kind }));
            }
            Mode::Atomic(family) => {
                let op = self.rng.pick(Atomic::FAMILIES[family]);
                let index = self.expr(Type::I32, self.near(), Level::Item);
                let value = self.expr(ty, self.near(), Level::Item);
                out.push(Stmt::LocalAtomic(array, op, index, value));
            }
        }
    }
}
