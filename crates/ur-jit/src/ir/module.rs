//! One LLVM module under construction.

use super::{Type, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// How a global or function is seen from outside the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Seen by everyone.
    External,
    /// Known in this module alone.
    Internal,
    /// Known in this module alone, without a symbol.
    Private,
}

impl Linkage {
    /// As it stands in a definition, with a space behind it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Linkage::External => "",
            Linkage::Internal => "internal ",
            Linkage::Private => "private ",
        }
    }
}

/// A module under construction; a clone refers to the same module.
#[derive(Clone, Debug, Default)]
pub struct ModuleBuilder {
    inner: Rc<RefCell<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    header: String,
    /// Attributes of every function.
    function_attributes: String,
    types: Vec<(Rc<str>, Type)>,
    globals: Vec<String>,
    /// Text of the declaration of each name; a definition takes its place.
    declarations: BTreeMap<String, String>,
    defined: BTreeSet<String>,
    exported: Vec<String>,
    functions: Vec<String>,
    attributes: Vec<String>,
    metadata: Vec<String>,
    named_metadata: BTreeMap<String, Vec<String>>,
}

impl ModuleBuilder {
    /// An empty module.
    pub fn new() -> ModuleBuilder {
        ModuleBuilder::default()
    }

    /// Sets the target triple and data layout.
    pub fn set_target(&self, triple: &str, data_layout: &str) {
        let mut header = String::new();
        if !data_layout.is_empty() {
            let _ = writeln!(header, "target datalayout = \"{data_layout}\"");
        }
        if !triple.is_empty() {
            let _ = writeln!(header, "target triple = \"{triple}\"");
        }
        self.inner.borrow_mut().header = header;
    }

    /// Adds attributes to every function that is finished from now on.
    pub fn set_function_attributes(&self, text: &str) {
        text.clone_into(&mut self.inner.borrow_mut().function_attributes);
    }

    /// What [`ModuleBuilder::set_function_attributes`] has set.
    pub fn function_attributes(&self) -> String {
        self.inner.borrow().function_attributes.clone()
    }

    /// A named structure type with that body. A name that is taken already gets a number behind it
    /// unless it stands for the same body.
    pub fn named_type(&self, name: &str, body: &Type) -> Type {
        let mut inner = self.inner.borrow_mut();
        let mut candidate: Rc<str> = name.into();
        let mut number = 0;
        loop {
            match inner.types.iter().find(|(n, _)| *n == candidate) {
                Some((_, known)) if known == body => break,
                Some(_) => {
                    number += 1;
                    candidate = format!("{name}.{number}").into();
                }
                None => {
                    inner.types.push((candidate.clone(), body.clone()));
                    break;
                }
            }
        }
        Type::Named(candidate, Rc::new(body.clone()))
    }

    /// Declares a function once; further calls with the same name do nothing. `attributes` stand
    /// behind the parameter list (`nounwind`, `#0`).
    pub fn declare(&self, name: &str, result: &Type, params: &[Type], attributes: &str) -> Value {
        let mut inner = self.inner.borrow_mut();
        if !inner.defined.contains(name) {
            inner
                .declarations
                .entry(name.to_string())
                .or_insert_with(|| {
                    let list: Vec<String> = params.iter().map(Type::to_string).collect();
                    let space = if attributes.is_empty() { "" } else { " " };
                    format!(
                        "declare {result} @{}({}){space}{attributes}",
                        quote(name),
                        list.join(", ")
                    )
                });
        }
        Value::global(name)
    }

    /// Whether a function of that name has a body in this module.
    pub fn is_defined(&self, name: &str) -> bool {
        self.inner.borrow().defined.contains(name)
    }

    /// The names of the functions with a body that others may see.
    pub fn exported(&self) -> Vec<String> {
        self.inner.borrow().exported.clone()
    }

    /// Defines a variable and returns its address. `constant` forbids writing to it.
    pub fn global(
        &self,
        name: &str,
        linkage: Linkage,
        constant: bool,
        initial: &Value,
        align: u64,
    ) -> Value {
        let kind = if constant { "constant" } else { "global" };
        self.inner.borrow_mut().globals.push(format!(
            "@{} = {}{kind} {initial}, align {align}",
            quote(name),
            linkage.text()
        ));
        Value::global(name)
    }

    /// Declares a variable defined elsewhere and returns its address.
    pub fn extern_global(&self, name: &str, ty: &Type) -> Value {
        let line = format!("@{} = external global {ty}", quote(name));
        let mut inner = self.inner.borrow_mut();
        if !inner.globals.contains(&line) {
            inner.globals.push(line);
        }
        Value::global(name)
    }

    /// A private constant holding `bytes`, e.g. a message; its address.
    pub fn bytes(&self, hint: &str, bytes: &[u8]) -> Value {
        let name = format!("{hint}.{}", self.inner.borrow().globals.len());
        self.global(&name, Linkage::Private, true, &Value::bytes(bytes), 1)
    }

    /// An attribute group with this text; its name (`#3`). Equal texts share a group.
    pub fn attributes(&self, text: &str) -> String {
        let list = &mut self.inner.borrow_mut().attributes;
        format!("#{}", position(list, text, false))
    }

