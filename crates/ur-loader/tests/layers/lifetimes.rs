//! Every handle that a function takes: a live object of the right kind gets to the adapter; one
//! that no call gave, one that was released, one of another kind and one of another adapter are
//! refused.

use crate::adapter::{Object, last_called, messages, passed, with_layers};
use crate::generated::calls::{call, kind};
use crate::parameters::{CASES, Words};
use std::collections::HashMap;
use ur_api::UR_RESULT_SUCCESS;
use ur_layers::objects::{Call, Kind};

/// The handles of each function.
const HANDLES: &str = include_str!("generated/handles.tsv");

/// A handle that a function takes.
struct Taken<'a> {
    parameter: usize,
    name: &'a str,
    kind: &'a str,
    result: &'a str,
    array: bool,
}

fn taken() -> HashMap<&'static str, Vec<Taken<'static>>> {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for line in HANDLES.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [function, parameter, name, kind, result, array] = parts[..] else {
            panic!("{line}");
        };
        all.entry(function).or_default().push(Taken {
            parameter: parameter.parse().expect("a number"),
            name,
            kind,
            result,
            array: array == "array",
        });
    }
    all
}

/// What is done to the object behind a handle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Live,
    Unknown,
    Released,
    OtherKind,
    OtherAdapter,
}

const CALL: Call = Call::new("the test");

/// An object for good: to the layer most of them are never released, so that their addresses must
/// not be used again.
fn make(state: State, kind: Kind, other: Kind) -> &'static Object {
    let object: &Object = Box::leak(Box::new(match state {
        State::OtherAdapter => Object::of_another(),
        _ => Object::new(),
    }));
    let mut handle = object.word() as *mut Object;
    let kind = if state == State::OtherKind {
        other
    } else {
        kind
    };
    if state != State::Unknown {
        // SAFETY: there is a handle.
        unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, kind) };
    }
    if state == State::Released {
        CALL.releasing(handle).done(UR_RESULT_SUCCESS);
    }
    object
}

/// How far a call got.
#[derive(Debug, PartialEq)]
enum Reached {
    Adapter,
    Nothing,
    /// The adapter was called, but the call failed.
    Failure,
}

/// Calls a function with live objects everywhere but behind one handle. Gives the result, and how
/// far the call got.
fn with(
    function: &str,
    arguments: &str,
    all: &[Taken],
    at: &Taken,
    state: State,
) -> (String, Reached) {
    let mut words = Words::read(arguments);
    let other = kind(if at.kind == "QUEUE" { "EVENT" } else { "QUEUE" });
    for taken in all {
        let own = if taken.parameter == at.parameter {
            state
        } else {
            State::Live
        };
        let object = make(own, kind(taken.kind), other);
        let (word, memory) = words.params[taken.parameter];
        match memory {
            Some(memory) if taken.array => {
                // Every array of a case has one handle, good or null, or none.
                let room = &mut words.memory[memory];
                if room[0] != 0 || taken.parameter == at.parameter {
                    room[0] = object.word() as u64;
                }
            }
            _ if taken.array => {}
            _ => words.words[word] = object.word(),
        }
    }
    last_called();
    // SAFETY: the words are what the function takes, and stay until the call has ended.
    let result = unsafe { call(function, &words.words) };
    let called = last_called();
    let reached = if passed(function, result, called) {
        Reached::Adapter
    } else if called.is_none() {
        Reached::Nothing
    } else {
        Reached::Failure
    };
    (result.to_string(), reached)
}

#[test]
fn only_live_objects_get_to_the_adapter() {
    let mut failures = Vec::new();
    let (mut right, mut refused) = (0, 0);
    with_layers("UR_LAYER_LIFETIME_VALIDATION", || {
        let taken = taken();
        for (function, all) in &taken {
            for (index, at) in all.iter().enumerate() {
                let what = if at.array {
                    format!("{}[0] of 1 == 0", at.name)
                } else {
                    "right".to_owned()
                };
                let found = CASES.lines().find_map(|line| {
                    let rest = line.strip_prefix(function)?.strip_prefix('\t')?;
                    let rest = rest.strip_prefix(&what)?.strip_prefix('\t')?;
                    rest.split('\t').nth(1)
                });
                let arguments = found.unwrap_or_else(|| panic!("{function}: {what}"));
                let mut states = vec![
                    State::Live,
                    State::Unknown,
                    State::Released,
                    State::OtherKind,
                ];
                // The first handle says whose call it is.
                if index > 0 {
                    states.push(State::OtherAdapter);
                }
                for state in states {
                    messages();
                    let (result, reached) = with(function, arguments, all, at, state);
                    let said = messages();
                    let good = if state == State::Live {
                        right += 1;
                        reached == Reached::Adapter && said.is_empty()
                    } else {
                        refused += 1;
                        let named = |line: &String| {
                            line.starts_with(&format!("{function}: {} = 0x", at.name))
                        };
                        result == at.result
                            && reached == Reached::Nothing
                            && said.len() == 1
                            && said.iter().all(named)
                    };
                    if !good {
                        failures.push(format!(
                            "{function}, {} is {state:?}: {result} instead of {}, {reached:?}, {said:?}",
                            at.name, at.result
                        ));
                    }
                }
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{right} calls passed, {refused} were refused");
    assert!(right > 350 && refused > 1200, "{right} and {refused}");
}

#[test]
fn an_address_used_again_is_a_new_object() {
    with_layers("UR_LAYER_LIFETIME_VALIDATION", || {
        let object = Object::new();
        let mut handle = object.word() as *mut Object;
        let (queue, event) = (kind("QUEUE"), kind("EVENT"));
        let uses = |kind| {
            // SAFETY: the object lives.
            unsafe { CALL.uses("h", object.word() as *mut Object, kind, &mut 0) }.is_ok()
        };
        for _ in 0..3 {
            // SAFETY: there is a handle.
            unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, queue) };
            assert!(uses(queue) && !uses(event));
            // Another thread's object comes to the address before the release has returned.
            let release = CALL.releasing(handle);
            assert!(!uses(queue));
            // SAFETY: there is a handle.
            unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, event) };
            release.done(UR_RESULT_SUCCESS);
            assert!(uses(event) && !uses(queue));
            CALL.releasing(handle).done(UR_RESULT_SUCCESS);
            assert!(!uses(event) && !uses(queue));
        }
        // A release that failed took nothing away.
        // SAFETY: there is a handle.
        unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, queue) };
        let failed = ur_api::UR_RESULT_ERROR_OUT_OF_RESOURCES;
        CALL.releasing(handle).done(failed);
        assert!(uses(queue));
        // What a query shows again is used again, but nobody's to release.
        CALL.releasing(handle).done(UR_RESULT_SUCCESS);
        // SAFETY: there is a handle.
        unsafe { CALL.seen(UR_RESULT_SUCCESS, &raw mut handle, queue) };
        assert!(uses(queue));
    });
}
