//! The pass over the records of a group that computes an operation's results.

use super::{Kind, Reach, Reduction, Source, SyncCall};
use crate::ir::{FunctionBuilder, Linkage, ModuleBuilder, Type, Value};
use crate::item;

/// Alignment of slots in bytes, which the widest vectors exceed.
const SLOT_ALIGN: u64 = 16;

/// Partial sums of a float reduction over a whole group. One sum of 256 floats after the other loses
/// more digits than a program that expects a tree allows for; this many come close to a tree.
const PARTS: u64 = 16;

/// What the pass walks over.
struct Walk {
    records: Value,
    stride: Value,
    count: Value,
    key: Value,
    slot: u64,
    /// Whether all take part, for sub-groups.
    in_step: Option<Value>,
}

impl Walk {
    /// The record of item `index`.
    fn record(&self, fb: &mut FunctionBuilder, index: &Value) -> Value {
        let offset = fb.binary("mul", index, &self.stride);
        fb.ptr_add(&self.records, &offset)
    }

    /// Whether the item of that record takes part.
    fn takes_part(&self, fb: &mut FunctionBuilder, record: &Value) -> Value {
        let key = item::load(fb, record, item::item::KEY, &Type::I32);
        let waits = fb.icmp("eq", &key, &self.key);
        match &self.in_step {
            Some(all) => fb.binary("or", all, &waits),
            None => waits,
        }
    }

    /// Runs `body` for each item from `start` up to `end` that takes part, with its number and
    /// record.
    fn each(
        &self,
        fb: &mut FunctionBuilder,
        start: &Value,
        end: &Value,
        body: impl FnOnce(&mut FunctionBuilder, &Value, &Value),
    ) {
        let count = fb.binary("sub", end, start);
        fb.for_each(&count, |fb, i| {
            let index = fb.binary("add", start, i);
            let record = self.record(fb, &index);
            let here = self.takes_part(fb, &record);
            let (serve, next) = (fb.block("serve"), fb.block("next"));
            fb.cond_br(&here, serve, next);
            fb.switch_to(serve);
            body(fb, &index, &record);
            fb.br(next);
            fb.switch_to(next);
        });
    }

    /// As [`Self::each`] over all items.
    fn all(
        &self,
        fb: &mut FunctionBuilder,
        body: impl FnOnce(&mut FunctionBuilder, &Value, &Value),
    ) {
        self.each(fb, &Value::i64(0), &self.count.clone(), body);
    }

    /// Loads an item's input.
    fn input(&self, fb: &mut FunctionBuilder, record: &Value, ty: &Type) -> Value {
        let place = fb.ptr_add(record, &Value::i64(item::item::SLOTS));
        fb.load(ty, &place, ty.align().min(SLOT_ALIGN))
    }

    /// Stores an item's output.
    fn output(&self, fb: &mut FunctionBuilder, record: &Value, value: &Value) {
        let offset = item::item::SLOTS + self.slot as i64;
        let place = fb.ptr_add(record, &Value::i64(offset));
        fb.store(value, &place, value.ty.align().min(SLOT_ALIGN));
    }
}

/// Defines `call`'s function in `module`.
pub(super) fn define(call: &SyncCall, module: &ModuleBuilder, name: &str, slot: u64) {
    let params = [Type::PTR, Type::I64, Type::I64, Type::I32];
    let mut fb = FunctionBuilder::new(module, name, Linkage::Internal, &Type::Void, &params);
    fb.attribute("nounwind");
    let in_step = call.between.then(|| {
        let place = module.extern_global(item::FIELDS, &Type::I32);
        let read = fb.load(&Type::I32, &place, 4);
        let key = Value::int(&Type::I32, item::bit(item::item::KEY).into());
        let key = fb.binary("and", &read, &key);
        fb.icmp("eq", &key, &Value::i32(0))
    });
    let walk = Walk {
        in_step,
        records: fb.param(0),
        stride: fb.param(1),
        count: fb.param(2),
        key: fb.param(3),
        slot,
    };
    match call.kind {
        Kind::Reduce(reduction, reach) => reduce(&mut fb, &walk, call, reduction, reach),
        Kind::Move(source) => shift(&mut fb, &walk, call, source),
        Kind::AllEqual => all_equal(&mut fb, &walk, call),
        Kind::Ballot => ballot(&mut fb, &walk, call),
        Kind::Elect => elect(&mut fb, &walk),
    }
    fb.ret(None);
    fb.finish();
}

