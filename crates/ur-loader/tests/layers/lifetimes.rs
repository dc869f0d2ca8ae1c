//! Every handle that a function takes: a live object of the right kind gets to the adapter; one
//! that no call gave, one that was released, one of another kind, one of another adapter and one of
//! another context are refused.

use crate::adapter::{Object, last_called, messages, passed, with_layers};
use crate::generated::calls::{call, kind};
use crate::parameters::{CASES, Words};
use std::collections::HashMap;
use ur_api::UR_RESULT_SUCCESS;
use ur_layers::objects::{Call, Family, Held, Kind};

/// The handles of each function.
const HANDLES: &str = include_str!("generated/handles.tsv");

/// A handle that a function takes.
struct Taken<'a> {
    parameter: usize,
    name: &'a str,
    kind: &'a str,
    result: &'a str,
    array: bool,
    /// The result for one that belongs elsewhere, where anything says so.
    elsewhere: Option<&'a str>,
}

fn taken() -> HashMap<&'static str, Vec<Taken<'static>>> {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for line in HANDLES.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [function, parameter, name, kind, result, array, elsewhere] = parts[..] else {
            panic!("{line}");
        };
        all.entry(function).or_default().push(Taken {
            parameter: parameter.parse().expect("a number"),
            name,
            kind,
            result,
            array: array == "array",
            elsewhere: (elsewhere != "-").then_some(elsewhere),
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
    OtherContext,
}

static CALL: Call = Call::new("the test");

/// A context that the program got, with a device, and what their objects are made from.
struct Context {
    context: &'static Object,
    device: &'static Object,
    family: Family,
}

impl Context {
    fn new() -> Context {
        let [context, device] = [(); 2].map(|()| &*Box::leak(Box::new(Object::new())));
        let mut handle = context.word() as *mut Object;
        let mut made_for = device.word() as *mut Object;
        let mut family = Family::default();
        let none = Family::default();
        let (kinds, success) = (["CONTEXT", "DEVICE"].map(kind), UR_RESULT_SUCCESS);
        // SAFETY: there are handles of live objects, and one device.
        unsafe {
            CALL.created(success, &raw mut made_for, kinds[1], none);
            CALL.found(success, &raw mut made_for, 1, &1, std::ptr::null_mut());
            CALL.created(success, &raw mut handle, kinds[0], none);
            CALL.made_for(success, &raw mut handle, &raw const made_for, 1);
            CALL.shares("h", handle, kinds[0], &mut family)
                .expect("it lives");
        }
        Context {
            context,
            device,
            family,
        }
    }
}

/// An object of a context, for good: to the layer most of them are never released, so that their
/// addresses must not be used again.
fn make(state: State, kind: Kind, other: Kind, of: &Context) -> &'static Object {
    let good = matches!(state, State::Live | State::OtherContext);
    if good && kind == crate::generated::calls::kind("CONTEXT") {
        return of.context;
    }
    if good && kind == crate::generated::calls::kind("DEVICE") {
        return of.device;
    }
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
        unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, kind, of.family) };
    }
    if state == State::Released {
        CALL.releasing(handle, Held::NONE).done(UR_RESULT_SUCCESS);
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
    let (here, elsewhere) = (Context::new(), Context::new());
    let other = kind(if at.kind == "QUEUE" { "EVENT" } else { "QUEUE" });
    for taken in all {
        let own = if taken.parameter == at.parameter {
            state
        } else {
            State::Live
        };
        let of = if own == State::OtherContext {
            &elsewhere
        } else {
            &here
        };
        let object = make(own, kind(taken.kind), other, of);
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
                if at.elsewhere.is_some() {
                    states.push(State::OtherContext);
                }
                for state in states {
                    let expected = match at.elsewhere {
                        Some(elsewhere) if state == State::OtherContext => elsewhere,
                        _ => at.result,
                    };
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
                        result == expected
                            && reached == Reached::Nothing
                            && said.len() == 1
                            && said.iter().all(named)
                    };
                    if !good {
                        failures.push(format!(
                            "{function}, {} is {state:?}: {result} instead of {expected}, {reached:?}, {said:?}",
                            at.name
                        ));
                    }
                }
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{right} calls passed, {refused} were refused");
    assert!(right > 400 && refused > 1500, "{right} and {refused}");
}

