//! Where things are: the checkout, cargo's output and the built tree.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> PathBuf {
    // `cargo run` sets the variable for the program it starts; the value from compile time serves
    // a program started by hand.
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .parent()
        .map_or_else(|| manifest.clone(), Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub fn cargo_target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The built tree, always at the same place in the checkout: lib, include and bin are in it.
pub fn dist() -> PathBuf {
    root().join("target/dist")
}

/// The built libraries.
pub fn dist_lib() -> PathBuf {
    dist().join("lib")
}

/// A program of the built tree.
pub fn dist_bin(name: &str) -> PathBuf {
    dist().join("bin").join(name)
}
