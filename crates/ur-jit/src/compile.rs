//! From executable IR to code in memory.

use ur_jit_abi::code::{CodeImage, Loaded, STORAGE};
use ur_jit_abi::record::{ENTRY, KernelRecord};

use crate::error::{Error, Result};
use crate::llvm::edit::Builder;
use crate::llvm::{Context, Module, Target};
use crate::lower::{FRAME_SIZE, LANES, VECTOR};
use crate::module::{Lowered, Vectorisable};
use crate::translate::KERNEL;
use crate::vector::{self, Refused};
use crate::{item, link};

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
    /// Lanes of vectorised kernels that do not say it themselves: 1 for no vectors, 0 for what suits
    /// the kernel.
    pub lanes: u32,
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
        let make = if self.unoptimised {
            Target::unoptimised
        } else {
            Target::new
        };
        make(self.cpu.as_deref(), self.features.as_deref()).map_err(Error::internal)
    }
}

/// What makes of a kernel's function what the vectoriser reads: everything inlined and in values, no
/// vectors, no jump tables, loops in their simple form.
const BEFORE: &str = "always-inline,\
    cgscc(\
        inline,\
        function(\
            sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
            loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,\
            loop(indvars,loop-deletion,loop-unroll-full),\
            sroa,gvn,dse,instcombine<no-verify-fixpoint>,simplifycfg\
        )\
    ),\
    globaldce,\
    function(\
        scalarizer,early-cse,instcombine<no-verify-fixpoint>,\
        lower-switch,simplifycfg,loop-simplify,lcssa\
    )";

/// What is done with the vectorised kernel and what calls it.
const AFTER: &str = "globaldce,\
    cgscc(\
        inline,\
        function(\
            early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
            jump-threading,loop-mssa(licm),gvn,dse,\
            instcombine<no-verify-fixpoint>,simplifycfg\
        )\
    ),\
    globaldce";

/// Parses, vectorises and optimises; nothing if the kernel is not one for the vectoriser.
fn vectorise<'c>(
    context: &'c Context,
    kernel: &Vectorisable,
    target: &Target,
    options: &Options,
) -> Result<std::result::Result<Module<'c>, Refused>> {
    let module = context.parse(&kernel.text).map_err(Error::internal)?;
    {
        let builder = Builder::new(&module);
        if let Some(function) = builder.function(KERNEL) {
            function.set_external();
        }
    }
    module.run(target, BEFORE).map_err(Error::internal)?;
    let lanes = match options.lanes {
        _ if kernel.sub_groups => Some(kernel.sub_group_size),
        0 => None,
        lanes => Some(lanes),
    };
    let lanes = match vector::vectorise(&module, KERNEL, VECTOR, lanes, target.register_bytes()) {
        Ok(lanes) => lanes,
        Err(refused) => return Ok(Err(refused)),
    };
    {
        let builder = Builder::new(&module);
        if let Some(function) = builder.function(KERNEL) {
            function.set_internal();
        }
        if let Some(variable) = builder.variable(LANES) {
            variable.set_constant(builder.int_type(64).int(i64::from(lanes)));
        }
    }
    module.verify().map_err(Error::internal)?;
    module.run(target, AFTER).map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    Ok(Ok(module))
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
        if name != STORAGE && link::symbol(&name).is_none() {
            return Err(Error::unsupported(format!("the function {name}")));
        }
    }
    module
        .run(target, options.passes())
        .map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    Ok(module)
}

/// The kernel's module, vectorised where that can be done, ready for code generation.
fn prepared<'c>(
    context: &'c Context,
    kernel: &Lowered,
    vector: Option<&Vectorisable>,
    target: &Target,
    options: &Options,
) -> Result<Module<'c>> {
    if let Some(vector) = vector {
        match vectorise(context, vector, target, options)? {
            Ok(module) => return Ok(module),
            // Work-item by work-item, then.
            Err(_) => {}
        }
    }
    optimise(context, &kernel.text, target, options)
}

/// Compiles a kernel.
///
/// # Errors
/// A message when LLVM refuses the code or it needs a function that is not there.
pub fn compile(
    kernel: &Lowered,
    vector: Option<&Vectorisable>,
    options: &Options,
) -> Result<KernelRecord> {
    let context = Context::new();
    let target = options.target()?;
    let module = prepared(&context, kernel, vector, &target, options)?;
    let object = target.object(&module).map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    let mut names = vec![ENTRY];
    if kernel.sync {
        names.push(FRAME_SIZE);
    }
    let mut image = link::link(object.bytes(), &names).map_err(Error::internal)?;
    let (scratch_fixed, scratch_per_item) = if kernel.sync {
        let size = frame_size(&image)?;
        image.exports.retain(|(name, _)| name == ENTRY);
        (
            item::group::BYTES,
            kernel.record_bytes + size.next_multiple_of(kernel.frame_align),
        )
    } else {
        (kernel.scratch_fixed, 0)
    };
    Ok(KernelRecord {
        args: kernel.args.clone(),
        args_size: kernel.args_size,
        sub_group_size: kernel.sub_group_size,
        local_size: kernel.local_size,
        scratch_fixed,
        scratch_per_item,
        private_size: kernel
            .private_size
            .max(scratch_per_item.saturating_sub(kernel.record_bytes)),
        image,
    })
}

/// Asks the code for the size of a suspended work-item, which LLVM alone knows.
fn frame_size(image: &CodeImage) -> Result<u64> {
    // The function calls nothing, so what the kernel imports need not be there.
    let code = Loaded::new(image, |_| Some(0)).map_err(Error::internal)?;
    let at = code
        .find(FRAME_SIZE)
        .ok_or_else(|| Error::internal("the code does not say its frame size"))?;
    // SAFETY: `lower` built the function with this type; it returns a constant.
    let size: extern "C" fn() -> u64 = unsafe { std::mem::transmute(at) };
    Ok(size())
}

/// The kernel's IR after optimisation.
///
/// # Errors
/// As [`compile`].
pub fn optimised(
    kernel: &Lowered,
    vector: Option<&Vectorisable>,
    options: &Options,
) -> Result<String> {
    let context = Context::new();
    let target = options.target()?;
    Ok(prepared(&context, kernel, vector, &target, options)?.text())
}

/// The kernel's machine code as assembly.
///
/// # Errors
/// As [`compile`].
pub fn assembly(
    kernel: &Lowered,
    vector: Option<&Vectorisable>,
    options: &Options,
) -> Result<String> {
    let context = Context::new();
    let target = options.target()?;
    let module = prepared(&context, kernel, vector, &target, options)?;
    target.assembly(&module).map_err(Error::internal)
}
