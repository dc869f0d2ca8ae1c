//! Preparing a kernel launch: sizes are checked and arguments copied, so that nothing of the caller's
//! is looked at later.

use super::{dimensions, sizes};
use crate::code::Compiled;
use crate::device::Device;
use crate::device::info::{LOCAL_MEM_SIZE, MAX_WORK_GROUP_SIZE};
use crate::enqueue::work::Prepared;
use crate::kernel::Kernel;
use crate::launch::Ready;
use crate::memory::Mem;
use crate::sampler::Sampler;
use std::sync::Arc;
use ur_adapter::{Error, Object, Result, chain};
use ur_api::*;
use ur_jit_abi::{ArgInfo, ArgKind, LOCAL_ALIGN, Launch};

/// Sizes of a launch as the caller passes them.
pub struct Range {
    /// Number of dimensions.
    pub work_dim: u32,
    /// Global offset, may be null.
    pub offset: *const usize,
    /// Global size.
    pub global: *const usize,
    /// Work-group size, may be null.
    pub local: *const usize,
}

fn work_group_size(message: impl Into<String>) -> Error {
    Error::new(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE, message.into())
}

/// The launch that `range` asks for.
///
/// # Errors
/// What is wrong with a size.
///
/// # Safety
/// The arrays have as many elements as there are dimensions.
unsafe fn resolve(kernel: &Kernel, device: &Device, range: &Range) -> Result<Launch> {
    let dims = dimensions(range.work_dim)?;
    if range.work_dim > kernel.max_dimensions() {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_WORK_DIMENSION,
            format!("the kernel allows {} dimensions", kernel.max_dimensions()),
        ));
    }
    // SAFETY: as the caller says.
    let (offset, global) = unsafe { (sizes(range.offset, dims, 0), sizes(range.global, dims, 1)) };
    if global.contains(&0) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_WORK_DIMENSION,
            "a global size is 0",
        ));
    }
    for (start, size) in offset.iter().zip(global) {
        if start.checked_add(size).is_none() {
            return Err(Error::value("global offset and size overflow"));
        }
    }
    let bounds = kernel.bounds();
    let local = if range.local.is_null() {
        kernel.choose(device, global)
    } else {
        // SAFETY: as the caller says.
        unsafe { sizes(range.local, dims, 1) }
    };
    let [x, y, z] = local;
    let items = x.checked_mul(y).and_then(|items| items.checked_mul(z));
    let fits = local
        .iter()
        .zip(bounds.limits)
        .all(|(n, limit)| *n <= limit)
        && items.is_some_and(|items| items <= bounds.max_group && items > 0)
        && kernel.required().is_none_or(|required| required == local);
    if !fits {
        return Err(unfit(kernel, local));
    }
    if let (Some(count), Some(items)) = (kernel.sub_groups(), items)
        && items.div_ceil(kernel.sub_group_size()) != count
    {
        return Err(work_group_size(format!(
            "work-group size {local:?}, but the kernel requires {count} sub-groups of {}",
            kernel.sub_group_size()
        )));
    }
    let mut group_count = [1; 3];
    let mut even = true;
    for ((count, all), n) in group_count.iter_mut().zip(global).zip(local) {
        // A division takes long, and most have few dimensions.
        let (whole, rest) = if n == 1 { (all, 0) } else { (all / n, all % n) };
        *count = whole + u64::from(rest != 0);
        even &= rest == 0;
    }
    let explicit =
        !range.local.is_null() || kernel.required().is_some() || kernel.sub_groups().is_some();
    if explicit && !even && !kernel.is_non_uniform() {
        return Err(work_group_size(format!(
            "work-group size {local:?} does not divide global size {global:?}"
        )));
    }
    Ok(Launch {
        global_size: global,
        global_offset: offset,
        local_size: local,
        group_count,
        work_dim: range.work_dim,
        local_bytes: 0,
    })
}

/// What is wrong with a work-group size that does not fit a kernel.
#[cold]
fn unfit(kernel: &Kernel, local: [u64; 3]) -> Error {
    if local.contains(&0) {
        return work_group_size("a work-group size is 0");
    }
    if let Some(required) = kernel.required()
        && required != local
    {
        return work_group_size(format!(
            "work-group size {local:?}, but the kernel requires {required:?}"
        ));
    }
    let most = kernel.bounds().max_group;
    let items = local.iter().try_fold(1u64, |all, n| all.checked_mul(*n));
    if items.is_none_or(|items| items > most) {
        return work_group_size(format!(
            "work-group of {local:?} work-items, at most {most}"
        ));
    }
    if local.iter().any(|size| *size > MAX_WORK_GROUP_SIZE as u64) {
        return Error::code(UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE);
    }
    work_group_size("larger than the kernel allows")
}

