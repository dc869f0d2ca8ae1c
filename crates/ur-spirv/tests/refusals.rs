//! One broken rule each: the error names the rule and the offset of the instruction that breaks it.

use ur_spirv::spirv::Op;
use ur_spirv::{ErrorKind, Module};

// Ids of the module that the cases are put into.
const VOID: u32 = 1;
const BOOL: u32 = 2;
const U32: u32 = 3;
const U64: u32 = 4;
const F32: u32 = 5;
const V4: u32 = 6;
const GLOBAL: u32 = 7;
const PRIVATE: u32 = 8;
const KERNEL: u32 = 9;
const ONE: u32 = 10;
const TWO: u32 = 11;
const HALF: u32 = 12;
const STRUCT: u32 = 13;
const TRUE: u32 = 14;
const V4_ONES: u32 = 15;
const GENERIC: u32 = 16;
const CONSTANT: u32 = 17;
const OPENCL: u32 = 18;
const HELPER_TYPE: u32 = 19;
const MAIN: u32 = 20;
const POINTER: u32 = 21;
const ENTRY: u32 = 22;
const SUM: u32 = 23;
const HELPER: u32 = 24;
const HELPER_X: u32 = 25;
const BOUND: u32 = 100;

/// An instruction's words.
fn inst(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = (operands.len() as u32 + 1) << 16 | op as u32;
    std::iter::once(first)
        .chain(operands.iter().copied())
        .collect()
}

/// `operands` followed by the words of a string.
fn with_text(operands: &[u32], text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let (chunks, _) = bytes.as_chunks::<4>();
    let text = chunks.iter().map(|c| u32::from_le_bytes(*c));
    operands.iter().copied().chain(text).collect()
}

/// Where a case's instructions go.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Before everything.
    First,
    /// Before the memory model.
    Start,
    /// Before the types.
    Annotations,
    /// After the types and constants.
    Globals,
    /// In the kernel, after `SUM` was computed.
    Body,
    /// Instead of the kernel's return.
    End,
    /// After the last function.
    Last,
}

/// A valid module with `extra` at a place; gives the words and the offset of `extra`.
fn module(place: Place, extra: &[Vec<u32>]) -> (Vec<u32>, usize) {
    let mut words = vec![0x0723_0203, 0x1_0100, 0, BOUND, 0];
    let mut offset = 0;
    let mut put = |words: &mut Vec<u32>, at: Place| {
        if at == place {
            offset = words.len();
            words.extend(extra.concat());
        }
    };
    let section = |words: &mut Vec<u32>, instructions: &[(Op, Vec<u32>)]| {
        for (op, operands) in instructions {
            words.extend(inst(*op, operands));
        }
    };
    put(&mut words, Place::First);
    section(
        &mut words,
        &[
            (Op::Capability, vec![4]), // Addresses
            (Op::Capability, vec![6]), // Kernel
            (Op::ExtInstImport, with_text(&[OPENCL], "OpenCL.std")),
        ],
    );
    put(&mut words, Place::Start);
    section(
        &mut words,
        &[
            (Op::MemoryModel, vec![2, 2]),
            (Op::EntryPoint, with_text(&[6, MAIN], "main")),
        ],
    );
    put(&mut words, Place::Annotations);
    section(
        &mut words,
        &[
            (Op::TypeVoid, vec![VOID]),
            (Op::TypeBool, vec![BOOL]),
            (Op::TypeInt, vec![U32, 32, 0]),
            (Op::TypeInt, vec![U64, 64, 0]),
            (Op::TypeFloat, vec![F32, 32]),
            (Op::TypeVector, vec![V4, F32, 4]),
            (Op::TypeStruct, vec![STRUCT, U32, F32]),
            (Op::TypePointer, vec![GLOBAL, 5, U32]),
            (Op::TypePointer, vec![PRIVATE, 7, U32]),
            (Op::TypePointer, vec![GENERIC, 8, U32]),
            (Op::TypePointer, vec![CONSTANT, 0, U32]),
            (Op::TypeFunction, vec![KERNEL, VOID, GLOBAL]),
            (Op::TypeFunction, vec![HELPER_TYPE, U32, U32]),
            (Op::Constant, vec![U32, ONE, 1]),
            (Op::Constant, vec![U32, TWO, 2]),
            (Op::Constant, vec![F32, HALF, 0x3f00_0000]),
            (Op::ConstantTrue, vec![BOOL, TRUE]),
            (
                Op::ConstantComposite,
                vec![V4, V4_ONES, HALF, HALF, HALF, HALF],
            ),
        ],
    );
    put(&mut words, Place::Globals);
    section(
        &mut words,
        &[
            (Op::Function, vec![U32, HELPER, 0, HELPER_TYPE]),
            (Op::FunctionParameter, vec![U32, HELPER_X]),
            (Op::Label, vec![26]),
            (Op::ReturnValue, vec![HELPER_X]),
            (Op::FunctionEnd, vec![]),
            (Op::Function, vec![VOID, MAIN, 0, KERNEL]),
            (Op::FunctionParameter, vec![GLOBAL, POINTER]),
            (Op::Label, vec![ENTRY]),
            (Op::IAdd, vec![U32, SUM, ONE, TWO]),
        ],
    );
    put(&mut words, Place::Body);
    put(&mut words, Place::End);
    if place != Place::End {
        section(&mut words, &[(Op::Return, vec![])]);
    }
    section(&mut words, &[(Op::FunctionEnd, vec![])]);
    put(&mut words, Place::Last);
    (words, offset)
}

