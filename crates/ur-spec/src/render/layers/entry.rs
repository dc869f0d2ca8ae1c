//! Entry points with layers: what a call goes through while any layer is on.

use super::super::ffi::rust_params;
use super::super::loader::REGISTERS;
use super::super::{c_imports, rust_head};
use super::kinds::constant;
use super::ties::{CONTEXT, DEVICE, Tie, Ties, gives_context};
use crate::ctype::CType;
use crate::expression::Expr;
use crate::model::{Dir, Effect, Function, Param, Spec};
use crate::names::ident;

pub(super) fn render(spec: &Spec, feature: &str, functions: &[&Function]) -> String {
    let mut body = String::new();
    for function in functions {
        body.push_str(&entry(function));
        body.push_str(&tracked(spec, function));
    }
    let mut layers = vec!["active", "parameters", "trace"];
    for (word, module) in [("bounds::", "bounds"), ("kinds::", "kinds")] {
        if body.contains(word) {
            layers.push(module);
        }
    }
    let objects: Vec<&str> = ["Call", "Family", "Held"]
        .into_iter()
        .filter(|name| body.contains(&format!("{name}::")))
        .collect();
    let objects = format!("objects::{{{}}}", objects.join(", "));
    if objects != "objects::{}" {
        layers.push(&objects);
    }
    layers.push("Active");
    format!(
        "{}{}use ur_api::*;\nuse ur_layers::{{{}}};\n\nuse crate::generated::direct;\n\n{body}",
        rust_head(&format!("The feature {feature} with layers.")),
        c_imports(&body),
        layers.join(", ")
    )
}

fn arguments(function: &Function) -> String {
    let names: Vec<String> = function.params.iter().map(|p| ident(&p.name)).collect();
    names.join(", ")
}

/// The entry point, which traces, and what it traces.
fn entry(function: &Function) -> String {
    let name = &function.name;
    let params = rust_params(&function.params);
    let arguments = arguments(function);
    let mutable: Vec<String> = function
        .params
        .iter()
        .map(|p| format!("mut {}", ident(&p.name)))
        .collect();
    let members: Vec<String> = function
        .params
        .iter()
        .map(|p| format!("p{}: &raw mut {}", p.name, ident(&p.name)))
        .collect();
    // As in the loader's entry points: what stands on the stack stays there.
    let body = if function.params.len() > REGISTERS {
        format!(
            "let body = if active.traces() {{\ntraced_{name}\n}} else {{\n\
             // SAFETY: this function asks the same of its caller.\n\
             let check = || unsafe {{ parameters::{name}({arguments}) }};\n\
             if active.parameters() && let Err(result) = check() {{\n\
             return result;\n}}\n\
             if active.objects() {{\ntracked_{name}\n}} else {{\ndirect::{name}\n}}\n}};\n\
             // SAFETY: as above.\n\
             unsafe {{ body({arguments}) }}\n"
        )
    } else {
        format!(
            "// SAFETY: this function asks the same of its caller.\n\
             unsafe {{\n\
             if active.traces() {{\nreturn traced_{name}({arguments});\n}}\n\
             checked_{name}(active, {arguments})\n}}\n"
        )
    };
    format!(
        "/// `{name}` with layers.\n///\n/// # Safety\n/// As for the entry point.\n\
         #[inline(never)]\n\
         pub(crate) unsafe extern \"C\" fn {name}({params}) -> ur_result_t {{\n\
         let active = active();\n{body}}}\n\n\
         /// `{name}` with tracing.\n///\n/// # Safety\n/// As for the entry point.\n\
         #[cold]\n#[inline(never)]\n\
         unsafe extern \"C\" fn traced_{name}({params}) -> ur_result_t {{\n\
         let ({mutable},) = ({arguments},);\n\
         let params = {strukt} {{ {members} }};\n\
         // SAFETY: the arguments live longer than the call, and are those of this function.\n\
         unsafe {{ trace::call({id}, c\"{name}\", (&raw const params).cast(), || \
         checked_{name}(active(), {arguments})) }}\n}}\n\n\
         /// `{name}` with the layers below tracing.\n///\n/// # Safety\n/// As for the entry point.\n\
         #[inline(always)]\n\
         unsafe fn checked_{name}(active: Active, {params}) -> ur_result_t {{\n\
         // SAFETY: this function asks the same of its caller.\n\
         unsafe {{\n\
         if active.parameters() && let Err(result) = parameters::{name}({arguments}) {{\n\
         return result;\n}}\n\
         if active.objects() {{\nreturn tracked_{name}({arguments});\n}}\n\
         direct::{name}({arguments})\n}}\n}}\n\n",
        mutable = mutable.join(", "),
        strukt = function.params_struct(),
        members = members.join(", "),
        id = function.id_name(),
    )
}

