//! `ur run`: exit codes, and a kernel on the native CPU.

mod place;

use place::{Place, finish};
use std::fs;
use std::path::{Path, PathBuf};

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv")
}

/// A place with the native CPU adapter and its compiler.
fn native_cpu() -> Place {
    let place = Place::empty();
    place.add(
        "libur_adapter_native_cpu.so",
        "libur_adapter_native_cpu.so.0",
    );
    place.add("libur_jit.so", "libur_jit.so");
    place
}

#[test]
fn wrong_command_lines() {
    let place = Place::empty();
    let file = place.dir.join("empty.spv");
    fs::write(&file, "").expect("a file");
    let file = file.to_str().expect("text");
    for (args, word) in [
        (vec![], "--kernel"),
        (vec!["--kernel", "k"], "--global"),
        (vec!["--kernel", "k", "--global", "0"], "'0'"),
        (
            vec!["--kernel", "k", "--global", "1", "--arg", "i33:1"],
            "i33",
        ),
        (
            vec!["--kernel", "k", "--global", "1", "--local", "1,1"],
            "--local",
        ),
        (
            vec!["--kernel", "k", "--global", "1", "--print", "0:i32"],
            "no argument 0",
        ),
        (
            vec![
                "--kernel", "k", "--global", "1", "--arg", "i32:1", "--print", "0:i32",
            ],
            "no memory",
        ),
    ] {
        let all: Vec<&str> = ["run", file].into_iter().chain(args).collect();
        let (code, _, err) = finish(&mut place.ur(&all));
        assert_eq!(code, Some(2), "{all:?}: {err}");
        assert!(err.contains(word), "{all:?}: {err}");
    }
}

#[test]
fn no_device() {
    let place = Place::empty();
    let file = place.dir.join("empty.spv");
    fs::write(&file, "").expect("a file");
    let (code, _, err) = finish(&mut place.ur(&[
        "run",
        file.to_str().expect("text"),
        "--kernel",
        "k",
        "--global",
        "1",
    ]));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("no device"), "{err}");
}

#[test]
fn no_file() {
    let place = Place::empty();
    let (code, _, err) =
        finish(&mut place.ur(&["run", "absent.spv", "--kernel", "k", "--global", "1"]));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("absent.spv"), "{err}");
}

#[test]
fn malformed_code_is_refused_with_its_place() {
    let place = native_cpu();
    let whole = fs::read(kernels().join("vector_add.spv")).expect("a kernel");
    let file = place.dir.join("cut.spv");
    fs::write(&file, &whole[..whole.len() - 4]).expect("a file");
    let (code, _, err) = finish(&mut place.ur(&[
        "run",
        file.to_str().expect("text"),
        "--kernel",
        "vector_add",
        "--global",
        "1",
    ]));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("word"), "{err}");
}

#[test]
fn vector_addition() {
    let place = native_cpu();
    let bytes =
        |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    fs::write(place.dir.join("a"), bytes(&[1.0, 2.0, 3.0, 4.0])).expect("a file");
    fs::write(place.dir.join("b"), bytes(&[0.5, 0.25, -3.0, 96.0])).expect("a file");
    let kernel = kernels().join("vector_add.spv");
    let (code, out, err) = finish(&mut place.ur(&[
        "run",
        kernel.to_str().expect("text"),
        "--kernel",
        "vector_add",
        "--global",
        "4",
        "--arg",
        "buffer:a",
        "--arg",
        "buffer:b",
        "--arg",
        "zeros:16",
        "--print",
        "2:f32",
        "--out",
        "2:sum",
    ]));
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("2: 1.5 2.25 0 100"), "{out}");
    assert_eq!(
        fs::read(place.dir.join("sum")).expect("the result"),
        bytes(&[1.5, 2.25, 0.0, 100.0])
    );
}
