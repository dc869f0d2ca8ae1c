//! Machine code of programs: from the JIT, from the cache on disk, or from a saved program.
//!
//! The JIT library is asked only for what is found nowhere else.

use crate::binary::Specialisation;
use crate::cache::{self, Key, KeyMaker};
use crate::cpu;
use crate::device::info::MAX_WORK_GROUP_SIZE;
use crate::fork::{self, Mutex, once};
use crate::jit::{self, JitModule};
use crate::share::Pace;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use ur_jit_abi::code::{Loaded, STORAGE};
use ur_jit_abi::lanes::{self, Lanes};
use ur_jit_abi::record::{KernelRecord, LoadedKernel, ModuleRecord, RECORD_VERSION, Variable};
use ur_jit_abi::{ArgInfo, KernelInfo, LOCAL_ALIGN};

/// What code is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The SPIR-V.
    pub words: Arc<[u32]>,
    /// Build options.
    pub options: String,
    /// Specialisation constants that were set.
    pub constants: Vec<Specialisation>,
}

impl Source {
    /// What the cache keeps its code under; none if the JIT library that would compile it cannot be
    /// told from others.
    fn key(&self) -> Option<Key> {
        let mut maker = KeyMaker::new("module");
        maker.add(&RECORD_VERSION.to_le_bytes());
        maker.add(jit::build_id()?);
        maker.add(cpu::fingerprint());
        let mut constants = self.constants.clone();
        constants.sort_by_key(|constant| constant.id);
        for constant in &constants {
            maker.add(&constant.id.to_le_bytes());
            maker.add(&constant.bits.to_le_bytes());
        }
        for option in self.options.split_whitespace() {
            maker.add(option.as_bytes());
        }
        // The number of parts varies; the longest one comes last.
        // SAFETY: words are bytes without any padding.
        maker.add(unsafe {
            std::slice::from_raw_parts(self.words.as_ptr().cast(), size_of_val(&*self.words))
        });
        Some(maker.finish())
    }
}

/// Most bytes of scratch memory for one work-group; a kernel that needs much for each work-item has
/// smaller groups.
const MAX_SCRATCH: u64 = 256 << 20;

/// How many work-items have room in the scratch memory of a group.
pub fn fitting(info: &KernelInfo) -> u64 {
    MAX_SCRATCH
        .saturating_sub(info.scratch_fixed)
        .checked_div(info.scratch_per_item)
        .unwrap_or(u64::MAX)
}

/// Code of a program, kernel by kernel as they are asked for, with the memory of its variables.
pub struct Module {
    source: Source,
    /// Which code of its kernels is wanted.
    lanes: Lanes,
    key: Option<Key>,
    record: Vec<u8>,
    variables: Vec<Variable>,
    storage: Arc<Loaded>,
    jit: OnceLock<Result<JitModule, String>>,
    kernels: Mutex<HashMap<String, Arc<Compiled>>>,
    /// Kernels' records that came with a saved program or were made for one.
    saved: Mutex<HashMap<String, Arc<[u8]>>>,
}

impl Module {
    /// Has the JIT accept a module, unless it is known that it does.
    ///
    /// # Errors
    /// Why it was refused, or why there is no JIT.
    pub fn build(source: Source) -> Result<Module, String> {
        let key = cache::get().and_then(|_| source.key());
        if let (Some(cache), Some(key)) = (cache::get(), &key)
            && let Some(record) = cache.get(key)
        {
            match Module::new(source.clone(), Some(key.clone()), record) {
                Ok(module) => return Ok(module),
                Err(_) => cache.remove(key),
            }
        }
        let jit = JitModule::new(&source.words, &source.options, &source.constants)?;
        let record = jit.record()?;
        if let (Some(cache), Some(key)) = (cache::get(), &key) {
            cache.put(key, &record);
        }
        let module = Module::new(source, key, record)?;
        let _ = module.jit.set(Ok(jit));
        Ok(module)
    }

