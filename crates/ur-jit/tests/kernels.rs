//! Kernels compiled from OpenCL C, run and compared with what Rust computes.

mod common;

use common::{Arg, Jit, pointer, value};

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
