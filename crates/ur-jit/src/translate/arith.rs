//! Arithmetic, bits, comparisons and selection.
//!
//! Nothing traps and nothing is undefined: a division by zero gives the dividend (its remainder 0),
//! the one signed quotient that does not fit wraps, and shift counts are taken modulo the width.

use ur_spirv::Inst;
use ur_spirv::spirv::{Decoration, Op};

use crate::error::Result;
use crate::ir::{Type, Value};

use super::function::Body;

impl Body<'_, '_> {
    /// Two operands of an instruction.
    pub fn pair(&mut self, inst: &Inst) -> Result<(Value, Value)> {
        Ok((self.value(inst.arg(0))?, self.value(inst.arg(1))?))
    }

    /// Integer arithmetic and bit operations.
    pub fn integer(&mut self, inst: &Inst) -> Result<bool> {
        let plain = match inst.op {
            Op::IAdd => "add",
            Op::ISub => "sub",
            Op::IMul => "mul",
            Op::BitwiseAnd | Op::LogicalAnd => "and",
            Op::BitwiseOr | Op::LogicalOr => "or",
            Op::BitwiseXor | Op::LogicalNotEqual => "xor",
            _ => return self.integer_rest(inst),
        };
        let (a, b) = self.pair(inst)?;
        let flags = self.wrap_flags(inst);
        let value = self.fb.binary(&format!("{plain}{flags}"), &a, &b);
        self.set(inst, value);
        Ok(true)
    }

