//! Linking modules that were made.

use super::Contents;
use crate::call::{call, list, world};
use crate::world::Kind;
use crate::ze::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use ur_adapter_native_cpu::code::{self, Source};
use ur_adapter_native_cpu::program::specialise::specialise;

/// What `body` gives, or that it panicked.
pub fn guarded<T>(body: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err("the compiler panicked".to_owned()))
}

/// Code of several modules.
fn link(sources: &[Source]) -> Result<(Arc<code::Module>, Arc<Contents>), String> {
    let modules: Vec<Vec<u32>> = sources
        .iter()
        .map(|source| {
            let mut words = source.words.to_vec();
            specialise(&mut words, &source.constants);
            words
        })
        .collect();
    let words: Vec<_> = modules.iter().map(Vec::as_slice).collect();
    let words = match words[..] {
        [one] => one.to_vec(),
        _ => ur_spirv::link(&words).map_err(|error| error.to_string())?,
    };
    let contents = Contents::read(&words)?;
    if let Some(missing) = contents.imports.first() {
        return Err(format!("no module has {missing}"));
    }
    let mut options: Vec<&str> = sources.iter().map(|source| &*source.options).collect();
    options.dedup();
    let module = code::Module::build(Source {
        words: words.into(),
        options: options.join(" "),
        constants: Vec::new(),
    })?;
    Ok((Arc::new(module), Arc::new(contents)))
}

/// Gives modules what they miss from each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleDynamicLink(
    count: u32,
    modules: *const ze_module_handle_t,
    log: *mut ze_module_build_log_handle_t,
) -> ze_result_t {
    let mut wanted = None;
    let result = call("zeModuleDynamicLink", |world| {
        // SAFETY: as the caller says.
        let modules = unsafe { list(modules, count as usize) }?;
        let mut sources = Vec::new();
        for module in &modules {
            sources.push(world.module(module.to_native())?.source.clone());
        }
        let first = modules.first().ok_or(ZE_RESULT_ERROR_INVALID_SIZE)?;
        let context = world.module(first.to_native())?.context;
        wanted = Some((modules, sources, context));
        Ok(())
    });
    let Some((modules, sources, context)) = wanted else {
        return result;
    };
    // Without the lock: it takes long.
    let linked = guarded(|| link(&sources));
    let mut world = world();
    let said = linked.as_ref().err().map_or("", String::as_str);
    // SAFETY: as the caller says.
    if let Err(error) = unsafe { world.add_log(context, said, log) } {
        return error;
    }
    let Ok(code) = linked else {
        return ZE_RESULT_ERROR_MODULE_LINK_FAILURE;
    };
    for module in modules {
        if let Ok(module) = world.module(module.to_native()) {
            module.code = Some(code.clone());
        }
    }
    ZE_RESULT_SUCCESS
}

/// Says in a log what modules have and what they miss.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleInspectLinkageExt(
    desc: *const ze_linkage_inspection_ext_desc_t,
    count: u32,
    modules: *const ze_module_handle_t,
    log: *mut ze_module_build_log_handle_t,
) -> ze_result_t {
    call("zeModuleInspectLinkageExt", |world| {
        // SAFETY: as the caller says.
        let (desc, modules) = unsafe { (crate::call::get(desc)?, list(modules, count as usize)?) };
        let first = modules.first().ok_or(ZE_RESULT_ERROR_INVALID_SIZE)?;
        world.needs(first.to_native(), Kind::Module, 3)?;
        let context = world.module(first.to_native())?.context;
        let (mut imports, mut exports) = (Vec::new(), Vec::new());
        for module in &modules {
            let contents = world.module(module.to_native())?.contents.clone();
            imports.extend(contents.imports.iter().cloned());
            exports.extend(contents.exports.iter().cloned());
        }
        let missing = imports.iter().filter(|name| !exports.contains(name));
        let mut said = String::new();
        let mut say = |flag: u32, title: &str, names: Vec<&String>| {
            if desc.flags & flag != 0 {
                for name in names {
                    said.push_str(&format!("{title}: {name}\n"));
                }
            }
        };
        let wanted = ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS;
        say(wanted, "missing", missing.collect());
        say(
            ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS,
            "import",
            imports.iter().collect(),
        );
        say(
            ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS,
            "export",
            exports.iter().collect(),
        );
        // SAFETY: as the caller says.
        unsafe { world.add_log(context, &said, log) }
    })
}
