//! Types reduced to what operand rules talk about.

use crate::Id;
use crate::model::Module;
use crate::types::Type;

/// What a scalar, or each element of a vector, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// A truth value.
    Bool,
    /// An integer of so many bits.
    Int(u32),
    /// A float of so many bits.
    Float(u32),
    /// A pointer.
    Pointer,
}

/// A scalar (one lane) or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The element.
    pub elem: Elem,
    /// Number of elements.
    pub lanes: u32,
}

impl Shape {
    /// Size in bits; Bool counts 1.
    pub fn bits(self) -> u32 {
        let bits = match self.elem {
            Elem::Bool => 1,
            Elem::Int(bits) | Elem::Float(bits) => bits,
            Elem::Pointer => 64,
        };
        bits * self.lanes
    }
}

/// The shape of a type, if it is a scalar, vector or pointer.
pub fn shape_of(module: &Module, ty: Id) -> Option<Shape> {
    let (elem, lanes) = match module.ty(ty) {
        Type::Vector { elem, len } => (*elem, *len),
        _ => (ty, 1),
    };
    let elem = match module.ty(elem) {
        Type::Bool => Elem::Bool,
        Type::Int { width } => Elem::Int(*width),
        Type::Float { width } => Elem::Float(*width),
        Type::Pointer { .. } => Elem::Pointer,
        _ => return None,
    };
    Some(Shape { elem, lanes })
}
