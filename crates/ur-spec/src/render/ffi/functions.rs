//! Function pointer types and a list of all functions.

use super::super::rust_head;
use super::{rust_params, rust_type};
use crate::model::{Function, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Types of the functions, and what is known of each.");
    out.push_str("use core::ffi::{c_char, c_void};\n\nuse super::*;\nuse crate::FunctionInfo;\n\n");
    for function in spec.functions() {
        out.push_str(&pointer_type(function));
    }
    for table in &spec.registry.tables {
        out.push_str(&format!(
            "/// A function that gives an adapter's [`{0}`]: `{1}`.\n\
             pub type {2} = Option<unsafe extern \"C\" fn(version: ur_api_version_t, \
             pDdiTable: *mut {0}) -> ur_result_t>;\n\n",
            table.r#struct,
            table.getter,
            pointer_name(&table.getter)
        ));
    }
    out.push_str(
        "/// Every function of the API, the removed ones too, in the order of the features.\n\
         pub const FUNCTIONS: &[FunctionInfo] = &[\n",
    );
    spec.functions().for_each(|f| out.push_str(&info(f)));
    out.push_str("];\n");
    out
}

/// `PfnUrContextCreate` of `urContextCreate`.
pub(super) fn pointer_name(function: &str) -> String {
    format!("PfnUr{}", function.strip_prefix("ur").unwrap_or(function))
}

fn pointer_type(function: &Function) -> String {
    let doc = function.doc.as_deref().unwrap_or_default();
    format!(
        "/// `{}`: {doc}\npub type {} = Option<unsafe extern \"C\" fn({}) -> {}>;\n\n",
        function.name,
        pointer_name(&function.name),
        rust_params(&function.params),
        rust_type("ur_result_t")
    )
}

fn info(function: &Function) -> String {
    format!(
        "FunctionInfo {{ name: {:?}, id: {}, table: {:?}, slot: {:?}, params: {}, \
         loader_only: {}, removed: {} }},\n",
        function.name,
        function.id_name(),
        function.table,
        function.slot,
        function.params.len(),
        function.loader_only,
        function.removed_in.is_some()
    )
}
