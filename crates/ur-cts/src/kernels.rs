//! Device code of the suite, from `kernels/`; `kernels/build.sh` builds it.

use anyhow::{Context, Result};
use std::path::Path;
use std::sync::OnceLock;

/// `basic.cl`: what most suites need.
pub const BASIC: &[u8] = include_bytes!("../kernels/basic.spv");
/// `arguments.cl`: arguments of every kind and size.
pub const ARGUMENTS: &[u8] = include_bytes!("../kernels/arguments.spv");
/// `large.cl`: a kernel with a large argument.
pub const LARGE: &[u8] = include_bytes!("../kernels/large.spv");
/// `constants.spvasm`: specialisation constants.
pub const CONSTANTS: &[u8] = include_bytes!("../kernels/constants.spv");
/// `link_library.cl`: what `link_main.cl` needs.
pub const LINK_LIBRARY: &[u8] = include_bytes!("../kernels/link_library.spv");
/// `link_main.cl`: a program that lacks a function.
pub const LINK_MAIN: &[u8] = include_bytes!("../kernels/link_main.spv");
/// `variables.cl`: variables of a program.
pub const VARIABLES: &[u8] = include_bytes!("../kernels/variables.spv");

/// `commands.cl`: what recorded commands are made of.
pub const COMMANDS: &[u8] = include_bytes!("../kernels/commands.spv");

static SYCL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();

/// Modules of `sycl/kernels.cpp`, which only SYCL's own compiler makes; none without a folder of them.
pub fn sycl() -> &'static [Vec<u8>] {
    SYCL.get().map_or(&[], Vec::as_slice)
}

/// Takes the modules of a folder as those of [`sycl`].
///
/// # Errors
/// The folder cannot be read, or has none.
pub(crate) fn take_sycl(folder: &Path) -> Result<()> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "spv") {
            all.push(std::fs::read(&path).with_context(|| path.display().to_string())?);
        }
    }
    anyhow::ensure!(!all.is_empty(), "{} has no .spv", folder.display());
    SYCL.get_or_init(|| all);
    Ok(())
}
