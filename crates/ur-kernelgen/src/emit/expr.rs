//! Expressions.

use super::Body;
use crate::ast::{ArrayId, Builtin, Expr, Field, INPUT_BYTES, Kind, Scalar, Type};
use crate::ops::{Binary, Cast, Compare, Rounding, Ternary, Test, Unary, canonical_nan};
use rspirv::spirv::{
    Capability, Decoration, FPRoundingMode, Op, OpenclStd100Op as Cl, StorageClass,
};

const ALIGNED: u32 = 2;

impl Body<'_, '_> {
    /// Writes an expression and gives its id.
    pub(super) fn expr(&mut self, e: &Expr) -> u32 {
        let ty = self.asm.ty(e.ty);
        match &e.kind {
            Kind::Const(lanes) => self.asm.value(e.ty, lanes),
            Kind::Var(var) => self.asm.op(Op::Load, ty, &[self.vars[*var]]),
            Kind::Counter(counter) => self.counters[*counter],
            Kind::Param(param) => self.params[*param],
            Kind::Member(member) => {
                let pointer = self.asm.pointer(StorageClass::Function, ty);
                let index = self.asm.int(Type::I32, *member as u64);
                let structure = self.pointers.structure;
                let place = self
                    .asm
                    .op(Op::InBoundsAccessChain, pointer, &[structure, index]);
                self.asm.op(Op::Load, ty, &[place])
            }
            Kind::Builtin(builtin) => self.builtin(*builtin),
            Kind::Unary(op, a) => {
                let a = self.expr(a);
                self.unary(*op, e.ty, a)
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.binary(*op, e.ty, a, b)
            }
            Kind::Ternary(op, operands) => {
                let operands = operands.each_ref().map(|operand| self.expr(operand));
                self.ternary(*op, e.ty, operands)
            }
            Kind::Compare(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.asm.op(comparison(*op), ty, &[a, b])
            }
            Kind::Test(op, a) => {
                let a = self.expr(a);
                let op = match op {
                    Test::IsNan => Op::IsNan,
                    Test::IsInf => Op::IsInf,
                    Test::IsFinite => Op::IsFinite,
                    Test::IsNormal => Op::IsNormal,
                };
                self.asm.op(op, ty, &[a])
            }
            Kind::Cast(op, rounding, a) => self.cast(*op, *rounding, e.ty, a),
            Kind::Field(op, operands) => {
                self.asm.capability(Capability::BitInstructions);
                self.asm.extension("SPV_KHR_bit_instructions");
                let [base, insert, offset, count] =
                    operands.each_ref().map(|operand| self.expr(operand));
                let word = self.asm.ty(Type::I32);
                let half = self.asm.int(Type::I32, u64::from(e.ty.scalar.bits() / 2));
                let offset = self.asm.op(Op::UMod, word, &[offset, half]);
                let count = self.asm.op(Op::UMod, word, &[count, half]);
                let operands = [base, insert, offset, count];
                match op {
                    Field::Insert => self.asm.op(Op::BitFieldInsert, ty, &operands),
                    Field::Unsigned => {
                        self.asm
                            .op(Op::BitFieldUExtract, ty, &[base, offset, count])
                    }
                    Field::Signed => self
                        .asm
                        .op(Op::BitFieldSExtract, ty, &[base, offset, count]),
                }
            }
            Kind::Select(operands) => {
                let [condition, yes, no] = operands.each_ref().map(|operand| self.expr(operand));
                let condition = if e.ty.is_vector() && !operands[0].ty.is_vector() {
                    // Older modules choose between vectors lane by lane.
                    let truths = self.asm.ty(e.ty.with(Scalar::Bool));
                    let all = vec![condition; e.ty.lanes as usize];
                    self.asm.op(Op::CompositeConstruct, truths, &all)
                } else {
                    condition
                };
                self.asm.op(Op::Select, ty, &[condition, yes, no])
            }
            Kind::Cond(operands) => self.choose(ty, operands),
            Kind::Reduce(all, a) => {
                let a = self.expr(a);
                self.asm.op(if *all { Op::All } else { Op::Any }, ty, &[a])
            }
            Kind::Construct(parts) => {
                let parts: Vec<u32> = parts.iter().map(|part| self.expr(part)).collect();
                self.asm.op(Op::CompositeConstruct, ty, &parts)
            }
            Kind::Extract(a, lane) => {
                let a = self.expr(a);
                self.asm.op(Op::CompositeExtract, ty, &[a, (*lane).into()])
            }
            Kind::ExtractAt(a, place) => {
                let lanes = a.ty.lanes;
                let a = self.expr(a);
                let place = self.wrapped(place, lanes.into());
                self.asm.op(Op::VectorExtractDynamic, ty, &[a, place])
            }
            Kind::InsertAt(operands) => {
                let (vector, value) = (self.expr(&operands[0]), self.expr(&operands[1]));
                let place = self.wrapped(&operands[2], e.ty.lanes.into());
                self.asm
                    .op(Op::VectorInsertDynamic, ty, &[vector, value, place])
            }
            Kind::Shuffle(a, b, places) => {
                let mut operands = vec![self.expr(a), self.expr(b)];
                operands.extend(places.iter().map(|place| u32::from(*place)));
                self.asm.op(Op::VectorShuffle, ty, &operands)
            }
            Kind::Input(index) => {
                let count = INPUT_BYTES / e.ty.size();
                let index = self.wrapped(index, count as u64);
                let word = self.asm.ty(Type::I64);
                let size = self.asm.int(Type::I64, e.ty.size() as u64);
                let offset = self.asm.op(Op::IMul, word, &[index, size]);
                let storage = if self.kernel.minor >= 5 {
                    StorageClass::UniformConstant
                } else {
                    StorageClass::CrossWorkgroup
                };
                let byte = self.asm.ty(Type::of(Scalar::I8));
                let bytes = self.asm.pointer(storage, byte);
                let input = self.pointers.input;
                let place = self
                    .asm
                    .op(Op::InBoundsPtrAccessChain, bytes, &[input, offset]);
                let pointer = self.asm.pointer(storage, ty);
                let place = if e.ty == Type::of(Scalar::I8) {
                    place
                } else {
                    self.asm.op(Op::Bitcast, pointer, &[place])
                };
                let align = e.ty.size() as u32;
                self.asm.op(Op::Load, ty, &[place, ALIGNED, align])
            }
            Kind::Private(array, index) => {
                let place = self.private_place(*array, index);
                self.asm.op(Op::Load, ty, &[place])
            }
            Kind::Own(array, index) => {
                let place = self.own_place(*array, index);
                let align = e.ty.size() as u32;
                self.asm.op(Op::Load, ty, &[place, ALIGNED, align])
            }
            Kind::Local(array, index) => {
                let index = self.long(index);
                let count = self.group_items();
                let word = self.asm.ty(Type::I64);
                let index = self.asm.op(Op::UMod, word, &[index, count]);
                let place = self.local_place(*array, index);
                self.asm.op(Op::Load, ty, &[place])
            }
            Kind::LocalOwn(array) => {
                let index = self.builtin(Builtin::LocalLinearId);
                let place = self.local_place(*array, index);
                self.asm.op(Op::Load, ty, &[place])
            }
        }
    }

