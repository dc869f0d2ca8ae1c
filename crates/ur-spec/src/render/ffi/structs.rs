//! Structs and unions with their layout held at compile time.

use super::super::{rust_doc, rust_head};
use super::rust_type;
use crate::ctype::CType;
use crate::model::{Member, Record, Spec};
use crate::names::ident;

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Structs and unions.");
    out.push_str(
        "use core::ffi::{c_char, c_int, c_void};\nuse core::mem::{align_of, offset_of, size_of};\n\
         use core::ptr::{null, null_mut};\n\nuse super::*;\n\n",
    );
    for record in spec.records() {
        let default = default(spec, record);
        out.push_str(&definition(record, default.is_none()));
        out.push_str(&default.unwrap_or_default());
        out.push_str(&layout(record));
    }
    out
}

fn definition(record: &Record, derive_default: bool) -> String {
    let kind = if record.is_union { "union" } else { "struct" };
    // A union doesn't say which member is meant, so it has no Debug of its own.
    let derive = if record.is_union {
        "Clone, Copy"
    } else if derive_default {
        "Clone, Copy, Debug, Default"
    } else {
        "Clone, Copy, Debug"
    };
    let mut out = format!(
        "{}#[repr(C)]\n#[derive({derive})]\npub {kind} {} {{\n",
        rust_doc(&record.doc),
        record.name
    );
    for m in &record.members {
        out.push_str(&format!(
            "pub {}: {},\n",
            ident(&m.name),
            rust_type(&m.r#type)
        ));
    }
    out.push_str("}\n\n");
    out
}

/// `Default` with the `stype` that belongs to the struct and zero for the rest; `None` if a
/// derived one is just that.
fn default(spec: &Spec, record: &Record) -> Option<String> {
    let widest = |m: &&Member| crate::check::size(spec, &m.r#type).map_or(0, |(bytes, _)| bytes);
    let members: Vec<&Member> = if record.is_union {
        record
            .members
            .iter()
            .max_by_key(widest)
            .into_iter()
            .collect()
    } else {
        record.members.iter().collect()
    };
    let derived = |m: &&Member| zero(&m.r#type) == "Default::default()";
    if !record.is_union && record.stype.is_none() && members.iter().all(derived) {
        return None;
    }
    let mut out = format!(
        "impl Default for {} {{\nfn default() -> Self {{\nSelf {{\n",
        record.name
    );
    for member in members {
        let value = match &record.stype {
            Some(stype) if member.name == "stype" => stype.clone(),
            _ => zero(&member.r#type),
        };
        out.push_str(&format!("{}: {value},\n", ident(&member.name)));
    }
    out.push_str("}\n}\n}\n\n");
    if record.is_union {
        out.push_str(&format!(
            "impl core::fmt::Debug for {0} {{\n\
             fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {{\n\
             f.debug_struct(\"{0}\").finish_non_exhaustive()\n}}\n}}\n\n",
            record.name
        ));
    }
    Some(out)
}

fn zero(c_type: &str) -> String {
    let Some(parsed) = CType::parse(c_type) else {
        return "Default::default()".to_owned();
    };
    if parsed.is_pointer() {
        let constant = parsed.is_const && parsed.stars == 1;
        return if constant { "null()" } else { "null_mut()" }.to_owned();
    }
    if parsed.base.ends_with("_handle_t") && !parsed.base.contains("native_handle") {
        return "null_mut()".to_owned();
    }
    "Default::default()".to_owned()
}

fn layout(record: &Record) -> String {
    let name = &record.name;
    let mut out = format!(
        "const _: () = {{\nassert!(size_of::<{name}>() == {});\nassert!(align_of::<{name}>() == {});\n",
        record.size, record.align
    );
    for m in &record.members {
        out.push_str(&format!(
            "assert!(offset_of!({name}, {}) == {});\n",
            ident(&m.name),
            m.offset
        ));
    }
    out.push_str("};\n\n");
    out
}
