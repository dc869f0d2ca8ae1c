//! `crates/ur-loader/src/generated`: what the loader exports.

mod entry;
mod exports;
mod foreign;
mod layout;
mod tables;

use super::{File, rust_head};
use crate::model::{Function, Spec};

pub(super) use entry::by_hand;

pub(super) fn files(spec: &Spec) -> Vec<File> {
    let path = |name: &str| format!("crates/ur-loader/src/generated/{name}.rs");
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for feature in &spec.features {
        let functions: Vec<&Function> = feature
            .function
            .iter()
            .filter(|f| !by_hand(spec, f))
            .collect();
        if functions.is_empty() {
            continue;
        }
        let module = feature.feature.replace('-', "_");
        files.push(File {
            path: path(&module),
            text: entry::render(spec, &feature.feature, &functions),
        });
        modules.push(module);
    }
    files.push(File {
        path: path("tables"),
        text: tables::render(spec),
    });
    modules.push("tables".to_owned());
    files.push(File {
        path: path("print"),
        text: super::print::exports(spec),
    });
    modules.push("print".to_owned());

    files.push(File {
        path: path("layout"),
        text: layout::render(spec),
    });
    modules.push("layout".to_owned());
    files.push(File {
        path: "crates/ur-loader/exports.generated.map".to_owned(),
        text: exports::render(spec),
    });

    files.push(File {
        path: path("foreign"),
        text: foreign::render(spec),
    });
    let mut index = rust_head("The loader's exports, rendered from the API's data.");
    for module in &modules {
        index.push_str(&format!("mod {module};\n"));
    }
    index.push_str("pub(crate) mod foreign;\n\n");
    for module in &modules {
        index.push_str(&format!("pub use {module}::*;\n"));
    }
    files.push(File {
        path: path("mod"),
        text: index,
    });
    files
}
