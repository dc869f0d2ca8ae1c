//! Mathematics that the C library lacks.

/// Remainder for the nearest integer quotient (ties to even); the quotient's sign and low seven bits
/// go to `quotient`.
///
/// # Safety
/// `quotient` must be valid for writing an int.
pub(super) unsafe extern "C" fn remquo(x: f64, y: f64, quotient: *mut i32) -> f64 {
    let (remainder, bits) = divide(x, y);
    // SAFETY: as the caller promises.
    unsafe { quotient.write(bits) };
    remainder
}

/// As [`remquo`], on floats.
///
/// # Safety
/// `quotient` must be valid for writing an int.
pub(super) unsafe extern "C" fn remquof(x: f32, y: f32, quotient: *mut i32) -> f32 {
    // A remainder of floats is a float: it is a multiple of the smaller ulp and not larger than y.
    let (remainder, bits) = divide(f64::from(x), f64::from(y));
    // SAFETY: as the caller promises.
    unsafe { quotient.write(bits) };
    remainder as f32
}

/// The remainder and the quotient's signed low seven bits.
fn divide(x: f64, y: f64) -> (f64, i32) {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return (f64::NAN, 0);
    }
    let (mut rest, mut divisor) = (x.abs(), y.abs());
    if divisor.is_infinite() || rest < divisor / 4.0 {
        return (x, 0);
    }
    // Multiples of a huge divisor must not overflow; both are far from the subnormal range then.
    let scale = if divisor > 2f64.powi(1000) {
        2f64.powi(-64)
    } else {
        1.0
    };
    rest *= scale;
    divisor *= scale;
    rest %= divisor * 128.0;
    let mut quotient = 0;
    for bit in (0..7).rev() {
        let multiple = divisor * f64::from(1 << bit);
        if rest >= multiple {
            rest -= multiple;
            quotient += 1 << bit;
        }
    }
    // `rest + rest` is exact where half the divisor may not be.
    let twice = rest + rest;
    if twice > divisor || (twice == divisor && quotient & 1 == 1) {
        rest -= divisor;
        quotient += 1;
    }
    quotient &= 127;
    let rest = rest / scale;
    let rest = if rest == 0.0 {
        0f64.copysign(x)
    } else if x < 0.0 {
        -rest
    } else {
        rest
    };
    let opposite = x.is_sign_negative() != y.is_sign_negative();
    (rest, if opposite { -quotient } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_have_seven_bits_and_a_sign() {
        // Against integer arithmetic.
        for x in -700i32..700 {
            for y in (-31i32..32).filter(|y| *y != 0) {
                let (a, b) = (x.abs(), y.abs());
                let (mut q, mut r) = (a / b, a % b);
                if 2 * r > b || (2 * r == b && q & 1 == 1) {
                    q += 1;
                    r -= b;
                }
                q &= 127;
                let r = if x < 0 { -r } else { r };
                let q = if (x < 0) != (y < 0) { -q } else { q };
                assert_eq!(
                    divide(f64::from(x), f64::from(y)),
                    (f64::from(r), q),
                    "{x} / {y}"
                );
            }
        }
    }

    #[test]
    fn remainders_at_the_ends_of_the_range() {
        assert_eq!(divide(f64::MAX, f64::MAX), (0.0, 1));
        assert_eq!(divide(1.0, f64::INFINITY), (1.0, 0));
        assert_eq!(divide(5e-324, f64::MAX), (5e-324, 0));
        assert_eq!(divide(f64::MAX, -f64::MAX / 2.0), (0.0, -2));
        // The smallest numbers: 3 / 2 is 1.5, and 2 is the even neighbour.
        assert_eq!(divide(1.5e-323, 1e-323), (-5e-324, 2));
        assert!(divide(1.0, 0.0).0.is_nan());
        assert!(divide(f64::INFINITY, 1.0).0.is_nan());
        let (zero, q) = divide(-4.0, 2.0);
        assert!(zero == 0.0 && zero.is_sign_negative() && q == -2);
    }
}
