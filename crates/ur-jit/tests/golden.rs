//! The IR of some kernels, compared with what is on file.
//!
//! `UPDATE_GOLDEN=1` writes the files anew; read the difference before committing it.

mod common;

use std::path::PathBuf;

use common::Jit;

fn check(module: &str, kernel: &str) {
    let text = Jit::new(module)
        .listing(kernel, "ir")
        .unwrap_or_else(|(status, text)| panic!("{kernel}: {status:?}: {text}"));
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(format!("{kernel}.ll"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, &text).expect("writable");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (number, (ours, filed)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(ours, filed, "{kernel}.ll, line {}", number + 1);
    }
    assert_eq!(
        text.lines().count(),
        expected.lines().count(),
        "{kernel}.ll"
    );
}

#[test]
fn straight_code() {
    check("vector_add", "vector_add");
}

#[test]
fn loops_and_local_memory() {
    check("reduce", "reduce_any");
}

#[test]
fn group_operations() {
    check("sub_group", "collectives");
    check("sub_group", "work_group");
}

#[test]
fn structures() {
    check("struct_arg", "by_value");
    check("struct_arg", "packed");
}

#[test]
fn calls() {
    check("calls", "call");
}

#[test]
fn switches() {
    check("switch", "switches");
}

#[test]
fn integers() {
    check("integers", "functions");
}

#[test]
fn vectors() {
    check("vectors", "swizzle");
    check("vectors", "dynamic_index");
}

#[test]
fn atomics() {
    check("atomics", "all_operations");
}
