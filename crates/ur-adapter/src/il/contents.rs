//! What is in a module.

use super::{Instruction, instructions, op, words};
use std::collections::{HashMap, HashSet};

/// Numbers of decorations.
mod decoration {
    pub const SPEC_ID: u32 = 1;
    pub const BUILT_IN: u32 = 11;
    pub const LINKAGE_ATTRIBUTES: u32 = 41;
}

/// The linkage of what another module has.
const IMPORT: u32 = 1;
/// The only kind of entry point that is a kernel.
const KERNEL: u32 = 6;

/// What is in a module, as far as can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Its kernels.
    pub entries: Vec<Entry>,
    /// What others can link to.
    pub exports: Vec<Symbol>,
    /// What it needs of others; a compiler brings some of it along.
    pub imports: Vec<Symbol>,
    /// Its specialisation constants.
    pub constants: Vec<Constant>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Box<[u8]>,
    /// For each argument its size in bytes, if that is a number or a vector of numbers.
    pub arguments: Vec<Option<u32>>,
}

/// A function or a variable that modules know by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: Box<[u8]>,
    /// Whether it is a function.
    pub is_function: bool,
}

/// A specialisation constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its number.
    pub id: u32,
    /// Bytes of a value; a truth value has one.
    pub size: u32,
}

