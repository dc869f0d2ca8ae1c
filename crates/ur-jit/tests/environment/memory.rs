//! Pointers, copies, atomics, hints and clocks.

use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

use super::asm::{Asm, BOOL, Id, Ty, elementwise, float, int};
use super::common::{pointer, value};
use super::numbers::{bits_of, value_of};
use super::run::{fill, get, jit, refusal, run};

const GLOBAL: StorageClass = StorageClass::CrossWorkgroup;

/// Kernel `k`: sizes of things pointed to, a structure copied into another of the same members,
/// comparisons and the distance of two pointers, and a copy whose two sides say different things.
pub fn pointers() -> Vec<u32> {
    let mut asm = Asm::new(4);
    asm.capability(Capability::SubgroupBufferPrefetchINTEL);
    let (byte, word, wide) = (asm.ty(int(8)), asm.ty(int(32)), asm.ty(int(64)));
    let truth = asm.ty(BOOL);
    let one = asm.declare(Op::TypeStruct, &[byte, word, wide]);
    // Another type with the same members: declarations here are made once only.
    let other = asm.id();
    asm.declare_with_id(Op::TypeStruct, other, &[byte, word, wide]);
    let (to_one, to_other, to_word) = (
        asm.pointer(GLOBAL, one),
        asm.pointer(GLOBAL, other),
        asm.pointer(GLOBAL, word),
    );
    let (_, params) = asm.kernel("k", &[to_one, to_other, to_word]);
    let (from, to, out) = (params[0], params[1], params[2]);
    let number = |asm: &mut Asm, n: u64| asm.constant(int(64), n);
    let mut results: Vec<Id> = vec![
        asm.op(Op::SizeOf, word, &[from]),
        asm.op(Op::SizeOf, word, &[out]),
    ];
    let value = asm.op(Op::Load, one, &[from]);
    let value = asm.op(Op::CopyLogical, other, &[value]);
    asm.effect(Op::Store, &[to, value]);
    let (two, five) = (number(&mut asm, 2), number(&mut asm, 5));
    let (a, b) = (asm.element(out, word, two), asm.element(out, word, five));
    let (yes, no) = (asm.word(1), asm.word(0));
    for (op, x, y) in [
        (Op::PtrEqual, a, a),
        (Op::PtrEqual, a, b),
        (Op::PtrNotEqual, a, b),
    ] {
        let same = asm.op(op, truth, &[x, y]);
        results.push(asm.op(Op::Select, word, &[same, yes, no]));
    }
    results.push(asm.op(Op::PtrDiff, word, &[a, b]));
    for (n, result) in (0..).zip(results) {
        let n = number(&mut asm, n);
        asm.store_at(out, word, n, result);
    }
    // Chains that promise nothing about bounds, and generic pointers.
    let second = asm.word(1);
    let member = asm.op(Op::AccessChain, to_word, &[from, second]);
    let next = asm.op(Op::PtrAccessChain, to_word, &[member, five]);
    let distance = asm.op(Op::PtrDiff, word, &[next, member]);
    let generic = asm.pointer(StorageClass::Generic, word);
    let anywhere = asm.op(Op::PtrCastToGeneric, generic, &[member]);
    let semantics = asm.op(Op::GenericPtrMemSemantics, word, &[anywhere]);
    let back = asm.op(Op::GenericCastToPtr, to_word, &[anywhere]);
    asm.effect(Op::SubgroupBlockPrefetchINTEL, &[back, second]);
    let read = asm.op(Op::Load, word, &[back]);
    for (n, result) in [(7, distance), (8, semantics), (9, read)] {
        let n = number(&mut asm, n);
        asm.store_at(out, word, n, result);
    }
    // From an unaligned place, which only the second mask says: aligned to 4, then to 1.
    let bytes = asm.pointer(GLOBAL, byte);
    let raw = asm.op(Op::Bitcast, bytes, &[to]);
    let three = number(&mut asm, 3);
    let odd = asm.op(Op::InBoundsPtrAccessChain, bytes, &[raw, three]);
    let odd = asm.op(Op::Bitcast, to_word, &[odd]);
    let six = number(&mut asm, 6);
    let target = asm.element(out, word, six);
    asm.effect(Op::CopyMemory, &[target, odd, 2, 4, 2, 1]);
    asm.end();
    asm.words()
}

