//! The conformance suite: `crates/ur-cts/src/generated`.

mod calls;
mod cases;
mod places;

use super::{File, rust_head};
use crate::model::{Function, Spec};

/// Every function that a loader may export, in the order in which the suite numbers them.
fn functions(spec: &Spec) -> impl Iterator<Item = &Function> {
    spec.functions()
}

pub(super) fn files(spec: &Spec) -> Vec<File> {
    let folder = "crates/ur-cts/src/generated";
    let mut files = Vec::new();
    let mut add = |path: String, text: String| files.push(File { path, text });
    let mut modules = String::new();
    let mut number = 0;
    for feature in &spec.features {
        if feature.function.is_empty() {
            continue;
        }
        let module = feature.feature.replace('-', "_");
        modules.push_str(&format!("mod {module};\n"));
        let text = calls::feature(spec, &feature.feature, &feature.function, &mut number);
        add(format!("{folder}/calls/{module}.rs"), text);
    }
    add(
        format!("{folder}/calls/mod.rs"),
        calls::index(spec, &modules),
    );
    add(format!("{folder}/places.rs"), places::render(spec));
    add(format!("{folder}/cases.tsv"), cases::render(spec));
    add(format!("{folder}/words.rs"), cases::words(spec));
    add(
        format!("{folder}/mod.rs"),
        format!(
            "{}pub mod calls;\npub mod places;\npub mod words;\n",
            rust_head("Rendered from the API's data.")
        ),
    );
    files
}
