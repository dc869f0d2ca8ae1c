//! Samplers. Level Zero's are of one device, so there is one for each.

use crate::LevelZero;
use crate::context::Context;
use crate::device::Device;
use crate::image;
use crate::ze::{self, Owned, check};
use ur_adapter::{Error, Handle, Info, Object, Result, SamplerFns};
use ur_api::*;

/// What a sampler handle names.
#[derive(Debug)]
pub struct Sampler {
    /// First, so that they go before their context.
    natives: Vec<(Handle<Device>, Owned<ze::ze_sampler_handle_t>)>,
    context: Handle<Context>,
    normalized: bool,
    addressing: ur_sampler_addressing_mode_t,
    filter: ur_sampler_filter_mode_t,
}

impl Sampler {
    /// Level Zero's own handle on a device of the context, or a part of one.
    ///
    /// # Errors
    /// `INVALID_DEVICE` for one of another context or without images.
    pub fn native_on(&self, device: &Device) -> Result<ze::ze_sampler_handle_t> {
        let mut natives = self.natives.iter();
        let found = natives.find(|(of, _)| device.is_part_of(of));
        match found {
            Some((_, native)) => Ok(native.get()),
            None => Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE)),
        }
    }
}

/// The API's and Level Zero's ways to read beyond an image.
fn address_mode(mode: ur_sampler_addressing_mode_t) -> Option<u32> {
    Some(match mode {
        UR_SAMPLER_ADDRESSING_MODE_NONE => ze::ZE_SAMPLER_ADDRESS_MODE_NONE,
        UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE => ze::ZE_SAMPLER_ADDRESS_MODE_CLAMP,
        UR_SAMPLER_ADDRESSING_MODE_CLAMP => ze::ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        UR_SAMPLER_ADDRESSING_MODE_REPEAT => ze::ZE_SAMPLER_ADDRESS_MODE_REPEAT,
        UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT => ze::ZE_SAMPLER_ADDRESS_MODE_MIRROR,
        _ => return None,
    })
}

/// The API's and Level Zero's ways to read between texels.
fn filter_mode(mode: ur_sampler_filter_mode_t) -> Option<u32> {
    Some(match mode {
        UR_SAMPLER_FILTER_MODE_NEAREST => ze::ZE_SAMPLER_FILTER_MODE_NEAREST,
        UR_SAMPLER_FILTER_MODE_LINEAR => ze::ZE_SAMPLER_FILTER_MODE_LINEAR,
        _ => return None,
    })
}

// There are no native handles: a context has several for a sampler, and Level Zero does not tell what
// one is.
impl SamplerFns for LevelZero {
    fn sampler_create(
        context: &Object<Context>,
        desc: &ur_sampler_desc_t,
    ) -> Result<Handle<Sampler>> {
        let unknown = || Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION);
        let mut native_desc = ze::ze_sampler_desc_t::new();
        native_desc.addressMode = address_mode(desc.addressingMode).ok_or_else(unknown)?;
        native_desc.filterMode = filter_mode(desc.filterMode).ok_or_else(unknown)?;
        native_desc.isNormalized = desc.normalizedCoords.into();
        let api = context.api();
        let mut natives = Vec::new();
        for device in context.devices().iter().filter(|one| image::is_there(one)) {
            let mut native = ze::ze_sampler_handle_t::NULL;
            let (of, on) = (context.native(), device.native());
            // SAFETY: live objects, a description and a place of ours.
            check(unsafe {
                (api.zeSamplerCreate)(of, on, &raw const native_desc, &raw mut native)
            })?;
            // SAFETY: made for this call.
            natives.push((device.clone(), unsafe { Owned::new(api, native) }));
        }
        if natives.is_empty() {
            return Err(Error::unsupported());
        }
        Handle::new(Sampler {
            natives,
            context: context.handle(),
            normalized: desc.normalizedCoords,
            addressing: desc.addressingMode,
            filter: desc.filterMode,
        })
    }

    fn sampler_get_info(
        sampler: &Object<Sampler>,
        prop_name: ur_sampler_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_SAMPLER_INFO_CONTEXT => info.handle(&*sampler.context),
            UR_SAMPLER_INFO_NORMALIZED_COORDS => info.bool(sampler.normalized),
            UR_SAMPLER_INFO_ADDRESSING_MODE => info.value(sampler.addressing.0),
            UR_SAMPLER_INFO_FILTER_MODE => info.value(sampler.filter.0),
            _ => Err(Error::unsupported_query()),
        }
    }
}
