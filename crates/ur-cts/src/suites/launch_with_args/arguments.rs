//! Arguments of every kind.

use super::{launched, numbers};
use crate::failure::{Stop, check};
use crate::kernels;
use crate::objects::{
    Arg, Dam, Kernel, Memory, RGBA8, Range, Sampler, Usm, UsmKind, argument, flat,
};
use crate::suites::enqueue::buffers::{SIZE, filled, part_of, part_origin, same_buffer};
use crate::suites::enqueue::bytes::{alike, bytes};
use crate::suites::enqueue::command::Scene;
use crate::suites::enqueue::memories::{Area, Home};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Types of arguments by value, and their bytes.
const VALUES: [(&str, usize); 22] = [
    ("char", 1),
    ("short", 2),
    ("int", 4),
    ("long", 8),
    ("float", 4),
    ("char2", 2),
    ("char4", 4),
    ("char16", 16),
    ("short2", 4),
    ("short8", 16),
    ("int2", 8),
    ("int4", 16),
    ("int8", 32),
    ("int16", 64),
    ("long2", 16),
    ("long4", 32),
    ("long8", 64),
    ("long16", 128),
    ("float2", 8),
    ("float4", 16),
    ("float8", 32),
    ("float16", 64),
];

/// Sizes of structures by value.
const STRUCTURES: [usize; 15] = [1, 2, 3, 5, 7, 8, 12, 16, 31, 64, 100, 255, 256, 512, 1000];