    /// The promises about overflow that the module states.
    fn wrap_flags(&self, inst: &Inst) -> &'static str {
        if !matches!(
            inst.op,
            Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical
        ) {
            return "";
        }
        let spv = self.t.spv;
        match (
            spv.is_decorated(inst.id, Decoration::NoUnsignedWrap),
            spv.is_decorated(inst.id, Decoration::NoSignedWrap),
        ) {
            (true, true) => " nuw nsw",
            (true, false) => " nuw",
            (false, true) => " nsw",
            (false, false) => "",
        }
    }

    fn integer_rest(&mut self, inst: &Inst) -> Result<bool> {
        let value = match inst.op {
            Op::SNegate => {
                let a = self.value(inst.arg(0))?;
                self.fb.neg(&a)
            }
            Op::Not | Op::LogicalNot => {
                let a = self.value(inst.arg(0))?;
                self.fb.not(&a)
            }
            Op::LogicalEqual => {
                let (a, b) = self.pair(inst)?;
                self.fb.icmp("eq", &a, &b)
            }
            Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod => {
                let (a, b) = self.pair(inst)?;
                self.division(inst.op, &a, &b)
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let (a, count) = self.pair(inst)?;
                let count = self.shift_count(&a, &count);
                let op = match inst.op {
                    Op::ShiftLeftLogical => format!("shl{}", self.wrap_flags(inst)),
                    Op::ShiftRightLogical => "lshr".to_owned(),
                    _ => "ashr".to_owned(),
                };
                self.fb.binary(&op, &a, &count)
            }
            Op::BitCount => {
                let ty = self.result_ty(inst)?;
                let a = self.value(inst.arg(0))?;
                let count = self.fb.intrinsic_same("ctpop", &[a]);
                self.fb.int_cast(&count, &ty, false)
            }
            Op::BitReverse => {
                let a = self.value(inst.arg(0))?;
                self.fb.intrinsic_same("bitreverse", &[a])
            }
            Op::BitFieldInsert => {
                let (base, insert) = self.pair(inst)?;
                let (offset, count) = (self.value(inst.arg(2))?, self.value(inst.arg(3))?);
                let mask = self.field_mask(&base.ty, &count);
                let offset = self.splat_count(&base.ty, &offset);
                let offset = self.shift_count(&base, &offset);
                let field = self.fb.binary("and", &insert, &mask);
                let field = self.fb.binary("shl", &field, &offset);
                let hole = self.fb.binary("shl", &mask, &offset);
                let hole = self.fb.not(&hole);
                let kept = self.fb.binary("and", &base, &hole);
                self.fb.binary("or", &kept, &field)
            }
            Op::BitFieldUExtract | Op::BitFieldSExtract => {
                let (base, offset) = self.pair(inst)?;
                let count = self.value(inst.arg(2))?;
                let offset = self.splat_count(&base.ty, &offset);
                let offset = self.shift_count(&base, &offset);
                let moved = self.fb.binary("lshr", &base, &offset);
                let mask = self.field_mask(&base.ty, &count);
                let field = self.fb.binary("and", &moved, &mask);
                if inst.op == Op::BitFieldUExtract {
                    field
                } else {
                    // The field's top bit moves to the top of the word and back with its sign.
                    let count = self.splat_count(&base.ty, &count);
                    let width = Value::int(&base.ty, i128::from(base.ty.scalar_bits()));
                    let up = self.fb.binary("sub", &width, &count);
                    let up = self.shift_count(&base, &up);
                    let high = self.fb.binary("shl", &field, &up);
                    self.fb.binary("ashr", &high, &up)
                }
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                let (a, b) = self.pair(inst)?;
                let (low, high) = self.extended_arithmetic(inst.op, &a, &b);
                let ty = self.result_ty(inst)?;
                self.aggregate(&ty, &[low, high])?
            }
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }

    /// Both halves of a result that does not fit.
    fn extended_arithmetic(&mut self, op: Op, a: &Value, b: &Value) -> (Value, Value) {
        let ty = a.ty.clone();
        match op {
            Op::IAddCarry => {
                let sum = self.fb.binary("add", a, b);
                let carry = self.fb.icmp("ult", &sum, a);
                let carry = self.fb.cast("zext", &carry, &ty);
                (sum, carry)
            }
            Op::ISubBorrow => {
                let difference = self.fb.binary("sub", a, b);
                let borrow = self.fb.icmp("ult", a, b);
                let borrow = self.fb.cast("zext", &borrow, &ty);
                (difference, borrow)
            }
            _ => {
                let bits = ty.scalar_bits();
                let wide = ty.with_scalar(&Type::Int(2 * bits));
                let extend = if op == Op::SMulExtended {
                    "sext"
                } else {
                    "zext"
                };
                let a = self.fb.cast(extend, a, &wide);
                let b = self.fb.cast(extend, b, &wide);
                let product = self.fb.binary("mul", &a, &b);
                let low = self.fb.cast("trunc", &product, &ty);
                let high = self
                    .fb
                    .binary("lshr", &product, &Value::int(&wide, i128::from(bits)));
                let high = self.fb.cast("trunc", &high, &ty);
                (low, high)
            }
        }
    }

    /// A scalar count as an operand of the same shape as `ty`.
    fn splat_count(&mut self, ty: &Type, count: &Value) -> Value {
        let scalar = self.fb.int_cast(count, &ty.scalar(), false);
        self.fb.splat(ty, &scalar)
    }

    /// A mask of the `count` lowest bits; all of them when `count` is the width.
    fn field_mask(&mut self, ty: &Type, count: &Value) -> Value {
        let count = self.splat_count(ty, count);
        let bits = i128::from(ty.scalar_bits());
        let all = Value::int(ty, -1);
        let full = self.fb.icmp("uge", &count, &Value::int(ty, bits));
        let masked = self.fb.binary("and", &count, &Value::int(ty, bits - 1));
        let high = self.fb.binary("shl", &all, &masked);
        let low = self.fb.not(&high);
        self.fb.select(&full, &all, &low)
    }

    /// A shift count of `value`'s type, reduced modulo the width.
    fn shift_count(&mut self, value: &Value, count: &Value) -> Value {
        let bits = value.ty.scalar_bits();
        let count = self.fb.int_cast(count, &value.ty, false);
        if !count.ty.is_vector()
            && let Ok(known) = count.text.parse::<u32>()
            && known < bits
        {
            return count;
        }
        if bits.is_power_of_two() {
            self.fb
                .binary("and", &count, &Value::int(&value.ty, i128::from(bits) - 1))
        } else {
            self.fb
                .binary("urem", &count, &Value::int(&value.ty, i128::from(bits)))
        }
    }

    /// Division and remainder without traps.
    fn division(&mut self, op: Op, a: &Value, b: &Value) -> Value {
        if a.ty.is_vector() {
            // Lane by lane, as processors do it. LLVM may thread a division of vectors over a select
            // with a constant arm, and one zero lane there makes it drop the arm for all lanes, also
            // where that lane is not the one chosen.
            let lanes: Vec<Value> = (0..a.ty.lanes())
                .map(|lane| {
                    let (a, b) = (self.fb.lane(a, lane), self.fb.lane(b, lane));
                    self.division(op, &a, &b)
                })
                .collect();
            return self.fb.from_lanes(&a.ty, &lanes);
        }
        let signed = matches!(op, Op::SDiv | Op::SRem | Op::SMod);
        let safe = self.safe_divisor(a, b, signed);
        let instruction = match op {
            Op::UDiv => "udiv",
            Op::SDiv => "sdiv",
            Op::UMod => "urem",
            _ => "srem",
        };
        let value = self.fb.binary(instruction, a, &safe);
        if op != Op::SMod {
            return value;
        }
        // The modulus has the divisor's sign: correct remainders of the other sign.
        let zero = Value::zero(&a.ty);
        let nonzero = self.fb.icmp("ne", &value, &zero);
        let signs = self.fb.binary("xor", &value, &safe);
        let differ = self.fb.icmp("slt", &signs, &zero);
        let wrong = self.fb.binary("and", &nonzero, &differ);
        let moved = self.fb.binary("add", &value, &safe);
        self.fb.select(&wrong, &moved, &value)
    }

    /// `b`, or 1 where dividing `a` by it would trap.
    fn safe_divisor(&mut self, a: &Value, b: &Value, signed: bool) -> Value {
        if let Ok(known) = b.text.parse::<i128>()
            && known != 0
            && !(signed && known == -1)
        {
            return b.clone();
        }
        let one = Value::int(&b.ty, 1);
        let zero = self.fb.icmp("eq", b, &Value::zero(&b.ty));
        let nonzero = self.fb.select(&zero, &one, b);
        if !signed {
            return nonzero;
        }
        let lowest = Value::int(&a.ty, 1i128 << (a.ty.scalar_bits() - 1));
        let lowest = self.fb.icmp("eq", a, &lowest);
        let minus_one = self.fb.icmp("eq", b, &Value::int(&b.ty, -1));
        let overflow = self.fb.binary("and", &lowest, &minus_one);
        self.fb.select(&overflow, &one, &nonzero)
    }

    /// Floating-point arithmetic.
    pub fn float(&mut self, inst: &Inst) -> Result<bool> {
        let value = match inst.op {
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => {
                let (a, b) = self.pair(inst)?;
                let op = match inst.op {
                    Op::FAdd => "fadd",
                    Op::FSub => "fsub",
                    Op::FMul => "fmul",
                    Op::FDiv => "fdiv",
                    _ => "frem",
                };
                self.fb.binary(op, &a, &b)
            }
            Op::FMod => {
                let (a, b) = self.pair(inst)?;
                let remainder = self.fb.binary("frem", &a, &b);
                let zero = Value::zero(&a.ty);
                let nonzero = self.fb.fcmp("une", &remainder, &zero);
                let negative = self.fb.fcmp("olt", &remainder, &zero);
                let divisor = self.fb.fcmp("olt", &b, &zero);
                let differ = self.fb.binary("xor", &negative, &divisor);
                let wrong = self.fb.binary("and", &nonzero, &differ);
                let moved = self.fb.binary("fadd", &remainder, &b);
                self.fb.select(&wrong, &moved, &remainder)
            }
            Op::FNegate => {
                let a = self.value(inst.arg(0))?;
                self.fb.fneg(&a)
            }
            Op::VectorTimesScalar => {
                let (vector, scalar) = self.pair(inst)?;
                let scalar = self.fb.splat(&vector.ty, &scalar);
                self.fb.binary("fmul", &vector, &scalar)
            }
            Op::Dot => {
                let (a, b) = self.pair(inst)?;
                let product = self.fb.binary("fmul", &a, &b);
                let mut sum = self.fb.lane(&product, 0);
                for lane in 1..product.ty.lanes() {
                    let next = self.fb.lane(&product, lane);
                    sum = self.fb.binary("fadd", &sum, &next);
                }
                sum
            }
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }

    /// Comparisons, classification, selection and reductions of conditions.
    pub fn compare(&mut self, inst: &Inst) -> Result<bool> {
        if let Some(predicate) = integer_predicate(inst.op) {
            let (a, b) = self.pair(inst)?;
            let value = self.fb.icmp(predicate, &a, &b);
            self.set(inst, value);
            return Ok(true);
        }
        if let Some(predicate) = float_predicate(inst.op) {
            let (a, b) = self.pair(inst)?;
            let value = self.fb.fcmp(predicate, &a, &b);
            self.set(inst, value);
            return Ok(true);
        }
        let value = match inst.op {
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal => {
                let a = self.value(inst.arg(0))?;
                // Bits of the classes that LLVM's test knows: both NaNs; both infinities; zeros,
                // subnormals and normals of both signs; normals of both signs.
                let classes = match inst.op {
                    Op::IsNan => 0x3,
                    Op::IsInf => 0x204,
                    Op::IsFinite => 0x1f8,
                    _ => 0x108,
                };
                let condition = a.ty.condition();
                let ty = a.ty.clone();
                self.fb
                    .intrinsic("is.fpclass", &[&ty], &condition, &[a, Value::i32(classes)])
            }
            Op::SignBitSet => {
                let a = self.value(inst.arg(0))?;
                let bits = self.fb.bitcast(&a, &a.ty.as_int());
                self.fb.icmp("slt", &bits, &Value::zero(&bits.ty))
            }
            Op::Select => {
                let condition = self.value(inst.arg(0))?;
                let (yes, no) = (self.value(inst.arg(1))?, self.value(inst.arg(2))?);
                self.fb.select(&condition, &yes, &no)
            }
            Op::Any | Op::All => {
                let a = self.value(inst.arg(0))?;
                let name = if inst.op == Op::Any { "or" } else { "and" };
                let ty = a.ty.clone();
                self.fb
                    .intrinsic(&format!("vector.reduce.{name}"), &[&ty], &Type::I1, &[a])
            }
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }
}

fn integer_predicate(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::IEqual | Op::PtrEqual => "eq",
        Op::INotEqual | Op::PtrNotEqual => "ne",
        Op::UGreaterThan => "ugt",
        Op::SGreaterThan => "sgt",
        Op::UGreaterThanEqual => "uge",
        Op::SGreaterThanEqual => "sge",
        Op::ULessThan => "ult",
        Op::SLessThan => "slt",
        Op::ULessThanEqual => "ule",
        Op::SLessThanEqual => "sle",
        _ => return None,
    })
}

fn float_predicate(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::FOrdEqual => "oeq",
        Op::FUnordEqual => "ueq",
        Op::FOrdNotEqual | Op::LessOrGreater => "one",
        Op::FUnordNotEqual => "une",
        Op::FOrdLessThan => "olt",
        Op::FUnordLessThan => "ult",
        Op::FOrdGreaterThan => "ogt",
        Op::FUnordGreaterThan => "ugt",
        Op::FOrdLessThanEqual => "ole",
        Op::FUnordLessThanEqual => "ule",
        Op::FOrdGreaterThanEqual => "oge",
        Op::FUnordGreaterThanEqual => "uge",
        Op::Ordered => "ord",
        Op::Unordered => "uno",
        _ => return None,
    })
}