    /// A metadata node with this text (`!{i32 1}`, `distinct !{…}`); its name (`!7`). Equal texts
    /// share a node unless it is distinct.
    pub fn metadata(&self, text: &str) -> String {
        let list = &mut self.inner.borrow_mut().metadata;
        format!("!{}", position(list, text, text.starts_with("distinct")))
    }

    /// A distinct metadata node whose first operand is itself, as loop identifiers and alias scopes
    /// want it; `rest` are further operands.
    pub fn self_metadata(&self, rest: &[&str]) -> String {
        let list = &mut self.inner.borrow_mut().metadata;
        let name = format!("!{}", list.len());
        let mut text = format!("distinct !{{{name}");
        for operand in rest {
            text.push_str(", ");
            text.push_str(operand);
        }
        text.push('}');
        list.push(text);
        name
    }

    /// Adds `node` to the named metadata `name` (without the exclamation mark).
    pub fn named_metadata(&self, name: &str, node: &str) {
        self.inner
            .borrow_mut()
            .named_metadata
            .entry(name.to_string())
            .or_default()
            .push(node.to_string());
    }

    /// Adds a function definition as text; used by [`super::FunctionBuilder::finish`].
    pub fn define(&self, name: &str, linkage: Linkage, text: String) {
        let mut inner = self.inner.borrow_mut();
        inner.declarations.remove(name);
        inner.defined.insert(name.to_string());
        if linkage == Linkage::External {
            inner.exported.push(name.to_string());
        }
        inner.functions.push(text);
    }

    /// The whole module as LLVM reads it.
    pub fn render(&self) -> String {
        let inner = self.inner.borrow();
        let mut text = inner.header.clone();
        for (name, body) in &inner.types {
            let _ = writeln!(text, "%{} = type {body}", quote(name));
        }
        for line in inner.globals.iter().chain(inner.declarations.values()) {
            text.push_str(line);
            text.push('\n');
        }
        for function in &inner.functions {
            text.push('\n');
            text.push_str(function);
        }
        text.push('\n');
        for (i, attributes) in inner.attributes.iter().enumerate() {
            let _ = writeln!(text, "attributes #{i} = {{ {attributes} }}");
        }
        for (name, nodes) in &inner.named_metadata {
            let _ = writeln!(text, "!{name} = !{{{}}}", nodes.join(", "));
        }
        for (i, node) in inner.metadata.iter().enumerate() {
            let _ = writeln!(text, "!{i} = {node}");
        }
        text
    }
}

/// Index of `text` in `list`, added if it is not there or must be `distinct`.
fn position(list: &mut Vec<String>, text: &str, distinct: bool) -> usize {
    match list.iter().position(|t| t == text) {
        Some(at) if !distinct => at,
        _ => {
            list.push(text.to_string());
            list.len() - 1
        }
    }
}

/// A name as LLVM reads it behind `@` or `%`: in quotes where it has other than plain characters.
pub fn quote(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'-');
    let first_ok = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    if first_ok && name.bytes().all(plain) {
        return name.to_string();
    }
    let mut text = String::from("\"");
    for b in name.bytes() {
        if (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\' {
            text.push(b as char);
        } else {
            let _ = write!(text, "\\{b:02X}");
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_declaration_for_each_name() {
        let m = ModuleBuilder::new();
        m.declare("sinf", &Type::Float, &[Type::Float], "nounwind");
        m.declare("sinf", &Type::Float, &[Type::Float], "");
        m.declare("f", &Type::Void, &[], "");
        m.define(
            "f",
            Linkage::External,
            "define void @f() {\n  ret void\n}\n".into(),
        );
        m.declare("f", &Type::Void, &[], "");
        let text = m.render();
        assert_eq!(text.matches("declare").count(), 1);
        assert!(text.contains("declare float @sinf(float) nounwind\n"));
        assert!(m.is_defined("f") && !m.is_defined("sinf"));
    }

    #[test]
    fn names_are_quoted_where_needed() {
        assert_eq!(quote("a.b_1"), "a.b_1");
        assert_eq!(quote("1a"), "\"1a\"");
        assert_eq!(quote("a\"\\b"), "\"a\\22\\5Cb\"");
        assert_eq!(quote("typename é"), "\"typename \\C3\\A9\"");
        assert_eq!(quote(""), "\"\"");
    }

    #[test]
    fn types_attributes_and_metadata_are_shared() {
        let m = ModuleBuilder::new();
        let body = Type::structure(&[Type::I32]);
        let a = m.named_type("s", &body);
        assert_eq!(a, m.named_type("s", &body));
        let b = m.named_type("s", &Type::structure(&[Type::I64]));
        assert_eq!((a.to_string(), b.to_string()), ("%s".into(), "%s.1".into()));
        assert_eq!((a.size(), b.size()), (4, 8));
        assert_eq!(m.attributes("nounwind"), m.attributes("nounwind"));
        assert_eq!(m.metadata("!{i32 1}"), "!0");
        assert_eq!(m.metadata("!{i32 1}"), "!0");
        assert_ne!(m.metadata("distinct !{}"), m.metadata("distinct !{}"));
        let own = m.self_metadata(&["!0"]);
        assert!(
            m.render()
                .contains(&format!("{own} = distinct !{{{own}, !0}}"))
        );
    }
}
