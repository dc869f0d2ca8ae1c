//! Values: operands of instructions, and constants.

use super::Type;
use std::fmt;
use std::rc::Rc;

/// An operand: its type and how it is written (`%t3`, `7`, `@f`, `<i32 1, i32 2>`).
///
/// Its `Display` gives type and text, as most places of an instruction want it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The type.
    pub ty: Type,
    /// The operand without its type.
    pub text: Rc<str>,
}

impl Value {
    /// A value written as `text`.
    pub fn new(ty: &Type, text: impl AsRef<str>) -> Value {
        Value {
            ty: ty.clone(),
            text: text.as_ref().into(),
        }
    }

    /// The integer `value` truncated to the type's width; in every lane if `ty` is a vector.
    pub fn int(ty: &Type, value: i128) -> Value {
        let bits = ty.scalar_bits();
        let kept = if bits == 0 || bits >= 128 {
            value
        } else {
            // Sign-extended from the width, so that equal bits have one spelling.
            (value << (128 - bits)) >> (128 - bits)
        };
        let text = match (ty.scalar(), kept) {
            (Type::Int(1), 0) => "false".to_string(),
            (Type::Int(1), _) => "true".to_string(),
            _ => kept.to_string(),
        };
        Value::new(&ty.scalar(), text).splat_constant(ty)
    }

    /// A 32-bit integer.
    pub fn i32(value: i32) -> Value {
        Value::int(&Type::I32, i128::from(value))
    }

    /// A 64-bit integer.
    pub fn i64(value: i64) -> Value {
        Value::int(&Type::I64, i128::from(value))
    }

    /// A condition.
    pub fn bool(value: bool) -> Value {
        Value::int(&Type::I1, i128::from(value))
    }

    /// The number `value` rounded to the floating-point type `ty`; in every lane if it is a vector.
    pub fn float(ty: &Type, value: f64) -> Value {
        let bits = match ty.scalar() {
            Type::Half => u64::from(f16_from_f64(value)),
            Type::Float => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        Value::float_bits(ty, bits)
    }

    /// The floating-point constant with these bits (in the low 16, 32 or 64 of `bits`).
    pub fn float_bits(ty: &Type, bits: u64) -> Value {
        let text = match ty.scalar() {
            Type::Half => format!("0xH{:04X}", bits & 0xffff),
            // LLVM spells a float as the double of the same value.
            Type::Float => format!("0x{:016X}", widen_f32(bits as u32)),
            _ => format!("0x{bits:016X}"),
        };
        Value::new(&ty.scalar(), text).splat_constant(ty)
    }

    /// All bits zero: `0`, `null`, `zeroinitializer`.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Int(_) => Value::int(ty, 0),
            Type::Half | Type::Float | Type::Double => Value::float_bits(ty, 0),
            Type::Ptr(_) => Value::new(ty, "null"),
            Type::Token => Value::new(ty, "none"),
            _ => Value::new(ty, "zeroinitializer"),
        }
    }

    /// A value that may be anything, but is one thing at each use.
    pub fn undef(ty: &Type) -> Value {
        Value::new(ty, "undef")
    }

    /// A value that must not be used.
    pub fn poison(ty: &Type) -> Value {
        Value::new(ty, "poison")
    }

    /// A vector constant of these scalar constants.
    pub fn vector(elements: &[Value]) -> Value {
        let element = elements.first().map_or(Type::I8, |e| e.ty.clone());
        let ty = Type::vector(&element, elements.len() as u32);
        Value::new(&ty, format!("<{}>", join(elements)))
    }

    /// An array constant of constants of type `element`.
    pub fn array(element: &Type, elements: &[Value]) -> Value {
        let ty = Type::array(element, elements.len() as u64);
        Value::new(&ty, format!("[{}]", join(elements)))
    }

    /// A structure constant of type `ty` (written out or named) with these members.
    pub fn structure(ty: &Type, members: &[Value]) -> Value {
        let body = match ty {
            Type::Named(_, body) => body,
            t => t,
        };
        let packed = matches!(body, Type::Struct { packed: true, .. });
        let inner = join(members);
        Value::new(
            ty,
            if packed {
                format!("<{{ {inner} }}>")
            } else {
                format!("{{ {inner} }}")
            },
        )
    }

    /// An array constant of bytes.
    pub fn bytes(bytes: &[u8]) -> Value {
        use fmt::Write;
        let mut text = String::from("c\"");
        for &b in bytes {
            if (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\' {
                text.push(b as char);
            } else {
                let _ = write!(text, "\\{b:02X}");
            }
        }
        text.push('"');
        Value::new(&Type::array(&Type::I8, bytes.len() as u64), text)
    }

    /// The global or function `name` as a pointer.
    pub fn global(name: &str) -> Value {
        Value::new(&Type::PTR, format!("@{}", super::quote(name)))
    }

    /// Metadata as an operand; `text` is what [`super::ModuleBuilder::metadata`] returned, or
    /// metadata written out.
    pub fn metadata(text: &str) -> Value {
        Value::new(&Type::Metadata, text)
    }

    /// Whether this is a constant (a number, a literal or a global's address).
    pub fn is_constant(&self) -> bool {
        !self.text.starts_with('%')
    }

    /// This scalar constant in every lane of `ty` if that is a vector, else itself.
    pub fn splat_constant(self, ty: &Type) -> Value {
        match ty {
            Type::Vector(_, n) => Value::vector(&vec![self; *n as usize]),
            _ => self,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.text)
    }
}

