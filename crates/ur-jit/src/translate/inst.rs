//! One instruction: which family it belongs to.

use ur_spirv::spirv::{Decoration, FPFastMathMode, Op, OpenclStd100Op};
use ur_spirv::{ExtSet, Inst};

use crate::error::{Error, Result};
use crate::ir::{FastMath, Type, Value};
use crate::{atomic, group, opencl_std};

use super::function::Body;
use super::plan::is_sync;

impl Body<'_, '_> {
    /// Translates an instruction.
    pub fn instruction(&mut self, inst: &Inst) -> Result<()> {
        self.fb.fast_math = self.fast_math(inst);
        let changes_bits = self.fb.fast_math != FastMath::default();
        self.t.loose |= changes_bits && self.result_is_float(inst);
        let handled = self.try_instruction(inst);
        self.fb.fast_math = FastMath::default();
        if handled? {
            Ok(())
        } else {
            Err(Error::unsupported(format!("the instruction {:?}", inst.op)))
        }
    }

    fn try_instruction(&mut self, inst: &Inst) -> Result<bool> {
        match inst.op {
            // Hints for other compilers.
            Op::Nop
            | Op::LoopControlINTEL
            | Op::Line
            | Op::NoLine
            | Op::ModuleProcessed
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL => return Ok(true),
            Op::Undef => {
                let ty = self.result_ty(inst)?;
                self.set(inst, Value::undef(&ty));
                return Ok(true);
            }
            Op::CopyObject | Op::CopyLogical => {
                let value = self.value(inst.arg(0))?;
                self.set(inst, value);
                return Ok(true);
            }
            Op::AssumeTrueKHR => {
                let condition = self.value(inst.arg(0))?;
                self.fb.call("llvm.assume", &Type::Void, &[condition]);
                return Ok(true);
            }
            Op::ExpectKHR => {
                let (value, expected) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let result = if value.ty.is_vector() {
                    value
                } else {
                    self.fb.intrinsic_same("expect", &[value, expected])
                };
                self.set(inst, result);
                return Ok(true);
            }
            Op::ControlBarrierArriveINTEL => {
                // Who waits later waits for all to have come that far.
                let semantics = self.value(inst.arg(2))?;
                atomic::fence(&mut self.fb, &semantics);
                return Ok(true);
            }
            Op::FunctionCall => return self.function_call(inst).map(|()| true),
            Op::ExtInst => return self.extended(inst).map(|()| true),
            _ => {}
        }
        if is_sync(inst.op) {
            return self.synchronise(inst).map(|()| true);
        }
        if group::is_local_op(inst.op) {
            return self.local_group_operation(inst).map(|()| true);
        }
        Ok(self.memory(inst)?
            || self.integer(inst)?
            || self.float(inst)?
            || self.compare(inst)?
            || self.convert(inst)?
            || self.composite(inst)?
            || self.image(inst)?
            || self.extension(inst)?
            || self.atomic(inst)?)
    }

    /// The floating-point freedoms decorated on an instruction.
    fn fast_math(&self, inst: &Inst) -> FastMath {
        let id = inst.id;
        if id == 0 {
            return FastMath::default();
        }
        let Some(decoration) = self.t.spv.decoration(id, Decoration::FPFastMathMode) else {
            return FastMath::default();
        };
        let bits = decoration.params.first().copied().unwrap_or(0);
        let mode = FPFastMathMode::from_bits_truncate(bits);
        let fast = mode.contains(FPFastMathMode::FAST);
        let contracts = !self.t.spv.is_decorated(id, Decoration::NoContraction);
        let freedoms = FastMath {
            nnan: fast || mode.contains(FPFastMathMode::NOT_NAN),
            ninf: fast || mode.contains(FPFastMathMode::NOT_INF),
            nsz: fast || mode.contains(FPFastMathMode::NSZ),
            arcp: fast || mode.contains(FPFastMathMode::ALLOW_RECIP),
            contract: contracts && (fast || mode.contains(FPFastMathMode::ALLOW_CONTRACT)),
            afn: fast,
            reassoc: fast || mode.contains(FPFastMathMode::ALLOW_REASSOC),
        };
        // Comparisons give Bools; what they compare counts.
        let width = self
            .float_width(inst.ty)
            .or_else(|| self.float_width(self.t.spv.type_id_of(inst.arg(0))))
            .unwrap_or(0);
        self.t.modes.limit(freedoms, width)
    }

