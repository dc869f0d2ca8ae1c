//! Group and sub-group operations against what Rust computes, at many group shapes and sub-group
//! sizes.

mod common;

use common::{Jit, pointer};

const WIDTHS: [u32; 6] = [1, 4, 8, 16, 32, 64];

/// Local sizes that are powers of two, one off, primes, and larger than any sub-group.
const SIZES: [u64; 14] = [1, 2, 3, 5, 7, 16, 17, 31, 33, 64, 100, 255, 256, 257];

/// Shapes of more than one dimension: global and local size.
const SHAPES: [([u64; 3], [u64; 3]); 5] = [
    ([8, 6, 1], [4, 3, 1]),
    ([6, 4, 4], [3, 2, 2]),
    ([10, 3, 2], [5, 3, 1]),
    // Sizes that do not divide: smaller groups at the ends.
    ([11, 5, 3], [4, 2, 2]),
    ([37, 1, 1], [16, 1, 1]),
];

/// The work-groups of a launch: the global linear ids of each one's work-items, in local order.
fn groups(global: [u64; 3], local: [u64; 3]) -> Vec<Vec<usize>> {
    let counts: Vec<u64> = (0..3).map(|d| global[d].div_ceil(local[d])).collect();
    let mut all = Vec::new();
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let start = [x * local[0], y * local[1], z * local[2]];
                let size: Vec<u64> = (0..3).map(|d| local[d].min(global[d] - start[d])).collect();
                let mut items = Vec::new();
                for c in 0..size[2] {
                    for b in 0..size[1] {
                        for a in 0..size[0] {
                            let at = [start[0] + a, start[1] + b, start[2] + c];
                            items.push(((at[2] * global[1] + at[1]) * global[0] + at[0]) as usize);
                        }
                    }
                }
                all.push(items);
            }
        }
    }
    all
}

/// Calls `check` with each sub-group's members and the work-group they are in.
fn each_sub_group(
    global: [u64; 3],
    local: [u64; 3],
    width: u32,
    mut check: impl FnMut(&[usize], &[usize]),
) {
    for group in groups(global, local) {
        for members in group.chunks(width as usize) {
            check(members, &group);
        }
    }
}

/// Every shape to be tested with a sub-group size; all local sizes up to 257 with the usual one.
fn shapes(width: u32) -> Vec<([u64; 3], [u64; 3])> {
    let sizes: Vec<u64> = if width == 16 {
        (1..=257).collect()
    } else {
        SIZES.to_vec()
    };
    let mut all: Vec<_> = sizes
        .into_iter()
        .map(|n| ([2 * n, 1, 1], [n, 1, 1]))
        .collect();
    all.extend(SHAPES);
    all
}

