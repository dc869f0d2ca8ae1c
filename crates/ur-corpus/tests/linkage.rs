//! Modules find what they import, in their own library first.

use std::path::Path;
use ur_corpus::{CorpusModule, Exception, Exports, Symbols};

fn spv(name: &str) -> Vec<u32> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    let bytes = std::fs::read(folder.join(name).with_extension("spv")).expect("a test module");
    let (chunks, _) = bytes.as_chunks::<4>();
    chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

fn module(library: &str, index: usize, words: Vec<u32>) -> CorpusModule {
    CorpusModule {
        library: library.into(),
        index,
        words: words.into(),
    }
}

/// A header and one decoration for each symbol: `kind` 0 exports, 1 imports.
fn symbols(list: &[(&str, u32)]) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x1_0000, 0, 100, 0];
    for (name, kind) in list {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize((bytes.len() + 4) / 4 * 4, 0);
        let (chunks, _) = bytes.as_chunks::<4>();
        words.push((4 + chunks.len() as u32) << 16 | 71);
        words.extend([1, 41]);
        words.extend(chunks.iter().map(|c| u32::from_le_bytes(*c)));
        words.push(*kind);
    }
    words
}

#[test]
fn symbols_of_real_modules_are_read() {
    let library = Symbols::of(&spv("link_library"));
    let main = Symbols::of(&spv("link_main"));
    assert!(!library.exports.is_empty());
    let wanted = |name: &&String| library.exports.contains(name);
    assert!(main.imports.iter().any(|name| wanted(&name)), "{main:?}");
}

#[test]
fn a_module_is_linked_with_what_it_needs() {
    let modules = [
        module("a", 0, symbols(&[("main", 0), ("f", 1), ("device", 1)])),
        module("b", 0, symbols(&[("f", 0)])),
        module("a", 1, symbols(&[("g", 0), ("f", 1)])),
        module("a", 2, symbols(&[("f", 0), ("g", 1)])),
        module("b", 1, symbols(&[("g", 1)])),
        module("c", 0, symbols(&[("x", 1), ("y", 1)])),
        module("c", 1, symbols(&[("x", 0), ("y", 0)])),
    ];
    let exports = Exports::of(&modules);
    let closure = |at: usize| -> Vec<String> {
        let parts = exports.closure(&modules[at]);
        parts.iter().map(|part| part.name()).collect()
    };
    // Its own library's `f`, what that needs in turn, and once round the circle.
    assert_eq!(closure(0), ["a#0", "a#2", "a#1"]);
    assert_eq!(closure(1), ["b#0"]);
    // Another library's `g`, for want of one in its own, with that library's `f`.
    assert_eq!(closure(4), ["b#1", "a#1", "a#2"]);
    // One module for two names.
    assert_eq!(closure(5), ["c#0", "c#1"]);
}

#[test]
fn code_for_vector_units_is_excepted() {
    let plain = module("a", 0, spv("vector_add"));
    assert_eq!(Exception::of(&plain), None);
    let mut words = plain.words.to_vec();
    words.splice(5..5, [2 << 16 | 17, 5617]);
    assert_eq!(
        Exception::of(&module("a", 0, words)),
        Some(Exception::VectorCompute)
    );
}
