//! What a failed assertion of a kernel says.

use std::ffi::{CStr, c_char};
use std::io::Write;

/// Writes to the standard error stream which assertion failed where, as SYCL's runtimes word it.
/// `ids` are three global and three local ids.
///
/// The process goes on: a library must not end it, and the other work-items are well.
///
/// # Safety
/// The texts must be null or zero-terminated strings; `ids` must hold six numbers.
pub(super) unsafe extern "C" fn assert_failed(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    ids: *const u64,
) {
    let text = |at: *const c_char| {
        if at.is_null() {
            return "<unknown>".into();
        }
        // SAFETY: as the caller promises.
        unsafe { CStr::from_ptr(at) }.to_string_lossy()
    };
    // SAFETY: as the caller promises.
    let ids = unsafe { std::slice::from_raw_parts(ids, 6) };
    let message = render(&text(expression), &text(file), line, &text(function), ids);
    // Nobody is left to tell when that fails.
    let _ = std::io::stderr().lock().write_all(message.as_bytes());
}

fn render(expression: &str, file: &str, line: u32, function: &str, ids: &[u64]) -> String {
    let three = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let (global, local) = ids.split_at(ids.len().min(3));
    format!(
        "{file}:{line}: {function}: global id: [{}], local id: [{}] Assertion `{expression}` failed.\n",
        three(global),
        three(local)
    )
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn a_message_names_the_place_and_the_work_item() {
        assert_eq!(
            render("x > 0", "a.cpp", 7, "run", &[1, 2, 3, 4, 5, 6]),
            "a.cpp:7: run: global id: [1,2,3], local id: [4,5,6] Assertion `x > 0` failed.\n"
        );
    }
}
