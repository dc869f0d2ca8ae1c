//! Random expressions.

use super::{Maker, Mode, bits, memory_type};
use crate::ast::{Builtin, Expr, Field, Kind, Level, Scalar, Type};
use crate::ops::{Binary, Cast, Compare, Rounding, Ternary, Test, Unary};

/// An integer constant.
pub fn int(ty: Type, value: u64) -> Expr {
    Expr {
        ty,
        kind: Kind::Const(vec![value; ty.lanes as usize]),
    }
}

/// An `I64` that every bit of `value` has a part in.
pub fn digest(value: Expr) -> Expr {
    let ty = value.ty;
    let value = match ty.scalar {
        s if s.is_float() => Expr {
            ty: ty.with(s.as_int()),
            kind: Kind::Cast(Cast::Bits, Rounding::Default, Box::new(value)),
        },
        _ => value,
    };
    let parts: Vec<Expr> = if ty.is_vector() {
        (0..ty.lanes)
            .map(|lane| Expr {
                ty: Type::of(value.ty.scalar),
                kind: Kind::Extract(Box::new(value.clone()), lane),
            })
            .collect()
    } else {
        vec![value]
    };
    let wide = |e: Expr| {
        if e.ty == Type::I64 {
            return e;
        }
        let kind = Kind::Cast(Cast::UConvert, Rounding::Default, Box::new(e));
        Expr {
            ty: Type::I64,
            kind,
        }
    };
    let long = |op, a, b| Expr {
        ty: Type::I64,
        kind: Kind::Binary(op, Box::new(a), Box::new(b)),
    };
    parts
        .into_iter()
        .map(wide)
        .reduce(|sum, part| {
            let moved = long(Binary::Mul, sum, int(Type::I64, 0x9e37_79b9_7f4a_7c15));
            long(Binary::Add, moved, part)
        })
        .unwrap_or_else(|| int(Type::I64, 0))
}

