//! Work-groups whose work-items work together.

use super::{Rng, case, code, uint, wide, zeros};
use crate::case::{
    Arg, Case, Code, Job, Range, Scale, Work, close, equal, from_f32, from_u32, to_u32,
};

const CODE: Code = code!("groups");
const FUNCTIONS: Code = code!("group_functions");
/// Work-items of a work-group.
const GROUP: usize = 256;
/// Values that a histogram tells apart.
const BINS: usize = 256;
/// Values that a work-item of the histogram in local memory counts.
const EACH: usize = 16;

pub fn cases() -> Vec<Case> {
    let functions = |name, job| Case {
        options: "-cl-std=CL2.0",
        ..case(FUNCTIONS, name, job)
    };
    vec![
        case(CODE, "reduce", reduce),
        functions("reduce_group", reduce),
        case(CODE, "scan", scan),
        functions("scan_group", scan),
        case(CODE, "histogram_local", |scale| {
            histogram(scale.pick(1 << 20, 1 << 13), EACH)
        }),
        case(CODE, "histogram_global", |scale| {
            histogram(scale.pick(1 << 19, 1 << 12), 1)
        }),
        case(CODE, "bitonic", bitonic),
    ]
}

fn reduce(scale: Scale) -> Job {
    let count = scale.pick(1 << 20, 1 << 11);
    let input = Rng(41).reals(count, 0.0, 1.0);
    Job {
        range: Range::groups(count, GROUP),
        args: vec![zeros(count / GROUP), Arg::Buffer(from_f32(&input))],
        work: Work::Bytes(4 * count as u64),
        check: Box::new(move |buffers| {
            let wanted = input.chunks_exact(GROUP);
            let wanted = wanted.map(|group| group.iter().copied().map(f64::from).sum::<f64>());
            close(wide(&buffers[0]), wanted, 1e-5, 0.0)
        }),
    }
}

fn scan(scale: Scale) -> Job {
    let count = scale.pick(1 << 19, 1 << 11);
    let input = Rng(42).integers(count, u32::MAX);
    Job {
        range: Range::groups(count, GROUP),
        args: vec![zeros(count), Arg::Buffer(from_u32(&input))],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let mut wanted = input.clone();
            for group in wanted.chunks_exact_mut(GROUP) {
                for at in 1..GROUP {
                    group[at] = group[at].wrapping_add(group[at - 1]);
                }
            }
            equal(&to_u32(&buffers[0]), &wanted)
        }),
    }
}

fn histogram(count: usize, each: usize) -> Job {
    let input = Rng(43).integers(count, u32::MAX);
    Job {
        range: Range::groups(count / each, GROUP),
        args: vec![zeros(BINS), Arg::Buffer(from_u32(&input))],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let mut wanted = vec![0u32; BINS];
            for value in &input {
                wanted[*value as usize % BINS] += 1;
            }
            equal(&to_u32(&buffers[0]), &wanted)
        }),
    }
}

fn bitonic(scale: Scale) -> Job {
    let count = scale.pick(2 << 20, 1 << 12);
    let (distance, run) = (count / 8, count / 2);
    let input = Rng(44).integers(count, u32::MAX);
    Job {
        range: Range::line(count / 2),
        args: vec![Arg::Buffer(from_u32(&input)), uint(distance), uint(run)],
        work: Work::Bytes(8 * count as u64),
        check: Box::new(move |buffers| {
            let mut wanted = input.clone();
            for low in (0..count).filter(|at| at & distance == 0) {
                let (high, up) = (low + distance, low & run == 0);
                if (wanted[low] > wanted[high]) == up {
                    wanted.swap(low, high);
                }
            }
            equal(&to_u32(&buffers[0]), &wanted)
        }),
    }
}
