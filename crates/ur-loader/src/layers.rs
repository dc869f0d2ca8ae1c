//! Turning layers on and off: names, variables and logs.
//!
//! The first initialisation decides, by its configuration and `UR_ENABLE_LAYERS`, for as long as
//! the loader is initialised: a layer that counts objects must see all of them.

use crate::environment::{harmless, switch, variable};
use crate::log::{Level, log};
use std::ffi::CString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::AtomicU32;
use ur_api::ur_code_location_callback_t;
use ur_layers::Active;
use ur_layers::flags::Flags;
use ur_layers::switch::{Outputs, Refused, Settings};
use ur_log::Log;

/// Names layers to turn on, separated by `,` or `;`.
const ENABLE_LAYERS: &str = "UR_ENABLE_LAYERS";

/// Whether there are tools that want events, and the library that brings events to them.
const XPTI_ENABLE: &str = "XPTI_TRACE_ENABLE";
const XPTI_LIBRARY: &str = "XPTI_FRAMEWORK_DISPATCHER";

static TRACING: Log = Log::new("UR_LOG_TRACING", "TRACING");
static VALIDATION: Log = Log::new("UR_LOG_VALIDATION", "VALIDATION");

fn trace(line: fmt::Arguments<'_>) {
    TRACING.write_plain(Level::Info, line);
}

fn problem(line: fmt::Arguments<'_>) {
    VALIDATION.write(Level::Error, line);
}

/// Whether calls go through layers. It stands here and not with the layers because an entry point
/// reaches a variable of its own crate with one instruction less.
static ON: Flags = Flags {
    bits: AtomicU32::new(0),
};

/// Whether calls go through layers.
#[inline(always)]
pub fn on() -> bool {
    ON.get() != 0
}

/// The layers of that name, or `None` with a line in the log that says why there are none.
pub fn named(name: &str) -> Option<Active> {
    match Active::named(name) {
        Ok(layers) => Some(layers),
        Err(Refused::NotAvailable) => {
            log!(
                Level::Error,
                "layer {name} is not available in this loader, and nothing is checked by it"
            );
            None
        }
        Err(Refused::Unknown) => {
            log!(Level::Error, "there is no layer {name}");
            None
        }
    }
}

/// The layers that the environment asks for.
fn asked_for() -> Active {
    let list = harmless(ENABLE_LAYERS).unwrap_or_default();
    let list = list.to_string_lossy();
    list.split([',', ';'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .filter_map(named)
        .fold(Active::default(), Active::with)
}

/// The library that events go to; `None`, with a line in the log, if it would be looked for in the
/// current folder.
fn xpti_library() -> Option<CString> {
    let path = variable(XPTI_LIBRARY).unwrap_or_else(|| "libxptifw.so".into());
    let bytes = path.into_vec();
    if bytes.contains(&b'/') && !bytes.starts_with(b"/") {
        log!(
            Level::Error,
            "{XPTI_LIBRARY}: '{}' is no absolute path",
            String::from_utf8_lossy(&bytes)
        );
        return None;
    }
    CString::new(bytes).ok()
}

/// Turns on the layers that a configuration or the environment asks for.
pub fn turn_on(layers: Active, location: (ur_code_location_callback_t, usize)) {
    let layers = layers.with(asked_for());
    if !layers.any() {
        return;
    }
    // XPTI opens what other variables name, so a process with raised privileges does without.
    let wanted = variable(XPTI_ENABLE).is_some() && switch(XPTI_ENABLE, false);
    let xpti = wanted.then(xpti_library).flatten();
    let settings = Settings {
        outputs: Outputs { trace, problem },
        log: TRACING.shows(Level::Info),
        xpti,
        location,
    };
    if let Some(sentence) = ur_layers::switch::turn_on(layers, settings) {
        log!(Level::Warning, "no events for XPTI: {sentence}");
    }
    ON.set(1);
}

/// Turns all layers off, after a report of what was never released.
pub fn turn_off() {
    if ON.take() != 0 {
        ur_layers::switch::turn_off();
    }
}
