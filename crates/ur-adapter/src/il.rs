//! As much of SPIR-V as is needed by adapters whose driver has a compiler of its own: whether a module
//! is whole, and what is in it. Numbers are those of the SPIR-V specification.

mod contents;

pub use contents::{Constant, Contents, Entry, Symbol};
use std::collections::HashSet;

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

/// Numbers of instructions.
mod op {
    pub const MEMORY_MODEL: u16 = 14;
    pub const ENTRY_POINT: u16 = 15;
    pub const TYPE_INT: u16 = 21;
    pub const TYPE_FLOAT: u16 = 22;
    pub const TYPE_VECTOR: u16 = 23;
    pub const SPEC_CONSTANT_TRUE: u16 = 48;
    pub const SPEC_CONSTANT_FALSE: u16 = 49;
    pub const SPEC_CONSTANT: u16 = 50;
    pub const FUNCTION: u16 = 54;
    pub const FUNCTION_PARAMETER: u16 = 55;
    pub const FUNCTION_END: u16 = 56;
    pub const VARIABLE: u16 = 59;
    pub const DECORATE: u16 = 71;
}

/// The instructions that are of interest here.
const KNOWN: &[u16] = &[
    op::MEMORY_MODEL,
    op::ENTRY_POINT,
    op::TYPE_INT,
    op::TYPE_FLOAT,
    op::TYPE_VECTOR,
    op::SPEC_CONSTANT_TRUE,
    op::SPEC_CONSTANT_FALSE,
    op::SPEC_CONSTANT,
    op::FUNCTION,
    op::FUNCTION_PARAMETER,
    op::FUNCTION_END,
    op::DECORATE,
];

/// An instruction: its number and its operands.
struct Instruction {
    opcode: u16,
    operands: Vec<u32>,
}

/// The words of a module that is SPIR-V in this machine's byte order; none for anything else, which is
/// for the driver to judge.
fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    (words.first() == Some(&MAGIC)).then_some(words)
}

/// The instructions behind the header that are of interest here, up to the first that is cut off.
/// Whether all are whole comes along. Variables inside of functions are left out.
fn instructions(words: &[u32]) -> (Vec<Instruction>, bool) {
    let mut found = Vec::new();
    let mut inside = false;
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (count, opcode) = ((first >> 16) as usize, *first as u16);
        let Some(operands) = rest.get(1..count) else {
            return (found, false);
        };
        inside |= opcode == op::FUNCTION;
        if KNOWN.contains(&opcode) || opcode == op::VARIABLE && !inside {
            found.push(Instruction {
                opcode,
                operands: operands.to_vec(),
            });
        }
        rest = rest.get(count..).unwrap_or_default();
    }
    (found, true)
}

/// Whether bytes begin as a module does in this machine's byte order.
pub fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_ne_bytes())
}

/// Looks whether a module is whole: that it has a memory model, as every module does, that its last
/// instruction is not cut off, that each function ends, and that its entry points are there. What does not begin as a module is left to the driver.
///
/// # Errors
/// What is missing.
pub fn check(bytes: &[u8]) -> Result<(), &'static str> {
    let Some(words) = words(bytes) else {
        return Ok(());
    };
    if !bytes.len().is_multiple_of(4) || words.len() < HEADER_WORDS {
        return Err("the module is cut off");
    }
    let (instructions, whole) = instructions(&words);
    if !whole {
        return Err("an instruction of the module is cut off");
    }
    if instructions
        .iter()
        .all(|one| one.opcode != op::MEMORY_MODEL)
    {
        return Err("the module ends before its memory model");
    }
    let mut inside = false;
    for instruction in &instructions {
        match instruction.opcode {
            op::FUNCTION if inside => return Err("a function in a function"),
            op::FUNCTION => inside = true,
            op::FUNCTION_END if !inside => return Err("the end of no function"),
            op::FUNCTION_END => inside = false,
            _ => {}
        }
    }
    if inside {
        return Err("a function without an end");
    }
    let functions: HashSet<u32> = second(&instructions, op::FUNCTION).collect();
    let mut entries = second(&instructions, op::ENTRY_POINT);
    match entries.all(|entry| functions.contains(&entry)) {
        true => Ok(()),
        false => Err("an entry point without its function"),
    }
}

/// The second operands of such instructions: the functions that they are or are about.
fn second(instructions: &[Instruction], opcode: u16) -> impl Iterator<Item = u32> {
    let found = instructions.iter().filter(move |one| one.opcode == opcode);
    found.filter_map(|one| one.operands.get(1).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction's words.
    pub fn instruction(opcode: u16, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![((operands.len() as u32 + 1) << 16) | u32::from(opcode)];
        words.extend(operands);
        words
    }

    /// A module of these instructions.
    pub fn module(instructions: &[Vec<u32>]) -> Vec<u8> {
        let words = [MAGIC, 0x10000, 0, 10, 0].into_iter();
        let words = words.chain(instruction(op::MEMORY_MODEL, &[2, 2]));
        let words = words.chain(instructions.iter().flatten().copied());
        words.flat_map(u32::to_ne_bytes).collect()
    }

    #[test]
    fn whole_modules_pass_and_cut_ones_do_not() {
        let module = module(&[
            instruction(op::ENTRY_POINT, &[6, 1, u32::from_le_bytes(*b"ab\0\0")]),
            instruction(op::FUNCTION, &[3, 1, 0, 4]),
            instruction(op::FUNCTION_END, &[]),
            instruction(op::FUNCTION, &[3, 2, 0, 4]),
            instruction(op::FUNCTION_END, &[]),
        ]);
        assert_eq!(check(&module), Ok(()));
        let end = module.len();
        // Behind the first function the module is whole again, as far as can be seen.
        let whole_again = end - 4 - 5 * 4;
        for length in 4..end {
            // With no more than a memory model there is nothing that could be missing.
            let passes = length == whole_again || length == (HEADER_WORDS + 3) * 4;
            assert_eq!(check(&module[..length]).is_ok(), passes, "{length}");
        }
    }

    #[test]
    fn what_is_no_module_is_left_to_the_driver() {
        for other in [&b""[..], b"x", b"some text that is no module", &[0; 64]] {
            assert_eq!(check(other), Ok(()));
            assert!(!is_module(other));
            assert_eq!(Contents::read(other), Contents::default());
        }
    }
}
