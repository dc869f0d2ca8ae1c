//! Writes SPIR-V modules word by word.

use std::collections::{BTreeSet, HashMap};

use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, LinkageType, Op, StorageClass,
};

pub type Id = u32;

/// A scalar or vector type of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub kind: Kind,
    pub bits: u32,
    pub lanes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int,
    Float,
}

pub const BOOL: Ty = Ty {
    kind: Kind::Bool,
    bits: 1,
    lanes: 1,
};

pub const fn int(bits: u32) -> Ty {
    Ty {
        kind: Kind::Int,
        bits,
        lanes: 1,
    }
}

pub const fn float(bits: u32) -> Ty {
    Ty {
        kind: Kind::Float,
        bits,
        lanes: 1,
    }
}

impl Ty {
    pub const fn times(self, lanes: u32) -> Ty {
        Ty { lanes, ..self }
    }

    /// Bytes of an element.
    pub fn element(self) -> usize {
        self.bits as usize / 8
    }

    /// Bytes from one value to the next.
    pub fn stride(self) -> usize {
        self.element() * self.lanes.next_power_of_two() as usize
    }
}

/// The words of a string.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let (chunks, _) = bytes.as_chunks::<4>();
    chunks.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

/// A module while it is written.
pub struct Asm {
    minor: u32,
    next: Id,
    capabilities: BTreeSet<u32>,
    extensions: Vec<u32>,
    entries: Vec<u32>,
    modes: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    code: Vec<u32>,
    cache: HashMap<Vec<u32>, Id>,
    opencl: Id,
    interface: Vec<Id>,
    builtins: HashMap<u32, Id>,
    /// Labels of all blocks so far.
    labels: Vec<Id>,
}

impl Asm {
    pub fn new(minor: u32) -> Self {
        let mut asm = Self {
            minor,
            next: 2,
            capabilities: BTreeSet::new(),
            extensions: Vec::new(),
            entries: Vec::new(),
            modes: Vec::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            code: Vec::new(),
            cache: HashMap::new(),
            opencl: 1,
            interface: Vec::new(),
            builtins: HashMap::new(),
            labels: Vec::new(),
        };
        for capability in [
            Capability::Addresses,
            Capability::Linkage,
            Capability::Kernel,
            Capability::Vector16,
            Capability::Float16,
            Capability::Float64,
            Capability::Int8,
            Capability::Int16,
            Capability::Int64,
            Capability::GenericPointer,
        ] {
            asm.capability(capability);
        }
        asm
    }

    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    pub fn extension(&mut self, name: &str) {
        push(&mut self.extensions, Op::Extension, &text(name));
    }

    pub fn id(&mut self) -> Id {
        self.next += 1;
        self.next - 1
    }

    /// A type, or another declaration outside functions that starts with its id; equal ones are one.
    pub fn declare(&mut self, op: Op, operands: &[u32]) -> Id {
        let key: Vec<u32> = std::iter::once(op as u32)
            .chain(operands.iter().copied())
            .collect();
        if let Some(id) = self.cache.get(&key) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        self.cache.insert(key, id);
        id
    }

    /// As [`Asm::declare`] with an id given out before, and never shared.
    pub fn declare_with_id(&mut self, op: Op, id: Id, operands: &[u32]) {
        let mut all = vec![id];
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
    }

    pub fn void(&mut self) -> Id {
        self.declare(Op::TypeVoid, &[])
    }

    pub fn ty(&mut self, ty: Ty) -> Id {
        let scalar = match ty.kind {
            Kind::Bool => self.declare(Op::TypeBool, &[]),
            Kind::Int => self.declare(Op::TypeInt, &[ty.bits, 0]),
            Kind::Float => self.declare(Op::TypeFloat, &[ty.bits]),
        };
        if ty.lanes == 1 {
            scalar
        } else {
            self.declare(Op::TypeVector, &[scalar, ty.lanes])
        }
    }

    pub fn pointer(&mut self, storage: StorageClass, to: Id) -> Id {
        self.declare(Op::TypePointer, &[storage as u32, to])
    }

    pub fn function_type(&mut self, ret: Id, params: &[Id]) -> Id {
        let mut all = vec![ret];
        all.extend_from_slice(params);
        self.declare(Op::TypeFunction, &all)
    }

    pub fn array(&mut self, element: Id, count: u32) -> Id {
        let count = self.constant(int(32), u64::from(count));
        self.declare(Op::TypeArray, &[element, count])
    }

