//! Nothing traps: divisions by zero, quotients that do not fit, over-wide shifts and floats beyond
//! integers, at every width and number of lanes.

use rspirv::spirv::Op;

use super::asm::{Asm, Ty, elementwise, float, int};
use super::numbers::{bits_of, float_samples, sign, value_of};
use super::run::{fill, get, run};

const WIDTHS: [u32; 4] = [8, 16, 32, 64];
const LANES: [u32; 6] = [1, 2, 3, 4, 8, 16];

const DIVISIONS: [Op; 8] = [
    Op::UDiv,
    Op::SDiv,
    Op::UMod,
    Op::SRem,
    Op::SMod,
    Op::ShiftLeftLogical,
    Op::ShiftRightLogical,
    Op::ShiftRightArithmetic,
];

/// What the operation gives on integers of `bits` bits.
fn expected(op: Op, bits: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (sign(a, bits), sign(b, bits));
    let count = b % u64::from(bits);
    let value = match op {
        Op::UDiv => a.checked_div(b).unwrap_or(a),
        Op::UMod => a.checked_rem(b).unwrap_or(0),
        Op::SDiv if sb == 0 => a,
        Op::SDiv => sa.wrapping_div(sb) as u64,
        Op::SRem | Op::SMod if sb == 0 => 0,
        Op::SRem => sa.wrapping_rem(sb) as u64,
        Op::SMod => {
            let rest = sa.wrapping_rem(sb);
            (if rest != 0 && (rest < 0) != (sb < 0) {
                rest + sb
            } else {
                rest
            }) as u64
        }
        Op::ShiftLeftLogical => a << count,
        Op::ShiftRightLogical => a >> count,
        _ => (sa >> count) as u64,
    };
    value & (u64::MAX >> (64 - bits))
}

pub fn division_module(ty: Ty) -> Vec<u32> {
    elementwise(Asm::new(0), &[ty, ty], &[ty; 8], |asm, values| {
        let id = asm.ty(ty);
        DIVISIONS.map(|op| asm.op(op, id, values)).to_vec()
    })
}

#[test]
fn integer_division_and_shifts() {
    for bits in WIDTHS {
        let mask = u64::MAX >> (64 - bits);
        let low = 1u64 << (bits - 1);
        let interesting = [
            0,
            1,
            2,
            7,
            u64::from(bits),
            low,
            low - 1,
            mask,
            mask - 6,
            100,
        ];
        let interesting = interesting.map(|value| value & mask);
        let pairs: Vec<(u64, u64)> = interesting
            .iter()
            .flat_map(|a| interesting.iter().map(|b| (*a, *b)))
            .collect();
        for lanes in LANES {
            let ty = int(bits).times(lanes);
            let count = pairs.len().div_ceil(lanes as usize);
            let pair = |i: usize, lane: usize| pairs[(i * lanes as usize + lane) % pairs.len()];
            let mut inputs = [
                fill(ty, count, |i, lane| pair(i, lane).0),
                fill(ty, count, |i, lane| pair(i, lane).1),
            ];
            let results = run(&division_module(ty), count, &mut inputs, &[ty; 8]);
            for (op, result) in DIVISIONS.into_iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let (a, b) = pair(i, lane);
                        assert_eq!(
                            get(result, ty, i, lane),
                            expected(op, bits, a, b),
                            "{op:?} of {a:#x} and {b:#x}, {ty:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Conversions of floats to all integers, signed and unsigned.
pub fn float_to_int_module(ty: Ty) -> (Vec<u32>, Vec<(Op, Ty)>) {
    let kinds: Vec<(Op, Ty)> = WIDTHS
        .into_iter()
        .flat_map(|bits| {
            let to = int(bits).times(ty.lanes);
            [(Op::ConvertFToS, to), (Op::ConvertFToU, to)]
        })
        .collect();
    let outputs: Vec<Ty> = kinds.iter().map(|(_, to)| *to).collect();
    let words = elementwise(Asm::new(0), &[ty], &outputs, |asm, values| {
        kinds
            .iter()
            .map(|(op, to)| {
                let to = asm.ty(*to);
                asm.op(*op, to, values)
            })
            .collect()
    });
    (words, kinds)
}

#[test]
fn floats_beyond_integers() {
    for bits in [16, 32, 64] {
        let samples = float_samples(bits);
        for lanes in LANES {
            let ty = float(bits).times(lanes);
            let (words, kinds) = float_to_int_module(ty);
            let count = samples.len().div_ceil(lanes as usize);
            let sample =
                |i: usize, lane: usize| samples[(i * lanes as usize + lane) % samples.len()];
            let mut inputs = [fill(ty, count, |i, lane| bits_of(sample(i, lane), bits))];
            let outputs: Vec<Ty> = kinds.iter().map(|(_, to)| *to).collect();
            let results = run(&words, count, &mut inputs, &outputs);
            for ((op, to), result) in kinds.iter().zip(&results) {
                for i in 0..count {
                    for lane in 0..lanes as usize {
                        let x = value_of(bits_of(sample(i, lane), bits), bits);
                        // Saturates; NaN gives 0.
                        let mask = u64::MAX >> (64 - to.bits);
                        let want = if *op == Op::ConvertFToS {
                            let most = (mask >> 1) as i64;
                            (x as i64).clamp(-most - 1, most) as u64 & mask
                        } else {
                            (x as u64).min(mask)
                        };
                        assert_eq!(
                            get(result, *to, i, lane),
                            want,
                            "{op:?} of {x} as {ty:?} to {to:?}"
                        );
                    }
                }
            }
        }
    }
}
