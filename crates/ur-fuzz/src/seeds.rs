//! What the targets start from.

use std::io;
use std::path::Path;
use ur_adapter_native_cpu::binary::{self, MachineCode, Saved, Specialisation, Stage};
use ur_jit_abi::code::CodeImage;
use ur_jit_abi::record::{ENTRY, KernelRecord, ModuleRecord, Variable};
use ur_jit_abi::{ArgInfo, ArgKind};

/// The modules of a folder, sorted by name.
///
/// # Errors
/// The folder or one of its modules cannot be read.
pub fn spirv(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "spv") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            seeds.push((name.into_owned(), std::fs::read(&path)?));
        }
    }
    seeds.sort();
    Ok(seeds)
}

/// Saved programs: the smallest ones, and some with the modules of a folder in them.
///
/// # Errors
/// As [`spirv`].
pub fn binary(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    let mut add = |name: String, constants: u32, options: &str, words: Vec<u32>| {
        for (stage, code) in [(Stage::Compiled, None), (Stage::Executable, Some(code()))] {
            let saved = Saved {
                stage,
                constants: (0..constants)
                    .map(|id| Specialisation {
                        id,
                        size: 1 << (id % 4),
                        bits: u64::from(id),
                    })
                    .collect(),
                options: options.to_owned(),
                words: words.clone(),
                code,
            };
            seeds.push((format!("{name}-{stage:?}"), binary::write(&saved)));
        }
    };
    add("empty".to_owned(), 0, "", Vec::new());
    add(
        "constants".to_owned(),
        5,
        "-cl-opt-disable -DX=ä",
        vec![1, 2, 3],
    );
    for (name, bytes) in spirv(folder)?.into_iter().step_by(8) {
        let (chunks, _) = bytes.as_chunks::<4>();
        let words = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
        add(name, 1, "", words);
    }
    Ok(seeds)
}

/// Machine code, as far as a reader looks at it: nothing of it is ever run.
fn code() -> MachineCode {
    let module = ModuleRecord {
        storage: CodeImage {
            data: vec![7; 24],
            zeros: 8,
            writable: true,
            exports: vec![("storage".to_owned(), 0)],
            ..CodeImage::default()
        },
        variables: vec![Variable {
            name: "counter".to_owned(),
            offset: 8,
            size: 4,
        }],
    };
    let kernel = KernelRecord {
        args: vec![ArgInfo {
            kind: ArgKind::Pointer,
            size: 8,
            offset: 0,
            align: 8,
        }],
        args_size: 8,
        sub_group_size: 8,
        image: CodeImage {
            text: vec![0xc3; 16],
            imports: vec!["sinf".to_owned()],
            exports: vec![(ENTRY.to_owned(), 0)],
            ..CodeImage::default()
        },
        ..KernelRecord::default()
    };
    MachineCode {
        cpu: [3; 32],
        cpu_name: "a CPU".to_owned(),
        build_id: vec![1, 2, 3],
        module: module.to_bytes(),
        kernels: vec![
            ("first".to_owned(), kernel.to_bytes()),
            ("second".to_owned(), kernel.to_bytes()),
        ],
    }
}
