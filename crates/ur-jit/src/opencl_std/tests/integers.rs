//! Integer functions against wide arithmetic.

use super::*;

/// Compares `op` on integers of every width with `reference`, which gets the width and the operands
/// zero-extended.
fn check(op: ClOp, operands: usize, reference: impl Fn(u32, &[u64]) -> u64) {
    for bits in [8u32, 16, 32, 64] {
        let ty = Type::Int(bits);
        let function = Instruction::of(op, &ty, &vec![ty.clone(); operands]);
        let mask = u64::MAX >> (64 - bits);
        let mut random = Random(u64::from(bits));
        let edges = [
            0,
            1,
            2,
            3,
            mask,
            mask - 1,
            mask >> 1,
            (mask >> 1) + 1,
            mask / 3,
        ];
        let mut step = |i: u32, n: usize| {
            if i.is_multiple_of(4) || (i % 4 == 1 && n == 0) {
                edges[(random.next() % 9) as usize]
            } else {
                random.next() >> (random.next() % 64) & mask
            }
        };
        for i in 0..20_000 {
            let values: Vec<u64> = (0..operands).map(|n| step(i, n)).collect();
            let bytes: Vec<[u8; 8]> = values.iter().map(|v| v.to_ne_bytes()).collect();
            let slices: Vec<&[u8]> = bytes.iter().map(|b| &b[..]).collect();
            let got = u64::from_ne_bytes(function.run::<8>(&slices, &mut []));
            let want = reference(bits, &values) & mask;
            assert_eq!(got, want, "{op:?} of i{bits} {values:x?}");
        }
    }
}

/// As a signed number.
fn signed(bits: u32, v: u64) -> i128 {
    i128::from(((v << (64 - bits)) as i64) >> (64 - bits))
}

/// As an unsigned number.
fn plain(_: u32, v: u64) -> i128 {
    i128::from(v)
}

/// Smallest and largest signed number.
fn ends(bits: u32) -> (i128, i128) {
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// Checks the signed and the unsigned variant of a function.
fn both(
    signed_op: ClOp,
    unsigned_op: ClOp,
    operands: usize,
    f: impl Fn(u32, &[i128], (i128, i128)) -> i128,
) {
    let apply = |bits, values: &[u64], wide: fn(u32, u64) -> i128, range| {
        let wide: Vec<i128> = values.iter().map(|v| wide(bits, *v)).collect();
        f(bits, &wide, range) as u64
    };
    check(signed_op, operands, |bits, v| {
        apply(bits, v, signed, ends(bits))
    });
    check(unsigned_op, operands, |bits, v| {
        apply(bits, v, plain, (0, (1 << bits) - 1))
    });
}

#[test]
fn sums_and_differences() {
    use ClOp as O;
    both(O::s_abs, O::u_abs, 1, |_, v, _| v[0].abs());
    both(O::s_abs_diff, O::u_abs_diff, 2, |_, v, _| {
        (v[0] - v[1]).abs()
    });
    both(O::s_add_sat, O::u_add_sat, 2, |_, v, (low, high)| {
        (v[0] + v[1]).clamp(low, high)
    });
    both(O::s_sub_sat, O::u_sub_sat, 2, |_, v, (low, high)| {
        (v[0] - v[1]).clamp(low, high)
    });
    both(O::s_hadd, O::u_hadd, 2, |_, v, _| (v[0] + v[1]) >> 1);
    both(O::s_rhadd, O::u_rhadd, 2, |_, v, _| (v[0] + v[1] + 1) >> 1);
    both(O::s_max, O::u_max, 2, |_, v, _| v[0].max(v[1]));
    both(O::s_min, O::u_min, 2, |_, v, _| v[0].min(v[1]));
    both(O::s_clamp, O::u_clamp, 3, |_, v, _| {
        v[0].max(v[1]).min(v[2])
    });
}

#[test]
fn products() {
    use ClOp as O;
    both(O::s_mul_hi, O::u_mul_hi, 2, |bits, v, _| {
        high(bits, v[0], v[1])
    });
    both(O::s_mad_hi, O::u_mad_hi, 3, |bits, v, _| {
        high(bits, v[0], v[1]) + v[2]
    });
    check(O::s_mad_sat, 3, |bits, v| {
        let (low, top) = ends(bits);
        let v: Vec<i128> = v.iter().map(|v| signed(bits, *v)).collect();
        (v[0] * v[1] + v[2]).clamp(low, top) as u64
    });
    check(O::u_mad_sat, 3, |bits, v| {
        let sum = u128::from(v[0]) * u128::from(v[1]) + u128::from(v[2]);
        sum.min((1 << bits) - 1) as u64
    });
}

/// The high half of a product.
fn high(bits: u32, a: i128, b: i128) -> i128 {
    // Products of unsigned 64-bit numbers need all 128 bits; the shift must not see a sign then.
    if a >= 0 && b >= 0 {
        ((a as u128 * b as u128) >> bits) as i128
    } else {
        (a * b) >> bits
    }
}

#[test]
fn bits() {
    use ClOp as O;
    check(O::clz, 1, |bits, v| {
        u64::from(v[0].leading_zeros()) - u64::from(64 - bits)
    });
    check(O::ctz, 1, |bits, v| {
        u64::from(v[0].trailing_zeros().min(bits))
    });
    check(O::popcount, 1, |_, v| u64::from(v[0].count_ones()));
    check(O::rotate, 2, |bits, v| {
        let by = (v[1] % u64::from(bits)) as u32;
        if by == 0 {
            v[0]
        } else {
            v[0] << by | v[0] >> (bits - by)
        }
    });
    check(O::bitselect, 3, |_, v| v[0] & !v[2] | v[1] & v[2]);
    check(O::select, 3, |_, v| if v[2] != 0 { v[1] } else { v[0] });
}

#[test]
fn numbers_of_24_bits_and_doubled_widths() {
    use ClOp as O;
    let run = |op, operands: &[u32]| {
        let function = Instruction::of(op, &Type::I32, &vec![Type::I32; operands.len()]);
        let bytes: Vec<[u8; 4]> = operands.iter().map(|v| v.to_ne_bytes()).collect();
        let slices: Vec<&[u8]> = bytes.iter().map(|b| &b[..]).collect();
        u32::from_ne_bytes(function.run::<4>(&slices, &mut []))
    };
    assert_eq!(run(O::u_mul24, &[0xff_ffff, 3]), 0x2ff_fffd);
    assert_eq!(run(O::s_mul24, &[(-5i32) as u32, 7]), (-35i32) as u32);
    assert_eq!(run(O::s_mad24, &[(-5i32) as u32, 7, 40]), 5);
    assert_eq!(run(O::u_mad24, &[1000, 1000, 7]), 1_000_007);
    for op in [O::s_upsample, O::u_upsample] {
        let function = Instruction::of(op, &Type::I64, &[Type::I32, Type::I32]);
        let (high, low) = (0x8765_4321u32.to_ne_bytes(), 0xfedc_ba98u32.to_ne_bytes());
        let got = u64::from_ne_bytes(function.run::<8>(&[&high, &low], &mut []));
        assert_eq!(got, 0x8765_4321_fedc_ba98);
    }
}
