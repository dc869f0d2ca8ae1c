//! Values of expressions.

use super::{Frame, Group, Lanes, Result, to_lanes};
use crate::ast::{Builtin, Expr, INPUT_BYTES, Kind};
use crate::launch;
use crate::ops;

impl<'k> Group<'k> {
    /// The value of an expression for one work-item.
    pub(super) fn eval(&mut self, frame: &Frame<'k>, e: &Expr, item: usize) -> Result<Lanes> {
        let lanes = e.ty.lanes as usize;
        let scalar = e.ty.scalar;
        let mut out = [0; 16];
        match &e.kind {
            Kind::Const(bits) => out = to_lanes(bits),
            Kind::Var(var) => out = frame.vars[*var][item],
            Kind::Counter(counter) => out[0] = frame.counters[*counter][item],
            Kind::Param(param) => out = frame.params[*param][item],
            Kind::Member(member) => out = to_lanes(&self.launch.values[*member]),
            Kind::Builtin(builtin) => out[0] = self.builtin(*builtin, item),
            Kind::Unary(op, a) => {
                let a = self.eval(frame, a, item)?;
                for (out, a) in out.iter_mut().zip(a).take(lanes) {
                    *out = ops::unary(*op, scalar, a);
                }
            }
            Kind::Binary(op, a, b) => {
                let a = self.eval(frame, a, item)?;
                let b = self.eval(frame, b, item)?;
                for lane in 0..lanes {
                    out[lane] = ops::binary(*op, scalar, a[lane], b[lane]);
                }
            }
            Kind::Ternary(op, operands) => {
                let [a, b, c] = self.eval_all(frame, operands, item)?;
                for lane in 0..lanes {
                    out[lane] = ops::ternary(*op, scalar, a[lane], b[lane], c[lane]);
                }
            }
            Kind::Compare(op, a, b) => {
                let s = a.ty.scalar;
                let a = self.eval(frame, a, item)?;
                let b = self.eval(frame, b, item)?;
                for lane in 0..lanes {
                    out[lane] = u64::from(ops::compare(*op, s, a[lane], b[lane]));
                }
            }
            Kind::Test(op, a) => {
                let s = a.ty.scalar;
                let a = self.eval(frame, a, item)?;
                for lane in 0..lanes {
                    out[lane] = u64::from(ops::test(*op, s, a[lane]));
                }
            }
            Kind::Cast(op, rounding, a) => {
                let from = a.ty.scalar;
                let a = self.eval(frame, a, item)?;
                for lane in 0..lanes {
                    out[lane] = ops::cast(*op, *rounding, from, scalar, a[lane]);
                }
            }
            Kind::Field(op, operands) => {
                let [base, insert, offset, count] = self.eval_all(frame, operands, item)?;
                let half = u64::from(scalar.bits() / 2);
                let (offset, count) = ((offset[0] % half) as u32, (count[0] % half) as u32);
                for lane in 0..lanes {
                    out[lane] = ops::field(*op, scalar, base[lane], insert[lane], offset, count);
                }
            }
            Kind::Select(operands) => {
                let wide = operands[0].ty.is_vector();
                let [condition, yes, no] = self.eval_all(frame, operands, item)?;
                for lane in 0..lanes {
                    let chosen = condition[if wide { lane } else { 0 }] == 1;
                    out[lane] = if chosen { yes[lane] } else { no[lane] };
                }
            }
            Kind::Cond(operands) => {
                let [condition, yes, no] = &**operands;
                let chosen = self.eval(frame, condition, item)?[0] == 1;
                out = self.eval(frame, if chosen { yes } else { no }, item)?;
            }
            Kind::Reduce(all, a) => {
                let count = a.ty.lanes as usize;
                let a = self.eval(frame, a, item)?;
                let mut truths = a[..count].iter().map(|bit| *bit == 1);
                let value = if *all {
                    truths.all(|t| t)
                } else {
                    truths.any(|t| t)
                };
                out[0] = u64::from(value);
            }
            Kind::Construct(parts) => {
                for (out, part) in out.iter_mut().zip(parts) {
                    *out = self.eval(frame, part, item)?[0];
                }
            }
            Kind::Extract(a, lane) => out[0] = self.eval(frame, a, item)?[*lane as usize],
            Kind::ExtractAt(a, place) => {
                let count = u64::from(a.ty.lanes);
                let a = self.eval(frame, a, item)?;
                let place = self.eval(frame, place, item)?[0] % count;
                out[0] = a[place as usize];
            }
            Kind::InsertAt(operands) => {
                let [vector, value, place] = self.eval_all(frame, operands, item)?;
                out = vector;
                out[place[0] as usize % lanes] = value[0];
            }
            Kind::Shuffle(a, b, places) => {
                let count = a.ty.lanes;
                let a = self.eval(frame, a, item)?;
                let b = self.eval(frame, b, item)?;
                for (out, place) in out.iter_mut().zip(places) {
                    *out = if *place < count {
                        a[*place as usize]
                    } else {
                        b[(*place - count) as usize]
                    };
                }
            }
            Kind::Input(index) => {
                let index = self.eval(frame, index, item)?[0] as usize;
                let count = INPUT_BYTES / e.ty.size();
                out = launch::read(&self.memory.input, (index % count) * e.ty.size(), e.ty);
            }
            Kind::Private(array, index) => {
                let index = self.eval(frame, index, item)?[0] as usize;
                let cells = &frame.arrays[*array][item];
                out = cells[index & (cells.len() - 1)];
            }
            Kind::Own(array, index) => {
                let index = self.eval(frame, index, item)?[0];
                let at = self.own_place(*array, item, index);
                out = launch::read(&self.memory.own[*array], at, e.ty);
            }
            Kind::Local(array, index) => {
                let index = self.eval(frame, index, item)?[0];
                let place = (index % self.items.len() as u64) as usize;
                out[0] = self.cells[*array].read(item, place)?;
            }
            Kind::LocalOwn(array) => out[0] = self.cells[*array].read(item, item)?,
        }
        Ok(out)
    }