    /// One of two expressions, by control flow.
    fn choose(&mut self, ty: u32, operands: &[Expr; 3]) -> u32 {
        let condition = self.expr(&operands[0]);
        let (yes, no, join) = (self.asm.fresh(), self.asm.fresh(), self.asm.fresh());
        self.end(Op::BranchConditional, &[condition, yes, no]);
        let mut incoming = Vec::new();
        for (block, operand) in [(yes, &operands[1]), (no, &operands[2])] {
            self.label(block);
            let value = self.expr(operand);
            incoming.extend([value, self.block.unwrap_or_default()]);
            self.jump(join);
        }
        self.label(join);
        self.asm.op(Op::Phi, ty, &incoming)
    }

    /// An integer as `I64`, zero-extended.
    pub(super) fn long(&mut self, e: &Expr) -> u32 {
        let value = self.expr(e);
        if e.ty == Type::I64 {
            return value;
        }
        let ty = self.asm.ty(Type::I64);
        self.asm.op(Op::UConvert, ty, &[value])
    }

    /// An index modulo a constant, `I64`.
    pub(super) fn wrapped(&mut self, index: &Expr, count: u64) -> u32 {
        let index = self.long(index);
        let ty = self.asm.ty(Type::I64);
        if count.is_power_of_two() && self.flip() {
            let mask = self.asm.int(Type::I64, count - 1);
            self.asm.op(Op::BitwiseAnd, ty, &[index, mask])
        } else {
            let count = self.asm.int(Type::I64, count);
            self.asm.op(Op::UMod, ty, &[index, count])
        }
    }

