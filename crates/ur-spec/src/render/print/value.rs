//! The statements that write one value.

use crate::ctype::CType;
use crate::model::Spec;

/// Statements that write the value of the expression `expr`, which is of the type `c_type` and,
/// if it is an array's start, has `len` elements. They are for an unsafe block with `f` in scope.
pub(super) fn write(spec: &Spec, expr: &str, c_type: &str, len: Option<&str>) -> String {
    let Some(parsed) = CType::parse(c_type) else {
        return format!("write!(f, \"{{}}\", {expr})?;\n");
    };
    if let Some(Some(_)) = parsed.array {
        let element = CType {
            array: None,
            ..parsed
        };
        return format!(
            "f.write_str(\"{{\")?;\nfor (i, item) in {expr}.iter().enumerate() {{\n\
             if i > 0 {{ f.write_str(\", \")?; }}\n{}}}\nf.write_str(\"}}\")?;\n",
            plain(spec, "*item", &element)
        );
    }
    match len {
        Some(len) if parsed.is_pointer() && parsed.base != "void" => format!(
            "address(f, {expr})?;\nif !{expr}.is_null() {{\nf.write_str(\" {{\")?;\n\
             for i in 0..{len} as usize {{\nif i > 0 {{ f.write_str(\", \")?; }}\n\
             let item = *{expr}.add(i);\n{}}}\nf.write_str(\"}}\")?;\n}}\n",
            plain(spec, "item", &pointee(&parsed))
        ),
        _ => plain(spec, expr, &parsed),
    }
}

fn pointee(pointer: &CType) -> CType {
    CType {
        stars: pointer.stars.saturating_sub(1),
        ..pointer.clone()
    }
}

fn plain(spec: &Spec, expr: &str, t: &CType) -> String {
    let base = t.base.as_str();
    if t.stars == 0 {
        return scalar(spec, expr, base);
    }
    if t.stars == 1 && base == "char" {
        return format!("text(f, {expr})?;\n");
    }
    if t.stars == 1 && base == "void" {
        return format!("address(f, {expr})?;\n");
    }
    format!(
        "address(f, {expr})?;\nif !{expr}.is_null() {{\nf.write_str(\" (\")?;\n\
         let item = *{expr};\n{}f.write_str(\")\")?;\n}}\n",
        plain(spec, "item", &pointee(t))
    )
}

fn scalar(spec: &Spec, expr: &str, base: &str) -> String {
    if let Some(flags) = spec.flags(base) {
        return format!("write!(f, \"{{}}\", {}({expr}))?;\n", flags.name);
    }
    if spec.handle(base).is_some_and(|h| h.repr.is_none()) {
        return format!("address(f, {expr})?;\n");
    }
    if spec.handle(base).is_some() {
        return format!("native(f, {expr})?;\n");
    }
    if spec.callback(base).is_some() {
        return format!("address(f, {expr}.map_or(null(), |p| p as *const c_void))?;\n");
    }
    if spec.record(base).is_some() {
        return format!("Print::print(&{expr}, f)?;\n");
    }
    // As released: the truth values of C print as numbers and those of the API as words.
    match base {
        "bool" => format!("write!(f, \"{{}}\", u8::from({expr}))?;\n"),
        "ur_bool_t" => format!("write!(f, \"{{}}\", {expr} != 0)?;\n"),
        _ => format!("write!(f, \"{{}}\", {expr})?;\n"),
    }
}
