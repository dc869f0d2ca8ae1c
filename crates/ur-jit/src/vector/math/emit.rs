//! Writes the IR of vector functions: operators on [`V`] become instructions.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Sub};

use super::Features;

/// What a lane holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A float.
    F32,
    /// A double.
    F64,
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A truth value.
    I1,
}

impl Ty {
    /// The type's name in IR.
    pub fn name(self) -> &'static str {
        match self {
            Ty::F32 => "float",
            Ty::F64 => "double",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::I1 => "i1",
        }
    }

    /// The type's name in the names of intrinsics.
    fn suffix(self) -> &'static str {
        match self {
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            other => other.name(),
        }
    }

    /// Bits of a lane.
    pub fn bits(self) -> u32 {
        match self {
            Ty::F32 | Ty::I32 => 32,
            Ty::F64 | Ty::I64 => 64,
            Ty::I1 => 1,
        }
    }

    /// Whether lanes are floating-point numbers.
    fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    /// The integer type of the same size.
    pub fn integer(self) -> Ty {
        match self {
            Ty::F32 => Ty::I32,
            Ty::F64 => Ty::I64,
            other => other,
        }
    }
}

/// How the numbers of a type are made up.
pub struct Format {
    /// Bits of the fraction.
    pub fraction: i64,
    /// What is added to exponents.
    pub bias: i64,
    /// The sign's bit.
    pub sign: i64,
    /// A number added to this one is rounded to an integer, which stands in the sum's low bits.
    pub round: f64,
    /// The smallest normal number.
    pub smallest: f64,
    /// The largest number.
    pub largest: f64,
}

const F32: Format = Format {
    fraction: 23,
    bias: 127,
    sign: 1 << 31,
    round: 12_582_912.0,
    smallest: f32::MIN_POSITIVE as f64,
    largest: f32::MAX as f64,
};

const F64: Format = Format {
    fraction: 52,
    bias: 1023,
    sign: i64::MIN,
    round: 6_755_399_441_055_744.0,
    smallest: f64::MIN_POSITIVE,
    largest: f64::MAX,
};

/// A function body under construction.
pub struct Emit {
    lines: RefCell<String>,
    next: Cell<u32>,
    /// What the processor can do.
    pub features: Features,
}

impl Emit {
    /// An empty body.
    pub fn new(features: Features) -> Self {
        Self {
            lines: RefCell::default(),
            next: Cell::new(0),
            features,
        }
    }

    /// The instructions so far.
    pub fn into_text(self) -> String {
        self.lines.into_inner()
    }

    /// Writes a line of its own.
    pub fn line(&self, text: &str) {
        let mut lines = self.lines.borrow_mut();
        lines.push_str(text);
        lines.push('\n');
    }

    /// Writes an instruction and names its result.
    fn push(&self, ty: Ty, lanes: u32, instruction: &str) -> V<'_> {
        let id = self.next.get();
        self.next.set(id + 1);
        self.line(&format!("  %t{id} = {instruction}"));
        V {
            e: self,
            ty,
            lanes,
            what: What::Register(id),
        }
    }

    /// The parameter `%NAME` followed by `number`.
    pub fn parameter(&self, name: &'static str, number: u32, ty: Ty, lanes: u32) -> V<'_> {
        V {
            e: self,
            ty,
            lanes,
            what: What::Parameter(name, number),
        }
    }
}

/// What a value is.
#[derive(Clone, Copy)]
enum What {
    Register(u32),
    Parameter(&'static str, u32),
    /// The same in every lane: a float's or double's value as bits of a double, an integer's value.
    Constant(u64),
}

/// A vector.
#[derive(Clone, Copy)]
pub struct V<'e> {
    e: &'e Emit,
    ty: Ty,
    lanes: u32,
    what: What,
}

/// What can stand on the right of an operator: a vector or a number for all lanes.
pub trait Operand<'e>: Copy {
    /// The vector of the type of `like`.
    fn vector(self, like: V<'e>) -> V<'e>;
}

