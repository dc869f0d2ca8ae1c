//! Images: what compiled code calls to read, sample and write them.
//!
//! Coordinates beyond the image never reach memory beyond it, whatever the numbers are: not a
//! number, infinite or huge. Coordinates that an image lacks are passed as 0.

#![expect(
    improper_ctypes_definitions,
    reason = "compiled code passes vectors of 16 bytes in registers, as the C ABI of x86-64 does"
)]

mod address;
mod texel;

use std::arch::x86_64::{__m128, __m128i};

use ur_jit_abi::{ImageDescriptor, SamplerBits};

use address::{Place, Weighted};

/// The functions and their names in LLVM IR.
pub(super) fn symbols() -> [(&'static str, usize); 9] {
    [
        ("ur_jit_image_extent", extent as *const () as usize),
        ("ur_jit_image_format", format as *const () as usize),
        ("ur_jit_image_sample", sample as *const () as usize),
        ("ur_jit_image_sample_i", sample_i as *const () as usize),
        ("ur_jit_image_sample_at", sample_at as *const () as usize),
        (
            "ur_jit_image_sample_at_i",
            sample_at_i as *const () as usize,
        ),
        ("ur_jit_image_write", write as *const () as usize),
        ("ur_jit_image_write_i", write_i as *const () as usize),
        ("ur_jit_image_order", order as *const () as usize),
    ]
}

/// The descriptor behind an argument; none for null, which is what an undefined image may be.
///
/// # Safety
/// `image` is null or points to a descriptor of a live image.
unsafe fn descriptor<'a>(image: *const ImageDescriptor) -> Option<&'a ImageDescriptor> {
    // SAFETY: as the caller promises.
    unsafe { image.as_ref() }
}

/// Texels along coordinate number `axis`.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn extent(image: *const ImageDescriptor, axis: u32) -> u32 {
    // SAFETY: as the caller promises.
    let image = unsafe { descriptor(image) };
    image
        .and_then(|image| image.extent.get(axis as usize).copied())
        .unwrap_or(0)
}

/// The channel type, numbered as in SPIR-V.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn format(image: *const ImageDescriptor) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { descriptor(image) }.map_or(0, |image| image.format.channel as u32)
}

/// The channel order, numbered as in SPIR-V.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn order(image: *const ImageDescriptor) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { descriptor(image) }.map_or(0, |image| image.format.order as u32)
}

/// Samples at float coordinates, as floats.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn sample(
    image: *const ImageDescriptor,
    sampler: u64,
    x: f32,
    y: f32,
    z: f32,
) -> __m128 {
    // SAFETY: as the caller promises.
    let Some(image) = (unsafe { descriptor(image) }) else {
        return floats([0.0; 4]);
    };
    let sampler = SamplerBits(sampler);
    let coords = [x, y, z];
    floats(if sampler.is_linear() {
        blend(image, &address::linear(image, sampler, coords))
    } else {
        texel::load(image, address::nearest(image, sampler, coords))
    })
}

/// Samples at float coordinates, as integers. There is nothing between integers: the nearest texel
/// is taken even with linear filtering.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn sample_i(
    image: *const ImageDescriptor,
    sampler: u64,
    x: f32,
    y: f32,
    z: f32,
) -> __m128i {
    // SAFETY: as the caller promises.
    let Some(image) = (unsafe { descriptor(image) }) else {
        return ints([0; 4]);
    };
    let place = address::nearest(image, SamplerBits(sampler), [x, y, z]);
    ints(texel::load_i(image, place))
}

/// Samples at integer coordinates, as floats.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn sample_at(
    image: *const ImageDescriptor,
    sampler: u64,
    x: i32,
    y: i32,
    z: i32,
) -> __m128 {
    let bits = SamplerBits(sampler);
    if bits.is_linear() || address::needs_floats(bits) {
        // SAFETY: as the caller promises.
        return unsafe { sample(image, sampler, x as f32, y as f32, z as f32) };
    }
    // SAFETY: as the caller promises.
    let Some(image) = (unsafe { descriptor(image) }) else {
        return floats([0.0; 4]);
    };
    floats(texel::load(image, address::at(image, bits, [x, y, z])))
}

/// Samples at integer coordinates, as integers.
///
/// # Safety
/// As [`descriptor`].
unsafe extern "C" fn sample_at_i(
    image: *const ImageDescriptor,
    sampler: u64,
    x: i32,
    y: i32,
    z: i32,
) -> __m128i {
    let bits = SamplerBits(sampler);
    if address::needs_floats(bits) {
        // SAFETY: as the caller promises.
        return unsafe { sample_i(image, sampler, x as f32, y as f32, z as f32) };
    }
    // SAFETY: as the caller promises.
    let Some(image) = (unsafe { descriptor(image) }) else {
        return ints([0; 4]);
    };
    ints(texel::load_i(image, address::at(image, bits, [x, y, z])))
}

/// Writes a texel given as floats; nothing outside of the image.
///
/// # Safety
/// As [`descriptor`], and the image may be written.
unsafe extern "C" fn write(image: *const ImageDescriptor, x: i32, y: i32, z: i32, value: __m128) {
    // SAFETY: as the caller promises.
    let image = unsafe { descriptor(image) };
    if let Some(image) = image
        && let Place::Texel(at) = address::inside(image, [x, y, z])
    {
        // SAFETY: four floats and a register of four floats have the same bits.
        let value: [f32; 4] = unsafe { std::mem::transmute(value) };
        texel::store(image, at, value);
    }
}

/// Writes a texel given as integers; nothing outside of the image.
///
/// # Safety
/// As [`descriptor`], and the image may be written.
unsafe extern "C" fn write_i(
    image: *const ImageDescriptor,
    x: i32,
    y: i32,
    z: i32,
    value: __m128i,
) {
    // SAFETY: as the caller promises.
    let image = unsafe { descriptor(image) };
    if let Some(image) = image
        && let Place::Texel(at) = address::inside(image, [x, y, z])
    {
        // SAFETY: four integers and a register of four integers have the same bits.
        let value: [i32; 4] = unsafe { std::mem::transmute(value) };
        texel::store_i(image, at, value);
    }
}

/// The weighted sum of texels.
fn blend(image: &ImageDescriptor, texels: &[Weighted]) -> [f32; 4] {
    let mut sum = [0f32; 4];
    // A texel without weight adds nothing, even if it is infinite.
    for Weighted { place, weight } in texels.iter().filter(|texel| texel.weight != 0.0) {
        let texel = texel::load(image, *place);
        for (sum, value) in sum.iter_mut().zip(texel) {
            *sum += weight * value;
        }
    }
    sum
}

fn floats(values: [f32; 4]) -> __m128 {
    // SAFETY: four floats and a register of four floats have the same bits.
    unsafe { std::mem::transmute(values) }
}

fn ints(values: [i32; 4]) -> __m128i {
    // SAFETY: four integers and a register of four integers have the same bits.
    unsafe { std::mem::transmute(values) }
}
