//! Building a program for its devices.

use super::module::{Input, Module};
use super::options;
use super::source::{Part, Source};
use super::{Program, link};
use std::ffi::{CStr, CString};
use std::sync::Arc;
use ur_adapter::{Error, Object, Result};
use ur_api::*;

/// How a program was built for a device.
#[derive(Clone, Debug)]
pub struct Build {
    /// How the last build went.
    pub status: ur_program_build_status_t,
    /// What it made.
    pub binary: ur_program_binary_type_t,
    /// Its options, as they were given.
    pub options: CString,
    /// What was said of it.
    pub log: String,
    /// What can be run; none unless a build made it.
    pub code: Option<Code>,
}

/// What a build made.
#[derive(Clone, Debug)]
pub struct Code {
    /// The module.
    pub module: Arc<Module>,
    /// All that it was linked with when it was built already. They are not kept by each other, which
    /// would be for ever, but by who uses one of them.
    pub linked: Option<Arc<[Arc<Module>]>>,
    /// Whether it needs symbols of others.
    pub unresolved: bool,
}

impl Default for Build {
    fn default() -> Self {
        Self {
            status: UR_PROGRAM_BUILD_STATUS_NONE,
            binary: UR_PROGRAM_BINARY_TYPE_NONE,
            options: CString::default(),
            log: String::new(),
            code: None,
        }
    }
}

impl Build {
    /// One that ended well and made this.
    pub fn success(binary: ur_program_binary_type_t, options: &CStr) -> Self {
        Self {
            status: UR_PROGRAM_BUILD_STATUS_SUCCESS,
            binary,
            options: options.to_owned(),
            ..Self::default()
        }
    }

    /// Adds to what was said.
    pub fn say(&mut self, text: &str) {
        if !self.log.is_empty() && !self.log.ends_with('\n') {
            self.log.push('\n');
        }
        self.log.push_str(text);
    }
}

/// Reads the flags of a build.
///
/// # Errors
/// `INVALID_ENUMERATION` for a flag that there is not.
pub fn allows_unresolved(flags: ur_exp_program_flags_t) -> Result<bool> {
    let known = UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0;
    if flags & !known != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    Ok(flags & known != 0)
}

impl Program {
    /// Its SPIR-V with options of Level Zero's and its constants; none if it has no SPIR-V.
    pub(super) fn parts(&self, options: &CStr) -> Option<Vec<Part>> {
        match self.source() {
            Source::Il(il) => Some(vec![Part {
                il: il.clone(),
                options: options.to_owned(),
                constants: self.state().constants.clone(),
            }]),
            Source::Parts(parts) => {
                let with = |part: &Part| Part {
                    options: options::both(&part.options, options),
                    ..part.clone()
                };
                Some(parts.iter().map(with).collect())
            }
            Source::Binaries(_) | Source::Native => None,
        }
    }

    /// Compiles and links it for some of its devices, by their positions. With `unresolved`, symbols
    /// may be missing.
    ///
    /// # Errors
    /// `PROGRAM_BUILD_FAILURE`, and what the driver says.
    pub(super) fn build(
        &self,
        devices: &[usize],
        options: Option<&CStr>,
        unresolved: bool,
    ) -> Result {
        let given = options.unwrap_or_default();
        let options = options::of(given);
        let parts = self.parts(&options);
        if parts.as_ref().is_some_and(|parts| parts.len() > 1) {
            link::expect_linker(self)?;
        }
        self.begin(devices);
        // Devices that are one in Level Zero have one module.
        let mut made: Vec<(usize, Result<Code>, String)> = Vec::new();
        for &at in devices {
            let native = self.devices()[at].native();
            let same = |(other, ..): &&(usize, _, _)| self.devices()[*other].native() == native;
            let (code, log) = match made.iter().find(same) {
                Some((_, code, log)) => (code.clone(), log.clone()),
                None => self.make(at, parts.as_deref(), &options, unresolved),
            };
            made.push((at, code, log));
        }
        let mut result = Ok(());
        let mut state = self.state();
        for (at, code, log) in made {
            let Some(build) = state.builds.get_mut(at) else {
                continue;
            };
            let binary = UR_PROGRAM_BINARY_TYPE_EXECUTABLE;
            *build = Build::success(binary, given);
            build.log = log;
            match code {
                Ok(code) => build.code = Some(code),
                Err(error) => {
                    build.status = UR_PROGRAM_BUILD_STATUS_ERROR;
                    build.binary = UR_PROGRAM_BINARY_TYPE_NONE;
                    result = result.and(Err(error));
                }
            }
        }
        result
    }