impl Maker<'_> {
    /// An expression that is the same for all of `level`.
    pub(super) fn expr(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        if depth == 0 || self.rng.chance(12) {
            return self.leaf(ty, level);
        }
        let depth = depth - 1;
        if self.rng.chance(8) {
            return self.choice(ty, depth, level);
        }
        if ty.is_vector() && self.rng.chance(20) {
            return self.vector(ty, depth, level);
        }
        if ty.scalar == Scalar::Bool {
            return self.truth(ty, depth, level);
        }
        if !ty.is_vector() && self.rng.chance(8) {
            return self.element_of_vector(ty, depth, level);
        }
        let s = ty.scalar;
        let operand = |maker: &mut Self| Box::new(maker.expr(ty, depth, level));
        let kind = match self.rng.below(20) {
            0..3 => {
                let op = self.fitting(Unary::ALL, |op| op.fits(s));
                Kind::Unary(op, operand(self))
            }
            3..11 => {
                let op = if self.rng.chance(35) {
                    let common = [
                        Binary::Add,
                        Binary::Sub,
                        Binary::Mul,
                        Binary::Xor,
                        Binary::FAdd,
                        Binary::FMul,
                    ];
                    self.fitting(&common, |op| op.fits(s))
                } else {
                    self.fitting(Binary::ALL, |op| op.fits(s))
                };
                Kind::Binary(op, operand(self), operand(self))
            }
            11..13 => {
                let op = self.fitting(Ternary::ALL, |op| op.fits(s));
                let operands = [(); 3].map(|()| self.expr(ty, depth, level));
                Kind::Ternary(op, Box::new(operands))
            }
            13 if s.is_int() => {
                let op = self
                    .rng
                    .pick(&[Field::Insert, Field::Unsigned, Field::Signed]);
                let base = self.expr(ty, depth, level);
                let insert = if op == Field::Insert {
                    self.expr(ty, depth, level)
                } else {
                    int(ty, 0)
                };
                let offset = self.expr(Type::I32, depth.min(1), level);
                let count = self.expr(Type::I32, depth.min(1), level);
                Kind::Field(op, Box::new([base, insert, offset, count]))
            }
            14 => return self.load(ty, depth, level),
            _ => {
                let from = ty.with(self.rng.pick(&Scalar::MEMORY));
                let value = self.expr(from, depth, level);
                return self.converted(value, ty);
            }
        };
        Expr { ty, kind }
    }

    /// One of those that fit.
    fn fitting<T: Copy>(&mut self, from: &[T], fits: impl Fn(T) -> bool) -> T {
        loop {
            let op = self.rng.pick(from);
            if fits(op) {
                return op;
            }
        }
    }

    fn choice(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        let lanewise = ty.is_vector() && self.rng.chance(60);
        let lanes = if lanewise { ty.lanes } else { 1 };
        let condition = self.expr(Type::vector(Scalar::Bool, lanes), depth, level);
        let (yes, no) = (self.expr(ty, depth, level), self.expr(ty, depth, level));
        let operands = Box::new([condition, yes, no]);
        let kind = if !lanewise && self.rng.chance(50) {
            Kind::Cond(operands)
        } else {
            Kind::Select(operands)
        };
        Expr { ty, kind }
    }

    fn vector(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        let scalar = Type::of(ty.scalar);
        let kind = match self.rng.below(3) {
            0 => Kind::Construct(
                (0..ty.lanes)
                    .map(|_| self.expr(scalar, depth.min(1), level))
                    .collect(),
            ),
            1 if ty.scalar != Scalar::Bool => {
                let vector = self.expr(ty, depth, level);
                let value = self.expr(scalar, depth, level);
                let place = self.expr(Type::I32, depth.min(1), level);
                Kind::InsertAt(Box::new([vector, value, place]))
            }
            _ => {
                let from = Type::vector(ty.scalar, self.rng.pick(&[2, 3, 4, 8]));
                let a = Box::new(self.expr(from, depth, level));
                let b = Box::new(self.expr(from, depth, level));
                let count = 2 * from.lanes as usize;
                let places = (0..ty.lanes).map(|_| self.rng.below(count) as u8).collect();
                Kind::Shuffle(a, b, places)
            }
        };
        Expr { ty, kind }
    }

    fn element_of_vector(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        let from = Type::vector(ty.scalar, self.rng.pick(&[2, 3, 4, 8, 16]));
        let vector = Box::new(self.expr(from, depth, level));
        let kind = if self.rng.chance(50) {
            Kind::Extract(vector, self.rng.below(from.lanes as usize) as u8)
        } else {
            let place = self.expr(Type::I32, depth.min(1), level);
            Kind::ExtractAt(vector, Box::new(place))
        };
        Expr { ty, kind }
    }

    fn truth(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        let kind = match self.rng.below(10) {
            0 => {
                let op = self.fitting(Binary::ALL, |op| op.fits(Scalar::Bool));
                let a = Box::new(self.expr(ty, depth, level));
                Kind::Binary(op, a, Box::new(self.expr(ty, depth, level)))
            }
            1 => Kind::Unary(Unary::LNot, Box::new(self.expr(ty, depth, level))),
            2 => {
                let from = ty.with(self.rng.pick(&[Scalar::F32, Scalar::F64]));
                let op = self.rng.pick(Test::ALL);
                Kind::Test(op, Box::new(self.expr(from, depth, level)))
            }
            3 if !ty.is_vector() => {
                let from = Type::vector(Scalar::Bool, self.rng.pick(&[2, 3, 4, 8, 16]));
                let all = self.rng.chance(50);
                Kind::Reduce(all, Box::new(self.expr(from, depth, level)))
            }
            _ => {
                let from = ty.with(self.rng.pick(&Scalar::MEMORY));
                let op = self.fitting(Compare::ALL, |op| op.fits(from.scalar));
                let a = Box::new(self.expr(from, depth, level));
                Kind::Compare(op, a, Box::new(self.expr(from, depth, level)))
            }
        };
        Expr { ty, kind }
    }

    fn load(&mut self, ty: Type, depth: usize, level: Level) -> Expr {
        if level == Level::Item {
            let arrays: Vec<usize> = (0..self.arrays.len())
                .filter(|a| self.arrays[*a].elem == ty)
                .collect();
            if !arrays.is_empty() && self.rng.chance(60) {
                let array = self.rng.pick(&arrays);
                let index = Box::new(self.expr(Type::I32, depth.min(2), level));
                let kind = Kind::Private(array, index);
                return Expr { ty, kind };
            }
            let own: Vec<usize> = (0..self.shared.own.len())
                .filter(|a| self.shared.own[*a].elem == ty)
                .collect();
            if !own.is_empty() && self.rng.chance(50) {
                let array = self.rng.pick(&own);
                let index = Box::new(self.expr(Type::I64, depth.min(2), level));
                let kind = Kind::Own(array, index);
                return Expr { ty, kind };
            }
        }
        let ty_of_index = self.rng.pick(&[Type::I32, Type::I64]);
        let index = Box::new(self.expr(ty_of_index, depth.min(2), level));
        let kind = Kind::Input(index);
        Expr { ty, kind }
    }

    /// A value without operands, converted if there is none of the type.
    fn leaf(&mut self, ty: Type, level: Level) -> Expr {
        if ty.scalar == Scalar::Bool && self.rng.chance(80) {
            let from = ty.with(self.rng.pick(&Scalar::INTS));
            let value = self.leaf(from, level);
            return self.converted(value, ty);
        }
        for _ in 0..3 {
            let Some(found) = self.source(level) else {
                continue;
            };
            if found.ty == ty || self.rng.chance(40) {
                return self.converted(found, ty);
            }
        }
        let lanes = (0..ty.lanes).map(|_| bits(self.rng, ty.scalar)).collect();
        Expr {
            ty,
            kind: Kind::Const(lanes),
        }
    }

    /// Some value that is there.
    fn source(&mut self, level: Level) -> Option<Expr> {
        let some = |ty, kind| Some(Expr { ty, kind });
        match self.rng.below(12) {
            0..5 if !self.vars.is_empty() => {
                let var = self.rng.below(self.vars.len());
                let (ty, known) = self.vars[var];
                (known >= level).then_some(Expr {
                    ty,
                    kind: Kind::Var(var),
                })
            }
            5 if !self.params.is_empty() => {
                let known = if self.is_kernel {
                    Level::Group
                } else {
                    Level::Item
                };
                let param = self.rng.below(self.params.len());
                (known >= level).then_some(Expr {
                    ty: self.params[param],
                    kind: Kind::Param(param),
                })
            }
            6 if self.is_kernel && !self.shared.members.is_empty() => {
                let member = self.rng.below(self.shared.members.len());
                some(self.shared.members[member], Kind::Member(member))
            }
            7 if !self.loops.is_empty() => {
                let found = self.rng.below(self.loops.len());
                let known = self.loops[found].level;
                let kind = Kind::Counter(self.loops[found].counter);
                (known >= level).then_some(Expr {
                    ty: Type::I32,
                    kind,
                })
            }
            8 if !self.modes.is_empty() && level == Level::Item => {
                let array = self.rng.below(self.modes.len());
                let ty = Type::of(self.shared.local[array].0);
                match self.modes[array] {
                    Mode::Own => some(ty, Kind::LocalOwn(array)),
                    Mode::Read => {
                        let index = Box::new(self.neighbour());
                        some(ty, Kind::Local(array, index))
                    }
                    Mode::Atomic(_) => None,
                }
            }
            8 | 9 => {
                let ty = memory_type(self.rng);
                let index = int(Type::I32, self.rng.below(256) as u64);
                some(ty, Kind::Input(Box::new(index)))
            }
            _ => {
                let builtin = self.builtin(level);
                some(builtin.ty(), Kind::Builtin(builtin))
            }
        }
    }

    /// A number of some work-item of the group, before it wraps.
    fn neighbour(&mut self) -> Expr {
        if self.rng.chance(30) {
            let index = self.rng.below(self.vars.len().max(1));
            if let Some((ty, _)) = self.vars.get(index)
                && ty.scalar.is_int()
                && !ty.is_vector()
            {
                let value = Expr {
                    ty: *ty,
                    kind: Kind::Var(index),
                };
                return self.plain(value, Type::I64);
            }
        }
        let own = Box::new(Expr {
            ty: Type::I64,
            kind: Kind::Builtin(Builtin::LocalLinearId),
        });
        let by = Box::new(int(Type::I64, self.rng.below(9) as u64));
        let op = self.rng.pick(&[Binary::Add, Binary::Xor, Binary::Mul]);
        Expr {
            ty: Type::I64,
            kind: Kind::Binary(op, own, by),
        }
    }

    fn builtin(&mut self, level: Level) -> Builtin {
        let dim = self.rng.pick(&[0, 0, 1, 2]);
        let item = [
            Builtin::GlobalId(dim),
            Builtin::LocalId(dim),
            Builtin::GlobalLinearId,
            Builtin::LocalLinearId,
            Builtin::SubGroupLocalId,
        ];
        let sub_group = [Builtin::SubGroupId, Builtin::SubGroupSize];
        let group = [
            Builtin::GroupId(dim),
            Builtin::LocalSize(dim),
            Builtin::EnqueuedLocalSize(dim),
            Builtin::NumGroups(dim),
            Builtin::GlobalSize(dim),
            Builtin::GlobalOffset(dim),
            Builtin::WorkDim,
            Builtin::MaxSubGroupSize,
            Builtin::NumSubGroups,
            Builtin::NumEnqueuedSubGroups,
        ];
        match level {
            Level::Item if self.rng.chance(70) => self.rng.pick(&item),
            Level::Item | Level::SubGroup if self.rng.chance(40) => self.rng.pick(&sub_group),
            _ => self.rng.pick(&group),
        }
    }

    /// An integer of another width, sign or zeros in front.
    fn plain(&mut self, value: Expr, ty: Type) -> Expr {
        if value.ty == ty {
            return value;
        }
        let op = self.rng.pick(&[Cast::SConvert, Cast::UConvert]);
        let kind = Kind::Cast(op, Rounding::Default, Box::new(value));
        Expr { ty, kind }
    }

    /// `value` as another type.
    pub(super) fn converted(&mut self, value: Expr, ty: Type) -> Expr {
        if value.ty == ty {
            return value;
        }
        if value.ty.lanes != ty.lanes {
            let from = value.ty;
            let kind = if !ty.is_vector() {
                let lane = self.rng.below(from.lanes as usize) as u8;
                Kind::Extract(Box::new(value), lane)
            } else if !from.is_vector() {
                Kind::Construct(vec![value; ty.lanes as usize])
            } else {
                let count = from.lanes as usize;
                let places = (0..ty.lanes).map(|_| self.rng.below(count) as u8).collect();
                Kind::Shuffle(Box::new(value.clone()), Box::new(value), places)
            };
            let ty_of = ty.with(from.scalar);
            return self.converted(Expr { ty: ty_of, kind }, ty);
        }
        let (from, to) = (value.ty.scalar, ty.scalar);
        if to == Scalar::Bool {
            let op = if from.is_float() {
                Compare::OLt
            } else {
                self.rng.pick(&[Compare::SLt, Compare::INe, Compare::ULe])
            };
            let zeros = Box::new(int(value.ty, self.rng.below(2) as u64));
            let kind = Kind::Compare(op, Box::new(value), zeros);
            return Expr { ty, kind };
        }
        if from == Scalar::Bool {
            let (one, zero) = (bits(self.rng, to), bits(self.rng, to));
            let (one, zero) = (int(ty, one), int(ty, zero));
            let kind = Kind::Select(Box::new([value, one, zero]));
            return Expr { ty, kind };
        }
        let op = self.fitting(Cast::ALL, |op| op.fits(from, to));
        let rounding = if op.rounds(from, to) && self.rng.chance(30) {
            self.rng.pick(Rounding::ALL)
        } else {
            Rounding::Default
        };
        let kind = Kind::Cast(op, rounding, Box::new(value));
        Expr { ty, kind }
    }
}
