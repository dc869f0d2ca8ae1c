//! Kernels whose work-items never wait for each other: loops around the body, which runs one
//! work-item or, vectorised, as many neighbours in dimension 0 as there are lanes.

use super::{Entry, LANES, VECTOR, item_record, range};
use crate::ir::{FunctionBuilder, Type, Value};
use crate::item::{self, group, launch};
use crate::translate::{KERNEL, Translated};

/// Adds the function that runs groups, work-item by work-item.
pub fn lower(kernel: &Translated, name: &str) {
    groups(kernel, name, false);
}

/// Adds the function that runs groups by calls of the vectorised kernel.
pub fn lower_vector(kernel: &Translated, name: &str) {
    groups(kernel, name, true);
}

/// How many work-items one call of the vectorised kernel runs. It is the number of lanes, unless
/// the launch has ids of 2^31 and more: such work-items run one by one.
pub(super) fn step(kernel: &Translated, fb: &mut FunctionBuilder, at: &Value) -> Value {
    let mut fits = Value::bool(true);
    let mut all = |fb: &mut FunctionBuilder, more: Value| {
        fits = fb.binary("and", &fits, &more);
    };
    for dim in 0..3 {
        let size = item::load(fb, at, launch::GLOBAL_SIZE + 8 * dim, &Type::I64);
        let offset = item::load(fb, at, launch::GLOBAL_OFFSET + 8 * dim, &Type::I64);
        for part in [&size, &offset] {
            let low = fb.icmp("ule", part, &Value::i64(launch::SMALL));
            all(fb, low);
        }
    }
    let lanes = lanes(kernel, fb);
    fb.select(&fits, &lanes, &Value::i64(1))
}

/// As [`step`], for a work-group of this size: its work-items also run one by one if its sub-groups
/// matter and do not end where a row of work-items does.
pub(super) fn step_in_group(
    kernel: &Translated,
    fb: &mut FunctionBuilder,
    step: &Value,
    [x, y, z]: &[Value; 3],
) -> Value {
    if !kernel.sub_groups {
        return step.clone();
    }
    let rows = fb.binary("mul", y, z);
    let one = fb.icmp("eq", &rows, &Value::i64(1));
    let rest = fb.binary("urem", x, step);
    let whole = fb.icmp("eq", &rest, &Value::i64(0));
    let fits = fb.binary("or", &one, &whole);
    fb.select(&fits, step, &Value::i64(1))
}

/// Calls of the vectorised kernel that a row of `x` work-items takes.
pub(super) fn calls_in_row(fb: &mut FunctionBuilder, x: &Value, step: &Value) -> Value {
    let up = fb.binary("add", x, step);
    let up = fb.binary("sub", &up, &Value::i64(1));
    fb.binary("udiv", &up, step)
}

/// The number of lanes, which the vectoriser decides on.
fn lanes(kernel: &Translated, fb: &mut FunctionBuilder) -> Value {
    let place = kernel.ir.extern_global(LANES, &Type::I64);
    fb.load(&Type::I64, &place, 8)
}

fn groups(kernel: &Translated, name: &str, vector: bool) {
    let (mut entry, first, last) = Entry::new(kernel, name);
    let lanes = kernel.sub_group_size;
    let record = Type::array(&Type::I8, 128);
    let item_rec = entry.fb.alloca(&record, 1, 16);
    let group_rec = entry.fb.alloca(&record, 1, 16);
    let scratch = entry.scratch.clone();
    // No suspended work-items: in scratch are only private variables that are large.
    let large = i64::try_from(super::large_bytes(kernel)).unwrap_or(i64::MAX);
    let end = entry.fb.ptr_add(&scratch, &Value::i64(large));
    item::store(&mut entry.fb, &group_rec, group::SCRATCH, &scratch);
    item::store(&mut entry.fb, &group_rec, group::SCRATCH_END, &end);
    if large > 0 {
        item::store(&mut entry.fb, &item_rec, item::item::PRIVATE, &scratch);
    }

    let launched = entry.launch.clone();
    let step = vector.then(|| step(kernel, &mut entry.fb, &launched));
    let args = entry.args.clone();
    entry.each_group([&first, &last], &group_rec.clone(), lanes, |fb, sizes| {
        let step = step.map(|step| step_in_group(kernel, fb, &step, sizes));
        let zero = Value::i64(0);
        range(fb, &zero, &sizes[2], |fb, z| {
            range(fb, &zero, &sizes[1], |fb, y| {
                let row = fb.binary("mul nuw", z, &sizes[1]);
                let row = fb.binary("add nuw", &row, y);
                let row = fb.binary("mul nuw", &row, &sizes[0]);
                let records = [item_rec.clone(), group_rec.clone(), args.clone()];
                let Some(step) = &step else {
                    range(fb, &zero, &sizes[0], |fb, x| {
                        let linear = fb.binary("add nuw", &row, x);
                        item_record(fb, &item_rec, &group_rec, [x, y, z], &linear, lanes, None);
                        fb.call(KERNEL, &Type::Void, &records);
                    });
                    return;
                };
                let calls = calls_in_row(fb, &sizes[0], step);
                range(fb, &zero, &calls, |fb, call| {
                    let x = fb.binary("mul nuw", call, step);
                    let linear = fb.binary("add nuw", &row, &x);
                    item_record(fb, &item_rec, &group_rec, [&x, y, z], &linear, lanes, None);
                    let left = fb.binary("sub", &sizes[0], &x);
                    let count = fb.intrinsic_same("umin", &[left, step.clone()]);
                    let count = fb.int_cast(&count, &Type::I32, false);
                    let [item, group, args] = records.clone();
                    fb.call(VECTOR, &Type::Void, &[item, group, args, count]);
                });
            });
        });
    });
}
