//! The kinds of objects.

use super::super::rust_head;
use crate::model::{Handle, Spec};

/// `QUEUE` of `ur_queue_handle_t`.
pub(super) fn constant(handle: &str) -> String {
    let inner = handle
        .trim_start_matches("ur_")
        .trim_end_matches("_handle_t");
    inner.trim_start_matches("exp_").to_uppercase()
}

/// The handles whose objects belong to adapters.
pub(super) fn handles(spec: &Spec) -> Vec<&Handle> {
    spec.handles().filter(|h| h.dispatchable()).collect()
}

/// The result that says that an object is not what a call needs.
pub(super) fn code(spec: &Spec, handle: &str) -> String {
    let kind = constant(handle);
    let results = spec.enumeration("ur_result_t");
    let has = |name: &String| results.is_some_and(|e| e.values.iter().any(|v| v.name == *name));
    let object = if kind == "MEM" { "MEM_OBJECT" } else { &kind };
    ["", "_EXP", "_HANDLE_EXP"]
        .iter()
        .map(|end| format!("UR_RESULT_ERROR_INVALID_{object}{end}"))
        .find(has)
        .unwrap_or_else(|| "UR_RESULT_ERROR_INVALID_ARGUMENT".to_owned())
}

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("The kinds of objects that handles stand for.");
    out.push_str("use ur_api::*;\n\nuse crate::objects::Kind;\n\n");
    let handles = handles(spec);
    for (number, handle) in handles.iter().enumerate() {
        let name = constant(&handle.name);
        out.push_str(&format!(
            "/// [`{}`].\npub const {name}: Kind = Kind({});\n",
            handle.name,
            number + 1
        ));
    }
    out.push_str(&format!(
        "\n/// What each kind is called, and the result for a handle that is none of it. The first\n\
         /// kind is none.\npub(crate) const KINDS: [(&str, ur_result_t); {}] = [\n\
         (\"object\", UR_RESULT_ERROR_INVALID_ARGUMENT),\n",
        handles.len() + 1
    ));
    for handle in &handles {
        let words = constant(&handle.name).to_lowercase().replace('_', " ");
        out.push_str(&format!("({words:?}, {}),\n", code(spec, &handle.name)));
    }
    out.push_str("];\n");
    out
}
