//! What the loader needs for adapters whose tables have the layout of an earlier release: where
//! each function stands there, and functions in front of those that hand out handles.

use std::collections::HashSet;

use super::super::ffi::rust_params;
use super::super::{c_imports, rust_head};
use super::entry::{Route, route};
use crate::ctype::CType;
use crate::model::{Dir, Function, Layout, Param, Spec};
use crate::names::ident;

pub(super) fn render(spec: &Spec) -> String {
    let removed: Vec<&Function> = spec
        .functions()
        .filter(|f| f.removed_in.is_some())
        .collect();
    let mut body = removed_struct(&removed);
    body.push_str(&layouts(spec, &removed));

    let routed = routed_types(spec);
    let mut wrap = String::new();
    for function in spec.functions().filter(|f| f.slot.is_some()) {
        let Some(route) = route(spec, function) else {
            continue;
        };
        let gives = gives(spec, function, &routed);
        if gives.is_empty() {
            continue;
        }
        body.push_str(&shim(function, &route, &gives));
        wrap.push_str(&format!(
            "put(&mut table.{}.{}, {});\n",
            function.table.as_deref().unwrap_or_default(),
            function.member().unwrap_or_default(),
            function.name
        ));
    }
    format!(
        "{}{}use ur_api::*;\n\n\
         use crate::foreign::{{Answer, Foreign, Made, Old, Place, Table, blank}};\n\n\
         {body}\
         /// Puts the functions above before those of an adapter that hand out handles.\n\
         pub(crate) fn wrap(table: &mut ur_dditable_t) {{\n\
         /// An entry that the adapter left out stays empty.\n\
         fn put<F>(entry: &mut Option<F>, function: F) {{\n\
         if entry.is_some() {{\n*entry = Some(function);\n}}\n}}\n{wrap}}}\n",
        rust_head("Adapters of earlier releases."),
        c_imports(&body)
    )
}

/// The functions that this release has no more, as a table of their own.
fn removed_struct(removed: &[&Function]) -> String {
    let mut out = String::from(
        "/// Functions that this release has no more.\n\
         #[repr(C)]\n#[derive(Clone, Copy, Debug, Default)]\npub(crate) struct Removed {\n",
    );
    for function in removed {
        out.push_str(&format!(
            "/// `{0}`.\npub {0}: Pfn{1},\n",
            function.name,
            function.name.replacen("ur", "Ur", 1)
        ));
    }
    out.push_str("}\n\n");
    out
}

fn layouts(spec: &Spec, removed: &[&Function]) -> String {
    let mut out = format!(
        "/// This release.\npub(crate) const RELEASE: &str = {:?};\n\n\
         /// Tables of earlier releases.\npub(crate) const OLD: [Old; {}] = [\n",
        spec.registry.release,
        spec.layouts.len()
    );
    for layout in &spec.layouts {
        out.push_str(&format!(
            "Old {{ releases: {:?}, tables: &[\n",
            layout.releases.join(" and ")
        ));
        out.push_str(&layout_tables(spec, layout, removed));
        out.push_str("] },\n");
    }
    out.push_str("];\n\n");
    out
}

fn layout_tables(spec: &Spec, layout: &Layout, removed: &[&Function]) -> String {
    let mut out = String::new();
    for table in &layout.tables {
        let known = spec
            .registry
            .tables
            .iter()
            .find(|t| t.field == table.field)
            .expect("checked before anything is rendered");
        let places: Vec<String> = spec
            .layout_functions(table)
            .iter()
            .map(|name| match removed.iter().position(|f| f.name == *name) {
                Some(word) => format!("Place::Removed({word})"),
                None => {
                    let slot = spec.functions().find(|f| f.name == *name);
                    let slot = slot.and_then(|f| f.slot).unwrap_or_default();
                    format!("Place::Current({})", known.offset / 8 + slot)
                }
            })
            .collect();
        out.push_str(&format!(
            "Table {{ getter: c{:?}, entries: &[{}] }},\n",
            known.getter,
            places.join(", ")
        ));
    }
    out
}

