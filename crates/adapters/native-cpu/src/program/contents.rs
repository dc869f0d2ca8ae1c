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
    /// Set for a module that needs something unknown; building it fails with this.
    pub unsupported: Option<String>,
}

impl Contents {
    /// # Errors
    /// `INVALID_BINARY` for malformed SPIR-V; the message names the word and the rule.
    pub fn read(words: &[u32]) -> Result<Contents> {
        match Module::parse(words, &[]) {
            Ok(module) => Ok(Contents::of(&module)),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Contents {
                kernels: Vec::new(),
                constants: Vec::new(),
                functions: Vec::new(),
                has_imports: false,
                sees_groups: true,
                unsupported: Some(error.to_string()),
            }),
            Err(error) => Err(Error::new(
                UR_RESULT_ERROR_INVALID_BINARY,
                error.to_string(),
            )),
        }
    }

    fn of(module: &Module) -> Contents {
        let linkages = || {
            let functions = module.functions.iter().map(|f| f.linkage.as_ref());
            let globals = module.globals.iter().filter(|g| g.builtin.is_none());
            functions.chain(globals.map(|g| g.linkage.as_ref()))
        };
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
            has_imports: linkages()
                .flatten()
                .any(|linkage| linkage.kind == LinkageType::Import),
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
