//! From executable IR to code in memory.

use ur_jit_abi::code::{CodeImage, Loaded, STORAGE};
use ur_jit_abi::record::{ENTRY, KernelRecord};

use crate::error::{Error, Result};
use crate::llvm::edit::Builder;
use crate::llvm::{Context, Module, Target};
use crate::lower::{FRAME_SIZE, LANES, STRIDE, VECTOR};
use crate::module::{Lowered, Vectorisable};
use crate::translate::KERNEL;
use crate::vector::math::Features;
use crate::vector::{self, Points, Refused, Vectorised};
use crate::{functions, item, link};

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
    /// Lanes of vectorised kernels that do not say it themselves, as in [`ur_jit_abi::lanes`].
    pub lanes: u32,
}

/// What is done with one function: everything is made into values, loops are simplified.
macro_rules! clean_up {
    () => {
        "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
        loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,\
        loop(indvars,loop-deletion,loop-unroll-full),\
        sroa,gvn,dse,instcombine<no-verify-fixpoint>,simplifycfg"
    };
}

/// The optimisations. Compile time counts as much as the code does, so this is what pays off in
/// LLVM's own `O2` and no more: everything is inlined and made into values, loops are simplified and
/// vectorised where LLVM can do that. Coroutines are split when their bodies are small.
const PASSES: &str = concat!(
    "always-inline,globaldce,coro-early,cgscc(inline,function(",
    clean_up!(),
    "),coro-split,function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)),\
    coro-cleanup,globaldce,function(loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg)"
);

impl Options {
    fn passes(&self) -> &'static str {
        if self.unoptimised {
            "default<O0>"
        } else {
            PASSES
        }
    }

    fn cpu_features(&self) -> Features {
        Features::of(self.cpu.as_deref(), self.features.as_deref())
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
const BEFORE: &str = concat!(
    "always-inline,cgscc(inline,function(",
    clean_up!(),
    ")),globaldce,\
    function(\
        scalarizer,early-cse,instcombine<no-verify-fixpoint>,\
        lower-switch,simplifycfg,loop-simplify,lcssa\
    )"
);

/// What is done with a vectorised kernel that waits, before it is split. Nothing that moves memory
/// accesses far.
const BEFORE_SPLIT: &str = "function(early-cse,simplifycfg,instcombine<no-verify-fixpoint>)";

/// Name of the vectorised kernel before it is split.
const WHOLE: &str = "ur.whole";

/// What is done with the vectorised kernel and what calls it.
const AFTER: &str = "always-inline,globaldce,\
    cgscc(\
        inline,\
        function(\
            sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
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
) -> Result<std::result::Result<Vectors<'c>, Refused>> {
    let module = context.parse(&kernel.text).map_err(Error::internal)?;
    {
        let builder = Builder::new(&module);
        if let Some(function) = builder.function(KERNEL) {
            function.set_external();
        }
    }
    module.run(target, BEFORE).map_err(Error::internal)?;
    // As many as a sub-group where its work-items must go in step.
    let least = if kernel.leader {
        kernel.sub_group_size
    } else {
        1
    };
    let lanes = match options.lanes {
        _ if kernel.sub_groups => Some(kernel.sub_group_size),
        0 => None,
        lanes => Some(lanes.max(least)),
    };
    let points = Points {
        all: &kernel.points,
        slot: kernel.slot,
        least,
    };
    let bytes = target.register_bytes();
    let features = options.cpu_features();
    let to = if kernel.suspends { WHOLE } else { VECTOR };
    let made = vector::vectorise(&module, KERNEL, to, lanes, bytes, &points, features);
    let Vectorised { lanes, functions } = match made {
        Ok(made) => made,
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
    // The function that was vectorised goes, and with it what it called.
    module.run(target, "globaldce").map_err(Error::internal)?;
    functions::add(context, &module, functions, features).map_err(Error::internal)?;
    module.verify().map_err(Error::internal)?;
    let mut frame = None;
    if kernel.suspends {
        module.run(target, BEFORE_SPLIT).map_err(Error::internal)?;
        let align = kernel.frame_align;
        let bytes = match vector::split(&module, WHOLE, VECTOR, kernel.record_bytes, align) {
            Ok(bytes) => bytes,
            Err(refused) => return Ok(Err(refused)),
        };
        let builder = Builder::new(&module);
        if let Some(variable) = builder.variable(STRIDE) {
            let stride = (kernel.record_bytes + bytes).cast_signed();
            variable.set_constant(builder.int_type(64).int(stride));
        }
        frame = Some(bytes);
        module.verify().map_err(Error::internal)?;
    } else if let Some(function) = Builder::new(&module).function(VECTOR) {
        function.set_internal();
    }
    module.run(target, AFTER).map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    Ok(Ok(Vectors {
        module,
        lanes,
        frame,
    }))
}

