//! What the JIT makes of a module and of a kernel, as bytes that can be kept and used later in
//! another process on the same kind of CPU.

use std::fmt;

use crate::code::{CodeImage, Loaded};
use crate::wire::{Malformed, Reader, Writer};
use crate::{ArgInfo, ArgKind, GroupsFn, KernelInfo};

/// Version of the byte forms, of what code may import and of how it is called: whatever has another
/// one cannot be used.
pub const RECORD_VERSION: u32 = 2;

/// Name of the place in a kernel's image where it is entered, a [`GroupsFn`].
pub const ENTRY: &str = "ur.entry";

/// A program-scope variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its linkage name.
    pub name: String,
    /// Distance from the start of the module's storage, in bytes.
    pub offset: u64,
    /// Bytes that it takes.
    pub size: u64,
}

/// What is kept of a module that the JIT accepted: its kernels can be translated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleRecord {
    /// Memory of its variables, before any kernel ran.
    pub storage: CodeImage,
    /// The variables that have a name.
    pub variables: Vec<Variable>,
}

impl ModuleRecord {
    /// The byte form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.u32(RECORD_VERSION);
        to.count(self.variables.len());
        for variable in &self.variables {
            to.bytes(variable.name.as_bytes());
            to.u64(variable.offset);
            to.u64(variable.size);
        }
        self.storage.write(&mut to);
        to.0
    }

    /// Reads the byte form.
    ///
    /// # Errors
    /// The part that makes no sense.
    pub fn from_bytes(bytes: &[u8]) -> Result<ModuleRecord, Malformed> {
        let mut from = Reader(bytes);
        version(&mut from)?;
        let count = from.count(24, "number of variables")?;
        let variables = from.list(count, |from| {
            Ok(Variable {
                name: from.text("variable")?.to_owned(),
                offset: from.u64("variable")?,
                size: from.u64("variable")?,
            })
        })?;
        let storage = CodeImage::read(&mut from)?;
        from.end("module")?;
        let size = storage.size();
        let inside = |variable: &Variable| {
            let end = variable.offset.checked_add(variable.size);
            end.is_some_and(|end| end <= size)
        };
        if !storage.text.is_empty() || !variables.iter().all(inside) {
            return Err(Malformed("variable"));
        }
        Ok(ModuleRecord { storage, variables })
    }
}

/// A compiled kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelRecord {
    /// The arguments.
    pub args: Vec<ArgInfo>,
    /// Size of the argument block in bytes.
    pub args_size: u32,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Local memory of the kernel's own variables, bytes.
    pub local_size: u64,
    /// Scratch bytes whatever the group size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item of a group.
    pub scratch_per_item: u64,
    /// Private memory of a work-item in bytes, an estimate.
    pub private_size: u64,
    /// Whether this is the code that was quick to compile, and the JIT would make faster code with the
    /// same results for [`SUITABLE`](crate::lanes::SUITABLE) lanes.
    pub provisional: bool,
    /// The code; exports [`ENTRY`].
    pub image: CodeImage,
}

