//! Samplers.

use super::counted::counted;
use super::queue::Context;
use crate::failure::Stop;
use crate::ur;
use ur_api::*;

counted! {
    /// A sampler.
    Sampler(ur_sampler_handle_t): urSamplerRetain, urSamplerRelease,
    urSamplerGetInfo(ur_sampler_info_t), UR_SAMPLER_INFO_REFERENCE_COUNT
}

impl Sampler {
    /// A sampler of that kind.
    ///
    /// # Errors
    /// When it cannot be made.
    #[track_caller]
    pub fn new(context: &Context, desc: &ur_sampler_desc_t) -> Result<Sampler, Stop> {
        Sampler::made("urSamplerCreate", |out| {
            ur!(urSamplerCreate(context.get(), &raw const *desc, out))
        })
    }
}
