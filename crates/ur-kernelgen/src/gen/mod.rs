//! Makes kernels and launches out of random numbers.

mod expr;
mod launch;
mod stmt;
mod sync;

use crate::ast::{Array, Atomic, Expr, Function, Kernel, Kind, Level, Scalar, Stmt, Type};
use crate::launch::Launch;
use crate::rng::Rng;

/// How large kernels become.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Statements of a kernel's body, before nesting.
    pub statements: usize,
    /// Depth of expressions.
    pub depth: usize,
    /// Statements that a work-item may carry out, loops counted at their limit.
    pub cost: u64,
    /// Statements of a function, nested ones counted, before it gives values to its variables and
    /// shows them. Compilation takes most of the time, and long kernels most of that.
    pub total: usize,
    /// Of a hundred kernels, how many are compiled without optimisation, which takes less time.
    pub unoptimised: usize,
}

impl Default for Size {
    fn default() -> Size {
        Size {
            statements: 14,
            depth: 4,
            cost: 600,
            total: usize::MAX,
            unoptimised: 10,
        }
    }
}

/// How a kernel is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Sub-group size, 0 for the compiler's choice.
    pub sub_group_size: u32,
    /// The CPU, none for the host.
    pub cpu: Option<&'static str>,
    /// Whether optimisation is off.
    pub unoptimised: bool,
    /// Lanes of vectors, as the build option `-ur-lanes` calls them.
    pub lanes: &'static str,
}

/// A kernel, how to compile it and what to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The kernel.
    pub kernel: Kernel,
    /// How it is compiled.
    pub variant: Variant,
    /// What is run.
    pub launches: Vec<Launch>,
}

impl Size {
    /// A size up to this one: compilation takes most of the time, so that small ones are common.
    fn vary(self, rng: &mut Rng) -> Size {
        let (part, shallower) = match rng.below(10) {
            0..6 => (4, 2),
            6..9 => (2, 1),
            _ => (1, 0),
        };
        Size {
            statements: (self.statements / part).max(2),
            depth: self.depth.saturating_sub(shallower).max(1),
            ..self
        }
    }
}

/// The case of a seed, at most of that size.
pub fn case(seed: u64, size: Size) -> Case {
    let mut rng = Rng::new(seed);
    let size = size.vary(&mut rng);
    let variant = Variant {
        sub_group_size: rng.pick(&[0, 1, 4, 8, 16, 32, 64]),
        cpu: rng.pick(&[None, None, Some("x86-64"), Some("x86-64-v3")]),
        unoptimised: rng.chance(size.unoptimised),
        // Apart from the other choices, which stay what they are for a seed.
        lanes: Rng::new(!seed).pick(&["tiered", "0", "0", "1", "2", "4", "8", "16", "32", "64"]),
    };
    let huge = rng.chance(8);
    let kernel = kernel(&mut rng, size, &variant, huge);
    let launches = launch::launches(&mut rng, &kernel, huge);
    Case {
        kernel,
        variant,
        launches,
    }
}

/// What may be done with a local array until the next barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Each work-item reads and writes its own cell.
    Own,
    /// All read all cells.
    Read,
    /// Atomic operations of that family on all cells.
    Atomic(usize),
}

/// A loop around the place that is written.
#[derive(Clone)]
struct Loop {
    level: Level,
    modes: Vec<Mode>,
    counter: usize,
}

/// What others see of a function.
#[derive(Clone)]
struct Signature {
    number: usize,
    level: Level,
    params: Vec<Type>,
    arrays: Vec<Array>,
    result: Option<Type>,
    /// What a call costs.
    cost: u64,
}

/// What all functions of a kernel share.
struct Shared {
    members: Vec<Type>,
    own: Vec<Array>,
    local: Vec<(Scalar, bool)>,
    minor: u8,
    width: u32,
    huge: bool,
    size: Size,
    shapes: [Array; 2],
}

/// A function while it is made.
struct Maker<'r> {
    rng: &'r mut Rng,
    shared: &'r Shared,
    callees: Vec<Signature>,
    is_kernel: bool,
    /// Highest level of synchronisation in it.
    top: Level,
    params: Vec<Type>,
    result: Option<Type>,
    vars: Vec<(Type, Level)>,
    arrays: Vec<Array>,
    counters: usize,
    loops: Vec<Loop>,
    /// Among whom the flow of control is the same here.
    level: Level,
    /// Whether nothing synchronises behind this place.
    last: bool,
    modes: Vec<Mode>,
    /// What may still be spent, and what a statement costs here.
    budget: u64,
    weight: u64,
    /// Statements that may still be made.
    room: usize,
}

