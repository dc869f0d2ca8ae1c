//! From kernels to SPIR-V.

mod asm;
mod expr;
mod group;
mod stmt;

use crate::ast::{Builtin, Function, Kernel, Type};
use asm::{Asm, inst, string};
use rspirv::spirv::{
    Decoration, ExecutionMode, ExecutionModel, FunctionControl, FunctionParameterAttribute, Op,
    StorageClass,
};

/// Name of the kernel in its module.
pub const NAME: &str = "kernel_under_test";

/// The kernel's module.
pub fn module(kernel: &Kernel) -> Vec<u32> {
    emit(kernel, Asm::new(kernel.minor))
}

/// The kernel's module without what Intel's OpenCL driver for CPUs lacks: linear ids, the size of
/// work-groups and the number of sub-groups as enqueued, extended products. It does the same where all work-groups are of one
/// size.
pub fn portable_module(kernel: &Kernel) -> Vec<u32> {
    let mut asm = Asm::new(kernel.minor);
    asm.portable = true;
    emit(kernel, asm)
}

fn emit(kernel: &Kernel, asm: Asm) -> Vec<u32> {
    let mut emitter = Emitter {
        kernel,
        asm,
        functions: Vec::new(),
        local: Vec::new(),
    };
    emitter.functions = kernel
        .functions
        .iter()
        .map(|_| emitter.asm.fresh())
        .collect();
    for (scalar, argument) in &kernel.local {
        let variable = (!argument).then(|| {
            let ty = emitter.asm.array(Type::of(*scalar), crate::ast::MAX_GROUP);
            emitter.asm.global(StorageClass::Workgroup, ty)
        });
        emitter.local.push(variable);
    }
    // Callees first in one module, callers first in the next.
    let mut order: Vec<usize> = (0..kernel.functions.len()).collect();
    if kernel.minor % 2 == 1 {
        order.reverse();
    }
    for number in order {
        emitter.function(number);
    }
    emitter.entry_point();
    emitter.asm.finish()
}

/// The module of a kernel while it is written.
struct Emitter<'k> {
    kernel: &'k Kernel,
    asm: Asm,
    /// Ids of the functions.
    functions: Vec<u32>,
    /// Ids of the local arrays that are variables of the module.
    local: Vec<Option<u32>>,
}

/// A function while it is written.
struct Body<'e, 'k> {
    kernel: &'k Kernel,
    function: &'k Function,
    asm: &'e mut Asm,
    functions: &'e [u32],
    pointers: Pointers,
    params: Vec<u32>,
    vars: Vec<u32>,
    /// Ids of private arrays: of the array, or of the first element for parameters.
    arrays: Vec<u32>,
    counters: Vec<u32>,
    /// Exit and continue blocks of the loops around.
    loops: Vec<(u32, u32)>,
    /// The block that is written; none after a terminator.
    block: Option<u32>,
    /// Flips to vary what may be written in several ways.
    coin: u32,
}

/// Ids of the pointers that every function gets.
#[derive(Clone, Default)]
struct Pointers {
    input: u32,
    shared: [u32; 2],
    own: Vec<u32>,
    /// First cells of the local arrays that are arguments, variables for the others.
    local: Vec<u32>,
    /// The structure; in the kernel only.
    structure: u32,
}

