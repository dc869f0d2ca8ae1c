use super::*;
use crate::ir::Linkage;
use crate::testing::Compiled;

/// A combine function with the signature it has.
type Combine = unsafe extern "C" fn(*mut u8, u64, u64, u32);

const SLOT: usize = 64;
const SLOTS: usize = item::item::SLOTS as usize;
const STRIDE: usize = 512;
const WIDTH: u32 = 16;
const HERE: u32 = 7;

/// A group's records, some of whose items wait elsewhere.
struct Records {
    memory: Vec<u128>,
    present: Vec<bool>,
}

impl Records {
    fn new(present: &[bool]) -> Records {
        let mut records = Records {
            memory: vec![u128::MAX; present.len() * STRIDE / 16],
            present: present.to_vec(),
        };
        for (i, here) in present.iter().enumerate() {
            let key = if *here { HERE } else { HERE + 1 };
            records.put(i, 0, &key.to_ne_bytes());
        }
        records
    }

    fn put(&mut self, index: usize, offset: usize, bytes: &[u8]) {
        let at = index * STRIDE + offset;
        // SAFETY: every record has `STRIDE` bytes, and a vector of numbers may be seen as bytes.
        let all = unsafe { self.memory.align_to_mut::<u8>().1 };
        all[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn input(&mut self, index: usize, offset: usize, bytes: &[u8]) {
        self.put(index, SLOTS + offset, bytes);
    }

    fn output<const N: usize>(&self, index: usize) -> [u8; N] {
        let at = index * STRIDE + SLOTS + SLOT;
        // SAFETY: as above.
        let all = unsafe { self.memory.align_to::<u8>().1 };
        all[at..at + N].try_into().expect("the length fits")
    }

    fn run(&mut self, combine: Combine) {
        let count = self.present.len() as u64;
        // SAFETY: the records are laid out as the function expects, and it only touches these.
        unsafe { combine(self.memory.as_mut_ptr().cast(), STRIDE as u64, count, HERE) };
    }
}

/// Makes `call`'s combine function callable under `name`.
fn export(m: &ModuleBuilder, call: &SyncCall, name: &str) {
    let params = [Type::PTR, Type::I64, Type::I64, Type::I32];
    let inner = call.combine(m, SLOT as u64);
    let mut fb = FunctionBuilder::new(m, name, Linkage::External, &Type::Void, &params);
    let args: Vec<Value> = (0..4).map(|i| fb.param(i)).collect();
    fb.call(&inner, &Type::Void, &args);
    fb.ret(None);
    fb.finish();
}

/// Compiles one operation and gives it to `body`.
fn with(
    op: Op,
    operation: Option<u32>,
    result: &Type,
    args: &[Value],
    body: impl FnOnce(Combine, &SyncCall),
) {
    let call = SyncCall::new(op, Some(3), operation, result, args, WIDTH).expect("it exists");
    assert!(call.slot_size() <= SLOT as u64);
    let m = ModuleBuilder::new();
    export(&m, &call, "run");
    let compiled = Compiled::new(&m);
    // SAFETY: built with this signature, called while the code is there.
    body(unsafe { compiled.function("run") }, &call);
}

fn value(ty: &Type) -> Value {
    Value::new(ty, "%v")
}

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) ^ (x >> 29)
    }
}

/// Group sizes and who takes part.
fn populations() -> Vec<Vec<bool>> {
    let mut random = Random(1);
    let mut all: Vec<Vec<bool>> = (1..=20).map(|n| vec![true; n]).collect();
    for n in [1, 2, 5, 16, 33, 64, 257] {
        let mut some: Vec<bool> = (0..n).map(|_| random.next() & 3 != 0).collect();
        some[n / 2] = true;
        all.push(some);
        all.push((0..n).map(|i| i == n - 1).collect());
    }
    all
}