    /// A scalar constant, or a vector of equal ones.
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Id {
        let scalar = Ty { lanes: 1, ..ty };
        let id = self.ty(scalar);
        let value = if ty.kind == Kind::Bool {
            let op = if bits != 0 {
                Op::ConstantTrue
            } else {
                Op::ConstantFalse
            };
            self.constant_op(op, id, &[])
        } else if ty.bits == 64 {
            self.constant_op(Op::Constant, id, &[bits as u32, (bits >> 32) as u32])
        } else {
            self.constant_op(Op::Constant, id, &[bits as u32])
        };
        if ty.lanes == 1 {
            return value;
        }
        let vector = self.ty(ty);
        self.constant_op(
            Op::ConstantComposite,
            vector,
            &vec![value; ty.lanes as usize],
        )
    }

    pub fn word(&mut self, value: u32) -> Id {
        self.constant(int(32), u64::from(value))
    }

    /// A constant of any opcode: type, then id, then operands.
    pub fn constant_op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let key: Vec<u32> = [op as u32, ty]
            .into_iter()
            .chain(operands.iter().copied())
            .collect();
        if let Some(id) = self.cache.get(&key) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        self.cache.insert(key, id);
        id
    }

    /// A program-scope variable.
    pub fn variable(&mut self, storage: StorageClass, to: Id, init: Option<Id>) -> Id {
        let ty = self.pointer(storage, to);
        let id = self.id();
        let mut all = vec![ty, id, storage as u32];
        all.extend(init);
        push(&mut self.globals, Op::Variable, &all);
        self.interface.push(id);
        id
    }

    /// The input variable of a built-in.
    pub fn builtin(&mut self, builtin: BuiltIn, ty: Ty) -> Id {
        if let Some(id) = self.builtins.get(&(builtin as u32)) {
            return *id;
        }
        let to = self.ty(ty);
        let id = self.variable(StorageClass::Input, to, None);
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
        self.builtins.insert(builtin as u32, id);
        id
    }

    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        let mut all = vec![id, decoration as u32];
        all.extend_from_slice(operands);
        push(&mut self.decorations, Op::Decorate, &all);
    }

    pub fn linkage(&mut self, id: Id, name: &str, kind: LinkageType) {
        let mut all = text(name);
        all.push(kind as u32);
        self.decorate(id, Decoration::LinkageAttributes, &all);
    }

    pub fn mode(&mut self, function: Id, mode: ExecutionMode, operands: &[u32]) {
        let mut all = vec![function, mode as u32];
        all.extend_from_slice(operands);
        push(&mut self.modes, Op::ExecutionMode, &all);
    }

    /// An execution mode whose operands are ids.
    pub fn mode_id(&mut self, function: Id, mode: ExecutionMode, operands: &[u32]) {
        let mut all = vec![function, mode as u32];
        all.extend_from_slice(operands);
        push(&mut self.modes, Op::ExecutionModeId, &all);
    }

    /// Starts a function with its first block; gives its id and its parameters'.
    pub fn function(&mut self, ret: Id, params: &[Id]) -> (Id, Vec<Id>) {
        let (id, params) = self.function_head(ret, params);
        self.label();
        (id, params)
    }

    /// Starts a function without a block.
    pub fn function_head(&mut self, ret: Id, params: &[Id]) -> (Id, Vec<Id>) {
        let ty = self.function_type(ret, params);
        let id = self.id();
        push(&mut self.code, Op::Function, &[ret, id, 0, ty]);
        let params = params
            .iter()
            .map(|ty| {
                let param = self.id();
                push(&mut self.code, Op::FunctionParameter, &[*ty, param]);
                param
            })
            .collect();
        (id, params)
    }

    /// A function that another module or the runtime defines.
    pub fn import(&mut self, name: &str, ret: Id, params: &[Id]) -> Id {
        let (id, _) = self.function_head(ret, params);
        push(&mut self.code, Op::FunctionEnd, &[]);
        self.linkage(id, name, LinkageType::Import);
        id
    }

    /// Starts a kernel with its first block.
    pub fn kernel(&mut self, name: &str, params: &[Id]) -> (Id, Vec<Id>) {
        let void = self.void();
        let (id, params) = self.function(void, params);
        let mut all = vec![6, id];
        all.extend(text(name));
        push(&mut self.entries, Op::EntryPoint, &all);
        (id, params)
    }

    pub fn label(&mut self) -> Id {
        let id = self.id();
        self.begin(id);
        id
    }

    /// Starts the block with this label.
    pub fn begin(&mut self, label: Id) {
        self.labels.push(label);
        push(&mut self.code, Op::Label, &[label]);
    }

    /// Label of the last block that is none of `others`.
    pub fn current_before(&self, others: &[Id]) -> Id {
        let mut labels = self.labels.iter().rev();
        *labels
            .find(|label| !others.contains(label))
            .expect("a block")
    }

    /// A declaration outside functions, whatever its operands.
    pub fn declaration(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.globals, op, operands);
    }

    /// An instruction with a result.
    pub fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        push(&mut self.code, op, &all);
        id
    }

    /// An instruction without one.
    pub fn effect(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.code, op, operands);
    }

    /// An instruction with a result whose id was given out before.
    pub fn effect_with_id(&mut self, op: Op, ty: Id, id: Id, operands: &[u32]) {
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        push(&mut self.code, op, &all);
    }

    /// An instruction of `OpenCL.std`.
    pub fn opencl(&mut self, ty: Id, number: u32, operands: &[u32]) -> Id {
        let mut all = vec![self.opencl, number];
        all.extend_from_slice(operands);
        self.op(Op::ExtInst, ty, &all)
    }

    /// Returns and ends the function.
    pub fn end(&mut self) {
        self.effect(Op::Return, &[]);
        self.effect(Op::FunctionEnd, &[]);
    }

    /// The global id in the first dimension.
    pub fn global_id(&mut self) -> Id {
        self.builtin_x(BuiltIn::GlobalInvocationId)
    }

    /// The first dimension of a built-in that has three.
    pub fn builtin_x(&mut self, builtin: BuiltIn) -> Id {
        let vector = int(64).times(3);
        let variable = self.builtin(builtin, vector);
        let (vector, word) = (self.ty(vector), self.ty(int(64)));
        let value = self.op(Op::Load, vector, &[variable]);
        self.op(Op::CompositeExtract, word, &[value, 0])
    }

    /// Element `index` behind a global pointer.
    pub fn element(&mut self, pointer: Id, ty: Id, index: Id) -> Id {
        let to = self.pointer(StorageClass::CrossWorkgroup, ty);
        self.op(Op::InBoundsPtrAccessChain, to, &[pointer, index])
    }

    pub fn load_at(&mut self, pointer: Id, ty: Id, index: Id) -> Id {
        let place = self.element(pointer, ty, index);
        self.op(Op::Load, ty, &[place])
    }

    pub fn store_at(&mut self, pointer: Id, ty: Id, index: Id, value: Id) {
        let place = self.element(pointer, ty, index);
        self.effect(Op::Store, &[place, value]);
    }

    /// The module.
    pub fn words(mut self) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0000 | self.minor << 8, 0, self.next, 0];
        for capability in &self.capabilities {
            push(&mut words, Op::Capability, &[*capability]);
        }
        words.append(&mut self.extensions);
        let mut import = vec![self.opencl];
        import.extend(text("OpenCL.std"));
        push(&mut words, Op::ExtInstImport, &import);
        push(&mut words, Op::MemoryModel, &[2, 2]);
        for part in [
            &mut self.entries,
            &mut self.modes,
            &mut self.decorations,
            &mut self.globals,
            &mut self.code,
        ] {
            words.append(part);
        }
        words
    }
}

