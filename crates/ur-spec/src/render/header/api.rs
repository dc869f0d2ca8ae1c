//! `ur_api.h`: types and functions.

use super::{comment, declare, header, parameters, pointer_to};
use crate::model::{Callback, Enum, Feature, Function, Record, Spec};

pub(super) fn render(spec: &Spec) -> String {
    let mut body = macros(spec);
    for feature in &spec.features {
        names(feature, &mut body);
    }
    spec.enums.iter().for_each(|e| enumeration(e, &mut body));
    spec.records()
        .into_iter()
        .for_each(|r| record(r, &mut body));
    for feature in &spec.features {
        feature.callback.iter().for_each(|c| callback(c, &mut body));
    }
    for feature in &spec.features {
        if feature.function.is_empty() {
            continue;
        }
        let doc = feature.doc.as_deref().unwrap_or_default();
        body.push_str(&format!("/* {}: {doc} */\n\n", feature.feature));
        for function in &feature.function {
            prototype(function, &mut body);
        }
    }
    spec.functions().for_each(|f| params(f, &mut body));
    header(
        "CONCORD_UR_API_H",
        "Types and functions of the Unified Runtime API.",
        &["<stdbool.h>", "<stddef.h>", "<stdint.h>"],
        &body,
    )
}

fn macros(spec: &Spec) -> String {
    let mut out = String::new();
    for (name, value) in [
        ("UR_APICALL", ""),
        ("UR_APIEXPORT", "__attribute__((visibility(\"default\")))"),
        (
            "UR_MAKE_VERSION(major, minor)",
            "(((major) << 16) | ((minor)&0xffff))",
        ),
        ("UR_MAJOR_VERSION(version)", "((version) >> 16)"),
        ("UR_MINOR_VERSION(version)", "((version)&0xffff)"),
    ] {
        let word = name.split('(').next().unwrap_or(name);
        let line = format!("#define {name} {value}");
        out.push_str(&format!("#ifndef {word}\n{}\n#endif\n", line.trim_end()));
    }
    out.push('\n');
    for define in spec.features.iter().flat_map(|f| &f.define) {
        out.push_str(&comment(&define.doc));
        out.push_str(&format!("#define {} {:?}\n", define.name, define.text));
    }
    out.push('\n');
    out
}

fn names(feature: &Feature, out: &mut String) {
    for typedef in &feature.typedef {
        out.push_str(&comment(&typedef.doc));
        out.push_str(&format!("typedef {} {};\n\n", typedef.r#type, typedef.name));
    }
    for handle in &feature.handle {
        let name = &handle.name;
        out.push_str(&comment(&handle.doc));
        match &handle.repr {
            Some(number) => out.push_str(&format!("typedef {number} {name};\n\n")),
            None => out.push_str(&format!("typedef struct {name}_ *{name};\n\n")),
        }
    }
}

fn enumeration(e: &Enum, out: &mut String) {
    out.push_str(&comment(&e.doc));
    out.push_str(&format!("typedef enum {} {{\n", e.name));
    for value in &e.values {
        let number = if e.flags || value.value >= 4096 {
            format!("{:#x}", value.value)
        } else {
            value.value.to_string()
        };
        out.push_str(&format!("  {} = {number},\n", value.name));
    }
    let stem = e.name.trim_end_matches("_t").to_uppercase();
    out.push_str(&format!(
        "  {stem}_FORCE_UINT32 = 0x7fffffff\n}} {};\n\n",
        e.name
    ));
    if e.flags {
        out.push_str(&format!(
            "/** Bits of {} together. */\ntypedef uint32_t {};\n\
             /** The bits of {1} that mean nothing. */\n#define {} {:#x}u\n\n",
            e.name,
            e.flags_type(),
            e.mask_name(),
            e.mask()
        ));
    }
}

fn record(record: &Record, out: &mut String) {
    let kind = if record.is_union { "union" } else { "struct" };
    out.push_str(&comment(&record.doc));
    out.push_str(&format!("typedef {kind} {} {{\n", record.name));
    for m in &record.members {
        out.push_str(&format!("  {};\n", declare(&m.r#type, &m.name)));
    }
    out.push_str(&format!("}} {};\n\n", record.name));
}

fn callback(callback: &Callback, out: &mut String) {
    out.push_str(&comment(&callback.doc));
    out.push_str(&format!(
        "typedef {} (UR_APICALL *{}){};\n\n",
        callback.returns.as_deref().unwrap_or("void"),
        callback.name,
        parameters(&callback.params)
    ));
}

fn prototype(function: &Function, out: &mut String) {
    out.push_str(&comment(&function.doc));
    out.push_str(&format!(
        "UR_APIEXPORT ur_result_t UR_APICALL {}{};\n\n",
        function.name,
        parameters(&function.params)
    ));
}

/// The struct of pointers to the arguments; C has no struct without members, so a function
/// without parameters has a type that stays incomplete.
fn params(function: &Function, out: &mut String) {
    let name = function.params_struct();
    let doc = format!(
        "/** Pointers to the arguments of a call of {}. */\n",
        function.name
    );
    out.push_str(&doc);
    if function.params.is_empty() {
        out.push_str(&format!("typedef struct {name} {name};\n\n"));
        return;
    }
    out.push_str(&format!("typedef struct {name} {{\n"));
    for param in &function.params {
        out.push_str(&format!(
            "  {}p{};\n",
            pointer_to(&param.r#type),
            param.name
        ));
    }
    out.push_str(&format!("}} {name};\n\n"));
}
