//! The API's image formats as those of the JIT.

use ur_api::*;
use ur_jit_abi::{ChannelOrder, ChannelType, ImageFormat};

/// The format, if images can have it.
pub fn known(format: &ur_image_format_t) -> Option<ImageFormat> {
    let known = ImageFormat {
        order: order(format.channelOrder)?,
        channel: channel(format.channelType)?,
    };
    known.is_supported().then_some(known)
}

fn order(order: ur_image_channel_order_t) -> Option<ChannelOrder> {
    Some(match order {
        UR_IMAGE_CHANNEL_ORDER_A => ChannelOrder::A,
        UR_IMAGE_CHANNEL_ORDER_R => ChannelOrder::R,
        UR_IMAGE_CHANNEL_ORDER_RG => ChannelOrder::Rg,
        UR_IMAGE_CHANNEL_ORDER_RA => ChannelOrder::Ra,
        UR_IMAGE_CHANNEL_ORDER_RGB => ChannelOrder::Rgb,
        UR_IMAGE_CHANNEL_ORDER_RGBA => ChannelOrder::Rgba,
        UR_IMAGE_CHANNEL_ORDER_BGRA => ChannelOrder::Bgra,
        UR_IMAGE_CHANNEL_ORDER_ARGB => ChannelOrder::Argb,
        UR_IMAGE_CHANNEL_ORDER_ABGR => ChannelOrder::Abgr,
        UR_IMAGE_CHANNEL_ORDER_INTENSITY => ChannelOrder::Intensity,
        UR_IMAGE_CHANNEL_ORDER_LUMINANCE => ChannelOrder::Luminance,
        UR_IMAGE_CHANNEL_ORDER_RX => ChannelOrder::Rx,
        UR_IMAGE_CHANNEL_ORDER_RGX => ChannelOrder::Rgx,
        UR_IMAGE_CHANNEL_ORDER_RGBX => ChannelOrder::Rgbx,
        UR_IMAGE_CHANNEL_ORDER_SRGBA => ChannelOrder::Srgba,
        _ => return None,
    })
}

fn channel(channel: ur_image_channel_type_t) -> Option<ChannelType> {
    Some(match channel {
        UR_IMAGE_CHANNEL_TYPE_SNORM_INT8 => ChannelType::SnormInt8,
        UR_IMAGE_CHANNEL_TYPE_SNORM_INT16 => ChannelType::SnormInt16,
        UR_IMAGE_CHANNEL_TYPE_UNORM_INT8 => ChannelType::UnormInt8,
        UR_IMAGE_CHANNEL_TYPE_UNORM_INT16 => ChannelType::UnormInt16,
        UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 => ChannelType::UnormShort565,
        UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 => ChannelType::UnormShort555,
        UR_IMAGE_CHANNEL_TYPE_INT_101010 => ChannelType::UnormInt101010,
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8 => ChannelType::SignedInt8,
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16 => ChannelType::SignedInt16,
        UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32 => ChannelType::SignedInt32,
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 => ChannelType::UnsignedInt8,
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 => ChannelType::UnsignedInt16,
        UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 => ChannelType::UnsignedInt32,
        UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT => ChannelType::HalfFloat,
        UR_IMAGE_CHANNEL_TYPE_FLOAT => ChannelType::Float,
        _ => return None,
    })
}
