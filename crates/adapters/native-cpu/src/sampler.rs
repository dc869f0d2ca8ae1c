//! Samplers.

use crate::NativeCpu;
use crate::context::Context;
use ur_adapter::{Error, Handle, Info, Object, Result, SamplerFns};
use ur_api::*;
use ur_jit_abi::{Addressing, SamplerBits};

/// What a sampler handle names. Kernels get its bits by value, so that no launch needs to keep it.
#[derive(Debug)]
pub struct Sampler {
    context: Handle<Context>,
    bits: SamplerBits,
}

impl Sampler {
    /// The value that kernels get.
    pub fn bits(&self) -> SamplerBits {
        self.bits
    }
}

impl SamplerFns for NativeCpu {
    fn sampler_create(
        context: &Object<Context>,
        desc: &ur_sampler_desc_t,
    ) -> Result<Handle<Sampler>> {
        let addressing = match desc.addressingMode {
            UR_SAMPLER_ADDRESSING_MODE_NONE => Addressing::None,
            UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE => Addressing::ClampToEdge,
            UR_SAMPLER_ADDRESSING_MODE_CLAMP => Addressing::Clamp,
            UR_SAMPLER_ADDRESSING_MODE_REPEAT => Addressing::Repeat,
            UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT => Addressing::MirroredRepeat,
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        let linear = match desc.filterMode {
            UR_SAMPLER_FILTER_MODE_NEAREST => false,
            UR_SAMPLER_FILTER_MODE_LINEAR => true,
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        Handle::new(Sampler {
            context: context.handle(),
            bits: SamplerBits::new(addressing, desc.normalizedCoords, linear),
        })
    }

    fn sampler_get_info(
        sampler: &Object<Sampler>,
        prop_name: ur_sampler_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_SAMPLER_INFO_CONTEXT => info.handle(&*sampler.context),
            UR_SAMPLER_INFO_NORMALIZED_COORDS => info.bool(sampler.bits.is_normalized()),
            // The numbers of the API are those of SPIR-V.
            UR_SAMPLER_INFO_ADDRESSING_MODE => info.value(sampler.bits.addressing() as u32),
            UR_SAMPLER_INFO_FILTER_MODE => info.value(u32::from(sampler.bits.is_linear())),
            _ => Err(Error::unsupported_query()),
        }
    }
}
