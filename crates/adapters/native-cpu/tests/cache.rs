//! Compiled code on disk, with real programs. Each scenario runs in a process of its own, this test
//! program started again, since a process reads the environment once.

mod common;

use common::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;
use ur_api::*;

const SCENARIO: &str = "UR_TEST_SCENARIO";

/// A folder of this test, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("ur-programs-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Starts this program again to play a scenario with other variables.
fn start(scenario: &str, variables: &[(&str, &Path)]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "scenario", "--nocapture", "--test-threads=1"])
        .env_remove("UR_JIT_CACHE")
        .env_remove("XDG_CACHE_HOME")
        .env(SCENARIO, scenario)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    for (name, value) in variables {
        command.env(name, value);
    }
    command.spawn().unwrap()
}

/// Whether the process compiled anything, which it tells at its end.
fn compiled(child: Child) -> bool {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    match (text.contains("<jit open>"), text.contains("<jit closed>")) {
        (true, false) => true,
        (false, true) => false,
        _ => panic!("{text}"),
    }
}

fn run(scenario: &str, cache: &Path) -> bool {
    compiled(start(scenario, &[("UR_JIT_CACHE", cache)]))
}

/// Name and content of each file.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let list = fs::read_dir(path).unwrap();
    list.map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    })
    .collect()
}

fn sums(context: &Context, queue: &Queue) {
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add");
    let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut c = vec![-1f32; 1000];
    let args = [
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(c.as_mut_ptr().cast_const().cast()),
    ];
    queue.run(&kernel, &[1000], None, &args);
    assert!(c.iter().zip(&a).all(|(c, a)| *c == a + a));
}

/// Variables start with their values in each program, and those that hold addresses with the right
/// ones.
fn variables(context: &Context, queue: &Queue) {
    for _ in 0..2 {
        let program = context.program("variables.spv");
        let kernel = program.kernel("use_variables");
        let mut out = [0i32; 4];
        let args = [Arg::Pointer((&raw mut out).cast_const().cast())];
        queue.run(&kernel, &[4], None, &args);
        assert_eq!(out, [41, 42, 43, 44]);
    }
}

fn kernel_names(program: &Program) -> String {
    let (name, mut size) = (UR_PROGRAM_INFO_KERNEL_NAMES, 0);
    ok!(Program.pfnGetInfo(program.0, name, 0, null_mut(), &mut size));
    let mut text = vec![0u8; size];
    let place = text.as_mut_ptr().cast();
    ok!(Program.pfnGetInfo(program.0, name, size, place, null_mut()));
    String::from_utf8_lossy(&text[..size - 1]).into_owned()
}

/// Barriers, local memory and the C library's functions.
fn others(context: &Context, queue: &Queue) {
    let program = context.program("matmul.spv");
    drop(program.kernel("matmul"));
    for file in ["reduce.spv", "math.spv", "group_operations.spv"] {
        let program = context.program(file);
        for name in kernel_names(&program).split(';') {
            drop(program.kernel(name));
        }
    }
    sums(context, queue);
}

/// The program with one constant set.
fn specialised(context: &Context, queue: &Queue, value: u32, options: &std::ffi::CStr) {
    let program = context.unbuilt(&module("spec_constant.spv"));
    let info = ur_specialization_constant_info_t {
        id: 7,
        size: 4,
        pValue: (&raw const value).cast(),
    };
    ok!(Program.pfnSetSpecializationConstants(program.0, 1, &info));
    let long = 1000u64;
    let info = ur_specialization_constant_info_t {
        id: 9,
        size: 8,
        pValue: (&raw const long).cast(),
    };
    ok!(Program.pfnSetSpecializationConstants(program.0, 1, &info));
    let float = 3f32;
    let info = ur_specialization_constant_info_t {
        id: 10,
        size: 4,
        pValue: (&raw const float).cast(),
    };
    ok!(Program.pfnSetSpecializationConstants(program.0, 1, &info));
    ok!(Program.pfnBuild(context.0, program.0, options.as_ptr()));
    let mut out = [0u64; 4];
    let args = [Arg::Pointer((&raw mut out).cast_const().cast())];
    queue.run(&program.kernel("specialised"), &[4], None, &args);
    assert_eq!(out, [u64::from(value) * 2 + 1003; 4]);
}

