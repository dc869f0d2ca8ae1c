//! Results as JUnit's XML.

use super::protocol::Verdict;
use super::result::Outcome;
use super::summary::counts;
use std::fmt::Write;

/// Text inside XML or HTML, quotes included; characters that XML cannot have are left out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && !"\n\t".contains(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// The results, a test suite for each of ours.
pub(super) fn render(outcomes: &[Outcome]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (suite, count) in counts(outcomes).0 {
        let _ = writeln!(
            out,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.6}\">",
            escape(suite),
            count.tests(),
            count.bad,
            count.unsupported + count.known,
            count.seconds
        );
        for outcome in outcomes.iter().filter(|o| o.suite() == suite) {
            let _ = write!(
                out,
                "<testcase classname=\"{}\" name=\"{}\" time=\"{:.6}\"",
                escape(suite),
                escape(&outcome.name),
                outcome.seconds
            );
            let message = escape(&outcome.message);
            let reason = outcome.known.as_deref().map(escape);
            let _ = match (outcome.good(), outcome.verdict) {
                (false, _) => writeln!(
                    out,
                    "><failure type=\"{}\" message=\"{message}\">{}</failure></testcase>",
                    outcome.word(),
                    escape(&outcome.output)
                ),
                (true, Verdict::Passed) => writeln!(out, "/>"),
                (true, _) => writeln!(
                    out,
                    "><skipped message=\"{}\"/></testcase>",
                    reason.as_deref().unwrap_or(&message)
                ),
            };
        }
        out.push_str("</testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}
