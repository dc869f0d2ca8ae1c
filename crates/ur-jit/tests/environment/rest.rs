//! Instructions that no other test of these has, each with a result that is compared.

use rspirv::spirv::{Op, StorageClass};

use super::asm::{Asm, BOOL, Id, Ty, elementwise, float, int};
use super::run::{fill, get, run};

/// Opcodes that describe a module, and types that may be named but whose values nothing makes: pipes
/// and queues need capabilities that are refused.
pub const DECLARATIONS: &[Op] = &[
    Op::Line,
    Op::NoLine,
    Op::String,
    Op::DecorationGroup,
    Op::AliasDomainDeclINTEL,
    Op::AliasScopeDeclINTEL,
    Op::AliasScopeListDeclINTEL,
    Op::TypeOpaque,
    Op::TypeDeviceEvent,
    Op::TypeReserveId,
    Op::TypeQueue,
    Op::TypePipe,
];

const NUMBER: Ty = int(32);
const SINGLE: Ty = float(32);

/// Comparisons of two floats, which may be NaN.
const FLOAT_COMPARISONS: [Op; 15] = [
    Op::FOrdEqual,
    Op::FUnordEqual,
    Op::FOrdNotEqual,
    Op::FUnordNotEqual,
    Op::FOrdLessThan,
    Op::FUnordLessThan,
    Op::FOrdGreaterThan,
    Op::FUnordGreaterThan,
    Op::FOrdLessThanEqual,
    Op::FUnordLessThanEqual,
    Op::FOrdGreaterThanEqual,
    Op::FUnordGreaterThanEqual,
    Op::LessOrGreater,
    Op::Ordered,
    Op::Unordered,
];

fn float_comparison(op: Op, a: f32, b: f32) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match op {
        Op::FOrdEqual => a == b,
        Op::FUnordEqual => unordered || a == b,
        Op::FOrdNotEqual | Op::LessOrGreater => !unordered && a != b,
        Op::FUnordNotEqual => a != b,
        Op::FOrdLessThan => a < b,
        Op::FUnordLessThan => unordered || a < b,
        Op::FOrdGreaterThan => a > b,
        Op::FUnordGreaterThan => unordered || a > b,
        Op::FOrdLessThanEqual => a <= b,
        Op::FUnordLessThanEqual => unordered || a <= b,
        Op::FOrdGreaterThanEqual => a >= b,
        Op::FUnordGreaterThanEqual => unordered || a >= b,
        Op::Ordered => !unordered,
        _ => unordered,
    }
}

const CLASSES: [Op; 5] = [
    Op::IsNan,
    Op::IsInf,
    Op::IsFinite,
    Op::IsNormal,
    Op::SignBitSet,
];

fn class(op: Op, a: f32) -> bool {
    match op {
        Op::IsNan => a.is_nan(),
        Op::IsInf => a.is_infinite(),
        Op::IsFinite => a.is_finite(),
        Op::IsNormal => a.is_normal(),
        _ => a.is_sign_negative(),
    }
}

const INTEGER_COMPARISONS: [Op; 10] = [
    Op::IEqual,
    Op::INotEqual,
    Op::UGreaterThan,
    Op::SGreaterThan,
    Op::UGreaterThanEqual,
    Op::SGreaterThanEqual,
    Op::ULessThan,
    Op::SLessThan,
    Op::ULessThanEqual,
    Op::SLessThanEqual,
];

fn integer_comparison(op: Op, a: u32, b: u32) -> bool {
    let (x, y) = (a as i32, b as i32);
    match op {
        Op::IEqual => a == b,
        Op::INotEqual => a != b,
        Op::UGreaterThan => a > b,
        Op::SGreaterThan => x > y,
        Op::UGreaterThanEqual => a >= b,
        Op::SGreaterThanEqual => x >= y,
        Op::ULessThan => a < b,
        Op::SLessThan => x < y,
        Op::ULessThanEqual => a <= b,
        _ => x <= y,
    }
}

const LOGIC: [Op; 4] = [
    Op::LogicalEqual,
    Op::LogicalNotEqual,
    Op::LogicalOr,
    Op::LogicalAnd,
];

fn logic(op: Op, a: bool, b: bool) -> bool {
    match op {
        Op::LogicalEqual => a == b,
        Op::LogicalNotEqual => a != b,
        Op::LogicalOr => a || b,
        _ => a && b,
    }
}