/// `extra` is accepted.
#[track_caller]
fn accepted(place: Place, extra: &[Vec<u32>]) {
    let (words, _) = module(place, extra);
    if let Err(error) = Module::parse(&words, &[]) {
        panic!("{error}");
    }
}

/// The last instruction of `extra` is refused by a rule that has `rule` in its words.
#[track_caller]
fn refused(place: Place, extra: &[Vec<u32>], rule: &str) {
    let last = extra.last().map_or(0, Vec::len);
    let (words, offset) = module(place, extra);
    let at = offset + extra.iter().map(Vec::len).sum::<usize>() - last;
    refused_at(&words, at, rule);
}

#[track_caller]
fn refused_at(words: &[u32], at: usize, rule: &str) {
    match Module::parse(words, &[]) {
        Ok(_) => panic!("accepted, though: {rule}"),
        Err(error) => {
            assert!(error.rule().contains(rule), "{error} instead of: {rule}");
            assert_eq!(error.offset(), at, "{error}");
        }
    }
}

#[test]
fn the_module_around_is_valid() {
    accepted(Place::Body, &[]);
}

#[test]
fn header() {
    let (valid, _) = module(Place::Body, &[]);
    for (word, value, rule) in [
        (0, 0x0723_0204, "magic"),
        (1, 0x2_0000, "version"),
        (1, 0x1_0700, "version"),
        (3, 0, "bound"),
        (3, 0x40_0000, "bound"),
        (4, 1, "schema"),
    ] {
        let mut words = valid.clone();
        words[word] = value;
        refused_at(&words, word, rule);
    }
    refused_at(&[], 0, "cut off");
    let mut words = valid.clone();
    words[3] = 20;
    let error = Module::parse(&words, &[]).expect_err("ids beyond the bound");
    assert!(error.rule().contains("bound 20"), "{error}");
}

