//! What a module holds, once read and checked.
//!
//! Everything is found by its id. A checked module keeps these promises, on which a translator may
//! rely: every id an instruction names is defined and of the right kind; operand types fit their
//! opcodes; each block ends in one terminator; phis name exactly the predecessors of their block;
//! definitions dominate uses in reachable blocks; the call graph has no cycle.

use crate::Id;
use crate::constant::Constant;
use crate::ids::Ids;
use crate::types::{Layout, Type};
use crate::weight::Weight;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, FunctionControl,
    FunctionParameterAttribute, LinkageType, LoopControl, Op, StorageClass,
};
use std::collections::HashMap;

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Version, major and minor.
    pub version: (u8, u8),
    /// The generator's magic number.
    pub generator: u32,
    /// All ids are smaller.
    pub bound: u32,
    /// Capabilities declared.
    pub capabilities: Vec<Capability>,
    /// Extensions declared.
    pub extensions: Vec<String>,
    /// Width of pointers; always `Physical64`.
    pub addressing: AddressingModel,
    /// Kernels.
    pub entry_points: Vec<EntryPoint>,
    /// Program-scope variables in order of definition.
    pub globals: Vec<Global>,
    /// Functions in order of definition.
    pub functions: Vec<Function>,
    /// Specialisation constants that have a `SpecId`.
    pub spec_constants: Vec<SpecConstant>,
    /// Alias domains, scopes and scope lists: opcode, id, operands.
    pub alias: Vec<Inst>,
    /// Constants that are addresses of functions.
    pub function_pointers: Vec<FunctionPointer>,
    pub(crate) ids: Ids,
    pub(crate) names: Vec<(Id, String)>,
    pub(crate) strings: Vec<(Id, String)>,
    pub(crate) decorations: Vec<(Id, Decorated)>,
    pub(crate) weights: HashMap<Id, Weight>,
}

/// What an id stands for.
#[derive(Clone, Debug, Default)]
pub enum Def {
    /// Nothing defines the id.
    #[default]
    None,
    /// A type, with its layout where values of it can stand in memory.
    Type(Type, Option<Layout>),
    /// A constant, with its type.
    Constant {
        /// Its type.
        ty: Id,
        /// Its value.
        value: Constant,
    },
    /// A program-scope variable: index into [`Module::globals`].
    Global(u32),
    /// A function: index into [`Module::functions`].
    Function(u32),
    /// A parameter of a function.
    Param {
        /// Index into [`Module::functions`].
        function: u32,
        /// Which parameter.
        index: u32,
        /// Its type.
        ty: Id,
    },
    /// The label of a block.
    Block {
        /// Index into [`Module::functions`].
        function: u32,
        /// Index into [`Function::blocks`].
        block: u32,
    },
    /// The result of an instruction (phis included).
    Value {
        /// Index into [`Module::functions`].
        function: u32,
        /// Index into [`Function::blocks`].
        block: u32,
        /// Position in the block: phis count from 0, then instructions.
        position: u32,
        /// Its type.
        ty: Id,
    },
    /// An imported set of extended instructions.
    ExtSet(ExtSet),
    /// An alias domain, scope or scope list: index into [`Module::alias`].
    Alias(u32),
    /// A string or a decoration group: of no concern to code.
    Other,
}

impl Decorated {
    /// Operand word `n`, or 0 where there is none.
    pub fn param(&self, n: usize) -> u32 {
        self.params.get(n).copied().unwrap_or(0)
    }
}

/// A set of extended instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtSet {
    /// `OpenCL.std`.
    OpenClStd,
    /// A set that only carries information (debug, `NonSemantic.*`); its instructions are dropped.
    Info,
}

/// A kernel's entry point.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Name of the kernel.
    pub name: String,
    /// Id of its function.
    pub function: Id,
    /// Ids of the interface variables.
    pub interface: Vec<Id>,
    /// Execution modes with their operands (literals; ids evaluated to values).
    pub modes: Vec<(ExecutionMode, Vec<u32>)>,
    /// Word offset of the declaration.
    pub offset: usize,
}

/// A program-scope variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its id.
    pub id: Id,
    /// Its pointer type.
    pub ty: Id,
    /// Type of the variable itself.
    pub pointee: Id,
    /// Storage class: CrossWorkgroup, UniformConstant, Workgroup, Input, Function (private).
    pub storage: StorageClass,
    /// Id of a constant or of another global, or none.
    pub init: Option<Id>,
    /// Set for built-in variables.
    pub builtin: Option<BuiltIn>,
    /// Name and kind of linkage.
    pub linkage: Option<Linkage>,
    /// Word offset of the definition.
    pub offset: usize,
}

