//! Kernel arguments, sizes and outputs as they are written on the command line.

use std::fmt;
use std::path::PathBuf;

/// Text on the command line that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    const NAMES: [(&'static str, Scalar); 10] = [
        ("i8", Scalar::I8),
        ("u8", Scalar::U8),
        ("i16", Scalar::I16),
        ("u16", Scalar::U16),
        ("i32", Scalar::I32),
        ("u32", Scalar::U32),
        ("i64", Scalar::I64),
        ("u64", Scalar::U64),
        ("f32", Scalar::F32),
        ("f64", Scalar::F64),
    ];

    fn parse(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, scalar)| *scalar)
    }

    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The bytes of a value in the machine's order.
    fn bytes(self, text: &str) -> Option<Vec<u8>> {
        fn of<T: std::str::FromStr, const N: usize>(
            text: &str,
            bytes: impl Fn(T) -> [u8; N],
        ) -> Option<Vec<u8>> {
            text.parse().ok().map(|value| bytes(value).to_vec())
        }
        match self {
            Scalar::I8 => of(text, i8::to_ne_bytes),
            Scalar::U8 => of(text, u8::to_ne_bytes),
            Scalar::I16 => of(text, i16::to_ne_bytes),
            Scalar::U16 => of(text, u16::to_ne_bytes),
            Scalar::I32 => of(text, i32::to_ne_bytes),
            Scalar::U32 => of(text, u32::to_ne_bytes),
            Scalar::I64 => of(text, i64::to_ne_bytes),
            Scalar::U64 => of(text, u64::to_ne_bytes),
            Scalar::F32 => of(text, f32::to_ne_bytes),
            Scalar::F64 => of(text, f64::to_ne_bytes),
        }
    }

    /// The value in bytes of its size; nothing when there are fewer.
    pub fn show(self, bytes: &[u8]) -> Option<String> {
        fn of<const N: usize, T: fmt::Display>(
            bytes: &[u8],
            value: impl Fn([u8; N]) -> T,
        ) -> Option<String> {
            bytes.first_chunk().map(|chunk| value(*chunk).to_string())
        }
        match self {
            Scalar::I8 => of(bytes, i8::from_ne_bytes),
            Scalar::U8 => of(bytes, u8::from_ne_bytes),
            Scalar::I16 => of(bytes, i16::from_ne_bytes),
            Scalar::U16 => of(bytes, u16::from_ne_bytes),
            Scalar::I32 => of(bytes, i32::from_ne_bytes),
            Scalar::U32 => of(bytes, u32::from_ne_bytes),
            Scalar::I64 => of(bytes, i64::from_ne_bytes),
            Scalar::U64 => of(bytes, u64::from_ne_bytes),
            Scalar::F32 => of(bytes, f32::from_ne_bytes),
            Scalar::F64 => of(bytes, f64::from_ne_bytes),
        }
    }
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value, by its bytes.
    Value(Vec<u8>),
    /// Memory of the device that begins with a file's content.
    File(PathBuf),
    /// Memory of the device of so many bytes, all 0.
    Zeros(usize),
    /// Work-group local memory of so many bytes.
    Local(usize),
}

/// Reads `TYPE:VALUE`, `buffer:FILE`, `zeros:BYTES` or `local:BYTES`.
pub fn parse_argument(text: &str) -> Result<Argument, Invalid> {
    let invalid = |why: String| Invalid(format!("argument '{text}': {why}"));
    let (kind, value) = text.split_once(':').ok_or_else(|| {
        invalid("expected TYPE:VALUE, buffer:FILE, zeros:BYTES or local:BYTES".into())
    })?;
    let size = || match value.parse::<usize>() {
        Ok(0) | Err(_) => Err(invalid(format!("'{value}' is not a number of bytes"))),
        Ok(bytes) => Ok(bytes),
    };
    match kind {
        "buffer" if value.is_empty() => Err(invalid("no file named".into())),
        "buffer" => Ok(Argument::File(value.into())),
        "zeros" => size().map(Argument::Zeros),
        "local" => size().map(Argument::Local),
        _ => {
            let scalar = Scalar::parse(kind)
                .ok_or_else(|| invalid(format!("'{kind}' is none of {}", type_names())))?;
            scalar
                .bytes(value)
                .map(Argument::Value)
                .ok_or_else(|| invalid(format!("'{value}' is no {kind}")))
        }
    }
}

