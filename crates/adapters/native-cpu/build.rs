//! Gives the library its name, and keeps it in memory once loaded: its worker threads sleep in it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_native_cpu.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