#[test]
fn instructions() {
    refused(Place::Body, &[vec![0]], "an instruction of 0 words");
    refused(Place::Body, &[vec![0xffff << 16]], "65535 words");
    refused(Place::Body, &[vec![1 << 16 | 9999]], "unknown opcode 9999");
    refused(
        Place::Body,
        &[inst(Op::IAdd, &[U32, 30, ONE])],
        "operand words",
    );
    refused(
        Place::Body,
        &[inst(Op::IAdd, &[U32, 30, ONE, ONE, ONE])],
        "4 are expected",
    );
    refused(Place::Body, &[inst(Op::Kill, &[])], "OpenCL environment");
    refused(Place::Body, &[inst(Op::EmitVertex, &[])], "OpEmitVertex");
    refused(
        Place::Body,
        &[inst(Op::TypeVoid, &[30])],
        "may not stand in a block",
    );
    refused(Place::Globals, &[inst(Op::Capability, &[6])], "section");
    refused(
        Place::Globals,
        &[inst(Op::IAdd, &[U32, 30, ONE, TWO])],
        "outside of a function",
    );
}

#[test]
fn preamble() {
    refused(
        Place::First,
        &[inst(Op::Capability, &[1])],
        "capability Shader",
    );
    refused(
        Place::First,
        &[inst(Op::Capability, &[60000])],
        "unknown capability",
    );
    refused(
        Place::Start,
        &[inst(Op::ExtInstImport, &with_text(&[30], "GLSL.std.450"))],
        "GLSL",
    );
    refused(
        Place::Start,
        &[inst(Op::MemoryModel, &[1, 2])],
        "addressing model 1",
    );
    refused(
        Place::Start,
        &[inst(Op::MemoryModel, &[2, 1])],
        "memory model 1",
    );
    let model = inst(Op::MemoryModel, &[2, 2]);
    let (words, offset) = module(Place::Start, std::slice::from_ref(&model));
    refused_at(&words, offset + model.len(), "second memory model");
    let entry = |model, id, name| inst(Op::EntryPoint, &with_text(&[model, id], name));
    refused(
        Place::Annotations,
        &[entry(5, MAIN, "x")],
        "execution model 5",
    );
    refused(
        Place::Annotations,
        &[entry(6, MAIN, "main")],
        "a second entry point",
    );
    refused(Place::Annotations, &[entry(6, U32, "x")], "no function");
    refused(
        Place::Annotations,
        &[entry(6, HELPER, "x")],
        "returns a value",
    );
    refused(
        Place::Annotations,
        &[inst(
            Op::EntryPoint,
            &[with_text(&[6, MAIN], "x"), vec![U32]].concat(),
        )],
        "no variable",
    );
    let mode = |operands: &[u32]| inst(Op::ExecutionMode, operands);
    refused(
        Place::Annotations,
        &[mode(&[MAIN, 17, 1, 1])],
        "takes 3 operands",
    );
    refused(Place::Annotations, &[mode(&[HELPER, 31])], "no entry point");
    refused(Place::Annotations, &[mode(&[MAIN, 7])], "execution mode");
    accepted(Place::Annotations, &[mode(&[MAIN, 17, 8, 4, 1])]);
}

#[test]
fn ids() {
    let add = |id, a, b| inst(Op::IAdd, &[U32, id, a, b]);
    refused(Place::Body, &[add(ONE, ONE, TWO)], "defined twice");
    refused(Place::Body, &[add(0, ONE, TWO)], "not below the bound");
    refused(Place::Body, &[add(BOUND, ONE, TWO)], "not below the bound");
    refused(Place::Body, &[add(30, 99, TWO)], "99 is not defined");
    refused(Place::Body, &[add(30, U32, TWO)], "3 is no value");
    refused(Place::Body, &[add(30, ENTRY, TWO)], "22 is no value");
    refused(Place::Body, &[add(30, HELPER_X, TWO)], "another function");
    refused(Place::Body, &[add(30, 30, TWO)], "not be defined yet");
    refused(
        Place::Body,
        &[inst(Op::IAdd, &[ONE, 30, ONE, TWO])],
        "no type",
    );
    let set = |set, number| inst(Op::ExtInst, &[F32, 30, set, number, HALF]);
    refused(Place::Body, &[set(ONE, 57)], "no imported instruction set");
    refused(Place::Body, &[set(OPENCL, 5000)], "unknown OpenCL.std");
    accepted(Place::Body, &[set(OPENCL, 57)]);
}

