//! The dispatch tables and their container.

use super::super::rust_head;
use super::functions::pointer_name;
use crate::model::Spec;

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Dispatch tables.");
    out.push_str("use core::mem::{offset_of, size_of};\n\nuse super::*;\n\n");
    for table in &spec.registry.tables {
        out.push_str(&format!(
            "/// The functions of the table `{}`, filled by `{}`.\n\
             #[repr(C)]\n#[derive(Clone, Copy, Debug, Default)]\npub struct {} {{\n",
            table.field, table.getter, table.r#struct
        ));
        for function in spec.table_functions(&table.field) {
            let member = function.member().unwrap_or_default();
            out.push_str(&format!(
                "/// `{}`.\npub {member}: {},\n",
                function.name,
                pointer_name(&function.name)
            ));
        }
        out.push_str("}\n\n");
    }
    out.push_str(
        "/// All dispatch tables of an adapter; the first word of every object points to one.\n\
         #[repr(C)]\n#[derive(Clone, Copy, Debug, Default)]\npub struct ur_dditable_t {\n",
    );
    for table in &spec.registry.tables {
        out.push_str(&format!(
            "/// `{0}`.\npub {1}: {0},\n",
            table.r#struct, table.field
        ));
    }
    out.push_str("}\n\nconst _: () = {\n");
    for table in &spec.registry.tables {
        out.push_str(&format!(
            "assert!(offset_of!(ur_dditable_t, {}) == {});\nassert!(size_of::<{}>() == {});\n",
            table.field, table.offset, table.r#struct, table.size
        ));
    }
    out.push_str("};\n");
    out
}
