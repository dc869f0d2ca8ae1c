//! Names the library as loaders look for it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_mock.so.0");
    println!("cargo:rerun-if-changed=build.rs");
}
