//! `ur-diff`: runs kernels on our device and on other drivers with generated inputs and compares
//! what comes out, bit for bit, floating-point functions within their limits.
//!
//! Random kernels are judged by an interpreter that knows none of the devices; the kernels of
//! `tests/spirv` are compared between the devices, and with three of them the odd one out is named.
//! The last line is `N kernels compared, A agreements, D differences`.

mod compare;
mod job;
mod opencl;
mod random;
mod tally;
mod unified;
mod worker;
mod written;

use anyhow::{Context, Result};
use clap::Parser;
use job::{Answer, Bytes, Code, Job, Ran};
use random::Verdict;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tally::{Side, Tally};
use ur_kernelgen::rng::Rng;
use worker::{End, Worker};
use written::Written;

/// Runs kernels on our device and on other drivers and compares what comes out.
#[derive(Parser)]
#[command(name = "ur-diff")]
struct Args {
    /// Our adapter
    #[arg(long, default_value = "target/dist/lib/libur_adapter_native_cpu.so.0")]
    adapter: PathBuf,
    /// The OpenCL library that finds the drivers
    #[arg(long, default_value = "libOpenCL.so.1")]
    opencl: PathBuf,
    /// Intel's OpenCL CPU driver, libintelocl.so
    #[arg(long)]
    intel: Option<PathBuf>,
    /// PoCL, libpocl.so.2
    #[arg(long)]
    pocl: Option<PathBuf>,
    /// Number of random kernels
    #[arg(long, default_value_t = 100)]
    random: u64,
    /// Launches of each written kernel
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write random kernels that differ to this folder, as SPIR-V and as text
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Only this written kernel
    #[arg(long)]
    kernel: Option<String>,
    /// Seconds that a kernel may take on a device
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// The folder with the written kernels
    #[arg(long, default_value = "tests/spirv")]
    kernels: PathBuf,
    /// Be a device and serve a parent process
    #[arg(long, hide = true)]
    worker: Option<String>,
}