#[test]
fn types() {
    use Place::Globals as G;
    refused(G, &[inst(Op::TypeInt, &[30, 17, 0])], "17 bits");
    refused(G, &[inst(Op::TypeFloat, &[30, 80])], "80 bits");
    refused(G, &[inst(Op::TypeVector, &[30, U32, 5])], "5 elements");
    refused(G, &[inst(Op::TypeVector, &[30, GLOBAL, 4])], "no scalar");
    refused(
        G,
        &[inst(Op::TypeArray, &[30, U32, HALF])],
        "no integer constant",
    );
    refused(
        G,
        &[inst(Op::TypeArray, &[30, VOID, ONE])],
        "stand in memory",
    );
    refused(
        G,
        &[inst(Op::TypeStruct, &[30, 30])],
        "no type defined before",
    );
    refused(
        G,
        &[inst(Op::TypePointer, &[30, 12, U32])],
        "storage class 12",
    );
    refused(
        G,
        &[inst(Op::TypeMatrix, &[30, V4, 4])],
        "OpenCL environment",
    );
    refused(
        G,
        &[inst(Op::TypeForwardPointer, &[30, 5])],
        "never defined",
    );
    // Arrays of arrays grow by the product.
    let long = inst(Op::Constant, &[U64, 30, 0, 1]);
    let huge = inst(Op::TypeArray, &[31, U64, 30]);
    accepted(G, std::slice::from_ref(&long));
    let wide = inst(Op::TypeArray, &[32, 31, 30]);
    refused(G, &[long, huge, wide], "too large");
    let most = inst(Op::Constant, &[U64, 30, u32::MAX, u32::MAX]);
    refused(G, &[most, inst(Op::TypeArray, &[31, U64, 30])], "too large");
    // A structure may hold a pointer to itself.
    let ahead = inst(Op::TypeForwardPointer, &[30, 5]);
    let node = inst(Op::TypeStruct, &[31, U32, 30]);
    accepted(G, &[ahead, node, inst(Op::TypePointer, &[30, 5, 31])]);
}

#[test]
fn constants() {
    use Place::Globals as G;
    refused(
        G,
        &[inst(Op::Constant, &[U32, 30, 1, 2])],
        "2 literal words",
    );
    refused(G, &[inst(Op::Constant, &[U64, 30, 1])], "1 literal words");
    refused(
        G,
        &[inst(Op::Constant, &[V4, 30, 1])],
        "neither integer nor float",
    );
    refused(G, &[inst(Op::ConstantTrue, &[U32, 30])], "not Bool");
    refused(G, &[inst(Op::ConstantNull, &[VOID, 30])], "no constants");
    refused(
        G,
        &[inst(Op::ConstantComposite, &[STRUCT, 30, ONE])],
        "the type has 2",
    );
    refused(
        G,
        &[inst(Op::ConstantComposite, &[STRUCT, 30, ONE, TWO])],
        "another type",
    );
    let op = |ty, op: Op, a, b| inst(Op::SpecConstantOp, &[ty, 30, op as u32, a, b]);
    refused(G, &[op(U32, Op::ExtInst, ONE, TWO)], "not for constants");
    refused(G, &[op(U32, Op::IAdd, ONE, HALF)], "not like the result");
    accepted(G, &[op(U32, Op::IAdd, ONE, TWO)]);
    let variable = |operands: &[u32]| inst(Op::Variable, operands);
    refused(G, &[variable(&[U32, 30, 5])], "no pointer");
    refused(G, &[variable(&[GLOBAL, 30, 4])], "differs");
    refused(G, &[variable(&[GENERIC, 30, 8])], "generic");
    refused(G, &[variable(&[GLOBAL, 30, 5, HALF])], "another type");
    accepted(G, &[variable(&[GLOBAL, 30, 5, ONE])]);
}

