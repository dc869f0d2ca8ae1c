//! Functions whose result is exact: equal to the reference, bit for bit.

use super::*;

/// Compares a function of one operand with a reference on doubles, all over the range.
fn one<F: Float>(op: ClOp, reference: impl Fn(f64) -> f64) {
    let function = Instruction::of(op, &F::TYPE, &[F::TYPE]);
    let mut random = Random(19);
    for i in 0..65_536u64 {
        let bits = if F::width() == 16 { i } else { random.next() };
        let x = if i % 3 == 0 && F::width() > 16 {
            F::narrow(((random.unit() - 0.5) * 64.0).round() / 2.0)
        } else {
            F::from_low_bits(bits)
        };
        let (got, want) = (call(&function, &[x]), F::narrow(reference(x.wide())));
        assert!(same(got, want), "{op:?}({x:?}) is {got:?}, not {want:?}");
    }
}

fn one_everywhere(op: ClOp, reference: impl Fn(f64) -> f64) {
    one::<Half>(op, &reference);
    one::<f32>(op, &reference);
    one::<f64>(op, &reference);
}

/// Pairs of operands, some equal, some near each other, some wild.
fn two<F: Float>(op: ClOp, reference: impl Fn(f64, f64) -> f64) {
    let function = Instruction::of(op, &F::TYPE, &[F::TYPE, F::TYPE]);
    let mut random = Random(23);
    for i in 0..50_000u64 {
        let (a, b) = (random.next(), random.next());
        let (x, y) = match i % 4 {
            0 => (F::from_low_bits(a), F::from_low_bits(b)),
            1 => (F::from_low_bits(a), F::from_low_bits(a ^ (b & 1))),
            2 => (
                F::narrow(random.unit() * 100.0 - 50.0),
                F::narrow(random.unit() * 8.0 - 4.0),
            ),
            _ => (
                F::narrow((random.unit() * 9.0 - 4.5).round()),
                F::narrow((random.unit() * 9.0 - 4.5).round()),
            ),
        };
        let got = call(&function, &[x, y]);
        let want = F::narrow(reference(x.wide(), y.wide()));
        assert!(
            same(got, want),
            "{op:?}({x:?}, {y:?}) is {got:?}, not {want:?}"
        );
    }
}

fn two_everywhere(op: ClOp, reference: impl Fn(f64, f64) -> f64) {
    two::<Half>(op, &reference);
    two::<f32>(op, &reference);
    two::<f64>(op, &reference);
}

#[test]
fn rounding_functions() {
    use ClOp as O;
    one_everywhere(O::ceil, f64::ceil);
    one_everywhere(O::floor, f64::floor);
    one_everywhere(O::trunc, f64::trunc);
    one_everywhere(O::rint, f64::round_ties_even);
    one_everywhere(O::round, f64::round);
    one_everywhere(O::fabs, f64::abs);
    one_everywhere(O::sign, |x| {
        if x.is_nan() {
            0.0
        } else if x == 0.0 {
            x
        } else {
            x.signum()
        }
    });
}

#[test]
fn choices_and_remainders() {
    use ClOp as O;
    two_everywhere(O::copysign, f64::copysign);
    two_everywhere(O::fmod, |x, y| x % y);
    two_everywhere(O::step, |edge, x| if x < edge { 0.0 } else { 1.0 });
    two_everywhere(O::fmax_common, |x, y| if x < y { y } else { x });
    two_everywhere(O::fmin_common, |x, y| if y < x { y } else { x });
    two_everywhere(O::remainder, |x, y| {
        if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
            return f64::NAN;
        }
        if y.is_infinite() {
            return x;
        }
        // The double of y may be too large: compare halves of the remainder.
        let y = y.abs();
        let rest = if y > f64::MAX / 2.0 { x } else { x % (2.0 * y) };
        let mut r = rest.abs();
        // The quotient is even here: one step down if more than half, and once more.
        if r / 2.0 > y / 4.0 || (y < 1e-300 && r + r > y) {
            r -= y;
            if r >= y / 2.0 && (y >= 1e-300 || r + r >= y) {
                r -= y;
            }
        }
        if r == 0.0 {
            0f64.copysign(x)
        } else if x < 0.0 {
            -r
        } else {
            r
        }
    });
}

