//! Vectors that suit a device.

use super::Device;
use crate::ze;
use crate::ze::Structure;
use crate::ze::driver::list;
use ur_api::*;

/// The width in elements that a question about vectors asks for; none if it asks for something else.
///
/// Drivers tell from 1.13 on. Devices of older ones have no vectors of a kernel's own: neighbouring
/// work-items are the lanes. A type that kernels cannot have has a width of 0.
pub fn width(device: &Device, name: ur_device_info_t) -> Option<u32> {
    let told = || told(device);
    let width = |pick: fn(&Widths) -> u32| told().map_or(1, |widths| pick(&widths)).max(1);
    let facts = device.facts();
    let if_it_can = |flag: u32, pick: fn(&Widths) -> u32| match facts.can(flag) {
        true => width(pick),
        false => 0,
    };
    let (half, double) = (
        ze::ZE_DEVICE_MODULE_FLAG_FP16,
        ze::ZE_DEVICE_MODULE_FLAG_FP64,
    );
    Some(match name {
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR => width(|w| w.preferred_vector_width_char),
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT => width(|w| w.preferred_vector_width_short),
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT => width(|w| w.preferred_vector_width_int),
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG
        | UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG_LONG => {
            width(|w| w.preferred_vector_width_long)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT => width(|w| w.preferred_vector_width_float),
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE => {
            if_it_can(double, |w| w.preferred_vector_width_double)
        }
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF => {
            if_it_can(half, |w| w.preferred_vector_width_half)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR => width(|w| w.native_vector_width_char),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT => width(|w| w.native_vector_width_short),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT => width(|w| w.native_vector_width_int),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG | UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG_LONG => {
            width(|w| w.native_vector_width_long)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT => width(|w| w.native_vector_width_float),
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE => {
            if_it_can(double, |w| w.native_vector_width_double)
        }
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF => if_it_can(half, |w| w.native_vector_width_half),
        _ => return None,
    })
}

type Widths = ze::ze_device_vector_width_properties_ext_t;

/// The widest vectors that the driver tells of.
fn told(device: &Device) -> Option<Widths> {
    let get = device.api().later.zeDeviceGetVectorWidthPropertiesExt?;
    let all = list(Structure::new(), |count, values: *mut Widths| {
        // SAFETY: a live device; the places are as `list` says.
        unsafe { get(device.native(), count, values) }
    });
    all.into_iter()
        .max_by_key(|widths| widths.vector_width_size)
}
