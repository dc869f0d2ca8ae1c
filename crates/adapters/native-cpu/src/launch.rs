//! Launches of compiled kernels as work for the pool.

use crate::arena::{Arena, Block};
use crate::code::Compiled;
use crate::command::Work;
use crate::memory::Storage;
use crate::share::{self, Pace};
use crate::tier;
use std::arch::asm;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;
use ur_adapter::{Error, Result};
use ur_api::*;
use ur_jit_abi::{LOCAL_ALIGN, Launch};

/// Bytes of arguments that need no memory of their own.
const INLINE: usize = 256;

/// Alignment of arguments that need no memory of their own: most allocators give it without effort.
const INLINE_ALIGN: usize = 16;

/// Ticks up to which a launch is best run by the thread that enqueues it: waking another one takes about
/// as long.
const QUICK: u64 = 30_000;

/// Bytes that stand where most argument blocks may.
#[repr(align(16))]
struct Aligned(MaybeUninit<[u8; INLINE]>);

const _: () = assert!(align_of::<Aligned>() == INLINE_ALIGN);

/// The argument block of a launch.
pub struct Args {
    inline: Aligned,
    /// Instead, if it is larger or needs to be aligned more.
    block: Option<Block>,
    size: usize,
}

impl Args {
    /// No arguments yet.
    fn none() -> Args {
        Args {
            inline: Aligned(MaybeUninit::uninit()),
            block: None,
            size: 0,
        }
    }

    /// Makes room for `size` bytes, to be filled, at a multiple of `align`, at most [`LOCAL_ALIGN`].
    fn reserve(&mut self, size: usize, align: usize) -> Result {
        if size > INLINE || align > INLINE_ALIGN {
            let block = Block::zeroed(size, LOCAL_ALIGN);
            self.block =
                Some(block.ok_or_else(|| Error::code(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY))?);
        }
        self.size = size;
        Ok(())
    }

    /// Writes `bytes` at `place`; false if they do not fit.
    #[must_use]
    pub fn write(&mut self, place: usize, bytes: &[u8]) -> bool {
        if place
            .checked_add(bytes.len())
            .is_none_or(|end| end > self.size)
        {
            return false;
        }
        let start = match &self.block {
            Some(block) => block.start(),
            None => self.inline.0.as_mut_ptr().cast(),
        };
        // SAFETY: the range was just found to lie inside of the block, which is ours alone.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.add(place), bytes.len()) };
        true
    }

    fn start(&self) -> *const u8 {
        match &self.block {
            Some(block) => block.start(),
            None => self.inline.0.as_ptr().cast(),
        }
    }
}

/// A launch with its arguments. It is large and filled where it stands.
pub struct Ready {
    launch: Launch,
    /// The argument block.
    pub args: Args,
    local_bytes: usize,
    arena_bytes: usize,
    groups: u64,
    /// Work-items of a group.
    items: u64,
    /// Buffers among the arguments.
    pub storage: Vec<Arc<Storage>>,
}

impl Ready {
    /// Nothing yet.
    #[inline]
    pub fn none() -> Ready {
        Ready {
            launch: Launch {
                global_size: [0; 3],
                global_offset: [0; 3],
                local_size: [0; 3],
                group_count: [0; 3],
                work_dim: 0,
                local_bytes: 0,
            },
            args: Args::none(),
            local_bytes: 0,
            arena_bytes: 0,
            groups: 0,
            items: 0,
            storage: Vec::new(),
        }
    }

    /// Begins the filling; the arguments follow, then [`Ready::complete`].
    ///
    /// # Errors
    /// `OUT_OF_HOST_MEMORY`.
    pub fn fill(&mut self, kernel: &Compiled, launch: Launch) -> Result {
        self.launch = launch;
        let size = kernel.info().args_size as usize;
        self.args.reserve(size, kernel.args_align())
    }