    /// A module that was saved, with records of its kernels by name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn restore(
        source: Source,
        record: Vec<u8>,
        kernels: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Module, String> {
        let key = cache::get().and_then(|_| source.key());
        let module = Module::new(source, key, record)?;
        module
            .saved
            .lock()
            .extend(kernels.into_iter().map(|(n, bytes)| (n, bytes.into())));
        Ok(module)
    }

    fn new(source: Source, key: Option<Key>, bytes: Vec<u8>) -> Result<Module, String> {
        let record = ModuleRecord::from_bytes(&bytes).map_err(|error| error.to_string())?;
        let storage = Loaded::new(&record.storage, |_| None)?;
        Ok(Module {
            lanes: Lanes::asked(&source.options),
            source,
            key,
            record: bytes,
            variables: record.variables,
            storage: Arc::new(storage),
            jit: OnceLock::new(),
            kernels: Mutex::default(),
            saved: Mutex::default(),
        })
    }

    /// What it was made of.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The bytes of its [`ModuleRecord`].
    pub fn record(&self) -> &[u8] {
        &self.record
    }

    /// The code of a kernel, compiled if it is nowhere to be found.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn kernel(self: &Arc<Module>, name: &str) -> Result<Arc<Compiled>, String> {
        if let Some(kernel) = self.kernels.lock().get(name) {
            return Ok(kernel.clone());
        }
        // Loaded and compiled without the lock: it may take long, and other kernels need not wait.
        let compiled = self.find(name)?;
        // If another thread was faster, its code is kept.
        let mut kernels = self.kernels.lock();
        let kernel = kernels.entry(name.to_owned());
        Ok(kernel.or_insert_with(|| Arc::new(compiled)).clone())
    }

    fn find(self: &Arc<Module>, name: &str) -> Result<Compiled, String> {
        let tiered = self.lanes == Lanes::Tiered;
        // An earlier process has found out that the kernel is worth it.
        if tiered && let Some((compiled, _)) = self.kept(name, lanes::SUITABLE) {
            return Ok(compiled);
        }
        let saved = self.saved.lock().get(name).cloned();
        let mut compiled = match saved.and_then(|record| self.load(&record).ok()) {
            Some(compiled) => compiled,
            None => match self.kept(name, self.lanes.first()) {
                Some((compiled, _)) => compiled,
                None => self.load(&self.compile(name, self.lanes.first())?)?,
            },
        };
        if tiered && compiled.code.is_provisional() {
            compiled.pace = Pace::watched();
            compiled.origin = Some((Arc::downgrade(self), name.into()));
        }
        Ok(compiled)
    }

    /// The bytes of a kernel's [`KernelRecord`], of the code that is made first.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn kernel_record(&self, name: &str) -> Result<Arc<[u8]>, String> {
        if let Some(record) = self.saved.lock().get(name) {
            return Ok(record.clone());
        }
        let record: Arc<[u8]> = match self.kept(name, self.lanes.first()) {
            Some((_, record)) => record.into(),
            None => self.compile(name, self.lanes.first())?.into(),
        };
        self.saved.lock().insert(name.to_owned(), record.clone());
        Ok(record)
    }

    /// What the cache keeps a kernel's code under.
    fn kernel_key(&self, name: &str, lanes: u32) -> Option<Key> {
        let key = self.key.as_ref()?;
        Some(key.part(&format!("kernel lanes={lanes}"), name))
    }

    /// A kernel from the cache, with its record.
    fn kept(&self, name: &str, lanes: u32) -> Option<(Compiled, Vec<u8>)> {
        let (cache, key) = (cache::get()?, self.kernel_key(name, lanes)?);
        let record = cache.get(&key)?;
        match self.load(&record) {
            Ok(compiled) => Some((compiled, record)),
            Err(_) => {
                cache.remove(&key);
                None
            }
        }
    }

    /// A kernel's record from the JIT.
    fn compile(&self, name: &str, lanes: u32) -> Result<Vec<u8>, String> {
        let jit = once(&self.jit, || {
            let Source {
                words,
                options,
                constants,
            } = &self.source;
            JitModule::new(words, options, constants)
        });
        let record = jit.as_ref().map_err(String::clone)?.kernel(name, lanes)?;
        if let (Some(cache), Some(key)) = (cache::get(), self.kernel_key(name, lanes)) {
            cache.put(&key, &record);
        }
        Ok(record)
    }

    /// Has later processes use a kernel's first code and look for no better one.
    fn settle(&self, name: &str) {
        let Some(cache) = cache::get() else {
            return;
        };
        let keys = [lanes::FIRST, lanes::SUITABLE].map(|lanes| self.kernel_key(name, lanes));
        let [Some(first), Some(better)] = keys else {
            return;
        };
        let record = cache.get(&first);
        if let Some(mut record) = record.and_then(|bytes| KernelRecord::from_bytes(&bytes).ok()) {
            record.provisional = false;
            cache.put(&first, &record.to_bytes());
            cache.remove(&better);
        }
    }

    /// Puts a kernel into memory.
    fn load(&self, record: &[u8]) -> Result<Compiled, String> {
        let record = KernelRecord::from_bytes(record).map_err(|error| error.to_string())?;
        let base = self.storage.start();
        let resolve = |name: &str| {
            if name == STORAGE {
                Some(base)
            } else {
                jit::symbol(name)
            }
        };
        // SAFETY: the record was made by the JIT for this kind of CPU and with the same interface:
        // it comes from it right now, or with a hash from the user's own cache, or with a saved
        // program, whose code the program chose to run.
        let code = unsafe { record.load(resolve) }?;
        let args_align = code.args().iter().map(|arg| arg.align as usize).max();
        Ok(Compiled {
            args_align: args_align.unwrap_or(1).clamp(1, LOCAL_ALIGN),
            code,
            pace: Pace::default(),
            better: OnceLock::new(),
            stays: AtomicBool::new(false),
            before: None,
            origin: None,
            _storage: self.storage.clone(),
        })
    }

    /// Address and size of a program-scope variable.
    pub fn variable(&self, name: &str) -> Option<(usize, usize)> {
        let mut variables = self.variables.iter();
        let variable = variables.find(|variable| variable.name == name)?;
        let address = self.storage.start() + variable.offset as usize;
        Some((address, variable.size as usize))
    }
}

