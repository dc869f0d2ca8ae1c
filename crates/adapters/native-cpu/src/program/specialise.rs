//! Values of specialisation constants: taken from a caller, and put into a module itself, so that it
//! can be linked with others whose constants have the same numbers.

use crate::binary::Specialisation;
use std::collections::HashMap;
use ur_adapter::{Error, Result};
use ur_api::*;
use ur_spirv::SpecConstant;
use ur_spirv::spirv::{Decoration, Op};

/// Words in front of the first instruction.
const HEADER: usize = 5;

/// A value that a caller gives for one of the constants of a module.
///
/// # Errors
/// `INVALID_SPEC_ID` for a constant that is not there, `INVALID_VALUE` for one of another size.
///
/// # Safety
/// `given.pValue` is null or has `given.size` bytes.
pub unsafe fn value(
    known: &[SpecConstant],
    given: &ur_specialization_constant_info_t,
) -> Result<Specialisation> {
    let known = known
        .iter()
        .find(|known| known.spec_id == given.id)
        .ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_INVALID_SPEC_ID,
                format!("no specialisation constant {}", given.id),
            )
        })?;
    if given.pValue.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
    }
    if given.size != known.size as usize || given.size > 8 {
        return Err(Error::value(format!(
            "specialisation constant {} has {} bytes, not {}",
            given.id, known.size, given.size
        )));
    }
    let mut bits = [0u8; 8];
    // SAFETY: there are `size` bytes, 8 at most.
    unsafe {
        std::ptr::copy_nonoverlapping(given.pValue.cast::<u8>(), bits.as_mut_ptr(), given.size);
    }
    Ok(Specialisation {
        id: given.id,
        size: known.size,
        bits: u64::from_le_bytes(bits),
    })
}

/// Puts values in the place of the defaults of a well-formed module.
pub fn specialise(words: &mut [u32], constants: &[Specialisation]) {
    if constants.is_empty() {
        return;
    }
    // Decorations stand in front of what they name.
    let mut values: HashMap<u32, u64> = HashMap::new();
    let mut at = HEADER;
    while let Some(first) = words.get(at).copied() {
        let (len, op) = ((first >> 16) as usize, first & 0xffff);
        let end = at.saturating_add(len.max(1));
        let Some(inst) = words.get_mut(at..end) else {
            return;
        };
        let is = |wanted: Op| op == wanted as u32;
        match inst {
            [_, target, decoration, id]
                if is(Op::Decorate) && *decoration == Decoration::SpecId as u32 =>
            {
                if let Some(constant) = constants.iter().find(|c| c.id == *id) {
                    values.insert(*target, constant.bits);
                }
            }
            [first, _, id] if is(Op::SpecConstantTrue) || is(Op::SpecConstantFalse) => {
                if let Some(bits) = values.get(id) {
                    let op = if *bits == 0 {
                        Op::SpecConstantFalse
                    } else {
                        Op::SpecConstantTrue
                    };
                    *first = *first & 0xffff_0000 | op as u32;
                }
            }
            [_, _, id, literal @ ..] if is(Op::SpecConstant) => {
                if let Some(bits) = values.get(id) {
                    for (word, shift) in literal.iter_mut().zip([0, 32]) {
                        *word = (bits >> shift) as u32;
                    }
                }
            }
            _ => {}
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_replaced() {
        let inst = |op: Op, words: &[u32]| {
            let mut inst = vec![(words.len() as u32 + 1) << 16 | op as u32];
            inst.extend(words);
            inst
        };
        let spec_id = Decoration::SpecId as u32;
        let mut words = vec![0; HEADER];
        for (target, id) in [(10, 1), (11, 2), (12, 3), (13, 4)] {
            words.extend(inst(Op::Decorate, &[target, spec_id, id]));
        }
        let start = words.len();
        words.extend(inst(Op::SpecConstant, &[1, 10, 5]));
        words.extend(inst(Op::SpecConstant, &[2, 11, 6, 7]));
        words.extend(inst(Op::SpecConstantTrue, &[3, 12]));
        words.extend(inst(Op::SpecConstant, &[1, 13, 8]));
        let set = |id, bits| Specialisation { id, size: 4, bits };
        let mut changed = words.clone();
        specialise(
            &mut changed,
            &[set(1, 50), set(2, 1 << 40 | 9), set(3, 0), set(99, 1)],
        );
        let mut expected = inst(Op::SpecConstant, &[1, 10, 50]);
        expected.extend(inst(Op::SpecConstant, &[2, 11, 9, 1 << 8]));
        expected.extend(inst(Op::SpecConstantFalse, &[3, 12]));
        expected.extend(inst(Op::SpecConstant, &[1, 13, 8]));
        assert_eq!(changed[start..], expected);
        // No matter how broken, nothing is read or written outside.
        for len in 0..words.len() {
            specialise(&mut changed[..len], &[set(1, 1)]);
        }
        words[HEADER] = u32::MAX;
        specialise(&mut words, &[set(1, 1)]);
    }
}
