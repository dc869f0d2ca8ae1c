//! Answers to `ur…GetInfo` queries.

use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::object::{Handle, Object};
use crate::{Value, shim};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, size_of_val};
use ur_api::*;

/// Where the answer of a query goes: the caller's buffer, if any, and the size wanted, if any.
///
/// The API's rules, for all queries alike: a buffer that is too small is
/// `UR_RESULT_ERROR_INVALID_SIZE` and stays as it was; the size is given whenever it is asked for.
#[derive(Debug)]
pub struct Info<'a> {
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
    call: PhantomData<&'a mut c_void>,
}

impl Info<'_> {
    /// A query's three parameters.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a buffer of size 0; `INVALID_NULL_POINTER` for a size without a buffer,
    /// and when neither buffer nor size is asked for.
    ///
    /// # Safety
    /// `value` is null or has room for `size` bytes, `size_ret` is null or writable, for as long as
    /// the result is used.
    pub unsafe fn new(size: usize, value: *mut c_void, size_ret: *mut usize) -> Result<Self> {
        // SAFETY: forwarded.
        unsafe { Self::with(size, value, size_ret, UR_RESULT_ERROR_INVALID_SIZE) }
    }

    /// As [`Info::new`], with the error that a buffer of size 0 is.
    ///
    /// # Errors
    /// As [`Info::new`], with `empty` for a buffer of size 0.
    ///
    /// # Safety
    /// As [`Info::new`].
    pub unsafe fn with(
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
        empty: ur_result_t,
    ) -> Result<Self> {
        if value.is_null() && (size != 0 || size_ret.is_null()) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
        }
        if !value.is_null() && size == 0 {
            return Err(Error::code(empty));
        }
        Ok(Self {
            size,
            value,
            size_ret,
            call: PhantomData,
        })
    }

    /// A query that does not say how large its buffer is: it has the `size` of the query's answer.
    ///
    /// # Errors
    /// `INVALID_NULL_POINTER` when neither buffer nor size is asked for.
    ///
    /// # Safety
    /// `value` is null or has room for `size` bytes for as long as the result is used.
    pub unsafe fn of_size(
        size: usize,
        value: *mut c_void,
        size_ret: Option<&mut MaybeUninit<usize>>,
    ) -> Result<Self> {
        let size = if value.is_null() { 0 } else { size };
        let size_ret = size_ret.map_or(std::ptr::null_mut(), MaybeUninit::as_mut_ptr);
        // SAFETY: forwarded; a reference can be written to.
        unsafe { Self::new(size, value, size_ret) }
    }

    /// Whether the caller wants the value itself and not only its size.
    pub fn wants_value(&self) -> bool {
        !self.value.is_null()
    }

    /// Answers with plain bytes.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result {
        // SAFETY: a byte slice is as long as it says.
        unsafe { self.copy(bytes.as_ptr(), bytes.len()) }
    }

    unsafe fn copy(&mut self, from: *const u8, len: usize) -> Result {
        if !self.size_ret.is_null() {
            // SAFETY: not null, so writable as `new` was promised.
            unsafe { self.size_ret.write_unaligned(len) };
        }
        if !self.value.is_null() {
            if self.size < len {
                return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
            }
            // SAFETY: the buffer has room for `size` bytes, which are enough; the source is ours.
            unsafe { std::ptr::copy_nonoverlapping(from, self.value.cast(), len) };
        }
        Ok(())
    }

    /// Answers with one value of a plain C type.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn value<T: Plain>(&mut self, value: T) -> Result {
        self.slice(&[value])
    }

    /// Answers with an array of a plain C type, which may be empty.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn slice<T: Plain>(&mut self, values: &[T]) -> Result {
        // SAFETY: plain types are copied as the bytes they are.
        unsafe { self.copy(values.as_ptr().cast(), size_of_val(values)) }
    }

    /// Answers with a text and its terminating zero.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn text(&mut self, text: &str) -> Result {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend(text.bytes().filter(|byte| *byte != 0));
        bytes.push(0);
        self.bytes(&bytes)
    }

    /// Answers with several runs of bytes, each copied to where the caller's array of pointers says;
    /// null pointers in it are left out. The answer itself is the array, which stays as it is.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the array has too few pointers.
    ///
    /// # Safety
    /// The query is one whose buffer is such an array, and each pointer that is not null has room
    /// for its bytes.
    pub unsafe fn blobs(&mut self, blobs: &[&[u8]]) -> Result {
        let len = size_of::<*mut u8>() * blobs.len();
        if !self.size_ret.is_null() {
            // SAFETY: not null, so writable as `new` was promised.
            unsafe { self.size_ret.write_unaligned(len) };
        }
        if self.value.is_null() {
            return Ok(());
        }
        if self.size < len {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE));
        }
        for (index, blob) in blobs.iter().enumerate() {
            // SAFETY: the buffer holds that many pointers.
            let to = unsafe { self.value.cast::<*mut u8>().add(index).read_unaligned() };
            if !to.is_null() {
                // SAFETY: as the caller says.
                unsafe { std::ptr::copy_nonoverlapping(blob.as_ptr(), to, blob.len()) };
            }
        }
        Ok(())
    }

    /// Answers with a yes or no as `ur_bool_t`.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn bool(&mut self, yes: bool) -> Result {
        self.value(ur_bool_t::from(yes))
    }

    /// Answers with the handle of an object. A query never changes a count.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn handle<T: Value>(&mut self, object: &Object<T>) -> Result {
        self.handle_slice(&[object])
    }

    /// Answers with the handles of several objects. A query never changes a count.
    ///
    /// # Errors
    /// `INVALID_SIZE` when the buffer is too small.
    pub fn handles<T: Value>(&mut self, objects: &[Handle<T>]) -> Result {
        let objects: Vec<&Object<T>> = objects.iter().map(|object| &**object).collect();
        self.handle_slice(&objects)
    }

    fn handle_slice<T: Value>(&mut self, objects: &[&Object<T>]) -> Result {
        shim::assert_pointer_sized::<<T::Kind as Kind>::Raw>();
        // SAFETY: a reference to an object has the bytes of its handle.
        unsafe { self.copy(objects.as_ptr().cast(), size_of_val(objects)) }
    }
}

