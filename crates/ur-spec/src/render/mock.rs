//! The mock adapter's entry points: each offers its arguments to the test's callbacks around the
//! kit's own entry point.

use super::File;
use crate::ctype::CType;
use crate::model::{Function, Spec};
use std::fmt::Write;

/// The files of the mock.
pub fn files(spec: &Spec) -> Vec<File> {
    let file = |name: &str, what: &str, text: String| File {
        path: format!("crates/adapters/mock/src/generated/{name}.rs"),
        text: super::rust_head(what) + &text,
    };
    vec![
        file(
            "mod",
            "What follows from the API's data.",
            "pub mod entries;\nmod params;\n".into(),
        ),
        file(
            "entries",
            "Every entry point, open to callbacks.",
            entries(spec),
        ),
        file(
            "params",
            "Which entry point's parameters each structure holds.",
            params(spec),
        ),
    ]
}

fn entries(spec: &Spec) -> String {
    let mut out = String::from(
        "#![allow(non_snake_case, unused_mut, clippy::too_many_arguments, clippy::missing_safety_doc)]\n\n\
         use crate::callback::run;\nuse crate::Mock;\nuse std::ffi::{c_char, c_void};\n\
         use ur_adapter::generated::shims;\nuse ur_api::*;\n\n\
         /// The mock's dispatch table.\npub const fn table() -> ur_dditable_t {\nur_dditable_t {\n",
    );
    for table in &spec.registry.tables {
        let _ = writeln!(out, "{}: {} {{", table.field, table.r#struct);
        for f in spec.table_functions(&table.field) {
            let member = f.member().unwrap_or_default();
            let _ = writeln!(out, "{member}: Some({}),", f.name);
        }
        out.push_str("},\n");
    }
    out.push_str("}\n}\n\n");
    for table in &spec.registry.tables {
        for f in spec.table_functions(&table.field) {
            entry(f, &mut out);
        }
    }
    out
}

fn params(spec: &Spec) -> String {
    let mut out = String::from("use crate::callback::Params;\nuse ur_api::*;\n\n");
    for table in &spec.registry.tables {
        for f in spec.table_functions(&table.field) {
            let _ = writeln!(
                out,
                "// SAFETY: the structure has a member for each parameter of this function.\n\
                 unsafe impl Params for {} {{ const FUNCTION: ur_function_t = {}; }}\n",
                f.params_struct(),
                f.id_name(),
            );
        }
    }
    out
}

fn entry(f: &Function, out: &mut String) {
    let mut params = Vec::new();
    let mut members = Vec::new();
    let mut names = Vec::new();
    for p in &f.params {
        let ty = CType::parse(&p.r#type).map_or_else(String::new, |t| t.rust());
        params.push(format!("mut {}: {ty}", p.name));
        members.push(format!("p{}: &raw mut {}", p.name, p.name));
        // Read back after the callbacks, which may have changed it.
        names.push(format!("*params.p{}", p.name));
    }
    let _ = writeln!(
        out,
        "unsafe extern \"C\" fn {name}({params}) -> ur_result_t {{\n\
         let mut params = {strukt} {{ {members} }};\n\
         let changed = &raw mut params;\n\
         run({id}, changed.cast::<c_void>(), move || {{\n\
         // SAFETY: the arguments are the caller's, or what the test made of them.\n\
         unsafe {{ let params = *changed; shims::{name}::<Mock>({names}) }}\n}})\n}}\n",
        name = f.name,
        params = params.join(", "),
        strukt = f.params_struct(),
        members = members.join(", "),
        id = f.id_name(),
        names = names.join(", "),
    );
}
