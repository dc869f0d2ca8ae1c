//! Types and their layout.

use super::Reader;
use crate::decode::Raw;
use crate::model::Def;
use crate::types::{Layout, MAX_TYPE_SIZE, Type};
use crate::{Id, Result, grammar, weight};
use rspirv::spirv::{AccessQualifier, Decoration, Dim, Op, StorageClass};

/// Layout of everything that is a pointer or a handle.
const WORD: Option<Layout> = Some(Layout { size: 8, align: 8 });

impl Reader<'_> {
    pub(super) fn ty(&mut self, raw: &Raw<'_>) -> Result<()> {
        grammar::walk(raw, |_| Ok(()))?;
        let id = raw.word(0)?;
        let (ty, layout) = match raw.op {
            Op::TypeForwardPointer => return self.forward_pointer(raw),
            Op::TypeVoid => (Type::Void, None),
            Op::TypeBool => (Type::Bool, Some(Layout { size: 1, align: 1 })),
            Op::TypeInt => self.int(raw)?,
            Op::TypeFloat => self.float(raw)?,
            Op::TypeVector => self.vector(raw)?,
            Op::TypeArray => self.array(raw)?,
            Op::TypeStruct => self.structure(raw)?,
            Op::TypePointer => self.pointer(raw)?,
            Op::TypeFunction => self.function_type(raw)?,
            Op::TypeOpaque => (Type::Opaque(raw.lossy_string(1)?), None),
            Op::TypeEvent => (Type::Event, WORD),
            Op::TypeDeviceEvent => (Type::DeviceEvent, WORD),
            Op::TypeReserveId => (Type::ReserveId, WORD),
            Op::TypeQueue => (Type::Queue, WORD),
            Op::TypePipe => (Type::Pipe(access(raw, 1)?), WORD),
            Op::TypeSampler => (Type::Sampler, WORD),
            Op::TypeImage => self.image(raw)?,
            Op::TypeSampledImage => {
                let image = raw.word(1)?;
                if !matches!(self.module.ty(image), Type::Image { .. }) {
                    return Err(raw.invalid(format!("id {image} is no image type")));
                }
                // Such a value lives in its block and never stands in memory.
                (Type::SampledImage { image }, None)
            }
            _ => return Err(raw.unsupported("type not of the OpenCL environment")),
        };
        weight::note_type(&mut self.module, raw, id, &ty)?;
        if matches!(ty, Type::Pointer { .. })
            && let Some(at) = self.forward.iter().position(|(ahead, _)| *ahead == id)
        {
            self.forward.swap_remove(at);
            let Type::Pointer { storage, .. } = ty else {
                return Ok(());
            };
            if !matches!(self.module.ty(id), Type::Pointer { storage: s, .. } if *s == storage) {
                return Err(raw.invalid("another storage class than declared ahead"));
            }
            self.module.ids.replace(id, Def::Type(ty, layout));
            return Ok(());
        }
        self.define(raw, id, Def::Type(ty, layout))
    }

    fn forward_pointer(&mut self, raw: &Raw<'_>) -> Result<()> {
        let id = raw.word(0)?;
        let ty = Type::Pointer {
            storage: storage(raw, 1)?,
            pointee: 0,
        };
        self.define(raw, id, Def::Type(ty, WORD))?;
        self.forward.push((id, raw.offset));
        Ok(())
    }

    fn int(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let width = raw.word(1)?;
        if !matches!(width, 8 | 16 | 32 | 64) {
            return Err(raw.unsupported(format!("integers of {width} bits")));
        }
        Ok((Type::Int { width }, scalar_layout(width)))
    }

    fn float(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let width = raw.word(1)?;
        if !matches!(width, 16 | 32 | 64) || raw.words.len() > 2 {
            return Err(raw.unsupported(format!(
                "floats of {width} bits{}",
                if raw.words.len() > 2 {
                    " with an encoding"
                } else {
                    ""
                }
            )));
        }
        Ok((Type::Float { width }, scalar_layout(width)))
    }

    fn vector(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let (elem, len) = (raw.word(1)?, raw.word(2)?);
        if !matches!(len, 2 | 3 | 4 | 8 | 16) {
            return Err(raw.invalid(format!("a vector of {len} elements")));
        }
        let elem_type = self.module.ty(elem);
        if !elem_type.is_scalar() {
            return Err(raw.invalid(format!("id {elem} is no scalar type")));
        }
        // Vectors of Bool have no agreed layout and never stand in memory.
        let layout = match (elem_type, self.module.layout(elem)) {
            (Type::Bool, _) | (_, None) => None,
            (_, Some(layout)) => {
                let size = layout.size * u64::from(len.next_power_of_two());
                Some(Layout { size, align: size })
            }
        };
        Ok((Type::Vector { elem, len }, layout))
    }

    fn array(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let (elem, length) = (raw.word(1)?, raw.word(2)?);
        let layout = self.memory_layout(raw, elem)?;
        if !self.module.type_of(length).is_int() {
            return Err(raw.invalid(format!("length id {length} is no integer constant")));
        }
        let len = self.module.constant_bits(length).ok_or_else(|| {
            raw.unsupported(format!("length id {length} is not known at build time"))
        })?;
        let size = layout
            .size
            .max(1)
            .checked_mul(len)
            .filter(|size| *size <= MAX_TYPE_SIZE)
            .ok_or_else(|| raw.invalid(format!("an array of {len} elements is too large")))?;
        let size = if layout.size == 0 { 0 } else { size };
        let align = layout.align;
        Ok((Type::Array { elem, len }, Some(Layout { size, align })))
    }

    fn structure(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let id = raw.word(0)?;
        let members = raw.rest(1).to_vec();
        let packed = self.module.is_decorated(id, Decoration::CPacked);
        let mut offsets = Vec::with_capacity(members.len());
        let (mut size, mut align) = (0u64, 1u64);
        for member in &members {
            // A structure around a type without layout can be named, but never stand in memory.
            let layout = self.memory_layout(raw, *member)?;
            if !packed {
                size = size.next_multiple_of(layout.align);
                align = align.max(layout.align);
            }
            offsets.push(size);
            size += layout.size;
            if size > MAX_TYPE_SIZE {
                return Err(raw.invalid("the structure is too large"));
            }
        }
        let size = size.next_multiple_of(align);
        let ty = Type::Struct {
            members,
            offsets,
            packed,
        };
        Ok((ty, Some(Layout { size, align })))
    }

    /// Layout of a type that must be able to stand in memory.
    fn memory_layout(&self, raw: &Raw<'_>, ty: Id) -> Result<Layout> {
        self.expect_type(raw, ty)?;
        self.module
            .layout(ty)
            .ok_or_else(|| raw.invalid(format!("values of type {ty} cannot stand in memory")))
    }

    fn pointer(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let pointee = raw.word(2)?;
        self.expect_type(raw, pointee)?;
        let storage = storage(raw, 1)?;
        Ok((Type::Pointer { storage, pointee }, WORD))
    }

    fn function_type(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        let ret = raw.word(1)?;
        self.expect_type(raw, ret)?;
        let params = raw.rest(2).to_vec();
        for param in &params {
            self.expect_type(raw, *param)?;
            if matches!(self.module.ty(*param), Type::Void | Type::Function { .. }) {
                return Err(raw.invalid(format!("type {param} cannot be a parameter's")));
            }
        }
        Ok((Type::Function { ret, params }, None))
    }

    fn image(&self, raw: &Raw<'_>) -> Result<(Type, Option<Layout>)> {
        self.expect_type(raw, raw.word(1)?)?;
        let number = raw.word(2)?;
        let dim = Dim::from_u32(number)
            .ok_or_else(|| raw.invalid(format!("unknown dimensionality {number}")))?;
        if !matches!(dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimBuffer) {
            return Err(raw.unsupported(format!("images with {dim:?}")));
        }
        let arrayed = raw.word(4)? == 1;
        if arrayed && matches!(dim, Dim::Dim3D | Dim::DimBuffer) {
            return Err(raw.invalid(format!("an array of images with {dim:?}")));
        }
        if raw.word(5)? != 0 {
            return Err(raw.unsupported("images with several samples"));
        }
        let ty = Type::Image {
            dim,
            arrayed,
            access: access(raw, 8).unwrap_or(AccessQualifier::ReadOnly),
        };
        Ok((ty, WORD))
    }
}

