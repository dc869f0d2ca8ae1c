//! The adapter kit's generated part: a trait for each dispatch table, the entry points that check
//! what comes in and call it, and the table of those entry points.

mod plan;

use super::File;
use crate::model::Spec;
use plan::{Answer, Plan};
pub(super) use plan::{kind, length};
use std::fmt::Write;

/// The Rust name of a table's trait: `ContextFns`.
fn trait_name(field: &str) -> String {
    let name = match field {
        "USM" => "Usm",
        "USMExp" => "UsmExp",
        "IPCExp" => "IpcExp",
        other => other,
    };
    format!("{name}Fns")
}

fn plans(spec: &Spec) -> Vec<(&str, Vec<Plan<'_>>)> {
    spec.registry
        .tables
        .iter()
        .map(|table| {
            let functions = spec.table_functions(&table.field);
            let plans = functions.into_iter().map(|f| Plan::new(spec, f)).collect();
            (table.field.as_str(), plans)
        })
        .collect()
}

/// The files of the kit.
pub fn files(spec: &Spec) -> Vec<File> {
    let file = |name: &str, what: &str, text: String| File {
        path: format!("crates/ur-adapter/src/generated/{name}.rs"),
        text: super::rust_head(what) + &text,
    };
    vec![
        file(
            "mod",
            "What follows from the API's data: traits, entry points and dispatch table.",
            "pub mod shims;\npub mod table;\npub mod traits;\n".into(),
        ),
        file(
            "traits",
            "What an adapter implements: one trait for each dispatch table.",
            traits(spec),
        ),
        file(
            "shims",
            "The C entry points: they check what comes in and call the adapter.",
            shims(spec),
        ),
        file("table", "An adapter's dispatch table.", table(spec)),
    ]
}

/// `generated/traits.rs`: what an adapter implements.
fn traits(spec: &Spec) -> String {
    let mut out = String::from(
        "use crate::backend::Backend;\n\
         use crate::error::{Error, Result};\n\
         use crate::info::Info;\n\
         use crate::object::{Handle, Object};\n\
         use crate::shim::Slot;\n\
         use std::ffi::{CStr, c_char, c_void};\n\
         use std::mem::MaybeUninit;\n\
         use ur_api::*;\n\n",
    );
    let tables = plans(spec);
    for (field, plans) in &tables {
        let name = trait_name(field);
        let _ = writeln!(
            out,
            "/// Entry points of the dispatch table `{field}`. A method left out answers\n\
             /// `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`.\n\
             #[allow(unused_variables, clippy::too_many_arguments)]\npub trait {name}: Backend {{"
        );
        for plan in plans.iter().filter(|p| p.kind == Answer::Adapter) {
            let doc = plan.function.doc.as_deref().unwrap_or("");
            let f = &plan.function.name;
            let _ = writeln!(out, "/// `{f}`: {doc}");
            let args: Vec<String> = plan
                .args
                .iter()
                .map(|a| format!("{}: {}", a.name, a.ty))
                .collect();
            // What a raw pointer points to is the program's promise, so such a method is unsafe.
            let pointers = plan.args.iter().any(|a| a.ty.starts_with('*'));
            let unsafety = if pointers {
                out.push_str(
                    "///\n/// # Safety\n/// The pointers are what the API asks of the program for this entry point.\n",
                );
                "unsafe "
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "{unsafety}fn {}({}) -> {} {{ Err(Error::unsupported()) }}\n",
                plan.function.snake(),
                args.join(", "),
                result(plan)
            );
        }
        out.push_str("}\n\n");
    }
    let all: Vec<String> = tables.iter().map(|(field, _)| trait_name(field)).collect();
    let all = all.join(" + ");
    let _ = writeln!(
        out,
        "/// An adapter with all its tables.\npub trait Api: {all} {{}}\n\nimpl<B: {all}> Api for B {{}}"
    );
    out
}

fn result(plan: &Plan<'_>) -> String {
    match plan.outs.as_slice() {
        [] => "Result".into(),
        [one] => format!("Result<{}>", one.ty),
        many => {
            let types: Vec<&str> = many.iter().map(|o| o.ty.as_str()).collect();
            format!("Result<({})>", types.join(", "))
        }
    }
}

