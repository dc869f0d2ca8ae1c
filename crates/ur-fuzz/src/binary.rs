//! The reader of saved programs.

use crate::memory::{self, Limit};
use ur_adapter_native_cpu::binary::{self, BOUND, BOUND_EXTRA, Saved};

/// What reading a saved program may allocate, as the reader itself says.
pub const LIMIT: Limit = Limit {
    factor: BOUND,
    extra: BOUND_EXTRA,
};

/// Reads a saved program with all that it is made of, once as it is and once with its checksum put
/// right, without which hardly an input would come any further. What is accepted must be the same
/// when it is written and read again.
///
/// # Panics
/// A promise is broken.
pub fn run(data: &[u8]) {
    read(data);
    let mut sealed = data.to_vec();
    binary::seal(&mut sealed);
    if let Some(saved) = read(&sealed) {
        assert_eq!(
            binary::read(&binary::write(&saved)).as_ref(),
            Ok(&saved),
            "writing and reading changes a saved program"
        );
    }
}

/// The program, if the bytes hold one; what its machine code is made of may still be refused.
fn read(data: &[u8]) -> Option<Saved> {
    memory::bounded(LIMIT, data.len(), || {
        let saved = binary::read(data).ok()?;
        let _ = saved.examine();
        Some(saved)
    })
}