fn scalar_layout(width: u32) -> Option<Layout> {
    let size = u64::from(width / 8);
    Some(Layout { size, align: size })
}

fn access(raw: &Raw<'_>, at: usize) -> Result<AccessQualifier> {
    let number = raw.word(at)?;
    AccessQualifier::from_u32(number)
        .ok_or_else(|| raw.invalid(format!("unknown access qualifier {number}")))
}

/// The storage class in operand word `at`, if it is one of the OpenCL environment.
pub(super) fn storage(raw: &Raw<'_>, at: usize) -> Result<StorageClass> {
    use StorageClass as S;
    let number = raw.word(at)?;
    match StorageClass::from_u32(number) {
        Some(
            class @ (S::UniformConstant
            | S::Input
            | S::Workgroup
            | S::CrossWorkgroup
            | S::Function
            | S::Generic
            | S::CodeSectionINTEL),
        ) => Ok(class),
        // Program-scope variables of FPGA and of host-visible memory live in global memory too.
        Some(class @ (S::DeviceOnlyALTERA | S::HostOnlyALTERA)) => {
            Err(raw.unsupported(format!("storage class {class:?}")))
        }
        // Allowed for GPUs' vector code only.
        Some(S::Private) => Err(raw.unsupported("storage class Private")),
        _ => Err(raw.invalid(format!(
            "storage class {number} is not of the OpenCL environment"
        ))),
    }
}
