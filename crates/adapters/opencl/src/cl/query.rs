//! Asking OpenCL.

use super::types::*;
use super::{check, cl_int};
use std::ffi::c_void;
use std::mem::{MaybeUninit, size_of};
use ur_adapter::{Error, Result};
use ur_api::UR_RESULT_ERROR_UNKNOWN;

/// A type of answers: any bytes are a value of it.
///
/// # Safety
/// Every pattern of bytes is a value, and every byte of a value is initialised.
pub unsafe trait Answer: Copy {}

macro_rules! answers {
    ($($type:ty),*) => {$(
        // SAFETY: numbers, handles and pairs of numbers without padding.
        unsafe impl Answer for $type {}
    )*};
}

answers!(
    u8,
    i32,
    u32,
    u64,
    usize,
    isize,
    *mut c_void,
    cl_platform_id,
    cl_device_id,
    cl_context,
    cl_command_queue,
    cl_mem,
    cl_program,
    cl_image_format,
    cl_name_version
);

// SAFETY: an array of such values.
unsafe impl<T: Answer, const N: usize> Answer for [T; N] {}

/// One value. An answer of another size than the value's is refused.
///
/// # Errors
/// What `ask`, which is given size, place and place of the size, returns.
pub fn value<T: Answer>(ask: impl FnOnce(usize, *mut c_void, *mut usize) -> cl_int) -> Result<T> {
    let mut place = MaybeUninit::<T>::zeroed();
    let mut size = 0;
    check(ask(
        size_of::<T>(),
        place.as_mut_ptr().cast(),
        &raw mut size,
    ))?;
    if size != size_of::<T>() {
        return Err(Error::new(
            UR_RESULT_ERROR_UNKNOWN,
            format!("the driver's answer has {size} bytes"),
        ));
    }
    // SAFETY: zero or written by the driver; any bytes are a value.
    Ok(unsafe { place.assume_init() })
}

/// All values of a list.
///
/// # Errors
/// What `ask` returns.
pub fn list<T: Answer>(
    mut ask: impl FnMut(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<Vec<T>> {
    let mut size = 0;
    check(ask(0, std::ptr::null_mut(), &raw mut size))?;
    let count = size / size_of::<T>();
    let mut list = Vec::<T>::new();
    if count == 0 {
        return Ok(list);
    }
    list.try_reserve_exact(count)
        .map_err(|_| Error::code(ur_api::UR_RESULT_ERROR_OUT_OF_HOST_MEMORY))?;
    // SAFETY: the vector has room for so many bytes, zeroed first, so that any count the driver
    // writes leaves values; any bytes are a value.
    unsafe {
        std::ptr::write_bytes(list.as_mut_ptr(), 0, count);
        let mut written = 0;
        check(ask(
            count * size_of::<T>(),
            list.as_mut_ptr().cast(),
            &raw mut written,
        ))?;
        list.set_len(count.min(written / size_of::<T>()));
    }
    Ok(list)
}

/// A text, up to its first zero.
///
/// # Errors
/// What `ask` returns.
pub fn text(ask: impl FnMut(usize, *mut c_void, *mut usize) -> cl_int) -> Result<String> {
    let mut bytes = list::<u8>(ask)?;
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver that has these bytes.
    fn driver(bytes: &[u8]) -> impl FnMut(usize, *mut c_void, *mut usize) -> cl_int {
        move |size, place, told| {
            // SAFETY: the functions under test pass places of that size.
            unsafe {
                told.write(bytes.len());
                if !place.is_null() {
                    if size < bytes.len() {
                        return super::super::CL_INVALID_VALUE;
                    }
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.cast(), bytes.len());
                }
            }
            0
        }
    }

    #[test]
    fn answers_have_their_size() {
        assert_eq!(value::<u32>(driver(&[1, 0, 0, 0])), Ok(1));
        assert!(value::<u32>(driver(&[1, 0])).is_err());
        assert!(value::<u32>(driver(&[1; 8])).is_err());
    }

    #[test]
    fn lists_and_texts() {
        assert_eq!(list::<u8>(driver(&[])), Ok(vec![]));
        assert_eq!(
            list::<u32>(driver(&[1, 0, 0, 0, 2, 0, 0, 0])),
            Ok(vec![1, 2])
        );
        assert_eq!(text(driver(b"abc\0")), Ok("abc".into()));
        assert_eq!(text(driver(b"")), Ok(String::new()));
        assert_eq!(text(driver(b"a\xff\0")), Ok("a\u{fffd}".into()));
    }
}
