//! The kernels: a small typed language with structured control flow.
//!
//! Every program of this language has one result, whatever the order in which work-items run: its
//! operations are exact, private to a work-item, or separated by synchronisation. The few rules that
//! the types do not express (who may synchronise where, which local cells may be touched between two
//! barriers) are kept by the generator and checked by the interpreter.

use crate::ops::{Binary, Cast, Compare, Rounding, Ternary, Test, Unary};

/// Type of a scalar or of a vector's lanes. Integers have no sign; operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// A truth value; never in memory.
    Bool,
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

impl Scalar {
    /// The integer types.
    pub const INTS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
    /// All types that can be in memory.
    pub const MEMORY: [Scalar; 6] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Width in bits; 1 for a truth value.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 => 8,
            Scalar::I16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }

    /// Size in memory, bytes.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether it is `F32` or `F64`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer type.
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// A mask of the type's bits.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The integer type of the same width.
    pub fn as_int(self) -> Scalar {
        match self {
            Scalar::F32 => Scalar::I32,
            Scalar::F64 => Scalar::I64,
            other => other,
        }
    }
}

/// A scalar type (`lanes` 1) or a vector of 2, 3, 4, 8 or 16 lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// Type of a lane.
    pub scalar: Scalar,
    /// Number of lanes.
    pub lanes: u8,
}

impl Type {
    /// `bool`.
    pub const BOOL: Type = Type::of(Scalar::Bool);
    /// `i32`.
    pub const I32: Type = Type::of(Scalar::I32);
    /// `i64`.
    pub const I64: Type = Type::of(Scalar::I64);

    /// A scalar type.
    pub const fn of(scalar: Scalar) -> Type {
        Type { scalar, lanes: 1 }
    }

    /// A vector type, or a scalar one for 1 lane.
    pub const fn vector(scalar: Scalar, lanes: u8) -> Type {
        Type { scalar, lanes }
    }

    /// Whether there is more than one lane.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// As many lanes of another type.
    pub fn with(self, scalar: Scalar) -> Type {
        Type { scalar, ..self }
    }

    /// Size and alignment in memory, bytes: three lanes take the place of four.
    pub fn size(self) -> usize {
        self.scalar.bytes() * (self.lanes as usize).next_power_of_two()
    }
}

/// Number of a variable in its function.
pub type VarId = usize;
/// Number of an array in its function or, for those of the kernel, in the kernel.
pub type ArrayId = usize;

/// A built-in variable. Dimensions count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "OpenCL's names")]
pub enum Builtin {
    GlobalId(u8),
    LocalId(u8),
    GroupId(u8),
    LocalSize(u8),
    EnqueuedLocalSize(u8),
    NumGroups(u8),
    GlobalSize(u8),
    GlobalOffset(u8),
    GlobalLinearId,
    LocalLinearId,
    WorkDim,
    SubGroupLocalId,
    SubGroupId,
    SubGroupSize,
    MaxSubGroupSize,
    NumSubGroups,
    NumEnqueuedSubGroups,
}

impl Builtin {
    /// The type: 32 bits for facts of sub-groups and the number of dimensions, else 64.
    pub fn ty(self) -> Type {
        match self {
            Builtin::WorkDim
            | Builtin::SubGroupLocalId
            | Builtin::SubGroupId
            | Builtin::SubGroupSize
            | Builtin::MaxSubGroupSize
            | Builtin::NumSubGroups
            | Builtin::NumEnqueuedSubGroups => Type::I32,
            _ => Type::I64,
        }
    }
}

/// How the bits of a field are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `BitFieldInsert`.
    Insert,
    /// `BitFieldUExtract`.
    Unsigned,
    /// `BitFieldSExtract`.
    Signed,
}

