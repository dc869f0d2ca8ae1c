//! The API's image formats as OpenCL's.

use crate::cl;
use ur_api::*;

const ORDERS: [(ur_image_channel_order_t, cl::cl_uint); 15] = [
    (UR_IMAGE_CHANNEL_ORDER_A, cl::CL_A),
    (UR_IMAGE_CHANNEL_ORDER_R, cl::CL_R),
    (UR_IMAGE_CHANNEL_ORDER_RG, cl::CL_RG),
    (UR_IMAGE_CHANNEL_ORDER_RA, cl::CL_RA),
    (UR_IMAGE_CHANNEL_ORDER_RGB, cl::CL_RGB),
    (UR_IMAGE_CHANNEL_ORDER_RGBA, cl::CL_RGBA),
    (UR_IMAGE_CHANNEL_ORDER_BGRA, cl::CL_BGRA),
    (UR_IMAGE_CHANNEL_ORDER_ARGB, cl::CL_ARGB),
    (UR_IMAGE_CHANNEL_ORDER_ABGR, cl::CL_ABGR),
    (UR_IMAGE_CHANNEL_ORDER_INTENSITY, cl::CL_INTENSITY),
    (UR_IMAGE_CHANNEL_ORDER_LUMINANCE, cl::CL_LUMINANCE),
    (UR_IMAGE_CHANNEL_ORDER_RX, cl::CL_Rx),
    (UR_IMAGE_CHANNEL_ORDER_RGX, cl::CL_RGx),
    (UR_IMAGE_CHANNEL_ORDER_RGBX, cl::CL_RGBx),
    (UR_IMAGE_CHANNEL_ORDER_SRGBA, cl::CL_sRGBA),
];

const TYPES: [(ur_image_channel_type_t, cl::cl_uint); 15] = [
    (UR_IMAGE_CHANNEL_TYPE_SNORM_INT8, cl::CL_SNORM_INT8),
    (UR_IMAGE_CHANNEL_TYPE_SNORM_INT16, cl::CL_SNORM_INT16),
    (UR_IMAGE_CHANNEL_TYPE_UNORM_INT8, cl::CL_UNORM_INT8),
    (UR_IMAGE_CHANNEL_TYPE_UNORM_INT16, cl::CL_UNORM_INT16),
    (
        UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
        cl::CL_UNORM_SHORT_565,
    ),
    (
        UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555,
        cl::CL_UNORM_SHORT_555,
    ),
    (UR_IMAGE_CHANNEL_TYPE_INT_101010, cl::CL_UNORM_INT_101010),
    (UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8, cl::CL_SIGNED_INT8),
    (UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16, cl::CL_SIGNED_INT16),
    (UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32, cl::CL_SIGNED_INT32),
    (UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, cl::CL_UNSIGNED_INT8),
    (UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, cl::CL_UNSIGNED_INT16),
    (UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, cl::CL_UNSIGNED_INT32),
    (UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT, cl::CL_HALF_FLOAT),
    (UR_IMAGE_CHANNEL_TYPE_FLOAT, cl::CL_FLOAT),
];

/// OpenCL's format, if the API's numbers are known.
pub fn native(format: &ur_image_format_t) -> Option<cl::cl_image_format> {
    let order = ORDERS.iter().find(|(own, _)| *own == format.channelOrder)?;
    let kind = TYPES.iter().find(|(own, _)| *own == format.channelType)?;
    Some(cl::cl_image_format {
        image_channel_order: order.1,
        image_channel_data_type: kind.1,
    })
}

/// The API's format, if it has one for OpenCL's.
pub fn of_native(format: cl::cl_image_format) -> Option<ur_image_format_t> {
    let cl::cl_image_format {
        image_channel_order: order,
        image_channel_data_type: kind,
    } = format;
    Some(ur_image_format_t {
        channelOrder: ORDERS.iter().find(|(_, native)| *native == order)?.0,
        channelType: TYPES.iter().find(|(_, native)| *native == kind)?.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_there_and_back() {
        for (order, _) in ORDERS {
            for (kind, _) in TYPES {
                let format = ur_image_format_t {
                    channelOrder: order,
                    channelType: kind,
                };
                let back = native(&format).and_then(of_native);
                let back = back.map(|back| (back.channelOrder, back.channelType));
                assert_eq!(back, Some((order, kind)));
            }
        }
    }
}
