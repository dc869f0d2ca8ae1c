//! Building a program for its devices.

use super::{Code, Program, options};
use crate::binary::Stage;
use crate::code::{Module, Source};
use std::ffi::CStr;
use std::sync::Arc;
use ur_adapter::{Error, Result};
use ur_api::*;

/// How a program was built for a device.
#[derive(Clone)]
pub struct Build {
    /// How the last build went.
    pub status: ur_program_build_status_t,
    /// What it made.
    pub binary: ur_program_binary_type_t,
    /// Its options.
    pub options: String,
    /// What was said of it.
    pub log: String,
    /// Whether it misses symbols, and was allowed to.
    unlinked: bool,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            status: UR_PROGRAM_BUILD_STATUS_NONE,
            binary: UR_PROGRAM_BINARY_TYPE_NONE,
            options: String::new(),
            log: String::new(),
            unlinked: false,
        }
    }
}

fn binary_type(stage: Stage) -> ur_program_binary_type_t {
    match stage {
        Stage::Compiled => UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        Stage::Executable => UR_PROGRAM_BINARY_TYPE_EXECUTABLE,
        Stage::Library => UR_PROGRAM_BINARY_TYPE_LIBRARY,
    }
}

impl Build {
    /// The state of a program that was loaded. What was saved to be linked can be linked at once;
    /// an executable one is still to be built, which then compiles nothing.
    pub fn restored(stage: Stage, options: &str) -> Build {
        Build {
            status: match stage {
                Stage::Executable => UR_PROGRAM_BUILD_STATUS_NONE,
                Stage::Compiled | Stage::Library => UR_PROGRAM_BUILD_STATUS_SUCCESS,
            },
            binary: binary_type(stage),
            options: options.to_owned(),
            ..Build::default()
        }
    }

    /// How far the program was built; none if it was not.
    pub fn stage(&self) -> Option<Stage> {
        match self.binary {
            UR_PROGRAM_BINARY_TYPE_EXECUTABLE if !self.unlinked => Some(Stage::Executable),
            UR_PROGRAM_BINARY_TYPE_EXECUTABLE => Some(Stage::Compiled),
            UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT => Some(Stage::Compiled),
            UR_PROGRAM_BINARY_TYPE_LIBRARY => Some(Stage::Library),
            _ => None,
        }
    }

    /// Whether it misses symbols, and was allowed to.
    pub fn is_unlinked(&self) -> bool {
        self.unlinked
    }

    /// Notes that it misses nothing any more.
    pub fn link(&mut self) {
        self.unlinked = false;
    }

    /// Adds a line to the log.
    pub fn say(&mut self, text: &str) {
        if !self.log.is_empty() {
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
    /// Builds up to `stage` for some of the devices, by their numbers. Compiling is reading and
    /// checking, since a module may need others to be whole; so is building a library. A program that
    /// is built keeps what the JIT made of it. With `unlinked`, symbols may be missing.
    pub(super) fn build(
        &self,
        devices: &[usize],
        options: Option<&CStr>,
        stage: Stage,
        unlinked: bool,
    ) -> Result {
        let given = options.map(|options| options.to_string_lossy().into_owned());
        let (options, source, restored, options_changed) = {
            let mut state = self.state();
            // A saved program that is built without options is built as it was.
            let (stored, code) = state.restored.clone().unwrap_or_default();
            let options = given.filter(|given| !given.is_empty());
            let options = options.unwrap_or_else(|| stored.clone());
            for device in devices {
                if let Some(build) = state.builds.get_mut(*device) {
                    build.status = UR_PROGRAM_BUILD_STATUS_IN_PROGRESS;
                }
            }
            let source = Source {
                words: self.words.clone(),
                options: options.clone(),
                constants: state.constants.clone(),
            };
            let changed = options != stored;
            (options, source, code.filter(|_| !changed), changed)
        };
        // Without the lock: other threads may ask how far the build is.
        let unlinked = unlinked && self.contents.has_imports;
        let built = options::check(&options).and_then(|()| match &self.contents.unsupported {
            Some(reason) => Err(reason.clone()),
            None if stage != Stage::Executable => Ok(None),
            None => restored
                .and_then(|code| Module::restore(source.clone(), code.module, code.kernels).ok())
                .map_or_else(
                    || Module::build(source).map(Some),
                    |module| Ok(Some(module)),
                )
                .or_else(|reason| if unlinked { Ok(None) } else { Err(reason) }),
        });
        let mut state = self.state();
        let missing = unlinked && matches!(built, Ok(None));
        let (build, outcome) = match built {
            Ok(module) => {
                state.code = module.map(|module| Code {
                    module: Arc::new(module),
                    merged: None,
                });
                let build = Build {
                    status: UR_PROGRAM_BUILD_STATUS_SUCCESS,
                    binary: binary_type(stage),
                    options,
                    log: String::new(),
                    unlinked: missing,
                };
                (build, Ok(()))
            }
            Err(reason) => {
                state.code = None;
                let build = Build {
                    status: UR_PROGRAM_BUILD_STATUS_ERROR,
                    binary: UR_PROGRAM_BINARY_TYPE_NONE,
                    options,
                    log: reason.clone(),
                    unlinked: false,
                };
                let error = Error::new(UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE, reason);
                (build, Err(error))
            }
        };
        state.saved = None;
        if options_changed && let Some((_, code)) = &mut state.restored {
            *code = None;
        }
        for device in devices {
            if let Some(place) = state.builds.get_mut(*device) {
                *place = build.clone();
            }
        }
        outcome
    }
}
