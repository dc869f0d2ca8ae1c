//! Reading the value of a log variable.

use super::Level;
use crate::environment::split_quoted;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What a log variable asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    /// The least severe level shown; `None` for `quiet`.
    pub level: Option<Level>,
    /// Where messages go.
    pub output: Output,
}

/// Where messages go.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// The standard error stream.
    Stderr,
    /// The standard output stream.
    Stdout,
    /// The end of a file.
    File(PathBuf),
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            level: Some(Level::Error),
            output: Output::Stderr,
        }
    }
}

/// The settings, and a sentence for each part that could not be read.
pub fn parse(text: &OsStr) -> (Settings, Vec<String>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    for part in split_quoted(text.as_bytes(), b";") {
        if part.is_empty() {
            continue;
        }
        let shown = String::from_utf8_lossy(&part).into_owned();
        let Some(colon) = part.iter().position(|&byte| byte == b':') else {
            problems.push(format!("'{shown}' is no setting; a setting is name:value"));
            continue;
        };
        let (name, value) = (&part[..colon], &part[colon + 1..]);
        let done = match name {
            b"level" => level(value).map(|level| settings.level = level),
            // Checked, and without effect: nothing is ever held back.
            b"flush" => level(value).map(|_| ()),
            b"output" => output(value).map(|output| settings.output = output),
            _ => Err("the settings are level, flush and output".to_owned()),
        };
        if let Err(problem) = done {
            problems.push(format!("'{shown}': {problem}"));
        }
    }
    (settings, problems)
}

fn level(value: &[u8]) -> Result<Option<Level>, String> {
    match value.to_ascii_lowercase().as_slice() {
        b"debug" => Ok(Some(Level::Debug)),
        b"info" => Ok(Some(Level::Info)),
        b"warning" | b"warn" => Ok(Some(Level::Warning)),
        b"error" => Ok(Some(Level::Error)),
        b"quiet" => Ok(None),
        _ => Err("the levels are debug, info, warning, error and quiet".to_owned()),
    }
}

fn output(value: &[u8]) -> Result<Output, String> {
    match value {
        b"stderr" => Ok(Output::Stderr),
        b"stdout" => Ok(Output::Stdout),
        _ => match value.strip_prefix(b"file,") {
            Some(path) if !path.is_empty() => {
                Ok(Output::File(PathBuf::from(OsStr::from_bytes(path))))
            }
            _ => Err("the outputs are stderr, stdout and file,PATH".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Settings, Vec<String>) {
        parse(OsStr::new(text))
    }

    fn good(text: &str) -> Settings {
        let (settings, problems) = read(text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        settings
    }

    #[test]
    fn whole_settings() {
        assert_eq!(
            good("level:debug;flush:info;output:stdout"),
            Settings {
                level: Some(Level::Debug),
                output: Output::Stdout
            }
        );
        assert_eq!(good(""), Settings::default());
        assert_eq!(good("level:quiet;").level, None);
        assert_eq!(good("level:WARN").level, Some(Level::Warning));
        assert_eq!(
            good("output:file,/a/b.log").output,
            Output::File("/a/b.log".into())
        );
        assert_eq!(
            good("output:file,\"/a;b.log\";level:info"),
            Settings {
                level: Some(Level::Info),
                output: Output::File("/a;b.log".into())
            }
        );
    }

    #[test]
    fn a_bad_part_is_reported_and_the_others_count() {
        for (text, named) in [
            ("level:loud", "level:loud"),
            ("level", "level"),
            ("flush:never", "flush:never"),
            ("output:printer", "output:printer"),
            ("output:file,", "output:file,"),
            ("colour:red", "colour:red"),
            (":", ":"),
        ] {
            let (settings, problems) = read(&format!("output:stdout;{text};level:info"));
            let [problem] = problems.as_slice() else {
                panic!("{text}: {problems:?}");
            };
            assert!(problem.contains(named), "{problem}");
            assert_eq!(settings.level, Some(Level::Info));
            assert_eq!(settings.output, Output::Stdout);
        }
    }
}
