//! Compiling and calling functions in tests.

use crate::ir::ModuleBuilder;
use crate::llvm::{Code, Context, Engine, Symbol, Target};
use crate::runtime;

/// A module compiled for this machine.
pub struct Compiled {
    names: Vec<String>,
    code: Code,
}

impl Compiled {
    /// Compiles `module`; its external functions can be called. There is no
    /// optimisation, so that nothing is folded before the code runs.
    ///
    /// # Panics
    /// With LLVM's message and the text, if LLVM refuses the module.
    pub fn new(module: &ModuleBuilder) -> Compiled {
        let text = module.render();
        let context = Context::new();
        let parsed = match context.parse(&text) {
            Ok(parsed) => parsed,
            Err(message) => panic!("{message}\n{text}"),
        };
        let target = Target::new(None, None).expect("the host is a target");
        let object = target.object(&parsed).expect("code is generated");
        let symbols: Vec<Symbol> = runtime::symbols()
            .into_iter()
            .map(|(name, address)| Symbol { name, address })
            .collect();
        // An engine for each, since names are unique in one; they are few enough to leak.
        let engine = Box::leak(Box::new(Engine::new(&symbols).expect("the engine starts")));
        let names = module.exported();
        let list: Vec<&str> = names.iter().map(String::as_str).collect();
        let code = engine.add(object, &list).expect("the code links");
        Compiled { names, code }
    }

    /// The function `name`.
    ///
    /// # Safety
    /// `F` must be the function pointer type that the function was built with, and the function
    /// must not be called when `self` is gone.
    ///
    /// # Panics
    /// If there is none.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        let index = self
            .names
            .iter()
            .position(|n| n == name)
            .unwrap_or_else(|| panic!("no function {name}"));
        let address = self.code.addresses[index];
        assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: the caller promises that `F` is the function's type; it is as large as an address.
        unsafe { std::mem::transmute_copy(&address) }
    }
}
