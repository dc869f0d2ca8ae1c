//! Makes a translated kernel executable: builds the function that runs work-groups.
//!
//! A kernel whose work-items never wait becomes a loop over them, or over vectors of them; one that
//! synchronises runs its work-items as coroutines, in rounds, and vectorised in phases.

mod coroutine;
mod phases;
mod plain;
mod wrap;

use crate::error::Result;
use crate::ir::{FunctionBuilder, Linkage, Type, Value};
use crate::item::{self, group, launch};
use crate::translate::Translated;

/// Name of the exported function that gives the size of a suspended work-item, for kernels that
/// synchronise: `extern "C" fn() -> u64`.
pub const FRAME_SIZE: &str = "ur.frame_size";

/// Name of the vectorised kernel: `(item record of the first work-item, group record, argument block,
/// number of work-items)`. For a kernel that waits the function that runs a phase of a work-group:
/// `(records, group record, argument block, number of records, key)`, which gives the next key.
pub const VECTOR: &str = "ur.vector";

/// Name of the constant with the distance in bytes of the records of a vectorised kernel that waits.
pub const STRIDE: &str = "ur.stride";

/// Name of the constant with the number of its lanes.
pub const LANES: &str = "ur.lanes";

/// Adds the function called `entry`, as [`lower`] does, for a kernel that is going to be vectorised:
/// it calls [`VECTOR`], which the vectoriser defines.
///
/// # Errors
/// As [`lower`].
pub fn lower_vector(kernel: &Translated, entry: &str) -> Result<()> {
    let groups = |name: &str| {
        if kernel.waits_for_group() {
            phases::lower(kernel, name);
        } else {
            plain::lower_vector(kernel, name);
        }
        Ok(())
    };
    if wrap::is_needed(kernel) {
        wrap::lower(kernel, entry, groups)
    } else {
        groups(entry)
    }
}

/// Adds the function called `entry`, of type [`ur_jit_abi::GroupsFn`], to the translated kernel's
/// module.
pub fn lower(kernel: &Translated, entry: &str) -> Result<()> {
    let groups = |name: &str| {
        if kernel.sync {
            coroutine::lower(kernel, name)
        } else {
            plain::lower(kernel, name);
            Ok(())
        }
    };
    if wrap::is_needed(kernel) {
        wrap::lower(kernel, entry, groups)
    } else {
        groups(entry)
    }
}

/// Bytes of an item record in front of the suspended state: fields, two value slots for a kernel
/// with group operations, and large private variables.
pub fn record_bytes(kernel: &Translated) -> u64 {
    let fields = u64::try_from(item::item::SLOTS).unwrap_or(0);
    let slots = if kernel.calls.is_empty() && kernel.points.is_empty() {
        0
    } else {
        2 * kernel.slot
    };
    (fields + slots).next_multiple_of(kernel.frame_align) + large_bytes(kernel)
}

/// Bytes of a work-item's private variables in the scratch memory: for a kernel that synchronises
/// the last ones of the item record.
pub fn large_bytes(kernel: &Translated) -> u64 {
    kernel.large_size.next_multiple_of(kernel.frame_align)
}

/// The parameters of the function that runs groups, and the loop over them.
struct Entry {
    fb: FunctionBuilder,
    launch: Value,
    args: Value,
    local: Value,
    scratch: Value,
}

impl Entry {
    /// Starts the function.
    fn new(kernel: &Translated, name: &str) -> (Self, Value, Value) {
        let params = [
            Type::PTR,
            Type::PTR,
            Type::I64,
            Type::I64,
            Type::PTR,
            Type::PTR,
        ];
        let mut fb =
            FunctionBuilder::new(&kernel.ir, name, Linkage::External, &Type::Void, &params);
        fb.attribute("nounwind");
        fb.param_attributes(0, "noalias readonly");
        fb.param_attributes(1, "noalias readonly");
        let (first, last) = (fb.param(2), fb.param(3));
        let entry = Self {
            launch: fb.param(0),
            args: fb.param(1),
            local: fb.param(4),
            scratch: fb.param(5),
            fb,
        };
        (entry, first, last)
    }

    /// Runs `body` for every work-group from number `first` to before `last`, with its size in each
    /// dimension, when its record is filled, and ends the function.
    fn each_group(
        mut self,
        [first, last]: [&Value; 2],
        record: &Value,
        lanes: u32,
        body: impl FnOnce(&mut FunctionBuilder, &[Value; 3]),
    ) {
        let fb = &mut self.fb;
        let (groups, group, done) = (fb.block("groups"), fb.block("group"), fb.block("done"));
        let count = fb.binary("sub", last, first);
        let before = fb.current();
        fb.br(groups);
        fb.switch_to(groups);
        let index = fb.phi(&Type::I64);
        fb.add_incoming(&index, &Value::i64(0), before);
        let more = fb.icmp("ult", &index.value, &count);
        fb.cond_br(&more, group, done);
        fb.switch_to(group);
        let number = fb.binary("add", first, &index.value);
        let sizes = self.group_record(record, &number, lanes);
        let fb = &mut self.fb;
        body(fb, &sizes);
        let following = fb.binary("add nuw", &index.value, &Value::i64(1));
        let latch = fb.current();
        fb.add_incoming(&index, &following, latch);
        fb.br(groups);
        fb.switch_to(done);
        fb.ret(None);
        self.fb.finish();
    }

