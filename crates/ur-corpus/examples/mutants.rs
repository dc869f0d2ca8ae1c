//! Damages SPIR-V modules at random and builds those that the reader still accepts:
//! `mutants JIT COUNT SEED FILE.spv…`. Whatever the JIT answers is counted; a crash, a hang or an
//! internal error is a fault of ours.

use std::path::PathBuf;
use std::time::Duration;
use ur_corpus::{CorpusModule, Report, worker};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args_os().skip(1);
    let mut next = || {
        args.next()
            .ok_or_else(|| anyhow::anyhow!("an argument is missing"))
    };
    let first = next()?;
    // Workers are this program again.
    if first == "--worker" {
        next()?;
        return worker::serve(&PathBuf::from(next()?));
    }
    let jit = PathBuf::from(first);
    let count: usize = next()?.to_string_lossy().parse()?;
    let mut seed: u64 = next()?.to_string_lossy().parse()?;
    let files: Vec<PathBuf> = args.map(PathBuf::from).collect();
    anyhow::ensure!(!files.is_empty(), "no files");
    let keep = std::env::temp_dir().join("ur-mutants");
    std::fs::create_dir_all(&keep)?;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let mut worker = worker::Worker::new(jit, Duration::from_secs(60));
    let mut report = Report::default();
    let (mut built, mut faults) = (0, 0);
    let mut number = 0;
    while number < count {
        let file = &files[random(files.len())];
        let bytes = std::fs::read(file)?;
        let (chunks, _) = bytes.as_chunks::<4>();
        let mut words: Vec<u32> = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
        for _ in 0..1 + random(3) {
            let at = 5 + random(words.len() - 5);
            words[at] = match random(4) {
                0 => words[at] ^ (1 << random(32)),
                1 => words[5 + random(words.len() - 5)],
                2 => random(words[3] as usize) as u32,
                _ => random(40) as u32,
            };
        }
        if ur_spirv::Module::parse(&words, &[]).is_err() {
            continue;
        }
        number += 1;
        let module = CorpusModule {
            library: file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into(),
            index: number,
            words: words.into(),
        };
        match worker.build(&[&module])? {
            worker::Outcome::Built(_) => built += 1,
            worker::Outcome::Failed(stage, reason) => {
                report.add(&format!("{}#{number}", module.library), &stage, &reason);
                if stage == "crash" || stage == "time" || reason.starts_with("Internal") {
                    faults += 1;
                    let words = module.words.iter().flat_map(|word| word.to_le_bytes());
                    let bytes: Vec<u8> = words.collect();
                    let path = keep.join(format!("{}_{number}.spv", module.library));
                    std::fs::write(&path, bytes)?;
                    println!("{}: {stage}: {reason}", path.display());
                }
            }
        }
    }
    print!("{}", report.table());
    println!("{built} of {count} built, {faults} faults");
    Ok(())
}
