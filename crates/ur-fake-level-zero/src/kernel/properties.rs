//! What a kernel says of itself.

use crate::call::{call, fill, fill_behind, get, put};
use crate::device::MAX_GROUP;
use crate::module::write;
use crate::ze::*;
use std::ffi::c_char;

/// What a kernel is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetProperties(
    kernel: ze_kernel_handle_t,
    place: *mut ze_kernel_properties_t,
) -> ze_result_t {
    call("zeKernelGetProperties", |world| {
        let since = world
            .needs(kernel.to_native(), crate::world::Kind::Kernel, 7)
            .is_ok();
        let own = world.kernel(kernel.to_native())?;
        let info = *own.code.info();
        let sub_group = info.sub_group_size.max(1);
        let [x, y, z] = own.about.reqd_work_group_size.unwrap_or([0; 3]);
        let mut properties = ze_kernel_properties_t::new();
        properties.numKernelArgs = own.args.len() as u32;
        properties.requiredGroupSizeX = x;
        properties.requiredGroupSizeY = y;
        properties.requiredGroupSizeZ = z;
        properties.requiredNumSubGroups = own.about.sub_groups.unwrap_or(0);
        properties.requiredSubgroupSize = own.about.sub_group_size.unwrap_or(0);
        properties.maxSubgroupSize = sub_group;
        properties.maxNumSubgroups = MAX_GROUP.div_ceil(sub_group);
        properties.localMemSize = info.local_size as u32;
        properties.privateMemSize = info.private_size as u32;
        for (place, byte) in properties.uuid.kid.iter_mut().zip(own.about.name.bytes()) {
            *place = byte;
        }
        let mut preferred = ze_kernel_preferred_group_size_properties_t::new();
        preferred.preferredMultiple = sub_group;
        let mut most = ze_kernel_max_group_size_properties_ext_t::new();
        most.maxGroupSize = own.max_group();
        // SAFETY: as the caller says.
        unsafe {
            fill(place, properties)?;
            let next = get(place)?.pNext;
            fill_behind(next, preferred);
            if since {
                fill_behind(next, most);
            }
        }
        Ok(())
    })
}

/// Tells a kernel's name, terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetName(
    kernel: ze_kernel_handle_t,
    size: *mut usize,
    place: *mut c_char,
) -> ze_result_t {
    call("zeKernelGetName", |world| {
        let mut name = world
            .kernel(kernel.to_native())?
            .about
            .name
            .clone()
            .into_bytes();
        name.push(0);
        // SAFETY: as the caller says.
        unsafe { write(&name, size, place.cast()) }
    })
}

/// Tells what the source says of a kernel, terminated, to where the place leads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetSourceAttributes(
    kernel: ze_kernel_handle_t,
    size: *mut u32,
    place: *mut *mut c_char,
) -> ze_result_t {
    call("zeKernelGetSourceAttributes", |world| {
        let about = &world.kernel(kernel.to_native())?.about;
        let mut all = Vec::new();
        if let Some([x, y, z]) = about.reqd_work_group_size {
            all.push(format!("reqd_work_group_size({x},{y},{z})"));
        }
        if let Some([x, y, z]) = about.work_group_size_hint {
            all.push(format!("work_group_size_hint({x},{y},{z})"));
        }
        if let Some(size) = about.sub_group_size {
            all.push(format!("intel_reqd_sub_group_size({size})"));
        }
        let mut bytes = all.join(" ").into_bytes();
        bytes.push(0);
        // SAFETY: as the caller says.
        unsafe {
            if !place.is_null() {
                let mut room = get(size)? as usize;
                write(&bytes, &mut room, get(place)?.cast())?;
            }
            put(size, bytes.len() as u32)
        }
    })
}
