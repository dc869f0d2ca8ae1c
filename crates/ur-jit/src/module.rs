//! A SPIR-V module handed to the JIT, with storage for its variables and its kernels' IR.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use ur_jit_abi::ArgInfo;
use ur_jit_abi::code::{Loaded, STORAGE};
use ur_jit_abi::lanes;
use ur_jit_abi::record::{ENTRY, KernelRecord, LoadedKernel, ModuleRecord};
use ur_spirv::SpecOverride;

use crate::compile::{self, Options};
use crate::error::{Error, Result};
use crate::storage::Storage;
use crate::translate::{self, Lowering, Point, Translated};
use crate::{link, lower};

/// A module: read, checked and translated, with nothing compiled yet.
pub struct Module {
    spv: ur_spirv::Module,
    options: Options,
    storage: Storage,
    /// The variables' memory, made when something needs it.
    memory: OnceLock<std::result::Result<Arc<Loaded>, String>>,
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
    /// Bytes of scratch memory of a kernel without synchronisation.
    pub scratch_fixed: u64,
    /// Whether it has private variables in scratch memory.
    pub large: bool,
    /// Whether results may depend on the number of lanes.
    pub lanes_matter: bool,
    /// Private memory, an estimate.
    pub private_size: u64,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Code that kernel objects alive now share.
    code: Mutex<Weak<LoadedKernel>>,
}

/// A kernel's IR for the vectoriser.
pub struct Vectorisable {
    /// IR text: the kernel's function, and the function called [`ENTRY`] that calls the vectorised
    /// kernel.
    pub text: String,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Whether anything depends on which work-items make up a sub-group.
    pub sub_groups: bool,
    /// Whether work-items of a sub-group must go in step.
    pub leader: bool,
    /// Whether work-items of a sub-group do something together, which takes them to be neighbours.
    pub together: bool,
    /// The synchronisation points by key.
    pub points: Vec<(u32, Point)>,
    /// Bytes of a value slot of an item record.
    pub slot: u64,
    /// Whether work-items wait for their work-group.
    pub suspends: bool,
    /// Bytes of an item record without the suspended state.
    pub record_bytes: u64,
    /// Alignment of item records and suspended work-items.
    pub frame_align: u64,
}

