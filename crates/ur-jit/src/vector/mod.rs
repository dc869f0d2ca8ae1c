//! Vectorisation of whole kernels: a sub-group's work-items become the lanes of vectors.
//!
//! What comes in is the function of one work-item after LLVM's clean-up, what goes out a function
//! that runs as many neighbouring work-items as there are lanes. [`cfg`] reads it, [`shape`] finds
//! what is the same for all lanes, [`emit`] writes the blocks one after another, with masks where
//! lanes part.

mod calls;
mod cfg;
mod compare;
mod divide;
mod emit;
mod half;
mod lanes;
pub mod math;
mod memory;
pub mod phases;
mod shape;
mod sync;

pub use sync::Points;

use crate::item::{FIELDS, group, item};
use crate::llvm::Module;
use crate::llvm::edit::{Builder, IntPredicate, Opcode, Value};

/// Why a kernel is not vectorised; it runs work-item by work-item then.
#[derive(Debug)]
pub struct Refused {
    reason: String,
}

impl Refused {
    fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// What came of vectorising a kernel.
pub struct Vectorised {
    /// The number of lanes.
    pub lanes: u32,
    /// Functions that are called and not yet there.
    pub functions: Vec<math::Definition>,
}

/// Defines the function `to`, of type `void (ptr item, ptr group, ptr arguments, i32 count)`:
/// it does what the function `from` does for `count` work-items, at most as many as there are lanes
/// and at least one. Their ids in dimension 0 follow each other, the record has those of the first
/// one. If there are several, ids are below 2^31. There are `lanes` lanes, or as many as suit the kernel
/// and registers of that size.
///
/// # Errors
/// If the kernel does something that is not known here. The module is as before then.
pub fn vectorise(
    module: &Module<'_>,
    from: &str,
    to: &str,
    lanes: Option<u32>,
    register_bytes: u32,
    points: &Points<'_>,
    features: math::Features,
) -> Result<Vectorised, Refused> {
    let builder = Builder::new(module);
    let missing = || Refused::new("no such function");
    let source = builder.function(from).ok_or_else(missing)?;
    let (pointer, word) = (builder.ptr_type(), builder.int_type(32));
    let ty = builder.function_type(builder.void_type(), &[pointer, pointer, pointer, word]);
    let target = builder.declare(to, ty).ok_or_else(missing)?;
    let function = cfg::Function::read(source)?;
    check(&function)?;
    let shapes = shape::find(&function, &builder, points);
    check_vectors(&function, &shapes)?;
    let lanes = suitable(
        &function,
        &shapes,
        &builder,
        lanes,
        register_bytes,
        points.least,
    )?;
    let functions = emit::emit(
        &function, &shapes, &builder, target, lanes, points, features,
    )?;
    Ok(Vectorised { lanes, functions })
}

/// Makes of the vectorised function `from`, which waits, the declared function `to` that runs phases
/// of a work-group, see [`phases::split`]. Gives the bytes of a sub-group's frame.
///
/// # Errors
/// If there is too much to do between waits.
pub fn split(
    module: &Module<'_>,
    from: &str,
    to: &str,
    record_bytes: u64,
    align: u64,
) -> Result<u64, Refused> {
    let builder = Builder::new(module);
    let missing = || Refused::new("no such function");
    let source = builder.function(from).ok_or_else(missing)?;
    let target = builder.function(to).ok_or_else(missing)?;
    let phases::Split { frame, fields } =
        phases::split(&builder, source, target, record_bytes, align)?;
    if let Some(variable) = builder.variable(FIELDS) {
        variable.set_constant(builder.int_type(32).int(i64::from(fields)));
    }
    target.set_noinline();
    target.set_nounwind();
    for param in 0..3 {
        target.set_alone(param);
    }
    for param in 1..3 {
        target.set_read_only(param);
    }
    for function in [source, target] {
        function.set_internal();
    }
    Ok(frame)
}

/// Defines `name`, which runs work-groups with `rows` where every row of every work-group holds whole
/// sub-groups of `lanes`, or there is only one row, and no id reaches 2^31, and else with `single`.
pub fn choose_by_rows<'m>(
    b: &Builder<'m>,
    name: &str,
    rows: Value<'m>,
    single: Value<'m>,
    lanes: u32,
) -> Option<()> {
    use crate::item::launch;
    let (pointer, wide) = (b.ptr_type(), b.int_type(64));
    let params = [pointer, pointer, wide, wide, pointer, pointer];
    let target = b.declare(name, b.function_type(b.void_type(), &params))?;
    let args = target.params();
    let [entry, by_rows, by_items] = ["entry", "rows", "items"].map(|n| b.block(target, n));
    b.at_end(entry);
    let field = |offset: i64| b.load(wide, b.ptr_add(args[0], wide.int(offset)), 8);
    let [x, y, z] = [0, 8, 16].map(|dim| field(launch::LOCAL_SIZE + dim));
    let plane = b.binary(Opcode::LLVMMul, y, z);
    let one = b.icmp(IntPredicate::LLVMIntEQ, plane, wide.int(1));
    let all = b.binary(Opcode::LLVMOr, x, field(launch::GLOBAL_SIZE));
    let rest = b.binary(Opcode::LLVMAnd, all, wide.int(i64::from(lanes) - 1));
    let whole = b.icmp(IntPredicate::LLVMIntEQ, rest, wide.zero());
    let mut fits = b.binary(Opcode::LLVMOr, one, whole);
    // With ids of 2^31 and more lanes would not be neighbours.
    for at in [launch::GLOBAL_SIZE, launch::GLOBAL_OFFSET] {
        for dim in [0, 8, 16] {
            let low = b.icmp(
                IntPredicate::LLVMIntULE,
                field(at + dim),
                wide.int(launch::SMALL),
            );
            fits = b.binary(Opcode::LLVMAnd, fits, low);
        }
    }
    b.cond_br(fits, by_rows, by_items);
    for (block, function) in [(by_rows, rows), (by_items, single)] {
        b.at_end(block);
        b.call_function(function, &args);
        b.ret_void();
    }
    Some(())
}

