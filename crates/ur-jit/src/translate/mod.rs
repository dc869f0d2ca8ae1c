//! SPIR-V to LLVM IR: plain code for one work-item.
//!
//! The kernel asked for becomes the function [`KERNEL`], with everything that holds a
//! synchronisation point put in place of its calls; other functions it reaches become functions of
//! their own. How work-items synchronise is the [`Lowering`]'s business.

mod arith;
mod builtins_vars;
mod composite;
mod constants;
mod convert;
mod extension;
mod function;
mod group_ops;
mod image;
mod imports;
mod indirect;
mod inst;
mod leader;
mod memory;
mod modes;
mod plan;
mod sync;
mod types;

use std::collections::{HashMap, HashSet};

use ur_jit_abi::{ArgInfo, ArgKind};
use ur_spirv::spirv::{ExecutionMode, FunctionParameterAttribute, StorageClass};
use ur_spirv::{Id, Module, Type as Spv};

use crate::error::{Error, Result};
use crate::group::{self, SyncCall};
use crate::ir::{FunctionBuilder, Linkage, ModuleBuilder, Type, Value};
use crate::item;

pub use constants::write_bytes;
pub use sync::KEY_GROUP;

/// Name of the kernel's function in the IR: `(item record, group record, argument block)`, and for
/// [`Lowering::Coroutine`] the memory of the work-item's suspended state.
pub const KERNEL: &str = "ur.kernel";

/// Sub-group size where nobody asks for another.
pub const DEFAULT_SUB_GROUP: u32 = 16;

/// Largest sub-group size.
pub const MAX_SUB_GROUP: u32 = 64;

/// Most bytes of private variables: they stand on the stacks of the threads that run kernels.
pub const MAX_PRIVATE: u64 = 256 << 10;

/// A private variable from this size on stands in the scratch memory.
pub const LARGE: u64 = 8 << 10;

/// Most bytes of such variables.
pub const MAX_LARGE: u64 = 64 << 20;

/// What a synchronisation point becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// A call of a declared function named after the operation: for reading, and for passes that
    /// know several work-items at once.
    Placeholder,
    /// A suspension of the work-item, which is a coroutine.
    Coroutine,
    /// A call of a declared function named after the point's key, see [`point_name`].
    Vector,
}

/// A synchronisation point of a kernel for the vectoriser.
#[derive(Clone, Debug)]
pub enum Point {
    /// All wait for the others of their work-group.
    GroupBarrier,
    /// All wait for the others of their sub-group.
    SubGroupBarrier,
    /// A group operation.
    Operation(SyncCall),
}

/// Name of the function that stands for a point in the IR for the vectoriser.
pub fn point_name(key: u32) -> String {
    format!("ur.point.{key}")
}

/// Storage of a module's own variables.
pub trait Variables {
    /// Distance in bytes of the variable with this id from the start of the storage, or nothing if
    /// it has none there.
    fn offset(&self, id: Id) -> Option<u64>;

    /// Bytes of storage.
    fn size(&self) -> u64;

    /// Distance in bytes of a word, zero at first, in which the module notes that its initialisers
    /// have run; nothing if it has no initialisers.
    fn state(&self) -> Option<u64>;
}

/// A translated kernel.
pub struct Translated {
    /// The IR so far: the kernel's function and what it calls.
    pub ir: ModuleBuilder,
    /// Whether work-items synchronise.
    pub sync: bool,
    /// The arguments' places in the argument block.
    pub args: Vec<ArgInfo>,
    /// Size of the argument block.
    pub args_size: u32,
    /// Bytes of local memory of the kernel's own variables.
    pub local_size: u64,
    /// Bytes of one value slot of an item record.
    pub slot: u64,
    /// The group operations, by the key with which work-items wait for them.
    pub calls: Vec<(u32, SyncCall)>,
    /// The synchronisation points by key, for the vectoriser.
    pub points: Vec<(u32, Point)>,
    /// Bytes of private variables, an estimate.
    pub private_size: u64,
    /// Alignment of item records and suspended work-items.
    pub frame_align: u64,
    /// Whether work-items wait for their sub-group anywhere.
    pub sub_group_sync: bool,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    /// Whether anything depends on which work-items make up a sub-group.
    pub sub_groups: bool,
    /// Whether work-items of a sub-group go in step before some branch.
    pub leader: bool,
    /// Whether subnormal floats and doubles are zeros.
    pub flush: bool,
    /// Whether floating-point instructions have freedoms, which a compiler takes in one code and not
    /// in another.
    pub loose: bool,
    /// What has to run once before any kernel of the module.
    pub initialisers: Option<Initialisers>,
    /// Bytes of a work-item's private variables that stand in the scratch memory, because they are
    /// too large for a stack.
    pub large_size: u64,
}

