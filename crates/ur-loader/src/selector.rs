//! `ONEAPI_DEVICE_SELECTOR`: which devices of a platform the user wants to see.
//!
//! ```text
//! selector = term { ";" term } [ ";" ]
//! term     = [ "!" ] backend ":" filter { "," filter }
//! backend  = "*" | level_zero | opencl | cuda | hip | native_cpu | offload
//! filter   = cpu | gpu | fpga | acc | mca | vpu
//!          | level [ "." level [ "." level ] ]
//! level    = "*" | number          (after a "*" only "*" may follow)
//! ```
//! Names are compared without regard to case. `0.1` is sub-device 1 of root device 0, `0.*` all
//! sub-devices of it (and not the root itself), a third level reaches the sub-devices of
//! sub-devices. A term that starts with `!` takes devices away, together with their sub-devices,
//! and does so whatever its place among the terms; when no term adds devices, all root devices
//! are the starting point.
//!
//! This module only reads and evaluates the string: it knows nothing of the environment or of
//! real devices. [`Selector`] implements [`std::str::FromStr`]; [`Selector::select`] evaluates.

mod evaluate;

pub use evaluate::Path;

use std::fmt;
use std::str::FromStr;

/// The environment variable that holds a selector.
pub const VARIABLE: &str = "ONEAPI_DEVICE_SELECTOR";

/// A backend that a term can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// `level_zero`
    LevelZero,
    /// `opencl`
    OpenCl,
    /// `cuda`
    Cuda,
    /// `hip`
    Hip,
    /// `native_cpu`
    NativeCpu,
    /// `offload`
    Offload,
}

impl Backend {
    /// Every backend with its name in a selector.
    pub const NAMES: [(Backend, &'static str); 6] = [
        (Backend::LevelZero, "level_zero"),
        (Backend::OpenCl, "opencl"),
        (Backend::Cuda, "cuda"),
        (Backend::Hip, "hip"),
        (Backend::NativeCpu, "native_cpu"),
        (Backend::Offload, "offload"),
    ];
}

/// The type of a root device, as its adapter reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceType {
    /// A CPU.
    Cpu,
    /// A GPU.
    Gpu,
    /// An FPGA; OpenCL's "accelerator" is reported as this one.
    Fpga,
    /// A "memory copy accelerator".
    Mca,
    /// A vision processor.
    Vpu,
    /// Anything else.
    Other,
}

/// A type of device that a filter can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cpu`
    Cpu,
    /// `gpu`
    Gpu,
    /// `fpga`
    Fpga,
    /// `acc`: every accelerator that is neither CPU nor GPU.
    Acc,
    /// `mca`
    Mca,
    /// `vpu`
    Vpu,
}

impl Kind {
    const NAMES: [(Kind, &'static str); 6] = [
        (Kind::Cpu, "cpu"),
        (Kind::Gpu, "gpu"),
        (Kind::Fpga, "fpga"),
        (Kind::Acc, "acc"),
        (Kind::Mca, "mca"),
        (Kind::Vpu, "vpu"),
    ];
}

/// One level of a device's place: a number counted from 0, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `*`
    Any,
    /// A number.
    Number(u32),
}

/// What stands between two commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Root devices of one type.
    Kind(Kind),
    /// Devices by place: one level for root devices, two for sub-devices, three for sub-devices
    /// of sub-devices.
    Place(Vec<Level>),
}

/// What stands between two semicolons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Starts with `!`.
    pub discard: bool,
    /// `None` for `*`.
    pub backend: Option<Backend>,
    /// At least one.
    pub filters: Vec<Filter>,
}

/// A parsed selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    terms: Vec<Term>,
}

impl Selector {
    /// The terms in the order they were written.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
}

/// Why a selector cannot be used. Its text names the term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError {
    /// The number of the term, counted from 1.
    pub position: usize,
    /// The term as written.
    pub term: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing between two semicolons.
    EmptyTerm,
    /// No `:`.
    NoColon,
    /// More than one `:`.
    ExtraColon,
    /// Nothing before the `:`.
    NoBackend,
    /// A name that is no backend.
    UnknownBackend(String),
    /// Nothing between two commas, or after the `:`.
    EmptyFilter,
    /// More than three levels.
    TooManyLevels(String),
    /// `*` followed by a number, as in `*.0`.
    NumberAfterStar(String),
    /// Neither a type of device nor a place.
    UnknownFilter(String),
    /// A number that does not fit 32 bits.
    NumberTooLarge(String),
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "term {} '{}': {}", self.position, self.term, self.reason)
    }
}