/// Integer instructions with one result, what they make of `a` and `b`.
const INTEGERS: [Op; 14] = [
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::SNegate,
    Op::Not,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::BitwiseAnd,
    Op::BitReverse,
    Op::BitCount,
    Op::BitFieldInsert,
    Op::BitFieldSExtract,
    Op::BitFieldUExtract,
    Op::Bitcast,
];

/// Offset and width of the fields.
const FIELD: (u32, u32) = (5, 9);

fn integer(op: Op, a: u32, b: u32) -> u32 {
    let mask = (1 << FIELD.1) - 1;
    let field = a >> FIELD.0 & mask;
    match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::SNegate => a.wrapping_neg(),
        Op::Not => !a,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::BitwiseAnd => a & b,
        Op::BitReverse => a.reverse_bits(),
        Op::BitCount => a.count_ones(),
        Op::BitFieldInsert => a & !(mask << FIELD.0) | (b & mask) << FIELD.0,
        Op::BitFieldSExtract => ((field << (32 - FIELD.1)) as i32 >> (32 - FIELD.1)) as u32,
        Op::BitFieldUExtract => field,
        _ => a,
    }
}

const EXTENDED: [Op; 4] = [
    Op::IAddCarry,
    Op::ISubBorrow,
    Op::UMulExtended,
    Op::SMulExtended,
];

fn extended(op: Op, a: u32, b: u32) -> [u32; 2] {
    let product = u64::from(a) * u64::from(b);
    let signed = i64::from(a as i32) * i64::from(b as i32);
    match op {
        Op::IAddCarry => [a.wrapping_add(b), u32::from(a.checked_add(b).is_none())],
        Op::ISubBorrow => [a.wrapping_sub(b), u32::from(a < b)],
        Op::UMulExtended => [product as u32, (product >> 32) as u32],
        _ => [signed as u32, (signed >> 32) as u32],
    }
}

const FLOATS: [Op; 7] = [
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FRem,
    Op::FMod,
    Op::FNegate,
];

fn float_result(op: Op, a: f32, b: f32) -> f32 {
    match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::FMod => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                rest + b
            } else {
                rest
            }
        }
        _ => -a,
    }
}

/// Types of the results, in order.
fn outputs() -> Vec<Ty> {
    let truths = FLOAT_COMPARISONS.len() + CLASSES.len() + INTEGER_COMPARISONS.len();
    let mut all = vec![BOOL; truths + LOGIC.len() + 3];
    all.extend([NUMBER; INTEGERS.len() + 2 * EXTENDED.len()]);
    all.extend([SINGLE; FLOATS.len() + 4]);
    all.extend([NUMBER; 5]);
    all
}