/// A type without padding or references whose bytes are the answer of a query.
///
/// # Safety
/// Every byte of a value is initialised.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {$(
        // SAFETY: numbers, pointers and structures of them without padding.
        unsafe impl Plain for $type {}
    )*};
}

plain!(
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    usize,
    f32,
    f64,
    ur_image_format_t,
    ur_device_partition_t,
    ur_rect_region_t
);

// SAFETY: an array of plain values is their bytes.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: a pointer is its bytes.
unsafe impl<T> Plain for *mut T {}
// SAFETY: a pointer is its bytes.
unsafe impl<T> Plain for *const T {}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(
        size: usize,
        value: *mut u32,
        ret: *mut usize,
        answer: impl FnOnce(&mut Info<'_>) -> Result,
    ) -> Result {
        // SAFETY: the tests pass pointers to their own variables.
        let mut info = unsafe { Info::new(size, value.cast(), ret) }?;
        answer(&mut info)
    }

    #[test]
    fn size_and_pointer_rules() {
        let (mut value, mut ret) = ([9u32; 2], 0usize);
        let null = std::ptr::null_mut::<u32>();
        let no_ret = std::ptr::null_mut::<usize>();
        let code = |result: Result| result.err().map(|e| e.code);

        assert_eq!(code(ask(0, null, &mut ret, |i| i.value(1u32))), None);
        assert_eq!(ret, 4);
        assert_eq!(
            code(ask(0, null, no_ret, |i| i.value(1u32))),
            Some(UR_RESULT_ERROR_INVALID_NULL_POINTER)
        );
        assert_eq!(
            code(ask(4, null, &mut ret, |i| i.value(1u32))),
            Some(UR_RESULT_ERROR_INVALID_NULL_POINTER)
        );
        assert_eq!(
            code(ask(0, value.as_mut_ptr(), &mut ret, |i| i.value(1u32))),
            Some(UR_RESULT_ERROR_INVALID_SIZE)
        );
        assert_eq!(
            code(ask(3, value.as_mut_ptr(), &mut ret, |i| i.value(1u32))),
            Some(UR_RESULT_ERROR_INVALID_SIZE)
        );
        assert_eq!(value, [9, 9]);
        assert_eq!(
            code(ask(8, value.as_mut_ptr(), no_ret, |i| i.value(1u32))),
            None
        );
        assert_eq!(value, [1, 9]);
        assert_eq!(
            code(ask(8, value.as_mut_ptr(), &mut ret, |i| i.text("abc"))),
            None
        );
        assert_eq!((value[0].to_ne_bytes(), ret), (*b"abc\0", 4));
        assert_eq!(
            code(ask(8, value.as_mut_ptr(), &mut ret, |i| i.slice::<u32>(&[]))),
            None
        );
        assert_eq!(ret, 0);
    }
}
