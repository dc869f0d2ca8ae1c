//! Who agrees with whom.

use std::collections::BTreeMap;
use std::fmt;

/// How a device did with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// As it should be, or as the others.
    Right,
    /// Not so, and where.
    Wrong(String),
    /// It differs from the only other device, so that nobody knows which of them is right.
    Differs(String),
    /// It does not do the kernel, and why.
    Absent(String),
}

/// The running count.
#[derive(Debug, Default)]
pub struct Tally {
    ours: &'static str,
    compared: usize,
    agreements: usize,
    differences: usize,
    /// Differences that may be ours.
    faults: usize,
    /// Differences, in words.
    found: Vec<String>,
    /// How often a device did not do a kernel, by device and reason.
    absent: BTreeMap<(String, String), usize>,
}

impl Tally {
    /// Nothing counted yet; `ours` is the device whose differences are faults.
    pub fn new(ours: &'static str) -> Self {
        Self {
            ours,
            ..Self::default()
        }
    }

    /// Adds a kernel. It counts as compared if our device and something else had a say.
    pub fn add(&mut self, kernel: &str, sides: Vec<(&'static str, Side)>) {
        let mut compared = false;
        let mut differs = false;
        for (device, side) in &sides {
            let ours = *device == self.ours;
            match side {
                Side::Right => compared |= !ours || sides.len() == 1,
                Side::Absent(reason) => {
                    let key = (device.to_string(), summary(reason));
                    *self.absent.entry(key).or_default() += 1;
                    // Ours is to do whatever there is.
                    if ours {
                        differs = true;
                        self.faults += 1;
                        self.found
                            .push(format!("{kernel}: {device} does not run it"));
                    }
                }
                Side::Wrong(text) | Side::Differs(text) => {
                    compared = true;
                    differs = true;
                    if ours || matches!(side, Side::Differs(_)) {
                        self.faults += 1;
                    }
                    let line = format!("{kernel}: {device} is wrong: {text}");
                    let unsure = format!("{kernel}: {device} differs: {text}");
                    let known = matches!(side, Side::Wrong(_));
                    self.found.push(if known { line } else { unsure });
                }
            }
        }
        if let Some(line) = self.found.last().filter(|_| differs) {
            println!("{line}");
        }
        self.compared += usize::from(compared || differs);
        self.agreements += usize::from(compared && !differs);
        self.differences += usize::from(differs);
    }

    /// Who did not do what.
    pub fn notes(&self) -> String {
        let mut text = String::new();
        for ((device, reason), count) in &self.absent {
            text.push_str(&format!("{count:6}  not on {device}: {reason}\n"));
        }
        for line in &self.found {
            text.push_str(&format!("difference: {line}\n"));
        }
        text
    }

    /// Whether something was compared and no difference can be ours.
    pub fn good(&self) -> bool {
        self.faults == 0 && self.compared > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kernels compared, {} agreements, {} differences",
            self.compared, self.agreements, self.differences
        )
    }
}

/// The line of a reason that says most, shortened: the first with an error, else the first.
fn summary(reason: &str) -> String {
    let telling = |line: &&str| line.to_lowercase().contains("error");
    let line = reason.lines().find(telling).or(reason.lines().next());
    line.unwrap_or_default().trim().chars().take(160).collect()
}

/// Compares all pairs of results. With three or more devices, one that differs from more of the
/// others than it agrees with is wrong; with two, nobody knows.
pub fn odd_ones<T>(
    results: &[(&'static str, T)],
    differ: impl Fn(&T, &T) -> Option<String>,
) -> Vec<(&'static str, Side)> {
    let mut sides = Vec::new();
    for (number, (device, result)) in results.iter().enumerate() {
        let others = results.iter().enumerate().filter(|(at, _)| *at != number);
        let texts: Vec<String> = others
            .filter_map(|(_, (other, theirs))| {
                Some(format!("from {other}: {}", differ(result, theirs)?))
            })
            .collect();
        let others = results.len().saturating_sub(1);
        let side = match texts.into_iter().next_back() {
            None => Side::Right,
            Some(text) if others == 1 => Side::Differs(text),
            Some(text) => {
                let disagreements = results
                    .iter()
                    .enumerate()
                    .filter(|(at, (_, theirs))| *at != number && differ(result, theirs).is_some())
                    .count();
                if 2 * disagreements > others {
                    Side::Wrong(text)
                } else {
                    Side::Right
                }
            }
        };
        sides.push((*device, side));
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::{Side, Tally, odd_ones};

    fn sides(values: &[(&'static str, i32)]) -> Vec<(&'static str, Side)> {
        odd_ones(values, |a, b| (a != b).then(|| format!("{a} and {b}")))
    }

    #[test]
    fn the_odd_one_is_named() {
        let found = sides(&[("a", 1), ("b", 1), ("c", 2)]);
        assert_eq!(found[0].1, Side::Right);
        assert_eq!(found[1].1, Side::Right);
        assert_eq!(found[2].1, Side::Wrong("from b: 2 and 1".to_owned()));
        let found = sides(&[("a", 1), ("b", 2)]);
        assert!(matches!(found[0].1, Side::Differs(_)));
        assert!(matches!(found[1].1, Side::Differs(_)));
    }

    #[test]
    fn only_our_differences_are_faults() {
        let mut tally = Tally::new("a");
        tally.add("k", sides(&[("a", 1), ("b", 1), ("c", 1)]));
        tally.add("l", sides(&[("a", 1), ("b", 1), ("c", 2)]));
        assert_eq!(
            tally.to_string(),
            "2 kernels compared, 1 agreements, 1 differences"
        );
        assert!(tally.good());
        tally.add("m", sides(&[("a", 2), ("b", 1), ("c", 1)]));
        assert!(!tally.good());
        let mut tally = Tally::new("a");
        tally.add("k", vec![("a", Side::Absent("no".to_owned()))]);
        assert!(!tally.good());
        assert!(tally.notes().contains("not on a: no"));
    }
}
