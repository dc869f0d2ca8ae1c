//! Kernels whose work-items never wait for each other: loops around the body.

use super::{Entry, item_record, range};
use crate::ir::{Type, Value};
use crate::item::{self, group};
use crate::translate::{KERNEL, Translated};

/// Adds the function that runs groups.
pub fn lower(kernel: &Translated, name: &str) {
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

    let count = entry.fb.binary("sub", &last, &first);
    let groups = entry.fb.block("groups");
    let group_body = entry.fb.block("group");
    let done = entry.fb.block("done");
    let before = entry.fb.current();
    entry.fb.br(groups);
    entry.fb.switch_to(groups);
    let index = entry.fb.phi(&Type::I64);
    entry.fb.add_incoming(&index, &Value::i64(0), before);
    let more = entry.fb.icmp("ult", &index.value, &count);
    entry.fb.cond_br(&more, group_body, done);
    entry.fb.switch_to(group_body);
    let number = entry.fb.binary("add", &first, &index.value);
    let sizes = entry.group_record(&group_rec, &number, lanes);
    let args = entry.args.clone();
    let fb = &mut entry.fb;
    let zero = Value::i64(0);
    range(fb, &zero, &sizes[2], |fb, z| {
        range(fb, &zero, &sizes[1], |fb, y| {
            let row = fb.binary("mul nuw", z, &sizes[1]);
            let row = fb.binary("add nuw", &row, y);
            let row = fb.binary("mul nuw", &row, &sizes[0]);
            range(fb, &zero, &sizes[0], |fb, x| {
                let linear = fb.binary("add nuw", &row, x);
                item_record(fb, &item_rec, &group_rec, [x, y, z], &linear, lanes);
                fb.call(
                    KERNEL,
                    &Type::Void,
                    &[item_rec.clone(), group_rec.clone(), args.clone()],
                );
            });
        });
    });
    let next = entry.fb.binary("add nuw", &index.value, &Value::i64(1));
    let latch = entry.fb.current();
    entry.fb.add_incoming(&index, &next, latch);
    entry.fb.br(groups);
    entry.fb.switch_to(done);
    entry.fb.ret(None);
    entry.fb.finish();
}