pub(super) fn tests(suite: &mut Suite<'_>) {
    let structures = STRUCTURES.map(|size| (format!("bytes_{size}"), size));
    let values = VALUES.map(|(name, size)| (name.to_owned(), size));
    for (name, size) in values.into_iter().chain(structures) {
        let kernel = format!("take_{name}");
        suite.device(format!("value::{name}"), move |cx| value(cx, &kernel, size));
    }
    for (firsts, seconds) in [(1, 1), (16, 16), (3, 1000), (1000, 3), (1024, 2048)] {
        suite.device(format!("local::{firsts}_and_{seconds}"), move |cx| {
            locals(cx, firsts, seconds)
        });
    }
    suite.device("local::each_group_has_its_own", group_sums);
    for home in Home::ALL {
        let Home::Usm(kind) = home else { continue };
        suite.device(format!("pointer::{}", kind.name()), move |cx| {
            pointer(cx, kind, 0)
        });
        suite.device(
            format!("pointer::{}_in_the_middle", kind.name()),
            move |cx| pointer(cx, kind, 64),
        );
        suite.device(format!("pointer::indirect_{}", kind.name()), move |cx| {
            indirect(cx, kind)
        });
    }
    suite.device("pointer::null", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::ARGUMENTS, c"is_null")?;
        let out = filled(&scene, 4, 1)?;
        let args = [Arg::Pointer(null()), Arg::from(&out)];
        kernel.run(&scene.queue, Range::from(&[1][..]), &args)?;
        same_buffer(&scene, &out, &1u32.to_ne_bytes())
    });
    for (name, flags) in [
        ("read_write", UR_MEM_FLAG_READ_WRITE),
        ("write_only", UR_MEM_FLAG_WRITE_ONLY),
    ] {
        suite.device(format!("memory::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let kernel = scene.kernel(kernels::BASIC, c"fill")?;
            let buffer = filled(&scene, SIZE, 1)?;
            let number = 77u32.to_ne_bytes();
            let args = [Arg::Memory(&buffer, flags.into()), Arg::Value(&number)];
            let global = [SIZE / 4];
            kernel.run(&scene.queue, Range::from(&global[..]), &args)?;
            same_buffer(&scene, &buffer, &number.repeat(SIZE / 4))
        });
    }
    suite.device("memory::sub_buffer", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"fill")?;
        let origin = part_origin(cx)?;
        let buffer = filled(&scene, origin + SIZE, 1)?;
        let part = part_of(&buffer, origin, SIZE)?;
        let number = 77u32.to_ne_bytes();
        let args = [Arg::from(&part), Arg::Value(&number)];
        let global = [SIZE / 4];
        kernel.run(&scene.queue, Range::from(&global[..]), &args)?;
        drop(part);
        let mut wanted = bytes(origin + SIZE, 1);
        wanted[origin..].copy_from_slice(&number.repeat(SIZE / 4));
        same_buffer(&scene, &buffer, &wanted)
    });
    suite.device("memory::image", images);
    for (name, at, wanted) in [
        ("inside", [0.5, 0.5], [0.0, 1.0, 0.0, 1.0]),
        ("other_texel", [1.5, 1.5], [1.0, 0.0, 0.0, 1.0]),
    ] {
        suite.device(format!("sampler::nearest_{name}"), move |cx| {
            sampled(cx, UR_SAMPLER_FILTER_MODE_NEAREST, at, wanted)
        });
    }
    suite.device("sampler::linear_between", |cx| {
        let half = [0.5, 0.5, 0.0, 1.0];
        sampled(cx, UR_SAMPLER_FILTER_MODE_LINEAR, [1.0, 0.5], half)
    });
    suite.device("none", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::ARGUMENTS, c"no_arguments")?;
        kernel.run(&scene.queue, Range::from(&[16][..]), &[])
    });
    suite.device("in_any_order", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"fill")?;
        let buffer = filled(&scene, 64, 1)?;
        let number = 5u32.to_ne_bytes();
        let args = [
            argument(1, &Arg::Value(&number)),
            argument(0, &Arg::from(&buffer)),
        ];
        let code = raw(&scene, &kernel, &[16], &args);
        check("urEnqueueKernelLaunchWithArgsExp", UR_RESULT_SUCCESS, code)?;
        scene.queue.finish()?;
        same_buffer(&scene, &buffer, &number.repeat(16))
    });
    suite.device("changed_after_the_call", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"fill")?;
        let buffer = filled(&scene, 64, 1)?;
        let dam = Dam::new(cx, &scene.context)?;
        let mut number = 5u32.to_ne_bytes();
        let wait = [dam.event()];
        let global = [16];
        let args = [Arg::from(&buffer), Arg::Value(&number)];
        let range = Range::from(&global[..]);
        let code = kernel.enqueue(&scene.queue, range, &args, &wait, null_mut());
        number.fill(0xff);
        std::hint::black_box(&mut number);
        dam.pass()?;
        launched(&kernel, code)?;
        scene.queue.finish()?;
        same_buffer(&scene, &buffer, &5u32.to_ne_bytes().repeat(16))
    });
    suite.device("errors::index_too_large", |cx| {
        let code = refused(cx, |number| vec![argument(2, &Arg::Value(number))])?;
        let wanted = UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
        check("urEnqueueKernelLaunchWithArgsExp", wanted, code)?;
        Ok(())
    });
    // What the API has no words for is an error all the same, whichever.
    suite.device("errors::one_missing", |cx| {
        let code = refused(cx, |_| Vec::new())?;
        ensure!(
            code != UR_RESULT_SUCCESS,
            "a kernel ran without one of its arguments"
        );
        Ok(())
    });
    for size in [3usize, 5, 8, 0] {
        suite.device(
            format!("errors::value_of_{size}_bytes_instead_of_4"),
            move |cx| {
                let code = refused(cx, |number| {
                    let mut arg = argument(1, &Arg::Value(number));
                    arg.size = size;
                    vec![arg]
                })?;
                ensure!(
                    code != UR_RESULT_SUCCESS,
                    "an argument of a wrong size was taken"
                );
                Ok(())
            },
        );
    }
}

/// Launches with arguments as they are.
fn raw(
    scene: &Scene,
    kernel: &Kernel,
    global: &[usize],
    args: &[ur_exp_kernel_arg_properties_t],
) -> ur_result_t {
    ur!(urEnqueueKernelLaunchWithArgsExp(
        scene.queue.get(),
        kernel.get(),
        global.len() as u32,
        null(),
        global.as_ptr(),
        null(),
        args.len() as u32,
        args.as_ptr(),
        null(),
        0,
        null(),
        null_mut()
    ))
}

/// Launches `fill` with a buffer and further arguments, which are wrong.
fn refused(
    cx: &Cx,
    more: impl FnOnce(&[u8]) -> Vec<ur_exp_kernel_arg_properties_t>,
) -> Result<ur_result_t, Stop> {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"fill")?;
    let buffer = filled(&scene, 64, 1)?;
    let number = [5; 8];
    let mut args = vec![argument(0, &Arg::from(&buffer))];
    args.extend(more(&number));
    let code = raw(&scene, &kernel, &[16], &args);
    scene.queue.finish()?;
    if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
        check("urEnqueueKernelLaunchWithArgsExp", UR_RESULT_SUCCESS, code)?;
    }
    if code != UR_RESULT_SUCCESS {
        same_buffer(&scene, &buffer, &bytes(64, 1))?;
    }
    Ok(code)
}

