//! From the recipe of a function to its definition.

use std::fmt::Write;

use super::emit::{Emit, P, Ty, V};
use super::{Definition, Features};

/// What the fast part comes to.
pub struct Fast<'e> {
    /// The result, in lanes that are not rare.
    pub value: V<'e>,
    /// Integers of the lanes' size, negative in the lanes that are rare. (The signs of several
    /// registers are combined by an instruction for each, truth values take more.)
    pub rare: Option<V<'e>>,
}

impl<'e> From<V<'e>> for Fast<'e> {
    fn from(value: V<'e>) -> Self {
        Self { value, rare: None }
    }
}

/// What is done for rare lanes.
#[derive(Clone, Copy)]
pub enum Rare {
    /// There are none.
    None,
    /// Vector code that holds for all inputs.
    Vector(for<'e> fn(&[V<'e>]) -> V<'e>),
    /// The scalar function is called for each of them.
    Scalar,
}

/// How a function is computed.
pub struct Recipe {
    /// Type of the operands and of the result.
    pub ty: Ty,
    /// Number of operands.
    pub operands: u32,
    /// The fast part.
    pub fast: for<'e> fn(&[V<'e>]) -> Fast<'e>,
    /// The rare part.
    pub rare: Rare,
    /// Hardware registers per value in the code of one piece. A function of more lanes is computed
    /// in pieces, so that what one of them needs fits into the registers; a long chain of
    /// operations needs several that go side by side.
    pub registers: u32,
}

/// Writes the function `name` of `lanes` lanes.
pub fn define(name: &str, recipe: &Recipe, lanes: u32, features: Features) -> Definition {
    let function = format!("ur.vec.{name}.{lanes}");
    let rare_function = format!("ur.vec.rare.{name}.{lanes}");
    let vector = format!("<{lanes} x {}>", recipe.ty.name());
    let mut calls = Vec::new();
    let parameters: Vec<String> = (0..recipe.operands)
        .map(|i| format!("{vector} %a{i}"))
        .collect();
    let parameters = parameters.join(", ");
    let mut text = format!(
        "define internal {vector} @{function}({parameters}, <{lanes} x i1> %mask0) \
         alwaysinline nounwind {{\n"
    );

    let e = Emit::new(features);
    let fast = pieces(&e, recipe, lanes, recipe.fast);
    let value = V::concat(&fast.iter().map(|f| f.value).collect::<Vec<_>>());
    let rare: Vec<V> = fast.iter().filter_map(|f| f.rare).collect();
    if rare.is_empty() {
        e.line(&format!("  ret {}", value.typed()));
        text.push_str(&e.into_text());
        text.push_str("}\n");
        return Definition {
            name: function,
            text,
            calls,
        };
    }

    let mask = e.parameter("mask", 0, Ty::I1, lanes);
    let piece = piece(recipe, lanes, features);
    let live: Vec<V> = (0..)
        .zip(&rare)
        .map(|(i, rare)| {
            let live = mask.slice(i * piece, piece);
            *rare & live.spread(recipe.ty.integer())
        })
        .collect();
    let any = V::any_negative(&live);
    e.line(&format!(
        "  br i1 {any}, label %rare, label %done, \
         !prof !{{!\"branch_weights\", i32 1, i32 1000}}\nrare:"
    ));
    let hard: Vec<V> = live.iter().map(|rare| rare.int_is(P::Lt, 0)).collect();
    let hard = V::concat(&hard);
    let mut arguments = String::new();
    for i in 0..recipe.operands {
        let _ = write!(arguments, "{vector} %a{i}, ");
    }
    e.line(&format!(
        "  %hard = bitcast {} to i{lanes}\n  \
         %slow = call {vector} @{rare_function}({arguments}{}, i{lanes} %hard)\n  \
         br label %done\ndone:\n  \
         %result = phi {vector} [ {}, %entry ], [ %slow, %rare ]\n  \
         ret {vector} %result",
        hard.typed(),
        value.typed(),
        value.text(),
    ));
    text.push_str("entry:\n");
    text.push_str(&e.into_text());
    text.push_str("}\n");

    let _ = write!(
        text,
        "define internal {vector} @{rare_function}({parameters}, {vector} %fast0, \
         i{lanes} %hard) noinline cold nounwind {{\nentry:\n"
    );
    match recipe.rare {
        Rare::Vector(all) => vector_loop(&mut text, recipe, all, lanes, features),
        Rare::Scalar => {
            scalar_loop(&mut text, name, recipe, lanes);
            let scalar = recipe.ty.name();
            let list = vec![scalar; recipe.operands as usize].join(", ");
            let declaration =
                format!("declare {scalar} @{name}({list}) nounwind willreturn memory(none)");
            calls.push((name.to_owned(), declaration));
        }
        Rare::None => unreachable!("a function with rare lanes says what to do with them"),
    }
    text.push_str("}\n");
    Definition {
        name: function,
        text,
        calls,
    }
}

