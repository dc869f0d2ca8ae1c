//! Arguments that a program sets before it launches a kernel, for adapters that take them with the
//! launch only.
//!
//! They hang on the kernel itself ([`ur_api::attach`]) and go when it goes, so a kernel that comes
//! to the same address starts without any, and a program that never sets one pays nothing.

use crate::dispatch::tables;
use crate::kit;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use ur_api::attach::{Attached, Attachment};
use ur_api::*;

/// One argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A copy of the caller's bytes.
    Value(Arc<[u8]>),
    /// A USM pointer.
    Pointer(*const c_void),
    /// A memory object, or null, and how the kernel uses it.
    Memory(ur_mem_handle_t, ur_mem_flags_t),
    /// That many bytes of local memory.
    Local(usize),
    /// A sampler.
    Sampler(ur_sampler_handle_t),
}

/// The arguments of a kernel as a launch takes them. What they point to lives as long as this.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    properties: Vec<ur_exp_kernel_arg_properties_t>,
    /// What the properties of the same place point to.
    values: Vec<Option<Arc<[u8]>>>,
}

// SAFETY: pointers in it are the program's, which may use them on any thread, or to `values`.
unsafe impl Send for Arguments {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Arguments {}

impl Arguments {
    /// How many there are.
    pub fn count(&self) -> u32 {
        // An index is 32 bits wide, and each stands here once.
        self.properties.len() as u32
    }

    /// The first of them; null when there is none.
    pub fn first(&self) -> *const ur_exp_kernel_arg_properties_t {
        if self.properties.is_empty() {
            std::ptr::null()
        } else {
            self.properties.as_ptr()
        }
    }

