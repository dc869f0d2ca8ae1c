//! Level Zero as this adapter sees it. Names, numbers and layouts are those of the Level Zero
//! specification (oneAPI, version 1.0 to 1.15) and of the extensions of Intel's driver.

pub mod constants;
pub mod driver;
pub mod error;
pub mod exit;
pub mod functions;
pub mod later;
pub mod owned;
pub mod structs;
pub mod types;

pub use constants::*;
pub use error::check;
pub use functions::Functions;
pub use later::Later;
pub use owned::{Object, Owned};
pub use structs::*;
pub use types::*;
