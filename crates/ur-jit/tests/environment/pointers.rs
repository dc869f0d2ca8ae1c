//! Function pointers, initialisers, assertions, large private variables.

use rspirv::spirv::{Capability, Decoration, ExecutionMode, LinkageType, Op, StorageClass};
use ur_jit_abi::SpecConstant;

use super::asm::{Asm, Id, float, int};
use super::common::{Jit, pointer, value};
use super::run::{jit, refusal};

const GLOBAL: StorageClass = StorageClass::CrossWorkgroup;

/// Functions `i32 (i32)` that add 10, multiply by 3 and give the work-item's number, their addresses
/// in a table of the module; kernel `k` calls entry `n % 4` of the table, whose last one is null,
/// kernel `given` calls what it is given.
fn table_module(waits: bool) -> Vec<u32> {
    let mut asm = Asm::new(1);
    asm.capability(Capability::FunctionPointersINTEL);
    asm.capability(Capability::IndirectReferencesINTEL);
    asm.extension("SPV_INTEL_function_pointers");
    let word = asm.ty(int(32));
    let of_int = asm.function_type(word, &[word]);
    let code = asm.pointer(StorageClass::CodeSectionINTEL, of_int);
    let (ten, three) = (asm.word(10), asm.word(3));
    let mut addresses: Vec<Id> = Vec::new();
    for n in 0..3 {
        let (function, params) = asm.function(word, &[word]);
        let result = match n {
            0 => asm.op(Op::IAdd, word, &[params[0], ten]),
            1 => asm.op(Op::IMul, word, &[params[0], three]),
            _ => {
                if waits {
                    let (scope, none) = (asm.word(2), asm.word(0));
                    asm.effect(Op::ControlBarrier, &[scope, scope, none]);
                }
                let id = asm.global_id();
                asm.op(Op::UConvert, word, &[id])
            }
        };
        asm.effect(Op::ReturnValue, &[result]);
        asm.effect(Op::FunctionEnd, &[]);
        asm.linkage(function, &format!("f{n}"), LinkageType::Export);
        addresses.push(asm.constant_op(Op::ConstantFunctionPointerINTEL, code, &[function]));
    }
    addresses.push(asm.constant_op(Op::ConstantNull, code, &[]));
    let array = asm.array(code, 4);
    let init = asm.constant_op(Op::ConstantComposite, array, &addresses);
    let table = asm.variable(GLOBAL, array, Some(init));

    let out = asm.pointer(GLOBAL, word);
    let entry = asm.pointer(GLOBAL, code);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let (wide, four) = (asm.ty(int(64)), asm.constant(int(64), 4));
    let number = asm.op(Op::UMod, wide, &[index, four]);
    let place = asm.op(Op::InBoundsAccessChain, entry, &[table, number]);
    let function = asm.op(Op::Load, code, &[place]);
    let argument = asm.op(Op::UConvert, word, &[index]);
    let result = asm.op(Op::FunctionPointerCallINTEL, word, &[function, argument]);
    asm.store_at(params[0], word, index, result);
    asm.end();

    let (_, params) = asm.kernel("given", &[out, wide]);
    let index = asm.global_id();
    let function = asm.op(Op::ConvertUToPtr, code, &[params[1]]);
    let argument = asm.op(Op::UConvert, word, &[index]);
    let result = asm.op(Op::FunctionPointerCallINTEL, word, &[function, argument]);
    asm.store_at(params[0], word, index, result);
    asm.end();
    asm.words()
}

pub fn table() -> Vec<u32> {
    table_module(false)
}

#[test]
fn functions_called_by_address() {
    let jit = jit(&table());
    let kernel = jit.kernel("k");
    let mut out = vec![-1i32; 64];
    kernel.run([64, 1, 1], [16, 1, 1], &[pointer(&mut out)]);
    for (n, got) in (0..).zip(&out) {
        // The null pointer calls nothing and gives zero.
        let want = [n + 10, n * 3, n, 0][n as usize % 4];
        assert_eq!(*got, want, "work-item {n}");
    }
    let module = ur_spirv::Module::parse(&table(), &[]).expect("a module");
    let addresses = ["f0", "f1", "f2", "k", "none"].map(|name| module.function_address(name));
    assert_eq!(addresses, [Some(1), Some(2), Some(3), None, None]);
    let given = jit.kernel("given");
    for (number, address) in [(0, 1u64), (1, 2), (2, 3), (3, 0), (3, 99), (3, u64::MAX)] {
        let mut out = vec![-1i32; 8];
        given.run([8, 1, 1], [8, 1, 1], &[pointer(&mut out), value(address)]);
        for (n, got) in (0..).zip(&out) {
            assert_eq!(*got, [n + 10, n * 3, n, 0][number], "address {address}");
        }
    }
}