    fn set(&mut self, index: u32, argument: &Argument) {
        let (properties, value) = argument.properties(index);
        match self.properties.iter().position(|p| p.index == index) {
            Some(at) => {
                self.properties[at] = properties;
                self.values[at] = value;
            }
            None => {
                self.properties.push(properties);
                self.values.push(value);
            }
        }
    }
}

impl Argument {
    /// As a launch takes it, and the bytes that this points to.
    fn properties(&self, index: u32) -> (ur_exp_kernel_arg_properties_t, Option<Arc<[u8]>>) {
        let handle = size_of::<*const c_void>();
        let (r#type, size, value) = match self {
            Argument::Value(bytes) => (
                UR_EXP_KERNEL_ARG_TYPE_VALUE,
                bytes.len(),
                ur_exp_kernel_arg_value_t {
                    value: bytes.as_ptr().cast(),
                },
            ),
            &Argument::Pointer(pointer) => (
                UR_EXP_KERNEL_ARG_TYPE_POINTER,
                handle,
                ur_exp_kernel_arg_value_t { pointer },
            ),
            &Argument::Memory(hMem, flags) => (
                UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ,
                handle,
                ur_exp_kernel_arg_value_t {
                    memObjTuple: ur_exp_kernel_arg_mem_obj_tuple_t { hMem, flags },
                },
            ),
            &Argument::Local(size) => (
                UR_EXP_KERNEL_ARG_TYPE_LOCAL,
                size,
                ur_exp_kernel_arg_value_t {
                    value: std::ptr::null(),
                },
            ),
            &Argument::Sampler(sampler) => (
                UR_EXP_KERNEL_ARG_TYPE_SAMPLER,
                handle,
                ur_exp_kernel_arg_value_t { sampler },
            ),
        };
        let properties = ur_exp_kernel_arg_properties_t {
            stype: UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES,
            pNext: std::ptr::null_mut(),
            r#type,
            index,
            size,
            value,
        };
        let bytes = match self {
            Argument::Value(bytes) => Some(Arc::clone(bytes)),
            _ => None,
        };
        (properties, bytes)
    }
}

/// What hangs on a kernel.
#[repr(C)]
struct Kept {
    head: Attachment,
    /// How many arguments the kernel has, if its adapter says so.
    limit: Option<u32>,
    /// Held only while arguments are exchanged, never during a call.
    arguments: Mutex<Arc<Arguments>>,
}

/// Destroys what hangs on a kernel.
///
/// # Safety
/// It is a [`Kept`] that was leaked from its box, and nobody uses it.
unsafe extern "C" fn destroy(kept: *mut Attachment) {
    // SAFETY: says the caller. The head is its first member.
    drop(unsafe { Box::from_raw(kept.cast::<Kept>()) });
}

/// Sets an argument of a kernel.
///
/// # Errors
/// INVALID_KERNEL_ARGUMENT_INDEX; UNSUPPORTED_FEATURE when the kernel's adapter has no place for
/// it; INVALID_KERNEL when it is none.
///
/// # Safety
/// The kernel is live.
pub unsafe fn set(
    kernel: ur_kernel_handle_t,
    index: u32,
    argument: &Argument,
) -> Result<(), ur_result_t> {
    // SAFETY: the kernel is live.
    let place = unsafe { kit::place(kernel) }?;
    // SAFETY: as above.
    let kept = kept(place).unwrap_or_else(|| unsafe { keep(place, kernel) });
    if kept.limit.is_some_and(|limit| index >= limit) {
        return Err(UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    }
    let mut arguments = kept
        .arguments
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // A launch that is under way has the old ones.
    Arc::make_mut(&mut arguments).set(index, argument);
    Ok(())
}

/// The arguments set for a kernel; `None` when none ever was.
///
/// # Safety
/// The kernel is live.
pub unsafe fn of(kernel: ur_kernel_handle_t) -> Option<Arc<Arguments>> {
    // SAFETY: the kernel is live.
    let kept = kept(unsafe { kit::place(kernel) }.ok()?)?;
    let arguments = kept
        .arguments
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Some(Arc::clone(&arguments))
}

fn kept(place: &Attached) -> Option<&Kept> {
    let attachment = place.get()?;
    // SAFETY: nobody else attaches anything, and it lives as long as the object that the place is
    // in.
    Some(unsafe { attachment.cast::<Kept>().as_ref() })
}

/// How many arguments a kernel has, if its adapter says so.
///
/// # Safety
/// The kernel is live.
unsafe fn number(kernel: ur_kernel_handle_t) -> Option<u32> {
    let mut count = 0u32;
    // SAFETY: the kernel is live and there is room for the answer. The adapter is asked itself: this
    // is no call of the program's.
    let result = unsafe {
        let query = tables(kernel)?.Kernel.pfnGetInfo?;
        query(
            kernel,
            UR_KERNEL_INFO_NUM_ARGS,
            size_of::<u32>(),
            (&raw mut count).cast(),
            std::ptr::null_mut(),
        )
    };
    (result == UR_RESULT_SUCCESS).then_some(count)
}

/// Hangs an empty list on a kernel; another thread's, if it was first.
///
/// # Safety
/// The place is in the kernel, which is live.
unsafe fn keep(place: &Attached, kernel: ur_kernel_handle_t) -> &Kept {
    // SAFETY: the kernel is live.
    let limit = unsafe { number(kernel) };
    let new = Box::leak(Box::new(Kept {
        head: Attachment { destroy },
        limit,
        arguments: Mutex::default(),
    }));
    let new = NonNull::from(new);
    // SAFETY: it is a new one, and `destroy` takes it back.
    match unsafe { place.attach(new.cast()) } {
        // SAFETY: it lives as long as the kernel.
        Ok(()) => unsafe { new.as_ref() },
        Err(first) => {
            // SAFETY: the new one is still ours alone; the first is another thread's `Kept`.
            unsafe {
                destroy(new.as_ptr().cast());
                first.cast::<Kept>().as_ref()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_an_argument_counts() {
        let mut arguments = Arguments::default();
        assert!(arguments.first().is_null());
        arguments.set(3, &Argument::Local(64));
        arguments.set(0, &Argument::Value(Arc::new([1, 2, 3])));
        let before = arguments.clone();
        arguments.set(0, &Argument::Value(Arc::new([4, 5])));
        arguments.set(3, &Argument::Local(128));
        assert_eq!((before.count(), arguments.count()), (2, 2));
        for (arguments, bytes, local) in
            [(&before, &[1u8, 2, 3][..], 64), (&arguments, &[4, 5], 128)]
        {
            // SAFETY: two were set.
            let all = unsafe { std::slice::from_raw_parts(arguments.first(), 2) };
            let [three, zero] = all else { unreachable!() };
            assert_eq!((three.index, three.size), (3, local));
            assert_eq!((zero.index, zero.size), (0, bytes.len()));
            // SAFETY: the argument is a value of that size.
            let value: &[u8] =
                unsafe { std::slice::from_raw_parts(zero.value.value.cast(), zero.size) };
            assert_eq!(value, bytes);
        }
    }
}
