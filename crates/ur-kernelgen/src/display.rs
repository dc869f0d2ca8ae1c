//! Kernels as text, to read.

use crate::ast::{Case, Expr, Function, Kernel, Kind, Stmt, Type};
use std::fmt::{Display, Formatter, Result};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let scalar = format!("{:?}", self.scalar).to_lowercase();
        if self.is_vector() {
            write!(f, "{scalar}x{}", self.lanes)
        } else {
            write!(f, "{scalar}")
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            Kind::Const(bits) if bits.len() == 1 => write!(f, "{:#x}", bits[0]),
            Kind::Const(bits) => write!(f, "{bits:x?}"),
            Kind::Var(var) => write!(f, "v{var}"),
            Kind::Counter(counter) => write!(f, "i{counter}"),
            Kind::Param(param) => write!(f, "p{param}"),
            Kind::Member(member) => write!(f, "struct.m{member}"),
            Kind::Builtin(builtin) => write!(f, "{builtin:?}"),
            Kind::Unary(op, a) => write!(f, "{op:?}({a})"),
            Kind::Binary(op, a, b) => write!(f, "{op:?}({a}, {b})"),
            Kind::Ternary(op, o) => write!(f, "{op:?}({}, {}, {})", o[0], o[1], o[2]),
            Kind::Compare(op, a, b) => write!(f, "{op:?}<{}>({a}, {b})", a.ty),
            Kind::Test(op, a) => write!(f, "{op:?}<{}>({a})", a.ty),
            Kind::Cast(op, rounding, a) => {
                write!(f, "{op:?}.{rounding:?}<{} to {}>({a})", a.ty, self.ty)
            }
            Kind::Field(op, o) => {
                let [a, b, c, d] = &**o;
                write!(f, "Field{op:?}({a}, {b}, {c}, {d})")
            }
            Kind::Select(o) => write!(f, "select({}, {}, {})", o[0], o[1], o[2]),
            Kind::Cond(o) => write!(f, "({} ? {} : {})", o[0], o[1], o[2]),
            Kind::Reduce(all, a) => write!(f, "{}({a})", if *all { "all" } else { "any" }),
            Kind::Construct(parts) => {
                write!(f, "{}{{", self.ty)?;
                for part in parts {
                    write!(f, "{part}, ")?;
                }
                write!(f, "}}")
            }
            Kind::Extract(a, lane) => write!(f, "{a}.{lane}"),
            Kind::ExtractAt(a, place) => write!(f, "{a}.[{place}]"),
            Kind::InsertAt(o) => write!(f, "insert({}, {}, at {})", o[0], o[1], o[2]),
            Kind::Shuffle(a, b, places) => write!(f, "shuffle({a}, {b}, {places:?})"),
            Kind::Input(index) => write!(f, "input<{}>[{index}]", self.ty),
            Kind::Private(array, index) => write!(f, "private{array}[{index}]"),
            Kind::Own(array, index) => write!(f, "own{array}[{index}]"),
            Kind::Local(array, index) => write!(f, "local{array}[{index}]"),
            Kind::LocalOwn(array) => write!(f, "local{array}[self]"),
        }
    }
}

