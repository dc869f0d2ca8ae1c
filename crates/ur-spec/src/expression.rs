//! The C expressions of `spec/`: read, computed and put into Rust.
//!
//! Every value is a `u64`; a pointer counts as its address. Sums and products saturate, and a
//! remainder by zero is zero, here as in the rendered code: sizes that do not fit are too large.

use crate::ctype::CType;
use crate::model::Spec;
use crate::names::ident;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number; `NULL` is 0.
    Number(u64),
    /// A parameter, a member (`a->b`, `a.b`) or an element (`a[1]`).
    Place(Place),
    /// A constant of the API.
    Constant(String),
    /// Two operands.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `condition ? yes : no`.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Something that has a value in a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The parameter.
    pub param: String,
    /// What is taken of it.
    pub part: Part,
}

/// A part of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The parameter itself.
    Whole,
    /// A member of the struct that it is.
    Member(String),
    /// A member of the struct that it points to.
    Pointee(String),
    /// An element of the array that it points to.
    Element(usize),
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Op {
    Or,
    And,
    BitOr,
    BitAnd,
    Equal,
    Unequal,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Remainder,
}

/// Operators by how strongly they bind, the weakest first.
const OPERATORS: &[(&str, Op, u32)] = &[
    ("||", Op::Or, 1),
    ("&&", Op::And, 2),
    ("==", Op::Equal, 5),
    ("!=", Op::Unequal, 5),
    ("<=", Op::LessEqual, 6),
    (">=", Op::GreaterEqual, 6),
    ("|", Op::BitOr, 3),
    ("&", Op::BitAnd, 4),
    ("<", Op::Less, 6),
    (">", Op::Greater, 6),
    ("+", Op::Add, 7),
    ("-", Op::Subtract, 7),
    ("*", Op::Multiply, 8),
    ("%", Op::Remainder, 8),
];

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// A sentence that names what could not be read.
    pub fn parse(text: &str) -> Result<Expr, String> {
        let mut reader = Reader { rest: text.trim() };
        let expr = reader.choice()?;
        if reader.rest.is_empty() {
            Ok(expr)
        } else {
            Err(format!("cannot read '{}' of '{text}'", reader.rest))
        }
    }

    /// Every place in it, in the order of first mention.
    pub fn places(&self) -> Vec<&Place> {
        let mut out = Vec::new();
        self.visit(&mut |expr| {
            if let Expr::Place(place) = expr
                && !out.contains(&place)
            {
                out.push(place);
            }
        });
        out
    }

    /// Every constant's name in it.
    pub fn constants(&self) -> Vec<&str> {
        let mut out = Vec::new();
        self.visit(&mut |expr| {
            if let Expr::Constant(name) = expr {
                out.push(name.as_str());
            }
        });
        out
    }

    /// Every number in it.
    pub fn numbers(&self) -> Vec<u64> {
        let mut out = Vec::new();
        self.visit(&mut |expr| {
            if let Expr::Number(number) = expr {
                out.push(*number);
            }
        });
        out
    }

    fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Expr)) {
        see(self);
        match self {
            Expr::Number(_) | Expr::Place(_) | Expr::Constant(_) => {}
            Expr::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
            Expr::Choice(condition, yes, no) => {
                condition.visit(see);
                yes.visit(see);
                no.visit(see);
            }
        }
    }

    /// Its value, given those of constants and places.
    pub fn value(&self, named: &impl Fn(&str) -> u64, of: &impl Fn(&Place) -> u64) -> u64 {
        match self {
            Expr::Number(number) => *number,
            Expr::Place(place) => of(place),
            Expr::Constant(name) => named(name),
            Expr::Choice(condition, yes, no) => {
                if condition.value(named, of) != 0 {
                    yes.value(named, of)
                } else {
                    no.value(named, of)
                }
            }
            Expr::Binary(op, left, right) => {
                let a = left.value(named, of);
                // As in C: what decides on the left leaves the right alone.
                match (op, a) {
                    (Op::Or, 1..) => return 1,
                    (Op::And, 0) => return 0,
                    _ => {}
                }
                let b = right.value(named, of);
                match op {
                    Op::Or | Op::And => u64::from(b != 0),
                    Op::BitOr => a | b,
                    Op::BitAnd => a & b,
                    Op::Equal => u64::from(a == b),
                    Op::Unequal => u64::from(a != b),
                    Op::Less => u64::from(a < b),
                    Op::Greater => u64::from(a > b),
                    Op::LessEqual => u64::from(a <= b),
                    Op::GreaterEqual => u64::from(a >= b),
                    Op::Add => a.saturating_add(b),
                    Op::Subtract => a.wrapping_sub(b),
                    Op::Multiply => a.saturating_mul(b),
                    Op::Remainder => a.checked_rem(b).unwrap_or_default(),
                }
            }
        }
    }

    /// A Rust expression of the type `bool`, inside an unsafe block; `types` gives the C type of
    /// each parameter.
    pub fn condition(&self, spec: &Spec, types: &impl Fn(&str) -> String) -> String {
        let number = |e: &Expr| e.number(spec, types);
        match self {
            Expr::Binary(Op::Or, a, b) => format!(
                "{} || {}",
                a.condition(spec, types),
                b.condition(spec, types)
            ),
            Expr::Binary(Op::And, a, b) => {
                let side = |e: &Expr| match e {
                    Expr::Binary(Op::Or, ..) => format!("({})", e.condition(spec, types)),
                    _ => e.condition(spec, types),
                };
                format!("{} && {}", side(a), side(b))
            }
            Expr::Binary(op @ (Op::Equal | Op::Unequal), a, b) => {
                let not = if *op == Op::Equal { "" } else { "!" };
                for (pointer, zero) in [(a, b), (b, a)] {
                    if **zero == Expr::Number(0) && pointer.is_pointer(spec, types) {
                        return format!("{not}{}.is_null()", pointer.raw());
                    }
                }
                let sign = if *op == Op::Equal { "==" } else { "!=" };
                format!("{} {sign} {}", number(a), number(b))
            }
            Expr::Binary(Op::Less, a, b) => format!("{} < {}", number(a), number(b)),
            Expr::Binary(Op::Greater, a, b) => format!("{} > {}", number(a), number(b)),
            Expr::Binary(Op::LessEqual, a, b) => format!("{} <= {}", number(a), number(b)),
            Expr::Binary(Op::GreaterEqual, a, b) => format!("{} >= {}", number(a), number(b)),
            _ if self.is_pointer(spec, types) => format!("!{}.is_null()", self.raw()),
            _ => format!("{} != 0", number(self)),
        }
    }

    /// A Rust expression of the type `u64`, inside an unsafe block.
    pub fn number(&self, spec: &Spec, types: &impl Fn(&str) -> String) -> String {
        let number = |e: &Expr| e.number(spec, types);
        match self {
            Expr::Number(value) => format!("{value}"),
            Expr::Constant(name) if name.ends_with("_MASK") => format!("u64::from({name})"),
            Expr::Constant(name) => format!("u64::from({name}.0)"),
            Expr::Place(place) => {
                let c_type = place.c_type(spec, types);
                let raw = self.raw();
                match c_type.as_str() {
                    "size_t" | "uintptr_t" => format!("({raw} as u64)"),
                    "uint64_t" => raw,
                    name if spec.handle(name).is_some_and(|h| h.repr.is_some()) => {
                        format!("({raw} as u64)")
                    }
                    name if spec.enums.iter().any(|e| e.name == name && !e.flags) => {
                        format!("u64::from({raw}.0)")
                    }
                    _ if self.is_pointer(spec, types) => format!("({raw}.addr() as u64)"),
                    _ => format!("u64::from({raw})"),
                }
            }
            Expr::Choice(condition, yes, no) => format!(
                "(if {} {{ {} }} else {{ {} }})",
                condition.condition(spec, types),
                number(yes),
                number(no)
            ),
            Expr::Binary(op, a, b) => {
                let (a, b) = (number(a), number(b));
                match op {
                    Op::BitOr => format!("({a} | {b})"),
                    Op::BitAnd => format!("({a} & {b})"),
                    Op::Add => format!("u64::saturating_add({a}, {b})"),
                    Op::Subtract => format!("u64::wrapping_sub({a}, {b})"),
                    Op::Multiply => format!("u64::saturating_mul({a}, {b})"),
                    Op::Remainder => format!("u64::checked_rem({a}, {b}).unwrap_or(0)"),
                    _ => format!("u64::from({})", self.condition(spec, types)),
                }
            }
        }
    }

    /// A place as it stands in Rust.
    fn raw(&self) -> String {
        let Expr::Place(place) = self else {
            return String::new();
        };
        let param = ident(&place.param);
        match &place.part {
            Part::Whole => param,
            Part::Member(member) => format!("{param}.{}", ident(member)),
            Part::Pointee(member) => format!("(*{param}).{}", ident(member)),
            Part::Element(index) => format!("*{param}.add({index})"),
        }
    }

    fn is_pointer(&self, spec: &Spec, types: &impl Fn(&str) -> String) -> bool {
        let Expr::Place(place) = self else {
            return false;
        };
        let Some(parsed) = CType::parse(&place.c_type(spec, types)) else {
            return false;
        };
        parsed.is_pointer() || spec.handle(&parsed.base).is_some_and(|h| h.repr.is_none())
    }
}