/// What a function does to the objects that its handles stand for.
#[derive(Default)]
struct Parts {
    /// Conditions under which `family` is that of known handles and all memory is known.
    known: Vec<String>,
    /// Statements that check handles.
    uses: String,
    /// Statements that check what handles have to do with each other, after that.
    ties: String,
    /// Statements that check the memory that the call touches.
    bounds: String,
    /// Statements before the call.
    before: String,
    /// Statements after it.
    after: String,
}

fn tracked(spec: &Spec, function: &Function) -> String {
    let mut parts = Parts::default();
    let ties = Ties::of(spec, function);
    for param in &function.params {
        object(spec, function, &ties, param, &mut parts);
        if param.bounds.is_some() {
            if let Some(span) = span(spec, function, param) {
                parts.known.push(format!("bounds::known({span})"));
            }
            parts
                .bounds
                .push_str(&refuse(&bounds(spec, function, param)));
        }
    }
    let how = if gives_context(function) {
        "in_context"
    } else {
        "new"
    };
    let call = format!("static CALL: Call = Call::{how}(\"{}\");\n", function.name);
    let mut body = String::new();
    for (word, value) in [("family", "Family::default()"), ("held", "Held::NONE")] {
        let Parts {
            known: _,
            uses,
            ties,
            bounds,
            before,
            after,
        } = &parts;
        let uses = [uses, ties, bounds, before, after];
        let used = uses.iter().any(|text| text.contains(word));
        let changed = parts.uses.contains(&format!("&mut {word}"))
            || parts.uses.contains(&format!("{word} = "));
        if used {
            let mutable = if changed { "mut " } else { "" };
            body.push_str(&format!("let {mutable}{word} = {value};\n"));
        }
    }
    if !parts.uses.is_empty() {
        body.push_str(&format!(
            "if active().lifetimes() {{\n{}{}}}\n",
            parts.uses, parts.ties
        ));
    }
    if !parts.bounds.is_empty() {
        body.push_str(&format!("if active().bounds() {{\n{}}}\n", parts.bounds));
    }
    body.push_str(&parts.before);
    body.push_str(frees(function));
    let direct = format!("direct::{}({})", function.name, arguments(function));
    let rest = if parts.after.is_empty() {
        format!("{direct}\n")
    } else {
        format!("let result = {direct};\n{}result\n", parts.after)
    };
    body.push_str(&rest);
    if parts.known.is_empty() {
        return with_objects(function, "tracked", "with an eye on objects", &call, &body);
    }
    // What is known is asked first, in a body that calls nothing and so needs no registers to be
    // kept.
    let rest = format!("let family = {FAMILY}.unwrap_or_default();\n{rest}");
    let bodies = [
        (
            "tracked",
            "with an eye on objects",
            choice(function, &parts.known),
        ),
        ("recorded", "where only the event is news", rest),
        ("examined", "where not everything is known", body),
    ];
    bodies
        .map(|(prefix, what, body)| with_objects(function, prefix, what, &call, &body))
        .concat()
}

/// What is known of the queue of a command.
const FAMILY: &str = "Call::family(hQueue, kinds::QUEUE)";

