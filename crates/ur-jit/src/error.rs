//! Why something could not be compiled.

use std::fmt;

use ur_jit_abi::Status;

/// A failure with the status that crosses the C interface and the text that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which kind of failure.
    pub status: Status,
    /// What happened.
    pub message: String,
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The module asks for something that is not done here.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self {
            status: Status::Unsupported,
            message: what.into(),
        }
    }

    /// Nothing has that name.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self {
            status: Status::NotFound,
            message: what.into(),
        }
    }

    /// A fault of the compiler.
    pub fn internal(what: impl Into<String>) -> Self {
        Self {
            status: Status::Internal,
            message: what.into(),
        }
    }

    /// The same failure, saying at which word of the module it arose.
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        if !self.message.contains(" at word ") {
            self.message = format!("{} at word {offset}", self.message);
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<ur_spirv::Error> for Error {
    fn from(error: ur_spirv::Error) -> Self {
        let status = match error.kind() {
            ur_spirv::ErrorKind::Invalid => Status::InvalidModule,
            ur_spirv::ErrorKind::Unsupported => Status::Unsupported,
        };
        Self {
            status,
            message: error.to_string(),
        }
    }
}