#[test]
fn operand_types() {
    use Place::Body as B;
    let two = |op, ty, a, b| inst(op, &[ty, 30, a, b]);
    refused(B, &[two(Op::IAdd, U32, ONE, HALF)], "operand 1");
    refused(B, &[two(Op::IAdd, F32, HALF, HALF)], "wrong kind");
    refused(B, &[two(Op::FAdd, V4, V4_ONES, HALF)], "operand 1");
    refused(B, &[two(Op::IEqual, U32, ONE, TWO)], "one Bool for each");
    refused(B, &[two(Op::FOrdLessThan, BOOL, ONE, TWO)], "wrong kind");
    refused(B, &[two(Op::ShiftLeftLogical, U32, ONE, HALF)], "amount");
    refused(
        B,
        &[inst(Op::Select, &[U32, 30, ONE, ONE, TWO])],
        "condition",
    );
    refused(
        B,
        &[inst(Op::Select, &[U32, 30, TRUE, ONE, HALF])],
        "operand 2",
    );
    refused(
        B,
        &[inst(Op::ConvertFToU, &[U32, 30, ONE])],
        "operand is of the wrong kind",
    );
    refused(
        B,
        &[inst(Op::FConvert, &[V4, 30, HALF])],
        "number of elements",
    );
    refused(B, &[inst(Op::Bitcast, &[U64, 30, ONE])], "size");
    refused(
        B,
        &[inst(Op::Bitcast, &[PRIVATE, 30, POINTER])],
        "storage class",
    );
    refused(
        B,
        &[inst(Op::PtrCastToGeneric, &[GLOBAL, 30, POINTER])],
        "Generic",
    );
    refused(
        B,
        &[inst(Op::CompositeExtract, &[F32, 30, V4_ONES, 4])],
        "no part number 4",
    );
    refused(
        B,
        &[inst(Op::CompositeExtract, &[U32, 30, V4_ONES, 0])],
        "part's type",
    );
    refused(
        B,
        &[inst(Op::CompositeConstruct, &[STRUCT, 30, ONE])],
        "structure's",
    );
    refused(
        B,
        &[inst(Op::CompositeConstruct, &[V4, 30, V4_ONES, HALF])],
        "as many elements",
    );
    let shuffle = |last| {
        inst(
            Op::VectorShuffle,
            &[V4, 30, V4_ONES, V4_ONES, 0, 7, u32::MAX, last],
        )
    };
    accepted(B, &[shuffle(3)]);
    refused(B, &[shuffle(8)], "beyond both");
    refused(B, &[inst(Op::AssumeTrueKHR, &[ONE])], "not Bool");
    let call = |ty, args: &[u32]| inst(Op::FunctionCall, &[&[ty, 30, HELPER], args].concat());
    accepted(B, &[call(U32, &[ONE])]);
    refused(B, &[call(U32, &[])], "number of arguments");
    refused(B, &[call(U32, &[HALF])], "parameter's type");
    refused(B, &[call(F32, &[ONE])], "function returns");
    refused(B, &[inst(Op::FunctionCall, &[U32, 30, ONE])], "no function");
    let clamp = |b| inst(Op::ExtInst, &[F32, 30, OPENCL, 95, HALF, HALF, b]);
    accepted(B, &[clamp(HALF)]);
    refused(B, &[clamp(ONE)], "fclamp");
}