/// A compiled kernel. Every launch holds a share of it, so that its code stays while it runs.
pub struct Compiled {
    code: LoadedKernel,
    args_align: usize,
    pace: Pace,
    /// Faster code of the same kernel, once there is some.
    better: OnceLock<Arc<Compiled>>,
    /// Whether `better` was tried and is not.
    stays: AtomicBool,
    /// The code whose `better` this is.
    before: Option<Weak<Compiled>>,
    /// The module and the name of a kernel of which there may be better code some day, or which is on
    /// trial. The module has this object, not the other way round.
    origin: Option<(Weak<Module>, Box<str>)>,
    /// Held for the code, which has its address.
    _storage: Arc<Loaded>,
}

impl Compiled {
    /// What is known of the kernel.
    pub fn info(&self) -> &KernelInfo {
        self.code.info()
    }

    /// Alignment of its block of arguments.
    pub fn args_align(&self) -> usize {
        self.args_align
    }

    /// What its work-items take.
    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    /// Its arguments.
    pub fn args(&self) -> &[ArgInfo] {
        self.code.args()
    }

    /// The fastest code of the kernel that there is at this moment. A launch chooses once: the memory that
    /// it needs is that of the code.
    pub fn best(self: &Arc<Compiled>) -> &Arc<Compiled> {
        match self.better.get() {
            Some(better) if !self.stays.load(Ordering::Relaxed) => better,
            _ => self,
        }
    }

    /// The kernel's name, and its module if that is still in use; none if there will be no better code
    /// and no trial.
    pub fn origin(&self) -> Option<(Arc<Module>, &str)> {
        let (module, name) = self.origin.as_ref()?;
        Some((module.upgrade()?, name))
    }

