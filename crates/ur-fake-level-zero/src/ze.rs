//! Level Zero's types and numbers: those that the Level Zero adapter declares.

#[path = "../../adapters/level-zero/src/ze/constants.rs"]
pub mod constants;
#[path = "../../adapters/level-zero/src/ze/structs.rs"]
pub mod structs;
#[path = "../../adapters/level-zero/src/ze/types.rs"]
pub mod types;

pub use constants::*;
pub use structs::*;
pub use types::*;

/// What a step of a call gives, or the number that the call ends with.
pub type Answer<T = ()> = Result<T, ze_result_t>;