#[test]
fn a_barrier_in_a_function_called_by_address_is_refused() {
    let text = refusal(&table_module(true));
    assert!(
        text.contains("work-items waiting for each other in function"),
        "{text}"
    );
}

/// An initialiser that adds 5 to a variable, and kernels `k` and `l` that read it.
pub fn initialised() -> Vec<u32> {
    let mut asm = Asm::new(1);
    let word = asm.ty(int(32));
    let (start, five) = (asm.word(37), asm.word(5));
    let counter = asm.variable(GLOBAL, word, Some(start));
    asm.linkage(counter, "counter", LinkageType::Export);
    let (init, _) = asm.kernel("init", &[]);
    asm.mode(init, ExecutionMode::Initializer, &[]);
    let old = asm.op(Op::Load, word, &[counter]);
    let id = asm.global_id();
    let id = asm.op(Op::UConvert, word, &[id]);
    let new = asm.op(Op::IAdd, word, &[old, five]);
    let new = asm.op(Op::IAdd, word, &[new, id]);
    asm.effect(Op::Store, &[counter, new]);
    asm.end();
    let out = asm.pointer(GLOBAL, word);
    for name in ["k", "l"] {
        let (_, params) = asm.kernel(name, &[out]);
        let index = asm.global_id();
        let now = asm.op(Op::Load, word, &[counter]);
        asm.store_at(params[0], word, index, now);
        asm.end();
    }
    asm.words()
}

#[test]
fn initialisers_run_once_before_any_kernel() {
    for _ in 0..4 {
        let jit = jit(&initialised());
        assert!(jit.try_kernel("init").is_err(), "it is no kernel");
        let kernels = [jit.kernel("k"), jit.kernel("l")];
        std::thread::scope(|scope| {
            for n in 0..4 {
                let kernel = &kernels[n % 2];
                scope.spawn(move || {
                    let mut out = [0i32; 8];
                    kernel.run([8, 1, 1], [8, 1, 1], &[pointer(&mut out)]);
                    assert_eq!(out, [42; 8]);
                });
            }
        });
        let (at, size) = jit.variable("counter").expect("it is exported");
        assert_eq!(size, 4);
        // SAFETY: the variable holds an integer and nothing writes it any more.
        assert_eq!(unsafe { *at.cast::<i32>() }, 42);
    }
}

/// Kernel `k` asserts that its number is not 3, by the function called `name`, and goes on to end in
/// a place that is never reached after a failure.
pub fn assertion(name: &str) -> Vec<u32> {
    let mut asm = Asm::new(1);
    let (word, wide, byte) = (asm.ty(int(32)), asm.ty(int(64)), asm.ty(int(8)));
    let text = asm.pointer(StorageClass::Generic, byte);
    let void = asm.void();
    let mut params = vec![text, text, word, text];
    let with_ids = name == "__devicelib_assert_fail";
    if with_ids {
        params.extend([wide; 6]);
    }
    let failed = asm.import(name, void, &params);
    let letters = |asm: &mut Asm, text: &str| {
        let parts: Vec<Id> = text
            .bytes()
            .chain([0])
            .map(|b| asm.constant(int(8), u64::from(b)))
            .collect();
        let array = asm.array(byte, parts.len() as u32);
        let init = asm.constant_op(Op::ConstantComposite, array, &parts);
        asm.variable(GLOBAL, array, Some(init))
    };
    let texts = ["n != 3", "file.cpp", "kernel"].map(|text| letters(&mut asm, text));
    let out = asm.pointer(GLOBAL, word);
    let (_, params) = asm.kernel("k", &[out]);
    let index = asm.global_id();
    let (three, seven, line) = (asm.constant(int(64), 3), asm.word(7), asm.word(12));
    let truth = asm.ty(super::asm::BOOL);
    let fails = asm.op(Op::IEqual, truth, &[index, three]);
    let (bad, good) = (asm.id(), asm.id());
    asm.effect(Op::BranchConditional, &[fails, bad, good]);
    asm.begin(bad);
    let global = asm.pointer(GLOBAL, byte);
    let mut args: Vec<Id> = texts
        .iter()
        .map(|variable| {
            let place = asm.op(Op::Bitcast, global, &[*variable]);
            asm.op(Op::PtrCastToGeneric, text, &[place])
        })
        .collect();
    args.insert(2, line);
    if with_ids {
        args.extend([index; 6]);
    }
    args.insert(0, failed);
    asm.op(Op::FunctionCall, void, &args);
    asm.effect(Op::Unreachable, &[]);
    asm.begin(good);
    asm.store_at(params[0], word, index, seven);
    asm.end();
    asm.words()
}

