//! Structs, unions and chains of structs.

use super::super::rust_head;
use super::value;
use crate::model::{Member, Record, Spec};
use crate::names::ident;

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Text forms of structs, unions and chains of structs.");
    out.push_str(
        "use core::ffi::c_void;\nuse core::fmt::{self, Formatter};\n\n\
         use crate::generated::*;\nuse crate::print::{Print, address, text};\n\n",
    );
    for record in spec.records() {
        if record.is_union {
            out.push_str(&union(spec, record));
        } else {
            out.push_str(&structure(spec, record));
        }
    }
    out.push_str(&chain(spec));
    out
}

fn structure(spec: &Spec, record: &Record) -> String {
    let mut body = format!("f.write_str(\"(struct {}){{\")?;\n", record.name);
    for (i, m) in record.members.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        body.push_str(&format!("f.write_str(\"{comma}.{} = \")?;\n", m.name));
        body.push_str(&member(spec, m));
    }
    body.push_str("f.write_str(\"}\")\n");
    // Plain numbers and addresses are written without following anything.
    let follows = ["print_", "Print::", "text(", "= *"];
    if follows.iter().any(|word| body.contains(word)) {
        body = format!(
            "// SAFETY: the caller says that pointers inside are null or right.\n\
             unsafe {{\n{body}}}\n"
        );
    }
    format!(
        "impl Print for {} {{\nunsafe fn print(&self, f: &mut Formatter<'_>) -> fmt::Result {{\n\
         {body}}}\n}}\n\n",
        record.name
    )
}

fn member(spec: &Spec, member: &Member) -> String {
    let expr = format!("self.{}", ident(&member.name));
    if member.name == "pNext" {
        return format!("print_chain(f, {expr})?;\n");
    }
    if let Some(tag) = &member.tagged_by {
        return format!(
            "{}(f, &{expr}, self.{})?;\n",
            union_fn(&member.r#type),
            ident(tag)
        );
    }
    let len = member
        .len
        .as_ref()
        .map(|len| format!("self.{}", ident(len)));
    value::write(spec, &expr, &member.r#type, len.as_deref())
}

fn union_fn(name: &str) -> String {
    let inner = name.strip_prefix("ur_").unwrap_or(name);
    format!("print_{}", inner.strip_suffix("_t").unwrap_or(inner))
}

fn union(spec: &Spec, record: &Record) -> String {
    let tag = record.tag.as_deref().unwrap_or_default();
    let mut arms = String::new();
    for m in &record.members {
        let when = m.when.as_deref().unwrap_or("_");
        arms.push_str(&format!(
            "{when} => {{\nf.write_str(\"(union {}){{.{} = \")?;\n{}f.write_str(\"}}\")\n}}\n",
            record.name,
            m.name,
            value::write(spec, &format!("value.{}", ident(&m.name)), &m.r#type, None)
        ));
    }
    format!(
        "/// Writes the member of a [`{name}`] that `tag` means.\n///\n\
         /// # Safety\n/// `tag` says truly which member was set, and that is null or right if it is a pointer.\n\
         pub unsafe fn {function}(f: &mut Formatter<'_>, value: &{name}, tag: {tag}) -> fmt::Result {{\n\
         // SAFETY: the tag says which member was set.\n\
         unsafe {{\nmatch tag {{\n{arms}_ => f.write_str(\"(union {name}){{<unknown>}}\"),\n}}\n}}\n}}\n\n",
        name = record.name,
        function = union_fn(&record.name),
    )
}

/// The function that writes a struct known by its `stype` alone.
fn chain(spec: &Spec) -> String {
    let mut arms = String::new();
    for record in spec.records() {
        if let Some(stype) = &record.stype {
            arms.push_str(&format!(
                "{stype} => Print::print(&*next.cast::<{}>(), f)?,\n",
                record.name
            ));
        }
    }
    format!(
        "/// Writes the struct that a `pNext` points to and those behind it.\n///\n\
         /// # Safety\n/// `next` is null or points to a struct that begins with its `stype` and `pNext`.\n\
         pub unsafe fn print_chain(f: &mut Formatter<'_>, next: *const c_void) -> fmt::Result {{\n\
         address(f, next)?;\nif next.is_null() {{\nreturn Ok(());\n}}\n\
         f.write_str(\" (\")?;\n\
         // SAFETY: the struct begins with its type, which says how long it is.\n\
         unsafe {{\nmatch (*next.cast::<ur_base_desc_t>()).stype {{\n{arms}\
         stype => write!(f, \"{{stype}}\")?,\n}}\n}}\nf.write_str(\")\")\n}}\n"
    )
}
