//! The interface between an adapter and the JIT library.
//!
//! The JIT carries LLVM, which is large and slow to load, so it lives in a library of its own
//! (`libur_jit.so`) that is opened when the first kernel is compiled and never before. What crosses
//! between the two is this C interface: plain `repr(C)` structures and one exported function,
//! [`ENTRY_SYMBOL`], which returns a [`JitTable`]. An adapter that links `ur-jit` statically uses
//! the same table.
//!
//! # How a compiled kernel runs
//!
//! A kernel is compiled to one function of type [`GroupsFn`] that runs a contiguous range of
//! work-groups from begin to end on the calling thread. The caller owns all memory:
//!
//! * `args`: the block of argument values, laid out as [`ArgInfo`] says;
//! * `local`: work-group local memory, [`KernelInfo::local_size`] bytes for the kernel's own
//!   variables, followed by what the caller placed for local arguments (a local argument's value in
//!   the block is its byte offset into `local`), aligned to [`LOCAL_ALIGN`];
//! * `scratch`: `scratch_fixed + scratch_per_item * work-items in a group` bytes, aligned to
//!   [`LOCAL_ALIGN`], whose content is undefined before and after.
//!
//! # Code that is kept
//!
//! What was compiled can be had as bytes ([`record`]) that are loaded without the JIT library, in
//! this process or another one.

pub mod code;
mod collect;
mod image_arg;
pub mod lanes;
mod open;
pub mod record;
pub mod wire;

pub use collect::collect;
pub use image_arg::{
    Addressing, ChannelOrder, ChannelType, ImageDescriptor, ImageFormat, SamplerBits,
};
pub use open::open;

use std::ffi::{c_char, c_void};

/// Version of this interface; a table with another version is refused.
pub const ABI_VERSION: u32 = 3;

/// Name of the function that the JIT library exports: `extern "C" fn() -> *const JitTable`.
pub const ENTRY_SYMBOL: &str = "ur_jit_table";

/// Alignment in bytes of the local memory and scratch blocks handed to a kernel.
pub const LOCAL_ALIGN: usize = 128;

/// The NDRange of one launch; every array is indexed by dimension, unused dimensions hold 1 (0 for
/// the offset).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Global size in work-items.
    pub global_size: [u64; 3],
    /// Global offset in work-items.
    pub global_offset: [u64; 3],
    /// Work-group size asked for; the last group of a dimension may be smaller.
    pub local_size: [u64; 3],
    /// Number of work-groups.
    pub group_count: [u64; 3],
    /// Number of dimensions given by the caller, 1 to 3.
    pub work_dim: u32,
    /// Size in bytes of the local block handed to the kernel, local arguments included.
    pub local_bytes: u32,
}

/// Runs the work-groups with linear numbers `first..last` (x fastest) of `launch`.
///
/// # Safety
/// The memory blocks must be as large and aligned as the module documentation says, and the
/// argument values must be what the kernel expects.
pub type GroupsFn = unsafe extern "C" fn(
    launch: *const Launch,
    args: *const u8,
    first: u64,
    last: u64,
    local: *mut u8,
    scratch: *mut u8,
);

/// What kind of value a kernel argument is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A scalar, vector or by-value structure: its bytes stand in the block.
    Value = 0,
    /// A pointer to global or constant memory: 8 bytes in the block.
    Pointer = 1,
    /// A pointer to local memory: an 8-byte offset into the local block.
    Local = 2,
    /// The address of an [`ImageDescriptor`]: 8 bytes.
    Image = 3,
    /// [`SamplerBits`]: 8 bytes.
    Sampler = 4,
}

impl ArgKind {
    /// The kind with that number, if there is one.
    pub fn of(number: u32) -> Option<ArgKind> {
        [
            ArgKind::Value,
            ArgKind::Pointer,
            ArgKind::Local,
            ArgKind::Image,
            ArgKind::Sampler,
        ]
        .into_iter()
        .find(|kind| *kind as u32 == number)
    }
}

/// One kernel argument and its place in the argument block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgInfo {
    /// Kind of the argument.
    pub kind: ArgKind,
    /// Size in bytes in the block.
    pub size: u32,
    /// Offset in bytes in the block; aligned to the argument's own alignment.
    pub offset: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// What the caller must know of a compiled kernel. Lives as long as the [`Kernel`] it came with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelInfo {
    /// The code.
    pub entry: GroupsFn,
    /// The arguments, `arg_count` of them.
    pub args: *const ArgInfo,
    /// Number of arguments.
    pub arg_count: u32,
    /// Size of the argument block in bytes.
    pub args_size: u32,
    /// Local memory of the kernel's own variables, bytes.
    pub local_size: u64,
    /// Scratch bytes whatever the group size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item of a group.
    pub scratch_per_item: u64,
    /// Private memory of a work-item in bytes, an estimate for queries.
    pub private_size: u64,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Reserved, zero.
    pub reserved: u32,
}