#[test]
fn a_failed_assertion_ends_its_work_item_only() {
    for name in ["__assert_fail", "__devicelib_assert_fail"] {
        let jit = jit(&assertion(name));
        let kernel = jit.kernel("k");
        let mut out = [0i32; 8];
        kernel.run([8, 1, 1], [4, 1, 1], &[pointer(&mut out)]);
        assert_eq!(out, [7, 7, 7, 0, 7, 7, 7, 7], "{name}");
    }
}

/// Kernel `k` fills a private array of `words` integers with numbers that depend on the work-item,
/// with a barrier between writing and summing them up if `waits`.
pub fn private_array(words: u32, waits: bool) -> Vec<u32> {
    let mut asm = Asm::new(1);
    asm.capability(Capability::UnstructuredLoopControlsINTEL);
    let word = asm.ty(int(32));
    let array = asm.array(word, words);
    let (zero, one, count) = (asm.word(0), asm.word(1), asm.word(words));
    let private = asm.pointer(StorageClass::Function, array);
    let element = asm.pointer(StorageClass::Function, word);
    let out = asm.pointer(GLOBAL, word);
    let truth = asm.ty(super::asm::BOOL);
    let (_, params) = asm.kernel("k", &[out]);
    let memory = asm.op(Op::Variable, private, &[StorageClass::Function as u32]);
    let index = asm.global_id();
    let seed = asm.op(Op::UConvert, word, &[index]);
    let mut sum = zero;
    for pass in 0..2 {
        let (before, head, body, done) = (asm.id(), asm.id(), asm.id(), asm.id());
        asm.effect(Op::Branch, &[before]);
        asm.begin(before);
        if pass == 1 && waits {
            let (scope, none) = (asm.word(2), asm.word(0));
            asm.effect(Op::ControlBarrier, &[scope, scope, none]);
        }
        asm.effect(Op::Branch, &[head]);
        asm.begin(head);
        let (next, more_sum) = (asm.id(), asm.id());
        let n = asm.op(Op::Phi, word, &[zero, before, next, body]);
        let total = asm.op(Op::Phi, word, &[zero, before, more_sum, body]);
        let more = asm.op(Op::ULessThan, truth, &[n, count]);
        asm.effect(Op::BranchConditional, &[more, body, done]);
        asm.begin(body);
        let place = asm.op(Op::InBoundsAccessChain, element, &[memory, n]);
        let found = if pass == 0 {
            let value = asm.op(Op::IMul, word, &[n, seed]);
            asm.effect(Op::Store, &[place, value]);
            value
        } else {
            asm.op(Op::Load, word, &[place])
        };
        asm.effect_with_id(Op::IAdd, word, more_sum, &[total, found]);
        asm.effect_with_id(Op::IAdd, word, next, &[n, one]);
        // A hint not to unroll.
        asm.effect(Op::LoopControlINTEL, &[2]);
        asm.effect(Op::Branch, &[head]);
        asm.begin(done);
        sum = total;
    }
    asm.store_at(params[0], word, index, sum);
    asm.end();
    asm.words()
}