/// An expression without side effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its type.
    pub ty: Type,
    /// What it computes.
    pub kind: Kind,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Bits of each lane.
    Const(Vec<u64>),
    /// A variable of the function.
    Var(VarId),
    /// The counter of an enclosing loop, `I32`.
    Counter(usize),
    /// A parameter of the function; a value argument of the kernel.
    Param(usize),
    /// A member of the kernel's structure argument.
    Member(usize),
    /// A built-in variable.
    Builtin(Builtin),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Three operands.
    Ternary(Ternary, Box<[Expr; 3]>),
    /// Comparison of two values, giving truth values.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// Classification of a floating-point value.
    Test(Test, Box<Expr>),
    /// Conversion to the expression's type.
    Cast(Cast, Rounding, Box<Expr>),
    /// Bits of a field: base, inserted value (equal to the base for extractions), offset and count,
    /// both `I32` and reduced modulo half the width.
    Field(Field, Box<[Expr; 4]>),
    /// Choice by a truth value, or lane by lane.
    Select(Box<[Expr; 3]>),
    /// Choice by control flow: only one side is evaluated.
    Cond(Box<[Expr; 3]>),
    /// Whether any (`false`) or all (`true`) lanes are true.
    Reduce(bool, Box<Expr>),
    /// A vector from its lanes.
    Construct(Vec<Expr>),
    /// A lane.
    Extract(Box<Expr>, u8),
    /// A lane whose number is computed, modulo the number of lanes.
    ExtractAt(Box<Expr>, Box<Expr>),
    /// Vector, new lane value and its place modulo the number of lanes.
    InsertAt(Box<[Expr; 3]>),
    /// Lanes of two vectors of one type.
    Shuffle(Box<Expr>, Box<Expr>, Vec<u8>),
    /// A value from the input buffer; the index counts elements and wraps.
    Input(Box<Expr>),
    /// An element of an array of the function; the index wraps.
    Private(ArrayId, Box<Expr>),
    /// An element of the work-item's part of an array in global memory; the index wraps.
    Own(ArrayId, Box<Expr>),
    /// A cell of a local array; the index wraps at the size of the work-group.
    Local(ArrayId, Box<Expr>),
    /// The work-item's own cell of a local array.
    LocalOwn(ArrayId),
}

/// An operation on memory that nobody sees half done. The first ones give the same in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum Atomic {
    Add,
    Sub,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    Exchange,
    CompareExchange,
    Load,
    Store,
}

impl Atomic {
    /// The operations that may meet in one cell, by family.
    pub const FAMILIES: [&'static [Atomic]; 8] = [
        &[Atomic::Add, Atomic::Sub, Atomic::Inc, Atomic::Dec],
        &[Atomic::And],
        &[Atomic::Or],
        &[Atomic::Xor],
        &[Atomic::SMin],
        &[Atomic::SMax],
        &[Atomic::UMin],
        &[Atomic::UMax],
    ];

    /// The family of an operation, if it has one.
    pub fn family(self) -> Option<usize> {
        Self::FAMILIES.iter().position(|f| f.contains(&self))
    }
}

/// Who takes part in something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The work-group.
    Group,
    /// The sub-group.
    SubGroup,
}

/// What a reduction puts values together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum Combine {
    Add,
    Mul,
    SMin,
    UMin,
    SMax,
    UMax,
    FMin,
    FMax,
    And,
    Or,
    Xor,
}

/// How far a reduction reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All.
    All,
    /// Those up to the work-item.
    Inclusive,
    /// Those before the work-item.
    Exclusive,
    /// So many, a power of two.
    Cluster(u32),
}

/// An operation that work-items do together. Results and operands that are truth values are `I32`
/// variables and expressions here: not zero is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOp {
    /// `Group*` (`false`) or `GroupNonUniform*` (`true`) reduction or scan.
    Reduce(bool, Combine, Reach),
    /// Whether all are true; the flag as above.
    All(bool),
    /// Whether any is true.
    Any(bool),
    /// The value of the work-item with the (uniform) number, which wraps.
    Broadcast(bool),
    /// The value of the first that takes part.
    BroadcastFirst,
    /// Whether all values are the same.
    AllEqual,
    /// Whether the work-item is the first that takes part.
    Elect,
    /// The low 64 bits of a ballot, `I64`.
    Ballot,
    /// The value of the work-item whose number is computed; it wraps.
    Shuffle,
    /// The value of the one whose number differs in those bits, the own one if there is none.
    ShuffleXor,
    /// The value of the one so far below, the own one if there is none.
    ShuffleUp,
    /// The value of the one so far above, the own one if there is none.
    ShuffleDown,
}

/// Form of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tests before each round.
    While,
    /// Tests after each round: runs at least once.
    DoWhile,
}