/// Lanes of a piece.
fn piece(recipe: &Recipe, lanes: u32, features: Features) -> u32 {
    (features.bits() / recipe.ty.bits() * recipe.registers).min(lanes)
}

/// The results of `compute` for the operands in pieces.
fn pieces<'e>(
    e: &'e Emit,
    recipe: &Recipe,
    lanes: u32,
    compute: impl Fn(&[V<'e>]) -> Fast<'e>,
) -> Vec<Fast<'e>> {
    let piece = piece(recipe, lanes, e.features);
    (0..lanes / piece)
        .map(|i| {
            let operands: Vec<V> = (0..recipe.operands)
                .map(|n| {
                    e.parameter("a", n, recipe.ty, lanes)
                        .slice(i * piece, piece)
                })
                .collect();
            compute(&operands)
        })
        .collect()
}

/// Applies vector code for all inputs to the pieces that have a bit in `%hard`.
fn vector_loop(
    text: &mut String,
    recipe: &Recipe,
    all: for<'e> fn(&[V<'e>]) -> V<'e>,
    lanes: u32,
    features: Features,
) {
    let ty = recipe.ty.name();
    let vector = format!("<{lanes} x {ty}>");
    let piece = piece(recipe, lanes, features);
    let part = format!("<{piece} x {ty}>");
    let mut loads = String::new();
    for i in 0..recipe.operands {
        let _ = write!(
            text,
            "  %in{i} = alloca {vector}\n  store {vector} %a{i}, ptr %in{i}\n"
        );
        let _ = write!(
            loads,
            "  %p{i} = getelementptr {ty}, ptr %in{i}, i32 %i\n  \
             %x{i} = load {part}, ptr %p{i}\n"
        );
    }
    let e = Emit::new(features);
    let operands: Vec<V> = (0..recipe.operands)
        .map(|n| e.parameter("x", n, recipe.ty, piece))
        .collect();
    let slow = all(&operands);
    let usual = e.parameter("usual", 0, recipe.ty, piece);
    let hard = e.parameter("bits", 0, Ty::I1, piece);
    let value = hard.choose(slow, usual).typed();
    let body = e.into_text();
    // Of the bits of all lanes, those of this piece; an integer of as many bits is all there is
    // where there is one piece.
    let bits = if piece == lanes {
        format!("  %part = add i{lanes} %hard, 0\n")
    } else {
        format!(
            "  %by = zext i32 %i to i64\n  %long = zext i{lanes} %hard to i64\n  \
             %moved = lshr i64 %long, %by\n  %part = trunc i64 %moved to i{piece}\n"
        )
        .replace("zext i64 %hard to i64", "add i64 %hard, 0")
    };
    let _ = write!(
        text,
        "  %out = alloca {vector}
  store {vector} %fast0, ptr %out
  br label %next
next:
  %i = phi i32 [ 0, %entry ], [ %j, %behind ]
{bits}  %none = icmp eq i{piece} %part, 0
  br i1 %none, label %behind, label %some
some:
{loads}  %place = getelementptr {ty}, ptr %out, i32 %i
  %usual0 = load {part}, ptr %place
  %bits0 = bitcast i{piece} %part to <{piece} x i1>
{body}  store {value}, ptr %place
  br label %behind
behind:
  %j = add i32 %i, {piece}
  %more = icmp ult i32 %j, {lanes}
  br i1 %more, label %next, label %end
end:
  %all = load {vector}, ptr %out
  ret {vector} %all
"
    );
}

/// Calls the scalar function for each lane whose bit in `%hard` is set; there is at least one.
fn scalar_loop(text: &mut String, name: &str, recipe: &Recipe, lanes: u32) {
    let ty = recipe.ty.name();
    let vector = format!("<{lanes} x {ty}>");
    let mut loads = String::new();
    let mut arguments = Vec::new();
    for i in 0..recipe.operands {
        let _ = writeln!(
            text,
            "  %in{i} = alloca {vector}\n  store {vector} %a{i}, ptr %in{i}"
        );
        let _ = writeln!(
            loads,
            "  %p{i} = getelementptr {ty}, ptr %in{i}, i{lanes} %lane\n  \
             %x{i} = load {ty}, ptr %p{i}"
        );
        arguments.push(format!("{ty} %x{i}"));
    }
    let arguments = arguments.join(", ");
    let _ = write!(
        text,
        "  %out = alloca {vector}
  store {vector} %fast0, ptr %out
  br label %next
next:
  %left = phi i{lanes} [ %hard, %entry ], [ %others, %next ]
  %lane = call i{lanes} @llvm.cttz.i{lanes}(i{lanes} %left, i1 true)
{loads}  %y = call {ty} @{name}({arguments})
  %place = getelementptr {ty}, ptr %out, i{lanes} %lane
  store {ty} %y, ptr %place
  %below = add i{lanes} %left, -1
  %others = and i{lanes} %left, %below
  %over = icmp eq i{lanes} %others, 0
  br i1 %over, label %end, label %next
end:
  %all = load {vector}, ptr %out
  ret {vector} %all
"
    );
}
