//! Answers to queries about programs.

use super::Program;
use crate::binary::Stage;
use crate::device::Device;
use std::sync::Arc;
use ur_adapter::{Error, Info, Object, Result};
use ur_api::*;

/// What a program can be asked.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION`.
pub fn program(program: &Object<Program>, name: ur_program_info_t, info: &mut Info<'_>) -> Result {
    let kernels = &program.contents.kernels;
    match name {
        UR_PROGRAM_INFO_CONTEXT => info.handle(&*program.context),
        UR_PROGRAM_INFO_NUM_DEVICES => info.value(program.devices.len() as u32),
        UR_PROGRAM_INFO_DEVICES => info.handles(&program.devices),
        UR_PROGRAM_INFO_IL => info.slice(&program.words),
        UR_PROGRAM_INFO_BINARY_SIZES => {
            let sizes: Vec<usize> = binaries(program).iter().map(|bytes| bytes.len()).collect();
            info.slice(&sizes)
        }
        UR_PROGRAM_INFO_BINARIES => {
            let binaries = binaries(program);
            let binaries: Vec<&[u8]> = binaries.iter().map(|bytes| &**bytes).collect();
            // SAFETY: this query's buffer is an array of pointers, with room for the sizes that
            // the query above told.
            unsafe { info.blobs(&binaries) }
        }
        UR_PROGRAM_INFO_NUM_KERNELS => info.value(kernels.len()),
        UR_PROGRAM_INFO_KERNEL_NAMES => {
            let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            info.text(&names.join(";"))
        }
        _ => Err(Error::unsupported_query()),
    }
}

/// The program as it is saved, for each device; nothing for one that it was not built for.
fn binaries(program: &Program) -> Vec<Arc<[u8]>> {
    let built: Vec<Option<Stage>> = {
        let state = program.state();
        state.builds.iter().map(|build| build.stage()).collect()
    };
    // One CPU: what was built for one device is for all.
    let saved = program.saved();
    built
        .into_iter()
        .map(|stage| stage.map_or_else(Arc::default, |_| saved.clone()))
        .collect()
}

/// What can be asked about the build for a device.
///
/// # Errors
/// `INVALID_DEVICE`, `UNSUPPORTED_ENUMERATION`.
pub fn build(
    program: &Object<Program>,
    device: &Object<Device>,
    name: ur_program_build_info_t,
    info: &mut Info<'_>,
) -> Result {
    let device = program.device(device)?;
    let build = program
        .state()
        .builds
        .get(device)
        .cloned()
        .unwrap_or_default();
    match name {
        UR_PROGRAM_BUILD_INFO_STATUS => info.value(build.status.0),
        UR_PROGRAM_BUILD_INFO_OPTIONS => info.text(&build.options),
        UR_PROGRAM_BUILD_INFO_LOG => info.text(&build.log),
        UR_PROGRAM_BUILD_INFO_BINARY_TYPE => info.value(build.binary.0),
        _ => Err(Error::unsupported_query()),
    }
}
