//! Mathematical functions of vectors, as LLVM IR.
//!
//! [`function`] takes the C library's name of a scalar function (`sinf`, `exp`, …) and gives the
//! definition of the same function of a vector; [`scalar`] gives that of a scalar which has the same
//! bits. A function consists of a *fast part*, which is
//! straight code for the inputs that occur in practice, and where there are other inputs a *rare
//! part*, which is called when a live lane has one: vector code for the whole range, or the scalar
//! function for each such lane. Polynomials are made by `coefficients.py`.

mod arc;
mod coefficients;
mod define;
mod emit;
mod erf;
mod exponential;
mod features;
mod logarithm;
mod power;
mod root;
mod scalar;
mod trigonometric;

#[cfg(test)]
mod tests;

pub use features::Features;
pub use scalar::{PREFIX, scalar};

use define::{Fast, Rare, Recipe};
use emit::{Ty, V};
use exponential::{EXP_F32, EXP_F64, EXP2_F32, EXP2_F64, EXP10_F32, EXP10_F64};
use logarithm::Base;

/// A vector function.
pub struct Definition {
    /// The function's name in IR, without `@`. Its parameters are the vectors `<W x T>` that stand
    /// for the scalar function's, then `<W x i1>`: which lanes are live. Dead lanes may hold any
    /// bits and get any result.
    pub name: String,
    /// The IR: this function and what belongs to it, all internal, named after the function. It
    /// calls LLVM's intrinsics without declaring them, as LLVM allows.
    pub text: String,
    /// Scalar functions that the text calls, as name and declaration. A module must declare each of
    /// them once.
    pub calls: Vec<(String, String)>,
}

/// The function of `lanes` lanes (a power of two from 2 to 64) that does what the C library's function
/// `name` does; none if there is no such. A lane's result does not depend on the number of lanes.
pub fn function(name: &str, lanes: u32, features: Features) -> Option<Definition> {
    if !lanes.is_power_of_two() || !(2..=64).contains(&lanes) {
        return None;
    }
    let (_, recipe) = RECIPES.iter().find(|(known, _)| *known == name)?;
    Some(define::define(name, recipe, lanes, features))
}

