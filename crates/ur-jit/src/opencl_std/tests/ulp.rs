//! Errors of the mathematical functions against OpenCL's limits.

use super::quad::{Quad, Split, scale};
use super::*;

/// The error of `got` in units of the last place of the exact value.
fn error<F: Float>(got: F, exact: Quad) -> f64 {
    let got = got.wide();
    match exact.split() {
        Split::Special(want) if want.is_nan() || got.is_nan() => {
            if want.is_nan() && got.is_nan() {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Split::Special(want) if want.is_infinite() => {
            if got == want {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Split::Special(_) => {
            // A zero, or next to it.
            scale(got.abs(), F::FRACTION - F::LOWEST)
        }
        Split::Number {
            high,
            low,
            exponent,
        } => {
            // Infinity stands for the number behind the largest.
            let got = if got.is_infinite() && exponent >= F::TOP - 1 {
                if exponent >= F::TOP {
                    return if (got > 0.0) == (high > 0.0) {
                        0.0
                    } else {
                        f64::INFINITY
                    };
                }
                scale(got.signum(), F::TOP - exponent)
            } else if exponent >= F::TOP {
                return f64::INFINITY;
            } else {
                scale(got, -exponent)
            };
            let unit = exponent.max(F::LOWEST) - F::FRACTION;
            scale(((got - high) - low).abs(), exponent - unit)
        }
    }
}

/// Inputs all over the type's range, at least `count` in equal steps of its bits (all halves), then
/// some in a range where functions are busy.
fn inputs<F: Float>(count: u64) -> Vec<F> {
    let all = 1u128 << F::width();
    let step = (all / u128::from(count)).max(1) as u64;
    // An odd step does not leave out the low bits.
    let step = if step.is_multiple_of(2) {
        step - 1
    } else {
        step
    };
    let total = (all / u128::from(step)) as u64;
    let mut list: Vec<F> = (0..total).map(|i| F::from_low_bits(i * step)).collect();
    let mut random = Random(7);
    list.extend((0..count / 5).map(|_| F::narrow((random.unit() - 0.5) * 40.0)));
    list
}

/// Measures a function of one operand.
fn unary<F: Float>(op: ClOp, limit: f64, reference: impl Fn(Quad, f64) -> Quad) -> f64 {
    sampled::<F>(op, limit, 100_000, reference)
}

/// As [`unary`], with that many inputs at least.
fn sampled<F: Float>(
    op: ClOp,
    limit: f64,
    count: u64,
    reference: impl Fn(Quad, f64) -> Quad,
) -> f64 {
    let function = Instruction::of(op, &F::TYPE, &[F::TYPE]);
    let (mut worst, mut at) = (0.0, f64::NAN);
    for x in inputs::<F>(count) {
        let got = call(&function, &[x]);
        let e = error(got, reference(Quad::new(x.wide()), x.wide()));
        if e > worst {
            (worst, at) = (e, x.wide());
        }
    }
    assert!(
        worst <= limit,
        "{op:?} of {}: {worst} ULP at {at:e}, allowed {limit}",
        F::TYPE
    );
    worst
}

/// Measures a function of one operand in all three types. Limits are those of float and double;
/// halves are computed as floats and must be rounded well.
fn everywhere(op: ClOp, float: f64, double: f64, reference: impl Fn(Quad, f64) -> Quad) {
    let worst = [
        unary::<f32>(op, float, &reference),
        unary::<f64>(op, double, &reference),
        unary::<Half>(op, 1.0, &reference),
    ];
    println!(
        "{op:?}: float {:.3} of {float}, double {:.3} of {double}, half {:.3}",
        worst[0], worst[1], worst[2]
    );
}

#[test]
fn exponentials_and_logarithms() {
    use ClOp as O;
    everywhere(O::exp, 3.0, 3.0, |x, _| x.exp());
    everywhere(O::exp2, 3.0, 3.0, |x, _| x.exp2());
    everywhere(O::exp10, 3.0, 3.0, |x, _| x.exp10());
    everywhere(O::expm1, 3.0, 3.0, |x, _| x.expm1());
    everywhere(O::log, 3.0, 3.0, |x, _| x.log());
    everywhere(O::log2, 3.0, 3.0, |x, _| x.log2());
    everywhere(O::log10, 3.0, 3.0, |x, _| x.log10());
    everywhere(O::log1p, 2.0, 2.0, |x, _| x.log1p());
}

#[test]
fn trigonometric_functions() {
    use ClOp as O;
    everywhere(O::sin, 4.0, 4.0, |x, _| x.sin());
    everywhere(O::cos, 4.0, 4.0, |x, _| x.cos());
    everywhere(O::tan, 5.0, 5.0, |x, _| x.tan());
    everywhere(O::asin, 4.0, 4.0, |x, _| x.asin());
    everywhere(O::acos, 4.0, 4.0, |x, _| x.acos());
    everywhere(O::atan, 5.0, 5.0, |x, _| x.atan());
}

#[test]
fn hyperbolic_functions() {
    use ClOp as O;
    everywhere(O::sinh, 4.0, 4.0, |x, _| x.sinh());
    everywhere(O::cosh, 4.0, 4.0, |x, _| x.cosh());
    everywhere(O::tanh, 5.0, 5.0, |x, _| x.tanh());
    everywhere(O::asinh, 4.0, 4.0, |x, _| x.asinh());
    everywhere(O::acosh, 4.0, 4.0, |x, _| x.acosh());
    everywhere(O::atanh, 5.0, 5.0, |x, _| x.atanh());
}

/// The exact remainder of a double by a power of two, between -period/2 and period/2.
fn reduced(x: f64, period: f64) -> f64 {
    let r = x % period;
    if r > period / 2.0 {
        r - period
    } else if r < -period / 2.0 {
        r + period
    } else {
        r
    }
}

#[test]
fn multiples_of_pi() {
    use ClOp as O;
    let angle = |r: f64| Quad::new(r).mul(Quad::pi());
    everywhere(O::sinpi, 4.0, 4.0, |_, x| {
        let r = reduced(x, 2.0);
        // The zeros are exact, and near the outer ones the sine of a small angle is wanted.
        if r.abs() > 0.5 {
            angle((1.0 - r.abs()).copysign(r)).sin()
        } else {
            angle(r).sin()
        }
    });
    everywhere(O::cospi, 4.0, 4.0, |_, x| {
        angle(0.5 - reduced(x, 2.0).abs()).sin()
    });
    everywhere(O::tanpi, 6.0, 6.0, |_, x| {
        let r = reduced(x, 1.0);
        if r.abs() == 0.5 {
            // Poles have their own test; any infinity of the right sign will do here.
            let rising = (x / 2.0).rem_euclid(1.0) < 0.5;
            let pole = if rising {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
            Quad::new(pole)
        } else if r.abs() > 0.25 {
            let rest = angle((0.5 - r.abs()).copysign(r));
            Quad::new(1.0).div(rest.tan())
        } else {
            angle(r).tan()
        }
    });
    everywhere(O::asinpi, 5.0, 5.0, |x, _| x.asin().div(Quad::pi()));
    everywhere(O::acospi, 5.0, 5.0, |x, _| x.acos().div(Quad::pi()));
    everywhere(O::atanpi, 5.0, 5.0, |x, _| x.atan().div(Quad::pi()));
}

#[test]
fn roots_and_error_functions() {
    use ClOp as O;
    everywhere(O::cbrt, 2.0, 2.0, |x, _| x.cbrt());
    everywhere(O::sqrt, 0.5, 0.5, |x, _| x.sqrt());
    everywhere(O::rsqrt, 2.0, 2.0, |x, _| Quad::new(1.0).div(x.sqrt()));
    everywhere(O::erf, 16.0, 16.0, |x, _| x.erf());
    everywhere(O::erfc, 16.0, 16.0, |x, _| x.erfc());
    everywhere(O::degrees, 2.0, 2.0, |x, _| {
        x.mul(Quad::new(180.0)).div(Quad::pi())
    });
    everywhere(O::radians, 2.0, 2.0, |x, _| {
        x.mul(Quad::pi()).div(Quad::new(180.0))
    });
}

#[test]
fn gamma_function() {
    // Poles at the negative integers have no value.
    everywhere(ClOp::tgamma, 16.0, 16.0, |q, x| {
        if x < 0.0 && x.fract() == 0.0 {
            Quad::new(f64::NAN)
        } else {
            q.tgamma()
        }
    });
}

#[test]
fn native_and_half_precision_variants() {
    use ClOp as O;
    let one = |x: f64| Quad::new(x);
    loose::<f32>(O::half_sin, |x, _| x.sin());
    loose::<f32>(O::half_cos, |x, _| x.cos());
    loose::<f32>(O::half_tan, |x, _| x.tan());
    loose::<f32>(O::half_exp, |x, _| x.exp());
    loose::<f32>(O::half_exp2, |x, _| x.exp2());
    loose::<f32>(O::half_exp10, |x, _| x.exp10());
    loose::<f32>(O::half_log, |x, _| x.log());
    loose::<f32>(O::half_log2, |x, _| x.log2());
    loose::<f32>(O::half_log10, |x, _| x.log10());
    loose::<f32>(O::half_sqrt, |x, _| x.sqrt());
    loose::<f32>(O::half_rsqrt, |x, _| one(1.0).div(x.sqrt()));
    loose::<f32>(O::half_recip, |x, _| one(1.0).div(x));
    loose::<f64>(O::native_sin, |x, _| x.sin());
    loose::<f64>(O::native_cos, |x, _| x.cos());
    loose::<f64>(O::native_tan, |x, _| x.tan());
    loose::<f64>(O::native_exp, |x, _| x.exp());
    loose::<f64>(O::native_exp2, |x, _| x.exp2());
    loose::<f64>(O::native_exp10, |x, _| x.exp10());
    loose::<f64>(O::native_log, |x, _| x.log());
    loose::<f64>(O::native_log2, |x, _| x.log2());
    loose::<f64>(O::native_log10, |x, _| x.log10());
    loose::<f64>(O::native_sqrt, |x, _| x.sqrt());
    loose::<f64>(O::native_rsqrt, |x, _| one(1.0).div(x.sqrt()));
    loose::<f64>(O::native_recip, |x, _| one(1.0).div(x));
}

/// Measures a function that may be off by 8192 units, or by anything.
fn loose<F: Float>(op: ClOp, reference: impl Fn(Quad, f64) -> Quad) {
    sampled::<F>(op, 8192.0, 5_000, reference);
}

/// Pairs of operands: all over the range, and where results are ordinary numbers.
fn pairs<F: Float>(count: u64) -> Vec<(F, F)> {
    let mut random = Random(11);
    let mut list: Vec<(F, F)> = (0..count / 2)
        .map(|_| {
            let (a, b) = (random.next(), random.next());
            (F::from_low_bits(a), F::from_low_bits(b))
        })
        .collect();
    list.extend((0..count).map(|_| {
        let a = (random.unit() * 20.0 - 10.0).exp();
        let b = random.unit() * 20.0 - 10.0;
        (F::narrow(a), F::narrow(b))
    }));
    list
}

/// Measures a function of two operands.
fn binary<F: Float>(op: ClOp, limit: f64, reference: impl Fn(f64, f64) -> Quad) -> f64 {
    let function = Instruction::of(op, &F::TYPE, &[F::TYPE, F::TYPE]);
    let (mut worst, mut at) = (0.0, (0.0, 0.0));
    let list = pairs::<F>(80_000);
    assert!(list.len() >= 100_000);
    for (x, y) in list {
        let got = call(&function, &[x, y]);
        let e = error(got, reference(x.wide(), y.wide()));
        if e > worst {
            (worst, at) = (e, (x.wide(), y.wide()));
        }
    }
    assert!(
        worst <= limit,
        "{op:?} of {}: {worst} ULP at {at:?}, allowed {limit}",
        F::TYPE
    );
    worst
}

/// As [`binary`] in all three types.
fn binary_everywhere(op: ClOp, limit: f64, reference: impl Fn(f64, f64) -> Quad) {
    let worst = [
        binary::<f32>(op, limit, &reference),
        binary::<f64>(op, limit, &reference),
        binary::<Half>(op, limit.min(1.0), &reference),
    ];
    println!(
        "{op:?}: float {:.3}, double {:.3} of {limit}, half {:.3}",
        worst[0], worst[1], worst[2]
    );
}

#[test]
fn functions_of_two_operands() {
    use ClOp as O;
    let q = Quad::new;
    binary_everywhere(O::atan2, 6.0, |x, y| q(x).atan2(q(y)));
    binary_everywhere(O::atan2pi, 6.0, |x, y| q(x).atan2(q(y)).div(Quad::pi()));
    binary_everywhere(O::hypot, 4.0, |x, y| q(x).hypot(q(y)));
    binary_everywhere(O::pow, 16.0, |x, y| q(x).pow(q(y)));
    binary_everywhere(O::powr, 16.0, |x, y| {
        let undefined = x.is_nan()
            || y.is_nan()
            || x < 0.0
            || (y == 0.0 && (x == 0.0 || x.is_infinite()))
            || (x == 1.0 && y.is_infinite());
        if undefined {
            q(f64::NAN)
        } else {
            q(x.abs()).pow(q(y))
        }
    });
    binary::<f32>(O::half_divide, 8192.0, |x, y| q(x).div(q(y)));
    binary::<f64>(O::native_divide, 8192.0, |x, y| q(x).div(q(y)));
}

/// Measures a function whose second operand is an int.
fn with_int<F: Float>(op: ClOp, limit: f64, reference: impl Fn(f64, i32) -> Quad) -> f64 {
    let function = Instruction::of(op, &F::TYPE, &[F::TYPE, Type::I32]);
    let (mut worst, mut at) = (0.0, (0.0, 0));
    let mut random = Random(13);
    for i in 0..120_000u64 {
        let bits = random.next();
        let n = match i % 4 {
            0 => random.next() as i32,
            1 => (random.next() % 2001) as i32 - 1000,
            _ => (random.next() % 31) as i32 - 15,
        };
        let x = if i % 2 == 0 {
            F::from_low_bits(bits)
        } else {
            F::narrow((random.unit() * 20.0 - 10.0).exp() * if bits & 1 == 0 { 1.0 } else { -1.0 })
        };
        let mut side = [0u8; 64];
        let got = F::from_bytes(function.run::<8>(&[&x.bytes(), &n.to_ne_bytes()], &mut side));
        let e = error(got, reference(x.wide(), n));
        if e > worst {
            (worst, at) = (e, (x.wide(), n));
        }
    }
    assert!(
        worst <= limit,
        "{op:?} of {}: {worst} ULP at {at:?}, allowed {limit}",
        F::TYPE
    );
    worst
}

#[test]
fn integer_powers_and_roots() {
    let pown = |x: f64, n: i32| Quad::new(x).pow(Quad::new(f64::from(n)));
    let rootn = |x: f64, n: i32| {
        if n == 0 || (x < 0.0 && n % 2 == 0) || x.is_nan() {
            return Quad::new(f64::NAN);
        }
        let exponent = Quad::new(1.0).div(Quad::new(f64::from(n)));
        let root = Quad::new(x.abs()).pow(exponent);
        if n % 2 != 0 && x.is_sign_negative() {
            Quad::new(0.0).sub(root)
        } else {
            root
        }
    };
    for (op, worst) in [
        (
            ClOp::pown,
            [
                with_int::<f32>(ClOp::pown, 16.0, pown),
                with_int::<f64>(ClOp::pown, 16.0, pown),
                with_int::<Half>(ClOp::pown, 1.0, pown),
            ],
        ),
        (
            ClOp::rootn,
            [
                with_int::<f32>(ClOp::rootn, 16.0, rootn),
                with_int::<f64>(ClOp::rootn, 16.0, rootn),
                with_int::<Half>(ClOp::rootn, 1.0, rootn),
            ],
        ),
    ] {
        println!("{op:?}: {worst:?} of 16");
    }
}

#[test]
fn geometry_neither_overflows_nor_vanishes() {
    let mut random = Random(17);
    let v3 = Type::vector(&Type::Double, 3);
    let f4 = Type::vector(&Type::Float, 4);
    let length = Instruction::of(ClOp::length, &Type::Double, std::slice::from_ref(&v3));
    let normalize = Instruction::of(ClOp::normalize, &f4, std::slice::from_ref(&f4));
    let distance = Instruction::of(ClOp::distance, &Type::Float, &[f4.clone(), f4.clone()]);
    for i in 0..100_000 {
        let magnitude = f64::from(i % 600 - 300) * 1.0;
        let v: Vec<f64> = (0..3)
            .map(|_| (random.unit() - 0.5) * 10f64.powf(magnitude))
            .collect();
        let bytes: Vec<u8> = v
            .iter()
            .flat_map(|x| x.to_ne_bytes())
            .chain([0; 8])
            .collect();
        let got = f64::from_ne_bytes(length.run::<8>(&[&bytes], &mut []));
        let square = v.iter().fold(Quad::new(0.0), |s, x| {
            s.add(Quad::new(*x).mul(Quad::new(*x)))
        });
        let e = error(got, square.sqrt());
        assert!(e <= 3.0, "length of {v:?}: {e} ULP");

        let w: Vec<f32> = (0..4)
            .map(|_| ((random.unit() - 0.5) * 10f64.powf(magnitude / 9.0)) as f32)
            .collect();
        let bytes: Vec<u8> = w.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let out: [u8; 16] = normalize.run(&[&bytes], &mut []);
        let exact = w
            .iter()
            .map(|x| f64::from(*x) * f64::from(*x))
            .sum::<f64>()
            .sqrt();
        for (x, got) in w.iter().zip(out.chunks(4)) {
            let got = f32::from_ne_bytes(got.try_into().expect("four bytes"));
            if exact > 0.0 {
                let e = error(got, Quad::new(f64::from(*x)).div(Quad::new(exact)));
                assert!(e <= 2.0, "normalize of {w:?}: {e} ULP");
            }
        }
        let zero = [0u8; 16];
        let got = f32::from_ne_bytes(distance.run::<4>(&[&bytes, &zero], &mut []));
        assert!(error(got, Quad::new(exact)) <= 2.0);
    }
    // Infinite elements count as 1.
    let bytes: Vec<u8> = [1.0f32, f32::NEG_INFINITY, 0.0, 2.0]
        .iter()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    let out: [u8; 16] = normalize.run(&[&bytes], &mut []);
    assert_eq!(out[4..8], (-1f32).to_ne_bytes());
    assert_eq!(out[..4], 0f32.to_ne_bytes());
}