/// A vectorised kernel.
struct Vectors<'c> {
    module: Module<'c>,
    lanes: u32,
    /// Bytes of a sub-group's frame where sub-groups wait.
    frame: Option<u64>,
}

/// A module of IR text, with the mathematical functions that it calls.
fn parsed<'c>(context: &'c Context, text: &str, options: &Options) -> Result<Module<'c>> {
    let module = context.parse(text).map_err(Error::internal)?;
    functions::add(context, &module, Vec::new(), options.cpu_features())
        .map_err(Error::internal)?;
    Ok(module)
}

/// Parses and optimises.
fn optimise<'c>(
    context: &'c Context,
    text: &str,
    target: &Target,
    options: &Options,
) -> Result<Module<'c>> {
    let module = parsed(context, text, options)?;
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

/// A kernel ready for code generation.
struct Prepared<'c> {
    module: Module<'c>,
    /// For each way in which work-items suspend: the size of the suspended state, the bytes of an
    /// item record without it, and the work-items that have one together.
    frames: Vec<(Size, u64, u32)>,
}

/// The size of a suspended state.
enum Size {
    /// As many bytes.
    Bytes(u64),
    /// What the function of that name gives.
    Ask(&'static str),
}

/// Names of the functions that run work-groups of a vectorised kernel, and of those that run them
/// work-item by work-item.
const ROWS: &str = "ur.rows";
const ITEMS: &str = "ur.items";
const ITEMS_FRAME_SIZE: &str = "ur.items.frame_size";

/// What is done with code that hardly ever runs.
const SELDOM: &str = "always-inline,globaldce,coro-early,\
    cgscc(function(sroa,simplifycfg),coro-split,function(simplifycfg)),coro-cleanup,globaldce";

/// The kernel work-item by work-item, under other names.
fn single_items<'c>(
    context: &'c Context,
    kernel: &Lowered,
    target: &Target,
    options: &Options,
) -> Result<Module<'c>> {
    let module = parsed(context, &kernel.text, options)?;
    {
        let builder = Builder::new(&module);
        for (from, to) in [(ENTRY, ITEMS), (FRAME_SIZE, ITEMS_FRAME_SIZE)] {
            if let Some(function) = builder.function(from) {
                function.rename(to);
            }
        }
    }
    module.run(target, SELDOM).map_err(Error::internal)?;
    Ok(module)
}

/// Adds these work-items to a vectorised kernel whose sub-groups do things together: its lanes are a
/// sub-group only if no row of a work-group ends within one.
fn add_items(module: &Module<'_>, items: Module<'_>, lanes: u32) -> Result<()> {
    if let Some(function) = Builder::new(module).function(ENTRY) {
        function.rename(ROWS);
    }
    module.link(items).map_err(Error::internal)?;
    let builder = Builder::new(module);
    let missing = || Error::internal("a function is missing");
    let rows = builder.function(ROWS).ok_or_else(missing)?;
    let single = builder.function(ITEMS).ok_or_else(missing)?;
    vector::choose_by_rows(&builder, ENTRY, rows, single, lanes).ok_or_else(missing)?;
    for function in [rows, single] {
        function.set_internal();
    }
    module.verify().map_err(Error::internal)
}

