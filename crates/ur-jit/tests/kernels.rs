//! Kernels compiled from OpenCL C, run and compared with what Rust computes.

mod common;

use common::{Arg, Jit, pointer, value};
use ur_jit_abi::{SpecConstant, Status};

#[test]
fn vector_add() {
    let jit = Jit::new("vector_add");
    let kernel = jit.kernel("vector_add");
    for n in [1u64, 7, 1000, 4096] {
        let mut a: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        let mut b: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();
        let mut c = vec![f32::NAN; n as usize];
        kernel.run(
            [n, 1, 1],
            [64, 1, 1],
            &[pointer(&mut a), pointer(&mut b), pointer(&mut c)],
        );
        for i in 0..n as usize {
            assert_eq!(c[i], a[i] + b[i]);
        }
    }
    let kernel = jit.kernel("vector_add_n");
    let mut a: Vec<i32> = (0..100).collect();
    let mut b = a.clone();
    let mut c = vec![-1; 128];
    kernel.run(
        [128, 1, 1],
        [32, 1, 1],
        &[
            pointer(&mut a),
            pointer(&mut b),
            pointer(&mut c),
            value(100u32),
        ],
    );
    for (i, c) in c.iter().enumerate() {
        assert_eq!(*c, if i < 100 { 2 * i as i32 } else { -1 });
    }
}

#[test]
fn barriers_at_every_local_size() {
    let jit = Jit::new("reduce");
    let kernel = jit.kernel("reduce_fixed");
    let mut input: Vec<i32> = (0..640).map(|i| i * i % 97).collect();
    let mut out = vec![0; 10];
    kernel.run(
        [640, 1, 1],
        [64, 1, 1],
        &[pointer(&mut input), pointer(&mut out)],
    );
    for (group, sum) in out.iter().enumerate() {
        assert_eq!(*sum, input[group * 64..][..64].iter().sum::<i32>());
    }

    let kernel = jit.kernel("reduce_any");
    for local in 1..=257u64 {
        let n = 700u64;
        let global = n.next_multiple_of(local);
        let groups = (global / local) as usize;
        let mut input: Vec<i32> = (0..n as i32).map(|i| i * 31 % 101 - 50).collect();
        let mut out = vec![i32::MIN; groups];
        kernel.run(
            [global, 1, 1],
            [local, 1, 1],
            &[
                pointer(&mut input),
                pointer(&mut out),
                Arg::Local(4 * local as usize),
                value(n as u32),
            ],
        );
        for (group, sum) in out.iter().enumerate() {
            let start = group * local as usize;
            let end = (start + local as usize).min(n as usize);
            let expected: i32 = input.get(start..end).unwrap_or(&[]).iter().sum();
            assert_eq!(*sum, expected, "local size {local}, group {group}");
        }
    }
}

/// What `ids` writes for one work-item.
fn expected_ids(at: [u64; 3], global: [u64; 3], local: [u64; 3], offset: [u64; 3]) -> [u64; 7] {
    let pack = |f: &dyn Fn(usize) -> u64| f(0) + 1000 * f(1) + 1_000_000 * f(2);
    let group = |d: usize| at[d] / local[d];
    [
        pack(&|d| at[d] + offset[d]),
        pack(&|d| at[d] % local[d]),
        pack(&group),
        // The last group of a dimension is smaller where sizes do not divide.
        pack(&|d| local[d].min(global[d] - group(d) * local[d])),
        pack(&|d| global[d].div_ceil(local[d])),
        pack(&|d| offset[d]),
        3,
    ]
}

#[test]
fn ids_in_three_dimensions() {
    let jit = Jit::new("matmul");
    let kernel = jit.kernel("ids");
    let cases = [
        ([5, 3, 2], [5, 3, 2], [0, 0, 0]),
        ([8, 4, 6], [4, 2, 3], [10, 20, 30]),
        ([7, 5, 3], [4, 3, 2], [1, 0, 9]),
        ([13, 1, 1], [5, 1, 1], [0, 0, 0]),
        ([1, 1, 9], [1, 1, 4], [0, 7, 0]),
    ];
    for (global, local, offset) in cases {
        let count = global.iter().product::<u64>() as usize;
        let mut out = vec![u64::MAX; 7 * count];
        kernel.run_offset(global, local, offset, &[pointer(&mut out)]);
        for z in 0..global[2] {
            for y in 0..global[1] {
                for x in 0..global[0] {
                    let at = ((z * global[1] + y) * global[0] + x) as usize;
                    let expected = expected_ids([x, y, z], global, local, offset);
                    assert_eq!(
                        out[7 * at..][..7],
                        expected,
                        "{global:?} {local:?} {x} {y} {z}"
                    );
                }
            }
        }
    }
}

