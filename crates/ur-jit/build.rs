//! Links LLVM's archives statically.
//!
//! The archives are named without bundling them into the rlib, so that a test or program that uses
//! `ur-jit` links them once, and the linker takes only the members that are reached.

use std::path::Path;
use std::process::Command;

/// LLVM components: the x86 back end, the optimiser and the IR parser.
const COMPONENTS: [&str; 3] = ["x86codegen", "passes", "irreader"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let config = std::env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-19".to_owned());

    let version = ask(&config, &["--version"]);
    assert!(
        version.starts_with("19."),
        "{config} is version {version}; ur-jit needs LLVM 19"
    );
    println!(
        "cargo:rustc-link-search=native={}",
        ask(&config, &["--libdir"])
    );
    let mut query = vec!["--link-static", "--libs"];
    query.extend(COMPONENTS);
    for library in ask(&config, &query).split_whitespace() {
        if let Some(name) = library.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=static:-bundle={name}");
        }
    }

    // What LLVM itself uses, static as well: the library must load on machines whose C++ runtime
    // is older or absent.
    for name in ["libz.a", "libzstd.a", "libstdc++.a"] {
        let path = ask("g++", &[&format!("-print-file-name={name}")]);
        let path = Path::new(&path);
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| panic!("g++ does not know {name}"));
        let stem = name.trim_start_matches("lib").trim_end_matches(".a");
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle={stem}");
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--gc-sections");
    // See `src/exit.rs`.
    println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap=__cxa_atexit");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libur_jit.so");
    // Tells builds of the library apart: code that one of them made is kept for that one.
    println!("cargo:rustc-cdylib-link-arg=-Wl,--build-id=sha1");
}

/// Runs a program and returns its output on one line.
fn ask(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|e| panic!("cannot run {program}: {e} (install llvm-19-dev and g++)"));
    assert!(
        output.status.success(),
        "{program} {arguments:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .replace('\n', " ")
        .trim()
        .to_owned()
}
