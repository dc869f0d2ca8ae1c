//! Images: kinds, formats, and what they say of themselves.

use crate::failure::Stop;
use crate::objects::{Counted, Memory, RGBA8, flat};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

fn ask<T: Copy + Default>(image: &Memory, query: ur_image_info_t) -> Result<T, Stop> {
    let mut value = T::default();
    let place: *mut c_void = (&raw mut value).cast();
    let code = ur!(urMemImageGetInfo(
        image.get(),
        query,
        size_of::<T>(),
        place,
        null_mut()
    ));
    crate::failure::check("urMemImageGetInfo", UR_RESULT_SUCCESS, code)?;
    Ok(value)
}

/// Channels of an order, and bytes of a channel of a type where each has bytes of its own.
const ORDERS: [(&str, ur_image_channel_order_t, usize); 15] = [
    ("r", UR_IMAGE_CHANNEL_ORDER_R, 1),
    ("rg", UR_IMAGE_CHANNEL_ORDER_RG, 2),
    ("rgba", UR_IMAGE_CHANNEL_ORDER_RGBA, 4),
    ("bgra", UR_IMAGE_CHANNEL_ORDER_BGRA, 4),
    ("a", UR_IMAGE_CHANNEL_ORDER_A, 1),
    ("ra", UR_IMAGE_CHANNEL_ORDER_RA, 2),
    ("rgb", UR_IMAGE_CHANNEL_ORDER_RGB, 3),
    ("argb", UR_IMAGE_CHANNEL_ORDER_ARGB, 4),
    ("abgr", UR_IMAGE_CHANNEL_ORDER_ABGR, 4),
    ("intensity", UR_IMAGE_CHANNEL_ORDER_INTENSITY, 1),
    ("luminance", UR_IMAGE_CHANNEL_ORDER_LUMINANCE, 1),
    ("rx", UR_IMAGE_CHANNEL_ORDER_RX, 1),
    ("rgx", UR_IMAGE_CHANNEL_ORDER_RGX, 2),
    ("rgbx", UR_IMAGE_CHANNEL_ORDER_RGBX, 3),
    ("srgba", UR_IMAGE_CHANNEL_ORDER_SRGBA, 4),
];
const TYPES: [(&str, ur_image_channel_type_t, usize); 12] = [
    ("snorm8", UR_IMAGE_CHANNEL_TYPE_SNORM_INT8, 1),
    ("snorm16", UR_IMAGE_CHANNEL_TYPE_SNORM_INT16, 2),
    ("unorm8", UR_IMAGE_CHANNEL_TYPE_UNORM_INT8, 1),
    ("unorm16", UR_IMAGE_CHANNEL_TYPE_UNORM_INT16, 2),
    ("sint8", UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8, 1),
    ("sint16", UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16, 2),
    ("sint32", UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32, 4),
    ("uint8", UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 1),
    ("uint16", UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, 2),
    ("uint32", UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, 4),
    ("half", UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT, 2),
    ("float", UR_IMAGE_CHANNEL_TYPE_FLOAT, 4),
];

fn format(cx: &Cx, format: &ur_image_format_t, element: usize) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let image = match Memory::image(&context, UR_MEM_FLAG_READ_WRITE, format, &flat(7, 5)) {
        Err(Stop::Call(failure))
            if failure.code == UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT
                && (format.channelOrder != RGBA8.channelOrder
                    || format.channelType != RGBA8.channelType) =>
        {
            return Err(Stop::Unsupported("the format is not supported".into()));
        }
        other => other?,
    };
    same!(
        "bytes of a texel",
        ask::<usize>(&image, UR_IMAGE_INFO_ELEMENT_SIZE)?,
        element
    );
    let own: ur_image_format_t = ask(&image, UR_IMAGE_INFO_FORMAT)?;
    same!("the order", own.channelOrder, format.channelOrder);
    same!("the type", own.channelType, format.channelType);
    let row: usize = ask(&image, UR_IMAGE_INFO_ROW_PITCH)?;
    ensure!(row >= 7 * element, "rows of {row} bytes");
    Ok(())
}