#[test]
fn memory() {
    use Place::Body as B;
    accepted(B, &[inst(Op::Load, &[U32, 30, POINTER, 2, 4])]);
    refused(B, &[inst(Op::Load, &[F32, 30, POINTER])], "type pointed to");
    refused(B, &[inst(Op::Load, &[U32, 30, ONE])], "no pointer");
    refused(
        B,
        &[inst(Op::Load, &[U32, 30, POINTER, 2, 3])],
        "power of two",
    );
    refused(
        B,
        &[inst(Op::Load, &[U32, 30, POINTER, 2])],
        "operand words",
    );
    refused(
        B,
        &[inst(Op::Load, &[U32, 30, POINTER, 0x8000_0000])],
        "memory access",
    );
    refused(
        B,
        &[inst(Op::Load, &[U32, 30, POINTER, 0x10000, ONE])],
        "alias scope list",
    );
    refused(B, &[inst(Op::Store, &[POINTER, HALF])], "type pointed to");
    let cast = inst(Op::Undef, &[CONSTANT, 30]);
    refused(B, &[cast, inst(Op::Store, &[30, ONE])], "cannot be written");
    let offset = |ty, op, index: &[u32]| inst(op, &[&[ty, 30, POINTER], index].concat());
    accepted(B, &[offset(GLOBAL, Op::PtrAccessChain, &[ONE])]);
    refused(
        B,
        &[offset(GLOBAL, Op::PtrAccessChain, &[HALF])],
        "no integer",
    );
    refused(
        B,
        &[offset(GLOBAL, Op::AccessChain, &[ONE])],
        "without parts",
    );
    refused(
        B,
        &[offset(PRIVATE, Op::PtrAccessChain, &[ONE])],
        "part reached",
    );
    let atomic = |operands: &[u32]| inst(Op::AtomicIAdd, operands);
    accepted(B, &[atomic(&[U32, 30, POINTER, ONE, ONE, TWO])]);
    refused(
        B,
        &[atomic(&[U32, 30, POINTER, ONE, ONE, HALF])],
        "type pointed to",
    );
    refused(
        B,
        &[atomic(&[U32, 30, POINTER, HALF, ONE, ONE])],
        "32-bit integer",
    );
    refused(
        B,
        &[inst(Op::ControlBarrier, &[ONE, TWO, ONE])],
        "neither Workgroup nor Subgroup",
    );
    refused(
        B,
        &[inst(Op::ControlBarrier, &[SUM, TWO, ONE])],
        "not constant",
    );
    accepted(B, &[inst(Op::ControlBarrier, &[TWO, TWO, ONE])]);
    accepted(B, &[inst(Op::Variable, &[PRIVATE, 30, 7])]);
    let second = [
        inst(Op::Branch, &[40]),
        inst(Op::Label, &[40]),
        inst(Op::Variable, &[PRIVATE, 30, 7]),
    ];
    refused(B, &second, "entry block");
}

