//! Copies of regions against a naive model.

use crate::common::*;
use crate::model::{Format, KINDS, Kind, Shape};
use crate::support::{create, describe};
use crate::{ok, ur};
use proptest::prelude::*;
use std::ptr::{null, null_mut};
use ur_api::*;

const FORMATS: [Format; 4] = [
    Format {
        order: UR_IMAGE_CHANNEL_ORDER_R,
        channel: UR_IMAGE_CHANNEL_TYPE_UNORM_INT8,
    },
    Format {
        order: UR_IMAGE_CHANNEL_ORDER_RG,
        channel: UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT,
    },
    Format {
        order: UR_IMAGE_CHANNEL_ORDER_RGB,
        channel: UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
    },
    Format {
        order: UR_IMAGE_CHANNEL_ORDER_RGBA,
        channel: UR_IMAGE_CHANNEL_TYPE_FLOAT,
    },
];

/// A region: origin and size along each coordinate.
type Region = [(usize, usize); 3];

fn origin(region: &Region) -> ur_rect_offset_t {
    let [x, y, z] = region.map(|(at, _)| at as u64);
    ur_rect_offset_t { x, y, z }
}

fn size(region: &Region) -> ur_rect_region_t {
    let [width, height, depth] = region.map(|(_, size)| size as u64);
    ur_rect_region_t {
        width,
        height,
        depth,
    }
}

/// Bytes that differ from each other.
fn pattern(len: usize, seed: u8) -> Vec<u8> {
    (0..len)
        .map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed) ^ (i >> 8) as u8)
        .collect()
}

/// Calls `each` with the numbers of the texels of a region, relative to it.
fn texels(region: &Region, mut each: impl FnMut([usize; 3])) {
    for z in 0..region[2].1 {
        for y in 0..region[1].1 {
            for x in 0..region[0].1 {
                each([x, y, z]);
            }
        }
    }
}

/// Byte offset of a texel in the image without gaps.
fn at(shape: &Shape, texel: usize, [x, y, z]: [usize; 3]) -> usize {
    ((z * shape.extent[1] + y) * shape.extent[0] + x) * texel
}

/// All of an image's bytes, read with one call.
fn contents(queue: &Queue, image: &Mem, shape: &Shape, texel: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; shape.texels() * texel];
    let all: Region = shape.extent.map(|size| (0, size));
    let place = bytes.as_mut_ptr().cast();
    ok!(Enqueue.pfnMemImageRead(
        queue.0,
        image.0,
        true,
        origin(&all),
        size(&all),
        0,
        0,
        place,
        0,
        null(),
        null_mut(),
    ));
    bytes
}

fn image(context: &Context, format: Format, shape: &Shape, bytes: &mut [u8]) -> Mem {
    let desc = describe(shape, 0, 0);
    let flags = UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    let (outcome, mem) = create(context, flags, format, &desc, bytes.as_mut_ptr());
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    Mem(mem)
}

prop_compose! {
    fn case()(
        kind in prop::sample::select(KINDS.to_vec()),
        extent in prop::array::uniform3(1usize..7),
        format in prop::sample::select(FORMATS.to_vec()),
    )(
        shape in Just(Shape::new(kind, extent)),
        format in Just(format),
        picks in prop::array::uniform3((any::<usize>(), any::<usize>())),
        extra_row in prop::option::of(0usize..9),
        extra_slice in prop::option::of(0usize..9),
        other in prop::array::uniform3(any::<usize>()),
    ) -> (Shape, Format, Region, [usize; 3], Option<usize>, Option<usize>) {
        let region: Region = std::array::from_fn(|axis| {
            let size = shape.extent[axis];
            let start = picks[axis].0 % size;
            (start, picks[axis].1 % (size - start) + 1)
        });
        let target = std::array::from_fn(|axis| {
            other[axis] % (shape.extent[axis] - region[axis].1 + 1)
        });
        (shape, format, region, target, extra_row, extra_slice)
    }
}

