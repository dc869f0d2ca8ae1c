//! A SPIR-V module handed to the JIT, with storage for its variables and its kernels' IR.

use std::alloc::Layout;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use ur_jit_abi::ArgInfo;
use ur_spirv::spirv::{LinkageType, StorageClass};
use ur_spirv::{Id, SpecOverride};

use crate::compile::{self, Compiled, Options};
use crate::error::{Error, Result};
use crate::lower;
use crate::translate::{self, Lowering, Translated, Variables};

/// A module: read, checked and translated, with nothing compiled yet.
pub struct Module {
    spv: ur_spirv::Module,
    options: Options,
    storage: Arc<Storage>,
    kernels: HashMap<String, Lowered>,
}

/// A kernel's executable IR and what must be known to call it.
pub struct Lowered {
    /// IR text with [`ENTRY`] as the name of the function to call.
    pub text: String,
    /// Whether its work-items synchronise.
    pub sync: bool,
    /// The arguments' places.
    pub args: Vec<ArgInfo>,
    /// Size of the argument block.
    pub args_size: u32,
    /// Local memory of its own variables.
    pub local_size: u64,
    /// Bytes of an item record without the suspended state.
    pub record_bytes: u64,
    /// Alignment of item records and suspended work-items.
    pub frame_align: u64,
    /// Private memory, an estimate.
    pub private_size: u64,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Code that kernel objects alive now share.
    code: Mutex<Weak<Compiled>>,
}

/// Name of the entry function in [`Lowered::text`]; a number goes behind it when it is compiled.
pub const ENTRY: &str = "ur.entry";

impl Module {
    /// Reads, checks and translates a module.
    ///
    /// # Errors
    /// The broken rule, or what is not supported.
    pub fn new(words: &[u32], spec: &[SpecOverride], options: Options) -> Result<Self> {
        let spv = ur_spirv::Module::parse(words, spec)?;
        let storage = Arc::new(Storage::new(&spv)?);
        let mut kernels = HashMap::new();
        for entry in &spv.entry_points {
            let kernel = translate::kernel(
                &spv,
                &entry.name,
                options.sub_group_size,
                Lowering::Coroutine,
                &*storage,
            )
            .map_err(|mut error| {
                error.message = format!("kernel {}: {}", entry.name, error.message);
                error
            })?;
            lower::lower(&kernel, ENTRY)?;
            kernels.insert(entry.name.clone(), Lowered::new(kernel));
        }
        Ok(Self {
            spv,
            options,
            storage,
            kernels,
        })
    }

    /// Names of the kernels, sorted.
    pub fn kernel_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.kernels.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    fn kernel(&self, name: &str) -> Result<&Lowered> {
        self.kernels
            .get(name)
            .ok_or_else(|| Error::not_found(format!("no kernel is called {name}")))
    }

    /// Compiles a kernel, or gives the code that another kernel object of the same name uses.
    ///
    /// # Errors
    /// No such kernel, or a fault of the compiler.
    pub fn compile(&self, name: &str) -> Result<Kernel> {
        let lowered = self.kernel(name)?;
        let slot = |lowered: &Lowered| {
            lowered
                .code
                .lock()
                .map_or_else(|e| e.into_inner().clone(), |c| c.clone())
        };
        let code = match slot(lowered).upgrade() {
            Some(code) => code,
            None => {
                // Not under the lock: compiling twice at worst wastes time.
                let code = Arc::new(compile::compile(lowered, &self.options)?);
                match lowered.code.lock() {
                    Ok(mut slot) => *slot = Arc::downgrade(&code),
                    Err(poisoned) => *poisoned.into_inner() = Arc::downgrade(&code),
                }
                code
            }
        };
        Ok(Kernel {
            code,
            storage: Arc::clone(&self.storage),
            args: lowered.args.clone().into_boxed_slice(),
        })
    }

    /// A kernel's text at a stage: `ir`, `lowered`, `optimised` or `asm`.
    ///
    /// # Errors
    /// No such kernel or stage, or a fault of the compiler.
    pub fn listing(&self, name: &str, stage: &str) -> Result<String> {
        let lowered = self.kernel(name)?;
        match stage {
            "ir" => {
                let kernel = translate::kernel(
                    &self.spv,
                    name,
                    self.options.sub_group_size,
                    Lowering::Placeholder,
                    &*self.storage,
                )?;
                Ok(kernel.ir.render())
            }
            "lowered" => Ok(lowered.text.clone()),
            "optimised" => compile::optimised(lowered, &self.options),
            "asm" => compile::assembly(lowered, &self.options),
            other => Err(Error::not_found(format!("no stage is called {other}"))),
        }
    }

