//! What calls do when several work-items make them together.

use crate::llvm::edit::{Builder, Type, Value};

/// How a called function behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// It only informs the compiler.
    Nothing,
    /// Its result follows from its operands and it does nothing else.
    Pure,
    /// Once for all lanes.
    Uniform,
    /// By each lane for itself.
    Lanes,
}

/// Intrinsics that compute each element of a vector from the same elements of their operands, and
/// whether the last operand is a single bit all the same.
const ELEMENTWISE: &[(&str, bool)] = &[
    ("llvm.abs", true),
    ("llvm.bitreverse", false),
    ("llvm.bswap", false),
    ("llvm.canonicalize", false),
    ("llvm.ceil", false),
    ("llvm.copysign", false),
    ("llvm.ctlz", true),
    ("llvm.ctpop", false),
    ("llvm.cttz", true),
    ("llvm.fabs", false),
    ("llvm.floor", false),
    ("llvm.fma", false),
    ("llvm.fmuladd", false),
    ("llvm.fptosi.sat", false),
    ("llvm.fptoui.sat", false),
    ("llvm.fshl", false),
    ("llvm.fshr", false),
    ("llvm.maximum", false),
    ("llvm.maxnum", false),
    ("llvm.minimum", false),
    ("llvm.minnum", false),
    ("llvm.nearbyint", false),
    ("llvm.rint", false),
    ("llvm.round", false),
    ("llvm.roundeven", false),
    ("llvm.sadd.sat", false),
    ("llvm.smax", false),
    ("llvm.smin", false),
    ("llvm.sqrt", false),
    ("llvm.ssub.sat", false),
    ("llvm.trunc", false),
    ("llvm.uadd.sat", false),
    ("llvm.umax", false),
    ("llvm.umin", false),
    ("llvm.usub.sat", false),
];

/// Intrinsics without effect.
const NOTHING: &[&str] = &[
    "llvm.assume",
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.start",
    "llvm.invariant.end",
    "llvm.dbg.value",
    "llvm.dbg.declare",
];

/// Whether a function's name is that of an intrinsic, types left aside.
fn is_intrinsic(name: &str, intrinsic: &str) -> bool {
    name.strip_prefix(intrinsic)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(".p0") || is_type(rest))
}

/// Whether this is how LLVM writes a scalar type at the end of an intrinsic's name.
fn is_type(text: &str) -> bool {
    let rest = text.strip_prefix('.').unwrap_or("");
    let (kind, number) = rest.split_at(rest.len().min(1));
    matches!(kind, "i" | "f")
        && number
            .split('.')
            .next()
            .is_some_and(|n| n.parse::<u32>().is_ok())
}

/// How the function that a call calls behaves.
pub fn callee(call: Value<'_>) -> Callee {
    let callee = call.callee();
    if !callee.is_function() {
        return Callee::Lanes;
    }
    let name = callee.name();
    if callee.intrinsic() != 0 {
        if NOTHING.iter().any(|n| is_intrinsic(&name, n)) {
            return Callee::Nothing;
        }
        if ELEMENTWISE.iter().any(|(n, _)| is_intrinsic(&name, n)) {
            return Callee::Pure;
        }
        if name.starts_with("llvm.frameaddress") {
            return Callee::Uniform;
        }
        return Callee::Lanes;
    }
    if call.is_pure_call() {
        Callee::Pure
    } else {
        Callee::Lanes
    }
}

/// Calls the vector form of an intrinsic that works on each element, if it is one. `wide` gives an
/// operand's vector, `narrow` a uniform operand's scalar.
pub fn elementwise<'m>(
    builder: &Builder<'m>,
    call: Value<'m>,
    result: Type<'m>,
    mut wide: impl FnMut(u32) -> Value<'m>,
) -> Option<Value<'m>> {
    let callee = call.callee();
    if callee.intrinsic() == 0 {
        return None;
    }
    let name = callee.name();
    let (base, bit) = ELEMENTWISE.iter().find(|(n, _)| is_intrinsic(&name, n))?;
    let args = call.call_args();
    let mut operands = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        if *bit && index + 1 == args.len() {
            operands.push(*arg);
        } else {
            operands.push(wide(index as u32));
        }
    }
    let mut types = vec![result];
    if base.ends_with(".sat") && base.starts_with("llvm.fpto") {
        types.push(operands[0].ty());
    }
    let made = builder.call_intrinsic(base, &types, &operands);
    builder.copy_flags(call, made);
    Some(made)
}