/// The handle types that some call is dispatched by. What others point to need not begin with a
/// pointer to tables, so it is left alone.
fn routed_types(spec: &Spec) -> HashSet<String> {
    let base = |param: &Param| CType::parse(&param.r#type).map(|t| t.base);
    spec.functions()
        .filter_map(|function| match route(spec, function)? {
            Route::Handle(param) | Route::Array(param, _) => base(param),
        })
        .collect()
}

/// How a function hands out handles.
enum Gives<'a> {
    /// One, at a place of the caller's.
    One(&'a Param),
    /// One, at a place that holds one before the call already.
    Changed(&'a Param),
    /// As many as another parameter says there is room for.
    Many(&'a Param, &'a str),
    /// As the answer to some questions: the parameters of the question and the value, and which
    /// questions.
    Answer(&'a Param, &'a Param, Vec<&'a str>),
}

fn gives<'a>(spec: &'a Spec, function: &'a Function, routed: &HashSet<String>) -> Vec<Gives<'a>> {
    let mut found = Vec::new();
    for param in &function.params {
        let Some(parsed) = CType::parse(&param.r#type) else {
            continue;
        };
        if param.dir == Some(Dir::In) || parsed.stars != 1 {
            continue;
        }
        if routed.contains(&parsed.base) {
            found.push(match (&param.len, param.dir) {
                (Some(len), _) => Gives::Many(param, len),
                (None, Some(Dir::InOut)) => Gives::Changed(param),
                _ => Gives::One(param),
            });
        } else if param.name == "pPropValue"
            && let Some((question, values)) = questions(spec, function, routed)
        {
            found.push(Gives::Answer(question, param, values));
        }
    }
    found
}

/// The parameter that names an info query, and those of its values that are answered by handles.
fn questions<'a>(
    spec: &'a Spec,
    function: &'a Function,
    routed: &HashSet<String>,
) -> Option<(&'a Param, Vec<&'a str>)> {
    let question = function.params.iter().find(|p| p.name == "propName")?;
    let values = &spec.enumeration(&question.r#type)?.values;
    let handles: Vec<&str> = values
        .iter()
        .filter(|value| {
            let answer = value.r#type.as_deref().and_then(CType::parse);
            answer.is_some_and(|t| !t.is_pointer() && routed.contains(&t.base))
        })
        .map(|value| value.name.as_str())
        .collect();
    (!handles.is_empty()).then_some((question, handles))
}

fn shim(function: &Function, route: &Route, gives: &[Gives]) -> String {
    let name = &function.name;
    let handle = match route {
        Route::Handle(param) => ident(&param.name),
        Route::Array(param, _) => format!("*{}", ident(&param.name)),
    };
    let (mut before, mut after) = (String::new(), String::new());
    let mut pass: Vec<String> = function.params.iter().map(|p| ident(&p.name)).collect();
    let mut instead = |param: &str, by: String| {
        for argument in pass.iter_mut().filter(|a| **a == param) {
            argument.clone_from(&by);
        }
    };
    for give in gives {
        match give {
            Gives::One(param) => {
                let at = ident(&param.name);
                before.push_str(&format!("let mut made_{at} = Made::at({at});\n"));
                instead(&at, format!("made_{at}.place()"));
                after.push_str(&format!("made_{at}.give(foreign, result);\n"));
            }
            Gives::Changed(param) => {
                after.push_str(&format!(
                    "foreign.adopt_all(result, {}, 1);\n",
                    ident(&param.name)
                ));
            }
            Gives::Many(param, len) => {
                let (at, len) = (ident(&param.name), ident(len));
                before.push_str(&format!("blank({at}, {len});\n"));
                after.push_str(&format!("foreign.adopt_all(result, {at}, {len});\n"));
            }
            Gives::Answer(question, value, values) => {
                let (question, value) = (ident(&question.name), ident(&value.name));
                before.push_str(&format!(
                    "let handles = !{value}.is_null() && [{}].contains(&{question});\n\
                     let mut size = Answer::to(pPropSizeRet, handles);\n",
                    values.join(", "),
                ));
                instead("pPropSizeRet", "size.place()".to_owned());
                after.push_str(&format!("size.give(foreign, result, {value});\n"));
            }
        }
    }
    format!(
        "/// `{name}` of the adapter, whose handles are ours to dispatch afterwards.\n\
         unsafe extern \"C\" fn {name}({params}) -> ur_result_t {{\n\
         // SAFETY: the call came here through this handle's tables.\n\
         let foreign = unsafe {{ Foreign::behind({handle}) }};\n\
         let Some(function) = foreign.original.{table}.{member} else {{\n\
         return UR_RESULT_ERROR_UNSUPPORTED_FEATURE;\n}};\n\
         // SAFETY: arguments are the caller's, or places that stand in for the caller's.\n\
         unsafe {{\n{before}let result = function({pass});\n{after}result\n}}\n}}\n\n",
        params = rust_params(&function.params),
        table = function.table.as_deref().unwrap_or_default(),
        member = function.member().unwrap_or_default(),
        pass = pass.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Handles that come from elsewhere are adopted by hand; there are no others.
    #[test]
    fn what_gives_handles_is_dispatched_by_one() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let spec = crate::load::load(&root.join("spec")).expect("spec/ can be read");
        let routed = routed_types(&spec);
        let mut by_hand: Vec<&str> = spec
            .functions()
            .filter(|f| !gives(&spec, f, &routed).is_empty())
            .filter(|f| route(&spec, f).is_none() || f.slot.is_none())
            .map(|f| f.name.as_str())
            .collect();
        by_hand.sort_unstable();
        // The second asks adapters through their tables.
        let want = [
            "urAdapterGet",
            "urDeviceGetSelected",
            "urEnqueueKernelLaunch",
        ];
        assert_eq!(by_hand, want);
    }
}
