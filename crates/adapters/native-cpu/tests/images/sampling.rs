//! Reads with and without a sampler against the model.

use crate::common::*;
use crate::model::{self, Format, KINDS, Kind, Shape, formats};
use crate::support::{Guarded, Sampler, over, suffix};
use proptest::prelude::*;
use std::cell::RefCell;
use ur_api::*;

const ADDRESSING: [ur_sampler_addressing_mode_t; 5] = [
    UR_SAMPLER_ADDRESSING_MODE_NONE,
    UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
    UR_SAMPLER_ADDRESSING_MODE_CLAMP,
    UR_SAMPLER_ADDRESSING_MODE_REPEAT,
    UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT,
];

/// Every sampler.
fn samplers(context: &Context) -> Vec<(model::Sampler, Sampler)> {
    let mut all = Vec::new();
    for addressing in ADDRESSING {
        for normalized in [false, true] {
            for linear in [false, true] {
                let filter = if linear {
                    UR_SAMPLER_FILTER_MODE_LINEAR
                } else {
                    UR_SAMPLER_FILTER_MODE_NEAREST
                };
                let plain = model::Sampler {
                    addressing,
                    normalized,
                    linear,
                };
                all.push((plain, Sampler::new(context, addressing, normalized, filter)));
            }
        }
    }
    all
}

/// Random bytes, without the bit patterns of numbers that no tolerance makes sense for.
fn fill(format: Format, bytes: &mut [u8], random: &mut Random) {
    for byte in bytes.iter_mut() {
        *byte = random.below(256) as u8;
    }
    for chunk in bytes.chunks_mut(format.word()) {
        match format.meaning() {
            model::Meaning::Half if chunk[1] & 0x7c == 0x7c => chunk[1] ^= 0x40,
            model::Meaning::Float => {
                let value = random.below(2_000_001) as f32 / 1000.0 - 1000.0;
                chunk.copy_from_slice(&value.to_le_bytes());
            }
            _ => {}
        }
    }
}

/// Coordinates on texel centres, on their edges, between, outside, and none at all.
fn coordinates(shape: &Shape, normalized: bool, random: &mut Random) -> Vec<[f32; 4]> {
    const ODD: [f32; 10] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        3e9,
        -3e9,
        -0.0,
        1e-40,
        -1e-40,
    ];
    let mut all = Vec::new();
    for number in 0..72 {
        let mut at = [0f32; 4];
        for (axis, at) in at.iter_mut().enumerate().take(3) {
            let size = shape.extent[axis] as f32;
            let texel = random.below(shape.extent[axis]) as f32;
            let u = match number % 6 {
                0 => texel + 0.5,
                1 => texel,
                2 => texel + random.below(1000) as f32 / 1000.0,
                3 => (random.below(6000) as f32 / 1000.0 - 2.5) * size,
                4 => [0.0, size, size - 0.5, -0.5, size + 0.5, 0.5][random.below(6)],
                _ if random.below(2) == 0 => ODD[random.below(ODD.len())],
                _ => texel,
            };
            *at = if normalized && shape.layer() != Some(axis) {
                u / size
            } else {
                u
            };
        }
        all.push(at);
    }
    all
}

/// The distance between neighbouring floats at a number.
fn ulp(value: f64) -> f64 {
    let value = (value.abs() as f32).max(f32::MIN_POSITIVE);
    f64::from(f32::from_bits(value.to_bits() + 1)) - f64::from(value)
}

struct Setup {
    context: Context,
    queue: Queue,
    program: Program,
}

impl Setup {
    fn new() -> Setup {
        let context = Context::new();
        Setup {
            queue: context.queue(),
            program: context.program("images.spv"),
            context,
        }
    }

    /// Runs a kernel over a list of coordinates.
    fn read<C: Copy, T: Copy + Default>(
        &self,
        kernel: &Kernel,
        image: &Mem,
        sampler: Option<&Sampler>,
        at: &[[C; 4]],
    ) -> Vec<[T; 4]> {
        let mut out = vec![[T::default(); 4]; at.len()];
        let mut args = vec![Arg::Mem(image)];
        args.extend(sampler.map(|sampler| Arg::Sampler(sampler.0)));
        args.push(Arg::Pointer(at.as_ptr().cast()));
        args.push(Arg::Pointer(out.as_mut_ptr().cast_const().cast()));
        self.queue.run(kernel, &[at.len()], None, &args);
        out
    }

