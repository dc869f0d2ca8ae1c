//! Operand types of each opcode.

use crate::model::{Inst, Module};
use crate::Result;

/// Checks one instruction.
pub fn check(_module: &Module, _inst: &Inst) -> Result<()> {
    Ok(())
}