/// Operands with their types, separated by commas.
pub(super) fn join(values: &[Value]) -> String {
    let mut text = String::new();
    for (i, v) in values.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        text.push_str(&v.to_string());
    }
    text
}

/// The bits of the double that has the value of a float's bits; NaN payloads and their signalling
/// bit are kept, which a conversion instruction would not do.
fn widen_f32(bits: u32) -> u64 {
    if f32::from_bits(bits).is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        let payload = u64::from(bits & 0x007f_ffff) << 29;
        sign | (0x7ff << 52) | payload
    } else {
        f64::from(f32::from_bits(bits)).to_bits()
    }
}

/// The half nearest to `value` (ties to even), as bits.
pub fn f16_from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7e00 | ((bits >> 42) & 0x1ff) as u16;
    }
    // Halfway between the largest half and the next power of two rounds to infinity.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit in the last place at this magnitude; scaling by a power of two is exact.
    let exponent = (((bits >> 52) & 0x7ff) as i32 - 1023).max(-14);
    let units = magnitude * 2f64.powi(10 - exponent);
    let rounded = units.round_ties_even() as u32;
    // A carry out of the fraction moves into the exponent by itself.
    let base = ((exponent + 14) as u32) << 10;
    sign | (base + rounded) as u16
}

/// The value of a half's bits.
pub fn f64_from_f16(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_to_their_width() {
        assert_eq!(Value::int(&Type::I8, 255).to_string(), "i8 -1");
        assert_eq!(Value::int(&Type::I1, 1).to_string(), "i1 true");
        assert_eq!(
            Value::int(&Type::vector(&Type::I16, 2), -3).to_string(),
            "<2 x i16> <i16 -3, i16 -3>"
        );
    }

    #[test]
    fn floats_are_printed_by_their_bits() {
        assert_eq!(
            Value::float(&Type::Float, 1.0).to_string(),
            "float 0x3FF0000000000000"
        );
        assert_eq!(
            Value::float(&Type::Double, 0.1).to_string(),
            "double 0x3FB999999999999A"
        );
        assert_eq!(Value::float(&Type::Half, -2.0).to_string(), "half 0xHC000");
        // A signalling NaN stays one.
        assert_eq!(
            &*Value::float_bits(&Type::Float, 0x7f80_0001).text,
            "0x7FF0000020000000"
        );
    }

    #[test]
    fn half_conversion_round_trips_and_rounds() {
        for bits in 0..=u16::MAX {
            let value = f64_from_f16(bits);
            if value.is_nan() {
                assert!(f64_from_f16(f16_from_f64(value)).is_nan());
            } else {
                assert_eq!(f16_from_f64(value), bits, "{bits:#x}");
            }
            // Halfway to the next half goes to the even one of the two.
            if bits & 0x7fff < 0x7bff {
                let next = f64_from_f16(bits + 1);
                let even = if bits & 1 == 0 { bits } else { bits + 1 };
                assert_eq!(f16_from_f64((value + next) / 2.0), even, "{bits:#x}");
            }
        }
        assert_eq!(f16_from_f64(65519.99), 0x7bff);
        assert_eq!(f16_from_f64(-65520.0), 0xfc00);
        assert_eq!(f16_from_f64(1e-300), 0);
    }

    #[test]
    fn aggregates_and_bytes() {
        let s = Type::packed(&[Type::I8, Type::Float]);
        let v = Value::structure(&s, &[Value::int(&Type::I8, 1), Value::zero(&Type::Float)]);
        assert_eq!(&*v.text, "<{ i8 1, float 0x0000000000000000 }>");
        assert_eq!(&*Value::bytes(b"a\"\n\0").text, "c\"a\\22\\0A\\00\"");
        assert!(Value::i32(3).is_constant());
        assert!(!Value::new(&Type::I32, "%x").is_constant());
    }
}