    fn kernel(&self, name: &str, kind: Kind) -> Kernel {
        self.program.kernel(&format!("{name}_{}", suffix(kind)))
    }
}

#[test]
fn every_sampler_reads_every_format_as_the_model_does() {
    let setup = Setup::new();
    let samplers = samplers(&setup.context);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0u64;
    assert_eq!(formats().len(), 115);
    for kind in KINDS {
        let kernels = ["sample", "sample_i", "sample_ui"].map(|name| setup.kernel(name, kind));
        for (number, format) in formats().into_iter().enumerate() {
            let shape = Shape::new(kind, [[7, 5, 3], [1, 4, 2], [16, 1, 5]][number % 3]);
            let mut memory = Guarded::new(shape.texels() * format.texel(), number % 2 == 0);
            fill(format, memory.bytes(), &mut random);
            let image = over(&setup.context, format, &shape, &memory);
            let bytes = memory.bytes().to_vec();
            let plain = model::Image {
                bytes: &bytes,
                shape,
                format,
            };
            for (model, sampler) in &samplers {
                let at = coordinates(&shape, model.normalized, &mut random);
                let got: Vec<[f64; 4]> = match format.meaning() {
                    model::Meaning::Signed(_) => setup
                        .read::<f32, i32>(&kernels[1], &image, Some(sampler), &at)
                        .iter()
                        .map(|texel| texel.map(f64::from))
                        .collect(),
                    model::Meaning::Unsigned(_) => setup
                        .read::<f32, u32>(&kernels[2], &image, Some(sampler), &at)
                        .iter()
                        .map(|texel| texel.map(f64::from))
                        .collect(),
                    _ => setup
                        .read::<f32, f32>(&kernels[0], &image, Some(sampler), &at)
                        .iter()
                        .map(|texel| texel.map(f64::from))
                        .collect(),
                };
                // Integers are never blended.
                let model = &model::Sampler {
                    linear: model.linear && !format.is_integer(),
                    ..*model
                };
                for (at, got) in at.iter().zip(got) {
                    let used = &at[..shape.dims() + usize::from(shape.layer().is_some())];
                    if !model.is_defined() || used.iter().any(|c| !c.is_finite()) {
                        continue;
                    }
                    let coords = [at[0], at[1], at[2]];
                    let (expected, largest) = model.sample(&plain, coords);
                    for channel in 0..4 {
                        let (got, expected) = (got[channel], expected[channel]);
                        let allowed = if format.is_integer() {
                            0.0
                        } else if model.linear {
                            4.0 * ulp(largest)
                        } else {
                            1.5 * ulp(expected)
                        };
                        // The curve of sRGB costs a few bits more.
                        let allowed = if format.is_srgb() { 1e-6 } else { allowed };
                        assert!(
                            (got - expected).abs() <= allowed,
                            "{got} instead of {expected}: channel {channel} at {at:?} of \
                             {shape:?} {format:?} by {model:?}"
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 2_000_000, "{compared}");
}

#[test]
fn whole_coordinates_choose_texels() {
    let setup = Setup::new();
    let mut random = Random(77);
    let samplers: Vec<_> = samplers(&setup.context)
        .into_iter()
        .filter(|(model, _)| !model.normalized && !model.linear && model.is_defined())
        .collect();
    assert_eq!(samplers.len(), 3);
    for kind in KINDS {
        let names = ["sample_at", "sample_at_i", "read", "read_i"];
        let [sample, sample_i, read, read_i] = names.map(|name| setup.kernel(name, kind));
        for format in formats() {
            let shape = Shape::new(kind, [6, 4, 3]);
            let mut memory = Guarded::new(shape.texels() * format.texel(), true);
            fill(format, memory.bytes(), &mut random);
            let image = over(&setup.context, format, &shape, &memory);
            let bytes = memory.bytes().to_vec();
            let plain = model::Image {
                bytes: &bytes,
                shape,
                format,
            };
            let at: Vec<[i32; 4]> = (0..48)
                .map(|number| {
                    std::array::from_fn(|axis| match number % 3 {
                        _ if axis == 3 => 0,
                        0 => random.below(shape.extent[axis]) as i32,
                        1 => random.below(12) as i32 - 4,
                        _ => [i32::MIN, i32::MAX, 0, -1, 1 << 24 | 1][random.below(5)],
                    })
                })
                .collect();
            let integer = format.is_integer();
            for (model, sampler) in &samplers {
                let got: Vec<[f64; 4]> = if integer {
                    setup
                        .read::<i32, i32>(&sample_i, &image, Some(sampler), &at)
                        .into_iter()
                        .map(|texel| texel.map(|v| wide(format, v)))
                        .collect()
                } else {
                    setup
                        .read::<i32, f32>(&sample, &image, Some(sampler), &at)
                        .into_iter()
                        .map(|texel| texel.map(f64::from))
                        .collect()
                };
                for (at, got) in at.iter().zip(got) {
                    let expected = model.sample_at(&plain, [at[0], at[1], at[2]]);
                    check(format, got, expected);
                }
            }
            // Without a sampler a program may read inside only; outside nothing bad happens.
            let got: Vec<[f64; 4]> = if integer {
                setup
                    .read::<i32, i32>(&read_i, &image, None, &at)
                    .into_iter()
                    .map(|texel| texel.map(|v| wide(format, v)))
                    .collect()
            } else {
                setup
                    .read::<i32, f32>(&read, &image, None, &at)
                    .into_iter()
                    .map(|texel| texel.map(f64::from))
                    .collect()
            };
            for (at, got) in at.iter().zip(got) {
                let count = shape.dims() + usize::from(shape.layer().is_some());
                let mut index = [0i64; 3];
                for (index, at) in index.iter_mut().zip(&at[..count]) {
                    *index = i64::from(*at);
                }
                let inside =
                    (0..count).all(|axis| (0..shape.extent[axis] as i64).contains(&index[axis]));
                if inside {
                    check(format, got, plain.texel(index));
                }
            }
        }
    }
}

/// An integer channel as the number it means.
fn wide(format: Format, value: i32) -> f64 {
    match format.meaning() {
        model::Meaning::Unsigned(_) => f64::from(value as u32),
        _ => f64::from(value),
    }
}

fn check(format: Format, got: [f64; 4], expected: [f64; 4]) {
    for (got, expected) in got.into_iter().zip(expected) {
        let allowed = match format.meaning() {
            _ if format.is_srgb() => 1e-6,
            model::Meaning::Signed(_) | model::Meaning::Unsigned(_) => 0.0,
            _ => 1.5 * ulp(expected),
        };
        assert!(
            (got - expected).abs() <= allowed,
            "{got} instead of {expected} of {format:?}"
        );
    }
}

thread_local! {
    static SETUP: RefCell<Option<Setup>> = const { RefCell::new(None) };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever the bits of the coordinates are, reads stay inside of the image's memory, which lies
    /// between pages that nobody may touch.
    #[test]
    fn no_coordinate_reads_beyond_the_image(
        bits in prop::collection::vec(prop::array::uniform4(any::<u32>()), 1..64),
        kind in prop::sample::select(KINDS.to_vec()),
        extent in prop::array::uniform3(1usize..9),
        format in prop::sample::select(formats()),
        addressing in prop::sample::select(ADDRESSING.to_vec()),
        normalized: bool,
        linear: bool,
        at_end: bool,
    ) {
        SETUP.with_borrow_mut(|setup| {
            let setup = setup.get_or_insert_with(Setup::new);
            let shape = Shape::new(kind, extent);
            let memory = Guarded::new(shape.texels() * format.texel(), at_end);
            let image = over(&setup.context, format, &shape, &memory);
            let filter = if linear {
                UR_SAMPLER_FILTER_MODE_LINEAR
            } else {
                UR_SAMPLER_FILTER_MODE_NEAREST
            };
            let sampler = Sampler::new(&setup.context, addressing, normalized, filter);
            let floats: Vec<[f32; 4]> =
                bits.iter().map(|at| at.map(f32::from_bits)).collect();
            let words: Vec<[i32; 4]> = bits.iter().map(|at| at.map(|b| b as i32)).collect();
            let kernel = |name| setup.kernel(name, kind);
            setup.read::<f32, f32>(&kernel("sample"), &image, Some(&sampler), &floats);
            setup.read::<f32, i32>(&kernel("sample_i"), &image, Some(&sampler), &floats);
            setup.read::<i32, f32>(&kernel("sample_at"), &image, Some(&sampler), &words);
            setup.read::<i32, i32>(&kernel("sample_at_i"), &image, Some(&sampler), &words);
            setup.read::<i32, f32>(&kernel("read"), &image, None, &words);
        });
    }
}
