//! Conversions between types.

use ur_spirv::Inst;
use ur_spirv::spirv::{Decoration, Op};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};
use crate::opencl_std::{Rounding, convert_rounded};

use super::function::Body;

impl Body<'_, '_> {
    /// Conversions.
    pub fn convert(&mut self, inst: &Inst) -> Result<bool> {
        if !matches!(
            inst.op,
            Op::ConvertFToU
                | Op::ConvertFToS
                | Op::ConvertSToF
                | Op::ConvertUToF
                | Op::UConvert
                | Op::SConvert
                | Op::FConvert
                | Op::ConvertPtrToU
                | Op::ConvertUToPtr
                | Op::SatConvertSToU
                | Op::SatConvertUToS
                | Op::Bitcast
                | Op::PtrCastToGeneric
                | Op::GenericCastToPtr
                | Op::QuantizeToF16
                | Op::ConvertBF16ToFINTEL
                | Op::ConvertFToBF16INTEL
        ) {
            return Ok(false);
        }
        let ty = self.result_ty(inst)?;
        let a = self.value(inst.arg(0))?;
        let saturated = self
            .t
            .spv
            .is_decorated(inst.id, Decoration::SaturatedConversion);
        let value = match inst.op {
            Op::UConvert if saturated => self.saturate(&a, &ty, false, false),
            Op::SConvert if saturated => self.saturate(&a, &ty, true, true),
            Op::UConvert => self.fb.int_cast(&a, &ty, false),
            Op::SConvert => self.fb.int_cast(&a, &ty, true),
            Op::SatConvertSToU => self.saturate(&a, &ty, true, false),
            Op::SatConvertUToS => self.saturate(&a, &ty, false, true),
            Op::ConvertFToU | Op::ConvertFToS => {
                let rounding = self.rounding(inst)?.unwrap_or(Rounding::TowardsZero);
                let a = match rounding {
                    Rounding::TowardsZero => a,
                    Rounding::NearestEven => self.fb.intrinsic_same("roundeven", &[a]),
                    Rounding::Up => self.fb.intrinsic_same("ceil", &[a]),
                    Rounding::Down => self.fb.intrinsic_same("floor", &[a]),
                };
                let name = if inst.op == Op::ConvertFToU {
                    "fptoui.sat"
                } else {
                    "fptosi.sat"
                };
                // With AVX512-FP16, LLVM 19 gives what the processor does for a half that is no
                // number. Every half is a float.
                let a = if a.ty.scalar() == Type::Half {
                    let float = a.ty.with_scalar(&Type::Float);
                    self.fb.float_cast(&a, &float)
                } else {
                    a
                };
                let from = a.ty.clone();
                self.fb.intrinsic(name, &[&ty, &from], &ty, &[a])
            }
            Op::ConvertSToF | Op::ConvertUToF => {
                let op = if inst.op == Op::ConvertSToF {
                    "sitofp"
                } else {
                    "uitofp"
                };
                match self.rounding(inst)? {
                    None | Some(Rounding::NearestEven) => self.fb.cast(op, &a, &ty),
                    Some(rounding) if a.ty.scalar_bits() <= 32 => {
                        // A double holds every such integer, so only one step rounds.
                        let exact = self.fb.cast(op, &a, &a.ty.with_scalar(&Type::Double));
                        convert_rounded(&mut self.fb, &exact, &ty, rounding)
                    }
                    Some(rounding) if ty.scalar() == Type::Half => {
                        // What a double does not hold is far beyond any half.
                        let near = self.fb.cast(op, &a, &a.ty.with_scalar(&Type::Double));
                        convert_rounded(&mut self.fb, &near, &ty, rounding)
                    }
                    Some(rounding) => {
                        self.wide_to_float(&a, &ty, rounding, inst.op == Op::ConvertSToF)
                    }
                }
            }
            Op::FConvert => {
                let rounding = self.rounding(inst)?.unwrap_or(Rounding::NearestEven);
                convert_rounded(&mut self.fb, &a, &ty, rounding)
            }
            Op::QuantizeToF16 => {
                let half = a.ty.with_scalar(&Type::Half);
                let narrow = self.fb.float_cast(&a, &half);
                self.fb.float_cast(&narrow, &ty)
            }
            Op::ConvertPtrToU => {
                let word = a.ty.with_scalar(&Type::I64);
                let bits = self.fb.cast("ptrtoint", &a, &word);
                self.fb.int_cast(&bits, &ty, false)
            }
            Op::ConvertUToPtr => {
                let word = a.ty.with_scalar(&Type::I64);
                let bits = self.fb.int_cast(&a, &word, false);
                self.fb.cast("inttoptr", &bits, &ty)
            }
            Op::Bitcast => self.reinterpret(&a, &ty)?,
            Op::ConvertBF16ToFINTEL => self.bf16_to_float(&a, &ty),
            Op::ConvertFToBF16INTEL => self.float_to_bf16(&a, &ty),
            // All address spaces are one.
            _ => a,
        };
        self.set(inst, value);
        Ok(true)
    }

