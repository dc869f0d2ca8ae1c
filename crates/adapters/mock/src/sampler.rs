//! Samplers.

use crate::Mock;
use crate::context::Context;
use ur_adapter::{Error, Handle, Info, Object, Result, SamplerFns};
use ur_api::*;

/// A sampler remembers what it was made with.
#[derive(Debug)]
pub struct Sampler {
    context: Handle<Context>,
    normalized: bool,
    addressing: ur_sampler_addressing_mode_t,
    filter: ur_sampler_filter_mode_t,
}

impl SamplerFns for Mock {
    fn sampler_create(
        context: &Object<Context>,
        desc: &ur_sampler_desc_t,
    ) -> Result<Handle<Sampler>> {
        Handle::new(Sampler {
            context: context.handle(),
            normalized: desc.normalizedCoords,
            addressing: desc.addressingMode,
            filter: desc.filterMode,
        })
    }

    fn sampler_get_info(
        sampler: &Object<Sampler>,
        prop: ur_sampler_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_SAMPLER_INFO_CONTEXT => info.handle(&sampler.context),
            UR_SAMPLER_INFO_NORMALIZED_COORDS => info.bool(sampler.normalized),
            UR_SAMPLER_INFO_ADDRESSING_MODE => info.value(sampler.addressing.0),
            UR_SAMPLER_INFO_FILTER_MODE => info.value(sampler.filter.0),
            _ => Err(Error::unsupported_query()),
        }
    }
}
