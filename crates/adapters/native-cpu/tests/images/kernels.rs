//! Kernels with images and samplers among their arguments.

use crate::common::*;
use crate::model::{self, Format, Kind, Shape};
use crate::ok;
use crate::support::{Guarded, Sampler, create, describe, over};
use std::ptr::{null, null_mut};
use ur_api::*;

const FLOATS: Format = Format {
    order: UR_IMAGE_CHANNEL_ORDER_RGBA,
    channel: UR_IMAGE_CHANNEL_TYPE_FLOAT,
};
const HALVES: Format = Format {
    order: UR_IMAGE_CHANNEL_ORDER_RGBA,
    channel: UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT,
};
const RED: Format = Format {
    order: UR_IMAGE_CHANNEL_ORDER_R,
    channel: UR_IMAGE_CHANNEL_TYPE_FLOAT,
};

/// Values at an address that vectors can have.
#[repr(align(16))]
struct Aligned<T>(T);

fn made(context: &Context, format: Format, kind: Kind, extent: [usize; 3]) -> Mem {
    let desc = describe(&Shape::new(kind, extent), 0, 0);
    let (outcome, mem) = create(context, 0, format, &desc, null_mut());
    assert_eq!(outcome, UR_RESULT_SUCCESS, "{}", last_error());
    Mem(mem)
}

