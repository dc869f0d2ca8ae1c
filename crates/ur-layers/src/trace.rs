//! Tracing: a call is reported before and after it, to the log and to tools of XPTI's.

use crate::{active, switch, xpti};
use std::ffi::{CStr, c_void};
use ur_api::print::Call;
use ur_api::{printed, ur_function_t, ur_result_t};

/// Reports the beginning of a call, runs it and reports its end with its arguments as they are
/// then, and its result.
///
/// # Safety
/// `params` points to the function's struct of arguments, which are as the API says.
pub unsafe fn call(
    function: ur_function_t,
    name: &'static CStr,
    params: *const c_void,
    run: impl FnOnce() -> ur_result_t,
) -> ur_result_t {
    let active = active();
    let event = active.xpti().then(|| xpti::begin(function, name, params));
    if active.log()
        && let Some(outputs) = switch::outputs()
    {
        let name = name.to_str().unwrap_or_default();
        (outputs.trace)(format_args!("   ---> {name}"));
    }
    let result = run();
    if active.log()
        && let Some(outputs) = switch::outputs()
    {
        let name = name.to_str().unwrap_or_default();
        let arguments = Call { function, params };
        // SAFETY: the caller says that the arguments belong to the function.
        let arguments = unsafe { printed(&arguments) };
        (outputs.trace)(format_args!("   <--- {name}({arguments}) -> {result};"));
    }
    if let Some(Some(event)) = event {
        event.end(function, name, params, result);
    }
    result
}
