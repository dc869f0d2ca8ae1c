//! Kernels that synchronise: every work-item is a coroutine.
//!
//! The kernel's function suspends at each synchronisation point after writing the point's key into
//! its item record. The driver built here starts all work-items of a work-group, each of which stops
//! at once, and then proceeds in rounds: a round of the work-group resumes the work-items that wait
//! for it, sub-group by sub-group, and runs each sub-group until none of its work-items waits for
//! the sub-group any more. A work-item that has returned is no longer counted.

use std::collections::HashMap;

use super::{Entry, FRAME_SIZE, item_record, range, record_bytes};
use crate::error::Result;
use crate::ir::{FunctionBuilder, Linkage, Type, Value};
use crate::item::{self, group, item as field};
use crate::translate::{KERNEL, KEY_GROUP, Translated};

/// Name of the function that resumes some work-items of a sub-group.
const RESUME: &str = "ur.resume";

/// Name of the function that finds the lowest key of some work-items.
const LOWEST: &str = "ur.lowest";

/// Adds the function that runs groups, and what it needs.
pub fn lower(kernel: &Translated, name: &str) -> Result<()> {
    frame_size(kernel);
    lowest(kernel);
    resume(kernel);
    run_groups(kernel, name);
    Ok(())
}

/// The exported function that gives the size of a suspended work-item.
fn frame_size(kernel: &Translated) {
    let mut fb = FunctionBuilder::new(&kernel.ir, FRAME_SIZE, Linkage::External, &Type::I64, &[]);
    fb.attribute("nounwind");
    let place = fb.alloca(&Type::I64, 1, 8);
    let null = Value::zero(&Type::PTR);
    fb.call(
        KERNEL,
        &Type::PTR,
        &[place.clone(), null.clone(), null.clone(), null],
    );
    let size = fb.load(&Type::I64, &place, 8);
    fb.ret(Some(&size));
    fb.finish();
}

/// `i32 lowest(ptr items, i64 stride, i64 count, i32 from, i32 to)`: the lowest key of the item
/// records that is at least `from` and less than `to`, or 0 if there is none.
fn lowest(kernel: &Translated) {
    let params = [Type::PTR, Type::I64, Type::I64, Type::I32, Type::I32];
    let mut fb = FunctionBuilder::new(&kernel.ir, LOWEST, Linkage::Internal, &Type::I32, &params);
    fb.attribute("nounwind");
    let [items, stride, count, from, to] = [0, 1, 2, 3, 4].map(|i| fb.param(i));
    let best = fb.alloca(&Type::I32, 1, 4);
    fb.store(&to, &best, 4);
    fb.for_each(&count, |fb, index| {
        let offset = fb.binary("mul nuw", index, &stride);
        let record = fb.ptr_add(&items, &offset);
        let key = item::load(fb, &record, field::KEY, &Type::I32);
        let old = fb.load(&Type::I32, &best, 4);
        let lower = fb.icmp("ult", &key, &old);
        let enough = fb.icmp("uge", &key, &from);
        let take = fb.binary("and", &lower, &enough);
        let new = fb.select(&take, &key, &old);
        fb.store(&new, &best, 4);
    });
    let found = fb.load(&Type::I32, &best, 4);
    let none = fb.icmp("eq", &found, &to);
    let result = fb.select(&none, &Value::i32(0), &found);
    fb.ret(Some(&result));
    fb.finish();
}

