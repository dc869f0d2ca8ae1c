//! The headers compile as C11 and C++17, alone and together, and have the released layout.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{facts, root};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

/// Every compiler that must accept the headers; clang under the name that is installed.
fn compilers() -> Vec<(String, &'static str)> {
    let there = |name: &&str| {
        let run = Command::new(name).arg("--version").output();
        run.is_ok_and(|out| out.status.success())
    };
    let clang = ["clang-19", "clang-15", "clang"].into_iter().find(there);
    let clang = clang.expect("clang is needed: apt install clang-15");
    for needed in ["gcc", "g++"] {
        assert!(there(&needed), "{needed} is needed: apt install g++");
    }
    vec![
        ("gcc".to_owned(), "c11"),
        (clang.to_owned(), "c11"),
        ("g++".to_owned(), "c++17"),
        (clang.to_owned(), "c++17"),
    ]
}

/// Compiles `text` with every compiler.
fn compile(name: &str, text: &str) {
    for (compiler, standard) in compilers() {
        let language = if standard == "c11" { "c" } else { "c++" };
        let file = source(&format!("{name}-{compiler}"), text);
        let out = Command::new(&compiler)
            .arg(format!("-std={standard}"))
            .args(STRICT)
            .args(["-fsyntax-only", "-x", language, "-I"])
            .arg(root().join("include"))
            .arg(&file)
            .output()
            .expect("the compiler runs");
        let errors = String::from_utf8_lossy(&out.stderr);
        let few: Vec<&str> = errors.lines().take(20).collect();
        assert!(
            out.status.success(),
            "{compiler} -std={standard} refuses {name}:\n{}",
            few.join("\n")
        );
    }
}

fn source(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    fs::write(&file, text).expect("the temporary folder can be written");
    file
}

#[test]
fn each_header_compiles_alone() {
    for header in [
        "ur_api.h",
        "ur_ddi.h",
        "ur_print.h",
        "ur_mock.h",
        "ur_static.h",
    ] {
        let text = format!("#include <concord/{header}>\n#include <concord/{header}>\n");
        compile(&header.replace('.', "_"), &text);
    }
}

#[test]
fn layout_and_values_are_the_released_ones() {
    let mut text = "#ifdef __cplusplus\n#define ALIGN(type) alignof(type)\n#else\n\
                    #define ALIGN(type) _Alignof(type)\n#endif\n#include <assert.h>\n#include <string.h>\n#include <concord/ur_api.h>\n\
                    #include <concord/ur_ddi.h>\n#include <concord/ur_print.h>\n"
        .to_owned();
    let mut say = |condition: String| {
        let quoted = condition.replace('"', "'");
        text.push_str(&format!("static_assert({condition}, \"{quoted}\");\n"));
    };
    for row in facts("structs") {
        say(format!("sizeof({}) == {}", row[0], row[1]));
        say(format!("ALIGN({}) == {}", row[0], row[2]));
    }
    for row in facts("members") {
        say(format!("offsetof({}, {}) == {}", row[0], row[1], row[2]));
    }
    for row in facts("enums") {
        say(format!("(unsigned){} == {}u", row[1], row[2]));
        say(format!("sizeof({}) == 4", row[0]));
    }
    for row in facts("masks") {
        let name = row[0].replace("_flag_t", "_flags").to_uppercase();
        say(format!("{name}_MASK == {}u", row[1]));
    }
    for row in facts("tables") {
        say(format!("offsetof(ur_dditable_t, {}) == {}", row[0], row[3]));
        say(format!("sizeof({}) == {}", row[1], row[4]));
    }
    compile("layout", &text);
}
