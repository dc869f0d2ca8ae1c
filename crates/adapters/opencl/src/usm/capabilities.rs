//! What devices say of their USM.

use crate::cl;
use crate::device::Device;
use ur_api::*;

/// What a device can do with a kind of USM, as the API's flags.
pub fn capabilities(device: &Device, name: ur_device_info_t) -> u32 {
    if !device.facts().has_usm {
        return svm_capabilities(device.facts().svm, name);
    }
    let name = match name {
        UR_DEVICE_INFO_USM_HOST_SUPPORT => cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        UR_DEVICE_INFO_USM_DEVICE_SUPPORT => cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT => {
            cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        }
        UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT => {
            cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        }
        _ => cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
    };
    // The numbers are the API's.
    device.value::<cl::cl_bitfield>(name).unwrap_or(0) as u32
}

/// What follows from what a device can do with shared virtual memory.
fn svm_capabilities(svm: cl::cl_bitfield, name: ur_device_info_t) -> u32 {
    let needed = match name {
        UR_DEVICE_INFO_USM_DEVICE_SUPPORT => cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
        UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT => cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
        _ => cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
    };
    if svm & needed == 0 {
        return 0;
    }
    let mut flags = UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS.0;
    let fine = cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER | cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if svm & fine != 0 {
        flags |= UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_CONCURRENT_ACCESS.0;
        if svm & cl::CL_DEVICE_SVM_ATOMICS != 0 {
            flags |= UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_ACCESS.0
                | UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_CONCURRENT_ACCESS.0;
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::super::driver::svm_flags;
    use super::*;

    const COARSE: cl::cl_bitfield = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    const FINE: cl::cl_bitfield = COARSE | cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    const ATOMIC: cl::cl_bitfield = FINE | cl::CL_DEVICE_SVM_ATOMICS;

    #[test]
    fn coarse_grains_make_device_memory_only() {
        for kind in [UR_USM_TYPE_HOST, UR_USM_TYPE_SHARED] {
            assert_eq!(svm_flags(COARSE, kind), None);
            assert!(svm_flags(FINE, kind).is_some());
        }
        let device = UR_USM_TYPE_DEVICE;
        assert_eq!(svm_flags(COARSE, device), Some(cl::CL_MEM_READ_WRITE));
    }

    #[test]
    fn capabilities_are_those_of_what_is_allocated() {
        let of = svm_capabilities;
        let kinds = [
            (UR_DEVICE_INFO_USM_HOST_SUPPORT, UR_USM_TYPE_HOST),
            (UR_DEVICE_INFO_USM_DEVICE_SUPPORT, UR_USM_TYPE_DEVICE),
            (UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT, UR_USM_TYPE_SHARED),
            (UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT, UR_USM_TYPE_SHARED),
        ];
        for able in [COARSE, FINE, ATOMIC] {
            for (name, kind) in kinds {
                assert_eq!(of(able, name) != 0, svm_flags(able, kind).is_some());
            }
            assert_eq!(of(able, UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT), 0);
        }
        assert_eq!(of(0, UR_DEVICE_INFO_USM_DEVICE_SUPPORT), 0);
        assert_eq!(of(ATOMIC, UR_DEVICE_INFO_USM_HOST_SUPPORT), 0xf);
    }
}
