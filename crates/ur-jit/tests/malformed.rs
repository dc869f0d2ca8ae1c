//! Damaged modules: refused or compiled, and never a crash.

mod common;

use common::{Jit, words};
use ur_jit_abi::Status;

/// Builds a module and, if it is accepted, compiles its kernels.
fn build(words: &[u32], kernels: &[&str]) -> Status {
    match Jit::from_words(words, 0, &[]) {
        Err((status, text)) => {
            assert!(!text.is_empty());
            assert!(!text.contains("the JIT failed"), "a panic: {text}");
            assert_ne!(status, Status::Internal, "{text}");
            status
        }
        Ok(jit) => {
            for kernel in kernels {
                if let Err((status, text)) = jit.try_kernel(kernel) {
                    assert!(
                        matches!(status, Status::NotFound | Status::Unsupported),
                        "{kernel}: {status:?}: {text}"
                    );
                }
            }
            Status::Ok
        }
    }
}

#[test]
fn truncated_anywhere() {
    for name in [
        "vector_add",
        "reduce",
        "sub_group",
        "calls",
        "tables",
        "switch",
        "struct_arg",
        "divergent",
        "matmul",
        "spec_constant",
        "image_parts",
    ] {
        let whole = words(name);
        for length in 0..whole.len() {
            let status = build(&whole[..length], &[]);
            // An instruction cut off, or a function without its end.
            assert_ne!(status, Status::Internal, "{name} cut to {length} words");
        }
    }
}

#[test]
fn each_word_replaced() {
    for (name, kernel) in [
        ("vector_add", "vector_add"),
        ("reduce", "reduce_fixed"),
        ("image_parts", "parts"),
    ] {
        let whole = words(name);
        for at in 0..whole.len() {
            for value in [0, 1, u32::MAX] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                // What is accepted must compile, too; one of seven is enough to see.
                let kernels: &[&str] = if at % 7 == 0 { &[kernel] } else { &[] };
                build(&damaged, kernels);
            }
        }
    }
}
