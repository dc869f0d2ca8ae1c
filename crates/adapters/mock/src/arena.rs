//! Where the memory of the mock's objects comes from.

use std::alloc::Layout;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use ur_api::{UR_RESULT_SUCCESS, ur_result_t};

/// Gives memory of a size and alignment in bytes, null when there is none.
pub type Allocate = unsafe extern "C" fn(size: usize, align: usize) -> *mut u8;
/// Takes memory back that [`Allocate`] gave for the same size and alignment.
pub type Deallocate = unsafe extern "C" fn(memory: *mut u8, size: usize, align: usize);

static HOOKS: RwLock<Option<(Allocate, Deallocate)>> = RwLock::new(None);
static LIVE: AtomicUsize = AtomicUsize::new(0);

fn hooks() -> Option<(Allocate, Deallocate)> {
    *HOOKS.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn allocate(layout: Layout) -> *mut u8 {
    let memory = match hooks() {
        // SAFETY: the test set an allocator that serves any size and alignment.
        Some((allocate, _)) => unsafe { allocate(layout.size(), layout.align()) },
        // SAFETY: an object holds at least its header, so the size is not 0.
        None => unsafe { std::alloc::alloc(layout) },
    };
    if !memory.is_null() {
        LIVE.fetch_add(1, Ordering::Relaxed);
    }
    memory
}

pub(crate) unsafe fn deallocate(memory: *mut u8, layout: Layout) {
    LIVE.fetch_sub(1, Ordering::Relaxed);
    match hooks() {
        // SAFETY: the memory came from this allocator: it is set before the first object.
        Some((_, deallocate)) => unsafe { deallocate(memory, layout.size(), layout.align()) },
        // SAFETY: forwarded from the caller.
        None => unsafe { std::alloc::dealloc(memory, layout) },
    }
}

/// Sets the allocator of all objects made from now on; both null restores the default.
///
/// # Safety
/// No object of the mock is alive, and the functions keep to [`Allocate`] and [`Deallocate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ur_mock_set_allocator(
    allocate: Option<Allocate>,
    deallocate: Option<Deallocate>,
) -> ur_result_t {
    *HOOKS.write().unwrap_or_else(PoisonError::into_inner) = allocate.zip(deallocate);
    UR_RESULT_SUCCESS
}

/// How many objects are alive: created and not yet released for the last time.
#[unsafe(no_mangle)]
pub extern "C" fn ur_mock_live_objects() -> usize {
    LIVE.load(Ordering::Relaxed)
}
