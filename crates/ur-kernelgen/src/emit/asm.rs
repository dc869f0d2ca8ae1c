//! Writes SPIR-V words.

use crate::ast::{Builtin, Scalar, Type};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, MemoryModel, Op, StorageClass,
};
use std::collections::HashMap;

/// A module while it is written.
pub struct Asm {
    next: u32,
    minor: u8,
    /// Whether to do without what [`super::portable_module`] names.
    pub portable: bool,
    capabilities: Vec<u32>,
    extensions: Vec<u32>,
    /// Entry points and execution modes.
    pub entries: Vec<u32>,
    /// Decorations.
    pub decorations: Vec<u32>,
    /// Types, constants and variables of the module.
    globals: Vec<u32>,
    /// Functions.
    pub code: Vec<u32>,
    cache: HashMap<Vec<u32>, u32>,
    known: HashMap<Vec<u32>, ()>,
    /// The import of `OpenCL.std`.
    pub opencl: u32,
    /// Ids of global variables, for entry points.
    pub interface: Vec<u32>,
    builtins: HashMap<u32, u32>,
}

/// Appends one instruction.
pub fn inst(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | op as u32);
    words.extend_from_slice(operands);
}

/// The words of a string.
pub fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let (chunks, _) = bytes.as_chunks::<4>();
    chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

impl Asm {
    /// A module of version 1.`minor`.
    pub fn new(minor: u8) -> Asm {
        let mut asm = Asm {
            next: 1,
            minor,
            portable: false,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            entries: Vec::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            code: Vec::new(),
            cache: HashMap::new(),
            known: HashMap::new(),
            opencl: 0,
            interface: Vec::new(),
            builtins: HashMap::new(),
        };
        asm.opencl = asm.fresh();
        for capability in [
            Capability::Kernel,
            Capability::Addresses,
            Capability::Int8,
            Capability::Int16,
            Capability::Int64,
            Capability::Float64,
            Capability::Vector16,
        ] {
            asm.capability(capability);
        }
        asm
    }

    /// A new id.
    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Declares a capability once.
    pub fn capability(&mut self, capability: Capability) {
        let number = capability as u32;
        let key = vec![Op::Capability as u32, number];
        if self.known.insert(key, ()).is_none() {
            inst(&mut self.capabilities, Op::Capability, &[number]);
        }
    }

    /// Declares an extension once.
    pub fn extension(&mut self, name: &str) {
        let words = string(name);
        if self.known.insert(words.clone(), ()).is_none() {
            inst(&mut self.extensions, Op::Extension, &words);
        }
    }

