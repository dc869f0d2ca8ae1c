//! Rules of image types and instructions, one broken each.

use ur_spirv::spirv::Op;
use ur_spirv::{ErrorKind, Module};

const VOID: u32 = 1;
const U32: u32 = 2;
const F32: u32 = 3;
const V2I: u32 = 4;
const V2F: u32 = 5;
const V4F: u32 = 6;
const V3F: u32 = 7;
const READ: u32 = 8;
const WRITE: u32 = 9;
const DEEP: u32 = 10;
const SAMPLER: u32 = 11;
const SAMPLED: u32 = 12;
const SAMPLED_WRITE: u32 = 13;
const FUNCTION: u32 = 14;
const I0: u32 = 15;
const F0: u32 = 16;
const AT: u32 = 17;
const PLACE: u32 = 18;
const TEXEL: u32 = 19;
const F64: u32 = 20;
const V4D: u32 = 21;
const V3I: u32 = 22;
const MAIN: u32 = 40;
const FROM: u32 = 41;
const TO: u32 = 42;
const S: u32 = 43;
const BOTH: u32 = 45;
const BOTH_WRITE: u32 = 46;

const LOD: u32 = 2;
const GRAD: u32 = 4;
const CONST_OFFSET: u32 = 8;

fn inst(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = (operands.len() as u32 + 1) << 16 | op as u32;
    std::iter::once(first)
        .chain(operands.iter().copied())
        .collect()
}

/// A kernel with a type and an instruction of the case.
fn parse(ty: &[u32], body: &[u32]) -> Result<Module, (ErrorKind, String)> {
    let image = |id, dim, access| inst(Op::TypeImage, &[id, VOID, dim, 0, 0, 0, 0, 0, access]);
    let name = u32::from_le_bytes(*b"main");
    let words = [
        vec![0x0723_0203, 0x1_0100, 0, 100, 0],
        inst(Op::Capability, &[4]),
        inst(Op::Capability, &[6]),
        inst(Op::Capability, &[10]),
        inst(Op::Capability, &[13]),
        inst(Op::MemoryModel, &[2, 2]),
        inst(Op::EntryPoint, &[6, MAIN, name, 0]),
        inst(Op::TypeVoid, &[VOID]),
        inst(Op::TypeInt, &[U32, 32, 0]),
        inst(Op::TypeFloat, &[F32, 32]),
        inst(Op::TypeFloat, &[F64, 64]),
        inst(Op::TypeVector, &[V2I, U32, 2]),
        inst(Op::TypeVector, &[V3I, U32, 3]),
        inst(Op::TypeVector, &[V2F, F32, 2]),
        inst(Op::TypeVector, &[V3F, F32, 3]),
        inst(Op::TypeVector, &[V4F, F32, 4]),
        inst(Op::TypeVector, &[V4D, F64, 4]),
        image(READ, 1, 0),
        image(WRITE, 1, 1),
        image(DEEP, 2, 0),
        inst(Op::TypeSampler, &[SAMPLER]),
        inst(Op::TypeSampledImage, &[SAMPLED, READ]),
        inst(Op::TypeSampledImage, &[SAMPLED_WRITE, WRITE]),
        inst(Op::TypeFunction, &[FUNCTION, VOID, READ, WRITE, SAMPLER]),
        inst(Op::Constant, &[U32, I0, 0]),
        inst(Op::Constant, &[F32, F0, 0]),
        inst(Op::ConstantComposite, &[V2I, AT, I0, I0]),
        inst(Op::ConstantComposite, &[V2F, PLACE, F0, F0]),
        inst(Op::ConstantComposite, &[V4F, TEXEL, F0, F0, F0, F0]),
        ty.to_vec(),
        inst(Op::Function, &[VOID, MAIN, 0, FUNCTION]),
        inst(Op::FunctionParameter, &[READ, FROM]),
        inst(Op::FunctionParameter, &[WRITE, TO]),
        inst(Op::FunctionParameter, &[SAMPLER, S]),
        inst(Op::Label, &[44]),
        inst(Op::SampledImage, &[SAMPLED, BOTH, FROM, S]),
        inst(Op::SampledImage, &[SAMPLED_WRITE, BOTH_WRITE, TO, S]),
        body.to_vec(),
        inst(Op::Return, &[]),
        inst(Op::FunctionEnd, &[]),
    ]
    .concat();
    Module::parse(&words, &[]).map_err(|error| (error.kind(), error.to_string()))
}

fn accepted(op: Op, operands: &[u32]) {
    if let Err((_, message)) = parse(&[], &inst(op, operands)) {
        panic!("{message}");
    }
}

fn refused(op: Op, operands: &[u32], rule: &str) {
    let (kind, message) = parse(&[], &inst(op, operands)).expect_err(rule);
    assert_eq!(kind, ErrorKind::Invalid, "{message}");
    assert!(message.contains(rule), "{message} instead of {rule}");
}

fn unsupported(ty: &[u32], body: &[u32], what: &str) {
    let (kind, message) = parse(ty, body).expect_err(what);
    assert_eq!(kind, ErrorKind::Unsupported, "{message}");
    assert!(message.contains(what), "{message} instead of {what}");
}

