//! What relates the parts of a module to each other.

pub mod ops;

use crate::Result;
use crate::model::Module;

/// Checks a module that was read, and completes it with what the check finds.
pub fn check(module: &mut Module) -> Result<()> {
    let _ = module;
    Ok(())
}