/// What of a buffer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print {
    /// Index of the argument.
    pub index: usize,
    /// How its bytes are read.
    pub scalar: Scalar,
    /// How many values; all when absent.
    pub count: Option<usize>,
}

/// Reads `IDX:TYPE[:COUNT]`.
pub fn parse_print(text: &str) -> Result<Print, Invalid> {
    let invalid = || {
        Invalid(format!(
            "'{text}': expected IDX:TYPE[:COUNT], TYPE one of {}",
            type_names()
        ))
    };
    let mut parts = text.split(':');
    let index = parts.next().and_then(|p| p.parse().ok());
    let scalar = parts.next().and_then(Scalar::parse);
    let count = match parts.next() {
        None => None,
        Some(count) => Some(count.parse().map_err(|_| invalid())?),
    };
    match (index, scalar, parts.next()) {
        (Some(index), Some(scalar), None) => Ok(Print {
            index,
            scalar,
            count,
        }),
        _ => Err(invalid()),
    }
}

/// Reads `IDX:FILE`.
pub fn parse_out(text: &str) -> Result<(usize, PathBuf), Invalid> {
    text.split_once(':')
        .filter(|(_, file)| !file.is_empty())
        .and_then(|(index, file)| Some((index.parse().ok()?, file.into())))
        .ok_or_else(|| Invalid(format!("'{text}': expected IDX:FILE")))
}

/// Reads `N[,N[,N]]`, each at least 1.
pub fn parse_range(text: &str) -> Result<Vec<usize>, Invalid> {
    let range: Option<Vec<usize>> = text
        .split(',')
        .map(|n| n.parse().ok().filter(|&n| n != 0))
        .collect();
    range
        .filter(|range| (1..=3).contains(&range.len()))
        .ok_or_else(|| Invalid(format!("'{text}': expected one to three sizes, N[,N[,N]]")))
}

fn type_names() -> String {
    Scalar::NAMES.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        assert_eq!(
            parse_argument("i32:-7"),
            Ok(Argument::Value((-7i32).to_ne_bytes().to_vec()))
        );
        assert_eq!(
            parse_argument("f32:1.5"),
            Ok(Argument::Value(1.5f32.to_ne_bytes().to_vec()))
        );
        assert_eq!(
            parse_argument("buffer:a:b"),
            Ok(Argument::File("a:b".into()))
        );
        assert_eq!(parse_argument("zeros:64"), Ok(Argument::Zeros(64)));
        assert_eq!(parse_argument("local:64"), Ok(Argument::Local(64)));
        for wrong in [
            "7", "i32", "i32:", "i32:x", "u8:256", "u8:-1", "zeros:0", "zeros:-1", "local:",
            "buffer:", "x:1",
        ] {
            let error = parse_argument(wrong).expect_err(wrong);
            assert!(error.0.contains(wrong), "{error}");
        }
    }

    #[test]
    fn prints_and_outputs() {
        let print = parse_print("2:f32:4").expect("valid");
        assert_eq!(
            (print.index, print.scalar, print.count),
            (2, Scalar::F32, Some(4))
        );
        assert_eq!(parse_print("0:u8").expect("valid").count, None);
        for wrong in ["", "f32", "2:", "2:f33", "2:f32:x", "2:f32:1:1"] {
            parse_print(wrong).expect_err(wrong);
        }
        assert_eq!(parse_out("1:a"), Ok((1, "a".into())));
        for wrong in ["", "a", "1:", "x:a"] {
            parse_out(wrong).expect_err(wrong);
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(parse_range("4"), Ok(vec![4]));
        assert_eq!(parse_range("4,5,6"), Ok(vec![4, 5, 6]));
        for wrong in ["", "0", "1,", "1,2,3,4", "x", "-1"] {
            parse_range(wrong).expect_err(wrong);
        }
    }

    #[test]
    fn values_are_shown_as_they_were_read() {
        for (name, scalar) in Scalar::NAMES {
            let bytes = scalar.bytes("42").expect(name);
            assert_eq!(bytes.len(), scalar.size(), "{name}");
            assert_eq!(scalar.show(&bytes).as_deref(), Some("42"), "{name}");
            assert!(scalar.show(&bytes[1..]).is_none(), "{name}");
        }
    }
}