/// What a device need not have: types that pack channels. An image of such a format says what it is,
/// or is refused for its format.
fn rare(cx: &Cx, wanted: ur_image_format_t) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let image = match Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &wanted, &flat(7, 5)) {
        Err(Stop::Call(failure)) => {
            let of_formats = [
                UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            ];
            crate::failure::check(failure.call, of_formats, failure.code)?;
            return Ok(());
        }
        other => other?,
    };
    let own: ur_image_format_t = ask(&image, UR_IMAGE_INFO_FORMAT)?;
    same!("the order", own.channelOrder, wanted.channelOrder);
    same!("the type", own.channelType, wanted.channelType);
    let element: usize = ask(&image, UR_IMAGE_INFO_ELEMENT_SIZE)?;
    ensure!((1..=16).contains(&element), "texels of {element} bytes");
    Ok(())
}

const PACKED_TYPES: [ur_image_channel_type_t; 3] = [
    UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
    UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555,
    UR_IMAGE_CHANNEL_TYPE_INT_101010,
];

/// Kinds of images with the extent that they are made with: width, height, depth, layers.
const KINDS: [(&str, ur_mem_type_t, [usize; 4]); 5] = [
    ("1d", UR_MEM_TYPE_IMAGE1D, [9, 1, 1, 1]),
    ("2d", UR_MEM_TYPE_IMAGE2D, [9, 6, 1, 1]),
    ("3d", UR_MEM_TYPE_IMAGE3D, [9, 6, 4, 1]),
    ("1d_array", UR_MEM_TYPE_IMAGE1D_ARRAY, [9, 1, 1, 3]),
    ("2d_array", UR_MEM_TYPE_IMAGE2D_ARRAY, [9, 6, 1, 3]),
];

fn kind(cx: &Cx, kind: ur_mem_type_t, extent: [usize; 4], flags: u32) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let [width, height, depth, layers] = extent;
    let desc = ur_image_desc_t {
        r#type: kind,
        width,
        height,
        depth,
        arraySize: layers,
        ..Default::default()
    };
    let image = Memory::image(&context, flags, &RGBA8, &desc)?;
    same!(
        "the width",
        ask::<usize>(&image, UR_IMAGE_INFO_WIDTH)?,
        width
    );
    // Extents that the kind has not are 0 or 1.
    for (query, extent) in [(UR_IMAGE_INFO_HEIGHT, height), (UR_IMAGE_INFO_DEPTH, depth)] {
        let told: usize = ask(&image, query)?;
        ensure!(
            told == extent || extent == 1 && told == 0,
            "{query} is {told} of {extent}"
        );
    }
    let size: usize = image.info(UR_MEM_INFO_SIZE)?;
    let least = width * height * depth * layers * 4;
    ensure!(size >= least, "{size} bytes of {least}");
    let own: ur_context_handle_t = image.info(UR_MEM_INFO_CONTEXT)?;
    same!("the context", own, context.get());
    same!("the count", image.count()?, 1);
    Ok(())
}

