//! Where lanes, sub-groups and work-groups come together.
//!
//! What the lanes of a sub-group do among themselves is vector code. Waiting for the work-group is a
//! call at which the function is split later, see [`super::phases`]; an operation over the work-group combines the
//! lanes first, lets the sub-groups exchange one value each, and spreads what comes back.

use super::Refused;
use super::cfg::InstId;
use super::emit::{Emitter, Mask, Repr};
use super::phases::wait_name;
use super::shape::Shape;
use crate::group::{Kind as Op, Reach, Reduction, Source, SyncCall};
use crate::item::{group, item};
use crate::llvm::edit::{IntPredicate, Opcode, RealPredicate, Type, Value};
use crate::translate::{Point, point_name};

/// The synchronisation points of a kernel.
pub struct Points<'k> {
    /// By key.
    pub all: &'k [(u32, Point)],
    /// Bytes of a value slot of an item record.
    pub slot: u64,
    /// Least number of lanes.
    pub least: u32,
}

impl Points<'_> {
    /// The point that a function of this name stands for.
    pub fn find(&self, name: &str) -> Option<&(u32, Point)> {
        name.starts_with("ur.point.")
            .then(|| self.all.iter().find(|(key, _)| point_name(*key) == name))
            .flatten()
    }
}

/// The shape of a point's result, from those of its operands.
pub fn shape(point: &Point, operands: &[Shape]) -> Shape {
    let Point::Operation(call) = point else {
        return Shape::UNIFORM;
    };
    match call.kind {
        Op::Reduce(_, Reach::All) | Op::AllEqual | Op::Ballot | Op::Move(Source::First) => {
            Shape::UNIFORM
        }
        Op::Move(Source::Index) => match operands.last() {
            Some(Shape::Unknown) => Shape::Unknown,
            Some(Shape::Stride(0)) => Shape::UNIFORM,
            _ => Shape::Varying,
        },
        _ => Shape::Varying,
    }
}