fn kernel(rng: &mut Rng, size: Size, variant: &Variant, huge: bool) -> Kernel {
    let types = |rng: &mut Rng, most: usize| -> Vec<Type> {
        let count = rng.below(most + 1);
        (0..count).map(|_| memory_type(rng)).collect()
    };
    let mut own = Vec::new();
    if !huge {
        own.push(Array {
            elem: Type::I64,
            len: 32,
            init: Vec::new(),
        });
        for _ in 0..rng.below(3) {
            let lanes = rng.pick(&[1, 1, 1, 2, 4]);
            own.push(Array {
                elem: Type::vector(rng.pick(&Scalar::INTS), lanes),
                len: rng.pick(&[1, 2, 4]),
                init: Vec::new(),
            });
        }
    }
    let sync = rng.pick(&[Level::Item, Level::SubGroup, Level::Group, Level::Group]);
    let local = if sync == Level::Group {
        let count = rng.below(3);
        (0..count)
            .map(|_| (rng.pick(&Scalar::MEMORY), rng.chance(50)))
            .collect()
    } else {
        Vec::new()
    };
    let shapes = [(); 2].map(|()| {
        let elem = memory_type(rng);
        let len = rng.pick(&[2, 4, 8]);
        let init = (0..len * elem.lanes as usize)
            .map(|_| bits(rng, elem.scalar))
            .collect();
        Array { elem, len, init }
    });
    let shared = Shared {
        members: types(rng, 4),
        own,
        local,
        minor: rng.between(3, 6) as u8,
        width: variant.sub_group_size,
        huge,
        size,
        shapes,
    };
    let helpers = rng.below(4).min(size.total / 8);
    let mut functions = Vec::new();
    let mut callees = Vec::new();
    for number in (0..=helpers).rev() {
        let level = match number {
            0 => sync,
            _ => rng
                .pick(&[Level::Item, Level::SubGroup, Level::Group])
                .min(sync),
        };
        let maker = Maker::new(rng, &shared, callees.clone(), number == 0, level);
        if number > 0 {
            let array_params = maker.rng.below(2);
            let result = maker.rng.chance(80).then(|| memory_type(maker.rng));
            let (function, cost) = maker.helper(array_params, result);
            callees.push(Signature {
                number,
                level,
                params: function.params.clone(),
                arrays: function.arrays[..array_params].to_vec(),
                result,
                cost,
            });
            functions.push(function);
        } else {
            functions.push(maker.kernel());
        }
    }
    functions.reverse();
    Kernel {
        functions,
        members: shared.members,
        own: shared.own,
        local: shared.local,
        minor: shared.minor,
    }
}

/// A type that can be in memory.
fn memory_type(rng: &mut Rng) -> Type {
    let scalar = rng.pick(&[
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I32,
        Scalar::I64,
        Scalar::F32,
        Scalar::F64,
    ]);
    Type::vector(scalar, lanes(rng))
}

fn lanes(rng: &mut Rng) -> u8 {
    if rng.chance(75) {
        1
    } else {
        rng.pick(&[2, 2, 3, 4, 4, 8, 16])
    }
}

/// Bits of a value.
fn bits(rng: &mut Rng, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F32 => rng.f32(),
        Scalar::F64 => rng.f64(),
        other => rng.int(other.bits()),
    }
}

