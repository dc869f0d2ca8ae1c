//! Handles, callbacks, other names of numbers, and text constants.

use super::super::{rust_doc, rust_head};
use super::{rust_params, rust_type};
use crate::model::{Callback, Handle, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Handles, callbacks, names of number types, and constants.");
    out.push_str("use core::ffi::{CStr, c_char, c_void};\n\nuse super::*;\n\n");
    let version = &spec.registry.api_version;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    out.push_str(&format!(
        "/// Major part of the API's version.\npub const API_MAJOR: u32 = {major};\n\
         /// Minor part of the API's version.\npub const API_MINOR: u32 = {minor};\n\n"
    ));
    for feature in &spec.features {
        for define in &feature.define {
            out.push_str(&rust_doc(&define.doc));
            out.push_str(&format!(
                "pub const {}: &CStr = c{:?};\n\n",
                define.name, define.text
            ));
        }
        for typedef in &feature.typedef {
            out.push_str(&rust_doc(&typedef.doc));
            let target = rust_type(&typedef.r#type);
            out.push_str(&format!("pub type {} = {target};\n\n", typedef.name));
        }
        feature.handle.iter().for_each(|h| out.push_str(&handle(h)));
        feature
            .callback
            .iter()
            .for_each(|c| out.push_str(&callback(c)));
    }
    for e in spec.enums.iter().filter(|e| e.flags) {
        out.push_str(&format!(
            "/// Bits of [`{}`] together.\npub type {} = u32;\n\n\
             /// The bits of [`{1}`] that mean nothing.\npub const {}: {1} = {:#x};\n\n",
            e.name,
            e.flags_type(),
            e.mask_name(),
            e.mask()
        ));
    }
    out
}

fn handle(handle: &Handle) -> String {
    let name = &handle.name;
    let doc = rust_doc(&handle.doc);
    if let Some(number) = &handle.repr {
        return format!("{doc}pub type {name} = {};\n\n", rust_type(number));
    }
    let inside = if handle.loader_only {
        "_private: [u8; 0],"
    } else {
        "/// The dispatch tables of the adapter that owns the object.\n\
         pub table: *const ur_dditable_t,"
    };
    format!(
        "/// The beginning of what a [`{name}`] points to.\n\
         #[repr(C)]\n#[derive(Debug)]\npub struct {name}_ {{ {inside} }}\n\n\
         {doc}pub type {name} = *mut {name}_;\n\n"
    )
}

fn callback(callback: &Callback) -> String {
    let returns = callback
        .returns
        .as_ref()
        .map_or(String::new(), |r| format!(" -> {}", rust_type(r)));
    format!(
        "{}pub type {} = Option<unsafe extern \"C\" fn({}){returns}>;\n\n",
        rust_doc(&callback.doc),
        callback.name,
        rust_params(&callback.params)
    )
}
