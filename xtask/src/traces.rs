//! The same program on the released loader and on ours: what each shows of the calls, line by line.
//!
//! Addresses are masked. What differs then must be in `tests/clients/traces.toml`, with a reason.

use crate::{process, repo};
use anyhow::{Context, Result, bail};
use regex_lite::Regex;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A loader that a program runs on.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Loader {
    /// The one of the runtime's release.
    Released,
    /// The one of the built tree.
    Ours,
}

impl Loader {
    /// Both, in the order in which they run.
    pub const BOTH: [Loader; 2] = [Loader::Released, Loader::Ours];

    fn name(self) -> &'static str {
        match self {
            Loader::Released => "released",
            Loader::Ours => "ours",
        }
    }

    /// The folder whose loader a program finds, if the runtime's libraries are in `runtime`.
    pub fn folder(self, runtime: &Path) -> PathBuf {
        match self {
            Loader::Released => runtime.to_owned(),
            Loader::Ours => repo::dist_lib(),
        }
    }
}

/// The differences that have a reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    #[serde(default)]
    explained: Vec<Explanation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Explanation {
    runs: Vec<String>,
    only: Loader,
    lines: String,
    reason: String,
}

/// A stretch of lines that one side shows where the other shows others or none.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stretch<'a> {
    released: Vec<&'a str>,
    ours: Vec<&'a str>,
}

impl Explained {
    /// Reads the file.
    pub fn read() -> Result<Self> {
        let path = repo::root().join("tests/clients/traces.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("in {}", path.display()))
    }

    /// The reason for each of the lines that one side alone shows, or nothing if one has none.
    fn reasons(&self, run: &str, only: Loader, lines: &[&str]) -> Result<Option<Vec<&str>>> {
        let mut reasons = Vec::new();
        for line in lines {
            let mut found = None;
            for entry in &self.explained {
                let pattern = Regex::new(&entry.lines)
                    .with_context(|| format!("`{}` in traces.toml", entry.lines))?;
                if entry.runs.iter().any(|r| r == run)
                    && entry.only == only
                    && pattern.is_match(line)
                {
                    found = Some(entry.reason.as_str());
                    break;
                }
            }
            match found {
                Some(reason) => reasons.push(reason),
                None => return Ok(None),
            }
        }
        Ok(Some(reasons))
    }
}

/// Runs the program on both loaders and compares what they show. `command` makes the program's
/// command, which must print `loader: ` and the path of the one that it has loaded.
/// Returns whether all differences are explained.
pub fn compare(
    run: &str,
    runtime: &Path,
    command: impl Fn(Loader) -> Result<Command>,
) -> Result<bool> {
    let folder = repo::root().join("target/client/traces");
    fs::create_dir_all(&folder)?;
    let mut shown = Vec::new();
    for loader in Loader::BOTH {
        let mut command = command(loader)?;
        let text = output(&mut command)?;
        let file = folder.join(format!("{run}-{}.txt", loader.name()));
        fs::write(&file, &text)?;
        let library = text
            .lines()
            .find_map(|line| line.strip_prefix("loader: "))
            .with_context(|| format!("{run}: no loader is named in {}", file.display()))?;
        let wanted = fs::canonicalize(loader.folder(runtime).join("libur_loader.so.0"))?;
        if Path::new(library) != wanted {
            bail!("{run} ran on {library} instead of {}", wanted.display());
        }
        shown.push(masked(&text)?);
    }
    judge(&Explained::read()?, run, &shown[0], &shown[1])
}

/// Prints what differs, and says whether everything that does is explained.
fn judge(explained: &Explained, run: &str, released: &str, ours: &str) -> Result<bool> {
    let (released, ours): (Vec<&str>, Vec<&str>) =
        (released.lines().collect(), ours.lines().collect());
    let calls = |lines: &[&str]| lines.iter().filter(|line| line.contains("<---")).count();
    println!(
        "{run}: {} calls on the released loader, {} on ours",
        calls(&released),
        calls(&ours)
    );
    let mut good = true;
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for stretch in differences(&released, &ours) {
        let sides = [
            (Loader::Released, &stretch.released),
            (Loader::Ours, &stretch.ours),
        ];
        let mut known = Vec::new();
        for (loader, lines) in sides {
            known.push(explained.reasons(run, loader, lines)?);
        }
        if let [Some(a), Some(b)] = &known[..] {
            for reason in a.iter().chain(b) {
                match reasons.iter_mut().find(|(known, _)| known == reason) {
                    Some((_, count)) => *count += 1,
                    None => reasons.push((reason, 1)),
                }
            }
            continue;
        }
        good = false;
        for (loader, lines) in sides {
            for line in lines {
                println!("  {:>8}: {line}", loader.name());
            }
        }
    }
    for (reason, lines) in reasons {
        println!("  {lines} lines on one side only, as known: {reason}");
    }
    Ok(good)
}

/// Both streams of a program that must end by itself and well.
fn output(command: &mut Command) -> Result<String> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("cannot run `{}`", process::shown(command)))?;
    // The command keeps the pipe's other end open until it has other streams.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut bytes)?;
    let status = child.wait()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !status.success() {
        eprint!("{text}");
        bail!("`{}` failed: {status}", process::shown(command));
    }
    Ok(text)
}

