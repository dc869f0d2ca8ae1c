//! 128-bit floating point from the C library, as the reference that results are measured against.

use std::sync::OnceLock;
use ur_jit::link::link;
use ur_jit::llvm::{Context, Target};
use ur_jit_abi::code::Loaded;

/// An IEEE 128-bit number, as its bits.
#[derive(Clone, Copy)]
pub struct Quad(u128);

/// Computes `*out = f(*x, *y)`; Rust has no such type yet, so LLVM passes the values.
type Call = unsafe extern "C" fn(*mut u128, *const u128, *const u128);

macro_rules! functions {
    (one: $($one:ident = $one_name:ident),*; two: $($two:ident = $two_name:ident),*;) => {
        #[link(name = "m")]
        unsafe extern "C" {
            $(fn $one_name();)*
            $(fn $two_name();)*
        }
        const ONE: &[&str] = &[$(stringify!($one_name)),*];
        fn symbols() -> Vec<(&'static str, usize)> {
            vec![
                $((stringify!($one_name), $one_name as *const () as usize),)*
                $((stringify!($two_name), $two_name as *const () as usize),)*
            ]
        }
        impl Quad {
            $(pub fn $one(self) -> Quad {
                static CALL: OnceLock<Call> = OnceLock::new();
                apply(*CALL.get_or_init(|| wrapper(stringify!($one_name))), self, self)
            })*
            $(pub fn $two(self, other: Quad) -> Quad {
                static CALL: OnceLock<Call> = OnceLock::new();
                apply(*CALL.get_or_init(|| wrapper(stringify!($two_name))), self, other)
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

/// The function that calls `name`, all of them compiled at first use.
fn wrapper(name: &str) -> Call {
    static CODE: OnceLock<Loaded> = OnceLock::new();
    let code = CODE.get_or_init(|| compile().expect("the reference compiles"));
    let at = code.find(&format!("call.{name}"));
    let at = at.expect("a listed function");
    // SAFETY: built with this signature, and the code stays for ever.
    unsafe { std::mem::transmute::<usize, Call>(at) }
}

/// One function for each symbol that loads the operands, calls it and stores the result.
fn compile() -> Result<Loaded, String> {
    let mut text = String::new();
    let mut names = Vec::new();
    for (name, _) in symbols() {
        let (params, args) = if ONE.contains(&name) {
            ("fp128", "fp128 %a")
        } else {
            ("fp128, fp128", "fp128 %a, fp128 %b")
        };
        text.push_str(&format!(
            "declare fp128 @{name}({params})\n\
             define void @call.{name}(ptr %out, ptr %x, ptr %y) {{\n\
             %a = load fp128, ptr %x\n\
             %b = load fp128, ptr %y\n\
             %r = call fp128 @{name}({args})\n\
             store fp128 %r, ptr %out\n\
             ret void\n}}\n"
        ));
        names.push(format!("call.{name}"));
    }
    let context = Context::new();
    let module = context.parse(&text)?;
    let object = Target::new(None, None)?.object(&module)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let image = link(object.bytes(), &names)?;
    Loaded::new(&image, |name| {
        let mut all = symbols().into_iter();
        all.find(|(known, _)| *known == name).map(|(_, at)| at)
    })
}

fn apply(call: Call, x: Quad, y: Quad) -> Quad {
    let mut out = 0;
    // SAFETY: all three point to aligned 16-byte values.
    unsafe { call(&mut out, &x.0, &y.0) };
    Quad(out)
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
        Quad(sign | u128::from(exponent) << 112 | u128::from(fraction) << 60)
    }

    /// π.
    pub fn pi() -> Quad {
        let low = Quad::new(1.2246467991473532e-16).add(Quad::new(-2.9947698097183397e-33));
        Quad::new(std::f64::consts::PI).add(low)
    }

    /// The number as the sum of two doubles times a power of two, or what is no number as a double.
    pub fn split(self) -> Split {
        let bits = self.0;
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
    assert!(low != 0.0 && (high.mul_add(3.0, -4.0) + low * 3.0).abs() < 1e-32);
}
