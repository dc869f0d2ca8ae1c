//! Runs kernels through the JIT's C interface.
#![allow(dead_code)]

use std::alloc::Layout;
use std::ffi::{CString, c_void};
use std::fmt::Display;
use std::path::PathBuf;
use std::ptr;

use ur_jit_abi::record::KernelRecord;
use ur_jit_abi::{
    ArgKind, JitTable, Kernel, KernelInfo, LOCAL_ALIGN, Launch, Module, ModuleOptions,
    SpecConstant, Status,
};

/// Collects the text that the JIT hands over.
unsafe extern "C" fn collect(user: *mut c_void, text: *const u8, len: usize) {
    // SAFETY: `user` is the string passed with this function; the bytes live through the call.
    unsafe {
        let text = std::slice::from_raw_parts(text, len);
        (*user.cast::<String>()).push_str(&String::from_utf8_lossy(text));
    }
}

fn table() -> &'static JitTable {
    // SAFETY: the table is a static of the library.
    unsafe { &*ur_jit::ur_jit_table() }
}

/// Words of a module from the repository's test modules.
pub fn words(name: &str) -> Vec<u32> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/spirv")
        .join(format!("{name}.spv"));
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// A module and its options.
pub struct Jit {
    module: *mut Module,
}

impl Jit {
    pub fn new(name: &str) -> Self {
        Self::with(name, 0, &[]).unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"))
    }

    /// A module with a sub-group size.
    pub fn sub_group(name: &str, size: u32) -> Self {
        Self::with(name, size, &[]).unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"))
    }

    pub fn with(
        name: &str,
        sub_group_size: u32,
        spec: &[SpecConstant],
    ) -> Result<Self, (Status, String)> {
        Self::from_words(&words(name), sub_group_size, spec)
    }

    pub fn from_words(
        words: &[u32],
        sub_group_size: u32,
        spec: &[SpecConstant],
    ) -> Result<Self, (Status, String)> {
        let options = ModuleOptions {
            flags: ptr::null(),
            spec: spec.as_ptr(),
            spec_count: spec.len() as u32,
            sub_group_size,
            cpu: ptr::null(),
            features: ptr::null(),
        };
        Self::with_options(words, &options)
    }

    /// A module whose kernels have so many lanes, or those of a word that says so, for the CPU of that
    /// LLVM name or this one.
    pub fn compiled_for(name: &str, lanes: impl Display, cpu: Option<&str>) -> Self {
        let flags = CString::new(format!("-ur-lanes={lanes}")).expect("no zero");
        let cpu = cpu.map(|cpu| CString::new(cpu).expect("no zero"));
        let options = ModuleOptions {
            flags: flags.as_ptr(),
            spec: ptr::null(),
            spec_count: 0,
            sub_group_size: 0,
            cpu: cpu.as_ref().map_or(ptr::null(), |cpu| cpu.as_ptr()),
            features: ptr::null(),
        };
        Self::with_options(&words(name), &options)
            .unwrap_or_else(|(status, text)| panic!("{status:?}: {text}"))
    }

    fn with_options(words: &[u32], options: &ModuleOptions) -> Result<Self, (Status, String)> {
        let mut module = ptr::null_mut();
        let mut message = String::new();
        // SAFETY: all pointers are to live objects of the right types.
        let status = unsafe {
            (table().module_create)(
                words.as_ptr(),
                words.len(),
                options,
                &raw mut module,
                collect,
                (&raw mut message).cast(),
            )
        };
        if status == Status::Ok {
            Ok(Self { module })
        } else {
            Err((status, message))
        }
    }

    pub fn listing(&self, kernel: &str, stage: &str) -> Result<String, (Status, String)> {
        let stage = CString::new(stage).expect("no zero");
        let mut text = String::new();
        // SAFETY: as in `with`.
        let status = unsafe {
            (table().kernel_listing)(
                self.module,
                kernel.as_ptr(),
                kernel.len(),
                stage.as_ptr(),
                collect,
                (&raw mut text).cast(),
            )
        };
        if status == Status::Ok {
            Ok(text)
        } else {
            Err((status, text))
        }
    }

    /// A kernel's record with vectors of so many lanes.
    pub fn record(&self, kernel: &str, lanes: u32) -> KernelRecord {
        unsafe extern "C" fn keep(user: *mut c_void, bytes: *const u8, len: usize) {
            // SAFETY: `user` is the vector passed with this function; the bytes live through the call.
            unsafe {
                let bytes = std::slice::from_raw_parts(bytes, len);
                (*user.cast::<Vec<u8>>()).extend_from_slice(bytes);
            }
        }
        let mut bytes = Vec::new();
        // SAFETY: as in `with`.
        let status = unsafe {
            (table().kernel_record)(
                self.module,
                kernel.as_ptr(),
                kernel.len(),
                lanes,
                keep,
                (&raw mut bytes).cast(),
            )
        };
        assert_eq!(status, Status::Ok, "{}", String::from_utf8_lossy(&bytes));
        KernelRecord::from_bytes(&bytes).expect("well-formed")
    }

