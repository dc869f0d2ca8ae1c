//! The error function and its complement.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, Ty, V, polynomial};
use super::exponential::{self, Base};
use super::power::product;

pub fn erf<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    // From `end` on the result is 1.
    let (end, middle, terms): (f64, f64, &[f64]) = if x.ty() == Ty::F32 {
        (4.0, 2.0, &c::ERF_F32)
    } else {
        (6.0, 3.0, &c::ERF_F64)
    };
    // 1 - e^(x R), where R is smooth everywhere.
    let magnitude = x.abs().at_most(end);
    let exponent = magnitude * polynomial(magnitude - middle, terms);
    (-exponential::minus_one(exponent, base)).copysign(x).into()
}

/// erf(x) for a magnitude up to 1/2.
fn near<'e>(x: V<'e>) -> V<'e> {
    let terms: &[f64] = if x.ty() == Ty::F32 {
        &c::ERF_NEAR_F32
    } else {
        &c::ERF_NEAR_F64
    };
    x.fma(polynomial(x * x, terms), x)
}

pub fn erfc<'e>(x: V<'e>, base: &Base) -> Fast<'e> {
    // From `end` on the result is 0.
    let (end, terms): (f64, &[f64]) = if x.ty() == Ty::F32 {
        (10.25, &c::ERFC_F32)
    } else {
        (27.5, &c::ERFC_F64)
    };
    let magnitude = x.abs();
    let inner = x.constant(1.0) - near(x.at_most(0.5).at_least(-0.5));
    let capped = magnitude.at_least(0.5).at_most(end);
    // The polynomial in t = (x - 3) / (x + 3) is divided by 1 + 2 x: one division does both.
    let (below, above) = (capped + 3.0, capped.fma(2.0, 1.0));
    let inverse = capped.constant(1.0) / (below * above);
    let t = (capped - 3.0) * (above * inverse);
    let factor = polynomial(t, terms) * (below * inverse);
    let (square, square_low) = product(capped, capped);
    let (p, sum) = exponential::parts(-square, square_low, base);
    let outer = exponential::scaled_all(p * factor, sum, 0);
    let negative = x.is(P::Lt, 0.0);
    let outer = negative.choose(outer.constant(2.0) - outer, outer);
    magnitude.is(P::Ugt, 0.5).choose(outer, inner).into()
}
