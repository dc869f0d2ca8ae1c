//! Launches of compiled kernels as work for the pool.

use crate::arena::Block;
use crate::code::Compiled;
use crate::command::Work;
use crate::memory::Storage;
use crate::pool;
use std::arch::asm;
use std::sync::Arc;
use ur_adapter::{Error, Result};
use ur_api::*;
use ur_jit_abi::{LOCAL_ALIGN, Launch};

/// A launch with its arguments, ready to run.
pub struct LaunchWork {
    kernel: Arc<Compiled>,
    launch: Launch,
    args: Block,
    local_bytes: usize,
    arena_bytes: usize,
    groups: u64,
    groups_per_piece: u64,
    /// Buffers among the arguments.
    _storage: Vec<Arc<Storage>>,
}

impl LaunchWork {
    /// A launch and its number of pieces. `args` is the argument block and `local_bytes` the local
    /// memory of a group, the kernel's own and that of arguments; at most `threads` threads run it.
    ///
    /// # Errors
    /// `OUT_OF_RESOURCES` when the sizes are beyond what memory can hold.
    pub fn new(
        kernel: Arc<Compiled>,
        launch: Launch,
        args: Block,
        local_bytes: usize,
        storage: Vec<Arc<Storage>>,
        threads: Option<u64>,
    ) -> Result<(LaunchWork, u64)> {
        let too_much = || Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, "work-group too large");
        let groups = launch
            .group_count
            .iter()
            .try_fold(1u64, |all, count| all.checked_mul(*count))
            .ok_or_else(too_much)?;
        let items: u64 = launch.local_size.iter().product();
        let scratch = kernel
            .info()
            .scratch_per_item
            .checked_mul(items)
            .and_then(|bytes| bytes.checked_add(kernel.info().scratch_fixed))
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or_else(too_much)?;
        let local_bytes = local_bytes.next_multiple_of(LOCAL_ALIGN);
        let arena_bytes = local_bytes.checked_add(scratch).ok_or_else(too_much)?;
        // Several pieces a thread even out groups that take different times.
        let most = threads.unwrap_or(pool::thread_count() as u64 * 8);
        let groups_per_piece = groups.div_ceil(most).max(1);
        let pieces = groups.div_ceil(groups_per_piece);
        let work = LaunchWork {
            kernel,
            launch,
            args,
            local_bytes,
            arena_bytes,
            groups,
            groups_per_piece,
            _storage: storage,
        };
        Ok((work, pieces))
    }
}

impl Work for LaunchWork {
    fn run(&self, piece: u64) -> std::result::Result<(), ur_result_t> {
        let first = piece * self.groups_per_piece;
        let last = (first + self.groups_per_piece).min(self.groups);
        let arenas = pool::get().arenas();
        let arena = match self.arena_bytes {
            0 => None,
            bytes => Some(
                arenas
                    .take(bytes, LOCAL_ALIGN)
                    .ok_or(UR_RESULT_ERROR_OUT_OF_RESOURCES)?,
            ),
        };
        let local = arena.as_ref().map_or(LOCAL_ALIGN as *mut u8, Block::start);
        let _rounding = FloatState::standard();
        // SAFETY: the argument block and the memory have the sizes that the JIT asked for. What the
        // kernel does with the program's own pointers is the program's business.
        unsafe {
            (self.kernel.info().entry)(
                &self.launch,
                self.args.start(),
                first,
                last,
                local,
                local.wrapping_add(self.local_bytes),
            )
        };
        if let Some(arena) = arena {
            arenas.put(arena);
        }
        Ok(())
    }
}

/// Keeps the floating-point control register of a thread while a kernel runs with the standard one:
/// a thread that helps may have been set to flush denormals or to trap.
struct FloatState(u32);

/// All exceptions masked, rounding to nearest, denormals kept.
const STANDARD: u32 = 0x1f80;

impl FloatState {
    fn standard() -> FloatState {
        let mut old = 0u32;
        // SAFETY: stores the register into a local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut old, options(nostack)) };
        // Reading and, rarely, writing it: a write is slow.
        if old & !0x3f != STANDARD {
            set(STANDARD);
        }
        FloatState(old)
    }
}

impl Drop for FloatState {
    fn drop(&mut self) {
        if self.0 & !0x3f != STANDARD {
            set(self.0);
        }
    }
}

fn set(value: u32) {
    // SAFETY: loads a value that the register can hold: the standard one, or one it held before.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &value, options(nostack, readonly)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> u32 {
        let mut value = 0u32;
        // SAFETY: stores the register into a local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut value, options(nostack)) };
        value & !0x3f
    }

    #[test]
    fn kernels_run_with_the_standard_float_state() {
        let flushing = STANDARD | 0x8040;
        set(flushing);
        {
            let _state = FloatState::standard();
            assert_eq!(control(), STANDARD);
        }
        assert_eq!(control(), flushing & !0x3f);
        set(STANDARD);
    }
}