    /// A 64-bit integer as a float or double in a rounding mode other than to the nearest.
    fn wide_to_float(&mut self, a: &Value, ty: &Type, rounding: Rounding, signed: bool) -> Value {
        let nearest = self
            .fb
            .cast(if signed { "sitofp" } else { "uitofp" }, a, ty);
        // Back again with enough bits for one past the largest integer, so that the two compare.
        let wide = a.ty.with_scalar(&Type::Int(66));
        let exact = self.fb.int_cast(a, &wide, signed);
        let back = self.fb.cast("fptosi", &nearest, &wide);
        let above = self.fb.icmp("sgt", &back, &exact);
        let below = self.fb.icmp("slt", &back, &exact);
        let bits = self.fb.bitcast(&nearest, &ty.as_int());
        let (one, minus) = (Value::int(&bits.ty, 1), Value::int(&bits.ty, -1));
        let negative = self.fb.icmp("slt", &bits, &Value::zero(&bits.ty));
        // Bits grow with the magnitude.
        let (wrong, step) = match rounding {
            Rounding::Up => (below, self.fb.select(&negative, &minus, &one)),
            Rounding::Down => (above, self.fb.select(&negative, &one, &minus)),
            _ => (self.fb.select(&negative, &below, &above), minus),
        };
        let moved = self.fb.binary("add", &bits, &step);
        let kept = self.fb.select(&wrong, &moved, &bits);
        self.fb.bitcast(&kept, ty)
    }

    /// The same bits as another type; pointers and integers included.
    fn reinterpret(&mut self, a: &Value, ty: &Type) -> Result<Value> {
        if a.ty == *ty {
            return Ok(a.clone());
        }
        let bits = |t: &Type| u64::from(t.scalar_bits()) * u64::from(t.lanes());
        if bits(&a.ty) != bits(ty) {
            return Err(Error::unsupported("a bitcast between sizes"));
        }
        Ok(match (a.ty.is_ptr(), ty.is_ptr()) {
            (true, false) => {
                let word = a.ty.with_scalar(&Type::I64);
                let word = self.fb.cast("ptrtoint", a, &word);
                self.fb.bitcast(&word, ty)
            }
            (false, true) => {
                let word = self.fb.bitcast(a, &ty.with_scalar(&Type::I64));
                self.fb.cast("inttoptr", &word, ty)
            }
            _ => self.fb.bitcast(a, ty),
        })
    }

    /// An integer limited to the range of another type.
    pub fn saturate(&mut self, a: &Value, ty: &Type, from_signed: bool, to_signed: bool) -> Value {
        let to = ty.scalar_bits();
        let from = a.ty.scalar_bits();
        // Limits of the target as far as the source type can hold them.
        let (low, high): (i128, i128) = if to_signed {
            (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1)
        } else {
            (0, (1i128 << to) - 1)
        };
        let (from_low, from_high): (i128, i128) = if from_signed {
            (-(1i128 << (from - 1)), (1i128 << (from - 1)) - 1)
        } else {
            (0, (1i128 << from) - 1)
        };
        let mut value = a.clone();
        if low > from_low {
            let name = if from_signed { "smax" } else { "umax" };
            value = self
                .fb
                .intrinsic_same(name, &[value.clone(), Value::int(&a.ty, low)]);
        }
        if high < from_high {
            let name = if from_signed { "smin" } else { "umin" };
            value = self
                .fb
                .intrinsic_same(name, &[value.clone(), Value::int(&a.ty, high)]);
        }
        self.fb.int_cast(&value, ty, from_signed)
    }

    /// The rounding mode decorated on a conversion.
    fn rounding(&self, inst: &Inst) -> Result<Option<Rounding>> {
        let Some(decoration) = self.t.spv.decoration(inst.id, Decoration::FPRoundingMode) else {
            return Ok(None);
        };
        let number = decoration.params.first().copied().unwrap_or(0);
        Rounding::from_spirv(number)
            .map(Some)
            .map_err(|e| Error::unsupported(e.0))
    }

    /// A bfloat16 given by its bits, as a float.
    pub fn bf16_to_float(&mut self, a: &Value, ty: &Type) -> Value {
        let wide = self.fb.int_cast(a, &ty.as_int(), false);
        let shift = Value::int(&wide.ty, 16);
        let bits = self.fb.binary("shl", &wide, &shift);
        self.fb.bitcast(&bits, ty)
    }

    /// The bits of the bfloat16 nearest to a float, ties to even; a NaN stays one.
    pub fn float_to_bf16(&mut self, a: &Value, ty: &Type) -> Value {
        let bits = self.fb.bitcast(a, &a.ty.as_int());
        let word = bits.ty.clone();
        let shifted = self.fb.binary("lshr", &bits, &Value::int(&word, 16));
        let odd = self.fb.binary("and", &shifted, &Value::int(&word, 1));
        let bias = self.fb.binary("add", &odd, &Value::int(&word, 0x7fff));
        let rounded = self.fb.binary("add", &bits, &bias);
        let rounded = self.fb.binary("lshr", &rounded, &Value::int(&word, 16));
        let quiet = self.fb.binary("or", &shifted, &Value::int(&word, 0x40));
        let nan = self.fb.fcmp("uno", a, a);
        let result = self.fb.select(&nan, &quiet, &rounded);
        self.fb.int_cast(&result, ty, false)
    }
}