    /// Notes that a build has begun.
    fn begin(&self, devices: &[usize]) {
        let mut state = self.state();
        for &at in devices {
            if let Some(build) = state.builds.get_mut(at) {
                build.status = UR_PROGRAM_BUILD_STATUS_IN_PROGRESS;
            }
        }
    }

    /// Makes a module for a device.
    fn make(
        &self,
        at: usize,
        parts: Option<&[Part]>,
        options: &CStr,
        unresolved: bool,
    ) -> (Result<Code>, String) {
        let (context, device) = (self.context(), &self.devices()[at]);
        let input = match (parts, self.source()) {
            (Some(parts), _) => Input::Il(parts),
            (None, Source::Binaries(binaries)) => {
                // It was made when it was read.
                let ready = self.build_at(at).code.filter(|_| options.is_empty());
                if let Some(code) = ready {
                    return (Ok(code), String::new());
                }
                Input::Binary(&binaries[at], options)
            }
            (None, _) => {
                let code = self.build_at(at).code.ok_or_else(super::not_built);
                return (code, String::new());
            }
        };
        let (made, mut log) = Module::create(context, device, input);
        let module = match made {
            Ok(module) => module,
            Err(error) => return (Err(error), log),
        };
        let missing = module.imports();
        if missing && !unresolved {
            let text = format!("symbols are missing: {}", missing_symbols(parts));
            if !log.is_empty() {
                log.push('\n');
            }
            log.push_str(&text);
            let error = Error::new(UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE, text);
            return (Err(error), log);
        }
        let code = Code {
            module: Arc::new(module),
            linked: None,
            unresolved: missing,
        };
        (Ok(code), log)
    }

    /// Checks it for some of its devices, by their positions, so that it can be linked.
    ///
    /// # Errors
    /// `INVALID_OPERATION` for a program without SPIR-V.
    pub(super) fn compile(&self, devices: &[usize], options: Option<&CStr>) -> Result {
        if self.parts(c"").is_none() {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_OPERATION,
                "the program has no SPIR-V",
            ));
        }
        let binary = UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        let build = Build::success(binary, options.unwrap_or_default());
        let mut state = self.state();
        for &at in devices {
            if let Some(place) = state.builds.get_mut(at) {
                *place = build.clone();
            }
        }
        Ok(())
    }
}

/// The names of what modules need and do not have, as far as can be known. The compiler brings some of
/// it along.
fn missing_symbols(parts: Option<&[Part]>) -> String {
    let parts = parts.unwrap_or_default();
    let contents = || parts.iter().map(|part| &part.il.contents);
    let has = |name: &[u8]| {
        let mut exports = contents().flat_map(|contents| &contents.exports);
        exports.any(|export| *export.name == *name)
    };
    let missing = contents().flat_map(|contents| &contents.imports);
    let missing = missing.filter(|import| !has(&import.name));
    let names: Vec<_> = missing
        .map(|import| String::from_utf8_lossy(&import.name))
        .collect();
    names.join(", ")
}

/// Whether a program was built, compiled or linked for a device, by its position.
pub fn is_success(program: &Object<Program>, at: usize) -> bool {
    program.build_at(at).status == UR_PROGRAM_BUILD_STATUS_SUCCESS
}
