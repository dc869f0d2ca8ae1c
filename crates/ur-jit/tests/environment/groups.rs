//! Sub-group masks, quads, rotations, split barriers and the group operations on bits and truth.

use rspirv::spirv::{BuiltIn, Capability, GroupOperation, Op, StorageClass};

use super::asm::{Asm, BOOL, Id, float, int};
use super::common::{Jit, pointer};

const GLOBAL: StorageClass = StorageClass::CrossWorkgroup;
const WORKGROUP: u32 = 2;
pub const SUBGROUP: u32 = 3;

/// A compiled module with that sub-group size.
fn jit(words: &[u32], size: u32) -> Jit {
    Jit::from_words(words, size, &[]).unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"))
}

const MASKS: [BuiltIn; 5] = [
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Kernel `k` stores the five masks of each work-item.
pub fn masks() -> Vec<u32> {
    let mut asm = Asm::new(3);
    asm.capability(Capability::GroupNonUniformBallot);
    let ballot = int(32).times(4);
    let ty = asm.ty(ballot);
    let variables = MASKS.map(|builtin| asm.builtin(builtin, ballot));
    let out = asm.pointer(GLOBAL, ty);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let (wide, five) = (asm.ty(int(64)), asm.constant(int(64), 5));
    let first = asm.op(Op::IMul, wide, &[index, five]);
    for (n, variable) in (0..).zip(variables) {
        let mask = asm.op(Op::Load, ty, &[variable]);
        let n = asm.constant(int(64), n);
        let place = asm.op(Op::IAdd, wide, &[first, n]);
        asm.store_at(params[0], ty, place, mask);
    }
    asm.end();
    asm.words()
}

#[test]
fn masks_of_lanes() {
    for size in [1u32, 4, 16, 32, 64] {
        let jit = jit(&masks(), size);
        let kernel = jit.kernel("k");
        for local in [1u64, 7, 16, 33, 100] {
            #[repr(align(16))]
            #[derive(Clone, Copy)]
            struct Mask([u32; 4]);
            let mut out = vec![Mask([0xaaaa_aaaa; 4]); 5 * local as usize];
            kernel.run([local, 1, 1], [local, 1, 1], &[pointer(&mut out)]);
            for item in 0..local {
                let lane = item % u64::from(size);
                let lanes = (local - (item - lane)).min(u64::from(size));
                let bits = |keep: &dyn Fn(u64) -> bool| -> u128 {
                    (0..lanes).filter(|n| keep(*n)).map(|n| 1u128 << n).sum()
                };
                let want = [
                    bits(&|n| n == lane),
                    bits(&|n| n >= lane),
                    bits(&|n| n > lane),
                    bits(&|n| n <= lane),
                    bits(&|n| n < lane),
                ];
                for (n, want) in want.into_iter().enumerate() {
                    let words = out[5 * item as usize + n].0;
                    let got = (0..4)
                        .map(|i| u128::from(words[i]) << (32 * i))
                        .sum::<u128>();
                    assert_eq!(got, want, "mask {n} of {item} of {local}, sub-group {size}");
                }
            }
        }
    }
}

/// Writes instructions that make a value of another.
type Operation = dyn Fn(&mut Asm, Id) -> Id;

/// Kernel `k` stores what each of `operations` makes of the work-item's number plus 1; Bools as 0
/// and 1.
fn moves(capabilities: &[Capability], operations: &[&Operation]) -> Vec<u32> {
    let mut asm = Asm::new(3);
    for capability in capabilities {
        asm.capability(*capability);
    }
    let (word, wide) = (asm.ty(int(32)), asm.ty(int(64)));
    let out = asm.pointer(GLOBAL, word);
    let one = asm.word(1);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let number = asm.op(Op::UConvert, word, &[index]);
    let number = asm.op(Op::IAdd, word, &[number, one]);
    let count = asm.constant(int(64), operations.len() as u64);
    let first = asm.op(Op::IMul, wide, &[index, count]);
    for (n, operation) in (0..).zip(operations) {
        let value = operation(&mut asm, number);
        let n = asm.constant(int(64), n);
        let place = asm.op(Op::IAdd, wide, &[first, n]);
        asm.store_at(params[0], word, place, value);
    }
    asm.end();
    asm.words()
}

/// Runs `k` with one work-group, and gives the results of each work-item.
fn run_moves(words: &[u32], size: u32, local: u64, count: usize) -> Vec<Vec<u32>> {
    let jit = jit(words, size);
    let kernel = jit.kernel("k");
    let mut out = vec![0xdead_beefu32; count * local as usize];
    kernel.run([local, 1, 1], [local, 1, 1], &[pointer(&mut out)]);
    out.chunks(count).map(<[u32]>::to_vec).collect()
}

pub fn quads() -> Vec<u32> {
    let swap = |direction: u32| {
        move |asm: &mut Asm, x: Id| {
            let (word, scope, direction) =
                (asm.ty(int(32)), asm.word(SUBGROUP), asm.word(direction));
            asm.op(Op::GroupNonUniformQuadSwap, word, &[scope, x, direction])
        }
    };
    let broadcast = |asm: &mut Asm, x: Id| {
        let (word, scope, lane) = (asm.ty(int(32)), asm.word(SUBGROUP), asm.word(2));
        asm.op(Op::GroupNonUniformQuadBroadcast, word, &[scope, x, lane])
    };
    let capabilities = [Capability::GroupNonUniform, Capability::GroupNonUniformQuad];
    moves(&capabilities, &[&swap(0), &swap(1), &swap(2), &broadcast])
}

#[test]
fn quad_operations() {
    for size in [4u32, 16, 64] {
        let results = run_moves(&quads(), size, 64, 4);
        for (item, result) in (0u32..).zip(results) {
            let base = item & !3;
            let want = [item ^ 1, item ^ 2, item ^ 3, base + 2].map(|n| n + 1);
            assert_eq!(result, want, "work-item {item}, sub-group {size}");
        }
    }
}

pub fn ballots() -> Vec<u32> {
    let first = |asm: &mut Asm, x: Id| {
        let word = asm.ty(int(32));
        asm.op(Op::SubgroupFirstInvocationKHR, word, &[x])
    };
    let read = |asm: &mut Asm, x: Id| {
        let (word, lane) = (asm.ty(int(32)), asm.word(3));
        asm.op(Op::SubgroupReadInvocationKHR, word, &[x, lane])
    };
    let vote = |op: Op| {
        move |asm: &mut Asm, x: Id| {
            let (word, truth) = (asm.ty(int(32)), asm.ty(BOOL));
            let (limit, one, zero) = (asm.word(5), asm.word(1), asm.word(0));
            let small = asm.op(Op::ULessThan, truth, &[x, limit]);
            let result = asm.op(op, truth, &[small]);
            asm.op(Op::Select, word, &[result, one, zero])
        }
    };
    let (any, all) = (vote(Op::SubgroupAnyKHR), vote(Op::SubgroupAllKHR));
    let equal = vote(Op::SubgroupAllEqualKHR);
    let capabilities = [Capability::SubgroupBallotKHR, Capability::SubgroupVoteKHR];
    moves(&capabilities, &[&first, &read, &any, &all, &equal])
}

#[test]
fn ballots_and_votes_of_the_first_extensions() {
    for size in [4u32, 8, 32] {
        let results = run_moves(&ballots(), size, 32, 5);
        for (item, result) in (0u32..).zip(results) {
            let base = item / size * size;
            let small = |n: u32| n + 1 < 5;
            let (any, all) = (
                (base..base + size).any(small),
                (base..base + size).all(small),
            );
            let votes = [any, all, all || !any].map(u32::from);
            let want = [base + 1, base + 4, votes[0], votes[1], votes[2]];
            assert_eq!(result, want, "work-item {item}, sub-group {size}");
        }
    }
}

pub fn non_uniform_votes() -> Vec<u32> {
    let small = |asm: &mut Asm, x: Id| {
        let (truth, limit) = (asm.ty(BOOL), asm.word(5));
        asm.op(Op::ULessThan, truth, &[x, limit])
    };
    let number = |asm: &mut Asm, truth: Id| {
        let (word, one, zero) = (asm.ty(int(32)), asm.word(1), asm.word(0));
        asm.op(Op::Select, word, &[truth, one, zero])
    };
    let equal = move |asm: &mut Asm, x: Id| {
        let (word, truth, scope) = (asm.ty(int(32)), asm.ty(BOOL), asm.word(SUBGROUP));
        let two = asm.word(2);
        let high = asm.op(Op::ShiftRightLogical, word, &[x, two]);
        let result = asm.op(Op::GroupNonUniformAllEqual, truth, &[scope, high]);
        number(asm, result)
    };
    let broadcast = |asm: &mut Asm, x: Id| {
        let (word, scope, lane) = (asm.ty(int(32)), asm.word(SUBGROUP), asm.word(1));
        asm.op(Op::GroupNonUniformBroadcast, word, &[scope, x, lane])
    };
    let bit = move |asm: &mut Asm, x: Id| {
        let (truth, scope, lane) = (asm.ty(BOOL), asm.word(SUBGROUP), asm.word(2));
        let ballot = asm.ty(int(32).times(4));
        let vote = small(asm, x);
        let votes = asm.op(Op::GroupNonUniformBallot, ballot, &[scope, vote]);
        let result = asm.op(
            Op::GroupNonUniformBallotBitExtract,
            truth,
            &[scope, votes, lane],
        );
        number(asm, result)
    };
    let first = move |asm: &mut Asm, x: Id| {
        let (word, ballot) = (asm.ty(int(32)), asm.ty(int(32).times(4)));
        let vote = small(asm, x);
        let votes = asm.op(Op::SubgroupBallotKHR, ballot, &[vote]);
        asm.op(Op::CompositeExtract, word, &[votes, 0])
    };
    let capabilities = [
        Capability::SubgroupBallotKHR,
        Capability::GroupNonUniform,
        Capability::GroupNonUniformVote,
        Capability::GroupNonUniformBallot,
    ];
    moves(&capabilities, &[&equal, &broadcast, &bit, &first])
}

#[test]
fn votes_without_uniformity() {
    for size in [4u32, 8, 32] {
        let results = run_moves(&non_uniform_votes(), size, 32, 4);
        for (item, result) in (0u32..).zip(results) {
            let base = item / size * size;
            let small = |n: u32| u32::from(n + 1 < 5);
            let equal = (base..base + size).all(|n| (n + 1) >> 2 == (base + 1) >> 2);
            let ballot = (0..size).map(|n| small(base + n) << n).sum::<u32>();
            let want = [u32::from(equal), base + 2, small(base + 2), ballot];
            assert_eq!(result, want, "work-item {item}, sub-group {size}");
        }
    }
}

/// Sum, product, least and greatest of floats.
pub const UNIFORM_FLOATS: [Op; 4] = [
    Op::GroupFAdd,
    Op::GroupFMulKHR,
    Op::GroupFMin,
    Op::GroupFMax,
];

/// The same without uniformity.
pub const NON_UNIFORM_FLOATS: [Op; 4] = [
    Op::GroupNonUniformFAdd,
    Op::GroupNonUniformFMul,
    Op::GroupNonUniformFMin,
    Op::GroupNonUniformFMax,
];

/// Reductions and scans of 1 and 2 by turns, as floats; the results' bits.
pub fn floats(list: &[Op; 4]) -> Vec<u32> {
    let mut all: Vec<Box<Operation>> = Vec::new();
    for op in *list {
        for reach in REACHES {
            all.push(Box::new(move |asm: &mut Asm, x: Id| {
                let (word, single) = (asm.ty(int(32)), asm.ty(float(32)));
                let (scope, one) = (asm.word(SUBGROUP), asm.word(1));
                let odd = asm.op(Op::BitwiseAnd, word, &[x, one]);
                let number = asm.op(Op::IAdd, word, &[odd, one]);
                let number = asm.op(Op::ConvertUToF, single, &[number]);
                let result = asm.op(op, single, &[scope, reach as u32, number]);
                asm.op(Op::Bitcast, word, &[result])
            }));
        }
    }
    let all: Vec<&Operation> = all.iter().map(|f| &**f).collect();
    let capabilities = [
        Capability::Groups,
        Capability::GroupUniformArithmeticKHR,
        Capability::GroupNonUniform,
        Capability::GroupNonUniformArithmetic,
    ];
    moves(&capabilities, &all)
}

#[test]
fn operations_on_floats() {
    for list in [&UNIFORM_FLOATS, &NON_UNIFORM_FLOATS] {
        for (size, local) in [(16u32, 16u64), (8, 30)] {
            let results = run_moves(&floats(list), size, local, 12);
            for start in (0..local as usize).step_by(size as usize) {
                let end = (start + size as usize).min(local as usize);
                let value = |item: usize| ((item + 1) % 2 + 1) as f32;
                for n in 0..4 {
                    let (neutral, apply): (f32, fn(f32, f32) -> f32) = match n {
                        0 => (0.0, |a, b| a + b),
                        1 => (1.0, |a, b| a * b),
                        2 => (f32::INFINITY, f32::min),
                        _ => (f32::NEG_INFINITY, f32::max),
                    };
                    let total = (start..end).fold(neutral, |a, i| apply(a, value(i)));
                    let mut before = neutral;
                    for (item, result) in results.iter().enumerate().take(end).skip(start) {
                        let upto = apply(before, value(item));
                        let got = [0, 1, 2].map(|k| f32::from_bits(result[3 * n + k]));
                        assert_eq!(got, [total, upto, before], "{:?} of {item}", list[n]);
                        before = upto;
                    }
                }
            }
        }
    }
}

/// Least and greatest of all by unsigned comparison, without uniformity.
pub fn limits() -> Vec<u32> {
    let limit = |op: Op| {
        move |asm: &mut Asm, x: Id| {
            let (word, scope) = (asm.ty(int(32)), asm.word(SUBGROUP));
            let negative = asm.op(Op::SNegate, word, &[x]);
            asm.op(op, word, &[scope, GroupOperation::Reduce as u32, negative])
        }
    };
    let (least, most) = (
        limit(Op::GroupNonUniformUMin),
        limit(Op::GroupNonUniformUMax),
    );
    let capabilities = [
        Capability::GroupNonUniform,
        Capability::GroupNonUniformArithmetic,
    ];
    moves(&capabilities, &[&least, &most])
}

#[test]
fn limits_of_unsigned_numbers() {
    for size in [4u32, 16] {
        for (item, result) in (0u32..).zip(run_moves(&limits(), size, 32, 2)) {
            let base = item / size * size;
            let want = [base + size, base + 1].map(u32::wrapping_neg);
            assert_eq!(result, want, "work-item {item}, sub-group {size}");
        }
    }
}

pub fn rotations() -> Vec<u32> {
    let rotate = |by: u32, cluster: Option<u32>| {
        move |asm: &mut Asm, x: Id| {
            let (word, scope, by) = (asm.ty(int(32)), asm.word(SUBGROUP), asm.word(by));
            let mut operands = vec![scope, x, by];
            operands.extend(cluster.map(|size| asm.word(size)));
            asm.op(Op::GroupNonUniformRotateKHR, word, &operands)
        }
    };
    let capabilities = [
        Capability::GroupNonUniform,
        Capability::GroupNonUniformRotateKHR,
    ];
    let all = [
        rotate(1, None),
        rotate(5, None),
        rotate(3, Some(4)),
        rotate(1, Some(2)),
    ];
    moves(&capabilities, &[&all[0], &all[1], &all[2], &all[3]])
}

#[test]
fn rotated_values() {
    for size in [4u32, 8, 32] {
        let results = run_moves(&rotations(), size, 64, 4);
        for (item, result) in (0u32..).zip(results) {
            let turn = |by: u32, within: u32| {
                let base = item / within * within;
                base + (item - base + by) % within + 1
            };
            let want = [turn(1, size), turn(5, size), turn(3, 4), turn(1, 2)];
            assert_eq!(result, want, "work-item {item}, sub-group {size}");
        }
    }
}

/// The uniform operations with which SPV_KHR_uniform_group_instructions completes the core's.
pub const UNIFORM: [Op; 7] = [
    Op::GroupIMulKHR,
    Op::GroupBitwiseAndKHR,
    Op::GroupBitwiseOrKHR,
    Op::GroupBitwiseXorKHR,
    Op::GroupLogicalAndKHR,
    Op::GroupLogicalOrKHR,
    Op::GroupLogicalXorKHR,
];

/// The same without uniformity.
pub const NON_UNIFORM: [Op; 7] = [
    Op::GroupNonUniformIMul,
    Op::GroupNonUniformBitwiseAnd,
    Op::GroupNonUniformBitwiseOr,
    Op::GroupNonUniformBitwiseXor,
    Op::GroupNonUniformLogicalAnd,
    Op::GroupNonUniformLogicalOr,
    Op::GroupNonUniformLogicalXor,
];

const REACHES: [GroupOperation; 3] = [
    GroupOperation::Reduce,
    GroupOperation::InclusiveScan,
    GroupOperation::ExclusiveScan,
];

/// What operation number `n` of the lists makes of two values; truth is whether bit 1 is set.
fn combine(n: usize, a: u32, b: u32) -> u32 {
    match n {
        0 => a.wrapping_mul(b),
        1 | 4 => a & b,
        2 | 5 => a | b,
        _ => a ^ b,
    }
}

pub fn reductions(list: &[Op; 7], scope: u32) -> Vec<u32> {
    let mut all: Vec<Box<Operation>> = Vec::new();
    for (n, op) in list.iter().copied().enumerate() {
        for reach in REACHES {
            all.push(Box::new(move |asm: &mut Asm, x: Id| {
                let (word, truth) = (asm.ty(int(32)), asm.ty(BOOL));
                let scope = asm.word(scope);
                if n < 4 {
                    return asm.op(op, word, &[scope, reach as u32, x]);
                }
                let (two, zero, one) = (asm.word(2), asm.word(0), asm.word(1));
                let bit = asm.op(Op::BitwiseAnd, word, &[x, two]);
                let x = asm.op(Op::INotEqual, truth, &[bit, zero]);
                let x = asm.op(op, truth, &[scope, reach as u32, x]);
                asm.op(Op::Select, word, &[x, one, zero])
            }));
        }
    }
    let all: Vec<&Operation> = all.iter().map(|f| &**f).collect();
    let capabilities = [
        Capability::Groups,
        Capability::GroupUniformArithmeticKHR,
        Capability::GroupNonUniform,
        Capability::GroupNonUniformArithmetic,
    ];
    moves(&capabilities, &all)
}

#[test]
fn operations_on_bits_and_truth() {
    for (list, scope) in [
        (&UNIFORM, WORKGROUP),
        (&UNIFORM, SUBGROUP),
        (&NON_UNIFORM, SUBGROUP),
    ] {
        for (size, local) in [(16u32, 16u64), (8, 30), (32, 33)] {
            let results = run_moves(&reductions(list, scope), size, local, 21);
            let within = if scope == WORKGROUP {
                local as usize
            } else {
                size as usize
            };
            for start in (0..local as usize).step_by(within) {
                let end = (start + within).min(local as usize);
                for n in 0..7 {
                    let value = |item: usize| {
                        let x = item as u32 + 1;
                        if n < 4 { x } else { x >> 1 & 1 }
                    };
                    let neutral = match n {
                        0 => 1,
                        1 => u32::MAX,
                        4 => 1,
                        _ => 0,
                    };
                    let total = (start..end).fold(neutral, |a, i| combine(n, a, value(i)));
                    let mut before = neutral;
                    for (item, result) in results.iter().enumerate().take(end).skip(start) {
                        let upto = combine(n, before, value(item));
                        assert_eq!(
                            result[3 * n..][..3],
                            [total, upto, before],
                            "{:?} of {item} of {local}, sub-group {size}",
                            list[n]
                        );
                        before = upto;
                    }
                }
            }
        }
    }
}

/// Kernel `k` leaves its number in local memory, arrives at a split barrier, computes something,
/// waits, and reads what the next work-item left.
pub fn split_barrier() -> Vec<u32> {
    let mut asm = Asm::new(3);
    asm.capability(Capability::SplitBarrierINTEL);
    asm.extension("SPV_INTEL_split_barrier");
    let (word, wide) = (asm.ty(int(32)), asm.ty(int(64)));
    let board = asm.array(word, 256);
    let local = asm.variable(StorageClass::Workgroup, board, None);
    let place = asm.pointer(StorageClass::Workgroup, word);
    let out = asm.pointer(GLOBAL, word);
    let (scope, release, acquire) = (asm.word(WORKGROUP), asm.word(0x104), asm.word(0x102));
    let one = asm.constant(int(64), 1);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let id = asm.builtin_x(BuiltIn::LocalInvocationId);
    let size = asm.builtin_x(BuiltIn::WorkgroupSize);
    let number = asm.op(Op::UConvert, word, &[index]);
    let mine = asm.op(Op::InBoundsAccessChain, place, &[local, id]);
    asm.effect(Op::Store, &[mine, number]);
    asm.effect(Op::ControlBarrierArriveINTEL, &[scope, scope, release]);
    let next = asm.op(Op::IAdd, wide, &[id, one]);
    let next = asm.op(Op::UMod, wide, &[next, size]);
    asm.effect(Op::ControlBarrierWaitINTEL, &[scope, scope, acquire]);
    let theirs = asm.op(Op::InBoundsAccessChain, place, &[local, next]);
    let value = asm.op(Op::Load, word, &[theirs]);
    asm.store_at(params[0], word, index, value);
    asm.end();
    asm.words()
}

#[test]
fn split_barriers() {
    let jit = jit(&split_barrier(), 16);
    let kernel = jit.kernel("k");
    for local in [1u64, 2, 7, 64, 255] {
        let mut out = vec![u32::MAX; 3 * local as usize];
        kernel.run([3 * local, 1, 1], [local, 1, 1], &[pointer(&mut out)]);
        for (n, got) in (0..).zip(out) {
            let base = n / local * local;
            assert_eq!(
                u64::from(got),
                base + (n - base + 1) % local,
                "local size {local}"
            );
        }
    }
}
