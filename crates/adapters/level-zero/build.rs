//! Gives the library its name, and keeps it in memory once loaded: drivers call its callbacks from
//! threads of their own.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_level_zero.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