/// The results of a reduction over those present, in order.
fn reference<T: Copy>(
    values: &[T],
    present: &[bool],
    reach: Reach,
    visible: T,
    hidden: T,
    f: impl Fn(T, T) -> T,
) -> Vec<Option<T>> {
    let cluster = match reach {
        Reach::Cluster(n) => n as usize,
        _ => values.len(),
    };
    (0..values.len())
        .map(|i| {
            if !present[i] {
                return None;
            }
            let base = i / cluster * cluster;
            let (end, start) = match reach {
                Reach::Inclusive => (i + 1, hidden),
                Reach::Exclusive => (i, visible),
                _ => ((base + cluster).min(values.len()), hidden),
            };
            let members = (base..end).filter(|j| present[*j]);
            Some(members.fold(start, |sum, j| f(sum, values[j])))
        })
        .collect()
}

const REACHES: [(u32, Reach); 4] = [
    (0, Reach::All),
    (1, Reach::Inclusive),
    (2, Reach::Exclusive),
    (3, Reach::Cluster(4)),
];

fn args_for(ty: &Type, reach: Reach) -> Vec<Value> {
    let mut args = vec![value(ty)];
    if reach == Reach::Cluster(4) {
        args.push(Value::i32(4));
    }
    args
}

type IntFn = fn(i64, i64) -> i64;

#[test]
fn integer_reductions_and_scans() {
    let table: [(Op, i64, IntFn); 9] = [
        (Op::GroupIAdd, 0, |a, b| a.wrapping_add(b)),
        (Op::GroupIMulKHR, 1, |a, b| a.wrapping_mul(b)),
        (Op::GroupSMin, i64::MAX, i64::min),
        (Op::GroupSMax, i64::MIN, i64::max),
        (Op::GroupUMin, -1, |a, b| (a as u64).min(b as u64) as i64),
        (Op::GroupUMax, 0, |a, b| (a as u64).max(b as u64) as i64),
        (Op::GroupNonUniformBitwiseAnd, -1, |a, b| a & b),
        (Op::GroupBitwiseOrKHR, 0, |a, b| a | b),
        (Op::GroupBitwiseXorKHR, 0, |a, b| a ^ b),
    ];
    for (op, identity, f) in table {
        for (number, reach) in REACHES {
            let ty = Type::I64;
            with(op, Some(number), &ty, &args_for(&ty, reach), |run, _| {
                let mut random = Random(op as u64);
                for present in populations() {
                    let mut records = Records::new(&present);
                    let values: Vec<i64> = present.iter().map(|_| random.next() as i64).collect();
                    for (i, v) in values.iter().enumerate() {
                        records.input(i, 0, &v.to_ne_bytes());
                    }
                    records.run(run);
                    let want = reference(&values, &present, reach, identity, identity, f);
                    for (i, want) in want.into_iter().enumerate() {
                        let got = i64::from_ne_bytes(records.output(i));
                        // Those that do not take part keep what they had.
                        assert_eq!(got, want.unwrap_or(-1), "{op:?} {reach:?} {i}");
                    }
                }
            });
        }
    }
}

#[test]
fn narrow_types_and_conditions() {
    // The smallest of narrow integers needs the right identity and signedness.
    for (op, want) in [
        (Op::GroupSMin, 0x80u8),
        (Op::GroupSMax, 0x7f),
        (Op::GroupUMin, 0x01),
        (Op::GroupUMax, 0xff),
    ] {
        with(op, Some(0), &Type::I8, &[value(&Type::I8)], |run, _| {
            let mut records = Records::new(&[true; 5]);
            for (i, v) in [0x01u8, 0x80, 0xff, 0x7f, 0x10].into_iter().enumerate() {
                records.input(i, 0, &[v]);
            }
            records.run(run);
            assert_eq!(records.output(0), [want], "{op:?}");
        });
    }
    for (op, f) in [
        (
            Op::GroupAll,
            (|n, ones| n == ones) as fn(usize, usize) -> bool,
        ),
        (Op::GroupAny, |_, ones| ones > 0),
        (Op::GroupNonUniformAll, |n, ones| n == ones),
        (Op::SubgroupAnyKHR, |_, ones| ones > 0),
    ] {
        with(op, None, &Type::I1, &[value(&Type::I1)], |run, _| {
            let mut random = Random(3);
            for present in populations() {
                for density in 0..4 {
                    let mut records = Records::new(&present);
                    let (mut n, mut ones) = (0, 0);
                    for (i, here) in present.iter().enumerate() {
                        let bit = random.next() % 3 < density;
                        records.input(i, 0, &[u8::from(bit)]);
                        n += usize::from(*here);
                        ones += usize::from(*here && bit);
                    }
                    records.run(run);
                    for (i, _) in present.iter().enumerate().filter(|(_, here)| **here) {
                        assert_eq!(records.output(i), [u8::from(f(n, ones))], "{op:?}");
                    }
                }
            }
        });
    }
}

