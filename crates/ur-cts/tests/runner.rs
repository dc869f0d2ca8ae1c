//! The runner on the built tree: what a test does to its process is the failure of that test alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn dist(part: &str) -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/dist"),
        PathBuf::from,
    );
    let path = root.join(part);
    assert!(
        path.exists(),
        "{} is missing: run `./x build` first",
        path.display()
    );
    path
}

/// The suite on an adapter of the built tree, in an environment that says nothing to the loader.
fn cts(adapter: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ur-cts"));
    for (name, _) in std::env::vars_os() {
        let foreign = name
            .to_str()
            .is_some_and(|n| n.starts_with("UR_") || n.starts_with("ONEAPI_"));
        if foreign {
            command.env_remove(name);
        }
    }
    command
        .arg("--loader")
        .arg(dist("lib/libur_loader.so.0"))
        .arg("--adapter")
        .arg(adapter)
        .args(args)
        .env("UR_CTS_SELF_TEST", "1")
        .output()
        .expect("ur-cts starts")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn verdicts(output: &Output, json: &Path) -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(json).unwrap_or_else(|e| {
        panic!(
            "{}: {e}\n{}{}",
            json.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let field = |one: &serde_json::Value, name: &str| {
        let text = one.get(name).and_then(|v| v.as_str());
        text.unwrap_or_default().to_owned()
    };
    all.as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let message = format!("{}\n{}", field(one, "message"), field(one, "output"));
            (field(one, "name"), field(one, "verdict"), message)
        })
        .collect()
}

const ENDS: [(&str, &str, &str); 9] = [
    ("passes", "passed", ""),
    ("unsupported", "unsupported", "there is none"),
    ("fails", "failed", "sums are wrong"),
    ("panics", "failed", "a panic"),
    ("crashes", "crashed", "signal 6\n\nsaid before the end"),
    ("exits", "crashed", "exit code 0"),
    ("hangs", "hung", "not ended after 2 s"),
    ("leaves_a_problem", "failed", "a release failed"),
    ("passes_after_all", "passed", ""),
];

fn ends(name: &str, options: &[&str]) {
    let json = scratch(name);
    let json_text = json.to_str().expect("UTF-8");
    let fixed = ["--filter", "self_test::ends", "--timeout", "2"];
    let args = [&fixed, options, &["--json", json_text]].concat();
    let output = cts("mock", &args);
    assert_eq!(output.status.code(), Some(1));
    let verdicts = verdicts(&output, &json);
    assert_eq!(verdicts.len(), ENDS.len(), "{verdicts:?}");
    for (name, verdict, text) in ENDS {
        let name = format!("self_test::ends::{name}");
        let found = verdicts.iter().find(|v| v.0 == name).expect("the test");
        assert_eq!(found.1, verdict, "{found:?}");
        assert!(found.2.contains(text), "{found:?}");
    }
}

#[test]
fn each_end_is_that_of_its_test() {
    ends("ends.json", &[]);
}

#[test]
fn each_end_is_that_of_its_test_alone_in_a_process() {
    ends("isolated.json", &["--isolate"]);
}

#[test]
fn each_end_is_that_of_its_test_beside_others() {
    ends("beside.json", &["--jobs", "3", "--shuffle", "7"]);
}

#[test]
fn wrong_results_are_failures() {
    let json = scratch("judged.json");
    let json_text = json.to_str().expect("UTF-8");
    let output = cts(
        "mock",
        &["--filter", "self_test::judged", "--json", json_text],
    );
    assert_eq!(output.status.code(), Some(1));
    let verdicts = verdicts(&output, &json);
    assert_eq!(verdicts.len(), 2);
    assert!(verdicts.iter().all(|v| v.1 == "failed"), "{verdicts:?}");
    assert!(
        verdicts
            .iter()
            .any(|v| v.2.contains("does not let urQueueFinish decline")),
        "{verdicts:?}"
    );
}

/// A known failure is in order while it fails, and no longer when it passes.
#[test]
fn known_failures_must_fail() {
    let known = scratch("known.toml");
    let entry = |name: &str| {
        format!("[[known]]\npattern = 'self_test::ends::{name}'\nreason = 'for the test'\n")
    };
    let run = |names: &[&str], filter: &str| {
        let text: String = names.iter().map(|name| entry(name)).collect();
        std::fs::write(&known, text).expect("written");
        let known = known.to_str().expect("UTF-8");
        cts("mock", &["--known", known, "--filter", filter])
    };
    let output = run(&["fails", "crashes"], "ends::(fails|crashes)$");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = run(&["passes"], "ends::passes$");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("passed though known to fail"), "{said}");
    let output = run(&["nothing"], "ends::passes$");
    assert!(String::from_utf8_lossy(&output.stdout).contains("the name of no test"));
}

/// What was exercised is that of tests that were in order, whatever others do.
#[test]
fn what_was_exercised_is_that_of_tests_in_order() {
    let table = scratch("coverage.md");
    let (junit, html) = (scratch("junit.xml"), scratch("report.html"));
    let output = cts(
        "mock",
        &[
            "--filter",
            "self_test::(counted|judged|ends::crashes)",
            "--coverage",
            table.to_str().expect("UTF-8"),
            "--junit",
            junit.to_str().expect("UTF-8"),
            "--html",
            html.to_str().expect("UTF-8"),
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    let table = std::fs::read_to_string(table).expect("the table");
    let row = |name: &str| {
        let start = format!("| `{name}` |");
        let line = table.lines().find(|line| line.starts_with(&start));
        line.unwrap_or_else(|| panic!("{name} has no row"))
            .to_owned()
    };
    assert!(row("urQueueCreate").starts_with("| `urQueueCreate` | 1 | 1 |"));
    assert!(row("urQueueFlush").starts_with("| `urQueueFlush` | 1 | 0 |"));
    assert!(row("urQueueFlush").contains("INVALID_NULL_HANDLE"));
    // The test that calls it fails.
    assert!(row("urQueueRetain").starts_with("| `urQueueRetain` | 0 | 0 |"));
    assert!(row("urEventWait").starts_with("| `urEventWait` | 0 | 0 |"));
    assert!(table.contains("- `hQueue`: only without success: null; never: given"));
    let junit = std::fs::read_to_string(junit).expect("the XML");
    assert_eq!(junit.matches("<failure").count(), 3);
    let html = std::fs::read_to_string(html).expect("the page");
    assert!(html.contains("self_test::ends::crashes"));
}

/// A part of the suite, so that a plain `cargo test` says whether it works at all.
#[test]
fn queues_and_contexts_of_our_adapter_are_in_order() {
    let output = cts("native_cpu", &["--filter", "^(context|queue)::"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
