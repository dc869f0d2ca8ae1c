//! Arc tangent, sine and cosine.

use super::coefficients as c;
use super::define::Fast;
use super::emit::{P, Ty, V, polynomial};

/// π, and what its rounding loses.
fn half_turn(ty: Ty) -> [f64; 2] {
    match ty {
        Ty::F32 => [c::PI_F32[0], c::PI_F32[1]],
        _ => [c::PI_F64[0], c::PI_F64[1]],
    }
}

/// Half a turn times `factor` less `angle`.
fn turned<'e>(angle: V<'e>, factor: f64) -> V<'e> {
    let [high, low] = half_turn(angle.ty());
    (angle.constant(high * factor) - angle) + low * factor
}

/// The angle of a tangent from 0 to 1.
fn small_angle(t: V<'_>) -> V<'_> {
    let square = t * t;
    let tail: &[f64] = if t.ty() == Ty::F32 {
        &c::ATAN_F32[1..]
    } else {
        &c::ATAN_F64[1..]
    };
    (t * square).fma(polynomial(square, tail), t)
}

pub fn atan(x: V<'_>) -> Fast<'_> {
    let magnitude = x.abs();
    let steep = magnitude.is(P::Gt, 1.0);
    let t = steep.choose(x.constant(1.0) / magnitude, magnitude);
    let angle = small_angle(t);
    steep.choose(turned(angle, 0.5), angle).copysign(x).into()
}

/// The angle of the point (x, y) whose tangent or its inverse is `t`, from 0 to 1.
fn placed<'e>(y: V<'e>, x: V<'e>, t: V<'e>, steep: V<'e>) -> V<'e> {
    let angle = small_angle(t);
    let left = x.bits().int_is(P::Lt, 0);
    // From the nearest axis, in one direction or the other: exact on the axes.
    let back = -angle;
    let along = left.choose(back, angle);
    let across = left.choose(angle, back);
    let from = |part: f64| {
        let flat = left.choose(t.constant(part), t.constant(0.0));
        steep.choose(t.constant(part * 0.5), flat)
    };
    let [high, low] = half_turn(t.ty());
    let turned = from(high) + steep.choose(across, along) + from(low);
    turned.copysign(y)
}

pub fn atan2<'e>(y: V<'e>, x: V<'e>) -> Fast<'e> {
    let (high, wide) = (y.abs(), x.abs());
    let steep = high.is(P::Gt, wide);
    let larger = steep.choose(high, wide);
    let smaller = steep.choose(wide, high);
    // At the origin and at infinity the quotient says nothing; both operands can be no number.
    let finite = larger.format().largest;
    Fast {
        value: placed(y, x, smaller / larger, steep),
        rare: Some((larger.bits() - 1) | larger.above(finite)),
    }
}

pub fn atan2_all<'e>(y: V<'e>, x: V<'e>) -> V<'e> {
    let (high, wide) = (y.abs(), x.abs());
    let steep = high.is(P::Gt, wide);
    let larger = steep.choose(high, wide);
    let smaller = steep.choose(wide, high);
    let t = smaller / larger;
    let t = larger.is(P::Eq, 0.0).choose(smaller, t);
    let t = smaller.is(P::Eq, f64::INFINITY).choose(t.constant(1.0), t);
    let value = placed(y, x, t, steep);
    y.is(P::Uno, x).choose(value.constant(f64::NAN), value)
}

/// The arc sine of a magnitude up to 1/2, or of √((1 - x) / 2) for a larger one, which `far` says.
fn half_arc(magnitude: V<'_>) -> (V<'_>, V<'_>) {
    let far = magnitude.is(P::Gt, 0.5);
    let folded = magnitude.fma(-0.5, 0.5);
    let square = far.choose(folded, magnitude * magnitude);
    let sine = far.choose(folded.sqrt(), magnitude);
    let tail: &[f64] = if magnitude.ty() == Ty::F32 {
        &c::ASIN_F32[1..]
    } else {
        &c::ASIN_F64[1..]
    };
    let arc = (sine * square).fma(polynomial(square, tail), sine);
    (far, arc)
}

pub fn asin(x: V<'_>) -> Fast<'_> {
    let (far, arc) = half_arc(x.abs());
    far.choose(turned(arc + arc, 0.5), arc).copysign(x).into()
}

pub fn acos(x: V<'_>) -> Fast<'_> {
    let (far, arc) = half_arc(x.abs());
    let signed = arc.copysign(x);
    let near = turned(signed, 0.5);
    let double = arc + arc;
    let negative = x.is(P::Lt, 0.0);
    let ends = negative.choose(turned(double, 1.0), double);
    far.choose(ends, near).into()
}
