//! Environment variables.
//!
//! A process that runs with privileges which its user has not (set-user-ID, file capabilities) must
//! not open a library or write a file that this user named. There [`variable`], which all variables
//! that name code or files are read with, finds nothing; [`harmless`] reads the others.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Why a variable is not read in a process with raised privileges.
pub const REFUSED: &str = "this process has privileges that its user has not";

/// The value of a variable that names code or files; `None` when it is unset, empty, or not to be
/// trusted ([`refused`]).
pub fn variable(name: &str) -> Option<OsString> {
    if privileged() { None } else { harmless(name) }
}

/// The value of a variable that a user may set for any process: it names neither code nor files.
pub fn harmless(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// True when a variable is set and [`variable`] does not say so.
pub fn refused(name: &str) -> bool {
    privileged() && harmless(name).is_some()
}

/// True when the kernel marked this process as running with privileges that its user has not.
pub fn privileged() -> bool {
    // SAFETY: reads the auxiliary vector, which the kernel wrote before the program began.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Reads a switch: `1`, `on`, `yes`, `true` or `0`, `off`, `no`, `false`, without regard to case.
/// `None` for anything else.
pub fn switch(value: &OsStr) -> Option<bool> {
    let value = value.to_str()?;
    let is = |names: [&str; 4]| names.iter().any(|name| name.eq_ignore_ascii_case(value));
    if is(["1", "on", "yes", "true"]) {
        Some(true)
    } else if is(["0", "off", "no", "false"]) {
        Some(false)
    } else {
        None
    }
}

/// Splits a list of paths at `,` and `:`. A part may stand in double quotes, inside which both
/// are ordinary characters. Empty parts are left out; an unclosed quote reaches to the end.
pub fn split_paths(list: &OsStr) -> Vec<PathBuf> {
    split_quoted(list.as_bytes(), b",:")
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| PathBuf::from(OsString::from_vec(part)))
        .collect()
}

/// Splits at any of the separators that stands outside of double quotes, and drops the quotes.
pub fn split_quoted(text: &[u8], separators: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    let mut quoted = false;
    for &byte in text {
        if byte == b'"' {
            quoted = !quoted;
        } else if !quoted && separators.contains(&byte) {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(byte);
        }
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(list: &str) -> Vec<String> {
        split_paths(OsStr::new(list))
            .into_iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn lists_of_paths() {
        assert!(split("").is_empty());
        assert_eq!(split("/a"), ["/a"]);
        assert_eq!(split("/a,/b:/c"), ["/a", "/b", "/c"]);
        assert_eq!(split(",/a,,:/b,"), ["/a", "/b"]);
        assert_eq!(split("\"/a,b\",\"/c:d\""), ["/a,b", "/c:d"]);
        assert_eq!(split("\"/a,b"), ["/a,b"]);
        assert_eq!(split("\"\",/a"), ["/a"]);
    }

    #[test]
    fn a_path_need_not_be_unicode() {
        let list = OsStr::from_bytes(b"/a\xff,/b");
        assert_eq!(split_paths(list)[0].as_os_str().as_bytes(), b"/a\xff");
    }

    #[test]
    fn switches() {
        for (text, value) in [
            ("1", Some(true)),
            ("On", Some(true)),
            ("yes", Some(true)),
            ("TRUE", Some(true)),
            ("0", Some(false)),
            ("off", Some(false)),
            ("No", Some(false)),
            ("false", Some(false)),
            ("", None),
            ("2", None),
            (" 1", None),
        ] {
            assert_eq!(switch(OsStr::new(text)), value, "{text}");
        }
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(variable("UR_LOADER_TEST_NO_SUCH_VARIABLE"), None);
        assert!(variable("PATH").is_some());
    }
}
