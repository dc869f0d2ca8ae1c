//! Compiling and calling functions in tests.

use crate::functions;
use crate::ir::ModuleBuilder;
use crate::link;
use crate::llvm::{Context, Target};
use crate::vector::math::Features;
use ur_jit_abi::code::Loaded;

/// A module compiled for this machine.
pub struct Compiled {
    code: Loaded,
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
        let features = Features::of(None, None);
        functions::add(&context, &parsed, Vec::new(), features).expect("functions are valid");
        let target = Target::new(None, None).expect("the host is a target");
        let object = target.object(&parsed).expect("code is generated");
        let names = module.exported();
        let list: Vec<&str> = names.iter().map(String::as_str).collect();
        let code = link::load(object.bytes(), &list).expect("the code links");
        Compiled { code }
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
        let address = self
            .code
            .find(name)
            .unwrap_or_else(|| panic!("no function {name}"));
        assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: the caller promises that `F` is the function's type; it is as large as an address.
        unsafe { std::mem::transmute_copy(&address) }
    }
}
