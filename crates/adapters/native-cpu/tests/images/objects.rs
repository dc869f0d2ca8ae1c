//! Making images and samplers, and what they and the device say of themselves.

use crate::common::*;
use crate::model::{Format, KINDS, Kind, Shape, formats};
use crate::support::{Sampler, create, describe};
use crate::{ok, ur};
use std::ptr::null_mut;
use ur_api::*;

const RGBA: Format = Format {
    order: UR_IMAGE_CHANNEL_ORDER_RGBA,
    channel: UR_IMAGE_CHANNEL_TYPE_UNORM_INT8,
};

fn image_info<T: Copy + Default>(image: &Mem, name: ur_image_info_t) -> T {
    let (mut value, mut size) = (T::default(), 0);
    let place = (&raw mut value).cast();
    ok!(Mem.pfnImageGetInfo(image.0, name, size_of::<T>(), place, &mut size));
    assert_eq!(size, size_of::<T>());
    value
}

fn device_info<T: Copy + Default>(name: ur_device_info_t) -> T {
    let mut value = T::default();
    let place = (&raw mut value).cast();
    ok!(Device.pfnGetInfo(device(), name, size_of::<T>(), place, null_mut()));
    value
}

#[test]
fn images_say_what_they_are() {
    let context = Context::new();
    for kind in KINDS {
        for format in formats() {
            let shape = Shape::new(kind, [12, 6, 3]);
            let desc = describe(&shape, 0, 0);
            let (outcome, mem) = create(&context, 0, format, &desc, null_mut());
            assert_eq!(outcome, UR_RESULT_SUCCESS, "{format:?}");
            let image = Mem(mem);
            let raw: ur_image_format_t = image_info(&image, UR_IMAGE_INFO_FORMAT);
            assert_eq!(raw.channelOrder, format.order);
            assert_eq!(raw.channelType, format.channel);
            let size = |name| image_info::<usize>(&image, name);
            let texel = format.texel();
            let [_, height, depth] = match kind {
                Kind::D1 | Kind::D1Array => [12, 0, 0],
                Kind::D2 | Kind::D2Array => [12, 6, 0],
                Kind::D3 => [12, 6, 3],
            };
            let (layers, slice) = match kind {
                Kind::D1 | Kind::D2 => (0, 0),
                Kind::D1Array => (6, 12 * texel),
                Kind::D2Array => (3, 72 * texel),
                Kind::D3 => (0, 72 * texel),
            };
            assert_eq!(size(UR_IMAGE_INFO_ELEMENT_SIZE), texel);
            assert_eq!(size(UR_IMAGE_INFO_WIDTH), 12);
            assert_eq!(size(UR_IMAGE_INFO_HEIGHT), height);
            assert_eq!(size(UR_IMAGE_INFO_DEPTH), depth);
            assert_eq!(size(UR_IMAGE_INFO_ARRAY_SIZE), layers);
            assert_eq!(size(UR_IMAGE_INFO_ROW_PITCH), 12 * texel);
            assert_eq!(size(UR_IMAGE_INFO_SLICE_PITCH), slice);
            assert_eq!(image_info::<u32>(&image, UR_IMAGE_INFO_NUM_MIP_LEVELS), 0);
            assert_eq!(image_info::<u32>(&image, UR_IMAGE_INFO_NUM_SAMPLES), 0);
            let mut bytes = 0usize;
            let place = (&raw mut bytes).cast();
            ok!(Mem.pfnGetInfo(image.0, UR_MEM_INFO_SIZE, 8, place, null_mut()));
            assert_eq!(bytes, shape.texels() * texel);
            let mut owner: ur_context_handle_t = null_mut();
            let place = (&raw mut owner).cast();
            ok!(Mem.pfnGetInfo(image.0, UR_MEM_INFO_CONTEXT, 8, place, null_mut()));
            assert_eq!(owner, context.0);
        }
    }
    let buffer = context.buffer(&[0; 64]);
    let outcome = ur!(Mem.pfnImageGetInfo(
        buffer.0,
        UR_IMAGE_INFO_WIDTH,
        8,
        std::ptr::from_mut(&mut 0usize).cast(),
        null_mut(),
    ));
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_MEM_OBJECT);
}

