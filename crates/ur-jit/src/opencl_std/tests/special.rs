//! Special cases that the specification lists.

use super::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Checks results in all three types.
fn check(op: ClOp, cases: &[(&[f64], f64)]) {
    fn one<F: Float>(op: ClOp, cases: &[(&[f64], f64)]) {
        let function = Instruction::of(op, &F::TYPE, &vec![F::TYPE; cases[0].0.len()]);
        for (inputs, want) in cases {
            let values: Vec<F> = inputs.iter().map(|x| F::narrow(*x)).collect();
            let got = call(&function, &values);
            assert!(
                same(got, F::narrow(*want)),
                "{op:?}{inputs:?} of {} is {got:?}, not {want}",
                F::TYPE
            );
        }
    }
    one::<Half>(op, cases);
    one::<f32>(op, cases);
    one::<f64>(op, cases);
}

/// Checks results of functions with an int operand.
fn check_int(op: ClOp, cases: &[(f64, i32, f64)]) {
    fn one<F: Float>(op: ClOp, cases: &[(f64, i32, f64)]) {
        let function = Instruction::of(op, &F::TYPE, &[F::TYPE, Type::I32]);
        for (x, n, want) in cases {
            let inputs = [&F::narrow(*x).bytes()[..], &n.to_ne_bytes()];
            let got = F::from_bytes(function.run::<8>(&inputs, &mut []));
            assert!(
                same(got, F::narrow(*want)),
                "{op:?}({x}, {n}) of {} is {got:?}, not {want}",
                F::TYPE
            );
        }
    }
    one::<Half>(op, cases);
    one::<f32>(op, cases);
    one::<f64>(op, cases);
}

#[test]
fn powers() {
    check(
        ClOp::pow,
        &[
            (&[0.0, -1.0], INF),
            (&[-0.0, -3.0], -INF),
            (&[-0.0, 3.0], -0.0),
            (&[-1.0, INF], 1.0),
            (&[1.0, NAN], 1.0),
            (&[NAN, 0.0], 1.0),
            (&[-2.0, 0.5], NAN),
            (&[0.5, -INF], INF),
            (&[-INF, 3.0], -INF),
        ],
    );
    check(
        ClOp::powr,
        &[
            (&[2.0, 0.0], 1.0),
            (&[0.0, -2.0], INF),
            (&[-0.0, -1.0], INF),
            (&[0.0, -INF], INF),
            (&[-0.0, 3.0], 0.0),
            (&[1.0, 5.0], 1.0),
            (&[1.0, INF], NAN),
            (&[-2.0, 2.0], NAN),
            (&[0.0, 0.0], NAN),
            (&[INF, 0.0], NAN),
            (&[2.0, NAN], NAN),
            (&[NAN, 0.0], NAN),
        ],
    );
    check_int(
        ClOp::pown,
        &[
            (NAN, 0, 1.0),
            (0.0, -3, INF),
            (-0.0, -3, -INF),
            (-0.0, -2, INF),
            (-0.0, 2, 0.0),
            (-0.0, 3, -0.0),
            (-1.0, i32::MAX, -1.0),
            (-1.0, i32::MIN, 1.0),
            (-INF, 3, -INF),
        ],
    );
    check_int(
        ClOp::rootn,
        &[
            // The inverse of a subnormal double, or of the zero that is the nearest float.
            (2.5e-309, -1, INF),
            (-2.5e-309, -1, -INF),
            (0.0, -3, INF),
            (-0.0, -3, -INF),
            (-0.0, -2, INF),
            (-0.0, 2, 0.0),
            (-0.0, 3, -0.0),
            (-8.0, 3, -2.0),
            (-8.0, 2, NAN),
            (8.0, 0, NAN),
            (INF, 2, INF),
            (-INF, 3, -INF),
            (INF, -2, 0.0),
            (NAN, 2, NAN),
            (3.0, 1, 3.0),
            (4.0, -1, 0.25),
        ],
    );
}

#[test]
fn turns() {
    check(
        ClOp::sinpi,
        &[
            (&[0.0], 0.0),
            (&[-0.0], -0.0),
            (&[1.0], 0.0),
            (&[-1.0], -0.0),
            (&[3.0], 0.0),
            (&[1024.0], 0.0),
            (&[0.5], 1.0),
            (&[1.5], -1.0),
            (&[INF], NAN),
        ],
    );
    check(
        ClOp::cospi,
        &[
            (&[-0.0], 1.0),
            (&[1.0], -1.0),
            (&[0.5], 0.0),
            (&[1.5], 0.0),
            (&[-2.5], 0.0),
            (&[2.0], 1.0),
            (&[-INF], NAN),
        ],
    );
    check(
        ClOp::tanpi,
        &[
            (&[0.0], 0.0),
            (&[-0.0], -0.0),
            (&[2.0], 0.0),
            (&[-2.0], -0.0),
            (&[1.0], -0.0),
            (&[-1.0], 0.0),
            (&[3.0], -0.0),
            (&[0.5], INF),
            (&[1.5], -INF),
            (&[-0.5], -INF),
            (&[-1.5], INF),
            (&[INF], NAN),
        ],
    );
    check(
        ClOp::atan2pi,
        &[
            (&[0.0, -0.0], 1.0),
            (&[-0.0, -0.0], -1.0),
            (&[0.0, 0.0], 0.0),
            (&[-0.0, 1.0], -0.0),
            (&[1.0, 0.0], 0.5),
            (&[-1.0, -0.0], -0.5),
            (&[INF, INF], 0.25),
            (&[INF, -INF], 0.75),
            (&[-1.0, -INF], -1.0),
        ],
    );
    check(
        ClOp::acospi,
        &[(&[1.0], 0.0), (&[-1.0], 1.0), (&[0.0], 0.5), (&[2.0], NAN)],
    );
    check(
        ClOp::asinpi,
        &[(&[1.0], 0.5), (&[-0.0], -0.0), (&[1.5], NAN)],
    );
    check(ClOp::atanpi, &[(&[INF], 0.5), (&[-1.0], -0.25)]);
}