/// `void resume(ptr items, i64 stride, i64 count, i32 key)`: resumes every work-item that waits with
/// that key.
fn resume(kernel: &Translated) {
    let params = [Type::PTR, Type::I64, Type::I64, Type::I32];
    let mut fb = FunctionBuilder::new(&kernel.ir, RESUME, Linkage::Internal, &Type::Void, &params);
    fb.attribute("nounwind");
    let [items, stride, count, wanted] = [0, 1, 2, 3].map(|i| fb.param(i));
    fb.for_each(&count, |fb, index| {
        let offset = fb.binary("mul nuw", index, &stride);
        let record = fb.ptr_add(&items, &offset);
        let key = item::load(fb, &record, field::KEY, &Type::I32);
        let waits = fb.icmp("eq", &key, &wanted);
        let (run, next) = (fb.block("run"), fb.block("next"));
        fb.cond_br(&waits, run, next);
        fb.switch_to(run);
        let handle = item::load(fb, &record, field::HANDLE, &Type::PTR);
        fb.call("llvm.coro.resume", &Type::Void, &[handle]);
        fb.br(next);
        fb.switch_to(next);
    });
    fb.ret(None);
    fb.finish();
}

/// Carries out the operation that the work-items with this key wait for, if it is one: records,
/// stride, count and key are those that are about to be resumed.
fn combine(kernel: &Translated, fb: &mut FunctionBuilder, sub_group: bool, scope: [&Value; 4]) {
    let calls: Vec<_> = kernel
        .calls
        .iter()
        .filter(|(_, call)| call.sub_group == sub_group)
        .collect();
    if calls.is_empty() {
        return;
    }
    let after = fb.block("combined");
    let start = fb.current();
    let mut cases = Vec::with_capacity(calls.len());
    let mut blocks = HashMap::new();
    for (key, call) in calls {
        let name = call.combine(&kernel.ir, kernel.slot);
        let block = *blocks.entry(name.clone()).or_insert_with(|| {
            let block = fb.block("combine");
            fb.switch_to(block);
            fb.call(&name, &Type::Void, &scope.map(Value::clone));
            fb.br(after);
            block
        });
        cases.push((Value::int(&Type::I32, i128::from(*key)), block));
    }
    fb.switch_to(start);
    fb.switch(scope[3], after, &cases);
    fb.switch_to(after);
}