/// A module with one kernel `k` that computes from one value of each input, at the work-item's
/// number, what `body` gives: values and their types. Bools go out as bytes.
pub fn elementwise(
    mut asm: Asm,
    inputs: &[Ty],
    outputs: &[Ty],
    body: impl FnOnce(&mut Asm, &[Id]) -> Vec<Id>,
) -> Vec<u32> {
    let memory = |ty: &Ty| match ty.kind {
        Kind::Bool => int(8).times(ty.lanes),
        _ => *ty,
    };
    let mut pointers = Vec::new();
    for ty in inputs.iter().chain(outputs) {
        let ty = asm.ty(memory(ty));
        pointers.push(asm.pointer(StorageClass::CrossWorkgroup, ty));
    }
    asm.builtin(BuiltIn::GlobalInvocationId, int(64).times(3));
    let (_, params) = asm.kernel("k", &pointers);
    let index = asm.global_id();
    let (sources, targets) = params.split_at(inputs.len());
    let values: Vec<Id> = sources
        .iter()
        .zip(inputs)
        .map(|(source, ty)| {
            let id = asm.ty(memory(ty));
            let value = asm.load_at(*source, id, index);
            if ty.kind == Kind::Bool {
                let zero = asm.constant(memory(ty), 0);
                let truth = asm.ty(*ty);
                asm.op(Op::INotEqual, truth, &[value, zero])
            } else {
                value
            }
        })
        .collect();
    let results = body(&mut asm, &values);
    assert_eq!(results.len(), outputs.len());
    for ((target, ty), mut value) in targets.iter().zip(outputs).zip(results) {
        let id = asm.ty(memory(ty));
        if ty.kind == Kind::Bool {
            let (one, zero) = (asm.constant(memory(ty), 1), asm.constant(memory(ty), 0));
            value = asm.op(Op::Select, id, &[value, one, zero]);
        }
        asm.store_at(*target, id, index, value);
    }
    asm.end();
    asm.words()
}
