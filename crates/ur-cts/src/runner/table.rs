//! What was exercised of each function, as a table.

use crate::coverage::{Coverage, FunctionPlaces};
use crate::generated::places::FUNCTIONS;
use std::fmt::Write;

/// What an adapter answers that does not have a function.
const DECLINED: [&str; 2] = [
    "UR_RESULT_ERROR_UNSUPPORTED_FEATURE",
    "UR_RESULT_ERROR_UNINITIALIZED",
];

/// What a value of a parameter, or an error, has come to.
#[derive(Default)]
struct Seen {
    well: Vec<&'static str>,
    refused: Vec<&'static str>,
    never: Vec<&'static str>,
}

impl Seen {
    fn all(&self) -> usize {
        self.given() + self.never.len()
    }

    fn given(&self) -> usize {
        self.well.len() + self.refused.len()
    }

    /// `in calls that succeeded: A, B; …`, with these words for the three.
    fn list(&self, words: [&str; 3]) -> String {
        let lists = [&self.well, &self.refused, &self.never];
        let some = words.iter().zip(lists).filter(|(_, list)| !list.is_empty());
        let parts = some.map(|(word, list)| format!("{word}: {}", list.join(", ")));
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// What was exercised of a function.
struct Row {
    function: &'static FunctionPlaces,
    calls: u64,
    good: u64,
    declined: bool,
    places: Vec<Seen>,
    /// Results other than success.
    errors: Vec<&'static str>,
    /// Those of them that are documented, and the others that are.
    documented: Seen,
}

fn short(name: &'static str) -> &'static str {
    name.trim_start_matches("UR_RESULT_ERROR_")
}

impl Row {
    fn new(coverage: &Coverage, number: usize) -> Row {
        let function = &FUNCTIONS[number];
        let (calls, good) = coverage.calls(number);
        let results = coverage.results(number);
        let places = (0..function.places.len()).map(|at| {
            let mut seen = Seen::default();
            for (name, any, well) in coverage.values(number, at) {
                match (any, well) {
                    (_, true) => seen.well.push(name),
                    (true, false) => seen.refused.push(name),
                    (false, false) => seen.never.push(name),
                }
            }
            seen
        });
        let mut documented = Seen::default();
        for error in function.errors {
            match results.contains(error) {
                true => documented.well.push(short(error)),
                false => documented.never.push(short(error)),
            }
        }
        let errors = results.iter().filter(|r| **r != "UR_RESULT_SUCCESS");
        Row {
            function,
            calls,
            good,
            declined: results.iter().any(|r| DECLINED.contains(r)),
            places: places.collect(),
            errors: errors.map(|r| short(r)).collect(),
            documented,
        }
    }

    fn sum(&self, count: impl Fn(&Seen) -> usize) -> usize {
        self.places.iter().map(count).sum()
    }

    /// A row of the table.
    fn line(&self) -> String {
        let all = self.sum(Seen::all);
        format!(
            "| `{}`{} | {} | {} | {}/{all} | {}/{all} | {}/{} | {} |",
            self.function.name,
            if self.function.removed {
                " (removed)"
            } else {
                ""
            },
            self.calls,
            self.good,
            self.sum(Seen::given),
            self.sum(|seen| seen.well.len()),
            self.documented.well.len(),
            self.documented.all(),
            self.errors.join(", ")
        )
    }

    /// Every parameter with its values, and the documented errors.
    fn details(&self) -> String {
        let mut out = format!("### `{}`\n\n", self.function.name);
        for (place, seen) in self.function.places.iter().zip(&self.places) {
            let words = ["with success", "only without success", "never"];
            let _ = writeln!(out, "- `{}`: {}", place.name, seen.list(words));
        }
        if self.documented.all() > 0 {
            let words = ["returned", "", "never returned"];
            let _ = writeln!(out, "- errors {}", self.documented.list(words));
        }
        out
    }
}

/// The table in Markdown: a summary, a row for each function, and each function's parameters.
/// Functions that the current release no longer has are in it when they were called.
pub(super) fn render(coverage: &Coverage) -> String {
    let rows: Vec<Row> = (0..FUNCTIONS.len())
        .map(|number| Row::new(coverage, number))
        .filter(|row| !row.function.removed || row.calls > 0)
        .collect();
    let current = || rows.iter().filter(|row| !row.function.removed);
    let sum = |count: fn(&Row) -> usize| current().map(count).sum::<usize>();
    let mut out = format!(
        "# What was exercised\n\n\
         By tests that passed, or ended as unsupported: {} of {} functions were called, {} with \
         success. Of {} values of parameters (null and given, 0 and more, each enumeration value, \
         each flag and none), {} were given, {} in calls that succeeded. Of {} documented errors, \
         {} were returned.\n\n",
        sum(|row| usize::from(row.calls > 0)),
        current().count(),
        sum(|row| usize::from(row.good > 0)),
        sum(|row| row.sum(Seen::all)),
        sum(|row| row.sum(Seen::given)),
        sum(|row| row.sum(|seen| seen.well.len())),
        sum(|row| row.documented.all()),
        sum(|row| row.documented.well.len()),
    );
    for (what, declined) in [
        ("Functions that were declined", true),
        (
            "Functions without a call that succeeded or was declined",
            false,
        ),
    ] {
        let open = current().filter(|row| row.good == 0 && row.declined == declined);
        let names: Vec<_> = open.map(|row| row.function.name).collect();
        let names = match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        let _ = writeln!(out, "{what}: {names}\n");
    }
    out.push_str(
        "| Function | Calls | Successes | Values given | With success | Documented errors | Errors returned |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    for row in &rows {
        let _ = writeln!(out, "{}", row.line());
    }
    out.push_str("\n## Values and errors of each function\n");
    for row in &rows {
        let _ = write!(out, "\n{}", row.details());
    }
    out
}
