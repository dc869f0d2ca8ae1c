//! `ur_ddi.h`: dispatch tables, for adapters and loaders.

use super::{header, parameters};
use crate::model::Spec;

pub(super) fn render(spec: &Spec) -> String {
    let mut body = String::new();
    for table in &spec.registry.tables {
        let functions = spec.table_functions(&table.field);
        for function in &functions {
            body.push_str(&format!(
                "/** {} */\ntypedef ur_result_t (UR_APICALL *{}){};\n\n",
                function.name,
                pointer(&function.name),
                parameters(&function.params)
            ));
        }
        body.push_str(&format!(
            "/** The functions of the table {}. */\ntypedef struct {} {{\n",
            table.field, table.r#struct
        ));
        for function in &functions {
            body.push_str(&format!(
                "  {} {};\n",
                pointer(&function.name),
                function.member().unwrap_or_default()
            ));
        }
        body.push_str(&format!(
            "}} {struct};\n\n/** Fills the table {field} for a caller of that version. */\n\
             UR_APIEXPORT ur_result_t UR_APICALL {getter}(\n    ur_api_version_t version,\n    \
             {struct} *pDdiTable);\n\n/** {getter} */\n\
             typedef ur_result_t (UR_APICALL *{pointer})(\n    ur_api_version_t version,\n    \
             {struct} *pDdiTable);\n\n",
            struct = table.r#struct,
            field = table.field,
            getter = table.getter,
            pointer = pointer(&table.getter),
        ));
    }
    body.push_str(
        "/** All dispatch tables of an adapter; the first word of every object points to one. */\n\
         typedef struct ur_dditable_t {\n",
    );
    for table in &spec.registry.tables {
        body.push_str(&format!("  {} {};\n", table.r#struct, table.field));
    }
    body.push_str("} ur_dditable_t;\n\n");
    header(
        "CONCORD_UR_DDI_H",
        "Dispatch tables of the Unified Runtime API.",
        &["\"ur_api.h\""],
        &body,
    )
}

/// `ur_pfnContextCreate_t` of `urContextCreate`.
fn pointer(function: &str) -> String {
    format!(
        "ur_pfn{}_t",
        function.strip_prefix("ur").unwrap_or(function)
    )
}
