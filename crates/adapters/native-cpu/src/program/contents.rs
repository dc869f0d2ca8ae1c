//! What reading a program's SPIR-V tells.

use ur_adapter::{Error, Result};
use ur_api::UR_RESULT_ERROR_INVALID_BINARY;
use ur_spirv::spirv::{BuiltIn, LinkageType};
use ur_spirv::{ErrorKind, Module};

/// What is in a module.
pub struct Contents {
    /// Its kernels.
    pub kernels: Vec<ur_spirv::Kernel>,
    /// Its specialisation constants.
    pub constants: Vec<ur_spirv::SpecConstant>,
    /// Names of its exported functions, and the values that stand for their addresses.
    functions: Vec<(String, usize)>,
    /// Whether it uses something that another module must bring.
    pub has_imports: bool,
    /// Whether a kernel could notice how its work-items are grouped.
    pub sees_groups: bool,
    /// Whether a kernel might wait for something that another thread does: only atomics and volatile
    /// memory can be used for that.
    pub may_wait: bool,
    /// Set for a module that needs something unknown; building it fails with this.
    pub unsupported: Option<String>,
}

impl Contents {
    /// # Errors
    /// `INVALID_BINARY` for malformed SPIR-V; the message names the word and the rule.
    pub fn read(words: &[u32]) -> Result<Contents> {
        match Module::parse(words, &[]) {
            Ok(module) => Ok(Contents::of(&module, may_wait(words))),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Contents {
                kernels: Vec::new(),
                constants: Vec::new(),
                functions: Vec::new(),
                has_imports: false,
                sees_groups: true,
                may_wait: true,
                unsupported: Some(error.to_string()),
            }),
            Err(error) => Err(Error::new(
                UR_RESULT_ERROR_INVALID_BINARY,
                error.to_string(),
            )),
        }
    }

    fn of(module: &Module, may_wait: bool) -> Contents {
        let linkages = || {
            let functions = module.functions.iter().map(|f| f.linkage.as_ref());
            let globals = module.globals.iter().filter(|g| g.builtin.is_none());
            functions.chain(globals.map(|g| g.linkage.as_ref()))
        };
        let has_imports = linkages()
            .flatten()
            .any(|linkage| linkage.kind == LinkageType::Import);
        Contents {
            kernels: module.kernels(),
            constants: module.spec_constants.clone(),
            // Compiled code knows a function by its place in the module, counted from 1.
            functions: module
                .functions
                .iter()
                .zip(1..)
                .filter_map(|(function, place)| {
                    let linkage = function.linkage.as_ref()?;
                    (linkage.kind != LinkageType::Import).then(|| (linkage.name.clone(), place))
                })
                .collect(),
            has_imports,
            sees_groups: module
                .globals
                .iter()
                .filter_map(|global| global.builtin)
                .any(|builtin| {
                    !matches!(
                        builtin,
                        BuiltIn::GlobalInvocationId
                            | BuiltIn::GlobalSize
                            | BuiltIn::GlobalOffset
                            | BuiltIn::GlobalLinearId
                            | BuiltIn::WorkDim
                    )
                }),
            // Who knows what the other module does?
            may_wait: may_wait || has_imports,
            unsupported: None,
        }
    }

    /// What the module says of a kernel.
    pub fn kernel(&self, name: &str) -> Option<&ur_spirv::Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The value with which kernels call an exported function by its address.
    pub fn function(&self, name: &str) -> Option<usize> {
        let mut functions = self.functions.iter();
        Some(functions.find(|(known, _)| known == name)?.1)
    }
}

/// Whether a well-formed module has atomic instructions or volatile accesses.
fn may_wait(words: &[u32]) -> bool {
    const HEADER: usize = 5;
    const OP_LOAD: u32 = 61;
    const OP_DECORATE: u32 = 71;
    const VOLATILE_ACCESS: u32 = 1;
    const VOLATILE_DECORATION: u32 = 21;
    let is_atomic = |opcode: u32| {
        matches!(opcode, 227..=242 | 318 | 319) // the core's
            || matches!(opcode, 5614 | 5615 | 6035) // minimum, maximum and sum of floats
    };
    let mut rest = words.get(HEADER..).unwrap_or_default();
    while let Some((first, _)) = rest.split_first() {
        let (opcode, len) = (first & 0xffff, (first >> 16).max(1) as usize);
        let operand = |at: usize| rest.get(at).copied().filter(|_| at < len);
        let volatile = match opcode {
            OP_LOAD => operand(4).is_some_and(|access| access & VOLATILE_ACCESS != 0),
            OP_DECORATE => operand(2) == Some(VOLATILE_DECORATION),
            _ => false,
        };
        if volatile || is_atomic(opcode) {
            return true;
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_takes_atomics_or_volatile_memory() {
        let module = |name: &str| {
            let path = format!("{}/../../../tests/spirv/{name}", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(path).unwrap();
            let words = bytes.chunks_exact(4);
            words
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect::<Vec<_>>()
        };
        assert!(Contents::read(&module("atomics.spv")).unwrap().may_wait);
        for name in ["vector_add.spv", "matmul.spv", "reduce.spv"] {
            assert!(!Contents::read(&module(name)).unwrap().may_wait, "{name}");
        }
        let head = [0x0723_0203, 0x1_0000, 0, 9, 0];
        let with = |words: &[u32]| may_wait(&[&head, words].concat());
        assert!(with(&[0x0004_003d + (1 << 16), 1, 2, 3, 1]));
        assert!(!with(&[0x0005_003d, 1, 2, 3, 2]));
        assert!(!with(&[0x0004_003d, 1, 2, 3, 1]));
        assert!(with(&[0x0003_0047, 1, 21]));
        assert!(!with(&[0x0003_0047, 1, 20]));
    }
}
