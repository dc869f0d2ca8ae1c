//! What the parameter tests call, and the adapter that they call it on.

use super::super::rust_head;
use super::{by_hand, layered};
use crate::ctype::CType;
use crate::model::{Function, Param, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Calls of every entry point with words, and an adapter that counts.");
    out.push_str(
        "#![allow(non_snake_case, clippy::too_many_arguments, reason = \"names are those of the API\")]\n\n\
         use std::ffi::{c_char, c_void};\nuse ur_api::*;\n\nuse crate::adapter::called;\n\n",
    );
    out.push_str(
        "/// Calls a function with one word for each parameter, three for a box.\n///\n\
         /// # Safety\n/// The words are arguments of the function.\n\
         pub unsafe fn call(function: &str, words: &[usize]) -> ur_result_t {\n\
         // SAFETY: the caller gives the right words.\nunsafe {\nmatch function {\n",
    );
    for function in spec.functions().filter(|f| layered(f)) {
        out.push_str(&format!(
            "{0:?} => ur_loader::{0}({1}),\n",
            function.name,
            words(spec, function)
        ));
    }
    out.push_str("_ => panic!(\"no function {function}\"),\n}\n}\n}\n\n");

    out.push_str(
        "/// The functions that no adapter is asked for, or that other calls come before.\n\
         pub const BY_HAND: &[&str] = &[\n",
    );
    for function in spec.functions().filter(|f| layered(f) && by_hand(spec, f)) {
        out.push_str(&format!("{:?},\n", function.name));
    }
    out.push_str("];\n\n");

    out.push_str(
        "/// The table of an adapter all of whose functions succeed.\n\
         pub static TABLE: ur_dditable_t = ur_dditable_t {\n",
    );
    for table in &spec.registry.tables {
        out.push_str(&format!("{}: {} {{\n", table.field, table.r#struct));
        for function in spec.table_functions(&table.field) {
            let member = function.member().unwrap_or_default();
            out.push_str(&format!("{member}: Some({}),\n", function.name));
        }
        out.push_str("},\n");
    }
    out.push_str("};\n\n");
    for table in &spec.registry.tables {
        for function in spec.table_functions(&table.field) {
            let params: Vec<String> = function
                .params
                .iter()
                .map(|p| format!("_: {}", rust(p)))
                .collect();
            out.push_str(&format!(
                "unsafe extern \"C\" fn {0}({1}) -> ur_result_t {{\ncalled({0:?})\n}}\n",
                function.name,
                params.join(", ")
            ));
        }
    }
    out
}

fn rust(param: &Param) -> String {
    CType::parse(&param.r#type).map_or_else(String::new, |t| t.rust())
}

/// The words of a call as arguments.
fn words(spec: &Spec, function: &Function) -> String {
    let mut next = 0;
    let mut out = Vec::new();
    for param in &function.params {
        let word = format!("words[{next}]");
        next += 1;
        let parsed = CType::parse(&param.r#type);
        let base = parsed.as_ref().map_or("", |t| t.base.as_str());
        let pointer = parsed.as_ref().is_some_and(|t| t.is_pointer());
        let handle = spec.handle(base);
        out.push(if pointer || handle.is_some_and(|h| h.repr.is_none()) {
            format!("{word} as _")
        } else if let Some(record) = spec.record(base) {
            let members: Vec<String> = record
                .members
                .iter()
                .enumerate()
                .map(|(i, m)| format!("{}: words[{}] as _", m.name, next - 1 + i))
                .collect();
            next += record.members.len() - 1;
            format!("{base} {{ {} }}", members.join(", "))
        } else if spec.callback(base).is_some() {
            format!("crate::adapter::function({word})")
        } else if base == "bool" {
            format!("{word} != 0")
        } else if spec.enums.iter().any(|e| e.name == base && !e.flags) {
            format!("{base}({word} as u32)")
        } else {
            format!("{word} as _")
        });
    }
    out.join(", ")
}
