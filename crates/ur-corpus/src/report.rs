//! Failures in groups.

use std::collections::BTreeMap;

/// Longest text of a group's name, in characters.
const WIDTH: usize = 150;

/// Failures that read alike but for numbers and names.
#[derive(Debug, Default)]
pub struct Report {
    /// Count and an example by group.
    groups: BTreeMap<String, (usize, String)>,
}

impl Report {
    /// Adds a failure of the module called `module`.
    pub fn add(&mut self, module: &str, stage: &str, reason: &str) {
        self.groups
            .entry(Self::group(stage, reason))
            .or_insert_with(|| (0, module.to_owned()))
            .0 += 1;
    }

    /// The group that a failure belongs to.
    pub fn group(stage: &str, reason: &str) -> String {
        let stage = stage.split(' ').next().unwrap_or_default();
        format!("{stage}: {}", general(reason))
    }

    /// A table, largest group first: count, reason, an example.
    pub fn table(&self) -> String {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let rows = groups.into_iter();
        rows.map(|(group, (count, example))| format!("{count:6}  {group}  [{example}]\n"))
            .collect()
    }
}

/// The first line of a reason, with `#` for numbers.
fn general(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let mut out = String::new();
    for c in line.chars().take(WIDTH) {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn failures_that_differ_in_numbers_are_one_group() {
        let mut report = Report::default();
        report.add("a", "module", "word 12: no such thing\nmore");
        report.add("b", "module", "word 1234: no such thing");
        report.add("c", "kernel x", "word 12: no such thing");
        let table = report.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "     2  module: word #: no such thing  [a]");
        assert_eq!(lines[1], "     1  kernel: word #: no such thing  [c]");
    }
}
