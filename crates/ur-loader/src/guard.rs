//! What the hand-written entry points share: no panic may leave them, and queries follow one rule.

use std::panic::{AssertUnwindSafe, catch_unwind};
use ur_api::{
    UR_RESULT_ERROR_INVALID_NULL_POINTER, UR_RESULT_ERROR_INVALID_SIZE, UR_RESULT_ERROR_UNKNOWN,
    UR_RESULT_SUCCESS, ur_result_t,
};

/// Runs an entry point's body. A panic, which would be a defect of the loader, becomes UNKNOWN.
pub fn guard(body: impl FnOnce() -> Result<(), ur_result_t>) -> ur_result_t {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => UR_RESULT_SUCCESS,
        Ok(Err(result)) => result,
        Err(_) => UR_RESULT_ERROR_UNKNOWN,
    }
}

/// Answers a query: `answer` goes to `value`, which has room for `size` bytes, and its length to
/// `needed`. Either may be null, not both.
///
/// # Errors
/// INVALID_SIZE when the room is too small, or zero for a value that is wanted;
/// INVALID_NULL_POINTER when both are null, or there is room but no address.
///
/// # Safety
/// `value` is null or has room for `size` bytes; `needed` is null or may be written.
pub unsafe fn answer(
    answer: &[u8],
    size: usize,
    value: *mut u8,
    needed: *mut usize,
) -> Result<(), ur_result_t> {
    if size == 0 && !value.is_null() {
        return Err(UR_RESULT_ERROR_INVALID_SIZE);
    }
    if value.is_null() && (size != 0 || needed.is_null()) {
        return Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    if !value.is_null() {
        if size < answer.len() {
            return Err(UR_RESULT_ERROR_INVALID_SIZE);
        }
        // SAFETY: there is room for `size` bytes, and the caller's memory is not ours.
        unsafe { value.copy_from_nonoverlapping(answer.as_ptr(), answer.len()) };
    }
    if !needed.is_null() {
        // SAFETY: not null, so it may be written.
        unsafe { *needed = answer.len() };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_panic_becomes_a_result() {
        assert_eq!(guard(|| panic!("on purpose")), UR_RESULT_ERROR_UNKNOWN);
        assert_eq!(guard(|| Ok(())), UR_RESULT_SUCCESS);
    }

    #[test]
    fn queries() {
        let mut room = [9u8; 4];
        let mut needed = 0;
        let mut ask = |size, value: bool, length: bool| {
            room = [9; 4];
            needed = 0;
            // SAFETY: room for four bytes, and no test asks for more.
            let result = unsafe {
                answer(
                    &[1, 2],
                    size,
                    if value { room.as_mut_ptr() } else { null_mut() },
                    if length { &raw mut needed } else { null_mut() },
                )
            };
            (result, room, needed)
        };
        assert_eq!(ask(0, false, true), (Ok(()), [9; 4], 2));
        assert_eq!(ask(2, true, true), (Ok(()), [1, 2, 9, 9], 2));
        assert_eq!(ask(4, true, false), (Ok(()), [1, 2, 9, 9], 0));
        assert_eq!(ask(1, true, true).0, Err(UR_RESULT_ERROR_INVALID_SIZE));
        assert_eq!(ask(0, true, true).0, Err(UR_RESULT_ERROR_INVALID_SIZE));
        let null = Err(UR_RESULT_ERROR_INVALID_NULL_POINTER);
        assert_eq!(ask(2, false, true).0, null);
        assert_eq!(ask(0, false, false).0, null);
    }
}
