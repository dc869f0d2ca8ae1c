//! Types, and their layout in memory on a 64-bit device.

use crate::Id;
use rspirv::spirv::{AccessQualifier, Dim, StorageClass};

/// A type. Types refer to each other by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// A truth value; one byte in memory.
    Bool,
    /// An integer of 8, 16, 32 or 64 bits (or 1 to 64 with arbitrary-precision integers).
    Int {
        /// Bits.
        width: u32,
    },
    /// A floating-point number of 16, 32 or 64 bits.
    Float {
        /// Bits.
        width: u32,
    },
    /// A vector of 2, 3, 4, 8 or 16 scalars.
    Vector {
        /// Element type: `Bool`, `Int`, `Float` or (pointer vectors) `Pointer`.
        elem: Id,
        /// Number of elements.
        len: u32,
    },
    /// An array with a known length.
    Array {
        /// Element type.
        elem: Id,
        /// Number of elements, at least 1.
        len: u64,
    },
    /// A structure.
    Struct {
        /// Member types.
        members: Vec<Id>,
        /// Byte offset of each member.
        offsets: Vec<u64>,
        /// True if members stand without padding.
        packed: bool,
    },
    /// A pointer; always 8 bytes.
    Pointer {
        /// What kind of memory it points to.
        storage: StorageClass,
        /// Type of what it points to.
        pointee: Id,
    },
    /// A function.
    Function {
        /// Type returned.
        ret: Id,
        /// Parameter types.
        params: Vec<Id>,
    },
    /// An event of an asynchronous group copy.
    Event,
    /// An event of device-side enqueue.
    DeviceEvent,
    /// A pipe reservation.
    ReserveId,
    /// A device-side queue.
    Queue,
    /// A pipe.
    Pipe(AccessQualifier),
    /// A structure whose content is hidden.
    Opaque(String),
    /// A sampler.
    Sampler,
    /// An image.
    Image {
        /// Dimensionality.
        dim: Dim,
        /// True for an array of images.
        arrayed: bool,
        /// How the kernel may access it.
        access: AccessQualifier,
    },
    /// An image together with a sampler.
    SampledImage {
        /// The image type.
        image: Id,
    },
}

impl Type {
    /// True for `Int`.
    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int { .. })
    }

    /// True for `Float`.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float { .. })
    }

    /// True for `Pointer`.
    pub fn is_pointer(&self) -> bool {
        matches!(self, Type::Pointer { .. })
    }

    /// True for `Bool`, `Int` and `Float`.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Bool | Type::Int { .. } | Type::Float { .. })
    }

    /// Number of coordinates that choose a texel of an image, the layer of an array included; 0 for
    /// other types.
    pub fn coordinates(&self) -> u32 {
        match self {
            Type::Image { dim, arrayed, .. } => {
                let dims = match dim {
                    Dim::Dim2D => 2,
                    Dim::Dim3D => 3,
                    _ => 1,
                };
                dims + u32::from(*arrayed)
            }
            _ => 0,
        }
    }

    /// True for structures and arrays.
    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Struct { .. } | Type::Array { .. })
    }
}

/// Size and alignment of a type in memory, in bytes. The size is a multiple of the alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from one element of an array to the next.
    pub size: u64,
    /// Alignment, a power of two.
    pub align: u64,
}

/// No type of a module may be larger, so that sums and products of sizes cannot overflow.
pub const MAX_TYPE_SIZE: u64 = 1 << 40;