/// The text without what differs from process to process: addresses, also those that are written
/// as decimal numbers where drivers' own handles are, and the loader's path.
fn masked(text: &str) -> Result<String> {
    let hexadecimal = Regex::new("0x[0-9a-f]+")?;
    let native = Regex::new(r"(\.phNative\w+ = \w+ )\([0-9]+\)")?;
    let loader = Regex::new("(?m)^loader: .*$")?;
    let text = hexadecimal.replace_all(text, "ADDRESS");
    let text = native.replace_all(&text, "${1}(ADDRESS)");
    Ok(loader.replace_all(&text, "loader").into_owned())
}

/// Where two sequences of lines differ, by their longest common subsequence.
fn differences<'a>(released: &[&'a str], ours: &[&'a str]) -> Vec<Stretch<'a>> {
    let (n, m) = (released.len(), ours.len());
    // lengths[i][j]: of what is common to the lines from i and from j on.
    let mut lengths = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            lengths[i][j] = if released[i] == ours[j] {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    let mut stretch = Stretch::default();
    while i < n || j < m {
        if i < n && j < m && released[i] == ours[j] {
            if stretch != Stretch::default() {
                found.push(std::mem::take(&mut stretch));
            }
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && lengths[i + 1][j] >= lengths[i][j + 1]) {
            stretch.released.push(released[i]);
            i += 1;
        } else {
            stretch.ours.push(ours[j]);
            j += 1;
        }
    }
    if stretch != Stretch::default() {
        found.push(stretch);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_found_wherever_they_are() {
        let of = |released: &'static str, ours: &'static str| {
            let (released, ours): (Vec<_>, Vec<_>) =
                (released.split(' ').collect(), ours.split(' ').collect());
            differences(&released, &ours)
                .into_iter()
                .map(|s| (s.released.join(" "), s.ours.join(" ")))
                .collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(of("a b c", "a b c"), []);
        assert_eq!(of("x a b", "a b y"), [pair("x", ""), pair("", "y")]);
        assert_eq!(of("a x b", "a y z b"), [pair("x", "y z")]);
    }

    #[test]
    fn addresses_do_not_count() {
        let text =
            "f(.p = 0x7f (0x80), .phNativeContext = 0x12 (1234)) -> R;\nloader: /a/b\nn 1234";
        assert_eq!(
            masked(text).expect("patterns are right"),
            "f(.p = ADDRESS (ADDRESS), .phNativeContext = ADDRESS (ADDRESS)) -> R;\nloader\nn 1234"
        );
    }

    #[test]
    fn only_what_is_explained_may_differ() {
        let explained: Explained = toml::from_str(
            "[[explained]]\nruns = ['r']\nonly = 'ours'\nlines = '^extra'\nreason = 'why'\n",
        )
        .expect("valid");
        let good = |run, released, ours| judge(&explained, run, released, ours).expect("patterns");
        assert!(good("r", "a\nb", "a\nb"));
        assert!(good("r", "a\nb", "a\nextra 1\nextra 2\nb"));
        assert!(!good("r", "a\nextra 1\nb", "a\nb"));
        assert!(!good("s", "a\nb", "a\nextra 1\nb"));
        assert!(!good("r", "a\nb", "a\nextra 1\nother\nb"));
    }

    #[test]
    fn the_file_of_the_repository_is_readable() {
        let explained = Explained::read().expect("a readable file");
        for entry in explained.explained {
            Regex::new(&entry.lines).expect("a pattern");
            assert!(!entry.reason.is_empty() && !entry.runs.is_empty());
        }
    }
}
