//! Kernels.

mod argument;
mod properties;

pub use argument::*;
pub use properties::*;

use crate::call::{call, get, put, text, world};
use crate::device::{MAX_COOPERATIVE, MAX_GROUP};
use crate::module::guarded;
use crate::world::{Body, Kind, World};
use crate::ze::*;
use std::sync::Arc;
use ur_adapter_native_cpu::code::{self, Compiled};

/// A kernel.
#[derive(Clone)]
pub struct Kernel {
    /// Its module.
    pub module: usize,
    /// Its context.
    pub context: usize,
    /// What the module says of it.
    pub about: Arc<ur_spirv::Kernel>,
    /// Its code.
    pub code: Arc<Compiled>,
    /// Its arguments, as far as they are set.
    pub args: Vec<Option<Arg>>,
    /// Work-items of a work-group.
    pub group: [u32; 3],
    /// Where ids begin.
    pub offset: [u32; 3],
    /// Kinds of memory that it may reach without being told.
    pub indirect: u32,
}

/// Most work-items of a work-group of a kernel.
fn max_group(about: &ur_spirv::Kernel, code: &Compiled) -> u32 {
    let fits = code::fitting(code.info()).min(u64::from(MAX_GROUP)) as u32;
    let limits = about.max_work_group_size;
    let most = limits.map_or(u32::MAX, |limits| {
        let limits = limits.iter();
        limits.fold(1, |all: u32, size| all.saturating_mul(*size))
    });
    fits.min(most).max(1)
}

/// Whether work-groups of a kernel may be of a size.
pub fn allows(about: &ur_spirv::Kernel, code: &Compiled, group: [u32; 3]) -> bool {
    let items = group.iter();
    let items = items
        .clone()
        .try_fold(1u32, |all, size| all.checked_mul(*size));
    let within = |limits: [u32; 3]| group.iter().zip(limits).all(|(size, most)| *size <= most);
    items.is_some_and(|items| items > 0 && items <= max_group(about, code))
        && about.max_work_group_size.is_none_or(within)
        && about.reqd_work_group_size.is_none_or(|size| size == group)
}

impl Kernel {
    /// Most work-items of a work-group.
    pub fn max_group(&self) -> u32 {
        max_group(&self.about, &self.code)
    }

    /// Whether a work-group may be of a size.
    pub fn allows(&self, group: [u32; 3]) -> bool {
        allows(&self.about, &self.code, group)
    }
}

/// Makes a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelCreate(
    module: ze_module_handle_t,
    desc: *const ze_kernel_desc_t,
    place: *mut ze_kernel_handle_t,
) -> ze_result_t {
    let mut wanted = None;
    let handle = module.to_native();
    let result = call("zeKernelCreate", |world| {
        // SAFETY: as the caller says.
        let desc = unsafe { get(desc) }?;
        // SAFETY: as the caller says.
        let name = unsafe { text(desc.pKernelName) }?;
        if desc.flags & !3 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let (code, contents) = world.module(handle)?.code()?;
        let mut kernels = contents.kernels.iter();
        let about = kernels.find(|kernel| kernel.name == name);
        let about = about.ok_or(ZE_RESULT_ERROR_INVALID_KERNEL_NAME)?.clone();
        wanted = Some((code, about));
        Ok(())
    });
    let Some((code, about)) = wanted else {
        return result;
    };
    // Without the lock: it takes long.
    let compiled = guarded(|| code.kernel(&about.name));
    let mut world = world();
    let compiled = match compiled {
        Ok(compiled) => compiled,
        // What the compiler refuses only now.
        Err(_) => return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
    };
    crate::call::code(
        add(&mut world, handle, (compiled, about)).and_then(|kernel| {
            // SAFETY: as the caller says.
            unsafe { put(place, ze_kernel_handle_t::from_native(kernel)) }
        }),
    )
}

fn add(
    world: &mut World,
    module: usize,
    (code, about): (Arc<Compiled>, ur_spirv::Kernel),
) -> Answer<usize> {
    let driver = world.object(module, Kind::Module)?.driver;
    let kernel = Kernel {
        module,
        context: world.module(module)?.context,
        args: vec![None; code.args().len()],
        group: about.reqd_work_group_size.unwrap_or([1; 3]),
        about: Arc::new(about),
        code,
        offset: [0; 3],
        indirect: 0,
    };
    Ok(world.add(driver, Body::Kernel(kernel), vec![module]))
}

