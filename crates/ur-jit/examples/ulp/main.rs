//! Measures the error of OpenCL.std's functions: kernels are compiled and run, and every result is
//! compared with 128-bit arithmetic.
//!
//! `ulp [--vectors] [--function F] [--width W] [--all] [--inputs N] [--out FILE]`: prints a table of the largest
//! error of each function in ULP and OpenCL's limit, as Markdown; `--width` is the sub-group size,
//! `--all` takes ten million inputs for each function (every half), `--out` writes the table to a
//! file. The last line is the error that comes nearest to its limit. The exit code is 1 if a limit
//! is exceeded. `--vectors` measures the vectoriser's functions by themselves.

#[path = "../../tests/common/mod.rs"]
mod common;
mod error;
mod functions;
mod kernel;
mod measure;
mod quad;
mod survey;
mod vectors;

use functions::Function;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The floating-point types: name and bits.
const TYPES: [(&str, u32); 3] = [("float", 32), ("double", 64), ("half", 16)];

struct Arguments {
    vectors: bool,
    function: Option<String>,
    width: u32,
    inputs: u64,
    out: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        vectors: false,
        function: None,
        width: 0,
        inputs: 100_000,
        out: None,
    };
    let mut list = std::env::args().skip(1);
    while let Some(argument) = list.next() {
        let mut value = || {
            list.next()
                .ok_or_else(|| format!("{argument} needs a value"))
        };
        let number = |text: String| -> Result<u64, String> {
            text.parse().map_err(|_| format!("{text} is not a number"))
        };
        match argument.as_str() {
            "--vectors" => parsed.vectors = true,
            "--function" => parsed.function = Some(value()?),
            "--width" => parsed.width = number(value()?)? as u32,
            "--inputs" => parsed.inputs = number(value()?)?,
            "--all" => parsed.inputs = 10_000_000,
            "--out" => parsed.out = Some(value()?),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("ulp: {message}");
            ExitCode::from(2)
        }
    }
}

/// Measures, prints, and says whether all limits are kept.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if arguments.vectors {
        return survey::run(arguments);
    }
    let functions: Vec<Function> = functions::all()
        .into_iter()
        .filter(|f| match &arguments.function {
            Some(name) => format!("{:?}", f.op) == *name,
            None => true,
        })
        .collect();
    if functions.is_empty() {
        return Err("no function has that name".to_string());
    }

    let tasks = functions.len() * TYPES.len();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![measure::Worst::default(); tasks]);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    let Some(function) = functions.get(task / TYPES.len()) else {
                        break;
                    };
                    let (name, bits) = TYPES[task % TYPES.len()];
                    if function.limits[task % TYPES.len()].is_nan() {
                        continue;
                    }
                    let worst = measure::function(function, bits, arguments);
                    if arguments.inputs > 1_000_000 {
                        eprintln!("{:?} of {name}: {:.3} ULP", function.op, worst.error);
                    }
                    results.lock().expect("no thread panicked")[task] = worst;
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| "a thread panicked")?;

    let mut table = String::new();
    table.push_str("| function | float | limit | double | limit | half | limit |\n");
    table.push_str("|---|---|---|---|---|---|---|\n");
    let mut nearest = (0.0, "everything is exact".to_string());
    let mut differ = 0;
    for (function, row) in functions.iter().zip(results.chunks(TYPES.len())) {
        let _ = write!(table, "| {:?} |", function.op);
        for (k, (name, _)) in TYPES.iter().enumerate() {
            let (worst, limit) = (row[k].error, function.limits[k]);
            if limit.is_nan() {
                table.push_str(" – | – |");
                continue;
            }
            let _ = write!(table, " {worst:.3} | {limit} |");
            // Of what must be exact, any error is beyond the limit.
            let part = if worst == 0.0 { 0.0 } else { worst / limit };
            if part > nearest.0 {
                let text = format!(
                    "worst {worst:.3} ULP of {limit} allowed ({:?} of {name} at {:e})",
                    function.op, row[k].at
                );
                nearest = (part, text);
            }
            if row[k].vectors_differ > 0 {
                println!(
                    "{:?} of {name}: {} numbers differ in vectors",
                    function.op, row[k].vectors_differ
                );
            }
            differ += row[k].vectors_differ;
        }
        table.push('\n');
    }
    print!("{table}");
    if let Some(path) = &arguments.out {
        let text = format!("{}{table}", heading(arguments, differ));
        std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    println!("{}", nearest.1);
    Ok(nearest.0 <= 1.0 && differ == 0)
}

/// What stands above the table in a file.
fn heading(arguments: &Arguments, differ: usize) -> String {
    format!(
        "# Errors of the OpenCL.std functions\n\n\
         Largest error in units of the last place (ULP) over {} inputs of each function (every\n\
         half), measured against 128-bit arithmetic, and the limit of OpenCL's full profile.\n\
         For each input, vectors of 2, 3, 4, 8 and 16 are compared with the scalar function:\n\
         {differ} of their numbers differ.\n\n\
         Made by `./x ulp --inputs {} --out FILE`; 0 is what OpenCL wants exact.\n\n",
        arguments.inputs, arguments.inputs
    )
}
