//! From executable IR to code in memory.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ur_jit_abi::GroupsFn;

use crate::error::{Error, Result};
use crate::llvm::{Code, Context, Engine, Module, Symbol, Target};
use crate::lower::FRAME_SIZE;
use crate::module::{ENTRY, Lowered};
use crate::{item, runtime};

/// How a module is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sub-group size for kernels that ask for none; 0 lets the JIT choose.
    pub sub_group_size: u32,
    /// LLVM's name of the CPU, or none for the host.
    pub cpu: Option<String>,
    /// LLVM's feature list, or none for the CPU's own.
    pub features: Option<String>,
    /// Whether to skip optimisation.
    pub unoptimised: bool,
}

/// The optimisations. Compile time counts as much as the code does, so this is what pays off in
/// LLVM's own `O2` and no more: everything is inlined and made into values, loops are simplified and
/// vectorised where LLVM can do that. Coroutines are split when their bodies are small.
const PASSES: &str = "always-inline,globaldce,coro-early,\
    cgscc(\
        inline,\
        function(\
            sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
            loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,\
            loop(indvars,loop-deletion,loop-unroll-full),\
            sroa,gvn,dse,instcombine<no-verify-fixpoint>,simplifycfg\
        ),\
        coro-split,\
        function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)\
    ),\
    coro-cleanup,globaldce,\
    function(loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg)";

impl Options {
    fn passes(&self) -> &'static str {
        if self.unoptimised {
            "default<O0>"
        } else {
            PASSES
        }
    }

    fn target(&self) -> Result<Target> {
        Target::new(self.cpu.as_deref(), self.features.as_deref()).map_err(Error::internal)
    }
}

/// Code of a kernel.
pub struct Compiled {
    /// Runs work-groups.
    pub entry: GroupsFn,
    /// Size of a suspended work-item's record and state, or 0 without synchronisation.
    pub scratch_per_item: u64,
    /// Scratch whatever the group's size.
    pub scratch_fixed: u64,
    /// Private memory of a work-item, an estimate.
    pub private_size: u64,
    /// Size of the argument block.
    pub args_size: u32,
    /// Local memory of the kernel's own variables.
    pub local_size: u64,
    /// Work-items in a sub-group.
    pub sub_group_size: u32,
    #[expect(dead_code, reason = "frees the code when it is dropped")]
    code: Code,
}

/// The engine that holds all compiled code of the process.
fn engine() -> Result<&'static Engine> {
    static ENGINE: OnceLock<std::result::Result<Engine, String>> = OnceLock::new();
    ENGINE
        .get_or_init(|| {
            let symbols: Vec<Symbol> = runtime::symbols()
                .into_iter()
                .map(|(name, address)| Symbol { name, address })
                .collect();
            Engine::new(&symbols)
        })
        .as_ref()
        .map_err(|message| Error::internal(message.clone()))
}

/// Names that compiled code may use.
fn known_symbols() -> &'static HashSet<&'static str> {
    static KNOWN: OnceLock<HashSet<&'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        runtime::symbols()
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    })
}

/// Parses and optimises.
fn optimise<'c>(
    context: &'c Context,
    text: &str,
    target: &Target,
    options: &Options,
) -> Result<Module<'c>> {
    let module = context.parse(text).map_err(Error::internal)?;
    for name in module.unresolved() {
        if !known_symbols().contains(name.as_str()) {
            return Err(Error::unsupported(format!("the function {name}")));
        }
    }
    module
        .run(target, options.passes())
        .map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    Ok(module)
}

/// Compiles a kernel.
///
/// # Errors
/// A message when LLVM refuses the code or it needs a function that is not there.
pub fn compile(kernel: &Lowered, options: &Options) -> Result<Compiled> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let entry = format!("{ENTRY}.{number}");
    let frame_size = format!("{FRAME_SIZE}.{number}");
    let text = kernel
        .text
        .replace(ENTRY, &entry)
        .replace(FRAME_SIZE, &frame_size);

    let context = Context::new();
    let target = options.target()?;
    let module = optimise(&context, &text, &target, options)?;
    let object = target.object(&module).map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    let mut names = vec![entry.as_str()];
    if kernel.sync {
        names.push(&frame_size);
    }
    let code = engine()?.add(object, &names).map_err(Error::internal)?;

    // SAFETY: the address is that of the function that `lower` built with this type.
    let function: GroupsFn = unsafe { std::mem::transmute(code.addresses[0]) };
    let (scratch_fixed, scratch_per_item) = if kernel.sync {
        // SAFETY: as above; the function has no side effects and needs nothing.
        let size = unsafe {
            let size: extern "C" fn() -> u64 = std::mem::transmute(code.addresses[1]);
            size()
        };
        (
            item::group::BYTES,
            kernel.record_bytes + size.next_multiple_of(kernel.frame_align),
        )
    } else {
        (0, 0)
    };
    Ok(Compiled {
        entry: function,
        scratch_per_item,
        scratch_fixed,
        private_size: kernel
            .private_size
            .max(scratch_per_item.saturating_sub(kernel.record_bytes)),
        args_size: kernel.args_size,
        local_size: kernel.local_size,
        sub_group_size: kernel.sub_group_size,
        code,
    })
}

/// The kernel's IR after optimisation.
///
/// # Errors
/// As [`compile`].
pub fn optimised(kernel: &Lowered, options: &Options) -> Result<String> {
    let context = Context::new();
    let target = options.target()?;
    Ok(optimise(&context, &kernel.text, &target, options)?.text())
}

/// The kernel's machine code as assembly.
///
/// # Errors
/// As [`compile`].
pub fn assembly(kernel: &Lowered, options: &Options) -> Result<String> {
    let context = Context::new();
    let target = options.target()?;
    let module = optimise(&context, &kernel.text, &target, options)?;
    target.assembly(&module).map_err(Error::internal)
}
