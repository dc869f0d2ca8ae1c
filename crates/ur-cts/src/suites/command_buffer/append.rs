//! Parameters of recorded commands.

use super::stage::{Boxed, Kind, Links, Stage, append, enqueue, finalize, recorded, run};
use crate::failure::Stop;
use crate::objects::{
    Arg, Context, Kernel, Memory, Program, Queue, Range, Usm, UsmKind, argument, or_null,
};
use crate::suites::enqueue::usm_hints::ADVICE;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, same};
use std::ptr::null_mut;
use ur_api::*;

/// Bytes that tell each place from its neighbours.
fn marked(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 7 + i / 251 + 1) as u8).collect()
}

const SIZES: [usize; 7] = [1, 3, 64, 100, 4096, 65_537, 1 << 20];

pub(super) fn tests(suite: &mut Suite<'_>) {
    let mut part = suite.part("append_usm_memcpy");
    for size in SIZES {
        part.device(format!("{size}_bytes"), move |cx| {
            copy(cx, UsmKind::Host, UsmKind::Host, size)
        });
    }
    for from in UsmKind::ALL {
        for to in UsmKind::ALL {
            let name = format!("{}_to_{}", from.name(), to.name());
            part.device(name, move |cx| copy(cx, from, to, 4097));
        }
    }
    part.device("memory_of_the_host", |cx| {
        let stage = Stage::new(cx, Kind::UsmMemcpy)?;
        let buffer = stage.buffer()?;
        let from = marked(1000);
        let mut to = vec![0u8; 1000];
        let (target, source) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
        let code = append!(
            urCommandBufferAppendUSMMemcpyExp(buffer.get(), target, source, 1000),
            Links::NONE
        );
        recorded("urCommandBufferAppendUSMMemcpyExp", code)?;
        finalize(&buffer)?;
        run(&stage.queue, &buffer)?;
        ensure!(to == from, "the copy differs");
        Ok(())
    });
    let mut part = suite.part("append_usm_fill");
    for pattern in [1, 2, 4, 8, 16, 32, 64, 128] {
        for times in [1, 3, 64] {
            part.device(format!("{times}_times_{pattern}_bytes"), move |cx| {
                fill_usm(cx, UsmKind::Host, pattern, times)
            });
        }
    }
    for kind in [UsmKind::Device, UsmKind::Shared] {
        part.device(format!("{}_memory", kind.name()), move |cx| {
            fill_usm(cx, kind, 4, 1000)
        });
    }
    hints(suite);
    buffers(suite);
    boxes(suite);
    launches(suite);
}