    /// Address of an element of a private array.
    pub(super) fn private_place(&mut self, array: ArrayId, index: &Expr) -> u32 {
        let shape = &self.function.arrays[array];
        let index = self.wrapped(index, shape.len as u64);
        let elem = self.asm.ty(shape.elem);
        let pointer = self.asm.pointer(StorageClass::Function, elem);
        let op = if array < self.function.array_params {
            Op::InBoundsPtrAccessChain
        } else {
            Op::InBoundsAccessChain
        };
        self.asm.op(op, pointer, &[self.arrays[array], index])
    }

    /// Address of an element of the work-item's part of an array in global memory.
    pub(super) fn own_place(&mut self, array: ArrayId, index: &Expr) -> u32 {
        let shape = &self.kernel.own[array];
        let index = self.wrapped(index, shape.len as u64);
        let word = self.asm.ty(Type::I64);
        let item = self.builtin(Builtin::GlobalLinearId);
        let len = self.asm.int(Type::I64, shape.len as u64);
        let part = self.asm.op(Op::IMul, word, &[item, len]);
        let index = self.asm.op(Op::IAdd, word, &[part, index]);
        let elem = self.asm.ty(shape.elem);
        let pointer = self.asm.pointer(StorageClass::CrossWorkgroup, elem);
        let base = self.pointers.own[array];
        self.asm
            .op(Op::InBoundsPtrAccessChain, pointer, &[base, index])
    }

    /// Address of a cell of a local array.
    pub(super) fn local_place(&mut self, array: ArrayId, index: u32) -> u32 {
        let (scalar, argument) = self.kernel.local[array];
        let elem = self.asm.ty(Type::of(scalar));
        let pointer = self.asm.pointer(StorageClass::Workgroup, elem);
        let op = if argument {
            Op::InBoundsPtrAccessChain
        } else {
            Op::InBoundsAccessChain
        };
        let base = self.pointers.local[array];
        self.asm.op(op, pointer, &[base, index])
    }

    /// An instruction of `OpenCL.std`.
    pub(super) fn opencl(&mut self, op: Cl, ty: u32, operands: &[u32]) -> u32 {
        let all = [&[self.asm.opencl, op as u32], operands].concat();
        self.asm.op(Op::ExtInst, ty, &all)
    }

    fn unary(&mut self, op: Unary, ty: Type, a: u32) -> u32 {
        let id = self.asm.ty(ty);
        let plain = match op {
            Unary::Neg => Op::SNegate,
            Unary::Not => Op::Not,
            Unary::FNeg => Op::FNegate,
            Unary::LNot => Op::LogicalNot,
            Unary::PopCount if self.flip() => Op::BitCount,
            Unary::BitReverse => {
                self.asm.capability(Capability::BitInstructions);
                self.asm.extension("SPV_KHR_bit_instructions");
                Op::BitReverse
            }
            _ => {
                let function = match op {
                    Unary::Abs => Cl::s_abs,
                    Unary::Clz => Cl::clz,
                    Unary::Ctz => Cl::ctz,
                    Unary::FAbs => Cl::fabs,
                    Unary::Floor => Cl::floor,
                    Unary::Ceil => Cl::ceil,
                    Unary::Trunc => Cl::trunc,
                    Unary::Rint => Cl::rint,
                    Unary::Round => Cl::round,
                    Unary::Sqrt => Cl::sqrt,
                    _ => Cl::popcount,
                };
                return self.opencl(function, id, &[a]);
            }
        };
        self.asm.op(plain, id, &[a])
    }

