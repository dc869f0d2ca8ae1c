//! The bound on memory is one that can be broken.

use ur_fuzz::{memory, spirv};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

#[test]
#[should_panic(expected = "are allowed")]
fn too_much_memory_is_noticed() {
    let bytes = memory::bounded(spirv::LIMIT, 1, || vec![1u8; 3 << 20]);
    assert_eq!(bytes.len(), 3 << 20);
}