impl KernelRecord {
    /// The byte form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.u32(RECORD_VERSION);
        to.u32(self.args_size);
        to.u32(self.sub_group_size);
        to.u64(self.local_size);
        to.u64(self.scratch_fixed);
        to.u64(self.scratch_per_item);
        to.u64(self.private_size);
        to.u32(self.provisional.into());
        to.count(self.args.len());
        for arg in &self.args {
            to.u32(arg.kind as u32);
            to.u32(arg.size);
            to.u32(arg.offset);
            to.u32(arg.align);
        }
        self.image.write(&mut to);
        to.0
    }

    /// Reads the byte form.
    ///
    /// # Errors
    /// The part that makes no sense.
    pub fn from_bytes(bytes: &[u8]) -> Result<KernelRecord, Malformed> {
        let mut from = Reader(bytes);
        version(&mut from)?;
        let mut record = KernelRecord {
            args_size: from.u32("argument block")?,
            sub_group_size: from.u32("sub-group size")?,
            local_size: from.u64("local size")?,
            scratch_fixed: from.u64("scratch size")?,
            scratch_per_item: from.u64("scratch size")?,
            private_size: from.u64("private size")?,
            provisional: match from.u32("kind of code")? {
                0 => false,
                1 => true,
                _ => return Err(Malformed("kind of code")),
            },
            ..KernelRecord::default()
        };
        let count = from.count(16, "number of arguments")?;
        record.args = from.list(count, |from| {
            Ok(ArgInfo {
                kind: ArgKind::of(from.u32("argument")?).ok_or(Malformed("argument"))?,
                size: from.u32("argument")?,
                offset: from.u32("argument")?,
                align: from.u32("argument")?,
            })
        })?;
        record.image = CodeImage::read(&mut from)?;
        from.end("kernel")?;
        let inside = |arg: &ArgInfo| {
            let end = arg.offset.checked_add(arg.size);
            end.is_some_and(|end| end <= record.args_size)
        };
        if !record.args.iter().all(inside) || !record.image.exports.iter().any(|(n, _)| n == ENTRY)
        {
            return Err(Malformed("argument"));
        }
        Ok(record)
    }

    /// Puts the code into memory. `resolve` gives the address of what it imports: functions of the
    /// runtime, and [`crate::code::STORAGE`].
    ///
    /// # Errors
    /// As [`Loaded::new`].
    ///
    /// # Safety
    /// The record must be one that the JIT made, and the addresses those that it meant: the code
    /// will run.
    pub unsafe fn load(
        self,
        resolve: impl FnMut(&str) -> Option<usize>,
    ) -> Result<LoadedKernel, String> {
        let code = Loaded::new(&self.image, resolve)?;
        let entry = code.find(ENTRY).ok_or("the code has no entry")?;
        let args = self.args.into_boxed_slice();
        Ok(LoadedKernel {
            info: KernelInfo {
                // SAFETY: the caller says that the JIT made this, whose entry has this type.
                entry: unsafe { std::mem::transmute::<usize, GroupsFn>(entry) },
                args: args.as_ptr(),
                arg_count: u32::try_from(args.len()).unwrap_or(u32::MAX),
                args_size: self.args_size,
                local_size: self.local_size,
                scratch_fixed: self.scratch_fixed,
                scratch_per_item: self.scratch_per_item,
                private_size: self.private_size,
                sub_group_size: self.sub_group_size,
                reserved: 0,
            },
            args,
            provisional: self.provisional,
            _code: code,
        })
    }
}

fn version(from: &mut Reader<'_>) -> Result<(), Malformed> {
    if from.u32("version")? == RECORD_VERSION {
        Ok(())
    } else {
        Err(Malformed("version"))
    }
}

/// A kernel in memory, ready to run; dropping it frees the code.
pub struct LoadedKernel {
    info: KernelInfo,
    args: Box<[ArgInfo]>,
    provisional: bool,
    _code: Loaded,
}

// SAFETY: neither the code nor its description changes; the description's pointer is to `args`.
unsafe impl Send for LoadedKernel {}
// SAFETY: as above.
unsafe impl Sync for LoadedKernel {}

impl LoadedKernel {
    /// As [`KernelRecord::provisional`].
    pub fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// What a caller must know; its pointers live as long as this object.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// The arguments.
    pub fn args(&self) -> &[ArgInfo] {
        &self.args
    }
}

impl fmt::Debug for LoadedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> KernelRecord {
        KernelRecord {
            args: vec![ArgInfo {
                kind: ArgKind::Local,
                size: 8,
                offset: 8,
                align: 8,
            }],
            args_size: 16,
            sub_group_size: 4,
            local_size: 5,
            scratch_fixed: 6,
            scratch_per_item: 7,
            private_size: 8,
            provisional: true,
            image: CodeImage {
                text: vec![0xc3],
                exports: vec![(ENTRY.into(), 0)],
                ..CodeImage::default()
            },
        }
    }

    fn module() -> ModuleRecord {
        ModuleRecord {
            storage: CodeImage {
                data: vec![1, 2, 3, 4],
                zeros: 4,
                writable: true,
                ..CodeImage::default()
            },
            variables: vec![Variable {
                name: "v".into(),
                offset: 4,
                size: 4,
            }],
        }
    }

    #[test]
    fn records_come_back() {
        let bytes = kernel().to_bytes();
        assert_eq!(KernelRecord::from_bytes(&bytes), Ok(kernel()));
        for len in 0..bytes.len() {
            assert!(KernelRecord::from_bytes(&bytes[..len]).is_err());
        }
        let bytes = module().to_bytes();
        assert_eq!(ModuleRecord::from_bytes(&bytes), Ok(module()));
        for len in 0..bytes.len() {
            assert!(ModuleRecord::from_bytes(&bytes[..len]).is_err());
        }
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let mut record = kernel();
        record.args[0].offset = 9;
        assert!(KernelRecord::from_bytes(&record.to_bytes()).is_err());
        record = kernel();
        record.image.exports.clear();
        assert!(KernelRecord::from_bytes(&record.to_bytes()).is_err());
        let mut record = module();
        record.variables[0].offset = 5;
        assert!(ModuleRecord::from_bytes(&record.to_bytes()).is_err());
        let mut bytes = module().to_bytes();
        bytes[0] ^= 1;
        assert_eq!(ModuleRecord::from_bytes(&bytes), Err(Malformed("version")));
    }
}
