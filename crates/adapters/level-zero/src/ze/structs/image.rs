//! Images and samplers.

use super::*;

structures! {
    desc ze_image_desc_t: ZE_STRUCTURE_TYPE_IMAGE_DESC {
        flags: u32,
        type_: u32,
        format: ze_image_format_t,
        /// In texels.
        width: u64,
        height: u32,
        depth: u32,
        arraylevels: u32,
        /// 0.
        miplevels: u32,
    }
    properties ze_image_properties_t: ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES {
        samplerFilterFlags: u32,
    }
    /// Behind `ze_image_desc_t`.
    desc ze_srgb_ext_desc_t: ZE_STRUCTURE_TYPE_SRGB_EXT_DESC {
        sRGB: ze_bool_t,
    }
    /// Behind `ze_image_desc_t`: an image that a kernel reaches by a number (1.9).
    desc ze_image_bindless_exp_desc_t: ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC {
        flags: u32,
    }
    /// Behind `ze_image_desc_t`: an image over an allocation (1.9).
    desc ze_image_pitched_exp_desc_t: ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC {
        ptr: *mut c_void,
    }
    properties ze_image_memory_properties_exp_t: ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES {
        size: u64,
        rowPitch: u64,
        slicePitch: u64,
    }
    properties ze_image_allocation_ext_properties_t:
    ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES {
        id: u64,
    }
    desc ze_sampler_desc_t: ZE_STRUCTURE_TYPE_SAMPLER_DESC {
        addressMode: u32,
        filterMode: u32,
        isNormalized: ze_bool_t,
    }
}

/// What the texels of an image are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_image_format_t {
    pub layout: u32,
    pub type_: u32,
    pub x: u32,
    pub y: u32,
    pub z: u32,
    pub w: u32,
}

/// A box of texels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_image_region_t {
    pub originX: u32,
    pub originY: u32,
    pub originZ: u32,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}