/// A body of the function.
fn with_objects(function: &Function, prefix: &str, what: &str, call: &str, body: &str) -> String {
    let name = &function.name;
    let call = if body.contains("CALL") { call } else { "" };
    format!(
        "/// `{name}` {what}.\n///\n/// # Safety\n/// As for the entry point.\n\
         #[inline(never)]\n\
         unsafe extern \"C\" fn {prefix}_{name}({params}) -> ur_result_t {{\n{call}\
         // SAFETY: this function asks the same of its caller.\n\
         unsafe {{\n{body}}}\n}}\n\n",
        params = rust_params(&function.params),
    )
}

/// Which body a command on memory of the program's goes on in.
fn choice(function: &Function, known: &[String]) -> String {
    let name = &function.name;
    let waited = |p: &&Param| p.r#type == "const ur_event_handle_t *";
    let lists = function.params.iter().filter(waited);
    let empty = lists.filter_map(|p| p.len.as_deref().map(|len| format!("{} == 0", ident(len))));
    let conditions: Vec<String> = ["active().watches_memory()".to_owned()]
        .into_iter()
        .chain(empty)
        .chain(known.iter().cloned())
        .collect();
    format!(
        "let known = {FAMILY}.is_some_and(|family| {});\n\
         let body = if !known {{\nexamined_{name}\n}} \
         else if phEvent.is_null() {{\ndirect::{name}\n}} \
         else {{\nrecorded_{name}\n}};\n\
         body({})\n",
        conditions.join(" && "),
        arguments(function)
    )
}

/// What a function says that may free memory which is no object's: before the call, or (commands)
/// at any time after it.
fn frees(function: &Function) -> &'static str {
    let words = [
        "Free",
        "Close",
        "Unregister",
        "VirtualMemUnmap",
        "Trim",
        "USMRelease",
    ];
    if !words.iter().any(|word| function.name.contains(word)) {
        return "";
    }
    if function.name.starts_with("urEnqueue") {
        return "if active().bounds() {\nbounds::Freeing::later();\n}\n";
    }
    "let _freeing = active().bounds().then(bounds::Freeing::begin);\n"
}

fn refuse(check: &str) -> String {
    format!("if let Err(result) = {check} {{\nreturn result;\n}}\n")
}

