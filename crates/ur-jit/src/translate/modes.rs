//! What the execution modes of a kernel ask of its arithmetic.

use ur_spirv::spirv::ExecutionMode;
use ur_spirv::{EntryPoint, Id, Module};

use crate::error::{Error, Result};
use crate::ir::FastMath;

/// How a kernel computes.
///
/// Rounding to the nearest and keeping subnormal numbers are what happens anyway; contraction
/// happens only where an instruction allows it.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// Subnormal floats and doubles are zeros.
    pub flush: bool,
    /// Widths of floats for which no instruction may count on the absence of signed zeros,
    /// infinities and NaNs, whatever is decorated on it.
    preserved: Vec<u32>,
}

impl Modes {
    /// Reads an entry point's modes.
    ///
    /// # Errors
    /// What cannot be done: the processor flushes floats and doubles together, and no halves.
    pub fn new(entry: &EntryPoint) -> Result<Self> {
        let widths = |wanted: ExecutionMode| -> Vec<u32> {
            let modes = entry.modes.iter().filter(|(mode, _)| *mode == wanted);
            modes.filter_map(|(_, ops)| ops.first().copied()).collect()
        };
        let flushed = widths(ExecutionMode::DenormFlushToZero);
        let kept = widths(ExecutionMode::DenormPreserve);
        if flushed.contains(&16) {
            return Err(Error::unsupported("DenormFlushToZero of 16-bit floats"));
        }
        if !flushed.is_empty() && kept.iter().any(|width| *width > 16) {
            return Err(Error::unsupported(
                "DenormFlushToZero of floats of one width and DenormPreserve of another",
            ));
        }
        Ok(Self {
            flush: !flushed.is_empty(),
            preserved: widths(ExecutionMode::SignedZeroInfNanPreserve),
        })
    }

    /// What is left of an instruction's freedoms, for results of `width` bits.
    pub fn limit(&self, freedoms: FastMath, width: u32) -> FastMath {
        if self.preserved.contains(&width) {
            FastMath {
                nnan: false,
                ninf: false,
                nsz: false,
                ..freedoms
            }
        } else {
            freedoms
        }
    }
}

/// Functions that run once before any kernel of the module, in order.
pub fn initialisers(module: &Module) -> impl Iterator<Item = Id> {
    module
        .entry_points
        .iter()
        .filter(|entry| entry.is_initializer())
        .map(|entry| entry.function)
}
