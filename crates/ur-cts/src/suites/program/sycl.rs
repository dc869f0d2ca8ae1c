//! Kernels that SYCL's compiler made while a program ran, from `kernels/sycl`: the form in which most
//! device code of oneAPI's users comes. They are there where `--sycl` names a folder of them.

use super::scene;
use crate::failure::Stop;
use crate::objects::{Arg, Kernel, Memory, Program, Range};
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, same};
use std::ffi::CString;
use ur_api::*;

/// Work-items of each launch.
const COUNT: usize = 256;
/// Work-items of a work-group.
const GROUP: usize = 32;

pub(super) fn tests(suite: &mut Suite<'_>) {
    if kernels::sycl().is_empty() {
        return;
    }
    suite.device("sycl::ids", |cx| {
        let launch = Launch::new(cx, "ids")?;
        let found = launch.words(&[], &[])?;
        same!("numbers", found, (0..COUNT as u32).collect::<Vec<_>>());
        Ok(())
    });
    suite.device("sycl::three_dimensions", |cx| {
        let launch = Launch::new(cx, "places")?;
        let out = launch.room(4 * 2 * 4 * 8)?;
        // SYCL's last dimension is the first of the API's.
        let range = Range {
            global: &[8, 4, 2],
            local: &[4, 2, 1],
            ..Default::default()
        };
        let kernel = &launch.kernel;
        kernel.run(&launch.scene.queue, range, &[Arg::from(&out)])?;
        let found = words(&out.read(&launch.scene.queue, 4 * 2 * 4 * 8)?);
        let wanted: Vec<u32> = (0..2 * 4 * 8)
            .map(|at| ((at / 32) << 16) | ((at / 8 % 4) << 8) | (at % 8))
            .collect();
        same!("places", found, wanted);
        Ok(())
    });
    suite.device("sycl::group_sums", |cx| {
        grouped(cx, "group_sums", |group| {
            let sum = group.iter().sum();
            vec![sum; group.len()]
        })
    });
    suite.device("sycl::group_scans", |cx| {
        grouped(cx, "group_scans", |group| {
            let sums = group.iter().scan(0, |sum, value| {
                *sum += value;
                Some(*sum)
            });
            sums.collect()
        })
    });
    suite.device("sycl::neighbours_in_sub_groups", |cx| {
        grouped(cx, "neighbours", |group| {
            (0..group.len()).map(|at| group[at ^ 1]).collect()
        })
    });
    suite.device("sycl::local_memory_and_barrier", |cx| {
        let launch = Launch::new(cx, "mirrored")?;
        let input = numbers();
        let found = launch.words(&[&input], &[Arg::Local(4 * GROUP)])?;
        let wanted: Vec<u32> = input
            .chunks(GROUP)
            .flat_map(|group| group.iter().rev().copied())
            .collect();
        same!("numbers", found, wanted);
        Ok(())
    });
    suite.device("sycl::atomics", |cx| {
        let launch = Launch::new(cx, "counted")?;
        let input = numbers();
        let found = launch.words(&[&input], &[])?;
        let mut wanted = vec![0; COUNT];
        for value in input {
            wanted[value as usize % 8] += 1;
        }
        same!("counts", found, wanted);
        Ok(())
    });
    suite.device("sycl::struct_by_value", by_value);
    suite.device("sycl::mathematics", |cx| {
        let launch = Launch::new(cx, "roots")?;
        let input: Vec<u32> = (0..COUNT).map(|at| (at as f32).to_bits()).collect();
        let found = launch.words(&[&input], &[])?;
        for (at, found) in found.into_iter().enumerate() {
            let wanted = at as f32 + (at as f32 / 2.0).floor();
            let found = f32::from_bits(found);
            // The root may be off by 3 units in the last place.
            let near = (found - wanted).abs() <= 3.0 * f32::EPSILON * at as f32;
            ensure!(near, "number {at}: {found} for {wanted}");
        }
        Ok(())
    });
}

/// A kernel that is ready.
struct Launch {
    scene: Scene,
    kernel: Kernel,
    _program: Program,
}