#[test]
fn pointers_and_copies() {
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Three(u8, u32, u64);
    let jit = jit(&pointers());
    let mut from = [Three(7, 0x0403_0201, 1 << 40)];
    let mut to = [Three(0, 0, 0)];
    let mut out = [0u32; 10];
    let args = [pointer(&mut from), pointer(&mut to), pointer(&mut out)];
    jit.kernel("k").run([1, 1, 1], [1, 1, 1], &args);
    assert_eq!(to[0], from[0]);
    assert_eq!(out[..6], [16, 4, 1, 0, 1, (-3i32) as u32]);
    assert_eq!(out[6] >> 8, 0x0003_0201, "the bytes from the fourth on");
    // Five elements on; memory of all work-groups; what stands there.
    assert_eq!(out[7..], [5, 0x200, 0x0403_0201]);
}

/// What instructions are that only say something about values, and a clock.
pub fn hints() -> Vec<u32> {
    let mut asm = Asm::new(5);
    for capability in [
        Capability::ExpectAssumeKHR,
        Capability::ArithmeticFenceEXT,
        Capability::FMAKHR,
        Capability::ShaderClockKHR,
        Capability::SubgroupBufferPrefetchINTEL,
    ] {
        asm.capability(capability);
    }
    let single = float(32);
    let inputs = [single, single, single];
    let outputs = [single, single, int(64), single];
    elementwise(asm, &inputs, &outputs, |asm, values| {
        let (ty, wide, truth) = (asm.ty(single), asm.ty(int(64)), asm.ty(BOOL));
        let scope = asm.word(1);
        let start = asm.op(Op::ReadClockKHR, wide, &[scope]);
        let fused = asm.op(Op::FmaKHR, ty, values);
        // Fast arithmetic may not look through the fence.
        let sum = asm.op(Op::FAdd, ty, &[values[0], values[1]]);
        asm.decorate(sum, Decoration::FPFastMathMode, &[16]);
        let fence = asm.op(Op::ArithmeticFenceEXT, ty, &[sum]);
        let rest = asm.op(Op::FSub, ty, &[fence, values[1]]);
        asm.decorate(rest, Decoration::FPFastMathMode, &[16]);
        let ordered = asm.op(Op::Ordered, truth, &[values[0], values[0]]);
        asm.effect(Op::AssumeTrueKHR, &[ordered]);
        let number = asm.op(Op::ConvertFToU, wide, &[values[2]]);
        let _ = asm.op(Op::ExpectKHR, wide, &[number, number]);
        let end = asm.op(Op::ReadClockKHR, wide, &[scope]);
        let ticks = asm.op(Op::ISub, wide, &[end, start]);
        let undefined = asm.op(Op::Undef, ty, &[]);
        let copy = asm.op(Op::CopyObject, ty, &[undefined]);
        let same = asm.op(Op::Select, ty, &[ordered, values[2], copy]);
        vec![fused, rest, ticks, same]
    })
}

#[test]
fn hints_fences_and_clocks() {
    let single = float(32);
    let count = 8;
    let value = |i: usize| 1.0 + i as f32 / 3.0;
    let mut inputs = [
        fill(single, count, |i, _| u64::from(value(i).to_bits())),
        fill(single, count, |i, _| u64::from((value(i) * 1e6).to_bits())),
        fill(single, count, |i, _| u64::from((value(i) - 2.0).to_bits())),
    ];
    let outputs = [single, single, int(64), single];
    let results = run(&hints(), count, &mut inputs, &outputs);
    for i in 0..count {
        let single = |n: usize| f32::from_bits(get(&results[n], single, i, 0) as u32);
        let (a, b, c) = (value(i), value(i) * 1e6, value(i) - 2.0);
        assert_eq!(single(0), a.mul_add(b, c));
        assert_eq!(single(1), (a + b) - b);
        assert!(
            get(&results[2], int(64), i, 0) < 1 << 40,
            "a clock that runs forwards"
        );
        assert_eq!(single(3), c);
    }
}

