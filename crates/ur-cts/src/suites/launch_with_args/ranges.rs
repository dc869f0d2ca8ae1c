//! Global sizes, work-group sizes and offsets, and what is wrong with them.

use super::{launched, numbers};
use crate::failure::{Stop, check};
use crate::kernels;
use crate::objects::{Arg, Kernel, Range};
use crate::suites::enqueue::buffers::{filled, same_buffer};
use crate::suites::enqueue::bytes::bytes;
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Global size, work-group size, offset.
type Sizes = (&'static [usize], &'static [usize], &'static [usize]);

const SIZES: [Sizes; 34] = [
    (&[1], &[], &[]),
    (&[1], &[1], &[]),
    (&[7], &[], &[]),
    (&[64], &[], &[]),
    (&[64], &[64], &[]),
    (&[64], &[8], &[]),
    (&[64], &[1], &[]),
    (&[1000], &[], &[]),
    (&[1000], &[10], &[]),
    (&[1009], &[], &[]),
    (&[4096], &[256], &[]),
    (&[100_000], &[], &[]),
    (&[64], &[], &[5]),
    (&[64], &[16], &[5]),
    (&[64], &[16], &[0]),
    (&[7], &[7], &[1000]),
    (&[8, 4], &[], &[]),
    (&[8, 4], &[4, 2], &[]),
    (&[8, 4], &[8, 1], &[]),
    (&[8, 4], &[1, 4], &[]),
    (&[13, 7], &[], &[]),
    (&[1, 9], &[], &[]),
    (&[9, 1], &[3, 1], &[]),
    (&[8, 4], &[], &[2, 3]),
    (&[8, 4], &[2, 2], &[2, 3]),
    (&[8, 4], &[2, 2], &[0, 3]),
    (&[300, 200], &[], &[]),
    (&[4, 3, 2], &[], &[]),
    (&[4, 3, 2], &[2, 3, 1], &[]),
    (&[4, 3, 2], &[1, 1, 2], &[]),
    (&[5, 3, 7], &[], &[]),
    (&[4, 4, 4], &[], &[1, 2, 3]),
    (&[4, 4, 4], &[2, 2, 2], &[1, 2, 3]),
    (&[1, 1, 50], &[1, 1, 5], &[0, 0, 9]),
];

fn named((global, local, offset): Sizes) -> String {
    let list = |sizes: &[usize]| {
        let words: Vec<String> = sizes.iter().map(usize::to_string).collect();
        words.join("x")
    };
    let mut name = list(global);
    if !local.is_empty() {
        name += &format!("_by_{}", list(local));
    }
    if !offset.is_empty() {
        name += &format!("_from_{}", list(offset));
    }
    name
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for sizes in SIZES {
        suite.device(format!("ranges::ids::{}", named(sizes)), move |cx| {
            ids(cx, sizes)
        });
        suite.device(format!("ranges::seen::{}", named(sizes)), move |cx| {
            seen(cx, sizes)
        });
    }
    for (size, local) in [(10, 4), (7, 3), (100, 64), (5, 8)] {
        suite.device(format!("ranges::uneven::{size}_by_{local}"), move |cx| {
            uneven(cx, size, local)
        });
    }
    suite.device("ranges::groups", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::ARGUMENTS, c"groups")?;
        let out = filled(&scene, 96 * 4, 1)?;
        let range = Range {
            global: &[96],
            local: &[12],
            offset: &[],
        };
        kernel.run(&scene.queue, range, &[Arg::from(&out)])?;
        let ids = (0..96u32).map(|id| id / 12 * 10000 + id % 12);
        let wanted: Vec<u8> = ids.flat_map(u32::to_ne_bytes).collect();
        same_buffer(&scene, &out, &wanted)
    });
    for (name, local) in [
        ("required_size", &[8, 4, 2][..]),
        ("required_size_null", &[]),
    ] {
        suite.device(format!("ranges::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let kernel = scene.kernel(kernels::BASIC, c"fixed_size")?;
            let out = filled(&scene, 16 * 4, 1)?;
            let range = Range {
                global: &[16, 8, 4],
                local,
                offset: &[],
            };
            kernel.run(&scene.queue, range, &[Arg::from(&out)])?;
            same_buffer(&scene, &out, &1u32.to_ne_bytes().repeat(16))
        });
    }
    suite.device("ranges::every_work_item_once", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::ARGUMENTS, c"count")?;
        let counter = filled(&scene, 4, 1)?;
        let before = numbers(&bytes(4, 1)).sum::<u32>();
        for global in [&[12345][..], &[123, 45], &[12, 34, 5]] {
            kernel.run(&scene.queue, Range::from(global), &[Arg::from(&counter)])?;
        }
        let count = before.wrapping_add(12345 + 123 * 45 + 12 * 34 * 5);
        same_buffer(&scene, &counter, &count.to_ne_bytes())
    });
    for (name, properties) in [
        ("none", None),
        ("without_flags", Some(0)),
        (
            "queue_serialize",
            Some(UR_KERNEL_LAUNCH_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE.0),
        ),
        ("cooperative", Some(UR_KERNEL_LAUNCH_FLAG_COOPERATIVE.0)),
    ] {
        suite.device(format!("properties::{name}"), move |cx| {
            with_properties(cx, properties)
        });
    }
    errors(suite);
}

