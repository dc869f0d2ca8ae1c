//! Keeps the library in memory once loaded: its engines are threads that never end.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libze_fake.so");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Its tables name its own functions, not those of a loader that has the same names.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