/// Bytes of the widest values that differ between lanes, from 1 to 8.
fn widest(function: &cfg::Function<'_>, shapes: &shape::Shapes, builder: &Builder<'_>) -> u32 {
    let widest = function
        .insts
        .iter()
        .zip(&shapes.values)
        .filter(|(inst, shape)| **shape == shape::Shape::Varying && inst.ty.is_scalar())
        .map(|(inst, _)| builder.store_size(inst.ty))
        .max()
        .unwrap_or(4);
    u32::try_from(widest)
        .unwrap_or(8)
        .clamp(1, 8)
        .next_power_of_two()
}

/// The number of lanes: the one that is asked for, or as many as suit the kernel.
///
/// # Errors
/// If there would be too much code, or no vectors.
fn suitable(
    function: &cfg::Function<'_>,
    shapes: &shape::Shapes,
    builder: &Builder<'_>,
    asked: Option<u32>,
    register_bytes: u32,
    least: u32,
) -> Result<u32, Refused> {
    /// Operations on registers that a block may have: to bring them into an order takes LLVM a time
    /// that grows with the square of their number.
    const MOST_IN_A_BLOCK: usize = 1500;
    let longest = function.blocks.iter().map(|block| block.insts.len()).max();
    let bytes = widest(function, shapes, builder);
    let is_too_much = |lanes: u32| {
        let registers = (lanes * bytes).div_ceil(register_bytes) as usize;
        longest.unwrap_or(0) * registers > MOST_IN_A_BLOCK
    };
    let in_memory = |inst: &cfg::Inst<'_>| inst.op == Opcode::LLVMAlloca;
    if asked.is_none() && function.insts.iter().any(in_memory) {
        // Each lane's has its own place, so that every access is made lane by lane: several times as slow
        // as scalar code.
        return Err(Refused::new("private variables in memory"));
    }
    let lanes = asked.unwrap_or_else(|| {
        let mut lanes = width(function, shapes, builder, register_bytes);
        while lanes > 4 && is_too_much(lanes) {
            lanes /= 2;
        }
        lanes.max(least)
    });
    if lanes < 2 {
        return Err(Refused::new("sub-groups of one work-item"));
    }
    if is_too_much(lanes) {
        return Err(Refused::new("a block that is too long"));
    }
    Ok(lanes)
}

/// How many lanes suit a kernel: as many as make the widest of its varying values fill a few
/// registers, so that one operation need not wait for the one before.
fn width(
    function: &cfg::Function<'_>,
    shapes: &shape::Shapes,
    builder: &Builder<'_>,
    register_bytes: u32,
) -> u32 {
    const REGISTERS: u32 = 4;
    const SHORT_ROW: u32 = 16;
    const LOCAL_Y: i64 = item::LOCAL_ID + 8;
    const LOCAL_Z: i64 = item::LOCAL_ID + 16;
    const FIRST_Y: i64 = group::FIRST + 8;
    const FIRST_Z: i64 = group::FIRST + 16;
    let widest = widest(function, shapes, builder);
    // Rows of work-groups with several dimensions are short.
    let rows = (0..function.insts.len()).any(|id| {
        matches!(
            shape::field(function, id),
            Some(shape::Field::Item(LOCAL_Y | LOCAL_Z) | shape::Field::Group(FIRST_Y | FIRST_Z))
        )
    });
    let most = if rows { SHORT_ROW } else { 64 };
    let registers = if is_chain(function, shapes) {
        2 * REGISTERS
    } else {
        REGISTERS
    };
    (registers * register_bytes / widest).clamp(4, most)
}

