//! The environment variables the loader reads.
//!
//! A program that runs with raised privileges (setuid, file capabilities) must not open a library
//! or write a file that its caller named, so there every variable counts as unset.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The value of a variable; `None` when it is unset, empty, or not to be trusted.
pub fn variable(name: &str) -> Option<OsString> {
    if privileged() {
        return None;
    }
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// True when the kernel marked this process as running with privileges its caller lacks.
fn privileged() -> bool {
    // SAFETY: reads the auxiliary vector, which the kernel wrote before the program began.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
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
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(variable("UR_LOADER_TEST_NO_SUCH_VARIABLE"), None);
        assert!(variable("PATH").is_some());
    }
}
