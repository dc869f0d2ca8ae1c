//! Shape of instructions: which words are ids, which are literals, how many there are.

use crate::Result;
use crate::decode::{Raw, string_bytes};
use rspirv::grammar::opencl_std_100::OPENCL_STD_100_INSTRUCTION_TABLE;
use rspirv::grammar::{
    INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind, OperandQuantifier,
};
use rspirv::spirv::{ImageOperands, LoopControl, MemoryAccess, Op};
use std::sync::LazyLock;

/// Grammar by opcode; the table itself can only be searched from its start.
static BY_OPCODE: LazyLock<Vec<Option<&'static Instruction<'static>>>> = LazyLock::new(|| {
    let mut table = Vec::new();
    for inst in INSTRUCTION_TABLE.iter() {
        let opcode = inst.opcode as usize;
        if table.len() <= opcode {
            table.resize(opcode + 1, None);
        }
        if let Some(slot) = table.get_mut(opcode) {
            *slot = Some(inst);
        }
    }
    table
});

/// Grammar of an opcode.
fn grammar(op: Op) -> Option<&'static Instruction<'static>> {
    BY_OPCODE.get(op as usize).copied().flatten()
}

/// Whether the opcode has a result type and a result.
pub fn has_type_and_result(op: Op) -> (bool, bool) {
    let Some(inst) = grammar(op) else {
        return (false, false);
    };
    let has = |kind| inst.operands.iter().take(2).any(|o| o.kind == kind);
    (has(OperandKind::IdResultType), has(OperandKind::IdResult))
}

/// Checks the words of an instruction against its grammar and calls `id` with each id operand
/// (result type and result left out).
pub fn walk(raw: &Raw<'_>, id: impl FnMut(u32) -> Result<()>) -> Result<()> {
    let Some(inst) = grammar(raw.op) else {
        return Err(raw.unsupported("no grammar for it"));
    };
    walk_operands(raw, inst.operands.iter(), id)
}

/// As [`walk`], for the words after result type and result.
pub fn walk_args(raw: &Raw<'_>, id: impl FnMut(u32) -> Result<()>) -> Result<()> {
    let Some(inst) = grammar(raw.op) else {
        return Err(raw.unsupported("no grammar for it"));
    };
    let result =
        |o: &&LogicalOperand| matches!(o.kind, OperandKind::IdResultType | OperandKind::IdResult);
    walk_operands(raw, inst.operands.iter().skip_while(result), id)
}

/// As [`walk`], for the operands of instruction `number` of `OpenCL.std`.
pub fn walk_opencl(raw: &Raw<'_>, number: u32, id: impl FnMut(u32) -> Result<()>) -> Result<()> {
    let Some(inst) = OPENCL_STD_100_INSTRUCTION_TABLE.lookup_opcode(number) else {
        return Err(raw.unsupported(format!("unknown OpenCL.std instruction {number}")));
    };
    walk_operands(raw, inst.operands.iter(), id)
}

fn walk_operands<'g>(
    raw: &Raw<'_>,
    operands: impl Iterator<Item = &'g LogicalOperand>,
    mut id: impl FnMut(u32) -> Result<()>,
) -> Result<()> {
    let mut cursor = Cursor { raw, at: 0 };
    for operand in operands {
        match operand.quantifier {
            OperandQuantifier::One => cursor.operand(operand.kind, &mut id)?,
            OperandQuantifier::ZeroOrOne => {
                if !cursor.done() {
                    cursor.operand(operand.kind, &mut id)?;
                }
            }
            OperandQuantifier::ZeroOrMore => {
                while !cursor.done() {
                    cursor.operand(operand.kind, &mut id)?;
                }
            }
        }
    }
    if cursor.done() {
        Ok(())
    } else {
        Err(raw.invalid(format!(
            "{} operand words where {} are expected",
            raw.words.len(),
            cursor.at
        )))
    }
}