/// How our device is called.
const OURS: &str = "concord";

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match args.worker.as_deref() {
        Some(OURS) => {
            let device = unified::Unified::open().map_err(anyhow::Error::msg)?;
            worker::serve(|job| device.run(job))?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(_) => {
            let device = opencl::OpenCl::open(&args.opencl).map_err(anyhow::Error::msg)?;
            worker::serve(|job| device.run(job))?;
            return Ok(ExitCode::SUCCESS);
        }
        None => {}
    }
    let mut devices = devices(&args)?;
    let names: Vec<&str> = devices.iter().map(|device| device.name).collect();
    println!("devices: {}", names.join(", "));
    let mut tally = Tally::new(OURS);
    let start = Instant::now();
    if args.kernel.is_none() {
        for number in 0..args.random {
            random_kernel(args.seed + number, &args, &mut devices, &mut tally)?;
            if (number + 1).is_multiple_of(50) {
                let seconds = start.elapsed().as_secs();
                println!(
                    "{} of {} random kernels, {seconds} s",
                    number + 1,
                    args.random
                );
            }
        }
    }
    for kernel in written::ALL {
        if args
            .kernel
            .as_ref()
            .is_none_or(|name| name == kernel.kernel)
        {
            written_kernel(kernel, &args, &mut devices, &mut tally)?;
        }
    }
    print!("{}", tally.notes());
    println!("{tally}");
    Ok(if tally.good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The devices that were asked for, ours first.
fn devices(args: &Args) -> Result<Vec<Worker>> {
    let timeout = Duration::from_secs(args.timeout);
    let mut ours = Worker::new(OURS, true, timeout);
    let adapter = std::path::absolute(&args.adapter)?;
    anyhow::ensure!(adapter.exists(), "{} is missing", adapter.display());
    ours.env = vec![
        ("UR_ADAPTERS_FORCE_LOAD", adapter.into_os_string()),
        ("ONEAPI_DEVICE_SELECTOR", "*:*".into()),
        // What was compiled before says nothing about the compiler of today.
        ("UR_JIT_CACHE", "off".into()),
    ];
    let mut devices = vec![ours];
    let drivers = [("intel", true, &args.intel), ("pocl", false, &args.pocl)];
    for (name, takes_il, library) in drivers {
        let Some(library) = library else { continue };
        let mut worker = Worker::new(name, takes_il, timeout);
        worker.args = vec!["--opencl".into(), args.opencl.clone().into_os_string()];
        let folder = format!("ur-diff-{}-{name}", std::process::id());
        let folder = ur_opencl::vendors(&folder, &[library])?;
        worker.env = vec![("OCL_ICD_VENDORS", folder.into_os_string())];
        devices.push(worker);
    }
    Ok(devices)
}

/// Runs one random kernel everywhere and has the interpreter judge.
fn random_kernel(seed: u64, args: &Args, devices: &mut [Worker], tally: &mut Tally) -> Result<()> {
    let Some(case) = random::case(seed) else {
        return Ok(());
    };
    let job = random::job(&case);
    let name = format!("random {seed}");
    let mut sides = Vec::new();
    for device in devices.iter_mut().filter(|device| device.takes_il) {
        let side = match device.run(&job)? {
            // No result is none to compare; of ours there must be one.
            End::Died(how) if device.name == OURS => Side::Wrong(how),
            End::Died(how) => Side::Absent(how),
            End::Answer(Answer::Refused(reason)) => Side::Absent(reason),
            End::Answer(Answer::Ran(launches)) => {
                let ours = device.name == OURS;
                let verdicts = launches
                    .iter()
                    .enumerate()
                    .map(|(number, ran)| random::judge(&case, number, ran, ours));
                let mut side = Side::Right;
                for verdict in verdicts {
                    match verdict {
                        Verdict::Right => {}
                        Verdict::Wrong(text) => {
                            side = Side::Wrong(text);
                            break;
                        }
                        Verdict::OwnSubGroups => {
                            side = Side::Absent("it forms sub-groups in its own way".to_owned());
                        }
                        Verdict::Open => {
                            side = Side::Absent("SPIR-V leaves the result open".to_owned());
                        }
                        Verdict::Senseless => return Ok(()),
                    }
                }
                side
            }
        };
        sides.push((device.name, side));
    }
    let differs = |(_, side): &(&str, Side)| matches!(side, Side::Wrong(_));
    if let (Some(folder), Code::Il(words), true) =
        (&args.keep, &job.code, sides.iter().any(differs))
    {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{seed}.spv")), &words.0)?;
        std::fs::write(
            folder.join(format!("{seed}.txt")),
            format!("{}\n{:?}\n{sides:?}\n", case.kernel, case.launches),
        )?;
    }
    tally.add(&name, sides);
    Ok(())
}

/// Runs a written kernel everywhere and compares the devices.
fn written_kernel(
    kernel: &Written,
    args: &Args,
    devices: &mut [Worker],
    tally: &mut Tally,
) -> Result<()> {
    let path = args.kernels.join(kernel.file);
    let read = |ending: &str| {
        let path = path.with_extension(ending);
        std::fs::read(&path).with_context(|| path.display().to_string())
    };
    let (il, source) = (read("spv")?, String::from_utf8(read("cl")?)?);
    let mut rng = Rng::new(args.seed);
    let launches: Vec<_> = (0..args.rounds).map(|_| kernel.launch(&mut rng)).collect();
    let mut sides = Vec::new();
    let mut results = Vec::new();
    for device in devices {
        let job = Job {
            code: if device.takes_il {
                Code::Il(Bytes(il.clone()))
            } else {
                Code::Source(source.clone())
            },
            options: if device.takes_il {
                String::new()
            } else {
                format!("-cl-std={}", kernel.std)
            },
            kernel: kernel.kernel.to_owned(),
            launches: launches.clone(),
        };
        match device.run(&job)? {
            End::Died(how) if device.name == OURS => {
                sides.push((device.name, Side::Wrong(how)));
            }
            End::Died(how) => sides.push((device.name, Side::Absent(how))),
            End::Answer(Answer::Refused(reason)) => {
                sides.push((device.name, Side::Absent(reason)));
            }
            End::Answer(Answer::Ran(launches)) => results.push((device.name, launches)),
        }
    }
    let differ = |a: &Vec<Ran>, b: &Vec<Ran>| {
        a.iter().zip(b).enumerate().find_map(|(number, (a, b))| {
            let buffers = a.buffers.iter().zip(&b.buffers).zip(kernel.buffers());
            buffers
                .enumerate()
                .find_map(|(buffer, ((a, b), (elem, limit)))| {
                    let text = compare::difference(&a.0, &b.0, elem, limit)?;
                    Some(format!("launch {number}, buffer {buffer}{text}"))
                })
        })
    };
    // A device that is known to be wrong has no say about the others.
    if let Some((device, cause)) = kernel.known
        && let Some(at) = results.iter().position(|(name, _)| *name == device)
    {
        let (_, theirs) = results.remove(at);
        let text = results.first().and_then(|(_, ours)| differ(&theirs, ours));
        sides.push(match text {
            Some(text) => (device, Side::Wrong(format!("{cause}: {text}"))),
            None => (device, Side::Right),
        });
    }
    sides.extend(tally::odd_ones(&results, differ));
    tally.add(kernel.kernel, sides);
    Ok(())
}
