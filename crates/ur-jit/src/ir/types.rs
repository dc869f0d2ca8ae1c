//! LLVM types with the sizes they have on a 64-bit target.

use std::fmt;
use std::rc::Rc;

/// An LLVM type. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of that many bits.
    Int(u32),
    /// IEEE 16-bit floating point.
    Half,
    /// IEEE 32-bit floating point.
    Float,
    /// IEEE 64-bit floating point.
    Double,
    /// A pointer in that address space; [`Type::PTR`] is the plain one.
    Ptr(u32),
    /// A vector of scalars: element type and count.
    Vector(Rc<Type>, u32),
    /// An array: element type and count.
    Array(Rc<Type>, u64),
    /// A structure written out.
    Struct {
        /// The members in order.
        fields: Rc<[Type]>,
        /// Whether there is no padding.
        packed: bool,
    },
    /// A structure known by name; made by [`super::ModuleBuilder::named_type`].
    Named(Rc<str>, Rc<Type>),
    /// A metadata operand of an intrinsic.
    Metadata,
    /// A token (coroutines, convergence).
    Token,
}

impl Type {
    /// A pointer in address space 0.
    pub const PTR: Type = Type::Ptr(0);
    /// One bit: a condition.
    pub const I1: Type = Type::Int(1);
    /// An 8-bit integer.
    pub const I8: Type = Type::Int(8);
    /// A 16-bit integer.
    pub const I16: Type = Type::Int(16);
    /// A 32-bit integer.
    pub const I32: Type = Type::Int(32);
    /// A 64-bit integer.
    pub const I64: Type = Type::Int(64);

    /// A vector of `count` elements.
    pub fn vector(element: &Type, count: u32) -> Type {
        Type::Vector(Rc::new(element.clone()), count)
    }

    /// An array of `count` elements.
    pub fn array(element: &Type, count: u64) -> Type {
        Type::Array(Rc::new(element.clone()), count)
    }

    /// A structure with LLVM's usual padding.
    pub fn structure(fields: &[Type]) -> Type {
        Type::Struct {
            fields: fields.into(),
            packed: false,
        }
    }

    /// A structure without padding.
    pub fn packed(fields: &[Type]) -> Type {
        Type::Struct {
            fields: fields.into(),
            packed: true,
        }
    }

    /// The element type of a vector; any other type itself.
    pub fn scalar(&self) -> Type {
        match self {
            Type::Vector(e, _) => (**e).clone(),
            t => t.clone(),
        }
    }

    /// Number of elements of a vector; 1 for anything else.
    pub fn lanes(&self) -> u32 {
        match self {
            Type::Vector(_, n) => *n,
            _ => 1,
        }
    }

    /// `scalar` with as many lanes as `self`: a vector if `self` is one, else `scalar` itself.
    pub fn with_scalar(&self, scalar: &Type) -> Type {
        match self {
            Type::Vector(_, n) => Type::vector(scalar, *n),
            _ => scalar.clone(),
        }
    }

    /// The type of a comparison of two values of this type.
    pub fn condition(&self) -> Type {
        self.with_scalar(&Type::I1)
    }

    /// An integer type of the same scalar width and lane count.
    pub fn as_int(&self) -> Type {
        self.with_scalar(&Type::Int(self.scalar_bits()))
    }

    /// Whether this is a vector.
    pub fn is_vector(&self) -> bool {
        matches!(self, Type::Vector(..))
    }

    /// Whether this is an integer or a vector of integers.
    pub fn is_int(&self) -> bool {
        matches!(self.scalar(), Type::Int(_))
    }

    /// Whether this is a floating-point type or a vector of one.
    pub fn is_float(&self) -> bool {
        matches!(self.scalar(), Type::Half | Type::Float | Type::Double)
    }

    /// Whether this is a pointer or a vector of pointers.
    pub fn is_ptr(&self) -> bool {
        matches!(self.scalar(), Type::Ptr(_))
    }

    /// Whether this is a structure or an array.
    pub fn is_aggregate(&self) -> bool {
        matches!(
            self,
            Type::Array(..) | Type::Struct { .. } | Type::Named(..)
        )
    }

    /// Width in bits of a scalar or of one element of a vector; 64 for pointers, 0 for the rest.
    pub fn scalar_bits(&self) -> u32 {
        match self.scalar() {
            Type::Int(n) => n,
            Type::Half => 16,
            Type::Float => 32,
            Type::Double | Type::Ptr(_) => 64,
            _ => 0,
        }
    }

    /// Alignment in bytes (ABI alignment of x86-64 with LLVM's data layout).
    pub fn align(&self) -> u64 {
        match self {
            Type::Void | Type::Metadata | Type::Token => 1,
            Type::Int(n) => u64::from(n.div_ceil(8)).next_power_of_two().min(16),
            Type::Half => 2,
            Type::Float => 4,
            Type::Double | Type::Ptr(_) => 8,
            Type::Vector(..) => self.bytes_of_vector().next_power_of_two(),
            Type::Array(e, _) => e.align(),
            Type::Struct { packed: true, .. } => 1,
            Type::Struct { fields, .. } => fields.iter().map(Type::align).max().unwrap_or(1),
            Type::Named(_, body) => body.align(),
        }
    }

    /// Distance in bytes between two such values in memory.
    pub fn size(&self) -> u64 {
        match self {
            Type::Void | Type::Metadata | Type::Token => 0,
            Type::Int(n) => u64::from(n.div_ceil(8)).next_multiple_of(self.align()),
            Type::Half => 2,
            Type::Float => 4,
            Type::Double | Type::Ptr(_) => 8,
            Type::Vector(..) => self.bytes_of_vector().next_power_of_two(),
            Type::Array(e, n) => e.size().saturating_mul(*n),
            Type::Struct { fields, packed } => {
                let end = fields.iter().fold(0u64, |at, f| {
                    let align = if *packed { 1 } else { f.align() };
                    round_up(at, align).saturating_add(f.size())
                });
                round_up(end, self.align())
            }
            Type::Named(_, body) => body.size(),
        }
    }

