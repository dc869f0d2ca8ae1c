//! What changed from one report to another.

use crate::report::{Report, Row};
use crate::stats::geometric_mean;
use std::fmt::Write as _;

/// A table of the rows that both reports have. A change above 1 means that the new time of ours is
/// shorter; where both reports have ratios to Intel, `against Intel` is their quotient, which leaves
/// out what the machine did meanwhile.
pub fn table(old: &Report, new: &Report) -> String {
    let mut text = format!(
        "{:<42} {:>10} {:>10}     {:>8} {:>14}\n",
        "", "old", "new", "change", "against Intel"
    );
    let mut kernels = (Vec::new(), Vec::new());
    for (section, (old, new)) in [
        (&old.kernels, &new.kernels),
        (&old.latency, &new.latency),
        (&old.build, &new.build),
        (&old.dpnp, &new.dpnp),
    ]
    .into_iter()
    .enumerate()
    {
        for row in new {
            let Some(before) = old.iter().find(|old| old.name == row.name) else {
                continue;
            };
            let (change, intel) = (quotient(before, row), against(before, row));
            let _ = writeln!(
                text,
                "{:<42} {:>10} {:>10} {:<3} {:>8} {:>14}",
                row.name,
                shown(before.ours),
                shown(row.ours),
                row.unit,
                shown(change),
                shown(intel)
            );
            if section == 0 {
                kernels.0.extend(change);
                kernels.1.extend(intel);
            }
        }
    }
    let _ = writeln!(
        text,
        "{:<42} {:>10} {:>10} {:<3} {:>8} {:>14}",
        "geometric mean of the kernels",
        "",
        "",
        "",
        shown(geometric_mean(kernels.0)),
        shown(geometric_mean(kernels.1))
    );
    text
}

/// How many times shorter the new time is.
fn quotient(old: &Row, new: &Row) -> Option<f64> {
    Some(old.ours? / new.ours?)
}

/// The same by the ratios to Intel.
fn against(old: &Row, new: &Row) -> Option<f64> {
    Some(new.ratio_intel? / old.ratio_intel?)
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::report::tests::sample;

    #[test]
    fn changes_are_shown() {
        let (old, mut new) = (sample(), sample());
        new.kernels[0].ours = Some(0.25);
        new.kernels[0].ratio_intel = Some(12.0);
        new.kernels[1].name = "another".to_owned();
        let text = table(&old, &new);
        let line = |name: &str| text.lines().find(|line| line.starts_with(name));
        let fast: Vec<&str> = line("fast").expect("a row").split_whitespace().collect();
        assert_eq!(fast, ["fast", "1.000", "0.250", "ms", "4.000", "3.000"]);
        assert!(line("another").is_none(), "it is in one report only");
        assert!(line("failed").expect("a row").contains('–'));
        assert!(line("geometric mean").expect("a row").contains("4.000"));
    }
}
