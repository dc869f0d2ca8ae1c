//! Kernels that use OpenCL C's functions, vectors and atomics, against what Rust computes.

mod common;

use std::process::Command;

use common::{Arg, Jit, pointer};
use ur_jit_abi::Status;

/// Distance of `got` from `exact` in units of the last place of a float.
fn ulp(got: f32, exact: f64) -> f64 {
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = if exact == 0.0 {
        -126
    } else {
        (exact.abs().log2().floor() as i32).max(-126)
    };
    (f64::from(got) - exact).abs() / 2f64.powi(exponent - 23)
}

/// Inputs near zero, of ordinary size, and large.
fn inputs(count: usize) -> Vec<f64> {
    (0..count)
        .map(|i| {
            let t = i as f64 - count as f64 / 2.0;
            match i % 3 {
                0 => t / 7.0,
                1 => t * 1e-5,
                _ => t / 100.0,
            }
        })
        .collect()
}

#[test]
fn float_functions() {
    let n = 3000usize;
    let mut input: Vec<f32> = inputs(n).into_iter().map(|x| x as f32).collect();
    let mut out = vec![f32::NAN; 16 * n];
    let jit = Jit::new("math");
    jit.kernel("unary_float").run(
        [n as u64, 1, 1],
        [60, 1, 1],
        &[pointer(&mut input), pointer(&mut out)],
    );
    type Function = fn(f64) -> f64;
    // With the error that OpenCL allows, in ULP.
    let functions: [(&str, f64, Function); 16] = [
        ("sin", 4.0, f64::sin),
        ("cos", 4.0, f64::cos),
        ("tan", 5.0, f64::tan),
        ("exp", 3.0, f64::exp),
        ("log", 3.0, |x| x.abs().ln()),
        ("sqrt", 3.0, |x| x.abs().sqrt()),
        ("floor", 0.0, f64::floor),
        ("ceil", 0.0, f64::ceil),
        ("rint", 0.0, f64::round_ties_even),
        ("trunc", 0.0, f64::trunc),
        ("tanh", 5.0, f64::tanh),
        ("atan", 5.0, f64::atan),
        ("exp2", 3.0, f64::exp2),
        ("cbrt", 2.0, f64::cbrt),
        ("erf", 16.0, error_function),
        ("native_sin", 4.0, f64::sin),
    ];
    for (i, x) in input.iter().enumerate() {
        for (which, (name, limit, f)) in functions.iter().enumerate() {
            let (got, exact) = (out[16 * i + which], f(f64::from(*x)));
            if exact.is_infinite() || exact.abs() > f64::from(f32::MAX) {
                assert!(
                    got.is_infinite() && (got > 0.0) == (exact > 0.0),
                    "{name}({x})"
                );
            } else {
                let e = ulp(got, exact);
                assert!(e <= *limit, "{name}({x}) is {got}, off by {e} ULP");
            }
        }
    }
}