    /// The width of a floating-point type or of a vector's elements.
    fn float_width(&self, ty: u32) -> Option<u32> {
        let scalar = match self.t.spv.ty(ty) {
            ur_spirv::Type::Vector { elem, .. } => self.t.spv.ty(*elem),
            other => other,
        };
        match scalar {
            ur_spirv::Type::Float { width } => Some(*width),
            _ => None,
        }
    }

    fn result_is_float(&self, inst: &Inst) -> bool {
        inst.ty != 0 && self.float_width(inst.ty).is_some()
    }

    /// A call: of an import, of a function with a body of its own, or one put in place.
    fn function_call(&mut self, inst: &Inst) -> Result<()> {
        let spv = self.t.spv;
        let callee = inst.arg(0);
        let function = spv
            .function(callee)
            .ok_or_else(|| Error::internal("a call of something that is no function"))?;
        let args = inst
            .args_from(1)
            .iter()
            .map(|arg| self.value(*arg))
            .collect::<Result<Vec<_>>>()?;
        let result = if function.blocks.is_empty() {
            self.import(function, &args)?
        } else if self.t.plan.has_sync(callee)
            || (self.leave.is_some() && self.t.plan.has_leader(callee))
        {
            self.inline(function, &args)?
        } else {
            self.direct_call(function, args)?
        };
        if let Some(value) = result {
            self.set(inst, value);
        }
        Ok(())
    }

    /// An instruction of an extended set.
    fn extended(&mut self, inst: &Inst) -> Result<()> {
        match self.t.spv.def(inst.arg(0)) {
            ur_spirv::Def::ExtSet(ExtSet::OpenClStd) => {}
            ur_spirv::Def::ExtSet(ExtSet::Info) => return Ok(()),
            _ => return Err(Error::unsupported("an unknown set of instructions")),
        }
        let op = OpenclStd100Op::from_u32(inst.arg(1)).ok_or_else(|| {
            Error::unsupported(format!("instruction {} of OpenCL.std", inst.arg(1)))
        })?;
        let ty = self.result_ty(inst)?;
        let operands = inst.args_from(2);
        let values = operands.len().saturating_sub(literal_operands(op));
        let args = operands[..values]
            .iter()
            .map(|operand| self.value(*operand))
            .collect::<Result<Vec<_>>>()?;
        let value = opencl_std::translate(&mut self.fb, op, &ty, &args, &operands[values..])
            .map_err(|e| Error::unsupported(format!("{e} ({op:?})")))?;
        self.set(inst, value);
        Ok(())
    }

    /// Atomic instructions and fences.
    fn atomic(&mut self, inst: &Inst) -> Result<bool> {
        if inst.op == Op::MemoryBarrier {
            let semantics = self.value(inst.arg(1))?;
            atomic::fence(&mut self.fb, &semantics);
            return Ok(true);
        }
        if !format!("{:?}", inst.op).starts_with("Atomic") {
            return Ok(false);
        }
        let ty = if inst.ty == 0 {
            Type::Void
        } else {
            self.result_ty(inst)?
        };
        let args = inst
            .args
            .iter()
            .map(|operand| self.value(*operand))
            .collect::<Result<Vec<_>>>()?;
        // The work-items of a group run on one thread.
        let local = inst.args.first().is_some_and(|pointer| {
            matches!(
                self.t.spv.type_of(*pointer),
                ur_spirv::Type::Pointer {
                    storage: ur_spirv::spirv::StorageClass::Workgroup,
                    ..
                }
            )
        });
        let translate = if local && self.t.lowering == super::Lowering::Vector {
            atomic::translate_alone
        } else {
            atomic::translate
        };
        let value = translate(&mut self.fb, inst.op, &ty, &args)
            .map_err(|e| Error::unsupported(format!("{e} ({:?})", inst.op)))?;
        self.set(inst, value);
        Ok(true)
    }
}

/// How many of an OpenCL.std instruction's operands, at the end, are literal numbers.
fn literal_operands(op: OpenclStd100Op) -> usize {
    use OpenclStd100Op as O;
    match op {
        O::vloadn
        | O::vload_halfn
        | O::vloada_halfn
        | O::vstore_half_r
        | O::vstore_halfn_r
        | O::vstorea_halfn_r => 1,
        _ => 0,
    }
}
