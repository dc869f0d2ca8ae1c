//! The process that opens the loader and runs tests.

use super::Args;
use super::protocol::{COVERAGE, Event, Listed, Verdict};
use crate::api::Api;
use crate::coverage::Coverage;
use crate::objects::problems;
use crate::suites;
use crate::test::{Case, cases};
use crate::world::World;
use anyhow::Result;
use std::fs::File;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

/// Where the last panic was, and what it said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Bytes that were printed so far; output goes to a file.
fn printed() -> u64 {
    // SAFETY: plain data.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the place is ours.
    let known = unsafe { libc::fstat(1, &raw mut status) };
    if known == 0 { status.st_size as u64 } else { 0 }
}

fn say(pipe: &mut File, event: &Event) -> Result<()> {
    let mut line = serde_json::to_string(event)?;
    line.push('\n');
    pipe.write_all(line.as_bytes())?;
    Ok(())
}

fn one(case: &Case<'_>) -> (Verdict, String) {
    let result = catch_unwind(AssertUnwindSafe(|| case.run()));
    let left = problems();
    match result {
        Err(_) => {
            let text = PANIC.lock().map(|text| text.clone()).unwrap_or_default();
            (Verdict::Failed, format!("panic: {text}"))
        }
        Ok(Err(message)) => (Verdict::Failed, message),
        Ok(Ok(_)) if !left.is_empty() => (Verdict::Failed, left.join("; ")),
        Ok(Ok(Some(reason))) => (Verdict::Unsupported, reason),
        Ok(Ok(None)) => (Verdict::Passed, String::new()),
    }
}

pub(super) fn run(args: &Args, mut pipe: File) -> Result<()> {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut text) = PANIC.lock() {
            *text = info.to_string();
        }
    }));
    if let Some(path) = std::env::var_os(COVERAGE) {
        Coverage::open(Path::new(&path))?.install();
    }
    let started = Api::open(&args.loader()).and_then(|api| {
        let world = World::start(api, &args.adapters()?)?;
        Ok((api, world))
    });
    let (api, world) = match started {
        Ok(found) => found,
        Err(error) => return say(&mut pipe, &Event::Broken(format!("{error:#}"))),
    };
    // Until the end of the process, but for its last moments.
    let world: &'static World = Box::leak(Box::new(world));
    let registry = suites::all();
    let cases = cases(&registry.tests, world);
    let listed = cases.iter().map(|case| Listed {
        name: case.name.clone(),
        environment: case.test.environment,
    });
    say(&mut pipe, &Event::Tests(listed.collect()))?;
    for line in std::io::stdin().lock().lines() {
        let Ok(index) = line?.parse::<usize>() else {
            break;
        };
        let Some(case) = cases.get(index) else {
            break;
        };
        let printed = printed();
        say(&mut pipe, &Event::Started { index, printed })?;
        let (verdict, message) = one(case);
        say(
            &mut pipe,
            &Event::Ended {
                index,
                verdict,
                message,
            },
        )?;
    }
    let problem = world.stop(api).err().map(|error| format!("{error:#}"));
    say(&mut pipe, &Event::Stopped { problem })
}