impl Module {
    /// Reads, checks and translates a module.
    ///
    /// # Errors
    /// The broken rule, or what is not supported.
    pub fn new(words: &[u32], spec: &[SpecOverride], options: Options) -> Result<Self> {
        let spv = ur_spirv::Module::parse(words, spec)?;
        let storage = Storage::new(&spv)?;
        let mut kernels = HashMap::new();
        for entry in spv.entry_points.iter().filter(|e| !e.is_initializer()) {
            let kernel = translate::kernel(
                &spv,
                &entry.name,
                options.sub_group_size,
                Lowering::Coroutine,
                &storage,
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
            memory: OnceLock::new(),
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

    /// The options with the number of `lanes` that is meant for a kernel.
    fn options(&self, lowered: &Lowered, lanes: u32) -> Options {
        let lanes = match lanes {
            lanes::FIRST if lowered.lanes_matter => lanes::SUITABLE,
            lanes::FIRST => lanes::NONE,
            lanes => lanes,
        };
        Options {
            lanes,
            ..self.options.clone()
        }
    }

    /// Whether a kernel may be one for the vectoriser.
    fn has_vectors(&self, lowered: &Lowered) -> bool {
        !self.options.unoptimised && !lowered.large
    }

    /// The IR for the vectoriser, of a kernel that may be one for it.
    fn vectorisable(&self, name: &str, options: &Options) -> Result<Option<Vectorisable>> {
        if options.lanes == lanes::NONE || !self.has_vectors(self.kernel(name)?) {
            return Ok(None);
        }
        let kernel = translate::kernel(
            &self.spv,
            name,
            self.options.sub_group_size,
            Lowering::Vector,
            &self.storage,
        )?;
        lower::lower_vector(&kernel, ENTRY)?;
        Ok(Some(Vectorisable {
            text: kernel.ir.render(),
            sub_group_size: kernel.sub_group_size,
            sub_groups: kernel.sub_groups,
            leader: kernel.leader,
            together: kernel.sub_groups_meet(),
            suspends: kernel.waits_for_group(),
            record_bytes: lower::record_bytes(&kernel),
            frame_align: kernel.frame_align,
            slot: kernel.slot,
            points: kernel.points,
        }))
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
                let record = self.record_kernel(name, self.options.lanes)?;
                let base = self.memory()?.start();
                let resolve = |name: &str| {
                    if name == STORAGE {
                        Some(base)
                    } else {
                        link::symbol(name)
                    }
                };
                // SAFETY: the record was just made here.
                let code = unsafe { record.load(resolve) }.map_err(Error::internal)?;
                let code = Arc::new(code);
                match lowered.code.lock() {
                    Ok(mut slot) => *slot = Arc::downgrade(&code),
                    Err(poisoned) => *poisoned.into_inner() = Arc::downgrade(&code),
                }
                code
            }
        };
        Ok(Kernel {
            code,
            _memory: Arc::clone(self.memory()?),
        })
    }

    /// Compiles a kernel for later, with vectors of so many [`lanes`] whatever the options say.
    ///
    /// # Errors
    /// As [`Module::compile`].
    pub fn record_kernel(&self, name: &str, lanes: u32) -> Result<KernelRecord> {
        let lowered = self.kernel(name)?;
        let options = self.options(lowered, lanes);
        let vector = self.vectorisable(name, &options)?;
        let mut record = compile::compile(lowered, vector.as_ref(), &options)?;
        record.provisional = lanes == lanes::FIRST && vector.is_none() && self.has_vectors(lowered);
        Ok(record)
    }

    /// What must be known of the module to use its compiled kernels.
    pub fn record(&self) -> &ModuleRecord {
        self.storage.record()
    }

    /// The memory of its variables.
    fn memory(&self) -> Result<&Arc<Loaded>> {
        self.memory
            .get_or_init(|| Loaded::new(&self.record().storage, |_| None).map(Arc::new))
            .as_ref()
            .map_err(|reason| Error::internal(reason.clone()))
    }

    /// A kernel's text at a stage: `ir`, `lowered`, `vector`, `optimised` or `asm`.
    ///
    /// # Errors
    /// No such kernel or stage, or a fault of the compiler.
    pub fn listing(&self, name: &str, stage: &str) -> Result<String> {
        let lowered = self.kernel(name)?;
        let options = self.options(lowered, self.options.lanes);
        match stage {
            "ir" => {
                let kernel = translate::kernel(
                    &self.spv,
                    name,
                    self.options.sub_group_size,
                    Lowering::Placeholder,
                    &self.storage,
                )?;
                Ok(kernel.ir.render())
            }
            "lowered" => Ok(lowered.text.clone()),
            "optimised" => {
                let vector = self.vectorisable(name, &options)?;
                compile::optimised(lowered, vector.as_ref(), &options)
            }
            "vector" => {
                let vector = self.vectorisable(name, &options)?;
                compile::vectorised(vector.as_ref(), &options)
            }
            "asm" => {
                let vector = self.vectorisable(name, &options)?;
                compile::assembly(lowered, vector.as_ref(), &options)
            }
            other => Err(Error::not_found(format!("no stage is called {other}"))),
        }
    }

    /// Address and size of a variable by its linkage name.
    ///
    /// # Errors
    /// No such variable, or no memory for it.
    pub fn variable(&self, name: &str) -> Result<(u64, u64)> {
        let mut variables = self.record().variables.iter();
        let variable = variables
            .find(|variable| variable.name == name)
            .ok_or_else(|| Error::not_found(format!("no variable is called {name}")))?;
        let base = self.memory()?.start() as u64;
        Ok((base + variable.offset, variable.size))
    }
}

impl Lowered {
    fn new(kernel: Translated) -> Self {
        Self {
            record_bytes: lower::record_bytes(&kernel),
            scratch_fixed: if kernel.sync {
                0
            } else {
                lower::large_bytes(&kernel)
            },
            large: kernel.large_size > 0,
            lanes_matter: kernel.lanes_matter(),
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
    pub code: Arc<LoadedKernel>,
    /// Held for the code, which has its address.
    _memory: Arc<Loaded>,
}
