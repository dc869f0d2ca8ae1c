//! Linking modules.

mod common;

use ur_spirv::spirv::LinkageType;
use ur_spirv::{KernelArg, Module, link};

fn words(name: &str) -> Vec<u32> {
    let bytes = std::fs::read(common::folder().join(format!("{name}.spv"))).expect("the module");
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

fn parse(words: &[u32]) -> Module {
    Module::parse(words, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Kind and size of an argument, without ids.
fn kind(arg: &KernelArg) -> String {
    let kind = format!("{:?}", arg.kind);
    let kind = kind.split(' ').next().unwrap_or_default();
    format!("{kind} {}", arg.size)
}

/// Kernels with their arguments' kinds and sizes.
fn kernels(module: &Module) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<_> = module
        .kernels()
        .into_iter()
        .map(|kernel| {
            let args = kernel.args.iter().map(kind);
            (kernel.name.to_string(), args.collect())
        })
        .collect();
    all.sort();
    all
}

/// Names of imported functions that no built-in stands for.
fn imported_functions(module: &Module) -> Vec<String> {
    module
        .functions
        .iter()
        .filter(|f| f.blocks.is_empty())
        .filter_map(|f| Some(f.linkage.as_ref()?.name.to_string()))
        .collect()
}

const ALL: [&str; 8] = [
    "vector_add",
    "reduce",
    "struct_arg",
    "atomics",
    "sub_group",
    "vectors",
    "calls",
    "spec_constant",
];

#[test]
fn one_module_stays_what_it_is() {
    for name in ALL {
        let before = words(name);
        let after = link(&[&before]).expect("links");
        let (old, new) = (parse(&before), parse(&after));
        assert_eq!(kernels(&old), kernels(&new), "{name}");
        assert_eq!(old.functions.len(), new.functions.len());
        assert_eq!(old.globals.len(), new.globals.len());
        assert_eq!(old.spec_constants.len(), new.spec_constants.len());
        // Linking again changes nothing any more.
        assert_eq!(link(&[&after]).expect("links"), after, "{name}");
    }
}

#[test]
fn several_modules_have_all_their_kernels() {
    let modules: Vec<Vec<u32>> = ALL.iter().map(|name| words(name)).collect();
    let list: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let linked = parse(&link(&list).expect("links"));
    let mut expected: Vec<_> = modules.iter().flat_map(|m| kernels(&parse(m))).collect();
    expected.sort();
    assert_eq!(kernels(&linked), expected);
    // Built-in variables of one name are one.
    let mut names: Vec<_> = linked
        .globals
        .iter()
        .filter_map(|g| g.linkage.as_ref())
        .filter(|l| l.kind == LinkageType::Import)
        .map(|l| l.name.to_string())
        .collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 3, "{names:?}");
}

#[test]
fn imports_find_their_exports() {
    let (main, library) = (words("link_main"), words("link_library"));
    assert_eq!(imported_functions(&parse(&main)).len(), 2);
    for order in [[&main, &library], [&library, &main]] {
        let linked = parse(&link(&[order[0], order[1]]).expect("links"));
        assert!(imported_functions(&linked).is_empty());
        let names: Vec<String> = kernels(&linked).into_iter().map(|k| k.0).collect();
        assert_eq!(names, ["library_kernel", "use"]);
        let table: Vec<_> = linked
            .globals
            .iter()
            .filter(|g| g.linkage.as_ref().is_some_and(|l| &*l.name == "table"))
            .collect();
        assert_eq!(table.len(), 1);
        assert!(table[0].init.is_some());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (main, library) = (words("link_main"), words("link_library"));
    let twice = link(&[&library, &library]).expect_err("two exports");
    assert!(twice.to_string().contains("exported once"), "{twice}");
    // Unresolved imports are allowed to stay.
    let open = parse(&link(&[&main]).expect("links"));
    assert_eq!(imported_functions(&open).len(), 2);
    let damaged = &library[..library.len() - 3];
    assert!(link(&[&main, damaged]).is_err());
    assert!(link(&[&[1, 2, 3]]).is_err());
    // The imported variable under the name of the function: one name for two kinds of things. The
    // last occurrence of the name is the one in the linkage decoration.
    let mut other = main.clone();
    let name = |text: [u8; 8]| {
        let (low, high) = text.split_at(4);
        [low, high].map(|half| u32::from_le_bytes(half.try_into().expect("four bytes")))
    };
    let at = other
        .windows(2)
        .rposition(|w| w == name(*b"table\0\0\0"))
        .expect("the name");
    other[at..at + 2].copy_from_slice(&name(*b"lookup\0\0"));
    let error = link(&[&other, &library]).expect_err("two kinds of one name");
    assert!(
        error.to_string().contains("lookup has the same type"),
        "{error}"
    );
}
