//! Kernels.

use crate::NativeCpu;
use crate::code::{self, Compiled};
use crate::device::Device;
use crate::device::info::{MAX_WORK_GROUP_SIZE, SUB_GROUP_SIZES};
use crate::enqueue;
use crate::program::Program;
use crate::queue::Queue;
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use ur_adapter::{Error, Handle, Info, KernelFns, Object, Result};
use ur_api::*;
use ur_jit_abi::KernelInfo;
use ur_spirv::spirv::Dim;
use ur_spirv::{ArgKind, KernelArg};

/// What a kernel handle names.
pub struct Kernel {
    program: Handle<Program>,
    name: String,
    compiled: Arc<Compiled>,
    /// Work-group size that it must be launched with.
    required: Option<[u64; 3]>,
    /// Largest work-group size in each dimension, if the kernel says.
    limits: Option<[u64; 3]>,
    bounds: Bounds,
    /// Work-group size that it is tuned for.
    hint: Option<[u32; 3]>,
    /// Most dimensions of a launch.
    max_dimensions: Option<u32>,
    sub_group_size: Option<u32>,
    /// Number of sub-groups in a work-group that it must be launched with.
    sub_groups: Option<u32>,
    /// Dimensionality of each image argument, and whether it is an array.
    images: Vec<Option<(Dim, bool)>>,
    /// Whether work-groups of different sizes in one launch are allowed even if the kernel sees
    /// them.
    non_uniform: bool,
}

/// What a work-group of a kernel may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most work-items.
    pub max_group: u64,
    /// Largest size in each dimension.
    pub limits: [u64; 3],
}

impl Bounds {
    fn new(limits: Option<[u64; 3]>, info: &KernelInfo) -> Bounds {
        let most = MAX_WORK_GROUP_SIZE as u64;
        let limits = limits
            .unwrap_or([most; 3])
            .map(|limit| limit.clamp(1, most));
        let allowed = limits.iter().fold(1u64, |all, n| all.saturating_mul(*n));
        Bounds {
            max_group: most.min(code::fitting(info)).min(allowed).max(1),
            limits,
        }
    }
}

impl Kernel {
    /// What its work-groups may be.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether it might wait for something that another thread does.
    pub fn may_wait(&self) -> bool {
        self.program.may_wait()
    }

    /// Its first code, whose figures are what the program is told. [`Compiled::best`] is what runs.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// Work-group size that it must be launched with.
    pub fn required(&self) -> Option<[u64; 3]> {
        self.required
    }

    /// Dimensionality of an image argument, and whether it is an array; none if unknown.
    pub fn image_arg(&self, index: usize) -> Option<(Dim, bool)> {
        self.images.get(index).copied().flatten()
    }

    /// Most dimensions of a launch. A kernel that allows none runs a single work-item.
    pub fn max_dimensions(&self) -> u32 {
        self.max_dimensions.map_or(3, |most| most.clamp(1, 3))
    }

    /// Number of sub-groups in a work-group that it must be launched with.
    pub fn sub_groups(&self) -> Option<u64> {
        self.sub_groups.map(u64::from)
    }

    /// Most work-items of a sub-group.
    pub fn sub_group_size(&self) -> u64 {
        u64::from(self.compiled.info().sub_group_size.max(1))
    }

    /// Whether the last work-group of a dimension may be smaller than the others.
    pub fn is_non_uniform(&self) -> bool {
        self.non_uniform
    }

    /// Most work-items in a work-group.
    pub fn max_group(&self) -> u64 {
        self.bounds.max_group
    }

    /// A work-group size for a launch that leaves the choice: large enough that starting a group
    /// costs little, small enough that every thread has several groups. A kernel that can see its
    /// groups gets equal ones.
    pub fn choose(&self, device: &Device, global: [u64; 3]) -> [u64; 3] {
        if let Some(required) = self.required {
            return required;
        }
        if let Some(count) = self.sub_groups() {
            return [count * self.sub_group_size(), 1, 1];
        }
        let most = self.max_group().min(1024);
        let total: u64 = global.iter().fold(1, |all, size| all.saturating_mul(*size));
        let wanted = total / (u64::from(device.units()) * 8);
        let wave = self.sub_group_size();
        let mut left = wanted.next_multiple_of(wave).clamp(1, most);
        let equal = self.program.sees_groups();
        let limits = self.bounds.limits;
        std::array::from_fn(|dimension| {
            let most = left.min(global[dimension]).min(limits[dimension]).max(1);
            let size = if equal {
                largest_divisor(global[dimension], most)
            } else {
                most
            };
            left = (left / size).max(1);
            size
        })
    }
}

