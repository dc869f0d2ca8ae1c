//! Damaged modules of extensions are taken or refused, and never a fault of the compiler.

use ur_jit_abi::Status;

use super::asm::int;
use super::common::Jit;
use super::{groups, memory, modes, numbers, pointers};

#[test]
fn damaged_modules_are_no_fault_of_the_compiler() {
    let modules = [
        pointers::table(),
        pointers::initialised(),
        pointers::assertion("__devicelib_assert_fail"),
        groups::masks(),
        groups::quads(),
        groups::split_barrier(),
        memory::pointers(),
        memory::hints(),
        modes::differences(true),
        numbers::dot_module(int(8).times(4), int(32)),
        numbers::integer_module(int(16)),
    ];
    let (mut taken, mut refused, mut compiled) = (0, 0, 0);
    for words in &modules {
        for place in 5..words.len() {
            for change in [1u32, 0xffff_ffff, 1 << 16] {
                let mut words = words.clone();
                words[place] ^= change;
                match Jit::from_words(&words, 0, &[]) {
                    Ok(jit) => {
                        taken += 1;
                        // Compiling takes longer than refusing, so not all of them.
                        if taken % 8 == 0
                            && let Err((status, text)) = jit.try_kernel("k")
                        {
                            assert_ne!(status, Status::Internal, "word {place}: {text}");
                        }
                        compiled += u32::from(taken % 8 == 0);
                    }
                    Err((status, text)) => {
                        refused += 1;
                        assert_ne!(status, Status::Internal, "word {place}: {text}");
                    }
                }
            }
        }
    }
    assert!(
        taken > 300 && refused > 3000 && compiled > 30,
        "{taken} {refused} {compiled}"
    );
}
