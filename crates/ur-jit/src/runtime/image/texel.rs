//! Texels in memory and as four numbers: red, green, blue, alpha.

use ur_jit_abi::{ChannelOrder, ChannelType, ImageDescriptor};

use super::address::Place;
use crate::ir::{f16_from_f64, f64_from_f16};

/// A texel as floats. Integers, which OpenCL reads otherwise, are converted.
pub(super) fn load(image: &ImageDescriptor, place: Place) -> [f32; 4] {
    let Place::Texel(at) = place else {
        return border(image, 0.0, 1.0);
    };
    let order = image.format.order;
    let mut stored = [0f32; 4];
    if image.format.channel.is_packed() {
        stored[..3].copy_from_slice(&unpack(image.format.channel, at));
    } else {
        for (number, value) in stored.iter_mut().take(order.channels()).enumerate() {
            *value = channel(image.format.channel, at, number);
        }
    }
    let mut texel = arrange(order, stored, 0.0, 1.0);
    if order == ChannelOrder::Srgba {
        for value in &mut texel[..3] {
            *value = from_srgb(*value);
        }
    }
    texel
}

/// A texel as integers. Others, which OpenCL reads as floats, are rounded towards zero.
pub(super) fn load_i(image: &ImageDescriptor, place: Place) -> [i32; 4] {
    let Place::Texel(at) = place else {
        return border(image, 0, 1);
    };
    if !image.format.channel.is_integer() {
        return load(image, place).map(|value| value as i32);
    }
    let order = image.format.order;
    let mut stored = [0i32; 4];
    for (number, value) in stored.iter_mut().take(order.channels()).enumerate() {
        *value = channel_i(image.format.channel, at, number);
    }
    arrange(order, stored, 0, 1)
}

/// Stores a texel given as floats. `at` is the address of a texel of the image.
pub(super) fn store(image: &ImageDescriptor, at: usize, mut texel: [f32; 4]) {
    let order = image.format.order;
    if order == ChannelOrder::Srgba {
        for value in &mut texel[..3] {
            *value = to_srgb(*value);
        }
    }
    let stored = pick(order, texel);
    if image.format.channel.is_packed() {
        pack(image.format.channel, at, stored);
        return;
    }
    for (number, value) in stored.iter().take(order.channels()).enumerate() {
        set_channel(image.format.channel, at, number, *value);
    }
}

/// Stores a texel given as integers, which saturate. `at` is the address of a texel of the image.
pub(super) fn store_i(image: &ImageDescriptor, at: usize, texel: [i32; 4]) {
    if !image.format.channel.is_integer() {
        return store(image, at, texel.map(|value| value as f32));
    }
    let order = image.format.order;
    let stored = pick(order, texel);
    for (number, value) in stored.iter().take(order.channels()).enumerate() {
        set_channel_i(image.format.channel, at, number, *value);
    }
}

/// The colour outside of the image.
fn border<T: Copy>(image: &ImageDescriptor, zero: T, one: T) -> [T; 4] {
    let opaque = image.format.order.has_opaque_border();
    [zero, zero, zero, if opaque { one } else { zero }]
}

/// Stored channels as red, green, blue, alpha; the missing ones are 0, alpha is 1.
fn arrange<T: Copy>(order: ChannelOrder, stored: [T; 4], zero: T, one: T) -> [T; 4] {
    use ChannelOrder as O;
    let [a, b, c, d] = stored;
    match order {
        O::R | O::Rx => [a, zero, zero, one],
        O::A => [zero, zero, zero, a],
        O::Rg | O::Rgx => [a, b, zero, one],
        O::Ra => [a, zero, zero, b],
        O::Rgb | O::Rgbx => [a, b, c, one],
        O::Rgba | O::Srgba => [a, b, c, d],
        O::Bgra => [c, b, a, d],
        O::Argb => [b, c, d, a],
        O::Abgr => [d, c, b, a],
        O::Intensity => [a; 4],
        O::Luminance => [a, a, a, one],
    }
}

/// The channels to store of red, green, blue, alpha.
fn pick<T: Copy>(order: ChannelOrder, texel: [T; 4]) -> [T; 4] {
    use ChannelOrder as O;
    let [r, g, b, a] = texel;
    match order {
        O::A => [a; 4],
        O::Ra => [r, a, r, a],
        O::Bgra => [b, g, r, a],
        O::Argb => [a, r, g, b],
        O::Abgr => [a, b, g, r],
        _ => texel,
    }
}

/// Reads `T` at the byte offset of channel `number`.
fn get<T: Copy>(at: usize, number: usize) -> T {
    let place = (at + number * size_of::<T>()) as *const T;
    // SAFETY: `at` is a texel of the image, and the number is below its channels. What other
    // work-items write meanwhile is the program's business.
    unsafe { place.read_unaligned() }
}

/// Writes `T` at the byte offset of channel `number`.
fn set<T: Copy>(at: usize, number: usize, value: T) {
    let place = (at + number * size_of::<T>()) as *mut T;
    // SAFETY: as in `get`; the program lets the kernel write the image.
    unsafe { place.write_unaligned(value) }
}

