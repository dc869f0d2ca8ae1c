//! 128-bit floating point from the C library, as the reference that results are measured against.

use std::arch::x86_64::__m128i;

/// An IEEE 128-bit number. The calling convention passes it as it passes an SSE register.
#[derive(Clone, Copy)]
pub struct Quad(__m128i);

macro_rules! functions {
    (one: $($one:ident = $one_name:ident),*; two: $($two:ident = $two_name:ident),*;) => {
        #[link(name = "m")]
        unsafe extern "C" {
            $(fn $one_name(x: __m128i) -> __m128i;)*
            $(fn $two_name(x: __m128i, y: __m128i) -> __m128i;)*
        }
        impl Quad {
            $(pub fn $one(self) -> Quad {
                // SAFETY: a function of the C library that only computes.
                Quad(unsafe { $one_name(self.0) })
            })*
            $(pub fn $two(self, other: Quad) -> Quad {
                // SAFETY: as above.
                Quad(unsafe { $two_name(self.0, other.0) })
            })*
        }
    };
}

functions! {
    one: acos = acosf128, acosh = acoshf128, asin = asinf128, asinh = asinhf128, atan = atanf128,
        atanh = atanhf128, cbrt = cbrtf128, cos = cosf128, cosh = coshf128, erf = erff128,
        erfc = erfcf128, exp = expf128, exp2 = exp2f128, exp10 = exp10f128, expm1 = expm1f128,
        log = logf128, log2 = log2f128, log10 = log10f128, log1p = log1pf128, sin = sinf128,
        sinh = sinhf128, tan = tanf128, tanh = tanhf128, tgamma = tgammaf128, sqrt = sqrtf128;
    two: atan2 = atan2f128, hypot = hypotf128, pow = powf128, add = __addtf3, sub = __subtf3,
        mul = __multf3, div = __divtf3;
}

impl Quad {
    /// The value of a double.
    pub fn new(x: f64) -> Quad {
        let bits = x.to_bits();
        let sign = u128::from(bits >> 63) << 127;
        let fraction = bits & ((1 << 52) - 1);
        let (exponent, fraction) = match ((bits >> 52) & 0x7ff, fraction) {
            (0, 0) => (0, 0),
            (0, f) => {
                // Subnormal: the highest bit becomes the hidden one.
                let shift = f.leading_zeros() - 11;
                (15361 - u64::from(shift), (f << shift) & ((1 << 52) - 1))
            }
            (0x7ff, f) => (0x7fff, f),
            (e, f) => (e + 15360, f),
        };
        let bits = sign | u128::from(exponent) << 112 | u128::from(fraction) << 60;
        // SAFETY: both are 16 bytes of plain bits.
        Quad(unsafe { std::mem::transmute::<u128, __m128i>(bits) })
    }

    /// π.
    pub fn pi() -> Quad {
        let low = Quad::new(1.2246467991473532e-16).add(Quad::new(-2.9947698097183397e-33));
        Quad::new(std::f64::consts::PI).add(low)
    }

    /// The number as the sum of two doubles times a power of two, or what is no number as a double.
    pub fn split(self) -> Split {
        // SAFETY: both are 16 bytes of plain bits.
        let bits = unsafe { std::mem::transmute::<__m128i, u128>(self.0) };
        let negative = bits >> 127 != 0;
        let exponent = (bits >> 112 & 0x7fff) as i32;
        let fraction = bits & ((1 << 112) - 1);
        let sign = if negative { -1.0 } else { 1.0 };
        if exponent == 0x7fff {
            let special = if fraction == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            };
            return Split::Special(sign * special);
        }
        if exponent == 0 {
            // Zeros, and numbers far below every double.
            return Split::Special(sign * 0.0);
        }
        let whole = 1 << 112 | fraction;
        // 53 bits, then the other 60 less a few that a double cannot hold and nobody misses.
        let high = (whole >> 60) as f64 * 2f64.powi(-52);
        let low = (whole & ((1 << 60) - 1)) as f64 * 2f64.powi(-112);
        Split::Number {
            high: sign * high,
            low: sign * low,
            exponent: exponent - 16383,
        }
    }
}

/// A [`Quad`] taken apart.
#[derive(Clone, Copy, Debug)]
pub enum Split {
    /// A zero, an infinity or a NaN.
    Special(f64),
    /// `(high + low) * 2^exponent`, `1 <= |high| < 2`.
    Number {
        /// The leading bits.
        high: f64,
        /// The bits behind them.
        low: f64,
        /// The power of two.
        exponent: i32,
    },
}

/// `x` times a power of two of any size; exact unless the result is out of range.
pub fn scale(mut x: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 {
        x *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 {
        x *= 1.0 / 2f64.powi(1000);
        exponent += 1000;
    }
    if exponent < 0 {
        x / 2f64.powi(-exponent)
    } else {
        x * 2f64.powi(exponent)
    }
}

#[test]
fn doubles_pass_through() {
    for x in [1.0, -0.1, 5e-324, 1.7e308, 2.3e-310, 3.0e-308] {
        match Quad::new(x).split() {
            Split::Number {
                high,
                low,
                exponent,
            } => assert_eq!((scale(high, exponent), low), (x, 0.0)),
            Split::Special(other) => panic!("{x} became {other}"),
        }
    }
    assert!(matches!(Quad::new(-0.0).split(), Split::Special(x) if x.is_sign_negative()));
    assert!(matches!(Quad::new(f64::NAN).split(), Split::Special(x) if x.is_nan()));
    // A third in two pieces is more exact than a double.
    let third = Quad::new(1.0).div(Quad::new(3.0)).split();
    let Split::Number { high, low, .. } = third else {
        panic!("a third is a number");
    };
    assert!(low != 0.0 && (high * 3.0 - 4.0) + low * 3.0 == 0.0);
}