fn errors(suite: &mut Suite<'_>) {
    const DIMENSION: ur_result_t = UR_RESULT_ERROR_INVALID_WORK_DIMENSION;
    const GROUP: ur_result_t = UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE;
    // Number of dimensions, global size, work-group size, error.
    type Wrong = (
        &'static str,
        u32,
        [usize; 3],
        Option<[usize; 3]>,
        ur_result_t,
    );
    const WRONG: [Wrong; 10] = [
        ("no_dimensions", 0, [16, 1, 1], None, DIMENSION),
        ("four_dimensions", 4, [16, 1, 1], None, DIMENSION),
        ("no_work_items", 1, [0, 1, 1], None, DIMENSION),
        ("no_work_items_in_second", 2, [16, 0, 1], None, DIMENSION),
        ("no_work_items_in_third", 3, [16, 1, 0], None, DIMENSION),
        ("local_0", 1, [16, 1, 1], Some([0, 1, 1]), GROUP),
        ("local_0_in_second", 2, [16, 4, 1], Some([4, 0, 1]), GROUP),
        ("local_0_in_third", 3, [16, 4, 2], Some([4, 2, 0]), GROUP),
        (
            "local_too_large",
            1,
            [1 << 20, 1, 1],
            Some([1 << 20, 1, 1]),
            GROUP,
        ),
        (
            "local_too_large_together",
            3,
            [512; 3],
            Some([512; 3]),
            GROUP,
        ),
    ];
    for (name, dimensions, global, local, error) in WRONG {
        suite.device(format!("errors::{name}"), move |cx| {
            let scene = Scene::new(cx, 0)?;
            let kernel = scene.kernel(kernels::ARGUMENTS, c"no_arguments")?;
            let code = raw(&scene, &kernel, dimensions, &global, local.as_ref(), None);
            check("urEnqueueKernelLaunchWithArgsExp", error, code)?;
            scene.queue.finish()
        });
    }
    suite.device("errors::not_the_required_size", |cx| {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"fixed_size")?;
        let out = filled(&scene, 64, 1)?;
        let range = Range {
            global: &[16, 8, 4],
            local: &[4, 4, 4],
            offset: &[],
        };
        let code = kernel.enqueue(&scene.queue, range, &[Arg::from(&out)], &[], null_mut());
        check(kernel.launches_by(), GROUP, code)?;
        same_buffer(&scene, &out, &bytes(64, 1))
    });
}

/// A launch without arguments, as its sizes are.
fn raw(
    scene: &Scene,
    kernel: &Kernel,
    dimensions: u32,
    global: &[usize; 3],
    local: Option<&[usize; 3]>,
    properties: Option<&ur_kernel_launch_ext_properties_t>,
) -> ur_result_t {
    // A place behind for whoever would read a fourth size.
    let global = [global[0], global[1], global[2], 1];
    let local = local.map(|local| [local[0], local[1], local[2], 1]);
    ur!(urEnqueueKernelLaunchWithArgsExp(
        scene.queue.get(),
        kernel.get(),
        dimensions,
        null(),
        global.as_ptr(),
        local.as_ref().map_or(null(), |local| local.as_ptr()),
        0,
        null(),
        properties.map_or(null(), std::ptr::from_ref),
        0,
        null(),
        null_mut()
    ))
}

fn ids(cx: &Cx, (global, local, offset): Sizes) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"ids")?;
    let all: usize = global.iter().product();
    // One element more, which nobody writes.
    let out = filled(&scene, (all + 1) * 4, 1)?;
    let range = Range {
        global,
        local,
        offset,
    };
    kernel.run(&scene.queue, range, &[Arg::from(&out)])?;
    let size = |d: usize| global.get(d).copied().unwrap_or(1);
    let start = |d: usize| offset.get(d).copied().unwrap_or(0);
    let mut wanted = Vec::with_capacity((all + 1) * 4);
    for z in 0..size(2) {
        for y in 0..size(1) {
            for x in 0..size(0) {
                let id = x + start(0) + 1000 * (y + start(1)) + 1_000_000 * (z + start(2));
                wanted.extend_from_slice(&(id as u32).to_ne_bytes());
            }
        }
    }
    wanted.extend_from_slice(&bytes((all + 1) * 4, 1)[all * 4..]);
    same_buffer(&scene, &out, &wanted)
}