/// The reduction of those that are there, in sixteen partial ones that are combined as a tree.
fn in_parts(values: &[f64], present: &[bool], start: f64, f: fn(f64, f64) -> f64) -> f64 {
    let mut parts = [start; 16];
    let there = values.iter().zip(present).filter(|(_, here)| **here);
    for (number, (value, _)) in there.enumerate() {
        parts[number % 16] = f(parts[number % 16], *value);
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            parts[i] = f(parts[i], parts[i + half]);
        }
    }
    parts[0]
}

#[test]
fn float_reductions_run_in_a_fixed_order() {
    type FloatFn = fn(f64, f64) -> f64;
    let nan = f64::NAN;
    let table: [(Op, f64, f64, FloatFn); 4] = [
        (Op::GroupFAdd, 0.0, -0.0, |a, b| a + b),
        (Op::GroupFMulKHR, 1.0, 1.0, |a, b| a * b),
        (Op::GroupFMin, f64::INFINITY, nan, f64::min),
        (Op::GroupFMax, f64::NEG_INFINITY, nan, f64::max),
    ];
    for (op, visible, hidden, f) in table {
        for (number, reach) in REACHES {
            let ty = Type::Double;
            with(op, Some(number), &ty, &args_for(&ty, reach), |run, _| {
                let mut random = Random(op as u64);
                for present in populations() {
                    let mut records = Records::new(&present);
                    let values: Vec<f64> = present
                        .iter()
                        .map(|_| (random.next() as i64 as f64) * 1e-9 / 7.0)
                        .collect();
                    for (i, v) in values.iter().enumerate() {
                        records.input(i, 0, &v.to_ne_bytes());
                    }
                    records.run(run);
                    let mut want = reference(&values, &present, reach, visible, hidden, f);
                    if reach == Reach::All && !hidden.is_nan() {
                        let total = in_parts(&values, &present, hidden, f);
                        want.iter_mut().flatten().for_each(|want| *want = total);
                    }
                    for (i, want) in want.into_iter().enumerate() {
                        if let Some(want) = want {
                            let got = f64::from_ne_bytes(records.output(i));
                            assert_eq!(got.to_bits(), want.to_bits(), "{op:?} {reach:?} {i}");
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn vectors_reduce_by_lane() {
    let ty = Type::vector(&Type::Float, 4);
    with(Op::GroupFAdd, Some(0), &ty, &[value(&ty)], |run, _| {
        let mut records = Records::new(&[true; 3]);
        for i in 0..3 {
            for lane in 0..4 {
                let v = (i * 10 + lane) as f32;
                records.input(i, lane * 4, &v.to_ne_bytes());
            }
        }
        records.run(run);
        let out: [u8; 16] = records.output(1);
        let lanes: Vec<f32> = out
            .chunks(4)
            .map(|c| f32::from_ne_bytes(c.try_into().expect("four bytes")))
            .collect();
        assert_eq!(lanes, [30.0, 33.0, 36.0, 39.0]);
    });
}

/// The item that item `i` of `n` gets its value from, and whether it is the second of two.
type OriginFn = fn(i64, i64, i64) -> (i64, bool);

#[test]
fn values_move_between_items() {
    let w = i64::from(WIDTH);
    assert_eq!(w, 16);
    let table: [(Op, bool, OriginFn); 10] = [
        (Op::SubgroupShuffleINTEL, false, |_, by, _| (by, false)),
        (Op::GroupBroadcast, false, |_, by, _| (by, false)),
        (Op::GroupNonUniformShuffleXor, false, |i, by, _| {
            (i ^ by, false)
        }),
        (Op::GroupNonUniformShuffleUp, false, |i, by, _| {
            (i - by, false)
        }),
        (Op::GroupNonUniformShuffleDown, false, |i, by, _| {
            (i + by, false)
        }),
        (Op::GroupNonUniformRotateKHR, false, |i, by, n| {
            ((i + by) % n, false)
        }),
        (Op::GroupNonUniformQuadBroadcast, false, |i, by, _| {
            (i / 4 * 4 + by, false)
        }),
        (Op::GroupNonUniformQuadSwap, false, |i, by, _| {
            (i ^ [1, 2, 3, 4][by.min(3) as usize], false)
        }),
        (Op::SubgroupShuffleUpINTEL, true, |i, by, _| {
            if i >= by {
                (i - by, true)
            } else {
                (i - by + 16, false)
            }
        }),
        (Op::SubgroupShuffleDownINTEL, true, |i, by, _| {
            if i + by < 16 {
                (i + by, false)
            } else {
                (i + by - 16, true)
            }
        }),
    ];
    for (op, pair, origin) in table {
        let ty = Type::I32;
        let mut args = vec![value(&ty); if pair { 2 } else { 1 }];
        args.push(value(&Type::I32));
        with(op, None, &ty, &args, |run, call| {
            let index_at = call
                .input
                .offset(if pair { 2 } else { 1 })
                .expect("a member");
            for present in populations().iter().filter(|p| p.len() <= 16) {
                let n = present.len() as i64;
                for by in 0..n.min(4) {
                    let mut records = Records::new(present);
                    for i in 0..present.len() {
                        records.input(i, 0, &(100 + i as u32).to_ne_bytes());
                        if pair {
                            records.input(i, 4, &(200 + i as u32).to_ne_bytes());
                        }
                        records.input(i, index_at as usize, &by.to_ne_bytes());
                    }
                    records.run(run);
                    for i in (0..present.len()).filter(|i| present[*i]) {
                        let (from, second) = origin(i as i64, by, n);
                        // Where there is nobody the result is open; it must not fault.
                        let there = usize::try_from(from)
                            .ok()
                            .is_some_and(|f| present.get(f) == Some(&true));
                        if there {
                            let base = if second { 200 } else { 100 };
                            let got = u32::from_ne_bytes(records.output(i));
                            assert_eq!(got, base + from as u32, "{op:?} {i} {by} of {n}");
                        }
                    }
                }
            }
        });
    }
}

#[test]
fn elections_ballots_and_equality() {
    with(Op::GroupNonUniformElect, None, &Type::I1, &[], |run, _| {
        for present in populations() {
            let mut records = Records::new(&present);
            records.run(run);
            let first = present.iter().position(|here| *here);
            for i in (0..present.len()).filter(|i| present[*i]) {
                assert_eq!(records.output(i), [u8::from(Some(i) == first)]);
            }
        }
    });
    let words = Type::vector(&Type::I32, 4);
    with(
        Op::GroupNonUniformBallot,
        None,
        &words,
        &[value(&Type::I1)],
        |run, _| {
            for present in populations().iter().filter(|p| p.len() <= 64) {
                let mut records = Records::new(present);
                let mut want = 0u128;
                for (i, here) in present.iter().enumerate() {
                    let bit = i % 3 != 1;
                    records.input(i, 0, &[u8::from(bit)]);
                    want |= u128::from(*here && bit) << i;
                }
                records.run(run);
                for i in (0..present.len()).filter(|i| present[*i]) {
                    assert_eq!(u128::from_ne_bytes(records.output(i)), want);
                }
            }
        },
    );
    with(
        Op::GroupNonUniformAllEqual,
        None,
        &Type::I1,
        &[value(&Type::Float)],
        |run, _| {
            for (values, want) in [([1.5f32; 4], 1u8), ([1.5, 1.5, 2.0, 1.5], 0)] {
                let mut records = Records::new(&[true; 4]);
                for (i, v) in values.iter().enumerate() {
                    records.input(i, 0, &v.to_ne_bytes());
                }
                records.run(run);
                assert_eq!(records.output(3), [want]);
            }
        },
    );
    let op = Op::GroupNonUniformBroadcastFirst;
    with(op, None, &Type::I32, &[value(&Type::I32)], |run, _| {
        let mut records = Records::new(&[false, true, true]);
        for i in 0..3u32 {
            records.input(i as usize, 0, &(5 + i).to_ne_bytes());
        }
        records.run(run);
        assert_eq!(u32::from_ne_bytes(records.output(2)), 6);
    });
}

#[test]
fn instructions_without_synchronisation() {
    type LocalFn = unsafe extern "C" fn(*const u8, *const u8, *mut u8);
    let words = Type::vector(&Type::I32, 4);
    let m = ModuleBuilder::new();
    let ops = [
        ("inverse", Op::GroupNonUniformInverseBallot, None, Type::I1),
        (
            "count",
            Op::GroupNonUniformBallotBitCount,
            Some(0),
            Type::I32,
        ),
        (
            "upto",
            Op::GroupNonUniformBallotBitCount,
            Some(1),
            Type::I32,
        ),
        (
            "before",
            Op::GroupNonUniformBallotBitCount,
            Some(2),
            Type::I32,
        ),
        ("lowest", Op::GroupNonUniformBallotFindLSB, None, Type::I32),
        ("highest", Op::GroupNonUniformBallotFindMSB, None, Type::I32),
        (
            "extract",
            Op::GroupNonUniformBallotBitExtract,
            None,
            Type::I1,
        ),
    ];
    for (name, op, operation, result) in &ops {
        assert!(is_local_op(*op) && !is_group_op(*op));
        let params = [Type::PTR; 3];
        let mut fb = FunctionBuilder::new(&m, name, Linkage::External, &Type::Void, &params);
        let (record, ballot) = (fb.param(0), fb.param(1));
        let mut args = vec![fb.load(&words, &ballot, 4)];
        if *name == "extract" {
            args.push(Value::i32(37));
        }
        let value =
            local(&mut fb, &record, *op, *operation, result, &args, WIDTH).expect("it exists");
        let value = fb.int_cast(&value, &Type::I32, false);
        fb.store(&value, &fb.param(2), 4);
        fb.ret(None);
        fb.finish();
    }
    // A block of pairs, read and written back one further.
    let pair = Type::vector(&Type::I16, 2);
    let mut fb = FunctionBuilder::new(
        &m,
        "blocks",
        Linkage::External,
        &Type::Void,
        &[Type::PTR; 3],
    );
    let (record, from, to) = (fb.param(0), fb.param(1), fb.param(2));
    let read = local(
        &mut fb,
        &record,
        Op::SubgroupBlockReadINTEL,
        None,
        &pair,
        &[from],
        WIDTH,
    )
    .expect("it exists");
    local(
        &mut fb,
        &record,
        Op::SubgroupBlockWriteINTEL,
        None,
        &Type::Void,
        &[to, read],
        WIDTH,
    )
    .expect("it exists");
    fb.ret(None);
    fb.finish();

    let code = Compiled::new(&m);
    for lane in 0..48usize {
        let mut record = [0u32; 32];
        record[item::item::LANE as usize / 4] = lane as u32;
        record[item::item::SUB_GROUP_SIZE as usize / 4] = 48;
        let ballot = (1u128 << 3) | (1 << 37) | (1 << 40) | (1 << 60);
        let bits = |n: usize| (ballot & ((1 << n) - 1)).count_ones();
        for (name, want) in [
            ("inverse", (ballot >> lane & 1) as u32),
            ("count", 3),
            ("upto", bits(lane + 1)),
            ("before", bits(lane)),
            ("lowest", 3),
            ("highest", 60),
            ("extract", 1),
        ] {
            let mut out = 0u32;
            // SAFETY: built with this signature; all pointers are to live memory that suffices.
            unsafe {
                let f: LocalFn = code.function(name);
                f(
                    record.as_ptr().cast(),
                    (&raw const ballot).cast(),
                    (&raw mut out).cast(),
                );
            }
            assert_eq!(out, want, "{name} {lane}");
        }
    }
    let source: Vec<u16> = (0..32).collect();
    let mut target = vec![0u16; 32];
    for lane in 0..16u32 {
        let mut record = [0u32; 32];
        record[item::item::LANE as usize / 4] = lane;
        // SAFETY: as above; the block has two elements for each of 16 items.
        unsafe {
            let f: LocalFn = code.function("blocks");
            f(
                record.as_ptr().cast(),
                source.as_ptr().cast(),
                target.as_mut_ptr().cast(),
            );
        }
        assert_eq!(target[lane as usize], lane as u16);
        assert_eq!(target[16 + lane as usize], 16 + lane as u16);
    }
    assert_eq!(source, target);
}

#[test]
fn operands_are_packed_and_local_ids_flattened() {
    let m = ModuleBuilder::new();
    let ids = Type::vector(&Type::I64, 3);
    let args = [value(&Type::I32), value(&ids)];
    let call = SyncCall::new(Op::GroupBroadcast, Some(2), None, &Type::I32, &args, WIDTH)
        .expect("it exists");
    assert!(!call.sub_group);
    assert_eq!(call.name, "ur.wg.shuffle.i32");
    let params = [Type::PTR, Type::PTR, Type::PTR];
    let mut fb = FunctionBuilder::new(&m, "pack", Linkage::External, &Type::Void, &params);
    let (group, id) = (fb.param(0), fb.param(1));
    let id = fb.load(&ids, &id, 8);
    let packed = call.pack(&mut fb, &group, &[Value::i32(5), id]);
    fb.store(&packed, &fb.param(2), 8);
    fb.ret(None);
    fb.finish();
    let code = Compiled::new(&m);
    let mut group = [0u64; 16];
    let size = item::group::SIZE as usize / 8;
    group[size..size + 3].copy_from_slice(&[7, 5, 3]);
    let (id, mut out) = ([3u64, 2, 1, 0], [0u64; 2]);
    // SAFETY: built with this signature; the memory holds what it reads and writes.
    unsafe {
        let f: unsafe extern "C" fn(*const u64, *const u64, *mut u64) = code.function("pack");
        f(group.as_ptr(), id.as_ptr(), out.as_mut_ptr());
    }
    assert_eq!((out[0] as u32, out[1]), (5, 3 + 7 * (2 + 5)));
}

#[test]
fn what_does_not_exist_is_refused() {
    let arg = [value(&Type::I32)];
    let new = |op, scope, operation, args: &[Value]| {
        SyncCall::new(op, scope, operation, &Type::I32, args, WIDTH)
    };
    assert!(new(Op::GroupIAdd, Some(1), Some(0), &arg).is_err());
    assert!(new(Op::GroupIAdd, Some(2), Some(6), &arg).is_err());
    assert!(new(Op::GroupIAdd, Some(2), Some(0), &[]).is_err());
    let odd = [value(&Type::I32), Value::i32(3)];
    assert!(new(Op::GroupNonUniformIAdd, Some(3), Some(3), &odd).is_err());
    assert!(new(Op::IAdd, None, None, &arg).is_err());
}
