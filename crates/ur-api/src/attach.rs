//! What a loader and adapters that are built from the kit agree on beyond the API: a place in an
//! object where a loader may hang what belongs to that object and must go with it.
//!
//! A loader that keeps something for an object could only look it up by the handle, and would see
//! it again behind the next object at that address. What hangs on the object itself goes when the
//! object goes.

use crate::{ur_dditable_t, ur_kernel_handle_t};
use core::ffi::CStr;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

/// The head of what hangs on an object.
#[repr(C)]
#[derive(Debug)]
pub struct Attachment {
    /// Destroys it. Called once, when the object is destroyed, with the pointer that was attached.
    pub destroy: unsafe extern "C" fn(*mut Attachment),
}

/// A place for one attachment, empty at first.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct Attached(AtomicPtr<Attachment>);

impl Attached {
    /// What hangs there.
    pub fn get(&self) -> Option<NonNull<Attachment>> {
        NonNull::new(self.0.load(Ordering::Acquire))
    }

    /// Hangs one there that is the object's from now on, unless another thread was first, whose
    /// attachment is returned.
    ///
    /// # Errors
    /// What hangs there already.
    ///
    /// # Safety
    /// `new` points to an attachment whose `destroy` may be called from any thread, once.
    pub unsafe fn attach(&self, new: NonNull<Attachment>) -> Result<(), NonNull<Attachment>> {
        let taken = self.0.compare_exchange(
            null_mut(),
            new.as_ptr(),
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        match taken {
            Ok(_) => Ok(()),
            Err(first) => NonNull::new(first).map_or(Ok(()), Err),
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if let Some(attachment) = NonNull::new(*self.0.get_mut()) {
            // SAFETY: `attach` got a live attachment; its object is being destroyed, so nobody
            // else uses it.
            unsafe { (attachment.as_ref().destroy)(attachment.as_ptr()) }
        }
    }
}

/// The symbol under which an adapter's library exports its [`Kit`].
pub const KIT: &CStr = c"concord_kit";

/// The [`Kit::version`] of this release.
pub const KIT_VERSION: u32 = 1;

/// What an adapter that is built from the kit tells a loader.
#[repr(C)]
#[derive(Debug)]
pub struct Kit {
    /// [`KIT_VERSION`]; a loader leaves others alone.
    pub version: u32,
    /// What the adapter's handles point to.
    pub table: &'static ur_dditable_t,
    /// The place in a live kernel of this adapter; null if the handle is of another kind.
    pub kernel: unsafe extern "C" fn(ur_kernel_handle_t) -> *const Attached,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicUsize;

    #[repr(C)]
    struct Counted {
        head: Attachment,
        gone: &'static AtomicUsize,
    }

    unsafe extern "C" fn destroy(attachment: *mut Attachment) {
        // SAFETY: made by `counted`.
        let counted = unsafe { Box::from_raw(attachment.cast::<Counted>()) };
        counted.gone.fetch_add(1, Ordering::Relaxed);
    }

    fn counted(gone: &'static AtomicUsize) -> NonNull<Attachment> {
        let head = Attachment { destroy };
        NonNull::from(Box::leak(Box::new(Counted { head, gone }))).cast()
    }

    #[test]
    fn the_first_stays_and_goes_with_its_place() {
        static GONE: AtomicUsize = AtomicUsize::new(0);
        let place = Attached::default();
        assert_eq!(place.get(), None);
        let (one, two) = (counted(&GONE), counted(&GONE));
        // SAFETY: both are new.
        unsafe {
            assert_eq!(place.attach(one), Ok(()));
            assert_eq!(place.attach(two), Err(one));
            destroy(two.as_ptr());
        }
        assert_eq!(place.get(), Some(one));
        assert_eq!(GONE.load(Ordering::Relaxed), 1);
        drop(place);
        assert_eq!(GONE.load(Ordering::Relaxed), 2);
    }
}