impl Place {
    /// Its C type.
    pub fn c_type(&self, spec: &Spec, types: &impl Fn(&str) -> String) -> String {
        let whole = types(&self.param);
        let member = match &self.part {
            Part::Whole => return whole,
            Part::Element(_) => {
                let parsed = CType::parse(&whole);
                return parsed.map_or(whole, |t| t.base);
            }
            Part::Member(member) | Part::Pointee(member) => member,
        };
        let base = CType::parse(&whole).map_or(whole, |t| t.base);
        spec.record(&base)
            .and_then(|record| record.members.iter().find(|m| m.name == *member))
            .map_or_else(String::new, |member| member.r#type.clone())
    }
}

/// The value of a constant of the API.
pub fn constant(spec: &Spec, name: &str) -> Option<u32> {
    let masks = spec.enums.iter().filter(|e| e.flags);
    masks
        .map(|e| (e.mask_name(), e.mask()))
        .find(|(mask, _)| mask == name)
        .map(|(_, value)| value)
        .or_else(|| {
            let values = spec.enums.iter().flat_map(|e| &e.values);
            values.filter(|v| v.name == name).map(|v| v.value).next()
        })
}

/// How an operator is written.
pub fn sign(op: Op) -> &'static str {
    let found = OPERATORS.iter().find(|(_, known, _)| *known == op);
    found.map_or("", |(token, ..)| token)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) {
            Ok(())
        } else {
            Err(format!("'{token}' is missing before '{}'", self.rest))
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn choice(&mut self) -> Result<Expr, String> {
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.choice()?;
        self.expect(":")?;
        let no = self.choice()?;
        Ok(Expr::Choice(
            Box::new(condition),
            Box::new(yes),
            Box::new(no),
        ))
    }

    fn binary(&mut self, least: u32) -> Result<Expr, String> {
        let mut left = self.operand()?;
        loop {
            self.skip();
            let found = OPERATORS
                .iter()
                .find(|(token, ..)| self.rest.starts_with(token));
            let Some((token, op, binds)) = found.filter(|(_, _, binds)| *binds >= least) else {
                return Ok(left);
            };
            self.take(token);
            let right = self.binary(binds + 1)?;
            left = Expr::Binary(*op, Box::new(left), Box::new(right));
        }
    }

    fn operand(&mut self) -> Result<Expr, String> {
        if self.take("(") {
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(format!("no operand at '{}'", self.rest));
        }
        if let Ok(number) = word.parse() {
            return Ok(Expr::Number(number));
        }
        if word == "NULL" {
            return Ok(Expr::Number(0));
        }
        if word.starts_with("UR_") {
            return Ok(Expr::Constant(word.to_owned()));
        }
        let part = if self.take("->") {
            Part::Pointee(self.word().to_owned())
        } else if self.take(".") {
            Part::Member(self.word().to_owned())
        } else if self.take("[") {
            let index = self.word();
            self.expect("]")?;
            let index = index.parse().map_err(|_| format!("index '{index}'"))?;
            Part::Element(index)
        } else {
            Part::Whole
        };
        Ok(Expr::Place(Place {
            param: word.to_owned(),
            part,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(text: &str, values: &[(&str, u64)]) -> u64 {
        let expr = Expr::parse(text).expect("it can be read");
        expr.value(&|_| 0, &|place| {
            let found = values.iter().find(|(name, _)| *name == place.param);
            found.expect("a value").1
        })
    }

    #[test]
    fn operators_bind_as_in_c() {
        let values = [("a", 6), ("b", 4), ("c", 0)];
        for (text, want) in [
            ("a & b == b", 0), // a & (b == b)
            ("(a & b) == b", 1),
            ("a && c || b", 1),
            ("c || a && c", 0),
            ("a * b % b", 0),
            ("a - b * 2 > a", 1), // below zero, which is a large number
            ("a % c", 0),
            ("c ? a : b", 4),
            ("a < (c != 0 ? c : b)", 0),
            ("(a & (a-1)) != 0", 1),
            ("(b & (b - 1)) != 0", 0),
            ("a == NULL", 0),
            ("c == NULL", 1),
        ] {
            assert_eq!(computed(text, &values), want, "{text}");
        }
    }

    #[test]
    fn what_decides_on_the_left_leaves_the_right_alone() {
        assert_eq!(computed("p && p->x", &[("p", 0)]), 0);
        assert_eq!(computed("p == NULL || p->x", &[("p", 0)]), 1);
    }

    #[test]
    fn what_is_no_expression() {
        for text in ["", "a +", "(a", "a b", "a ? b", "a[b]", "!a"] {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
    }
}
