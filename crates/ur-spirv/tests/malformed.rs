//! Damaged modules are refused with a word offset, or accepted if they still make sense; nothing
//! panics, and what is accepted keeps the promises of the model.

mod common;

use proptest::prelude::*;
use ur_spirv::{Def, Module, Terminator, spirv::Op};

/// Reads a module; if it is accepted, walks it as a translator would.
fn read(words: &[u32]) -> bool {
    match Module::parse(words, &[]) {
        Ok(module) => {
            walk(&module);
            true
        }
        Err(error) => {
            assert!(
                error.offset() <= words.len(),
                "{error} is beyond the module's {} words",
                words.len()
            );
            assert!(!error.rule().is_empty());
            assert!(
                error
                    .to_string()
                    .contains(&format!("word {}", error.offset())),
                "{error} does not name its offset"
            );
            false
        }
    }
}

fn walk(module: &Module) {
    for kernel in module.kernels() {
        assert!(module.function(kernel.function).is_some());
        for arg in kernel.args {
            assert!(arg.align.is_power_of_two(), "{arg:?}");
        }
    }
    for global in &module.globals {
        assert!(module.layout(global.pointee).is_some());
    }
    for (index, function) in module.functions.iter().enumerate() {
        for block in &function.blocks {
            for label in block.terminator.successors() {
                assert!(
                    matches!(module.def(label), Def::Block { function, .. } if *function as usize == index)
                );
            }
            if let Terminator::ReturnValue(value) = block.terminator {
                assert_eq!(module.type_id_of(value), function.ret);
            }
            for phi in &block.phis {
                for (value, _) in &phi.incoming {
                    assert_eq!(module.type_id_of(*value), phi.ty);
                }
            }
            for inst in &block.insts {
                if inst.id != 0 {
                    assert!(matches!(module.def(inst.id), Def::Value { ty, .. } if *ty == inst.ty));
                }
            }
        }
    }
}

#[test]
fn every_module_is_accepted_whole_and_byte_swapped() {
    let names = common::names();
    assert!(names.len() >= 14, "only {} modules", names.len());
    for name in names {
        let words = common::words(&name);
        if let Err(error) = Module::parse(&words, &[]) {
            panic!("{name}: {error}");
        }
        let swapped: Vec<u32> = words.iter().map(|w| w.swap_bytes()).collect();
        assert!(read(&swapped), "{name} byte-swapped");
    }
}

#[test]
fn truncated_at_every_word() {
    for name in common::names() {
        let words = common::words(&name);
        for len in 0..words.len() {
            let accepted = read(&words[..len]);
            // What is left is whole only before the first entry point, or before a function that
            // nothing needs.
            let next = words[len] & 0xffff;
            assert!(
                !accepted || next == Op::EntryPoint as u32 || next == Op::Function as u32,
                "{name} cut at {len}"
            );
        }
    }
}

#[test]
fn truncated_inside_a_word() {
    let words = common::words("vector_add");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    for cut in 1..4 {
        let error = Module::parse_bytes(&bytes[..bytes.len() - cut], &[]).expect_err("cut");
        assert!(error.rule().contains("multiple of 4"), "{error}");
    }
    Module::parse_bytes(&bytes, &[]).expect("whole");
}

#[test]
fn each_word_replaced() {
    let (mut refused, mut tried) = (0, 0);
    for name in ["struct_arg", "spec_constant", "divergent", "switch"] {
        let words = common::words(name);
        for at in 0..words.len() {
            for value in [0, 1, u32::MAX] {
                let mut mutant = words.clone();
                mutant[at] = value;
                tried += 1;
                refused += usize::from(!read(&mutant));
            }
        }
    }
    // Names, hints and literals may change freely; most words may not.
    assert!(refused * 2 > tried, "{refused} of {tried} refused");
}

#[test]
fn a_huge_bound_costs_nothing() {
    let mut words = common::words("vector_add");
    words[3] = u32::MAX;
    let error = Module::parse(&words, &[]).expect_err("beyond the limit");
    assert_eq!(error.offset(), 3);
    words[3] = 0x3f_ffff;
    Module::parse(&words, &[]).expect("the largest bound");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_words(
        name in proptest::sample::select(common::names()),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), word()), 1..4),
    ) {
        let mut words = common::words(&name);
        for (at, value) in &changes {
            let at = at.index(words.len());
            words[at] = value.unwrap_or(words[at] ^ 1);
        }
        read(&words);
    }

    #[test]
    fn instructions_moved_copied_and_dropped(
        name in proptest::sample::select(common::names()),
        picks in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3), 1..4),
    ) {
        let words = common::words(&name);
        let mut instructions = split(&words[5..]);
        for (from, to, how) in picks {
            let (from, to) = (from.index(instructions.len()), to.index(instructions.len()));
            match how {
                0 => instructions.swap(from, to),
                1 => {
                    let copy = instructions[from].clone();
                    instructions.insert(to, copy);
                }
                _ => {
                    instructions.remove(from);
                }
            }
        }
        let mutant: Vec<u32> = words[..5].iter().copied().chain(instructions.concat()).collect();
        read(&mutant);
    }

    #[test]
    fn noise(mut words in proptest::collection::vec(any::<u32>(), 0..200), headed in any::<bool>()) {
        if headed && words.len() >= 5 {
            words[..5].copy_from_slice(&[0x0723_0203, 0x1_0000, 0, 100, 0]);
        }
        read(&words);
    }
}

/// A new value, or none to flip a bit of the old one. Small values are ids of the module.
fn word() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![
        3 => (0u32..150).prop_map(Some),
        1 => any::<u32>().prop_map(Some),
        1 => (0u32..24, 0u32..64).prop_map(|(shift, x)| Some(x << shift)),
        1 => Just(None),
    ]
}

fn split(mut words: &[u32]) -> Vec<Vec<u32>> {
    let mut instructions = Vec::new();
    while let Some(first) = words.first() {
        let (one, rest) = words.split_at((*first >> 16) as usize);
        instructions.push(one.to_vec());
        words = rest;
    }
    instructions
}
