//! Arguments of calls.

use super::super::rust_head;
use super::{infos, value};
use crate::model::{Function, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("Text forms of the arguments of calls.");
    out.push_str(
        "use core::ffi::c_void;\nuse core::fmt::{self, Formatter};\nuse core::ptr::null;\n\n\
         use super::*;\nuse crate::generated::*;\nuse crate::print::{Print, address, native, text};\n\n",
    );
    spec.functions()
        .for_each(|f| out.push_str(&arguments(spec, f)));
    out.push_str(
        "/// Writes the arguments of a call of `function`; `None` if there is no such function.\n///\n\
         /// # Safety\n/// `params` points to the function's struct of arguments, which is as\n\
         /// [`Print::print`] needs it.\n\
         pub unsafe fn print_params(f: &mut Formatter<'_>, function: ur_function_t, \
         params: *const c_void) -> Option<fmt::Result> {\n\
         // SAFETY: the caller says which struct it is.\n\
         unsafe {\nSome(match function {\n",
    );
    for function in spec.functions() {
        out.push_str(&format!(
            "{} => Print::print(&*params.cast::<{}>(), f),\n",
            function.id_name(),
            function.params_struct()
        ));
    }
    out.push_str("_ => return None,\n})\n}\n}\n");
    out
}

fn arguments(spec: &Spec, function: &Function) -> String {
    let name = function.params_struct();
    if function.params.is_empty() {
        return format!(
            "impl Print for {name} {{\nunsafe fn print(&self, _: &mut Formatter<'_>) -> fmt::Result \
             {{\nOk(())\n}}\n}}\n\n"
        );
    }
    let mut body = String::new();
    for (i, param) in function.params.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        body.push_str(&format!("f.write_str(\"{comma}.{} = \")?;\n", param.name));
        body.push_str(&format!("let value = *self.p{};\n", param.name));
        let query = param.typed_by.as_ref().zip(param.size_in.as_ref());
        let printer = query.and_then(|(by, size)| {
            let typed = function.params.iter().find(|p| p.name == *by)?;
            Some((infos::printer(spec, &typed.r#type)?, by, size))
        });
        if let Some((printer, by, size)) = printer {
            body.push_str(&format!(
                "{printer}(f, *self.p{by}, value, *self.p{size})?;\n"
            ));
            continue;
        }
        let counted = |len: &&String| function.params.iter().any(|p| p.name == **len);
        let len = param
            .len
            .as_ref()
            .filter(counted)
            .map(|len| format!("*self.p{len}"));
        body.push_str(&value::write(spec, "value", &param.r#type, len.as_deref()));
    }
    format!(
        "impl Print for {name} {{\nunsafe fn print(&self, f: &mut Formatter<'_>) -> fmt::Result {{\n\
         // SAFETY: the caller says that every argument is there and its pointers are null or right.\n\
         unsafe {{\n{body}}}\nOk(())\n}}\n}}\n\n"
    )
}
