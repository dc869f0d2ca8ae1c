//! Execution modes and decorations that say how floats are computed.

use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};

use super::asm::{Asm, Id, float, int};
use super::common::pointer;
use super::run::{jit, refusal};
use ur_jit_abi::lanes::FIRST;

const GLOBAL: StorageClass = StorageClass::CrossWorkgroup;

/// Kernel `k` multiplies pairs of floats of that width, and two constants whose product is
/// subnormal.
pub fn products(bits: u32, modes: &[(ExecutionMode, u32)], waits: bool) -> Vec<u32> {
    let mut asm = Asm::new(4);
    for capability in [
        Capability::DenormFlushToZero,
        Capability::DenormPreserve,
        Capability::RoundingModeRTE,
        Capability::SignedZeroInfNanPreserve,
    ] {
        asm.capability(capability);
    }
    asm.extension("SPV_KHR_float_controls");
    let ty = asm.ty(float(bits));
    let numbers = asm.pointer(GLOBAL, ty);
    let small = if bits == 32 {
        u64::from(1e-30f32.to_bits())
    } else {
        1e-200f64.to_bits()
    };
    let small = asm.constant(float(bits), small);
    let (kernel, params) = asm.kernel("k", &[numbers, numbers]);
    for (mode, width) in modes {
        asm.mode(kernel, *mode, &[*width]);
    }
    asm.mode(kernel, ExecutionMode::ContractionOff, &[]);
    let index = asm.global_id();
    let (wide, two) = (asm.ty(int(64)), asm.constant(int(64), 2));
    let first = asm.op(Op::IMul, wide, &[index, two]);
    let one = asm.constant(int(64), 1);
    let second = asm.op(Op::IAdd, wide, &[first, one]);
    let (a, b) = (
        asm.load_at(params[0], ty, first),
        asm.load_at(params[0], ty, second),
    );
    if waits {
        let (scope, none) = (asm.word(2), asm.word(0));
        asm.effect(Op::ControlBarrier, &[scope, scope, none]);
    }
    let product = asm.op(Op::FMul, ty, &[a, b]);
    asm.store_at(params[1], ty, first, product);
    let larger = if bits == 32 {
        u64::from(1e-10f32.to_bits())
    } else {
        1e-110f64.to_bits()
    };
    let larger = asm.constant(float(bits), larger);
    let folded = asm.op(Op::FMul, ty, &[small, larger]);
    asm.store_at(params[1], ty, second, folded);
    asm.end();
    asm.words()
}

#[test]
fn subnormal_numbers_are_kept_or_flushed() {
    use ExecutionMode::{DenormFlushToZero, DenormPreserve, RoundingModeRTE};
    for waits in [false, true] {
        for flush in [false, true] {
            let mode = if flush {
                DenormFlushToZero
            } else {
                DenormPreserve
            };
            let words = products(32, &[(mode, 32), (RoundingModeRTE, 32)], waits);
            let tiny = f32::MIN_POSITIVE / 8.0;
            // A subnormal product, a subnormal operand, and numbers that are neither.
            let mut input = [1e-20f32, 1e-20, tiny, 1e10, 1.5, 2.0, 0.0, 1.0];
            let mut out = [f32::NAN; 8];
            let args = [pointer(&mut input), pointer(&mut out)];
            jit(&words).kernel("k").run([4, 1, 1], [2, 1, 1], &args);
            let kept = |x: f32| if flush { 0.0 } else { x };
            let folded = kept(1e-30 * 1e-10);
            let want = [
                kept(1e-20 * 1e-20),
                folded,
                kept(tiny * 1e10),
                folded,
                3.0,
                folded,
                0.0,
                folded,
            ];
            assert_eq!(out, want, "flush: {flush}, waits: {waits}");
            // This thread computes as before.
            let x = std::hint::black_box(1e-20f32);
            assert!(x * x > 0.0);

            let words = products(64, &[(mode, 64)], waits);
            let mut input = [1e-160f64, 1e-160, 2.0, 3.0];
            let mut out = [f64::NAN; 4];
            let args = [pointer(&mut input), pointer(&mut out)];
            jit(&words).kernel("k").run([2, 1, 1], [2, 1, 1], &args);
            let kept = |x: f64| if flush { 0.0 } else { x };
            let folded = kept(1e-200 * 1e-110);
            assert_eq!(out, [kept(1e-160 * 1e-160), folded, 6.0, folded]);
        }
    }
}

#[test]
fn flushing_that_cannot_be_done_is_refused() {
    use ExecutionMode::{DenormFlushToZero, DenormPreserve};
    let text = refusal(&products(32, &[(DenormFlushToZero, 16)], false));
    assert!(
        text.contains("DenormFlushToZero of 16-bit floats"),
        "{text}"
    );
    let mixed = [(DenormFlushToZero, 32), (DenormPreserve, 64)];
    let text = refusal(&products(32, &mixed, false));
    assert!(
        text.contains("of one width and DenormPreserve of another"),
        "{text}"
    );
}

