//! What became of the modules of real programs, as the last whole runs of `./x corpus` left it.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A program's modules.
#[derive(Deserialize)]
struct Corpus {
    found: u64,
    built: u64,
    linked: u64,
    kernels: u64,
    /// The modules that were not built, by cause.
    #[serde(default)]
    exceptions: BTreeMap<String, Exception>,
}

/// Modules that were not built for one cause.
#[derive(Deserialize)]
struct Exception {
    count: u64,
    /// Their places in the libraries that hold them.
    modules: BTreeMap<String, Vec<u64>>,
}

/// The table of what stands in `docs/corpus.toml`.
pub fn table(text: &str) -> Result<String> {
    let corpora: BTreeMap<String, Corpus> = toml::from_str(text).context("docs/corpus.toml")?;
    let mut table = String::from(
        "SPIR-V modules of real programs (`./x corpus`):\n\n\
         | Modules of | Unique | Built | Linked with others | Kernels |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (name, corpus) in &corpora {
        let Corpus {
            found,
            built,
            linked,
            kernels,
            ..
        } = corpus;
        writeln!(
            table,
            "| {name} | {found} | {built} | {linked} | {kernels} |"
        )?;
    }
    for (name, corpus) in &corpora {
        for (cause, exception) in &corpus.exceptions {
            let libraries: Vec<_> = exception
                .modules
                .iter()
                .map(|(library, modules)| format!("{} in `{library}`", modules.len()))
                .collect();
            write!(
                table,
                "\nNot built of {name}, {}: {cause} ({}).\n",
                exception.count,
                libraries.join(", ")
            )?;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #[test]
    fn exceptions_are_named() {
        let text = "[mkl]\nfound = 5\ntried = 5\nbuilt = 3\nlinked = 1\nkernels = 9\n\
            [mkl.exceptions.odd]\ncount = 2\nmodules = { \"a.so\" = [4, 7] }\n";
        let table = super::table(text).unwrap();
        assert!(table.contains("| mkl | 5 | 3 | 1 | 9 |"), "{table}");
        assert!(
            table.ends_with("\nNot built of mkl, 2: odd (2 in `a.so`).\n"),
            "{table}"
        );
        assert!(super::table("[mkl]\nfound = 5\n").is_err());
    }
}