impl Translated {
    /// Whether work-items wait for their work-group, in the IR for the vectoriser.
    pub fn waits_for_group(&self) -> bool {
        self.points.iter().any(|(_, point)| match point {
            Point::GroupBarrier => true,
            Point::SubGroupBarrier => false,
            Point::Operation(call) => !call.sub_group,
        })
    }

    /// Whether the work-items of a sub-group do anything together, in the IR for the vectoriser.
    pub fn sub_groups_meet(&self) -> bool {
        self.points.iter().any(|(_, point)| match point {
            Point::GroupBarrier => false,
            Point::SubGroupBarrier => true,
            Point::Operation(call) => call.sub_group,
        })
    }

    /// Whether results may depend on the number of lanes: floats are put together in an order that
    /// depends on it, or as the compiler likes.
    pub fn lanes_matter(&self) -> bool {
        let ordered = |(_, call): &(u32, SyncCall)| match call.kind {
            group::Kind::Reduce(reduction, _) => reduction.is_of_floats(),
            _ => false,
        };
        self.loose || self.calls.iter().any(ordered)
    }

    /// What the sub-groups of a work-group do with each other's values, by key.
    pub fn between_sub_groups(&self) -> Vec<(u32, SyncCall)> {
        let group = |(key, point): &(u32, Point)| match point {
            Point::Operation(call) if !call.sub_group => Some((*key, call.between_sub_groups()?)),
            _ => None,
        };
        self.points.iter().filter_map(group).collect()
    }
}

/// Functions that run once before any kernel of the module.
pub struct Initialisers {
    /// Address of the word, zero at first, that tells whether they have run.
    pub state: Value,
    /// Names in the IR, and whether a function takes the records.
    pub functions: Vec<(String, bool)>,
}

/// Translation of one kernel.
pub struct Translator<'m> {
    spv: &'m Module,
    variables: &'m dyn Variables,
    ir: ModuleBuilder,
    lowering: Lowering,
    plan: plan::Plan,
    modes: modes::Modes,
    sub_group_size: u32,
    /// Offset of each Workgroup variable in the local block.
    locals: HashMap<Id, u64>,
    /// Functions that are translated or queued.
    named: HashSet<Id>,
    queue: Vec<Id>,
    literals: HashMap<Id, Value>,
    /// Number of synchronisation points so far.
    syncs: u32,
    /// Yields to the sub-group so far.
    yields: u32,
    /// Bytes of a value slot as planned, and as it turned out to be needed.
    slot: u64,
    needed_slot: u64,
    /// Largest alignment of a private variable.
    private_align: u64,
    sub_group_sync: bool,
    sub_groups: bool,
    /// Group operations by key.
    calls: Vec<(u32, SyncCall)>,
    points: Vec<(u32, Point)>,
    private_size: u64,
    /// Whether floating-point instructions had freedoms so far.
    loose: bool,
    /// Bytes of private variables in scratch memory so far.
    large_size: u64,
}

/// Translates `kernel`.
///
/// # Errors
/// [`Error::unsupported`] naming what cannot be translated.
pub fn kernel(
    spv: &Module,
    name: &str,
    sub_group_size: u32,
    lowering: Lowering,
    variables: &dyn Variables,
) -> Result<Translated> {
    let first = with_slot(spv, name, sub_group_size, lowering, variables, SMALL_SLOT)?;
    if first.slot <= SMALL_SLOT {
        return Ok(first);
    }
    // Rare: some value needs a larger slot, which moves what stands behind it.
    with_slot(spv, name, sub_group_size, lowering, variables, first.slot)
}