/// Whether a kernel waits for its own floating-point results, round after round of its loops, and does
/// little else there. Only more lanes keep a processor busy then: one has two units for such
/// operations, which take four cycles.
fn is_chain(function: &cfg::Function<'_>, shapes: &shape::Shapes) -> bool {
    const LITTLE: usize = 4;
    let mut found = false;
    for region in 1..function.regions.len() {
        let varying: Vec<&cfg::Inst<'_>> = function
            .insts
            .iter()
            .zip(&shapes.values)
            .filter(|(inst, shape)| {
                **shape == shape::Shape::Varying
                    && function.is_within(function.blocks[inst.block].region, region)
            })
            .map(|(inst, _)| inst)
            .collect();
        let phis = varying.iter().filter(|i| i.op == Opcode::LLVMPHI);
        if shapes.divergent[region] || varying.len() > LITTLE || phis.clone().count() > 1 {
            return false;
        }
        found |= phis.into_iter().any(|phi| phi.ty.is_float());
    }
    found
}

/// Refuses what [`emit`] cannot write.
fn check(function: &cfg::Function<'_>) -> Result<(), Refused> {
    for inst in &function.insts {
        let known = matches!(
            inst.op,
            Opcode::LLVMAdd
                | Opcode::LLVMFAdd
                | Opcode::LLVMSub
                | Opcode::LLVMFSub
                | Opcode::LLVMMul
                | Opcode::LLVMFMul
                | Opcode::LLVMUDiv
                | Opcode::LLVMSDiv
                | Opcode::LLVMFDiv
                | Opcode::LLVMURem
                | Opcode::LLVMSRem
                | Opcode::LLVMFRem
                | Opcode::LLVMShl
                | Opcode::LLVMLShr
                | Opcode::LLVMAShr
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMAlloca
                | Opcode::LLVMLoad
                | Opcode::LLVMStore
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMTrunc
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMFPToUI
                | Opcode::LLVMFPToSI
                | Opcode::LLVMUIToFP
                | Opcode::LLVMSIToFP
                | Opcode::LLVMFPTrunc
                | Opcode::LLVMFPExt
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMICmp
                | Opcode::LLVMFCmp
                | Opcode::LLVMPHI
                | Opcode::LLVMCall
                | Opcode::LLVMSelect
                | Opcode::LLVMExtractValue
                | Opcode::LLVMFence
                | Opcode::LLVMAtomicCmpXchg
                | Opcode::LLVMAtomicRMW
                | Opcode::LLVMFNeg
                | Opcode::LLVMFreeze
                | Opcode::LLVMBr
                | Opcode::LLVMRet
                | Opcode::LLVMUnreachable
                | Opcode::LLVMExtractElement
                | Opcode::LLVMInsertElement
                | Opcode::LLVMShuffleVector
        );
        if !known {
            return Err(Refused::new(format!("{:?}", inst.op)));
        }
        for (at, operand) in inst.operands.iter().enumerate() {
            // The work-item's record is read in known places only.
            if matches!(operand, cfg::Operand::Param(0)) {
                let address =
                    at == 0 && matches!(inst.op, Opcode::LLVMLoad | Opcode::LLVMGetElementPtr);
                if !address || !is_record_access(function, inst) {
                    return Err(Refused::new("another use of the work-item's record"));
                }
            }
        }
    }
    Ok(())
}

/// Refuses vectors and the like that differ between lanes.
fn check_vectors(function: &cfg::Function<'_>, shapes: &shape::Shapes) -> Result<(), Refused> {
    use crate::llvm::edit::Kind;
    for (inst, shape) in function.insts.iter().zip(&shapes.values) {
        let simple = inst.ty.is_scalar()
            || inst.ty.is_void()
            || (inst.ty.kind() == Kind::LLVMStructTypeKind
                && inst.ty.members().iter().all(|m| m.is_scalar()));
        if !simple && *shape != shape::Shape::UNIFORM {
            return Err(Refused::new(format!(
                "a value of kind {:?}",
                inst.ty.kind()
            )));
        }
        if *shape != shape::Shape::UNIFORM && inst.op != Opcode::LLVMCall {
            let composite = |operand: &cfg::Operand<'_>| match operand {
                cfg::Operand::Constant(value) => !value.ty().is_scalar(),
                cfg::Operand::Inst(id) => {
                    !function.insts[*id].ty.is_scalar() && inst.op != Opcode::LLVMExtractValue
                }
                cfg::Operand::Param(_) => false,
            };
            if inst.operands.iter().any(composite) {
                return Err(Refused::new("an operand that is no scalar"));
            }
        }
    }
    Ok(())
}

/// Whether an instruction only leads to loads of single fields of the work-item's record.
fn is_record_access(function: &cfg::Function<'_>, inst: &cfg::Inst<'_>) -> bool {
    match inst.op {
        Opcode::LLVMLoad => {
            let Some((_, offset)) = shape::record_address(function, inst.operands[0]) else {
                return false;
            };
            let bits = if inst.ty.is_int() { inst.ty.bits() } else { 0 };
            match offset {
                item::LOCAL_ID..=item::LINEAR => bits == 64,
                item::LANE | item::SUB_GROUP | item::SUB_GROUP_SIZE => bits == 32,
                _ => false,
            }
        }
        Opcode::LLVMGetElementPtr => inst.users.iter().all(|user| {
            let user = &function.insts[*user];
            shape::record_address(function, user.operands[0]).is_some()
                && is_record_access(function, user)
        }),
        _ => false,
    }
}