impl Emitter<'_> {
    /// Whether the input is in constant memory.
    fn input_storage(&self) -> StorageClass {
        if self.kernel.minor >= 5 {
            StorageClass::UniformConstant
        } else {
            StorageClass::CrossWorkgroup
        }
    }

    fn function(&mut self, number: usize) {
        let function = &self.kernel.functions[number];
        let result = match function.result {
            Some(ty) => self.asm.ty(ty),
            None => self.asm.void(),
        };
        let mut types = vec![result];
        let storage = self.input_storage();
        let byte = self.asm.ty(Type::of(crate::ast::Scalar::I8));
        types.push(self.asm.pointer(storage, byte));
        let mut global = |asm: &mut Asm, ty: Type| {
            let pointee = asm.ty(ty);
            types.push(asm.pointer(StorageClass::CrossWorkgroup, pointee));
        };
        global(&mut self.asm, Type::I32);
        global(&mut self.asm, Type::I64);
        for array in &self.kernel.own {
            global(&mut self.asm, array.elem);
        }
        for (scalar, argument) in &self.kernel.local {
            if *argument {
                let pointee = self.asm.ty(Type::of(*scalar));
                types.push(self.asm.pointer(StorageClass::Workgroup, pointee));
            }
        }
        let structure = number == 0 && !self.kernel.members.is_empty();
        if structure {
            let members: Vec<u32> = self
                .kernel
                .members
                .iter()
                .map(|ty| self.asm.ty(*ty))
                .collect();
            let ty = self.asm.structure(&members);
            types.push(self.asm.pointer(StorageClass::Function, ty));
        }
        for array in &function.arrays[..function.array_params] {
            let pointee = self.asm.ty(array.elem);
            types.push(self.asm.pointer(StorageClass::Function, pointee));
        }
        for param in &function.params {
            types.push(self.asm.ty(*param));
        }
        let ty = self.asm.function_type(&types);
        let control = match number {
            0 => FunctionControl::NONE,
            n if n % 3 == 1 => FunctionControl::DONT_INLINE,
            n if n % 3 == 2 => FunctionControl::INLINE,
            _ => FunctionControl::NONE,
        };
        let id = self.functions[number];
        self.asm
            .act(Op::Function, &[result, id, control.bits(), ty]);
        let mut params: Vec<u32> = types[1..]
            .iter()
            .map(|ty| self.asm.op(Op::FunctionParameter, *ty, &[]))
            .collect();
        params.reverse();
        let mut take = || params.pop().unwrap_or_default();
        let mut pointers = Pointers {
            input: take(),
            shared: [take(), take()],
            own: self.kernel.own.iter().map(|_| take()).collect(),
            local: Vec::new(),
            structure: 0,
        };
        pointers.local = self
            .local
            .iter()
            .map(|variable| variable.unwrap_or_else(&mut take))
            .collect();
        if structure {
            pointers.structure = take();
            self.by_value(pointers.structure);
        }
        let arrays = function.arrays[..function.array_params]
            .iter()
            .map(|_| take())
            .collect();
        let params = function.params.iter().map(|_| take()).collect();
        let mut body = Body {
            kernel: self.kernel,
            function,
            asm: &mut self.asm,
            functions: &self.functions,
            pointers,
            params,
            vars: Vec::new(),
            arrays,
            counters: vec![0; function.counters],
            loops: Vec::new(),
            block: None,
            coin: number as u32,
        };
        body.write();
        self.asm.act(Op::FunctionEnd, &[]);
    }

    /// Marks a parameter as a structure handed over by value.
    fn by_value(&mut self, id: u32) {
        let (_, _, align) = self.kernel.member_offsets();
        let by_value = FunctionParameterAttribute::ByVal as u32;
        let words = &mut self.asm.decorations;
        let attribute = Decoration::FuncParamAttr as u32;
        inst(words, Op::Decorate, &[id, attribute, by_value]);
        let alignment = Decoration::Alignment as u32;
        inst(words, Op::Decorate, &[id, alignment, align as u32]);
    }

    fn entry_point(&mut self) {
        let mut operands = vec![ExecutionModel::Kernel as u32, self.functions[0]];
        operands.extend(string(NAME));
        operands.extend(&self.asm.interface);
        inst(&mut self.asm.entries, Op::EntryPoint, &operands);
        let mode = [self.functions[0], ExecutionMode::ContractionOff as u32];
        inst(&mut self.asm.entries, Op::ExecutionMode, &mode);
    }
}