#[test]
fn image_types() {
    let image = |dim, arrayed, samples| {
        let words = [50, VOID, dim, 0, arrayed, samples, 0, 0, 0];
        parse(&inst(Op::TypeImage, &words), &[])
    };
    for (dim, arrayed) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (5, 0)] {
        assert!(image(dim, arrayed, 0).is_ok(), "{dim} {arrayed}");
    }
    for (dim, arrayed) in [(2, 1), (5, 1), (99, 0)] {
        let (kind, _) = image(dim, arrayed, 0).expect_err("no such image");
        assert_eq!(kind, ErrorKind::Invalid, "{dim} {arrayed}");
    }
    for (dim, samples) in [(3, 0), (4, 0), (6, 0), (1, 1)] {
        let (kind, _) = image(dim, 0, samples).expect_err("not of OpenCL");
        assert_eq!(kind, ErrorKind::Unsupported, "{dim} {samples}");
    }
}

#[test]
fn pairs_never_stand_in_memory() {
    let pointer = inst(Op::TypePointer, &[50, 7, SAMPLED]);
    let variable = inst(Op::Variable, &[50, 51, 7]);
    let (kind, message) = parse(&pointer, &variable).expect_err("no memory");
    assert_eq!(kind, ErrorKind::Invalid, "{message}");
    assert!(message.contains("cannot stand in memory"), "{message}");
}

#[test]
fn pairs() {
    let op = Op::SampledImage;
    accepted(op, &[SAMPLED, 50, FROM, S]);
    refused(op, &[V4F, 50, FROM, S], "the result is no sampled image");
    refused(op, &[SAMPLED, 50, TO, S], "not the result's image");
    refused(op, &[SAMPLED, 50, FROM, FROM], "no sampler");
    accepted(Op::Image, &[READ, 50, BOTH]);
    refused(Op::Image, &[WRITE, 50, BOTH], "not operand 0's image");
    refused(Op::Image, &[READ, 50, FROM], "no sampled image");
}

#[test]
fn samples() {
    let op = Op::ImageSampleExplicitLod;
    accepted(op, &[V4F, 50, BOTH, PLACE, LOD, F0]);
    accepted(op, &[F32, 50, BOTH, PLACE, GRAD, PLACE, PLACE]);
    accepted(op, &[V4F, 50, BOTH, AT, LOD, F0]);
    accepted(op, &[V4F, 50, BOTH, TEXEL, LOD, F0]);
    refused(op, &[V4F, 50, FROM, PLACE, LOD, F0], "no sampled image");
    refused(op, &[V4F, 50, BOTH_WRITE, PLACE, LOD, F0], "WriteOnly");
    refused(op, &[V4F, 50, BOTH, F0, LOD, F0], "more coordinates");
    refused(
        op,
        &[V4F, 50, BOTH, S, LOD, F0],
        "neither scalar nor vector",
    );
    refused(op, &[V3F, 50, BOTH, PLACE, LOD, F0], "no texel");
    refused(op, &[V4D, 50, BOTH, PLACE, LOD, F0], "no texel");
    refused(op, &[V4F, 50, BOTH, PLACE, LOD, PLACE], "no number");
    refused(op, &[V4F, 50, BOTH, PLACE, 0], "neither a level");
    let moved = inst(op, &[V4F, 50, BOTH, PLACE, LOD | CONST_OFFSET, F0, AT]);
    unsupported(&[], &moved, "image operands");
}

#[test]
fn reads_and_writes() {
    for op in [Op::ImageRead, Op::ImageFetch] {
        accepted(op, &[V4F, 50, FROM, AT]);
        accepted(op, &[V4F, 50, FROM, AT, LOD, I0]);
        refused(op, &[V4F, 50, TO, AT], "WriteOnly");
        refused(op, &[V4F, 50, FROM, PLACE], "wrong kind");
        refused(op, &[V4F, 50, FROM, I0], "more coordinates");
        refused(op, &[V4F, 50, BOTH, AT], "no image");
        refused(op, &[V2F, 50, FROM, AT], "no texel");
    }
    let op = Op::ImageWrite;
    accepted(op, &[TO, AT, TEXEL]);
    refused(op, &[FROM, AT, TEXEL], "ReadOnly");
    refused(op, &[TO, PLACE, TEXEL], "wrong kind");
    refused(op, &[TO, AT, PLACE], "no texel");
    refused(op, &[S, AT, TEXEL], "no image");
}

#[test]
fn queries() {
    accepted(Op::ImageQuerySizeLod, &[V2I, 50, FROM, I0]);
    accepted(Op::ImageQuerySize, &[V2I, 50, FROM]);
    for op in [Op::ImageQuerySizeLod, Op::ImageQuerySize] {
        let lod: &[u32] = if op == Op::ImageQuerySize { &[] } else { &[I0] };
        let with = |ty, image| [&[ty, 50, image][..], lod].concat();
        refused(op, &with(V3I, FROM), "for each extent");
        refused(op, &with(V2F, FROM), "for each extent");
        refused(op, &with(V2I, S), "no image");
    }
    refused(Op::ImageQuerySizeLod, &[V2I, 50, FROM, F0], "no integer");
    for op in [
        Op::ImageQueryFormat,
        Op::ImageQueryOrder,
        Op::ImageQueryLevels,
    ] {
        accepted(op, &[U32, 50, FROM]);
        refused(op, &[F32, 50, FROM], "no 32-bit integer");
        refused(op, &[U32, 50, S], "no image");
    }
}
