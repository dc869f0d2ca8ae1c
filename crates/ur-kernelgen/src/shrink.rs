//! Makes a failing case small.

use crate::ast::{Expr, Kernel, Kind, Stmt};
use crate::r#gen::Case;
use std::time::Instant;

/// The smallest case found by `deadline` for which `fails` still holds.
pub fn shrink(case: &Case, deadline: Instant, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut attempt = |best: &mut Case, candidate: Case| {
        let better = candidate != *best && Instant::now() < deadline && fails(&candidate);
        if better {
            *best = candidate;
        }
        better
    };
    loop {
        let before = best.clone();
        settings(&mut best, &mut attempt);
        statements(&mut best, &mut attempt);
        unwrapping(&mut best, &mut attempt);
        expressions(&mut best, &mut attempt);
        sizes(&mut best, &mut attempt);
        if best == before || Instant::now() >= deadline {
            return best;
        }
    }
}

type Attempt<'a> = dyn FnMut(&mut Case, Case) -> bool + 'a;

/// One launch, the plainest way to compile.
fn settings(best: &mut Case, attempt: &mut Attempt<'_>) {
    for keep in 0..best.launches.len() {
        let mut candidate = best.clone();
        candidate.launches = vec![best.launches[keep].clone()];
        if attempt(best, candidate) {
            break;
        }
    }
    let mut candidate = best.clone();
    candidate.variant.cpu = None;
    attempt(best, candidate);
    for unoptimised in [true, false] {
        let mut candidate = best.clone();
        candidate.variant.unoptimised = unoptimised;
        if attempt(best, candidate) {
            break;
        }
    }
    for lanes in ["1", "0"] {
        let mut candidate = best.clone();
        candidate.variant.lanes = lanes;
        if attempt(best, candidate) {
            break;
        }
    }
    let mut candidate = best.clone();
    candidate.kernel.minor = 3;
    attempt(best, candidate);
}

/// Fewer work-items.
fn sizes(best: &mut Case, attempt: &mut Attempt<'_>) {
    for launch in 0..best.launches.len() {
        for dim in 0..3 {
            for divide in [1000, 16, 4, 2] {
                let mut candidate = best.clone();
                let changed = &mut candidate.launches[launch];
                changed.local[dim] = (changed.local[dim] / divide).max(1);
                changed.global[dim] = (changed.global[dim] / divide).max(1);
                let groups = changed.group_counts().iter().product();
                changed.ranges = vec![(0, groups)];
                if groups < 1000 {
                    attempt(best, candidate);
                }
            }
            let mut candidate = best.clone();
            let changed = &mut candidate.launches[launch];
            changed.global[dim] = changed.local[dim].min(changed.global[dim]);
            changed.offset[dim] = 0;
            let groups = changed.group_counts().iter().product();
            changed.ranges = vec![(0, groups)];
            if groups < 1000 {
                attempt(best, candidate);
            }
        }
    }
}

/// Without some statements.
fn statements(best: &mut Case, attempt: &mut Attempt<'_>) {
    let mut chunk = 16;
    while chunk > 0 {
        let mut at = 0;
        while at < count_stmts(&best.kernel) {
            let mut candidate = best.clone();
            remove(&mut candidate.kernel, at, chunk);
            if !attempt(best, candidate) {
                at += chunk;
            }
        }
        chunk /= 2;
    }
}

/// What a statement holds instead of the statement.
fn unwrapping(best: &mut Case, attempt: &mut Attempt<'_>) {
    let mut at = 0;
    while at < count_stmts(&best.kernel) {
        for way in 0..2 {
            let mut candidate = best.clone();
            let mut number = 0;
            for function in &mut candidate.kernel.functions {
                unwrap(&mut function.body, at, way, &mut number);
            }
            if attempt(best, candidate) {
                break;
            }
        }
        at += 1;
    }
}

/// Simpler expressions.
fn expressions(best: &mut Case, attempt: &mut Attempt<'_>) {
    let mut at = 0;
    loop {
        let count = count_exprs(&best.kernel);
        if at >= count {
            return;
        }
        for way in 0..6 {
            let mut candidate = best.clone();
            let mut number = 0;
            exprs(&mut candidate.kernel, &mut |e| {
                if number == at {
                    simplify(e, way);
                }
                number += 1;
            });
            if attempt(best, candidate) {
                break;
            }
        }
        at += 1;
    }
}

/// Makes an expression simpler, one of several ways.
fn simplify(e: &mut Expr, way: usize) {
    let lanes = e.ty.lanes as usize;
    match way {
        0 | 1 if matches!(e.kind, Kind::Const(_)) && way == 1 => {}
        0 => e.kind = Kind::Const(vec![0; lanes]),
        1 => e.kind = Kind::Const(vec![1; lanes]),
        _ => {
            let mut found = None;
            let mut number = 2;
            let ty = e.ty;
            children(e, &mut |child| {
                if child.ty == ty {
                    if number == way {
                        found = Some(child.clone());
                    }
                    number += 1;
                }
            });
            if let Some(found) = found {
                *e = found;
            }
        }
    }
}

