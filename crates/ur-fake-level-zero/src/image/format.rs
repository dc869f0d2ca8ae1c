//! Formats of images.

use crate::ze::*;
use ur_jit_abi::{ChannelOrder, ChannelType, ImageFormat};

const R: u32 = ZE_IMAGE_FORMAT_SWIZZLE_R;
const G: u32 = ZE_IMAGE_FORMAT_SWIZZLE_G;
const B: u32 = ZE_IMAGE_FORMAT_SWIZZLE_B;
const A: u32 = ZE_IMAGE_FORMAT_SWIZZLE_A;
const ZERO: u32 = ZE_IMAGE_FORMAT_SWIZZLE_0;
const ONE: u32 = ZE_IMAGE_FORMAT_SWIZZLE_1;
const X: u32 = ZE_IMAGE_FORMAT_SWIZZLE_X;

/// The format as kernels know it, if they do.
pub fn known(format: &ze_image_format_t, srgb: bool) -> Option<ImageFormat> {
    let (channels, bits) = match format.layout {
        ZE_IMAGE_FORMAT_LAYOUT_8 => (1, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16 => (1, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32 => (1, 32),
        ZE_IMAGE_FORMAT_LAYOUT_8_8 => (2, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16_16 => (2, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32_32 => (2, 32),
        ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 => (4, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16 => (4, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32 => (4, 32),
        ZE_IMAGE_FORMAT_LAYOUT_5_6_5 => (3, 565),
        _ => return None,
    };
    let known = ImageFormat {
        order: order(channels, [format.x, format.y, format.z, format.w], srgb)?,
        channel: channel(bits, format.type_)?,
    };
    known.is_supported().then_some(known)
}

/// Which channels there are, by where each component of what is read comes from.
fn order(channels: u32, from: [u32; 4], srgb: bool) -> Option<ChannelOrder> {
    Some(match (channels, from) {
        (1, [R, R, R, R]) => ChannelOrder::Intensity,
        (1, [R, R, R, ONE]) => ChannelOrder::Luminance,
        (1, [ZERO, ZERO, ZERO, R | A] | [A, ..]) => ChannelOrder::A,
        (1, [R, _, _, X]) => ChannelOrder::Rx,
        (1, [R, ..]) => ChannelOrder::R,
        (2, [R, G, _, X]) => ChannelOrder::Rgx,
        (2, [R, G, ..]) => ChannelOrder::Rg,
        (2, [R, ZERO, ZERO, G | A] | [R, A, ..]) => ChannelOrder::Ra,
        (3, [R, G, B, X]) => ChannelOrder::Rgbx,
        (3, [R, G, B, _]) => ChannelOrder::Rgb,
        (4, [R, G, B, A]) if srgb => ChannelOrder::Srgba,
        (4, [R, G, B, A]) => ChannelOrder::Rgba,
        (4, [B, G, R, A]) => ChannelOrder::Bgra,
        (4, [A, B, G, R]) => ChannelOrder::Abgr,
        (4, [G, B, A, R] | [A, R, G, B]) => ChannelOrder::Argb,
        _ => return None,
    })
}

fn channel(bits: u32, kind: u32) -> Option<ChannelType> {
    Some(match (bits, kind) {
        (8, ZE_IMAGE_FORMAT_TYPE_UINT) => ChannelType::UnsignedInt8,
        (8, ZE_IMAGE_FORMAT_TYPE_SINT) => ChannelType::SignedInt8,
        (8, ZE_IMAGE_FORMAT_TYPE_UNORM) => ChannelType::UnormInt8,
        (8, ZE_IMAGE_FORMAT_TYPE_SNORM) => ChannelType::SnormInt8,
        (16, ZE_IMAGE_FORMAT_TYPE_UINT) => ChannelType::UnsignedInt16,
        (16, ZE_IMAGE_FORMAT_TYPE_SINT) => ChannelType::SignedInt16,
        (16, ZE_IMAGE_FORMAT_TYPE_UNORM) => ChannelType::UnormInt16,
        (16, ZE_IMAGE_FORMAT_TYPE_SNORM) => ChannelType::SnormInt16,
        (16, ZE_IMAGE_FORMAT_TYPE_FLOAT) => ChannelType::HalfFloat,
        (32, ZE_IMAGE_FORMAT_TYPE_UINT) => ChannelType::UnsignedInt32,
        (32, ZE_IMAGE_FORMAT_TYPE_SINT) => ChannelType::SignedInt32,
        (32, ZE_IMAGE_FORMAT_TYPE_FLOAT) => ChannelType::Float,
        (565, ZE_IMAGE_FORMAT_TYPE_UNORM) => ChannelType::UnormShort565,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        let format = |layout, type_, [x, y, z, w]: [u32; 4]| {
            let format = ze_image_format_t {
                layout,
                type_,
                x,
                y,
                z,
                w,
            };
            known(&format, false).map(|known| (known.order, known.channel))
        };
        assert_eq!(
            format(
                ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
                ZE_IMAGE_FORMAT_TYPE_FLOAT,
                [R, G, B, A]
            ),
            Some((ChannelOrder::Rgba, ChannelType::Float))
        );
        assert_eq!(
            format(
                ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
                ZE_IMAGE_FORMAT_TYPE_UNORM,
                [B, G, R, A]
            ),
            Some((ChannelOrder::Bgra, ChannelType::UnormInt8))
        );
        assert_eq!(
            format(
                ZE_IMAGE_FORMAT_LAYOUT_16,
                ZE_IMAGE_FORMAT_TYPE_SINT,
                [R, ZERO, ZERO, ONE]
            ),
            Some((ChannelOrder::R, ChannelType::SignedInt16))
        );
        let none = [X; 4];
        assert_eq!(
            format(ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, none),
            None
        );
        let float = ZE_IMAGE_FORMAT_TYPE_FLOAT;
        assert_eq!(format(ZE_IMAGE_FORMAT_LAYOUT_8, float, [R, G, B, A]), None);
        assert_eq!(format(99, float, [R, G, B, A]), None);
    }
}