    /// Gets better code, for launches from now on.
    ///
    /// # Errors
    /// Why there is none.
    pub fn improve(self: &Arc<Compiled>, module: &Arc<Module>, name: &str) -> Result<(), String> {
        // Another process may have been faster.
        let mut better = match module.kept(name, lanes::SUITABLE) {
            Some((better, _)) => better,
            None => module.load(&module.compile(name, lanes::SUITABLE)?)?,
        };
        if !self.is_replaceable_by(&better) {
            return Err("the program would notice the difference".to_owned());
        }
        better.pace = self.pace.inherited();
        better.before = Some(Arc::downgrade(self));
        better.origin = Some((Arc::downgrade(module), name.into()));
        // A child that is forked in the middle of this would find it neither set nor free to be set.
        let _section = fork::section();
        let _ = self.better.set(Arc::new(better));
        Ok(())
    }

    /// Whether it has taken the place of other code and has to prove that it is better.
    pub fn is_on_trial(&self) -> bool {
        self.before.is_some()
    }

    /// Ends the trial: if it is clearly slower, launches take the code before it again, here and in later
    /// processes. Says whether it stays.
    pub fn judge(&self, module: &Module, name: &str) -> bool {
        let Some(before) = self.before.as_ref().and_then(Weak::upgrade) else {
            return true;
        };
        let (Some(own), Some(old)) = (self.pace.average(), before.pace.average()) else {
            return true;
        };
        // Launches differ in what their work-items have to do.
        if own <= old.saturating_add(old / 2) {
            return true;
        }
        before.stays.store(true, Ordering::Relaxed);
        module.settle(name);
        false
    }

