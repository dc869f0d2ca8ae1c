//! What a driver has beyond the loader: extensions by their names, and functions of its own.

#![allow(non_snake_case, reason = "the names of Level Zero")]

use super::constants::*;
use super::functions::Functions;
use super::structs::*;
use super::types::*;
use std::ffi::{CStr, c_char, c_void};

/// Declares the functions that are asked of the driver, each with its type.
macro_rules! of_driver {
    ($($(#[$doc:meta])* $name:ident: fn($($arg:ty),* $(,)?);)*) => {
        /// Functions of a driver that the loader does not pass on. Handles for them are the driver's
        /// own ([`to_driver`]).
        #[derive(Debug, Default)]
        pub struct DriverFunctions {
            $(
                $(#[$doc])*
                pub $name: Option<unsafe extern "C" fn($($arg),*) -> ze_result_t>,
            )*
        }

        impl DriverFunctions {
            /// Looks all of them up.
            ///
            /// # Safety
            /// A live driver of the library.
            pub unsafe fn of(api: &Functions, driver: ze_driver_handle_t) -> Self {
                Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0").as_bytes();
                        let name = CStr::from_bytes_with_nul(name).unwrap_or_default();
                        // SAFETY: forwarded; what is found is null or of this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($arg),*) -> ze_result_t>,
                            >(address(api, driver, name))
                        }
                    },)*
                }
            }
        }
    };
}

of_driver! {
    /// Lets the device reach memory of the program's at its own address.
    zexDriverImportExternalPointer: fn(ze_driver_handle_t, *mut c_void, usize);
    /// Ends what `zexDriverImportExternalPointer` began.
    zexDriverReleaseImportedPointer: fn(ze_driver_handle_t, *mut c_void);
    /// The driver's version as a text: the room in bytes, or what is needed.
    zeIntelGetDriverVersionString: fn(ze_driver_handle_t, *mut c_char, *mut usize);
}

/// The address of a function of a driver; null if it has none of that name.
///
/// # Safety
/// A live driver of the library.
unsafe fn address(api: &Functions, driver: ze_driver_handle_t, name: &CStr) -> *mut c_void {
    let Some(get) = api.later.zeDriverGetExtensionFunctionAddress else {
        return std::ptr::null_mut();
    };
    let mut address = std::ptr::null_mut();
    // SAFETY: a live driver, a terminated name, a place of ours.
    let code = unsafe { get(driver, name.as_ptr(), &raw mut address) };
    if code == ZE_RESULT_SUCCESS {
        address
    } else {
        std::ptr::null_mut()
    }
}

/// The driver's own handle for one of the loader's, which differ if the loader has several drivers or
/// layers. `kind` is one of the `ZEL_HANDLE_` numbers.
///
/// # Safety
/// A live handle of that kind.
pub unsafe fn to_driver(api: &Functions, kind: u32, handle: *mut c_void) -> *mut c_void {
    let Some(translate) = api.later.zelLoaderTranslateHandle else {
        return handle;
    };
    let mut own = std::ptr::null_mut();
    // SAFETY: forwarded; a place of ours.
    let code = unsafe { translate(kind, handle, &raw mut own) };
    if code == ZE_RESULT_SUCCESS && !own.is_null() {
        own
    } else {
        handle
    }
}

/// A list that Level Zero gives in two calls: one for the number, one for the values, which begin as
/// `first` says. None if it gives none.
pub fn list<T: Copy>(first: T, get: impl Fn(*mut u32, *mut T) -> ze_result_t) -> Vec<T> {
    let mut count = 0;
    if get(&raw mut count, std::ptr::null_mut()) != ZE_RESULT_SUCCESS {
        return Vec::new();
    }
    let mut values = vec![first; count as usize];
    if count == 0 || get(&raw mut count, values.as_mut_ptr()) != ZE_RESULT_SUCCESS {
        return Vec::new();
    }
    values.truncate(count as usize);
    values
}

/// The extensions of a driver.
///
/// # Safety
/// A live driver of the library.
pub unsafe fn extensions(api: &Functions, driver: ze_driver_handle_t) -> Vec<Box<str>> {
    let none = ze_driver_extension_properties_t {
        name: [0; 256],
        version: 0,
    };
    let all = list(none, |count, values| {
        // SAFETY: a live driver; the places are as `list` says.
        unsafe { (api.zeDriverGetExtensionProperties)(driver, count, values) }
    });
    all.iter().map(|one| one.name().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_as_many_values_as_the_second_call_gives() {
        let get = |count: *mut u32, values: *mut u8| {
            // SAFETY: the list's places.
            unsafe {
                if values.is_null() {
                    *count = 3;
                } else {
                    *count = 2;
                    values.write(7);
                }
            }
            ZE_RESULT_SUCCESS
        };
        assert_eq!(list(1, get), [7, 1]);
        assert!(list(1, |_, _| ZE_RESULT_ERROR_DEVICE_LOST).is_empty());
    }
}
