//! Results as a page that needs nothing else.

use super::junit::escape;
use super::result::Outcome;
use super::summary::counts;
use std::fmt::Write;
use std::time::Duration;

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em;\
    padding:0 1em;color:#222;background:#fff}h1{font-size:1.4em}table{border-collapse:collapse;\
    width:100%}th{text-align:left;background:#f3f3f3}td,th{padding:.2em .8em;\
    border-bottom:1px solid #ddd;vertical-align:top}td.n,th.n{text-align:right}\
    code{font:12px ui-monospace,monospace}pre{white-space:pre-wrap;margin:.3em 0}\
    .bad{color:#a00;font-weight:600}.known{color:#850}.unsupported{color:#666}.passed{color:#060}\
    details{margin:.6em 0}summary{cursor:pointer}";

fn class(outcome: &Outcome) -> &'static str {
    match outcome.word() {
        _ if !outcome.good() => "bad",
        "known" => "known",
        "unsupported" => "unsupported",
        _ => "passed",
    }
}

fn rows(out: &mut String, outcomes: &[&Outcome]) {
    out.push_str("<table><tr><th>Test<th>Result<th>Why<th class=n>ms</tr>\n");
    for outcome in outcomes {
        let why = match &outcome.known {
            Some(reason) => format!("{} — {reason}", outcome.message),
            None => outcome.message.clone(),
        };
        let _ = write!(
            out,
            "<tr><td><code>{}</code><td class={}>{}<td>{}",
            escape(&outcome.name),
            class(outcome),
            outcome.word(),
            escape(&why)
        );
        if !outcome.output.is_empty() {
            let _ = write!(out, "<pre><code>{}</code></pre>", escape(&outcome.output));
        }
        let _ = writeln!(out, "<td class=n>{:.2}</tr>", outcome.seconds * 1e3);
    }
    out.push_str("</table>\n");
}

/// The page: numbers by suite, what is not in order, and each suite's tests.
pub(super) fn render(outcomes: &[Outcome], time: Duration) -> String {
    let (suites, all) = counts(outcomes);
    let mut out = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Conformance</title>\
         <style>{STYLE}</style>\n<h1>Unified Runtime conformance</h1>\n\
         <p>{} tests in {:.1} s: {} passed, {} unsupported, {} known failures, \
         <span class={}>{} not in order</span>.</p>\n",
        all.tests(),
        time.as_secs_f64(),
        all.passed,
        all.unsupported,
        all.known,
        if all.bad > 0 { "bad" } else { "passed" },
        all.bad
    );
    out.push_str(
        "<table><tr><th>Suite<th class=n>Tests<th class=n>Passed<th class=n>Unsupported\
         <th class=n>Known<th class=n>Not in order<th class=n>Seconds</tr>\n",
    );
    for (suite, count) in &suites {
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{0}\">{0}</a><td class=n>{1}<td class=n>{2}<td class=n>{3}\
             <td class=n>{4}<td class=n>{5}<td class=n>{6:.2}</tr>",
            escape(suite),
            count.tests(),
            count.passed,
            count.unsupported,
            count.known,
            count.bad,
            count.seconds
        );
    }
    out.push_str("</table>\n");
    let bad: Vec<&Outcome> = outcomes.iter().filter(|o| !o.good()).collect();
    if !bad.is_empty() {
        out.push_str("<h2>Not in order</h2>\n");
        rows(&mut out, &bad);
    }
    for suite in suites.keys() {
        let own: Vec<&Outcome> = outcomes.iter().filter(|o| o.suite() == *suite).collect();
        let _ = writeln!(
            out,
            "<details id=\"{0}\"><summary>{0}, {1} tests</summary>",
            escape(suite),
            own.len()
        );
        rows(&mut out, &own);
        out.push_str("</details>\n");
    }
    out.push_str("</html>\n");
    out
}