#[test]
fn tiled_matrix_product() {
    let jit = Jit::new("matmul");
    let kernel = jit.kernel("matmul");
    let n = 24usize;
    let mut a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let mut b: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32 * 0.5).collect();
    for tile in [1usize, 2, 3, 4, 8, 12] {
        let mut c = vec![f32::NAN; n * n];
        let (n64, t64) = (n as u64, tile as u64);
        kernel.run(
            [n64, n64, 1],
            [t64, t64, 1],
            &[
                pointer(&mut a),
                pointer(&mut b),
                pointer(&mut c),
                value(n as i32),
                Arg::Local(4 * tile * tile),
                Arg::Local(4 * tile * tile),
            ],
        );
        for y in 0..n {
            for x in 0..n {
                let expected: f32 = (0..n).map(|k| a[y * n + k] * b[k * n + x]).sum();
                assert_eq!(c[y * n + x], expected, "tile {tile}, {x} {y}");
            }
        }
    }
}

#[test]
fn functions_with_barriers_inside() {
    let jit = Jit::new("calls");
    let kernel = jit.kernel("call");
    for local in [1usize, 2, 3, 16, 31, 64, 100] {
        let n = local * 3;
        let mut input: Vec<i32> = (0..n as i32).map(|i| i * 70_001 - 500_000).collect();
        let mut out = vec![0; n];
        kernel.run(
            [n as u64, 1, 1],
            [local as u64, 1, 1],
            &[
                pointer(&mut input),
                pointer(&mut out),
                Arg::Local(4 * local),
            ],
        );
        let bumped = |i: usize| (input[i] & 0xffff) + (input[i] >> 16);
        for (i, result) in out.iter().enumerate() {
            let group = i / local * local;
            let other = group + (i - group + 1) % local;
            let sum: i32 = input[..i % 5].iter().sum();
            assert_eq!(
                *result,
                bumped(i) + bumped(other) + sum,
                "local {local}, {i}"
            );
        }
    }
}

