//! What adapters that are built from our kit offer besides the API.

use crate::library::Library;
use crate::registry::Registry;
use ur_api::attach::{Attached, KIT, KIT_VERSION, Kit};
use ur_api::{
    UR_RESULT_ERROR_INVALID_KERNEL, UR_RESULT_ERROR_UNSUPPORTED_FEATURE, ur_dditable_t,
    ur_kernel_handle_t, ur_result_t,
};

static KNOWN: Registry<&'static Kit> = Registry::new();

/// Remembers what an adapter's library offers, if it does.
pub fn learn(library: &Library) {
    let Some(symbol) = library.symbol(KIT) else {
        return;
    };
    // SAFETY: the symbol is of a static `Kit` in the library, which stays mapped; its version comes
    // first in all of them, and those of this version are as this loader knows them.
    let kit: &'static Kit = unsafe {
        if *symbol.cast::<u32>().as_ptr() != KIT_VERSION {
            return;
        }
        symbol.cast().as_ref()
    };
    remember(kit);
}

/// Remembers what an adapter offers. Not for two threads at once with the same adapter.
pub fn remember(kit: &'static Kit) {
    if of(kit.table).is_none() {
        KNOWN.add(kit);
    }
}

fn of(tables: *const ur_dditable_t) -> Option<&'static Kit> {
    KNOWN.find(|kit| std::ptr::eq(kit.table, tables)).copied()
}

/// Where something can be attached to a kernel.
///
/// # Errors
/// UNSUPPORTED_FEATURE if its adapter offers no place, INVALID_KERNEL if it is no kernel.
///
/// # Safety
/// The handle is that of a live object, and so is the place.
pub unsafe fn place<'a>(kernel: ur_kernel_handle_t) -> Result<&'a Attached, ur_result_t> {
    // SAFETY: a live object begins with the pointer to its adapter's tables.
    let kit = of(unsafe { *kernel.cast::<*const ur_dditable_t>() });
    let kit = kit.ok_or(UR_RESULT_ERROR_UNSUPPORTED_FEATURE)?;
    // SAFETY: the object is live; the place is in it.
    unsafe { (kit.kernel)(kernel).as_ref() }.ok_or(UR_RESULT_ERROR_INVALID_KERNEL)
}
