//! The loader's `urPrint*` functions.

use super::super::{c_imports, rust_head};
use crate::model::Spec;
use crate::names::print_name;

/// The exported name and the C type of each printable value, and whether that is an enumeration.
pub(in super::super) fn values(spec: &Spec) -> Vec<(String, String, bool)> {
    let mut all = Vec::new();
    for e in &spec.enums {
        let plural = if e.flags {
            e.flags_type()
        } else {
            e.name.clone()
        };
        all.push((print_name(&plural), e.name.clone(), true));
    }
    for record in spec.records().iter().filter(|r| !r.is_union) {
        all.push((print_name(&record.name), record.name.clone(), false));
    }
    all
}

/// Every exported name.
pub(in super::super) fn names(spec: &Spec) -> Vec<String> {
    let params = spec.functions().map(|f| print_name(&f.params_struct()));
    values(spec)
        .into_iter()
        .map(|(name, ..)| name)
        .chain(params)
        .chain(spec.registry.extra_exports.iter().cloned())
        .collect()
}

/// `crates/ur-loader/src/generated/print.rs`.
pub(in super::super) fn render(spec: &Spec) -> String {
    let mut body = String::new();
    for (name, c_type, safe) in values(spec) {
        let copy = if safe { "copy_text" } else { "copy" };
        body.push_str(&export(
            &name,
            &format!("Text form of a [`{c_type}`]."),
            &format!("value: {c_type}"),
            &format!("{copy}(&value, buffer, buff_size, out_size)"),
        ));
    }
    for function in spec.functions() {
        let c_type = function.params_struct();
        body.push_str(&export(
            &print_name(&c_type),
            &format!("Text form of the arguments of `{}`.", function.name),
            &format!("params: *const {c_type}"),
            "match params.as_ref() {\nSome(params) => copy(params, buffer, buff_size, out_size),\n\
             None => UR_RESULT_ERROR_INVALID_NULL_POINTER,\n}",
        ));
    }
    body.push_str(&export(
        "urPrintFunctionParams",
        "Text form of the arguments of the function with that number.",
        "function: ur_function_t, params: *const c_void",
        "if params.is_null() {\nreturn UR_RESULT_ERROR_INVALID_NULL_POINTER;\n}\n\
         if ur_api::Enumeration::name(function).is_none() {\n\
         return UR_RESULT_ERROR_INVALID_ENUMERATION;\n}\n\
         copy(&Call { function, params }, buffer, buff_size, out_size)",
    ));
    format!(
        "{}{}use ur_api::print::{{Call, copy, copy_text}};\nuse ur_api::*;\n\n{body}",
        rust_head("Text forms of values, copied into the caller's buffer."),
        c_imports(&body)
    )
}

fn export(name: &str, doc: &str, value: &str, body: &str) -> String {
    format!(
        "/// {doc}\n///\n/// # Safety\n/// Pointers in the value are null or what the API says, \
         `buffer` has room for\n/// `buff_size` bytes or is null, `out_size` may be written or is null.\n\
         #[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn {name}({value}, buffer: *mut c_char, buff_size: usize, \
         out_size: *mut usize) -> ur_result_t {{\n\
         // SAFETY: this function asks the same of its caller.\n\
         unsafe {{ {body} }}\n}}\n\n"
    )
}
