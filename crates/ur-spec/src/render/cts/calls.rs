//! The entry points of a loader opened by path; each call notes what it was given.

use super::super::{c_imports, rust_doc, rust_head};
use super::places::{Place, places};
use crate::ctype::CType;
use crate::model::{Function, Spec};
use crate::names::ident;

/// The module that holds what can be called.
pub(super) fn index(spec: &Spec, modules: &str) -> String {
    let mut out = rust_head("The entry points of a loader that was opened by path.");
    out.push_str(modules);
    out.push_str(
        "\nuse ur_api::*;\n\nuse crate::library::Library;\n\n\
         /// The entry points as the loader exports them; none for those that it lacks.\n\
         #[derive(Clone, Copy, Debug)]\n\
         #[allow(non_snake_case, reason = \"names are those of the API\")]\n\
         pub(crate) struct Functions {\n",
    );
    for function in super::functions(spec) {
        let name = &function.name;
        out.push_str(&format!("pub(crate) {name}: {},\n", pfn(name)));
    }
    out.push_str(
        "}\n\nimpl Functions {\n/// Looks every entry point up.\n\
         pub(crate) fn of(library: &Library) -> Functions {\nFunctions {\n",
    );
    for function in super::functions(spec) {
        let name = &function.name;
        out.push_str(&format!(
            "// SAFETY: the type is the one that the API gives this name.\n\
             {name}: unsafe {{ library.symbol(c{name:?}) }},\n"
        ));
    }
    out.push_str("}\n}\n}\n");
    out
}

fn pfn(name: &str) -> String {
    format!("PfnUr{}", name.trim_start_matches("ur"))
}

/// The calls of a feature's functions; `number` is that of its first function.
pub(super) fn feature(
    spec: &Spec,
    name: &str,
    functions: &[Function],
    number: &mut usize,
) -> String {
    let mut body = String::from(
        "#[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc, \
         reason = \"names, parameters and what they must be are those of the API\")]\nimpl Api {\n",
    );
    for function in functions {
        body.push_str(&call(spec, function, *number));
        *number += 1;
    }
    body.push_str("}\n");
    let mut out = rust_head(&format!("Calls of the feature `{name}`."));
    out.push_str(&c_imports(&body));
    out.push_str("use ur_api::*;\n\nuse crate::api::Api;\nuse crate::coverage");
    out.push_str(if body.contains("UNSEEN") {
        "::{UNSEEN, record};\n\n"
    } else {
        "::record;\n\n"
    });
    out.push_str(&body);
    out
}

fn call(spec: &Spec, function: &Function, number: usize) -> String {
    let name = &function.name;
    let typed: Vec<String> = function
        .params
        .iter()
        .map(|p| {
            let parsed = CType::parse(&p.r#type);
            let rust = parsed.map_or_else(String::new, |t| t.rust());
            format!("{}: {rust}", ident(&p.name))
        })
        .collect();
    let given: Vec<String> = function.params.iter().map(|p| ident(&p.name)).collect();
    let seen: Vec<String> = places(spec, function).iter().map(seen).collect();
    let parameters = if typed.is_empty() {
        String::new()
    } else {
        format!(", {}", typed.join(", "))
    };
    format!(
        "{}pub unsafe fn {name}(&self{parameters}) -> ur_result_t {{\n\
         let Some(function) = self.functions.{name} else {{ return Api::absent({name:?}); }};\n\
         let seen = [{}];\n\
         // SAFETY: as the caller says.\n\
         let result = unsafe {{ function({}) }};\n\
         record({number}, &seen, result);\nresult\n}}\n\n",
        rust_doc(&function.doc),
        seen.join(", "),
        given.join(", "),
    )
}

/// What was given at a place, as a number.
fn seen(place: &Place) -> String {
    let param = ident(&place.param);
    let value = |of: &str| match place.kind.as_str() {
        "Pointer" => format!("u64::from(!{of}.is_null())"),
        "Function" => format!("u64::from({of}.is_some())"),
        "Truth" => format!("u64::from({of})"),
        kind if kind.starts_with("Enum") => format!("u64::from({of}.0)"),
        kind if kind.starts_with("Bits") => format!("u64::from({of})"),
        _ => format!("u64::from({of} != 0)"),
    };
    match (&place.member, place.behind) {
        (None, _) => value(&param),
        (Some(member), false) => value(&format!("{param}.{}", ident(member))),
        (Some(member), true) => format!(
            "if {param}.is_null() {{ UNSEEN }} else {{\n\
             // SAFETY: a pointer that is given points to its struct.\n\
             unsafe {{ {} }} }}",
            value(&format!("(*{param}).{}", ident(member)))
        ),
    }
}
