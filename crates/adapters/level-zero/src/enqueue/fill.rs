//! Fills with patterns.

use super::copy::{self, Area};
use crate::event::{Call, Engine};
use crate::queue::Queue;
use crate::ze::{self, check};
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter::{Error, Result};
use ur_api::*;

/// Bytes that are copied from the host at once where the driver cannot fill, if the pattern is not
/// larger.
const CHUNK: usize = 4096;

/// A pattern, and how memory is filled with it. What it holds must live until the command has ended.
#[derive(Clone, Debug)]
pub struct Fill {
    /// The pattern, or a number of them.
    bytes: Arc<[u8]>,
    /// Whether the driver fills with it by itself.
    plain: bool,
}

impl Fill {
    /// A fill of so many bytes on a queue.
    ///
    /// # Errors
    /// `INVALID_SIZE` for a pattern that does not fit, `OUT_OF_HOST_MEMORY`.
    ///
    /// # Safety
    /// `pattern` has its bytes.
    pub unsafe fn new(
        queue: &Queue,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
    ) -> Result<Self> {
        if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SIZE,
                "the pattern does not fit",
            ));
        }
        // SAFETY: as the caller says.
        let pattern = unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) };
        Self::with(
            pattern,
            queue.group(Engine::Compute).maxMemoryFillPatternSize,
            size,
        )
    }

    /// The same where the driver fills with patterns up to `largest`.
    fn with(pattern: &[u8], largest: usize, size: usize) -> Result<Self> {
        let plain = pattern.len().is_power_of_two() && pattern.len() <= largest;
        let room = match plain {
            true => pattern.len(),
            // As many whole patterns as go into a piece, but not more than there are.
            false => {
                let most = CHUNK.max(pattern.len()).min(size);
                most - most % pattern.len()
            }
        };
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(room);
        reserved.map_err(|_| Error::code(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY))?;
        bytes.extend(pattern.iter().copied().cycle().take(room));
        Ok(Self {
            bytes: bytes.into(),
            plain,
        })
    }

    /// Appends the fill of `size` bytes, a multiple of the pattern.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// `to` has the bytes until the command ends, and so long a copy of this lives.
    pub unsafe fn append(&self, call: &Call, to: *mut c_void, size: usize) -> Result {
        if !self.plain {
            // SAFETY: forwarded.
            return call.several(|list| unsafe { self.piece(call, list, to, size) });
        }
        let fill = call.api.zeCommandListAppendMemoryFill;
        let (pattern, length) = (self.bytes.as_ptr().cast(), self.bytes.len());
        let (signal, count, waits) = (call.signal, call.count, call.waits);
        // SAFETY: a list that the caller has for itself, live events, memory as the caller says; the
        // driver copies the pattern.
        check(unsafe { fill(call.list, to, pattern, length, size, signal, count, waits) })
    }

    /// Appends the fill to a list, for use in [`Call::several`].
    unsafe fn piece(
        &self,
        call: &Call,
        list: ze::ze_command_list_handle_t,
        to: *mut c_void,
        size: usize,
    ) -> Result {
        let (bytes, length) = (self.bytes.as_ptr().cast(), self.bytes.len());
        if self.plain {
            let fill = call.api.zeCommandListAppendMemoryFill;
            let (none, nothing) = (ze::ze_event_handle_t::NULL, std::ptr::null());
            // SAFETY: as in `append`.
            return check(unsafe { fill(list, to, bytes, length, size, none, 0, nothing) });
        }
        // SAFETY: forwarded; `to` has at least as many bytes.
        unsafe { copy::piece(call, list, to, bytes, length.min(size)) }?;
        // What is there is copied behind itself, twice as much each time.
        let mut done = length.min(size);
        while done < size {
            let more = done.min(size - done);
            call.barrier()?;
            let next = to.wrapping_byte_add(done);
            // SAFETY: as above; the areas do not overlap.
            unsafe { copy::piece(call, list, next, to, more) }?;
            done += more;
        }
        Ok(())
    }

    /// Appends the fill of rows of `width` bytes, a multiple of the pattern.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// All rows are there until the command ends, and so long a copy of this lives.
    pub unsafe fn append_rows(
        &self,
        call: &Call,
        to: *mut c_void,
        pitch: usize,
        width: usize,
        height: usize,
    ) -> Result {
        if pitch == width || height == 1 {
            // SAFETY: forwarded; there are no gaps. The product is that of a pitch that was checked.
            return unsafe { self.append(call, to, width * height) };
        }
        call.several(|list| {
            // SAFETY: forwarded.
            unsafe { self.piece(call, list, to, width) }?;
            let rows = |row: usize| Area {
                at: to.wrapping_byte_add(row * pitch),
                row_pitch: pitch,
                slice_pitch: 0,
            };
            // The same with rows.
            let mut done = 1;
            while done < height {
                let more = done.min(height - done);
                call.barrier()?;
                let (next, first) = (rows(done), rows(0));
                // SAFETY: forwarded; the areas do not overlap.
                unsafe { copy::box_piece(call, list, next, first, [width, more, 1]) }?;
                done += more;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_cannot_fill_is_copied() {
        let plain = Fill::with(&[1, 2, 3, 4], 16, 64).expect("a fill");
        assert!(plain.plain && *plain.bytes == [1, 2, 3, 4]);
        let large = Fill::with(&[7; 32], 16, 64).expect("a fill");
        assert!(!large.plain && large.bytes.len() == 64);
        let odd = Fill::with(&[1, 2, 3], 16, 1 << 20).expect("a fill");
        assert!(!odd.plain);
        assert_eq!(odd.bytes.len(), CHUNK - CHUNK % 3);
        assert_eq!(odd.bytes[3..7], [1, 2, 3, 1]);
        let whole = Fill::with(&[5; 5000], 16, 10_000).expect("a fill");
        assert_eq!(whole.bytes.len(), 5000);
    }
}
