//! Kernels that move data.

use super::{Rng, case, code, float, wide, zeros};
use crate::case::{
    Arg, Case, Code, Job, Range, Scale, Work, close, equal, from_f32, from_u32, to_f32,
};

const CODE: Code = code!("memory");

pub fn cases() -> Vec<Case> {
    vec![
        case(CODE, "triad", triad),
        case(CODE, "copy", copy),
        case(CODE, "stencil", stencil),
        case(CODE, "transpose", transpose),
        case(CODE, "spmv", spmv),
    ]
}

fn triad(scale: Scale) -> Job {
    let count = scale.pick(crate::limits::ELEMENTS, 1 << 12);
    let mut rng = Rng(1);
    let (b, c) = (rng.reals(count, -1.0, 1.0), rng.reals(count, -1.0, 1.0));
    Job {
        range: Range::line(count),
        args: vec![
            zeros(count),
            Arg::Buffer(from_f32(&b)),
            Arg::Buffer(from_f32(&c)),
            float(3.0),
        ],
        work: Work::Bytes(12 * count as u64),
        check: Box::new(move |buffers| {
            let wanted = b.iter().zip(&c);
            let wanted = wanted.map(|(b, c)| f64::from(*b) + 3.0 * f64::from(*c));
            close(wide(&buffers[0]), wanted, 1e-6, 1e-6)
        }),
    }
}

fn copy(scale: Scale) -> Job {
    let count = scale.pick(crate::limits::ELEMENTS, 1 << 12);
    let b = Rng(2).reals(count, -1.0, 1.0);
    Job {
        range: Range::line(count),
        args: vec![zeros(count), Arg::Buffer(from_f32(&b))],
        work: Work::Bytes(8 * count as u64),
        check: Box::new(move |buffers| equal(&to_f32(&buffers[0]), &b)),
    }
}

fn stencil(scale: Scale) -> Job {
    let side = scale.pick(2048, 48);
    let cells = Rng(3).reals(side * side, 0.0, 1.0);
    Job {
        range: Range {
            global: vec![side, side],
            local: None,
        },
        args: vec![zeros(side * side), Arg::Buffer(from_f32(&cells))],
        work: Work::Bytes(8 * (side * side) as u64),
        check: Box::new(move |buffers| {
            let at = |x: usize, y: usize| f64::from(cells[y * side + x]);
            let border = |place: usize| place == 0 || place + 1 == side;
            let wanted = (0..side * side).map(|cell| {
                let (x, y) = (cell % side, cell / side);
                if border(x) || border(y) {
                    return at(x, y);
                }
                let beside = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
                0.2 * (at(x, y) + beside)
            });
            close(wide(&buffers[0]), wanted, 1e-6, 1e-6)
        }),
    }
}

fn transpose(scale: Scale) -> Job {
    let (width, height) = (scale.pick(1040, 64), scale.pick(1040, 32));
    let cells = Rng(4).reals(width * height, -1.0, 1.0);
    Job {
        range: Range::plane(width, height, 16),
        args: vec![zeros(width * height), Arg::Buffer(from_f32(&cells))],
        work: Work::Bytes(8 * (width * height) as u64),
        check: Box::new(move |buffers| {
            let wanted = (0..width * height).map(|at| cells[at % height * width + at / height]);
            equal(&to_f32(&buffers[0]), &wanted.collect::<Vec<_>>())
        }),
    }
}

fn spmv(scale: Scale) -> Job {
    let rows = scale.pick(1 << 17, 1 << 8);
    let mut rng = Rng(5);
    let lengths = rng.integers(rows, 17);
    let mut starts = vec![0u32];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + 4 + length);
    }
    let count = starts[rows] as usize;
    let columns = rng.integers(count, rows as u32);
    let (values, vector) = (rng.reals(count, 0.0, 1.0), rng.reals(rows, 0.0, 1.0));
    Job {
        range: Range::groups(rows, 64),
        args: vec![
            zeros(rows),
            Arg::Buffer(from_u32(&starts)),
            Arg::Buffer(from_u32(&columns)),
            Arg::Buffer(from_f32(&values)),
            Arg::Buffer(from_f32(&vector)),
        ],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let wanted = starts.windows(2).map(|bounds| {
                let entries = bounds[0] as usize..bounds[1] as usize;
                entries
                    .map(|at| f64::from(values[at]) * f64::from(vector[columns[at] as usize]))
                    .sum::<f64>()
            });
            close(wide(&buffers[0]), wanted, 1e-5, 1e-6)
        }),
    }
}
