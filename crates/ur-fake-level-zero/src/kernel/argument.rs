//! Arguments of kernels.

use crate::call::{call, get, list};
use crate::device::LOCAL_MEMORY;
use crate::image::Texels;
use crate::world::{Kind, Ref, World};
use crate::ze::*;
use std::ffi::c_void;
use std::sync::Arc;
use ur_adapter_native_cpu::code::Compiled;
use ur_jit_abi::{ArgKind, SamplerBits};

/// An argument of a kernel.
#[derive(Clone)]
pub enum Arg {
    /// Its bytes.
    Bytes(Arc<[u8]>),
    /// The address of memory.
    Pointer(usize),
    /// Bytes of local memory.
    Local(usize),
    /// An image.
    Image(Ref, Arc<Texels>),
    /// A sampler.
    Sampler(SamplerBits),
}

impl Arg {
    /// Takes an argument of a program over.
    ///
    /// # Errors
    /// `INVALID_KERNEL_ARGUMENT_INDEX`, `INVALID_KERNEL_ARGUMENT_SIZE`, `INVALID_ARGUMENT`.
    ///
    /// # Safety
    /// `value` is null or has `size` bytes.
    pub unsafe fn take(
        world: &mut World,
        (about, code): (&ur_spirv::Kernel, &Compiled),
        index: u32,
        size: usize,
        value: *const c_void,
    ) -> Answer<Self> {
        let info = code.args().get(index as usize);
        let info = *info.ok_or(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX)?;
        if info.kind == ArgKind::Local {
            return match (size, value.is_null()) {
                (_, false) => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
                (1.., _) if size <= LOCAL_MEMORY as usize => Ok(Self::Local(size)),
                _ => Err(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE),
            };
        }
        if size != info.size as usize {
            return Err(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        }
        // SAFETY: as the caller says; all of these have the size that was just found right.
        unsafe {
            match info.kind {
                ArgKind::Pointer if value.is_null() => Ok(Self::Pointer(0)),
                ArgKind::Pointer => Ok(Self::Pointer(value.cast::<usize>().read_unaligned())),
                ArgKind::Image => {
                    let image = get(value.cast::<ze_image_handle_t>())?;
                    let of = world.refer(image.to_native(), Kind::Image)?;
                    let image = world.image(of.handle)?;
                    let fits = match about.args.get(index as usize).map(|arg| &arg.kind) {
                        Some(ur_spirv::ArgKind::Image { dim, arrayed, .. }) => {
                            image.fits(*dim, *arrayed)
                        }
                        _ => true,
                    };
                    match fits {
                        true => Ok(Self::Image(of, image.texels.clone())),
                        false => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
                    }
                }
                ArgKind::Sampler => {
                    let sampler = get(value.cast::<ze_sampler_handle_t>())?;
                    Ok(Self::Sampler(world.sampler(sampler.to_native())?.bits))
                }
                _ => Ok(Self::Bytes(list(value.cast::<u8>(), size)?.into())),
            }
        }
    }
}

/// Sets an argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeKernelSetArgumentValue(
    kernel: ze_kernel_handle_t,
    index: u32,
    size: usize,
    value: *const c_void,
) -> ze_result_t {
    call("zeKernelSetArgumentValue", |world| {
        let own = world.kernel(kernel.to_native())?.clone();
        // SAFETY: as the caller says.
        let arg = unsafe { Arg::take(world, (&own.about, &own.code), index, size, value) }?;
        world.kernel(kernel.to_native())?.args[index as usize] = Some(arg);
        Ok(())
    })
}
