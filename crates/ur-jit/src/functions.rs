//! Mathematical functions put into the modules that call them.

use std::collections::BTreeMap;

use crate::llvm::edit::Builder;
use crate::llvm::{Context, DATA_LAYOUT, Module, TRIPLE};
use crate::vector::math::{self, Definition, Features};

/// Adds `functions`, which the module declares, and those of single values that it calls
/// ([`math::scalar`]), written for a processor with `features`.
///
/// # Errors
/// LLVM's message if a definition is not valid.
pub fn add<'c>(
    context: &'c Context,
    module: &Module<'c>,
    functions: Vec<Definition>,
    features: Features,
) -> Result<(), String> {
    let mut wanted: BTreeMap<String, Definition> = BTreeMap::new();
    let mut add = |definition: Definition| {
        wanted.insert(definition.name.clone(), definition);
    };
    functions.into_iter().for_each(&mut add);
    for name in module.unresolved() {
        let name = name.strip_prefix(math::PREFIX);
        if let Some(both) = name.and_then(|name| math::scalar(name, features)) {
            both.into_iter().for_each(&mut add);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let mut text = format!("target datalayout = \"{DATA_LAYOUT}\"\ntarget triple = \"{TRIPLE}\"\n");
    let calls = wanted.values().flat_map(|definition| &definition.calls);
    let calls: BTreeMap<&str, &str> = calls
        .map(|(name, declaration)| (&**name, &**declaration))
        .collect();
    for declaration in calls.values() {
        text += declaration;
        text.push('\n');
    }
    for definition in wanted.values() {
        text += &definition.text;
        text.push('\n');
    }
    let other = context.parse(&text)?;
    // Only what has a name outside its module meets its declaration.
    let name_all = |module: &Module<'_>, external: bool| {
        let builder = Builder::new(module);
        for function in wanted.keys().filter_map(|name| builder.function(name)) {
            if external {
                function.set_external();
            } else {
                function.set_internal();
            }
        }
    };
    name_all(&other, true);
    module.link(other)?;
    name_all(module, false);
    Ok(())
}