/// One variable of the pass.
struct Cell {
    place: Value,
    ty: Type,
}

impl Cell {
    fn new(fb: &mut FunctionBuilder, initial: &Value) -> Cell {
        let ty = initial.ty.clone();
        let place = fb.alloca(&ty, 1, ty.align());
        let cell = Cell { place, ty };
        cell.set(fb, initial);
        cell
    }

    fn get(&self, fb: &mut FunctionBuilder) -> Value {
        fb.load(&self.ty, &self.place, self.ty.align())
    }

    fn set(&self, fb: &mut FunctionBuilder, value: &Value) {
        fb.store(value, &self.place, self.ty.align());
    }
}

impl Reduction {
    /// What an exclusive scan starts from if `visible`, else a value that changes nothing, not even
    /// a zero's sign or a lone NaN.
    fn identity(self, ty: &Type, visible: bool) -> Value {
        let bits = ty.scalar_bits();
        let top = 1i128 << (bits.max(1) - 1);
        match self {
            Reduction::IAdd | Reduction::UMax | Reduction::Or | Reduction::Xor => Value::zero(ty),
            Reduction::FAdd if visible => Value::float(ty, 0.0),
            Reduction::FAdd => Value::float(ty, -0.0),
            Reduction::IMul => Value::int(ty, 1),
            Reduction::FMul => Value::float(ty, 1.0),
            Reduction::SMin => Value::int(ty, top - 1),
            Reduction::SMax => Value::int(ty, top),
            Reduction::UMin | Reduction::And => Value::int(ty, -1),
            Reduction::FMin if visible => Value::float(ty, f64::INFINITY),
            Reduction::FMax if visible => Value::float(ty, f64::NEG_INFINITY),
            Reduction::FMin | Reduction::FMax => Value::float(ty, f64::NAN),
        }
    }

    /// Emits the reduction of two values.
    fn apply(self, fb: &mut FunctionBuilder, a: &Value, b: &Value) -> Value {
        let both = [a.clone(), b.clone()];
        match self {
            Reduction::IAdd => fb.binary("add", a, b),
            Reduction::FAdd => fb.binary("fadd", a, b),
            Reduction::IMul => fb.binary("mul", a, b),
            Reduction::FMul => fb.binary("fmul", a, b),
            Reduction::SMin => fb.intrinsic_same("smin", &both),
            Reduction::UMin => fb.intrinsic_same("umin", &both),
            Reduction::FMin => fb.intrinsic_same("minnum", &both),
            Reduction::SMax => fb.intrinsic_same("smax", &both),
            Reduction::UMax => fb.intrinsic_same("umax", &both),
            Reduction::FMax => fb.intrinsic_same("maxnum", &both),
            Reduction::And => fb.binary("and", a, b),
            Reduction::Or => fb.binary("or", a, b),
            Reduction::Xor => fb.binary("xor", a, b),
        }
    }
}

fn reduce(
    fb: &mut FunctionBuilder,
    walk: &Walk,
    call: &SyncCall,
    reduction: Reduction,
    reach: Reach,
) {
    let ty = &call.input;
    let start = reduction.identity(ty, reach == Reach::Exclusive);
    let sum = Cell::new(fb, &start);
    let step = |fb: &mut FunctionBuilder, record: &Value| -> (Value, Value) {
        let before = sum.get(fb);
        let value = walk.input(fb, record, ty);
        let after = reduction.apply(fb, &before, &value);
        sum.set(fb, &after);
        (before, after)
    };
    match reach {
        Reach::Inclusive | Reach::Exclusive => walk.all(fb, |fb, _, record| {
            let (before, after) = step(fb, record);
            let result = if reach == Reach::Inclusive {
                after
            } else {
                before
            };
            walk.output(fb, record, &result);
        }),
        Reach::All if matches!(reduction, Reduction::FAdd | Reduction::FMul) => {
            let total = in_parts(fb, walk, reduction, ty);
            walk.all(fb, |fb, _, record| walk.output(fb, record, &total));
        }
        Reach::All => {
            walk.all(fb, |fb, _, record| {
                step(fb, record);
            });
            let total = sum.get(fb);
            walk.all(fb, |fb, _, record| walk.output(fb, record, &total));
        }
        Reach::Cluster(size) => {
            let size = Value::int(&Type::I64, size.into());
            let last = fb.binary("sub", &size, &Value::i64(1));
            let clusters = fb.binary("add", &walk.count, &last);
            let clusters = fb.binary("udiv", &clusters, &size);
            fb.for_each(&clusters, |fb, cluster| {
                let from = fb.binary("mul", cluster, &size);
                let to = fb.binary("add", &from, &size);
                let to = fb.intrinsic_same("umin", &[to, walk.count.clone()]);
                sum.set(fb, &start);
                walk.each(fb, &from, &to, |fb, _, record| {
                    step(fb, record);
                });
                let total = sum.get(fb);
                walk.each(fb, &from, &to, |fb, _, record| {
                    walk.output(fb, record, &total);
                });
            });
        }
    }
}