struct Cursor<'a, 'b> {
    raw: &'b Raw<'a>,
    at: usize,
}

impl Cursor<'_, '_> {
    fn done(&self) -> bool {
        self.at >= self.raw.words.len()
    }

    fn next(&mut self) -> Result<u32> {
        let word = self.raw.word(self.at)?;
        self.at += 1;
        Ok(word)
    }

    fn operand(&mut self, kind: OperandKind, id: &mut impl FnMut(u32) -> Result<()>) -> Result<()> {
        use OperandKind as K;
        match kind {
            K::IdResultType | K::IdResult => {
                self.next()?;
            }
            K::IdRef | K::IdScope | K::IdMemorySemantics => id(self.next()?)?,
            K::PairIdRefIdRef => {
                id(self.next()?)?;
                id(self.next()?)?;
            }
            K::PairIdRefLiteralInteger => {
                id(self.next()?)?;
                self.next()?;
            }
            K::PairLiteralIntegerIdRef => {
                self.next()?;
                id(self.next()?)?;
            }
            K::LiteralString => {
                let (_, words) = string_bytes(self.raw.rest(self.at))
                    .ok_or_else(|| self.raw.invalid("a string is not terminated"))?;
                self.at += words;
            }
            K::LiteralContextDependentNumber => {
                self.next()?;
                self.at = self.raw.words.len();
            }
            // Their parameters are read where they are used.
            K::Decoration | K::ExecutionMode => self.at = self.raw.words.len(),
            K::MemoryAccess => self.memory_access(id)?,
            K::ImageOperands => self.image_operands(id)?,
            K::LoopControl => self.loop_control()?,
            _ => {
                self.next()?;
            }
        }
        Ok(())
    }

    fn memory_access(&mut self, id: &mut impl FnMut(u32) -> Result<()>) -> Result<()> {
        let mask = MemoryAccess::from_bits(self.next()?)
            .ok_or_else(|| self.raw.unsupported("unknown memory access bits"))?;
        if mask.contains(MemoryAccess::ALIGNED) {
            let align = self.next()?;
            if !align.is_power_of_two() {
                return Err(self
                    .raw
                    .invalid(format!("alignment {align} is no power of two")));
            }
        }
        for bit in [
            MemoryAccess::MAKE_POINTER_AVAILABLE,
            MemoryAccess::MAKE_POINTER_VISIBLE,
            MemoryAccess::ALIAS_SCOPE_INTEL_MASK,
            MemoryAccess::NO_ALIAS_INTEL_MASK,
        ] {
            if mask.contains(bit) {
                id(self.next()?)?;
            }
        }
        Ok(())
    }

    fn image_operands(&mut self, id: &mut impl FnMut(u32) -> Result<()>) -> Result<()> {
        let mask = ImageOperands::from_bits(self.next()?)
            .ok_or_else(|| self.raw.unsupported("unknown image operand bits"))?;
        for bit in mask.iter() {
            let ids = match bit {
                ImageOperands::GRAD => 2,
                ImageOperands::NON_PRIVATE_TEXEL
                | ImageOperands::VOLATILE_TEXEL
                | ImageOperands::SIGN_EXTEND
                | ImageOperands::ZERO_EXTEND
                | ImageOperands::NONTEMPORAL => 0,
                _ => 1,
            };
            for _ in 0..ids {
                id(self.next()?)?;
            }
        }
        Ok(())
    }

    fn loop_control(&mut self) -> Result<()> {
        let mask = LoopControl::from_bits(self.next()?)
            .ok_or_else(|| self.raw.unsupported("unknown loop control bits"))?;
        // Only hints: every bit but these comes with numbers, some with several.
        let plain =
            LoopControl::UNROLL | LoopControl::DONT_UNROLL | LoopControl::DEPENDENCY_INFINITE;
        if !plain.contains(mask) {
            self.next()?;
            self.at = self.raw.words.len();
        }
        Ok(())
    }
}
