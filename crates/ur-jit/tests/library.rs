//! The shared library as adapters open it: what it exports, and that it lives beside another LLVM.

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::process::Command;

use ur_jit_abi::{ABI_VERSION, ENTRY_SYMBOL, JitTable};

/// The library that was built together with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test.parent().expect("it stands in a folder");
    let library = folder.join("libur_jit.so");
    assert!(library.exists(), "{} is missing", library.display());
    library
}

#[test]
fn only_the_table_is_exported() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library())
        .output()
        .expect("nm runs");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("names are text");
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(names, [ENTRY_SYMBOL]);
}

#[test]
fn nothing_unusual_is_needed() {
    let output = Command::new("readelf")
        .args(["-d"])
        .arg(library())
        .output()
        .expect("readelf runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let needed: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split(['[', ']']).nth(1))
        .collect();
    for name in &needed {
        assert!(
            [
                "libc.so.6",
                "libm.so.6",
                "libgcc_s.so.1",
                "ld-linux-x86-64.so.2"
            ]
            .contains(name),
            "{needed:?}"
        );
    }
}

/// Opens a library for the whole process, or tells why not.
fn open(name: &str) -> Result<*mut c_void, String> {
    let name = CString::new(name).expect("no zero");
    // SAFETY: the string is zero-terminated; the libraries opened here have ordinary initialisers.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
        if handle.is_null() {
            Err(CStr::from_ptr(libc::dlerror())
                .to_string_lossy()
                .into_owned())
        } else {
            Ok(handle)
        }
    }
}

#[test]
fn it_loads_beside_another_llvm() {
    // Whatever other LLVM the machine has goes first and offers its symbols to everyone.
    let others = ["libLLVM-15.so.1", "libLLVM-14.so.1", "libLLVM.so.19.1"];
    let found: Vec<&&str> = others.iter().filter(|name| open(name).is_ok()).collect();
    if found.is_empty() {
        eprintln!("no other LLVM on this machine: only the plain load is tested");
    }
    let library = library();
    let handle = open(library.to_str().expect("a plain path")).expect("it loads");
    // SAFETY: the library exports this function with this type, and it is never closed.
    let table: &JitTable = unsafe {
        let entry = libc::dlsym(handle, c"ur_jit_table".as_ptr());
        assert!(!entry.is_null());
        let entry: extern "C" fn() -> *const JitTable = std::mem::transmute(entry);
        &*entry()
    };
    assert_eq!(table.version, ABI_VERSION);

    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv/reduce.spv");
    let bytes = std::fs::read(path).expect("a test module");
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    unsafe extern "C" fn ignore(_: *mut c_void, _: *const u8, _: usize) {}
    let name = "reduce_any";
    // SAFETY: all pointers are to live objects of the right types.
    unsafe {
        let mut module = std::ptr::null_mut();
        let status = (table.module_create)(
            words.as_ptr(),
            words.len(),
            std::ptr::null(),
            &raw mut module,
            ignore,
            std::ptr::null_mut(),
        );
        assert_eq!(status, ur_jit_abi::Status::Ok);
        let mut kernel = std::ptr::null_mut();
        let mut info = std::mem::MaybeUninit::uninit();
        let status = (table.kernel_create)(
            module,
            name.as_ptr(),
            name.len(),
            &raw mut kernel,
            info.as_mut_ptr(),
            ignore,
            std::ptr::null_mut(),
        );
        assert_eq!(status, ur_jit_abi::Status::Ok);
        assert_eq!(info.assume_init().arg_count, 4);
        (table.kernel_release)(kernel);
        (table.module_release)(module);
    }
}

#[test]
fn an_exit_takes_nothing_away_from_a_compilation() {
    // What C++ would have destroyed at exit is registered by name with this function.
    let output = Command::new("nm")
        .args(["-D", "--undefined-only"])
        .arg(library())
        .output()
        .expect("nm runs");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("names are text");
    assert!(text.contains("malloc"), "{text}");
    assert!(!text.contains("__cxa_atexit"), "{text}");
}
