//! Kernels whose work-items take different ways, and bytes.

use super::{Rng, case, code, float, uint, zeros};
use crate::case::{Arg, Case, Code, Job, Range, Scale, Work, equal, to_u32};

const CODE: Code = code!("divergent");

pub fn cases() -> Vec<Case> {
    vec![
        case(CODE, "mandelbrot", mandelbrot),
        case(CODE, "collatz", collatz),
        case(CODE, "title_case", title_case),
    ]
}

fn mandelbrot(scale: Scale) -> Job {
    let side = scale.pick(320, 32);
    let (left, top, step, most) = (-2.0f32, -1.25f32, 2.5 / side as f32, 256u32);
    Job {
        range: Range {
            global: vec![side, side],
            local: None,
        },
        args: vec![
            zeros(side * side),
            float(left),
            float(top),
            float(step),
            uint(most as usize),
        ],
        work: Work::Elements((side * side) as u64),
        check: Box::new(move |buffers| {
            let wanted = (0..side * side).map(|at| {
                let cx = ((at % side) as f32).mul_add(step, left);
                let cy = ((at / side) as f32).mul_add(step, top);
                let (mut x, mut y, mut count) = (0f32, 0f32, 0);
                while count < most && x * x + y * y <= 4.0 {
                    (x, y) = (x * x - y * y + cx, (2.0 * x).mul_add(y, cy));
                    count += 1;
                }
                count
            });
            equal(&to_u32(&buffers[0]), &wanted.collect::<Vec<_>>())
        }),
    }
}

fn collatz(scale: Scale) -> Job {
    // No number of a sequence that starts below 159,487 needs more than 32 bits.
    let count = scale.pick(1 << 16, 1 << 9);
    Job {
        range: Range::line(count),
        args: vec![zeros(count)],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let wanted = (1..=count as u32).map(|first| {
                let (mut n, mut steps) = (first, 0u32);
                while n != 1 {
                    n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                    steps += 1;
                }
                steps
            });
            equal(&to_u32(&buffers[0]), &wanted.collect::<Vec<_>>())
        }),
    }
}

fn title_case(scale: Scale) -> Job {
    let count = scale.pick(4 << 20, 1 << 12);
    let letters = b"etaoinETAOIN  ,.0189[`{@Zz";
    let text: Vec<u8> = Rng(31)
        .integers(count, letters.len() as u32)
        .into_iter()
        .map(|at| letters[at as usize])
        .collect();
    Job {
        range: Range::line(count),
        args: vec![Arg::Buffer(vec![0; count]), Arg::Buffer(text.clone())],
        work: Work::Bytes(2 * count as u64),
        check: Box::new(move |buffers| {
            let mut before = b' ';
            let wanted = text.iter().map(|letter| {
                let changed = match before {
                    b' ' => letter.to_ascii_uppercase(),
                    _ => letter.to_ascii_lowercase(),
                };
                before = *letter;
                changed
            });
            equal(&buffers[0], &wanted.collect::<Vec<_>>())
        }),
    }
}
