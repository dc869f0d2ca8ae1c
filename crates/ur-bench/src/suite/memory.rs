//! Kernels that move data.

use super::{Rng, code};
use crate::case::{Arg, Case, Code, Job, Range, Scale, Work, close, equal, from_f32, to_f32};

const CODE: Code = code!("memory");

/// A kernel of this file.
const fn case(name: &'static str, job: fn(Scale) -> Job) -> Case {
    Case {
        name,
        code: CODE,
        kernel: name,
        options: "",
        job,
    }
}

pub fn cases() -> Vec<Case> {
    vec![case("triad", triad), case("copy", copy)]
}

fn triad(scale: Scale) -> Job {
    let count = scale.pick(crate::limits::ELEMENTS, 1 << 12);
    let mut rng = Rng(1);
    let (b, c) = (rng.reals(count, -1.0, 1.0), rng.reals(count, -1.0, 1.0));
    Job {
        range: Range::line(count),
        args: vec![
            Arg::Buffer(vec![0; 4 * count]),
            Arg::Buffer(from_f32(&b)),
            Arg::Buffer(from_f32(&c)),
            Arg::Value(3f32.to_le_bytes().to_vec()),
        ],
        work: Work::Bytes(12 * count as u64),
        check: Box::new(move |buffers| {
            let wanted = b.iter().zip(&c);
            let wanted = wanted.map(|(b, c)| f64::from(*b) + 3.0 * f64::from(*c));
            close(
                to_f32(&buffers[0]).into_iter().map(f64::from),
                wanted,
                1e-6,
                1e-6,
            )
        }),
    }
}

fn copy(scale: Scale) -> Job {
    let count = scale.pick(crate::limits::ELEMENTS, 1 << 12);
    let b = Rng(2).reals(count, -1.0, 1.0);
    Job {
        range: Range::line(count),
        args: vec![Arg::Buffer(vec![0; 4 * count]), Arg::Buffer(from_f32(&b))],
        work: Work::Bytes(8 * count as u64),
        check: Box::new(move |buffers| equal(&to_f32(&buffers[0]), &b)),
    }
}