const FLOAT_ATOMICS: [Op; 3] = [Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT];

/// Kernel `k`: every work-item adds its value to the first of three cells and keeps the least and the
/// greatest in the others.
pub fn float_atomics(bits: u32) -> Vec<u32> {
    let mut asm = Asm::new(1);
    for capability in [
        Capability::AtomicFloat16AddEXT,
        Capability::AtomicFloat32AddEXT,
        Capability::AtomicFloat64AddEXT,
        Capability::AtomicFloat16MinMaxEXT,
        Capability::AtomicFloat32MinMaxEXT,
        Capability::AtomicFloat64MinMaxEXT,
    ] {
        asm.capability(capability);
    }
    asm.extension("SPV_EXT_shader_atomic_float_add");
    let ty = asm.ty(float(bits));
    let cells = asm.pointer(GLOBAL, ty);
    let (scope, relaxed) = (asm.word(1), asm.word(0));
    let (_, params) = asm.kernel("k", &[cells, cells]);
    let index = asm.global_id();
    let value = asm.load_at(params[1], ty, index);
    for (n, op) in (0..).zip(FLOAT_ATOMICS) {
        let n = asm.constant(int(64), n);
        let cell = asm.element(params[0], ty, n);
        asm.op(op, ty, &[cell, scope, relaxed, value]);
    }
    asm.end();
    asm.words()
}

#[test]
fn atomics_of_floats() {
    for bits in [16u32, 32, 64] {
        let jit = jit(&float_atomics(bits));
        let ty = float(bits);
        let number = |i: usize| (i as f64 * 7.0) % 13.0 - 6.0;
        let mut cells = fill(ty, 3, |_, _| bits_of(0.0, bits));
        let mut values = fill(ty, 100, |i, _| bits_of(number(i), bits));
        let args = [pointer(&mut cells), pointer(&mut values)];
        jit.kernel("k").run([100, 1, 1], [10, 1, 1], &args);
        let got = |n: usize| value_of(get(&cells, ty, n, 0), bits);
        assert_eq!(got(0), (0..100).map(number).sum::<f64>(), "{bits} bits");
        assert_eq!((got(1), got(2)), (-6.0, 6.0), "{bits} bits");
    }
}

/// Kernel `k`: test and set, then clear a flag; exchange, compare and exchange, and the integer
/// operations on cells of their own.
pub fn integer_atomics(ty: Ty) -> Vec<u32> {
    let mut asm = Asm::new(1);
    asm.capability(Capability::Int64Atomics);
    let (id, word, truth) = (asm.ty(ty), asm.ty(int(32)), asm.ty(BOOL));
    let (cells, flags) = (asm.pointer(GLOBAL, id), asm.pointer(GLOBAL, word));
    let (scope, order, relaxed) = (asm.word(1), asm.word(0x208), asm.word(0));
    let (yes, no) = (asm.word(1), asm.word(0));
    let (_, params) = asm.kernel("k", &[cells, flags, id]);
    let number = |asm: &mut Asm, n: u64| asm.constant(int(64), n);
    for n in 0..3 {
        let n = number(&mut asm, n);
        let flag = params[1];
        let old = asm.op(Op::AtomicFlagTestAndSet, truth, &[flag, scope, order]);
        let old = asm.op(Op::Select, word, &[old, yes, no]);
        let one = number(&mut asm, 1);
        let wide = asm.ty(int(64));
        let place = asm.op(Op::IAdd, wide, &[n, one]);
        asm.store_at(flag, word, place, old);
    }
    let release = asm.word(0x204);
    asm.effect(Op::AtomicFlagClear, &[params[1], scope, release]);
    for (n, op) in (0..).zip(INTEGER_ATOMICS) {
        let n = number(&mut asm, n);
        let cell = asm.element(params[0], id, n);
        let mut operands = vec![cell, scope, order];
        if !matches!(op, Op::AtomicIIncrement | Op::AtomicIDecrement) {
            operands.push(params[2]);
        }
        asm.op(op, id, &operands);
    }
    // The last cell: stored, then exchanged where it holds what is expected.
    let n = number(&mut asm, INTEGER_ATOMICS.len() as u64);
    let cell = asm.element(params[0], id, n);
    let (two, three) = (asm.constant(ty, 2), asm.constant(ty, 3));
    asm.effect(Op::AtomicStore, &[cell, scope, relaxed, two]);
    for op in [Op::AtomicCompareExchange, Op::AtomicCompareExchangeWeak] {
        let expected = if op == Op::AtomicCompareExchange {
            two
        } else {
            three
        };
        asm.op(op, id, &[cell, scope, order, relaxed, params[2], expected]);
    }
    let last = asm.op(Op::AtomicLoad, id, &[cell, scope, relaxed]);
    let n = number(&mut asm, INTEGER_ATOMICS.len() as u64 + 1);
    asm.store_at(params[0], id, n, last);
    asm.effect(Op::MemoryBarrier, &[scope, order]);
    asm.end();
    asm.words()
}