/// A value that replaces a specialisation constant's default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SpecConstant {
    /// The `SpecId`.
    pub id: u32,
    /// Size of the value in bytes, 1 to 8.
    pub size: u32,
    /// The value's bits, zero-extended.
    pub bits: u64,
}

/// Options of a module. All pointers may be null when their count is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ModuleOptions {
    /// Build options as the user gave them, zero-terminated, or null.
    pub flags: *const c_char,
    /// Specialisation constants.
    pub spec: *const SpecConstant,
    /// Number of specialisation constants.
    pub spec_count: u32,
    /// Sub-group size to compile for; 0 lets the JIT choose.
    pub sub_group_size: u32,
    /// CPU to compile for (an LLVM name), or null for the one this process runs on.
    pub cpu: *const c_char,
    /// LLVM features (`+avx2,-avx512f`), or null for those of `cpu`.
    pub features: *const c_char,
}

/// A module handed to the JIT: checked, and with storage for its program-scope variables.
#[repr(C)]
pub struct Module {
    _opaque: [u8; 0],
}

/// A compiled kernel; keeps what it needs of its module alive.
#[repr(C)]
pub struct Kernel {
    _opaque: [u8; 0],
}

/// Outcome of a call.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It worked.
    Ok = 0,
    /// The SPIR-V is malformed; the message names the word offset and the rule.
    InvalidModule = 1,
    /// The module needs something the JIT does not do; the message names it.
    Unsupported = 2,
    /// No kernel or variable of that name.
    NotFound = 3,
    /// LLVM refused the code: a fault of the JIT.
    Internal = 4,
}

/// Receives text (a message, a listing) in UTF-8, or the byte form of a record: called once with
/// bytes that die with the call.
pub type TextFn = unsafe extern "C" fn(user: *mut c_void, text: *const u8, len: usize);

/// The JIT's functions. Every function is safe to call from several threads at once; none unwinds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct JitTable {
    /// [`ABI_VERSION`] of the library.
    pub version: u32,
    /// Reserved, zero.
    pub reserved: u32,
    /// Reads a SPIR-V module of `words` 32-bit words and translates it; compiles nothing. On failure
    /// `message` gets the reason.
    pub module_create: unsafe extern "C" fn(
        spirv: *const u32,
        words: usize,
        options: *const ModuleOptions,
        out: *mut *mut Module,
        message: TextFn,
        user: *mut c_void,
    ) -> Status,
    /// Gives the caller's share of a module back; its kernels may outlive it.
    pub module_release: unsafe extern "C" fn(module: *mut Module),
    /// Address and size in bytes of a program-scope variable by its linkage name.
    pub module_variable: unsafe extern "C" fn(
        module: *mut Module,
        name: *const u8,
        name_len: usize,
        address: *mut *mut c_void,
        size: *mut u64,
    ) -> Status,
    /// Compiles the kernel called `name`; `info` is valid until the kernel is released.
    pub kernel_create: unsafe extern "C" fn(
        module: *mut Module,
        name: *const u8,
        name_len: usize,
        out: *mut *mut Kernel,
        info: *mut KernelInfo,
        message: TextFn,
        user: *mut c_void,
    ) -> Status,
    /// Frees a kernel and its code. No thread may be inside it.
    pub kernel_release: unsafe extern "C" fn(kernel: *mut Kernel),
    /// Lists a kernel at a stage: `ir`, `lowered`, `vector`, `optimised` or `asm`.
    pub kernel_listing: unsafe extern "C" fn(
        module: *mut Module,
        name: *const u8,
        name_len: usize,
        stage: *const c_char,
        text: TextFn,
        user: *mut c_void,
    ) -> Status,
    /// Hands `bytes` the [`record::ModuleRecord`] of a module. On failure it gets the reason.
    pub module_record:
        unsafe extern "C" fn(module: *mut Module, bytes: TextFn, user: *mut c_void) -> Status,
    /// Compiles the kernel called `name` with vectors of so many [`lanes`], whatever the module's
    /// options say, and hands `bytes` its [`record::KernelRecord`]. On failure it gets the reason.
    pub kernel_record: unsafe extern "C" fn(
        module: *mut Module,
        name: *const u8,
        name_len: usize,
        lanes: u32,
        bytes: TextFn,
        user: *mut c_void,
    ) -> Status,
    /// Address of a function of the runtime that code imports by name, or null.
    pub symbol: unsafe extern "C" fn(name: *const u8, name_len: usize) -> *const c_void,
}

// SAFETY: the table holds only function pointers and numbers.
unsafe impl Sync for JitTable {}
// SAFETY: as above.
unsafe impl Send for JitTable {}
