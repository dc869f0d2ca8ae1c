//! Coordinates to texels, by the formulas of OpenCL C: unnormalized coordinate `u` of an axis of
//! `size` texels, normalized coordinate `s = u / size`.

use ur_jit_abi::{Addressing, ImageDescriptor, SamplerBits};

/// Where a coordinate leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To the texel at this address.
    Texel(usize),
    /// Out of the image, where its border's colour is.
    Border,
}

/// A texel and its share of a blend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    pub(super) place: Place,
    pub(super) weight: f32,
}

/// The two texels along an axis between which a coordinate lies, and the share of the second.
#[derive(Clone, Copy, Default)]
struct Pair {
    index: [i32; 2],
    share: f32,
}

/// Whether the sampler's addressing is defined on coordinates that are not whole numbers only.
pub(super) fn needs_floats(sampler: SamplerBits) -> bool {
    sampler.is_normalized()
        || matches!(
            sampler.addressing(),
            Addressing::Repeat | Addressing::MirroredRepeat
        )
}

/// The texel with these coordinates, if the image has it.
pub(super) fn inside(image: &ImageDescriptor, index: [i32; 3]) -> Place {
    let mut address = image.data;
    for ((index, extent), pitch) in index.iter().zip(image.extent).zip(image.pitch) {
        match u32::try_from(*index) {
            Ok(index) if index < extent => address += index as usize * pitch as usize,
            _ => return Place::Border,
        }
    }
    Place::Texel(address)
}

/// The texel at whole coordinates, for a sampler that [`needs_floats`] is false for.
pub(super) fn at(image: &ImageDescriptor, sampler: SamplerBits, mut index: [i32; 3]) -> Place {
    for (axis, index) in index.iter_mut().enumerate() {
        let layer = axis as u32 == image.layer;
        if layer || sampler.addressing() == Addressing::ClampToEdge {
            *index = clamped(*index, size(image, axis));
        }
    }
    inside(image, index)
}

/// The texel nearest to the coordinates.
pub(super) fn nearest(image: &ImageDescriptor, sampler: SamplerBits, coords: [f32; 3]) -> Place {
    let mut index = [0; 3];
    for (axis, index) in index.iter_mut().enumerate() {
        let size = size(image, axis);
        *index = if axis as u32 == image.layer {
            layer(coords[axis], size)
        } else if (axis as u32) < image.dims {
            nearest_index(sampler, coords[axis], size)
        } else {
            0
        };
    }
    inside(image, index)
}

/// The texels around the coordinates: two for each dimension of the image.
pub(super) fn linear(image: &ImageDescriptor, sampler: SamplerBits, coords: [f32; 3]) -> Vec8 {
    let mut pairs = [Pair::default(); 3];
    for (axis, pair) in pairs.iter_mut().enumerate() {
        let size = size(image, axis);
        if axis as u32 == image.layer {
            pair.index = [layer(coords[axis], size); 2];
        } else if (axis as u32) < image.dims {
            *pair = linear_pair(sampler, coords[axis], size);
        }
    }
    let mut texels = Vec8::new();
    for number in 0..1u32 << image.dims.min(3) {
        let mut weight = 1f32;
        let mut index = [0; 3];
        for axis in 0..3 {
            let second = (number >> axis & 1) as usize;
            index[axis] = pairs[axis].index[second];
            if (axis as u32) < image.dims {
                let share = pairs[axis].share;
                weight *= if second == 1 { share } else { 1.0 - share };
            }
        }
        texels.push(Weighted {
            place: inside(image, index),
            weight,
        });
    }
    texels
}

/// Up to eight texels of a blend.
pub(super) struct Vec8 {
    texels: [Weighted; 8],
    len: usize,
}

impl Vec8 {
    fn new() -> Self {
        let none = Weighted {
            place: Place::Border,
            weight: 0.0,
        };
        Self {
            texels: [none; 8],
            len: 0,
        }
    }

    fn push(&mut self, texel: Weighted) {
        self.texels[self.len] = texel;
        self.len += 1;
    }
}

impl std::ops::Deref for Vec8 {
    type Target = [Weighted];

    fn deref(&self) -> &[Weighted] {
        &self.texels[..self.len]
    }
}

fn size(image: &ImageDescriptor, axis: usize) -> i32 {
    i32::try_from(image.extent[axis]).unwrap_or(i32::MAX)
}

/// The index moved to the nearest one inside.
fn clamped(index: i32, size: i32) -> i32 {
    index.clamp(0, (size - 1).max(0))
}

/// The layer of an array that a coordinate means; layers are never blended.
fn layer(coord: f32, size: i32) -> i32 {
    clamped(coord.round_ties_even() as i32, size)
}

/// The coordinate in texels.
fn unnormalized(sampler: SamplerBits, coord: f32, size: i32) -> f32 {
    if sampler.is_normalized() {
        coord * size as f32
    } else {
        coord
    }
}

/// The coordinate in images. OpenCL wants normalized coordinates where images repeat and leaves open
/// what others mean; here they mean the same place.
fn normalized(sampler: SamplerBits, coord: f32, size: i32) -> f32 {
    if sampler.is_normalized() {
        coord
    } else {
        coord / size as f32
    }
}

/// The place in one image, in texels, that a coordinate means where images repeat.
fn repeated(sampler: SamplerBits, coord: f32, size: i32) -> f32 {
    let s = normalized(sampler, coord, size);
    (s - s.floor()) * size as f32
}

/// As [`repeated`], with every second image mirrored.
fn mirrored(sampler: SamplerBits, coord: f32, size: i32) -> f32 {
    let s = normalized(sampler, coord, size);
    let even = 2.0 * (0.5 * s).round_ties_even();
    (s - even).abs() * size as f32
}

// Conversions to integers saturate and make 0 of what is not a number.

fn nearest_index(sampler: SamplerBits, coord: f32, size: i32) -> i32 {
    match sampler.addressing() {
        Addressing::Repeat => {
            let index = repeated(sampler, coord, size).floor() as i32;
            if index > size - 1 {
                index - size
            } else {
                index
            }
        }
        Addressing::MirroredRepeat => (mirrored(sampler, coord, size).floor() as i32).min(size - 1),
        mode => outside(
            mode,
            unnormalized(sampler, coord, size).floor() as i32,
            size,
        ),
    }
}

fn linear_pair(sampler: SamplerBits, coord: f32, size: i32) -> Pair {
    let mode = sampler.addressing();
    let u = match mode {
        Addressing::Repeat => repeated(sampler, coord, size),
        Addressing::MirroredRepeat => mirrored(sampler, coord, size),
        _ => unnormalized(sampler, coord, size),
    };
    let low = (u - 0.5).floor();
    let share = u - 0.5 - low;
    let first = low as i32;
    let second = first.saturating_add(1);
    let index = match mode {
        Addressing::Repeat => [
            if first < 0 { size + first } else { first },
            if second > size - 1 {
                second - size
            } else {
                second
            },
        ],
        Addressing::MirroredRepeat => [first.max(0), second.min(size - 1)],
        _ => [outside(mode, first, size), outside(mode, second, size)],
    };
    Pair {
        index,
        // Infinite coordinates are between no two texels.
        share: if share.is_finite() { share } else { 0.0 },
    }
}

/// The index after clamping; one beyond the image stands for its border.
fn outside(mode: Addressing, index: i32, size: i32) -> i32 {
    match mode {
        Addressing::ClampToEdge => clamped(index, size),
        _ => index,
    }
}
