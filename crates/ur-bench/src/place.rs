//! Where the libraries are that take part.

use std::path::{Path, PathBuf};

/// The file of our device's adapter.
pub const NATIVE_CPU: &str = "libur_adapter_native_cpu.so.0";
/// The file of our adapter of OpenCL's devices.
pub const OPENCL: &str = "libur_adapter_opencl.so.0";
/// The folder of the built tree, seen from the checkout.
const TREE: &str = "target/dist/lib";
/// Intel's driver in the environment that the development commands make, seen from the checkout.
const INTEL: &str = "target/venv/opencl/lib/libintelocl.so";
/// Where Debian's package puts PoCL.
const POCL: &str = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

/// The first that exists, as an absolute path.
fn first(candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let found = candidates.into_iter().find(|path| path.exists())?;
    std::path::absolute(found).ok()
}

/// The folder that this program's file is in.
fn own_folder() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.to_owned())
}

/// Our adapter of this file name: beside the loader if one is named, else in the tree that this program belongs to,
/// else in the one below the current folder.
pub fn adapter(file: &str, loader: Option<&Path>) -> Option<PathBuf> {
    let beside = loader.and_then(Path::parent).map(|dir| dir.join(file));
    let tree = own_folder().map(|dir| dir.join("../lib").join(file));
    let below = Path::new(TREE).join(file);
    first(beside.into_iter().chain(tree).chain([below]))
}

/// Intel's driver: below the checkout that this program was built in, or below the current folder.
pub fn intel() -> Option<PathBuf> {
    let checkout = own_folder().map(|dir| dir.join("../../..").join(INTEL));
    first(checkout.into_iter().chain([PathBuf::from(INTEL)]))
}

/// PoCL, if the system has it.
pub fn pocl() -> Option<PathBuf> {
    first([PathBuf::from(POCL)])
}
