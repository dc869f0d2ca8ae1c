//! Programs.

use crate::LevelZero;
use crate::device::{Able, Device};
use ur_adapter::{ProgramExpFns, ProgramFns};
use ur_api::*;

/// What a program handle names.
#[derive(Debug)]
pub struct Program(());

impl ProgramExpFns for LevelZero {}
impl ProgramFns for LevelZero {}

/// What programs on devices can do; none for other questions.
pub fn able(_: &Device, _: ur_device_info_t) -> Option<Able> {
    None
}
