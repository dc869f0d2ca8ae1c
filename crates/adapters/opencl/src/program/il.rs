//! As much of SPIR-V as is needed to see that a module is whole, and what it exports. Numbers are
//! those of the SPIR-V specification.

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

const ENTRY_POINT: u16 = 15;
const FUNCTION: u16 = 54;
const FUNCTION_END: u16 = 56;
const DECORATE: u16 = 71;
const LINKAGE_ATTRIBUTES: u32 = 41;
const EXPORT: u32 = 0;

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
/// Whether all are whole comes along.
fn instructions(words: &[u32]) -> (Vec<Instruction>, bool) {
    let mut found = Vec::new();
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (count, opcode) = ((first >> 16) as usize, *first as u16);
        let Some(operands) = rest.get(1..count) else {
            return (found, false);
        };
        if matches!(opcode, ENTRY_POINT | FUNCTION | FUNCTION_END | DECORATE) {
            found.push(Instruction {
                opcode,
                operands: operands.to_vec(),
            });
        }
        rest = rest.get(count..).unwrap_or_default();
    }
    (found, true)
}

/// Looks whether a module is whole: that its last instruction is not cut off, that each function ends,
/// and that its entry points are there.
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
    let mut inside = false;
    for instruction in &instructions {
        match instruction.opcode {
            FUNCTION if inside => return Err("a function in a function"),
            FUNCTION => inside = true,
            FUNCTION_END if !inside => return Err("the end of no function"),
            FUNCTION_END => inside = false,
            _ => {}
        }
    }
    if inside {
        return Err("a function without an end");
    }
    let is_there = |id: &u32| functions(&instructions).any(|function| function == id);
    let mut entries = of(&instructions, ENTRY_POINT).filter_map(|operands| operands.get(1));
    match entries.all(is_there) {
        true => Ok(()),
        false => Err("an entry point without its function"),
    }
}

fn of(instructions: &[Instruction], opcode: u16) -> impl Iterator<Item = &[u32]> {
    let found = instructions.iter().filter(move |one| one.opcode == opcode);
    found.map(|one| &one.operands[..])
}

fn functions(instructions: &[Instruction]) -> impl Iterator<Item = &u32> {
    of(instructions, FUNCTION).filter_map(|operands| operands.get(1))
}

/// The names of the functions that a module exports and of its entry points.
pub fn exports(bytes: &[u8]) -> Vec<Box<[u8]>> {
    let Some(words) = words(bytes) else {
        return Vec::new();
    };
    let (instructions, _) = instructions(&words);
    let exported = of(&instructions, DECORATE).filter_map(|operands| match operands {
        [target, LINKAGE_ATTRIBUTES, name @ .., EXPORT]
            if functions(&instructions).any(|id| id == target) =>
        {
            Some(text(name))
        }
        _ => None,
    });
    let entries = of(&instructions, ENTRY_POINT).filter_map(|operands| match operands {
        [_, _, name @ ..] => Some(text(name)),
        _ => None,
    });
    exported.chain(entries).collect()
}

/// The text that begins these words.
fn text(words: &[u32]) -> Box<[u8]> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|byte| *byte != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(opcode: u16, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![((operands.len() as u32 + 1) << 16) | u32::from(opcode)];
        words.extend(operands);
        words
    }

    /// A module with the entry point `ab`, which is function 1, and the exported function 2, `cd`.
    fn module() -> Vec<u8> {
        let name = |text: &[u8; 2]| u32::from_le_bytes([text[0], text[1], 0, 0]);
        let words = [
            vec![MAGIC, 0x10000, 0, 10, 0],
            instruction(ENTRY_POINT, &[6, 1, name(b"ab")]),
            instruction(DECORATE, &[2, LINKAGE_ATTRIBUTES, name(b"cd"), EXPORT]),
            instruction(DECORATE, &[9, LINKAGE_ATTRIBUTES, name(b"no"), EXPORT]),
            instruction(FUNCTION, &[3, 1, 0, 4]),
            instruction(FUNCTION_END, &[]),
            instruction(FUNCTION, &[3, 2, 0, 4]),
            instruction(FUNCTION_END, &[]),
        ];
        words
            .concat()
            .into_iter()
            .flat_map(u32::to_ne_bytes)
            .collect()
    }

    #[test]
    fn whole_modules_pass_and_cut_ones_do_not() {
        let module = module();
        assert_eq!(check(&module), Ok(()));
        let end = module.len();
        // Behind the first function the module is whole again, as far as can be seen.
        let whole_again = end - 4 - 5 * 4;
        for length in 4..end {
            // Without anything behind the header there is nothing that could be missing.
            let passes = length == whole_again || length == HEADER_WORDS * 4;
            assert_eq!(check(&module[..length]).is_ok(), passes, "{length}");
        }
    }

    #[test]
    fn what_is_no_module_is_left_to_the_driver() {
        for other in [&b""[..], b"x", b"some text that is no module", &[0; 64]] {
            assert_eq!(check(other), Ok(()));
            assert!(exports(other).is_empty());
        }
    }

    #[test]
    fn exported_functions_and_entry_points_have_names() {
        let names: Vec<_> = exports(&module());
        assert_eq!(names, [Box::from(&b"cd"[..]), Box::from(&b"ab"[..])]);
    }
}