/// Writes statements, indented.
fn stmts(f: &mut Formatter<'_>, all: &[Stmt], depth: usize) -> Result {
    for stmt in all {
        write!(f, "{:1$}", "", 4 * depth)?;
        match stmt {
            Stmt::Set(var, value) => writeln!(f, "v{var} = {value}")?,
            Stmt::SetLane(var, place, value) => writeln!(f, "v{var}[{place}] = {value}")?,
            Stmt::Private(array, index, value) => {
                writeln!(f, "private{array}[{index}] = {value}")?;
            }
            Stmt::Own(array, index, value) => writeln!(f, "own{array}[{index}] = {value}")?,
            Stmt::LocalOwn(array, value) => writeln!(f, "local{array}[self] = {value}")?,
            Stmt::If(condition, then, otherwise) | Stmt::SubGroupIf(condition, then, otherwise) => {
                let sub = matches!(stmt, Stmt::SubGroupIf(..));
                writeln!(
                    f,
                    "{} {condition} {{",
                    if sub { "sub_group_if" } else { "if" }
                )?;
                stmts(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{:1$}}} else {{", "", 4 * depth)?;
                    stmts(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{:1$}}}", "", 4 * depth)?;
            }
            Stmt::Switch(selector, cases, default) => {
                writeln!(f, "switch<{}> {selector} {{", selector.ty)?;
                for Case {
                    labels,
                    body,
                    falls_through,
                } in cases
                {
                    writeln!(f, "{:1$}{labels:x?}:", "", 4 * depth)?;
                    stmts(f, body, depth + 1)?;
                    if *falls_through {
                        writeln!(f, "{:1$}falls through", "", 4 * depth + 4)?;
                    }
                }
                writeln!(f, "{:1$}default:", "", 4 * depth)?;
                stmts(f, default, depth + 1)?;
                writeln!(f, "{:1$}}}", "", 4 * depth)?;
            }
            Stmt::Loop {
                counter,
                form,
                bound,
                mask,
                body,
            } => {
                writeln!(f, "{form:?} i{counter} < ({bound}) & {mask} {{")?;
                stmts(f, body, depth + 1)?;
                writeln!(f, "{:1$}}}", "", 4 * depth)?;
            }
            Stmt::Break(n) => writeln!(f, "break {n}")?,
            Stmt::Continue(n) => writeln!(f, "continue {n}")?,
            Stmt::Return(None) => writeln!(f, "return")?,
            Stmt::Return(Some(value)) => writeln!(f, "return {value}")?,
            Stmt::Shared(wide, op, index, value) => {
                let bits = if *wide { 64 } else { 32 };
                writeln!(f, "shared{bits} {op:?} [{index}] {value}")?;
            }
            Stmt::LocalAtomic(array, op, index, value) => {
                writeln!(f, "local{array} {op:?} [{index}] {value}")?;
            }
            Stmt::OwnAtomic(var, array, op, index, value, comparator) => {
                writeln!(
                    f,
                    "v{var} = own{array} {op:?} [{index}] {value}, {comparator}"
                )?;
            }
            Stmt::Barrier(scope) => writeln!(f, "barrier {scope:?}")?,
            Stmt::Group(var, op, scope, value, index) => {
                write!(f, "v{var} = {scope:?} {op:?} {value}")?;
                match index {
                    Some(index) => writeln!(f, ", {index}")?,
                    None => writeln!(f)?,
                }
            }
            Stmt::Call {
                result,
                callee,
                args,
                arrays,
            } => {
                if let Some(var) = result {
                    write!(f, "v{var} = ")?;
                }
                write!(f, "f{callee}(")?;
                for arg in args {
                    write!(f, "{arg}, ")?;
                }
                writeln!(f, "arrays {arrays:?})")?;
            }
        }
    }
    Ok(())
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let types = |types: &[Type]| {
            let texts: Vec<String> = types.iter().map(Type::to_string).collect();
            texts.join(", ")
        };
        write!(f, "params ({})", types(&self.params))?;
        if let Some(ty) = self.result {
            write!(f, " result {ty}")?;
        }
        writeln!(f, " vars ({}) level {:?}", types(&self.vars), self.level)?;
        for (number, array) in self.arrays.iter().enumerate() {
            let from = if number < self.array_params {
                "a parameter".to_owned()
            } else {
                format!("{:x?}", array.init)
            };
            writeln!(
                f,
                "  private{number}: {} of {}, {from}",
                array.len, array.elem
            )?;
        }
        stmts(f, &self.body, 1)
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (number, member) in self.members.iter().enumerate() {
            writeln!(f, "struct.m{number}: {member}")?;
        }
        for (number, array) in self.own.iter().enumerate() {
            writeln!(f, "own{number}: {} of {}", array.len, array.elem)?;
        }
        for (number, (scalar, argument)) in self.local.iter().enumerate() {
            let kind = if *argument { "argument" } else { "variable" };
            writeln!(f, "local{number}: {}, {kind}", Type::of(*scalar))?;
        }
        for (number, function) in self.functions.iter().enumerate() {
            write!(f, "f{number}: {function}")?;
        }
        Ok(())
    }
}
