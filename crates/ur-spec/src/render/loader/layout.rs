//! What the loader must know of adapters to find and check them.

use super::super::rust_head;
use crate::model::Spec;

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Tables that an adapter has, and adapters that programs know.");
    out.push_str("use ur_api::*;\n\n");
    out.push_str(
        "/// A dispatch table: the function that an adapter exports to fill it, and its extent.\n\
         #[derive(Clone, Copy, Debug)]\npub struct Table {\n\
         /// Name of the function.\npub getter: &'static core::ffi::CStr,\n\
         /// Bytes from the start of the container.\npub offset: usize,\n\
         /// Bytes of the table.\npub size: usize,\n\
         /// Whether everything in it is experimental.\npub experimental: bool,\n}\n\n",
    );
    out.push_str(&format!(
        "/// The dispatch tables in container order.\npub const TABLES: [Table; {}] = [\n",
        spec.registry.tables.len()
    ));
    for table in &spec.registry.tables {
        out.push_str(&format!(
            "Table {{ getter: c{:?}, offset: {}, size: {}, experimental: {} }},\n",
            table.getter,
            table.offset,
            table.size,
            table.field.ends_with("Exp")
        ));
    }
    out.push_str(&format!(
        "];\n\n/// Names of the adapters that programs know, and the kinds of device that each can \
         have.\npub const ADAPTERS: [(&str, ur_device_init_flags_t); {}] = [\n",
        spec.registry.adapters.len()
    ));
    for adapter in &spec.registry.adapters {
        let known = |flag: &String| {
            spec.enumeration("ur_device_init_flag_t")
                .is_some_and(|e| e.values.iter().any(|v| v.name == *flag))
        };
        let flags: Vec<String> = adapter
            .device_types
            .iter()
            .map(|t| t.replace("UR_DEVICE_TYPE_", "UR_DEVICE_INIT_FLAG_"))
            .filter(known)
            .map(|flag| format!("{flag}.0"))
            .collect();
        out.push_str(&format!("({:?}, {}),\n", adapter.name, flags.join(" | ")));
    }
    out.push_str("];\n");
    out
}
