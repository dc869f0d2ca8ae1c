//! How many instructions the built loader adds to a call, held against what is written down in
//! `instructions.tsv`. Times depend on what else the machine does; these do not.
//!
//! After a change that is meant: `UPDATE_GOLDEN=1 cargo test -p ur-loader --test instructions`.

#[allow(dead_code, reason = "parts for other tests")]
mod build;

use build::{adapter_with, folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions that are counted, and where their first handle is. They have from two to eleven
/// parameters, in registers and on the stack.
const CALLS: [(&str, &str); 9] = [
    ("urAdapterGetInfo", "handle"),
    ("urDeviceGetInfo", "handle"),
    ("urContextRetain", "handle"),
    ("urEventRelease", "handle"),
    ("urQueueFinish", "handle"),
    ("urEnqueueUSMMemcpy", "handle"),
    ("urEnqueueMemBufferReadRect", "handle"),
    ("urEventWait", "array"),
    ("urContextCreate", "array"),
];

/// The functions that are counted with layers: on the only object that the program has. There must
/// be more references than are released.
const LAYERED: [(&str, &str); 3] = [
    ("urAdapterGetInfo", "handle"),
    ("urAdapterRetain", "handle"),
    ("urAdapterRelease", "handle"),
];

/// The layers that are counted; nobody listens to tracing.
const LAYERS: [&str; 3] = [
    "UR_LAYER_TRACING",
    "UR_LAYER_PARAMETER_VALIDATION",
    "UR_LAYER_FULL_VALIDATION",
];

/// Calls of a function in one count.
const PER_COUNT: u64 = 1000;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instructions.tsv");

/// The loader of the built tree: what is shipped is what counts.
fn loader() -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/dist"),
        PathBuf::from,
    );
    let path = root.join("lib/libur_loader.so.0");
    assert!(
        path.exists(),
        "{} is missing: run `./x build` first",
        path.display()
    );
    path
}

/// Counts with that many adapters and these layers: instructions that the loader adds to a call of
/// each function.
fn count(adapters: usize, layers: &str, calls: &[(&str, &str)]) -> BTreeMap<String, u64> {
    let names = ["first", "second", "third"].map(|name| {
        let path = adapter_with(&format!("stub-{name}"), &["-DSTUBS", "-O1"]);
        path.display().to_string()
    });
    let program = build::program("count", &[]);
    let out = folder(&format!("counts-{adapters}-{layers}"));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}/part", out.display()))
        .arg(program)
        .arg(loader())
        .args(calls.iter().flat_map(|(name, place)| [name, place]))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("UR_ENABLE_LAYERS", layers)
        .env("UR_ADAPTERS_FORCE_LOAD", names[..adapters].join(","))
        .output()
        .expect("valgrind starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", output.status);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with(&format!("{adapters} adapters")), "{said}");

    let mut parts = BTreeMap::new();
    for entry in fs::read_dir(&out).expect("a folder") {
        let text = fs::read_to_string(entry.expect("a file").path()).expect("text");
        let after = |what: &str| text.lines().find_map(|line| line.strip_prefix(what));
        let (Some(part), Some(total)) =
            (after("desc: Trigger: Client Request: "), after("totals: "))
        else {
            continue;
        };
        parts.insert(
            part.to_owned(),
            total.trim().parse::<u64>().expect("a number"),
        );
    }
    calls
        .iter()
        .map(|(name, _)| {
            let part = |how: &str| parts[&format!("{name}:{how}")];
            // What is around the calls is the same in both counts.
            let added = part("through").saturating_sub(part("direct"));
            assert_eq!(added % PER_COUNT, 0, "{name}: calls differ: {parts:?}");
            (name.to_string(), added / PER_COUNT)
        })
        .collect()
}

#[test]
fn calls_take_no_more_instructions_than_written_down() {
    let valgrind = Command::new("valgrind").arg("--version").output();
    let header = Path::new("/usr/include/valgrind/callgrind.h");
    if !valgrind.is_ok_and(|output| output.status.success()) || !header.exists() {
        println!("skipped: valgrind is not installed");
        return;
    }
    let one = count(1, "", &CALLS);
    let three = count(3, "", &CALLS);
    assert_eq!(one, three, "the number of adapters matters");
    let mut counts: Vec<(String, u64)> = CALLS
        .iter()
        .map(|(name, _)| (name.to_string(), one[*name]))
        .collect();
    for layers in LAYERS {
        let found = count(1, layers, &LAYERED);
        let rows = LAYERED.iter().map(|(name, _)| {
            let what = format!("{name}, {layers}");
            (what, found[*name])
        });
        counts.extend(rows);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let rows: Vec<String> = counts
            .iter()
            .map(|(what, now)| format!("{what}\t{now}\n"))
            .collect();
        let head = "function\tinstructions that the loader adds to a call\n";
        fs::write(GOLDEN, head.to_owned() + &rows.concat()).expect("write");
    }
    let golden = fs::read_to_string(GOLDEN).expect("what is written down");
    let mut rows = golden.lines().skip(1);
    for (what, now) in counts {
        let row = rows.next().and_then(|row| row.split_once('\t'));
        let (known, most) = row.expect("a row for each function");
        assert_eq!(known, what);
        let most: u64 = most.parse().expect("a number");
        assert!(now <= most, "{what}: {now} instructions instead of {most}");
        if now < most {
            println!("{what}: {now} instructions, {most} are written down");
        }
    }
}
