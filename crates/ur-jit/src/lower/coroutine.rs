//! Kernels that synchronise: every work-item is a coroutine.
//!
//! The kernel's function suspends at each synchronisation point after writing the point's key into
//! its item record. The driver built here starts all work-items of a work-group and then proceeds in
//! rounds: a round of the work-group resumes the work-items that wait for it, sub-group by sub-group,
//! and runs each sub-group until none of its work-items waits for the sub-group any more. A work-item
//! that has returned is no longer counted. Where work-items wait at different points, those at the
//! lowest go first: points are numbered in program order, so those behind in a loop catch up.

use std::collections::HashMap;

use super::{Entry, FRAME_SIZE, item_record, range, record_bytes};
use crate::error::Result;
use crate::group::SyncCall;
use crate::ir::{FunctionBuilder, Linkage, Type, Value};
use crate::item::{self, group, item as field};
use crate::translate::{KERNEL, KEY_GROUP, Translated};

/// Stands for no key at all.
pub(super) const NONE: i128 = 0xffff_ffff;

/// Name of the function that resumes some work-items of a sub-group.
const RESUME: &str = "ur.resume";

/// Adds the function that runs groups, and what it needs.
pub fn lower(kernel: &Translated, name: &str) -> Result<()> {
    frame_size(kernel);
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
    let args = [place.clone(), null.clone(), null.clone(), null];
    // The first call declares it. Inlined, LLVM could think that the state is the driver's own affair.
    fb.call_attributes(
        KERNEL,
        &Type::PTR,
        &args,
        "nounwind noinline presplitcoroutine",
    );
    let size = fb.load(&Type::I64, &place, 8);
    fb.ret(Some(&size));
    fb.finish();
}

/// `i64 resume(ptr records, i64 stride, i64 count, i32 key)`: resumes every work-item that waits with
/// that key, and returns the lowest key of a work-item that then waits for its sub-group (low half)
/// and of one that waits for the work-group (high half), [`NONE`] where there is none.
fn resume(kernel: &Translated) {
    let params = [Type::PTR, Type::I64, Type::I64, Type::I32];
    let mut fb = FunctionBuilder::new(&kernel.ir, RESUME, Linkage::Internal, &Type::I64, &params);
    fb.attribute("nounwind");
    let [records, stride, count, wanted] = [0, 1, 2, 3].map(|i| fb.param(i));
    let none = Value::int(&Type::I32, NONE);
    let group_keys = Value::int(&Type::I32, i128::from(KEY_GROUP));
    let lowest = [0, 1].map(|_| {
        let place = fb.alloca(&Type::I32, 1, 4);
        fb.store(&none, &place, 4);
        place
    });
    fb.for_each(&count, |fb, index| {
        let offset = fb.binary("mul nuw", index, &stride);
        let record = fb.ptr_add(&records, &offset);
        let key = item::load(fb, &record, field::KEY, &Type::I32);
        let waits = fb.icmp("eq", &key, &wanted);
        let (run, next) = (fb.block("run"), fb.block("next"));
        fb.cond_br(&waits, run, next);
        fb.switch_to(run);
        let handle = item::load(fb, &record, field::HANDLE, &Type::PTR);
        fb.call("llvm.coro.resume", &Type::Void, &[handle]);
        fb.br(next);
        fb.switch_to(next);
        let key = item::load(fb, &record, field::KEY, &Type::I32);
        let for_group = fb.icmp("uge", &key, &group_keys);
        let done = fb.icmp("eq", &key, &Value::i32(0));
        let other = fb.select(&done, &none, &key);
        let keys = [
            fb.select(&for_group, &none, &other),
            fb.select(&for_group, &key, &none),
        ];
        for (place, key) in lowest.iter().zip(keys) {
            let old = fb.load(&Type::I32, place, 4);
            let new = fb.intrinsic_same("umin", &[old, key]);
            fb.store(&new, place, 4);
        }
    });
    let [low, high] = lowest.map(|place| {
        let key = fb.load(&Type::I32, &place, 4);
        fb.int_cast(&key, &Type::I64, false)
    });
    let high = fb.binary("shl", &high, &Value::i64(32));
    let both = fb.binary("or", &low, &high);
    fb.ret(Some(&both));
    fb.finish();
}

