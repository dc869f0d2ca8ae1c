//! Modules that need not build.

use crate::CorpusModule;
use crate::images::capabilities;

/// Why a module is not for our devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exception {
    /// It has the capability `VectorComputeINTEL`: code for the vector units of Intel's GPUs, whose
    /// functions (`llvm.genx.*`) exist there only. Programs keep it beside a module that runs
    /// everywhere.
    VectorCompute,
}

/// Number of the capability `VectorComputeINTEL`.
const VECTOR_COMPUTE: u32 = 5617;

impl Exception {
    /// The exception that a module is, if it is one.
    pub fn of(module: &CorpusModule) -> Option<Self> {
        capabilities(&module.words)
            .contains(&VECTOR_COMPUTE)
            .then_some(Self::VectorCompute)
    }

    /// The cause in words.
    pub fn cause(self) -> &'static str {
        match self {
            Self::VectorCompute => {
                "capability VectorComputeINTEL: code for the vector units of Intel GPUs"
            }
        }
    }
}