impl<'m> Emitter<'_, 'm> {
    fn field(&self, record: usize, offset: i64) -> Value<'m> {
        let offset = self.b.int_type(64).int(offset);
        self.b.ptr_add(self.target.params()[record], offset)
    }

    /// Waits at the point `key`.
    fn wait(&self, key: u32) -> Result<(), Refused> {
        let b = self.b;
        let ty = b.function_type(b.void_type(), &[]);
        let function = b
            .declare(&wait_name(key), ty)
            .ok_or_else(|| Refused::new("a wait without a name"))?;
        function.set_nounwind();
        b.call(ty, function, &[]);
        Ok(())
    }

    /// A synchronisation point.
    pub(super) fn point(
        &mut self,
        id: InstId,
        key: u32,
        point: &Point,
        mask: &Mask<'m>,
    ) -> Result<(), Refused> {
        match point {
            // Lanes go in step.
            Point::SubGroupBarrier => Ok(()),
            Point::GroupBarrier => self.wait(key),
            Point::Operation(call) if call.sub_group => self
                .sub_group(id, call, mask)
                .map(|repr| self.set(id, repr)),
            Point::Operation(call) => self
                .work_group(id, key, call, mask)
                .map(|repr| self.set(id, repr)),
        }
    }

    /// An operation over the work-group.
    fn work_group(
        &mut self,
        id: InstId,
        key: u32,
        call: &SyncCall,
        mask: &Mask<'m>,
    ) -> Result<Repr<'m>, Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let operands = inst.operands.clone();
        let ty = inst.ty;
        if !ty.is_scalar() {
            return Err(Refused::new("an operation on vectors over the work-group"));
        }
        let input = self.field(0, item::SLOTS);
        let output = self.field(0, item::SLOTS + self.points.slot.cast_signed());
        let align = u32::try_from(b.size_of(ty)).unwrap_or(1).min(16);
        let exchange = |this: &mut Self, value: Value<'m>| {
            b.store(value, input, align);
            this.wait(key)?;
            Ok(b.load(ty, output, align))
        };
        match call.kind {
            Op::Reduce(op, Reach::All) => {
                let all = self.vector(operands[0]);
                let own = self.total(op, all, mask);
                Ok(Repr::Scalar(exchange(self, own)?, 0))
            }
            Op::Reduce(op, reach @ (Reach::Inclusive | Reach::Exclusive)) => {
                let all = self.vector(operands[0]);
                let scanned = self.scanned(op, all, mask);
                let last = b.int_type(64).int(i64::from(self.lanes) - 1);
                let total = b.extract_element(scanned, last);
                let before = exchange(self, total)?;
                let own = if reach == Reach::Inclusive {
                    scanned
                } else {
                    self.shifted(op, scanned, false)?
                };
                let before = b.splat(before, self.lanes);
                Ok(Repr::Vector(self.apply(op, before, own)))
            }
            Op::Move(Source::Index) if self.is_uniform(operands[1]) => {
                let all = self.vector(operands[0]);
                let wide = b.int_type(64);
                let index = self.scalar(operands[1]);
                let row = b.load(wide, self.field(1, group::SIZE), 8);
                let step = b.load(b.int_type(32), self.field(1, group::STEP), 4);
                let step = b.cast(Opcode::LLVMZExt, step, wide);
                let x = b.binary(Opcode::LLVMURem, index, row);
                let rows = b.binary(Opcode::LLVMUDiv, index, row);
                let up = b.binary(Opcode::LLVMAdd, row, step);
                let up = b.binary(Opcode::LLVMSub, up, wide.int(1));
                let in_row = b.binary(Opcode::LLVMUDiv, up, step);
                let before = b.binary(Opcode::LLVMMul, rows, in_row);
                let at = b.binary(Opcode::LLVMUDiv, x, step);
                let record = b.binary(Opcode::LLVMAdd, before, at);
                let lane = b.binary(Opcode::LLVMURem, x, step);
                let value = b.extract_element(all, lane);
                // The slot holds the value and, where its structure has it, the number.
                let number = b.size_of(ty).next_multiple_of(8);
                let place = self.field(0, item::SLOTS + number.cast_signed());
                b.store(record, place, 8);
                Ok(Repr::Scalar(exchange(self, value)?, 0))
            }
            _ => Err(Refused::new(format!("{:?} over the work-group", call.kind))),
        }
    }

    /// An operation over the sub-group.
    fn sub_group(
        &mut self,
        id: InstId,
        call: &SyncCall,
        mask: &Mask<'m>,
    ) -> Result<Repr<'m>, Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let operands = inst.operands.clone();
        Ok(match call.kind {
            Op::Elect => {
                let first = self.first(mask);
                let numbers = self.lane_numbers(b.int_type(64), 1);
                let first = b.splat(first, self.lanes);
                Repr::Vector(b.icmp(IntPredicate::LLVMIntEQ, numbers, first))
            }
            Op::Ballot => {
                let votes = self.vector(operands[0]);
                let votes = b.select(mask.lanes, votes, votes.ty().zero());
                let bits = self.bits(votes);
                let wide = b.cast(Opcode::LLVMZExt, bits, b.int_type(128));
                Repr::Scalar(b.cast(Opcode::LLVMBitCast, wide, inst.ty), 0)
            }
            _ if !operands.iter().all(|o| self.is_scalar(*o)) || !inst.ty.is_scalar() => {
                return Err(Refused::new("an operation on vectors over the sub-group"));
            }
            Op::AllEqual => {
                let all = self.vector(operands[0]);
                let first = self.first(mask);
                let first = b.extract_element(all, first);
                let first = b.splat(first, self.lanes);
                let equal = if all.ty().element().is_float() {
                    b.fcmp(RealPredicate::LLVMRealOEQ, all, first)
                } else {
                    b.icmp(IntPredicate::LLVMIntEQ, all, first)
                };
                let differ = b.binary(Opcode::LLVMXor, equal, equal.ty().ones());
                let differ = b.select(mask.lanes, differ, differ.ty().zero());
                let any = self.any(differ);
                Repr::Scalar(b.binary(Opcode::LLVMXor, any, any.ty().ones()), 0)
            }
            Op::Reduce(op, Reach::All) => {
                let all = self.vector(operands[0]);
                Repr::Scalar(self.total(op, all, mask), 0)
            }
            Op::Reduce(op, Reach::Cluster(size)) => {
                let all = self.vector(operands[0]);
                let size = u32::try_from(size).unwrap_or(self.lanes).min(self.lanes);
                Repr::Vector(self.reduced(op, all, mask, size))
            }
            Op::Reduce(op, Reach::Inclusive) => {
                let all = self.vector(operands[0]);
                Repr::Vector(self.scanned(op, all, mask))
            }
            Op::Reduce(op, Reach::Exclusive) => {
                let all = self.vector(operands[0]);
                let scanned = self.scanned(op, all, mask);
                Repr::Vector(self.shifted(op, scanned, true)?)
            }
            Op::Move(Source::First) => {
                let all = self.vector(operands[0]);
                let first = self.first(mask);
                Repr::Scalar(b.extract_element(all, first), 0)
            }
            Op::Move(Source::Index) if self.is_uniform(operands[1]) => {
                let all = self.vector(operands[0]);
                let index = self.scalar(operands[1]);
                // Beyond the last lane is nothing; whatever comes must not be poison.
                let last = index.ty().int(i64::from(self.lanes) - 1);
                let index = b.binary(Opcode::LLVMAnd, index, last);
                Repr::Scalar(b.extract_element(all, index), 0)
            }
            Op::Move(source) => self.moved(id, source, mask)?,
        })
    }

    fn is_scalar(&self, operand: super::cfg::Operand<'m>) -> bool {
        match operand {
            super::cfg::Operand::Inst(id) => self.f.insts[id].ty.is_scalar(),
            super::cfg::Operand::Constant(value) => value.ty().is_scalar(),
            super::cfg::Operand::Param(_) => true,
        }
    }

    /// Number of the first lane, in 64 bits.
    fn first(&self, mask: &Mask<'m>) -> Value<'m> {
        let b = self.b;
        let bits = self.bits(mask.lanes);
        let ty = bits.ty();
        let first = b.call_intrinsic("llvm.cttz", &[ty], &[bits, b.int_type(1).zero()]);
        let wide = b.int_type(64);
        let first = if ty == wide {
            first
        } else {
            b.cast(Opcode::LLVMZExt, first, wide)
        };
        // The mask is not empty where this is looked at.
        b.binary(Opcode::LLVMAnd, first, wide.int(i64::from(self.lanes) - 1))
    }

    /// Values that lanes get from others, by way of memory.
    fn moved(&mut self, id: InstId, source: Source, mask: &Mask<'m>) -> Result<Repr<'m>, Refused> {
        let b = self.b;
        let inst = &self.f.insts[id];
        let operands = inst.operands.clone();
        let ty = inst.ty;
        let stored = self.stored_type(ty);
        let pair = matches!(source, Source::UpInto | Source::DownInto);
        let count = u64::from(self.lanes) * if pair { 2 } else { 1 };
        let memory = self.passing_memory(stored.array(count));
        let align = u32::try_from(b.size_of(stored)).unwrap_or(1).min(16);
        for (at, operand) in operands[..operands.len() - 1].iter().enumerate() {
            let all = self.vector(*operand);
            let (all, _) = self.storable(all, ty);
            let first = b.int_type(64).int(at as i64 * i64::from(self.lanes));
            let place = b.gep(stored, memory, &[first], None);
            b.store(all, place, align);
        }
        let wide = b.int_type(64);
        let by = self.vector(operands[operands.len() - 1]);
        let numbers = self.lane_numbers(wide, 1);
        let splat = |n: i64| b.splat(wide.int(n), self.lanes);
        let lanes = i64::from(self.lanes);
        let from = match source {
            Source::Index | Source::First => by,
            Source::Xor => b.binary(Opcode::LLVMXor, numbers, by),
            Source::Up => b.binary(Opcode::LLVMSub, numbers, by),
            Source::Down => b.binary(Opcode::LLVMAdd, numbers, by),
            Source::Rotate(size) => {
                // Round within clusters; within those that there are if it is the whole sub-group.
                let size = if size == 0 {
                    let place = self.field(0, item::SUB_GROUP_SIZE);
                    let size = b.load(b.int_type(32), place, 4);
                    b.splat(b.cast(Opcode::LLVMZExt, size, wide), self.lanes)
                } else {
                    splat(size.cast_signed())
                };
                let place = b.binary(Opcode::LLVMURem, numbers, size);
                let base = b.binary(Opcode::LLVMSub, numbers, place);
                let moved = b.binary(Opcode::LLVMAdd, place, by);
                let moved = b.binary(Opcode::LLVMURem, moved, size);
                b.binary(Opcode::LLVMAdd, base, moved)
            }
            Source::Quad => {
                let base = b.binary(Opcode::LLVMAnd, numbers, splat(!3));
                b.binary(Opcode::LLVMAdd, base, by)
            }
            Source::QuadSwap => {
                let bits = b.binary(Opcode::LLVMAdd, by, splat(1));
                b.binary(Opcode::LLVMXor, numbers, bits)
            }
            // The vectors stand one behind the other.
            Source::UpInto => {
                let moved = b.binary(Opcode::LLVMSub, numbers, by);
                b.binary(Opcode::LLVMAdd, moved, splat(lanes))
            }
            Source::DownInto => b.binary(Opcode::LLVMAdd, numbers, by),
        };
        let last = splat(count.cast_signed() - 1);
        let from = b.binary(Opcode::LLVMAnd, from, last);
        let from = b.select(mask.lanes, from, from.ty().zero());
        let address = b.gep(stored, memory, &[from], None);
        let all_ty = self.vector_of(stored);
        let align = b.int_type(32).int(i64::from(align));
        let value = b.call_intrinsic(
            "llvm.masked.gather",
            &[all_ty, address.ty()],
            &[address, align, mask.lanes, all_ty.zero()],
        );
        let value = if stored == ty {
            value
        } else {
            b.cast(Opcode::LLVMTrunc, value, self.vector_of(ty))
        };
        Ok(Repr::Vector(value))
    }

    /// The reduction of all lanes, by halves.
    fn total(&self, op: Reduction, all: Value<'m>, mask: &Mask<'m>) -> Value<'m> {
        let b = self.b;
        let mut all = self.filled(op, all, mask);
        let mut count = self.lanes;
        while count > 2 {
            let half = |from: u32| {
                let order: Vec<u32> = (from..from + count / 2).collect();
                b.shuffle(all, all.ty().poison(), &order)
            };
            all = self.apply(op, half(0), half(count / 2));
            count /= 2;
        }
        let [low, high] = [0, 1].map(|lane| b.extract_element(all, b.int_type(64).int(lane)));
        self.apply(op, low, high)
    }

    /// The reduction of clusters of lanes, in all lanes of each.
    fn reduced(&self, op: Reduction, all: Value<'m>, mask: &Mask<'m>, cluster: u32) -> Value<'m> {
        let mut all = self.filled(op, all, mask);
        let mut far = cluster / 2;
        while far > 0 {
            let order: Vec<u32> = (0..self.lanes).map(|lane| lane ^ far).collect();
            let other = self.b.shuffle(all, all.ty().poison(), &order);
            all = self.apply(op, all, other);
            far /= 2;
        }
        all
    }

    /// The reduction of each lane and those below it.
    fn scanned(&self, op: Reduction, all: Value<'m>, mask: &Mask<'m>) -> Value<'m> {
        let mut all = self.filled(op, all, mask);
        let neutral = self
            .b
            .splat(identity(op, all.ty().element(), false), self.lanes);
        let mut far = 1;
        while far < self.lanes {
            let order: Vec<u32> = (0..self.lanes)
                .map(|lane| {
                    if lane >= far {
                        lane - far
                    } else {
                        self.lanes + lane
                    }
                })
                .collect();
            let other = self.b.shuffle(all, neutral, &order);
            all = self.apply(op, other, all);
            far *= 2;
        }
        all
    }

    /// Each lane's value in the lane above. What comes first changes nothing, or is what is seen of
    /// no values at all.
    fn shifted(&self, op: Reduction, all: Value<'m>, visible: bool) -> Result<Value<'m>, Refused> {
        let neutral = self
            .b
            .splat(identity(op, all.ty().element(), visible), self.lanes);
        let order: Vec<u32> = (0..self.lanes)
            .map(|lane| if lane > 0 { lane - 1 } else { self.lanes })
            .collect();
        Ok(self.b.shuffle(all, neutral, &order))
    }

    /// Values that change nothing in lanes that are not there.
    fn filled(&self, op: Reduction, all: Value<'m>, mask: &Mask<'m>) -> Value<'m> {
        let neutral = self
            .b
            .splat(identity(op, all.ty().element(), false), self.lanes);
        self.b.select(mask.lanes, all, neutral)
    }

    fn apply(&self, op: Reduction, x: Value<'m>, y: Value<'m>) -> Value<'m> {
        let b = self.b;
        let binary = |op| b.binary(op, x, y);
        let call = |name| b.call_intrinsic(name, &[x.ty()], &[x, y]);
        match op {
            Reduction::IAdd => binary(Opcode::LLVMAdd),
            Reduction::FAdd => binary(Opcode::LLVMFAdd),
            Reduction::IMul => binary(Opcode::LLVMMul),
            Reduction::FMul => binary(Opcode::LLVMFMul),
            Reduction::And => binary(Opcode::LLVMAnd),
            Reduction::Or => binary(Opcode::LLVMOr),
            Reduction::Xor => binary(Opcode::LLVMXor),
            Reduction::SMin => call("llvm.smin"),
            Reduction::UMin => call("llvm.umin"),
            Reduction::FMin => call("llvm.minnum"),
            Reduction::SMax => call("llvm.smax"),
            Reduction::UMax => call("llvm.umax"),
            Reduction::FMax => call("llvm.maxnum"),
        }
    }
}

/// What a reduction starts from: if `visible` the value of none, else what changes nothing, not even
/// a zero's sign or a lone NaN.
fn identity(op: Reduction, ty: Type<'_>, visible: bool) -> Value<'_> {
    let top = || i64::MIN >> (64 - ty.bits().min(64));
    match op {
        Reduction::IAdd | Reduction::UMax | Reduction::Or | Reduction::Xor => ty.zero(),
        Reduction::FAdd if visible => ty.real(0.0),
        Reduction::FAdd => ty.real(-0.0),
        Reduction::IMul => ty.int(1),
        Reduction::FMul => ty.real(1.0),
        Reduction::SMin => ty.int(!top()),
        Reduction::SMax => ty.int(top()),
        Reduction::UMin | Reduction::And => ty.int(-1),
        Reduction::FMin if visible => ty.real(f64::INFINITY),
        Reduction::FMax if visible => ty.real(f64::NEG_INFINITY),
        Reduction::FMin | Reduction::FMax => ty.real(f64::NAN),
    }
}