/// `generated/shims.rs`: the C entry points.
fn shims(spec: &Spec) -> String {
    let mut out = String::from(
        "#![allow(non_snake_case, unused_variables, clippy::too_many_arguments, clippy::missing_safety_doc)]\n\n\
         use super::traits::Api;\n\
         use crate::error::Error;\n\
         use crate::info::Info;\n\
         use crate::object::Object;\n\
         use crate::shim::{self, Slot};\n\
         use std::ffi::{c_char, c_void};\n\
         use std::ptr::NonNull;\n\
         use ur_api::*;\n\n",
    );
    for plan in plans(spec).iter().flat_map(|(_, plans)| plans) {
        shim(spec, plan, &mut out);
    }
    out
}

fn shim(spec: &Spec, plan: &Plan<'_>, out: &mut String) {
    let f = plan.function;
    let params: Vec<String> = f
        .params
        .iter()
        .map(|p| {
            let ty = crate::ctype::CType::parse(&p.r#type).map_or_else(String::new, |t| t.rust());
            format!("{}: {ty}", p.name)
        })
        .collect();
    let _ = writeln!(
        out,
        "/// `{}`.\npub unsafe extern \"C\" fn {}<B: Api>({}) -> ur_result_t {{\nshim::call(|| {{",
        f.name,
        f.name,
        params.join(", ")
    );
    out.push_str(
        "// SAFETY: the caller keeps to the API: handles are alive, pointers valid for the call.\n\
         unsafe {\n",
    );
    for line in &plan.before {
        out.push_str(line);
        out.push('\n');
    }
    match &plan.kind {
        Answer::Kit(body) => out.push_str(body),
        Answer::Adapter => {
            if let Some(value) = plan.count_query(spec) {
                let object = &plan.args[0].name;
                let _ = writeln!(
                    out,
                    "if propName == {value} {{ return info.value({object}.count()); }}"
                );
            }
            let pass: Vec<&str> = plan.args.iter().map(|a| a.pass.as_str()).collect();
            let call = format!("B::{}({})?", f.snake(), pass.join(", "));
            let names: Vec<String> = (0..plan.outs.len()).map(|n| format!("out{n}")).collect();
            match names.as_slice() {
                [] => {
                    let _ = writeln!(out, "{call};");
                }
                [one] => {
                    let _ = writeln!(out, "let {one} = {call};");
                }
                many => {
                    let _ = writeln!(out, "let ({}) = {call};", many.join(", "));
                }
            }
            for (plan_out, name) in plan.outs.iter().zip(&names) {
                out.push_str(&plan_out.write.replace("{}", name));
                out.push('\n');
            }
            for line in &plan.after {
                out.push_str(line);
                out.push('\n');
            }
            out.push_str("Ok(())");
        }
    }
    out.push_str("\n}\n})\n}\n\n");
}

/// `generated/table.rs`: the dispatch table of an adapter, and its exports.
fn table(spec: &Spec) -> String {
    let mut out = String::from(
        "use super::shims;\nuse super::traits::Api;\nuse ur_api::*;\n\n\
         /// The dispatch table of an adapter.\npub const fn table<B: Api>() -> ur_dditable_t {\nur_dditable_t {\n",
    );
    for table in &spec.registry.tables {
        let _ = writeln!(out, "{}: {} {{", table.field, table.r#struct);
        for f in spec.table_functions(&table.field) {
            let member = f.member().unwrap_or_default();
            let _ = writeln!(out, "{member}: Some(shims::{}::<B>),", f.name);
        }
        out.push_str("},\n");
    }
    out.push_str(
        "}\n}\n\n/// Exports the functions through which a loader reads the dispatch table `$table`.\n\
         #[macro_export]\nmacro_rules! export_tables {\n($table:expr) => {\n",
    );
    for table in &spec.registry.tables {
        let _ = writeln!(
            out,
            "/// Fills the dispatch table `{field}`.\n///\n/// # Safety\n/// `table` is null or has room for one.\n\
             #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {getter}(version: $crate::ur_api::ur_api_version_t, table: *mut $crate::ur_api::{strukt}) -> $crate::ur_api::ur_result_t {{\n\
             let from: &'static $crate::ur_api::ur_dditable_t = $table;\n\
             // SAFETY: forwarded from the caller.\n\
             unsafe {{ $crate::shim::give_table(version, table, &from.{field}) }}\n}}\n",
            field = table.field,
            getter = table.getter,
            strukt = table.r#struct,
        );
    }
    out.push_str("};\n}\n");
    out
}