    /// Appends an instruction with a result to the code.
    pub fn op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.fresh();
        let all = [&[ty, id], operands].concat();
        inst(&mut self.code, op, &all);
        id
    }

    /// Appends an instruction without a result to the code.
    pub fn act(&mut self, op: Op, operands: &[u32]) {
        inst(&mut self.code, op, operands);
    }

    /// A type, by its instruction.
    fn declare(&mut self, op: Op, operands: &[u32]) -> u32 {
        let key = [&[op as u32], operands].concat();
        if let Some(id) = self.cache.get(&key) {
            return *id;
        }
        let id = self.fresh();
        let all = [&[id], operands].concat();
        inst(&mut self.globals, op, &all);
        self.cache.insert(key, id);
        id
    }

    /// A constant, by its instruction.
    fn constant(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let key = [&[op as u32, ty], operands].concat();
        if let Some(id) = self.cache.get(&key) {
            return *id;
        }
        let id = self.fresh();
        let all = [&[ty, id], operands].concat();
        inst(&mut self.globals, op, &all);
        self.cache.insert(key, id);
        id
    }

    /// `void`.
    pub fn void(&mut self) -> u32 {
        self.declare(Op::TypeVoid, &[])
    }

    /// A scalar or vector type.
    pub fn ty(&mut self, ty: Type) -> u32 {
        if ty.is_vector() {
            let scalar = self.ty(Type::of(ty.scalar));
            return self.declare(Op::TypeVector, &[scalar, ty.lanes.into()]);
        }
        match ty.scalar {
            Scalar::Bool => self.declare(Op::TypeBool, &[]),
            Scalar::F32 | Scalar::F64 => self.declare(Op::TypeFloat, &[ty.scalar.bits()]),
            _ => self.declare(Op::TypeInt, &[ty.scalar.bits(), 0]),
        }
    }

    /// A pointer type.
    pub fn pointer(&mut self, storage: StorageClass, pointee: u32) -> u32 {
        self.declare(Op::TypePointer, &[storage as u32, pointee])
    }

    /// An array type.
    pub fn array(&mut self, elem: Type, len: usize) -> u32 {
        let elem = self.ty(elem);
        let len = self.int(Type::I32, len as u64);
        self.declare(Op::TypeArray, &[elem, len])
    }

    /// A structure type.
    pub fn structure(&mut self, members: &[u32]) -> u32 {
        self.declare(Op::TypeStruct, members)
    }

    /// A function type: result, then parameters.
    pub fn function_type(&mut self, types: &[u32]) -> u32 {
        self.declare(Op::TypeFunction, types)
    }

    /// An integer constant of a scalar type.
    pub fn int(&mut self, ty: Type, value: u64) -> u32 {
        self.value(ty, &[value])
    }

    /// A constant of any type.
    pub fn value(&mut self, ty: Type, lanes: &[u64]) -> u32 {
        let id = self.ty(ty);
        if ty.is_vector() {
            if lanes.iter().all(|bits| *bits == 0) {
                return self.constant(Op::ConstantNull, id, &[]);
            }
            let scalar = Type::of(ty.scalar);
            let parts: Vec<u32> = lanes.iter().map(|bits| self.int(scalar, *bits)).collect();
            return self.constant(Op::ConstantComposite, id, &parts);
        }
        let bits = lanes[0];
        match ty.scalar {
            Scalar::Bool if bits == 1 => self.constant(Op::ConstantTrue, id, &[]),
            Scalar::Bool => self.constant(Op::ConstantFalse, id, &[]),
            Scalar::I64 | Scalar::F64 => {
                self.constant(Op::Constant, id, &[bits as u32, (bits >> 32) as u32])
            }
            _ => self.constant(Op::Constant, id, &[bits as u32]),
        }
    }

    /// The null constant of a type.
    pub fn null(&mut self, ty: u32) -> u32 {
        self.constant(Op::ConstantNull, ty, &[])
    }

    /// A composite constant.
    pub fn composite(&mut self, ty: u32, parts: &[u32]) -> u32 {
        self.constant(Op::ConstantComposite, ty, parts)
    }

    /// A variable of the module.
    pub fn global(&mut self, storage: StorageClass, pointee: u32) -> u32 {
        let ty = self.pointer(storage, pointee);
        let id = self.fresh();
        inst(&mut self.globals, Op::Variable, &[ty, id, storage as u32]);
        if storage == StorageClass::Input || self.minor >= 4 {
            self.interface.push(id);
        }
        id
    }

    /// The variable that holds a built-in value, and its number if it has dimensions.
    pub fn builtin(&mut self, builtin: Builtin) -> (u32, Option<u8>) {
        let (number, dim) = match builtin {
            Builtin::GlobalId(d) => (BuiltIn::GlobalInvocationId, Some(d)),
            Builtin::LocalId(d) => (BuiltIn::LocalInvocationId, Some(d)),
            Builtin::GroupId(d) => (BuiltIn::WorkgroupId, Some(d)),
            Builtin::LocalSize(d) => (BuiltIn::WorkgroupSize, Some(d)),
            Builtin::EnqueuedLocalSize(d) => (BuiltIn::EnqueuedWorkgroupSize, Some(d)),
            Builtin::NumGroups(d) => (BuiltIn::NumWorkgroups, Some(d)),
            Builtin::GlobalSize(d) => (BuiltIn::GlobalSize, Some(d)),
            Builtin::GlobalOffset(d) => (BuiltIn::GlobalOffset, Some(d)),
            Builtin::GlobalLinearId => (BuiltIn::GlobalLinearId, None),
            Builtin::LocalLinearId => (BuiltIn::LocalInvocationIndex, None),
            Builtin::WorkDim => (BuiltIn::WorkDim, None),
            Builtin::SubGroupLocalId => (BuiltIn::SubgroupLocalInvocationId, None),
            Builtin::SubGroupId => (BuiltIn::SubgroupId, None),
            Builtin::SubGroupSize => (BuiltIn::SubgroupSize, None),
            Builtin::MaxSubGroupSize => (BuiltIn::SubgroupMaxSize, None),
            Builtin::NumSubGroups => (BuiltIn::NumSubgroups, None),
            Builtin::NumEnqueuedSubGroups => (BuiltIn::NumEnqueuedSubgroups, None),
        };
        if !matches!(builtin.ty(), Type::I64) && number != BuiltIn::WorkDim {
            self.capability(Capability::SubgroupDispatch);
        }
        if let Some(id) = self.builtins.get(&(number as u32)) {
            return (*id, dim);
        }
        let lanes = if dim.is_some() { 3 } else { 1 };
        let ty = self.ty(Type::vector(builtin.ty().scalar, lanes));
        let id = self.global(StorageClass::Input, ty);
        let decorate = [id, Decoration::BuiltIn as u32, number as u32];
        inst(&mut self.decorations, Op::Decorate, &decorate);
        let constant = [id, Decoration::Constant as u32];
        inst(&mut self.decorations, Op::Decorate, &constant);
        self.builtins.insert(number as u32, id);
        (id, dim)
    }

    /// The module's words.
    pub fn finish(self) -> Vec<u32> {
        let version = 0x0001_0000 | (u32::from(self.minor) << 8);
        let mut words = vec![rspirv::spirv::MAGIC_NUMBER, version, 0, self.next, 0];
        words.extend(self.capabilities);
        words.extend(self.extensions);
        let import = [&[self.opencl][..], &string("OpenCL.std")].concat();
        inst(&mut words, Op::ExtInstImport, &import);
        let model = [
            AddressingModel::Physical64 as u32,
            MemoryModel::OpenCL as u32,
        ];
        inst(&mut words, Op::MemoryModel, &model);
        words.extend(self.entries);
        words.extend(self.decorations);
        words.extend(self.globals);
        words.extend(self.code);
        words
    }
}
