//! What a kernel says of itself.

use super::Kernel;
use super::code::Code;
use ur_adapter::{Error, Info, Result};
use ur_api::*;

/// Answers `urKernelGetInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what Level Zero does not tell, and what the driver says.
pub fn answer(kernel: &Kernel, name: ur_kernel_info_t, info: &mut Info<'_>) -> Result {
    match name {
        UR_KERNEL_INFO_FUNCTION_NAME => info.text(&kernel.name.to_string_lossy()),
        UR_KERNEL_INFO_NUM_ARGS => info.value(kernel.first()?.facts().properties.numKernelArgs),
        UR_KERNEL_INFO_CONTEXT => info.handle(&**kernel.context()),
        UR_KERNEL_INFO_PROGRAM => info.handle(&*kernel.program),
        UR_KERNEL_INFO_ATTRIBUTES => info.text(&kernel.first()?.attributes()?),
        UR_KERNEL_INFO_SPILL_MEM_SIZE => {
            // A device that it cannot run on has none.
            let size = |code: &Option<_>| {
                let code: Option<&std::sync::Arc<Code>> = code.as_ref();
                code.map_or(0, |code| code.facts().properties.spillMemSize)
            };
            let sizes: Vec<u32> = kernel.codes.iter().map(size).collect();
            info.slice(&sizes)
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// Answers `urKernelGetGroupInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for what Level Zero does not tell.
pub fn answer_group(code: &Code, name: ur_kernel_group_info_t, info: &mut Info<'_>) -> Result {
    let facts = code.facts();
    match name {
        UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE => info.value(facts.max_group as usize),
        UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE => {
            let required = facts.required().unwrap_or([0; 3]);
            info.value(required.map(|size| size as usize))
        }
        UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE => info.value(facts.properties.localMemSize as usize),
        UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            info.value(facts.multiple as usize)
        }
        UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE => {
            info.value(facts.properties.privateMemSize as usize)
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// Answers `urKernelGetSubGroupInfo`.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for an unknown question.
pub fn answer_sub_group(
    code: &Code,
    name: ur_kernel_sub_group_info_t,
    info: &mut Info<'_>,
) -> Result {
    let properties = &code.facts().properties;
    match name {
        UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE => info.value(properties.maxSubgroupSize),
        UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS => info.value(properties.maxNumSubgroups),
        UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS => {
            info.value(properties.requiredNumSubGroups)
        }
        UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL => {
            info.value(properties.requiredSubgroupSize)
        }
        _ => Err(Error::unsupported_query()),
    }
}
