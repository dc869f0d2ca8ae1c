//! Entry points that do more than to pass a call on, under the names of the API.

pub(crate) use crate::init::adapter_get as urAdapterGet;
pub(crate) use crate::legacy::append_kernel_launch as urCommandBufferAppendKernelLaunchExp;
pub(crate) use crate::legacy::enqueue_kernel_launch as urEnqueueKernelLaunch;
pub(crate) use crate::legacy::kernel_get_suggested_local_work_size as urKernelGetSuggestedLocalWorkSize;
pub(crate) use crate::legacy::kernel_set_arg_local as urKernelSetArgLocal;
pub(crate) use crate::legacy::kernel_set_arg_mem_obj as urKernelSetArgMemObj;
pub(crate) use crate::legacy::kernel_set_arg_pointer as urKernelSetArgPointer;
pub(crate) use crate::legacy::kernel_set_arg_sampler as urKernelSetArgSampler;
pub(crate) use crate::legacy::kernel_set_arg_value as urKernelSetArgValue;