/// Pitches of host memory as passed, and as they are meant.
fn pitches(
    shape: &Shape,
    texel: usize,
    region: &Region,
    extra_row: Option<usize>,
    extra_slice: Option<usize>,
) -> ([usize; 2], [usize; 2]) {
    let row = region[0].1 * texel + extra_row.unwrap_or(0);
    let rows = if shape.kind == Kind::D1Array {
        1
    } else {
        region[1].1
    };
    let slice = row * rows + extra_slice.unwrap_or(0);
    let passed = [
        extra_row.map_or(0, |_| row),
        extra_slice.map_or(0, |_| slice),
    ];
    // The layers of an array of rows are a slice apart.
    let meant = if shape.kind == Kind::D1Array {
        [slice, 0]
    } else {
        [row, slice]
    };
    (passed, meant)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn regions_are_read_and_written(
        (shape, format, region, _, extra_row, extra_slice) in case()
    ) {
        let context = Context::new();
        let queue = context.queue();
        let texel = format.texel();
        let mut bytes = pattern(shape.texels() * texel, 1);
        let image = image(&context, format, &shape, &mut bytes);
        prop_assert_eq!(&contents(&queue, &image, &shape, texel), &bytes);

        let (passed, meant) = pitches(&shape, texel, &region, extra_row, extra_slice);
        let len = region[2].1 * meant[1].max(1) + region[1].1 * meant[0] + region[0].1 * texel + 64;
        let host = |[x, y, z]: [usize; 3]| z * meant[1] + y * meant[0] + x * texel;

        let mut got = vec![0xeeu8; len];
        let mut expected = got.clone();
        let place = got.as_mut_ptr().cast();
        ok!(Enqueue.pfnMemImageRead(
            queue.0, image.0, true, origin(&region), size(&region), passed[0], passed[1], place,
            0, null(), null_mut(),
        ));
        texels(&region, |t| {
            let from = at(&shape, texel, std::array::from_fn(|axis| region[axis].0 + t[axis]));
            let to = host(t);
            expected[to..to + texel].copy_from_slice(&bytes[from..from + texel]);
        });
        prop_assert_eq!(got, expected);

        let mut source = pattern(len, 99);
        let place = source.as_mut_ptr().cast();
        ok!(Enqueue.pfnMemImageWrite(
            queue.0, image.0, true, origin(&region), size(&region), passed[0], passed[1], place,
            0, null(), null_mut(),
        ));
        texels(&region, |t| {
            let to = at(&shape, texel, std::array::from_fn(|axis| region[axis].0 + t[axis]));
            let from = host(t);
            bytes[to..to + texel].copy_from_slice(&source[from..from + texel]);
        });
        prop_assert_eq!(contents(&queue, &image, &shape, texel), bytes);
    }

    #[test]
    fn regions_are_copied((shape, format, region, target, ..) in case()) {
        let context = Context::new();
        let queue = context.queue();
        let texel = format.texel();
        let mut from = pattern(shape.texels() * texel, 1);
        let mut to = pattern(shape.texels() * texel, 177);
        let source = image(&context, format, &shape, &mut from);
        let dest = image(&context, format, &shape, &mut to);
        let moved: Region = std::array::from_fn(|axis| (target[axis], region[axis].1));
        ok!(Enqueue.pfnMemImageCopy(
            queue.0, source.0, dest.0, origin(&region), origin(&moved), size(&region),
            0, null(), null_mut(),
        ));
        texels(&region, |t| {
            let a = at(&shape, texel, std::array::from_fn(|axis| region[axis].0 + t[axis]));
            let b = at(&shape, texel, std::array::from_fn(|axis| moved[axis].0 + t[axis]));
            to[b..b + texel].copy_from_slice(&from[a..a + texel]);
        });
        prop_assert_eq!(contents(&queue, &dest, &shape, texel), to);

        // Inside of one image the two must not share a texel.
        let before = contents(&queue, &source, &shape, texel);
        let outcome = ur!(Enqueue.pfnMemImageCopy(
            queue.0, source.0, source.0, origin(&region), origin(&moved), size(&region),
            0, null(), null_mut(),
        ));
        let shared = (0..3).all(|axis| region[axis].0.abs_diff(target[axis]) < region[axis].1);
        if shared {
            prop_assert_eq!(outcome, UR_RESULT_ERROR_OVERLAPPING_REGIONS);
            prop_assert_eq!(contents(&queue, &source, &shape, texel), before);
        } else {
            prop_assert_eq!(outcome, UR_RESULT_SUCCESS);
            let mut expected = before.clone();
            texels(&region, |t| {
                let a = at(&shape, texel, std::array::from_fn(|axis| region[axis].0 + t[axis]));
                let b = at(&shape, texel, std::array::from_fn(|axis| moved[axis].0 + t[axis]));
                expected[b..b + texel].copy_from_slice(&before[a..a + texel]);
            });
            prop_assert_eq!(contents(&queue, &source, &shape, texel), expected);
        }
    }
}

