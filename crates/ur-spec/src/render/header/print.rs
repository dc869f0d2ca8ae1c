//! `ur_print.h`: text forms of values.

use super::super::print::printable;
use super::header;
use crate::model::Spec;
use crate::names::print_name;

pub(super) fn render(spec: &Spec) -> String {
    let mut body =
        "/* Each function copies the text form of its first argument with a NUL after it \
                    into buffer\n * and stores the size that this takes in out_size. A null buffer \
                    asks for the size only; one\n * that is too small gives \
                    UR_RESULT_ERROR_INVALID_SIZE. */\n\n"
            .to_owned();
    for (name, c_type, by_value) in printable(spec) {
        let kind = if by_value { "enum" } else { "struct" };
        body.push_str(&prototype(&name, &format!("{kind} {c_type} value")));
    }
    for function in spec.functions() {
        let c_type = function.params_struct();
        body.push_str(&prototype(
            &print_name(&c_type),
            &format!("const struct {c_type} *params"),
        ));
    }
    body.push_str(&prototype(
        "urPrintFunctionParams",
        "enum ur_function_t function,\n    const void *params",
    ));
    header(
        "CONCORD_UR_PRINT_H",
        "Text forms of the values of the Unified Runtime API.",
        &["\"ur_api.h\""],
        &body,
    )
}

fn prototype(name: &str, value: &str) -> String {
    format!(
        "UR_APIEXPORT ur_result_t UR_APICALL {name}(\n    {value},\n    char *buffer,\n    \
         const size_t buff_size,\n    size_t *out_size);\n\n"
    )
}