/// What instructions say of ids.
#[derive(Default)]
struct Ids<'a> {
    /// The sizes in bytes of values of types that are numbers or vectors of numbers.
    sizes: HashMap<u32, u32>,
    /// Types that are no vectors.
    numbers: HashMap<u32, u32>,
    /// Functions with the types of their parameters.
    functions: HashMap<u32, Vec<u32>>,
    variables: HashSet<u32>,
    /// The sizes of what can be a specialisation constant.
    constants: HashMap<u32, u32>,
    built_in: HashSet<u32>,
    /// What is decorated with a linkage, and the words behind.
    linkages: Vec<(u32, &'a [u32])>,
    /// What has the number of a specialisation constant, and the number.
    numbered: Vec<(u32, u32)>,
    /// Kernels: the function, and its name's words.
    kernels: Vec<(u32, &'a [u32])>,
}

impl<'a> Ids<'a> {
    /// Goes through the instructions. What comes first in a module is what later ones name.
    fn of(all: &'a [Instruction]) -> Self {
        let mut ids = Self::default();
        let mut function = 0;
        for instruction in all {
            match (instruction.opcode, &instruction.operands[..]) {
                (op::ENTRY_POINT, [KERNEL, function, name @ ..]) => {
                    ids.kernels.push((*function, name));
                }
                (op::DECORATE, [target, decoration::SPEC_ID, id]) => {
                    ids.numbered.push((*target, *id));
                }
                (op::DECORATE, [target, decoration::BUILT_IN, ..]) => {
                    ids.built_in.insert(*target);
                }
                (op::DECORATE, [target, decoration::LINKAGE_ATTRIBUTES, rest @ ..]) => {
                    ids.linkages.push((*target, rest));
                }
                (op::TYPE_INT | op::TYPE_FLOAT, [id, bits, ..]) => {
                    ids.sizes.insert(*id, bits / 8);
                    ids.numbers.insert(*id, bits / 8);
                }
                (op::TYPE_VECTOR, [id, of, count]) => {
                    // A vector of three takes the room of four.
                    let number = ids.numbers.get(of);
                    let room = count.checked_next_power_of_two();
                    if let Some(size) = number.zip(room).and_then(|(n, room)| n.checked_mul(room)) {
                        ids.sizes.insert(*id, size);
                    }
                }
                (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, [_, id, ..]) => {
                    ids.constants.insert(*id, 1);
                }
                (op::SPEC_CONSTANT, [kind, id, ..]) => {
                    if let Some(size) = ids.sizes.get(kind) {
                        ids.constants.insert(*id, *size);
                    }
                }
                (op::VARIABLE, [_, id, ..]) => {
                    ids.variables.insert(*id);
                }
                (op::FUNCTION, [_, id, ..]) => {
                    function = *id;
                    ids.functions.insert(function, Vec::new());
                }
                (op::FUNCTION_PARAMETER, [kind, ..]) => {
                    if let Some(parameters) = ids.functions.get_mut(&function) {
                        parameters.push(*kind);
                    }
                }
                _ => {}
            }
        }
        ids
    }
}

impl Contents {
    /// Reads a module. What is no module has nothing in it.
    pub fn read(bytes: &[u8]) -> Self {
        let Some(words) = words(bytes) else {
            return Self::default();
        };
        let (all, _) = instructions(&words);
        let ids = Ids::of(&all);
        let entry = |(function, name): &(u32, &[u32])| Entry {
            name: text(name),
            arguments: match ids.functions.get(function) {
                Some(kinds) => kinds
                    .iter()
                    .map(|kind| ids.sizes.get(kind).copied())
                    .collect(),
                None => Vec::new(),
            },
        };
        let constant = |(target, id): &(u32, u32)| {
            let (id, size) = (*id, *ids.constants.get(target)?);
            Some(Constant { id, size })
        };
        let mut contents = Self {
            entries: ids.kernels.iter().map(entry).collect(),
            constants: ids.numbered.iter().filter_map(constant).collect(),
            ..Self::default()
        };
        for (target, operands) in &ids.linkages {
            let is_function = ids.functions.contains_key(target);
            let is_known = is_function || ids.variables.contains(target);
            let [name @ .., linkage] = operands else {
                continue;
            };
            if !is_known || ids.built_in.contains(target) {
                continue;
            }
            let symbol = Symbol {
                name: text(name),
                is_function,
            };
            match *linkage {
                IMPORT => contents.imports.push(symbol),
                _ => contents.exports.push(symbol),
            }
        }
        contents
    }

    /// Its kernel of this name.
    pub fn entry(&self, name: &[u8]) -> Option<&Entry> {
        self.entries.iter().find(|entry| *entry.name == *name)
    }

    /// Its constant of this number.
    pub fn constant(&self, id: u32) -> Option<Constant> {
        let mut constants = self.constants.iter().copied();
        constants.find(|constant| constant.id == id)
    }

    /// The names of the functions that others can link to, and of its kernels.
    pub fn functions(&self) -> impl Iterator<Item = &[u8]> {
        let exports = self.exports.iter().filter(|export| export.is_function);
        let exports = exports.map(|export| &*export.name);
        exports.chain(self.entries.iter().map(|entry| &*entry.name))
    }
}

/// The text that begins these words.
fn text(words: &[u32]) -> Box<[u8]> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|byte| *byte != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{instruction, module};
    use super::*;

    fn name(text: &[u8; 2]) -> u32 {
        u32::from_le_bytes([text[0], text[1], 0, 0])
    }

    fn symbol(name: &[u8], is_function: bool) -> Symbol {
        Symbol {
            name: name.into(),
            is_function,
        }
    }

    fn linkage(target: u32, text: &[u8; 2], linkage: u32) -> Vec<u32> {
        let attributes = decoration::LINKAGE_ATTRIBUTES;
        instruction(op::DECORATE, &[target, attributes, name(text), linkage])
    }

    #[test]
    fn what_others_have_and_what_others_need() {
        let contents = Contents::read(&module(&[
            instruction(op::ENTRY_POINT, &[KERNEL, 1, name(b"ab")]),
            linkage(2, b"cd", 0),
            linkage(3, b"im", 1),
            linkage(4, b"va", 0),
            linkage(5, b"bu", 1),
            linkage(6, b"on", 2),
            linkage(9, b"no", 0),
            instruction(op::DECORATE, &[5, decoration::BUILT_IN, 28]),
            instruction(op::VARIABLE, &[20, 4, 5]),
            instruction(op::VARIABLE, &[20, 5, 1]),
            instruction(op::FUNCTION, &[30, 1, 0, 31]),
            // A variable of a function is none that others know.
            instruction(op::VARIABLE, &[20, 9, 7]),
            instruction(op::FUNCTION_END, &[]),
            instruction(op::FUNCTION, &[30, 2, 0, 31]),
            instruction(op::FUNCTION_END, &[]),
            instruction(op::FUNCTION, &[30, 3, 0, 31]),
            instruction(op::FUNCTION_END, &[]),
            instruction(op::FUNCTION, &[30, 6, 0, 31]),
            instruction(op::FUNCTION_END, &[]),
        ]));
        let exports = [
            symbol(b"cd", true),
            symbol(b"va", false),
            symbol(b"on", true),
        ];
        assert_eq!(contents.exports, exports);
        assert_eq!(contents.imports, [symbol(b"im", true)]);
        let functions: Vec<_> = contents.functions().collect();
        assert_eq!(functions, [b"cd", b"on", b"ab"]);
    }

    #[test]
    fn sizes_of_arguments_and_constants() {
        let contents = Contents::read(&module(&[
            instruction(op::ENTRY_POINT, &[KERNEL, 1, name(b"ab")]),
            // An entry point of another kind.
            instruction(op::ENTRY_POINT, &[5, 1, name(b"no")]),
            instruction(op::DECORATE, &[40, decoration::SPEC_ID, 7]),
            instruction(op::DECORATE, &[41, decoration::SPEC_ID, 8]),
            instruction(op::DECORATE, &[42, decoration::SPEC_ID, 9]),
            instruction(op::TYPE_INT, &[11, 32, 0]),
            instruction(op::TYPE_FLOAT, &[12, 64]),
            instruction(op::TYPE_VECTOR, &[13, 12, 3]),
            // A vector of itself.
            instruction(op::TYPE_VECTOR, &[14, 14, 2]),
            instruction(op::SPEC_CONSTANT_TRUE, &[10, 40]),
            instruction(op::SPEC_CONSTANT, &[12, 41, 0, 0]),
            instruction(op::FUNCTION, &[30, 2, 0, 31]),
            instruction(op::FUNCTION_PARAMETER, &[12, 51]),
            instruction(op::FUNCTION_END, &[]),
            instruction(op::FUNCTION, &[30, 1, 0, 31]),
            instruction(op::FUNCTION_PARAMETER, &[11, 52]),
            instruction(op::FUNCTION_PARAMETER, &[13, 53]),
            instruction(op::FUNCTION_PARAMETER, &[14, 54]),
            instruction(op::FUNCTION_PARAMETER, &[99, 55]),
            instruction(op::FUNCTION_END, &[]),
        ]));
        let entry = Entry {
            name: b"ab"[..].into(),
            arguments: vec![Some(4), Some(32), None, None],
        };
        assert_eq!(contents.entries, [entry]);
        assert_eq!(
            contents.constants,
            [Constant { id: 7, size: 1 }, Constant { id: 8, size: 8 }]
        );
        assert_eq!(contents.constant(8), Some(Constant { id: 8, size: 8 }));
        assert_eq!(contents.constant(1), None);
    }
}
