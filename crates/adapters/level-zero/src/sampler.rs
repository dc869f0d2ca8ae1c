//! Samplers.

use crate::LevelZero;
use ur_adapter::SamplerFns;

/// What a sampler handle names.
#[derive(Debug)]
pub struct Sampler(());

impl SamplerFns for LevelZero {}