/// A name visible to other modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linkage {
    /// The name.
    pub name: String,
    /// Import, Export or LinkOnceODR.
    pub kind: LinkageType,
}

/// A constant that is the address of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionPointer {
    /// Id of the constant.
    pub id: Id,
    /// Id of the function.
    pub function: Id,
    /// Word offset of the definition.
    pub offset: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its id.
    pub id: Id,
    /// Its function type.
    pub ty: Id,
    /// Type returned.
    pub ret: Id,
    /// Inline, pure and other hints.
    pub control: FunctionControl,
    /// Parameters.
    pub params: Vec<Param>,
    /// Blocks, the entry first; empty for an imported function.
    pub blocks: Vec<Block>,
    /// Name and kind of linkage.
    pub linkage: Option<Linkage>,
    /// Word offset of the definition.
    pub offset: usize,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its id.
    pub id: Id,
    /// Its type.
    pub ty: Id,
    /// ByVal, NoAlias and other attributes.
    pub attributes: Vec<FunctionParameterAttribute>,
    /// `Alignment` decoration in bytes, or of the pointee for ByVal.
    pub align: Option<u32>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Id of its label.
    pub label: Id,
    /// Phis.
    pub phis: Vec<Phi>,
    /// Instructions without phis, merge hints, debug lines and the terminator.
    pub insts: Vec<Inst>,
    /// How control leaves.
    pub terminator: Terminator,
    /// Word offset of the terminator.
    pub terminator_offset: usize,
    /// Hint on the loop whose header this block is.
    pub loop_control: Option<LoopControl>,
    /// True if control can reach the block from the function's entry.
    pub reachable: bool,
}

/// A phi.
#[derive(Clone, Debug)]
pub struct Phi {
    /// Id of the result.
    pub id: Id,
    /// Type of the result.
    pub ty: Id,
    /// Value and predecessor's label, one for each predecessor.
    pub incoming: Vec<(Id, Id)>,
    /// Word offset.
    pub offset: usize,
}

/// How control leaves a block.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// To one block.
    Branch(Id),
    /// To one of two blocks.
    Conditional {
        /// A Bool.
        condition: Id,
        /// Label if true.
        then: Id,
        /// Label if false.
        otherwise: Id,
    },
    /// By the value of an integer.
    Switch {
        /// The integer.
        selector: Id,
        /// Label for all other values.
        default: Id,
        /// Value (zero-extended bits of the selector's width) and label.
        cases: Vec<(u64, Id)>,
    },
    /// Out of the function, without a value.
    Return,
    /// Out of the function with a value.
    ReturnValue(Id),
    /// Control never gets here.
    Unreachable,
}

impl Terminator {
    /// Labels of the successors, repeated where the terminator repeats them.
    pub fn successors(&self) -> Vec<Id> {
        match self {
            Terminator::Branch(to) => vec![*to],
            Terminator::Conditional {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Terminator::Switch { default, cases, .. } => std::iter::once(*default)
                .chain(cases.iter().map(|case| case.1))
                .collect(),
            Terminator::Return | Terminator::ReturnValue(_) | Terminator::Unreachable => Vec::new(),
        }
    }
}

/// An instruction in a block.
#[derive(Clone, Debug)]
pub struct Inst {
    /// Opcode.
    pub op: Op,
    /// Type of the result, 0 without one.
    pub ty: Id,
    /// Id of the result, 0 without one.
    pub id: Id,
    /// The words after type and result. Ids and literals as the grammar of the opcode says; for
    /// `OpExtInst`: set, number, arguments.
    pub args: Box<[u32]>,
    /// Word offset.
    pub offset: usize,
}

impl EntryPoint {
    /// Whether the function runs by itself before any kernel of the module.
    pub fn is_initializer(&self) -> bool {
        let mut modes = self.modes.iter();
        modes.any(|(mode, _)| *mode == ExecutionMode::Initializer)
    }
}

impl Inst {
    /// Operand word `n`, or 0 where there is none (0 is never an id).
    pub fn arg(&self, n: usize) -> u32 {
        self.args.get(n).copied().unwrap_or(0)
    }

    /// Operand words from `n` on.
    pub fn args_from(&self, n: usize) -> &[u32] {
        self.args.get(n..).unwrap_or(&[])
    }
}

/// A specialisation constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// The `SpecId` that the host uses.
    pub spec_id: u32,
    /// Id of the constant.
    pub id: Id,
    /// Size of its value in bytes.
    pub size: u32,
    /// The value's bits: the default, or what overrode it.
    pub bits: u64,
}