/// A type that groups compute with.
trait Number: Copy + PartialEq + std::fmt::Debug {
    const NAME: &'static str;
    const ZERO: Self;
    /// What the smallest of nothing is.
    const HIGHEST: Self;
    /// What the largest of nothing is.
    const LOWEST: Self;
    fn sample(index: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
    fn most(self, other: Self) -> Self;
}

macro_rules! integer {
    ($ty:ident, $name:expr) => {
        impl Number for $ty {
            const NAME: &'static str = $name;
            const ZERO: Self = 0;
            const HIGHEST: Self = $ty::MAX;
            const LOWEST: Self = $ty::MIN;
            fn sample(index: u64) -> Self {
                (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7) as $ty
            }
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn least(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            fn most(self, other: Self) -> Self {
                Ord::max(self, other)
            }
        }
    };
}

macro_rules! float {
    ($ty:ident, $name:expr) => {
        impl Number for $ty {
            const NAME: &'static str = $name;
            const ZERO: Self = 0.0;
            const HIGHEST: Self = $ty::INFINITY;
            const LOWEST: Self = $ty::NEG_INFINITY;
            fn sample(index: u64) -> Self {
                // Sums of such numbers are exact in whatever order they are made.
                let bits = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59;
                bits as $ty - 15.0
            }
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn least(self, other: Self) -> Self {
                $ty::min(self, other)
            }
            fn most(self, other: Self) -> Self {
                $ty::max(self, other)
            }
        }
    };
}

integer!(i32, "int");
integer!(u32, "uint");
integer!(i64, "long");
integer!(u64, "ulong");
float!(f32, "float");
float!(f64, "double");

/// A half by its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Half(u16);

impl Half {
    fn wide(self) -> f64 {
        ur_jit::ir::f64_from_f16(self.0)
    }
}

impl Number for Half {
    const NAME: &'static str = "half";
    const ZERO: Self = Half(0);
    const HIGHEST: Self = Half(0x7c00);
    const LOWEST: Self = Half(0xfc00);
    fn sample(index: u64) -> Self {
        Half(ur_jit::ir::f16_from_f64(f64::sample(index)))
    }
    fn add(self, other: Self) -> Self {
        // The sum of two halves is exact in double.
        Half(ur_jit::ir::f16_from_f64(self.wide() + other.wide()))
    }
    fn least(self, other: Self) -> Self {
        if other.wide() < self.wide() {
            other
        } else {
            self
        }
    }
    fn most(self, other: Self) -> Self {
        if other.wide() > self.wide() {
            other
        } else {
            self
        }
    }
}

/// A sum of all in sixteen partial ones, which are then added pairwise: how floats are reduced. For
/// integers the order does not matter.
fn total<T: Number>(values: impl Iterator<Item = T>) -> T {
    let mut parts = [T::ZERO; 16];
    for (number, value) in values.enumerate() {
        parts[number % 16] = parts[number % 16].add(value);
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            parts[i] = parts[i].add(parts[i + half]);
        }
    }
    parts[0]
}

/// Checks scans and reductions of one type. Sums are compared exactly: their order is fixed.
fn scans<T: Number>(width: u32, shapes: &[([u64; 3], [u64; 3])]) {
    let jit = Jit::sub_group("group_operations", width);
    let kernel = jit.kernel(&format!("over_{}", T::NAME));
    assert_eq!(kernel.info.sub_group_size, width);
    for (global, local) in shapes {
        let count = global.iter().product::<u64>() as usize;
        let mut input: Vec<T> = (0..count as u64).map(T::sample).collect();
        let mut out = vec![T::sample(99); 12 * count];
        kernel.run(*global, *local, &[pointer(&mut input), pointer(&mut out)]);
        each_sub_group(*global, *local, width, |members, group| {
            let fold = |items: &[usize], start: T, f: fn(T, T) -> T| {
                items.iter().fold(start, |sum, i| f(sum, input[*i]))
            };
            for (lane, item) in members.iter().enumerate() {
                let place = group.iter().position(|i| i == item).expect("a member");
                let expected = [
                    total(members.iter().map(|i| input[*i])),
                    fold(members, T::HIGHEST, T::least),
                    fold(members, T::LOWEST, T::most),
                    fold(&members[..=lane], T::ZERO, T::add),
                    fold(&members[..lane], T::HIGHEST, T::least),
                    fold(&members[..=lane], T::LOWEST, T::most),
                    total(group.iter().map(|i| input[*i])),
                    fold(group, T::HIGHEST, T::least),
                    fold(&group[..place], T::ZERO, T::add),
                    fold(&group[..=place], T::ZERO, T::add),
                    fold(&group[..place], T::LOWEST, T::most),
                    fold(&group[..=place], T::HIGHEST, T::least),
                ];
                assert_eq!(
                    out[12 * item..][..12],
                    expected,
                    "{} {global:?} {local:?} by {width}, item {item}",
                    T::NAME
                );
            }
        });
    }
}

#[test]
fn scans_and_reductions_of_integers() {
    for width in WIDTHS {
        scans::<i32>(width, &shapes(width));
    }
    scans::<u32>(8, &shapes(8));
    scans::<i64>(32, &shapes(32));
    scans::<u64>(16, &shapes(16));
}

#[test]
fn scans_and_reductions_of_floats() {
    scans::<f32>(16, &shapes(16));
    scans::<f32>(4, &shapes(4));
    scans::<f64>(8, &shapes(8));
    scans::<Half>(32, &shapes(32));
}

#[test]
fn plain_collectives_and_identity() {
    for width in WIDTHS {
        let jit = Jit::sub_group("sub_group", width);
        let (collectives, identity) = (jit.kernel("collectives"), jit.kernel("identity"));
        let work_group = jit.kernel("work_group");
        for (global, local) in shapes(width).into_iter().filter(|(g, _)| g[1] * g[2] == 1) {
            let count = global[0] as usize;
            let mut input: Vec<i32> = (0..count as i32).map(|i| i * 7 % 23 - 3).collect();
            let mut out = vec![-99i32; 6 * count];
            collectives.run(global, local, &[pointer(&mut input), pointer(&mut out)]);
            let mut ids = vec![99u32; 5 * count];
            identity.run(global, local, &[pointer(&mut ids)]);
            let mut whole = vec![-99i32; 4 * count];
            work_group.run(global, local, &[pointer(&mut input), pointer(&mut whole)]);
            each_sub_group(global, local, width, |members, group| {
                let at = |i: &usize| input[*i];
                let sub_group = group
                    .iter()
                    .position(|i| i == &members[0])
                    .expect("a member");
                for (lane, item) in members.iter().enumerate() {
                    let any = members.iter().any(|i| at(i) > 5);
                    let all = members.iter().all(|i| at(i) > 5);
                    let expected = [
                        members.iter().map(at).sum(),
                        members.iter().map(at).max().expect("not empty"),
                        members[..=lane].iter().map(at).sum(),
                        members[..lane].iter().map(at).sum(),
                        at(&members[0]),
                        i32::from(any) << 1 | i32::from(all),
                    ];
                    assert_eq!(
                        out[6 * item..][..6],
                        expected,
                        "{global:?} {local:?} by {width}"
                    );
                    let expected = [
                        members.len() as u32,
                        width,
                        (group.len() as u32).div_ceil(width),
                        sub_group as u32 / width,
                        lane as u32,
                    ];
                    assert_eq!(
                        ids[5 * item..][..5],
                        expected,
                        "{global:?} {local:?} by {width}"
                    );
                    let place = sub_group + lane;
                    // A last group that is smaller has its own last member.
                    let last = group.last().expect("not empty");
                    let expected = [
                        group.iter().map(at).sum(),
                        group[..=place].iter().map(at).max().expect("not empty"),
                        at(last),
                        i32::from(group.iter().all(|i| at(i) > 0)),
                    ];
                    assert_eq!(whole[4 * item..][..4], expected, "{global:?} {local:?}");
                }
            });
        }
    }
}

#[test]
fn values_move_between_work_items() {
    for width in WIDTHS {
        let jit = Jit::sub_group("group_operations", width);
        let (shuffles, intel) = (jit.kernel("shuffles"), jit.kernel("intel_shuffles"));
        for (global, local) in shapes(width) {
            let count = global.iter().product::<u64>() as usize;
            let mut input: Vec<i32> = (0..count as i32).map(|i| i * 3 + 1).collect();
            let mut out = vec![-99i32; 6 * count];
            shuffles.run(global, local, &[pointer(&mut input), pointer(&mut out)]);
            let mut pairs = vec![-99i32; 4 * count];
            intel.run(global, local, &[pointer(&mut input), pointer(&mut pairs)]);
            each_sub_group(global, local, width, |members, _| {
                let n = members.len();
                let at = |lane: usize| members.get(lane).map(|i| input[*i]);
                for (lane, item) in members.iter().enumerate() {
                    // Where the specification leaves the result open there is nothing to compare.
                    let expected = [
                        at(n - 1 - lane),
                        at(lane ^ 1),
                        lane.checked_sub(1).and_then(at),
                        at(lane + 2),
                        at(n / 2),
                        at((lane * 7 + 3) % n),
                    ];
                    for (which, expected) in expected.into_iter().enumerate() {
                        if let Some(expected) = expected {
                            let got = out[6 * item + which];
                            assert_eq!(got, expected, "{which} {global:?} {local:?} by {width}");
                        }
                    }
                    let full = width as usize;
                    let expected = [
                        at(n - 1 - lane),
                        at(lane ^ 1),
                        // Below the first stand the last of the other vector.
                        match lane {
                            0 => at(full - 1),
                            _ => at(lane - 1).map(|x| x + 1000),
                        },
                        match lane + 1 {
                            next if next == full => at(0).map(|x| x + 1000),
                            next => at(next),
                        },
                    ];
                    for (which, expected) in expected.into_iter().enumerate() {
                        if let Some(expected) = expected {
                            let got = pairs[4 * item + which];
                            assert_eq!(got, expected, "{which} {global:?} {local:?} by {width}");
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn votes_among_those_that_are_there() {
    for width in WIDTHS {
        let jit = Jit::sub_group("group_operations", width);
        let kernel = jit.kernel("votes");
        for (global, local) in shapes(width) {
            let count = global.iter().product::<u64>() as usize;
            let mut input: Vec<i32> = (0..count as i32).map(|i| i * 37 % 101).collect();
            let mut out = vec![99u32; 12 * count];
            kernel.run(global, local, &[pointer(&mut input), pointer(&mut out)]);
            each_sub_group(global, local, width, |members, _| {
                let at = |i: &usize| input[*i];
                let ballot = members
                    .iter()
                    .enumerate()
                    .fold(0u64, |bits, (lane, i)| bits | u64::from(at(i) > 50) << lane);
                for (lane, item) in members.iter().enumerate() {
                    let upto = (1u128 << (lane + 1)) - 1;
                    let below = (1u128 << lane) - 1;
                    let ones = |mask: u128| (u128::from(ballot) & mask).count_ones();
                    let any = members.iter().any(|i| at(i) > 90);
                    let all = members.iter().all(|i| at(i) > 5);
                    let got = &out[12 * item..][..12];
                    let what = format!("{global:?} {local:?} by {width}, lane {lane}");
                    assert_eq!(got[0], ballot as u32, "{what}");
                    assert_eq!(got[1], (ballot >> 32) as u32, "{what}");
                    assert_eq!(got[2..5], [ballot.count_ones(), ones(upto), ones(below)]);
                    if ballot != 0 {
                        let ends = [ballot.trailing_zeros(), 63 - ballot.leading_zeros()];
                        assert_eq!(got[5..7], ends, "{what}");
                    }
                    assert_eq!(got[7], u32::from(at(item) > 50), "{what}");
                    assert_eq!(got[8], u32::from(any) * 2 + u32::from(all), "{what}");

                    let odd = at(item) & 1 == 1;
                    let side: Vec<usize> = members
                        .iter()
                        .copied()
                        .filter(|i| (at(i) & 1 == 1) == odd)
                        .collect();
                    let place = side.iter().position(|i| i == item).expect("a member");
                    let expected = if odd {
                        [
                            u32::from(place == 0),
                            side.iter().map(at).sum::<i32>() as u32,
                            at(&side[0]) as u32,
                        ]
                    } else {
                        let before = side[..place].iter().map(at).max().unwrap_or(i32::MIN);
                        let sum = side[..=place].iter().map(at).sum::<i32>();
                        [0, sum as u32, before as u32]
                    };
                    assert_eq!(got[9..12], expected, "{what}");
                }
            });
        }
    }
}

#[test]
fn clusters_and_blocks() {
    for width in WIDTHS {
        let jit = Jit::sub_group("group_blocks", width);
        let kernel = jit.kernel("clusters");
        for (global, local) in shapes(width) {
            let count = global.iter().product::<u64>() as usize;
            let mut input: Vec<i32> = (0..count as i32).map(|i| i * 37 % 101).collect();
            let mut out = vec![-99i32; 5 * count];
            kernel.run(global, local, &[pointer(&mut input), pointer(&mut out)]);
            each_sub_group(global, local, width, |members, _| {
                let at = |i: &usize| input[*i];
                for (lane, item) in members.iter().enumerate() {
                    let cluster = |size: usize| members.chunks(size).nth(lane / size);
                    let of = |size: usize| cluster(size).expect("a cluster").iter();
                    let odd = of(4).map(at).filter(|x| x & 1 == 1);
                    let expected = [
                        of(4).map(at).sum(),
                        of(2).map(at).max().expect("not empty"),
                        of(8).map(at).fold(0, |a, b| a ^ b),
                        at(item),
                        if at(item) & 1 == 1 {
                            odd.min().expect("not empty")
                        } else {
                            0
                        },
                    ];
                    let got = &out[5 * item..][..5];
                    assert_eq!(
                        got, expected,
                        "{global:?} {local:?} by {width}, lane {lane}"
                    );
                }
            });
        }

        // Whole sub-groups only: a block has an element for each lane.
        let kernel = jit.kernel("blocks");
        let groups = 3usize;
        let items = groups * width as usize;
        let mut input: Vec<u32> = (0..4 * items as u32).map(|i| i * 5 + 1).collect();
        let (mut out, mut one) = (vec![9u32; 4 * items], vec![9u32; items]);
        kernel.run(
            [items as u64, 1, 1],
            [items as u64, 1, 1],
            &[pointer(&mut input), pointer(&mut out), pointer(&mut one)],
        );
        for (i, got) in out.iter().enumerate() {
            let lane = i as u32 % width;
            assert_eq!(*got, input[i] * 2 + lane, "{i} by {width}");
        }
        for (i, got) in one.iter().enumerate() {
            assert_eq!(*got, input[i] + 7, "{i} by {width}");
        }
    }
}

/// Ids read in a loop keep the addresses of records in it, which once hid from the operation before
/// it that all had come to it.
#[test]
fn operations_before_a_loop_that_reads_ids() {
    for lanes in ["0", "1", "4", "8", "16"] {
        let jit = Jit::compiled_for("group_operations", lanes, None);
        let kernel = jit.kernel("ids_in_a_loop");
        for local in SIZES {
            let count = 2 * local as usize;
            let mut least = vec![99u32; count];
            let (mut met, mut times) = (vec![1_000_000i64], vec![3u8; 16]);
            kernel.run(
                [2 * local, 1, 1],
                [local, 1, 1],
                &[pointer(&mut least), pointer(&mut met), pointer(&mut times)],
            );
            assert_eq!(least, vec![5; count], "{lanes} lanes, local size {local}");
            assert_eq!(met, [0], "{lanes} lanes, local size {local}");
        }
    }
}

/// One float after the other, such a sum is wrong in its sixth digit.
#[test]
fn sums_of_floats_are_as_exact_as_a_tree() {
    let n = 256;
    let jit = Jit::new("group_operations");
    let kernel = jit.kernel("over_float");
    // Every addition of this number to a sum of many rounds the same way.
    let mut input = vec![1.139f32; n];
    let mut out = vec![0f32; 12 * n];
    let size = [n as u64, 1, 1];
    kernel.run(size, size, &[pointer(&mut input), pointer(&mut out)]);
    let exact: f64 = input.iter().map(|x| f64::from(*x)).sum();
    let one_by_one: f32 = input.iter().sum();
    let error = |x: f32| (f64::from(x) / exact - 1.0).abs();
    assert!(error(out[6]) < 1.5e-7, "{} for {exact}", out[6]);
    assert!(error(one_by_one) > 3e-6, "the numbers are too easy");
}
