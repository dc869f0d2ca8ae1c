//! C types as spec/ writes them, and what they are in Rust.

/// A C type: `const base **`, `base[3]`, `base[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CType {
    /// Name of the innermost type.
    pub base: String,
    /// Whether the innermost type is const.
    pub is_const: bool,
    /// Levels of pointers.
    pub stars: usize,
    /// For an array: its length, or `Some(None)` for "as many as there are".
    pub array: Option<Option<usize>>,
}

impl CType {
    /// Reads a type; `None` if it is none.
    pub fn parse(text: &str) -> Option<CType> {
        let mut rest = text.trim();
        let mut array = None;
        if let Some(inner) = rest.strip_suffix(']') {
            let (before, len) = inner.rsplit_once('[')?;
            array = Some(if len.is_empty() {
                None
            } else {
                Some(len.parse().ok()?)
            });
            rest = before.trim();
        }
        let is_const = rest.starts_with("const ");
        rest = rest.strip_prefix("const ").unwrap_or(rest).trim();
        let base = rest.trim_end_matches('*');
        let stars = rest.len() - base.len();
        let base = base.trim();
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
        if base.is_empty() || !base.chars().all(valid) {
            return None;
        }
        Some(CType {
            base: base.to_owned(),
            is_const,
            stars,
            array,
        })
    }

    /// The type in Rust. A flexible array has none and counts as its element.
    pub fn rust(&self) -> String {
        let base = match self.base.as_str() {
            "void" => "c_void",
            "char" => "c_char",
            "int" => "c_int",
            "unsigned char" | "uint8_t" => "u8",
            "int32_t" => "i32",
            "uint32_t" => "u32",
            "int64_t" => "i64",
            "uint64_t" => "u64",
            "size_t" | "uintptr_t" => "usize",
            "float" => "f32",
            "double" => "f64",
            other => other,
        };
        let mut out = base.to_owned();
        for level in 0..self.stars {
            let access = if level == 0 && self.is_const {
                "const"
            } else {
                "mut"
            };
            out = format!("*{access} {out}");
        }
        match self.array {
            Some(Some(len)) => format!("[{out}; {len}]"),
            _ => out,
        }
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self) -> bool {
        self.stars > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_types() {
        for (c, rust) in [
            ("size_t", "usize"),
            ("const void *", "*const c_void"),
            ("void **", "*mut *mut c_void"),
            ("const uint8_t **", "*mut *const u8"),
            ("uint32_t[3]", "[u32; 3]"),
            ("ur_queue_handle_t *", "*mut ur_queue_handle_t"),
        ] {
            assert_eq!(CType::parse(c).map(|t| t.rust()).as_deref(), Some(rust));
        }
        assert_eq!(CType::parse("a, b"), None);
        assert_eq!(CType::parse("char[]").and_then(|t| t.array), Some(None));
    }
}
