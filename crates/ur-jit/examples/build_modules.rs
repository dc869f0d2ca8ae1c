//! Builds SPIR-V modules and reports what fails and how long it takes.
//!
//! `build_modules [--translate] FILE|FOLDER…`: every kernel of every module is compiled for the host
//! (with `--translate` only its IR is made). Ends with the number built and the processor times.
//!
//! `build_modules --list STAGE FILE`: prints the kernels of a module at a stage (`ir`, `lowered`,
//! `vector`, `optimised`, `asm`).

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ur_jit::compile::Options;
use ur_jit::module::Module;

/// Processor time of this thread, which other load does not change much.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists on Linux and the result is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How the build of one module went.
struct Outcome {
    index: usize,
    translated: Duration,
    compiled: Duration,
    failure: Option<String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, stage, file] = &arguments[..]
        && flag == "--list"
    {
        let module = open(&PathBuf::from(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        for name in module.kernel_names() {
            match module.listing(name, stage) {
                Ok(text) => println!("{text}"),
                Err(error) => println!("{name}: {error}"),
            }
        }
        return;
    }
    let mut compile = true;
    let mut files = Vec::new();
    for argument in arguments {
        if argument == "--translate" {
            compile = false;
            continue;
        }
        let path = PathBuf::from(argument);
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a readable folder");
            files.extend(entries.flatten().map(|entry| entry.path()));
        } else {
            files.push(path);
        }
    }
    files.retain(|path| path.extension().is_some_and(|ext| ext == "spv"));
    files.sort();

    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Outcome>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(index) else { break };
                    let outcome = build(path, index, compile);
                    if let Some(text) = &outcome.failure {
                        println!("{}: {text}", path.display());
                    }
                    results
                        .lock()
                        .expect("no thread panics with the lock")
                        .push(outcome);
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread panicked");
    let failed = results
        .iter()
        .filter(|result| result.failure.is_some())
        .count();
    let report = |name: &str, mut times: Vec<Duration>| {
        times.sort();
        if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
            let total: Duration = times.iter().sum();
            println!("{name}: median {median:.2?}, most {most:.2?}, total {total:.2?}");
        }
    };
    report(
        "translate",
        results.iter().map(|result| result.translated).collect(),
    );
    if compile {
        report(
            "compile",
            results.iter().map(|result| result.compiled).collect(),
        );
        let mut slow: Vec<_> = results.iter().map(|r| (r.compiled, r.index)).collect();
        slow.sort_by(|a, b| b.cmp(a));
        for (time, index) in slow.iter().take(5) {
            println!("  {time:.2?} {}", files[*index].display());
        }
    }
    println!(
        "{} of {} modules built",
        results.len() - failed,
        results.len()
    );
    if failed > 0 {
        std::process::exit(1);
    }
}

fn build(path: &PathBuf, index: usize, compile: bool) -> Outcome {
    let start = now();
    let mut translated = Duration::ZERO;
    let outcome = (|| {
        let module = open(path)?;
        translated = now() - start;
        if compile {
            for name in module.kernel_names() {
                module
                    .compile(name)
                    .map_err(|e| format!("{name}: {:?}: {e}", e.status))?;
            }
        }
        Ok::<(), String>(())
    })();
    Outcome {
        index,
        translated,
        compiled: (now() - start).saturating_sub(translated),
        failure: outcome.err(),
    }
}

fn open(path: &PathBuf) -> Result<Module, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    Module::new(
        &words,
        &[],
        Options {
            lanes: ur_jit_abi::lanes::Lanes::asked("").first(),
            ..Options::default()
        },
    )
    .map_err(|e| format!("{:?}: {e}", e.status))
}
