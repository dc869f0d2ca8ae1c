//! The records through which compiled code knows its work-item and its work-group.
//!
//! Every translated function that needs them gets two hidden parameters: a pointer to the record of
//! its work-item and one to the record of the work-group. A kernel without synchronisation has both
//! on the stack, where LLVM turns them into plain values; with synchronisation they stand in the
//! scratch block, one item record for each work-item with its value slots and its suspended state
//! behind it.

use crate::ir::{FunctionBuilder, Type, Value};

/// Fields of the item record: byte offsets.
#[expect(clippy::module_inception, reason = "named as its sibling `group` is")]
pub mod item {
    /// `i32`: 0 for a work-item that is done, else the synchronisation point it waits at.
    pub const KEY: i64 = 0;
    /// Key of a sub-group of a vectorised kernel that has not begun.
    pub const START: u32 = crate::translate::KEY_GROUP;
    /// `i32`: number in the sub-group.
    pub const LANE: i64 = 4;
    /// `ptr`: handle of the suspended work-item.
    pub const HANDLE: i64 = 8;
    /// `i32`, in the record of a vectorised kernel's sub-group: its work-items.
    pub const ITEMS: i64 = 8;
    /// `i32`, in such a record: the place in the code where it waits, of those with its key.
    pub const PLACE: i64 = 12;
    /// `i64` × 3: local id.
    pub const LOCAL_ID: i64 = 16;
    /// `i64`: number in the work-group, x fastest.
    pub const LINEAR: i64 = 40;
    /// `i32`: number of the sub-group in the work-group.
    pub const SUB_GROUP: i64 = 48;
    /// `i32`: work-items in this sub-group.
    pub const SUB_GROUP_SIZE: i64 = 52;
    /// `ptr`: private variables that are too large for a stack.
    pub const PRIVATE: i64 = 56;
    /// Value slots start here, aligned to 16: first the one the item writes, behind it the one it
    /// reads.
    pub const SLOTS: i64 = 64;
}

/// Name of the constant that says, for a vectorised kernel that waits, which fields of its sub-groups'
/// records are read: the [`bit`] of each is set. Where the key is not, all sub-groups always wait at
/// the same place.
pub const FIELDS: &str = "ur.fields";

/// The bit of the field at `offset` in [`FIELDS`].
pub const fn bit(offset: i64) -> u32 {
    1 << (offset / 4)
}

/// Fields of the group record: byte offsets.
pub mod group {
    /// `ptr`: the launch.
    pub const LAUNCH: i64 = 0;
    /// `ptr`: the local block.
    pub const LOCAL: i64 = 8;
    /// `i64` × 3: number of the work-group in each dimension.
    pub const GROUP_ID: i64 = 16;
    /// `i64` × 3: work-items of this work-group in each dimension.
    pub const SIZE: i64 = 40;
    /// `ptr`: end of the stack memory that may hold private variables.
    pub const STACK_TOP: i64 = 64;
    /// `ptr`: start of the scratch memory that may hold private variables.
    pub const SCRATCH: i64 = 72;
    /// `ptr`: end of that memory.
    pub const SCRATCH_END: i64 = 80;
    /// `i32`: sub-groups in this work-group.
    pub const SUB_GROUPS: i64 = 88;
    /// `i32`: work-items that one call of a vectorised kernel runs, when no row ends before.
    pub const STEP: i64 = 92;
    /// `i64` × 3: global id of the first work-item of this work-group.
    pub const FIRST: i64 = 96;
    /// `i64`: work-items in this work-group.
    pub const COUNT: i64 = 120;
    /// Size of the record in bytes.
    pub const BYTES: u64 = 128;
}

/// Fields of [`ur_jit_abi::Launch`]: byte offsets.
pub mod launch {
    /// `u64` × 3.
    pub const GLOBAL_SIZE: i64 = 0;
    /// `u64` × 3.
    pub const GLOBAL_OFFSET: i64 = 24;
    /// `u64` × 3.
    pub const LOCAL_SIZE: i64 = 48;
    /// `u64` × 3.
    pub const GROUP_COUNT: i64 = 72;
    /// Largest size and offset with which all ids are below 2^31.
    pub const SMALL: i64 = 1 << 30;
    /// `u32`.
    pub const WORK_DIM: i64 = 96;
    /// `u32`.
    pub const LOCAL_BYTES: i64 = 100;
}

/// Alignment of item and group records, and of what stands behind an item record, unless a private
/// variable asks for more.
pub const RECORD_ALIGN: u64 = 64;

/// Global id of a work-item in dimension `dim`.
pub fn global_id(fb: &mut FunctionBuilder, item: &Value, group: &Value, dim: i64) -> Value {
    let first = load(fb, group, group::FIRST + 8 * dim, &Type::I64);
    let local = load(fb, item, item::LOCAL_ID + 8 * dim, &Type::I64);
    fb.binary("add", &first, &local)
}

/// Loads a field of a record.
pub fn load(fb: &mut FunctionBuilder, record: &Value, offset: i64, ty: &Type) -> Value {
    let field = fb.ptr_add(record, &Value::i64(offset));
    fb.load(ty, &field, ty.align())
}

/// Stores a field of a record.
pub fn store(fb: &mut FunctionBuilder, record: &Value, offset: i64, value: &Value) {
    let field = fb.ptr_add(record, &Value::i64(offset));
    fb.store(value, &field, value.ty.align());
}

/// Loads a `u64` field of the launch, dimension `dim`.
pub fn launch_field(fb: &mut FunctionBuilder, group: &Value, offset: i64, dim: i64) -> Value {
    let launch = load(fb, group, group::LAUNCH, &Type::PTR);
    load(fb, &launch, offset + 8 * dim, &Type::I64)
}

#[cfg(test)]
mod tests {
    use super::launch;
    use std::mem::offset_of;
    use ur_jit_abi::Launch;

    #[test]
    fn launch_offsets_match_the_interface() {
        let facts = [
            (launch::GLOBAL_SIZE, offset_of!(Launch, global_size)),
            (launch::GLOBAL_OFFSET, offset_of!(Launch, global_offset)),
            (launch::LOCAL_SIZE, offset_of!(Launch, local_size)),
            (launch::GROUP_COUNT, offset_of!(Launch, group_count)),
            (launch::WORK_DIM, offset_of!(Launch, work_dim)),
            (launch::LOCAL_BYTES, offset_of!(Launch, local_bytes)),
        ];
        for (ours, theirs) in facts {
            assert_eq!(ours, i64::try_from(theirs).expect("small"));
        }
    }
}
