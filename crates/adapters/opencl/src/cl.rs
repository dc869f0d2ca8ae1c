//! OpenCL as this adapter sees it. Names, numbers and layouts are those of the OpenCL specifications
//! (Khronos OpenCL 3.0 and its registry of extensions).

pub mod constants;
pub mod error;
pub mod extensions;
pub mod functions;
pub mod owned;
pub mod query;
pub mod types;
pub mod version;

pub use constants::*;
pub use error::check;
pub use extensions::Extensions;
pub use functions::Functions;
pub use owned::{Counted, Owned};
pub use types::*;
pub use version::Version;
