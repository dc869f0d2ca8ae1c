//! Which layers are on.

use crate::flags::Flags;
use crate::{bounds, devices, leaks, objects, site, xpti};
use std::ffi::CString;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use ur_api::ur_code_location_callback_t;

/// A set of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Active(u32);

const PARAMETERS: u32 = 1;
const BOUNDS: u32 = 1 << 1;
const LEAKS: u32 = 1 << 2;
const LIFETIMES: u32 = 1 << 3;
/// Calls are traced to the log.
const LOG: u32 = 1 << 4;
/// Calls are traced to XPTI.
const XPTI: u32 = 1 << 5;
/// Somebody asked for tracing, whether anybody listens or not.
const TRACING: u32 = 1 << 6;

/// Layers by the names that programs know, and what each turns on.
const NAMES: [(&str, u32); 6] = [
    ("UR_LAYER_PARAMETER_VALIDATION", PARAMETERS),
    ("UR_LAYER_BOUNDS_CHECKING", BOUNDS),
    ("UR_LAYER_LEAK_CHECKING", LEAKS),
    ("UR_LAYER_LIFETIME_VALIDATION", LIFETIMES),
    (
        "UR_LAYER_FULL_VALIDATION",
        PARAMETERS | BOUNDS | LEAKS | LIFETIMES,
    ),
    ("UR_LAYER_TRACING", TRACING),
];

/// Layers that the released loader has and this one does not: they check what kernels do, with
/// code that a compiler puts into them.
const ELSEWHERE: [&str; 3] = ["UR_LAYER_ASAN", "UR_LAYER_MSAN", "UR_LAYER_TSAN"];

/// The layers that are on in this process.
static ACTIVE: Flags = Flags {
    bits: AtomicU32::new(0),
};

/// The layers that are on.
#[inline(always)]
pub fn active() -> Active {
    Active(ACTIVE.get())
}

/// Why a name turns no layer on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No release has such a layer.
    Unknown,
    /// Released loaders have it, this one does not.
    NotAvailable,
}

impl Active {
    /// The layers that a name stands for.
    ///
    /// # Errors
    /// The name stands for none that is here.
    pub fn named(name: &str) -> Result<Active, Refused> {
        match NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, layers)) => Ok(Active(*layers)),
            None if ELSEWHERE.contains(&name) => Err(Refused::NotAvailable),
            None => Err(Refused::Unknown),
        }
    }

    /// The names of all layers, separated by `;`.
    pub fn available() -> String {
        NAMES.map(|(name, _)| name).join(";")
    }

    /// The layers of both.
    #[must_use]
    pub fn with(self, other: Active) -> Active {
        Active(self.0 | other.0)
    }

    /// The number, for keeping it in an atomic.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The set of that number.
    pub fn from_bits(bits: u32) -> Active {
        Active(bits)
    }

    /// Whether a call has to go through any layer.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether arguments are checked.
    #[inline(always)]
    pub fn parameters(self) -> bool {
        self.0 & PARAMETERS != 0
    }

    /// Whether the memory that a call touches is checked.
    #[inline(always)]
    pub fn bounds(self) -> bool {
        self.0 & BOUNDS != 0
    }

    /// Whether that is checked while everything that gives memory back is watched.
    #[inline(always)]
    pub fn watches_memory(self) -> bool {
        self.0 & (BOUNDS | LIFETIMES) == BOUNDS | LIFETIMES
    }

    /// Whether objects that are never released are reported.
    #[inline(always)]
    pub fn leaks(self) -> bool {
        self.0 & LEAKS != 0
    }

    /// Whether handles must be those of live objects.
    #[inline(always)]
    pub fn lifetimes(self) -> bool {
        self.0 & LIFETIMES != 0
    }

    /// Whether somebody keeps an account of objects, or looks at them.
    #[inline(always)]
    pub fn objects(self) -> bool {
        self.0 & (BOUNDS | LEAKS | LIFETIMES) != 0
    }

    /// Whether calls are reported to anybody.
    #[inline(always)]
    pub fn traces(self) -> bool {
        self.0 & (LOG | XPTI) != 0
    }

    pub(crate) fn log(self) -> bool {
        self.0 & LOG != 0
    }

    pub(crate) fn xpti(self) -> bool {
        self.0 & XPTI != 0
    }

    /// Whether somebody keeps an account of objects.
    #[inline(always)]
    pub(crate) fn accounts(self) -> bool {
        self.0 & (LEAKS | LIFETIMES) != 0
    }
}

/// Where messages go. The functions are called without any lock, from any thread.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// Writes a line about a call, as it is.
    pub trace: fn(fmt::Arguments<'_>),
    /// Writes a line about what a check found.
    pub problem: fn(fmt::Arguments<'_>),
}

static OUTPUTS: OnceLock<Outputs> = OnceLock::new();

pub(crate) fn outputs() -> Option<&'static Outputs> {
    OUTPUTS.get()
}

/// What there is to know beside the layers' names.
#[derive(Debug)]
pub struct Settings {
    /// Where messages go. The first settings of a process stay.
    pub outputs: Outputs,
    /// Whether the log shows traced calls.
    pub log: bool,
    /// The library of XPTI, if events are wanted.
    pub xpti: Option<CString>,
    /// What tells where in the program a call comes from, with its argument.
    pub location: (ur_code_location_callback_t, usize),
}

/// Turns layers on. Tracing is on only where somebody listens: the log, or a tool of XPTI's.
/// Returns a sentence about the library of XPTI if it could not be used.
///
/// To be called before there are objects, by one thread at a time.
pub fn turn_on(layers: Active, settings: Settings) -> Option<String> {
    let _ = OUTPUTS.set(settings.outputs);
    site::set(settings.location);
    let mut bits = layers.0 & !(LOG | XPTI | TRACING);
    let mut problem = None;
    if layers.0 & TRACING != 0 {
        if settings.log {
            bits |= LOG;
        }
        match settings.xpti.as_deref().map(xpti::open) {
            Some(Ok(true)) => bits |= XPTI,
            Some(Err(sentence)) => problem = Some(sentence),
            Some(Ok(false)) | None => {}
        }
    }
    ACTIVE.set(bits);
    problem
}

/// Turns layers off, after a report of what was never released. Nothing happens if none is on.
///
/// To be called when no handle is used any more, by one thread at a time.
pub fn turn_off() {
    let active = Active(ACTIVE.take());
    if active.leaks() {
        leaks::report();
    }
    if active.accounts() {
        objects::forget();
        devices::forget();
        bounds::forget();
        leaks::forget();
    }
    if active.xpti() {
        xpti::close();
    }
    site::set((None, 0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let all = Active::named("UR_LAYER_FULL_VALIDATION").expect("a layer");
        for name in [
            "UR_LAYER_PARAMETER_VALIDATION",
            "UR_LAYER_BOUNDS_CHECKING",
            "UR_LAYER_LEAK_CHECKING",
            "UR_LAYER_LIFETIME_VALIDATION",
        ] {
            let one = Active::named(name).expect("a layer");
            assert!(one.any() && one != all);
            assert_eq!(all.with(one), all);
        }
        assert!(!all.traces());
        for name in ["UR_LAYER_ASAN", "UR_LAYER_MSAN", "UR_LAYER_TSAN"] {
            assert_eq!(Active::named(name), Err(Refused::NotAvailable));
        }
        for name in ["", "UR_LAYER", "ur_layer_tracing"] {
            assert_eq!(Active::named(name), Err(Refused::Unknown));
        }
        assert_eq!(Active::available().split(';').count(), NAMES.len());
    }
}
