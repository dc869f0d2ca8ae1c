//! Answers of info queries as Rust values.

use crate::failure::{Failure, Stop, check};
use crate::ur;
use std::ffi::c_void;
use std::ptr::null_mut;
use ur_api::*;

/// Values that may hold any bits.
///
/// # Safety
/// The type has no padding, and any bits are a value of it.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {
        $(
            // SAFETY: a number, or a transparent struct of one, or a pointer.
            unsafe impl Plain for $name {}
        )*
    };
}

plain!(u8, u32, u64, usize, i32, i64);
plain!(
    ur_device_type_t,
    ur_backend_t,
    ur_queue_flag_t,
    ur_event_status_t,
    ur_command_t,
    ur_execution_info_t,
    ur_usm_type_t,
    ur_profiling_info_t,
    ur_program_build_status_t,
    ur_program_binary_type_t,
    ur_sampler_addressing_mode_t,
    ur_sampler_filter_mode_t,
    ur_device_local_mem_type_t,
    ur_device_partition_t,
);

// SAFETY: any address is a pointer; that it points somewhere is not said.
unsafe impl<T: 'static> Plain for *mut T {}

/// An answer as bytes: asks for the size, then for the value.
///
/// # Errors
/// When one of the two calls does not succeed.
#[track_caller]
pub fn bytes(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> ur_result_t,
) -> Result<Vec<u8>, Failure> {
    let mut size = 0;
    check(call, UR_RESULT_SUCCESS, ask(0, null_mut(), &raw mut size))?;
    // Words, so that the value is aligned whatever it is.
    let mut words = vec![0u64; size.div_ceil(8)];
    if size != 0 {
        let value = words.as_mut_ptr().cast();
        check(call, UR_RESULT_SUCCESS, ask(size, value, null_mut()))?;
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.truncate(size);
    Ok(bytes)
}

/// An answer that is one value.
///
/// # Errors
/// When a call does not succeed, or the answer has another size.
#[track_caller]
pub fn value<T: Plain>(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> ur_result_t,
) -> Result<T, Stop> {
    let all = values::<T>(call, ask)?;
    match all[..] {
        [one] => Ok(one),
        _ => Err(Stop::fail(format_args!(
            "{call} gave {} values instead of one",
            all.len()
        ))),
    }
}

/// An answer that is a list.
///
/// # Errors
/// When a call does not succeed, or the answer is no whole number of values.
#[track_caller]
pub fn values<T: Plain>(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> ur_result_t,
) -> Result<Vec<T>, Stop> {
    let bytes = bytes(call, ask)?;
    if bytes.len() % size_of::<T>() != 0 {
        return Err(Stop::fail(format_args!(
            "{call} gave {} bytes, and values have {}",
            bytes.len(),
            size_of::<T>()
        )));
    }
    let one = |chunk: &[u8]| {
        // SAFETY: there are as many bytes as the value has, and any bits are a value.
        unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }
    };
    Ok(bytes.chunks_exact(size_of::<T>()).map(one).collect())
}

/// An answer that is text, without its end.
///
/// # Errors
/// When a call does not succeed, or the text has no end.
#[track_caller]
pub fn text(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> ur_result_t,
) -> Result<String, Stop> {
    let bytes = bytes(call, ask)?;
    match bytes.split_last() {
        Some((0, text)) => Ok(String::from_utf8_lossy(text).into_owned()),
        _ => Err(Stop::fail(format_args!("{call} gave a text without end"))),
    }
}

/// Value of a query of a device; none where it is not supported.
///
/// # Errors
/// When it is answered in any other way.
#[track_caller]
pub fn of_device<T: Plain>(
    device: ur_device_handle_t,
    query: ur_device_info_t,
) -> Result<Option<T>, Stop> {
    let ask = |size, value, out| ur!(urDeviceGetInfo(device, query, size, value, out));
    let mut size = 0;
    // An older adapter does not know the number of a newer query.
    let unknown = [
        UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
        UR_RESULT_ERROR_INVALID_ENUMERATION,
    ];
    if unknown.contains(&ask(0, null_mut(), &raw mut size)) {
        return Ok(None);
    }
    value("urDeviceGetInfo", ask).map(Some)
}