#[test]
fn others() {
    check(ClOp::hypot, &[(&[NAN, INF], INF), (&[-INF, 1.0], INF)]);
    check(
        ClOp::fmod,
        &[
            (&[-0.0, 1.0], -0.0),
            (&[1.0, 0.0], NAN),
            (&[INF, 1.0], NAN),
            (&[1.0, INF], 1.0),
        ],
    );
    check(ClOp::fmax, &[(&[NAN, 1.0], 1.0), (&[1.0, NAN], 1.0)]);
    check(ClOp::fdim, &[(&[NAN, 1.0], NAN), (&[INF, INF], 0.0)]);
    check(
        ClOp::round,
        &[(&[0.5], 1.0), (&[-0.25], -0.0), (&[-2.5], -3.0)],
    );
    check(
        ClOp::rsqrt,
        &[
            (&[0.0], INF),
            (&[-0.0], -INF),
            (&[INF], 0.0),
            (&[-1.0], NAN),
        ],
    );
    check(
        ClOp::lgamma,
        &[(&[1.0], 0.0), (&[0.0], INF), (&[-3.0], INF), (&[-INF], INF)],
    );
    check(
        ClOp::fclamp,
        &[
            (&[5.0, 1.0, 2.0], 2.0),
            (&[0.5, 1.0, 2.0], 1.0),
            (&[1.5, 1.0, 2.0], 1.5),
        ],
    );
    check(
        ClOp::smoothstep,
        &[
            (&[0.0, 2.0, -1.0], 0.0),
            (&[0.0, 2.0, 1.0], 0.5),
            (&[0.0, 2.0, 5.0], 1.0),
        ],
    );
    check(ClOp::mix, &[(&[1.0, 3.0, 0.25], 1.5)]);
}

#[test]
fn quotients_and_signs_through_pointers() {
    let value = || Operand::Value(Type::Float);
    let remquo = Instruction::new(
        ClOp::remquo,
        &Type::Float,
        &[value(), value(), Operand::Pointer],
        &[],
    );
    let mut side = [0u8; 4];
    let r: [u8; 4] = remquo.run(&[&(-1001f32).to_ne_bytes(), &2f32.to_ne_bytes()], &mut side);
    // 500.5 rounds to 500, of which seven bits are 116.
    assert_eq!(f32::from_ne_bytes(r), -1.0);
    assert_eq!(i32::from_ne_bytes(side), -(500 & 127));

    let lgamma = Instruction::new(
        ClOp::lgamma_r,
        &Type::Float,
        &[value(), Operand::Pointer],
        &[],
    );
    // gamma(-1/2) = -2 sqrt(pi), gamma(-3/2) = 4/3 sqrt(pi), gamma(3) = 2.
    let root = std::f64::consts::PI.sqrt();
    for (x, sign, size) in [
        (-0.5f32, -1, 2.0 * root),
        (-1.5, 1, 4.0 / 3.0 * root),
        (3.0, 1, 2.0),
    ] {
        let r = f32::from_ne_bytes(lgamma.run::<4>(&[&x.to_ne_bytes()], &mut side));
        assert_eq!(i32::from_ne_bytes(side), sign);
        assert!((f64::from(r) - size.ln()).abs() < 1e-6, "{x}: {r}");
    }
    let nan = Instruction::of(ClOp::nan, &Type::Float, &[Type::I32]);
    let bits = u32::from_ne_bytes(nan.run::<4>(&[&0xffff_1234u32.to_ne_bytes()], &mut []));
    assert_eq!(bits, 0x7fff_1234);

    let cross = Type::vector(&Type::Float, 4);
    let function = Instruction::of(ClOp::cross, &cross, &[cross.clone(), cross.clone()]);
    let bytes = |v: [f32; 4]| -> Vec<u8> { v.iter().flat_map(|x| x.to_ne_bytes()).collect() };
    let got: [u8; 16] = function.run(
        &[&bytes([1.0, 2.0, 3.0, 9.0]), &bytes([4.0, 5.0, 6.0, 9.0])],
        &mut [],
    );
    assert_eq!(got[..], bytes([-3.0, 6.0, -3.0, 0.0]));
}