impl<'r> Maker<'r> {
    fn new(
        rng: &'r mut Rng,
        shared: &'r Shared,
        callees: Vec<Signature>,
        is_kernel: bool,
        level: Level,
    ) -> Maker<'r> {
        let count = rng.below(4);
        let params = (0..count).map(|_| memory_type(rng)).collect();
        let modes = if is_kernel {
            // Not to be read before they are written.
            vec![Mode::Atomic(0); shared.local.len()]
        } else {
            Vec::new()
        };
        Maker {
            rng,
            shared,
            callees,
            is_kernel,
            top: level,
            params,
            result: None,
            vars: Vec::new(),
            arrays: Vec::new(),
            counters: 0,
            loops: Vec::new(),
            level,
            last: level == Level::Item,
            modes,
            budget: shared.size.cost,
            weight: 1,
            room: shared.size.total,
        }
    }

    /// A function that others call, and what a call costs.
    fn helper(mut self, array_params: usize, result: Option<Type>) -> (Function, u64) {
        self.result = result;
        self.budget /= 8;
        self.room = self.room.div_ceil(4);
        for _ in 0..array_params {
            let shape = self.rng.pick(&[0, 1]);
            self.arrays.push(self.shared.shapes[shape].clone());
        }
        let whole = self.budget;
        let mut body = self.start();
        let count = self.rng.between(1, self.shared.size.statements / 2);
        self.stmts(count, &mut body);
        self.last = true;
        let ended = matches!(body.last(), Some(Stmt::Return(_)));
        if let (Some(ty), false) = (result, ended) {
            let depth = self.shared.size.depth;
            let value = self.expr(ty, depth, Level::Item);
            body.push(Stmt::Return(Some(value)));
        }
        let cost = (whole - self.budget).max(1);
        (self.function(array_params, body), cost)
    }

    fn kernel(mut self) -> Function {
        let mut body = self.start();
        for array in 0..self.shared.local.len() {
            let ty = Type::of(self.shared.local[array].0);
            let value = self.expr(ty, 2, Level::Item);
            body.push(Stmt::LocalOwn(array, value));
            self.modes[array] = Mode::Own;
        }
        let statements = self.shared.size.statements;
        if self.top > Level::Item {
            let count = self.rng.between(2, statements);
            self.stmts(count, &mut body);
        }
        if !self.modes.is_empty() {
            body.push(Stmt::Barrier(crate::ast::Scope::Group));
            self.modes.fill(Mode::Read);
        }
        self.last = true;
        self.level = Level::Item;
        let count = self.rng.below(statements) + 1;
        self.stmts(count, &mut body);
        self.outputs(&mut body);
        self.function(0, body)
    }

    /// Makes variables and gives them values.
    fn start(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        let count = if self.is_kernel {
            self.rng.between(3, 8)
        } else {
            self.rng.between(1, 3)
        };
        for _ in 0..count {
            let ty = memory_type(self.rng);
            self.vars.push((ty, Level::Item));
        }
        for level in [Level::SubGroup, Level::Group] {
            if level <= self.top {
                let ty = Type::of(self.rng.pick(&[Scalar::I32, Scalar::I64]));
                self.vars.push((ty, level));
            }
        }
        for _ in 0..self.rng.below(3) {
            let shape = self.rng.pick(&[0, 1]);
            self.arrays.push(self.shared.shapes[shape].clone());
        }
        for var in 0..self.vars.len() {
            let (ty, level) = self.vars[var];
            let value = self.expr(ty, 2, level);
            body.push(Stmt::Set(var, value));
        }
        body
    }

    fn function(self, array_params: usize, body: Vec<Stmt>) -> Function {
        Function {
            params: self.params,
            array_params,
            result: self.result,
            vars: self.vars.iter().map(|(ty, _)| *ty).collect(),
            arrays: self.arrays,
            counters: self.counters,
            level: self.top,
            body,
        }
    }

    /// Makes what the kernel computed show in memory.
    fn outputs(&mut self, body: &mut Vec<Stmt>) {
        let mut values = Vec::new();
        for var in 0..self.vars.len() {
            let ty = self.vars[var].0;
            values.push(Expr {
                ty,
                kind: Kind::Var(var),
            });
        }
        for array in 0..self.arrays.len() {
            let ty = self.arrays[array].elem;
            let index = self.expr(Type::I32, 1, Level::Item);
            let kind = Kind::Private(array, Box::new(index));
            values.push(Expr { ty, kind });
        }
        for array in 0..self.modes.len() {
            let ty = Type::of(self.shared.local[array].0);
            let kind = Kind::LocalOwn(array);
            values.push(Expr { ty, kind });
        }
        for (slot, value) in values.into_iter().enumerate() {
            let value = expr::digest(value);
            if self.shared.huge {
                let op = self.rng.pick(&[Atomic::Add, Atomic::Xor, Atomic::UMax]);
                let index = expr::int(Type::I32, slot as u64);
                body.push(Stmt::Shared(true, op, index, value));
            } else {
                body.push(Stmt::Own(0, expr::int(Type::I32, slot as u64), value));
            }
        }
    }
}