fn copy(cx: &Cx, from: UsmKind, to: UsmKind, size: usize) -> Outcome {
    let stage = Stage::new(cx, Kind::UsmMemcpy)?;
    let source = Usm::new(cx, &stage.context, from, size)?;
    // One byte more, which must stay as it is.
    let target = Usm::new(cx, &stage.context, to, size + 1)?;
    let bytes = marked(size);
    stage.queue.put(source.at, &bytes)?;
    stage.queue.put(target.at, &vec![0xaa; size + 1])?;
    let buffer = stage.buffer()?;
    let code = append!(
        urCommandBufferAppendUSMMemcpyExp(buffer.get(), target.at, source.at, size),
        Links::NONE
    );
    recorded("urCommandBufferAppendUSMMemcpyExp", code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let found = stage.queue.fetch(target.at, size + 1)?;
    ensure!(found[..size] == bytes, "the copy differs");
    same!("the byte behind the copy", found[size], 0xaa);
    Ok(())
}

fn fill_usm(cx: &Cx, kind: UsmKind, pattern: usize, times: usize) -> Outcome {
    let stage = Stage::new(cx, Kind::UsmFill)?;
    let size = pattern * times;
    let target = Usm::new(cx, &stage.context, kind, size + 1)?;
    stage.queue.put(target.at, &vec![0xaa; size + 1])?;
    let buffer = stage.buffer()?;
    let bytes = marked(pattern);
    let code = append!(
        urCommandBufferAppendUSMFillExp(
            buffer.get(),
            target.at,
            bytes.as_ptr().cast(),
            pattern,
            size
        ),
        Links::NONE
    );
    recorded("urCommandBufferAppendUSMFillExp", code)?;
    // The pattern is taken when the command is recorded.
    drop(bytes);
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let found = stage.queue.fetch(target.at, size + 1)?;
    same!(
        "what was filled",
        found[..size],
        marked(pattern).repeat(times)
    );
    same!("the byte behind", found[size], 0xaa);
    Ok(())
}

/// Prefetches and advice: nothing but an order among commands may be seen of them.
fn hints(suite: &mut Suite<'_>) {
    for flag in [
        UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE,
        UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST,
    ] {
        let name = flag.to_string().to_lowercase();
        suite
            .part("append_usm_prefetch")
            .device(name.replace("ur_usm_migration_flag_", ""), move |cx| {
                hint(cx, Kind::UsmPrefetch, flag.0)
            });
    }
    for (name, flag) in ADVICE {
        suite
            .part("append_usm_advise")
            .device(name, move |cx| hint(cx, Kind::UsmAdvise, flag.0));
    }
}

fn hint(cx: &Cx, kind: Kind, flags: u32) -> Outcome {
    let stage = Stage::new(cx, kind)?;
    let shared = Usm::new(cx, &stage.context, UsmKind::Shared, 4096)?;
    let bytes = marked(4096);
    stage.queue.put(shared.at, &bytes)?;
    let buffer = stage.buffer()?;
    let code = match kind {
        Kind::UsmPrefetch => append!(
            urCommandBufferAppendUSMPrefetchExp(buffer.get(), shared.at, 4096, flags),
            Links::NONE
        ),
        _ => append!(
            urCommandBufferAppendUSMAdviseExp(buffer.get(), shared.at, 4096, flags),
            Links::NONE
        ),
    };
    recorded(kind.call(), code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let found = stage.queue.fetch(shared.at, 4096)?;
    ensure!(found == bytes, "the memory changed");
    Ok(())
}

/// Places within buffers: offset at the source, at the target, bytes.
const PARTS: [(usize, usize, usize); 6] = [
    (0, 0, 1),
    (0, 0, 512),
    (1, 2, 3),
    (511, 0, 1),
    (0, 511, 1),
    (128, 256, 256),
];

fn buffers(suite: &mut Suite<'_>) {
    for (from, to, size) in PARTS {
        let name = format!("{size}_bytes_from_{from}_to_{to}");
        for kind in [Kind::BufferCopy, Kind::BufferWrite, Kind::BufferRead] {
            suite
                .part(kind.name())
                .device(&name, move |cx| part(cx, kind, from, to, size));
        }
    }
    for pattern in [1, 2, 4, 8, 16, 32, 64, 128] {
        for (offset, times) in [(0, 1), (0, 4), (1, 2), (3, 1)] {
            let name = format!("{times}_times_{pattern}_bytes_at_{offset}_patterns");
            suite
                .part("append_mem_buffer_fill")
                .device(name, move |cx| fill_buffer(cx, pattern, offset, times));
        }
    }
    for kind in [Kind::BufferCopy, Kind::BufferWrite, Kind::BufferRead] {
        suite
            .part(kind.name())
            .device("beyond_the_end", move |cx| beyond(cx, kind));
    }
    suite
        .part("append_mem_buffer_copy")
        .device("within_a_buffer", |cx| {
            let stage = Stage::new(cx, Kind::BufferCopy)?;
            let bytes = marked(512);
            let memory = Memory::with(&stage.context, &bytes)?;
            let buffer = stage.buffer()?;
            let (to, mem) = (buffer.get(), memory.get());
            let code = append!(
                urCommandBufferAppendMemBufferCopyExp(to, mem, mem, 0, 256, 256),
                Links::NONE
            );
            recorded("urCommandBufferAppendMemBufferCopyExp", code)?;
            finalize(&buffer)?;
            run(&stage.queue, &buffer)?;
            let found = memory.read(&stage.queue, 512)?;
            same!("the first half", found[..256], bytes[..256]);
            same!("the second half", found[256..], bytes[..256]);
            Ok(())
        });
}

fn part(cx: &Cx, kind: Kind, from: usize, to: usize, size: usize) -> Outcome {
    let stage = Stage::new(cx, kind)?;
    let bytes = marked(512);
    let source = Memory::with(&stage.context, &bytes)?;
    let target = Memory::with(&stage.context, &[0xaa; 512])?;
    let mut host = vec![0xaa; 512];
    let buffer = stage.buffer()?;
    let record = buffer.get();
    let code = match kind {
        Kind::BufferCopy => append!(
            urCommandBufferAppendMemBufferCopyExp(
                record,
                source.get(),
                target.get(),
                from,
                to,
                size
            ),
            Links::NONE
        ),
        Kind::BufferWrite => append!(
            urCommandBufferAppendMemBufferWriteExp(
                record,
                target.get(),
                to,
                size,
                bytes[from..].as_ptr().cast()
            ),
            Links::NONE
        ),
        _ => append!(
            urCommandBufferAppendMemBufferReadExp(
                record,
                source.get(),
                from,
                size,
                host[to..].as_mut_ptr().cast()
            ),
            Links::NONE
        ),
    };
    recorded(kind.call(), code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let found = match kind {
        Kind::BufferRead => host,
        _ => target.read(&stage.queue, 512)?,
    };
    let mut wanted = vec![0xaa; 512];
    wanted[to..to + size].copy_from_slice(&bytes[from..from + size]);
    ensure!(found == wanted, "{found:?}");
    Ok(())
}

fn fill_buffer(cx: &Cx, pattern: usize, offset: usize, times: usize) -> Outcome {
    let stage = Stage::new(cx, Kind::BufferFill)?;
    let target = Memory::with(&stage.context, &[0xaa; 1024])?;
    let buffer = stage.buffer()?;
    let bytes = marked(pattern);
    let (start, size) = (offset * pattern, times * pattern);
    let code = append!(
        urCommandBufferAppendMemBufferFillExp(
            buffer.get(),
            target.get(),
            bytes.as_ptr().cast(),
            pattern,
            start,
            size
        ),
        Links::NONE
    );
    recorded("urCommandBufferAppendMemBufferFillExp", code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let mut wanted = vec![0xaa; 1024];
    wanted[start..start + size].copy_from_slice(&bytes.repeat(times));
    let found = target.read(&stage.queue, 1024)?;
    ensure!(found == wanted, "{found:?}");
    Ok(())
}

/// More than there is must be refused, whatever the error.
fn beyond(cx: &Cx, kind: Kind) -> Outcome {
    let stage = Stage::new(cx, kind)?;
    let (from, to) = (
        stage.from.as_ref().map_or(null_mut(), Memory::get),
        stage.to.get(),
    );
    let mut host = vec![0u8; 1024];
    let buffer = stage.buffer()?;
    let record = buffer.get();
    for (offset, size) in [(0, 257), (1, 256), (256, 1), (1000, 1)] {
        let code = match kind {
            Kind::BufferCopy => append!(
                urCommandBufferAppendMemBufferCopyExp(record, from, to, offset, 0, size),
                Links::NONE
            ),
            Kind::BufferWrite => append!(
                urCommandBufferAppendMemBufferWriteExp(
                    record,
                    to,
                    offset,
                    size,
                    host.as_ptr().cast()
                ),
                Links::NONE
            ),
            _ => append!(
                urCommandBufferAppendMemBufferReadExp(
                    record,
                    from,
                    offset,
                    size,
                    host.as_mut_ptr().cast()
                ),
                Links::NONE
            ),
        };
        ensure!(
            code != UR_RESULT_SUCCESS,
            "{size} bytes at {offset} were taken"
        );
    }
    Ok(())
}

/// Boxes with what is special in their names.
const BOXES: [(&str, Boxed); 6] = [
    (
        "one_byte",
        Boxed {
            from: [3, 2, 1],
            to: [1, 1, 1],
            region: [1, 1, 1],
            from_pitch: [16, 128],
            to_pitch: [16, 128],
        },
    ),
    (
        "one_row",
        Boxed {
            from: [0, 3, 0],
            to: [2, 0, 0],
            region: [14, 1, 1],
            from_pitch: [16, 128],
            to_pitch: [16, 128],
        },
    ),
    (
        "one_slice",
        Boxed {
            from: [1, 1, 0],
            to: [4, 2, 0],
            region: [10, 5, 1],
            from_pitch: [16, 128],
            to_pitch: [32, 256],
        },
    ),
    (
        "one_column",
        Boxed {
            from: [7, 0, 0],
            to: [0, 0, 1],
            region: [1, 8, 3],
            from_pitch: [16, 128],
            to_pitch: [8, 128],
        },
    ),
    (
        "different_pitches",
        Boxed {
            from: [1, 2, 1],
            to: [5, 0, 0],
            region: [6, 4, 3],
            from_pitch: [16, 128],
            to_pitch: [13, 104],
        },
    ),
    (
        "everything",
        Boxed {
            from: [0, 0, 0],
            to: [0, 0, 0],
            region: [16, 8, 4],
            from_pitch: [16, 128],
            to_pitch: [16, 128],
        },
    ),
];

fn boxes(suite: &mut Suite<'_>) {
    for kind in [
        Kind::BufferCopyRect,
        Kind::BufferWriteRect,
        Kind::BufferReadRect,
    ] {
        for (name, boxed) in BOXES {
            suite
                .part(kind.name())
                .device(name, move |cx| one_box(cx, kind, &boxed));
        }
        suite
            .part(kind.name())
            .device("pitches_by_default", move |cx| {
                // A pitch of 0 is that of a box without gaps.
                let tight = Boxed {
                    from: [0, 0, 0],
                    to: [0, 0, 0],
                    region: [8, 4, 2],
                    from_pitch: [8, 32],
                    to_pitch: [8, 32],
                };
                rect(cx, kind, &tight, [0, 0], [0, 0])
            });
    }
}

fn one_box(cx: &Cx, kind: Kind, boxed: &Boxed) -> Outcome {
    rect(cx, kind, boxed, boxed.from_pitch, boxed.to_pitch)
}

fn rect(
    cx: &Cx,
    kind: Kind,
    boxed: &Boxed,
    from_pitch: [usize; 2],
    to_pitch: [usize; 2],
) -> Outcome {
    let stage = Stage::new(cx, kind)?;
    let bytes = marked(1024);
    let source = Memory::with(&stage.context, &bytes)?;
    let target = Memory::with(&stage.context, &[0xaa; 1024])?;
    let mut host = vec![0xaa; 1024];
    let buffer = stage.buffer()?;
    let record = buffer.get();
    let (origin, aim) = boxed.origins();
    let region = boxed.region();
    let ([from_row, from_slice], [to_row, to_slice]) = (from_pitch, to_pitch);
    let code = match kind {
        Kind::BufferCopyRect => append!(
            urCommandBufferAppendMemBufferCopyRectExp(
                record,
                source.get(),
                target.get(),
                origin,
                aim,
                region,
                from_row,
                from_slice,
                to_row,
                to_slice
            ),
            Links::NONE
        ),
        Kind::BufferWriteRect => append!(
            urCommandBufferAppendMemBufferWriteRectExp(
                record,
                target.get(),
                aim,
                origin,
                region,
                to_row,
                to_slice,
                from_row,
                from_slice,
                bytes.as_ptr().cast_mut().cast()
            ),
            Links::NONE
        ),
        _ => append!(
            urCommandBufferAppendMemBufferReadRectExp(
                record,
                source.get(),
                origin,
                aim,
                region,
                from_row,
                from_slice,
                to_row,
                to_slice,
                host.as_mut_ptr().cast()
            ),
            Links::NONE
        ),
    };
    recorded(kind.call(), code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let found = match kind {
        Kind::BufferReadRect => host,
        _ => target.read(&stage.queue, 1024)?,
    };
    let mut wanted = vec![0xaa; 1024];
    boxed.apply(&bytes, &mut wanted);
    ensure!(found == wanted, "{found:?}");
    Ok(())
}

/// Sizes of launches: global, local and offset.
const RANGES: [(&str, [&[usize]; 3]); 9] = [
    ("one_work_item", [&[1], &[], &[]]),
    ("odd_size", [&[101], &[], &[]]),
    ("local_size", [&[96], &[8], &[]]),
    ("offset", [&[50], &[], &[7]]),
    ("local_size_and_offset", [&[64], &[16], &[5]]),
    ("two_dimensions", [&[9, 7], &[], &[]]),
    ("two_dimensions_with_offset", [&[8, 6], &[4, 2], &[3, 1]]),
    ("three_dimensions", [&[5, 4, 3], &[], &[]]),
    (
        "three_dimensions_with_all",
        [&[4, 4, 4], &[2, 2, 1], &[1, 2, 3]],
    ),
];

fn kernel(context: &Context, name: &std::ffi::CStr) -> Result<Kernel, Stop> {
    let program = Program::built(context, kernels::BASIC)?;
    Kernel::new(&program, name)
}

/// Records a launch.
pub(super) fn append_launch(
    buffer: ur_exp_command_buffer_handle_t,
    kernel: &Kernel,
    range: Range<'_>,
    args: &[Arg<'_>],
    alternatives: &mut [ur_kernel_handle_t],
    links: Links<'_>,
) -> ur_result_t {
    let given: Vec<_> = args
        .iter()
        .enumerate()
        .map(|(i, a)| argument(i, a))
        .collect();
    append!(
        urCommandBufferAppendKernelLaunchWithArgsExp(
            buffer,
            kernel.get(),
            range.global.len() as u32,
            or_null(range.offset),
            range.global.as_ptr(),
            or_null(range.local),
            given.len() as u32,
            or_null(&given),
            alternatives.len() as u32,
            or_null(alternatives).cast_mut()
        ),
        links
    )
}

/// A launch of a kernel whose arguments were set before: ids and work-groups are as it says.
fn launch_of_given(cx: &Cx) -> Outcome {
    let call = "urCommandBufferAppendKernelLaunchExp";
    let stage = Stage::new(cx, Kind::KernelLaunch)?;
    let kernel = Kernel::new(
        &Program::built(&stage.context, kernels::COMMANDS)?,
        c"groups",
    )?;
    let mut out = Usm::new(cx, &stage.context, UsmKind::Host, 64)?;
    out.bytes().fill(0);
    if !crate::api().has("urKernelSetArgPointer") {
        return Err(Stop::Unsupported("nothing sets arguments".into()));
    }
    kernel.give(&[Arg::Pointer(out.at)])?;
    let buffer = stage.buffer()?;
    let (offset, global, local) = ([4], [8], [2]);
    let code = append!(
        urCommandBufferAppendKernelLaunchExp(
            buffer.get(),
            kernel.get(),
            1,
            offset.as_ptr(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            null_mut()
        ),
        Links::NONE
    );
    recorded(call, code)?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)?;
    let sizes =
        (0..16u32).flat_map(|at| [0, 2u32][usize::from((4..12).contains(&at))].to_ne_bytes());
    same!("sizes", out.bytes(), sizes.collect::<Vec<u8>>());
    Ok(())
}

fn launches(suite: &mut Suite<'_>) {
    suite
        .part("append_kernel_launch")
        .device("offset_and_local_size", launch_of_given);
    let call = "urCommandBufferAppendKernelLaunchWithArgsExp";
    let mut part = suite.part("append_kernel_launch_with_args");
    for (name, [global, local, offset]) in RANGES {
        part.device(name, move |cx| {
            let range = Range {
                global,
                local,
                offset,
            };
            let mut stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
            let kernel = kernel(&stage.context, c"ids")?;
            let items: usize = global.iter().product();
            let mut ids = Usm::new(cx, &stage.context, UsmKind::Host, items * 4)?;
            ids.bytes().fill(0xff);
            let buffer = stage.buffer()?;
            let args = [Arg::Pointer(ids.at)];
            let code = append_launch(buffer.get(), &kernel, range, &args, &mut [], Links::NONE);
            recorded(call, code)?;
            finalize(&buffer)?;
            run(&stage.queue, &buffer)?;
            let side = |list: &[usize], d: usize, none| list.get(d).copied().unwrap_or(none);
            let mut wanted = Vec::new();
            for z in 0..side(global, 2, 1) {
                for y in 0..side(global, 1, 1) {
                    for x in 0..side(global, 0, 1) {
                        let at = |v: usize, d: usize| v + side(offset, d, 0);
                        let id = at(x, 0) + 1000 * at(y, 1) + 1_000_000 * at(z, 2);
                        wanted.extend((id as u32).to_ne_bytes());
                    }
                }
            }
            ensure!(ids.bytes() == wanted, "ids {:?}", ids.bytes());
            stage.reset()
        });
    }
    part.device("buffers_as_arguments", move |cx| {
        let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let kernel = kernel(&stage.context, c"copy")?;
        let bytes = marked(256);
        let from = Memory::with(&stage.context, &bytes)?;
        let to = Memory::with(&stage.context, &[0; 256])?;
        let buffer = stage.buffer()?;
        let args = [
            Arg::Memory(&from, UR_MEM_FLAG_READ_ONLY.into()),
            Arg::Memory(&to, UR_MEM_FLAG_WRITE_ONLY.into()),
        ];
        let range = Range::from(&[64][..]);
        let code = append_launch(buffer.get(), &kernel, range, &args, &mut [], Links::NONE);
        recorded(call, code)?;
        finalize(&buffer)?;
        run(&stage.queue, &buffer)?;
        same!("the copy", to.read(&stage.queue, 256)?, bytes);
        Ok(())
    });
    part.device("local_memory_as_argument", move |cx| {
        let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let kernel = kernel(&stage.context, c"group_sum")?;
        let numbers: Vec<u8> = (0..64u32).flat_map(u32::to_ne_bytes).collect();
        let from = Memory::with(&stage.context, &numbers)?;
        let to = Memory::with(&stage.context, &[0; 16])?;
        let buffer = stage.buffer()?;
        let args = [Arg::from(&from), Arg::Local(16 * 4), Arg::from(&to)];
        let range = Range {
            global: &[64],
            local: &[16],
            offset: &[],
        };
        let code = append_launch(buffer.get(), &kernel, range, &args, &mut [], Links::NONE);
        recorded(call, code)?;
        finalize(&buffer)?;
        for _ in 0..3 {
            run(&stage.queue, &buffer)?;
            let sums = [0u32, 1, 2, 3].map(|g| (g * 16..g * 16 + 16).sum::<u32>());
            let wanted: Vec<u8> = sums.into_iter().flat_map(u32::to_ne_bytes).collect();
            same!("the sums", to.read(&stage.queue, 16)?, wanted);
        }
        Ok(())
    });
    part.device("arguments_are_taken_at_once", move |cx| {
        let mut stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let buffer = stage.in_order()?;
        let kernel = stage.kernel.as_ref().expect("a stage for launches");
        let mut value = 1u32.to_ne_bytes();
        let args = [Arg::Pointer(stage.usm_to.at), Arg::Value(&value)];
        let range = Range::from(&[64][..]);
        let code = append_launch(buffer.get(), kernel, range, &args, &mut [], Links::NONE);
        recorded(call, code)?;
        value.fill(0x55);
        finalize(&buffer)?;
        run(&stage.queue, &buffer)?;
        same!(
            "what was written",
            stage.usm_to.bytes(),
            1u32.to_ne_bytes().repeat(64)
        );
        Ok(())
    });
    for dimensions in [0, 4] {
        part.device(format!("{dimensions}_dimensions"), move |cx| {
            let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
            let buffer = stage.buffer()?;
            let kernel = stage.kernel.as_ref().expect("a stage for launches");
            let value = [0u8; 4];
            let args = [Arg::Pointer(stage.usm_to.at), Arg::Value(&value)];
            let range = Range::from(&[1usize; 4][..dimensions]);
            let code = append_launch(buffer.get(), kernel, range, &args, &mut [], Links::NONE);
            let wanted = UR_RESULT_ERROR_INVALID_WORK_DIMENSION;
            crate::failure::check(call, wanted, code)?;
            Ok(())
        });
    }
    part.device(
        "order_of_launches_in_an_in_order_command_buffer",
        move |cx| {
            let mut stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
            let buffer = stage.in_order()?;
            let visit = Kernel::new(stage.program(), c"visit")?;
            for _ in 0..20 {
                let args = [Arg::Pointer(stage.usm_to.at)];
                let range = Range::from(&[64][..]);
                let code = append_launch(buffer.get(), &visit, range, &args, &mut [], Links::NONE);
                recorded(call, code)?;
            }
            finalize(&buffer)?;
            enqueue(&stage.queue, &buffer, &[])?;
            enqueue(&stage.queue, &buffer, &[])?.wait()?;
            same!(
                "the counts",
                stage.usm_to.bytes(),
                40u32.to_ne_bytes().repeat(64)
            );
            Ok(())
        },
    );
    part.device("own_alternative", move |cx| {
        let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let buffer = stage.updatable()?;
        let kernel = stage.kernel.as_ref().expect("a stage for launches");
        let value = [0u8; 4];
        let args = [Arg::Pointer(stage.usm_to.at), Arg::Value(&value)];
        let range = Range::from(&[1][..]);
        let mut own = [kernel.get()];
        let code = append_launch(buffer.get(), kernel, range, &args, &mut own, Links::NONE);
        let either = [
            UR_RESULT_ERROR_INVALID_VALUE,
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        ];
        crate::failure::check(call, either, code)?;
        Ok(())
    });
    part.device("two_queues_share_it", move |cx| {
        let mut stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let other = Queue::new(&stage.context, cx.device(), 0)?;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::KernelLaunchWithArgs, Links::NONE)?;
        finalize(&buffer)?;
        let first = enqueue(&stage.queue, &buffer, &[])?;
        let second = enqueue(&other, &buffer, &[first.get()])?;
        second.wait()?;
        ensure!(first.ended()?, "the first has not ended before the second");
        stage.expect(Kind::KernelLaunchWithArgs)
    });
}
