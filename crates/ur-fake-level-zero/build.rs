//! Keeps the library in memory once loaded: its engines are threads that never end.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libze_fake.so");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
