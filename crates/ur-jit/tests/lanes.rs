//! Vectorised kernels against the same kernels work-item by work-item: at every number of lanes, for
//! processors with and without wide registers, and for sizes that fill the last vector or do not.

mod common;

use common::{Arg, Compiled, Jit, pointer};

/// Processors, this one and one with small registers only, and numbers of lanes; 0 lets the compiler
/// choose.
const WAYS: [(Option<&str>, u32); 5] = [
    (None, 0),
    (None, 4),
    (None, 64),
    (Some("x86-64"), 0),
    (Some("x86-64"), 8),
];

/// Global and local sizes.
const SIZES: [([u64; 3], [u64; 3]); 5] = [
    ([1, 1, 1], [1, 1, 1]),
    ([61, 1, 1], [61, 1, 1]),
    ([96, 1, 1], [32, 1, 1]),
    ([257, 1, 1], [64, 1, 1]),
    ([7, 5, 3], [4, 2, 3]),
];

/// What a kernel leaves in its memory.
#[derive(Debug, PartialEq)]
struct Left {
    out: Vec<i32>,
    counters: Vec<i32>,
}

fn run(kernel: &Compiled, (global, local): ([u64; 3], [u64; 3]), n: i32) -> Left {
    let items = global.iter().product::<u64>() as usize;
    let mut input: Vec<i32> = (0..n.max(8) as u64 * 2)
        .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 45) as i32 - 200_000)
        .map(|x| if x % 3 == 0 { x % 50 } else { x })
        .collect();
    let mut out = vec![-1; 4 * items];
    let mut counters = vec![0; 16];
    let mut args = vec![
        pointer(&mut input),
        pointer(&mut out),
        Arg::Bytes(n.to_le_bytes().to_vec()),
    ];
    if kernel.info.arg_count > 3 {
        args.push(Arg::Local(4 * local.iter().product::<u64>() as usize));
        args.push(pointer(&mut counters));
    }
    kernel.run(global, local, &args);
    Left { out, counters }
}

/// Compares a kernel in all ways in which it can be compiled.
fn compare(kernel: &str) {
    let scalar = Jit::compiled_for("lanes", 1, None).kernel(kernel);
    let text = Jit::compiled_for("lanes", 8, None).listing(kernel, "vector");
    assert!(
        text.as_ref()
            .is_ok_and(|text| !text.starts_with("; not vectorised")),
        "{kernel}: {text:?}"
    );
    // In several dimensions work-items of a row share their places in local memory.
    let sizes = SIZES.into_iter().filter(|(_, local)| {
        !["meetings", "neighbours", "phases"].contains(&kernel) || local[1] == 1
    });
    for (cpu, lanes) in WAYS {
        let vector = Jit::compiled_for("lanes", lanes, cpu).kernel(kernel);
        for size in sizes.clone() {
            for n in [9, 64] {
                let expected = run(&scalar, size, n);
                let found = run(&vector, size, n);
                assert_eq!(
                    found, expected,
                    "{kernel} by {lanes} for {cpu:?}, {size:?}, {n}"
                );
            }
        }
    }
}

#[test]
fn lanes_leave_loops() {
    compare("exits");
}

#[test]
fn uniform_and_divergent_branches() {
    compare("mixed");
}

#[test]
fn divisions() {
    compare("divisions");
}

#[test]
fn places_in_memory() {
    compare("places");
}

#[test]
fn private_variables_in_memory_have_lanes_on_request_only() {
    let listing = |lanes| Jit::compiled_for("lanes", lanes, None).listing("places", "vector");
    let text = listing(0).expect("a listing");
    assert!(text.contains("private variables in memory"), "{text}");
    let text = listing(4).expect("a listing");
    assert!(text.contains("define"), "{text}");
}

#[test]
fn ids_against_bounds() {
    compare("guards");
}

#[test]
fn neighbours_under_conditions() {
    compare("neighbours");
}

#[test]
fn loops_that_wait_for_themselves() {
    compare("chain");
    // Eight registers of eight numbers.
    let jit = Jit::compiled_for("lanes", 0, Some("x86-64-v3"));
    let text = jit.listing("chain", "vector").expect("a listing");
    assert!(text.contains("<64 x float>"), "{text}");
}

#[test]
fn extensions_before_loops() {
    compare("hoisted");
}

#[test]
fn values_across_barriers() {
    compare("phases");
}

#[test]
fn sub_groups_that_wait_apart() {
    let kernel = |cpu, lanes| Jit::compiled_for("lanes", lanes, cpu).kernel("apart");
    for size in [([512, 1, 1], [256, 1, 1]), ([200, 1, 1], [200, 1, 1])] {
        let expected = run(&kernel(None, 1), size, 64);
        for (cpu, lanes) in WAYS {
            let found = run(&kernel(cpu, lanes), size, 64);
            assert_eq!(found, expected, "by {lanes} for {cpu:?}, {size:?}");
        }
    }
}

#[test]
fn comparisons_of_ids() {
    compare("comparisons");
}

#[test]
fn bytes_and_short_integers_side_by_side() {
    compare("narrow");
}

#[test]
fn choices_and_returns() {
    compare("choices");
}

#[test]
fn barriers_and_atomics() {
    compare("meetings");
}

#[test]
fn three_dimensions() {
    compare("space");
}

#[test]
fn sub_groups_across_rows_and_ids_that_are_far_up() {
    let kernel = |lanes| Jit::compiled_for("group_operations", lanes, None).kernel("votes");
    let (scalar, vector) = (kernel(1), kernel(0));
    for (global, local) in [
        ([96, 1, 1], [48, 1, 1]),
        ([64, 2, 1], [16, 2, 1]),
        ([27, 4, 1], [9, 2, 1]),
    ] {
        // Lanes with ids from 2^31 on are not taken for neighbours.
        for offset in [0, 1 << 31] {
            let votes = |kernel: &Compiled| {
                let count = global.iter().product::<u64>() as usize;
                let mut input: Vec<i32> = (0..count as i32).map(|i| i * 37 % 101).collect();
                let mut out = vec![99u32; 12 * count];
                let args = [pointer(&mut input), pointer(&mut out)];
                kernel.run_offset(global, local, [offset, 0, 0], &args);
                out
            };
            assert_eq!(
                votes(&vector),
                votes(&scalar),
                "{global:?} {local:?} {offset}"
            );
        }
    }
}

#[test]
fn processors_with_registers_for_masks_get_code_too() {
    // Which need not be this one, so the code is only made.
    let jit = Jit::compiled_for("lanes", 16, Some("x86-64-v4"));
    for kernel in ["exits", "mixed", "guards", "neighbours", "phases"] {
        let text = jit.listing(kernel, "asm").expect("code");
        assert!(text.contains("{%k1}"), "{kernel}: {text}");
    }
}