    /// Ends the filling: `local_bytes` is the local memory of a group, the kernel's own and that of
    /// arguments.
    ///
    /// # Errors
    /// `OUT_OF_RESOURCES` when the sizes are beyond what memory can hold.
    pub fn complete(&mut self, kernel: &Compiled, local_bytes: u32) -> Result {
        let too_much = || Error::new(UR_RESULT_ERROR_OUT_OF_RESOURCES, "work-group too large");
        self.launch.local_bytes = local_bytes;
        let [x, y, z] = self.launch.group_count;
        self.groups = x
            .checked_mul(y)
            .and_then(|groups| groups.checked_mul(z))
            .filter(|groups| *groups <= share::MOST)
            .ok_or_else(too_much)?;
        let info = kernel.info();
        self.items = self.launch.local_size.iter().product();
        let scratch = info
            .scratch_per_item
            .checked_mul(self.items)
            .and_then(|bytes| bytes.checked_add(info.scratch_fixed))
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or_else(too_much)?;
        self.local_bytes = (local_bytes as usize).next_multiple_of(LOCAL_ALIGN);
        self.arena_bytes = self.local_bytes.checked_add(scratch).ok_or_else(too_much)?;
        Ok(())
    }

    /// Whether all of it is known to take less time than another thread needs to wake up.
    pub fn is_quick(&self, kernel: &Compiled) -> bool {
        kernel
            .pace()
            .ticks(self.groups.saturating_mul(self.items))
            .is_some_and(|ticks| ticks <= QUICK)
    }

    /// Runs all of it on the calling thread, of which `arena` is the memory.
    pub fn run_here(&self, kernel: &Arc<Compiled>, arena: &Arena) {
        let begin = share::ticks();
        self.run(kernel, 0..self.groups, arena);
        let taken = share::ticks().wrapping_sub(begin);
        let items = self.groups.saturating_mul(self.items);
        if kernel.pace().note(items, taken) {
            tier::request(kernel);
        }
    }

    /// Memory to run it in; none if there is none to be had.
    pub fn arena(&self) -> Option<Arena> {
        Arena::take(self.arena_bytes, LOCAL_ALIGN)
    }

    fn run(&self, kernel: &Compiled, groups: Range<u64>, arena: &Arena) {
        let local = arena.start(LOCAL_ALIGN);
        let _rounding = FloatState::standard();
        // SAFETY: the argument block and the memory have the sizes that the JIT asked for. What the
        // kernel does with the program's own pointers is the program's business.
        unsafe {
            (kernel.info().entry)(
                &self.launch,
                self.args.start(),
                groups.start,
                groups.end,
                local,
                local.wrapping_add(self.local_bytes),
            )
        };
    }

    /// As work for the pool, and its number of pieces, which are work-groups. Nothing is left of it.
    pub fn take_work(&mut self, kernel: Arc<Compiled>) -> (Box<dyn Work>, u64) {
        let groups = self.groups;
        let ready = std::mem::replace(self, Ready::none());
        (Box::new(LaunchWork { kernel, ready }), groups)
    }
}

struct LaunchWork {
    kernel: Arc<Compiled>,
    ready: Ready,
}

impl Work for LaunchWork {
    fn run(&self, group: u64) -> std::result::Result<(), ur_result_t> {
        self.run_all(group..group + 1)
    }

    fn run_all(&self, groups: Range<u64>) -> std::result::Result<(), ur_result_t> {
        let arena = self.ready.arena();
        let arena = arena.ok_or(UR_RESULT_ERROR_OUT_OF_RESOURCES)?;
        self.ready.run(&self.kernel, groups, &arena);
        Ok(())
    }

    fn pace(&self) -> Option<(&Pace, u64)> {
        Some((self.kernel.pace(), self.ready.items))
    }

    fn proved(&self) {
        tier::request(&self.kernel);
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
    fn small_and_large_argument_blocks() {
        let sizes = [0, 8, INLINE, INLINE + 1, 5000].into_iter();
        for (size, align) in sizes.flat_map(|size| [1, 8, 16, 32, 128].map(|align| (size, align))) {
            let mut args = Args::none();
            args.reserve(size, align).unwrap();
            assert!((args.start() as usize).is_multiple_of(align));
            assert!(!args.write(size, &[1]) && !args.write(usize::MAX, &[1, 2]));
            if size > 0 {
                assert!(args.write(size - 1, &[7]));
                let moved = Box::new(args);
                // SAFETY: the byte was just written.
                assert_eq!(unsafe { moved.start().add(size - 1).read() }, 7);
            }
        }
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
