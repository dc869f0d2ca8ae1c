//! Kernels, arguments, layouts and specialisation constants as hosts see them.

mod common;

use std::fmt::Write;
use ur_spirv::{ArgKind, Module, SpecOverride, Type, spirv::Op};

fn parse(name: &str, spec: &[SpecOverride]) -> Module {
    match Module::parse(&common::words(name), spec) {
        Ok(module) => module,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// A type in words.
fn describe(module: &Module, ty: u32) -> String {
    match module.ty(ty) {
        Type::Int { width } => format!("i{width}"),
        Type::Float { width } => format!("f{width}"),
        Type::Vector { elem, len } => format!("{} x {len}", describe(module, *elem)),
        Type::Array { elem, len } => format!("[{len} x {}]", describe(module, *elem)),
        Type::Struct {
            members, offsets, ..
        } => {
            let members = members.iter().zip(offsets);
            let members: Vec<String> = members
                .map(|(ty, offset)| format!("{offset}: {}", describe(module, *ty)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn report(module: &Module) -> String {
    let mut text = String::new();
    let out = &mut text;
    for kernel in module.kernels() {
        write!(out, "kernel {}", kernel.name).unwrap();
        if let Some([x, y, z]) = kernel.reqd_work_group_size {
            write!(out, " required {x} {y} {z}").unwrap();
        }
        if let Some(hint) = kernel.work_group_size_hint {
            write!(out, " hint {hint:?}").unwrap();
        }
        if let Some(size) = kernel.sub_group_size {
            write!(out, " sub-group {size}").unwrap();
        }
        writeln!(out).unwrap();
        for arg in &kernel.args {
            let what = match &arg.kind {
                ArgKind::Value => format!("value {}", describe(module, arg.ty)),
                ArgKind::ByValue { pointee } => format!("by value {}", describe(module, *pointee)),
                ArgKind::Global { pointee } => format!("global {}", describe(module, *pointee)),
                ArgKind::Constant { pointee } => format!("constant {}", describe(module, *pointee)),
                ArgKind::Local { pointee } => format!("local {}", describe(module, *pointee)),
                other => format!("{other:?}"),
            };
            let mut flags = String::new();
            for (set, word) in [
                (arg.read_only, " read-only"),
                (arg.restrict, " restrict"),
                (arg.volatile, " volatile"),
            ] {
                flags += if set { word } else { "" };
            }
            writeln!(
                out,
                "  {}: {what}, {} bytes aligned to {}{flags}",
                arg.name, arg.size, arg.align
            )
            .unwrap();
        }
    }
    for spec in &module.spec_constants {
        writeln!(
            out,
            "specialisation constant {}: {} bytes, default {:#x}",
            spec.spec_id, spec.size, spec.bits
        )
        .unwrap();
    }
    text
}

/// Set `UPDATE_GOLDEN` to write the files instead of comparing with them.
#[test]
fn kernels_are_as_recorded() {
    let golden = common::folder().join("reflection");
    for name in common::names() {
        let text = report(&parse(&name, &[]));
        let path = golden.join(&name).with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).expect("golden file written");
        }
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, recorded, "{name}");
    }
}

/// The compiler's own sizes and offsets, which kernel `layout` stores, against ours.
#[test]
fn layouts_agree_with_the_compiler() {
    let module = parse("struct_arg", &[]);
    let kernels = module.kernels();
    let function = |name: &str| {
        let kernel = kernels.iter().find(|k| k.name == name).expect("kernel");
        (kernel, module.function(kernel.function).expect("function"))
    };
    // Entry points may be wrappers that call the function with the body.
    let mut stored = Vec::new();
    for f in &module.functions {
        let insts = f.blocks.iter().flat_map(|b| &b.insts);
        let stores: Vec<u64> = insts
            .filter(|i| i.op == Op::Store)
            .filter_map(|i| module.constant_bits(i.arg(1)))
            .collect();
        if stores.len() == 6 {
            stored = stores;
        }
    }
    let (by_value, _) = function("by_value");
    let (packed, _) = function("packed");
    let pointee = |kind: &ArgKind| match kind {
        ArgKind::ByValue { pointee } => *pointee,
        other => panic!("{other:?}"),
    };
    let (params, tight) = (
        pointee(&by_value.args[0].kind),
        pointee(&packed.args[0].kind),
    );
    let Type::Struct {
        offsets, members, ..
    } = module.ty(params)
    else {
        panic!("no structure");
    };
    // Clang may put padding in as members of its own: find members by their types.
    let offset_of = |wanted: fn(&Type) -> bool| {
        let at = members.iter().position(|m| wanted(module.ty(*m)));
        offsets[at.expect("member")]
    };
    let ours = [
        module.layout(params).expect("layout").size,
        offset_of(|t| matches!(t, Type::Array { len: 2, .. })),
        offset_of(|t| matches!(t, Type::Vector { .. })),
        offset_of(|t| matches!(t, Type::Int { width: 16 })),
        module.layout(tight).expect("layout").size,
        16,
    ];
    assert_eq!(stored, ours);
    assert_eq!(by_value.args[0].size, ours[0]);
    assert_eq!(packed.args[0].size, 7);
}

#[test]
fn specialisation_constants_can_be_overridden() {
    let value = |module: &Module, spec_id: u32| {
        let spec = module.spec_constants.iter().find(|s| s.spec_id == spec_id);
        spec.map(|s| (s.size, s.bits))
    };
    let default = parse("spec_constant", &[]);
    assert_eq!(value(&default, 7), Some((4, 5)));
    assert_eq!(value(&default, 8), Some((1, 0)));
    assert_eq!(value(&default, 9), Some((8, 0x0123_4567_89ab_cdef)));
    assert_eq!(value(&default, 10), Some((4, 0x3fc0_0000)));
    let given = parse(
        "spec_constant",
        &[
            SpecOverride {
                spec_id: 7,
                bits: 0xffff_0000_0000_0014,
            },
            SpecOverride {
                spec_id: 8,
                bits: 1,
            },
            SpecOverride {
                spec_id: 99,
                bits: 1,
            },
        ],
    );
    assert_eq!(value(&given, 7), Some((4, 20)));
    assert_eq!(value(&given, 8), Some((1, 1)));
    assert_eq!(value(&given, 9), Some((8, 0x0123_4567_89ab_cdef)));
    // The array's length is twice the constant and one.
    let lengths = |module: &Module| -> Vec<u64> {
        let types = (0..module.bound).map(|id| module.ty(id));
        types
            .filter_map(|ty| match ty {
                Type::Array { len, .. } => Some(*len),
                _ => None,
            })
            .collect()
    };
    assert_eq!(lengths(&default), [11]);
    assert_eq!(lengths(&given), [41]);
}

#[test]
fn an_override_changes_layouts() {
    let size = |bits: u64| -> u64 {
        let module = parse("spec_constant", &[SpecOverride { spec_id: 7, bits }]);
        let mut ids = 0..module.bound;
        let array = ids.find(|id| matches!(module.ty(*id), Type::Array { .. }));
        let layout = module.layout(array.expect("an array"));
        layout.expect("arrays have a layout").size
    };
    assert_eq!(size(5), 11 * 8);
    assert_eq!(size(0x7fff_ffff), 0xffff_ffff * 8);
    // Twice the constant and one wraps around at 32 bits.
    assert_eq!(size(0x8000_0001), 3 * 8);
}
