//! Every opcode of SPIR-V either works in kernels or is refused by its name.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{Capability, Op, OpenclStd100Op as C, StorageClass};

use super::asm::{Asm, Id, float, int};
use super::run::{jit, refusal};
use super::{groups, memory, modes, numbers, pointers, traps};

/// Opcodes of the OpenCL environment that are refused, with the reason.
const REFUSED: &[(&[Op], &str)] = &[
    (
        &[
            Op::ReadPipe,
            Op::WritePipe,
            Op::ReservedReadPipe,
            Op::ReservedWritePipe,
            Op::ReserveReadPipePackets,
            Op::ReserveWritePipePackets,
            Op::CommitReadPipe,
            Op::CommitWritePipe,
            Op::IsValidReserveId,
            Op::GetNumPipePackets,
            Op::GetMaxPipePackets,
            Op::GroupReserveReadPipePackets,
            Op::GroupReserveWritePipePackets,
            Op::GroupCommitReadPipe,
            Op::GroupCommitWritePipe,
            Op::TypePipeStorage,
            Op::ConstantPipeStorage,
            Op::CreatePipeFromPipeStorage,
        ],
        "the API has no pipes",
    ),
    (
        &[
            Op::EnqueueMarker,
            Op::EnqueueKernel,
            Op::GetKernelNDrangeSubGroupCount,
            Op::GetKernelNDrangeMaxSubGroupSize,
            Op::GetKernelWorkGroupSize,
            Op::GetKernelPreferredWorkGroupSizeMultiple,
            Op::RetainEvent,
            Op::ReleaseEvent,
            Op::CreateUserEvent,
            Op::IsValidEvent,
            Op::SetUserEventStatus,
            Op::CaptureEventProfilingInfo,
            Op::GetDefaultQueue,
            Op::BuildNDRange,
            Op::GetKernelLocalSizeForSubgroupCount,
            Op::GetKernelMaxNumSubgroups,
        ],
        "the API has no queues on the device",
    ),
    (
        &[
            Op::TypeNamedBarrier,
            Op::NamedBarrierInitialize,
            Op::MemoryNamedBarrier,
        ],
        "the device offers no named barriers",
    ),
];

/// Opcodes of the module's instructions.
fn opcodes(words: &[u32]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut at = 5;
    while at < words.len() {
        found.insert(words[at] & 0xffff);
        at += (words[at] >> 16).max(1) as usize;
    }
    found
}

/// Opcodes in modules that tests compile, run and compare.
fn exercised() -> BTreeSet<u32> {
    let mut modules = vec![
        traps::division_module(int(32)),
        traps::float_to_int_module(float(32)).0,
        numbers::int_to_float_module(int(64)).0,
        numbers::rounding_module(float(64)).0,
        numbers::dot_module(int(8).times(4), int(32)),
        numbers::integer_module(int(32)),
        numbers::saturation_module(int(32)).0,
        numbers::bfloat16_module(),
        pointers::table(),
        pointers::initialised(),
        pointers::assertion("__assert_fail"),
        pointers::private_array(16, true),
        groups::masks(),
        groups::quads(),
        groups::ballots(),
        groups::non_uniform_votes(),
        groups::floats(&groups::UNIFORM_FLOATS),
        groups::floats(&groups::NON_UNIFORM_FLOATS),
        groups::limits(),
        groups::rotations(),
        groups::reductions(&groups::UNIFORM, groups::SUBGROUP),
        groups::reductions(&groups::NON_UNIFORM, groups::SUBGROUP),
        groups::split_barrier(),
        memory::pointers(),
        memory::hints(),
        memory::float_atomics(32),
        memory::integer_atomics(int(32)),
        memory::printf(true),
        modes::differences(true),
        super::rest::instructions(),
    ];
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv");
    for entry in std::fs::read_dir(folder).expect("the modules are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "spv") {
            let name = path.file_stem().expect("a name").to_string_lossy();
            modules.push(super::common::words(&name));
        }
    }
    modules.iter().flat_map(|words| opcodes(words)).collect()
}