    /// Address and size of a variable by its linkage name.
    ///
    /// # Errors
    /// No such variable.
    pub fn variable(&self, name: &str) -> Result<(u64, u64)> {
        self.spv
            .globals
            .iter()
            .filter(|global| global.linkage.as_ref().is_some_and(|l| l.name == name))
            .find_map(|global| {
                let size = self.spv.layout(global.pointee)?.size;
                Some((self.storage.address(global.id)?, size))
            })
            .ok_or_else(|| Error::not_found(format!("no variable is called {name}")))
    }
}

impl Lowered {
    fn new(kernel: Translated) -> Self {
        Self {
            record_bytes: lower::record_bytes(&kernel),
            text: kernel.ir.render(),
            sync: kernel.sync,
            args: kernel.args,
            args_size: kernel.args_size,
            local_size: kernel.local_size,
            private_size: kernel.private_size,
            frame_align: kernel.frame_align,
            sub_group_size: kernel.sub_group_size,
            code: Mutex::new(Weak::new()),
        }
    }
}

/// A compiled kernel. Keeps its code and the module's variables alive.
pub struct Kernel {
    /// The code and its figures.
    pub code: Arc<Compiled>,
    /// The arguments' places.
    pub args: Box<[ArgInfo]>,
    #[expect(dead_code, reason = "held for the code, which has its addresses")]
    storage: Arc<Storage>,
}

/// Most bytes of program-scope variables of a module.
const MAX_STORAGE: u64 = 1 << 30;

/// Memory of a module's program-scope variables.
struct Storage {
    memory: *mut u8,
    layout: Option<Layout>,
    offsets: HashMap<Id, u64>,
}

// SAFETY: the memory is written only while the storage is being made; afterwards it belongs to the
// kernels, which reach it by address.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// Allocates and initialises all variables of the module that it defines itself.
    fn new(spv: &ur_spirv::Module) -> Result<Self> {
        let mut offsets = HashMap::new();
        let mut end = 0u64;
        for global in &spv.globals {
            let imported = global
                .linkage
                .as_ref()
                .is_some_and(|linkage| linkage.kind == LinkageType::Import);
            let stored = matches!(
                global.storage,
                StorageClass::CrossWorkgroup | StorageClass::UniformConstant
            );
            if imported || !stored {
                continue;
            }
            // A variable of a type without a size (a sampler, say) fails where it is used.
            let Some(layout) = spv.layout(global.pointee) else {
                continue;
            };
            let align = spv
                .decoration(global.id, ur_spirv::spirv::Decoration::Alignment)
                .and_then(|decoration| decoration.params.first().copied())
                .filter(|align| align.is_power_of_two() && *align <= 4096);
            let align = layout.align.max(u64::from(align.unwrap_or(1)));
            end = end.next_multiple_of(align);
            offsets.insert(global.id, end);
            end += layout.size;
        }
        let mut storage = Self {
            memory: std::ptr::null_mut(),
            layout: None,
            offsets,
        };
        if end == 0 {
            return Ok(storage);
        }
        let too_large = || Error::unsupported(format!("{end} bytes of program-scope variables"));
        if end > MAX_STORAGE {
            return Err(too_large());
        }
        let size = usize::try_from(end).map_err(|_| too_large())?;
        let layout = Layout::from_size_align(size, 4096).map_err(|_| too_large())?;
        // SAFETY: the layout's size is not zero.
        storage.memory = unsafe { std::alloc::alloc_zeroed(layout) };
        if storage.memory.is_null() {
            return Err(too_large());
        }
        storage.layout = Some(layout);
        // SAFETY: the memory was just allocated with that size, zeroed, and nobody else knows it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(storage.memory, size) };
        for global in &spv.globals {
            let (Some(offset), Some(init)) = (storage.offsets.get(&global.id), global.init) else {
                continue;
            };
            let size = spv.layout(global.pointee).map_or(0, |layout| layout.size);
            let start = usize::try_from(*offset).unwrap_or(usize::MAX);
            let place = usize::try_from(size)
                .ok()
                .and_then(|size| bytes.get_mut(start..start.checked_add(size)?))
                .ok_or_else(|| Error::internal("a variable outside its storage"))?;
            translate::write_bytes(spv, init, place, &|id| storage.address(id))?;
        }
        Ok(storage)
    }
}

impl Variables for Storage {
    fn address(&self, id: Id) -> Option<u64> {
        let offset = self.offsets.get(&id)?;
        Some(self.memory as u64 + offset)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: the memory was allocated with this layout, and everything that may use it
            // holds a share of this object.
            unsafe { std::alloc::dealloc(self.memory, layout) }
        }
    }
}