    pub fn variable(&self, name: &str) -> Option<(*mut c_void, u64)> {
        let (mut address, mut size) = (ptr::null_mut(), 0);
        // SAFETY: as in `with`.
        let status = unsafe {
            (table().module_variable)(
                self.module,
                name.as_ptr(),
                name.len(),
                &raw mut address,
                &raw mut size,
            )
        };
        (status == Status::Ok).then_some((address, size))
    }

    pub fn try_kernel(&self, name: &str) -> Result<Compiled, (Status, String)> {
        let mut kernel = ptr::null_mut();
        let mut info = std::mem::MaybeUninit::<KernelInfo>::uninit();
        let mut message = String::new();
        // SAFETY: as in `with`.
        let status = unsafe {
            (table().kernel_create)(
                self.module,
                name.as_ptr(),
                name.len(),
                &raw mut kernel,
                info.as_mut_ptr(),
                collect,
                (&raw mut message).cast(),
            )
        };
        if status != Status::Ok {
            return Err((status, message));
        }
        // SAFETY: on success the description is filled in.
        let info = unsafe { info.assume_init() };
        Ok(Compiled { kernel, info })
    }

    pub fn kernel(&self, name: &str) -> Compiled {
        self.try_kernel(name)
            .unwrap_or_else(|(status, text)| panic!("{name}: {status:?}: {text}"))
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: the share from `module_create`.
        unsafe { (table().module_release)(self.module) }
    }
}

/// A compiled kernel.
pub struct Compiled {
    kernel: *mut Kernel,
    pub info: KernelInfo,
}

// SAFETY: the interface lets several threads run a kernel at once; nothing here is changed by that.
unsafe impl Sync for Compiled {}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: the kernel from `kernel_create`.
        unsafe { (table().kernel_release)(self.kernel) }
    }
}

/// An argument of a launch.
pub enum Arg {
    Bytes(Vec<u8>),
    Pointer(*mut c_void),
    Local(usize),
}

pub fn pointer<T>(values: &mut [T]) -> Arg {
    Arg::Pointer(values.as_mut_ptr().cast())
}

pub fn value<T: Copy>(value: T) -> Arg {
    // SAFETY: the bytes of a plain value.
    let bytes =
        unsafe { std::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) };
    Arg::Bytes(bytes.to_vec())
}

/// Memory with an alignment; filled with a pattern, so that nothing relies on zeros.
pub struct Block {
    memory: *mut u8,
    layout: Layout,
}

impl Block {
    pub fn new(size: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(size.max(1), align).expect("valid");
        // SAFETY: the size is not zero; every byte of the new block is written.
        let memory = unsafe {
            let memory = std::alloc::alloc(layout);
            memory.write_bytes(0xa5, layout.size());
            memory
        };
        Self { memory, layout }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.memory, self.layout) }
    }
}

impl Compiled {
    /// Runs the kernel on this thread.
    pub fn run(&self, global: [u64; 3], local: [u64; 3], args: &[Arg]) {
        self.run_offset(global, local, [0; 3], args);
    }

    pub fn run_offset(&self, global: [u64; 3], local: [u64; 3], offset: [u64; 3], args: &[Arg]) {
        let info = &self.info;
        // SAFETY: the description says that many.
        let places = unsafe { std::slice::from_raw_parts(info.args, info.arg_count as usize) };
        assert_eq!(places.len(), args.len(), "number of arguments");
        let block = Block::new(info.args_size as usize, 128);
        let mut local_bytes = info.local_size as usize;
        for (place, arg) in places.iter().zip(args) {
            let bytes = match arg {
                Arg::Bytes(bytes) => {
                    assert_eq!(place.kind, ArgKind::Value);
                    bytes.clone()
                }
                Arg::Pointer(pointer) => {
                    assert_eq!(place.kind, ArgKind::Pointer);
                    (*pointer as usize).to_ne_bytes().to_vec()
                }
                Arg::Local(size) => {
                    assert_eq!(place.kind, ArgKind::Local);
                    local_bytes = local_bytes.next_multiple_of(LOCAL_ALIGN);
                    let at = local_bytes;
                    local_bytes += size;
                    at.to_ne_bytes().to_vec()
                }
            };
            assert_eq!(place.size as usize, bytes.len(), "size of an argument");
            // SAFETY: the place lies in the block.
            unsafe {
                ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    block.memory.add(place.offset as usize),
                    bytes.len(),
                );
            }
        }
        let mut group_count = [1; 3];
        for dim in 0..3 {
            group_count[dim] = global[dim].div_ceil(local[dim]);
        }
        let launch = Launch {
            global_size: global,
            global_offset: offset,
            local_size: local,
            group_count,
            work_dim: 3,
            local_bytes: local_bytes as u32,
        };
        let items = local.iter().product::<u64>();
        let scratch = info.scratch_fixed + info.scratch_per_item * items;
        let local_block = Block::new(local_bytes, LOCAL_ALIGN);
        let scratch = Block::new(scratch as usize, LOCAL_ALIGN);
        let groups = group_count.iter().product();
        // SAFETY: all blocks are as the interface says; the test passes the arguments the kernel
        // expects.
        unsafe {
            (info.entry)(
                &raw const launch,
                block.memory,
                0,
                groups,
                local_block.memory,
                scratch.memory,
            );
        }
    }
}
