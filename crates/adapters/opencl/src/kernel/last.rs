//! The arguments that OpenCL's kernel has from the launch before, so that those that stay the same are
//! not set again: a driver may take longer for an argument that is a pointer, which it looks up, than
//! for anything else in a launch.

use std::ffi::c_void;
use ur_api::*;

/// The longest value that is remembered, in bytes.
const LONGEST: usize = 16;

/// What an argument was set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Was {
    /// That many bytes; those behind them are zero.
    Value(usize, [u8; LONGEST]),
    /// A pointer, and how often the context's memory had changed before it was set. A driver may keep
    /// what it found at the address, and other memory may have come there since.
    Pointer(*const c_void, u64),
    /// That much local memory.
    Local(usize),
}

// SAFETY: a pointer is only compared.
unsafe impl Send for Was {}

impl Was {
    /// What an argument sets, if it is of a kind that is remembered: a handle may be another object's by
    /// the next launch, and its object may change.
    ///
    /// # Safety
    /// The pointers in the argument are what its type says.
    #[inline]
    pub unsafe fn of(arg: &ur_exp_kernel_arg_properties_t, changes: u64) -> Option<Self> {
        match arg.r#type {
            UR_EXP_KERNEL_ARG_TYPE_VALUE => {
                // SAFETY: the type says which member is set.
                let value = unsafe { arg.value.value };
                if value.is_null() || arg.size > LONGEST {
                    return None;
                }
                let mut bytes = [0; LONGEST];
                let place = bytes.as_mut_ptr();
                // SAFETY: the program passes that many bytes, and there is room for them.
                unsafe { std::ptr::copy_nonoverlapping(value.cast(), place, arg.size) };
                Some(Was::Value(arg.size, bytes))
            }
            UR_EXP_KERNEL_ARG_TYPE_POINTER => {
                // SAFETY: the type says which member is set.
                let pointer = unsafe { arg.value.pointer };
                Some(Was::Pointer(pointer, changes))
            }
            UR_EXP_KERNEL_ARG_TYPE_LOCAL => Some(Was::Local(arg.size)),
            _ => None,
        }
    }
}

/// The arguments of a kernel, as far as they are known.
#[derive(Debug)]
pub struct Last(Box<[Option<Was>]>);

impl Last {
    /// For a kernel with so many arguments, of which none is known.
    pub fn new(count: u32) -> Self {
        Self(vec![None; count as usize].into())
    }

    /// Sets an argument by `set` unless it is known to be that already. It is known from then on if the
    /// call succeeds, and unknown if it fails.
    ///
    /// # Errors
    /// That of `set`.
    #[inline]
    pub fn update<E>(
        &mut self,
        index: u32,
        now: Option<Was>,
        set: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(place) = self.0.get_mut(index as usize) else {
            return set();
        };
        if now.is_some() && *place == now {
            return Ok(());
        }
        *place = None;
        set()?;
        *place = now;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often something was set.
    fn sets(last: &mut Last, index: u32, now: Option<Was>) -> u32 {
        let mut calls = 0;
        let set = || {
            calls += 1;
            Ok::<(), ()>(())
        };
        last.update(index, now, set).expect("no failure");
        calls
    }

    #[test]
    fn what_stays_is_set_once() {
        let mut last = Last::new(2);
        let one = std::ptr::dangling::<c_void>();
        for now in [
            Was::Local(8),
            Was::Local(9),
            Was::Pointer(one, 0),
            Was::Pointer(one, 1),
        ] {
            assert_eq!(sets(&mut last, 0, Some(now)), 1);
            assert_eq!(sets(&mut last, 0, Some(now)), 0);
            assert_eq!(
                sets(&mut last, 1, Some(Was::Local(8))),
                u32::from(now == Was::Local(8))
            );
        }
        // What is not remembered, and what the kernel does not have, is set each time.
        for (index, now) in [
            (0, None),
            (0, None),
            (2, Some(Was::Local(1))),
            (2, Some(Was::Local(1))),
        ] {
            assert_eq!(sets(&mut last, index, now), 1);
        }
        assert_eq!(sets(&mut last, 0, Some(Was::Pointer(one, 1))), 1);
    }

    #[test]
    fn after_a_failure_nothing_is_known() {
        let mut last = Last::new(1);
        let (eight, nine) = (Some(Was::Local(8)), Some(Was::Local(9)));
        assert_eq!(sets(&mut last, 0, eight), 1);
        assert_eq!(last.update(0, nine, || Err(())), Err(()));
        assert_eq!(sets(&mut last, 0, eight), 1);
    }

    #[test]
    fn values_are_compared_by_size_and_bytes() {
        let of = |bytes: &[u8]| {
            let arg = ur_exp_kernel_arg_properties_t {
                r#type: UR_EXP_KERNEL_ARG_TYPE_VALUE,
                size: bytes.len(),
                value: ur_exp_kernel_arg_value_t {
                    value: bytes.as_ptr().cast(),
                },
                ..Default::default()
            };
            // SAFETY: a value of that size.
            unsafe { Was::of(&arg, 0) }
        };
        assert_eq!(of(&[1, 2]), of(&[1, 2]));
        assert_ne!(of(&[1, 2]), of(&[1, 3]));
        assert_ne!(of(&[1, 2]), of(&[1, 2, 0]));
        assert!(of(&[1; 16]).is_some() && of(&[1; 17]).is_none());
    }
}
