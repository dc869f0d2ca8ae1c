//! What enqueued commands do to memory, and host tasks.

use crate::command::Work;
use crate::copy::{self, Rect, Region};
use crate::device::Device;
use crate::device::affinity::Pinned;
use crate::memory::Storage;
use std::ffi::c_void;
use std::sync::Arc;
use ur_api::ur_result_t;

/// Buffers that a command needs until it ends.
pub type Keep = [Option<Arc<Storage>>; 2];

/// Bytes below which a copy or fill is done by the enqueueing thread: handing it over costs more.
pub const INLINE: usize = 32 << 10;

/// Work with its number of pieces, and whether the enqueueing thread may do it at once.
pub struct Prepared {
    /// The work.
    pub work: Box<dyn Work>,
    /// Its number of pieces.
    pub pieces: u64,
    /// Whether it is so small that it is best done at once.
    pub small: bool,
}

impl Prepared {
    /// The same for a command of `device`: on as many threads as a sub-device has compute units, and
    /// on its CPUs.
    pub fn on(mut self, device: &Device) -> Prepared {
        if device.is_sub_device() {
            let pinned = Pinned::new(self.work, device.units(), device.cpus().cloned());
            self.work = Box::new(pinned);
        }
        self
    }
}

/// A copy of one run of bytes.
pub struct Copy {
    dst: usize,
    src: usize,
    size: usize,
    pieces: u64,
    _keep: Keep,
}

impl Copy {
    /// Copies `size` bytes; in pieces only if the areas do not overlap.
    pub fn prepare(dst: usize, src: usize, size: usize, keep: Keep) -> Prepared {
        let pieces = if copy::overlaps(dst, src, size) {
            1
        } else {
            copy::pieces(size)
        };
        Prepared {
            work: Box::new(Copy {
                dst,
                src,
                size,
                pieces,
                _keep: keep,
            }),
            pieces,
            small: size <= INLINE,
        }
    }
}

impl Work for Copy {
    fn run(&self, piece: u64) -> Result<(), ur_result_t> {
        let (at, len) = if self.pieces == 1 {
            (0, self.size)
        } else {
            copy::piece(self.size, piece)
        };
        // SAFETY: the program passed memory of that size, or the range lies in a buffer that is
        // kept.
        unsafe { copy::copy(self.dst + at, self.src + at, len) };
        Ok(())
    }
}

/// A fill of one run of bytes.
pub struct Fill {
    dst: usize,
    size: usize,
    pattern: Box<[u8]>,
    _keep: Keep,
}

impl Fill {
    /// Fills `size` bytes with copies of `pattern`.
    pub fn prepare(dst: usize, size: usize, pattern: Box<[u8]>, keep: Keep) -> Prepared {
        Prepared {
            pieces: copy::pieces(size),
            small: size <= INLINE,
            work: Box::new(Fill {
                dst,
                size,
                pattern,
                _keep: keep,
            }),
        }
    }
}

impl Work for Fill {
    fn run(&self, piece: u64) -> Result<(), ur_result_t> {
        let (at, len) = copy::piece(self.size, piece);
        // SAFETY: the program passed memory of that size, or the range lies in a buffer that is
        // kept.
        unsafe { copy::fill(self.dst + at, len, &self.pattern, at) };
        Ok(())
    }
}

/// A copy of a rectangle.
pub struct RectCopy {
    dst: Rect,
    src: Rect,
    region: Region,
    _keep: Keep,
}

impl RectCopy {
    /// Copies `region` from one rectangle to another.
    pub fn prepare(dst: Rect, src: Rect, region: Region, keep: Keep) -> Prepared {
        let size = region
            .width
            .saturating_mul(region.height)
            .saturating_mul(region.depth);
        Prepared {
            pieces: 1,
            small: size <= INLINE,
            work: Box::new(RectCopy {
                dst,
                src,
                region,
                _keep: keep,
            }),
        }
    }
}

impl Work for RectCopy {
    fn run(&self, _: u64) -> Result<(), ur_result_t> {
        // SAFETY: the rectangles lie in buffers that are kept, or the program passed memory for
        // them.
        unsafe { copy::copy_rect(self.dst, self.src, self.region) };
        Ok(())
    }
}

/// A fill of rows.
pub struct RowFill {
    dst: usize,
    pitch: usize,
    width: usize,
    height: usize,
    pattern: Box<[u8]>,
}

impl RowFill {
    /// Fills `height` rows of `width` bytes, `pitch` apart.
    pub fn prepare(
        dst: usize,
        pitch: usize,
        width: usize,
        height: usize,
        pattern: Box<[u8]>,
    ) -> Prepared {
        Prepared {
            pieces: 1,
            small: width.saturating_mul(height) <= INLINE,
            work: Box::new(RowFill {
                dst,
                pitch,
                width,
                height,
                pattern,
            }),
        }
    }
}

impl Work for RowFill {
    fn run(&self, _: u64) -> Result<(), ur_result_t> {
        // SAFETY: the program passed memory for all rows.
        unsafe { copy::fill_2d(self.dst, self.pitch, self.width, self.height, &self.pattern) };
        Ok(())
    }
}

/// A call of a function of the program.
pub struct HostTask {
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

// SAFETY: the pointer is only handed back to the program.
unsafe impl Send for HostTask {}
// SAFETY: as above.
unsafe impl Sync for HostTask {}

impl HostTask {
    /// Calls `function` with `data`, once.
    pub fn prepare(function: unsafe extern "C" fn(*mut c_void), data: *mut c_void) -> Prepared {
        Prepared {
            work: Box::new(HostTask { function, data }),
            pieces: 1,
            small: false,
        }
    }
}

impl Work for HostTask {
    fn run(&self, _: u64) -> Result<(), ur_result_t> {
        // SAFETY: the program gave the function for this call; a command's piece runs once.
        unsafe { (self.function)(self.data) };
        Ok(())
    }
}
