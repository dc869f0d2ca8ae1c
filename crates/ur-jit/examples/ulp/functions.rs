//! The functions, their error limits and their exact values.

use super::quad::Quad;
use rspirv::spirv::OpenclStd100Op as Op;

/// What a function takes besides its first number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// Nothing.
    None,
    /// Another number.
    Number,
    /// An int.
    Int,
}

impl Second {
    /// Operands of the function.
    pub fn operands(self) -> usize {
        if self == Second::None { 1 } else { 2 }
    }
}

/// A function under measurement.
pub struct Function {
    /// The instruction.
    pub op: Op,
    /// What it takes.
    pub second: Second,
    /// OpenCL's limits in ULP for float, double and half; NaN where there is no such function.
    pub limits: [f64; 3],
    /// The exact value.
    pub exact: fn(f64, f64) -> Quad,
}

fn q(x: f64) -> Quad {
    Quad::new(x)
}

/// The exact remainder of `x` by a power of two, between -period/2 and period/2.
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

fn angle(turns: f64) -> Quad {
    q(turns).mul(Quad::pi())
}

fn sinpi(x: f64, _: f64) -> Quad {
    let r = reduced(x, 2.0);
    if r.abs() > 0.5 {
        angle((1.0 - r.abs()).copysign(r)).sin()
    } else {
        angle(r).sin()
    }
}

fn cospi(x: f64, _: f64) -> Quad {
    angle(0.5 - reduced(x, 2.0).abs()).sin()
}

fn tanpi(x: f64, _: f64) -> Quad {
    let r = reduced(x, 1.0);
    if r.abs() == 0.5 {
        let rising = (x / 2.0).rem_euclid(1.0) < 0.5;
        q(if rising {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        })
    } else if r.abs() > 0.25 {
        q(1.0).div(angle((0.5 - r.abs()).copysign(r)).tan())
    } else {
        angle(r).tan()
    }
}

fn tgamma(x: f64, _: f64) -> Quad {
    // No value at the poles.
    if x < 0.0 && x.fract() == 0.0 {
        q(f64::NAN)
    } else {
        q(x).tgamma()
    }
}

fn powr(x: f64, y: f64) -> Quad {
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
}

fn rootn(x: f64, n: f64) -> Quad {
    if n == 0.0 || x.is_nan() || (x < 0.0 && n % 2.0 == 0.0) {
        return q(f64::NAN);
    }
    let root = q(x.abs()).pow(q(1.0).div(q(n)));
    if n % 2.0 != 0.0 && x.is_sign_negative() {
        q(0.0).sub(root)
    } else {
        root
    }
}

#[link(name = "m")]
unsafe extern "C" {
    safe fn logb(x: f64) -> f64;
    safe fn remainder(x: f64, y: f64) -> f64;
}

/// The larger or smaller of two, as `larger` says; the number where one is none.
fn extreme(x: f64, y: f64, larger: bool) -> f64 {
    if x.is_nan() || (!y.is_nan() && (y > x) == larger) {
        y
    } else {
        x
    }
}

/// As [`extreme`] by magnitude.
fn extreme_magnitude(x: f64, y: f64, larger: bool) -> f64 {
    if x.abs() == y.abs() || x.is_nan() || y.is_nan() {
        extreme(x, y, larger)
    } else if (x.abs() > y.abs()) == larger {
        x
    } else {
        y
    }
}

fn ldexp(x: f64, n: f64) -> Quad {
    if x == 0.0 || !x.is_finite() {
        q(x)
    } else {
        // More is out of range anyway.
        q(x).mul(q(2.0).pow(q(n.clamp(-5000.0, 5000.0))))
    }
}

fn fdim(x: f64, y: f64) -> Quad {
    if x.is_nan() || y.is_nan() {
        q(f64::NAN)
    } else if x > y {
        q(x).sub(q(y))
    } else {
        q(0.0)
    }
}

