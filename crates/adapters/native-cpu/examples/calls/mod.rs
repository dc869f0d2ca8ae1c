//! Calls of the adapter that the examples make.

use std::ptr::null_mut;
use ur_api::*;

/// Calls an entry of a table, which must succeed.
macro_rules! ok {
    ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: every call of the examples passes what the API asks for.
        let outcome = unsafe { (ur_adapter_native_cpu::TABLE.$table.$entry.unwrap())($($arg),*) };
        assert_eq!(outcome, UR_RESULT_SUCCESS);
    }};
}
pub(crate) use ok;

/// An argument that is a USM pointer.
pub fn pointer<T>(index: u32, pointer: *const T) -> ur_exp_kernel_arg_properties_t {
    ur_exp_kernel_arg_properties_t {
        stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
        pNext: null_mut(),
        r#type: UR_EXP_KERNEL_ARG_TYPE_POINTER,
        index,
        size: 8,
        value: ur_exp_kernel_arg_value_t {
            pointer: pointer.cast(),
        },
    }
}
