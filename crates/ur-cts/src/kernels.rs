//! Device code of the suite, from `kernels/`; `kernels/build.sh` builds it.

/// `basic.cl`: what most suites need.
pub const BASIC: &[u8] = include_bytes!("../kernels/basic.spv");
/// `arguments.cl`: arguments of every kind and size.
pub const ARGUMENTS: &[u8] = include_bytes!("../kernels/arguments.spv");
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