impl std::error::Error for SelectorError {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::EmptyTerm => write!(f, "nothing between two semicolons"),
            Reason::NoColon => write!(f, "no ':'; a term is [!]backend:devices"),
            Reason::ExtraColon => write!(f, "more than one ':'"),
            Reason::NoBackend => write!(f, "no backend before ':'"),
            Reason::UnknownBackend(name) => {
                write!(f, "unknown backend '{name}'; known are *")?;
                Backend::NAMES
                    .iter()
                    .try_for_each(|(_, name)| write!(f, ", {name}"))
            }
            Reason::EmptyFilter => write!(f, "a device is missing"),
            Reason::TooManyLevels(text) => {
                write!(f, "'{text}' has more than three levels")
            }
            Reason::NumberAfterStar(text) => {
                write!(f, "'{text}': after '*' only '*' may follow")
            }
            Reason::UnknownFilter(text) => {
                write!(
                    f,
                    "'{text}' is neither a type of device (cpu, gpu, fpga, acc, mca, vpu) nor a place such as 0, *, 0.1 or 0.*.*"
                )
            }
            Reason::NumberTooLarge(text) => write!(f, "'{text}' is too large a number"),
        }
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        // Scripts that put terms together leave a semicolon at the end.
        let terms = text.strip_suffix(';').unwrap_or(text);
        let parsed = terms.split(';').enumerate().map(|(index, term)| {
            parse_term(term).map_err(|reason| SelectorError {
                position: index + 1,
                term: term.to_owned(),
                reason,
            })
        });
        Ok(Selector {
            terms: parsed.collect::<Result<_, _>>()?,
        })
    }
}

fn parse_term(text: &str) -> Result<Term, Reason> {
    let (discard, body) = match text.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if body.is_empty() {
        return Err(Reason::EmptyTerm);
    }
    let (backend, devices) = body.split_once(':').ok_or(Reason::NoColon)?;
    if devices.contains(':') {
        return Err(Reason::ExtraColon);
    }
    let backend = match backend {
        "" => return Err(Reason::NoBackend),
        "*" => None,
        name => Some(
            named(&Backend::NAMES, name).ok_or_else(|| Reason::UnknownBackend(name.to_owned()))?,
        ),
    };
    let filters = devices
        .split(',')
        .map(parse_filter)
        .collect::<Result<_, _>>()?;
    Ok(Term {
        discard,
        backend,
        filters,
    })
}

fn named<T: Copy>(names: &[(T, &str)], wanted: &str) -> Option<T> {
    names
        .iter()
        .find(|(_, name)| name.eq_ignore_ascii_case(wanted))
        .map(|(value, _)| *value)
}

fn parse_filter(text: &str) -> Result<Filter, Reason> {
    if text.is_empty() {
        return Err(Reason::EmptyFilter);
    }
    if let Some(kind) = named(&Kind::NAMES, text) {
        return Ok(Filter::Kind(kind));
    }
    let mut levels = Vec::with_capacity(3);
    for part in text.split('.') {
        let level = match part {
            "*" => Level::Any,
            "" => return Err(Reason::UnknownFilter(text.to_owned())),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => Level::Number(
                digits
                    .parse()
                    .map_err(|_| Reason::NumberTooLarge(text.to_owned()))?,
            ),
            _ => return Err(Reason::UnknownFilter(text.to_owned())),
        };
        if levels.len() == 3 {
            return Err(Reason::TooManyLevels(text.to_owned()));
        }
        if levels.last() == Some(&Level::Any) && level != Level::Any {
            return Err(Reason::NumberAfterStar(text.to_owned()));
        }
        levels.push(level);
    }
    Ok(Filter::Place(levels))
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator}{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let backend = Backend::NAMES
            .iter()
            .find(|(backend, _)| Some(*backend) == self.backend)
            .map_or("*", |(_, name)| name);
        write!(f, "{}{backend}:", if self.discard { "!" } else { "" })?;
        for (index, filter) in self.filters.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{filter}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::Kind(kind) => Kind::NAMES
                .iter()
                .filter(|(named, _)| named == kind)
                .try_for_each(|(_, name)| f.write_str(name)),
            Filter::Place(levels) => {
                for (index, level) in levels.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "." };
                    match level {
                        Level::Any => write!(f, "{separator}*")?,
                        Level::Number(number) => write!(f, "{separator}{number}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