const INTEGER_ATOMICS: [Op; 12] = [
    Op::AtomicExchange,
    Op::AtomicIIncrement,
    Op::AtomicIDecrement,
    Op::AtomicIAdd,
    Op::AtomicISub,
    Op::AtomicSMin,
    Op::AtomicUMin,
    Op::AtomicSMax,
    Op::AtomicUMax,
    Op::AtomicAnd,
    Op::AtomicOr,
    Op::AtomicXor,
];

#[test]
fn atomics_of_integers() {
    for bits in [32u32, 64] {
        let ty = int(bits);
        let mask = u64::MAX >> (64 - bits);
        let jit = jit(&integer_atomics(ty));
        let start = 12u64;
        let operand = mask - 4;
        let mut cells = fill(ty, 16, |_, _| start);
        let mut flags = [0u32; 4];
        let given = if bits == 32 {
            value(operand as u32)
        } else {
            value(operand)
        };
        let args = [pointer(&mut cells), pointer(&mut flags), given];
        jit.kernel("k").run([1, 1, 1], [1, 1, 1], &args);
        assert_eq!(flags, [0, 0, 1, 1]);
        let want = [
            operand,
            13,
            11,
            start.wrapping_add(operand),
            start.wrapping_sub(operand),
            operand,
            start,
            start,
            operand,
            start & operand,
            start | operand,
            start ^ operand,
            operand,
            operand,
        ];
        for (n, want) in want.into_iter().enumerate() {
            let name = INTEGER_ATOMICS.get(n);
            assert_eq!(
                get(&cells, ty, n, 0),
                want & mask,
                "{name:?} of {bits} bits"
            );
        }
    }
}

/// A module that prints with a format that stands in global memory.
pub fn printf(relaxed: bool) -> Vec<u32> {
    let mut asm = Asm::new(1);
    if relaxed {
        asm.extension("SPV_EXT_relaxed_printf_string_address_space");
    }
    let (byte, word) = (asm.ty(int(8)), asm.ty(int(32)));
    let zero = asm.constant(int(8), 0);
    let array = asm.array(byte, 1);
    let init = asm.constant_op(Op::ConstantComposite, array, &[zero]);
    let format = asm.variable(GLOBAL, array, Some(init));
    let to = asm.pointer(GLOBAL, byte);
    let out = asm.pointer(GLOBAL, word);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let format = asm.op(Op::Bitcast, to, &[format]);
    let result = asm.opencl(word, 184, &[format]);
    asm.store_at(params[0], word, index, result);
    asm.end();
    asm.words()
}

#[test]
fn formats_outside_of_constant_memory() {
    let mut out = [-1i32];
    let jit = jit(&printf(true));
    jit.kernel("k")
        .run([1, 1, 1], [1, 1, 1], &[pointer(&mut out)]);
    assert_eq!(out, [0]);
    let text = refusal(&printf(false));
    assert!(
        text.contains("the format is not in constant memory"),
        "{text}"
    );
}