impl Body<'_, '_> {
    fn write(&mut self) {
        let entry = self.asm.fresh();
        self.label(entry);
        let storage = StorageClass::Function as u32;
        for ty in &self.function.vars {
            let pointee = self.asm.ty(*ty);
            let pointer = self.asm.pointer(StorageClass::Function, pointee);
            let zero = self.asm.null(pointee);
            self.vars
                .push(self.asm.op(Op::Variable, pointer, &[storage, zero]));
        }
        for array in &self.function.arrays[self.function.array_params..] {
            let ty = self.asm.array(array.elem, array.len);
            let pointer = self.asm.pointer(StorageClass::Function, ty);
            let lanes = array.elem.lanes as usize;
            let parts: Vec<u32> = array
                .init
                .chunks(lanes)
                .map(|value| self.asm.value(array.elem, value))
                .collect();
            let init = self.asm.composite(ty, &parts);
            self.arrays
                .push(self.asm.op(Op::Variable, pointer, &[storage, init]));
        }
        self.stmts(&self.function.body);
        if self.block.is_some() {
            match self.function.result {
                Some(ty) => {
                    let ty = self.asm.ty(ty);
                    let zero = self.asm.null(ty);
                    self.end(Op::ReturnValue, &[zero]);
                }
                None => self.end(Op::Return, &[]),
            }
        }
    }

    /// Starts a block.
    fn label(&mut self, id: u32) {
        self.asm.act(Op::Label, &[id]);
        self.block = Some(id);
    }

    /// Ends the block.
    fn end(&mut self, op: Op, operands: &[u32]) {
        self.asm.act(op, operands);
        self.block = None;
    }

    /// Ends the block with a branch, unless it has ended.
    fn jump(&mut self, to: u32) {
        if self.block.is_some() {
            self.end(Op::Branch, &[to]);
        }
    }

    /// Heads or tails, in turn.
    fn flip(&mut self) -> bool {
        self.coin += 1;
        self.coin.is_multiple_of(2)
    }

    /// A built-in value.
    fn builtin(&mut self, builtin: Builtin) -> u32 {
        if self.asm.portable {
            match builtin {
                Builtin::EnqueuedLocalSize(dim) => return self.builtin(Builtin::LocalSize(dim)),
                Builtin::NumEnqueuedSubGroups => return self.builtin(Builtin::NumSubGroups),
                Builtin::GlobalLinearId => return self.global_linear_id(),
                Builtin::LocalLinearId => {
                    return self.linear(Builtin::LocalSize, |body, dim| {
                        body.builtin(Builtin::LocalId(dim))
                    });
                }
                _ => {}
            }
        }
        let (variable, dim) = self.asm.builtin(builtin);
        let ty = builtin.ty();
        let result = self.asm.ty(ty);
        match dim {
            None => self.asm.op(Op::Load, result, &[variable]),
            Some(dim) => {
                let vector = self.asm.ty(Type::vector(ty.scalar, 3));
                let all = self.asm.op(Op::Load, vector, &[variable]);
                self.asm
                    .op(Op::CompositeExtract, result, &[all, dim.into()])
            }
        }
    }

    /// The global linear id out of ids, offsets and sizes.
    fn global_linear_id(&mut self) -> u32 {
        self.linear(Builtin::GlobalSize, |body, dim| {
            let ty = body.asm.ty(Type::I64);
            let id = body.builtin(Builtin::GlobalId(dim));
            let offset = body.builtin(Builtin::GlobalOffset(dim));
            body.asm.op(Op::ISub, ty, &[id, offset])
        })
    }

    /// `(id(2) * size(1) + id(1)) * size(0) + id(0)`.
    fn linear(&mut self, size: fn(u8) -> Builtin, id: fn(&mut Self, u8) -> u32) -> u32 {
        let ty = self.asm.ty(Type::I64);
        let mut sum = id(self, 2);
        for dim in [1, 0] {
            let size = self.builtin(size(dim));
            let id = id(self, dim);
            let product = self.asm.op(Op::IMul, ty, &[sum, size]);
            sum = self.asm.op(Op::IAdd, ty, &[product, id]);
        }
        sum
    }

    /// Number of work-items of the group, `I64`.
    fn group_items(&mut self) -> u32 {
        let ty = self.asm.ty(Type::I64);
        let x = self.builtin(Builtin::LocalSize(0));
        let y = self.builtin(Builtin::LocalSize(1));
        let z = self.builtin(Builtin::LocalSize(2));
        let plane = self.asm.op(Op::IMul, ty, &[x, y]);
        self.asm.op(Op::IMul, ty, &[plane, z])
    }
}