    fn binary(&mut self, op: Binary, ty: Type, a: u32, b: u32) -> u32 {
        let id = self.asm.ty(ty);
        let plain = match op {
            Binary::Add => Op::IAdd,
            Binary::Sub => Op::ISub,
            Binary::Mul => Op::IMul,
            Binary::And => Op::BitwiseAnd,
            Binary::Or => Op::BitwiseOr,
            Binary::Xor => Op::BitwiseXor,
            Binary::Shl => Op::ShiftLeftLogical,
            Binary::LShr => Op::ShiftRightLogical,
            Binary::AShr => Op::ShiftRightArithmetic,
            Binary::UDiv => Op::UDiv,
            Binary::SDiv => Op::SDiv,
            Binary::UMod => Op::UMod,
            Binary::SRem => Op::SRem,
            Binary::SMod => Op::SMod,
            Binary::FAdd => Op::FAdd,
            Binary::FSub => Op::FSub,
            Binary::FMul => Op::FMul,
            Binary::FDiv => Op::FDiv,
            Binary::FRem => Op::FRem,
            Binary::LAnd => Op::LogicalAnd,
            Binary::LOr => Op::LogicalOr,
            Binary::LEq => Op::LogicalEqual,
            Binary::LNe => Op::LogicalNotEqual,
            Binary::SMulHigh if self.asm.portable => {
                return self.opencl(Cl::s_mul_hi, id, &[a, b]);
            }
            Binary::UMulHigh if self.asm.portable => {
                return self.opencl(Cl::u_mul_hi, id, &[a, b]);
            }
            Binary::Carry | Binary::Borrow | Binary::SMulHigh | Binary::UMulHigh => {
                let op = match op {
                    Binary::Carry => Op::IAddCarry,
                    Binary::Borrow => Op::ISubBorrow,
                    Binary::SMulHigh => Op::SMulExtended,
                    _ => Op::UMulExtended,
                };
                let pair = self.asm.structure(&[id, id]);
                let both = self.asm.op(op, pair, &[a, b]);
                return self.asm.op(Op::CompositeExtract, id, &[both, 1]);
            }
            _ => return self.binary_function(op, ty, a, b),
        };
        self.asm.op(plain, id, &[a, b])
    }

    fn binary_function(&mut self, op: Binary, ty: Type, a: u32, b: u32) -> u32 {
        let id = self.asm.ty(ty);
        let (mut a, mut b) = (a, b);
        if matches!(op, Binary::FMin | Binary::FMax) {
            // No zero is negative after that, and no NaN signals.
            let zero = self.asm.null(id);
            a = self.asm.op(Op::FAdd, id, &[a, zero]);
            b = self.asm.op(Op::FAdd, id, &[b, zero]);
        }
        if op == Binary::CopySign {
            let truths = self.asm.ty(ty.with(Scalar::Bool));
            let nan = self.asm.op(Op::IsNan, truths, &[b]);
            let one = if ty.scalar == Scalar::F32 {
                u64::from(1f32.to_bits())
            } else {
                1f64.to_bits()
            };
            let ones = self.asm.value(ty, &vec![one; ty.lanes as usize]);
            b = self.asm.op(Op::Select, id, &[nan, ones, b]);
        }
        let function = match op {
            Binary::SMin => Cl::s_min,
            Binary::SMax => Cl::s_max,
            Binary::UMin => Cl::u_min,
            Binary::UMax => Cl::u_max,
            Binary::SAddSat => Cl::s_add_sat,
            Binary::UAddSat => Cl::u_add_sat,
            Binary::SSubSat => Cl::s_sub_sat,
            Binary::USubSat => Cl::u_sub_sat,
            Binary::SHadd => Cl::s_hadd,
            Binary::UHadd => Cl::u_hadd,
            Binary::SRhadd => Cl::s_rhadd,
            Binary::URhadd => Cl::u_rhadd,
            Binary::SMulHi => Cl::s_mul_hi,
            Binary::UMulHi => Cl::u_mul_hi,
            Binary::SAbsDiff => Cl::s_abs_diff,
            Binary::UAbsDiff => Cl::u_abs_diff,
            Binary::Rotate => Cl::rotate,
            Binary::FMin => Cl::fmin,
            Binary::FMax => Cl::fmax,
            _ => Cl::copysign,
        };
        self.opencl(function, id, &[a, b])
    }

