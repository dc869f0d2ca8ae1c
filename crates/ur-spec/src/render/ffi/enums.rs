//! Enumerations: a C enum is four bytes and any number is a legal value of it.

use super::super::{rust_doc, rust_head};
use crate::model::{Enum, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Enumerations and flags.");
    out.push_str("use crate::enumeration::{bit_set, enumeration, version};\n\n");
    spec.enums.iter().for_each(|e| out.push_str(&one(e)));
    out
}

fn one(e: &Enum) -> String {
    let kind = match (e.flags, e.version) {
        (true, _) => "bit_set",
        (false, true) => "version",
        (false, false) => "enumeration",
    };
    let mut out = format!("{kind}! {{\n{}{} {{\n", rust_doc(&e.doc), e.name);
    for value in &e.values {
        out.push_str(&rust_doc(&value.doc));
        let number = if e.flags || value.value >= 4096 {
            format!("{:#x}", value.value)
        } else {
            value.value.to_string()
        };
        out.push_str(&format!("{} = {number},\n", value.name));
    }
    out.push_str("}\n}\n\n");
    out
}
