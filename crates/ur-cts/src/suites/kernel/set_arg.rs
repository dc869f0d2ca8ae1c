//! Arguments that are set before a launch and stay with the kernel, which programs of 2026.0 and
//! 2026.1 do. Loaders of later releases may lack the functions.

use crate::api::api;
use crate::failure::{Stop, check};
use crate::kernels;
use crate::objects::{Arg, Dam, Event, Kernel, Memory, Range, Sampler, flat, or_null};
use crate::suites::enqueue::buffers::{filled, same_buffer};
use crate::suites::enqueue::bytes::bytes;
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const CALL: &str = "urEnqueueKernelLaunch";

/// Work-items of `fill`.
const ITEMS: usize = 16;

/// Unsupported where the loader lacks the functions.
fn scene(cx: &Cx) -> Result<Scene, Stop> {
    if api().has(CALL) && api().has("urKernelSetArgValue") {
        return Scene::new(cx, 0);
    }
    Err(Stop::Unsupported(format!("the loader has no {CALL}")))
}

/// Launches a kernel behind events, with the arguments that it has.
fn launch(
    scene: &Scene,
    kernel: &Kernel,
    range: Range<'_>,
    wait: &[ur_event_handle_t],
) -> Result<Event, Stop> {
    Event::made(CALL, |out| {
        let (count, list) = (wait.len() as u32, or_null(wait));
        kernel.enqueue_given(scene.queue.get(), range, null(), count, list, out)
    })
}

fn same_numbers(scene: &Scene, buffer: &Memory, value: u32, number: usize) -> Outcome {
    same_buffer(scene, buffer, &value.to_ne_bytes().repeat(number))
}

/// `fill` with a buffer and a value.
struct Filling {
    kernel: Kernel,
    out: Memory,
    scene: Scene,
}

impl Filling {
    fn new(cx: &Cx) -> Result<Filling, Stop> {
        let scene = scene(cx)?;
        let kernel = scene.kernel(kernels::BASIC, c"fill")?;
        let out = filled(&scene, ITEMS * 4, 1)?;
        kernel.give(&[Arg::from(&out)])?;
        Ok(Filling { kernel, out, scene })
    }

    fn value(&self, value: u32) -> Outcome {
        let place = (&raw const value).cast();
        ok!(urKernelSetArgValue(self.kernel.get(), 1, 4, null(), place))?;
        Ok(())
    }

    fn launch(&self, wait: &[ur_event_handle_t]) -> Result<Event, Stop> {
        launch(&self.scene, &self.kernel, Range::from(&[ITEMS][..]), wait)
    }

    fn holds(&self, value: u32) -> Outcome {
        same_numbers(&self.scene, &self.out, value, ITEMS)
    }
}

/// Values at addresses that are gone when the launch happens, one after another.
fn values(cx: &Cx) -> Outcome {
    let filling = Filling::new(cx)?;
    for value in [7, 0, u32::MAX] {
        filling.value(value)?;
        filling.launch(&[])?.wait()?;
        filling.holds(value)?;
    }
    Ok(())
}

/// What is set stays for further launches.
fn stays(cx: &Cx) -> Outcome {
    let filling = Filling::new(cx)?;
    filling.value(9)?;
    filling.launch(&[])?.wait()?;
    let other = filled(&filling.scene, ITEMS * 4, 2)?;
    ok!(urKernelSetArgMemObj(
        filling.kernel.get(),
        0,
        null(),
        other.get()
    ))?;
    filling.launch(&[])?.wait()?;
    same_numbers(&filling.scene, &other, 9, ITEMS)
}

/// A launch takes the arguments when it is enqueued, not when it runs.
fn held_back(cx: &Cx) -> Outcome {
    let filling = Filling::new(cx)?;
    let dam = Dam::new(cx, &filling.scene.context)?;
    filling.value(3)?;
    let first = filling.launch(&[dam.event()])?;
    filling.value(4)?;
    ensure!(!first.ended()?, "a launch did not wait for its event");
    dam.pass()?;
    first.wait()?;
    filling.holds(3)?;
    filling.launch(&[])?.wait()?;
    filling.holds(4)
}

/// A buffer with each way of using it.
fn memory(cx: &Cx, access: ur_mem_flag_t) -> Outcome {
    let scene = scene(cx)?;
    let kernel = scene.kernel(kernels::BASIC, c"copy")?;
    let (from, to) = (filled(&scene, 256, 1)?, filled(&scene, 256, 2)?);
    let reads = access == UR_MEM_FLAG_READ_ONLY;
    let both = UR_MEM_FLAG_READ_WRITE;
    let (one, two) = if reads {
        (access, both)
    } else {
        (both, access)
    };
    kernel.give(&[Arg::Memory(&from, one.into()), Arg::Memory(&to, two.into())])?;
    launch(&scene, &kernel, Range::from(&[64][..]), &[])?.wait()?;
    same_buffer(&scene, &to, &bytes(256, 1))
}

