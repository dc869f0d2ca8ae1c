//! Level Zero as the adapter sees it.

#![allow(dead_code, unused_imports, reason = "not all is used here")]

#[path = "../../../adapters/level-zero/src/ze/constants.rs"]
pub mod constants;
#[path = "../../../adapters/level-zero/src/ze/functions.rs"]
pub mod functions;
#[path = "../../../adapters/level-zero/src/ze/later.rs"]
pub mod later;
#[path = "../../../adapters/level-zero/src/ze/structs.rs"]
pub mod structs;
#[path = "../../../adapters/level-zero/src/ze/types.rs"]
pub mod types;

pub use constants::*;
pub use functions::Functions;
pub use structs::*;
pub use types::*;
