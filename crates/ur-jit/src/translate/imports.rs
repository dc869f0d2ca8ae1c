//! Functions that a module imports by name.

use ur_spirv::{Function, Id, Module};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};
use crate::item;

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

/// The C library's function behind `assert`, and the one of SYCL that knows the work-item.
const ASSERT: &str = "__assert_fail";
const DEVICE_ASSERT: &str = "__devicelib_assert_fail";

/// Whether a call of that function needs the records of the work-item.
pub fn needs_item(module: &Module, function: Id) -> bool {
    module.function(function).is_some_and(|function| {
        let name = function.linkage.as_ref().map(|l| l.name.as_str());
        function.blocks.is_empty() && matches!(name, Some(ASSERT | DEVICE_ASSERT))
    })
}

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
            (ASSERT | DEVICE_ASSERT, [expression, file, line, function, ids @ ..]) => {
                let texts = [expression.clone(), file.clone(), function.clone()];
                let (line, ids) = (line.clone(), ids.to_vec());
                self.assertion(texts, &line, &ids);
                return Ok(None);
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

    /// Says that an assertion failed. `texts` are its expression, file and function; `ids` three
    /// global and three local ids, or nothing if they are to be found here.
    fn assertion(&mut self, texts: [Value; 3], line: &Value, ids: &[Value]) {
        let mut ids = ids.to_vec();
        if ids.len() != 6 {
            let (record, group) = (self.item.clone(), self.group.clone());
            let fb = &mut self.fb;
            ids = (0..3)
                .map(|dim| item::global_id(fb, &record, &group, dim))
                .collect();
            for dim in 0..3 {
                let at = item::item::LOCAL_ID + 8 * dim;
                ids.push(item::load(fb, &record, at, &Type::I64));
            }
        }
        let block = self.fb.alloca(&Type::array(&Type::I64, 6), 1, 8);
        for (offset, id) in (0..).step_by(8).zip(&ids) {
            let id = self.fb.int_cast(id, &Type::I64, false);
            item::store(&mut self.fb, &block, offset, &id);
        }
        let line = self.fb.int_cast(line, &Type::I32, false);
        let [expression, file, function] = texts;
        self.fb.call_attributes(
            "ur_jit_assert_failed",
            &Type::Void,
            &[expression, file, line, function, block],
            "nounwind",
        );
        self.asserted = true;
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