#[test]
fn an_address_used_again_is_a_new_object() {
    with_layers("UR_LAYER_LIFETIME_VALIDATION", || {
        let object = Object::new();
        let mut handle = object.word() as *mut Object;
        let (queue, event) = (kind("QUEUE"), kind("EVENT"));
        let none = Family::default();
        let uses = |kind| {
            let mut none = Family::default();
            // SAFETY: the object lives.
            unsafe { CALL.uses("h", object.word() as *mut Object, kind, &mut none) }.is_ok()
        };
        for _ in 0..3 {
            // SAFETY: there is a handle.
            unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, queue, none) };
            assert!(uses(queue) && !uses(event));
            // Another thread's object comes to the address before the release has returned.
            let release = CALL.releasing(handle, Held::NONE);
            assert!(!uses(queue));
            // SAFETY: there is a handle.
            unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, event, none) };
            release.done(UR_RESULT_SUCCESS);
            assert!(uses(event) && !uses(queue));
            CALL.releasing(handle, Held::NONE).done(UR_RESULT_SUCCESS);
            assert!(!uses(event) && !uses(queue));
        }
        // A release that failed took nothing away.
        // SAFETY: there is a handle.
        unsafe { CALL.created(UR_RESULT_SUCCESS, &raw mut handle, queue, none) };
        let failed = ur_api::UR_RESULT_ERROR_OUT_OF_RESOURCES;
        CALL.releasing(handle, Held::NONE).done(failed);
        assert!(uses(queue));
        // What a query shows again is used again, but nobody's to release.
        CALL.releasing(handle, Held::NONE).done(UR_RESULT_SUCCESS);
        // SAFETY: there is a handle.
        unsafe { CALL.seen(UR_RESULT_SUCCESS, &raw mut handle, queue, none) };
        assert!(uses(queue));
    });
}

#[test]
fn what_belongs_to_a_context_is_known_only_where_it_was_told() {
    with_layers("UR_LAYER_LIFETIME_VALIDATION", || {
        let (here, elsewhere) = (Context::new(), Context::new());
        let [queue, event, context] = ["QUEUE", "EVENT", "CONTEXT"].map(kind);
        let object = |of: &Context, kind| make(State::Live, kind, queue, of).word() as *mut Object;
        let together = |first: (*mut Object, Kind), second: (*mut Object, Kind)| {
            let mut family = Family::default();
            // SAFETY: the objects live.
            unsafe {
                CALL.shares("a", first.0, first.1, &mut family)
                    .and_then(|_| CALL.shares("b", second.0, second.1, &mut family))
                    .is_ok()
            }
        };
        let own = (object(&here, queue), queue);
        assert!(together(own, (object(&here, event), event)));
        assert!(!together(own, (object(&elsewhere, event), event)));
        // Nobody said what an object belongs to that a query showed.
        let shown: &Object = Box::leak(Box::new(Object::new()));
        let mut shown = shown.word() as *mut Object;
        // SAFETY: there is a handle.
        unsafe { CALL.seen(UR_RESULT_SUCCESS, &raw mut shown, event, Family::default()) };
        assert!(together((shown, event), own) && together(own, (shown, event)));

        // A context that its queue shows after the program released it is the same one.
        let mut handle = here.context.word() as *mut Object;
        CALL.releasing(handle, Held::NONE).done(UR_RESULT_SUCCESS);
        assert!(!together(own, (handle, context)));
        // SAFETY: there is a handle.
        unsafe {
            CALL.seen(
                UR_RESULT_SUCCESS,
                &raw mut handle,
                context,
                Family::default(),
            )
        };
        assert!(together(own, (handle, context)));
        assert!(!together(
            (object(&elsewhere, event), event),
            (handle, context)
        ));
        // A new one at the address is another.
        // SAFETY: there is a handle.
        unsafe {
            CALL.retained(UR_RESULT_SUCCESS, handle, context, Held::NONE);
            CALL.releasing(handle, Held::NONE).done(UR_RESULT_SUCCESS);
            CALL.created(
                UR_RESULT_SUCCESS,
                &raw mut handle,
                context,
                Family::default(),
            );
        }
        assert!(!together(own, (handle, context)));
    });
}

#[test]
fn a_device_is_one_of_its_context_or_a_part_of_one() {
    with_layers("UR_LAYER_LIFETIME_VALIDATION", || {
        let (here, elsewhere) = (Context::new(), Context::new());
        let part: &Object = Box::leak(Box::new(Object::new()));
        let mut part = part.word() as *mut Object;
        let whole = here.device.word() as *mut Object;
        // SAFETY: there is one handle.
        unsafe { CALL.found(UR_RESULT_SUCCESS, &raw mut part, 1, &1, whole) };
        let within = |device, of: &Context| CALL.within("d", device, of.family).is_ok();
        assert!(within(whole, &here) && within(part, &here));
        assert!(!within(whole, &elsewhere) && !within(part, &elsewhere));
        // A context of the part has not the whole.
        let narrow = Context::new();
        let mut handle = narrow.context.word() as *mut Object;
        // SAFETY: there are handles.
        unsafe { CALL.made_for(UR_RESULT_SUCCESS, &raw mut handle, &raw const part, 1) };
        assert!(within(part, &narrow) && !within(whole, &narrow));
        // No list showed this one: it may be one more handle of a device that is known.
        let other: &Object = Box::leak(Box::new(Object::new()));
        assert!(within(other.word() as *mut Object, &here));
        assert!(within(std::ptr::null_mut(), &here));
    });
}
