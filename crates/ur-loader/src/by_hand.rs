//! Entry points that do more than to pass a call on, under the names of the API.

pub(crate) use crate::init::adapter_get as urAdapterGet;
pub(crate) use crate::legacy::append_kernel_launch as urCommandBufferAppendKernelLaunchExp;