impl<'e> Operand<'e> for V<'e> {
    fn vector(self, _: V<'e>) -> V<'e> {
        self
    }
}

impl<'e> Operand<'e> for f64 {
    fn vector(self, like: V<'e>) -> V<'e> {
        let value = match like.ty {
            Ty::F32 => f64::from(self as f32),
            _ => self,
        };
        V {
            what: What::Constant(value.to_bits()),
            ..like
        }
    }
}

impl<'e> Operand<'e> for i64 {
    fn vector(self, like: V<'e>) -> V<'e> {
        V {
            what: What::Constant(self.cast_unsigned()),
            ..like
        }
    }
}

/// A comparison of numbers, as IR writes it.
pub use Predicate as P;

/// Comparisons; `U` in front: also true where an operand is no number.
#[derive(Clone, Copy)]
pub enum Predicate {
    Eq,
    Lt,
    Gt,
    Ge,
    Ugt,
    /// An operand is no number.
    Uno,
}

impl<'e> V<'e> {
    /// The type of a lane.
    pub fn ty(self) -> Ty {
        self.ty
    }

    /// How the numbers are made up.
    pub fn format(self) -> &'static Format {
        if self.ty == Ty::F32 { &F32 } else { &F64 }
    }

    /// What the processor can do.
    pub fn features(self) -> Features {
        self.e.features
    }

    /// `<N x T>`.
    pub fn type_text(self) -> String {
        format!("<{} x {}>", self.lanes, self.ty.name())
    }

    /// The value without its type.
    pub fn text(self) -> String {
        match self.what {
            What::Register(id) => format!("%t{id}"),
            What::Parameter(name, number) => format!("%{name}{number}"),
            What::Constant(bits) if self.ty.is_float() => {
                format!("splat ({} 0x{bits:016X})", self.ty.name())
            }
            What::Constant(bits) if self.ty == Ty::I32 => {
                format!("splat (i32 {})", bits.cast_signed() as i32)
            }
            What::Constant(bits) if self.ty == Ty::I1 => format!("splat (i1 {})", bits & 1 != 0),
            What::Constant(bits) => format!("splat (i64 {})", bits.cast_signed()),
        }
    }

    /// The value with its type.
    pub fn typed(self) -> String {
        format!("{} {}", self.type_text(), self.text())
    }

    /// A number in every lane of a vector of this type.
    pub fn constant(self, value: impl Operand<'e>) -> V<'e> {
        value.vector(self)
    }

    fn binary(self, float: &str, integer: &str, other: impl Operand<'e>) -> V<'e> {
        let other = other.vector(self);
        debug_assert!(self.ty == other.ty && self.lanes == other.lanes);
        let op = if self.ty.is_float() { float } else { integer };
        let text = format!("{op} {}, {}", self.typed(), other.text());
        self.e.push(self.ty, self.lanes, &text)
    }

    /// Calls an intrinsic whose operands and result have one type.
    fn intrinsic(self, name: &str, more: &[V<'e>]) -> V<'e> {
        let mut text = format!(
            "call {} @llvm.{name}.v{}{}({}",
            self.type_text(),
            self.lanes,
            self.ty.suffix(),
            self.typed()
        );
        for operand in more {
            let _ = write!(text, ", {}", operand.typed());
        }
        text.push(')');
        self.e.push(self.ty, self.lanes, &text)
    }

    /// A negative integer where this magnitude is above `limit` or not a number.
    pub fn above(self, limit: f64) -> V<'e> {
        // Magnitudes are in the order of their bits.
        self.constant(limit).bits() - self.bits()
    }

    /// `self * y + z`, rounded once where the processor can do that and twice elsewhere.
    pub fn fma(self, y: impl Operand<'e>, z: impl Operand<'e>) -> V<'e> {
        let (y, z) = (y.vector(self), z.vector(self));
        if self.e.features.fma {
            self.intrinsic("fma", &[y, z])
        } else {
            self * y + z
        }
    }

    /// The magnitude.
    pub fn abs(self) -> V<'e> {
        self.intrinsic("fabs", &[])
    }

    /// The square root.
    pub fn sqrt(self) -> V<'e> {
        self.intrinsic("sqrt", &[])
    }