fn object(spec: &Spec, function: &Function, ties: &Ties, param: &Param, parts: &mut Parts) {
    let Some(parsed) = CType::parse(&param.r#type) else {
        return;
    };
    let name = ident(&param.name);
    if let Some(by) = &param.typed_by {
        query(spec, function, param, by, parts);
        return;
    }
    if !spec.handle(&parsed.base).is_some_and(|h| h.dispatchable()) {
        return;
    }
    let kind = format!("kinds::{}", constant(&parsed.base));
    let shown = &param.name;
    let tie = ties.tie(&param.name);
    match (parsed.stars, param.dir, &param.len) {
        (0, Some(Dir::In | Dir::InOut), _) => {
            let effect = effect(function, param);
            let counted = matches!(effect, Some(Effect::Retain | Effect::Release));
            let check = match tie {
                _ if ties.alone => format!("CALL.holds(\"{shown}\", {name}, {kind})"),
                Tie::Shares => format!("CALL.shares(\"{shown}\", {name}, {kind}, &mut family)"),
                _ => format!("CALL.uses(\"{shown}\", {name}, {kind}, &mut family)"),
            };
            parts.uses.push_str(&if counted {
                format!(
                    "held = match {check} {{\nOk(held) => held,\nErr(result) => return result,\n}};\n"
                )
            } else {
                refuse(&check)
            });
            if tie == Tie::Within {
                let check = format!("CALL.within(\"{shown}\", {name}, family)");
                parts.ties.push_str(&refuse(&check));
            }
            match effect {
                Some(Effect::Retain) => parts
                    .after
                    .push_str(&format!("CALL.retained(result, {name}, {kind}, held);\n")),
                Some(Effect::Release) => {
                    parts.before.push_str(&format!(
                        "let release = CALL.releasing({name}, held);\n\
                         if active().lifetimes() && !release.is_owned() {{\n\
                         return CALL.not_owned(\"{shown}\", {name}, {kind});\n}}\n"
                    ));
                    parts.after.push_str("release.done(result);\n");
                }
                _ => {}
            }
        }
        (1, Some(Dir::In), Some(len)) => {
            let len = ident(len);
            let how = if tie == Tie::Shares { "shares" } else { "uses" };
            parts.uses.push_str(&refuse(&format!(
                "CALL.{how}_all(\"{shown}\", {name}, {len} as usize, {kind}, &mut family)"
            )));
            if tie == Tie::Within {
                parts.ties.push_str(&refuse(&format!(
                    "CALL.all_within(\"{shown}\", {name}, {len} as usize, family)"
                )));
            }
        }
        (1, Some(Dir::Out), None) => {
            let hook = if owned(spec, function, param, &parsed.base) {
                "created"
            } else {
                "seen"
            };
            parts
                .after
                .push_str(&format!("CALL.{hook}(result, {name}, {kind}, family);\n"));
            if parsed.base == CONTEXT
                && let Some(devices) = ties.devices()
            {
                let len = devices.len.as_deref().unwrap_or_default();
                parts.after.push_str(&format!(
                    "CALL.made_for(result, {name}, {}, {});\n",
                    ident(&devices.name),
                    ident(len)
                ));
            }
        }
        // Either the caller's object, used again, or a new one.
        (1, Some(Dir::InOut), None) => parts.after.push_str(&format!(
            "CALL.kept_or_created(result, {name}, {kind}, family);\n"
        )),
        (1, Some(Dir::Out), Some(len)) => {
            let Some(count) = number_out(function, "uint32_t *") else {
                return;
            };
            own_number(&name, &count, "u32", parts);
            let owned = owned(spec, function, param, &parsed.base);
            let len = ident(len);
            parts.after.push_str(&format!(
                "CALL.listed(result, {name}, {len}, {count}, {kind}, {owned}, family);\n"
            ));
            if parsed.base == DEVICE {
                let whole = function.params.iter().find(|p| p.r#type == DEVICE);
                let parent = whole.map_or("std::ptr::null_mut()".to_owned(), |p| ident(&p.name));
                parts.after.push_str(&format!(
                    "CALL.found(result, {name}, {len}, {count}, {parent});\n"
                ));
            }
        }
        _ => {}
    }
}

/// Whether the caller gets a reference of its own: of what a function makes, if objects of that
/// kind are released at all; functions with `Get` in their names only show what there is, unless
/// spec/ says otherwise.
fn owned(spec: &Spec, function: &Function, param: &Param, handle: &str) -> bool {
    let releases =
        |f: &Function, p: &Param| p.r#type == handle && effect(f, p) == Some(Effect::Release);
    let released = spec
        .functions()
        .any(|f| f.params.iter().any(|p| releases(f, p)));
    released && (param.effect == Some(Effect::Alloc) || !function.name.contains("Get"))
}

/// What a call does to the count of a handle. Functions that destroy or close an object have it
/// as their last parameter.
fn effect(function: &Function, param: &Param) -> Option<Effect> {
    let ends = function.name.contains("Destroy") || function.name.contains("Close");
    let last = function.params.last().is_some_and(|p| p.name == param.name);
    if ends && last {
        return Some(Effect::Release);
    }
    param.effect
}

/// The parameter of that type which the callee writes.
fn number_out(function: &Function, c_type: &str) -> Option<String> {
    let found = |p: &&Param| p.dir == Some(Dir::Out) && p.r#type == c_type;
    function.params.iter().find(found).map(|p| ident(&p.name))
}

/// Asks for a number for the layer's own use if the caller doesn't.
fn own_number(array: &str, number: &str, rust: &str, parts: &mut Parts) {
    parts.before.push_str(&format!(
        "let mut own: {rust} = 0;\n\
         let {number} = if {number}.is_null() && !{array}.is_null() {{ &raw mut own }} \
         else {{ {number} }};\n"
    ));
}

/// Handles in the answer to a query. All other questions go on to the adapter.
fn query(spec: &Spec, function: &Function, value: &Param, by: &str, parts: &mut Parts) {
    let typed = function.params.iter().find(|p| p.name == *by);
    let values = typed.and_then(|p| spec.enumeration(&p.r#type));
    let mut arms = String::new();
    let mut names = Vec::new();
    for entry in values.iter().flat_map(|e| &e.values) {
        let Some(parsed) = entry.r#type.as_deref().and_then(CType::parse) else {
            continue;
        };
        if spec.handle(&parsed.base).is_some_and(|h| h.dispatchable()) {
            names.push(entry.name.as_str());
            arms.push_str(&format!(
                "{} => CALL.answered(result, {}, {}, needed, kinds::{}),\n",
                entry.name,
                ident(&value.name),
                ident(value.size_in.as_deref().unwrap_or_default()),
                constant(&parsed.base)
            ));
        }
    }
    let Some(needed) = number_out(function, "size_t *").filter(|_| !arms.is_empty()) else {
        return;
    };
    parts.before.push_str(&format!(
        "if !matches!({}, {}) {{\nreturn direct::{}({});\n}}\n",
        ident(by),
        names.join(" | "),
        function.name,
        arguments(function)
    ));
    own_number(&ident(&value.name), &needed, "usize", parts);
    parts.before.push_str(&format!("let needed = {needed};\n"));
    parts
        .after
        .push_str(&format!("match {} {{\n{arms}_ => {{}}\n}}\n", ident(by)));
}

/// The check of the memory behind one parameter.
fn bounds(spec: &Spec, function: &Function, param: &Param) -> String {
    let [from, size] = param.bounds.clone().unwrap_or_default();
    let shown = &param.name;
    let name = ident(shown);
    let boxes = spec.record(&type_of(function, &from)).is_some();
    if boxes {
        let side = from.trim_end_matches("Origin");
        let row = format!("{side}RowPitch");
        let image = !function.params.iter().any(|p| p.name == row);
        return if image {
            format!("bounds::image(&CALL, \"{shown}\", {name}, {from}, {size})")
        } else {
            format!(
                "bounds::rectangle(&CALL, \"{shown}\", {name}, {from}, {size}, {row}, {side}SlicePitch)"
            )
        };
    }
    if let Some(span) = span(spec, function, param) {
        return format!("bounds::usm(&CALL, \"{shown}\", hQueue, {span})");
    }
    let [from, size] = numbers(spec, function, [&from, &size]);
    format!("bounds::buffer(&CALL, \"{shown}\", {name}, {from}, {size})")
}

/// Arguments that say which bytes behind a pointer of the program's a call touches, and whose they
/// must be; none for a parameter that is no such pointer.
fn span(spec: &Spec, function: &Function, param: &Param) -> Option<String> {
    let [from, size] = param.bounds.as_ref()?;
    if !param.r#type.contains("void") {
        return None;
    }
    let [from, size] = numbers(spec, function, [from, size]);
    Some(format!(
        "{}.cast(), {from}, {size}, family",
        ident(&param.name)
    ))
}

/// The code of numbers that are written down as expressions over a function's parameters.
fn numbers(spec: &Spec, function: &Function, texts: [&str; 2]) -> [String; 2] {
    let types = |name: &str| type_of(function, name);
    texts.map(|text| {
        Expr::parse(text).map_or_else(|_| String::new(), |expr| expr.number(spec, &types))
    })
}

/// The type of a parameter by its name.
fn type_of(function: &Function, name: &str) -> String {
    let found = function.params.iter().find(|p| p.name == name);
    found.map_or_else(String::new, |p| p.r#type.clone())
}