/// The error function by its series, and by the limit where that is exact enough.
fn error_function(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    // All terms have one sign in this form, so that nothing cancels.
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-17 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    sum * (-x * x).exp() * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn double_functions_of_two_operands() {
    let n = 2000usize;
    let mut a: Vec<f64> = inputs(n);
    let mut b: Vec<f64> = inputs(n).into_iter().rev().map(|x| x / 3.0).collect();
    a[0] = f64::NAN;
    b[1] = f64::NAN;
    (a[2], b[2]) = (f64::INFINITY, 2.0);
    (a[3], b[3]) = (0.0, -0.0);
    let mut out = vec![0f64; 8 * n];
    let jit = Jit::new("math");
    jit.kernel("binary_double").run(
        [n as u64, 1, 1],
        [50, 1, 1],
        &[pointer(&mut a), pointer(&mut b), pointer(&mut out)],
    );
    for i in 0..n {
        let (x, y) = (a[i], b[i]);
        // The reference rounds too: a few units more than the function itself may be off.
        let close = |got: f64, exact: f64, units: f64| {
            (got.is_nan() && exact.is_nan())
                || got == exact
                || (got - exact).abs() <= units * exact.abs() * f64::EPSILON
        };
        let got = &out[8 * i..][..8];
        let expected = [
            (x.abs().powf(y), 16.0),
            (x.atan2(y), 6.0),
            (x.hypot(y), 4.0),
            (x % y, 0.0),
            (x.mul_add(y, 1.0), 0.0),
            (x.min(y), 0.0),
            (x.max(y), 0.0),
            (x.copysign(y), 0.0),
        ];
        for (which, (exact, units)) in expected.into_iter().enumerate() {
            assert!(
                close(got[which], exact, units),
                "function {which} of {x} and {y}: {} and {exact}",
                got[which]
            );
        }
    }
}

#[test]
fn results_through_pointers_and_conversions() {
    let mut input = vec![
        0.0f32,
        -0.0,
        1.5,
        -2.5,
        3.5,
        1e-40,
        -7e9,
        7e9,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        123.456,
    ];
    let n = input.len();
    let (mut part, mut whole) = (vec![99f32; 4 * n], vec![99i32; n]);
    let jit = Jit::new("math");
    jit.kernel("pointers").run(
        [n as u64, 1, 1],
        [4, 1, 1],
        &[pointer(&mut input), pointer(&mut part), pointer(&mut whole)],
    );
    for (i, x) in input.iter().enumerate() {
        let got = &part[4 * i..][..4];
        let same = |a: f32, b: f32| a == b || (a.is_nan() && b.is_nan());
        assert!(same(got[0], *x), "modf of {x} adds up to {}", got[0]);
        assert!(same(got[1], *x), "frexp of {x} multiplies to {}", got[1]);
        if x.is_finite() {
            assert!((got[2] - 1.0).abs() < 1e-6, "sincos of {x}");
        } else {
            assert!(got[2].is_nan());
        }
        let class = if x.is_nan() {
            1.0
        } else if x.is_infinite() {
            2.0
        } else if x.is_sign_negative() {
            3.0
        } else {
            4.0
        };
        assert_eq!(got[3], class, "{x}");
        // Rust's conversion saturates as OpenCL's does.
        assert_eq!(whole[i], x.round_ties_even() as i32, "{x}");
    }
}

#[test]
fn integer_functions() {
    let edges = [
        0,
        1,
        -1,
        2,
        31,
        32,
        33,
        100,
        -100,
        65_535,
        i32::MAX,
        i32::MIN,
        0x1234_5678,
    ];
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for x in edges {
        for y in edges {
            a.push(x);
            b.push(y);
        }
    }
    let n = a.len();
    let mut out = vec![-99i32; 14 * n];
    let jit = Jit::new("integers");
    jit.kernel("functions").run(
        [n as u64, 1, 1],
        [13, 1, 1],
        &[pointer(&mut a), pointer(&mut b), pointer(&mut out)],
    );
    for i in 0..n {
        let (x, y) = (a[i], b[i]);
        let (wx, wy) = (i64::from(x), i64::from(y));
        let (x24, y24) = (x & 0xfff, y & 0xfff);
        let expected = [
            ((wx * wy) >> 32) as i32,
            x.saturating_add(y),
            x.saturating_sub(y),
            x.rotate_left((y & 31) as u32),
            x.leading_zeros() as i32,
            x.count_ones() as i32,
            ((wx + wy) >> 1) as i32,
            ((wx + wy + 1) >> 1) as i32,
            x.abs_diff(y) as i32,
            x.clamp(-100, 100),
            x24 * y24 + 3,
            x.max(y).wrapping_sub(x.min(y)),
            (i32::from(x as i16) << 16) | i32::from(y as u16),
            if y != 0 && !(x == i32::MIN && y == -1) {
                (x / y).wrapping_mul(1000).wrapping_add(x % y)
            } else {
                0
            },
        ];
        assert_eq!(out[14 * i..][..14], expected, "{x} and {y}");
    }
}

#[test]
fn integer_conversions() {
    let mut input = vec![
        0,
        1,
        -1,
        127,
        128,
        -128,
        -129,
        255,
        65_535,
        65_536,
        i32::MAX,
        i32::MIN,
    ];
    let n = input.len();
    let (mut c, mut s, mut l) = (vec![9i8; n], vec![9u16; n], vec![9i64; n]);
    let jit = Jit::new("integers");
    jit.kernel("conversions").run(
        [n as u64, 1, 1],
        [n as u64, 1, 1],
        &[
            pointer(&mut input),
            pointer(&mut c),
            pointer(&mut s),
            pointer(&mut l),
        ],
    );
    for (i, x) in input.iter().enumerate() {
        assert_eq!(c[i], (*x).clamp(-128, 127) as i8);
        assert_eq!(s[i], (*x).clamp(0, 65_535) as u16);
        let product = i64::from(*x).wrapping_mul(i64::from(*x as u32));
        let low = i64::from(*x as i8) + i64::from(*x as u8);
        assert_eq!(l[i], product.wrapping_add(low), "{x}");
    }
}

/// Vectors of four have the alignment of their size.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Four<T>([T; 4]);

#[test]
fn swizzles_and_elements_chosen_at_run_time() {
    let n = 64usize;
    let jit = Jit::new("vectors");
    let mut input: Vec<Four<f32>> = (0..n)
        .map(|i| Four([0, 1, 2, 3].map(|k| (i * 4 + k) as f32 - 100.0)))
        .collect();
    let mut out = vec![Four([f32::NAN; 4]); n];
    jit.kernel("swizzle").run(
        [n as u64, 1, 1],
        [16, 1, 1],
        &[pointer(&mut input), pointer(&mut out)],
    );
    for (v, got) in input.iter().zip(&out) {
        let [x, y, z, w] = v.0;
        let v = [x + w, y + z, z, w];
        let expected = [0, 1, 2, 3].map(|k| if v[k] > 0.0 { v[k] * 2.0 } else { v[3 - k] });
        assert_eq!(got.0, expected);
    }

    let mut input: Vec<Four<i32>> = (0..n as i32).map(|i| Four([i, 2 * i, -i, 7])).collect();
    let mut which: Vec<u32> = (0..n as u32).collect();
    let mut out = vec![-99i32; n];
    jit.kernel("dynamic_index").run(
        [n as u64, 1, 1],
        [8, 1, 1],
        &[pointer(&mut input), pointer(&mut which), pointer(&mut out)],
    );
    for i in 0..n {
        let mut v = input[i].0;
        v[i & 3] += 100;
        assert_eq!(out[i], v.iter().sum::<i32>() + v[i & 3]);
    }
}

#[test]
fn vectors_of_three_sixteen_and_two() {
    let n = 33usize;
    let jit = Jit::new("vectors");
    let mut input: Vec<f32> = (0..3 * n).map(|i| (i % 11) as f32 - 4.0).collect();
    let mut out = vec![f32::NAN; 3 * n];
    let mut aligned = vec![Four([f32::NAN; 4]); n];
    jit.kernel("three").run(
        [n as u64, 1, 1],
        [11, 1, 1],
        &[
            pointer(&mut input),
            pointer(&mut out),
            pointer(&mut aligned),
        ],
    );
    for i in 0..n {
        let a = &input[3 * i..][..3];
        let b = [a[0] + 1.0, a[1] + 2.0, a[2] + 3.0];
        assert_eq!(aligned[i].0[..3], b);
        let cross = [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ];
        assert_eq!(out[3 * i..][..3], cross, "{a:?}");
    }

    #[repr(C, align(16))]
    #[derive(Clone, Copy)]
    struct Sixteen<T, const N: usize>([T; N]);
    let mut bytes: Vec<Sixteen<u8, 16>> = (0..n)
        .map(|i| Sixteen(std::array::from_fn(|k| (i * 37 + k * 11) as u8)))
        .collect();
    let mut shorts = vec![Sixteen([-1i16; 8]); n];
    let mut longs = vec![Sixteen([-1i64; 2]); n];
    jit.kernel("wide").run(
        [n as u64, 1, 1],
        [3, 1, 1],
        &[
            pointer(&mut bytes),
            pointer(&mut shorts),
            pointer(&mut longs),
        ],
    );
    for i in 0..n {
        let b = bytes[i].0;
        let mut expected: [i16; 8] = std::array::from_fn(|k| i16::from(b[k]) - i16::from(b[k + 8]));
        // Lane 3 of the reversed bytes.
        expected[0] += i16::from(b[12]);
        assert_eq!(shorts[i].0, expected);
        assert_eq!(longs[i].0, [i64::from(b[0]) << 40, i64::from(b[15]) << 8]);
    }
}

#[test]
fn geometric_functions() {
    let n = 100usize;
    let vector = |i: usize, by: f32| Four([0, 1, 2, 3].map(|k| ((i * 7 + k * 3) % 13) as f32 * by));
    let mut a: Vec<Four<f32>> = (0..n).map(|i| vector(i, 0.5)).collect();
    let mut b: Vec<Four<f32>> = (0..n).map(|i| vector(i + 5, -1.25)).collect();
    let mut out = vec![f32::NAN; n];
    let jit = Jit::new("vectors");
    jit.kernel("geometry").run(
        [n as u64, 1, 1],
        [10, 1, 1],
        &[pointer(&mut a), pointer(&mut b), pointer(&mut out)],
    );
    for i in 0..n {
        let wide = |v: &Four<f32>| v.0.map(f64::from);
        let (x, y) = (wide(&a[i]), wide(&b[i]));
        let dot = |p: &[f64; 4], q: &[f64; 4]| -> f64 { p.iter().zip(q).map(|(a, b)| a * b).sum() };
        let between: [f64; 4] = std::array::from_fn(|k| x[k] - y[k]);
        let length = |v: &[f64; 4]| dot(v, v).sqrt();
        let exact = dot(&x, &y) + length(&x) + length(&between) + y[0] / length(&y);
        let scale = dot(&x, &y).abs() + length(&x) + length(&between) + 1.0;
        assert!(
            (f64::from(out[i]) - exact).abs() <= scale * 1e-6,
            "{exact} {}",
            out[i]
        );
    }
}

#[test]
fn atomic_operations() {
    let jit = Jit::new("atomics");
    let n = 1000u64;
    let mut input: Vec<u32> = (0..n as u32).map(|i| i * i + 5).collect();
    let mut bins = vec![0u32; 16];
    jit.kernel("histogram").run(
        [n, 1, 1],
        [100, 1, 1],
        &[pointer(&mut input), pointer(&mut bins)],
    );
    let mut expected = [0u32; 16];
    for x in &input {
        expected[(x % 16) as usize] += 1;
    }
    assert_eq!(bins, expected);

    let start = [10, 20, 30, 40, 0, 60, -1, 80];
    let (mut cell, mut unsigned, mut wide) = (start.to_vec(), vec![u32::MAX, 5], vec![3u64]);
    jit.kernel("all_operations").run(
        [n, 1, 1],
        [50, 1, 1],
        &[
            pointer(&mut cell),
            pointer(&mut unsigned),
            pointer(&mut wide),
        ],
    );
    let sum: i32 = (0..n as i32).sum();
    let xor = (0..n as i32).fold(60, |a, i| a ^ i);
    assert_eq!(
        cell,
        [10 + sum, 20 - sum, -999, 999, -1, xor, 0, 80 - n as i32]
    );
    assert_eq!(unsigned, [u32::MAX - 999, 0x8000_0000 + 999]);
    assert_eq!(wide, [3 + ((sum as u64) << 32)]);

    // Small integers: the order of the sum does not matter.
    let mut input: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
    let mut total = vec![0.5f32];
    jit.kernel("float_sum").run(
        [n, 1, 1],
        [40, 1, 1],
        &[pointer(&mut input), pointer(&mut total)],
    );
    assert_eq!(total[0], 0.5 + input.iter().sum::<f32>());
}

#[test]
fn atomics_of_several_threads_lose_nothing() {
    let n = 20_000u64;
    let mut input: Vec<u32> = (0..n as u32).collect();
    let mut bins = vec![0u32; 16];
    let (input, bins_at) = (input.as_mut_ptr() as usize, bins.as_mut_ptr() as usize);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let jit = Jit::new("atomics");
                jit.kernel("histogram").run(
                    [n, 1, 1],
                    [100, 1, 1],
                    &[
                        Arg::Pointer(input as *mut _),
                        Arg::Pointer(bins_at as *mut _),
                    ],
                );
            });
        }
    });
    assert_eq!(bins, [4 * n as u32 / 16; 16]);
}