fn value(cx: &Cx, name: &str, size: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let name = CString::new(name).map_err(Stop::fail)?;
    let il = match size {
        1000.. => kernels::LARGE,
        _ => kernels::ARGUMENTS,
    };
    let kernel = scene.kernel(il, &name)?;
    let out = filled(&scene, size + 8, 1)?;
    let given = bytes(size, 9);
    let args = [Arg::Value(&given), Arg::from(&out)];
    kernel.run(&scene.queue, Range::from(&[1][..]), &args)?;
    let mut wanted = bytes(size + 8, 1);
    wanted[..size].copy_from_slice(&given);
    same_buffer(&scene, &out, &wanted)
}

fn locals(cx: &Cx, firsts: u32, seconds: u32) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"two_locals")?;
    let out = filled(&scene, 16, 1)?;
    let (first, second) = (firsts.to_ne_bytes(), seconds.to_ne_bytes());
    let args = [
        Arg::Local(firsts as usize * 4),
        Arg::Local(seconds as usize * 4),
        Arg::Value(&first),
        Arg::Value(&second),
        Arg::from(&out),
    ];
    let range = Range {
        global: &[32],
        local: &[8],
        offset: &[],
    };
    kernel.run(&scene.queue, range, &args)?;
    let sum = firsts + seconds * 2000;
    same_buffer(&scene, &out, &sum.to_ne_bytes().repeat(4))
}

fn group_sums(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"group_sum")?;
    let numbers: Vec<u8> = (0..1024u32).flat_map(u32::to_ne_bytes).collect();
    let from = Memory::with(&scene.context, &numbers)?;
    let out = filled(&scene, 64 * 4, 1)?;
    let args = [Arg::from(&from), Arg::Local(16 * 4), Arg::from(&out)];
    let range = Range {
        global: &[1024],
        local: &[16],
        offset: &[],
    };
    kernel.run(&scene.queue, range, &args)?;
    let sums = (0..64u32).map(|group| (0..16).map(|at| group * 16 + at).sum::<u32>());
    let wanted: Vec<u8> = sums.flat_map(u32::to_ne_bytes).collect();
    same_buffer(&scene, &out, &wanted)
}

fn pointer(cx: &Cx, kind: UsmKind, offset: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"fill")?;
    let mut area = Area::of(&scene, Home::Usm(kind), &bytes(256 + offset, 1))?;
    let number = 88u32.to_ne_bytes();
    let at = area.at().wrapping_add(offset).cast_const().cast();
    let args = [Arg::Pointer(at), Arg::Value(&number)];
    kernel.run(&scene.queue, Range::from(&[64][..]), &args)?;
    let mut wanted = bytes(256 + offset, 1);
    wanted[offset..].copy_from_slice(&number.repeat(64));
    area.same(&scene, &wanted)
}

/// A table of addresses is the argument; what is at them is told to the kernel.
fn indirect(cx: &Cx, kind: UsmKind) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"indirect")?;
    let mut areas = Vec::new();
    for seed in 0..4 {
        areas.push(Area::of(&scene, Home::Usm(kind), &bytes(64, seed + 1))?);
    }
    let places: Vec<_> = areas.iter_mut().map(Area::at).collect();
    let mut table = Usm::new(cx, &scene.context, UsmKind::Host, 4 * 8)?;
    for (to, place) in table.bytes().chunks_exact_mut(8).zip(&places) {
        to.copy_from_slice(&place.expose_provenance().to_ne_bytes());
    }
    ok!(urKernelSetExecInfo(
        kernel.get(),
        UR_KERNEL_EXEC_INFO_USM_PTRS,
        places.len() * size_of::<*mut u8>(),
        null(),
        places.as_ptr().cast()
    ))?;
    let out = filled(&scene, 16, 9)?;
    let args = [Arg::Pointer(table.at), Arg::from(&out)];
    kernel.run(&scene.queue, Range::from(&[4][..]), &args)?;
    let wanted: Vec<u8> = (1..5).flat_map(|seed| bytes(4, seed)).collect();
    same_buffer(&scene, &out, &wanted)
}