#[test]
fn control_flow() {
    use Place::{Body, End};
    let branch = |to| inst(Op::Branch, &[to]);
    let label = |id| inst(Op::Label, &[id]);
    refused(Body, &[label(40)], "no terminator");
    refused(End, &[branch(40)], "no label");
    refused(End, &[branch(26)], "no label of this function");
    refused(End, &[branch(ENTRY)], "entry block");
    refused(End, &[inst(Op::ReturnValue, &[ONE])], "type returned");
    refused(
        End,
        &[inst(Op::BranchConditional, &[ONE, 40, 40])],
        "not Bool",
    );
    let to = |id| inst(Op::BranchConditional, &[TRUE, id, id]);
    accepted(End, &[to(40), label(40), inst(Op::Return, &[])]);
    // One literal of 64 bits is two words.
    let switch = |operands: &[u32]| inst(Op::Switch, operands);
    let tail = || [label(40), inst(Op::Return, &[])].concat();
    accepted(End, &[switch(&[ONE, 40, 5, 40]), tail()]);
    refused(End, &[switch(&[HALF, 40])], "no integer");
    refused(End, &[switch(&[ONE, 40, 5])], "incomplete");
    refused(End, &[switch(&[ONE, 40, 5, 40, 5, 40])], "same value");
    // Phis: two ways into block 42.
    let diamond = |phi: &[u32]| {
        [
            inst(Op::BranchConditional, &[TRUE, 40, 41]),
            label(40),
            inst(Op::IAdd, &[U32, 50, ONE, ONE]),
            branch(42),
            label(41),
            inst(Op::IAdd, &[U32, 51, ONE, ONE]),
            branch(42),
            label(42),
            inst(Op::Phi, phi),
        ]
    };
    let whole = |phi: &[u32]| [&diamond(phi)[..], &[inst(Op::Return, &[])]].concat();
    accepted(End, &whole(&[U32, 30, 50, 40, 51, 41]));
    let case = |phi: &[u32], rule: &str| {
        let (words, offset) = module(End, &whole(phi));
        let before: usize = diamond(phi).iter().rev().skip(1).map(Vec::len).sum();
        refused_at(&words, offset + before, rule);
    };
    case(&[U32, 30, 50, 40], "predecessors");
    case(&[U32, 30, 50, 40, 51, 41, ONE, ENTRY], "predecessors");
    case(&[U32, 30, 50, 40, 51, 40], "defined yet");
    case(&[U32, 30, ONE, 40, ONE, 40], "predecessors");
    case(&[U32, 30, 51, 40, 51, 41], "defined yet");
    case(&[U32, 30, HALF, 40, 51, 41], "another type");
    case(&[U32, 30, 50, ONE, 51, 41], "no label");
    // A value of one arm is not there after the arms meet.
    let after = [
        inst(Op::BranchConditional, &[TRUE, 40, 41]),
        label(40),
        inst(Op::IAdd, &[U32, 50, ONE, ONE]),
        branch(41),
        label(41),
        inst(Op::IAdd, &[U32, 51, 50, ONE]),
    ];
    refused(Body, &after, "not be defined yet");
    // In a block that control never reaches, anything defined will do.
    let dead = [
        inst(Op::Return, &[]),
        label(40),
        inst(Op::IAdd, &[U32, 50, 51, ONE]),
        branch(41),
        label(41),
        inst(Op::IAdd, &[U32, 51, ONE, ONE]),
    ];
    accepted(Body, &dead);
}

#[test]
fn functions() {
    use Place::Last;
    let begin = inst(Op::Function, &[U32, 60, 0, HELPER_TYPE]);
    let param = inst(Op::FunctionParameter, &[U32, 61]);
    let label = inst(Op::Label, &[62]);
    let end = inst(Op::FunctionEnd, &[]);
    refused(
        Last,
        &[inst(Op::Function, &[U32, 60, 0, U32])],
        "no function type",
    );
    refused(
        Last,
        &[inst(Op::Function, &[F32, 60, 0, HELPER_TYPE])],
        "function type returns",
    );
    let wrong = inst(Op::FunctionParameter, &[F32, 61]);
    refused(Last, &[begin.clone(), wrong], "function type lists");
    refused(
        Last,
        &[begin.clone(), label.clone()],
        "parameters are missing",
    );
    refused(
        Last,
        &[begin.clone(), param.clone(), end.clone()],
        "not imported",
    );
    let (words, _) = module(Last, &[begin.clone(), param.clone(), label.clone()]);
    refused_at(&words, words.len(), "no end");
    let call = |id, callee| inst(Op::FunctionCall, &[U32, id, callee, ONE]);
    let back = |id| inst(Op::ReturnValue, &[id]);
    // A function that calls itself, and two that call each other.
    let alone = [
        begin.clone(),
        param.clone(),
        label.clone(),
        call(63, 60),
        back(63),
        end.clone(),
    ];
    let (words, offset) = module(Last, &alone);
    let before: usize = alone[..3].iter().map(Vec::len).sum();
    refused_at(&words, offset + before, "recursion");
    let other = [
        inst(Op::Function, &[U32, 70, 0, HELPER_TYPE]),
        inst(Op::FunctionParameter, &[U32, 71]),
        inst(Op::Label, &[72]),
    ];
    let both = |callee| {
        [
            &[
                begin.clone(),
                param.clone(),
                label.clone(),
                call(63, 70),
                back(63),
                end.clone(),
            ][..],
            &other,
            &[call(73, callee), back(73), end.clone()],
        ]
        .concat()
    };
    accepted(Last, &both(HELPER));
    let (words, _) = module(Last, &both(60));
    let error = Module::parse(&words, &[]).expect_err("a cycle");
    assert!(error.rule().contains("recursion"), "{error}");
}

