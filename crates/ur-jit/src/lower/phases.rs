//! Vectorised kernels that wait: the work-group runs in phases, from one place where its sub-groups
//! wait to the next.
//!
//! The vectoriser makes the function that runs a phase; the driver built here starts work-groups and
//! carries out what sub-groups do together between two phases. Where sub-groups wait at different
//! places, those at the lowest go first, as work-items do in [`super::coroutine`].

use super::coroutine::{NONE, combine};
use super::plain::{calls_in_row, step, step_in_group};
use super::{Entry, STRIDE, VECTOR, item_record, range, store_if_read};
use crate::ir::{Type, Value};
use crate::item::{self, group, item as field};
use crate::translate::Translated;

/// Adds the function of type `GroupsFn`.
pub fn lower(kernel: &Translated, name: &str) {
    let calls = kernel.between_sub_groups();
    let (mut entry, first, last) = Entry::new(kernel, name);
    let lanes = kernel.sub_group_size;
    let group_rec = entry.scratch.clone();
    let args = entry.args.clone();
    let launched = entry.launch.clone();
    let group_bytes = Value::int(&Type::I64, i128::from(group::BYTES));
    let items = entry.fb.ptr_add(&group_rec, &group_bytes);
    let stride = kernel.ir.extern_global(STRIDE, &Type::I64);
    let stride = entry.fb.load(&Type::I64, &stride, 8);
    let fields = kernel.ir.extern_global(item::FIELDS, &Type::I32);
    let fields = entry.fb.load(&Type::I32, &fields, 4);
    let step = step(kernel, &mut entry.fb, &launched);

    entry.each_group([&first, &last], &group_rec.clone(), lanes, |fb, sizes| {
        let step = step_in_group(kernel, fb, &step, sizes);
        let narrow = fb.int_cast(&step, &Type::I32, false);
        item::store(fb, &group_rec, group::STEP, &narrow);
        let in_row = calls_in_row(fb, &sizes[0], &step);
        let rows = fb.binary("mul nuw", &sizes[1], &sizes[2]);
        let size = fb.binary("mul nuw", &in_row, &rows);
        let bytes = fb.binary("mul nuw", &size, &stride);
        let end = fb.ptr_add(&items, &bytes);
        item::store(fb, &group_rec, group::SCRATCH, &items);
        item::store(fb, &group_rec, group::SCRATCH_END, &end);

        let zero = Value::i64(0);
        let start = Value::int(&Type::I32, i128::from(field::START));
        range(fb, &zero, &sizes[2], |fb, z| {
            range(fb, &zero, &sizes[1], |fb, y| {
                let row = fb.binary("mul nuw", z, &sizes[1]);
                let row = fb.binary("add nuw", &row, y);
                let first = fb.binary("mul nuw", &row, &in_row);
                let row = fb.binary("mul nuw", &row, &sizes[0]);
                range(fb, &zero, &in_row, |fb, at| {
                    let x = fb.binary("mul nuw", at, &step);
                    let linear = fb.binary("add nuw", &row, &x);
                    let number = fb.binary("add nuw", &first, at);
                    let offset = fb.binary("mul nuw", &number, &stride);
                    let record = fb.ptr_add(&items, &offset);
                    let ids = [&x, y, z];
                    item_record(fb, &record, &group_rec, ids, &linear, lanes, Some(&fields));
                    let left = fb.binary("sub", &sizes[0], &x);
                    let count = fb.intrinsic_same("umin", &[left, step.clone()]);
                    let count = fb.int_cast(&count, &Type::I32, false);
                    item::store(fb, &record, field::ITEMS, &count);
                    store_if_read(fb, Some(&fields), &record, field::KEY, &start);
                });
            });
        });

        let phase = fb.block("phase");
        let before = fb.current();
        fb.br(phase);
        fb.switch_to(phase);
        let key = fb.phi(&Type::I32);
        fb.add_incoming(&key, &start, before);
        combine(
            kernel,
            fb,
            &calls,
            false,
            [&items, &stride, &size, &key.value],
        );
        let operands = [items, group_rec, args, size, key.value.clone()];
        let following = fb.call(VECTOR, &Type::I32, &operands);
        let latch = fb.current();
        fb.add_incoming(&key, &following, latch);
        let finished = fb.icmp("eq", &following, &Value::int(&Type::I32, NONE));
        let next = fb.block("next");
        fb.cond_br(&finished, next, phase);

        fb.switch_to(next);
    });
}
