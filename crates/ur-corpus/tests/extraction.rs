//! Modules come out of sections, padded, compressed or repeated, and samples are stable.

use std::path::{Path, PathBuf};
use std::process::Command;
use ur_corpus::{CorpusModule, modules, sample, split};

fn spirv() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv")
}

fn module(name: &str) -> Vec<u8> {
    std::fs::read(spirv().join(name).with_extension("spv")).expect("a test module")
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let (chunks, _) = bytes.as_chunks::<4>();
    chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

#[test]
fn modules_back_to_back_are_split() {
    let (a, b) = (module("vector_add"), module("switch"));
    let section: Vec<u8> = [a.as_slice(), &[0; 12], &b, &a, &[0; 4]].concat();
    let found = split(&section).expect("plain modules");
    assert_eq!(found, [words(&a), words(&b), words(&a)]);
}

#[test]
fn compressed_modules_are_found_at_any_offset() {
    let (a, b) = (module("vector_add"), module("math"));
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let frame = ruzstd::encoding::compress_to_vec(b.as_slice(), level);
    let section: Vec<u8> = [frame.as_slice(), &[0; 3], &a, &frame, &frame, &a].concat();
    let found = split(&section).expect("frames");
    let expected = [&b, &a, &b, &b, &a].map(|bytes| words(bytes));
    assert_eq!(found, expected);
    let mut damaged = frame.clone();
    damaged.truncate(frame.len() / 2);
    assert!(split(&damaged).is_err(), "a frame cut in half");
}

#[test]
fn kernels_are_named() {
    let module = CorpusModule {
        library: "x".into(),
        index: 0,
        words: words(&module("vector_add")).into(),
    };
    assert_eq!(module.kernels(), ["vector_add", "vector_add_n"]);
}

/// A shared object with a section of images, made by the system's compiler.
#[test]
fn shared_objects_are_searched_and_repeats_left_out() {
    let folder = std::env::temp_dir().join(format!("ur-corpus-{}", std::process::id()));
    let inner = folder.join("inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    let images: Vec<u8> = [module("vector_add"), module("math"), module("vector_add")].concat();
    std::fs::write(folder.join("images"), images).expect("written");
    let source = format!(
        ".section {},\"a\"\n.balign 8\n.incbin \"{}\"\n",
        ur_corpus::SECTION,
        folder.join("images").display()
    );
    std::fs::write(folder.join("images.s"), source).expect("written");
    for object in [folder.join("liba.so.1"), inner.join("libb.so")] {
        let status = Command::new("cc")
            .args(["-shared", "-o"])
            .arg(&object)
            .arg(folder.join("images.s"))
            .status()
            .expect("cc runs");
        assert!(status.success());
    }
    std::fs::write(folder.join("libc.so.txt"), "no object").expect("written");
    let found = modules(std::slice::from_ref(&folder)).expect("modules");
    std::fs::remove_dir_all(&folder).expect("the folder can go");
    let places: Vec<(&str, usize)> = found.iter().map(|m| (&*m.library, m.index)).collect();
    let from = places.first().map(|place| place.0).expect("a module");
    assert_eq!(places, [(from, 0), (from, 1)]);
    assert_eq!(*found[0].words, *words(&module("vector_add")));
    assert_eq!(*found[1].words, *words(&module("math")));
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let all: Vec<CorpusModule> = (0..500)
        .map(|index| CorpusModule {
            library: "x".into(),
            index,
            words: vec![index as u32].into(),
        })
        .collect();
    let pick = |count, seed| -> Vec<usize> {
        let chosen = sample(all.clone(), count, seed);
        chosen.iter().map(|m| m.index).collect()
    };
    let first = pick(50, 1);
    assert_eq!(first.len(), 50);
    assert!(first.is_sorted());
    assert_eq!(first, pick(50, 1));
    assert_ne!(first, pick(50, 2));
    assert_eq!(pick(500, 1).len(), 500);
    assert_eq!(pick(0, 1).len(), 0);
}