    /// Whether other code can take this one's place without anybody being able to tell: all that the
    /// program was told of the kernel holds for it, and every work-group that may be launched has room.
    fn is_replaceable_by(&self, other: &Compiled) -> bool {
        let (own, new) = (self.info(), other.info());
        self.args() == other.args()
            && own.args_size == new.args_size
            && own.local_size == new.local_size
            && own.sub_group_size == new.sub_group_size
            && fitting(new) >= fitting(own).min(MAX_WORK_GROUP_SIZE as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source {
            words: [1, 2, 3].into(),
            options: "-a  -b".into(),
            constants: Vec::new(),
        }
    }

    #[test]
    fn keys_depend_on_all_that_code_depends_on() {
        let key = |change: &dyn Fn(&mut Source)| {
            let mut source = source();
            change(&mut source);
            source.key().unwrap()
        };
        let set = |id: u32, bits: u64| Specialisation { id, size: 4, bits };
        let plain = key(&|_| ());
        assert_eq!(key(&|source| source.options = "-a -b".into()), plain);
        assert_eq!(
            key(&|source| source.constants = vec![set(1, 2), set(3, 4)]),
            key(&|source| source.constants = vec![set(3, 4), set(1, 2)])
        );
        let changes: [&dyn Fn(&mut Source); 6] = [
            &|source| source.words = [1, 2, 4].into(),
            &|source| source.words = [1, 2].into(),
            &|source| source.options = "-a-b".into(),
            &|source| source.options.clear(),
            &|source| source.constants = vec![set(1, 2)],
            &|source| source.constants = vec![set(2, 1)],
        ];
        let mut all: Vec<_> = changes.iter().map(|change| key(change)).collect();
        all.push(plain.part("kernel", "a"));
        all.push(plain.part("kernel", "b"));
        all.push(plain.part("kerne", "la"));
        all.push(plain);
        for (i, one) in all.iter().enumerate() {
            assert!(!all[..i].contains(one), "{i}");
        }
    }

    /// Code that is never run, with the figures of a record.
    fn compiled(change: &dyn Fn(&mut KernelRecord)) -> Compiled {
        let mut record = KernelRecord {
            args: vec![ArgInfo {
                kind: ur_jit_abi::ArgKind::Pointer,
                size: 8,
                offset: 0,
                align: 8,
            }],
            args_size: 16,
            sub_group_size: 32,
            local_size: 64,
            scratch_fixed: 128,
            scratch_per_item: 1024,
            private_size: 16,
            provisional: true,
            image: ur_jit_abi::code::CodeImage {
                text: vec![0xc3],
                exports: vec![(ur_jit_abi::record::ENTRY.into(), 0)],
                ..Default::default()
            },
        };
        change(&mut record);
        let storage = ModuleRecord::default().storage;
        Compiled {
            // SAFETY: the code is not run.
            code: unsafe { record.load(|_| None) }.unwrap(),
            args_align: 8,
            pace: Pace::watched(),
            better: OnceLock::new(),
            stays: AtomicBool::new(false),
            before: None,
            origin: None,
            _storage: Arc::new(Loaded::new(&storage, |_| None).unwrap()),
        }
    }

    #[test]
    fn code_is_replaced_only_by_what_looks_the_same() {
        let first = compiled(&|_| ());
        let same: [&dyn Fn(&mut KernelRecord); 4] = [
            &|_| (),
            &|record| record.private_size = 1000,
            &|record| record.scratch_fixed = 0,
            // The largest group still has room.
            &|record| record.scratch_per_item = MAX_SCRATCH / 10_000,
        ];
        for same in same {
            assert!(first.is_replaceable_by(&compiled(same)));
        }
        let others: [&dyn Fn(&mut KernelRecord); 6] = [
            &|record| record.args_size = 24,
            &|record| record.args[0].offset = 8,
            &|record| record.args.clear(),
            &|record| record.sub_group_size = 16,
            &|record| record.local_size = 0,
            &|record| record.scratch_per_item = MAX_SCRATCH / 1000,
        ];
        for other in others {
            assert!(!first.is_replaceable_by(&compiled(other)));
        }
        // What was small before may be so again.
        let first = compiled(&|record| record.scratch_per_item = MAX_SCRATCH / 1000);
        let fixed = |record: &mut KernelRecord| record.scratch_per_item = MAX_SCRATCH / 1100;
        assert!(first.is_replaceable_by(&compiled(&fixed)));
    }

    /// A module of which better code is made.
    fn vector_add() -> Arc<Module> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/spirv/");
        let bytes = std::fs::read(format!("{folder}vector_add.spv")).unwrap();
        let words = bytes.chunks_exact(4);
        let words = words.map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        Arc::new(
            Module::build(Source {
                words: words.collect(),
                options: "-ur-lanes=tiered -unit-test".into(),
                constants: Vec::new(),
            })
            .unwrap(),
        )
    }

    #[test]
    fn a_failure_to_improve_changes_nothing() {
        let module = vector_add();
        let first = Arc::new(compiled(&|_| ()));
        // There is no such kernel, and that of the right name has other arguments.
        for name in ["none", "vector_add"] {
            assert!(first.improve(&module, name).is_err());
            assert!(std::ptr::eq(&**first.best(), &*first));
        }
        let kernel = module.kernel("vector_add").unwrap();
        kernel.improve(&module, "vector_add").unwrap();
        assert!(!std::ptr::eq(&**kernel.best(), &*kernel));
        assert!(kernel.best().is_on_trial());
    }

    #[test]
    fn code_that_proves_to_be_slower_goes() {
        for (ticks, stays) in [(3, true), (4, true), (6, true), (7, false), (40, false)] {
            let module = vector_add();
            let kernel = module.kernel("vector_add").unwrap();
            // The trial begins when the first code has shown what it takes.
            while !kernel.pace().note(1 << 20, 4 << 20) {}
            kernel.improve(&module, "vector_add").unwrap();
            let better = kernel.best().clone();
            assert!(better.is_on_trial());
            assert!(better.judge(&module, "vector_add"), "nothing is known yet");
            while !better.pace().note(1 << 20, ticks << 20) {}
            assert_eq!(better.judge(&module, "vector_add"), stays, "{ticks}");
            assert_eq!(std::ptr::eq(&**kernel.best(), &*better), stays);
        }
    }
}
