//! Kernels on the built JIT, and proof that a wrong one is found.

use std::path::PathBuf;
use std::process::Command;

use ur_kernelgen::ast::{Kernel, Scope, Stmt};
use ur_kernelgen::check::{Outcome, check, check_module};
use ur_kernelgen::emit;
use ur_kernelgen::r#gen::{Size, case};
use ur_kernelgen::interp;
use ur_kernelgen::jit::Jit;
use ur_kernelgen::launch::Memory;

fn library() -> PathBuf {
    let root = std::env::var_os("UR_DIST_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/dist"),
        PathBuf::from,
    );
    let path = root.join("lib/libur_jit.so");
    assert!(
        path.exists(),
        "{} is missing: run `./x build` first",
        path.display()
    );
    path
}

#[test]
fn two_hundred_kernels_agree() {
    let keep = std::env::temp_dir().join(format!("kernelgen-{}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_kernelgen"))
        .arg("--jit")
        .arg(library())
        .arg("--keep")
        .arg(&keep)
        .args(["--count", "200", "--seed", "1", "--jobs", "2"])
        .output()
        .expect("kernelgen starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        text.trim_end().ends_with("200 of 200 kernels agree"),
        "{text}"
    );
}

/// Removes the statements that `unwanted` names, and says how many there were.
fn strip(stmts: &mut Vec<Stmt>, unwanted: fn(&Stmt) -> bool) -> usize {
    let before = stmts.len();
    stmts.retain(|stmt| !unwanted(stmt));
    let mut removed = before - stmts.len();
    for stmt in stmts {
        match stmt {
            Stmt::If(_, a, b) | Stmt::SubGroupIf(_, a, b) => {
                removed += strip(a, unwanted) + strip(b, unwanted);
            }
            Stmt::Switch(_, cases, default) => {
                removed += strip(default, unwanted);
                for case in cases {
                    removed += strip(&mut case.body, unwanted);
                }
            }
            Stmt::Loop { body, .. } => removed += strip(body, unwanted),
            _ => {}
        }
    }
    removed
}

/// Whether a compiler that drops such statements is found out by the first `count` kernels that
/// have some.
fn is_found(count: usize, unwanted: fn(&Stmt) -> bool) -> bool {
    let jit = Jit::open(&library()).expect("the library opens");
    let size = Size::default();
    let broken = |kernel: &Kernel| {
        let mut kernel = kernel.clone();
        let removed: usize = kernel
            .functions
            .iter_mut()
            .map(|f| strip(&mut f.body, unwanted))
            .sum();
        (removed > 0).then_some(kernel)
    };
    let tried = (1000..4000)
        .map(|seed| case(seed, size))
        .filter_map(|case| broken(&case.kernel).map(|kernel| (case, kernel)))
        .take(count);
    for (case, kernel) in tried {
        if let Outcome::Differs(_) = check_module(&jit, &emit::module(&kernel), &case) {
            assert_eq!(check(&jit, &case), Outcome::Agrees);
            return true;
        }
    }
    false
}

#[test]
fn dropped_barriers_are_found() {
    assert!(is_found(60, |stmt| *stmt == Stmt::Barrier(Scope::Group)));
}

#[test]
fn dropped_breaks_are_found() {
    assert!(is_found(60, |stmt| matches!(stmt, Stmt::Break(_))));
}

#[test]
fn dropped_continues_are_found() {
    assert!(is_found(60, |stmt| matches!(stmt, Stmt::Continue(_))));
}

#[test]
fn dropped_returns_are_found() {
    assert!(is_found(60, |stmt| *stmt == Stmt::Return(None)));
}

#[test]
fn dropped_local_atomics_are_found() {
    assert!(is_found(60, |stmt| matches!(stmt, Stmt::LocalAtomic(..))));
}

/// The generator keeps the rules: every launch has one result, whatever the sub-group size.
#[test]
fn kernels_are_sensible() {
    for seed in 5000..5150 {
        let case = case(seed, Size::default());
        let width = match case.variant.sub_group_size {
            0 => 8,
            n => n as usize,
        };
        for launch in &case.launches {
            let mut memory = Memory::new(&case.kernel, launch);
            let result = interp::run(
                &case.kernel,
                launch,
                &mut memory,
                width,
                ur_kernelgen::check::STEPS,
            );
            assert_eq!(result, Ok(()), "seed {seed}");
        }
    }
}

/// The emitter writes correct SPIR-V, by this project's reader and, where it is installed, by
/// `spirv-val`.
#[test]
fn modules_are_valid() {
    let file = std::env::temp_dir().join(format!("kernelgen-{}.spv", std::process::id()));
    let mut validator = true;
    for seed in 7000..7200 {
        let words = emit::module(&case(seed, Size::default()).kernel);
        let module = ur_spirv::Module::parse(&words, &[]);
        let kernels = module.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(kernels.entry_points.len(), 1, "seed {seed}");
        if !validator || seed % 10 != 0 {
            continue;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&file, bytes).expect("a temporary file");
        match Command::new("spirv-val")
            .args(["--target-env", "spv1.6"])
            .arg(&file)
            .output()
        {
            Ok(output) => assert!(
                output.status.success(),
                "seed {seed}: {}",
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(_) => validator = false,
        }
    }
    let _ = std::fs::remove_file(&file);
}