/// Calls `visit` with the operands of an expression.
fn children(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        Kind::Const(_)
        | Kind::Var(_)
        | Kind::Counter(_)
        | Kind::Param(_)
        | Kind::Member(_)
        | Kind::Builtin(_)
        | Kind::LocalOwn(_) => {}
        Kind::Unary(_, a)
        | Kind::Test(_, a)
        | Kind::Cast(_, _, a)
        | Kind::Reduce(_, a)
        | Kind::Extract(a, _)
        | Kind::Input(a)
        | Kind::Private(_, a)
        | Kind::Own(_, a)
        | Kind::Local(_, a) => visit(a),
        Kind::Binary(_, a, b)
        | Kind::Compare(_, a, b)
        | Kind::ExtractAt(a, b)
        | Kind::Shuffle(a, b, _) => {
            visit(a);
            visit(b);
        }
        Kind::Ternary(_, operands)
        | Kind::Select(operands)
        | Kind::Cond(operands)
        | Kind::InsertAt(operands) => operands.iter_mut().for_each(visit),
        Kind::Field(_, operands) => operands.iter_mut().for_each(visit),
        Kind::Construct(parts) => parts.iter_mut().for_each(visit),
    }
}

/// Calls `visit` with every expression, outer ones first.
fn exprs(kernel: &mut Kernel, visit: &mut dyn FnMut(&mut Expr)) {
    fn deep(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
        visit(e);
        children(e, &mut |child| deep(child, visit));
    }
    fn all(stmts: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
        for stmt in stmts {
            match stmt {
                Stmt::Set(_, a) | Stmt::LocalOwn(_, a) => deep(a, visit),
                Stmt::SetLane(_, a, b)
                | Stmt::Private(_, a, b)
                | Stmt::Own(_, a, b)
                | Stmt::Shared(_, _, a, b)
                | Stmt::LocalAtomic(_, _, a, b) => {
                    deep(a, visit);
                    deep(b, visit);
                }
                Stmt::OwnAtomic(_, _, _, a, b, c) => {
                    deep(a, visit);
                    deep(b, visit);
                    deep(c, visit);
                }
                Stmt::If(a, ..) | Stmt::SubGroupIf(a, ..) | Stmt::Switch(a, ..) => deep(a, visit),
                Stmt::Loop { bound, .. } => deep(bound, visit),
                Stmt::Return(Some(a)) => deep(a, visit),
                Stmt::Group(_, _, _, a, b) => {
                    deep(a, visit);
                    if let Some(b) = b {
                        deep(b, visit);
                    }
                }
                Stmt::Call { args, .. } => args.iter_mut().for_each(|a| deep(a, visit)),
                Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(None) | Stmt::Barrier(_) => {}
            }
            for body in bodies(stmt) {
                all(body, visit);
            }
        }
    }
    for function in &mut kernel.functions {
        all(&mut function.body, visit);
    }
}

fn count_exprs(kernel: &Kernel) -> usize {
    let mut count = 0;
    exprs(&mut kernel.clone(), &mut |_| count += 1);
    count
}

/// The statements inside a statement.
fn bodies(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match stmt {
        Stmt::If(_, a, b) | Stmt::SubGroupIf(_, a, b) => vec![a, b],
        Stmt::Switch(_, cases, default) => cases
            .iter_mut()
            .map(|case| &mut case.body)
            .chain([default])
            .collect(),
        Stmt::Loop { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

fn count_stmts(kernel: &Kernel) -> usize {
    fn count(stmts: &mut [Stmt]) -> usize {
        let inside = |stmt| {
            bodies(stmt)
                .into_iter()
                .map(|body| count(body))
                .sum::<usize>()
        };
        stmts.iter_mut().map(|stmt| 1 + inside(stmt)).sum()
    }
    let mut kernel = kernel.clone();
    let functions = kernel.functions.iter_mut();
    functions.map(|function| count(&mut function.body)).sum()
}

/// Removes the statements numbered `from .. from + count`, and what is inside.
fn remove(kernel: &mut Kernel, from: usize, count: usize) {
    fn filter(stmts: &mut Vec<Stmt>, from: usize, count: usize, number: &mut usize) {
        stmts.retain_mut(|stmt| {
            let keep = !(from..from + count).contains(number);
            *number += 1;
            for body in bodies(stmt) {
                filter(body, from, count, number);
            }
            keep
        });
    }
    let mut number = 0;
    for function in &mut kernel.functions {
        filter(&mut function.body, from, count, &mut number);
    }
}

/// Puts one of the bodies of statement `at` in its place. Loops are taken out only if nothing in
/// them leaves a loop.
fn unwrap(stmts: &mut Vec<Stmt>, at: usize, way: usize, number: &mut usize) {
    let mut place = 0;
    while place < stmts.len() {
        let here = *number == at;
        *number += 1;
        if here {
            let is_loop = matches!(stmts[place], Stmt::Loop { .. });
            let taken = bodies(&mut stmts[place])
                .into_iter()
                .nth(way)
                .map(|body| (*body).clone());
            if let Some(taken) = taken {
                let mut whole = taken.clone();
                if !(is_loop && leaves(&mut whole)) {
                    let count = taken.len();
                    stmts.splice(place..=place, taken);
                    place += count;
                    continue;
                }
            }
        } else {
            for body in bodies(&mut stmts[place]) {
                unwrap(body, at, way, number);
            }
        }
        place += 1;
    }
}

/// Whether a break or continue is among the statements.
fn leaves(stmts: &mut [Stmt]) -> bool {
    stmts.iter_mut().any(|stmt| {
        matches!(stmt, Stmt::Break(_) | Stmt::Continue(_))
            || bodies(stmt).into_iter().any(|body| leaves(body))
    })
}