impl Launch {
    #[track_caller]
    fn new(cx: &Cx, name: &str) -> Result<Launch, Stop> {
        let scene = scene(cx)?;
        let exported = format!("__sycl_kernel_{name}\0");
        let has = |il: &&Vec<u8>| {
            il.windows(exported.len())
                .any(|at| at == exported.as_bytes())
        };
        let Some(il) = kernels::sycl().iter().find(has) else {
            return Err(Stop::Fail(format!("no module has {name}")));
        };
        let program = Program::from_il(&scene.context, il)?;
        program.build(&scene.context, None)?;
        let exported = exported.trim_end_matches('\0');
        let name = CString::new(exported).map_err(|error| Stop::Fail(error.to_string()))?;
        let kernel = Kernel::new(&program, &name)?;
        Ok(Launch {
            scene,
            kernel,
            _program: program,
        })
    }

    /// A buffer of zeros.
    #[track_caller]
    fn room(&self, bytes: usize) -> Result<Memory, Stop> {
        Memory::with(&self.scene.context, &vec![0; bytes])
    }

    /// Launches it with buffers of the inputs, one for the output and the arguments after these, and
    /// gives the output.
    #[track_caller]
    fn words(&self, inputs: &[&[u32]], more: &[Arg<'_>]) -> Result<Vec<u32>, Stop> {
        let out = self.room(4 * COUNT)?;
        let inputs = inputs
            .iter()
            .map(|input| {
                let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_ne_bytes()).collect();
                Memory::with(&self.scene.context, &bytes)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut args: Vec<Arg<'_>> = inputs.iter().map(Arg::from).collect();
        args.push(Arg::from(&out));
        args.extend_from_slice(more);
        self.kernel.run(&self.scene.queue, RANGE, &args)?;
        Ok(words(&out.read(&self.scene.queue, 4 * COUNT)?))
    }
}

const RANGE: Range<'static> = Range {
    offset: &[],
    global: &[COUNT],
    local: &[GROUP],
};

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// Numbers without a pattern that a wrong index could share.
fn numbers() -> Vec<u32> {
    (0..COUNT as u32).map(|at| at * at % 251).collect()
}

/// Runs a kernel that takes numbers and gives others, group by group.
#[track_caller]
fn grouped(cx: &Cx, name: &str, wanted: impl Fn(&[u32]) -> Vec<u32>) -> Outcome {
    let launch = Launch::new(cx, name)?;
    let input = numbers();
    let found = launch.words(&[&input], &[])?;
    let wanted: Vec<u32> = input.chunks(GROUP).flat_map(wanted).collect();
    same!("numbers", found, wanted);
    Ok(())
}

/// The argument of `lines`, as C++ lays it out.
#[repr(C)]
struct Line {
    slope: f32,
    offset: f64,
    flip: i8,
}

fn by_value(cx: &Cx) -> Outcome {
    let flag = UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST;
    cx.needs_bits(UR_DEVICE_INFO_DOUBLE_FP_CONFIG, flag)?;
    let launch = Launch::new(cx, "lines")?;
    let queue = &launch.scene.queue;
    let input: Vec<u8> = (0..COUNT)
        .flat_map(|at| (at as f32).to_ne_bytes())
        .collect();
    let (input, out) = (
        Memory::with(&launch.scene.context, &input)?,
        launch.room(8 * COUNT)?,
    );
    let line = Line {
        slope: 0.5,
        offset: -3.0,
        flip: 1,
    };
    let mut bytes = [0u8; size_of::<Line>()];
    bytes[..4].copy_from_slice(&line.slope.to_ne_bytes());
    bytes[8..16].copy_from_slice(&line.offset.to_ne_bytes());
    bytes[16] = line.flip as u8;
    let args = [Arg::from(&input), Arg::from(&out), Arg::Value(&bytes)];
    launch.kernel.run(queue, RANGE, &args)?;
    let found = out.read(queue, 8 * COUNT)?;
    for (at, found) in found.chunks_exact(8).enumerate() {
        let wanted = -(at as f64 * 0.5 - 3.0);
        same!(format_args!("number {at}"), found, wanted.to_ne_bytes());
    }
    Ok(())
}
