//! Buffers; images are in [`crate::image`].

use crate::LevelZero;
use ur_adapter::MemFns;

/// What a memory handle names.
#[derive(Debug)]
pub struct Mem(());

impl MemFns for LevelZero {}