    /// Byte offset of member `index` of a structure, or of element `index` of an array or vector.
    /// `None` for other types and for members that do not exist.
    pub fn offset(&self, index: u64) -> Option<u64> {
        match self {
            Type::Vector(e, _) | Type::Array(e, _) => e.size().checked_mul(index),
            Type::Struct { fields, packed } => {
                let index = usize::try_from(index).ok().filter(|i| *i < fields.len())?;
                let align = |f: &Type| if *packed { 1 } else { f.align() };
                let before = fields[..index].iter().fold(0u64, |at, f| {
                    round_up(at, align(f)).saturating_add(f.size())
                });
                Some(round_up(before, align(&fields[index])))
            }
            Type::Named(_, body) => body.offset(index),
            _ => None,
        }
    }

    /// The type of member `index` of a structure, array or vector.
    pub fn member(&self, index: u64) -> Option<Type> {
        match self {
            Type::Vector(e, n) => (index < u64::from(*n)).then(|| (**e).clone()),
            Type::Array(e, n) => (index < *n).then(|| (**e).clone()),
            Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).cloned(),
            Type::Named(_, body) => body.member(index),
            _ => None,
        }
    }

    /// The type as it stands in the name of an overloaded intrinsic: `i32`, `f64`, `v4f32`, `p0`.
    pub fn mangled(&self) -> String {
        match self {
            Type::Int(n) => format!("i{n}"),
            Type::Half => "f16".into(),
            Type::Float => "f32".into(),
            Type::Double => "f64".into(),
            Type::Ptr(space) => format!("p{space}"),
            Type::Vector(e, n) => format!("v{n}{}", e.mangled()),
            Type::Array(e, n) => format!("a{n}{}", e.mangled()),
            Type::Void => "isVoid".into(),
            Type::Metadata => "Metadata".into(),
            Type::Token => "token".into(),
            Type::Named(name, _) => format!("s_{name}s"),
            Type::Struct { fields, .. } => {
                let inner: String = fields.iter().map(Type::mangled).collect();
                format!("sl_{inner}s")
            }
        }
    }

    /// Bytes that the elements of a vector take, bits packed for odd widths.
    fn bytes_of_vector(&self) -> u64 {
        (u64::from(self.scalar_bits()) * u64::from(self.lanes()))
            .div_ceil(8)
            .max(1)
    }
}

/// `at` rounded up to a multiple of `align`, saturating.
fn round_up(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align.max(1))
        .unwrap_or(u64::MAX)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Int(n) => write!(f, "i{n}"),
            Type::Half => f.write_str("half"),
            Type::Float => f.write_str("float"),
            Type::Double => f.write_str("double"),
            Type::Ptr(0) => f.write_str("ptr"),
            Type::Ptr(space) => write!(f, "ptr addrspace({space})"),
            Type::Vector(e, n) => write!(f, "<{n} x {e}>"),
            Type::Array(e, n) => write!(f, "[{n} x {e}]"),
            Type::Struct { fields, packed } => {
                f.write_str(if *packed { "<{" } else { "{" })?;
                for (i, field) in fields.iter().enumerate() {
                    write!(f, "{} {field}", if i == 0 { "" } else { "," })?;
                }
                f.write_str(if *packed { " }>" } else { " }" })
            }
            Type::Named(name, _) => write!(f, "%{}", super::quote(name)),
            Type::Metadata => f.write_str("metadata"),
            Type::Token => f.write_str("token"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_llvm_spells_them() {
        let v4 = Type::vector(&Type::Float, 4);
        let s = Type::structure(&[Type::I8, v4.clone(), Type::PTR]);
        assert_eq!(s.to_string(), "{ i8, <4 x float>, ptr }");
        let p = Type::packed(&[Type::array(&Type::I16, 3), Type::Ptr(3)]);
        assert_eq!(p.to_string(), "<{ [3 x i16], ptr addrspace(3) }>");
        assert_eq!(Type::structure(&[]).to_string(), "{ }");
        assert_eq!(v4.mangled(), "v4f32");
    }

    #[test]
    fn sizes_and_offsets_follow_the_data_layout() {
        let v3 = Type::vector(&Type::Float, 3);
        assert_eq!((v3.size(), v3.align()), (16, 16));
        let s = Type::structure(&[Type::I8, Type::I32, Type::I16, v3]);
        assert_eq!(s.offset(1), Some(4));
        assert_eq!(s.offset(2), Some(8));
        assert_eq!(s.offset(3), Some(16));
        assert_eq!(s.offset(4), None);
        assert_eq!((s.size(), s.align()), (32, 16));
        let p = Type::packed(&[Type::I8, Type::I32]);
        assert_eq!((p.size(), p.align(), p.offset(1)), (5, 1, Some(1)));
        assert_eq!((Type::Int(24).size(), Type::Int(128).align()), (4, 16));
        assert_eq!(Type::vector(&Type::I1, 3).size(), 1);
        assert_eq!(Type::array(&Type::Double, u64::MAX).size(), u64::MAX);
    }

    #[test]
    fn shapes_carry_over() {
        let v = Type::vector(&Type::Double, 2);
        assert_eq!(v.condition(), Type::vector(&Type::I1, 2));
        assert_eq!(v.as_int(), Type::vector(&Type::I64, 2));
        assert_eq!(Type::Half.as_int(), Type::I16);
        assert_eq!(v.member(1), Some(Type::Double));
        assert_eq!(v.member(2), None);
    }
}
