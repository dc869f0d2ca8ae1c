//! `crates/ur-loader/src/generated`: what the loader exports.

mod entry;
mod exports;
mod foreign;
mod layout;
mod tables;

use super::{File, rust_head};
use crate::model::{Function, Spec};

pub(super) use entry::{REGISTERS, by_hand};

pub(super) fn files(spec: &Spec) -> Vec<File> {
    let path = |name: &str| format!("crates/ur-loader/src/generated/{name}.rs");
    let mut files = Vec::new();
    let mut modules = Vec::new();
    let mut direct = Vec::new();
    for (module, feature, functions) in super::layers::features(spec) {
        files.push(File {
            path: path(&module),
            text: entry::render(feature, &functions),
        });
        let functions: Vec<&Function> = functions
            .into_iter()
            .filter(|f| !by_hand(spec, f))
            .collect();
        if !functions.is_empty() {
            files.push(File {
                path: path(&format!("direct/{module}")),
                text: entry::direct(spec, feature, &functions),
            });
            direct.push(module.clone());
        }
        modules.push(module);
    }
    files.push(File {
        path: path("direct/mod"),
        text: direct_index(spec, &direct),
    });
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
    index.push_str("pub(crate) mod direct;\nmod layered;\n");
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

/// All that entry points do without layers, what is written by hand included.
fn direct_index(spec: &Spec, modules: &[String]) -> String {
    let mut out = rust_head("What entry points do while no layer is on.");
    for module in modules {
        out.push_str(&format!("mod {module};\n"));
    }
    out.push('\n');
    for module in modules {
        out.push_str(&format!("pub(crate) use {module}::*;\n"));
    }
    let functions = spec.functions().filter(|f| super::layers::layered(f));
    for function in functions.filter(|f| by_hand(spec, f)) {
        out.push_str(&format!(
            "pub(crate) use crate::by_hand::{};\n",
            function.name
        ));
    }
    out
}
