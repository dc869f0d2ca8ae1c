//! The struct of pointers to a call's arguments, as tracing hands it out.

use super::super::rust_head;
use super::rust_type;
use crate::model::{Function, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Arguments of each function, by pointer.");
    out.push_str("use core::ffi::{c_char, c_void};\n\nuse super::*;\n\n");
    spec.functions()
        .for_each(|f| out.push_str(&params_struct(f)));
    out
}

fn params_struct(function: &Function) -> String {
    let mut out = format!(
        "/// Pointers to the arguments of a call of `{}`.\n\
         #[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {} {{\n",
        function.name,
        function.params_struct()
    );
    for param in &function.params {
        out.push_str(&format!(
            "/// `{0}`.\npub p{0}: *mut {1},\n",
            param.name,
            rust_type(&param.r#type)
        ));
    }
    out.push_str("}\n\n");
    out
}
