//! Compiled kernels, and their launches as work for the pool.

use crate::arena::Block;
use crate::command::Work;
use crate::jit;
use crate::memory::Storage;
use crate::pool;
use std::arch::asm;
use std::collections::HashMap;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};
use ur_adapter::{Error, Result};
use ur_api::*;
use ur_jit_abi::{
    ArgInfo, JitTable, KernelInfo, LOCAL_ALIGN, Launch, ModuleOptions, SpecConstant, Status,
};

/// A module that the JIT has accepted.
pub struct Module {
    table: &'static JitTable,
    module: *mut ur_jit_abi::Module,
    kernels: Mutex<HashMap<String, Arc<Compiled>>>,
}

// SAFETY: the JIT's functions may be called from any thread, several at once.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Hands SPIR-V to the JIT.
    ///
    /// # Errors
    /// Why it was refused, or why there is no JIT.
    pub fn create(
        words: &[u32],
        flags: &str,
        constants: &[SpecConstant],
    ) -> std::result::Result<Module, String> {
        let table = jit::table()?;
        let flags = CString::new(flags).map_err(|error| error.to_string())?;
        let options = ModuleOptions {
            flags: flags.as_ptr(),
            spec: constants.as_ptr(),
            spec_count: constants.len() as u32,
            sub_group_size: 0,
            cpu: std::ptr::null(),
            features: std::ptr::null(),
        };
        let mut module = std::ptr::null_mut();
        let mut status = Status::Internal;
        let message = jit::collect(|text, user| {
            // SAFETY: the words, the options and what they point to live for the call.
            status = unsafe {
                (table.module_create)(
                    words.as_ptr(),
                    words.len(),
                    &options,
                    &mut module,
                    text,
                    user,
                )
            };
        });
        if status != Status::Ok {
            return Err(explain(status, message));
        }
        Ok(Module {
            table,
            module,
            kernels: Mutex::default(),
        })
    }

    /// The code of a kernel, compiled on the first call for it.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn kernel(&self, name: &str) -> std::result::Result<Arc<Compiled>, String> {
        let known = |this: &Self| {
            let kernels = this.kernels.lock().unwrap_or_else(PoisonError::into_inner);
            kernels.get(name).cloned()
        };
        if let Some(kernel) = known(self) {
            return Ok(kernel);
        }
        // Compiled without the lock: it may take long, and other kernels need not wait.
        let mut kernel = std::ptr::null_mut();
        let mut info = MaybeUninit::<KernelInfo>::uninit();
        let mut status = Status::Internal;
        let message = jit::collect(|text, user| {
            // SAFETY: the name lives for the call, and the out-parameters are valid places.
            status = unsafe {
                (self.table.kernel_create)(
                    self.module,
                    name.as_ptr(),
                    name.len(),
                    &mut kernel,
                    info.as_mut_ptr(),
                    text,
                    user,
                )
            };
        });
        if status != Status::Ok {
            return Err(explain(status, message));
        }
        let compiled = Arc::new(Compiled {
            table: self.table,
            kernel,
            // SAFETY: the call succeeded, so it filled the description in.
            info: unsafe { info.assume_init() },
        });
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // If another thread was faster, its code is kept.
        Ok(kernels.entry(name.to_owned()).or_insert(compiled).clone())
    }

    /// Address and size of a program-scope variable.
    pub fn variable(&self, name: &str) -> Option<(usize, usize)> {
        let mut address = std::ptr::null_mut();
        let mut size = 0;
        // SAFETY: the name lives for the call, and the out-parameters are valid places.
        let status = unsafe {
            (self.table.module_variable)(
                self.module,
                name.as_ptr(),
                name.len(),
                &mut address,
                &mut size,
            )
        };
        (status == Status::Ok).then_some((address as usize, size as usize))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module is ours and not used any more.
        unsafe { (self.table.module_release)(self.module) };
    }
}

fn explain(status: Status, message: String) -> String {
    if message.is_empty() {
        format!("the JIT failed: {status:?}")
    } else {
        message
    }
}

/// A compiled kernel.
pub struct Compiled {
    table: &'static JitTable,
    kernel: *mut ur_jit_abi::Kernel,
    info: KernelInfo,
}

// SAFETY: the code and its description never change.
unsafe impl Send for Compiled {}
// SAFETY: as above.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// What the JIT says of the kernel.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Its arguments.
    pub fn args(&self) -> &[ArgInfo] {
        if self.info.arg_count == 0 {
            return &[];
        }
        // SAFETY: the array lives as long as the kernel and has that many elements.
        unsafe { std::slice::from_raw_parts(self.info.args, self.info.arg_count as usize) }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: every launch holds a share of this, so no thread is inside the code.
        unsafe { (self.table.kernel_release)(self.kernel) };
    }
}

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
            .info
            .scratch_per_item
            .checked_mul(items)
            .and_then(|bytes| bytes.checked_add(kernel.info.scratch_fixed))
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
            (self.kernel.info.entry)(
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
