//! Operations that work-items do together.

use super::{Frame, Group, Lanes, Result, Stop};
use crate::ast::{Combine, Expr, GroupOp, Reach, Scalar, Scope, Type, VarId};
use crate::ops::{self, Binary, Cast, Rounding};

impl<'k> Group<'k> {
    /// Carries out an operation for each group or sub-group that has active work-items.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement")]
    pub(super) fn group_op(
        &mut self,
        frame: &mut Frame<'k>,
        var: VarId,
        op: GroupOp,
        scope: Scope,
        value: &Expr,
        index: Option<&Expr>,
        active: &[usize],
    ) -> Result<()> {
        let width = match scope {
            Scope::Group => self.items.len(),
            Scope::SubGroup => self.width,
        };
        if !op.may_diverge() {
            match scope {
                Scope::Group => self.whole_group(active)?,
                Scope::SubGroup => self.whole_sub_groups(active)?,
            }
        }
        for members in active.chunk_by(|a, b| a / width == b / width) {
            let base = members[0] / width * width;
            let size = width.min(self.items.len() - base);
            let mut values = Vec::new();
            let mut indices = Vec::new();
            for &item in members {
                values.push(self.eval(frame, value, item)?);
                indices.push(match index {
                    Some(index) => self.eval(frame, index, item)?[0],
                    None => 0,
                });
            }
            let part = Part {
                ty: value.ty,
                members,
                values,
                indices,
                base,
                size,
                width,
            };
            let results = part.results(op)?;
            for (&item, result) in members.iter().zip(results) {
                frame.vars[var][item] = result;
            }
        }
        Ok(())
    }
}

impl GroupOp {
    /// Whether some of a sub-group may be absent.
    pub fn may_diverge(self) -> bool {
        match self {
            GroupOp::Reduce(non_uniform, ..)
            | GroupOp::All(non_uniform)
            | GroupOp::Any(non_uniform) => non_uniform,
            GroupOp::BroadcastFirst | GroupOp::AllEqual | GroupOp::Elect | GroupOp::Ballot => true,
            _ => false,
        }
    }
}

/// A float that sums, products and minima of any order are exact for.
pub fn exact_operand(op: Combine, s: Scalar, bits: u64) -> u64 {
    let whole = ops::cast(Cast::FToS, Rounding::Default, s, Scalar::I32, bits);
    let small = if op == Combine::Mul {
        (whole & 1) + 1
    } else {
        whole & 0x7f
    };
    ops::cast(Cast::SToF, Rounding::Default, Scalar::I32, s, small)
}

/// The work-items that do an operation.
struct Part<'a> {
    ty: Type,
    members: &'a [usize],
    values: Vec<Lanes>,
    indices: Vec<u64>,
    base: usize,
    size: usize,
    width: usize,
}