fn local(cx: &Cx) -> Outcome {
    let scene = scene(cx)?;
    let kernel = scene.kernel(kernels::BASIC, c"group_sum")?;
    let numbers: Vec<u8> = (0..64u32).flat_map(u32::to_ne_bytes).collect();
    let from = Memory::with(&scene.context, &numbers)?;
    let to = filled(&scene, 16, 2)?;
    kernel.give(&[Arg::from(&from), Arg::Local(16 * 4), Arg::from(&to)])?;
    let range = Range {
        global: &[64],
        local: &[16],
        offset: &[],
    };
    launch(&scene, &kernel, range, &[])?.wait()?;
    let sums = [0u32, 1, 2, 3].map(|g| (g * 16..g * 16 + 16).sum::<u32>());
    let wanted: Vec<u8> = sums.into_iter().flat_map(u32::to_ne_bytes).collect();
    same_buffer(&scene, &to, &wanted)
}

/// An image of one colour, read through a sampler.
fn sampler(cx: &Cx) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let scene = scene(cx)?;
    let format = ur_image_format_t {
        channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
        channelType: UR_IMAGE_CHANNEL_TYPE_FLOAT,
    };
    let mut texels: Vec<u8> = [0.5f32, 0.25, 1.0, 0.75]
        .repeat(4)
        .into_iter()
        .flat_map(f32::to_ne_bytes)
        .collect();
    let desc = flat(2, 2);
    let flags = UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    let image = Memory::made("urMemImageCreate", |out| {
        let (format, desc) = (&raw const format, &raw const desc);
        let (context, host) = (scene.context.get(), texels.as_mut_ptr().cast());
        ur!(urMemImageCreate(context, flags, format, desc, host, out))
    })?;
    let sampler = Sampler::new(&scene.context, &ur_sampler_desc_t::default())?;
    let kernel = scene.kernel(kernels::ARGUMENTS, c"sample")?;
    let out = filled(&scene, 16, 1)?;
    let place = 1f32.to_ne_bytes();
    kernel.give(&[
        Arg::Memory(&image, UR_MEM_FLAG_READ_ONLY.into()),
        Arg::Sampler(&sampler),
        Arg::Value(&place),
        Arg::Value(&place),
        Arg::from(&out),
    ])?;
    launch(&scene, &kernel, Range::from(&[1][..]), &[])?.wait()?;
    same_buffer(&scene, &out, &texels[..16])
}

/// Properties of a launch that ask for nothing.
fn properties(cx: &Cx) -> Outcome {
    let filling = Filling::new(cx)?;
    filling.value(5)?;
    let properties = ur_kernel_launch_ext_properties_t::default();
    let queue = filling.scene.queue.get();
    let range = Range::from(&[ITEMS][..]);
    let properties = &raw const properties;
    let code = filling
        .kernel
        .enqueue_given(queue, range, properties, 0, null(), null_mut());
    check(CALL, UR_RESULT_SUCCESS, code)?;
    filling.scene.queue.finish()?;
    filling.holds(5)
}

/// Where ids begin.
fn offset(cx: &Cx) -> Outcome {
    let scene = scene(cx)?;
    let kernel = scene.kernel(kernels::COMMANDS, c"visit")?;
    let out = Memory::with(&scene.context, &[0; 64])?;
    kernel.give(&[Arg::from(&out)])?;
    let range = Range {
        global: &[4],
        local: &[2],
        offset: &[6],
    };
    launch(&scene, &kernel, range, &[])?.wait()?;
    let found = out.read(&scene.queue, 64)?;
    let visited = (0..16u32).flat_map(|at| u32::from((6..10).contains(&at)).to_ne_bytes());
    same!("visits", found, visited.collect::<Vec<u8>>());
    Ok(())
}

/// An argument that the kernel has not is refused when it is set.
fn no_such_argument(cx: &Cx) -> Outcome {
    let filling = Filling::new(cx)?;
    let value = 1u32;
    let place = (&raw const value).cast();
    let code = ur!(urKernelSetArgValue(
        filling.kernel.get(),
        7,
        4,
        null(),
        place
    ));
    check(
        "urKernelSetArgValue",
        UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        code,
    )?;
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("value", values);
    suite.device("stays", stays);
    suite.device("is_taken_when_enqueued", held_back);
    for (name, access) in [
        ("read_only", UR_MEM_FLAG_READ_ONLY),
        ("write_only", UR_MEM_FLAG_WRITE_ONLY),
        ("read_write", UR_MEM_FLAG_READ_WRITE),
    ] {
        suite.device(format!("memory::{name}"), move |cx| memory(cx, access));
    }
    suite.device("local", local);
    suite.device("sampler", sampler);
    suite.device("launch::properties", properties);
    suite.device("launch::offset_and_local_size", offset);
    suite.device("refused::no_such_argument", no_such_argument);
}
