//! Programs whose results were worked out by hand.

use super::{Stop, run};
use crate::ast::{
    Array, Builtin, Expr, Form, Function, Kernel, Kind, Level, Scalar, Scope, Stmt, Type,
};
use crate::r#gen::Case;
use crate::launch::{Launch, Memory, read};
use crate::ops::{Binary, Compare};

fn expr(ty: Type, kind: Kind) -> Expr {
    Expr { ty, kind }
}

fn int(value: u64) -> Expr {
    expr(Type::I64, Kind::Const(vec![value]))
}

fn var(number: usize) -> Expr {
    expr(Type::I64, Kind::Var(number))
}

fn item() -> Expr {
    expr(Type::I64, Kind::Builtin(Builtin::LocalLinearId))
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    expr(a.ty, Kind::Binary(op, Box::new(a), Box::new(b)))
}

fn equal(a: Expr, b: Expr) -> Expr {
    expr(
        Type::BOOL,
        Kind::Compare(Compare::IEq, Box::new(a), Box::new(b)),
    )
}

fn add(to: usize, value: Expr) -> Stmt {
    Stmt::Set(to, binary(Binary::Add, var(to), value))
}

/// Runs statements for one group and gives what each work-item leaves in variable 0.
fn results(mut body: Vec<Stmt>, items: u64) -> Result<Vec<u64>, Stop> {
    body.push(Stmt::Own(0, int(0), var(0)));
    let kernel = Kernel {
        functions: vec![Function {
            params: Vec::new(),
            array_params: 0,
            result: None,
            vars: vec![Type::I64, Type::I64],
            arrays: Vec::new(),
            counters: 2,
            level: Level::Group,
            body,
        }],
        members: Vec::new(),
        own: vec![Array {
            elem: Type::I64,
            len: 1,
            init: Vec::new(),
        }],
        local: vec![(Scalar::I64, false)],
        minor: 3,
    };
    let launch = Launch {
        dims: 1,
        global: [items, 1, 1],
        offset: [0; 3],
        local: [items, 1, 1],
        ranges: vec![(0, 1)],
        values: Vec::new(),
        seed: 1,
    };
    let case = Case {
        kernel,
        variant: crate::r#gen::Variant {
            sub_group_size: 4,
            cpu: None,
            unoptimised: false,
            lanes: "0",
        },
        launches: vec![launch],
    };
    let mut memory = Memory::new(&case.kernel, &case.launches[0]);
    run(&case.kernel, &case.launches[0], &mut memory, 4, 100_000)?;
    Ok((0..items as usize)
        .map(|at| read(&memory.own[0], 8 * at, Type::I64)[0])
        .collect())
}

fn repeat(counter: usize, bound: Expr, body: Vec<Stmt>) -> Stmt {
    let word = expr(
        Type::I32,
        Kind::Cast(
            crate::ops::Cast::UConvert,
            crate::ops::Rounding::Default,
            Box::new(bound),
        ),
    );
    Stmt::Loop {
        counter,
        form: Form::While,
        bound: word,
        mask: 15,
        body,
    }
}

#[test]
fn loops_are_left_at_different_times() {
    // for i in 0..4 { for j in 0..item { if j == 2 { continue outer } ; v0 += 1 } ; v0 += 10 }
    let counter = expr(Type::I32, Kind::Counter(1));
    let two = expr(Type::I32, Kind::Const(vec![2]));
    let leave = Stmt::If(equal(counter, two), vec![Stmt::Continue(1)], Vec::new());
    let inner = repeat(1, item(), vec![leave, add(0, int(1))]);
    let outer = repeat(0, int(4), vec![inner, add(0, int(10))]);
    assert_eq!(results(vec![outer], 5), Ok(vec![40, 44, 48, 8, 8]));
}

#[test]
fn cells_are_exchanged_around_barriers() {
    let next = binary(Binary::Add, item(), int(1));
    let read = expr(Type::I64, Kind::Local(0, Box::new(next)));
    let write = Stmt::LocalOwn(0, binary(Binary::Mul, item(), int(7)));
    let body = vec![
        write.clone(),
        Stmt::Barrier(Scope::Group),
        Stmt::Set(0, read.clone()),
    ];
    assert_eq!(results(body, 4), Ok(vec![7, 14, 21, 0]));
    let racing = results(vec![write, Stmt::Set(0, read)], 4);
    assert!(matches!(racing, Err(Stop::Invalid(_))), "{racing:?}");
}

#[test]
fn barriers_that_some_miss_are_refused() {
    let some = equal(item(), int(1));
    let body = vec![Stmt::If(
        some,
        vec![Stmt::Barrier(Scope::Group)],
        Vec::new(),
    )];
    assert!(matches!(results(body, 2), Err(Stop::Invalid(_))));
}
