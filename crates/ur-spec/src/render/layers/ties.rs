//! What the handles of a call must have to do with each other.
//!
//! All that belong to a context belong to the same one: objects are made from a context or from
//! something that belongs to one. Events that a command waits for are the exception, since nothing
//! says that they must; where a function has a result for objects of several contexts, they must.
//! Devices are those of the context, and a context's are all of one platform.

use crate::ctype::CType;
use crate::model::{Dir, Function, Param, Spec};

pub(super) const CONTEXT: &str = "ur_context_handle_t";
pub(super) const DEVICE: &str = "ur_device_handle_t";
const PLATFORM: &str = "ur_platform_handle_t";
const ADAPTER: &str = "ur_adapter_handle_t";
const EVENT: &str = "ur_event_handle_t";

/// What is asked of a handle beside being that of a live object of the call's adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// Nothing.
    None,
    /// It belongs to what the others belong to.
    Shares,
    /// It is a device of the context that the others belong to.
    Within,
}

/// A handle that the caller gives.
struct Given<'a> {
    param: &'a Param,
    handle: String,
    tie: Tie,
}

/// The handles of a function.
pub(super) struct Ties<'a> {
    given: Vec<Given<'a>>,
    /// Whether there is one handle only, and nothing comes back.
    pub(super) alone: bool,
}

/// Whether the function has a result for objects of several contexts.
pub(super) fn gives_context(function: &Function) -> bool {
    let code = "UR_RESULT_ERROR_INVALID_CONTEXT";
    function.returns.iter().any(|r| r.code == code)
}

impl<'a> Ties<'a> {
    pub(super) fn of(spec: &Spec, function: &'a Function) -> Ties<'a> {
        let mut given: Vec<Given> = Vec::new();
        let mut back = Vec::new();
        let mut arrays = false;
        for param in &function.params {
            let Some(parsed) = CType::parse(&param.r#type) else {
                continue;
            };
            if !spec.handle(&parsed.base).is_some_and(|h| h.dispatchable()) {
                continue;
            }
            let one = parsed.stars == 0;
            match param.dir {
                Some(Dir::In) => arrays |= !one,
                Some(Dir::InOut) if one => {}
                _ => {
                    back.push(parsed.base);
                    continue;
                }
            }
            given.push(Given {
                param,
                handle: parsed.base,
                tie: Tie::None,
            });
        }
        let owned = |handle: &str| ![ADAPTER, PLATFORM, DEVICE].contains(&handle);
        let contexts = given.iter().any(|given| owned(&given.handle));
        // What comes back belongs to a platform, or is made for devices of one.
        let platforms = back
            .iter()
            .any(|base| [DEVICE, CONTEXT].contains(&base.as_str()));
        for given in &mut given {
            let waits = given.handle == EVENT && given.param.len.is_some();
            given.tie = match given.handle.as_str() {
                ADAPTER => Tie::None,
                PLATFORM | DEVICE if platforms => Tie::Shares,
                DEVICE if contexts => Tie::Within,
                PLATFORM | DEVICE => Tie::None,
                _ if waits && !gives_context(function) => Tie::None,
                _ => Tie::Shares,
            };
        }
        Ties {
            alone: given.len() < 2 && back.is_empty() && !arrays,
            given,
        }
    }

    /// What is asked of a parameter's handles.
    pub(super) fn tie(&self, param: &str) -> Tie {
        let given = self.given.iter().find(|given| given.param.name == param);
        given.map_or(Tie::None, |given| given.tie)
    }

    /// The devices that the function makes a context for.
    pub(super) fn devices(&self) -> Option<&'a Param> {
        let array = |given: &&Given| given.handle == DEVICE && given.param.len.is_some();
        self.given.iter().find(array).map(|given| given.param)
    }

    /// Whether another handle before this one says what the call's objects belong to.
    pub(super) fn has_others(&self, param: &str) -> bool {
        let shares = |given: &&Given| given.tie == Tie::Shares;
        match self.tie(param) {
            Tie::None => false,
            Tie::Shares => {
                let first = self.given.iter().find(shares);
                first.is_some_and(|given| given.param.name != param)
            }
            Tie::Within => self.given.iter().any(|given| shares(&given)),
        }
    }
}
