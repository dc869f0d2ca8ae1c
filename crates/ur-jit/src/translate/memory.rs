//! Memory: variables, loads, stores, copies, address arithmetic and casts between storage classes.

use ur_spirv::spirv::{Decoration, MemoryAccess, Op, StorageClass};
use ur_spirv::{Def, Id, Inst, Module, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};
use crate::item;

use super::function::Body;
use super::{LARGE, types};

impl Body<'_, '_> {
    /// Memory instructions.
    pub fn memory(&mut self, inst: &Inst) -> Result<bool> {
        match inst.op {
            Op::Variable => self.variable(inst)?,
            Op::Load => self.load(inst)?,
            Op::Store => {
                let (ptr, value) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let ty = self.t.spv.type_id_of(inst.arg(1));
                let access = Access::new(inst.args_from(2));
                let align = self.alignment(&access, ty)?;
                self.store_value(&value, &ptr, ty, align, access.volatile)?;
            }
            Op::CopyMemory => {
                let (to, from) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let pointee = self.pointee(inst.arg(0))?;
                let size = self.layout(pointee)?.size;
                let access = Access::copy(inst.args_from(2));
                let align = self.alignment(&access, pointee)?;
                let size = Value::i64(i64::try_from(size).unwrap_or(i64::MAX));
                self.copy(&to, &from, &size, align, access.volatile);
            }
            Op::CopyMemorySized => {
                let (to, from) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let size = self.value(inst.arg(2))?;
                let size = self.fb.int_cast(&size, &Type::I64, false);
                let access = Access::copy(inst.args_from(3));
                self.copy(
                    &to,
                    &from,
                    &size,
                    access.align.unwrap_or(1),
                    access.volatile,
                );
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                let value = self.access_chain(inst)?;
                self.set(inst, value);
            }
            Op::PtrDiff => {
                let (a, b) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let pointee = self.pointee(inst.arg(0))?;
                let size = self.layout(pointee)?.size.max(1);
                let a = self.fb.cast("ptrtoint", &a, &Type::I64);
                let b = self.fb.cast("ptrtoint", &b, &Type::I64);
                let bytes = self.fb.binary("sub", &a, &b);
                let size = Value::i64(i64::try_from(size).unwrap_or(i64::MAX));
                let count = self.fb.binary("sdiv exact", &bytes, &size);
                let ty = self.result_ty(inst)?;
                let count = self.fb.int_cast(&count, &ty, true);
                self.set(inst, count);
            }
            Op::SizeOf => {
                let pointee = self.pointee(inst.arg(0))?;
                let size = self.layout(pointee)?.size;
                let ty = self.result_ty(inst)?;
                self.set(inst, Value::int(&ty, i128::from(size)));
            }
            Op::GenericCastToPtrExplicit => self.explicit_cast(inst)?,
            Op::GenericPtrMemSemantics => {
                let ptr = self.value(inst.arg(0))?;
                // Bits of the storage classes in a memory semantics mask.
                let local = self.in_local(&ptr);
                let value = self
                    .fb
                    .select(&local, &Value::i32(0x100), &Value::i32(0x200));
                self.set(inst, value);
            }
            Op::LifetimeStart | Op::LifetimeStop => self.lifetime(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn layout(&self, ty: Id) -> Result<ur_spirv::Layout> {
        self.t
            .spv
            .layout(ty)
            .ok_or_else(|| Error::unsupported("a value in memory without a size"))
    }

    /// Type id of what the pointer `id` points to.
    fn pointee(&self, id: Id) -> Result<Id> {
        match self.t.spv.type_of(id) {
            Spv::Pointer { pointee, .. } => Ok(*pointee),
            _ => Err(Error::internal(format!("%{id} is no pointer"))),
        }
    }

    /// A private variable.
    fn variable(&mut self, inst: &Inst) -> Result<()> {
        let Spv::Pointer { pointee, .. } = self.t.spv.ty(inst.ty) else {
            return Err(Error::internal("a variable whose type is no pointer"));
        };
        let layout = self.layout(*pointee)?;
        let stated = self
            .t
            .spv
            .decoration(inst.id, Decoration::Alignment)
            .and_then(|decoration| decoration.params.first().copied())
            .filter(|align| align.is_power_of_two());
        let align = layout.align.max(u64::from(stated.unwrap_or(1)));
        if align > ur_jit_abi::LOCAL_ALIGN as u64 {
            return Err(Error::unsupported(format!("a variable aligned to {align}")));
        }
        let ptr = self.private(layout.size, align);
        if inst.arg(1) != 0 {
            let value = self.value(inst.arg(1))?;
            self.store_value(&value, &ptr, *pointee, align, false)?;
        }
        self.set(inst, ptr);
        Ok(())
    }

    /// Memory of a private variable.
    pub fn private(&mut self, size: u64, align: u64) -> Value {
        self.t.private_align = self.t.private_align.max(align);
        if size < LARGE {
            self.t.private_size = self.t.private_size.saturating_add(size);
            return self.fb.alloca(&Type::array(&Type::I8, size), 1, align);
        }
        // Functions do not call themselves, so each variable has a place of its own.
        let start = self.t.large_size.next_multiple_of(align);
        self.t.large_size = start.saturating_add(size);
        let record = self.item.clone();
        let base = item::load(&mut self.fb, &record, item::item::PRIVATE, &Type::PTR);
        let offset = i64::try_from(start).unwrap_or(i64::MAX);
        self.fb.ptr_add(&base, &Value::i64(offset))
    }

    fn load(&mut self, inst: &Inst) -> Result<()> {
        if let Some(value) = self.load_builtin(inst)? {
            self.set(inst, value);
            return Ok(());
        }
        let ptr = self.value(inst.arg(0))?;
        let access = Access::new(inst.args_from(1));
        let align = self.alignment(&access, inst.ty)?;
        let value = self.load_value(&ptr, inst.ty, align, access.volatile)?;
        self.set(inst, value);
        Ok(())
    }

    /// Alignment of an access: what it states, else the type's own.
    fn alignment(&self, access: &Access, ty: Id) -> Result<u64> {
        match access.align {
            Some(align) => Ok(align),
            None => Ok(self.layout(ty)?.align),
        }
    }

    /// Loads a value of the SPIR-V type `ty`.
    pub fn load_value(&mut self, ptr: &Value, ty: Id, align: u64, volatile: bool) -> Result<Value> {
        let register = self.t.ty(ty)?;
        let Some(members) = self.members(ty)? else {
            let memory = types::in_memory(&register);
            let value = if volatile {
                self.fb.load_volatile(&memory, ptr, align)
            } else {
                self.fb.load(&memory, ptr, align)
            };
            return Ok(if memory == register {
                value
            } else {
                self.fb.icmp("ne", &value, &Value::zero(&memory))
            });
        };
        let mut whole = Value::poison(&register);
        for (index, (member, offset)) in members.into_iter().enumerate() {
            let place = self
                .fb
                .ptr_add(ptr, &Value::int(&Type::I64, i128::from(offset)));
            let part = self.load_value(&place, member, align_at(align, offset), volatile)?;
            whole = self.fb.insert_value(&whole, &part, &[index as u32]);
        }
        Ok(whole)
    }

    /// Stores a value of the SPIR-V type `ty`.
    pub fn store_value(
        &mut self,
        value: &Value,
        ptr: &Value,
        ty: Id,
        align: u64,
        volatile: bool,
    ) -> Result<()> {
        let Some(members) = self.members(ty)? else {
            let memory = types::in_memory(&value.ty);
            let value = self.fb.cast("zext", value, &memory);
            if volatile {
                self.fb.store_volatile(&value, ptr, align);
            } else {
                self.fb.store(&value, ptr, align);
            }
            return Ok(());
        };
        for (index, (member, offset)) in members.into_iter().enumerate() {
            let place = self
                .fb
                .ptr_add(ptr, &Value::int(&Type::I64, i128::from(offset)));
            let part = self.fb.extract_value(value, &[index as u32]);
            self.store_value(&part, &place, member, align_at(align, offset), volatile)?;
        }
        Ok(())
    }

    /// Types and offsets of the members of a structure or array, or nothing for other types.
    fn members(&self, ty: Id) -> Result<Option<Vec<(Id, u64)>>> {
        let spv = self.t.spv;
        match spv.ty(ty) {
            Spv::Struct {
                members, offsets, ..
            } => Ok(Some(
                members
                    .iter()
                    .copied()
                    .zip(offsets.iter().copied())
                    .collect(),
            )),
            Spv::Array { elem, len } => {
                let size = self.layout(*elem)?.size;
                Ok(Some((0..*len).map(|i| (*elem, i * size)).collect()))
            }
            _ => Ok(None),
        }
    }

    /// Copies `size` bytes.
    pub fn copy(&mut self, to: &Value, from: &Value, size: &Value, align: u64, volatile: bool) {
        self.declare_memcpy();
        self.fb.line(format!(
            "call void @llvm.memcpy.p0.p0.i64(ptr align {align} {}, ptr align {align} {}, {size}, i1 {volatile})",
            to.text, from.text
        ));
    }

    /// Address of a part of what a pointer points to.
    fn access_chain(&mut self, inst: &Inst) -> Result<Value> {
        let base = self.value(inst.arg(0))?;
        let by_element = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let bounds = if matches!(
            inst.op,
            Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain
        ) {
            "inbounds "
        } else {
            ""
        };
        let mut ty = self.pointee(inst.arg(0))?;
        let mut constant = 0i64;
        let mut place = base;
        for (number, index) in inst.args_from(1).iter().enumerate() {
            let step = if number == 0 && by_element {
                Step::Element(ty)
            } else {
                step(self.t.spv, ty, *index)?
            };
            match step {
                Step::Member(member, offset) => {
                    constant = constant.wrapping_add_unsigned(offset);
                    ty = member;
                }
                Step::Element(element) => {
                    let size = self.layout(element)?.size;
                    if let Some(known) = signed_constant(self.t.spv, *index) {
                        constant = constant.wrapping_add(known.wrapping_mul(size as i64));
                    } else {
                        let index = self.value(*index)?;
                        let unit = match self.t.spv.ty(element) {
                            Spv::Int {
                                width: 8 | 16 | 32 | 64,
                            }
                            | Spv::Float { .. } => self.t.ty(element)?,
                            _ => Type::array(&Type::I8, size),
                        };
                        let text = format!("getelementptr {bounds}{unit}, {place}, {index}");
                        place = self.fb.inst(&Type::PTR, text);
                    }
                    ty = element;
                }
            }
        }
        if constant != 0 {
            let text = format!("getelementptr {bounds}i8, {place}, i64 {constant}");
            place = self.fb.inst(&Type::PTR, text);
        }
        Ok(place)
    }

    /// Address of a variable of the module.
    pub fn global(&mut self, id: Id) -> Result<Value> {
        let spv = self.t.spv;
        let global = spv
            .global(id)
            .ok_or_else(|| Error::internal(format!("%{id} is no variable")))?;
        match global.storage {
            StorageClass::Workgroup => {
                let offset = self.t.locals.get(&id).copied();
                let offset =
                    offset.ok_or_else(|| Error::internal("an unplanned local variable"))?;
                let group = self.group.clone();
                let local = item::load(&mut self.fb, &group, item::group::LOCAL, &Type::PTR);
                Ok(self
                    .fb
                    .ptr_add(&local, &Value::int(&Type::I64, i128::from(offset))))
            }
            StorageClass::Input => self.builtin_in_memory(id),
            StorageClass::CrossWorkgroup | StorageClass::UniformConstant => {
                let offset = self.t.variables.offset(id).ok_or_else(|| {
                    let name = global.linkage.as_ref().map_or("", |l| l.name.as_str());
                    Error::unsupported(format!("the variable {name} of another module"))
                })?;
                Ok(self.t.storage(offset))
            }
            other => Err(Error::unsupported(format!(
                "a variable in {other:?} memory"
            ))),
        }
    }

    /// A generic pointer as one of a given storage class, or null if it points elsewhere.
    fn explicit_cast(&mut self, inst: &Inst) -> Result<()> {
        let ptr = self.value(inst.arg(0))?;
        let Spv::Pointer { storage, .. } = self.t.spv.ty(inst.ty) else {
            return Err(Error::internal("a pointer cast to no pointer"));
        };
        let fits = match storage {
            StorageClass::Workgroup => self.in_local(&ptr),
            StorageClass::Function => self.in_private(&ptr),
            StorageClass::CrossWorkgroup => {
                let local = self.in_local(&ptr);
                let private = self.in_private(&ptr);
                let elsewhere = self.fb.binary("or", &local, &private);
                self.fb.not(&elsewhere)
            }
            other => {
                return Err(Error::unsupported(format!("a cast to a {other:?} pointer")));
            }
        };
        let value = self.fb.select(&fits, &ptr, &Value::zero(&Type::PTR));
        self.set(inst, value);
        Ok(())
    }

    /// Whether a pointer points into the local block.
    fn in_local(&mut self, ptr: &Value) -> Value {
        let group = self.group.clone();
        let local = item::load(&mut self.fb, &group, item::group::LOCAL, &Type::PTR);
        let launch = item::load(&mut self.fb, &group, item::group::LAUNCH, &Type::PTR);
        let size = item::load(&mut self.fb, &launch, item::launch::LOCAL_BYTES, &Type::I32);
        let size = self.fb.int_cast(&size, &Type::I64, false);
        let start = self.fb.cast("ptrtoint", &local, &Type::I64);
        self.in_range(ptr, &start, &size)
    }

    /// Whether a pointer points to a private variable: on this thread's stack or, while the
    /// work-item waits, in its suspended state.
    fn in_private(&mut self, ptr: &Value) -> Value {
        let group = self.group.clone();
        let top = item::load(&mut self.fb, &group, item::group::STACK_TOP, &Type::PTR);
        let top = self.fb.cast("ptrtoint", &top, &Type::I64);
        let now = self
            .fb
            .intrinsic("stacksave", &[&Type::PTR], &Type::PTR, &[]);
        let now = self.fb.cast("ptrtoint", &now, &Type::I64);
        // A function that calls nothing may keep variables a little below the stack pointer.
        let now = self.fb.binary("sub", &now, &Value::i64(256));
        let size = self.fb.binary("sub", &top, &now);
        let on_stack = self.in_range(ptr, &now, &size);
        let start = item::load(&mut self.fb, &group, item::group::SCRATCH, &Type::PTR);
        let end = item::load(&mut self.fb, &group, item::group::SCRATCH_END, &Type::PTR);
        let start = self.fb.cast("ptrtoint", &start, &Type::I64);
        let end = self.fb.cast("ptrtoint", &end, &Type::I64);
        let size = self.fb.binary("sub", &end, &start);
        let in_scratch = self.in_range(ptr, &start, &size);
        self.fb.binary("or", &on_stack, &in_scratch)
    }

    /// Whether `ptr` lies in the `size` bytes from `start`.
    fn in_range(&mut self, ptr: &Value, start: &Value, size: &Value) -> Value {
        let address = self.fb.cast("ptrtoint", ptr, &Type::I64);
        let offset = self.fb.binary("sub", &address, start);
        self.fb.icmp("ult", &offset, size)
    }

    /// Marks where a private variable is in use.
    fn lifetime(&mut self, inst: &Inst) -> Result<()> {
        let mut id = inst.arg(0);
        // Casts of a variable are the variable.
        while let Def::Value { .. } = self.t.spv.def(id) {
            let Some(source) = cast_source(self.t.spv, id) else {
                break;
            };
            id = source;
        }
        if !is_variable(self.t.spv, id) {
            return Ok(());
        }
        let ptr = self.value(id)?;
        let name = if inst.op == Op::LifetimeStart {
            "lifetime.start"
        } else {
            "lifetime.end"
        };
        self.fb
            .intrinsic(name, &[&Type::PTR], &Type::Void, &[Value::i64(-1), ptr]);
        Ok(())
    }
}

/// The instruction that gives `id`.
fn definition(module: &Module, id: Id) -> Option<&Inst> {
    let Def::Value {
        function,
        block,
        position,
        ..
    } = module.def(id)
    else {
        return None;
    };
    let block = module
        .functions
        .get(*function as usize)?
        .blocks
        .get(*block as usize)?;
    let position = (*position as usize).checked_sub(block.phis.len())?;
    block.insts.get(position).filter(|inst| inst.id == id)
}

fn cast_source(module: &Module, id: Id) -> Option<Id> {
    definition(module, id)
        .filter(|inst| inst.op == Op::Bitcast)
        .map(|inst| inst.arg(0))
}

fn is_variable(module: &Module, id: Id) -> bool {
    definition(module, id).is_some_and(|inst| inst.op == Op::Variable)
}

/// One step of an access chain.
enum Step {
    /// To a member of this type at this offset.
    Member(Id, u64),
    /// To an element of this type.
    Element(Id),
}

fn step(module: &Module, ty: Id, index: Id) -> Result<Step> {
    match module.ty(ty) {
        Spv::Struct {
            members, offsets, ..
        } => {
            let number = module
                .constant_bits(index)
                .and_then(|bits| usize::try_from(bits).ok())
                .ok_or_else(|| Error::unsupported("a structure member chosen at run time"))?;
            match (members.get(number), offsets.get(number)) {
                (Some(member), Some(offset)) => Ok(Step::Member(*member, *offset)),
                _ => Err(Error::internal("a member that does not exist")),
            }
        }
        Spv::Array { elem, .. } | Spv::Vector { elem, .. } => Ok(Step::Element(*elem)),
        _ => Err(Error::internal("an index into a scalar")),
    }
}

/// A constant index as a signed number.
fn signed_constant(module: &Module, id: Id) -> Option<i64> {
    let bits = module.constant_bits(id)?;
    let Spv::Int { width } = module.type_of(id) else {
        return None;
    };
    let unused = 64u32.checked_sub(*width)?;
    Some(((bits << unused) as i64) >> unused)
}

/// Byte offset of an access chain whose indices are all constant.
pub fn constant_offset(module: &Module, base: Id, indices: &[Id], by_element: bool) -> Result<i64> {
    let Spv::Pointer { pointee, .. } = module.type_of(base) else {
        return Err(Error::internal("an access chain from no pointer"));
    };
    let mut ty = *pointee;
    let mut offset = 0i64;
    for (number, index) in indices.iter().enumerate() {
        let step = if number == 0 && by_element {
            Step::Element(ty)
        } else {
            step(module, ty, *index)?
        };
        match step {
            Step::Member(member, at) => {
                offset = offset.wrapping_add_unsigned(at);
                ty = member;
            }
            Step::Element(element) => {
                let size = module
                    .layout(element)
                    .ok_or_else(|| Error::unsupported("an element without a size"))?
                    .size;
                let index = signed_constant(module, *index).ok_or_else(|| {
                    Error::unsupported("a constant address with a computed index")
                })?;
                offset = offset.wrapping_add(index.wrapping_mul(size as i64));
                ty = element;
            }
        }
    }
    Ok(offset)
}

/// The alignment known at `offset` bytes behind something aligned to `align`.
fn align_at(align: u64, offset: u64) -> u64 {
    if offset == 0 {
        align
    } else {
        align.min(1 << offset.trailing_zeros())
    }
}

/// What a memory access states about itself.
struct Access {
    volatile: bool,
    align: Option<u64>,
}

impl Access {
    /// Reads the one mask of a copy, or the two for its target and its source: what holds for both.
    fn copy(words: &[u32]) -> Self {
        let first = Self::new(words);
        let mask = MemoryAccess::from_bits_truncate(words.first().copied().unwrap_or(0));
        let operands = [
            MemoryAccess::ALIGNED,
            MemoryAccess::ALIAS_SCOPE_INTEL_MASK,
            MemoryAccess::NO_ALIAS_INTEL_MASK,
        ];
        let taken = 1 + operands.iter().filter(|bit| mask.contains(**bit)).count();
        let rest = words.get(taken..).unwrap_or(&[]);
        if rest.is_empty() {
            return first;
        }
        let second = Self::new(rest);
        Self {
            volatile: first.volatile || second.volatile,
            // What one side leaves open is the alignment of its type, which copies do not rely on.
            align: Some(first.align.unwrap_or(1).min(second.align.unwrap_or(1))),
        }
    }

    /// Reads the optional mask and its operands.
    fn new(words: &[u32]) -> Self {
        let mask = MemoryAccess::from_bits_truncate(words.first().copied().unwrap_or(0));
        let stated = mask
            .contains(MemoryAccess::ALIGNED)
            .then(|| words.get(1).copied().unwrap_or(1));
        Self {
            volatile: mask.contains(MemoryAccess::VOLATILE),
            // Zero says nothing.
            align: stated
                .filter(|align| align.is_power_of_two())
                .map(u64::from),
        }
    }
}
