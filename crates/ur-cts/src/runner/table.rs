//! What was exercised of each function, as a table.

use crate::coverage::Coverage;
use crate::generated::places::FUNCTIONS;
use std::fmt::Write;

/// What an adapter answers that does not have a function.
const DECLINED: [&str; 2] = [
    "UR_RESULT_ERROR_UNSUPPORTED_FEATURE",
    "UR_RESULT_ERROR_UNINITIALIZED",
];

/// The table in Markdown, with a summary before it and what is missing behind.
pub(super) fn render(coverage: &Coverage) -> String {
    let mut rows = String::new();
    let mut missing = String::new();
    let (mut functions, mut called) = (0, 0);
    // Without a success: those that nothing but declining was heard of, and the others.
    let (mut declined, mut open) = (Vec::new(), Vec::new());
    let (mut values, mut seen, mut seen_well) = (0, 0, 0);
    let (mut errors, mut errors_seen) = (0, 0);
    for (number, function) in FUNCTIONS.iter().enumerate() {
        if function.removed {
            continue;
        }
        let (calls, good) = coverage.calls(number);
        functions += 1;
        called += usize::from(calls > 0);
        let results = coverage.results(number);
        if good == 0 && results.iter().any(|r| DECLINED.contains(r)) {
            declined.push(function.name);
        } else if good == 0 {
            open.push(function.name);
        }
        let given: Vec<&&str> = results
            .iter()
            .filter(|r| **r != "UR_RESULT_SUCCESS")
            .collect();
        let documented: Vec<&&str> = function
            .errors
            .iter()
            .filter(|e| results.contains(e))
            .collect();
        errors += function.errors.len();
        errors_seen += documented.len();
        let (mut own, mut own_seen, mut own_well) = (0, 0, 0);
        let mut lacks: Vec<String> = Vec::new();
        for (at, place) in function.places.iter().enumerate() {
            let all = coverage.values(number, at);
            own += all.len();
            own_seen += all.iter().filter(|v| v.1).count();
            own_well += all.iter().filter(|v| v.2).count();
            let not: Vec<&str> = all.iter().filter(|v| !v.1).map(|v| v.0).collect();
            if !not.is_empty() {
                lacks.push(format!("`{}`: {}", place.name, not.join(", ")));
            }
        }
        values += own;
        seen += own_seen;
        seen_well += own_well;
        let short = |name: &&&str| name.trim_start_matches("UR_RESULT_ERROR_").to_owned();
        let given: Vec<String> = given.iter().map(short).collect();
        let _ = writeln!(
            rows,
            "| `{}` | {calls} | {good} | {own_seen}/{own} | {own_well}/{own} | {}/{} | {} |",
            function.name,
            documented.len(),
            function.errors.len(),
            given.join(", ")
        );
        if calls > 0 && !lacks.is_empty() {
            let _ = writeln!(missing, "- `{}`: {}", function.name, lacks.join("; "));
        }
    }
    let mut out = format!(
        "# What was exercised\n\n\
         {called} of {functions} functions were called, {} with success. Of {values} values of \
         parameters (null and given, 0 and more, each enumeration value, each flag and none), {seen} \
         were given, {seen_well} in calls that succeeded. Of {errors} documented errors, \
         {errors_seen} were returned.\n\n",
        functions - declined.len() - open.len()
    );
    for (what, names) in [
        ("Functions that were declined", &declined),
        (
            "Functions without a call that succeeded or was declined",
            &open,
        ),
    ] {
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        let _ = writeln!(out, "{what}: {names}\n");
    }
    out.push_str(
        "| Function | Calls | Successes | Values given | With success | Documented errors | Errors returned |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    out.push_str(&rows);
    out.push_str("\n## Never given\n\n");
    out.push_str(&missing);
    out
}