/// An image that is made from texels of the host holds them.
fn with_texels(cx: &Cx, flags: u32) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let (context, queue) = cx.queue(0)?;
    let mut texels: Vec<u8> = (0..7 * 5 * 4).collect();
    let desc = flat(7, 5);
    let image = Memory::made("urMemImageCreate", |out| {
        let (format, desc) = (&raw const RGBA8, &raw const desc);
        let host = texels.as_mut_ptr().cast();
        ur!(urMemImageCreate(
            context.get(),
            flags,
            format,
            desc,
            host,
            out
        ))
    })?;
    let region = ur_rect_region_t {
        width: 7,
        height: 5,
        depth: 1,
    };
    let origin = ur_rect_offset_t::default();
    let mut found = vec![0u8; texels.len()];
    let at = found.as_mut_ptr().cast();
    ok!(urEnqueueMemImageRead(
        queue.get(),
        image.get(),
        true,
        origin,
        region,
        0,
        0,
        at,
        0,
        null(),
        null_mut()
    ))?;
    same!("the texels", found, texels);
    image.release()
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for (name, flag) in [
        ("use_host_pointer", UR_MEM_FLAG_USE_HOST_POINTER),
        (
            "alloc_copy_host_pointer",
            UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER,
        ),
    ] {
        for (access_name, access) in [
            ("read_write", UR_MEM_FLAG_READ_WRITE),
            ("read_only", UR_MEM_FLAG_READ_ONLY),
        ] {
            let flags = flag.0 | access.0;
            suite.device(format!("texels::{name}_{access_name}"), move |cx| {
                with_texels(cx, flags)
            });
        }
    }
    for (order_name, order, channels) in ORDERS {
        for (type_name, channel_type, bytes) in TYPES {
            let wanted = ur_image_format_t {
                channelOrder: order,
                channelType: channel_type,
            };
            suite.device(format!("create::{order_name}_{type_name}"), move |cx| {
                format(cx, &wanted, channels * bytes)
            });
        }
    }
    let orders = ORDERS.map(|(_, order, _)| order);
    let packed = orders
        .into_iter()
        .flat_map(|o| PACKED_TYPES.map(|t| (o, t)));
    for (order, channel_type) in packed {
        let name = format!("{order}_{channel_type}").to_lowercase();
        let name = name.replace("ur_image_channel_order_", "");
        let name = name.replace("ur_image_channel_type_", "");
        let wanted = ur_image_format_t {
            channelOrder: order,
            channelType: channel_type,
        };
        suite.device(format!("create::rare::{name}"), move |cx| rare(cx, wanted));
    }
    for (name, mem_type, extent) in KINDS {
        for (flag_name, flags) in [
            ("read_write", UR_MEM_FLAG_READ_WRITE),
            ("read_only", UR_MEM_FLAG_READ_ONLY),
            ("write_only", UR_MEM_FLAG_WRITE_ONLY),
            ("alloc_host_pointer", UR_MEM_FLAG_ALLOC_HOST_POINTER),
            ("no_flags", ur_mem_flag_t(0)),
        ] {
            suite.device(format!("create::{name}_{flag_name}"), move |cx| {
                kind(cx, mem_type, extent, flags.0)
            });
        }
    }
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
            let context = cx.context()?;
            let image = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(4, 4))?;
            let more: Result<Vec<Memory>, Stop> = (0..times).map(|_| image.retain()).collect();
            let more = more?;
            same!("the count", image.count()?, 1 + times);
            drop(more);
            same!("the count after", image.count()?, 1);
            Ok(())
        });
    }
    for (name, mem_type) in [
        ("cubemap", UR_MEM_TYPE_IMAGE_CUBEMAP_EXP),
        ("gather", UR_MEM_TYPE_IMAGE_GATHER_EXP),
    ] {
        suite.device(format!("refused::{name}"), move |cx| {
            cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
            let context = cx.context()?;
            let desc = ur_image_desc_t {
                r#type: mem_type,
                ..flat(4, 4)
            };
            let result = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &desc);
            ensure!(result.is_err(), "it was made");
            Ok(())
        });
    }
    suite.device("refused::no_width", |cx| {
        cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
        let context = cx.context()?;
        let result = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(0, 4));
        ensure!(result.is_err(), "it was made");
        Ok(())
    });
    suite.device("refused::wider_than_the_device_allows", |cx| {
        cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
        let most = cx.device_info::<usize>(UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH)?;
        let desc = flat(most.unwrap_or(0) + 1, 4);
        let context = cx.context()?;
        let result = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &desc);
        ensure!(result.is_err(), "it was made");
        Ok(())
    });
}