    fn ternary(&mut self, op: Ternary, ty: Type, operands: [u32; 3]) -> u32 {
        let id = self.asm.ty(ty);
        let [a, b, c] = operands;
        let function = match op {
            Ternary::SMadSat => Cl::s_mad_sat,
            Ternary::UMadSat => Cl::u_mad_sat,
            Ternary::SMadHi => Cl::s_mad_hi,
            Ternary::UMadHi => Cl::u_mad_hi,
            Ternary::BitSelect => Cl::bitselect,
            Ternary::Fma => Cl::fma,
            Ternary::SClamp | Ternary::UClamp => {
                let (min, max, clamp) = if op == Ternary::SClamp {
                    (Cl::s_min, Cl::s_max, Cl::s_clamp)
                } else {
                    (Cl::u_min, Cl::u_max, Cl::u_clamp)
                };
                let low = self.opencl(min, id, &[b, c]);
                let high = self.opencl(max, id, &[b, c]);
                return self.opencl(clamp, id, &[a, low, high]);
            }
        };
        self.opencl(function, id, &operands)
    }

    fn cast(&mut self, op: Cast, rounding: Rounding, ty: Type, operand: &Expr) -> u32 {
        let id = self.asm.ty(ty);
        let a = self.expr(operand);
        if op == Cast::Bits {
            let truths = self.asm.ty(ty.with(Scalar::Bool));
            let nan = self.asm.op(Op::IsNan, truths, &[a]);
            let bits = self.asm.op(Op::Bitcast, id, &[a]);
            let fixed = vec![canonical_nan(operand.ty.scalar); ty.lanes as usize];
            let fixed = self.asm.value(ty, &fixed);
            return self.asm.op(Op::Select, id, &[nan, fixed, bits]);
        }
        let code = match op {
            Cast::FToS => Op::ConvertFToS,
            Cast::FToU => Op::ConvertFToU,
            Cast::SToF => Op::ConvertSToF,
            Cast::UToF => Op::ConvertUToF,
            Cast::SConvert | Cast::SSat => Op::SConvert,
            Cast::UConvert | Cast::USat => Op::UConvert,
            Cast::SatSToU => Op::SatConvertSToU,
            Cast::SatUToS => Op::SatConvertUToS,
            Cast::FConvert => Op::FConvert,
            Cast::Bits | Cast::FromBits => Op::Bitcast,
        };
        let value = self.asm.op(code, id, &[a]);
        if matches!(op, Cast::SSat | Cast::USat) {
            let words = [value, Decoration::SaturatedConversion as u32];
            super::inst(&mut self.asm.decorations, Op::Decorate, &words);
        }
        let mode = match rounding {
            Rounding::Default => return value,
            Rounding::Even => FPRoundingMode::RTE,
            Rounding::Zero => FPRoundingMode::RTZ,
            Rounding::Up => FPRoundingMode::RTP,
            Rounding::Down => FPRoundingMode::RTN,
        };
        let words = [value, Decoration::FPRoundingMode as u32, mode as u32];
        super::inst(&mut self.asm.decorations, Op::Decorate, &words);
        value
    }
}

fn comparison(op: Compare) -> Op {
    match op {
        Compare::IEq => Op::IEqual,
        Compare::INe => Op::INotEqual,
        Compare::SLt => Op::SLessThan,
        Compare::SLe => Op::SLessThanEqual,
        Compare::SGt => Op::SGreaterThan,
        Compare::SGe => Op::SGreaterThanEqual,
        Compare::ULt => Op::ULessThan,
        Compare::ULe => Op::ULessThanEqual,
        Compare::UGt => Op::UGreaterThan,
        Compare::UGe => Op::UGreaterThanEqual,
        Compare::OEq => Op::FOrdEqual,
        Compare::ONe => Op::FOrdNotEqual,
        Compare::OLt => Op::FOrdLessThan,
        Compare::OLe => Op::FOrdLessThanEqual,
        Compare::OGt => Op::FOrdGreaterThan,
        Compare::OGe => Op::FOrdGreaterThanEqual,
        Compare::UnEq => Op::FUnordEqual,
        Compare::UnNe => Op::FUnordNotEqual,
        Compare::UnLt => Op::FUnordLessThan,
        Compare::UnLe => Op::FUnordLessThanEqual,
        Compare::UnGt => Op::FUnordGreaterThan,
        Compare::UnGe => Op::FUnordGreaterThanEqual,
        Compare::Ordered => Op::Ordered,
        Compare::Unordered => Op::Unordered,
    }
}
