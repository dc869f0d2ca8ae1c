//! How a test ends early.

use crate::api::api;
use crate::coverage::documents;
use crate::support;
use crate::world::Cx;
use std::fmt::Display;
use std::panic::Location;
use ur_api::*;

/// What a test gives: nothing, or why it stopped.
pub type Outcome = Result<(), Stop>;

/// Why a test stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Something was not as the API says.
    Fail(String),
    /// What the test is about is not there, by the implementation's own words, which are given.
    Unsupported(String),
    /// A call did not answer as it had to.
    Call(Failure),
}

/// A call that did not answer as it had to.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The function.
    pub call: &'static str,
    /// What it answered.
    pub code: ur_result_t,
    /// What it might have answered.
    pub expected: Vec<ur_result_t>,
    /// Where the test made the call.
    pub at: &'static Location<'static>,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Call(failure)
    }
}

impl Stop {
    /// A failure at the caller's place.
    #[track_caller]
    pub fn fail(message: impl Display) -> Stop {
        Stop::Fail(format!("{message} ({})", place(Location::caller())))
    }

    /// Whether the test fails by this, or what it says is unsupported.
    pub(crate) fn judge(self, cx: &Cx) -> Result<String, String> {
        match self {
            Stop::Fail(message) => Err(message),
            Stop::Unsupported(reason) => Ok(reason),
            Stop::Call(failure) => failure.judge(cx),
        }
    }
}

/// File and line.
fn place(at: &Location<'_>) -> String {
    let file = at.file().rsplit_once("src/").map_or(at.file(), |(_, f)| f);
    format!("{file}:{}", at.line())
}

impl Failure {
    /// `Ok` with the reason if the call may decline: the loader lacks the function, or it is one
    /// that the API lets an adapter decline and the device does not claim to have it.
    fn judge(self, cx: &Cx) -> Result<String, String> {
        let call = self.call;
        if !api().has(call) {
            return Ok(format!("{call} is absent from this loader"));
        }
        let wanted: Vec<String> = self.expected.iter().map(|c| c.to_string()).collect();
        let wanted = wanted.join(" or ");
        let told = cx
            .last_error(self.code)
            .map_or_else(String::new, |text| format!(" \"{text}\""));
        let failed = format!(
            "{call} returned {}{told}, not {wanted} ({})",
            self.code,
            place(self.at)
        );
        // What a loader answers for a function that the adapter's table lacks.
        if self.code == UR_RESULT_ERROR_UNINITIALIZED && call.ends_with("Exp") {
            return Ok(format!("{call} is absent from this adapter"));
        }
        let no_compiler = "UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE";
        if self.code == UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE && documents(call, no_compiler) {
            return match cx.has(UR_DEVICE_INFO_COMPILER_AVAILABLE) {
                Ok(false) => Ok("COMPILER_AVAILABLE says no".into()),
                _ => Err(failed),
            };
        }
        if self.code != UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
            return Err(failed);
        }
        if !call.ends_with("Exp") && !documents(call, "UR_RESULT_ERROR_UNSUPPORTED_FEATURE") {
            return Err(format!("{failed}; the API does not let {call} decline"));
        }
        match support::claimed(call, cx) {
            Some((query, true)) => Err(format!("{failed}; yet {query} says it is supported")),
            Some((query, false)) => Ok(format!("{query} says no")),
            None => Ok(format!("{call} declines")),
        }
    }
}

/// The results that a call may have.
pub trait Codes {
    /// All of them.
    fn codes(&self) -> Vec<ur_result_t>;
}

impl Codes for ur_result_t {
    fn codes(&self) -> Vec<ur_result_t> {
        vec![*self]
    }
}

impl<const N: usize> Codes for [ur_result_t; N] {
    fn codes(&self) -> Vec<ur_result_t> {
        self.to_vec()
    }
}

impl Codes for &[ur_result_t] {
    fn codes(&self) -> Vec<ur_result_t> {
        self.to_vec()
    }
}

/// Checks what a call answered.
///
/// # Errors
/// Any answer but those expected.
#[track_caller]
pub fn check(call: &'static str, expected: impl Codes, code: ur_result_t) -> Result<(), Failure> {
    let expected = expected.codes();
    if expected.contains(&code) {
        return Ok(());
    }
    Err(Failure {
        call,
        code,
        expected,
        at: Location::caller(),
    })
}

/// Calls a function of the loader under test and gives its result.
#[macro_export]
macro_rules! ur {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        #[allow(unused_unsafe, reason = "arguments may be calls themselves")]
        // SAFETY: the test gives objects that live and memory of the size that it says, or
        // arguments that the API says are refused.
        let result = unsafe { $crate::api().$name($($arg),*) };
        result
    }};
}

/// Calls a function that must succeed: `Result<(), Failure>`.
#[macro_export]
macro_rules! ok {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::failure::check(
            stringify!($name),
            ::ur_api::UR_RESULT_SUCCESS,
            $crate::ur!($name($($arg),*)),
        )
    };
}

/// Calls a function that must give that result, or one of those in an array: `Result<(), Failure>`.
#[macro_export]
macro_rules! refused {
    ($codes:expr, $name:ident($($arg:expr),* $(,)?)) => {
        $crate::failure::check(stringify!($name), $codes, $crate::ur!($name($($arg),*)))
    };
}

/// Ends the test as failed, with a message, unless a condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr $(,)?) => {
        if !$condition {
            return Err($crate::failure::Stop::fail(stringify!($condition)));
        }
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::failure::Stop::fail(format_args!($($message)+)));
        }
    };
}

/// Ends the test as failed unless what was found is what was wanted: `same!(what, found, wanted)`.
#[macro_export]
macro_rules! same {
    ($what:expr, $found:expr, $wanted:expr $(,)?) => {
        match (&$found, &$wanted) {
            (found, wanted) => {
                if *found != *wanted {
                    return Err($crate::failure::Stop::fail(format_args!(
                        "{} is {:?} instead of {:?}",
                        $what, found, wanted
                    )));
                }
            }
        }
    };
}
