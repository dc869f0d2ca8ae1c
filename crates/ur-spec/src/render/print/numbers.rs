//! Info queries as lists, and text of numbers whose type is known by name.

use super::super::rust_head;
use super::infos;
use crate::model::{Enum, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out =
        rust_head("Info queries as lists, and text of numbers by the name of their type.");
    out.push_str("use crate::InfoEntry;\nuse crate::generated::*;\n\n");
    for e in &spec.enums {
        if infos::printer(spec, &e.name).is_some() {
            out.push_str(&list(e));
        }
    }
    out.push_str(
        "/// Text of a value of the enumeration or set of bits with that C name; `None` for another \
         type.\npub fn number_text(type_name: &str, value: u64) -> Option<String> {\n\
         let value = u32::try_from(value).ok()?;\nSome(match type_name {\n",
    );
    for e in &spec.enums {
        let mut names = format!("{:?}", e.name);
        if e.flags {
            names.push_str(&format!(" | {:?}", e.flags_type()));
        }
        out.push_str(&format!("{names} => {}(value).to_string(),\n", e.name));
    }
    out.push_str("_ => return None,\n})\n}\n");
    out
}

fn list(e: &Enum) -> String {
    let inner = e.name.strip_prefix("ur_").unwrap_or(&e.name);
    let inner = inner.strip_suffix("_t").unwrap_or(inner);
    let mut out = format!(
        "/// The queries of [`{}`].\npub const {}S: &[InfoEntry] = &[\n",
        e.name,
        inner.to_uppercase()
    );
    for v in &e.values {
        if let Some(payload) = &v.r#type {
            out.push_str(&format!(
                "InfoEntry {{ name: {:?}, value: {}.0, payload: {payload:?}, optional: {} }},\n",
                v.name, v.name, v.optional
            ));
        }
    }
    out.push_str("];\n\n");
    out
}
