//! The layers: `crates/ur-layers/src/generated`, the loader's entry points with layers in
//! `crates/ur-loader/src/generated/layered`, and their tests.

mod calls;
mod cases;
mod entry;
mod kinds;
mod parameters;
mod search;
mod ties;

use super::loader::by_hand;
use super::{File, rust_head};
use crate::model::{Function, Spec};

/// Whether calls of the function go through layers. The loader's own functions do not.
pub(in crate::render) fn layered(function: &Function) -> bool {
    !function.loader_only
}

/// The functions of each feature that go through layers, by the module's name.
pub(super) fn features(spec: &Spec) -> Vec<(String, &str, Vec<&Function>)> {
    let mut out = Vec::new();
    for feature in &spec.features {
        let functions: Vec<_> = feature.function.iter().filter(|f| layered(f)).collect();
        if !functions.is_empty() {
            let module = feature.feature.replace('-', "_");
            out.push((module, feature.feature.as_str(), functions));
        }
    }
    out
}

fn index(what: &str, modules: &[&str], public: bool) -> String {
    let mut out = rust_head(what);
    for module in modules {
        out.push_str(&format!("mod {module};\n"));
    }
    out.push('\n');
    let word = if public { "pub" } else { "pub(crate)" };
    for module in modules {
        out.push_str(&format!("{word} use {module}::*;\n"));
    }
    out
}

/// One right call of each function, and for each reason to refuse one a call with this reason.
pub(super) fn cases_of_errors(spec: &Spec) -> String {
    cases::render(spec)
}

/// Arguments of a call made from `words`, one for each parameter and three for a box; functions
/// that the program hands in come from a function `function` in scope.
pub(super) fn arguments_from_words(spec: &Spec, function: &Function) -> String {
    calls::words(spec, function).replace("crate::adapter::function(", "function(")
}

pub(super) fn files(spec: &Spec) -> Vec<File> {
    let mut files = Vec::new();
    let mut add = |path: String, text: String| files.push(File { path, text });
    let features = features(spec);
    let checks = "crates/ur-layers/src/generated";
    let layered = "crates/ur-loader/src/generated/layered";
    let mut names = Vec::new();
    for (module, feature, functions) in &features {
        names.push(module.as_str());
        add(
            format!("{checks}/parameters/{module}.rs"),
            parameters::render(spec, feature, functions),
        );
        add(
            format!("{layered}/{module}.rs"),
            entry::render(spec, feature, functions),
        );
    }
    add(
        format!("{checks}/parameters/mod.rs"),
        index(
            "What the arguments of each function must be, beyond what handles say.",
            &names,
            true,
        ),
    );
    add(
        format!("{layered}/mod.rs"),
        index("Entry points with layers.", &names, false),
    );
    add(format!("{checks}/kinds.rs"), kinds::render(spec));
    add(
        format!("{checks}/mod.rs"),
        format!(
            "{}pub mod kinds;\npub mod parameters;\n",
            rust_head("Rendered from the API's data.")
        ),
    );
    let tests = "crates/ur-loader/tests/layers/generated";
    add(format!("{tests}/cases.tsv"), cases::render(spec));
    add(format!("{tests}/handles.tsv"), calls::handles(spec));
    add(format!("{tests}/calls.rs"), calls::render(spec));
    files
}