/// Size of a value slot that suits all but vectors of long elements.
const SMALL_SLOT: u64 = 16;

/// Translates with value slots of `slot` bytes.
fn with_slot(
    spv: &Module,
    name: &str,
    sub_group_size: u32,
    lowering: Lowering,
    variables: &dyn Variables,
    slot: u64,
) -> Result<Translated> {
    let entry = spv
        .entry_points
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| Error::not_found(format!("no kernel is called {name}")))?;
    let function = spv
        .function(entry.function)
        .ok_or_else(|| Error::internal("the kernel's function is missing"))?;
    let required = entry
        .modes
        .iter()
        .find(|(mode, _)| *mode == ExecutionMode::SubgroupSize)
        .and_then(|(_, operands)| operands.first().copied());
    let sub_group_size = match required.unwrap_or(sub_group_size) {
        0 => DEFAULT_SUB_GROUP,
        size if size <= MAX_SUB_GROUP && size.is_power_of_two() => size,
        size => return Err(Error::unsupported(format!("sub-groups of {size}"))),
    };

    let modes = modes::Modes::new(entry)?;
    let plan = plan::Plan::new(spv, entry.function)?;
    let mut local_size = 0u64;
    let mut locals = HashMap::new();
    for id in &plan.locals {
        let layout = spv
            .global(*id)
            .and_then(|global| spv.layout(global.pointee))
            .ok_or_else(|| Error::unsupported("a local variable without a size"))?;
        let align = u64::from(
            spv.decoration(*id, ur_spirv::spirv::Decoration::Alignment)
                .and_then(|decoration| decoration.params.first().copied())
                .unwrap_or(1),
        );
        let align = align.max(layout.align).max(1);
        if align > ur_jit_abi::LOCAL_ALIGN as u64 || !align.is_power_of_two() {
            return Err(Error::unsupported(format!(
                "local memory aligned to {align}"
            )));
        }
        local_size = local_size.next_multiple_of(align);
        locals.insert(*id, local_size);
        local_size += layout.size;
    }

    let modes_flush = modes.flush;
    let mut translator = Translator {
        spv,
        variables,
        ir: ModuleBuilder::new(),
        lowering,
        sub_group_size,
        locals,
        named: HashSet::new(),
        queue: Vec::new(),
        literals: HashMap::new(),
        syncs: 0,
        yields: 0,
        slot,
        needed_slot: 0,
        private_align: 1,
        sub_group_sync: false,
        sub_groups: false,
        calls: Vec::new(),
        points: Vec::new(),
        private_size: 0,
        loose: false,
        large_size: 0,
        modes,
        plan,
    };
    translator
        .ir
        .set_target(crate::llvm::TRIPLE, crate::llvm::DATA_LAYOUT);
    if modes_flush {
        translator
            .ir
            .set_function_attributes("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"");
    }
    let (args, args_size) = translator.kernel_function(function)?;
    let initialisers = translator.initialisers(function.id)?;
    while let Some(id) = translator.queue.pop() {
        translator.helper_function(id)?;
    }
    let sync = translator.plan.has_sync(function.id);
    let leader = translator.plan.has_leader(function.id);
    if translator.private_size > MAX_PRIVATE {
        return Err(Error::unsupported(format!(
            "{} bytes of private variables; a work-item has at most {MAX_PRIVATE} for small ones",
            translator.private_size
        )));
    }
    if translator.large_size > MAX_LARGE {
        return Err(Error::unsupported(format!(
            "{} bytes of private variables; a work-item has at most {MAX_LARGE}",
            translator.large_size
        )));
    }
    Ok(Translated {
        ir: translator.ir,
        sync,
        leader,
        args,
        args_size,
        local_size,
        slot: translator
            .needed_slot
            .next_multiple_of(SMALL_SLOT)
            .max(slot),
        calls: translator.calls,
        points: translator.points,
        private_size: translator.private_size + translator.large_size,
        frame_align: translator.private_align.max(item::RECORD_ALIGN),
        sub_group_sync: translator.sub_group_sync,
        sub_group_size,
        sub_groups: translator.sub_groups,
        flush: modes_flush,
        loose: translator.loose,
        initialisers,
        large_size: translator.large_size,
    })
}

