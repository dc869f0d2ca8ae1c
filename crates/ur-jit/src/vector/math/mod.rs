//! Mathematical functions of vectors, as LLVM IR.
//!
//! [`function`] takes the name of a scalar function as kernels call it (`sinf`, `exp`, …) and gives
//! the definition of the same function of a vector. A function consists of a *fast part*, which is
//! straight code for the inputs that occur in practice, and where there are other inputs a *rare
//! part*, which is called when a live lane has one: vector code for the whole range, or the scalar
//! function for each such lane. Polynomials are made by `coefficients.py`.

mod arc;
mod coefficients;
mod define;
mod emit;
mod exponential;
mod features;
mod logarithm;
mod power;
mod trigonometric;

#[cfg(test)]
mod tests;

pub use features::Features;

use define::{Rare, Recipe};
use emit::Ty;

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

/// The function of `lanes` lanes (a power of two from 2 to 64) that does what the scalar function
/// `name` does; none if there is only the scalar one.
pub fn function(name: &str, lanes: u32, features: Features) -> Option<Definition> {
    if !lanes.is_power_of_two() || !(2..=64).contains(&lanes) {
        return None;
    }
    let (_, recipe) = RECIPES.iter().find(|(known, _)| *known == name)?;
    Some(define::define(name, recipe, lanes, features))
}

/// How a function is computed, by the scalar function's name.
const RECIPES: &[(&str, Recipe)] = &[
    (
        "sinf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| trigonometric::sin(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "cosf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| trigonometric::cos(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "tanf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| trigonometric::tan(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "expf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP_F32),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP_F32)),
        },
    ),
    (
        "exp2f",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP2_F32),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP2_F32)),
        },
    ),
    (
        "exp10f",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP10_F32),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP10_F32)),
        },
    ),
    (
        "expm1f",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::expm1(a[0], &exponential::EXP_F32),
            rare: Rare::Vector(|a| exponential::expm1_all(a[0], &exponential::EXP_F32)),
        },
    ),
    (
        "sinhf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::sinh(a[0], &exponential::EXP_F32),
            rare: Rare::Vector(|a| exponential::sinh_all(a[0], &exponential::EXP_F32)),
        },
    ),
    (
        "coshf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::cosh(a[0], &exponential::EXP_F32),
            rare: Rare::Vector(|a| exponential::cosh_all(a[0], &exponential::EXP_F32)),
        },
    ),
    (
        "tanhf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| exponential::tanh(a[0], &exponential::EXP_F32, 10.0),
            rare: Rare::None,
        },
    ),
    (
        "logf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::E),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::E)),
        },
    ),
    (
        "log2f",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::Two),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::Two)),
        },
    ),
    (
        "log10f",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::Ten),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::Ten)),
        },
    ),
    (
        "log1pf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::log1p(a[0]),
            rare: Rare::Vector(|a| logarithm::log1p_all(a[0])),
        },
    ),
    (
        "asinhf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::asinh(a[0]),
            rare: Rare::Vector(|a| logarithm::asinh_all(a[0])),
        },
    ),
    (
        "acoshf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::acosh(a[0]),
            rare: Rare::Vector(|a| logarithm::acosh_all(a[0])),
        },
    ),
    (
        "atanhf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| logarithm::atanh(a[0]),
            rare: Rare::Vector(|a| logarithm::atanh_all(a[0])),
        },
    ),
    (
        "powf",
        Recipe {
            ty: Ty::F32,
            operands: 2,
            fast: |a| power::pow(a[0], a[1]),
            rare: Rare::Vector(|a| power::pow_all(a[0], a[1])),
        },
    ),
    (
        "atanf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| arc::atan(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "asinf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| arc::asin(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "acosf",
        Recipe {
            ty: Ty::F32,
            operands: 1,
            fast: |a| arc::acos(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "atan2f",
        Recipe {
            ty: Ty::F32,
            operands: 2,
            fast: |a| arc::atan2(a[0], a[1]),
            rare: Rare::Vector(|a| arc::atan2_all(a[0], a[1])),
        },
    ),
    (
        "sin",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| trigonometric::sin(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "cos",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| trigonometric::cos(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "tan",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| trigonometric::tan(a[0]),
            rare: Rare::Scalar,
        },
    ),
    (
        "exp",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP_F64),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP_F64)),
        },
    ),
    (
        "exp2",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP2_F64),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP2_F64)),
        },
    ),
    (
        "exp10",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::power(a[0], &exponential::EXP10_F64),
            rare: Rare::Vector(|a| exponential::power_all(a[0], &exponential::EXP10_F64)),
        },
    ),
    (
        "expm1",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::expm1(a[0], &exponential::EXP_F64),
            rare: Rare::Vector(|a| exponential::expm1_all(a[0], &exponential::EXP_F64)),
        },
    ),
    (
        "sinh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::sinh(a[0], &exponential::EXP_F64),
            rare: Rare::Vector(|a| exponential::sinh_all(a[0], &exponential::EXP_F64)),
        },
    ),
    (
        "cosh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::cosh(a[0], &exponential::EXP_F64),
            rare: Rare::Vector(|a| exponential::cosh_all(a[0], &exponential::EXP_F64)),
        },
    ),
    (
        "tanh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| exponential::tanh(a[0], &exponential::EXP_F64, 20.0),
            rare: Rare::None,
        },
    ),
    (
        "log",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::E),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::E)),
        },
    ),
    (
        "log2",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::Two),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::Two)),
        },
    ),
    (
        "log10",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::log(a[0], logarithm::Base::Ten),
            rare: Rare::Vector(|a| logarithm::log_all(a[0], logarithm::Base::Ten)),
        },
    ),
    (
        "log1p",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::log1p(a[0]),
            rare: Rare::Vector(|a| logarithm::log1p_all(a[0])),
        },
    ),
    (
        "asinh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::asinh(a[0]),
            rare: Rare::Vector(|a| logarithm::asinh_all(a[0])),
        },
    ),
    (
        "acosh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::acosh(a[0]),
            rare: Rare::Vector(|a| logarithm::acosh_all(a[0])),
        },
    ),
    (
        "atanh",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| logarithm::atanh(a[0]),
            rare: Rare::Vector(|a| logarithm::atanh_all(a[0])),
        },
    ),
    (
        "pow",
        Recipe {
            ty: Ty::F64,
            operands: 2,
            fast: |a| power::pow(a[0], a[1]),
            rare: Rare::Vector(|a| power::pow_all(a[0], a[1])),
        },
    ),
    (
        "atan",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| arc::atan(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "asin",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| arc::asin(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "acos",
        Recipe {
            ty: Ty::F64,
            operands: 1,
            fast: |a| arc::acos(a[0]),
            rare: Rare::None,
        },
    ),
    (
        "atan2",
        Recipe {
            ty: Ty::F64,
            operands: 2,
            fast: |a| arc::atan2(a[0], a[1]),
            rare: Rare::Vector(|a| arc::atan2_all(a[0], a[1])),
        },
    ),
];

/// Names of all scalar functions that there is a vector function for.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(name, _)| *name)
}
