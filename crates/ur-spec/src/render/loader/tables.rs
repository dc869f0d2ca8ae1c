//! The loader's own `urGet…ProcAddrTable`: its entry points as tables.

use super::super::rust_head;
use crate::model::{Function, Spec, Table};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Tables of the loader's entry points.");
    out.push_str("use ur_api::*;\n\nuse super::*;\n");
    out.push_str(
        "\n/// Writes `entries` where the caller wants them, if it speaks the version whose layout\n\
         /// they have.\n///\n/// # Safety\n/// `table` is null or may be written.\n\
         unsafe fn fill<T>(version: ur_api_version_t, table: *mut T, entries: T) -> ur_result_t {\n\
         if table.is_null() {\nreturn UR_RESULT_ERROR_INVALID_NULL_POINTER;\n}\n\
         // A table has the layout of its version; another version's is as long as it likes.\n\
         if version != UR_API_VERSION_CURRENT {\nreturn UR_RESULT_ERROR_UNSUPPORTED_VERSION;\n}\n\
         // SAFETY: it isn't null, so the caller lets it be written.\n\
         unsafe { table.write(entries) };\nUR_RESULT_SUCCESS\n}\n\n",
    );
    for table in &spec.registry.tables {
        out.push_str(&getter(table, &spec.table_functions(&table.field)));
    }
    out
}

fn getter(table: &Table, functions: &[&Function]) -> String {
    let mut entries = String::new();
    for function in functions {
        let member = function.member().unwrap_or_default();
        entries.push_str(&format!("{member}: Some({}),\n", function.name));
    }
    format!(
        "/// Fills a [`{struct}`] with the loader's entry points.\n///\n\
         /// # Safety\n/// `pDdiTable` is null or may be written.\n\
         #[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn {getter}(version: ur_api_version_t, \
         pDdiTable: *mut {struct}) -> ur_result_t {{\n\
         let entries = {struct} {{\n{entries}}};\n\
         // SAFETY: this function asks the same of its caller.\n\
         unsafe {{ fill(version, pDdiTable, entries) }}\n}}\n\n",
        struct = table.r#struct,
        getter = table.getter,
    )
}
