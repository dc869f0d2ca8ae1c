//! Vectors of every length give what their elements give.

use super::*;

const LANES: [u32; 5] = [2, 3, 4, 8, 16];

/// Numbers of all kinds, so many bytes each.
fn samples(ty: &Type, count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = Vec::new();
    for i in 0..count {
        let small = (random.unit() - 0.5) * 8.0;
        let wild = random.next();
        let value: [u8; 8] = match ty {
            Type::Half if i % 2 == 0 => <Half as Float>::narrow(small).bytes(),
            Type::Float if i % 2 == 0 => <f32 as Float>::narrow(small).bytes(),
            Type::Double if i % 2 == 0 => small.bytes(),
            Type::Int(_) if i % 2 == 0 => (small as i64).to_ne_bytes(),
            _ => wild.to_ne_bytes(),
        };
        bytes.extend(&value[..ty.size() as usize]);
    }
    bytes
}

/// Compares `op` on vectors with `op` on their elements. `operands` and `result` are element types;
/// with `side`, the last operand is a pointer to such values.
fn check(op: ClOp, result: &Type, operands: &[Type], side: Option<&Type>) {
    let build = |lanes: u32| {
        let shaped = |ty: &Type| {
            if lanes == 1 {
                ty.clone()
            } else {
                Type::vector(ty, lanes)
            }
        };
        let mut all: Vec<Operand> = operands.iter().map(|t| Operand::Value(shaped(t))).collect();
        if side.is_some() {
            all.push(Operand::Pointer);
        }
        Instruction::new(op, &shaped(result), &all, &[])
    };
    let scalar = build(1);
    let size = result.size() as usize;
    let side_size = side.map_or(0, |t| t.size() as usize);
    for lanes in LANES {
        let vector = build(lanes);
        let lanes = lanes as usize;
        for round in 0..8 {
            let inputs: Vec<Vec<u8>> = operands
                .iter()
                .enumerate()
                // Room behind three elements: a vector of three is as large as one of four.
                .map(|(i, t)| samples(t, lanes + 1, round * 7 + i as u64))
                .collect();
            let slices: Vec<&[u8]> = inputs.iter().map(|i| &i[..]).collect();
            let mut vector_side = [0u8; 136];
            let got: [u8; 136] = vector.run(&slices, &mut vector_side);
            for lane in 0..lanes {
                let parts: Vec<&[u8]> = operands
                    .iter()
                    .zip(&inputs)
                    .map(|(t, i)| &i[lane * t.size() as usize..][..t.size() as usize])
                    .collect();
                let mut scalar_side = [0u8; 8];
                let want: [u8; 8] = scalar.run(&parts, &mut scalar_side);
                let got = &got[lane * size..][..size];
                assert!(
                    got == &want[..size] || both_nan(result, got, &want),
                    "{op:?} lane {lane} of {lanes} {result}: {got:?} and {want:?} from {parts:?}"
                );
                let got = &vector_side[lane * side_size..][..side_size];
                assert!(
                    got == &scalar_side[..side_size]
                        || side.is_some_and(|t| both_nan(t, got, &scalar_side)),
                    "{op:?} lane {lane} of {lanes} {result}: the value stored"
                );
            }
        }
    }
}

/// Which NaN comes out is open.
fn both_nan(ty: &Type, a: &[u8], b: &[u8]) -> bool {
    let number = |bytes: &[u8]| {
        let mut all = [0u8; 8];
        all[..ty.size() as usize].copy_from_slice(&bytes[..ty.size() as usize]);
        match ty {
            Type::Half => <Half as Float>::from_bytes(all).wide(),
            Type::Float => <f32 as Float>::from_bytes(all).wide(),
            Type::Double => <f64 as Float>::from_bytes(all),
            _ => 0.0,
        }
    };
    number(a).is_nan() && number(b).is_nan()
}

#[test]
fn functions_of_floating_point_vectors() {
    use ClOp as O;
    for ty in [Type::Half, Type::Float, Type::Double] {
        let t = || ty.clone();
        for op in [
            O::acos,
            O::acospi,
            O::asinh,
            O::cbrt,
            O::ceil,
            O::cospi,
            O::exp10,
            O::fabs,
            O::floor,
            O::logb,
            O::rint,
            O::round,
            O::rsqrt,
            O::sinpi,
            O::sqrt,
            O::tanpi,
            O::trunc,
            O::lgamma,
            O::sign,
            O::degrees,
        ] {
            check(op, &ty, &[t()], None);
        }
        for op in [
            O::atan2,
            O::copysign,
            O::fdim,
            O::fmax,
            O::fmin,
            O::fmod,
            O::hypot,
            O::maxmag,
            O::minmag,
            O::nextafter,
            O::pow,
            O::powr,
            O::remainder,
            O::step,
            O::fmax_common,
            O::fmin_common,
        ] {
            check(op, &ty, &[t(), t()], None);
        }
        for op in [
            O::fma,
            O::mad,
            O::mix,
            O::smoothstep,
            O::fclamp,
            O::bitselect,
        ] {
            check(op, &ty, &[t(), t(), t()], None);
        }
        for op in [O::pown, O::rootn, O::ldexp] {
            check(op, &ty, &[t(), Type::I32], None);
        }
        check(O::ilogb, &Type::I32, &[t()], None);
        check(O::nan, &ty, &[ty.as_int()], None);
        for op in [O::modf, O::fract, O::sincos] {
            check(op, &ty, &[t()], Some(&ty));
        }
        for op in [O::frexp, O::lgamma_r] {
            check(op, &ty, &[t()], Some(&Type::I32));
        }
        check(O::remquo, &ty, &[t(), t()], Some(&Type::I32));
    }
}

#[test]
fn functions_of_integer_vectors() {
    use ClOp as O;
    for bits in [8, 16, 32, 64] {
        let ty = Type::Int(bits);
        let t = || ty.clone();
        for op in [O::s_abs, O::u_abs, O::clz, O::ctz, O::popcount] {
            check(op, &ty, &[t()], None);
        }
        for op in [
            O::s_abs_diff,
            O::u_abs_diff,
            O::s_add_sat,
            O::u_add_sat,
            O::s_hadd,
            O::u_hadd,
            O::s_rhadd,
            O::u_rhadd,
            O::s_max,
            O::u_max,
            O::s_min,
            O::u_min,
            O::s_mul_hi,
            O::u_mul_hi,
            O::rotate,
            O::s_sub_sat,
            O::u_sub_sat,
        ] {
            check(op, &ty, &[t(), t()], None);
        }
        for op in [
            O::s_mad_hi,
            O::u_mad_hi,
            O::s_mad_sat,
            O::u_mad_sat,
            O::s_clamp,
            O::u_clamp,
            O::bitselect,
        ] {
            check(op, &ty, &[t(), t(), t()], None);
        }
    }
    for (narrow, wide) in [(8, 16), (16, 32), (32, 64)] {
        let operands = [Type::Int(narrow), Type::Int(narrow)];
        check(O::u_upsample, &Type::Int(wide), &operands, None);
        check(O::s_upsample, &Type::Int(wide), &operands, None);
    }
}
