//! The reason a module was refused.

use std::fmt;

/// Whether a module breaks a rule or merely asks for something that is not done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The module breaks a rule of SPIR-V or of its OpenCL environment.
    Invalid,
    /// The module may be valid, but uses something that is not supported.
    Unsupported,
}

/// Why a module was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
    rule: String,
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A broken rule at `offset`, counted in words from the start of the module.
    pub fn invalid(offset: usize, rule: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Invalid,
            offset,
            rule: rule.into(),
        }
    }

    /// Something unsupported at `offset`, counted in words from the start of the module.
    pub fn unsupported(offset: usize, what: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Unsupported,
            offset,
            rule: what.into(),
        }
    }

    /// Whether the module is wrong or just not supported.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Offset of the offending instruction or header field, in 32-bit words.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The rule that is broken or the feature that is missing, in words.
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::Invalid => "invalid SPIR-V",
            ErrorKind::Unsupported => "unsupported SPIR-V",
        };
        write!(f, "{what} at word {}: {}", self.offset, self.rule)
    }
}

impl std::error::Error for Error {}
