//! Mathematical functions of vectors, as LLVM IR.
//!
//! [`function`] takes the name of a scalar function as kernels call it (`sinf`, `exp`, …) and gives
//! the definition of the same function of a vector. A function consists of a *fast part*, which is
//! straight code for the inputs that occur in practice, and where there are other inputs a *rare
//! part*, which is called when a live lane has one: vector code for the whole range, or the scalar
//! function for each such lane. Polynomials are made by `coefficients.py`.

mod coefficients;
mod define;
mod emit;
mod exponential;
mod features;
mod logarithm;
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
    let recipe = recipe(name)?;
    Some(define::define(name, &recipe, lanes, features))
}

/// How a function is computed.
fn recipe(name: &str) -> Option<Recipe> {
    let unary = |ty, fast, rare| Recipe {
        ty,
        operands: 1,
        fast,
        rare,
    };
    Some(match name {
        "expf" => unary(Ty::F32, exponential::exp_f32, Rare::Vector(exponential::exp_f32_all)),
        "logf" => unary(Ty::F32, logarithm::log_f32, Rare::Vector(logarithm::log_f32_all)),
        "sinf" => unary(Ty::F32, trigonometric::sin_f32, Rare::Scalar),
        "cosf" => unary(Ty::F32, trigonometric::cos_f32, Rare::Scalar),
        _ => return None,
    })
}

/// Names of all functions there are.
pub fn names() -> &'static [&'static str] {
    &["expf", "logf", "sinf", "cosf"]
}