    fn eval_all<const N: usize>(
        &mut self,
        frame: &Frame<'k>,
        operands: &[Expr; N],
        item: usize,
    ) -> Result<[Lanes; N]> {
        let mut out = [[0; 16]; N];
        for (out, operand) in out.iter_mut().zip(operands) {
            *out = self.eval(frame, operand, item)?;
        }
        Ok(out)
    }

    fn builtin(&self, builtin: Builtin, item: usize) -> u64 {
        let place = &self.items[item];
        let count = self.items.len();
        let width = self.width;
        let sub_group = item / width;
        let whole = self.launch.local.iter().product::<u64>() as usize;
        match builtin {
            Builtin::GlobalId(d) => place.global[d as usize],
            Builtin::LocalId(d) => place.local[d as usize],
            Builtin::GroupId(d) => self.number[d as usize],
            Builtin::LocalSize(d) => self.size[d as usize],
            Builtin::EnqueuedLocalSize(d) => self.launch.local[d as usize],
            Builtin::NumGroups(d) => self.launch.group_counts()[d as usize],
            Builtin::GlobalSize(d) => self.launch.global[d as usize],
            Builtin::GlobalOffset(d) => self.launch.offset[d as usize],
            Builtin::GlobalLinearId => place.linear_global,
            Builtin::LocalLinearId => item as u64,
            Builtin::WorkDim => u64::from(self.launch.dims),
            Builtin::SubGroupLocalId => (item % width) as u64,
            Builtin::SubGroupId => sub_group as u64,
            Builtin::SubGroupSize => width.min(count - sub_group * width) as u64,
            Builtin::MaxSubGroupSize => width as u64,
            Builtin::NumSubGroups => count.div_ceil(width) as u64,
            Builtin::NumEnqueuedSubGroups => whole.div_ceil(width) as u64,
        }
    }
}
