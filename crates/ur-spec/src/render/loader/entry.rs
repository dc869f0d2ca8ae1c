//! Entry points, and what they do without layers: pass a call on to the adapter that owns the
//! handle in it.

use super::super::ffi::rust_params;
use super::super::{c_imports, rust_doc, rust_head};
use crate::ctype::CType;
use crate::model::{Dir, Effect, Function, Param, Spec};
use crate::names::ident;

/// Where a call's adapter is found.
pub(super) enum Route<'a> {
    /// In a handle.
    Handle(&'a Param),
    /// In the first of several handles, counted by another parameter.
    Array(&'a Param, &'a str),
}

/// Whether the loader implements the function itself: it has no handle to follow, it answers
/// from the device selector, or it is lowered to another for the arguments that old functions set.
pub fn by_hand(spec: &Spec, function: &Function) -> bool {
    function.loader_only
        || function.removed_in.is_some()
        || function.name == "urDeviceGetSelected"
        || function.name == "urCommandBufferAppendKernelLaunchExp"
        || function.name == "urKernelGetSuggestedLocalWorkSize"
        || route(spec, function).is_none()
}

pub(super) fn route<'a>(spec: &Spec, function: &'a Function) -> Option<Route<'a>> {
    let dispatchable = |base: &str| spec.handle(base).is_some_and(|h| h.dispatchable());
    for param in &function.params {
        let parsed = CType::parse(&param.r#type)?;
        if param.optional || param.dir != Some(Dir::In) || !dispatchable(&parsed.base) {
            continue;
        }
        match (parsed.stars, &param.len) {
            (0, _) => return Some(Route::Handle(param)),
            (1, Some(len)) => return Some(Route::Array(param, len)),
            _ => {}
        }
    }
    None
}

/// The exported functions of a feature.
pub(super) fn render(feature: &str, functions: &[&Function]) -> String {
    let mut body = String::new();
    for function in functions {
        body.push_str(&entry(function));
    }
    format!(
        "{}{}use ur_api::*;\n\nuse super::{{direct, layered}};\nuse crate::layers;\n\n{body}",
        rust_head(&format!("Entry points of the feature {feature}.")),
        c_imports(&body),
    )
}

/// What the entry points of a feature do without layers.
pub(super) fn direct(spec: &Spec, feature: &str, functions: &[&Function]) -> String {
    let mut body = String::new();
    for function in functions {
        if let Some(route) = route(spec, function) {
            body.push_str(&pass_on(spec, function, &route));
        }
    }
    format!(
        "{}{}use ur_api::*;\n\nuse crate::dispatch::{{{}}};\n\n{body}",
        rust_head(&format!(
            "Calls of the feature {feature}, passed on to adapters."
        )),
        c_imports(&body),
        dispatch_imports(&body)
    )
}

/// What of `crate::dispatch` the entry points use.
fn dispatch_imports(body: &str) -> String {
    let hooks = ["created", "created_many", "queried", "released", "retained"];
    let used = hooks
        .into_iter()
        .filter(|hook| body.contains(&format!("{hook}(result")));
    used.chain(["tables"]).collect::<Vec<_>>().join(", ")
}

/// Tells `crate::dispatch` of the handles that the call made, gave back or counted.
fn hooks(spec: &Spec, function: &Function) -> String {
    let mut out = String::new();
    for param in &function.params {
        let Some(parsed) = CType::parse(&param.r#type) else {
            continue;
        };
        let name = ident(&param.name);
        let handle = spec.handle(&parsed.base).is_some_and(|h| h.dispatchable());
        let call = match (param.effect, &param.len, &param.size_in) {
            (Some(Effect::Alloc), None, _) if handle => format!("created(result, {name})"),
            (Some(Effect::Alloc), Some(len), _) if handle => {
                format!("created_many(result, {name}, {len})")
            }
            (Some(Effect::Retain), ..) if handle => format!("retained(result, {name})"),
            (Some(Effect::Release), ..) if handle => format!("released(result, {name})"),
            (None, _, Some(size)) if param.dir != Some(Dir::In) => {
                format!("queried(result, {name}, {size})")
            }
            _ => continue,
        };
        out.push_str(&format!("{call};\n"));
    }
    out
}