    /// The magnitude with the sign of `sign`.
    pub fn copysign(self, sign: V<'e>) -> V<'e> {
        self.intrinsic("copysign", &[sign])
    }

    /// Arithmetic shift to the right.
    pub fn sra(self, by: i64) -> V<'e> {
        self.binary("", "ashr", by)
    }

    /// Logical shift to the right.
    pub fn srl(self, by: i64) -> V<'e> {
        self.binary("", "lshr", by)
    }

    fn convert(self, op: &str, to: Ty) -> V<'e> {
        let text = format!("{op} {} to <{} x {}>", self.typed(), self.lanes, to.name());
        self.e.push(to, self.lanes, &text)
    }

    /// The same bits as integers.
    pub fn bits(self) -> V<'e> {
        self.convert("bitcast", self.ty.integer())
    }

    /// The same bits as floating-point numbers.
    pub fn float(self) -> V<'e> {
        let ty = if self.ty == Ty::I32 { Ty::F32 } else { Ty::F64 };
        self.convert("bitcast", ty)
    }

    /// The nearest floating-point number to a signed 32-bit integer.
    pub fn to_f32(self) -> V<'e> {
        self.convert("sitofp", Ty::F32)
    }

    /// A float as a double.
    pub fn widen(self) -> V<'e> {
        self.convert("fpext", Ty::F64)
    }

    /// A double rounded to a float.
    pub fn narrow(self) -> V<'e> {
        self.convert("fptrunc", Ty::F32)
    }

    /// All ones where true, as integers of that type.
    pub fn spread(self, to: Ty) -> V<'e> {
        self.convert("sext", to)
    }

    /// Compares floating-point numbers.
    pub fn is(self, predicate: Predicate, other: impl Operand<'e>) -> V<'e> {
        let other = other.vector(self);
        let name = match predicate {
            Predicate::Eq => "oeq",
            Predicate::Lt => "olt",
            Predicate::Gt => "ogt",
            Predicate::Ge => "oge",
            Predicate::Ugt => "ugt",
            Predicate::Uno => "uno",
        };
        let text = format!("fcmp {name} {}, {}", self.typed(), other.text());
        self.e.push(Ty::I1, self.lanes, &text)
    }

    /// Compares signed integers.
    pub fn int_is(self, predicate: Predicate, other: impl Operand<'e>) -> V<'e> {
        let other = other.vector(self);
        let name = match predicate {
            Predicate::Eq | Predicate::Uno => "eq",
            Predicate::Lt => "slt",
            Predicate::Gt | Predicate::Ugt => "sgt",
            Predicate::Ge => "sge",
        };
        let text = format!("icmp {name} {}, {}", self.typed(), other.text());
        self.e.push(Ty::I1, self.lanes, &text)
    }

    /// `yes` in the lanes where this truth value holds, else `no`.
    pub fn choose(self, yes: V<'e>, no: impl Operand<'e>) -> V<'e> {
        let no = no.vector(yes);
        let text = format!("select {}, {}, {}", self.typed(), yes.typed(), no.typed());
        self.e.push(yes.ty, yes.lanes, &text)
    }

    /// The smaller; `other` where this is not a number, so a NaN passes from there only.
    pub fn at_most(self, other: impl Operand<'e>) -> V<'e> {
        let other = other.vector(self);
        other.is(P::Lt, self).choose(other, self)
    }

    /// The larger; a NaN in this operand stays.
    pub fn at_least(self, other: impl Operand<'e>) -> V<'e> {
        let other = other.vector(self);
        other.is(P::Gt, self).choose(other, self)
    }

    /// `count` lanes from lane `from` on.
    pub fn slice(self, from: u32, count: u32) -> V<'e> {
        if from == 0 && count == self.lanes {
            return self;
        }
        let indices: Vec<String> = (from..from + count).map(|i| format!("i32 {i}")).collect();
        let text = format!(
            "shufflevector {}, {} poison, <{count} x i32> <{}>",
            self.typed(),
            self.type_text(),
            indices.join(", ")
        );
        self.e.push(self.ty, count, &text)
    }

    /// The lanes of this vector and behind them those of another one of the same length.
    fn join(self, other: V<'e>) -> V<'e> {
        let lanes = self.lanes * 2;
        let indices: Vec<String> = (0..lanes).map(|i| format!("i32 {i}")).collect();
        let text = format!(
            "shufflevector {}, {}, <{lanes} x i32> <{}>",
            self.typed(),
            other.typed(),
            indices.join(", ")
        );
        self.e.push(self.ty, lanes, &text)
    }

    /// Puts a power of two of pieces together.
    pub fn concat(pieces: &[V<'e>]) -> V<'e> {
        if let [one] = pieces {
            return *one;
        }
        let (low, high) = pieces.split_at(pieces.len() / 2);
        Self::concat(low).join(Self::concat(high))
    }

    /// A scalar `i1`, by its name: whether any lane of these integers is negative.
    pub fn any_negative(pieces: &[V<'e>]) -> String {
        let e = pieces[0].e;
        let register = (e.features.bits() / pieces[0].ty.bits()).max(2);
        let mut all = pieces[0];
        for piece in &pieces[1..] {
            all = all | *piece;
        }
        while all.lanes > register {
            let half = all.lanes / 2;
            all = all.slice(0, half) | all.slice(half, half);
        }
        let signs = all.int_is(P::Lt, 0);
        let bits = e.push(
            Ty::I32,
            1,
            &format!("bitcast {} to i{}", signs.typed(), signs.lanes),
        );
        let any = format!("icmp ne i{} {}, 0", signs.lanes, bits.text());
        e.push(Ty::I1, 1, &any).text()
    }
}

/// The polynomial with these coefficients, lowest power first.
///
/// Long ones are two chains behind the first terms: a single chain's steps wait for each other for
/// longer than the processor has other work.
pub fn polynomial<'e>(u: V<'e>, coefficients: &[f64]) -> V<'e> {
    const FIRST: usize = 2;
    if coefficients.len() < FIRST + 6 {
        return chain(u, u, coefficients.iter(), None);
    }
    let (first, others) = coefficients.split_at(FIRST);
    let square = u * u;
    let even = chain(u, square, others.iter().step_by(2), None);
    let odd = chain(u, square, others.iter().skip(1).step_by(2), None);
    chain(u, u, first.iter(), Some(odd.fma(u, even)))
}

/// A polynomial of `step` by Horner's rule, `last` being what stands above the coefficients.
fn chain<'e, 'c>(
    like: V<'e>,
    step: V<'e>,
    coefficients: impl DoubleEndedIterator<Item = &'c f64>,
    last: Option<V<'e>>,
) -> V<'e> {
    let mut value = last;
    for c in coefficients.rev() {
        value = Some(match value {
            Some(value) => value.fma(step, *c),
            None => like.constant(*c),
        });
    }
    value.expect("a polynomial has terms")
}

macro_rules! operator {
    ($trait:ident $method:ident $float:literal $integer:literal) => {
        impl<'e, O: Operand<'e>> $trait<O> for V<'e> {
            type Output = V<'e>;
            fn $method(self, other: O) -> V<'e> {
                self.binary($float, $integer, other)
            }
        }
    };
}

operator!(Add add "fadd" "add");
operator!(Sub sub "fsub" "sub");
operator!(Mul mul "fmul" "mul");
operator!(Div div "fdiv" "sdiv");
operator!(BitAnd bitand "" "and");
operator!(BitOr bitor "" "or");
operator!(BitXor bitxor "" "xor");
operator!(Shl shl "" "shl");

impl<'e> Neg for V<'e> {
    type Output = V<'e>;
    fn neg(self) -> V<'e> {
        let text = format!("fneg {}", self.typed());
        self.e.push(self.ty, self.lanes, &text)
    }
}

impl<'e> Not for V<'e> {
    type Output = V<'e>;
    fn not(self) -> V<'e> {
        self ^ -1i64
    }
}
