//! Command queues and lists, fences, launches.

use super::*;

structures! {
    /// For a command queue or an immediate command list.
    desc ze_command_queue_desc_t: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC {
        /// Which group of engines.
        ordinal: u32,
        /// Which engine of the group.
        index: u32,
        flags: u32,
        mode: u32,
        priority: u32,
    }
    desc ze_command_list_desc_t: ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC {
        commandQueueGroupOrdinal: u32,
        flags: u32,
    }
    desc ze_fence_desc_t: ZE_STRUCTURE_TYPE_FENCE_DESC {
        flags: u32,
    }
    /// Behind `ze_command_list_desc_t` (1.9).
    desc ze_mutable_command_list_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC {
        flags: u32,
    }
    /// What of the next command is to be changed.
    desc ze_mutable_command_id_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC {
        flags: u32,
    }
    /// The changes hang behind it.
    desc ze_mutable_commands_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC {
        flags: u32,
    }
    desc ze_mutable_kernel_argument_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC {
        commandId: u64,
        argIndex: u32,
        argSize: usize,
        pArgValue: *const c_void,
    }
    desc ze_mutable_group_count_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC {
        commandId: u64,
        pGroupCount: *const ze_group_count_t,
    }
    desc ze_mutable_group_size_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC {
        commandId: u64,
        groupSizeX: u32,
        groupSizeY: u32,
        groupSizeZ: u32,
    }
    desc ze_mutable_global_offset_exp_desc_t: ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC {
        commandId: u64,
        offsetX: u32,
        offsetY: u32,
        offsetZ: u32,
    }
}

/// Work-groups of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_group_count_t {
    pub groupCountX: u32,
    pub groupCountY: u32,
    pub groupCountZ: u32,
}

/// Work-items of a work-group.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_group_size_t {
    pub groupSizeX: u32,
    pub groupSizeY: u32,
    pub groupSizeZ: u32,
}

/// A box of bytes in memory with rows and slices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ze_copy_region_t {
    /// In bytes.
    pub originX: u32,
    /// In rows.
    pub originY: u32,
    /// In slices.
    pub originZ: u32,
    /// In bytes.
    pub width: u32,
    /// In rows.
    pub height: u32,
    /// In slices; 0 means 1.
    pub depth: u32,
}
