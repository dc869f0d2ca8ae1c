//! Samplers.

use crate::call::{call, get, put};
use crate::world::{Body, Kind};
use crate::ze::*;
use ur_jit_abi::{Addressing, SamplerBits};

/// How a kernel reads an image.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// What kernels get.
    pub bits: SamplerBits,
}

/// Makes a sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeSamplerCreate(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_sampler_desc_t,
    place: *mut ze_sampler_handle_t,
) -> ze_result_t {
    call("zeSamplerCreate", |world| {
        let context = context.to_native();
        world.needs_part(context, Kind::Context, "images")?;
        world.device_in(context, device.to_native())?;
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        let addressing = match desc.addressMode {
            ZE_SAMPLER_ADDRESS_MODE_NONE => Addressing::None,
            ZE_SAMPLER_ADDRESS_MODE_REPEAT => Addressing::Repeat,
            ZE_SAMPLER_ADDRESS_MODE_CLAMP => Addressing::ClampToEdge,
            ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER => Addressing::Clamp,
            ZE_SAMPLER_ADDRESS_MODE_MIRROR => Addressing::MirroredRepeat,
            _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        };
        let linear = match desc.filterMode {
            ZE_SAMPLER_FILTER_MODE_NEAREST => false,
            ZE_SAMPLER_FILTER_MODE_LINEAR => true,
            _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        };
        let sampler = Sampler {
            bits: SamplerBits::new(addressing, desc.isNormalized != 0, linear),
        };
        let driver = world.object(context, Kind::Context)?.driver;
        let handle = world.add(driver, Body::Sampler(sampler), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_sampler_handle_t::from_native(handle)) }
    })
}

/// Takes a sampler away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeSamplerDestroy(sampler: ze_sampler_handle_t) -> ze_result_t {
    call("zeSamplerDestroy", |world| {
        world.destroy(sampler.to_native(), Kind::Sampler)?;
        Ok(())
    })
}