    /// Fills the group record for the work-group with linear number `number`, and returns its size
    /// in each dimension.
    fn group_record(&mut self, record: &Value, number: &Value, lanes: u32) -> [Value; 3] {
        let fb = &mut self.fb;
        item::store(fb, record, group::LAUNCH, &self.launch);
        item::store(fb, record, group::LOCAL, &self.local);
        let frame = fb.intrinsic("frameaddress", &[&Type::PTR], &Type::PTR, &[Value::i32(0)]);
        item::store(fb, record, group::STACK_TOP, &frame);
        let counts: Vec<Value> = (0..2)
            .map(|dim| item::load(fb, &self.launch, launch::GROUP_COUNT + 8 * dim, &Type::I64))
            .collect();
        let x = fb.binary("urem", number, &counts[0]);
        let rest = fb.binary("udiv", number, &counts[0]);
        let y = fb.binary("urem", &rest, &counts[1]);
        let z = fb.binary("udiv", &rest, &counts[1]);
        let mut count = Value::i64(1);
        let mut sizes = Vec::with_capacity(3);
        for (dim, id) in (0..3i64).zip([x, y, z]) {
            let full = item::load(fb, &self.launch, launch::LOCAL_SIZE + 8 * dim, &Type::I64);
            let global = item::load(fb, &self.launch, launch::GLOBAL_SIZE + 8 * dim, &Type::I64);
            let start = fb.binary("mul nuw", &id, &full);
            let left = fb.binary("sub nuw", &global, &start);
            // The last group of a dimension may be smaller.
            let size = fb.intrinsic_same("umin", &[full, left]);
            let offset = item::load(
                fb,
                &self.launch,
                launch::GLOBAL_OFFSET + 8 * dim,
                &Type::I64,
            );
            let first = fb.binary("add", &start, &offset);
            item::store(fb, record, group::FIRST + 8 * dim, &first);
            item::store(fb, record, group::GROUP_ID + 8 * dim, &id);
            item::store(fb, record, group::SIZE + 8 * dim, &size);
            count = fb.binary("mul nuw", &count, &size);
            sizes.push(size);
        }
        item::store(fb, record, group::COUNT, &count);
        let up = fb.binary("add", &count, &Value::i64(i64::from(lanes) - 1));
        let sub_groups = fb.binary("udiv", &up, &Value::i64(i64::from(lanes)));
        let sub_groups = fb.int_cast(&sub_groups, &Type::I32, false);
        item::store(fb, record, group::SUB_GROUPS, &sub_groups);
        [sizes[0].clone(), sizes[1].clone(), sizes[2].clone()]
    }
}

/// Fills an item record: its fields, or those that are in `fields`, a value as in [`item::FIELDS`].
fn item_record(
    fb: &mut FunctionBuilder,
    record: &Value,
    group_record: &Value,
    local_id: [&Value; 3],
    linear: &Value,
    lanes: u32,
    fields: Option<&Value>,
) {
    for (dim, id) in (0..3i64).zip(local_id) {
        store_if_read(fb, fields, record, item::item::LOCAL_ID + 8 * dim, id);
    }
    store_if_read(fb, fields, record, item::item::LINEAR, linear);
    let lanes = Value::i64(i64::from(lanes));
    let sub_group = fb.binary("udiv", linear, &lanes);
    let lane = fb.binary("urem", linear, &lanes);
    let count = item::load(fb, group_record, group::COUNT, &Type::I64);
    let start = fb.binary("mul nuw", &sub_group, &lanes);
    let left = fb.binary("sub", &count, &start);
    let size = fb.intrinsic_same("umin", &[left, lanes]);
    for (offset, value) in [
        (item::item::SUB_GROUP, sub_group),
        (item::item::LANE, lane),
        (item::item::SUB_GROUP_SIZE, size),
    ] {
        let value = fb.int_cast(&value, &Type::I32, false);
        store_if_read(fb, fields, record, offset, &value);
    }
}

/// Stores a field of an item record, unless it is not in `fields`.
fn store_if_read(
    fb: &mut FunctionBuilder,
    fields: Option<&Value>,
    record: &Value,
    offset: i64,
    value: &Value,
) {
    let Some(fields) = fields else {
        return item::store(fb, record, offset, value);
    };
    let bit = Value::int(&Type::I32, item::bit(offset).into());
    let bit = fb.binary("and", fields, &bit);
    let read = fb.icmp("ne", &bit, &Value::i32(0));
    let (store, next) = (fb.block("store"), fb.block("stored"));
    fb.cond_br(&read, store, next);
    fb.switch_to(store);
    item::store(fb, record, offset, value);
    fb.br(next);
    fb.switch_to(next);
}

/// Loops over all numbers from `first` below `last`.
fn range(
    fb: &mut FunctionBuilder,
    first: &Value,
    last: &Value,
    body: impl FnOnce(&mut FunctionBuilder, &Value),
) {
    let count = fb.binary("sub", last, first);
    let start = first.clone();
    fb.for_each(&count, |fb, index| {
        let number = fb.binary("add", &start, index);
        body(fb, &number);
    });
}