impl Part<'_> {
    fn results(&self, op: GroupOp) -> Result<Vec<Lanes>> {
        let truth = |value: &Lanes| value[0] != 0;
        let same = |value: u64| vec![lanes(value); self.members.len()];
        Ok(match op {
            GroupOp::Reduce(_, combine, reach) => self.reduce(combine, reach)?,
            GroupOp::All(_) => same(self.values.iter().all(truth).into()),
            GroupOp::Any(_) => same(self.values.iter().any(truth).into()),
            GroupOp::AllEqual => same(self.values.iter().all(|v| *v == self.values[0]).into()),
            GroupOp::Elect => (0..self.members.len())
                .map(|place| lanes(u64::from(place == 0)))
                .collect(),
            GroupOp::Ballot => {
                let bit = |(item, value): (&usize, &Lanes)| {
                    u64::from(truth(value)).checked_shl((item - self.base) as u32)
                };
                let votes = self.members.iter().zip(&self.values).filter_map(bit);
                same(votes.fold(0, |a, b| a | b))
            }
            GroupOp::BroadcastFirst => vec![self.values[0]; self.members.len()],
            GroupOp::Broadcast(_) => {
                if self.indices.iter().any(|i| *i != self.indices[0]) {
                    return Err(Stop::Invalid("a broadcast from several work-items"));
                }
                let from = self.indices[0] as usize % self.size;
                vec![self.values[from]; self.members.len()]
            }
            GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                (0..self.members.len())
                    .map(|place| self.values[self.origin(op, place)])
                    .collect()
            }
        })
    }

    /// Whose value a work-item of a whole sub-group gets.
    fn origin(&self, op: GroupOp, place: usize) -> usize {
        let by = self.indices[place] as usize;
        let size = self.size;
        let limited = by % self.width;
        let from = match op {
            GroupOp::Shuffle => by % size,
            GroupOp::ShuffleXor => place ^ limited,
            GroupOp::ShuffleUp => place.wrapping_sub(limited),
            _ => place + limited,
        };
        if from < size { from } else { place }
    }

    fn reduce(&self, combine: Combine, reach: Reach) -> Result<Vec<Lanes>> {
        let s = self.ty.scalar;
        let values: Vec<u64> = if s.is_float() {
            let exact = |v: &Lanes| exact_operand(combine, s, v[0]);
            self.values.iter().map(exact).collect()
        } else {
            self.values.iter().map(|v| v[0]).collect()
        };
        let apply = |a: u64, b: u64| ops::binary(combine.operation(s), s, a, b);
        let start = combine.identity(s);
        Ok(match reach {
            Reach::All => {
                let total = values.iter().fold(start, |a, b| apply(a, *b));
                vec![lanes(total); values.len()]
            }
            Reach::Inclusive | Reach::Exclusive => {
                let mut sum = start;
                let mut out = Vec::new();
                for value in values {
                    let before = sum;
                    sum = apply(sum, value);
                    out.push(lanes(if reach == Reach::Inclusive {
                        sum
                    } else {
                        before
                    }));
                }
                out
            }
            Reach::Cluster(count) => {
                if count as usize > self.width {
                    return Err(Stop::Invalid("a cluster larger than the sub-group"));
                }
                let cluster = |item: usize| (item - self.base) / count as usize;
                let mut out = Vec::new();
                for item in self.members {
                    let own = cluster(*item);
                    let part = self.members.iter().zip(&values);
                    let total = part
                        .filter(|(other, _)| cluster(**other) == own)
                        .fold(start, |a, (_, b)| apply(a, *b));
                    out.push(lanes(total));
                }
                out
            }
        })
    }
}

impl Combine {
    /// The operation on two values.
    fn operation(self, s: Scalar) -> Binary {
        match self {
            Combine::Add if s.is_float() => Binary::FAdd,
            Combine::Add => Binary::Add,
            Combine::Mul if s.is_float() => Binary::FMul,
            Combine::Mul => Binary::Mul,
            Combine::SMin => Binary::SMin,
            Combine::UMin => Binary::UMin,
            Combine::SMax => Binary::SMax,
            Combine::UMax => Binary::UMax,
            Combine::FMin => Binary::FMin,
            Combine::FMax => Binary::FMax,
            Combine::And => Binary::And,
            Combine::Or => Binary::Or,
            Combine::Xor => Binary::Xor,
        }
    }

    /// What changes nothing.
    fn identity(self, s: Scalar) -> u64 {
        let top = 1u64 << (s.bits() - 1);
        let float = |value: f64| {
            let bits = value.to_bits();
            ops::cast(Cast::FConvert, Rounding::Default, Scalar::F64, s, bits)
        };
        let float = |value: f64| {
            if s == Scalar::F64 {
                value.to_bits()
            } else {
                float(value)
            }
        };
        match self {
            Combine::Add | Combine::Or | Combine::Xor | Combine::UMax => 0,
            Combine::Mul if s.is_float() => float(1.0),
            Combine::Mul => 1,
            Combine::SMin => top - 1,
            Combine::SMax => top,
            Combine::UMin | Combine::And => s.mask(),
            Combine::FMin => float(f64::INFINITY),
            Combine::FMax => float(f64::NEG_INFINITY),
        }
    }
}

fn lanes(value: u64) -> Lanes {
    let mut out = [0; 16];
    out[0] = value;
    out
}
