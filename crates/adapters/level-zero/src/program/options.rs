//! Build options: those of OpenCL for which Level Zero has others.

use std::ffi::{CStr, CString};

/// Options, and what Level Zero calls them.
const SAME: &[(&str, &str)] = &[
    ("-O0", "-ze-opt-disable"),
    ("-O1", "-ze-opt-level=1"),
    ("-O2", "-ze-opt-level=2"),
    ("-O3", "-ze-opt-level=2"),
    ("-cl-opt-disable", "-ze-opt-disable"),
    (
        "-cl-intel-greater-than-4GB-buffer-required",
        "-ze-opt-greater-than-4GB-buffer-required",
    ),
    (
        "-cl-intel-256-GRF-per-thread",
        "-ze-opt-large-register-file",
    ),
];

/// Of the linker, which stands for itself here.
const CREATE_LIBRARY: &str = "-create-library";

/// Whether what is linked is to be linked further.
pub fn makes_library(options: &CStr) -> bool {
    let text = options.to_string_lossy();
    text.split_whitespace().any(|word| word == CREATE_LIBRARY)
}

/// Options for Level Zero. What it has no other word for stays as it is, blanks included, since the
/// compilers of drivers know more options than can be listed here.
pub fn of(options: &CStr) -> CString {
    let text = options.to_string_lossy();
    let word = |word: &str| {
        let bare = word.trim_end();
        let blanks = &word[bare.len()..];
        if bare == CREATE_LIBRARY {
            return blanks.to_owned();
        }
        match SAME.iter().find(|(known, _)| *known == bare) {
            Some((_, own)) => format!("{own}{blanks}"),
            None => word.to_owned(),
        }
    };
    let words = text.split_inclusive(char::is_whitespace);
    // What came without a zero has none.
    CString::new(words.map(word).collect::<String>()).unwrap_or_default()
}

/// Options behind others.
pub fn both(first: &CStr, second: &CStr) -> CString {
    match (first.is_empty(), second.is_empty()) {
        (_, true) => first.to_owned(),
        (true, _) => second.to_owned(),
        _ => {
            let all = [first.to_bytes(), b" ", second.to_bytes()].concat();
            CString::new(all).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_level_zero_calls_otherwise() {
        for (given, wanted) in [
            (c"", c""),
            (c"-cl-opt-disable", c"-ze-opt-disable"),
            (
                c"-g -O2  -cl-fast-relaxed-math",
                c"-g -ze-opt-level=2  -cl-fast-relaxed-math",
            ),
            (c"-O3", c"-ze-opt-level=2"),
            (c"-create-library -O0", c" -ze-opt-disable"),
            (c"-igc_opts 'A=1,B=2'", c"-igc_opts 'A=1,B=2'"),
            (c"-cl-opt-disabled", c"-cl-opt-disabled"),
        ] {
            assert_eq!(of(given).as_c_str(), wanted);
        }
        assert!(makes_library(c"-g -create-library"));
        assert!(!makes_library(c"-create-library-not"));
    }

    #[test]
    fn options_of_both() {
        assert_eq!(both(c"", c"-a").as_c_str(), c"-a");
        assert_eq!(both(c"-a", c"").as_c_str(), c"-a");
        assert_eq!(both(c"-a", c"-b").as_c_str(), c"-a -b");
    }
}