#[test]
fn only_formats_of_the_rules_are_made() {
    let context = Context::new();
    let known = formats();
    let desc = describe(&Shape::new(Kind::D2, [2, 2, 1]), 0, 0);
    for order in (0..17).map(ur_image_channel_order_t) {
        for channel in (0..17).map(ur_image_channel_type_t) {
            let format = Format { order, channel };
            let (outcome, mem) = create(&context, 0, format, &desc, null_mut());
            if known.contains(&format) {
                assert_eq!(outcome, UR_RESULT_SUCCESS);
                drop(Mem(mem));
            } else {
                assert_eq!(outcome, UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
            }
        }
    }
}

#[test]
fn descriptions_are_checked() {
    let context = Context::new();
    let good = describe(&Shape::new(Kind::D3, [4, 4, 4]), 0, 0);
    let try_it = |desc: &ur_image_desc_t| {
        let (outcome, mem) = create(&context, 0, RGBA, desc, null_mut());
        if outcome == UR_RESULT_SUCCESS {
            drop(Mem(mem));
        }
        outcome
    };
    assert_eq!(try_it(&good), UR_RESULT_SUCCESS);
    let bad = UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    let mut desc = good;
    desc.stype = UR_STRUCTURE_TYPE_SAMPLER_DESC;
    assert_eq!(try_it(&desc), bad);
    let mut desc = good;
    desc.r#type = ur_mem_type_t(5);
    assert_eq!(try_it(&desc), bad);
    let mut desc = good;
    desc.numMipLevel = 1;
    assert_eq!(try_it(&desc), bad);
    let mut desc = good;
    desc.numSamples = 4;
    assert_eq!(try_it(&desc), bad);
    let mut desc = good;
    desc.rowPitch = 16;
    assert_eq!(try_it(&desc), bad);
    let mut desc = good;
    desc.slicePitch = 64;
    assert_eq!(try_it(&desc), bad);

    let size = UR_RESULT_ERROR_INVALID_IMAGE_SIZE;
    let limit = |name| device_info::<usize>(name);
    let widest = limit(UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH);
    let highest = limit(UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT);
    let layers = limit(UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE);
    let (w3, h3, d3) = (
        limit(UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH),
        limit(UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT),
        limit(UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH),
    );
    let of = |kind, extent| describe(&Shape::new(kind, extent), 0, 0);
    for (kind, extent) in [
        (Kind::D1, [widest, 1, 1]),
        (Kind::D2, [widest, 1, 1]),
        (Kind::D2, [1, highest, 1]),
        (Kind::D1Array, [1, layers, 1]),
        (Kind::D2Array, [1, 1, layers]),
        (Kind::D3, [w3, 1, 1]),
        (Kind::D3, [1, h3, 1]),
        (Kind::D3, [1, 1, d3]),
    ] {
        assert_eq!(try_it(&of(kind, extent)), UR_RESULT_SUCCESS);
        for axis in 0..3 {
            let used = of(kind, extent);
            let mut more = extent;
            if more[axis] == 1 {
                continue;
            }
            more[axis] += 1;
            assert_eq!(try_it(&of(kind, more)), size, "{kind:?} {more:?}");
            more[axis] = 0;
            assert_eq!(try_it(&of(kind, more)), size, "{kind:?} {more:?}");
            more[axis] = usize::MAX;
            assert_eq!(try_it(&of(kind, more)), size, "{kind:?} {more:?}");
            assert_eq!(used.width, extent[0]);
        }
    }
    // Within the limits, but more than can be had.
    let huge = of(Kind::D3, [w3, h3, d3]);
    assert_eq!(try_it(&huge), size);

    // Host memory and flags.
    let flat = describe(&Shape::new(Kind::D2, [4, 4, 1]), 0, 0);
    let mut memory = [7u8; 1024];
    let host = memory.as_mut_ptr();
    let make = |flags: u32, desc: &ur_image_desc_t, host: *mut u8| {
        let (outcome, mem) = create(&context, flags, RGBA, desc, host);
        if outcome == UR_RESULT_SUCCESS {
            drop(Mem(mem));
        }
        outcome
    };
    let (uses, copies) = (
        UR_MEM_FLAG_USE_HOST_POINTER.0,
        UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0,
    );
    let no_host = UR_RESULT_ERROR_INVALID_HOST_PTR;
    assert_eq!(make(uses, &flat, null_mut()), no_host);
    assert_eq!(make(copies, &flat, null_mut()), no_host);
    assert_eq!(make(0, &flat, host), no_host);
    assert_eq!(
        make(uses | copies, &flat, host),
        UR_RESULT_ERROR_INVALID_VALUE
    );
    assert_eq!(
        make(1 << 20, &flat, host),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
    for (row, outcome) in [
        (0, UR_RESULT_SUCCESS),
        (16, UR_RESULT_SUCCESS),
        (20, UR_RESULT_SUCCESS),
        (15, bad),
        (18, bad),
    ] {
        let desc = ur_image_desc_t {
            rowPitch: row,
            ..flat
        };
        assert_eq!(make(uses, &desc, host), outcome, "{row}");
        assert_eq!(make(copies, &desc, host), outcome, "{row}");
    }
    for (slice, outcome) in [
        (64, UR_RESULT_SUCCESS),
        (80, UR_RESULT_SUCCESS),
        (48, bad),
        (72, bad),
    ] {
        let desc = ur_image_desc_t {
            depth: 2,
            slicePitch: slice,
            r#type: UR_MEM_TYPE_IMAGE3D,
            ..flat
        };
        assert_eq!(make(copies, &desc, host), outcome, "{slice}");
    }
}

#[test]
fn the_device_offers_what_full_profiles_must() {
    for name in [UR_DEVICE_INFO_IMAGE_SUPPORT, UR_DEVICE_INFO_IMAGE_SRGB] {
        assert_eq!(device_info::<u8>(name), 1);
    }
    for name in [
        UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP,
        UR_DEVICE_INFO_MIPMAP_SUPPORT_EXP,
        UR_DEVICE_INFO_IMAGE_ARRAY_SUPPORT_EXP,
    ] {
        assert_eq!(device_info::<u8>(name), 0);
    }
    for (name, least) in [
        (UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS, 128),
        (UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS, 64),
        (UR_DEVICE_INFO_MAX_READ_WRITE_IMAGE_ARGS, 64),
        (UR_DEVICE_INFO_MAX_SAMPLERS, 16),
    ] {
        assert!(device_info::<u32>(name) >= least);
    }
    for (name, least) in [
        (UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH, 16384),
        (UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT, 16384),
        (UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH, 2048),
        (UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT, 2048),
        (UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH, 2048),
        (UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE, 65536),
        (UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE, 2048),
    ] {
        assert!(device_info::<usize>(name) >= least);
    }
}

#[test]
fn samplers_say_what_they_are() {
    let context = Context::new();
    for addressing in (0..5).map(ur_sampler_addressing_mode_t) {
        for filter in (0..2).map(ur_sampler_filter_mode_t) {
            for normalized in [false, true] {
                let sampler = Sampler::new(&context, addressing, normalized, filter);
                let word = |name, size| {
                    let mut value = 0u32;
                    let place = (&raw mut value).cast();
                    ok!(Sampler.pfnGetInfo(sampler.0, name, size, place, null_mut()));
                    value
                };
                assert_eq!(word(UR_SAMPLER_INFO_ADDRESSING_MODE, 4), addressing.0);
                assert_eq!(word(UR_SAMPLER_INFO_FILTER_MODE, 4), filter.0);
                assert_eq!(
                    word(UR_SAMPLER_INFO_NORMALIZED_COORDS, 1),
                    u32::from(normalized)
                );
                assert_eq!(word(UR_SAMPLER_INFO_REFERENCE_COUNT, 4), 1);
                ok!(Sampler.pfnRetain(sampler.0));
                assert_eq!(word(UR_SAMPLER_INFO_REFERENCE_COUNT, 4), 2);
                ok!(Sampler.pfnRelease(sampler.0));
                let mut owner: ur_context_handle_t = null_mut();
                let place = (&raw mut owner).cast();
                let name = UR_SAMPLER_INFO_CONTEXT;
                ok!(Sampler.pfnGetInfo(sampler.0, name, 8, place, null_mut()));
                assert_eq!(owner, context.0);
            }
        }
    }
    let make = |addressing, filter| {
        let desc = ur_sampler_desc_t {
            stype: UR_STRUCTURE_TYPE_SAMPLER_DESC,
            normalizedCoords: true,
            addressingMode: ur_sampler_addressing_mode_t(addressing),
            filterMode: ur_sampler_filter_mode_t(filter),
            ..Default::default()
        };
        ur!(Sampler.pfnCreate(context.0, &desc, &mut null_mut()))
    };
    assert_eq!(make(5, 0), UR_RESULT_ERROR_INVALID_ENUMERATION);
    assert_eq!(make(0, 2), UR_RESULT_ERROR_INVALID_ENUMERATION);
    let sampler = Sampler::new(
        &context,
        UR_SAMPLER_ADDRESSING_MODE_NONE,
        false,
        UR_SAMPLER_FILTER_MODE_NEAREST,
    );
    let outcome = ur!(Sampler.pfnGetNativeHandle(sampler.0, &mut Default::default()));
    assert_eq!(outcome, UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
