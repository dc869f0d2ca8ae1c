//! Values of info queries, whose type follows from the query.

use std::collections::BTreeMap;

use super::super::rust_head;
use super::value;
use crate::ctype::CType;
use crate::model::{Enum, Spec};

/// The function that prints values of queries of the type `c_type`, if it is one of queries.
pub(super) fn printer(spec: &Spec, c_type: &str) -> Option<String> {
    let e = spec.enumeration(c_type)?;
    e.values.iter().find(|v| v.r#type.is_some())?;
    let inner = e.name.strip_prefix("ur_")?.strip_suffix("_t")?;
    Some(format!("print_{inner}"))
}

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Text forms of the values of info queries.");
    out.push_str(
        "use core::ffi::{c_int, c_void};\nuse core::fmt::{self, Formatter};\n\n\
         use crate::generated::*;\n\
         use crate::print::{Print, address, info_items, info_text};\n\n",
    );
    for e in &spec.enums {
        if let Some(name) = printer(spec, &e.name) {
            out.push_str(&one(spec, e, &name));
        }
    }
    out
}

fn one(spec: &Spec, e: &Enum, name: &str) -> String {
    let mut by_type: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut seen = Vec::new();
    for v in &e.values {
        if let Some(payload) = &v.r#type
            && !seen.contains(&v.value)
        {
            seen.push(v.value);
            by_type.entry(payload).or_default().push(&v.name);
        }
    }
    let mut arms = String::new();
    for (payload, queries) in by_type {
        arms.push_str(&format!(
            "{} => {},\n",
            queries.join(" | "),
            reader(spec, payload)
        ));
    }
    format!(
        "/// Writes the value of a query of [`{query}`].\n///\n\
         /// # Safety\n/// `value` is null or `size` bytes can be read there that hold what the query returns.\n\
         pub unsafe fn {name}(f: &mut Formatter<'_>, query: {query}, value: *const c_void, \
         size: usize) -> fmt::Result {{\n\
         // SAFETY: the query says what the bytes hold.\n\
         unsafe {{\nmatch query {{\n{arms}_ => address(f, value),\n}}\n}}\n}}\n\n",
        query = e.name
    )
}

fn reader(spec: &Spec, payload: &str) -> String {
    let Some(parsed) = CType::parse(payload) else {
        return "address(f, value)".to_owned();
    };
    if parsed.base == "char" && parsed.array.is_some() {
        return "info_text(f, value, size)".to_owned();
    }
    let element = CType {
        array: None,
        ..parsed.clone()
    };
    // Pointers in an info value are shown and not followed.
    let item = if element.is_pointer() {
        "address(f, item)?;\n".to_owned()
    } else {
        value::write(spec, "item", &element.base, None)
    };
    format!(
        "info_items::<{}>(f, value, size, {}, |f, item| {{\n{item}Ok(())\n}})",
        element.rust(),
        parsed.array.is_some()
    )
}