/// The function of type `GroupsFn`.
fn run_groups(kernel: &Translated, name: &str) {
    let (mut entry, first, last) = Entry::new(kernel, name);
    let lanes = kernel.sub_group_size;
    let header = i128::from(record_bytes(kernel));
    let frame = entry.fb.call(FRAME_SIZE, &Type::I64, &[]);
    let align = i128::from(item::RECORD_ALIGN);
    let up = entry
        .fb
        .binary("add", &frame, &Value::int(&Type::I64, align - 1));
    let frame = entry.fb.binary("and", &up, &Value::int(&Type::I64, -align));
    let stride = entry
        .fb
        .binary("add", &frame, &Value::int(&Type::I64, header));
    let group_rec = entry.scratch.clone();
    let group_bytes = Value::int(&Type::I64, i128::from(group::BYTES));
    let items = entry.fb.ptr_add(&group_rec, &group_bytes);

    let (groups, body, done) = (
        entry.fb.block("groups"),
        entry.fb.block("group"),
        entry.fb.block("done"),
    );
    let count = entry.fb.binary("sub", &last, &first);
    let before = entry.fb.current();
    entry.fb.br(groups);
    entry.fb.switch_to(groups);
    let index = entry.fb.phi(&Type::I64);
    entry.fb.add_incoming(&index, &Value::i64(0), before);
    let more = entry.fb.icmp("ult", &index.value, &count);
    entry.fb.cond_br(&more, body, done);
    entry.fb.switch_to(body);
    let number = entry.fb.binary("add", &first, &index.value);
    let sizes = entry.group_record(&group_rec, &number, lanes);
    let ids = entry.first_ids(&group_rec);
    let args = entry.args.clone();

    let fb = &mut entry.fb;
    let size = item::load(fb, &group_rec, group::COUNT, &Type::I64);
    let bytes = fb.binary("mul nuw", &size, &stride);
    let end = fb.ptr_add(&items, &bytes);
    item::store(fb, &group_rec, group::SCRATCH, &items);
    item::store(fb, &group_rec, group::SCRATCH_END, &end);
    item::store(fb, &group_rec, group::ITEMS, &items);
    item::store(fb, &group_rec, group::STRIDE, &stride);

    // Every work-item starts and stops at once.
    let zero = Value::i64(0);
    range(fb, &zero, &sizes[2], |fb, z| {
        range(fb, &zero, &sizes[1], |fb, y| {
            let row = fb.binary("mul nuw", z, &sizes[1]);
            let row = fb.binary("add nuw", &row, y);
            let row = fb.binary("mul nuw", &row, &sizes[0]);
            range(fb, &zero, &sizes[0], |fb, x| {
                let linear = fb.binary("add nuw", &row, x);
                let offset = fb.binary("mul nuw", &linear, &stride);
                let record = fb.ptr_add(&items, &offset);
                item_record(fb, &record, &group_rec, &ids, [x, y, z], &linear, lanes);
                let frame = fb.ptr_add(&record, &Value::int(&Type::I64, header));
                let handle = fb.call(
                    KERNEL,
                    &Type::PTR,
                    &[record.clone(), group_rec.clone(), args.clone(), frame],
                );
                item::store(fb, &record, field::HANDLE, &handle);
            });
        });
    });

    // Rounds of the work-group.
    let (round, resume, next) = (fb.block("round"), fb.block("resume"), fb.block("next"));
    let above = Value::int(&Type::I32, i128::from(KEY_GROUP) << 1);
    let from = Value::int(&Type::I32, i128::from(KEY_GROUP));
    fb.br(round);
    fb.switch_to(round);
    let key = fb.call(
        LOWEST,
        &Type::I32,
        &[
            items.clone(),
            stride.clone(),
            size.clone(),
            from.clone(),
            above,
        ],
    );
    let finished = fb.icmp("eq", &key, &Value::i32(0));
    fb.cond_br(&finished, next, resume);
    fb.switch_to(resume);
    combine(kernel, fb, false, [&items, &stride, &size, &key]);
    let sub_groups = item::load(fb, &group_rec, group::SUB_GROUPS, &Type::I32);
    let sub_groups = fb.int_cast(&sub_groups, &Type::I64, false);
    fb.for_each(&sub_groups, |fb, sub_group| {
        let lanes = Value::i64(i64::from(lanes));
        let start = fb.binary("mul nuw", sub_group, &lanes);
        let left = fb.binary("sub", &size, &start);
        let count = fb.intrinsic_same("umin", &[left, lanes]);
        let offset = fb.binary("mul nuw", &start, &stride);
        let records = fb.ptr_add(&items, &offset);
        let resume_all = |fb: &mut FunctionBuilder, key: &Value| {
            let args = [records.clone(), stride.clone(), count.clone(), key.clone()];
            fb.call(RESUME, &Type::Void, &args);
        };
        resume_all(fb, &key);
        // Rounds of the sub-group.
        let (inner, again, out) = (fb.block("inner"), fb.block("again"), fb.block("out"));
        fb.br(inner);
        fb.switch_to(inner);
        let waiting = fb.call(
            LOWEST,
            &Type::I32,
            &[
                records.clone(),
                stride.clone(),
                count.clone(),
                Value::i32(1),
                from.clone(),
            ],
        );
        let none = fb.icmp("eq", &waiting, &Value::i32(0));
        fb.cond_br(&none, out, again);
        fb.switch_to(again);
        combine(kernel, fb, true, [&records, &stride, &count, &waiting]);
        resume_all(fb, &waiting);
        fb.br(inner);
        fb.switch_to(out);
    });
    fb.br(round);

    fb.switch_to(next);
    let following = fb.binary("add nuw", &index.value, &Value::i64(1));
    let latch = fb.current();
    fb.add_incoming(&index, &following, latch);
    fb.br(groups);
    fb.switch_to(done);
    fb.ret(None);
    entry.fb.finish();
}
