//! Text forms: `ur_api`'s `Print` for structs, arguments and info values, and the loader's
//! `urPrint*` exports.

mod exports;
mod infos;
mod numbers;
mod params;
mod records;
mod value;

use super::{File, rust_head};
use crate::model::Spec;

pub(super) use exports::names as export_names;
pub(super) use exports::render as exports;
pub(super) use exports::values as printable;

/// The modules of `ur_api::generated::print`.
pub(super) fn files(spec: &Spec) -> Vec<File> {
    let modules = [
        ("infos", infos::render(spec)),
        ("numbers", numbers::render(spec)),
        ("params", params::render(spec)),
        ("records", records::render(spec)),
    ];
    let path = |name: &str| format!("crates/ur-api/src/generated/print/{name}.rs");
    let mut index = rust_head("Text forms of what holds pointers.");
    for (name, _) in &modules {
        index.push_str(&format!("mod {name};\n"));
    }
    index.push_str("\npub use infos::*;\npub use numbers::*;\npub use params::print_params;\npub use records::*;\n");
    let mut files = vec![File {
        path: path("mod"),
        text: index,
    }];
    files.extend(modules.map(|(name, text)| File {
        path: path(name),
        text,
    }));
    files
}