#[test]
fn constant_tables() {
    let jit = Jit::new("tables");
    let kernel = jit.kernel("table");
    let mut out = vec![0i32; 60];
    let mut extra = vec![5i32, 6];
    kernel.run(
        [60, 1, 1],
        [20, 1, 1],
        &[pointer(&mut out), pointer(&mut extra)],
    );
    let entries = [
        (i32::from(b'a'), 100),
        (i32::from(b'b'), 200),
        (i32::from(b'c'), 300),
    ];
    for (i, result) in out.iter().enumerate() {
        let mut local = [7, 11, 13, 17, 19];
        local[i % 5] += 1;
        let square = ((i % 8) * (i % 8)) as i32;
        let axis = i32::from(i % 3 == 1);
        let entry = entries[i % 3];
        let expected = square + axis + entry.1 + entry.0 + 9 + extra[i % 2] + local[(i + 1) % 5];
        assert_eq!(*result, expected, "{i}");
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Inner {
    tag: i8,
    weight: f64,
}

#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Float3([f32; 4]);

#[repr(C)]
#[derive(Clone, Copy)]
struct Params {
    scale: i32,
    inner: [Inner; 2],
    shift: Float3,
    tail: i16,
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Tight {
    a: i8,
    b: i32,
    c: i16,
}

#[test]
fn structures_by_value() {
    let jit = Jit::new("struct_arg");
    let params = Params {
        scale: 3,
        inner: [
            Inner {
                tag: 1,
                weight: 0.5,
            },
            Inner {
                tag: -2,
                weight: 4.0,
            },
        ],
        shift: Float3([10.0, 20.0, 30.0, f32::NAN]),
        tail: 1000,
    };
    let mut out = vec![0f32; 10];
    jit.kernel("by_value")
        .run([10, 1, 1], [4, 1, 1], &[value(params), pointer(&mut out)]);
    for (i, result) in out.iter().enumerate() {
        let inner = params.inner[i & 1];
        let expected = (3.0 * inner.weight) as f32 + 30.0 + f32::from(inner.tag) + 1000.0;
        assert_eq!(*result, expected);
    }

    let tight = Tight {
        a: -3,
        b: 123,
        c: 45,
    };
    let mut out = vec![0i32; 9];
    let mut copies = vec![Tight { a: 0, b: 0, c: 0 }; 9];
    jit.kernel("packed").run(
        [9, 1, 1],
        [3, 1, 1],
        &[value(tight), pointer(&mut out), pointer(&mut copies)],
    );
    assert!(out.iter().all(|x| *x == -30000 + 12300 + 45));
    for copy in copies {
        assert_eq!((copy.a, { copy.b }, { copy.c }), (-3, 123, 45));
    }

    let mut out = vec![0u32; 6];
    jit.kernel("layout")
        .run([1, 1, 1], [1, 1, 1], &[pointer(&mut out)]);
    let expected = [
        size_of::<Params>(),
        std::mem::offset_of!(Params, inner),
        std::mem::offset_of!(Params, shift),
        std::mem::offset_of!(Params, tail),
        size_of::<Tight>(),
        16,
    ];
    assert_eq!(out, expected.map(|n| n as u32));
}

#[test]
fn switches() {
    let jit = Jit::new("switch");
    let mut input = vec![0, 1, 2, 3, 4, -1, 1_000_000, 17, i32::MIN, 3];
    let mut wide = vec![
        1i64 << 32,
        -(1i64 << 32),
        3,
        0,
        1 << 32,
        7,
        3,
        0x1_0000_0003,
        3,
        -(1 << 32),
    ];
    let mut out = vec![-7i32; 20];
    jit.kernel("switches").run(
        [10, 1, 1],
        [5, 1, 1],
        &[pointer(&mut input), pointer(&mut wide), pointer(&mut out)],
    );
    for i in 0..10 {
        let mut r = match input[i] {
            0 => 10,
            1 => 26,
            2 => 5,
            3 => input[(i + 1) % 4],
            4 => 77,
            -1 => 99,
            1_000_000 => -1,
            x => x.wrapping_mul(2),
        };
        let mut early = false;
        match wide[i] {
            0x1_0000_0000 => {
                r += 1000;
                early = true;
            }
            -0x1_0000_0000 => r += 2000,
            3 => r ^= 0x55,
            _ => {}
        }
        assert_eq!(out[2 * i], r, "{i}");
        assert_eq!(out[2 * i + 1], if early { -7 } else { 1 }, "{i}");
    }
}

#[test]
fn divergent_loops() {
    let jit = Jit::new("divergent");
    let mut input: Vec<u32> = (0..200).collect();
    let mut out = vec![0u32; 200];
    jit.kernel("collatz").run(
        [200, 1, 1],
        [32, 1, 1],
        &[pointer(&mut input), pointer(&mut out)],
    );
    for (x, steps) in input.iter().zip(&out) {
        let (mut x, mut expected) = (u64::from(*x), 0);
        while x > 1 {
            x = if x & 1 == 1 { 3 * x + 1 } else { x / 2 };
            expected += 1;
        }
        assert_eq!(*steps, expected);
    }

    let n = 40usize;
    let mut data: Vec<i32> = (0..n as i32).map(|i| (i * 13) % 37).collect();
    data[33] = -1;
    for wanted in [0, 20, 41, 72, 1000] {
        let mut out = vec![0i32; n];
        jit.kernel("find_pair").run(
            [n as u64, 1, 1],
            [8, 1, 1],
            &[
                pointer(&mut data),
                value(n as i32),
                value(wanted),
                pointer(&mut out),
            ],
        );
        for i in 0..n {
            let mut expected = -1;
            'search: for j in 0..n {
                if j == i {
                    continue;
                }
                if data[j] < 0 {
                    break;
                }
                let mut k = j;
                loop {
                    if data[i] + data[k] == wanted {
                        expected = (j * 1000 + k) as i32;
                        break 'search;
                    }
                    k += 3;
                    if k >= n {
                        break;
                    }
                }
            }
            assert_eq!(out[i], expected, "wanted {wanted}, {i}");
        }
    }

    let mut out = vec![0i32; 48 * 32];
    jit.kernel("mandelbrot")
        .run([48, 32, 1], [16, 4, 1], &[pointer(&mut out), value(100i32)]);
    for y in 0..32 {
        for x in 0..48 {
            let (cr, ci) = (x as f32 / 16.0 - 2.0, y as f32 / 16.0 - 1.0);
            let (mut zr, mut zi, mut n) = (0f32, 0f32, 0);
            while n < 100 && zr * zr + zi * zi <= 4.0 {
                let t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
                n += 1;
            }
            assert_eq!(out[y * 48 + x], n, "{x} {y}");
        }
    }
}

#[test]
fn specialisation_constants() {
    let run = |spec: &[SpecConstant]| {
        let jit = Jit::with("spec_constant", 0, spec)
            .unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"));
        let mut out = vec![0u64; 4];
        jit.kernel("specialised")
            .run([4, 1, 1], [2, 1, 1], &[pointer(&mut out)]);
        assert!(out.iter().all(|x| *x == out[0]));
        out[0]
    };
    let constant = |id, size, bits| SpecConstant { id, size, bits };
    let wide = 81_985_529_216_486_895u64;
    assert_eq!(run(&[]), 10 + 1 + wide);
    assert_eq!(
        run(&[
            constant(7, 4, 100),
            constant(8, 1, 1),
            constant(9, 8, 7),
            constant(10, 4, u64::from(2.75f32.to_bits())),
        ]),
        200 + 1 + 2 + 7
    );
}

#[test]
fn kernels_outlive_their_module_and_share_code() {
    let jit = Jit::new("vector_add");
    let first = jit.kernel("vector_add");
    let second = jit.kernel("vector_add");
    assert_eq!(first.info.entry as usize, second.info.entry as usize);
    drop((jit, first));
    let (mut a, mut b, mut c) = (vec![1f32; 4], vec![2f32; 4], vec![0f32; 4]);
    second.run(
        [4, 1, 1],
        [4, 1, 1],
        &[pointer(&mut a), pointer(&mut b), pointer(&mut c)],
    );
    assert_eq!(c, [3.0; 4]);
}

#[test]
fn failures_are_reported() {
    let jit = Jit::new("vector_add");
    let Err((status, _)) = jit.try_kernel("absent") else {
        panic!("a kernel that does not exist");
    };
    assert_eq!(status, Status::NotFound);
    assert!(jit.variable("absent").is_none());
    let Err((status, text)) = Jit::from_words(&[1, 2, 3], 0, &[]) else {
        panic!("nonsense is accepted");
    };
    assert_eq!(status, Status::InvalidModule);
    assert!(text.contains("word"), "{text}");
    for stage in ["ir", "lowered", "optimised", "asm"] {
        assert!(jit.listing("vector_add", stage).is_ok(), "{stage}");
    }
    assert!(jit.listing("vector_add", "other").is_err());
}

#[test]
fn many_threads_compile_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for name in ["reduce", "vector_add", "sub_group"] {
                    let jit = Jit::new(name);
                    let kernel = match name {
                        "reduce" => "reduce_any",
                        "vector_add" => "vector_add",
                        _ => "collectives",
                    };
                    drop(jit.kernel(kernel));
                }
            });
        }
    });
}