fn numbers(memory: &mut Guarded) -> Vec<f32> {
    let words = memory.bytes().chunks(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn number_it(memory: &mut Guarded) {
    for (number, word) in memory.bytes().chunks_mut(4).enumerate() {
        word.copy_from_slice(&(number as f32 * 0.25 - 8.0).to_le_bytes());
    }
}

fn plain_sampler(context: &Context) -> Sampler {
    Sampler::new(
        context,
        UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
        false,
        UR_SAMPLER_FILTER_MODE_NEAREST,
    )
}

#[test]
fn queries_of_kernels() {
    let context = Context::new();
    let program = context.program("images.spv");
    let images = [
        made(&context, FLOATS, Kind::D1, [5, 1, 1]),
        made(&context, FLOATS, Kind::D1Array, [6, 7, 1]),
        made(&context, FLOATS, Kind::D2, [8, 9, 1]),
        made(&context, FLOATS, Kind::D2Array, [10, 11, 12]),
        made(&context, HALVES, Kind::D3, [13, 14, 15]),
    ];
    let mut out = [0i32; 18];
    let mut args: Vec<_> = images.iter().map(Arg::Mem).collect();
    args.push(Arg::Pointer((&raw mut out).cast_const().cast()));
    let kernel = program.kernel("query");
    context.queue().run(&kernel, &[1], None, &args);
    // The numbers of OpenCL for float, half and RGBA.
    let (float, half, rgba) = (0x10de, 0x10dd, 0x10b5);
    assert_eq!(
        out,
        [
            5, float, rgba, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 14, 15, 15, half, rgba
        ]
    );
}

#[test]
fn an_image_of_one_dimension_serves_as_a_buffers() {
    let context = Context::new();
    let program = context.program("images.spv");
    let shape = Shape::new(Kind::D1, [33, 1, 1]);
    let mut from = Guarded::new(33 * 16, true);
    number_it(&mut from);
    let mut to = Guarded::new(33 * 16, false);
    let images = [&from, &to].map(|memory| over(&context, FLOATS, &shape, memory));
    let args = [Arg::Mem(&images[0]), Arg::Mem(&images[1])];
    let kernel = program.kernel("buffer");
    context.queue().run(&kernel, &[33], None, &args);
    let (from, to) = (numbers(&mut from), numbers(&mut to));
    for x in 0..33 {
        assert_eq!(to[4 * (32 - x)..][..4], from[4 * x..][..4]);
    }
}

#[test]
fn texels_as_halves() {
    let context = Context::new();
    let program = context.program("images.spv");
    let shape = Shape::new(Kind::D2, [4, 3, 1]);
    let mut from = Guarded::new(12 * 16, true);
    number_it(&mut from);
    let mut to = Guarded::new(12 * 8, false);
    let (a, b) = (
        over(&context, FLOATS, &shape, &from),
        over(&context, HALVES, &shape, &to),
    );
    let sampler = plain_sampler(&context);
    let mut out = Aligned([0u16; 48]);
    let args = [
        Arg::Mem(&a),
        Arg::Mem(&b),
        Arg::Sampler(sampler.0),
        Arg::Pointer((&raw mut out).cast_const().cast()),
    ];
    let kernel = program.kernel("half_texels");
    context.queue().run(&kernel, &[4, 3], None, &args);
    let from = numbers(&mut from);
    let to: Vec<u16> = to
        .bytes()
        .chunks(2)
        .map(|word| u16::from_le_bytes(word.try_into().unwrap()))
        .collect();
    for (index, value) in from.iter().enumerate() {
        assert_eq!(model::half(out.0[index]), f64::from(*value));
        assert_eq!(model::half(to[index]), f64::from(*value) * 2.0);
    }
}

#[test]
fn an_image_is_read_and_written_in_place() {
    let context = Context::new();
    let program = context.program("images.spv");
    let shape = Shape::new(Kind::D2, [16, 16, 1]);
    let mut memory = Guarded::new(256 * 16, true);
    number_it(&mut memory);
    let before = numbers(&mut memory);
    let image = over(&context, FLOATS, &shape, &memory);
    let args = [Arg::Mem(&image), Arg::Value(&3.5f32.to_ne_bytes())];
    let kernel = program.kernel("in_place");
    context.queue().run(&kernel, &[16, 16], None, &args);
    for (before, after) in before.iter().zip(numbers(&mut memory)) {
        assert_eq!(after, (before + 3.5) * 2.0);
    }
}

/// A program made of what another one was saved as.
fn saved(context: &Context, program: &Program) -> Program {
    let mut size = 0usize;
    let (name, place) = (UR_PROGRAM_INFO_BINARY_SIZES, (&raw mut size).cast());
    ok!(Program.pfnGetInfo(program.0, name, 8, place, null_mut()));
    let mut bytes = vec![0u8; size];
    let mut start = bytes.as_mut_ptr();
    let (name, place) = (UR_PROGRAM_INFO_BINARIES, (&raw mut start).cast());
    ok!(Program.pfnGetInfo(program.0, name, 8, place, null_mut()));
    let (mut device, mut start) = (device(), bytes.as_ptr());
    let mut raw = null_mut();
    ok!(Program.pfnCreateWithBinary(
        context.0,
        1,
        &mut device,
        &mut size,
        &mut start,
        null(),
        &mut raw,
    ));
    ok!(Program.pfnBuild(context.0, raw, null()));
    Program(raw)
}

#[test]
fn saved_programs_know_their_images() {
    let context = Context::new();
    let program = context.program("images.spv");
    let program = saved(&context, &program);
    literals(&context, &program);
    let deep = made(&context, RED, Kind::D3, [4, 4, 4]);
    let args = [Arg::Mem(&deep), Arg::Pointer(null()), Arg::Pointer(null())];
    let outcome = context
        .queue()
        .launch(&program.kernel("read_2d"), &[1], None, &args)
        .0;
    assert_eq!(outcome, UR_RESULT_ERROR_INVALID_VALUE);
}

#[test]
fn samplers_of_the_program_and_of_the_host() {
    let context = Context::new();
    literals(&context, &context.program("images.spv"));
}

/// Runs the kernel that uses samplers of its own, and checks it.
fn literals(context: &Context, program: &Program) {
    let shape = Shape::new(Kind::D2, [5, 4, 1]);
    let mut memory = Guarded::new(20 * 16, true);
    number_it(&mut memory);
    let image = over(context, FLOATS, &shape, &memory);
    let bytes = memory.bytes().to_vec();
    let plain = model::Image {
        bytes: &bytes,
        shape,
        format: FLOATS,
    };
    let given = Sampler::new(
        context,
        UR_SAMPLER_ADDRESSING_MODE_CLAMP,
        true,
        UR_SAMPLER_FILTER_MODE_LINEAR,
    );
    let like = |addressing, normalized, linear| model::Sampler {
        addressing,
        normalized,
        linear,
    };
    let samplers = [
        like(UR_SAMPLER_ADDRESSING_MODE_CLAMP, true, true),
        like(UR_SAMPLER_ADDRESSING_MODE_CLAMP, false, false),
        like(UR_SAMPLER_ADDRESSING_MODE_REPEAT, true, true),
        like(UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT, true, false),
        like(UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE, false, true),
    ];
    let mut random = Random(5);
    let at: Vec<[f32; 4]> = (0..96)
        .map(|_| std::array::from_fn(|_| random.below(9000) as f32 / 1000.0 - 2.0))
        .collect();
    let mut out = vec![[0f32; 4]; 5 * at.len()];
    let kernel = program.kernel("literals");
    let local = 12;
    let args = [
        Arg::Mem(&image),
        Arg::Sampler(given.0),
        Arg::Pointer(at.as_ptr().cast()),
        Arg::Pointer(out.as_mut_ptr().cast_const().cast()),
        Arg::Local(local * 16),
    ];
    context
        .queue()
        .run(&kernel, &[at.len()], Some(&[local]), &args);
    for (item, texels) in out.chunks(5).enumerate() {
        for (number, (texel, sampler)) in texels.iter().zip(samplers).enumerate() {
            // The first value comes from the opposite work-item of the group.
            let from = match number {
                0 => item / local * local + (local - 1 - item % local),
                _ => item,
            };
            let [x, y, ..] = at[from];
            let (expected, largest) = sampler.sample(&plain, [x, y, 0.0]);
            for (got, expected) in texel.iter().zip(expected) {
                let error = (f64::from(*got) - expected).abs();
                assert!(error <= largest * 1e-6, "{got} {expected} of {sampler:?}");
            }
        }
    }
}

#[test]
fn arguments_of_the_wrong_kind_are_refused() {
    let context = Context::new();
    let program = context.program("images.spv");
    let queue = context.queue();
    let kernel = program.kernel("sample_2d");
    let flat = made(&context, RED, Kind::D2, [4, 4, 1]);
    let deep = made(&context, RED, Kind::D3, [4, 4, 4]);
    let layers = made(&context, RED, Kind::D1Array, [4, 4, 1]);
    let buffer = context.buffer(&[0; 64]);
    let sampler = plain_sampler(&context);
    let at = Aligned([[0f32; 4]; 1]);
    let mut out = Aligned([[0f32; 4]; 1]);
    let place = (&raw mut out).cast_const().cast();
    let with = |first: Arg, second: Arg| {
        let args = [
            first,
            second,
            Arg::Pointer((&raw const at).cast()),
            Arg::Pointer(place),
        ];
        let outcome = queue.launch(&kernel, &[1], None, &args).0;
        queue.finish();
        outcome
    };
    let good = || Arg::Sampler(sampler.0);
    assert_eq!(with(Arg::Mem(&flat), good()), UR_RESULT_SUCCESS);
    let wrong = UR_RESULT_ERROR_INVALID_VALUE;
    assert_eq!(with(Arg::Mem(&deep), good()), wrong);
    assert_eq!(with(Arg::Mem(&layers), good()), wrong);
    assert_eq!(with(Arg::Pointer(place), good()), wrong);
    assert_eq!(with(Arg::Value(&[0; 8]), good()), wrong);
    assert_eq!(with(good(), good()), wrong);
    assert_eq!(with(Arg::Local(8), good()), wrong);
    assert_eq!(with(Arg::Mem(&flat), Arg::Mem(&flat)), wrong);
    assert_eq!(with(Arg::Mem(&flat), Arg::Value(&[0; 8])), wrong);
    assert_eq!(with(Arg::Mem(&flat), Arg::Pointer(null())), wrong);
    assert_eq!(
        with(Arg::Mem(&buffer), good()),
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
    // An image is no pointer argument.
    let program = context.program("vector_add.spv");
    let add = program.kernel("vector_add");
    let args = [Arg::Mem(&flat), Arg::Pointer(place), Arg::Pointer(place)];
    assert_eq!(
        queue.launch(&add, &[1], None, &args).0,
        UR_RESULT_ERROR_INVALID_MEM_OBJECT
    );
}

#[test]
fn a_launch_keeps_its_images() {
    let context = Context::new();
    let program = context.program("images.spv");
    let queue = context.queue();
    let kernel = program.kernel("write_2d");
    let at = Aligned([[1i32, 2, 0, 0]]);
    let values = Aligned([[5f32; 4]]);
    let mut host = vec![0f32; 16];
    let image = {
        let desc = describe(&Shape::new(Kind::D2, [4, 4, 1]), 0, 0);
        let flags = UR_MEM_FLAG_USE_HOST_POINTER.0;
        Mem(create(&context, flags, RED, &desc, host.as_mut_ptr().cast()).1)
    };
    let (sender, blocked) = queue.block();
    let args = [
        Arg::Mem(&image),
        Arg::Pointer((&raw const at).cast()),
        Arg::Pointer((&raw const values).cast()),
    ];
    let (outcome, event) = queue.launch_after(&kernel, &[1], None, &args, &[blocked.0]);
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    // The handle goes away before the kernel runs.
    drop(image);
    drop(sender);
    event.unwrap().wait();
    let written: Vec<_> = (0..16).filter(|i| host[*i] != 0.0).collect();
    assert_eq!((written, host[9]), (vec![9], 5.0));
}

#[test]
fn command_buffers_take_images_and_samplers() {
    let context = Context::new();
    let program = context.program("images.spv");
    let queue = context.queue();
    let kernel = program.kernel("sample_2d");
    let mut memory = Guarded::new(16 * 16, true);
    number_it(&mut memory);
    let image = over(&context, FLOATS, &Shape::new(Kind::D2, [4, 4, 1]), &memory);
    let sampler = plain_sampler(&context);
    let at = Aligned([[2.5f32, 1.5, 0.0, 0.0], [9.0, 9.0, 0.0, 0.0]]);
    let mut out = Aligned([[0f32; 4]; 2]);
    let args = [
        Arg::Mem(&image),
        Arg::Sampler(sampler.0),
        Arg::Pointer((&raw const at).cast()),
        Arg::Pointer((&raw mut out).cast_const().cast()),
    ];
    let desc = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        ..Default::default()
    };
    let mut buffer = null_mut();
    ok!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer));
    let outcome = kernel.record(buffer, &[], &[2], None, &args, null_mut());
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    ok!(CommandBufferExp.pfnFinalizeExp(buffer));
    // The command buffer has its own share of both.
    drop((image, sampler));
    for _ in 0..2 {
        out.0 = [[0.0; 4]; 2];
        ok!(EnqueueExp.pfnCommandBufferExp(queue.0, buffer, 0, null(), null_mut()));
        queue.finish();
        let from = numbers(&mut memory);
        assert_eq!(out.0[0], from[4 * 6..][..4]);
        assert_eq!(out.0[1], from[4 * 15..][..4]);
    }
    ok!(CommandBufferExp.pfnReleaseExp(buffer));
}

