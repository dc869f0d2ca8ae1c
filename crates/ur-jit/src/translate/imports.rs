//! Functions that a module imports by name.

use ur_spirv::Function;

use crate::error::{Error, Result};
use crate::ir::{Type, Value};

use super::function::Body;

/// LLVM intrinsics that may be imported: pure functions of their operands.
const INTRINSICS: &[&str] = &[
    "abs",
    "assume",
    "bitreverse",
    "bswap",
    "ceil",
    "copysign",
    "ctlz",
    "ctpop",
    "cttz",
    "expect",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi.sat",
    "fptoui.sat",
    "fshl",
    "fshr",
    "is.fpclass",
    "maximum",
    "maxnum",
    "minimum",
    "minnum",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "smax",
    "smin",
    "sqrt",
    "sshl.sat",
    "ssub.sat",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "ushl.sat",
    "usub.sat",
    "vector.reduce.add",
    "vector.reduce.and",
    "vector.reduce.fmax",
    "vector.reduce.fmin",
    "vector.reduce.mul",
    "vector.reduce.or",
    "vector.reduce.smax",
    "vector.reduce.smin",
    "vector.reduce.umax",
    "vector.reduce.umin",
    "vector.reduce.xor",
];

impl Body<'_, '_> {
    /// A call of a function without a body.
    pub fn import(&mut self, function: &Function, args: &[Value]) -> Result<Option<Value>> {
        let name = function
            .linkage
            .as_ref()
            .map(|linkage| linkage.name.as_str())
            .or_else(|| self.t.spv.name(function.id))
            .unwrap_or("");
        let ty = self.t.ty(function.ret)?;
        match (name, args) {
            // These take references to what they convert.
            ("__devicelib_ConvertBF16ToFINTEL", [a]) => {
                let a = self.referenced(a, &ty.with_scalar(&Type::Int(16)), 2);
                return Ok(Some(self.bf16_to_float(&a, &ty)));
            }
            ("__devicelib_ConvertFToBF16INTEL", [a]) => {
                let a = self.referenced(a, &ty.with_scalar(&Type::Float), 4);
                return Ok(Some(self.float_to_bf16(&a, &ty)));
            }
            _ => {}
        }
        let known = name.strip_prefix("llvm.").is_some_and(|rest| {
            INTRINSICS.iter().any(|known| {
                rest.strip_prefix(known)
                    .is_some_and(|types| types.is_empty() || types.starts_with('.'))
            })
        });
        if !known {
            return Err(Error::unsupported(format!("the imported function {name}")));
        }
        let value = self.fb.call(name, &ty, args);
        Ok((ty != Type::Void).then_some(value))
    }

    /// The value of type `ty` that `a` is or points to.
    fn referenced(&mut self, a: &Value, ty: &Type, align: u64) -> Value {
        if a.ty == Type::PTR {
            self.fb.load(ty, a, align)
        } else {
            a.clone()
        }
    }
}