/// A module that holds the instruction, with operands of the right number and with ids that stand
/// for values.
fn probe(op: Op) -> Vec<u32> {
    let inst = INSTRUCTION_TABLE
        .iter()
        .find(|inst| inst.opcode == op)
        .expect("the opcode has a grammar");
    let mut asm = Asm::new(6);
    let word = asm.ty(int(32));
    let one = asm.word(1);
    let mut operands = Vec::new();
    let mut declares = false;
    let mut typed = false;
    for operand in inst.operands {
        if operand.quantifier != OperandQuantifier::One {
            continue;
        }
        match operand.kind {
            OperandKind::IdResultType => {
                typed = true;
                operands.push(word);
            }
            OperandKind::IdResult => {
                declares = true;
                operands.push(asm.id());
            }
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                operands.push(one);
            }
            OperandKind::PairIdRefIdRef => operands.extend([one, one]),
            // Zero is the first of every enumeration and the empty string.
            _ => operands.push(0),
        }
    }
    // Types stand with the types, everything else in a kernel.
    if declares && !typed {
        asm.declaration(op, &operands);
    }
    asm.kernel("k", &[]);
    if !declares || typed {
        asm.effect(op, &operands);
    }
    asm.end();
    asm.words()
}

#[test]
fn every_opcode_works_or_is_refused_by_name() {
    let works = exercised();
    let mut open = Vec::new();
    let mut refused = 0;
    for inst in INSTRUCTION_TABLE.iter() {
        let op = inst.opcode;
        if works.contains(&(op as u32)) || super::rest::DECLARATIONS.contains(&op) {
            continue;
        }
        let text = match std::panic::catch_unwind(|| refusal(&probe(op))) {
            Ok(text) => text,
            Err(_) => {
                open.push(format!("{op:?} is accepted, and no test runs it"));
                continue;
            }
        };
        let named = text.contains(&format!("Op{op:?}:")) || text.ends_with(&format!("Op{op:?}"));
        if named && text.starts_with("unsupported") {
            refused += 1;
        } else {
            open.push(format!("{op:?}: {text}"));
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
    for (ops, reason) in REFUSED {
        for op in *ops {
            assert!(
                !works.contains(&(*op as u32)),
                "{op:?} works, though {reason}"
            );
        }
    }
    assert!(refused > 300, "{refused}");
}

/// Kernel `k` calls instruction `number` of OpenCL.std on values of the type that suits it.
fn opencl(op: C) -> Vec<u32> {
    let mut asm = Asm::new(0);
    let number = op as u32;
    let (f, i, u) = (float(32), int(32), int(64));
    let (single, word, wide) = (asm.ty(f), asm.ty(i), asm.ty(u));
    let v4 = asm.ty(f.times(4));
    let void = asm.void();
    let half = asm.ty(float(16));
    let places: Vec<Id> = [single, word, half]
        .map(|ty| asm.pointer(StorageClass::CrossWorkgroup, ty))
        .to_vec();
    let byte = asm.ty(int(8));
    let format = asm.pointer(StorageClass::UniformConstant, byte);
    let letter = asm.constant(int(8), 0);
    let text = asm.array(byte, 1);
    let init = asm.constant_op(rspirv::spirv::Op::ConstantComposite, text, &[letter]);
    let text = asm.variable(StorageClass::UniformConstant, text, Some(init));
    let (_, params) = asm.kernel("k", &places);
    let index = asm.global_id();
    let x = asm.load_at(params[0], single, index);
    let n = asm.load_at(params[1], word, index);
    let v = asm.op(Op::CompositeConstruct, v4, &[x, x, x, x]);
    let iv4 = asm.ty(i.times(4));
    let mask = asm.op(Op::CompositeConstruct, iv4, &[n, n, n, n]);
    let (float_place, int_place, half_place) = (params[0], params[1], params[2]);
    let (ty, operands): (Id, Vec<u32>) = match op {
        C::fract | C::modf | C::sincos => (single, vec![x, float_place]),
        C::frexp | C::lgamma_r => (single, vec![x, int_place]),
        C::remquo => (single, vec![x, x, int_place]),
        C::ldexp | C::pown | C::rootn => (single, vec![x, n]),
        C::ilogb => (word, vec![x]),
        C::nan => (single, vec![n]),
        C::distance | C::fast_distance => (single, vec![v, v]),
        C::length | C::fast_length => (single, vec![v]),
        C::normalize | C::fast_normalize => (v4, vec![v]),
        C::cross => (v4, vec![v, v]),
        C::u_upsample | C::s_upsample => (wide, vec![n, n]),
        C::vloadn => (v4, vec![n, float_place, 4]),
        C::vload_half => (single, vec![n, half_place]),
        C::vload_halfn | C::vloada_halfn => (v4, vec![n, half_place, 4]),
        C::vstoren => (void, vec![v, n, float_place]),
        C::vstore_half => (void, vec![x, n, half_place]),
        C::vstore_half_r => (void, vec![x, n, half_place, 1]),
        C::vstore_halfn | C::vstorea_halfn => (void, vec![v, n, half_place]),
        C::vstore_halfn_r | C::vstorea_halfn_r => (void, vec![v, n, half_place, 2]),
        C::shuffle => (v4, vec![v, mask]),
        C::shuffle2 => (v4, vec![v, v, mask]),
        C::select => (single, vec![x, x, n]),
        C::bitselect => (word, vec![n, n, n]),
        C::prefetch => (void, vec![float_place, index]),
        C::printf => {
            let text = asm.op(Op::Bitcast, format, &[text]);
            (word, vec![text, n, x])
        }
        _ => {
            let grammar = rspirv::grammar::opencl_std_100::OPENCL_STD_100_INSTRUCTION_TABLE
                .lookup_opcode(number);
            let count = grammar.expect("it has a grammar").operands.len();
            let integers = matches!(number, 141..=170 | 201..=204);
            if integers {
                (word, vec![n; count])
            } else {
                (single, vec![x; count])
            }
        }
    };
    let value = asm.opencl(ty, number, &operands);
    // Used, so that it is not left out.
    let result = if ty == word {
        value
    } else if ty == single {
        asm.op(Op::Bitcast, word, &[value])
    } else if ty == v4 {
        let lane = asm.op(Op::CompositeExtract, single, &[value, 1]);
        asm.op(Op::Bitcast, word, &[lane])
    } else if ty == wide {
        asm.op(Op::UConvert, word, &[value])
    } else {
        n
    };
    asm.store_at(int_place, word, index, result);
    asm.end();
    asm.words()
}

#[test]
fn every_number_of_opencl_std_compiles() {
    let mut compiled = 0;
    for number in 0..=204 {
        let Some(op) = C::from_u32(number) else {
            continue;
        };
        jit(&opencl(op)).kernel("k");
        compiled += 1;
    }
    assert_eq!(compiled, 162, "numbers that stand for an instruction");
    let mut asm = Asm::new(0);
    let ty = asm.ty(float(32));
    let x = asm.constant(float(32), 0);
    asm.kernel("k", &[]);
    asm.opencl(ty, 205, &[x]);
    asm.end();
    let text = refusal(&asm.words());
    assert!(
        text.contains("unknown OpenCL.std instruction 205"),
        "{text}"
    );
}

/// Capabilities of kernels that a module may declare; `opcodes` sees to what they bring.
const CAPABILITIES: &[Capability] = &[
    Capability::Matrix,
    Capability::Addresses,
    Capability::Linkage,
    Capability::Kernel,
    Capability::Vector16,
    Capability::Float16Buffer,
    Capability::Float16,
    Capability::Float64,
    Capability::Int64,
    Capability::Int64Atomics,
    Capability::ImageBasic,
    Capability::ImageReadWrite,
    Capability::ImageMipmap,
    Capability::Groups,
    Capability::LiteralSampler,
    Capability::Int16,
    Capability::GenericPointer,
    Capability::Int8,
    Capability::Sampled1D,
    Capability::Image1D,
    Capability::SampledBuffer,
    Capability::ImageBuffer,
    Capability::SubgroupDispatch,
    Capability::NamedBarrier,
    Capability::GroupNonUniform,
    Capability::GroupNonUniformVote,
    Capability::GroupNonUniformArithmetic,
    Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle,
    Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformClustered,
    Capability::GroupNonUniformQuad,
    Capability::UniformDecoration,
    Capability::SubgroupBallotKHR,
    Capability::SubgroupVoteKHR,
    Capability::DenormPreserve,
    Capability::DenormFlushToZero,
    Capability::SignedZeroInfNanPreserve,
    Capability::RoundingModeRTE,
    Capability::ShaderClockKHR,
    Capability::SubgroupShuffleINTEL,
    Capability::SubgroupBufferBlockIOINTEL,
    Capability::IntegerFunctions2INTEL,
    Capability::FunctionPointersINTEL,
    Capability::IndirectReferencesINTEL,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
    Capability::AtomicFloat16MinMaxEXT,
    Capability::ExpectAssumeKHR,
    Capability::FPFastMathModeINTEL,
    Capability::UnstructuredLoopControlsINTEL,
    Capability::KernelAttributesINTEL,
    Capability::MemoryAccessAliasingINTEL,
    Capability::DotProductInputAll,
    Capability::DotProductInput4x8Bit,
    Capability::DotProductInput4x8BitPacked,
    Capability::DotProduct,
    Capability::BitInstructions,
    Capability::GroupNonUniformRotateKHR,
    Capability::FloatControls2,
    Capability::FMAKHR,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::OptNoneEXT,
    Capability::AtomicFloat16AddEXT,
    Capability::BFloat16ConversionINTEL,
    Capability::SplitBarrierINTEL,
    Capability::ArithmeticFenceEXT,
    Capability::GlobalVariableHostAccessINTEL,
    Capability::SubgroupBufferPrefetchINTEL,
    Capability::GroupUniformArithmeticKHR,
    Capability::CacheControlsINTEL,
];

#[test]
fn every_capability_is_taken_or_refused_by_name() {
    let mut refused = 0;
    for number in 0..7000 {
        let Some(capability) = Capability::from_u32(number) else {
            continue;
        };
        let mut asm = Asm::new(6);
        asm.capability(capability);
        asm.kernel("k", &[]);
        asm.end();
        let words = asm.words();
        if CAPABILITIES.contains(&capability) {
            jit(&words);
        } else {
            let text = refusal(&words);
            let name = format!("capability {capability:?}");
            assert!(text.ends_with(&name), "{text}");
            refused += 1;
        }
    }
    assert!(refused > 150, "{refused}");
}

#[test]
fn what_types_are_refused_says_so() {
    for (op, operands, message) in [
        (Op::TypeInt, &[4u32, 0][..], "integers of 4 bits"),
        (Op::TypeInt, &[128, 0], "integers of 128 bits"),
        (Op::TypeInt, &[24, 0], "integers of 24 bits"),
        (Op::TypeFloat, &[8], "floats of 8 bits"),
        (
            Op::TypeFloat,
            &[16, 0],
            "floats of 16 bits with an encoding",
        ),
    ] {
        let mut asm = Asm::new(6);
        asm.declare(op, operands);
        asm.kernel("k", &[]);
        asm.end();
        let text = refusal(&asm.words());
        assert!(text.contains(message), "{text} instead of {message}");
    }
}