#[test]
fn parts_that_compilers_seldom_use() {
    let context = Context::new();
    let program = context.program("image_parts.spv");
    let shape = Shape::new(Kind::D2, [5, 4, 1]);
    let mut memory = Guarded::new(20 * 16, true);
    number_it(&mut memory);
    let image = over(&context, FLOATS, &shape, &memory);
    let bytes = memory.bytes().to_vec();
    let plain = model::Image {
        bytes: &bytes,
        shape,
        format: FLOATS,
    };
    let given = plain_sampler(&context);
    let mut out = Aligned([[0f32; 4]; 6]);
    let mut levels = 9u32;
    let args = [
        Arg::Mem(&image),
        Arg::Sampler(given.0),
        Arg::Pointer((&raw mut out).cast_const().cast()),
        Arg::Pointer((&raw mut levels).cast_const().cast()),
    ];
    let kernel = program.kernel("parts");
    context.queue().run(&kernel, &[2], None, &args);
    let by = |addressing, normalized, linear| {
        let sampler = model::Sampler {
            addressing,
            normalized,
            linear,
        };
        sampler.sample(&plain, [2.5, 1.25, 0.0]).0
    };
    let nearest = by(UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE, false, false);
    let texel = plain.texel([2, 1, 0]);
    let expected = [
        texel,
        [nearest[0], 0.0, 0.0, 0.0],
        by(UR_SAMPLER_ADDRESSING_MODE_REPEAT, true, false),
        texel,
        nearest,
        by(UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE, false, true),
    ];
    assert_eq!(out.0.map(|texel| texel.map(f64::from)), expected);
    assert_eq!(levels, 1);
}