/// How a function is computed, by the scalar function's name.
#[rustfmt::skip]
const RECIPES: &[(&str, Recipe)] = &[
    recipe("sinf", Ty::F32, 1, |a| trigonometric::sin(a[0]), Rare::Scalar),
    recipe("cosf", Ty::F32, 1, |a| trigonometric::cos(a[0]), Rare::Scalar),
    recipe("tanf", Ty::F32, 1, |a| trigonometric::tan(a[0]), Rare::Scalar),
    recipe("expf", Ty::F32, 1, |a| exponential::power(a[0], &EXP_F32), Rare::Vector(|a| exponential::power_all(a[0], &EXP_F32))),
    recipe("exp2f", Ty::F32, 1, |a| exponential::power(a[0], &EXP2_F32), Rare::Vector(|a| exponential::power_all(a[0], &EXP2_F32))),
    recipe("exp10f", Ty::F32, 1, |a| exponential::power(a[0], &EXP10_F32), Rare::Vector(|a| exponential::power_all(a[0], &EXP10_F32))),
    recipe("expm1f", Ty::F32, 1, |a| exponential::expm1(a[0], &EXP_F32), Rare::Vector(|a| exponential::expm1_all(a[0], &EXP_F32))),
    recipe("sinhf", Ty::F32, 1, |a| exponential::sinh(a[0], &EXP_F32), Rare::Vector(|a| exponential::sinh_all(a[0], &EXP_F32))),
    recipe("coshf", Ty::F32, 1, |a| exponential::cosh(a[0], &EXP_F32), Rare::Vector(|a| exponential::cosh_all(a[0], &EXP_F32))),
    recipe("tanhf", Ty::F32, 1, |a| exponential::tanh(a[0], &EXP_F32, 10.0), Rare::None),
    recipe("logf", Ty::F32, 1, |a| logarithm::log(a[0], Base::E), Rare::Vector(|a| logarithm::log_all(a[0], Base::E))),
    recipe("log2f", Ty::F32, 1, |a| logarithm::log(a[0], Base::Two), Rare::Vector(|a| logarithm::log_all(a[0], Base::Two))),
    recipe("log10f", Ty::F32, 1, |a| logarithm::log(a[0], Base::Ten), Rare::Vector(|a| logarithm::log_all(a[0], Base::Ten))),
    recipe("log1pf", Ty::F32, 1, |a| logarithm::log1p(a[0]), Rare::Vector(|a| logarithm::log1p_all(a[0]))),
    recipe("asinhf", Ty::F32, 1, |a| logarithm::asinh(a[0]), Rare::Vector(|a| logarithm::asinh_all(a[0]))),
    recipe("acoshf", Ty::F32, 1, |a| logarithm::acosh(a[0]), Rare::Vector(|a| logarithm::acosh_all(a[0]))),
    recipe("atanhf", Ty::F32, 1, |a| logarithm::atanh(a[0]), Rare::Vector(|a| logarithm::atanh_all(a[0]))),
    long(recipe("powf", Ty::F32, 2, |a| power::pow(a[0], a[1]), Rare::Vector(|a| power::pow_all(a[0], a[1])))),
    recipe("atanf", Ty::F32, 1, |a| arc::atan(a[0]), Rare::None),
    recipe("asinf", Ty::F32, 1, |a| arc::asin(a[0]), Rare::None),
    recipe("acosf", Ty::F32, 1, |a| arc::acos(a[0]), Rare::None),
    recipe("atan2f", Ty::F32, 2, |a| arc::atan2(a[0], a[1]), Rare::Vector(|a| arc::atan2_all(a[0], a[1]))),
    long(recipe("cbrtf", Ty::F32, 1, |a| root::cbrt(a[0]), Rare::Vector(|a| root::cbrt_all(a[0])))),
    recipe("hypotf", Ty::F32, 2, |a| root::hypot(a[0], a[1]), Rare::Vector(|a| root::hypot_all(a[0], a[1]))),
    recipe("erff", Ty::F32, 1, |a| erf::erf(a[0], &EXP_F32), Rare::None),
    recipe("erfcf", Ty::F32, 1, |a| erf::erfc(a[0], &EXP_F32), Rare::None),
    recipe("sin", Ty::F64, 1, |a| trigonometric::sin(a[0]), Rare::Scalar),
    recipe("cos", Ty::F64, 1, |a| trigonometric::cos(a[0]), Rare::Scalar),
    recipe("tan", Ty::F64, 1, |a| trigonometric::tan(a[0]), Rare::Scalar),
    recipe("exp", Ty::F64, 1, |a| exponential::power(a[0], &EXP_F64), Rare::Vector(|a| exponential::power_all(a[0], &EXP_F64))),
    recipe("exp2", Ty::F64, 1, |a| exponential::power(a[0], &EXP2_F64), Rare::Vector(|a| exponential::power_all(a[0], &EXP2_F64))),
    recipe("exp10", Ty::F64, 1, |a| exponential::power(a[0], &EXP10_F64), Rare::Vector(|a| exponential::power_all(a[0], &EXP10_F64))),
    recipe("expm1", Ty::F64, 1, |a| exponential::expm1(a[0], &EXP_F64), Rare::Vector(|a| exponential::expm1_all(a[0], &EXP_F64))),
    recipe("sinh", Ty::F64, 1, |a| exponential::sinh(a[0], &EXP_F64), Rare::Vector(|a| exponential::sinh_all(a[0], &EXP_F64))),
    recipe("cosh", Ty::F64, 1, |a| exponential::cosh(a[0], &EXP_F64), Rare::Vector(|a| exponential::cosh_all(a[0], &EXP_F64))),
    recipe("tanh", Ty::F64, 1, |a| exponential::tanh(a[0], &EXP_F64, 20.0), Rare::None),
    recipe("log", Ty::F64, 1, |a| logarithm::log(a[0], Base::E), Rare::Vector(|a| logarithm::log_all(a[0], Base::E))),
    recipe("log2", Ty::F64, 1, |a| logarithm::log(a[0], Base::Two), Rare::Vector(|a| logarithm::log_all(a[0], Base::Two))),
    recipe("log10", Ty::F64, 1, |a| logarithm::log(a[0], Base::Ten), Rare::Vector(|a| logarithm::log_all(a[0], Base::Ten))),
    recipe("log1p", Ty::F64, 1, |a| logarithm::log1p(a[0]), Rare::Vector(|a| logarithm::log1p_all(a[0]))),
    recipe("asinh", Ty::F64, 1, |a| logarithm::asinh(a[0]), Rare::Vector(|a| logarithm::asinh_all(a[0]))),
    recipe("acosh", Ty::F64, 1, |a| logarithm::acosh(a[0]), Rare::Vector(|a| logarithm::acosh_all(a[0]))),
    recipe("atanh", Ty::F64, 1, |a| logarithm::atanh(a[0]), Rare::Vector(|a| logarithm::atanh_all(a[0]))),
    recipe("pow", Ty::F64, 2, |a| power::pow(a[0], a[1]), Rare::Vector(|a| power::pow_all(a[0], a[1]))),
    recipe("atan", Ty::F64, 1, |a| arc::atan(a[0]), Rare::None),
    recipe("asin", Ty::F64, 1, |a| arc::asin(a[0]), Rare::None),
    recipe("acos", Ty::F64, 1, |a| arc::acos(a[0]), Rare::None),
    recipe("atan2", Ty::F64, 2, |a| arc::atan2(a[0], a[1]), Rare::Vector(|a| arc::atan2_all(a[0], a[1]))),
    recipe("cbrt", Ty::F64, 1, |a| root::cbrt(a[0]), Rare::Vector(|a| root::cbrt_all(a[0]))),
    recipe("hypot", Ty::F64, 2, |a| root::hypot(a[0], a[1]), Rare::Vector(|a| root::hypot_all(a[0], a[1]))),
    recipe("erf", Ty::F64, 1, |a| erf::erf(a[0], &EXP_F64), Rare::None),
    recipe("erfc", Ty::F64, 1, |a| erf::erfc(a[0], &EXP_F64), Rare::None),
];

/// The same, computed in larger pieces.
const fn long((name, recipe): (&'static str, Recipe)) -> (&'static str, Recipe) {
    let recipe = Recipe {
        registers: 4,
        ..recipe
    };
    (name, recipe)
}

/// An entry of the list.
const fn recipe(
    name: &'static str,
    ty: Ty,
    operands: u32,
    fast: for<'e> fn(&[V<'e>]) -> Fast<'e>,
    rare: Rare,
) -> (&'static str, Recipe) {
    let recipe = Recipe {
        ty,
        operands,
        fast,
        rare,
        // Measured: more of them make functions of floats no faster, those of doubles are longer.
        registers: if matches!(ty, Ty::F32) { 2 } else { 4 },
    };
    (name, recipe)
}

/// Names of all scalar functions that there is a vector function for.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(name, _)| *name)
}