fn arguments(function: &Function) -> String {
    let names: Vec<String> = function.params.iter().map(|p| ident(&p.name)).collect();
    names.join(", ")
}

fn doc(function: &Function) -> String {
    rust_doc(&Some(format!(
        "`{}`: {}",
        function.name,
        function.doc.as_deref().unwrap_or_default()
    )))
}

/// Arguments that the C ABI passes in registers.
pub(in crate::render) const REGISTERS: usize = 6;

fn entry(function: &Function) -> String {
    let name = &function.name;
    let arguments = arguments(function);
    // A second call of a function would copy what stands on the stack.
    let body = if function.params.len() > REGISTERS {
        format!(
            "let body = if layers::on() {{ layered::{name} }} else {{ direct::{name} }};\n\
             // SAFETY: this function asks the same of its caller.\n\
             unsafe {{ body({arguments}) }}\n"
        )
    } else {
        format!(
            "if layers::on() {{\n\
             // SAFETY: this function asks the same of its caller.\n\
             return unsafe {{ layered::{name}({arguments}) }};\n}}\n\
             // SAFETY: this function asks the same of its caller.\n\
             unsafe {{ direct::{name}({arguments}) }}\n"
        )
    };
    format!(
        "{doc}///\n/// # Safety\n/// Handles are live or null and pointers are what the API asks for.\n\
         #[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn {name}({params}) -> ur_result_t {{\n{body}}}\n\n",
        doc = doc(function),
        params = rust_params(&function.params),
    )
}

fn pass_on(spec: &Spec, function: &Function, route: &Route) -> String {
    let name = &function.name;
    let table = function.table.as_deref().unwrap_or_default();
    let member = function.member().unwrap_or_default();
    let arguments = arguments(function);
    let (checks, handle) = match route {
        Route::Handle(param) => (String::new(), ident(&param.name)),
        Route::Array(param, len) => (
            array_checks(function, param, len),
            format!("unsafe {{ *{} }}", ident(&param.name)),
        ),
    };
    let first = match route {
        Route::Handle(_) => String::new(),
        Route::Array(..) => format!(
            "// SAFETY: it isn't null and has an element, as was just checked.\n\
             let first = {handle};\n"
        ),
    };
    let hooks = hooks(spec, function);
    let (result, tail) = if hooks.is_empty() {
        ("", "\n".to_owned())
    } else {
        ("let result = ", format!(";\n{hooks}result\n"))
    };
    let handle = if first.is_empty() { &handle } else { "first" };
    format!(
        "{doc}///\n/// # Safety\n/// Handles are live or null and pointers are what the API asks for.\n\
         #[inline(always)]\n\
         pub(crate) unsafe extern \"C\" fn {name}({params}) -> ur_result_t {{\n\
         {checks}{first}\
         // SAFETY: the caller's handle is live or null.\n\
         let Some(tables) = (unsafe {{ tables({handle}) }}) else {{\n\
         return UR_RESULT_ERROR_INVALID_NULL_HANDLE;\n}};\n\
         {result}match tables.{table}.{member} {{\n\
         // SAFETY: the adapter's function gets what the caller promised for this one.\n\
         Some(function) => unsafe {{ function({arguments}) }},\n\
         None => UR_RESULT_ERROR_UNSUPPORTED_FEATURE,\n}}{tail}}}\n\n",
        doc = doc(function),
        params = rust_params(&function.params),
    )
}

/// Refuses an empty array with the result that the API gives it, and a missing one.
fn array_checks(function: &Function, param: &Param, len: &str) -> String {
    let empty = format!("{len} == 0");
    let code = function
        .returns
        .iter()
        .find(|r| r.when.contains(&empty))
        .map_or("UR_RESULT_ERROR_INVALID_SIZE", |r| r.code.as_str());
    format!(
        "if {} == 0 {{\nreturn {code};\n}}\n\
         if {}.is_null() {{\nreturn UR_RESULT_ERROR_INVALID_NULL_POINTER;\n}}\n",
        ident(len),
        ident(&param.name)
    )
}