/// A decoration.
#[derive(Clone, Debug)]
pub struct Decorated {
    /// Which.
    pub decoration: Decoration,
    /// Member of a structure it applies to, or none for the id itself.
    pub member: Option<u32>,
    /// Words of its operands.
    pub params: Box<[u32]>,
    /// Word offset.
    pub offset: usize,
}

impl Module {
    /// What `id` stands for.
    pub fn def(&self, id: Id) -> &Def {
        self.ids.get(id)
    }

    /// The type with this id; `Void` for an id that is no type.
    pub fn ty(&self, id: Id) -> &Type {
        match self.def(id) {
            Def::Type(ty, _) => ty,
            _ => &Type::Void,
        }
    }

    /// Size and alignment of the type, or none if values of it cannot stand in memory.
    pub fn layout(&self, ty: Id) -> Option<Layout> {
        match self.def(ty) {
            Def::Type(_, layout) => *layout,
            _ => None,
        }
    }

    /// Id of the type of the value `id` (constant, variable, parameter, result), 0 for no value.
    pub fn type_id_of(&self, id: Id) -> Id {
        match self.def(id) {
            Def::Constant { ty, .. } | Def::Param { ty, .. } | Def::Value { ty, .. } => *ty,
            Def::Global(index) => self.globals.get(*index as usize).map_or(0, |g| g.ty),
            _ => 0,
        }
    }

    /// Type of the value `id`; `Void` for no value.
    pub fn type_of(&self, id: Id) -> &Type {
        self.ty(self.type_id_of(id))
    }

    /// The constant with this id.
    pub fn constant(&self, id: Id) -> Option<&Constant> {
        match self.def(id) {
            Def::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Bits of a scalar constant (integers zero-extended, Bool 0 or 1), null included.
    pub fn constant_bits(&self, id: Id) -> Option<u64> {
        match self.constant(id)? {
            Constant::Bits(bits) => Some(*bits),
            Constant::Null => self.type_of(id).is_scalar().then_some(0),
            _ => None,
        }
    }

    /// The function with this id.
    pub fn function(&self, id: Id) -> Option<&Function> {
        match self.def(id) {
            Def::Function(index) => self.functions.get(*index as usize),
            _ => None,
        }
    }

    /// The number that stands for the address of a function: its place in the module, counted from 1.
    /// Nothing for what is no function with a body.
    pub fn address_of(&self, function: Id) -> Option<u64> {
        match self.def(function) {
            Def::Function(index) => {
                let known = self.functions.get(*index as usize);
                let known = known.is_some_and(|function| !function.blocks.is_empty());
                known.then_some(u64::from(*index) + 1)
            }
            _ => None,
        }
    }

    /// As [`Module::address_of`], for a function that the module exports under a name.
    pub fn function_address(&self, name: &str) -> Option<u64> {
        let exported = self.functions.iter().find(|function| {
            let linkage = function.linkage.as_ref();
            linkage.is_some_and(|l| l.name == name && l.kind == LinkageType::Export)
        });
        self.address_of(exported?.id)
    }

    /// The program-scope variable with this id.
    pub fn global(&self, id: Id) -> Option<&Global> {
        match self.def(id) {
            Def::Global(index) => self.globals.get(*index as usize),
            _ => None,
        }
    }

    /// The name that `OpName` gave to `id`.
    pub fn name(&self, id: Id) -> Option<&str> {
        find(&self.names, id).first().map(|(_, name)| name.as_str())
    }

    /// Decorations of `id` and of its members.
    pub fn decorations(&self, id: Id) -> impl Iterator<Item = &Decorated> {
        find(&self.decorations, id).iter().map(|(_, d)| d)
    }

    /// The decoration of `id` itself, not of a member.
    pub fn decoration(&self, id: Id, decoration: Decoration) -> Option<&Decorated> {
        self.decorations(id)
            .find(|d| d.decoration == decoration && d.member.is_none())
    }

    /// True if `id` itself has the decoration.
    pub fn is_decorated(&self, id: Id, decoration: Decoration) -> bool {
        self.decoration(id, decoration).is_some()
    }

    /// True if the module declares the capability.
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
}

/// The run of entries for `id` in a list sorted by id.
pub(crate) fn find<T>(list: &[(Id, T)], id: Id) -> &[(Id, T)] {
    let start = list.partition_point(|entry| entry.0 < id);
    let rest = list.get(start..).unwrap_or(&[]);
    let len = rest.partition_point(|entry| entry.0 == id);
    rest.get(..len).unwrap_or(&[])
}
