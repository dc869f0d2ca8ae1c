//! Images and samplers of the tests, over memory that ends at a page nobody may touch.

use crate::common::*;
use crate::model::{Format, Kind, Shape};
use crate::{ok, ur};
use std::ptr::null_mut;
use ur_api::*;

/// A sampler, released at the end.
pub struct Sampler(pub ur_sampler_handle_t);

impl Sampler {
    pub fn new(
        context: &Context,
        addressing: ur_sampler_addressing_mode_t,
        normalized: bool,
        filter: ur_sampler_filter_mode_t,
    ) -> Sampler {
        let desc = ur_sampler_desc_t {
            stype: UR_STRUCTURE_TYPE_SAMPLER_DESC,
            normalizedCoords: normalized,
            addressingMode: addressing,
            filterMode: filter,
            ..Default::default()
        };
        let mut sampler = null_mut();
        ok!(Sampler.pfnCreate(context.0, &desc, &mut sampler));
        Sampler(sampler)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        ok!(Sampler.pfnRelease(self.0));
    }
}

/// Memory between two pages that nobody may touch.
pub struct Guarded {
    pages: *mut libc::c_void,
    bytes: usize,
    start: *mut u8,
    size: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    /// `size` bytes that end right before such a page, or begin right behind one.
    pub fn new(size: usize, at_end: bool) -> Guarded {
        let inner = size.next_multiple_of(PAGE);
        let bytes = inner + 2 * PAGE;
        // SAFETY: a fresh mapping, whose middle is then made accessible.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let pages = libc::mmap(null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            let first = pages.cast::<u8>().add(PAGE);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(first.cast(), inner, access), 0);
            let start = first.add(if at_end { inner - size } else { 0 });
            Guarded {
                pages,
                bytes,
                start,
                size,
            }
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the accessible part holds that many bytes, and kernels have ended when tests look.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.size) }
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made above, which no command uses any more.
        unsafe { libc::munmap(self.pages, self.bytes) };
    }
}

pub fn describe(shape: &Shape, row_pitch: usize, slice_pitch: usize) -> ur_image_desc_t {
    let [width, height, depth] = shape.extent;
    let mut desc = ur_image_desc_t {
        stype: UR_STRUCTURE_TYPE_IMAGE_DESC,
        width,
        rowPitch: row_pitch,
        slicePitch: slice_pitch,
        ..Default::default()
    };
    match shape.kind {
        Kind::D1 => desc.r#type = UR_MEM_TYPE_IMAGE1D,
        Kind::D1Array => {
            desc.r#type = UR_MEM_TYPE_IMAGE1D_ARRAY;
            desc.arraySize = height;
        }
        Kind::D2 => {
            desc.r#type = UR_MEM_TYPE_IMAGE2D;
            desc.height = height;
        }
        Kind::D2Array => {
            desc.r#type = UR_MEM_TYPE_IMAGE2D_ARRAY;
            desc.height = height;
            desc.arraySize = depth;
        }
        Kind::D3 => {
            desc.r#type = UR_MEM_TYPE_IMAGE3D;
            desc.height = height;
            desc.depth = depth;
        }
    }
    desc
}

pub fn create(
    context: &Context,
    flags: u32,
    format: Format,
    desc: &ur_image_desc_t,
    host: *mut u8,
) -> (ur_result_t, ur_mem_handle_t) {
    let mut mem = null_mut();
    let format = format.raw();
    let outcome = ur!(Mem.pfnImageCreate(context.0, flags, &format, desc, host.cast(), &mut mem));
    (outcome, mem)
}

/// An image over the memory of the test.
pub fn over(context: &Context, format: Format, shape: &Shape, host: &Guarded) -> Mem {
    let desc = describe(shape, 0, 0);
    let flags = UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_USE_HOST_POINTER.0;
    let (outcome, mem) = create(context, flags, format, &desc, host.start());
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    Mem(mem)
}

/// A kernel's suffix for a kind of image.
pub fn suffix(kind: Kind) -> &'static str {
    match kind {
        Kind::D1 => "1d",
        Kind::D1Array => "1d_array",
        Kind::D2 => "2d",
        Kind::D2Array => "2d_array",
        Kind::D3 => "3d",
    }
}
