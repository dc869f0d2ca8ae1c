//! The code that a kernel has first and that which takes over from it: a program must not see from the
//! results which one ran.

mod common;

use common::{Compiled, Jit, pointer};
use ur_jit_abi::lanes::{FIRST, NONE, SUITABLE};

/// This processor and one without fused operations.
const CPUS: [Option<&str>; 2] = [None, Some("x86-64")];

/// Numbers of all sizes, the special ones among them.
fn inputs(count: usize) -> Vec<f64> {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let any = (special.len()..count).map(|i| {
        let t = i as f64 - count as f64 / 2.0;
        match i % 4 {
            0 => t / 7.0,
            1 => t * 1e-5,
            2 => t * 1e9,
            _ => t.signum() * 2f64.powf(t / 10.0),
        }
    });
    special.into_iter().chain(any).collect()
}

/// Results of a kernel of `math` over numbers of a type: bits, and all NaN as one.
macro_rules! results {
    ($kernel:expr, $ty:ty, $operands:literal, $results:literal) => {{
        let kernel: &Compiled = $kernel;
        let mut x: Vec<$ty> = inputs(2500).into_iter().map(|x| x as $ty).collect();
        let mut y: Vec<$ty> = x.iter().rev().map(|x| x / 3.0).collect();
        let mut out = vec![0 as $ty; $results * x.len()];
        let mut args = vec![pointer(&mut x)];
        if $operands == 2 {
            args.push(pointer(&mut y));
        }
        args.push(pointer(&mut out));
        kernel.run([2500, 1, 1], [50, 1, 1], &args);
        let one = |x: &$ty| {
            if x.is_nan() {
                <$ty>::NAN.to_bits()
            } else {
                x.to_bits()
            }
        };
        out.iter().map(one).collect::<Vec<_>>()
    }};
}

#[test]
fn functions_have_the_same_bits_alone_and_in_lanes() {
    for cpu in CPUS {
        let kernel = |lanes, name| Jit::compiled_for("math", lanes, cpu).kernel(name);
        let floats = results!(&kernel(NONE, "unary_float"), f32, 1, 16);
        let doubles = results!(&kernel(NONE, "binary_double"), f64, 2, 8);
        for lanes in [SUITABLE, 4, 64] {
            let found = results!(&kernel(lanes, "unary_float"), f32, 1, 16);
            let differs = (0..found.len()).find(|i| found[*i] != floats[*i]);
            let which = differs.map(|i| (i / 16, i % 16));
            assert_eq!(which, None, "item and function, {lanes} lanes, {cpu:?}");
            let found = results!(&kernel(lanes, "binary_double"), f64, 2, 8);
            let differs = (0..found.len()).find(|i| found[*i] != doubles[*i]);
            let which = differs.map(|i| (i / 8, i % 8));
            assert_eq!(which, None, "item and function, {lanes} lanes, {cpu:?}");
        }
    }
}

#[test]
fn floats_are_put_together_in_one_order_from_the_first_code_on() {
    for (name, alike) in [
        ("over_float", false),
        ("over_double", false),
        ("over_half", false),
        ("over_int", true),
        ("shuffles", true),
    ] {
        let jit = Jit::compiled_for("group_operations", "tiered", None);
        let record = jit.record(name, FIRST);
        assert_eq!(record.provisional, alike, "{name}");
        let same_as = |lanes| record.image.text == jit.record(name, lanes).image.text;
        assert_eq!(
            (same_as(SUITABLE), same_as(NONE)),
            (!alike, alike),
            "{name}"
        );
    }
    let jit = Jit::compiled_for("vector_add", "tiered", None);
    assert!(jit.record("vector_add", FIRST).provisional);
    // What was asked for is final.
    for lanes in [NONE, SUITABLE, 8] {
        assert!(!jit.record("vector_add", lanes).provisional);
    }
}