/// Carries out the operation that the work-items with this key wait for, if it is one: records,
/// stride, count and key are those that are about to be resumed.
pub(super) fn combine(
    kernel: &Translated,
    fb: &mut FunctionBuilder,
    calls: &[(u32, SyncCall)],
    sub_group: bool,
    scope: [&Value; 4],
) {
    let calls: Vec<_> = calls
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
    let large = i128::from(super::large_bytes(kernel));
    let frame = entry.fb.call(FRAME_SIZE, &Type::I64, &[]);
    let align = i128::from(kernel.frame_align);
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

    let args = entry.args.clone();
    entry.each_group([&first, &last], &group_rec.clone(), lanes, |fb, sizes| {
        let size = item::load(fb, &group_rec, group::COUNT, &Type::I64);
        let bytes = fb.binary("mul nuw", &size, &stride);
        let end = fb.ptr_add(&items, &bytes);
        item::store(fb, &group_rec, group::SCRATCH, &items);
        item::store(fb, &group_rec, group::SCRATCH_END, &end);

        // Every work-item starts and goes as far as its first synchronisation point.
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
                    item_record(fb, &record, &group_rec, [x, y, z], &linear, lanes, None);
                    if kernel.large_size > 0 {
                        let large = Value::int(&Type::I64, header - large);
                        let large = fb.ptr_add(&record, &large);
                        item::store(fb, &record, field::PRIVATE, &large);
                    }
                    let frame = fb.ptr_add(&record, &Value::int(&Type::I64, header));
                    let operands = [record.clone(), group_rec.clone(), args.clone(), frame];
                    let handle = fb.call(KERNEL, &Type::PTR, &operands);
                    item::store(fb, &record, field::HANDLE, &handle);
                });
            });
        });

        // Rounds of the work-group. In the first one nobody waits with the key.
        let none = Value::int(&Type::I32, NONE);
        let place = fb.alloca(&Type::I32, 1, 4);
        fb.store(&none, &place, 4);
        let (round, again, next) = (fb.block("round"), fb.block("again"), fb.block("next"));
        fb.br(round);
        fb.switch_to(round);
        let key = fb.load(&Type::I32, &place, 4);
        combine(
            kernel,
            fb,
            &kernel.calls,
            false,
            [&items, &stride, &size, &key],
        );
        fb.store(&none, &place, 4);
        // Where nobody waits for a sub-group, the work-group is one.
        let (width, sub_groups) = if kernel.sub_group_sync {
            let count = item::load(fb, &group_rec, group::SUB_GROUPS, &Type::I32);
            let count = fb.int_cast(&count, &Type::I64, false);
            (Value::i64(i64::from(lanes)), count)
        } else {
            (size.clone(), Value::i64(1))
        };
        fb.for_each(&sub_groups, |fb, sub_group| {
            let start = fb.binary("mul nuw", sub_group, &width);
            let left = fb.binary("sub", &size, &start);
            let count = fb.intrinsic_same("umin", &[left, width.clone()]);
            let offset = fb.binary("mul nuw", &start, &stride);
            let records = fb.ptr_add(&items, &offset);
            let scope = [&records, &stride, &count, &key];
            sub_group_rounds(kernel, fb, scope, &place);
        });
        let following = fb.load(&Type::I32, &place, 4);
        let finished = fb.icmp("eq", &following, &none);
        fb.cond_br(&finished, next, again);
        fb.switch_to(again);
        fb.br(round);

        fb.switch_to(next);
    });
}

/// Resumes the work-items of a sub-group that wait with a key, then runs rounds of the sub-group
/// until none of its work-items waits for it. Lowers the key in `place` to the lowest of a work-item
/// that waits for the work-group.
fn sub_group_rounds(
    kernel: &Translated,
    fb: &mut FunctionBuilder,
    [records, stride, count, key]: [&Value; 4],
    place: &Value,
) {
    let none = Value::int(&Type::I32, NONE);
    let resume = |fb: &mut FunctionBuilder, key: &Value| {
        let args = [records.clone(), stride.clone(), count.clone(), key.clone()];
        let both = fb.call(RESUME, &Type::I64, &args);
        let low = fb.cast("trunc", &both, &Type::I32);
        let high = fb.binary("lshr", &both, &Value::i64(32));
        let high = fb.cast("trunc", &high, &Type::I32);
        (low, high)
    };
    let (mut low, mut high) = resume(fb, key);
    if kernel.sub_group_sync {
        let (head, inner, out) = (fb.block("inner"), fb.block("turn"), fb.block("out"));
        let before = fb.current();
        fb.br(head);
        fb.switch_to(head);
        let waiting = fb.phi(&Type::I32);
        let for_group = fb.phi(&Type::I32);
        fb.add_incoming(&waiting, &low, before);
        fb.add_incoming(&for_group, &high, before);
        let idle = fb.icmp("eq", &waiting.value, &none);
        fb.cond_br(&idle, out, inner);
        fb.switch_to(inner);
        let scope = [records, stride, count, &waiting.value];
        combine(kernel, fb, &kernel.calls, true, scope);
        (low, high) = resume(fb, &waiting.value);
        let latch = fb.current();
        fb.add_incoming(&waiting, &low, latch);
        fb.add_incoming(&for_group, &high, latch);
        fb.br(head);
        fb.switch_to(out);
        high = for_group.value;
    }
    let old = fb.load(&Type::I32, place, 4);
    let new = fb.intrinsic_same("umin", &[old, high]);
    fb.store(&new, place, 4);
}