/// What kernels see of a range.
fn view(scene: &Scene, range: Range<'_>) -> Result<Vec<u64>, Stop> {
    let kernel = scene.kernel(kernels::BASIC, c"sizes")?;
    let out = filled(scene, 13 * 8, 1)?;
    let code = kernel.enqueue(&scene.queue, range, &[Arg::from(&out)], &[], null_mut());
    launched(&kernel, code)?;
    scene.queue.finish()?;
    let bytes = out.read(&scene.queue, 13 * 8)?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()))
        .collect())
}

fn seen(cx: &Cx, (global, local, offset): Sizes) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let range = Range {
        global,
        local,
        offset,
    };
    let seen = view(&scene, range)?;
    let fill = |sizes: &[usize], default: u64| -> [u64; 3] {
        std::array::from_fn(|d| sizes.get(d).map_or(default, |size| *size as u64))
    };
    let wanted = fill(global, 1);
    same!("global size", seen[..3], wanted);
    same!("global offset", seen[9..12], fill(offset, 0));
    same!("dimensions", seen[12], global.len() as u64);
    if !local.is_empty() {
        same!("work-group size", seen[3..6], fill(local, 1));
    }
    for dimension in 0..3 {
        let (all, group, count) = (wanted[dimension], seen[3 + dimension], seen[6 + dimension]);
        ensure!(
            group > 0 && all.div_ceil(group) == count,
            "{count} groups of {group} for {all} work-items"
        );
    }
    Ok(())
}

/// A work-group size that does not divide the global one: the device says no, or does every
/// work-item once.
fn uneven(cx: &Cx, size: usize, local: usize) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::BASIC, c"ids")?;
    let out = filled(&scene, (size + 8) * 4, 1)?;
    let range = Range {
        global: &[size],
        local: &[local],
        offset: &[],
    };
    let code = kernel.enqueue(&scene.queue, range, &[Arg::from(&out)], &[], null_mut());
    let answers = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE];
    check(kernel.launches_by(), answers, code)?;
    scene.queue.finish()?;
    let mut wanted = bytes((size + 8) * 4, 1);
    if code == UR_RESULT_SUCCESS {
        for (id, place) in wanted.chunks_exact_mut(4).take(size).enumerate() {
            place.copy_from_slice(&(id as u32).to_ne_bytes());
        }
    }
    same_buffer(&scene, &out, &wanted)
}

/// What a device with launches of these properties claims.
fn capability(flags: u32) -> u32 {
    match ur_kernel_launch_flag_t(flags) {
        UR_KERNEL_LAUNCH_FLAG_COOPERATIVE => UR_KERNEL_LAUNCH_PROPERTIES_FLAG_COOPERATIVE.0,
        UR_KERNEL_LAUNCH_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE => {
            UR_KERNEL_LAUNCH_PROPERTIES_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE.0
        }
        _ => 0,
    }
}

fn with_properties(cx: &Cx, flags: Option<u32>) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"no_arguments")?;
    let properties = flags.map(|flags| ur_kernel_launch_ext_properties_t {
        flags,
        ..Default::default()
    });
    let (local, global) = ([4, 1, 1], [4, 1, 1]);
    let code = raw(
        &scene,
        &kernel,
        1,
        &global,
        Some(&local),
        properties.as_ref(),
    );
    let call = "urEnqueueKernelLaunchWithArgsExp";
    let query = UR_DEVICE_INFO_KERNEL_LAUNCH_CAPABILITIES;
    let asked = flags.unwrap_or(0);
    let claimed = cx.device_info::<u32>(query).ok().flatten();
    if claimed.unwrap_or(0) & capability(asked) == capability(asked) {
        check(call, UR_RESULT_SUCCESS, code)?;
    } else if claimed.is_some() && asked == UR_KERNEL_LAUNCH_FLAG_COOPERATIVE.0 {
        // Work-groups that wait for each other must be able to: a hint this is not.
        ensure!(
            code != UR_RESULT_SUCCESS,
            "a cooperative launch was taken; yet {query} says no"
        );
    }
    scene.queue.finish()
}
