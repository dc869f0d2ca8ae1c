//! Programs in Rust and C that have the loader and an adapter linked in: the examples, run where
//! they can find no library of ours.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Where this package lies after it was built by itself. In a build with others its adapters may
/// export names that the loader has, too, so the package's own features say what is built here.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build("alone,mock", &["--lib", "--examples"]))
}

fn build(features: &str, what: &[&str]) -> PathBuf {
    // A folder of its own: libraries have the same names whatever their features, and other tests
    // take theirs from the usual one.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("static");
    let test = std::env::current_exe().expect("a path");
    let folder = test.ancestors().nth(2).and_then(Path::file_name);
    let folder = folder.and_then(|name| name.to_str()).expect("a folder");
    let profile = if folder == "debug" { "dev" } else { folder };
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--package", "ur-static"])
        .args(what)
        .args(["--features", features, "--profile", profile])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(ROOT)
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    target.join(folder)
}

/// Compiles a C example with the static library.
fn compile(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(format!("{ROOT}/include"))
        .arg(format!("{ROOT}/examples/{name}.c"))
        .arg(built().join("libur_static.a"))
        .args(["-lgcc_s", "-lm", "-o"])
        .arg(&program)
        .output()
        .expect("cc starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    program
}

/// Runs a program, copied to a folder of its own, and gives what it printed; it must need no
/// library of ours and have ended well.
fn run(program: &Path, variables: &[(&str, &str)]) -> (Vec<String>, String) {
    run_with(program, variables, &[])
}

fn run_with(program: &Path, variables: &[(&str, &str)], args: &[&Path]) -> (Vec<String>, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("apart");
    std::fs::create_dir_all(&folder).expect("a folder");
    let name = program.file_name().expect("a name");
    // Another name for each case: a file that runs cannot be written.
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let copy = folder.join(format!("{}-{number}", name.display()));
    let _ = std::fs::remove_file(&copy);
    std::fs::hard_link(program, &copy).expect("a second name");
    let needed = text(Command::new("readelf").arg("-d").arg(&copy).output());
    assert!(
        needed.0.contains("libc.so.6") && !needed.0.contains("libur"),
        "{}",
        needed.0
    );
    let output = Command::new(&copy)
        .args(args)
        .env_clear()
        .envs(variables.iter().copied())
        .current_dir(&folder)
        .output();
    let _ = std::fs::remove_file(&copy);
    let (out, errors) = text(output);
    (out.lines().map(str::to_owned).collect(), errors)
}

fn text(output: std::io::Result<Output>) -> (String, String) {
    let output = output.expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {errors}", output.status);
    (String::from_utf8_lossy(&output.stdout).into_owned(), errors)
}

const LOG: (&str, &str) = ("UR_LOG_LOADER", "level:debug;output:stderr");

fn devices(program: &Path, line: &str) {
    let (lines, errors) = run(program, &[LOG]);
    assert_eq!(lines, [line], "{errors}");
    let said = "adapter native_cpu: part of the program loaded";
    assert!(errors.contains(said), "{errors}");
    // Others are looked for; this one is there.
    assert!(errors.contains("libur_adapter_opencl.so.0"), "{errors}");
    assert!(!errors.contains("libur_adapter_native_cpu"), "{errors}");

    let (lines, _) = run(program, &[("ONEAPI_DEVICE_SELECTOR", "cuda:*")]);
    assert!(lines.is_empty(), "{lines:?}");
    // What the user names takes the place of all others.
    let forced = ("UR_ADAPTERS_FORCE_LOAD", "/no/such/library.so");
    let (lines, errors) = run(program, &[forced]);
    assert!(lines.is_empty(), "{lines:?}");
    assert!(errors.contains("/no/such/library.so"), "{errors}");
}

/// The name of this machine's device.
fn device() -> String {
    let (lines, errors) = run(&built().join("examples/static_devices"), &[]);
    let [name] = lines.as_slice() else {
        panic!("{lines:?}: {errors}");
    };
    assert!(!name.is_empty());
    name.clone()
}

#[test]
fn a_rust_program_has_the_native_cpu_adapter_in_it() {
    devices(&built().join("examples/static_devices"), &device());
}

#[test]
fn a_c_program_has_the_native_cpu_adapter_in_it() {
    let line = format!("{}: copied", device());
    devices(&compile("static_devices"), &line);
}

#[test]
fn a_rust_program_is_tested_on_the_mock_adapter_in_it() {
    let (lines, errors) = run(&built().join("examples/static_mock"), &[]);
    let wanted = [
        "context 1: UR_RESULT_SUCCESS",
        "context 2: UR_RESULT_SUCCESS",
        "context 3: UR_RESULT_ERROR_OUT_OF_RESOURCES",
        "context 4: UR_RESULT_SUCCESS",
        "compute units: 7",
    ];
    assert_eq!(lines, wanted, "{errors}");
}

#[test]
#[ignore = "links LLVM into the program, which takes minutes"]
fn a_rust_program_has_the_compiler_in_it() {
    let examples = build("alone,jit", &["--example", "static_kernel"]).join("examples");
    let module = Path::new(ROOT).join("tests/spirv/vector_add.spv");
    let module = module.canonicalize().expect("the module");
    let kept = ("UR_JIT_CACHE", "off");
    let program = examples.join("static_kernel");
    let (lines, errors) = run_with(&program, &[kept], &[&module]);
    assert_eq!(lines, ["1000 sums, all right"], "{errors}");
}
