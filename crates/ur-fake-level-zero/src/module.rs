//! Modules. Their kernels are compiled by the native CPU adapter's functions.

mod create;
mod link;
mod log;

pub use create::*;
pub use link::*;
pub use log::*;

use crate::call::{call, get, put, tell, text};
use crate::world::Kind;
use crate::ze::*;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;
use ur_adapter_native_cpu::binary::{self, Saved, Specialisation, Stage};
use ur_adapter_native_cpu::code;
use ur_spirv::spirv::LinkageType;

/// A module.
pub struct Module {
    /// Its context.
    pub context: usize,
    /// Its device.
    pub device: usize,
    /// What it was made of.
    pub source: code::Source,
    /// What is in it.
    pub contents: Arc<Contents>,
    /// Its code, and what is in that if it was linked with others; none as long as it misses something.
    pub code: Option<(Arc<code::Module>, Arc<Contents>)>,
}

/// What is in a module.
pub struct Contents {
    /// Its kernels.
    pub kernels: Vec<ur_spirv::Kernel>,
    /// Their names, terminated.
    names: Vec<CString>,
    /// Its specialisation constants.
    pub constants: Vec<ur_spirv::SpecConstant>,
    /// Functions that it exports, and what kernels call them by.
    functions: Vec<(String, usize)>,
    /// What it exports.
    pub exports: Vec<String>,
    /// What it misses.
    pub imports: Vec<String>,
}

impl Contents {
    /// Reads a module.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(words: &[u32]) -> Result<Self, String> {
        let module = ur_spirv::Module::parse(words, &[]).map_err(|error| error.to_string())?;
        let functions = module.functions.iter().map(|one| one.linkage.as_ref());
        let globals = module.globals.iter().filter(|one| one.builtin.is_none());
        let linkages = functions.chain(globals.map(|one| one.linkage.as_ref()));
        let (mut exports, mut imports) = (Vec::new(), Vec::new());
        for linkage in linkages.flatten() {
            match linkage.kind {
                LinkageType::Import => imports.push(linkage.name.clone()),
                _ => exports.push(linkage.name.clone()),
            }
        }
        // Compiled code knows a function by its place in the module, counted from 1.
        let functions = module.functions.iter().zip(1..);
        let functions = functions.filter_map(|(function, place)| {
            let linkage = function.linkage.as_ref()?;
            (linkage.kind != LinkageType::Import).then(|| (linkage.name.clone(), place))
        });
        let kernels = module.kernels();
        let names = kernels.iter();
        Ok(Self {
            functions: functions.collect(),
            names: names
                .filter_map(|kernel| CString::new(kernel.name.clone()).ok())
                .collect(),
            kernels,
            constants: module.spec_constants.clone(),
            exports,
            imports,
        })
    }
}

impl Module {
    /// Its code, and what is in that.
    ///
    /// # Errors
    /// `INVALID_MODULE_UNLINKED`.
    pub fn code(&self) -> Answer<(Arc<code::Module>, Arc<Contents>)> {
        self.code
            .clone()
            .ok_or(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED)
    }

    /// Its bytes, from which it can be made again.
    fn saved(&self) -> Vec<u8> {
        let constants: Vec<Specialisation> = self.source.constants.clone();
        binary::write(&Saved {
            stage: Stage::Executable,
            constants,
            options: self.source.options.clone(),
            words: self.source.words.to_vec(),
            code: None,
        })
    }
}

/// Takes a module away. Kernels of it are a fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleDestroy(module: ze_module_handle_t) -> ze_result_t {
    call("zeModuleDestroy", |world| {
        world.destroy(module.to_native(), Kind::Module)?;
        Ok(())
    })
}

/// Tells the bytes from which a module can be made again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetNativeBinary(
    module: ze_module_handle_t,
    size: *mut usize,
    place: *mut u8,
) -> ze_result_t {
    call("zeModuleGetNativeBinary", |world| {
        let bytes = world.module(module.to_native())?.saved();
        // SAFETY: as the caller says.
        unsafe { write(&bytes, size, place) }
    })
}

/// Writes bytes, if there is a place, and their number.
///
/// # Errors
/// `INVALID_NULL_POINTER`; `INVALID_SIZE` for a place that is too small.
///
/// # Safety
/// `size` is null or a number; `place` is null or has that many bytes.
pub unsafe fn write(bytes: &[u8], size: *mut usize, place: *mut u8) -> Answer {
    // SAFETY: as the caller says.
    let room = unsafe { get(size) }?;
    if !place.is_null() {
        if room < bytes.len() {
            return Err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        // SAFETY: as the caller says.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    }
    // SAFETY: as the caller says.
    unsafe { put(size, bytes.len()) }
}

/// Where a variable of a module is, and its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetGlobalPointer(
    module: ze_module_handle_t,
    name: *const c_char,
    size: *mut usize,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeModuleGetGlobalPointer", |world| {
        // SAFETY: as the caller says.
        let name = unsafe { text(name) }?;
        let (code, _) = world.module(module.to_native())?.code()?;
        let found = code
            .variable(&name)
            .ok_or(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME)?;
        // SAFETY: as the caller says; either may be null.
        unsafe {
            if !size.is_null() {
                size.write(found.1);
            }
            if !place.is_null() {
                place.write(found.0 as *mut c_void);
            }
        }
        Ok(())
    })
}

/// Lists the names of a module's kernels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetKernelNames(
    module: ze_module_handle_t,
    count: *mut u32,
    place: *mut *const c_char,
) -> ze_result_t {
    call("zeModuleGetKernelNames", |world| {
        let names = world.module(module.to_native())?.contents.names.iter();
        let all: Vec<_> = names.map(|name| name.as_ptr()).collect();
        // SAFETY: as the caller says.
        unsafe { tell(&all, count, place) }
    })
}

/// Whether a module misses what others have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetProperties(
    module: ze_module_handle_t,
    place: *mut ze_module_properties_t,
) -> ze_result_t {
    call("zeModuleGetProperties", |world| {
        let mut properties = ze_module_properties_t::new();
        if !world
            .module(module.to_native())?
            .contents
            .imports
            .is_empty()
        {
            properties.flags = ZE_MODULE_PROPERTY_FLAG_IMPORTS;
        }
        // SAFETY: as the caller says.
        unsafe { crate::call::fill(place, properties) }
    })
}

/// What kernels call an exported function by.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleGetFunctionPointer(
    module: ze_module_handle_t,
    name: *const c_char,
    place: *mut *mut c_void,
) -> ze_result_t {
    call("zeModuleGetFunctionPointer", |world| {
        // SAFETY: as the caller says.
        let name = unsafe { text(name) }?;
        let (_, contents) = world.module(module.to_native())?.code()?;
        let is_kernel = contents.kernels.iter().any(|kernel| kernel.name == name);
        let mut functions = contents.functions.iter();
        let found = functions.find(|(known, _)| *known == name && !is_kernel);
        let (_, value) = found.ok_or(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME)?;
        // SAFETY: as the caller says.
        unsafe { put(place, *value as *mut c_void) }
    })
}
