//! What in the API's data contradicts itself.

use std::collections::HashSet;

use crate::ctype::CType;
use crate::expression::Expr;
use crate::model::{Function, Record, Spec};

const NUMBERS: [(&str, usize); 13] = [
    ("void", 1),
    ("bool", 1),
    ("char", 1),
    ("unsigned char", 1),
    ("uint8_t", 1),
    ("int", 4),
    ("int32_t", 4),
    ("uint32_t", 4),
    ("float", 4),
    ("int64_t", 8),
    ("uint64_t", 8),
    ("size_t", 8),
    ("uintptr_t", 8),
];

/// Every contradiction found, a line each; empty if there is none.
pub fn check(spec: &Spec) -> Vec<String> {
    let mut problems = Vec::new();
    unique_names(spec, &mut problems);
    for record in spec.records() {
        layout(spec, record, &mut problems);
    }
    for function in spec.functions() {
        check_function(spec, function, &mut problems);
    }
    for e in &spec.enums {
        for value in &e.values {
            if let Some(payload) = &value.r#type
                && size(spec, payload).is_none()
            {
                problems.push(format!("{}: unknown type {payload}", value.name));
            }
        }
    }
    tables(spec, &mut problems);
    layouts(spec, &mut problems);
    docs(spec, &mut problems);
    problems
}

/// Size and alignment in bytes of a C type, `None` if nobody defines it. Both are the same for
/// everything but records, which are looked up.
pub fn size(spec: &Spec, c_type: &str) -> Option<(usize, usize)> {
    let parsed = CType::parse(c_type)?;
    let known = base_size(spec, &parsed.base);
    let (size, align) = if parsed.is_pointer() {
        known.map(|_| (8, 8))?
    } else {
        known?
    };
    Some((size * parsed.array.flatten().unwrap_or(1), align))
}

