//! Modules and kernels.

use super::*;

structures! {
    desc ze_module_desc_t: ZE_STRUCTURE_TYPE_MODULE_DESC {
        format: u32,
        inputSize: usize,
        pInputModule: *const u8,
        pBuildFlags: *const c_char,
        pConstants: *const ze_module_constants_t,
    }
    /// Behind `ze_module_desc_t`: several modules that are linked (`ZE_experimental_module_program`).
    desc ze_module_program_exp_desc_t: ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC {
        count: u32,
        inputSizes: *const usize,
        pInputModules: *const *const u8,
        pBuildFlags: *const *const c_char,
        pConstants: *const *const ze_module_constants_t,
    }
    properties ze_module_properties_t: ZE_STRUCTURE_TYPE_MODULE_PROPERTIES {
        flags: u32,
    }
    desc ze_linkage_inspection_ext_desc_t: ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC {
        flags: u32,
    }
    desc ze_kernel_desc_t: ZE_STRUCTURE_TYPE_KERNEL_DESC {
        flags: u32,
        pKernelName: *const c_char,
    }
    properties ze_kernel_properties_t: ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES {
        numKernelArgs: u32,
        requiredGroupSizeX: u32,
        requiredGroupSizeY: u32,
        requiredGroupSizeZ: u32,
        requiredNumSubGroups: u32,
        requiredSubgroupSize: u32,
        maxSubgroupSize: u32,
        maxNumSubgroups: u32,
        /// In bytes.
        localMemSize: u32,
        /// In bytes of a work-item.
        privateMemSize: u32,
        /// In bytes of a work-item.
        spillMemSize: u32,
        uuid: ze_kernel_uuid_t,
    }
    /// Behind `ze_kernel_properties_t`.
    properties ze_kernel_preferred_group_size_properties_t:
    ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES {
        preferredMultiple: u32,
    }
    /// Behind `ze_kernel_properties_t` (1.7).
    properties ze_kernel_max_group_size_properties_ext_t:
    ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES {
        maxGroupSize: u32,
    }
    desc ze_scheduling_hint_exp_desc_t: ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC {
        flags: u32,
    }
    /// For `zeCommandListAppendLaunchKernelWithArguments` (1.14).
    desc ze_command_list_append_launch_kernel_param_cooperative_desc_t:
    ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC {
        isCooperative: ze_bool_t,
    }
}

/// Values of specialization constants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ze_module_constants_t {
    pub numConstants: u32,
    pub pConstantIds: *const u32,
    /// The sizes are those of the module's constants.
    pub pConstantValues: *const *const c_void,
}

/// Names a kernel and its module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_kernel_uuid_t {
    pub kid: [u8; 16],
    pub mid: [u8; 16],
}