#[test]
fn counters_in_local_memory() {
    let jit = Jit::new("atomics");
    let kernel = jit.kernel("local_counter");
    for local in [1u64, 2, 17, 64, 250] {
        let mut out = vec![u32::MAX; 3 * local as usize];
        kernel.run([3 * local, 1, 1], [local, 1, 1], &[pointer(&mut out)]);
        assert!(
            out.iter().all(|x| u64::from(*x) == local),
            "{local}: {out:?}"
        );
    }
}

#[test]
fn linked_modules() {
    let (main, library) = (common::words("link_main"), common::words("link_library"));
    let linked = ur_spirv::link(&[&main, &library]).expect("links");
    let jit = Jit::from_words(&linked, 0, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let n = 30usize;
    let mut input: Vec<i32> = (0..n as i32).map(|i| i - 7).collect();
    let (mut out, mut count) = (vec![-99i32; n], vec![0i32]);
    jit.kernel("use").run(
        [n as u64, 1, 1],
        [10, 1, 1],
        &[pointer(&mut input), pointer(&mut out), pointer(&mut count)],
    );
    assert_eq!(count, [30]);
    for (i, x) in input.iter().enumerate() {
        let table = [100, 200, 300][i % 3];
        assert_eq!(out[i], x * 1000 + i as i32 + 30 + table + 2 * x);
    }
    // Alone, the user has nothing to call.
    let alone = Jit::from_words(&main, 0, &[]);
    let Err((status, text)) = alone.and_then(|jit| jit.try_kernel("use").map(drop)) else {
        panic!("a function that nobody defines was found");
    };
    assert_eq!(status, Status::Unsupported);
    assert!(text.contains("lookup"), "{text}");
}

/// Set in the process that prints.
const PRINT: &str = "UR_JIT_TEST_PRINT";

#[test]
fn printed_text() {
    let mut input = vec![1i32, -2, 300];
    if std::env::var_os(PRINT).is_some() {
        let mut status = vec![-99i32; 3];
        Jit::new("printf").kernel("print").run(
            [3, 1, 1],
            [3, 1, 1],
            &[pointer(&mut input), pointer(&mut status)],
        );
        assert_eq!(status, [0; 3]);
        return;
    }
    // The text goes to standard output: a process of its own prints it.
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "printed_text", "--nocapture"])
        .env(PRINT, "1")
        .output()
        .expect("it runs again");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    for line in [
        "1 1| 0.50|1,0.5,-1,1e+10|text B 1 100000000 %\n",
        "-2 4294967294| 0.50|-2,0.5,-1,1e+10|text ? -2 fffffffe00000000 %\n",
        "300 300| 0.50|300,0.5,-1,1e+10|text O 44 12c00000000 %\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}
