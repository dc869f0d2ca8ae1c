//! The report as text: for a terminal and for a README.

use crate::report::{Limits, PEERS, Peer, Report, Row};
use std::fmt::Write as _;

/// A number with three digits that count.
fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

/// A ratio with its quartiles.
fn ratio(ratio: Option<f64>, spread: Option<[f64; 2]>) -> String {
    match (ratio, spread) {
        (Some(ratio), Some([low, high])) => {
            format!("{} ({}–{})", figure(ratio), figure(low), figure(high))
        }
        _ => "–".to_owned(),
    }
}

/// The speed of ours.
fn rate(row: &Row) -> String {
    let Some(rate) = row.rate else {
        return String::new();
    };
    let (rate, prefix) = if rate < 0.1 {
        (rate * 1e3, "M")
    } else {
        (rate, "G")
    };
    let unit = match row.rate_unit.as_deref() {
        Some("element") | None => "",
        Some(unit) => unit,
    };
    let limit = row.of_limit.map_or_else(String::new, |part| {
        format!(", {:.0} % of the limit", 100.0 * part)
    });
    format!("{} {prefix}{unit}/s{limit}", figure(rate))
}

/// The peers that have a figure somewhere; the others get no columns.
fn peers(report: &Report) -> Vec<&'static Peer> {
    let rows = || sections(report).flat_map(|(_, rows)| rows);
    let there = |peer: &&Peer| rows().any(|row| peer.is_in(row));
    PEERS.iter().filter(there).collect()
}

/// The cells of the first line.
fn head(title: &str, peers: &[&Peer]) -> Vec<String> {
    let fixed = [title, "ours", "speed of ours"].map(str::to_owned);
    let times = peers.iter().map(|peer| peer.name.to_owned());
    let ratios = peers
        .iter()
        .map(|peer| format!("faster than {}", peer.name));
    fixed.into_iter().chain(times).chain(ratios).collect()
}

/// The cells of a row.
fn cells(row: &Row, peers: &[&Peer]) -> Vec<String> {
    let fixed = [
        row.name.clone(),
        format!("{} {}", optional(row.ours), row.unit),
        rate(row),
    ];
    let times = peers.iter().map(|peer| optional((peer.time)(row)));
    let ratios = peers
        .iter()
        .map(|peer| ratio((peer.ratio)(row), (peer.spread)(row)));
    fixed.into_iter().chain(times).chain(ratios).collect()
}