/// The kernel's module, vectorised where that can be done.
fn prepared<'c>(
    context: &'c Context,
    kernel: &Lowered,
    vector: Option<&Vectorisable>,
    target: &Target,
    options: &Options,
) -> Result<Prepared<'c>> {
    if let Some(vector) = vector {
        // Work-item by work-item where it is refused.
        if let Ok(made) = vectorise(context, vector, target, options)? {
            let Vectors {
                module,
                lanes,
                frame,
            } = made;
            let mut frames = Vec::new();
            frames.extend(frame.map(|bytes| (Size::Bytes(bytes), vector.record_bytes, lanes)));
            if vector.together {
                let items = single_items(context, kernel, target, options)?;
                add_items(&module, items, lanes)?;
                frames.push((Size::Ask(ITEMS_FRAME_SIZE), kernel.record_bytes, 1));
            }
            return Ok(Prepared { module, frames });
        }
    }
    Ok(Prepared {
        module: optimise(context, &kernel.text, target, options)?,
        frames: if kernel.sync {
            vec![(Size::Ask(FRAME_SIZE), kernel.record_bytes, 1)]
        } else {
            Vec::new()
        },
    })
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
    let prepared = prepared(&context, kernel, vector, &target, options)?;
    let object = target.object(&prepared.module).map_err(Error::internal)?;
    context.take_errors().map_err(Error::internal)?;
    let mut names = vec![ENTRY];
    names.extend(prepared.frames.iter().filter_map(|(size, ..)| match size {
        Size::Ask(name) => Some(*name),
        Size::Bytes(_) => None,
    }));
    let mut image = link::link(object.bytes(), &names).map_err(Error::internal)?;
    let (mut scratch_fixed, mut scratch_per_item, mut suspended) = (kernel.scratch_fixed, 0, 0);
    for (size, record_bytes, lanes) in prepared.frames {
        let size = match size {
            Size::Bytes(bytes) => bytes,
            Size::Ask(name) => frame_size(&image, name)?,
        };
        let size = size.next_multiple_of(kernel.frame_align);
        scratch_fixed = item::group::BYTES;
        scratch_per_item = scratch_per_item.max(record_bytes + size);
        suspended = suspended.max(size / u64::from(lanes));
    }
    image.exports.retain(|(name, _)| name == ENTRY);
    Ok(KernelRecord {
        args: kernel.args.clone(),
        args_size: kernel.args_size,
        sub_group_size: kernel.sub_group_size,
        local_size: kernel.local_size,
        scratch_fixed,
        scratch_per_item,
        private_size: kernel.private_size.max(suspended),
        provisional: false,
        image,
    })
}

/// Asks the code for the size of a suspended work-item, which LLVM alone knows.
fn frame_size(image: &CodeImage, name: &str) -> Result<u64> {
    // The function calls nothing, so what the kernel imports need not be there.
    let code = Loaded::new(image, |_| Some(0)).map_err(Error::internal)?;
    let at = code
        .find(name)
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
    Ok(prepared(&context, kernel, vector, &target, options)?
        .module
        .text())
}

/// The vectorised kernel's IR after optimisation, or why it is not vectorised.
///
/// # Errors
/// As [`compile`].
pub fn vectorised(vector: Option<&Vectorisable>, options: &Options) -> Result<String> {
    let Some(vector) = vector else {
        return Ok(
            "; not vectorised: it is not to be, or has large private variables\n".to_owned(),
        );
    };
    let context = Context::new();
    let target = options.target()?;
    Ok(match vectorise(&context, vector, &target, options)? {
        Ok(made) => made.module.text(),
        Err(refused) => format!("; not vectorised: {refused}\n"),
    })
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
    let prepared = prepared(&context, kernel, vector, &target, options)?;
    target.assembly(&prepared.module).map_err(Error::internal)
}
