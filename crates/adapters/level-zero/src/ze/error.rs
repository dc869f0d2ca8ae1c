//! What Level Zero's errors are in the API.

use super::constants::*;
use super::types::ze_result_t;
use ur_adapter::{Error, Result};
use ur_api::*;

macro_rules! errors {
    ($($name:ident => $result:ident,)*) => {
        /// Level Zero's error, what it is in the API, and its name.
        const ERRORS: &[(ze_result_t, ur_result_t, &str)] =
            &[$(($name, $result, stringify!($name)),)*];
    };
}

// What the API has no code for is `UR_RESULT_ERROR_UNKNOWN`. Calls for which an error means more than
// its name says look at the driver's number.
errors! {
    ZE_RESULT_ERROR_DEVICE_LOST => UR_RESULT_ERROR_DEVICE_LOST,
    ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => UR_RESULT_ERROR_OUT_OF_HOST_MEMORY,
    ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY => UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
    ZE_RESULT_ERROR_MODULE_BUILD_FAILURE => UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE,
    ZE_RESULT_ERROR_MODULE_LINK_FAILURE => UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
    ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET => UR_RESULT_ERROR_DEVICE_REQUIRES_RESET,
    ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE => UR_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE,
    ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS => UR_RESULT_ERROR_DEVICE_NOT_AVAILABLE,
    ZE_RESULT_ERROR_NOT_AVAILABLE => UR_RESULT_ERROR_DEVICE_NOT_AVAILABLE,
    ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE => UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE,
    ZE_RESULT_ERROR_UNINITIALIZED => UR_RESULT_ERROR_UNINITIALIZED,
    ZE_RESULT_ERROR_UNSUPPORTED_VERSION => UR_RESULT_ERROR_UNSUPPORTED_VERSION,
    ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
    ZE_RESULT_ERROR_INVALID_ARGUMENT => UR_RESULT_ERROR_INVALID_ARGUMENT,
    ZE_RESULT_ERROR_INVALID_NULL_HANDLE => UR_RESULT_ERROR_INVALID_NULL_HANDLE,
    ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE => UR_RESULT_ERROR_INVALID_OPERATION,
    ZE_RESULT_ERROR_INVALID_NULL_POINTER => UR_RESULT_ERROR_INVALID_NULL_POINTER,
    ZE_RESULT_ERROR_INVALID_SIZE => UR_RESULT_ERROR_INVALID_SIZE,
    ZE_RESULT_ERROR_UNSUPPORTED_SIZE => UR_RESULT_ERROR_UNSUPPORTED_SIZE,
    ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT => UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
    ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT => UR_RESULT_ERROR_INVALID_EVENT,
    ZE_RESULT_ERROR_INVALID_ENUMERATION => UR_RESULT_ERROR_INVALID_ENUMERATION,
    ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION => UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
    ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT => UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
    ZE_RESULT_ERROR_INVALID_NATIVE_BINARY => UR_RESULT_ERROR_INVALID_NATIVE_BINARY,
    ZE_RESULT_ERROR_INVALID_GLOBAL_NAME => UR_RESULT_ERROR_INVALID_GLOBAL_NAME,
    ZE_RESULT_ERROR_INVALID_KERNEL_NAME => UR_RESULT_ERROR_INVALID_KERNEL_NAME,
    ZE_RESULT_ERROR_INVALID_FUNCTION_NAME => UR_RESULT_ERROR_INVALID_KERNEL_NAME,
    ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION => UR_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
    ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION =>
        UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION,
    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX => UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE => UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
    ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE =>
        UR_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE,
    ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED => UR_RESULT_ERROR_PROGRAM_UNLINKED,
    ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE => UR_RESULT_ERROR_INVALID_OPERATION,
    ZE_RESULT_ERROR_OVERLAPPING_REGIONS => UR_RESULT_ERROR_OVERLAPPING_REGIONS,
    ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE => UR_RESULT_ERROR_INVALID_KERNEL,
}

/// Turns a result of Level Zero into one of the API.
///
/// # Errors
/// Any result but `ZE_RESULT_SUCCESS`; it comes along as the driver's own number.
#[inline]
pub fn check(code: ze_result_t) -> Result {
    if code == ZE_RESULT_SUCCESS {
        return Ok(());
    }
    Err(failed(code))
}

/// What an error of Level Zero is in the API.
#[cold]
pub fn failed(code: ze_result_t) -> Error {
    let known = ERRORS.iter().find(|(number, ..)| *number == code);
    let error = match known {
        Some((_, result, name)) => Error::new(*result, *name),
        None => Error::new(UR_RESULT_ERROR_UNKNOWN, "an error of the driver"),
    };
    error.with_native(code.cast_signed())
}

/// The name of a result of Level Zero, or its number.
pub fn name(code: ze_result_t) -> String {
    match ERRORS.iter().find(|(number, ..)| *number == code) {
        Some((.., name)) => (*name).to_owned(),
        None => format!("{code:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_listed_once_and_found() {
        for (index, (number, result, name)) in ERRORS.iter().enumerate() {
            let before = &ERRORS[..index];
            assert!(before.iter().all(|(other, ..)| other != number), "{name}");
            let error = failed(*number);
            let native = number.cast_signed();
            assert_eq!((error.code, error.native), (*result, native), "{name}");
        }
        assert_eq!(check(ZE_RESULT_SUCCESS), Ok(()));
        assert_eq!(failed(0x7123_4567).code, UR_RESULT_ERROR_UNKNOWN);
        assert_eq!(failed(0x7123_4567).native, 0x7123_4567);
        assert_eq!(name(0x7123_4567), "0x71234567");
    }

    /// Those of the parameters have the numbers from 0x78000001 on.
    #[test]
    fn no_error_of_the_parameters_is_missing() {
        for number in 0x7800_0001..=0x7800_001a {
            assert_ne!(failed(number).code, UR_RESULT_ERROR_UNKNOWN, "{number:#x}");
        }
    }
}