#[test]
fn what_is_missing_is_told_from_what_is_wrong() {
    let kind = |place, extra: Vec<u32>| {
        let (words, _) = module(place, &[extra]);
        Module::parse(&words, &[]).expect_err("refused").kind()
    };
    let shader = inst(Op::Capability, &[1]);
    assert_eq!(kind(Place::First, shader), ErrorKind::Unsupported);
    let twice = inst(Op::IAdd, &[U32, ONE, ONE, TWO]);
    assert_eq!(kind(Place::Body, twice), ErrorKind::Invalid);
}

#[test]
fn what_expands_to_too_much() {
    use Place::Globals as G;
    // Each structure holds the one before twice.
    let doubled = |count: u32| -> Vec<Vec<u32>> {
        let first = inst(Op::TypeStruct, &[30, U32, U32]);
        let more = (31..30 + count).map(|id| inst(Op::TypeStruct, &[id, id - 1, id - 1]));
        std::iter::once(first).chain(more).collect()
    };
    accepted(G, &doubled(12));
    refused(G, &doubled(14), "a type made of more than");
    let nested = |count: u32| -> Vec<Vec<u32>> {
        let first = inst(Op::TypeStruct, &[30, U32]);
        let more = (31..30 + count).map(|id| inst(Op::TypeStruct, &[id, id - 1]));
        std::iter::once(first).chain(more).collect()
    };
    accepted(G, &nested(63));
    refused(G, &nested(64), "nested deeper");
    // The same with constants of nested arrays of two.
    let arrays = |count: u32| -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        for n in 0..count {
            let (elem, part) = if n == 0 { (U32, ONE) } else { (29 + n, 59 + n) };
            all.push(inst(Op::TypeArray, &[30 + n, elem, TWO]));
            all.push(inst(Op::ConstantComposite, &[30 + n, 60 + n, part, part]));
        }
        all
    };
    accepted(G, &arrays(18));
    refused(G, &arrays(20), "a constant made of more than");
    // A large array may stand in memory, but not be loaded whole.
    let large = |last: Vec<u32>| {
        let length = inst(Op::Constant, &[U32, 30, 1 << 20]);
        let array = inst(Op::TypeArray, &[31, U32, 30]);
        let pointer = inst(Op::TypePointer, &[32, 7, 31]);
        let ty = inst(Op::TypeFunction, &[33, VOID, 32]);
        let function = inst(Op::Function, &[VOID, 60, 0, 33]);
        let param = inst(Op::FunctionParameter, &[32, 61]);
        let label = inst(Op::Label, &[62]);
        let tail = [inst(Op::Return, &[]), inst(Op::FunctionEnd, &[])].concat();
        let before = vec![length, array, pointer, ty, function, param, label];
        let at: usize = before.iter().map(Vec::len).sum();
        (module(G, &[before, vec![last, tail]].concat()), at)
    };
    let ((words, _), _) = large(Vec::new());
    Module::parse(&words, &[]).expect("only in memory");
    let ((words, offset), at) = large(inst(Op::Load, &[31, 63, 61]));
    refused_at(&words, offset + at, "outside of memory");
    let align = |n| inst(Op::Decorate, &[POINTER, 44, n]);
    accepted(Place::Annotations, &[align(4096)]);
    refused(Place::Annotations, &[align(8192)], "alignment of 8192");
    refused(Place::Annotations, &[align(3)], "alignment of 3");
}