#[test]
fn minima_and_maxima() {
    use ClOp as O;
    for op in [O::fmin, O::fmax, O::minmag, O::maxmag] {
        let function = Instruction::of(op, &Type::Float, &[Type::Float, Type::Float]);
        let mut random = Random(29);
        for i in 0..100_000u64 {
            let x = f32::from_bits(random.next() as u32);
            let y = match i % 4 {
                0 => -x,
                1 => f32::NAN,
                _ => f32::from_bits(random.next() as u32),
            };
            let (x, y) = if i % 8 < 4 { (x, y) } else { (y, x) };
            let got = call(&function, &[x, y]);
            let plain = if matches!(op, O::fmin | O::minmag) {
                x.min(y)
            } else {
                x.max(y)
            };
            let want = match op {
                O::minmag if x.abs() < y.abs() => x,
                O::minmag if y.abs() < x.abs() => y,
                O::maxmag if x.abs() > y.abs() => x,
                O::maxmag if y.abs() > x.abs() => y,
                _ => plain,
            };
            // By value: which zero comes out is open.
            assert!(
                got == want || (got.is_nan() && want.is_nan()),
                "{op:?}({x}, {y}) is {got}"
            );
        }
    }
}

#[test]
fn differences_and_neighbours() {
    two_everywhere(ClOp::fdim, |x, y| if x <= y { 0.0 } else { x - y });

    fn neighbours<F: Float>() {
        let function = Instruction::of(ClOp::nextafter, &F::TYPE, &[F::TYPE, F::TYPE]);
        let mut random = Random(31);
        for _ in 0..50_000 {
            let x = F::from_low_bits(random.next());
            let up = call(&function, &[x, F::narrow(f64::INFINITY)]);
            let down = call(&function, &[x, F::narrow(f64::NEG_INFINITY)]);
            if x.wide().is_nan() {
                assert!(up.wide().is_nan());
                continue;
            }
            // Nothing lies between, and there is a way back.
            if x.wide() != f64::INFINITY {
                assert!(up > x, "{x:?} {up:?}");
                assert!(call(&function, &[up, x]).wide() == x.wide());
            }
            if x.wide() != f64::NEG_INFINITY {
                assert!(down < x, "{x:?} {down:?}");
            }
            let bits = |v: F| u64::from_ne_bytes(v.bytes());
            if x.wide() > 0.0 && x.wide().is_finite() {
                assert_eq!(bits(up), bits(x) + 1);
                assert_eq!(bits(down), bits(x) - 1);
            }
            assert!(same(call(&function, &[x, x]), x));
        }
        let zero = F::narrow(0.0);
        assert_eq!(
            call(&function, &[zero, F::narrow(1.0)]).bytes(),
            1u64.to_ne_bytes()
        );
        assert!(
            call(&function, &[zero, F::narrow(f64::NAN)])
                .wide()
                .is_nan()
        );
    }
    neighbours::<Half>();
    neighbours::<f32>();
    neighbours::<f64>();
}