/// A case of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Values that select it.
    pub labels: Vec<u64>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Whether the next case, or the default one, follows.
    pub falls_through: bool,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Sets a variable.
    Set(VarId, Expr),
    /// Sets one lane of a variable; the place wraps.
    SetLane(VarId, Expr, Expr),
    /// Sets an element of an array of the function; the index wraps.
    Private(ArrayId, Expr, Expr),
    /// Sets an element of the work-item's part of an array in global memory; the index wraps.
    Own(ArrayId, Expr, Expr),
    /// Sets the own cell of a local array.
    LocalOwn(ArrayId, Expr),
    /// Takes one of two ways.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// As `If`, with sub-group operations inside and a sub-group barrier behind.
    SubGroupIf(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Takes one of many ways; the last are the default's statements.
    Switch(Expr, Vec<Case>, Vec<Stmt>),
    /// Runs `bound & mask` times.
    Loop {
        /// Number of the counter; unique in the function.
        counter: usize,
        /// Where the test is.
        form: Form,
        /// Rounds, `I32`.
        bound: Expr,
        /// Limit of the rounds, a power of two less one.
        mask: u32,
        /// What is repeated.
        body: Vec<Stmt>,
    },
    /// Leaves so many loops besides the innermost.
    Break(usize),
    /// Goes to the next round of the loop so many levels outwards.
    Continue(usize),
    /// Returns from the function.
    Return(Option<Expr>),
    /// An atomic operation on the shared cells (`true`: the 64-bit ones) of its family; the number
    /// of the cell wraps.
    Shared(bool, Atomic, Expr, Expr),
    /// An atomic operation on the cell of a local array; the number wraps at the group's size.
    LocalAtomic(ArrayId, Atomic, Expr, Expr),
    /// An atomic operation on an element of the work-item's part of an array of `I32` or `I64`:
    /// result variable, array, operation, index, value, comparator.
    OwnAtomic(VarId, ArrayId, Atomic, Expr, Expr, Expr),
    /// A barrier with a fence.
    Barrier(Scope),
    /// Result variable, operation, scope, value, and number or distance where there is one.
    Group(VarId, GroupOp, Scope, Expr, Option<Expr>),
    /// Calls function `callee` with values and with own arrays.
    Call {
        /// Where the result goes; of the result's type.
        result: Option<VarId>,
        /// Number of the function.
        callee: usize,
        /// Values of its parameters.
        args: Vec<Expr>,
        /// Arrays for its array parameters; each array at most once.
        arrays: Vec<ArrayId>,
    },
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Type of an element.
    pub elem: Type,
    /// Number of elements, a power of two; for local arrays the size of the work-group instead.
    pub len: usize,
    /// Initial bits of every lane of every element; for private arrays that are not parameters.
    pub init: Vec<u64>,
}

/// A function. The first of a kernel is the kernel's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Types of the parameters.
    pub params: Vec<Type>,
    /// How many of the first arrays are parameters.
    pub array_params: usize,
    /// Type of the result.
    pub result: Option<Type>,
    /// Types of the variables, which start as zero.
    pub vars: Vec<Type>,
    /// Private arrays.
    pub arrays: Vec<Array>,
    /// Number of loop counters.
    pub counters: usize,
    /// Who may synchronise in it: the work-group, the sub-group, nobody.
    pub level: Level,
    /// What it does. A function with a result ends with a `Return`.
    pub body: Vec<Stmt>,
}

/// Among whom something is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Each work-item has its own.
    Item,
    /// The same in a sub-group.
    SubGroup,
    /// The same in a work-group.
    Group,
}

/// A kernel.
///
/// Its arguments are, in this order: the input buffer, the 32-bit and the 64-bit shared cells, the
/// arrays in global memory, the local arrays that are arguments, the structure by value, and the
/// parameters of the first function.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The functions; calls go to later ones only.
    pub functions: Vec<Function>,
    /// Members of the structure argument; no argument when empty.
    pub members: Vec<Type>,
    /// Arrays in global memory, `len` elements for each work-item.
    pub own: Vec<Array>,
    /// Local arrays, one cell for each work-item, and whether they are arguments.
    pub local: Vec<(Scalar, bool)>,
    /// Minor version of SPIR-V, 3 to 6.
    pub minor: u8,
}

/// Bytes of the input buffer.
pub const INPUT_BYTES: usize = 2048;
/// Shared cells of each width: for each family [`CELLS`].
pub const SHARED_CELLS: usize = Atomic::FAMILIES.len() * CELLS;
/// Shared cells of each family.
pub const CELLS: usize = 4;
/// The largest work-group.
pub const MAX_GROUP: usize = 257;

impl Kernel {
    /// Byte offsets of the structure's members, and its size and alignment.
    pub fn member_offsets(&self) -> (Vec<usize>, usize, usize) {
        let (mut offsets, mut end, mut align) = (Vec::new(), 0usize, 1usize);
        for member in &self.members {
            end = end.next_multiple_of(member.size());
            offsets.push(end);
            end += member.size();
            align = align.max(member.size());
        }
        (offsets, end.next_multiple_of(align), align)
    }
}