/// All functions, by name.
pub fn all() -> Vec<Function> {
    let mut list = Vec::new();
    let mut add = |op, second, limits, exact| {
        list.push(Function {
            op,
            second,
            limits,
            exact,
        });
    };
    let one = Second::None;
    let two = Second::Number;
    add(Op::acos, one, [4.0, 4.0, 2.0], |x, _| q(x).acos());
    add(Op::acosh, one, [4.0, 4.0, 2.0], |x, _| q(x).acosh());
    add(Op::acospi, one, [5.0, 5.0, 2.0], |x, _| {
        q(x).acos().div(Quad::pi())
    });
    add(Op::asin, one, [4.0, 4.0, 2.0], |x, _| q(x).asin());
    add(Op::asinh, one, [4.0, 4.0, 2.0], |x, _| q(x).asinh());
    add(Op::asinpi, one, [5.0, 5.0, 2.0], |x, _| {
        q(x).asin().div(Quad::pi())
    });
    add(Op::atan, one, [5.0, 5.0, 2.0], |x, _| q(x).atan());
    add(Op::atan2, two, [6.0, 6.0, 2.0], |x, y| q(x).atan2(q(y)));
    add(Op::atan2pi, two, [6.0, 6.0, 2.0], |x, y| {
        q(x).atan2(q(y)).div(Quad::pi())
    });
    add(Op::atanh, one, [5.0, 5.0, 2.0], |x, _| q(x).atanh());
    add(Op::atanpi, one, [5.0, 5.0, 2.0], |x, _| {
        q(x).atan().div(Quad::pi())
    });
    add(Op::cbrt, one, [2.0, 2.0, 2.0], |x, _| q(x).cbrt());
    add(Op::cos, one, [4.0, 4.0, 2.0], |x, _| q(x).cos());
    add(Op::cosh, one, [4.0, 4.0, 2.0], |x, _| q(x).cosh());
    add(Op::cospi, one, [4.0, 4.0, 2.0], cospi);
    add(Op::erf, one, [16.0, 16.0, 4.0], |x, _| q(x).erf());
    add(Op::erfc, one, [16.0, 16.0, 4.0], |x, _| q(x).erfc());
    add(Op::exp, one, [3.0, 3.0, 2.0], |x, _| q(x).exp());
    add(Op::exp10, one, [3.0, 3.0, 2.0], |x, _| q(x).exp10());
    add(Op::exp2, one, [3.0, 3.0, 2.0], |x, _| q(x).exp2());
    add(Op::expm1, one, [3.0, 3.0, 2.0], |x, _| q(x).expm1());
    add(Op::hypot, two, [4.0, 4.0, 2.0], |x, y| q(x).hypot(q(y)));
    add(Op::log, one, [3.0, 3.0, 2.0], |x, _| q(x).log());
    add(Op::log10, one, [3.0, 3.0, 2.0], |x, _| q(x).log10());
    add(Op::log1p, one, [2.0, 2.0, 2.0], |x, _| q(x).log1p());
    add(Op::log2, one, [3.0, 3.0, 2.0], |x, _| q(x).log2());
    add(Op::pow, two, [16.0, 16.0, 4.0], |x, y| q(x).pow(q(y)));
    add(Op::pown, Second::Int, [16.0, 16.0, 4.0], |x, n| {
        q(x).pow(q(n))
    });
    add(Op::powr, two, [16.0, 16.0, 4.0], powr);
    add(Op::rootn, Second::Int, [16.0, 16.0, 4.0], rootn);
    add(Op::rsqrt, one, [2.0, 2.0, 1.0], |x, _| {
        q(1.0).div(q(x).sqrt())
    });
    add(Op::sin, one, [4.0, 4.0, 2.0], |x, _| q(x).sin());
    add(Op::sinh, one, [4.0, 4.0, 2.0], |x, _| q(x).sinh());
    add(Op::sinpi, one, [4.0, 4.0, 2.0], sinpi);
    add(Op::sqrt, one, [3.0, 0.5, 0.5], |x, _| q(x).sqrt());
    add(Op::tan, one, [5.0, 5.0, 2.0], |x, _| q(x).tan());
    add(Op::tanh, one, [5.0, 5.0, 2.0], |x, _| q(x).tanh());
    add(Op::tanpi, one, [6.0, 6.0, 2.0], tanpi);
    add(Op::tgamma, one, [16.0, 16.0, 4.0], tgamma);
    add(Op::degrees, one, [2.0, 2.0, 2.0], |x, _| {
        q(x).mul(q(180.0)).div(Quad::pi())
    });
    add(Op::radians, one, [2.0, 2.0, 2.0], |x, _| {
        q(x).mul(Quad::pi()).div(q(180.0))
    });
    let exact = [0.0; 3];
    add(Op::ceil, one, exact, |x, _| q(x.ceil()));
    add(Op::copysign, two, exact, |x, y| q(x.copysign(y)));
    add(Op::fabs, one, exact, |x, _| q(x.abs()));
    add(Op::fdim, two, [0.5; 3], fdim);
    add(Op::floor, one, exact, |x, _| q(x.floor()));
    add(Op::fmax, two, exact, |x, y| q(extreme(x, y, true)));
    add(Op::fmin, two, exact, |x, y| q(extreme(x, y, false)));
    add(Op::fmod, two, exact, |x, y| q(x % y));
    add(Op::ldexp, Second::Int, [0.5; 3], ldexp);
    add(Op::logb, one, exact, |x, _| q(logb(x)));
    add(Op::maxmag, two, exact, |x, y| {
        q(extreme_magnitude(x, y, true))
    });
    add(Op::minmag, two, exact, |x, y| {
        q(extreme_magnitude(x, y, false))
    });
    add(Op::remainder, two, exact, |x, y| q(remainder(x, y)));
    add(Op::rint, one, exact, |x, _| q(x.round_ties_even()));
    add(Op::round, one, exact, |x, _| q(x.round()));
    add(Op::trunc, one, exact, |x, _| q(x.trunc()));
    let half = [8192.0, f64::NAN, f64::NAN];
    add(Op::half_cos, one, half, |x, _| q(x).cos());
    add(Op::half_divide, two, half, |x, y| q(x).div(q(y)));
    add(Op::half_exp, one, half, |x, _| q(x).exp());
    add(Op::half_exp2, one, half, |x, _| q(x).exp2());
    add(Op::half_exp10, one, half, |x, _| q(x).exp10());
    add(Op::half_log, one, half, |x, _| q(x).log());
    add(Op::half_log2, one, half, |x, _| q(x).log2());
    add(Op::half_log10, one, half, |x, _| q(x).log10());
    add(Op::half_powr, two, half, powr);
    add(Op::half_recip, one, half, |x, _| q(1.0).div(q(x)));
    add(Op::half_rsqrt, one, half, |x, _| q(1.0).div(q(x).sqrt()));
    add(Op::half_sin, one, half, |x, _| q(x).sin());
    add(Op::half_sqrt, one, half, |x, _| q(x).sqrt());
    add(Op::half_tan, one, half, |x, _| q(x).tan());
    list
}