/// The reduction of all items by [`PARTS`] partial ones, which take the items in turn.
fn in_parts(fb: &mut FunctionBuilder, walk: &Walk, reduction: Reduction, ty: &Type) -> Value {
    let parts = fb.alloca(ty, PARTS, ty.align());
    let size = Value::int(&Type::I64, ty.size().into());
    let place = |fb: &mut FunctionBuilder, number: &Value| {
        let offset = fb.binary("mul", number, &size);
        fb.ptr_add(&parts, &offset)
    };
    let start = reduction.identity(ty, false);
    fb.for_each(&Value::int(&Type::I64, PARTS.into()), |fb, number| {
        let part = place(fb, number);
        fb.store(&start, &part, ty.align());
    });
    let turn = Cell::new(fb, &Value::i64(0));
    walk.all(fb, |fb, _, record| {
        let number = turn.get(fb);
        let next = fb.binary("add", &number, &Value::i64(1));
        turn.set(fb, &next);
        let last = Value::int(&Type::I64, i128::from(PARTS) - 1);
        let number = fb.binary("and", &number, &last);
        let part = place(fb, &number);
        let before = fb.load(ty, &part, ty.align());
        let value = walk.input(fb, record, ty);
        let after = reduction.apply(fb, &before, &value);
        fb.store(&after, &part, ty.align());
    });
    let mut values: Vec<Value> = (0..PARTS)
        .map(|number| {
            let part = place(fb, &Value::int(&Type::I64, number.into()));
            fb.load(ty, &part, ty.align())
        })
        .collect();
    while values.len() > 1 {
        let upper = values.split_off(values.len() / 2);
        for (value, other) in values.iter_mut().zip(&upper) {
            *value = reduction.apply(fb, value, other);
        }
    }
    values.swap_remove(0)
}

/// The number of the first item that takes part.
fn first(fb: &mut FunctionBuilder, walk: &Walk) -> Value {
    let lowest = Cell::new(fb, &walk.count);
    walk.all(fb, |fb, index, _| {
        let known = lowest.get(fb);
        let lower = fb.intrinsic_same("umin", &[known, index.clone()]);
        lowest.set(fb, &lower);
    });
    lowest.get(fb)
}

/// The number of the item that `index` gets its value from, and which of its two values that is.
fn origin(
    fb: &mut FunctionBuilder,
    walk: &Walk,
    source: Source,
    width: u32,
    index: &Value,
    by: &Value,
) -> (Value, Option<Value>) {
    let width = Value::i64(width.into());
    let four = Value::i64(!3);
    let from = match source {
        Source::Index | Source::First => by.clone(),
        Source::Xor => fb.binary("xor", index, by),
        Source::Up => fb.binary("sub", index, by),
        Source::Down => fb.binary("add", index, by),
        Source::Rotate(size) => {
            let size = match size {
                0 => walk.count.clone(),
                n => Value::int(&Type::I64, n.into()),
            };
            let place = fb.binary("urem", index, &size);
            let base = fb.binary("sub", index, &place);
            let moved = fb.binary("add", &place, by);
            let moved = fb.binary("urem", &moved, &size);
            fb.binary("add", &base, &moved)
        }
        Source::Quad => {
            let base = fb.binary("and", index, &four);
            fb.binary("add", &base, by)
        }
        Source::QuadSwap => {
            // 0 is across, 1 down, 2 diagonal: bits 1, 2 and both.
            let bits = fb.binary("add", by, &Value::i64(1));
            fb.binary("xor", index, &bits)
        }
        Source::UpInto => {
            // The first value is the one below.
            let moved = fb.binary("sub", index, by);
            let below = fb.icmp("slt", &moved, &Value::i64(0));
            let wrapped = fb.binary("add", &moved, &width);
            let second = fb.not(&below);
            return (fb.select(&below, &wrapped, &moved), Some(second));
        }
        Source::DownInto => {
            let moved = fb.binary("add", index, by);
            let above = fb.icmp("uge", &moved, &width);
            let wrapped = fb.binary("sub", &moved, &width);
            return (fb.select(&above, &wrapped, &moved), Some(above));
        }
    };
    (from, None)
}