/// Which arguments are given.
#[derive(Default)]
struct Given {
    /// The first 64.
    first: u64,
    /// All others.
    others: Vec<bool>,
}

impl Given {
    fn new(count: usize) -> Given {
        Given {
            first: 0,
            others: match count {
                0..=64 => Vec::new(),
                _ => vec![false; count - 64],
            },
        }
    }

    fn set(&mut self, index: usize) {
        if index < 64 {
            self.first |= 1 << index;
        } else if let Some(given) = self.others.get_mut(index - 64) {
            *given = true;
        }
    }

    /// The first of `count` that is missing.
    fn missing(&self, count: usize) -> Option<usize> {
        let first = self.first.trailing_ones() as usize;
        if first < count.min(64) {
            return Some(first);
        }
        self.others
            .iter()
            .position(|given| !given)
            .map(|at| at + 64)
    }
}

/// The argument block under construction.
struct Making<'a> {
    kernel: &'a Kernel,
    infos: &'a [ArgInfo],
    ready: &'a mut Ready,
    given: Given,
    local_bytes: u64,
}

impl Making<'_> {
    /// Writes the bytes of an argument.
    fn write(&mut self, info: &ArgInfo, bytes: &[u8]) -> Result {
        if self.ready.args.write(info.offset as usize, bytes) {
            Ok(())
        } else {
            Err(Error::code(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE))
        }
    }

    /// The address of the descriptor of an image that is argument `index`. The descriptor lives with
    /// the image's bytes.
    fn image(&self, index: usize, mem: &Mem) -> Result<u64> {
        let image = mem.image()?;
        if let Some((dim, arrayed)) = self.kernel.image_arg(index)
            && !image.fits(dim, arrayed)
        {
            return Err(Error::value(format!(
                "argument {index} is an image of {dim:?}, arrayed {arrayed}"
            )));
        }
        Ok(std::ptr::from_ref(image.descriptor()) as u64)
    }

    /// Takes one argument over.
    ///
    /// # Safety
    /// Pointers and handles in it are what its type says.
    unsafe fn set(&mut self, arg: &ur_exp_kernel_arg_properties_t) -> Result {
        let index = arg.index as usize;
        let info = *self.infos.get(index).ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                format!("argument {index} of {}", self.infos.len()),
            )
        })?;
        let wrong_size = || {
            Error::new(
                UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                format!("argument {index} has {} bytes, not {}", info.size, arg.size),
            )
        };
        let wrong_kind = || {
            Error::new(
                UR_RESULT_ERROR_INVALID_VALUE,
                format!("argument {index} is of another kind"),
            )
        };
        match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                if !matches!(info.kind, ArgKind::Value | ArgKind::Pointer) {
                    return Err(wrong_kind());
                }
                if arg.size != info.size as usize {
                    return Err(wrong_size());
                }
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                if value.is_null() {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
                }
                // SAFETY: the program passes `size` bytes.
                let bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), arg.size) };
                self.write(&info, bytes)?;
            }
            UR_EXP_KERNEL_ARG_TYPE_POINTER => {
                if !matches!(info.kind, ArgKind::Value | ArgKind::Pointer) || info.size != 8 {
                    return Err(wrong_kind());
                }
                // SAFETY: the type says which member is set.
                let pointer = unsafe { arg.value.pointer } as usize as u64;
                self.write(&info, &pointer.to_ne_bytes())?;
            }
            UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ => {
                if matches!(info.kind, ArgKind::Local | ArgKind::Sampler) || info.size != 8 {
                    return Err(wrong_kind());
                }
                // SAFETY: the type says which member is set.
                let raw = unsafe { arg.value.memObjTuple.hMem };
                let mut address = 0u64;
                if !raw.is_null() {
                    // SAFETY: the program passes a live handle.
                    let mem = unsafe { Object::<Mem>::from_raw(raw) }?;
                    address = if info.kind == ArgKind::Image {
                        self.image(index, mem)?
                    } else {
                        mem.expect_buffer()?;
                        mem.start() as u64
                    };
                    self.ready.storage.push(mem.storage());
                } else if info.kind == ArgKind::Image {
                    return Err(Error::code(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
                }
                self.write(&info, &address.to_ne_bytes())?;
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => {
                if info.kind != ArgKind::Local {
                    return Err(wrong_kind());
                }
                let start = self.local_bytes.next_multiple_of(LOCAL_ALIGN as u64);
                self.local_bytes = start
                    .checked_add(arg.size as u64)
                    .filter(|bytes| *bytes <= LOCAL_MEM_SIZE)
                    .ok_or_else(|| {
                        Error::new(
                            UR_RESULT_ERROR_OUT_OF_RESOURCES,
                            format!("more than {LOCAL_MEM_SIZE} bytes of local memory"),
                        )
                    })?;
                self.write(&info, &start.to_ne_bytes())?;
            }
            UR_EXP_KERNEL_ARG_TYPE_SAMPLER => {
                if info.kind != ArgKind::Sampler {
                    return Err(wrong_kind());
                }
                // SAFETY: the type says which member is set, and the program passes a live handle.
                let sampler = unsafe { Object::<Sampler>::from_raw(arg.value.sampler) }?;
                self.write(&info, &sampler.bits().0.to_ne_bytes())?;
            }
            _ => return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
        }
        self.given.set(index);
        Ok(())
    }
}

