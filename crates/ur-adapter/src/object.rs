//! Objects behind handles: one header, one count, one owner.

use crate::backend::{Backend, Value};
use crate::error::{Error, Result};
use crate::kind::{self, Kind};
use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

/// An object of an adapter. A handle is a pointer to one of these.
///
/// The first word is the adapter's dispatch table, which is all that a loader reads. The count is
/// the object's only one: API calls, other objects and pending commands all hold it through
/// [`Handle`].
#[repr(C)]
pub struct Object<T: Value> {
    table: &'static ur_dditable_t,
    tag: AtomicU32,
    count: AtomicU32,
    life: Life,
    extra: <T::Kind as Kind>::Extra,
    value: T,
}

/// What an object's count means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// The object goes with its last reference.
    Counted,
    /// References are counted, but the object stays.
    Kept,
    /// References are not counted: there is always one.
    Fixed,
}

impl<T: Value> Object<T> {
    const LAYOUT: Layout = Layout::new::<Self>();

    /// An object in a static or leaked home that is counted like any other, from 0, but stays
    /// whatever the count: an adapter, which may be released to 0 and got again.
    pub fn kept(value: T) -> Self {
        Self::with(value, 0, Life::Kept)
    }

    /// An object in a static or leaked home that is not counted; its count reads 1 for ever: a
    /// platform or a root device.
    pub fn fixed(value: T) -> Self {
        Self::with(value, 1, Life::Fixed)
    }

    fn with(value: T, count: u32, life: Life) -> Self {
        Self {
            table: T::Backend::table(),
            tag: AtomicU32::new(T::Kind::TAG),
            count: AtomicU32::new(count),
            life,
            extra: Default::default(),
            value,
        }
    }

    /// The count now; other threads may change it at any time.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// What a loader may use of the object.
    pub fn extra(&self) -> &<T::Kind as Kind>::Extra {
        &self.extra
    }

    /// The handle that names this object, without a change of its count.
    pub fn raw(&self) -> <T::Kind as Kind>::Raw {
        T::Kind::raw(std::ptr::from_ref(self))
    }

    /// One more reference.
    pub fn retain(&self) {
        if self.life == Life::Fixed {
            return;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// A new owned reference.
    pub fn handle(&self) -> Handle<T> {
        self.retain();
        Handle(NonNull::from(self))
    }

    /// Whether two references name the same object.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// Gives one reference up and destroys the object with the last one.
    ///
    /// A release too many of a kept object leaves its count at 0.
    ///
    /// # Safety
    /// `object` points to a live object and the caller owns one reference, which is gone
    /// afterwards.
    pub unsafe fn release(object: NonNull<Self>) {
        // SAFETY: the caller's reference keeps the object alive up to the decrement.
        let this = unsafe { object.as_ref() };
        match this.life {
            Life::Counted => {}
            Life::Fixed => return,
            Life::Kept => {
                let _ = this
                    .count
                    .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |n| n.checked_sub(1));
                return;
            }
        }
        if this.count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // Everything that other threads did with the object happened before its end. A load, and not
        // a fence, because ThreadSanitizer does not know fences.
        this.count.load(Ordering::Acquire);
        this.tag.store(kind::DEAD, Ordering::Relaxed);
        // SAFETY: the count was 1, so nobody else can reach the object; it was made by
        // `Handle::new`, with this layout and from this allocator.
        unsafe {
            object.drop_in_place();
            T::Backend::deallocate(object.as_ptr().cast(), Self::LAYOUT);
        }
    }

    /// The object that a handle from outside names.
    ///
    /// # Errors
    /// `INVALID_NULL_HANDLE` for null; the kind's own error for an object of another adapter or
    /// another kind.
    ///
    /// # Safety
    /// A handle that is not null points to a live object of some adapter.
    pub unsafe fn from_raw<'a>(raw: <T::Kind as Kind>::Raw) -> Result<&'a Self> {
        let Some(object) = NonNull::new(T::Kind::object::<T>(raw).cast_mut()) else {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_HANDLE));
        };
        // SAFETY: every object of every adapter begins with its table pointer.
        let table: *const ur_dditable_t = unsafe { object.cast::<*const ur_dditable_t>().read() };
        if !std::ptr::eq(table, T::Backend::table()) {
            return Err(Error::code(T::Kind::INVALID));
        }
        // SAFETY: the object is one of this adapter's, whose header is the same for all kinds.
        let tag = unsafe { &(*object.as_ptr()).tag };
        if tag.load(Ordering::Relaxed) != T::Kind::TAG {
            return Err(Error::code(T::Kind::INVALID));
        }
        // SAFETY: table and tag say that this is an `Object<T>`; the caller keeps it alive.
        Ok(unsafe { object.as_ref() })
    }
}

impl<T: Value> Deref for Object<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Value + std::fmt::Debug> std::fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("count", &self.count())
            .field("value", &self.value)
            .finish()
    }
}

/// An owned reference to an object: cloning retains, dropping releases.
pub struct Handle<T: Value>(NonNull<Object<T>>);

impl<T: Value> Handle<T> {
    /// A new object with a count of 1.
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn new(value: T) -> Result<Self> {
        let memory = T::Backend::allocate(Object::<T>::LAYOUT).cast::<Object<T>>();
        let Some(object) = NonNull::new(memory) else {
            return Err(Error::code(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY));
        };
        // SAFETY: the memory is new and has the object's layout.
        unsafe { object.write(Object::with(value, 1, Life::Counted)) };
        Ok(Self(object))
    }

    /// Hands the reference to the C side; [`Handle::from_owned`] or `ur…Release` takes it back.
    pub fn into_raw(self) -> <T::Kind as Kind>::Raw {
        T::Kind::raw(ManuallyDrop::new(self).0.as_ptr())
    }

    /// Takes over a reference that the C side owned.
    ///
    /// # Safety
    /// `object` is alive and the caller owns one reference, which becomes the handle's.
    pub unsafe fn from_owned(object: &Object<T>) -> Self {
        Self(NonNull::from(object))
    }
}

impl<T: Value> Deref for Handle<T> {
    type Target = Object<T>;
    fn deref(&self) -> &Object<T> {
        // SAFETY: the handle owns a reference.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Value> Clone for Handle<T> {
    fn clone(&self) -> Self {
        self.handle()
    }
}

impl<T: Value> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the handle owns the reference it gives up.
        unsafe { Object::release(self.0) }
    }
}

impl<T: Value + std::fmt::Debug> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

// SAFETY: a handle is a shared reference with an atomic count to a value that is Send and Sync.
unsafe impl<T: Value> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Value> Sync for Handle<T> {}