impl<'m> Translator<'m> {
    /// The register type of a SPIR-V type.
    fn ty(&self, id: Id) -> Result<Type> {
        types::register(self.spv, id)
    }

    /// The module's initialisers, to be called before work-groups of `kernel` run.
    fn initialisers(&mut self, kernel: Id) -> Result<Option<Initialisers>> {
        let Some(state) = self.variables.state() else {
            return Ok(None);
        };
        let spv = self.spv;
        let mut functions = Vec::new();
        for id in modes::initialisers(spv) {
            if id == kernel {
                return Ok(None);
            }
            if self.plan.has_sync(id) {
                return Err(Error::unsupported(
                    "an initialiser whose work-items wait for each other",
                ));
            }
            functions.push((self.helper_name(id), self.plan.needs_item(id)));
        }
        Ok(Some(Initialisers {
            state: self.storage(state),
            functions,
        }))
    }

    /// Address of a place in the memory of the module's variables.
    fn storage(&self, offset: u64) -> Value {
        // The storage is elsewhere each time the code is loaded.
        let bytes = Type::array(&Type::I8, self.variables.size());
        self.ir.extern_global(ur_jit_abi::code::STORAGE, &bytes);
        Value::new(
            &Type::PTR,
            format!(
                "getelementptr inbounds (i8, ptr @{}, i64 {offset})",
                ur_jit_abi::code::STORAGE
            ),
        )
    }

    /// Name of a helper function in the IR; queues its translation.
    fn helper_name(&mut self, id: Id) -> String {
        if self.named.insert(id) {
            self.queue.push(id);
        }
        match self.spv.name(id) {
            Some(name) if !name.is_empty() => format!("f{id}.{name}"),
            _ => format!("f{id}"),
        }
    }

    /// The kernel: loads its arguments from the block, then the function's body.
    fn kernel_function(&mut self, function: &'m ur_spirv::Function) -> Result<(Vec<ArgInfo>, u32)> {
        let coroutine = self.lowering == Lowering::Coroutine && self.plan.has_sync(function.id);
        let (result, params) = if coroutine {
            (Type::PTR, vec![Type::PTR; 4])
        } else {
            (Type::Void, vec![Type::PTR; 3])
        };
        let mut fb = FunctionBuilder::new(&self.ir, KERNEL, Linkage::Internal, &result, &params);
        // In the loop over work-items the records turn into plain values.
        fb.attribute(if coroutine {
            "nounwind"
        } else {
            "nounwind alwaysinline"
        });
        fb.param_attributes(2, "noalias readonly");
        let (item, group, block) = (fb.param(0), fb.param(1), fb.param(2));
        let mut body = function::Body::new(self, fb, item, group);
        if coroutine {
            body.begin_coroutine();
        }

        // The arguments never change while the kernel runs.
        let invariant = body.t.ir.metadata("!{}");
        let mut infos = Vec::new();
        let mut values = Vec::new();
        let mut end = 0u64;
        for param in &function.params {
            let by_value = param
                .attributes
                .contains(&FunctionParameterAttribute::ByVal);
            let (kind, size, align) = body.t.argument(param, by_value)?;
            let offset = end.next_multiple_of(align);
            end = offset + size;
            let narrow =
                |n: u64| u32::try_from(n).map_err(|_| Error::unsupported("arguments of 4 GiB"));
            infos.push(ArgInfo {
                kind,
                size: narrow(size)?,
                offset: narrow(offset)?,
                align: narrow(align)?,
            });
            let offset = i64::try_from(offset).map_err(|_| Error::unsupported("huge arguments"))?;
            let place = body.fb.ptr_add(&block, &Value::i64(offset));
            let ty = body.t.ty(param.ty)?;
            values.push(match kind {
                // A private copy for each work-item is made with the other ByVal parameters.
                ArgKind::Value if by_value => place,
                ArgKind::Value if body.t.layout_has_bool(param.ty) => {
                    body.load_value(&place, param.ty, align, false)?
                }
                ArgKind::Local => {
                    let text = format!("load i64, {place}, align 8, !invariant.load {invariant}");
                    let offset = body.fb.inst(&Type::I64, text);
                    let local = item::load(
                        &mut body.fb,
                        &body.group.clone(),
                        item::group::LOCAL,
                        &Type::PTR,
                    );
                    body.fb.ptr_add(&local, &offset)
                }
                _ => {
                    let text =
                        format!("load {ty}, {place}, align {align}, !invariant.load {invariant}");
                    body.fb.inst(&ty, text)
                }
            });
        }
        body.inline(function, &values)?;
        body.finish();
        let args_size = u32::try_from(end.next_multiple_of(16))
            .map_err(|_| Error::unsupported("arguments of 4 GiB"))?;
        Ok((infos, args_size))
    }