/// All of it on two integers and two floats.
pub fn instructions() -> Vec<u32> {
    let asm = Asm::new(4);
    let inputs = [NUMBER, NUMBER, SINGLE, SINGLE];
    elementwise(asm, &inputs, &outputs(), |asm, values| {
        let [a, b, x, y] = [values[0], values[1], values[2], values[3]];
        let (truth, word, single) = (asm.ty(BOOL), asm.ty(NUMBER), asm.ty(SINGLE));
        let mut all: Vec<Id> = Vec::new();
        for op in FLOAT_COMPARISONS {
            all.push(asm.op(op, truth, &[x, y]));
        }
        for op in CLASSES {
            all.push(asm.op(op, truth, &[x]));
        }
        for op in INTEGER_COMPARISONS {
            all.push(asm.op(op, truth, &[a, b]));
        }
        let (p, q) = (
            asm.op(Op::ULessThan, truth, &[a, b]),
            asm.op(Op::FOrdLessThan, truth, &[x, y]),
        );
        for op in LOGIC {
            all.push(asm.op(op, truth, &[p, q]));
        }
        all.push(asm.op(Op::LogicalNot, truth, &[p]));
        let truths = asm.ty(BOOL.times(2));
        let both = asm.op(Op::CompositeConstruct, truths, &[p, q]);
        all.push(asm.op(Op::Any, truth, &[both]));
        all.push(asm.op(Op::All, truth, &[both]));

        let (offset, width) = (asm.word(FIELD.0), asm.word(FIELD.1));
        for op in INTEGERS {
            let operands = match op {
                Op::SNegate | Op::Not | Op::BitReverse | Op::BitCount => vec![a],
                Op::BitFieldInsert => vec![a, b, offset, width],
                Op::BitFieldSExtract | Op::BitFieldUExtract => vec![a, offset, width],
                Op::Bitcast => {
                    let bits = asm.op(Op::Bitcast, single, &[a]);
                    vec![bits]
                }
                _ => vec![a, b],
            };
            all.push(asm.op(op, word, &operands));
        }
        let pair = asm.declare(Op::TypeStruct, &[word, word]);
        for op in EXTENDED {
            let both = asm.op(op, pair, &[a, b]);
            all.push(asm.op(Op::CompositeExtract, word, &[both, 0]));
            all.push(asm.op(Op::CompositeExtract, word, &[both, 1]));
        }
        for op in FLOATS {
            let operands = if op == Op::FNegate {
                vec![x]
            } else {
                vec![x, y]
            };
            all.push(asm.op(op, single, &operands));
        }
        let vector = asm.ty(SINGLE.times(2));
        let xy = asm.op(Op::CompositeConstruct, vector, &[x, y]);
        let scaled = asm.op(Op::VectorTimesScalar, vector, &[xy, y]);
        all.push(asm.op(Op::CompositeExtract, single, &[scaled, 0]));
        all.push(asm.op(Op::Dot, single, &[xy, scaled]));
        all.push(asm.op(Op::QuantizeToF16, single, &[y]));
        let swapped = asm.op(Op::VectorShuffle, vector, &[xy, xy, 1, 2]);
        let swapped = asm.op(Op::CompositeInsert, vector, &[x, swapped, 1]);
        all.push(asm.op(Op::CompositeExtract, single, &[swapped, 0]));

        // Vectors whose element is chosen at run time, addresses as numbers, private memory.
        let vector = asm.ty(NUMBER.times(4));
        let (zero, three, nine) = (asm.word(0), asm.word(3), asm.word(9));
        let lane = asm.op(Op::BitwiseAnd, word, &[a, three]);
        let quad = asm.op(Op::CompositeConstruct, vector, &[zero, a, b, nine]);
        all.push(asm.op(Op::VectorExtractDynamic, word, &[quad, lane]));
        let changed = asm.op(Op::VectorInsertDynamic, vector, &[quad, nine, lane]);
        all.push(asm.op(Op::CompositeExtract, word, &[changed, 1]));
        let wide = asm.ty(int(64));
        let address = asm.op(Op::SConvert, wide, &[a]);
        let to = asm.pointer(StorageClass::CrossWorkgroup, word);
        let address = asm.op(Op::ConvertUToPtr, to, &[address]);
        let address = asm.op(Op::ConvertPtrToU, wide, &[address]);
        all.push(asm.op(Op::UConvert, word, &[address]));
        all.push(asm.op(Op::Select, word, &[p, a, b]));
        let merge = asm.id();
        let (yes, no) = (asm.id(), asm.id());
        asm.effect(Op::SelectionMerge, &[merge, 0]);
        asm.effect(Op::Switch, &[lane, no, 1, yes, 2, merge]);
        asm.begin(yes);
        asm.effect(Op::Nop, &[]);
        asm.effect(Op::Branch, &[merge]);
        asm.begin(no);
        asm.effect(Op::Branch, &[merge]);
        let here = asm.current_before(&[yes, no]);
        asm.begin(merge);
        all.push(asm.op(Op::Phi, word, &[a, yes, b, no, nine, here]));
        all
    })
}