fn shift(fb: &mut FunctionBuilder, walk: &Walk, call: &SyncCall, source: Source) {
    if source == Source::First {
        let lowest = first(fb, walk);
        walk.all(fb, |fb, _, record| {
            // There is an item, so there is a first one.
            let from = walk.record(fb, &lowest);
            let value = walk.input(fb, &from, &call.input);
            walk.output(fb, record, &value);
        });
        return;
    }
    let pair = matches!(source, Source::UpInto | Source::DownInto);
    let by_member = if pair { 2 } else { 1 };
    walk.all(fb, |fb, index, record| {
        let own = walk.input(fb, record, &call.input);
        let by = fb.extract_value(&own, &[by_member]);
        let (from, second) = origin(fb, walk, source, call.width, index, &by);
        // An item that is not there gives nothing; the own value is as good as any other.
        let inside = fb.icmp("ult", &from, &walk.count);
        let from = fb.select(&inside, &from, index);
        let other = walk.record(fb, &from);
        let there = walk.takes_part(fb, &other);
        let other = fb.select(&there, &other, record);
        let operands = walk.input(fb, &other, &call.input);
        let mut value = fb.extract_value(&operands, &[0]);
        if let Some(second) = second {
            let alternative = fb.extract_value(&operands, &[1]);
            value = fb.select(&second, &alternative, &value);
        }
        walk.output(fb, record, &value);
    });
}

fn all_equal(fb: &mut FunctionBuilder, walk: &Walk, call: &SyncCall) {
    let lowest = first(fb, walk);
    let same = Cell::new(fb, &Value::bool(true));
    walk.all(fb, |fb, _, record| {
        let from = walk.record(fb, &lowest);
        let wanted = walk.input(fb, &from, &call.input);
        let value = walk.input(fb, record, &call.input);
        let mut equal = if value.ty.is_float() {
            fb.fcmp("oeq", &value, &wanted)
        } else {
            fb.icmp("eq", &value, &wanted)
        };
        if equal.ty.is_vector() {
            let ty = equal.ty.clone();
            equal = fb.intrinsic("vector.reduce.and", &[&ty], &Type::I1, &[equal]);
        }
        let known = same.get(fb);
        let both = fb.binary("and", &known, &equal);
        same.set(fb, &both);
    });
    let result = same.get(fb);
    walk.all(fb, |fb, _, record| walk.output(fb, record, &result));
}

fn ballot(fb: &mut FunctionBuilder, walk: &Walk, call: &SyncCall) {
    let wide = Type::Int(128);
    let votes = Cell::new(fb, &Value::zero(&wide));
    walk.all(fb, |fb, index, record| {
        let vote = walk.input(fb, record, &Type::I1);
        let vote = fb.int_cast(&vote, &wide, false);
        let by = fb.int_cast(index, &wide, false);
        let bit = fb.binary("shl", &vote, &by);
        let known = votes.get(fb);
        let all = fb.binary("or", &known, &bit);
        votes.set(fb, &all);
    });
    let all = votes.get(fb);
    let result = fb.bitcast(&all, &call.output);
    walk.all(fb, |fb, _, record| walk.output(fb, record, &result));
}

fn elect(fb: &mut FunctionBuilder, walk: &Walk) {
    let lowest = first(fb, walk);
    walk.all(fb, |fb, index, record| {
        let chosen = fb.icmp("eq", index, &lowest);
        walk.output(fb, record, &chosen);
    });
}
