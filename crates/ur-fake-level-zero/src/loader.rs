//! The driver in the place of Level Zero's loader, of any version: a copy of the library that does not
//! export what came later.

use std::io::{Error, Result};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The name that Level Zero's loader goes by.
pub const NAME: &str = "libze_loader.so.1";

/// Functions that the loader got after version 1.0, by the version. The list is what tests hide, so it
/// need not have what nobody looks up.
const LATER: [(u16, &[&str]); 11] = [
    (
        1,
        &[
            "zeContextCreateEx",
            "zeDeviceGetGlobalTimestamps",
            "zeDriverGetExtensionFunctionAddress",
            "zeKernelSetGlobalOffsetExp",
        ],
    ),
    (
        2,
        &[
            "zeDeviceReserveCacheExt",
            "zeEventQueryTimestampsExp",
            "zeImageGetMemoryPropertiesExp",
            "zeImageViewCreateExp",
            "zeKernelSchedulingHintExp",
        ],
    ),
    (
        3,
        &[
            "zeCommandListAppendImageCopyFromMemoryExt",
            "zeCommandListAppendImageCopyToMemoryExt",
            "zeDevicePciGetPropertiesExt",
            "zeMemFreeExt",
            "zeModuleInspectLinkageExt",
        ],
    ),
    (5, &["zeImageViewCreateExt"]),
    (
        6,
        &[
            "zeCommandListHostSynchronize",
            "zeDriverGetLastErrorDescription",
            "zeEventQueryKernelTimestampsExt",
            "zeMemGetFileDescriptorFromIpcHandleExp",
            "zeMemGetIpcHandleFromFileDescriptorExp",
        ],
    ),
    (
        7,
        &[
            "zeDeviceGetRootDevice",
            "zeEventPoolPutIpcHandle",
            "zeMemPutIpcHandle",
            "zeMemSetAtomicAccessAttributeExp",
        ],
    ),
    (
        9,
        &[
            "zeCommandListGetContextHandle",
            "zeCommandListGetDeviceHandle",
            "zeCommandListGetNextCommandIdExp",
            "zeCommandListGetOrdinal",
            "zeCommandListImmediateAppendCommandListsExp",
            "zeCommandListImmediateGetIndex",
            "zeCommandListIsImmediate",
            "zeCommandListUpdateMutableCommandSignalEventExp",
            "zeCommandListUpdateMutableCommandWaitEventsExp",
            "zeCommandListUpdateMutableCommandsExp",
            "zeCommandQueueGetIndex",
            "zeCommandQueueGetOrdinal",
            "zeEventGetEventPool",
            "zeEventPoolGetFlags",
        ],
    ),
    (
        10,
        &[
            "zeCommandListGetNextCommandIdWithKernelsExp",
            "zeCommandListUpdateMutableCommandKernelsExp",
            "zeInitDrivers",
        ],
    ),
    (
        13,
        &[
            "zeDeviceGetVectorWidthPropertiesExt",
            "zelLoaderTranslateHandle",
        ],
    ),
    (
        14,
        &[
            "zeCommandListAppendLaunchKernelWithArguments",
            "zeDeviceSynchronize",
        ],
    ),
    (15, &["zeEventCounterBasedCreate"]),
];

/// The names that a loader of version 1.`minor` does not have.
pub fn later(minor: u16) -> impl Iterator<Item = &'static str> {
    let later = LATER.iter().filter(move |(since, _)| *since > minor);
    later.flat_map(|(_, names)| names.iter().copied())
}

/// A number of so many bytes at a place.
fn number(bytes: &[u8], place: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(place..place.checked_add(size)?)?;
    let bytes = bytes.iter().rev();
    Some(bytes.fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// Where the names of a library's exported symbols are, in its file.
fn names(file: &[u8]) -> Option<std::ops::Range<usize>> {
    const DYNAMIC_SYMBOLS: usize = 11;
    let (start, size, count) = (
        number(file, 40, 8)?,
        number(file, 58, 2)?,
        number(file, 60, 2)?,
    );
    let section = |number: usize| start + number * size;
    let mut sections = (0..count).map(section);
    let symbols = sections.find(|at| number(file, at + 4, 4) == Some(DYNAMIC_SYMBOLS))?;
    let names = section(number(file, symbols + 40, 4)?);
    let (start, size) = (number(file, names + 24, 8)?, number(file, names + 32, 8)?);
    (start + size <= file.len()).then_some(start..start + size)
}

/// Has a library not export functions: their names become others, so that nobody finds them.
fn hide<'a>(file: &mut [u8], hidden: impl Iterator<Item = &'a str>) -> Result<()> {
    let names = names(file).ok_or_else(|| Error::other("no library with symbols"))?;
    let names = &mut file[names];
    for name in hidden {
        let text = [b"\0", name.as_bytes(), b"\0"].concat();
        let place = names.windows(text.len()).position(|window| window == text);
        let place = place.ok_or_else(|| Error::other(format!("no symbol {name}")))?;
        names[place + 1] = b'-';
    }
    Ok(())
}

/// Writes this library as a loader of version 1.`minor` into a folder, without more functions of these
/// names, and gives its path. The compiler is to be found there, too, if it lies beside the library.
///
/// # Errors
/// What the file system says; a name that is no function of the library.
pub fn write(library: &Path, folder: &Path, minor: u16, without: &[&str]) -> Result<PathBuf> {
    let mut file = std::fs::read(library)?;
    hide(&mut file, later(minor))?;
    hide(&mut file, without.iter().copied())?;
    let path = folder.join(NAME);
    std::fs::write(&path, file)?;
    let jit = ur_adapter_native_cpu::jit::LIBRARY;
    let beside = library.with_file_name(jit);
    if beside.exists() && !folder.join(jit).exists() {
        symlink(beside, folder.join(jit))?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_hidden_in_the_place_where_names_are() {
        assert!(names(b"no library").is_none());
        assert!(hide(&mut [0; 100], ["a"].into_iter()).is_err());
        assert_eq!(later(15).count(), 0);
        assert!(later(9).any(|name| name == "zeInitDrivers"));
        assert!(!later(10).any(|name| name == "zeInitDrivers"));
    }
}