#[test]
fn private_variables_of_any_size() {
    // Small, just large, a mebibyte.
    for words in [16u32, 2047, 2048, 1 << 18] {
        for waits in [false, true] {
            let jit = jit(&private_array(words, waits));
            let kernel = jit.kernel("k");
            assert!(kernel.info.private_size >= 4 * u64::from(words));
            let mut out = [0u32; 6];
            kernel.run([6, 1, 1], [3, 1, 1], &[pointer(&mut out)]);
            for (n, got) in (0..).zip(out) {
                let sum = (0..words).fold(0u32, |sum, i| sum.wrapping_add(i.wrapping_mul(n)));
                assert_eq!(got, sum, "{words} words, work-item {n}, waits: {waits}");
            }
        }
    }
    let text = refusal(&private_array(17 << 20, false));
    assert!(
        text.contains("bytes of private variables; a work-item has at most 67108864"),
        "{text}"
    );
}

#[test]
fn kernels_of_other_modules_share_nothing() {
    // Each module has variables of its own.
    let (a, b): (Jit, Jit) = (jit(&initialised()), jit(&initialised()));
    let (at, _) = a.variable("counter").expect("it is exported");
    let (other, _) = b.variable("counter").expect("it is exported");
    assert_ne!(at, other);
}

/// A variable whose initial value is computed from specialisation constants: floats and integers.
pub fn computed() -> Vec<u32> {
    let mut asm = Asm::new(1);
    let (single, double, word) = (asm.ty(float(32)), asm.ty(float(64)), asm.ty(int(32)));
    let third = asm.constant_op(Op::SpecConstant, single, &[(1f32 / 3.0).to_bits()]);
    let seven = asm.constant_op(Op::SpecConstant, word, &[7]);
    asm.decorate(third, Decoration::SpecId, &[0]);
    asm.decorate(seven, Decoration::SpecId, &[1]);
    let compute = |asm: &mut Asm, ty: Id, op: Op, operands: &[Id]| {
        let mut all = vec![op as u32];
        all.extend_from_slice(operands);
        asm.constant_op(Op::SpecConstantOp, ty, &all)
    };
    let wide = compute(&mut asm, double, Op::FConvert, &[third]);
    let parts = [
        compute(&mut asm, single, Op::FAdd, &[third, third]),
        compute(&mut asm, single, Op::FDiv, &[third, third]),
        compute(&mut asm, single, Op::FNegate, &[third]),
        compute(&mut asm, single, Op::ConvertUToF, &[seven]),
        compute(&mut asm, double, Op::FMul, &[wide, wide]),
    ];
    let ty = asm.declare(Op::TypeStruct, &[single, single, single, single, double]);
    let init = asm.constant_op(Op::SpecConstantComposite, ty, &parts);
    let variable = asm.variable(GLOBAL, ty, Some(init));
    asm.linkage(variable, "computed", LinkageType::Export);
    asm.kernel("k", &[]);
    asm.end();
    asm.words()
}

#[test]
fn initial_values_computed_from_specialisation_constants() {
    for third in [1f32 / 3.0, 0.1] {
        let spec = [SpecConstant {
            id: 0,
            size: 4,
            bits: u64::from(third.to_bits()),
        }];
        let jit = Jit::from_words(&computed(), 0, &spec).unwrap_or_else(|e| panic!("{e:?}"));
        let (at, size) = jit.variable("computed").expect("it is exported");
        assert_eq!(size, 24);
        // SAFETY: the variable holds four floats and a double, and nothing writes it.
        let (floats, double) = unsafe { (*at.cast::<[f32; 4]>(), *at.cast::<f64>().add(2)) };
        assert_eq!(floats, [third + third, 1.0, -third, 7.0]);
        assert_eq!(double, f64::from(third) * f64::from(third));
    }
}

#[test]
fn compilers_write_function_pointers_and_constructors() {
    let jit = Jit::new("chosen_functions");
    let mut out = [0i32; 10];
    jit.kernel("choose")
        .run([10, 1, 1], [5, 1, 1], &[pointer(&mut out)]);
    for (n, got) in (0..).zip(out) {
        assert_eq!(got, if n % 2 == 1 { n + 1 } else { 3 * n });
    }
    let jit = Jit::new("constructors");
    let mut out = [0i32; 4];
    jit.kernel("read")
        .run([4, 1, 1], [2, 1, 1], &[pointer(&mut out)]);
    assert_eq!(out, [42; 4]);
}