fn channel(kind: ChannelType, at: usize, number: usize) -> f32 {
    use ChannelType as T;
    match kind {
        T::SnormInt8 => (f32::from(get::<i8>(at, number)) / 127.0).max(-1.0),
        T::SnormInt16 => (f32::from(get::<i16>(at, number)) / 32767.0).max(-1.0),
        T::UnormInt8 => f32::from(get::<u8>(at, number)) / 255.0,
        T::UnormInt16 => f32::from(get::<u16>(at, number)) / 65535.0,
        T::HalfFloat => f64_from_f16(get::<u16>(at, number)) as f32,
        T::Float => get::<f32>(at, number),
        T::UnsignedInt32 => get::<u32>(at, number) as f32,
        T::SignedInt8 | T::SignedInt16 | T::SignedInt32 | T::UnsignedInt8 | T::UnsignedInt16 => {
            channel_i(kind, at, number) as f32
        }
        T::UnormShort565 | T::UnormShort555 | T::UnormInt101010 => 0.0,
    }
}

/// The bits of an integer channel, extended by its sign.
fn channel_i(kind: ChannelType, at: usize, number: usize) -> i32 {
    use ChannelType as T;
    match kind {
        T::SignedInt8 => get::<i8>(at, number).into(),
        T::SignedInt16 => get::<i16>(at, number).into(),
        T::SignedInt32 => get::<i32>(at, number),
        T::UnsignedInt8 => get::<u8>(at, number).into(),
        T::UnsignedInt16 => get::<u16>(at, number).into(),
        T::UnsignedInt32 => get::<u32>(at, number) as i32,
        _ => 0,
    }
}

/// Rounds to the nearest integer; conversions to integers then saturate.
fn scaled(value: f32, scale: f32) -> f32 {
    (value * scale).round_ties_even()
}

fn set_channel(kind: ChannelType, at: usize, number: usize, value: f32) {
    use ChannelType as T;
    match kind {
        T::SnormInt8 => set(at, number, scaled(value, 127.0) as i8),
        T::SnormInt16 => set(at, number, scaled(value, 32767.0) as i16),
        T::UnormInt8 => set(at, number, scaled(value, 255.0) as u8),
        T::UnormInt16 => set(at, number, scaled(value, 65535.0) as u16),
        T::HalfFloat => set(at, number, f16_from_f64(value.into())),
        T::Float => set(at, number, value),
        T::SignedInt8 => set(at, number, value as i8),
        T::SignedInt16 => set(at, number, value as i16),
        T::SignedInt32 => set(at, number, value as i32),
        T::UnsignedInt8 => set(at, number, value as u8),
        T::UnsignedInt16 => set(at, number, value as u16),
        T::UnsignedInt32 => set(at, number, value as u32),
        T::UnormShort565 | T::UnormShort555 | T::UnormInt101010 => {}
    }
}

/// Signed formats take the value as signed, unsigned ones as unsigned: a kernel writes each with the
/// function of its kind.
fn set_channel_i(kind: ChannelType, at: usize, number: usize, value: i32) {
    use ChannelType as T;
    match kind {
        T::SignedInt8 => set(at, number, value.clamp(-0x80, 0x7f) as i8),
        T::SignedInt16 => set(at, number, value.clamp(-0x8000, 0x7fff) as i16),
        T::UnsignedInt8 => set(at, number, (value as u32).min(0xff) as u8),
        T::UnsignedInt16 => set(at, number, (value as u32).min(0xffff) as u16),
        _ => set(at, number, value),
    }
}

/// Lowest bit and width of red, green and blue in a packed word.
fn fields(kind: ChannelType) -> [(u32, u32); 3] {
    match kind {
        ChannelType::UnormShort565 => [(11, 5), (5, 6), (0, 5)],
        ChannelType::UnormShort555 => [(10, 5), (5, 5), (0, 5)],
        _ => [(20, 10), (10, 10), (0, 10)],
    }
}

fn unpack(kind: ChannelType, at: usize) -> [f32; 3] {
    let word = match kind {
        ChannelType::UnormInt101010 => get::<u32>(at, 0),
        _ => get::<u16>(at, 0).into(),
    };
    fields(kind).map(|(low, width)| {
        let largest = (1u32 << width) - 1;
        (word >> low & largest) as f32 / largest as f32
    })
}

fn pack(kind: ChannelType, at: usize, stored: [f32; 4]) {
    let mut word = 0u32;
    for ((low, width), value) in fields(kind).into_iter().zip(stored) {
        let largest = (1u32 << width) - 1;
        word |= (scaled(value, largest as f32) as u32).min(largest) << low;
    }
    match kind {
        ChannelType::UnormInt101010 => set(at, 0, word),
        _ => set(at, 0, word as u16),
    }
}

/// A channel on the curve of sRGB as light.
fn from_srgb(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((f64::from(value) + 0.055) / 1.055).powf(2.4) as f32
    }
}

/// Light as a channel on the curve of sRGB.
fn to_srgb(value: f32) -> f32 {
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    };
    if value < 0.003_130_8 {
        value * 12.92
    } else {
        (1.055 * f64::from(value).powf(1.0 / 2.4) - 0.055) as f32
    }
}
