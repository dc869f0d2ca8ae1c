//! Writes of kernels against the model.

use crate::common::*;
use crate::model::{Format, KINDS, Meaning, Shape, colour, formats, half, number};
use crate::support::{Guarded, over, suffix};

const FLOATS: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.25,
    0.003,
    2.5,
    -3.5,
    1e-3,
    1e-9,
    -1e-9,
    65504.0,
    65520.0,
    -70000.0,
    1e30,
    -1e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1.0 / 3.0,
];

/// Whether `got`, a stored number, is a right conversion of `given`.
fn is_right(meaning: Meaning, given: f32, got: f64) -> bool {
    let given = f64::from(given);
    let near = |scale: f64, low: f64| {
        let ideal = (given * scale).clamp(low, scale);
        // OpenCL wants rounding to the nearest, and allows an error of 0.6.
        given.is_nan() || (got * scale - ideal).abs() <= 0.6
    };
    match meaning {
        Meaning::Snorm(bits) => {
            // The lowest two numbers both mean -1.
            let scale = (1u64 << (bits - 1)) as f64 - 1.0;
            near(scale, -scale)
        }
        Meaning::Unorm(bits) => near((1u64 << bits) as f64 - 1.0, 0.0),
        Meaning::Half if given.is_nan() => got.is_nan(),
        Meaning::Half if given.abs() >= 65520.0 => got == f64::INFINITY * given.signum(),
        Meaning::Half => (got - given).abs() <= (given.abs() * 2f64.powi(-11)).max(2f64.powi(-25)),
        Meaning::Float => got == given || (given.is_nan() && got.is_nan()),
        _ => false,
    }
}

fn saturated(meaning: Meaning, given: i32) -> f64 {
    match meaning {
        Meaning::Signed(bits) => {
            let limit = (1i64 << (bits - 1)) as f64;
            f64::from(given).clamp(-limit, limit - 1.0)
        }
        Meaning::Unsigned(bits) => f64::from(given as u32).min((1u64 << bits) as f64 - 1.0),
        _ => panic!("no integer"),
    }
}

/// What of a colour each stored channel takes.
fn source(letter: u8) -> usize {
    match letter {
        b'g' => 1,
        b'b' => 2,
        b'a' => 3,
        _ => 0,
    }
}

fn check_floats(format: Format, given: [f32; 4], bytes: &[u8]) {
    if let Meaning::Packed(widths) = format.meaning() {
        let got = colour(format, bytes);
        for axis in 0..3 {
            let meaning = Meaning::Unorm(widths[axis]);
            assert!(
                is_right(meaning, given[axis], got[axis]),
                "{format:?}: {} of {given:?}",
                got[axis]
            );
        }
        return;
    }
    if format.is_srgb() {
        let got = colour(format, bytes);
        for axis in 0..4 {
            let light = f64::from(given[axis]);
            if light.is_nan() {
                continue;
            }
            // Half a step on the curve and a little.
            let curve = |v: f64| {
                if axis == 3 {
                    v
                } else if v <= 0.003_130_8 {
                    v * 12.92
                } else {
                    1.055 * v.powf(1.0 / 2.4) - 0.055
                }
            };
            let (got, light) = (curve(got[axis]), curve(light.clamp(0.0, 1.0)));
            assert!(
                (got - light).abs() <= 0.6 / 255.0,
                "{got} {light} {given:?}"
            );
        }
        return;
    }
    for (letter, stored) in format.letters().bytes().zip(bytes.chunks(format.word())) {
        let given = given[source(letter)];
        let got = number(format.meaning(), stored);
        assert!(
            is_right(format.meaning(), given, got),
            "{format:?}: {got} of {given}"
        );
    }
}

#[test]
fn writes_convert_and_stay_inside() {
    let context = Context::new();
    let queue = context.queue();
    let program = context.program("images.spv");
    let mut random = Random(4242);
    let mut texels = 0;
    for kind in KINDS {
        let kernel = |name| program.kernel(&format!("{name}_{}", suffix(kind)));
        let (write, write_i, write_ui) = (kernel("write"), kernel("write_i"), kernel("write_ui"));
        for (turn, format) in formats().into_iter().enumerate() {
            let shape = Shape::new(kind, [5, 4, 3]);
            let count = shape.texels();
            let mut memory = Guarded::new(count * format.texel(), turn % 2 == 0);
            let image = over(&context, format, &shape, &memory);
            // Every texel once, in a random order, and as many places outside.
            let [w, h, _] = shape.extent;
            let axes = shape.dims() + usize::from(shape.layer().is_some());
            let mut at: Vec<[i32; 4]> = (0..count)
                .map(|n| [(n % w) as i32, (n / w % h) as i32, (n / w / h) as i32, 0])
                .collect();
            for number in 0..count {
                let mut outside = at[number];
                let axis = random.below(axes);
                let size = shape.extent[axis] as i32;
                outside[axis] = [-1, size, i32::MIN, i32::MAX, size + 7][random.below(5)];
                at.push(outside);
            }
            if format.is_integer() {
                let values: Vec<[i32; 4]> = (0..2 * count)
                    .map(|_| {
                        std::array::from_fn(|_| {
                            let small = random.below(400) as i32 - 200;
                            [small, small * 1000, i32::MIN, i32::MAX][random.below(4)]
                        })
                    })
                    .collect();
                let kernel = match format.meaning() {
                    Meaning::Signed(_) => &write_i,
                    _ => &write_ui,
                };
                run(&queue, kernel, &image, &at, &values);
                for (bytes, given) in memory.bytes().chunks(format.texel()).zip(&values) {
                    let words = bytes.chunks(format.word());
                    for (letter, stored) in format.letters().bytes().zip(words) {
                        let got = number(format.meaning(), stored);
                        let given = given[source(letter)];
                        assert_eq!(
                            got,
                            saturated(format.meaning(), given),
                            "{format:?} {given}"
                        );
                    }
                    texels += 1;
                }
            } else {
                let values: Vec<[f32; 4]> = (0..2 * count)
                    .map(|_| {
                        std::array::from_fn(|_| match random.below(3) {
                            0 => FLOATS[random.below(FLOATS.len())],
                            _ => random.below(3000) as f32 / 1000.0 - 1.5,
                        })
                    })
                    .collect();
                run(&queue, &write, &image, &at, &values);
                for (bytes, given) in memory.bytes().chunks(format.texel()).zip(&values) {
                    check_floats(format, *given, bytes);
                    texels += 1;
                }
            }
        }
    }
    assert!(texels > 10_000, "{texels}");
}

fn run<T>(queue: &Queue, kernel: &Kernel, image: &Mem, at: &[[i32; 4]], values: &[[T; 4]]) {
    let args = [
        Arg::Mem(image),
        Arg::Pointer(at.as_ptr().cast()),
        Arg::Pointer(values.as_ptr().cast()),
    ];
    queue.run(kernel, &[at.len()], None, &args);
}

#[test]
fn the_model_knows_halves() {
    assert_eq!(half(0x3c00), 1.0);
    assert_eq!(half(0xc000), -2.0);
    assert_eq!(half(0x7bff), 65504.0);
    assert_eq!(half(1), 2f64.powi(-24));
    assert_eq!(half(0xfc00), f64::NEG_INFINITY);
}
