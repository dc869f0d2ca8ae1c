//! Calls of every entry point of an adapter, for `./x support`: with real objects where there are
//! some and with empty memory otherwise, just to learn whether the entry point is there.

use super::File;
use super::kit::{kind, length};
use crate::ctype::CType;
use crate::model::{Dir, Function, Handle, Param, Spec};
use crate::names;
use std::fmt::Write;

/// The files of the probe.
pub fn files(spec: &Spec) -> Vec<File> {
    vec![File {
        path: "xtask/src/support/generated/mod.rs".into(),
        text: super::rust_head("A call of every entry point of an adapter.") + &probe(spec),
    }]
}

fn field(handle: &Handle) -> String {
    names::snake(&kind(&handle.name))
}

fn probe(spec: &Spec) -> String {
    let mut out = String::from(
        "#![allow(clippy::missing_transmute_annotations)]\n\n\
         use super::probe::Scratch;\nuse std::ffi::{CStr, c_void};\nuse std::mem::{transmute, zeroed};\n\
         use ur_api::*;\n\n\
         /// Reads the tables of a library whose symbols `symbol` looks up.\n///\n/// # Safety\n\
         /// What `symbol` gives are null or the functions of those names.\n\
         pub unsafe fn tables(symbol: &dyn Fn(&CStr) -> *mut c_void) -> ur_dditable_t {\n\
         // SAFETY: tables are optional functions, for which 0 means none; a getter fills its own table.\n\
         unsafe {\nlet mut all: ur_dditable_t = zeroed();\n",
    );
    for table in &spec.registry.tables {
        let _ = writeln!(
            out,
            "let getter: Option<unsafe extern \"C\" fn(ur_api_version_t, *mut {}) -> ur_result_t> = transmute(symbol(c\"{}\"));\n\
             getter.map(|getter| getter(UR_API_VERSION_CURRENT, &mut all.{}));",
            table.r#struct, table.getter, table.field
        );
    }
    out.push_str("all\n}\n}\n\n/// Objects to call with; null where there are none.\n#[derive(Default)]\npub struct Objects {\n");
    for handle in spec.handles().filter(|handle| handle.dispatchable()) {
        let _ = writeln!(
            out,
            "/// For `{}`.\npub {}: Handle<{}>,",
            handle.name,
            field(handle),
            handle.name
        );
    }
    out.push_str(
        "}\n\n/// A handle, null at first.\npub struct Handle<T>(pub *mut T);\n\n\
         impl<T> Default for Handle<T> {\nfn default() -> Self { Self(std::ptr::null_mut()) }\n}\n\n\
         /// One entry point.\npub struct Probe {\n/// Its name.\npub name: &'static str,\n\
         /// Its dispatch table.\npub table: &'static str,\n\
         /// Whether the objects that it needs are there.\npub possible: fn(&Objects) -> bool,\n\
         /// Calls it; none for an empty entry of the table.\n\
         pub call: unsafe fn(&ur_dditable_t, &Objects, &Scratch) -> Option<ur_result_t>,\n}\n\n\
         /// Every entry point, table by table.\npub const PROBES: &[Probe] = &[\n",
    );
    // The fields are declared with the pointee, which is how the handle types are made.
    out = spec
        .handles()
        .filter(|handle| handle.dispatchable())
        .fold(out, |out, handle| {
            out.replace(
                &format!("Handle<{}>", handle.name),
                &format!("Handle<{}_>", handle.name),
            )
        });
    for table in &spec.registry.tables {
        for f in spec.table_functions(&table.field) {
            entry(spec, f, &table.field, &mut out);
        }
    }
    out.push_str("];\n");
    out
}

fn entry(spec: &Spec, f: &Function, table: &str, out: &mut String) {
    let object = |p: &Param| {
        let ctype = CType::parse(&p.r#type)?;
        let handle = spec.handle(&ctype.base).filter(|h| h.dispatchable())?;
        Some((ctype, field(handle)))
    };
    let needed: Vec<String> = f
        .params
        .iter()
        .filter(|p| !p.optional && p.dir != Some(Dir::Out))
        .filter_map(|p| Some(format!("!o.{}.0.is_null()", object(p)?.1)))
        .collect();
    let possible = if needed.is_empty() {
        "|_| true".to_owned()
    } else {
        format!("|o| {}", needed.join(" && "))
    };
    // What may be left out is: not every adapter has it.
    let lists = |optional: bool| f.params.iter().filter(move |p| p.optional == optional);
    let counts: Vec<String> = lists(false).filter_map(|p| length(f, p)).collect();
    let none: Vec<String> = lists(true).filter_map(|p| length(f, p)).collect();
    let args: Vec<String> = f
        .params
        .iter()
        .enumerate()
        .map(|(place, p)| {
            let Some(ctype) = CType::parse(&p.r#type) else {
                return String::new();
            };
            let scratch = format!("s.at({place}).cast()");
            match (object(p), ctype.stars) {
                (Some((_, field)), 0) => format!("o.{field}.0"),
                (Some((_, field)), 1) if p.dir == Some(Dir::In) && !p.optional => {
                    format!("(&raw const o.{field}.0).cast_mut()")
                }
                // A size comes with it.
                (_, 1..) if p.typed_by.is_some() => scratch,
                (_, 1..) if p.optional => "std::ptr::null_mut()".into(),
                (_, 1..) => scratch,
                _ if spec.callback(&ctype.base).is_some() => {
                    "Some(transmute(Scratch::callback as unsafe extern \"C\" fn()))".into()
                }
                _ if counts.contains(&p.name) => "1".into(),
                _ if none.contains(&p.name) => "0".into(),
                // Large ones are no adapter's duty.
                _ if p.name == "patternSize" => "4".into(),
                _ if ctype.base == "size_t" => "Scratch::SIZE".into(),
                // Without a dimension a call is wrong before it is unsupported.
                _ if p.name == "workDim" => "1".into(),
                // Numbers, flags and structures: all bytes 0.
                _ => "zeroed()".into(),
            }
        })
        .collect();
    let _ = writeln!(
        out,
        "Probe {{ name: \"{name}\", table: \"{table}\", possible: {possible}, call: |t, {o}, {s}| {{\n\
         // SAFETY: objects are alive and memory is there; what else the call may not like, it meets\n\
         // in a process of its own.\n\
         unsafe {{ t.{table}.{member}.map(|f| f({args})) }}\n}} }},",
        name = f.name,
        member = f.member().unwrap_or_default(),
        o = if args.iter().any(|a| a.contains("o.")) {
            "o"
        } else {
            "_"
        },
        s = if args.iter().any(|a| a.contains("s.at")) {
            "s"
        } else {
            "_"
        },
        args = args.join(", "),
    );
}
