//! The functions of one value, which give the bits that lanes of vectors get.
//!
//! A work-item computes the same whether it runs by itself or as a lane, so that results do not change
//! when a kernel's vectorised code takes over from its first code.

use super::define::Recipe;
use super::{Definition, Features, RECIPES, define};
use std::fmt::Write;

/// What the name of such a function begins with in IR; the C library's name follows.
pub const PREFIX: &str = "ur.math.";

/// Lanes of the vector that the one value is put into: an SSE register's.
fn lanes(recipe: &Recipe) -> u32 {
    128 / recipe.ty.bits()
}

/// The function of one value that does what the C library's function `name` does, and what it calls;
/// none if there is only the C library's own. The first definition is that of [`PREFIX`] and the name.
pub fn scalar(name: &str, features: Features) -> Option<[Definition; 2]> {
    let (_, recipe) = RECIPES.iter().find(|(known, _)| *known == name)?;
    let lanes = lanes(recipe);
    let vector = define::define(name, recipe, lanes, features);
    let ty = recipe.ty.name();
    let wide = format!("<{lanes} x {ty}>");
    let (mut parameters, mut body, mut arguments) = (Vec::new(), String::new(), String::new());
    for i in 0..recipe.operands {
        parameters.push(format!("{ty} %a{i}"));
        // In all lanes, lest the others hold something that is slow to compute with.
        let _ = write!(
            body,
            "  %one{i} = insertelement {wide} poison, {ty} %a{i}, i32 0\n  \
             %all{i} = shufflevector {wide} %one{i}, {wide} poison, <{lanes} x i32> zeroinitializer\n"
        );
        let _ = write!(arguments, "{wide} %all{i}, ");
    }
    let mut live = vec!["i1 false"; lanes as usize];
    live[0] = "i1 true";
    let text = format!(
        "define internal {ty} @{PREFIX}{name}({parameters}) \
         noinline nounwind willreturn memory(none) {{\n{body}  \
         %r = call {wide} @{function}({arguments}<{lanes} x i1> <{live}>)\n  \
         %s = extractelement {wide} %r, i32 0\n  \
         ret {ty} %s\n}}\n",
        parameters = parameters.join(", "),
        function = vector.name,
        live = live.join(", "),
    );
    let one = Definition {
        name: format!("{PREFIX}{name}"),
        text,
        calls: Vec::new(),
    };
    Some([one, vector])
}