#[test]
fn bad_regions_are_refused() {
    let context = Context::new();
    let queue = context.queue();
    let format = FORMATS[3];
    let shape = Shape::new(Kind::D2, [8, 4, 1]);
    let mut bytes = vec![0u8; shape.texels() * format.texel()];
    let image = image(&context, format, &shape, &mut bytes);
    let buffer = context.buffer(&bytes);
    let mut host = vec![0u8; 4096];
    let place: *mut std::ffi::c_void = host.as_mut_ptr().cast();
    let read = |mem: &Mem, region: &Region, row: usize, slice: usize| {
        ur!(Enqueue.pfnMemImageRead(
            queue.0,
            mem.0,
            true,
            origin(region),
            size(region),
            row,
            slice,
            place,
            0,
            null(),
            null_mut(),
        ))
    };
    let write = |mem: &Mem, region: &Region, row: usize, slice: usize| {
        ur!(Enqueue.pfnMemImageWrite(
            queue.0,
            mem.0,
            true,
            origin(region),
            size(region),
            row,
            slice,
            place,
            0,
            null(),
            null_mut(),
        ))
    };
    let good = [(0, 8), (0, 4), (0, 1)];
    assert_eq!(read(&image, &good, 0, 0), UR_RESULT_SUCCESS);
    assert_eq!(write(&image, &good, 128, 512), UR_RESULT_SUCCESS);
    for bad in [
        [(0, 0), (0, 4), (0, 1)],
        [(0, 8), (0, 0), (0, 1)],
        [(0, 8), (0, 4), (0, 0)],
        [(1, 8), (0, 4), (0, 1)],
        [(0, 8), (1, 4), (0, 1)],
        [(0, 8), (0, 4), (1, 1)],
        [(0, 8), (0, 4), (0, 2)],
        [(usize::MAX, 2), (0, 1), (0, 1)],
    ] {
        assert_eq!(read(&image, &bad, 0, 0), UR_RESULT_ERROR_INVALID_SIZE);
        assert_eq!(write(&image, &bad, 0, 0), UR_RESULT_ERROR_INVALID_SIZE);
    }
    assert_eq!(read(&image, &good, 127, 0), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(
        write(&image, &good, usize::MAX, 0),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    assert_eq!(
        read(&buffer, &good, 0, 0),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    assert_eq!(
        write(&buffer, &good, 0, 0),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );

    let copy = |src: &Mem, dst: &Mem| {
        ur!(Enqueue.pfnMemImageCopy(
            queue.0,
            src.0,
            dst.0,
            origin(&good),
            origin(&good),
            size(&good),
            0,
            null(),
            null_mut(),
        ))
    };
    let mut small = vec![0u8; shape.texels()];
    let other = self::image(&context, FORMATS[0], &shape, &mut small);
    assert_eq!(copy(&image, &other), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(copy(&image, &buffer), UR_RESULT_ERROR_INVALID_MEM_OBJECT);
    assert_eq!(copy(&buffer, &image), UR_RESULT_ERROR_INVALID_MEM_OBJECT);

    // What works on buffers does not on images.
    let event = null_mut();
    assert_eq!(
        ur!(Enqueue.pfnMemBufferRead(queue.0, image.0, true, 0, 16, place, 0, null(), event)),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    assert_eq!(
        ur!(Enqueue.pfnMemBufferCopy(queue.0, image.0, buffer.0, 0, 0, 16, 0, null(), event)),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    let part = ur_buffer_region_t {
        stype: UR_STRUCTURE_TYPE_BUFFER_REGION,
        origin: 0,
        size: 16,
        ..Default::default()
    };
    let mut mem = null_mut();
    assert_eq!(
        ur!(Mem.pfnBufferPartition(image.0, 0, UR_BUFFER_CREATE_TYPE_REGION, &part, &mut mem)),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
}

#[test]
fn image_commands_wait_and_have_events() {
    let context = Context::new();
    let queue = context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0);
    let format = FORMATS[0];
    let shape = Shape::new(Kind::D2, [64, 64, 1]);
    let mut bytes = pattern(shape.texels(), 3);
    let image = image(&context, format, &shape, &mut vec![0u8; shape.texels()]);
    let all: Region = shape.extent.map(|size| (0, size));
    let (sender, blocked) = queue.block();
    let mut written = null_mut();
    let place = bytes.as_mut_ptr().cast();
    ok!(Enqueue.pfnMemImageWrite(
        queue.0,
        image.0,
        false,
        origin(&all),
        size(&all),
        0,
        0,
        place,
        1,
        &blocked.0,
        &mut written,
    ));
    let written = Event(written);
    assert_eq!(
        event_info(written.0, UR_EVENT_INFO_COMMAND_TYPE),
        UR_COMMAND_MEM_IMAGE_WRITE.0
    );
    assert_ne!(written.status(), UR_EVENT_STATUS_COMPLETE);
    drop(sender);
    written.wait();
    assert_eq!(contents(&queue, &image, &shape, 1), bytes);
    queue.finish();
}
