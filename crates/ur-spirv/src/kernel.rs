//! What a host program must know of a module's kernels.

use crate::model::{Function, Module};
use crate::types::Type;
use crate::{Id, Layout};
use rspirv::spirv::{
    AccessQualifier, Decoration, Dim, ExecutionMode, FunctionParameterAttribute, StorageClass,
};

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Id of its function.
    pub function: Id,
    /// Its arguments.
    pub args: Vec<KernelArg>,
    /// Work-group size it must be launched with (`LocalSize`).
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// Work-group size it is tuned for (`LocalSizeHint`).
    pub work_group_size_hint: Option<[u32; 3]>,
    /// Largest work-group size it may be launched with (`MaxWorkgroupSizeINTEL`).
    pub max_work_group_size: Option<[u32; 3]>,
    /// Most dimensions it may be launched with (`MaxWorkDimINTEL`).
    pub max_work_dim: Option<u32>,
    /// Raw operand of `VecTypeHint`: type in the low half, number of elements in the high half.
    pub vec_type_hint: Option<u32>,
    /// Sub-group size it must run with (`SubgroupSize`).
    pub sub_group_size: Option<u32>,
    /// Number of sub-groups in a work-group (`SubgroupsPerWorkgroup`).
    pub sub_groups: Option<u32>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArg {
    /// Its name, empty if the module does not tell.
    pub name: String,
    /// Id of the parameter's type.
    pub ty: Id,
    /// What the host passes.
    pub kind: ArgKind,
    /// Bytes the host passes; for local memory the size of an element of the pointee, or 0.
    pub size: u64,
    /// Alignment of these bytes, or of the local memory.
    pub align: u64,
    /// True if the kernel promises not to write through the pointer.
    pub read_only: bool,
    /// True if no other argument points to the same memory.
    pub restrict: bool,
    /// True if accesses are volatile.
    pub volatile: bool,
}

/// What the host passes for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A scalar, vector or aggregate, by its bytes.
    Value,
    /// A structure, by its bytes; the parameter is a pointer to a private copy.
    ByValue {
        /// Id of the structure's type.
        pointee: Id,
    },
    /// The address of global memory.
    Global {
        /// Id of the type pointed to.
        pointee: Id,
    },
    /// The address of constant memory.
    Constant {
        /// Id of the type pointed to.
        pointee: Id,
    },
    /// A size of local memory.
    Local {
        /// Id of the type pointed to.
        pointee: Id,
    },
    /// A sampler.
    Sampler,
    /// An image.
    Image {
        /// Dimensionality.
        dim: Dim,
        /// True for an array of images.
        arrayed: bool,
        /// How the kernel accesses it.
        access: AccessQualifier,
    },
    /// A pipe, queue, event or other object that hosts do not pass here.
    Other,
}

impl Module {
    /// The module's kernels in order of declaration.
    pub fn kernels(&self) -> Vec<Kernel> {
        let entries = self.entry_points.iter().filter(|e| !e.is_initializer());
        entries
            .filter_map(|entry| {
                let function = self.function(entry.function)?;
                let mode = |wanted: ExecutionMode| {
                    let mut modes = entry.modes.iter();
                    modes.find(|(mode, _)| *mode == wanted).map(|(_, ops)| ops)
                };
                let one = |wanted| mode(wanted).and_then(|ops| ops.first().copied());
                let three = |wanted| mode(wanted).and_then(|ops| ops.first_chunk::<3>().copied());
                Some(Kernel {
                    name: entry.name.clone(),
                    function: entry.function,
                    args: self.kernel_args(function),
                    reqd_work_group_size: three(ExecutionMode::LocalSize)
                        .or_else(|| three(ExecutionMode::LocalSizeId)),
                    work_group_size_hint: three(ExecutionMode::LocalSizeHint)
                        .or_else(|| three(ExecutionMode::LocalSizeHintId)),
                    max_work_group_size: three(ExecutionMode::MaxWorkgroupSizeINTEL),
                    max_work_dim: one(ExecutionMode::MaxWorkDimINTEL),
                    vec_type_hint: one(ExecutionMode::VecTypeHint),
                    sub_group_size: one(ExecutionMode::SubgroupSize),
                    sub_groups: one(ExecutionMode::SubgroupsPerWorkgroup)
                        .or_else(|| one(ExecutionMode::SubgroupsPerWorkgroupId)),
                })
            })
            .collect()
    }

    fn kernel_args(&self, function: &Function) -> Vec<KernelArg> {
        use FunctionParameterAttribute as A;
        let params = function.params.iter();
        params
            .map(|param| {
                let has = |attribute| param.attributes.contains(&attribute);
                let (kind, layout) = self.arg_kind(param.ty, has(A::ByVal));
                let align = match (&kind, param.align) {
                    (ArgKind::Local { .. } | ArgKind::ByValue { .. }, Some(align)) => {
                        layout.align.max(u64::from(align))
                    }
                    _ => layout.align,
                };
                KernelArg {
                    name: self.name(param.id).unwrap_or_default().to_owned(),
                    ty: param.ty,
                    kind,
                    size: layout.size,
                    align,
                    read_only: has(A::NoWrite) || self.is_decorated(param.id, Decoration::Constant),
                    restrict: has(A::NoAlias) || self.is_decorated(param.id, Decoration::Restrict),
                    volatile: self.is_decorated(param.id, Decoration::Volatile),
                }
            })
            .collect()
    }

    fn arg_kind(&self, ty: Id, by_value: bool) -> (ArgKind, Layout) {
        let word = Layout { size: 8, align: 8 };
        let unknown = Layout { size: 0, align: 1 };
        match *self.ty(ty) {
            Type::Pointer { storage, pointee } => match storage {
                StorageClass::Function if by_value => (
                    ArgKind::ByValue { pointee },
                    self.layout(pointee).unwrap_or(unknown),
                ),
                StorageClass::Workgroup => (
                    ArgKind::Local { pointee },
                    self.layout(pointee).unwrap_or(unknown),
                ),
                StorageClass::UniformConstant => (ArgKind::Constant { pointee }, word),
                StorageClass::CrossWorkgroup => (ArgKind::Global { pointee }, word),
                _ => (ArgKind::Other, word),
            },
            Type::Sampler => (ArgKind::Sampler, word),
            Type::Image {
                dim,
                arrayed,
                access,
            } => {
                let kind = ArgKind::Image {
                    dim,
                    arrayed,
                    access,
                };
                (kind, word)
            }
            Type::Event
            | Type::DeviceEvent
            | Type::ReserveId
            | Type::Queue
            | Type::Pipe(_)
            | Type::SampledImage { .. }
            | Type::Opaque(_)
            | Type::Function { .. }
            | Type::Void => (ArgKind::Other, word),
            _ => (ArgKind::Value, self.layout(ty).unwrap_or(unknown)),
        }
    }
}
