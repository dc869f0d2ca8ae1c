//! The API's image formats as Level Zero's.

use crate::ze;
use ur_api::*;

const R: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_R;
const G: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_G;
const B: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_B;
const A: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_A;
const ZERO: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_0;
const ONE: u32 = ze::ZE_IMAGE_FORMAT_SWIZZLE_1;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Level Zero's.
    pub native: ze::ze_image_format_t,
    /// Bytes of a texel.
    pub texel: usize,
    /// Whether colours are read as sRGB.
    pub is_srgb: bool,
}

/// Channels in memory, and where each that a kernel reads comes from.
fn order(order: ur_image_channel_order_t) -> Option<(usize, [u32; 4])> {
    Some(match order {
        UR_IMAGE_CHANNEL_ORDER_R => (1, [R, ZERO, ZERO, ONE]),
        UR_IMAGE_CHANNEL_ORDER_RG => (2, [R, G, ZERO, ONE]),
        UR_IMAGE_CHANNEL_ORDER_RGBA | UR_IMAGE_CHANNEL_ORDER_SRGBA => (4, [R, G, B, A]),
        UR_IMAGE_CHANNEL_ORDER_A => (1, [ZERO, ZERO, ZERO, R]),
        UR_IMAGE_CHANNEL_ORDER_RA => (2, [R, ZERO, ZERO, G]),
        UR_IMAGE_CHANNEL_ORDER_BGRA => (4, [B, G, R, A]),
        UR_IMAGE_CHANNEL_ORDER_INTENSITY => (1, [R, R, R, R]),
        UR_IMAGE_CHANNEL_ORDER_LUMINANCE => (1, [R, R, R, ONE]),
        _ => return None,
    })
}

/// Whether kernels can write images of an order. What they read, Level Zero puts into another order; what
/// they write, it does not.
fn is_written(order: ur_image_channel_order_t) -> bool {
    matches!(
        order,
        UR_IMAGE_CHANNEL_ORDER_R | UR_IMAGE_CHANNEL_ORDER_RG | UR_IMAGE_CHANNEL_ORDER_RGBA
    )
}

/// Bytes of a channel, and what it is.
fn channel(channel: ur_image_channel_type_t) -> Option<(usize, u32)> {
    Some(match channel {
        UR_IMAGE_CHANNEL_TYPE_SNORM_INT8 => (1, ze::ZE_IMAGE_FORMAT_TYPE_SNORM),
        UR_IMAGE_CHANNEL_TYPE_SNORM_INT16 => (2, ze::ZE_IMAGE_FORMAT_TYPE_SNORM),
        UR_IMAGE_CHANNEL_TYPE_UNORM_INT8 => (1, ze::ZE_IMAGE_FORMAT_TYPE_UNORM),
        UR_IMAGE_CHANNEL_TYPE_UNORM_INT16 => (2, ze::ZE_IMAGE_FORMAT_TYPE_UNORM),
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8 => (1, ze::ZE_IMAGE_FORMAT_TYPE_SINT),
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16 => (2, ze::ZE_IMAGE_FORMAT_TYPE_SINT),
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32 => (4, ze::ZE_IMAGE_FORMAT_TYPE_SINT),
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 => (1, ze::ZE_IMAGE_FORMAT_TYPE_UINT),
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 => (2, ze::ZE_IMAGE_FORMAT_TYPE_UINT),
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 => (4, ze::ZE_IMAGE_FORMAT_TYPE_UINT),
        UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT => (2, ze::ZE_IMAGE_FORMAT_TYPE_FLOAT),
        UR_IMAGE_CHANNEL_TYPE_FLOAT => (4, ze::ZE_IMAGE_FORMAT_TYPE_FLOAT),
        _ => return None,
    })
}

/// How so many channels of so many bytes lie in memory.
fn layout(channels: usize, bytes: usize) -> Option<u32> {
    Some(match (channels, bytes) {
        (1, 1) => ze::ZE_IMAGE_FORMAT_LAYOUT_8,
        (1, 2) => ze::ZE_IMAGE_FORMAT_LAYOUT_16,
        (1, 4) => ze::ZE_IMAGE_FORMAT_LAYOUT_32,
        (2, 1) => ze::ZE_IMAGE_FORMAT_LAYOUT_8_8,
        (2, 2) => ze::ZE_IMAGE_FORMAT_LAYOUT_16_16,
        (2, 4) => ze::ZE_IMAGE_FORMAT_LAYOUT_32_32,
        (4, 1) => ze::ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
        (4, 2) => ze::ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16,
        (4, 4) => ze::ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
        _ => return None,
    })
}

/// Level Zero's format, if it has one that is right for what kernels do with it.
pub fn native(format: &ur_image_format_t, is_written: bool) -> Option<Format> {
    if is_written && !self::is_written(format.channelOrder) {
        return None;
    }
    let (channels, [x, y, z, w]) = order(format.channelOrder)?;
    let (bytes, type_) = channel(format.channelType)?;
    let is_srgb = format.channelOrder == UR_IMAGE_CHANNEL_ORDER_SRGBA;
    if is_srgb && format.channelType != UR_IMAGE_CHANNEL_TYPE_UNORM_INT8 {
        return None;
    }
    Some(Format {
        native: ze::ze_image_format_t {
            layout: layout(channels, bytes)?,
            type_,
            x,
            y,
            z,
            w,
        },
        texel: channels * bytes,
        is_srgb,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: ur_image_channel_order_t, kind: ur_image_channel_type_t) -> ur_image_format_t {
        ur_image_format_t {
            channelOrder: order,
            channelType: kind,
        }
    }

    #[test]
    fn texels_are_as_large_as_their_channels() {
        let float = of(UR_IMAGE_CHANNEL_ORDER_RGBA, UR_IMAGE_CHANNEL_TYPE_FLOAT);
        let known = native(&float, true).expect("a format");
        assert_eq!((known.texel, known.is_srgb), (16, false));
        assert_eq!(known.native.layout, ze::ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32);
        let half = of(UR_IMAGE_CHANNEL_ORDER_RG, UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT);
        assert_eq!(native(&half, true).map(|known| known.texel), Some(4));
    }

    #[test]
    fn what_is_read_in_another_order_is_not_written() {
        let kind = UR_IMAGE_CHANNEL_TYPE_UNORM_INT8;
        for order in [
            UR_IMAGE_CHANNEL_ORDER_A,
            UR_IMAGE_CHANNEL_ORDER_BGRA,
            UR_IMAGE_CHANNEL_ORDER_SRGBA,
        ] {
            assert_eq!(native(&of(order, kind), true), None);
            assert!(native(&of(order, kind), false).is_some());
        }
        let srgb = of(UR_IMAGE_CHANNEL_ORDER_SRGBA, UR_IMAGE_CHANNEL_TYPE_FLOAT);
        assert_eq!(native(&srgb, false), None);
    }

    #[test]
    fn formats_without_a_right_one_are_unknown() {
        let kind = UR_IMAGE_CHANNEL_TYPE_UNORM_INT8;
        for order in [UR_IMAGE_CHANNEL_ORDER_RGB, UR_IMAGE_CHANNEL_ORDER_RX] {
            assert_eq!(native(&of(order, kind), false), None);
        }
        let packed = UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565;
        assert_eq!(
            native(&of(UR_IMAGE_CHANNEL_ORDER_RGBA, packed), false),
            None
        );
    }
}