fn image(scene: &Scene, kind: ur_image_channel_type_t, width: usize) -> Result<Memory, Stop> {
    scene.cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let format = ur_image_format_t {
        channelType: kind,
        ..RGBA8
    };
    let desc = flat(width, 2);
    Memory::made("urMemImageCreate", |out| {
        let (format, desc) = (&raw const format, &raw const desc);
        let context = scene.context.get();
        let flags = UR_MEM_FLAG_READ_WRITE.0;
        ur!(urMemImageCreate(
            context,
            flags,
            format,
            desc,
            null_mut(),
            out
        ))
    })
}

/// Reads or writes all texels of an image.
fn transfer(scene: &Scene, image: &Memory, width: u64, texels: &mut [u8], write: bool) -> Outcome {
    let origin = ur_rect_offset_t::default();
    let region = ur_rect_region_t {
        width,
        height: 2,
        depth: 1,
    };
    let (queue, image, at) = (scene.other.get(), image.get(), texels.as_mut_ptr().cast());
    let (call, code) = if write {
        (
            "urEnqueueMemImageWrite",
            ur!(urEnqueueMemImageWrite(
                queue,
                image,
                true,
                origin,
                region,
                0,
                0,
                at,
                0,
                null(),
                null_mut()
            )),
        )
    } else {
        (
            "urEnqueueMemImageRead",
            ur!(urEnqueueMemImageRead(
                queue,
                image,
                true,
                origin,
                region,
                0,
                0,
                at,
                0,
                null(),
                null_mut()
            )),
        )
    };
    check(call, UR_RESULT_SUCCESS, code)?;
    scene.other.finish()
}

/// A kernel that adds one to each channel of an image, to another one.
fn images(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kind = UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32;
    let (from, to) = (image(&scene, kind, 4)?, image(&scene, kind, 4)?);
    let mut texels = bytes(4 * 2 * 16, 1);
    transfer(&scene, &from, 4, &mut texels, true)?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"texels")?;
    let args = [
        Arg::Memory(&from, UR_MEM_FLAG_READ_ONLY.into()),
        Arg::Memory(&to, UR_MEM_FLAG_WRITE_ONLY.into()),
    ];
    kernel.run(&scene.queue, Range::from(&[4, 2][..]), &args)?;
    let mut found = vec![0; texels.len()];
    transfer(&scene, &to, 4, &mut found, false)?;
    let wanted = numbers(&texels).flat_map(|n| n.wrapping_add(1).to_ne_bytes());
    alike("image", &found, &wanted.collect::<Vec<_>>())
}

/// A sampler as an argument: an image whose first texel is green and whose others are red.
fn sampled(cx: &Cx, filter: ur_sampler_filter_mode_t, at: [f32; 2], wanted: [f32; 4]) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let image = image(&scene, UR_IMAGE_CHANNEL_TYPE_UNORM_INT8, 2)?;
    let mut texels = [255, 0, 0, 255].repeat(4);
    texels[..4].copy_from_slice(&[0, 255, 0, 255]);
    transfer(&scene, &image, 2, &mut texels, true)?;
    let desc = ur_sampler_desc_t {
        normalizedCoords: false,
        addressingMode: UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
        filterMode: filter,
        ..Default::default()
    };
    let sampler = Sampler::new(&scene.context, &desc)?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"sample")?;
    let out = filled(&scene, 16, 1)?;
    let (x, y) = (at[0].to_ne_bytes(), at[1].to_ne_bytes());
    let args = [
        Arg::Memory(&image, UR_MEM_FLAG_READ_ONLY.into()),
        Arg::Sampler(&sampler),
        Arg::Value(&x),
        Arg::Value(&y),
        Arg::from(&out),
    ];
    kernel.run(&scene.queue, Range::from(&[1][..]), &args)?;
    let found: Vec<f32> = numbers(&out.read(&scene.queue, 16)?)
        .map(f32::from_bits)
        .collect();
    let close = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.01);
    ensure!(close, "the texel is {found:?} instead of {wanted:?}");
    same!("channels", found.len(), 4);
    Ok(())
}