/// Takes a kernel away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelDestroy(kernel: ze_kernel_handle_t) -> ze_result_t {
    call("zeKernelDestroy", |world| {
        world.destroy(kernel.to_native(), Kind::Kernel)?;
        Ok(())
    })
}

/// Sets the size of work-groups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetGroupSize(
    kernel: ze_kernel_handle_t,
    x: u32,
    y: u32,
    z: u32,
) -> ze_result_t {
    call("zeKernelSetGroupSize", |world| {
        let kernel = world.kernel(kernel.to_native())?;
        if !kernel.allows([x, y, z]) {
            return Err(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
        }
        kernel.group = [x, y, z];
        Ok(())
    })
}

/// The largest divisor that is not above `most`.
fn divisor(size: u32, most: u32) -> u32 {
    let mut all = (1..=most.min(size)).rev();
    all.find(|one| size.is_multiple_of(*one)).unwrap_or(1)
}

/// Suggests a size of work-groups, which divides the global one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSuggestGroupSize(
    kernel: ze_kernel_handle_t,
    x: u32,
    y: u32,
    z: u32,
    group_x: *mut u32,
    group_y: *mut u32,
    group_z: *mut u32,
) -> ze_result_t {
    call("zeKernelSuggestGroupSize", |world| {
        let kernel = world.kernel(kernel.to_native())?;
        if [x, y, z].contains(&0) {
            return Err(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
        }
        let mut left = kernel.max_group().min(256);
        let mut group = [1; 3];
        for (axis, (place, size)) in group.iter_mut().zip([x, y, z]).enumerate() {
            let limits = kernel.about.max_work_group_size;
            let most = limits.map_or(left, |limits| left.min(limits[axis].max(1)));
            *place = divisor(size, most);
            left /= *place;
        }
        let group = kernel.about.reqd_work_group_size.unwrap_or(group);
        // SAFETY: as the caller says.
        unsafe {
            put(group_x, group[0])?;
            put(group_y, group[1])?;
            put(group_z, group[2])
        }
    })
}

/// How many work-groups of a cooperative launch there can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSuggestMaxCooperativeGroupCount(
    kernel: ze_kernel_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeKernelSuggestMaxCooperativeGroupCount", |world| {
        world.kernel(kernel.to_native())?;
        let settings = world.settings_of(kernel.to_native(), Kind::Kernel)?;
        let most = match settings.has("cooperative") {
            true => MAX_COOPERATIVE,
            false => 0,
        };
        // SAFETY: as the caller says.
        unsafe { put(place, most) }
    })
}

/// Says which kinds of memory a kernel may reach without being told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetIndirectAccess(
    kernel: ze_kernel_handle_t,
    flags: u32,
) -> ze_result_t {
    call("zeKernelSetIndirectAccess", |world| {
        if flags & !7 != 0 {
            return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        world.kernel(kernel.to_native())?.indirect = flags;
        Ok(())
    })
}

/// Tells which kinds of memory a kernel may reach without being told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelGetIndirectAccess(
    kernel: ze_kernel_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeKernelGetIndirectAccess", |world| {
        let flags = world.kernel(kernel.to_native())?.indirect;
        // SAFETY: as the caller says.
        unsafe { put(place, flags) }
    })
}

/// Says which cache a kernel likes to be large.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetCacheConfig(
    kernel: ze_kernel_handle_t,
    flags: u32,
) -> ze_result_t {
    call("zeKernelSetCacheConfig", |world| {
        world.kernel(kernel.to_native())?;
        match flags & !3 {
            0 => Ok(()),
            _ => Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        }
    })
}

/// Says where ids begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetGlobalOffsetExp(
    kernel: ze_kernel_handle_t,
    x: u32,
    y: u32,
    z: u32,
) -> ze_result_t {
    call("zeKernelSetGlobalOffsetExp", |world| {
        world.needs_part(kernel.to_native(), Kind::Kernel, "offset")?;
        world.kernel(kernel.to_native())?.offset = [x, y, z];
        Ok(())
    })
}

/// Says which threads a kernel likes to go first: all run as they come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSchedulingHintExp(
    kernel: ze_kernel_handle_t,
    _: *const ze_scheduling_hint_exp_desc_t,
) -> ze_result_t {
    call("zeKernelSchedulingHintExp", |world| {
        world.needs(kernel.to_native(), Kind::Kernel, 2)
    })
}