#[test]
fn instructions_on_numbers() {
    let words = instructions();
    let integers = [
        0u32,
        1,
        2,
        3,
        0x7fff_ffff,
        0x8000_0000,
        u32::MAX,
        0x1234_5678,
    ];
    let floats = [
        0.0,
        -0.0,
        1.5,
        -2.25,
        f32::NAN,
        f32::INFINITY,
        f32::MIN_POSITIVE / 4.0,
        -7.0,
    ];
    let count = 64;
    let (a, b) = (|i: usize| integers[i % 8], |i: usize| integers[i / 8]);
    let (x, y) = (|i: usize| floats[i % 8], |i: usize| floats[i / 8]);
    let mut inputs = [
        fill(NUMBER, count, |i, _| u64::from(a(i))),
        fill(NUMBER, count, |i, _| u64::from(b(i))),
        fill(SINGLE, count, |i, _| u64::from(x(i).to_bits())),
        fill(SINGLE, count, |i, _| u64::from(y(i).to_bits())),
    ];
    let types = outputs();
    let results = run(&words, count, &mut inputs, &types);
    for i in 0..count {
        let (a, b, x, y) = (a(i), b(i), x(i), y(i));
        let mut next = results.iter().zip(&types);
        let mut result = || {
            let (words, ty) = next.next().expect("another result");
            get(words, *ty, i, 0) as u32
        };
        for op in FLOAT_COMPARISONS {
            assert_eq!(result() != 0, float_comparison(op, x, y), "{op:?} {x} {y}");
        }
        for op in CLASSES {
            assert_eq!(result() != 0, class(op, x), "{op:?} {x}");
        }
        for op in INTEGER_COMPARISONS {
            assert_eq!(
                result() != 0,
                integer_comparison(op, a, b),
                "{op:?} {a} {b}"
            );
        }
        let (p, q) = (a < b, x < y);
        for op in LOGIC {
            assert_eq!(result() != 0, logic(op, p, q), "{op:?} {p} {q}");
        }
        assert_eq!(result() != 0, !p);
        assert_eq!(result() != 0, p || q);
        assert_eq!(result() != 0, p && q);
        for op in INTEGERS {
            assert_eq!(result(), integer(op, a, b), "{op:?} {a:#x} {b:#x}");
        }
        for op in EXTENDED {
            let want = extended(op, a, b);
            assert_eq!([result(), result()], want, "{op:?} {a:#x} {b:#x}");
        }
        let mut single = |want: f32, what: &str| {
            let got = f32::from_bits(result());
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{what} of {x} and {y}: {got} where {want} is right");
        };
        for op in FLOATS {
            single(float_result(op, x, y), &format!("{op:?}"));
        }
        single(x * y, "VectorTimesScalar");
        single(x * (x * y) + y * (y * y), "Dot");
        let half = super::numbers::value_of(super::numbers::bits_of(f64::from(y), 16), 16);
        single(half as f32, "QuantizeToF16");
        single(y, "VectorShuffle");
        let quad = [0, a, b, 9];
        let lane = (a & 3) as usize;
        assert_eq!(result(), quad[lane]);
        assert_eq!(result(), if lane == 1 { 9 } else { a });
        assert_eq!(result(), a);
        assert_eq!(result(), if p { a } else { b });
        assert_eq!(result(), [b, a, 9, b][lane]);
    }
}

/// The float instructions on vectors of a type.
pub fn float_vectors(ty: Ty) -> Vec<u32> {
    elementwise(
        Asm::new(0),
        &[ty, ty],
        &[ty; FLOATS.len()],
        |asm, values| {
            let id = asm.ty(ty);
            FLOATS
                .iter()
                .map(|op| {
                    let count = if *op == Op::FNegate { 1 } else { 2 };
                    asm.op(*op, id, &values[..count])
                })
                .collect()
        },
    )
}

#[test]
fn float_arithmetic_at_every_width() {
    let numbers = [
        0.0,
        1.5,
        -2.25,
        7.0,
        1000.5,
        3e-5,
        -65504.0,
        0.1,
        1.0 / 3.0,
        123.0,
        -0.75,
    ];
    for bits in [16u32, 32, 64] {
        let round = |x: f64| super::numbers::value_of(super::numbers::bits_of(x, bits), bits);
        for lanes in [1u32, 2, 3, 4, 8, 16] {
            let ty = float(bits).times(lanes);
            let count = 121usize.div_ceil(lanes as usize);
            let pair = |i: usize, lane: usize| {
                let n = i * lanes as usize + lane;
                (round(numbers[n % 11]), round(numbers[n / 11 % 11]))
            };
            let mut inputs = [
                fill(ty, count, |i, lane| {
                    super::numbers::bits_of(pair(i, lane).0, bits)
                }),
                fill(ty, count, |i, lane| {
                    super::numbers::bits_of(pair(i, lane).1, bits)
                }),
            ];
            let results = run(&float_vectors(ty), count, &mut inputs, &[ty; FLOATS.len()]);
            for (op, result) in FLOATS.into_iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let (x, y) = pair(i, lane);
                        // A double holds more than twice as many digits as a float, so rounding
                        // its result once more is rounding once.
                        let want = match op {
                            Op::FAdd => round(x + y),
                            Op::FSub => round(x - y),
                            Op::FMul => round(x * y),
                            Op::FDiv => round(x / y),
                            Op::FRem => round(x % y),
                            Op::FMod => {
                                let rest = x % y;
                                if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                                    round(rest + y)
                                } else {
                                    rest
                                }
                            }
                            _ => -x,
                        };
                        let got = super::numbers::value_of(get(result, ty, i, lane), bits);
                        assert!(
                            got == want || got.is_nan() && want.is_nan(),
                            "{op:?} of {x} and {y}, {ty:?}: {got} where {want} is right"
                        );
                    }
                }
            }
        }
    }
}