    /// Kind, size and alignment of a kernel argument in the block.
    fn argument(&self, param: &ur_spirv::Param, by_value: bool) -> Result<(ArgKind, u64, u64)> {
        let layout = |ty: Id| {
            self.spv
                .layout(ty)
                .ok_or_else(|| Error::unsupported("a kernel argument without a size"))
        };
        let (kind, ty) = match self.spv.ty(param.ty) {
            Spv::Pointer { storage, pointee } => match storage {
                StorageClass::Function if by_value => (ArgKind::Value, *pointee),
                StorageClass::Workgroup => (ArgKind::Local, param.ty),
                StorageClass::CrossWorkgroup
                | StorageClass::UniformConstant
                | StorageClass::Generic => (ArgKind::Pointer, param.ty),
                other => {
                    return Err(Error::unsupported(format!(
                        "a kernel argument that points to {other:?} memory"
                    )));
                }
            },
            Spv::Image { .. } => (ArgKind::Image, param.ty),
            Spv::Sampler => (ArgKind::Sampler, param.ty),
            Spv::SampledImage { .. } => {
                return Err(Error::unsupported(
                    "an image with its sampler as an argument",
                ));
            }
            _ => (ArgKind::Value, param.ty),
        };
        let layout = layout(ty)?;
        let align = if by_value {
            layout.align.max(u64::from(param.align.unwrap_or(1)))
        } else {
            layout.align
        };
        if !align.is_power_of_two() || align > ur_jit_abi::LOCAL_ALIGN as u64 {
            return Err(Error::unsupported(format!(
                "an argument aligned to {align}"
            )));
        }
        Ok((kind, layout.size, align))
    }

    /// Whether values of the type differ in memory and in registers.
    fn layout_has_bool(&self, ty: Id) -> bool {
        match self.spv.ty(ty) {
            Spv::Bool => true,
            Spv::Vector { elem, .. } | Spv::Array { elem, .. } => self.layout_has_bool(*elem),
            Spv::Struct { .. } => true,
            _ => false,
        }
    }

    /// A function of its own, called by the kernel or another one.
    fn helper_function(&mut self, id: Id) -> Result<()> {
        let spv = self.spv;
        let function = spv
            .function(id)
            .ok_or_else(|| Error::internal("a called function is missing"))?;
        let needs_item = self.plan.needs_item(id);
        let mut params = if needs_item {
            vec![Type::PTR; 2]
        } else {
            Vec::new()
        };
        for param in &function.params {
            params.push(self.ty(param.ty)?);
        }
        let name = self.helper_name(id);
        let result = self.ty(function.ret)?;
        let mut fb = FunctionBuilder::new(&self.ir, &name, Linkage::Internal, &result, &params);
        // Inlined, the records stay values; a call would force them into memory.
        fb.attribute(if self.plan.is_called_by_address(id) {
            // Such functions may call each other round in circles.
            "nounwind noinline"
        } else if needs_item {
            "nounwind alwaysinline"
        } else {
            "nounwind"
        });
        let (item, group, first) = if needs_item {
            (fb.param(0), fb.param(1), 2)
        } else {
            (Value::poison(&Type::PTR), Value::poison(&Type::PTR), 0)
        };
        let args: Vec<Value> = (first..params.len()).map(|i| fb.param(i)).collect();
        let mut body = function::Body::new(self, fb, item, group);
        let result = body.inline(function, &args)?;
        body.fb.ret(result.as_ref());
        body.fb.finish();
        Ok(())
    }
}
