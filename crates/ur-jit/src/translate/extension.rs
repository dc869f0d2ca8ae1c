//! Instructions that extensions of SPIR-V add: dot products, integer functions, clocks, fences.

use ur_spirv::Inst;
use ur_spirv::spirv::Op;

use crate::error::{Error, Result};
use crate::ir::{Type, Value};

use super::function::Body;

impl Body<'_, '_> {
    /// Instructions of extensions.
    pub fn extension(&mut self, inst: &Inst) -> Result<bool> {
        let value = match inst.op {
            Op::SDot | Op::UDot | Op::SUDot => self.dot_product(inst, 2)?,
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => self.dot_saturated(inst)?,
            Op::UCountLeadingZerosINTEL | Op::UCountTrailingZerosINTEL => {
                let a = self.value(inst.arg(0))?;
                let name = if inst.op == Op::UCountLeadingZerosINTEL {
                    "ctlz"
                } else {
                    "cttz"
                };
                let ty = a.ty.clone();
                self.fb
                    .intrinsic(name, &[&ty], &ty, &[a, Value::bool(false)])
            }
            Op::IAddSatINTEL | Op::UAddSatINTEL | Op::ISubSatINTEL | Op::USubSatINTEL => {
                let name = match inst.op {
                    Op::IAddSatINTEL => "sadd.sat",
                    Op::UAddSatINTEL => "uadd.sat",
                    Op::ISubSatINTEL => "ssub.sat",
                    _ => "usub.sat",
                };
                let (a, b) = self.pair(inst)?;
                self.fb.intrinsic_same(name, &[a, b])
            }
            Op::AbsISubINTEL | Op::AbsUSubINTEL => {
                let (a, b) = self.pair(inst)?;
                let sign = if inst.op == Op::AbsISubINTEL {
                    's'
                } else {
                    'u'
                };
                let pair = [a, b];
                let high = self.fb.intrinsic_same(&format!("{sign}max"), &pair);
                let low = self.fb.intrinsic_same(&format!("{sign}min"), &pair);
                self.fb.binary("sub", &high, &low)
            }
            Op::IAverageINTEL
            | Op::UAverageINTEL
            | Op::IAverageRoundedINTEL
            | Op::UAverageRoundedINTEL => {
                let (a, b) = self.pair(inst)?;
                let signed = matches!(inst.op, Op::IAverageINTEL | Op::IAverageRoundedINTEL);
                let up = matches!(inst.op, Op::IAverageRoundedINTEL | Op::UAverageRoundedINTEL);
                self.average(&a, &b, signed, up)
            }
            Op::FmaKHR => {
                let (a, b) = self.pair(inst)?;
                let c = self.value(inst.arg(2))?;
                let ty = a.ty.clone();
                crate::opencl_std::translate(
                    &mut self.fb,
                    ur_spirv::spirv::OpenclStd100Op::fma,
                    &ty,
                    &[a, b, c],
                    &[],
                )
                .map_err(|e| Error::unsupported(e.0))?
            }
            Op::ArithmeticFenceEXT => {
                let a = self.value(inst.arg(0))?;
                self.fb.intrinsic_same("arithmetic.fence", &[a])
            }
            Op::ReadClockKHR => {
                let ty = self.result_ty(inst)?;
                let ticks = self.fb.call("llvm.readcyclecounter", &Type::I64, &[]);
                self.fb.bitcast(&ticks, &ty)
            }
            // A hint.
            Op::SubgroupBlockPrefetchINTEL => return Ok(true),
            Op::FunctionPointerCallINTEL => {
                if let Some(value) = self.indirect_call(inst)? {
                    self.set(inst, value);
                }
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }

    /// Half the sum of two integers, rounded down, or up if `up`. No sum is ever formed, so that
    /// nothing overflows.
    fn average(&mut self, a: &Value, b: &Value, signed: bool, up: bool) -> Value {
        let differ = self.fb.binary("xor", a, b);
        let one = Value::int(&a.ty, 1);
        let half = self
            .fb
            .binary(if signed { "ashr" } else { "lshr" }, &differ, &one);
        if up {
            let either = self.fb.binary("or", a, b);
            self.fb.binary("sub", &either, &half)
        } else {
            let both = self.fb.binary("and", a, b);
            self.fb.binary("add", &both, &half)
        }
    }

    /// The operands of a dot product as vectors of elements of `bits` bits, each extended as the
    /// operation says. `literal` is the place of the packed format.
    fn factors(&mut self, inst: &Inst, literal: usize, bits: u32) -> Result<(Value, Value)> {
        let (mut a, mut b) = self.pair(inst)?;
        if inst.args.len() > literal {
            let bytes = Type::vector(&Type::I8, 4);
            a = self.fb.bitcast(&a, &bytes);
            b = self.fb.bitcast(&b, &bytes);
        }
        let wide = a.ty.with_scalar(&Type::Int(bits));
        let (a_signed, b_signed) = match inst.op {
            Op::SDot | Op::SDotAccSat => (true, true),
            Op::UDot | Op::UDotAccSat => (false, false),
            _ => (true, false),
        };
        Ok((
            self.fb.int_cast(&a, &wide, a_signed),
            self.fb.int_cast(&b, &wide, b_signed),
        ))
    }

    /// The sum of products, in the width of the result: what does not fit wraps.
    fn dot_product(&mut self, inst: &Inst, literal: usize) -> Result<Value> {
        let ty = self.result_ty(inst)?;
        let (a, b) = self.factors(inst, literal, ty.scalar_bits())?;
        let products = self.fb.binary("mul", &a, &b);
        let vector = products.ty.clone();
        Ok(self
            .fb
            .intrinsic("vector.reduce.add", &[&vector], &ty, &[products]))
    }

    /// The sum of products, added to an accumulator with saturation. The sum itself is formed in a
    /// width that holds it.
    fn dot_saturated(&mut self, inst: &Inst) -> Result<Value> {
        let ty = self.result_ty(inst)?;
        let accumulator = self.value(inst.arg(2))?;
        let narrow = self.value(inst.arg(0))?.ty.scalar_bits();
        // Sixteen products and an accumulator need five bits more than one product. A sum of products
        // of longer numbers is undefined when it does not fit the result.
        let bits = ((2 * narrow).max(ty.scalar_bits()) + 6).min(120);
        let (a, b) = self.factors(inst, 3, bits)?;
        let products = self.fb.binary("mul", &a, &b);
        let mut sum = self.fb.lane(&products, 0);
        for lane in 1..products.ty.lanes() {
            let next = self.fb.lane(&products, lane);
            sum = self.fb.binary("add", &sum, &next);
        }
        let signed = inst.op != Op::UDotAccSat;
        let accumulator = self.fb.int_cast(&accumulator, &sum.ty, signed);
        let sum = self.fb.binary("add", &sum, &accumulator);
        Ok(self.saturate(&sum, &ty, signed, signed))
    }
}
