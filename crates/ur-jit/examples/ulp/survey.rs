//! Errors of the vector functions, for every number of lanes and several processors.

use super::Arguments;
use super::functions::Second;
use super::measure::Inputs;
use super::vectors::{self, Case, Compiled, error_of, quiet, special, widen};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use ur_jit::vector::math::Features;

/// Lanes that are measured.
const LANES: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// A processor: a name, and LLVM's processor and features.
type Target = (&'static str, Option<&'static str>, Option<&'static str>);

/// Processors whose code has the same numbers: with fused operations, and without.
fn targets() -> [Vec<Target>; 2] {
    let mut fused: Vec<Target> = vec![("host", None, None)];
    if Features::of(None, None).avx512 {
        fused.push(("AVX2", Some("x86-64-v3"), None));
    }
    let plain = vec![
        ("SSE2", Some("x86-64"), None),
        ("SSE4.1", Some("x86-64"), Some("+sse4.1")),
    ];
    [fused, plain]
}

/// What was found of a function.
#[derive(Clone, Default)]
struct Found {
    /// The largest error with fused operations and without, and the operand there.
    worst: [(f64, f64); 2],
    /// Numbers that are not the same for all lanes and processors with the same operations.
    differ: usize,
}

/// Numbers of a run.
const CHUNK: usize = 1 << 16;

fn measure(case: &Case, name: &str, bits: u32, count: u64) -> Found {
    let compiled: Vec<Vec<Compiled>> = targets()
        .iter()
        .map(|list| {
            let all = list
                .iter()
                .flat_map(|target| LANES.map(|lanes| (*target, lanes)));
            all.map(|((label, cpu, features), lanes)| {
                vectors::compile(name, case.operands, bits, lanes, cpu, features)
                    .unwrap_or_else(|error| panic!("{label}: {error}"))
            })
            .collect()
        })
        .collect();
    let second = if case.operands == 2 {
        Second::Number
    } else {
        Second::None
    };
    let mut inputs = Inputs::new(bits, second, count);
    let specials = special(bits);
    let mut found = Found::default();
    let mut done = 0;
    while done < count {
        let batch = CHUNK.min((count - done) as usize);
        let mut pairs: Vec<(u64, u64)> = (0..batch as u64).map(|i| inputs.get(done + i)).collect();
        if done == 0 {
            for (i, x) in specials.iter().enumerate() {
                pairs.push((*x, specials[(i * 37 + 11) % specials.len()]));
            }
        }
        let x: Vec<u64> = pairs.iter().map(|pair| quiet(pair.0, bits)).collect();
        let y: Vec<u64> = pairs.iter().map(|pair| quiet(pair.1, bits)).collect();
        let results: Vec<Vec<u64>> = compiled
            .iter()
            .map(|list| {
                let first = list[0].run(&x, &y, u64::MAX);
                for other in &list[1..] {
                    let same = |(a, b): (&u64, &u64)| {
                        a == b || (widen(*a, bits).is_nan() && widen(*b, bits).is_nan())
                    };
                    let other = other.run(&x, &y, u64::MAX);
                    found.differ += first.iter().zip(&other).filter(|pair| !same(*pair)).count();
                }
                first
            })
            .collect();
        for i in 0..x.len() {
            let (a, b) = (widen(x[i], bits), widen(y[i], bits));
            let exact = (case.exact)(a, b);
            for (worst, result) in found.worst.iter_mut().zip(&results) {
                let error = error_of(exact, widen(result[i], bits), bits);
                if error > worst.0 {
                    *worst = (error, a);
                }
            }
        }
        done += batch as u64;
    }
    found
}

/// Measures all functions, prints the table, and says whether all limits are kept.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut tasks = Vec::new();
    for case in vectors::cases() {
        if arguments
            .function
            .as_ref()
            .is_some_and(|name| name != case.base)
        {
            continue;
        }
        for bits in [32, 64] {
            if let Some(name) = vectors::name(&case, bits) {
                tasks.push((case.base, bits, name));
            }
        }
    }
    let cases = vectors::cases();
    let case = |base: &str| cases.iter().find(|case| case.base == base).expect("listed");
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![Found::default(); tasks.len()]);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((base, bits, name)) = tasks.get(number) else {
                        break;
                    };
                    let found = measure(case(base), name, *bits, arguments.inputs);
                    if arguments.inputs > 1_000_000 {
                        eprintln!(
                            "{name}: {:.3} and {:.3} ULP",
                            found.worst[0].0, found.worst[1].0
                        );
                    }
                    results.lock().expect("no thread panicked")[number] = found;
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| "a thread panicked")?;

    let mut table = String::from(
        "| function | float | without FMA | double | without FMA | limit |\n|---|---|---|---|---|---|\n",
    );
    let (mut good, mut differ) = (true, 0);
    for case in &cases {
        let mut row = String::new();
        for bits in [32, 64] {
            let at = tasks
                .iter()
                .position(|(base, width, _)| *base == case.base && *width == bits);
            for k in 0..2 {
                let Some(at) = at else {
                    row.push_str(" – |");
                    continue;
                };
                let (worst, input) = results[at].worst[k];
                let _ = write!(row, " {worst:.3} |");
                if worst > case.limit {
                    good = false;
                    println!("{} of {bits} bits: {worst} ULP at {input:e}", case.base);
                }
            }
            differ += at.map_or(0, |at| results[at].differ);
        }
        if row.contains(char::is_numeric) {
            let _ = writeln!(table, "| {} |{row} {} |", case.base, case.limit);
        }
    }
    print!("{table}");
    println!("{differ} numbers differ between numbers of lanes or processors");
    if let Some(path) = &arguments.out {
        let text = format!(
            "# Errors of the vector functions\n\n\
             Largest error in units of the last place (ULP) over {} inputs of each function, which\n\
             include the special ones, measured against 128-bit arithmetic, and the limit of\n\
             OpenCL's full profile. Measured in vectors of 2, 4, 8, 16, 32 and 64 lanes on {} (with\n\
             FMA) and on {} (without): {differ} numbers differ between those of one kind.\n\n\
             Made by `cargo run --release -p ur-jit --example ulp -- --vectors --inputs N --out FILE`.\n\n{table}",
            arguments.inputs,
            labels(0),
            labels(1),
        );
        std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(good && differ == 0)
}

/// Names of the processors of one kind.
fn labels(kind: usize) -> String {
    let host = if Features::of(None, None).avx512 {
        "AVX-512"
    } else {
        "AVX2"
    };
    let names: Vec<&str> = targets()[kind]
        .iter()
        .map(|(label, _, _)| if *label == "host" { host } else { label })
        .collect();
    names.join(" and ")
}