/// A lane that would trap must not touch its neighbours, also when LLVM knows the divisor.
#[test]
fn vector_division_by_a_chosen_constant_with_trapping_lanes() {
    let jit = Jit::new("division");
    let kernel = jit.kernel("divide_chosen");
    for (x, divisors) in [(1i8, [-1i8, 1, 19, -9]), (0, [1; 4])] {
        let mut input = [x; 4];
        let mut out = [[99i8; 4]; 2];
        kernel.run(
            [1, 1, 1],
            [1, 1, 1],
            &[pointer(&mut input), pointer(out.as_flattened_mut())],
        );
        assert_eq!(out, [divisors.map(|d| 1 % d), divisors.map(|d| 1 / d)]);
    }
}

#[test]
fn vector_division_by_a_constant_with_trapping_lanes() {
    let jit = Jit::new("division");
    let kernel = jit.kernel("divide");
    for x in i8::MIN..=i8::MAX {
        let mut input = [x; 4];
        let mut out = [[99i8; 4]; 3];
        kernel.run(
            [1, 1, 1],
            [1, 1, 1],
            &[pointer(&mut input), pointer(out.as_flattened_mut())],
        );
        // What would trap divides by 1 instead.
        let expected = [-9i8, 0, -128, -1].map(|divisor| {
            let trap = divisor == 0 || (x == i8::MIN && divisor == -1);
            if trap { (x, 1) } else { (x, divisor) }
        });
        assert_eq!(out[0], expected.map(|(a, b)| a / b), "{x} / …");
        assert_eq!(out[1], expected.map(|(a, b)| a % b), "{x} rem …");
        let modulus = expected.map(|(a, b)| {
            let remainder = a % b;
            let wrong = remainder != 0 && (remainder < 0) != (b < 0);
            if wrong { remainder + b } else { remainder }
        });
        assert_eq!(out[2], modulus, "{x} mod …");
    }
}
