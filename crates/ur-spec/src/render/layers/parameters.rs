//! One function for each entry point that looks at the arguments.

use super::super::ffi::rust_params;
use super::super::{c_imports, rust_head};
use crate::conditions::{Test, checks};
use crate::model::{Function, Spec};
use crate::names::ident;

pub(super) fn render(spec: &Spec, feature: &str, functions: &[&Function]) -> String {
    let mut body = String::new();
    for function in functions {
        body.push_str(&check(spec, function));
    }
    format!(
        "{}{}use ur_api::*;\n\n{body}",
        rust_head(&format!(
            "What the arguments of the feature {feature} must be."
        )),
        c_imports(&body)
    )
}

fn check(spec: &Spec, function: &Function) -> String {
    let types = |name: &str| {
        let param = function.params.iter().find(|p| p.name == name);
        param.map_or_else(String::new, |p| p.r#type.clone())
    };
    let mut body = String::new();
    let mut used = String::new();
    for check in checks(spec, function) {
        let wrong = match &check.test {
            Test::When(expr) => expr.condition(spec, &types),
            Test::NoFunction(param) => format!("{}.is_none()", ident(param)),
            Test::NullAmong(param, len) => format!(
                "crate::arguments::null_among({}, {len} as usize)",
                ident(param)
            ),
        };
        used.push_str(&wrong);
        body.push_str(&format!("if {wrong} {{\nreturn Err({});\n}}\n", check.code));
    }
    let mut unused: Vec<String> = Vec::new();
    for param in &function.params {
        let name = ident(&param.name);
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !used.split(|c| !word(c)).any(|w| w == param.name) {
            unused.push(name);
        }
    }
    let unused = match unused.len() {
        0 => String::new(),
        1 => format!("let _ = {};\n", unused[0]),
        _ => format!("let _ = ({});\n", unused.join(", ")),
    };
    format!(
        "/// Looks at the arguments of `{name}`.\n///\n/// # Errors\n\
         /// The result for the first one that is wrong.\n///\n/// # Safety\n\
         /// Pointers are null or point to what the API says.\n#[inline]\n\
         pub unsafe fn {name}({params}) -> Result<(), ur_result_t> {{\n{unused}\
         // SAFETY: pointers are looked at before they are followed, and the caller says that\n\
         // others are right.\n#[allow(unused_unsafe, reason = \"not every check follows one\")]\n\
         unsafe {{\n{body}}}\nOk(())\n}}\n\n",
        name = function.name,
        params = rust_params(&function.params),
    )
}