#[test]
fn modes_of_other_machines_are_refused() {
    for (mode, operands) in [
        (ExecutionMode::RoundingModeRTZ, &[32][..]),
        (ExecutionMode::RoundingModeRTPINTEL, &[32]),
        (ExecutionMode::Finalizer, &[]),
        (ExecutionMode::NamedBarrierCountINTEL, &[1]),
    ] {
        let mut asm = Asm::new(4);
        let (kernel, _) = asm.kernel("k", &[]);
        asm.mode(kernel, mode, operands);
        asm.end();
        let text = refusal(&asm.words());
        assert!(text.contains(&format!("execution mode {mode:?}")), "{text}");
    }
}

/// Kernel `k` subtracts each float from itself, which an instruction that counts on finite numbers
/// lets the compiler do ahead; with `preserve`, the kernel takes that back.
pub fn differences(preserve: bool) -> Vec<u32> {
    let mut asm = Asm::new(4);
    asm.capability(Capability::SignedZeroInfNanPreserve);
    asm.capability(Capability::FloatControls2);
    asm.extension("SPV_KHR_float_controls2");
    let ty = asm.ty(float(32));
    let numbers = asm.pointer(GLOBAL, ty);
    let freedoms = asm.word(0x30000);
    let (kernel, params) = asm.kernel("k", &[numbers]);
    asm.mode_id(kernel, ExecutionMode::FPFastMathDefault, &[ty, freedoms]);
    if preserve {
        asm.mode(kernel, ExecutionMode::SignedZeroInfNanPreserve, &[32]);
    }
    let index = asm.global_id();
    let x = asm.load_at(params[0], ty, index);
    let rest = asm.op(Op::FSub, ty, &[x, x]);
    asm.decorate(rest, Decoration::FPFastMathMode, &[0x7]);
    asm.store_at(params[0], ty, index, rest);
    asm.end();
    asm.words()
}

#[test]
fn special_values_are_preserved_where_a_kernel_says_so() {
    let run = |preserve: bool| {
        let mut numbers = [1.0, f32::INFINITY, f32::NAN, -0.0];
        let args = [pointer(&mut numbers)];
        let jit = jit(&differences(preserve));
        jit.kernel("k").run([4, 1, 1], [4, 1, 1], &args);
        numbers
    };
    let kept = run(true);
    assert!(kept[1].is_nan() && kept[2].is_nan());
    assert_eq!((kept[0], kept[3]), (0.0, 0.0));
    // The freedom is used otherwise, so the mode is what makes the difference.
    assert_eq!(run(false), [0.0; 4]);
}

#[test]
fn freedoms_are_taken_in_one_code_only() {
    for (words, free) in [
        (differences(true), false),
        (differences(false), true),
        (contraction(false), true),
    ] {
        assert_eq!(jit(&words).record("k", FIRST).provisional, !free);
    }
}

/// Kernel `k` computes `a * b + c` of floats; contraction is allowed on both operations and, with
/// `forbid`, forbidden on the sum.
pub fn contraction(forbid: bool) -> Vec<u32> {
    let mut asm = Asm::new(4);
    asm.capability(Capability::FloatControls2);
    let ty = asm.ty(float(32));
    let numbers = asm.pointer(GLOBAL, ty);
    let (_, params) = asm.kernel("k", &[numbers]);
    let at = |asm: &mut Asm, n: u64| -> Id {
        let n = asm.constant(int(64), n);
        asm.load_at(params[0], ty, n)
    };
    let (a, b, c) = (at(&mut asm, 0), at(&mut asm, 1), at(&mut asm, 2));
    let product = asm.op(Op::FMul, ty, &[a, b]);
    let sum = asm.op(Op::FAdd, ty, &[product, c]);
    for id in [product, sum] {
        asm.decorate(id, Decoration::FPFastMathMode, &[0x10000]);
    }
    if forbid {
        asm.decorate(sum, Decoration::NoContraction, &[]);
    }
    let zero = asm.constant(int(64), 0);
    asm.store_at(params[0], ty, zero, sum);
    asm.end();
    asm.words()
}

#[test]
fn contraction_happens_only_where_it_is_allowed() {
    for forbid in [false, true] {
        let jit = jit(&contraction(forbid));
        let text = jit.listing("k", "ir").expect("IR");
        assert_eq!(text.contains("fadd contract"), !forbid, "{text}");
        let (a, b, c) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON, -1.0f32);
        let mut numbers = [a, b, c];
        jit.kernel("k")
            .run([1, 1, 1], [1, 1, 1], &[pointer(&mut numbers)]);
        let apart = a * b + c;
        assert!(numbers[0] == apart || !forbid && numbers[0] == a.mul_add(b, c));
    }
}