fn base_size(spec: &Spec, base: &str) -> Option<(usize, usize)> {
    if let Some((_, size)) = NUMBERS.iter().find(|(name, _)| *name == base) {
        return Some((*size, *size));
    }
    if spec.enumeration(base).is_some() || spec.flags(base).is_some() {
        return Some((4, 4));
    }
    if spec.handle(base).is_some() || spec.callback(base).is_some() {
        return Some((8, 8));
    }
    if let Some(record) = spec.record(base) {
        return Some((record.size, record.align));
    }
    let mut typedefs = spec.features.iter().flat_map(|f| &f.typedef);
    let typedef = typedefs.find(|t| t.name == base)?;
    base_size(spec, &typedef.r#type)
}

fn unique_names(spec: &Spec, problems: &mut Vec<String>) {
    let mut seen = HashSet::new();
    let records = spec.records();
    let names = (spec.enums.iter().map(|e| &e.name))
        .chain(spec.enums.iter().flat_map(|e| &e.values).map(|v| &v.name))
        .chain(records.iter().map(|r| &r.name))
        .chain(spec.handles().map(|h| &h.name))
        .chain(spec.functions().map(|f| &f.name));
    for name in names {
        if !seen.insert(name) {
            problems.push(format!("{name} is defined twice"));
        }
    }
}

/// Offsets and size must be those that C gives.
fn layout(spec: &Spec, record: &Record, problems: &mut Vec<String>) {
    let (mut end, mut align) = (0, 1);
    for member in &record.members {
        let name = format!("{}.{}", record.name, member.name);
        let Some((bytes, alignment)) = size(spec, &member.r#type) else {
            problems.push(format!("{name}: unknown type {}", member.r#type));
            continue;
        };
        let at = if record.is_union {
            0
        } else {
            usize::next_multiple_of(end, alignment)
        };
        if member.offset != at {
            problems.push(format!("{name} is at {at}, not {}", member.offset));
        }
        end = end.max(at + bytes);
        align = align.max(alignment);
        let siblings = |other: &String| record.members.iter().any(|m| m.name == *other);
        for other in member.len.iter().chain(&member.tagged_by) {
            if !siblings(other) {
                problems.push(format!("{name} refers to {other}, which isn't a member"));
            }
        }
        if let (Some(tag), Some(when)) = (&record.tag, &member.when) {
            let known = spec.enumeration(tag);
            if !known.is_some_and(|e| e.values.iter().any(|v| v.name == *when)) {
                problems.push(format!("{name}: {when} isn't a value of {tag}"));
            }
        }
    }
    let bytes = usize::next_multiple_of(end, align);
    if (record.size, record.align) != (bytes, align) {
        problems.push(format!(
            "{}: {bytes} bytes aligned to {align}, not {} to {}",
            record.name, record.size, record.align
        ));
    }
    if let Some(stype) = &record.stype {
        let stypes = spec.enumeration("ur_structure_type_t");
        if !stypes.is_some_and(|e| e.values.iter().any(|v| v.name == *stype)) {
            problems.push(format!("{}: unknown stype {stype}", record.name));
        }
    }
}

fn check_function(spec: &Spec, function: &Function, problems: &mut Vec<String>) {
    let mut say = |what: String| problems.push(format!("{}: {what}", function.name));
    let params: HashSet<&str> = function.params.iter().map(|p| p.name.as_str()).collect();
    for param in &function.params {
        if size(spec, &param.r#type).is_none() {
            say(format!("unknown type {}", param.r#type));
        }
        for other in param.typed_by.iter().chain(&param.size_in) {
            if !params.contains(other.as_str()) {
                say(format!("{} refers to {other}", param.name));
            }
        }
        for expression in param.len.iter().chain(param.bounds.iter().flatten()) {
            unknown_words(spec, &params, expression)
                .into_iter()
                .for_each(&mut say);
        }
    }
    let results = spec.enumeration("ur_result_t");
    for result in &function.returns {
        if !results.is_some_and(|e| e.values.iter().any(|v| v.name == result.code)) {
            say(format!("unknown result {}", result.code));
        }
        for condition in &result.when {
            if let Err(problem) = Expr::parse(condition) {
                say(problem);
            }
            unknown_words(spec, &params, condition)
                .into_iter()
                .for_each(&mut say);
        }
    }
    let placed = function.slot.is_some() && function.table.is_some();
    if !placed && !function.loader_only && function.removed_in.is_none() {
        say("it is in no table".to_owned());
    }
}

/// The words of a condition that name no parameter, constant or member after `->` or `.`.
fn unknown_words(spec: &Spec, params: &HashSet<&str>, condition: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    let mut member = false;
    let mut word = String::new();
    let mut last = ' ';
    for c in condition.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            if word.is_empty() {
                member = last == '>' || last == '.';
            }
            word.push(c);
        } else if !word.is_empty() {
            let number = word.starts_with(|c: char| c.is_ascii_digit());
            if !number && !member && !params.contains(word.as_str()) && !constant(spec, &word) {
                unknown.push(format!("`{condition}` speaks of {word}"));
            }
            word.clear();
        }
        last = c;
    }
    unknown
}

fn constant(spec: &Spec, word: &str) -> bool {
    word == "NULL"
        || spec
            .enums
            .iter()
            .any(|e| e.flags && e.mask_name() == word || e.values.iter().any(|v| v.name == word))
}

/// Slots are consecutive and the container is the tables one after another.
fn tables(spec: &Spec, problems: &mut Vec<String>) {
    let mut offset = 0;
    for table in &spec.registry.tables {
        let functions = spec.table_functions(&table.field);
        let gap = functions
            .iter()
            .enumerate()
            .find(|(i, f)| f.slot != Some(*i));
        if let Some((_, function)) = gap {
            problems.push(format!("{}: slot out of order", function.name));
        }
        if table.offset != offset || table.size != 8 * functions.len() {
            problems.push(format!("table {} is out of place", table.field));
        }
        offset += table.size;
    }
    for function in spec.functions() {
        let known = |field: &String| spec.registry.tables.iter().any(|t| t.field == *field);
        if function.table.as_ref().is_some_and(|t| !known(t)) {
            problems.push(format!("{}: unknown table", function.name));
        }
    }
}

/// An earlier release has each of its functions once, in the table that the function names, and has
/// every function that was removed since.
fn layouts(spec: &Spec, problems: &mut Vec<String>) {
    for layout in &spec.layouts {
        let releases = layout.releases.join(" and ");
        let mut say = |what: String| problems.push(format!("layout of {releases}: {what}"));
        let mut seen = HashSet::new();
        for table in &layout.tables {
            if !spec.registry.tables.iter().any(|t| t.field == table.field) {
                say(format!("unknown table {}", table.field));
            }
            for name in spec.layout_functions(table) {
                let function = spec.functions().find(|f| f.name == name);
                if function.and_then(|f| f.table.as_ref()) != Some(&table.field) {
                    say(format!("{name} isn't a function of {}", table.field));
                }
                if !seen.insert(name.clone()) {
                    say(format!("{name} stands twice"));
                }
            }
        }
        for function in spec.functions().filter(|f| f.removed_in.is_some()) {
            if !seen.contains(&function.name) {
                say(format!("{} is missing", function.name));
            }
        }
    }
}

/// Everything but values, members and parameters has a description of its own.
fn docs(spec: &Spec, problems: &mut Vec<String>) {
    let mut need = |name: &str, doc: &Option<String>| {
        if doc.as_ref().is_none_or(|d| d.trim().is_empty()) {
            problems.push(format!("{name} has no description"));
        }
    };
    for feature in &spec.features {
        need(&feature.feature, &feature.doc);
        feature.define.iter().for_each(|x| need(&x.name, &x.doc));
        feature.typedef.iter().for_each(|x| need(&x.name, &x.doc));
        feature.handle.iter().for_each(|x| need(&x.name, &x.doc));
        feature.callback.iter().for_each(|x| need(&x.name, &x.doc));
        feature.r#enum.iter().for_each(|x| need(&x.name, &x.doc));
        feature.r#union.iter().for_each(|x| need(&x.name, &x.doc));
        feature.r#struct.iter().for_each(|x| need(&x.name, &x.doc));
        feature.function.iter().for_each(|x| need(&x.name, &x.doc));
    }
}