#[test]
fn parts_of_numbers() {
    fn parts<F: Float>() {
        let value = || Operand::Value(F::TYPE);
        let with =
            |op, result: &Type| Instruction::new(op, result, &[value(), Operand::Pointer], &[]);
        let frexp = with(ClOp::frexp, &F::TYPE);
        let modf = with(ClOp::modf, &F::TYPE);
        let fract = with(ClOp::fract, &F::TYPE);
        let ilogb = Instruction::of(ClOp::ilogb, &Type::I32, &[F::TYPE]);
        let logb = Instruction::of(ClOp::logb, &F::TYPE, &[F::TYPE]);
        let ldexp = Instruction::of(ClOp::ldexp, &F::TYPE, &[F::TYPE, Type::I32]);
        let mut random = Random(37);
        for i in 0..50_000u64 {
            let x = match i % 3 {
                0 => F::narrow((random.unit() - 0.5) * 50.0),
                1 => F::narrow((random.unit() * 50.0 - 25.0).round()),
                _ => F::from_low_bits(random.next()),
            };
            let wide = x.wide();
            let ordinary = wide.is_finite() && wide != 0.0;
            let mut side = [0u8; 64];
            let int = |side: &[u8]| i32::from_ne_bytes(side[..4].try_into().expect("4 bytes"));
            let number = |side: &[u8]| F::from_bytes(side[..8].try_into().expect("8 bytes"));

            let fraction = F::from_bytes(frexp.run::<8>(&[&x.bytes()], &mut side));
            let exponent = int(&side);
            let log = i32::from_ne_bytes(ilogb.run::<4>(&[&x.bytes()], &mut side));
            let logarithm = call(&logb, &[x]).wide();
            if ordinary {
                let size = fraction.wide().abs();
                assert!((0.5..1.0).contains(&size), "{x:?} {fraction:?}");
                let back = super::quad::scale(fraction.wide(), exponent);
                assert_eq!(back, wide);
                assert_eq!(log, exponent - 1);
                assert_eq!(logarithm, f64::from(log));
                let again: [u8; 8] =
                    ldexp.run(&[&fraction.bytes(), &exponent.to_ne_bytes()], &mut side);
                assert!(same(F::from_bytes(again), x));
            } else {
                assert!(same(fraction, x));
                let want = if wide == 0.0 { i32::MIN } else { i32::MAX };
                assert_eq!(log, want);
                let want = if wide == 0.0 {
                    f64::NEG_INFINITY
                } else {
                    wide.abs()
                };
                assert!(same(logarithm, want));
            }

            side = [0u8; 64];
            let rest = F::from_bytes(modf.run::<8>(&[&x.bytes()], &mut side));
            assert!(same(number(&side), F::narrow(wide.trunc())), "modf {x:?}");
            let want = if wide.is_infinite() {
                0.0
            } else {
                wide.fract()
            };
            assert!(
                same(rest, F::narrow(want.copysign(wide))),
                "modf {x:?} {rest:?}"
            );

            side = [0u8; 64];
            let rest = F::from_bytes(fract.run::<8>(&[&x.bytes()], &mut side));
            assert!(same(number(&side), F::narrow(wide.floor())), "fract {x:?}");
            if wide.is_infinite() || wide == 0.0 {
                assert!(same(rest, F::narrow(0f64.copysign(wide))), "fract {x:?}");
            } else if !wide.is_nan() {
                assert!((0.0..1.0).contains(&rest.wide()), "fract {x:?} {rest:?}");
                let near = (rest.wide() - (wide - wide.floor())).abs();
                assert!(near <= 2f64.powi(-F::FRACTION - 1), "fract {x:?} {rest:?}");
            } else {
                assert!(rest.wide().is_nan());
            }
        }
        // Out of range both ways, and a result that is rounded among the smallest.
        let at = |x: f64, n: i32| {
            let bytes = F::narrow(x).bytes();
            F::from_bytes(ldexp.run::<8>(&[&bytes, &n.to_ne_bytes()], &mut [0; 8])).wide()
        };
        assert_eq!(at(1.0, i32::MAX), f64::INFINITY);
        assert!(at(-1.0, i32::MIN) == 0.0 && at(-1.0, i32::MIN).is_sign_negative());
        let smallest = F::LOWEST - F::FRACTION;
        assert_eq!(at(1.25, smallest), F::from_low_bits(1).wide());
        assert_eq!(at(1.5, smallest), F::from_low_bits(2).wide());
        assert_eq!(at(0.5, smallest), 0.0);
    }
    parts::<Half>();
    parts::<f32>();
    parts::<f64>();
}

#[test]
fn fused_multiplication() {
    let fma = Instruction::of(ClOp::fma, &Type::Double, &vec![Type::Double; 3]);
    let single = Instruction::of(ClOp::fma, &Type::Float, &vec![Type::Float; 3]);
    let half = Instruction::of(ClOp::fma, &Type::Half, &vec![Type::Half; 3]);
    let mut random = Random(41);
    for _ in 0..200_000 {
        let bits = [random.next(), random.next(), random.next()];
        let x = bits.map(f64::from_bits);
        assert!(same(call(&fma, &x), x[0].mul_add(x[1], x[2])));
        let x = bits.map(|b| f32::from_bits(b as u32));
        assert!(same(call(&single, &x), x[0].mul_add(x[1], x[2])));

        let h = bits.map(|b| Half(b as u16));
        let [a, b, c] = h.map(Float::wide);
        // In units of 2^-48 everything is an integer, which is rounded once.
        let got = call(&half, &h);
        if [a, b, c].iter().all(|v| v.is_finite()) {
            let unit = |v: f64, e: i32| (v * 2f64.powi(e)) as i128;
            let exact = unit(a, 24) * unit(b, 24) + unit(c, 48);
            let want = round_to_half(exact);
            assert!(
                got.wide() == want,
                "{a} * {b} + {c} is {want}, not {}",
                got.wide()
            );
        } else {
            assert!(same(got, Half::narrow(a.mul_add(b, c))));
        }
    }
}

/// The half nearest to `exact * 2^-48`, by integer arithmetic.
fn round_to_half(exact: i128) -> f64 {
    let size = exact.unsigned_abs();
    let sign = if exact < 0 { -1.0 } else { 1.0 };
    // Eleven significant bits, or the unit of the smallest numbers (2^-24).
    let drop = (128 - size.leading_zeros() as i32 - 11).max(24) as u32;
    let (kept, rest) = (size >> drop, size & ((1 << drop) - 1));
    let half = 1u128 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    let value = (kept + u128::from(up)) as f64 * 2f64.powi(drop as i32 - 48);
    sign * if value >= 65536.0 {
        f64::INFINITY
    } else {
        value
    }
}