/// What an image argument must be.
fn image_shape(arg: &KernelArg) -> Option<(Dim, bool)> {
    match arg.kind {
        ArgKind::Image { dim, arrayed, .. } => Some((dim, arrayed)),
        _ => None,
    }
}

/// The largest divisor of `number` up to `limit`.
fn largest_divisor(number: u64, limit: u64) -> u64 {
    (1..=limit)
        .rev()
        .find(|size| number.is_multiple_of(*size))
        .unwrap_or(1)
}

/// Whether build options make work-groups of different sizes legal.
fn allows_non_uniform(options: &str) -> bool {
    let mut words = options.split_whitespace();
    let modern = words
        .clone()
        .any(|word| word.starts_with("-cl-std=CL2") || word.starts_with("-cl-std=CL3"));
    modern && !words.any(|word| word == "-cl-uniform-work-group-size")
}

impl KernelFns for NativeCpu {
    fn kernel_create(program: &Object<Program>, kernel_name: &CStr) -> Result<Handle<Kernel>> {
        let module = program.module()?;
        let unknown = || {
            Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_NAME,
                format!("no kernel {kernel_name:?} in the program"),
            )
        };
        let name = kernel_name.to_str().map_err(|_| unknown())?;
        let about = program.kernel(name).ok_or_else(unknown)?;
        let compiled = module.kernel(name).map_err(|reason| {
            program.log(&reason);
            Error::new(UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE, reason)
        })?;
        let sizes = |sizes: Option<[u32; 3]>| sizes.map(|sizes| sizes.map(|n| u64::from(n.max(1))));
        let limits = sizes(about.max_work_group_size);
        Handle::new(Kernel {
            bounds: Bounds::new(limits, compiled.info()),
            program: program.handle(),
            name: name.to_owned(),
            compiled,
            required: sizes(about.reqd_work_group_size),
            limits,
            hint: about.work_group_size_hint,
            max_dimensions: about.max_work_dim,
            sub_group_size: about.sub_group_size,
            sub_groups: about.sub_groups,
            images: about.args.iter().map(image_shape).collect(),
            non_uniform: allows_non_uniform(&module.source().options),
        })
    }

    fn kernel_get_info(
        kernel: &Object<Kernel>,
        prop_name: ur_kernel_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_KERNEL_INFO_FUNCTION_NAME => info.text(&kernel.name),
            UR_KERNEL_INFO_NUM_ARGS => info.value(kernel.compiled.info().arg_count),
            UR_KERNEL_INFO_CONTEXT => info.handle(&**kernel.program.context()),
            UR_KERNEL_INFO_PROGRAM => info.handle(&*kernel.program),
            UR_KERNEL_INFO_ATTRIBUTES => {
                let mut words = Vec::new();
                if let Some([x, y, z]) = kernel.required {
                    words.push(format!("reqd_work_group_size({x},{y},{z})"));
                }
                if let Some([x, y, z]) = kernel.hint {
                    words.push(format!("work_group_size_hint({x},{y},{z})"));
                }
                if let Some(size) = kernel.sub_group_size {
                    words.push(format!("intel_reqd_sub_group_size({size})"));
                }
                info.text(&words.join(" "))
            }
            _ => Err(Error::unsupported_query()),
        }
    }

    fn kernel_get_group_info(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        prop_name: ur_kernel_group_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        if !kernel.program.context().has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        let about = kernel.compiled.info();
        let sizes = |sizes: [u64; 3]| sizes.map(|size| size as usize);
        match prop_name {
            UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE => info.value(kernel.max_group() as usize),
            UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE => {
                info.value(sizes(kernel.required.unwrap_or([0; 3])))
            }
            UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE => {
                info.value(sizes(kernel.limits.unwrap_or([0; 3])))
            }
            UR_KERNEL_GROUP_INFO_COMPILE_MAX_LINEAR_WORK_GROUP_SIZE => {
                info.value(kernel.limits.map_or(0, |limits| {
                    limits
                        .iter()
                        .fold(1usize, |all, n| all.saturating_mul(*n as usize))
                }))
            }
            UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE => info.value(about.local_size as usize),
            UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                info.value(about.sub_group_size.max(1) as usize)
            }
            UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE => info.value(about.private_size as usize),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn kernel_get_sub_group_info(
        kernel: &Object<Kernel>,
        device: &Object<Device>,
        prop_name: ur_kernel_sub_group_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        if !kernel.program.context().has(device) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_DEVICE));
        }
        let size = kernel.compiled.info().sub_group_size.max(1);
        match prop_name {
            UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE => info.value(size),
            UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS => {
                info.value((kernel.max_group() as u32).div_ceil(size))
            }
            UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS => {
                info.value(kernel.sub_groups.unwrap_or(0))
            }
            UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL => info.value(
                kernel
                    .sub_group_size
                    .filter(|size| SUB_GROUP_SIZES.contains(size))
                    .unwrap_or(0),
            ),
            _ => Err(Error::unsupported_query()),
        }
    }

    unsafe fn kernel_get_suggested_local_work_size(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        _: *const usize,
        global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) -> Result {
        let dimensions = enqueue::dimensions(num_work_dim)?;
        // SAFETY: the program passes that many sizes.
        let global = unsafe { enqueue::sizes(global_work_size, dimensions, 1) };
        if global.contains(&0) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION));
        }
        let local = kernel.choose(queue.device(), global);
        for (index, size) in local.iter().take(dimensions).enumerate() {
            // SAFETY: the program has room for that many sizes.
            unsafe { suggested_local_work_size.add(index).write(*size as usize) };
        }
        Ok(())
    }

    unsafe fn kernel_get_suggested_local_work_size_with_args(
        kernel: &Object<Kernel>,
        queue: &Object<Queue>,
        num_work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        _: &[ur_exp_kernel_arg_properties_t],
        suggested_local_work_size: *mut usize,
    ) -> Result {
        // SAFETY: forwarded. The arguments do not matter to the choice.
        unsafe {
            Self::kernel_get_suggested_local_work_size(
                kernel,
                queue,
                num_work_dim,
                global_work_offset,
                global_work_size,
                suggested_local_work_size,
            )
        }
    }

    unsafe fn kernel_set_exec_info(
        _: &Object<Kernel>,
        prop_name: ur_kernel_exec_info_t,
        prop_size: usize,
        _: Option<&ur_kernel_exec_info_properties_t>,
        _: *const c_void,
    ) -> Result {
        // Kernels may reach all memory of the process and have no cache to configure, so there is
        // nothing to note; sizes are checked all the same.
        let fits = match prop_name {
            UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS => prop_size == size_of::<ur_bool_t>(),
            UR_KERNEL_EXEC_INFO_USM_PTRS => prop_size.is_multiple_of(size_of::<*mut c_void>()),
            UR_KERNEL_EXEC_INFO_CACHE_CONFIG => prop_size == size_of::<ur_kernel_cache_config_t>(),
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        };
        if fits {
            Ok(())
        } else {
            Err(Error::code(UR_RESULT_ERROR_INVALID_SIZE))
        }
    }

    unsafe fn kernel_suggest_max_cooperative_group_count(
        _: &Object<Kernel>,
        _: &Object<Device>,
        work_dim: u32,
        _: *const usize,
        _: usize,
    ) -> Result<u32> {
        if !(1..=3).contains(&work_dim) {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_DIMENSION));
        }
        // A thread runs one work-group to its end: groups cannot wait for each other.
        Err(Error::unsupported())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors() {
        assert_eq!(largest_divisor(1000, 256), 250);
        assert_eq!(largest_divisor(1_000_003, 256), 1);
        assert_eq!(largest_divisor(64, 64), 64);
        assert_eq!(largest_divisor(7, 1), 1);
    }

    #[test]
    fn options_for_uneven_groups() {
        assert!(!allows_non_uniform(""));
        assert!(allows_non_uniform("-cl-std=CL2.0"));
        assert!(allows_non_uniform("-O2 -cl-std=CL3.0"));
        assert!(!allows_non_uniform("-cl-std=CL1.2"));
        assert!(!allows_non_uniform(
            "-cl-std=CL2.0 -cl-uniform-work-group-size"
        ));
    }
}