/// Plays the scenario that the environment names; an ordinary test run names none.
#[test]
fn scenario() {
    let Ok(name) = std::env::var(SCENARIO) else {
        return;
    };
    if let Some(limit) = name.strip_prefix("limited-") {
        let limit = libc::rlimit {
            rlim_cur: limit.parse().unwrap(),
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: sets a limit of this process.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    }
    let context = Context::new();
    let queue = context.queue();
    match name.as_str() {
        "all" => {
            sums(&context, &queue);
            variables(&context, &queue);
            others(&context, &queue);
        }
        "constants" => {
            for value in 0..3 {
                specialised(&context, &queue, value, c"");
                specialised(&context, &queue, value, c"-cl-opt-disable");
            }
        }
        "many" => {
            for value in 0..30 {
                specialised(&context, &queue, value, c"");
            }
        }
        _ => sums(&context, &queue),
    }
    // The library stays open once it is.
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let state = if maps.contains("libur_jit.so") {
        "open"
    } else {
        "closed"
    };
    println!("<jit {state}>");
}

#[test]
fn a_second_process_compiles_nothing() {
    let scratch = Scratch::new("second");
    let cache = scratch.cache();
    assert!(run("all", &cache));
    let first = files(&cache);
    assert!(first.len() >= 8, "{}", first.len());
    assert!(!run("all", &cache));
    assert_eq!(files(&cache), first);
    assert_eq!(fs::metadata(&cache).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn constants_and_options_have_code_of_their_own() {
    let scratch = Scratch::new("constants");
    let cache = scratch.cache();
    assert!(run("constants", &cache));
    // A module and a kernel for each of three values and two lists of options.
    assert_eq!(files(&cache).len(), 12);
    assert!(!run("constants", &cache));
}

#[test]
fn sixteen_processes_at_once() {
    let scratch = Scratch::new("sixteen");
    let cache = scratch.cache();
    let children: Vec<Child> = (0..16)
        .map(|_| start("sums", &[("UR_JIT_CACHE", &cache)]))
        .collect();
    for child in children {
        compiled(child);
    }
    let kept = files(&cache);
    assert_eq!(kept.len(), 2, "{:?}", kept.keys());
    assert!(!run("sums", &cache));
}

#[test]
fn damaged_files_are_made_again() {
    let scratch = Scratch::new("damaged");
    let cache = scratch.cache();
    assert!(run("sums", &cache));
    let good = files(&cache);
    for (name, bytes) in &good {
        let path = cache.join(name);
        let mut changed = bytes.clone();
        changed[bytes.len() - 5] ^= 4;
        for bad in [&[][..], &bytes[..100], &bytes[..bytes.len() / 2], &changed] {
            fs::write(&path, bad).unwrap();
            assert!(run("sums", &cache), "{name} with {} bytes", bad.len());
            // Machine code is the same each time it is made.
            assert_eq!(files(&cache), good);
        }
    }
    assert!(!run("sums", &cache));
}

#[test]
fn off_and_the_usual_place() {
    let scratch = Scratch::new("home");
    let home = &scratch.0;
    let off = Path::new("off");
    assert!(compiled(start(
        "sums",
        &[("HOME", home), ("UR_JIT_CACHE", off)]
    )));
    assert_eq!(files(home).len(), 0);
    assert!(compiled(start("sums", &[("HOME", home)])));
    assert_eq!(files(&home.join(".cache/concord")).len(), 2);
    assert!(!compiled(start("sums", &[("HOME", home)])));
    let other = home.join("other");
    let variables: [(&str, &Path); 2] = [("HOME", home), ("XDG_CACHE_HOME", &other)];
    assert!(compiled(start("sums", &variables)));
    assert!(!compiled(start("sums", &variables)));
    assert_eq!(files(&other.join("concord")).len(), 2);
}

#[test]
fn a_folder_that_others_could_change_is_not_used() {
    let scratch = Scratch::new("mode");
    let cache = scratch.cache();
    assert!(run("sums", &cache));
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o770)).unwrap();
    assert!(run("sums", &cache), "code from it would be trusted");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(!run("sums", &cache));
}

#[test]
fn programs_run_without_room_for_files() {
    let scratch = Scratch::new("room");
    let cache = scratch.cache();
    for limit in ["limited-0", "limited-300"] {
        assert!(run(limit, &cache));
        let kept = files(&cache);
        assert!(kept.values().all(|file| file.len() <= 300), "{limit}");
        assert!(kept.keys().all(|name| !name.starts_with("tmp-")));
    }
    // A name that cannot be a folder.
    assert!(run("sums", Path::new("/dev/null/cache")));
    assert!(run("sums", Path::new("relative")));
    assert!(!Path::new("relative").exists());
}

#[test]
fn a_small_cache_stays_small() {
    let scratch = Scratch::new("small");
    let cache = scratch.cache();
    let limit = 10_000;
    let size = limit.to_string();
    let variables: [(&str, &Path); 2] = [
        ("UR_JIT_CACHE", &cache),
        ("UR_JIT_CACHE_SIZE", Path::new(&size)),
    ];
    assert!(compiled(start("many", &variables)));
    let kept: usize = files(&cache).values().map(Vec::len).sum();
    assert!((limit / 4..=limit).contains(&kept), "{kept} bytes");
    assert!(compiled(start("many", &variables)), "most of it is gone");
    let kept: usize = files(&cache).values().map(Vec::len).sum();
    assert!(kept <= limit, "{kept} bytes");
}