/// Launch flags that mean something; clients of this release may also set three private bits.
fn check_properties(properties: Option<&ur_kernel_launch_ext_properties_t>) -> Result {
    let Some(properties) = properties else {
        return Ok(());
    };
    if properties.flags & UR_KERNEL_LAUNCH_FLAG_COOPERATIVE.0 != 0 {
        return Err(Error::new(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "work-groups of a cooperative launch",
        ));
    }
    // SAFETY: the program passes a chain of structures of the API.
    let (cluster, memory) = unsafe {
        (
            chain::find::<ur_kernel_launch_cluster_property_t>(
                properties.pNext,
                UR_STRUCTURE_TYPE_KERNEL_LAUNCH_CLUSTER_PROPERTY,
            ),
            chain::find::<ur_kernel_launch_workgroup_property_t>(
                properties.pNext,
                UR_STRUCTURE_TYPE_KERNEL_LAUNCH_WORKGROUP_PROPERTY,
            ),
        )
    };
    if cluster.is_some() || memory.is_some() {
        return Err(Error::unsupported());
    }
    Ok(())
}

/// Prepares a launch in `ready`, which holds nothing yet, of the best code that there is of the kernel
/// at this moment: it is given back, and is what must run.
///
/// # Errors
/// What is wrong with a size or an argument.
///
/// # Safety
/// The arrays of `range` have as many elements as there are dimensions; pointers and handles in
/// the arguments are what their types say.
pub unsafe fn prepare<'a>(
    ready: &mut Ready,
    kernel: &'a Kernel,
    device: &Device,
    range: &Range,
    args: &[ur_exp_kernel_arg_properties_t],
    properties: Option<&ur_kernel_launch_ext_properties_t>,
) -> Result<&'a Arc<Compiled>> {
    check_properties(properties)?;
    let compiled = kernel.compiled().best();
    // SAFETY: forwarded.
    ready.fill(compiled, unsafe { resolve(kernel, device, range) }?)?;
    let infos = compiled.args();
    let mut making = Making {
        kernel,
        infos,
        ready,
        given: Given::new(infos.len()),
        local_bytes: compiled.info().local_size,
    };
    for arg in args {
        // SAFETY: forwarded.
        unsafe { making.set(arg) }?;
    }
    if let Some(missing) = making.given.missing(infos.len()) {
        return Err(Error::new(
            UR_RESULT_ERROR_INVALID_VALUE,
            format!("argument {missing} is not set"),
        ));
    }
    let local_bytes = u32::try_from(making.local_bytes)
        .ok()
        .filter(|bytes| u64::from(*bytes) <= LOCAL_MEM_SIZE)
        .ok_or_else(|| {
            Error::new(
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
                format!("more than {LOCAL_MEM_SIZE} bytes of local memory"),
            )
        })?;
    ready.complete(compiled, local_bytes)?;
    Ok(compiled)
}

/// What was prepared for this code as work for the pool; nothing is left of it.
pub fn take_prepared(compiled: &Arc<Compiled>, ready: &mut Ready) -> Prepared {
    let (work, pieces) = ready.take_work(compiled.clone());
    Prepared {
        work,
        pieces,
        small: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_missing_argument_is_found() {
        for count in [0, 1, 63, 64, 65, 200] {
            let mut given = Given::new(count);
            for index in 0..count {
                assert_eq!(given.missing(count), Some(index));
                given.set(index);
            }
            assert_eq!(given.missing(count), None);
        }
    }
}
