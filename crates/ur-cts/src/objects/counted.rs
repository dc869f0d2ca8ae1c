//! What all counted objects have.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

static PROBLEMS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn noted() -> MutexGuard<'static, Vec<String>> {
    PROBLEMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes what went wrong where a test cannot end: in a destructor, or on another thread.
pub fn problem(text: String) {
    noted().push(text);
}

/// What was noted since the last time this was asked; the runner fails the test by it.
pub(crate) fn problems() -> Vec<String> {
    std::mem::take(&mut *noted())
}

/// An object with a count of its owners, one reference to which is held.
pub trait Counted: Sized + Debug {
    /// Its handle.
    type Handle: Copy + PartialEq + Debug + 'static;

    /// Takes over one reference.
    fn adopt(handle: Self::Handle) -> Self;
    /// The handle, valid as long as this lives.
    fn get(&self) -> Self::Handle;
    /// One more reference, with the API's call for it.
    ///
    /// # Errors
    /// When the call does not succeed.
    fn retain(&self) -> Result<Self, crate::Stop>;
    /// Gives the reference back, and says how that went.
    ///
    /// # Errors
    /// When the call does not succeed.
    fn release(self) -> Result<(), crate::Stop>;
    /// The number of owners, by the API's query.
    ///
    /// # Errors
    /// When the query is not answered.
    fn count(&self) -> Result<u32, crate::Stop>;
}

/// Defines an object: its handle, the calls for its count, and those of its queries.
macro_rules! counted {
    (
        $(#[$doc:meta])* $name:ident($handle:ty): $retain:ident, $release:ident,
        $get_info:ident($query:ty), $count:ident
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($handle);

        // SAFETY: handles may be used on any thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl $crate::objects::Counted for $name {
            type Handle = $handle;

            fn adopt(handle: $handle) -> $name {
                $name(handle)
            }

            fn get(&self) -> $handle {
                self.0
            }

            #[track_caller]
            fn retain(&self) -> Result<$name, $crate::Stop> {
                let code = $crate::ur!($retain(self.0));
                $crate::failure::check(stringify!($retain), ur_api::UR_RESULT_SUCCESS, code)?;
                Ok($name(self.0))
            }

            #[track_caller]
            fn release(self) -> Result<(), $crate::Stop> {
                let handle = self.0;
                std::mem::forget(self);
                let code = $crate::ur!($release(handle));
                $crate::failure::check(stringify!($release), ur_api::UR_RESULT_SUCCESS, code)?;
                Ok(())
            }

            #[track_caller]
            fn count(&self) -> Result<u32, $crate::Stop> {
                self.info(ur_api::$count)
            }
        }

        impl $name {
            /// The handle, valid as long as this lives.
            pub fn get(&self) -> $handle {
                self.0
            }

            /// Takes over the reference that a call handed out, if it succeeded.
            ///
            /// # Errors
            /// When the call did not succeed, or gave null.
            #[track_caller]
            pub fn made(
                call: &'static str,
                make: impl FnOnce(*mut $handle) -> ur_api::ur_result_t,
            ) -> Result<$name, $crate::Stop> {
                let mut handle: $handle = std::ptr::null_mut();
                let code = make(&raw mut handle);
                $crate::failure::check(call, ur_api::UR_RESULT_SUCCESS, code)?;
                if handle.is_null() {
                    return Err($crate::Stop::fail(format_args!("{call} gave null")));
                }
                Ok($name(handle))
            }

            /// Calls the query function.
            pub fn ask(
                &self,
                query: $query,
                size: usize,
                value: *mut std::ffi::c_void,
                size_out: *mut usize,
            ) -> ur_api::ur_result_t {
                $crate::ur!($get_info(self.0, query, size, value, size_out))
            }

            /// Value of a query.
            ///
            /// # Errors
            /// When it is not answered, or not with one value.
            #[track_caller]
            pub fn info<T: $crate::info::Plain>(&self, query: $query) -> Result<T, $crate::Stop> {
                let ask = |size, value, out| self.ask(query, size, value, out);
                $crate::info::value(stringify!($get_info), ask)
            }

            /// Values of a query for a list.
            ///
            /// # Errors
            /// When it is not answered.
            #[track_caller]
            pub fn list<T: $crate::info::Plain>(
                &self,
                query: $query,
            ) -> Result<Vec<T>, $crate::Stop> {
                let ask = |size, value, out| self.ask(query, size, value, out);
                $crate::info::values(stringify!($get_info), ask)
            }

            /// Value of a query for a text.
            ///
            /// # Errors
            /// When it is not answered.
            #[track_caller]
            pub fn text(&self, query: $query) -> Result<String, $crate::Stop> {
                let ask = |size, value, out| self.ask(query, size, value, out);
                $crate::info::text(stringify!($get_info), ask)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                let code = $crate::ur!($release(self.0));
                if code != ur_api::UR_RESULT_SUCCESS {
                    let text = format!("{} returned {code}", stringify!($release));
                    $crate::objects::counted::problem(text);
                }
            }
        }
    };
}
pub(crate) use counted;