/// A table for a terminal, columns aligned.
fn aligned(title: &str, rows: &[Row], peers: &[&Peer]) -> String {
    let mut lines = vec![head(title, peers)];
    lines.extend(rows.iter().map(|row| cells(row, peers)));
    let mut widths = vec![0; lines[0].len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in &lines {
        let mut out = format!("{:<w$}", line[0], w = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(out, "  {cell:>width$}");
        }
        text.push_str(out.trim_end());
        text.push('\n');
    }
    for row in rows {
        for note in &row.notes {
            let _ = writeln!(text, "  {}: {note}", row.name);
        }
    }
    text
}

fn limits(limits: &Limits) -> String {
    format!(
        "limits of the machine, {} threads: triad {} GB/s, copy {} GB/s, f32 multiply-add {} GFLOP/s",
        limits.threads,
        figure(limits.triad),
        figure(limits.copy),
        figure(limits.fma_f32)
    )
}

/// The means in words.
fn summary(report: &Report) -> String {
    let summary = &report.summary;
    let mut text = String::new();
    if let Some(mean) = summary.intel {
        let _ = write!(text, "geometric mean: {} times Intel's speed", figure(mean));
        if let Some((name, worst)) = &summary.worst_intel {
            let _ = write!(text, " (least: {name}, {})", figure(*worst));
        }
    }
    if let Some(mean) = summary.pocl {
        let start = if text.is_empty() {
            "geometric mean: "
        } else {
            ", "
        };
        let _ = write!(text, "{start}{} times PoCL's", figure(mean));
    }
    if let Some(mean) = summary.bare {
        let start = if text.is_empty() {
            "geometric mean: "
        } else {
            ", "
        };
        let _ = write!(text, "{start}{} times the bare driver's", figure(mean));
        if let Some((name, worst)) = &summary.worst_bare {
            let _ = write!(text, " (least: {name}, {})", figure(*worst));
        }
    }
    if let Some(mean) = summary.dpnp {
        let start = if text.is_empty() { "" } else { "; " };
        let _ = write!(text, "{start}dpnp {} times Intel's", figure(mean));
    }
    if !summary.failed.is_empty() {
        let _ = write!(text, "\nfailed on ours: {}", summary.failed.join(", "));
    }
    if !summary.beyond.is_empty() {
        let names = summary.beyond.join(", ");
        let _ = write!(text, "\nnot on the bare driver either: {names}");
    }
    text
}

/// The report for a terminal.
pub fn terminal(report: &Report) -> String {
    let mut text = String::new();
    for device in &report.devices {
        let _ = writeln!(text, "{device}");
    }
    if report.limits.threads > 0 {
        let _ = writeln!(text, "{}", limits(&report.limits));
    }
    let peers = peers(report);
    for (title, rows) in sections(report) {
        let _ = write!(text, "\n{}", aligned(title, rows, &peers));
    }
    let means = summary(report);
    if !means.is_empty() {
        let _ = writeln!(text, "\n{means}");
    }
    text
}

/// The sections that have rows, with their titles.
fn sections(report: &Report) -> impl Iterator<Item = (&'static str, &[Row])> {
    [
        ("kernel", &report.kernels[..]),
        ("latency", &report.latency[..]),
        ("build", &report.build[..]),
        ("dpnp", &report.dpnp[..]),
    ]
    .into_iter()
    .filter(|(_, rows)| !rows.is_empty())
}

/// The report for a README.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    let peers = peers(report);
    for (title, rows) in sections(report) {
        let head = head(title, &peers);
        let _ = writeln!(
            text,
            "| {} |\n| --- {}|",
            head.join(" | "),
            "| ---: ".repeat(head.len() - 1)
        );
        for row in rows {
            let _ = writeln!(
                text,
                "| {} |",
                cells(row, &peers).join(" | ").replace("|  |", "| |")
            );
        }
        text.push('\n');
    }
    let means = summary(report);
    if !means.is_empty() {
        let _ = writeln!(text, "{means}.\n");
    }
    if report.limits.threads > 0 {
        let _ = writeln!(text, "{}.\n", limits(&report.limits));
    }
    for device in &report.devices {
        let _ = writeln!(text, "- {device}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{figure, markdown, terminal};
    use crate::report::tests::{bare, sample};
    use crate::report::{Report, Row};

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(figure(1234.4), "1234");
        assert_eq!(figure(12.34), "12.3");
        assert_eq!(figure(1.234), "1.23");
        assert_eq!(figure(0.01), "0.01");
    }

    #[test]
    fn terminals_show_everything() {
        let text = terminal(&sample());
        for part in [
            "4.00 (3.60–4.40)",
            "failed: ours: wrong",
            "failed on ours: failed",
            "2.00 times Intel's speed (least: slow <&>, 1.00)",
            "9.00 times PoCL's; dpnp 3.00 times Intel's",
            "triad 20.0 GB/s",
            "round trip",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("\nbuild "), "a section without rows");
    }

    #[test]
    fn peers_without_figures_have_no_columns() {
        let (text, page) = (terminal(&bare()), markdown(&bare()));
        for text in [&text, &page] {
            assert!(text.contains("faster than bare"), "{text}");
            assert!(!text.contains("Intel") && !text.contains("PoCL"), "{text}");
            assert!(!text.contains("limits of the machine"), "{text}");
            let mean = "geometric mean: 2.00 times the bare driver's (least: slow <&>, 1.00)";
            assert!(text.contains(mean), "{text}");
        }
        let head = page.lines().next().expect("a line");
        assert_eq!(
            head,
            "| kernel | ours | speed of ours | bare | faster than bare |"
        );
        let alone = Report {
            kernels: vec![Row::new("alone", "ms")],
            ..Report::default()
        };
        assert!(
            markdown(&alone)
                .starts_with("| kernel | ours | speed of ours |\n| --- | ---: | ---: |\n")
        );
        assert!(!terminal(&sample()).contains("bare"));
    }

    #[test]
    fn tables_have_the_same_number_of_cells_everywhere() {
        let text = markdown(&sample());
        let counts: Vec<usize> = text
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count())
            .collect();
        assert_eq!(counts.len(), 2 + 3 + 2 + 1 + 2 + 1);
        assert!(counts.iter().all(|count| *count == 8), "{text}");
    }
}
