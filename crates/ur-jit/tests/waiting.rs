//! Barriers in hard places, and which memory a generic pointer points to.

mod common;

use common::{Arg, Jit, pointer, value};

const LOCAL_SIZES: [usize; 9] = [1, 2, 3, 7, 16, 17, 64, 100, 257];

#[test]
fn a_loop_with_a_barrier_and_a_uniform_exit() {
    let jit = Jit::new("waiting");
    let kernel = jit.kernel("uniform_exit");
    for n in LOCAL_SIZES {
        let groups = 4;
        let mut data: Vec<i32> = (0..groups * n).map(|i| (i % 11) as i32 - 5).collect();
        let mut rounds = vec![0i32, 1, 5, 3];
        let mut expected = data.clone();
        for (group, rounds) in rounds.iter().enumerate() {
            let values = &mut expected[group * n..][..n];
            for _ in 0..*rounds {
                let board = values.to_vec();
                for (l, value) in values.iter_mut().enumerate() {
                    *value = value.wrapping_add(board[(l + 1) % n]);
                }
            }
        }
        kernel.run(
            [(groups * n) as u64, 1, 1],
            [n as u64, 1, 1],
            &[pointer(&mut data), pointer(&mut rounds), Arg::Local(4 * n)],
        );
        assert_eq!(data, expected, "local size {n}");
    }
}

#[test]
fn work_items_that_return_are_not_waited_for() {
    let jit = Jit::new("waiting");
    let kernel = jit.kernel("early_return");
    for n in LOCAL_SIZES {
        for bound in [1, n / 2 + 1, n] {
            let start: Vec<i32> = (0..3 * n as i32).map(|i| i * i % 1009).collect();
            let mut data = start.clone();
            kernel.run(
                [3 * n as u64, 1, 1],
                [n as u64, 1, 1],
                &[pointer(&mut data), value(bound as u32), Arg::Local(4 * n)],
            );
            for (i, result) in data.iter().enumerate() {
                let group = i / n * n;
                let expected = if i - group < bound {
                    start[group..group + bound].iter().sum()
                } else {
                    start[i]
                };
                assert_eq!(*result, expected, "local size {n}, bound {bound}, {i}");
            }
        }
    }
}

#[test]
fn barriers_in_branches_of_nested_loops() {
    let jit = Jit::new("waiting");
    let kernel = jit.kernel("nested");
    for n in LOCAL_SIZES {
        let mut data: Vec<i32> = (0..3 * n as i32).collect();
        let mut expected = data.clone();
        for group in 0..3 {
            let values = &mut expected[group * n..][..n];
            for a in 0..3 {
                if (group + a) % 2 == 0 {
                    for _ in 0..=a {
                        let board = values.to_vec();
                        for (l, value) in values.iter_mut().enumerate() {
                            *value = value.wrapping_mul(3).wrapping_add(board[n - 1 - l]);
                        }
                    }
                } else {
                    values.iter_mut().for_each(|value| *value -= 7);
                }
            }
        }
        kernel.run(
            [3 * n as u64, 1, 1],
            [n as u64, 1, 1],
            &[pointer(&mut data), Arg::Local(4 * n)],
        );
        assert_eq!(data, expected, "local size {n}");
    }
}

#[test]
fn private_arrays_live_across_barriers() {
    let jit = Jit::new("waiting");
    let kernel = jit.kernel("private_array");
    for n in LOCAL_SIZES {
        let mut out = vec![0i32; 2 * n];
        kernel.run(
            [2 * n as u64, 1, 1],
            [n as u64, 1, 1],
            &[pointer(&mut out), Arg::Local(4 * n)],
        );
        let board: Vec<i32> = (0..n as i32).map(|l| l * (l % 40)).collect();
        for (i, result) in out.iter().enumerate() {
            let l = i % n;
            let wide = l as i32 + board[0] + 1;
            let expected = (0..40).map(|k| l as i32 * k).sum::<i32>() + 1000 + wide;
            assert_eq!(*result, expected, "local size {n}, {i}");
        }
    }
}

#[test]
fn asynchronous_copies() {
    let jit = Jit::new("waiting");
    let kernel = jit.kernel("copies");
    for n in LOCAL_SIZES {
        let mut input: Vec<i32> = (0..6 * n as i32).map(|i| i * 7 - 100).collect();
        let mut out = vec![-1i32; 4 * n];
        kernel.run(
            [2 * n as u64, 1, 1],
            [n as u64, 1, 1],
            &[
                pointer(&mut input),
                pointer(&mut out),
                Arg::Local(8 * n),
                Arg::Local(4 * n),
            ],
        );
        for group in 0..2 {
            let from = &input[group * 3 * n..][..3 * n];
            for l in 0..n {
                let expected = from[2 * n - 1 - l] + from[3 * l];
                let place = group * 2 * n + 2 * l;
                assert_eq!(out[place], expected, "local size {n}");
                assert_eq!(out[place + 1], -1, "local size {n}");
            }
        }
    }
}

#[test]
fn generic_pointers_know_their_memory() {
    let jit = Jit::new("address_spaces");
    let (global, local, private) = (1, 2, 4);
    let kernel = jit.kernel("classify");
    for n in [1usize, 2, 33, 64] {
        let mut data = vec![0i32; 2 * n];
        let mut out = vec![0i32; 12 * n];
        kernel.run(
            [2 * n as u64, 1, 1],
            [n as u64, 1, 1],
            &[pointer(&mut data), pointer(&mut out), Arg::Local(4 * n)],
        );
        for (i, found) in out.chunks(6).enumerate() {
            let l = (i % n) as i32;
            assert_eq!(found[..5], [global, local, local, private, private]);
            let chosen = if l & 1 == 1 { local } else { private };
            assert_eq!(found[5], chosen * 1000 + 3 + l, "local size {n}, {i}");
        }
    }
    let kernel = jit.kernel("classify_plain");
    let mut data = vec![100i32; 40];
    let mut out = vec![0i32; 40];
    kernel.run(
        [40, 1, 1],
        [8, 1, 1],
        &[pointer(&mut data), pointer(&mut out)],
    );
    for (i, found) in out.iter().enumerate() {
        let odd = i % 2 == 1;
        let expected = if odd { 1003 } else { 4013 };
        assert_eq!(*found, expected, "{i}");
        assert_eq!(data[i], if odd { 110 } else { 100 }, "{i}");
    }
}

#[test]
fn the_first_work_item_waits_for_its_sub_group() {
    for (width, name) in [(8, "sum"), (16, "sum"), (32, "sum"), (16, "called")] {
        let jit = Jit::sub_group("leader", width);
        let kernel = jit.kernel(name);
        for n in 1..=width as usize {
            let mut data: Vec<u32> = (0..2 * n as u32).map(|i| i * 7 + 1).collect();
            let mut out = vec![0u32; 2 * n];
            kernel.run(
                [2 * n as u64, 1, 1],
                [n as u64, 1, 1],
                &[pointer(&mut data), pointer(&mut out), Arg::Local(4 * n)],
            );
            for (i, result) in out.iter().enumerate() {
                let sum: u32 = data[i / n * n..][..n].iter().sum();
                let expected = sum + (i % n) as u32;
                assert_eq!(*result, expected, "{name}, sub-group of {width}, {n}");
            }
        }
    }
}
