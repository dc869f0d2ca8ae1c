//! `crates/ur-api/src/generated`: the API's types for Rust.

mod enums;
mod functions;
mod params;
mod structs;
mod tables;
mod types;

use super::{File, rust_head};
use crate::ctype::CType;
use crate::model::{Param, Spec};
use crate::names;

pub(super) fn files(spec: &Spec) -> Vec<File> {
    let modules = [
        ("types", types::render(spec)),
        ("enums", enums::render(spec)),
        ("structs", structs::render(spec)),
        ("functions", functions::render(spec)),
        ("tables", tables::render(spec)),
        ("params", params::render(spec)),
    ];
    let mut index = rust_head("The API's types, rendered from its data.");
    for (name, _) in &modules {
        index.push_str(&format!("mod {name};\n"));
    }
    index.push_str("pub mod print;\n");
    index.push('\n');
    for (name, _) in &modules {
        index.push_str(&format!("pub use {name}::*;\n"));
    }
    let path = |name: &str| format!("crates/ur-api/src/generated/{name}.rs");
    let mut files = vec![File {
        path: path("mod"),
        text: index,
    }];
    files.extend(modules.map(|(name, text)| File {
        path: path(name),
        text,
    }));
    files.extend(super::print::files(spec));
    files
}

/// The Rust type of a C type that the checks have accepted.
pub(super) fn rust_type(c_type: &str) -> String {
    CType::parse(c_type).map_or_else(|| c_type.to_owned(), |t| t.rust())
}

/// `a: T, b: U` of a function's parameters.
pub(super) fn rust_params(params: &[Param]) -> String {
    let all: Vec<String> = params
        .iter()
        .map(|p| format!("{}: {}", names::ident(&p.name), rust_type(&p.r#type)))
        .collect();
    all.join(", ")
}
