//! Runs a case on the JIT and in the interpreter and compares all memory.

use crate::ast::{Kernel, Type};
use crate::emit;
use crate::r#gen::Case;
use crate::interp::{self, Stop};
use crate::jit::{Compiled, Jit};
use crate::launch::{self, Launch, Memory};
use std::alloc::Layout;
use ur_jit_abi::{ArgKind, LOCAL_ALIGN};

/// Statements that the interpreter carries out for a launch.
pub const STEPS: u64 = 20_000_000;
/// Bytes in front of and behind a block that nobody may touch.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xc9;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The JIT did what the interpreter says.
    Agrees,
    /// The kernel has no definite result, or runs too long.
    Senseless(String),
    /// The JIT does not compile it.
    Refused(String),
    /// Memory differs.
    Differs(String),
}

/// Compares the JIT with the interpreter.
pub fn check(jit: &Jit, case: &Case) -> Outcome {
    check_module(jit, &emit::module(&case.kernel), case)
}

/// As [`check`], with the module given: it need not be that of the case's kernel.
pub fn check_module(jit: &Jit, words: &[u32], case: &Case) -> Outcome {
    let compiled = match jit.compile(words, emit::NAME, &case.variant) {
        Ok(compiled) => compiled,
        Err(reason) => return Outcome::Refused(reason),
    };
    let width = compiled.info.sub_group_size;
    if case.variant.sub_group_size != 0 && width != case.variant.sub_group_size {
        return Outcome::Differs(format!("sub-groups of {width} work-items"));
    }
    for (number, launch) in case.launches.iter().enumerate() {
        let before = Memory::new(&case.kernel, launch);
        let mut expected = before.clone();
        match interp::run(&case.kernel, launch, &mut expected, width as usize, STEPS) {
            Ok(()) => {}
            Err(Stop::Invalid(rule)) => return Outcome::Senseless(rule.to_owned()),
            Err(Stop::TooLong) => return Outcome::Senseless("it takes too long".to_owned()),
        }
        let difference = match execute(&compiled, &case.kernel, launch, &before) {
            Ok(found) => difference(&case.kernel, &expected, &found),
            Err(text) => Some(text),
        };
        if let Some(text) = difference {
            return Outcome::Differs(format!("launch {number}: {text}"));
        }
    }
    Outcome::Agrees
}

/// Where the memory differs.
fn difference(kernel: &Kernel, expected: &Memory, found: &Memory) -> Option<String> {
    let words = [Type::I32, Type::I64];
    let mut blocks = vec![(
        "input".to_owned(),
        &expected.input,
        &found.input,
        Type::I64,
        1,
    )];
    for (at, ty) in words.into_iter().enumerate() {
        let name = format!("shared {ty}");
        blocks.push((name, &expected.shared[at], &found.shared[at], ty, 1));
    }
    for (at, array) in kernel.own.iter().enumerate() {
        let name = format!("own{at}");
        let blocks_of = (&expected.own[at], &found.own[at]);
        blocks.push((name, blocks_of.0, blocks_of.1, array.elem, array.len));
    }
    for (name, expected, found, ty, len) in blocks {
        let place = expected.iter().zip(found).position(|(a, b)| a != b);
        let Some(place) = place else { continue };
        let differing = expected.iter().zip(found).filter(|(a, b)| a != b).count();
        let index = place / ty.size();
        let show = |memory: &[u8]| {
            let lanes = launch::read(memory, index * ty.size(), ty);
            format!("{:x?}", &lanes[..ty.lanes as usize])
        };
        return Some(format!(
            "{name}[{}][{}]: {} expected, {} found ({differing} bytes differ)",
            index / len,
            index % len,
            show(expected),
            show(found)
        ));
    }
    None
}

/// Memory with an alignment, filled with a pattern, between guards.
struct Block {
    memory: *mut u8,
    layout: Layout,
    size: usize,
}

impl Block {
    fn new(size: usize) -> Block {
        let layout = Layout::from_size_align(size + 2 * GUARD, GUARD).expect("a small block");
        // SAFETY: the size is not zero; every byte of the new block is written.
        let memory = unsafe {
            let memory = std::alloc::alloc(layout);
            assert!(!memory.is_null(), "out of memory");
            memory.write_bytes(GUARD_BYTE, layout.size());
            memory
        };
        Block {
            memory,
            layout,
            size,
        }
    }

    fn with(content: &[u8]) -> Block {
        let mut block = Block::new(content.len());
        block.bytes().copy_from_slice(content);
        block
    }

    fn start(&self) -> *mut u8 {
        self.memory.wrapping_add(GUARD)
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: that many initialised bytes stand there, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.size) }
    }

    /// Whether nobody wrote outside.
    fn intact(&self) -> bool {
        // SAFETY: the whole block is initialised, and nothing runs on it now.
        let all = unsafe { std::slice::from_raw_parts(self.memory, self.layout.size()) };
        let (front, rest) = all.split_at(GUARD);
        let mut guards = front.iter().chain(&rest[self.size..]);
        guards.all(|byte| *byte == GUARD_BYTE)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.memory, self.layout) }
    }
}

/// An argument.
enum Arg {
    Pointer(*mut u8),
    Local(usize),
    Value(Vec<u8>),
}

/// Runs a launch on the JIT, from the memory `before`.
fn execute(
    compiled: &Compiled<'_>,
    kernel: &Kernel,
    launch: &Launch,
    before: &Memory,
) -> Result<Memory, String> {
    let mut blocks: Vec<Block> = Vec::new();
    for content in [&before.input, &before.shared[0], &before.shared[1]]
        .into_iter()
        .chain(&before.own)
    {
        blocks.push(Block::with(content));
    }
    let items: u64 = launch.local.iter().product();
    let mut args: Vec<Arg> = blocks
        .iter()
        .map(|block| Arg::Pointer(block.start()))
        .collect();
    for (scalar, argument) in &kernel.local {
        if *argument {
            args.push(Arg::Local(scalar.bytes() * items as usize));
        }
    }
    let members = kernel.members.len();
    if members > 0 {
        let (offsets, size, _) = kernel.member_offsets();
        let mut bytes = vec![0xee; size];
        for (at, ty) in kernel.members.iter().enumerate() {
            let value = lanes(&launch.values[at]);
            launch::write(&mut bytes, offsets[at], *ty, &value);
        }
        args.push(Arg::Value(bytes));
    }
    for (value, ty) in launch.values[members..]
        .iter()
        .zip(&kernel.functions[0].params)
    {
        let mut bytes = vec![0xdd; ty.size()];
        launch::write(&mut bytes, 0, *ty, &lanes(value));
        args.push(Arg::Value(bytes));
    }
    let local = run(compiled, launch, &args)?;
    blocks.push(local);
    if !blocks.iter().all(Block::intact) {
        return Err("something wrote outside of its memory".to_owned());
    }
    let mut contents = blocks.iter_mut().map(|block| block.bytes().to_vec());
    let mut next = || contents.next().unwrap_or_default();
    Ok(Memory {
        input: next(),
        shared: [next(), next()],
        own: kernel.own.iter().map(|_| next()).collect(),
    })
}

fn lanes(value: &[u64]) -> [u64; 16] {
    let mut lanes = [0; 16];
    lanes[..value.len()].copy_from_slice(value);
    lanes
}

/// Calls the code; gives the local block back.
fn run(compiled: &Compiled<'_>, launch: &Launch, args: &[Arg]) -> Result<Block, String> {
    let info = &compiled.info;
    let places = compiled.args();
    if places.len() != args.len() {
        return Err(format!(
            "{} arguments instead of {}",
            places.len(),
            args.len()
        ));
    }
    let mut block = Block::new(info.args_size as usize);
    let mut local_bytes = info.local_size as usize;
    for (number, (place, arg)) in places.iter().zip(args).enumerate() {
        let (kind, bytes) = match arg {
            Arg::Pointer(pointer) => {
                let address = *pointer as usize;
                (ArgKind::Pointer, address.to_le_bytes().to_vec())
            }
            Arg::Local(size) => {
                local_bytes = local_bytes.next_multiple_of(LOCAL_ALIGN);
                let at = local_bytes;
                local_bytes += size;
                (ArgKind::Local, at.to_le_bytes().to_vec())
            }
            Arg::Value(bytes) => (ArgKind::Value, bytes.clone()),
        };
        let at = place.offset as usize;
        if place.kind != kind || place.size as usize != bytes.len() {
            return Err(format!("argument {number} is {place:?}"));
        }
        block.bytes()[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    let items: u64 = launch.local.iter().product();
    let scratch = info.scratch_fixed + info.scratch_per_item * items;
    let local = Block::new(local_bytes);
    let scratch = Block::new(scratch as usize);
    let described = ur_jit_abi::Launch {
        global_size: launch.global,
        global_offset: launch.offset,
        local_size: launch.local,
        group_count: launch.group_counts(),
        work_dim: launch.dims,
        local_bytes: local_bytes as u32,
    };
    for (first, last) in &launch.ranges {
        // SAFETY: the blocks are as large and aligned as the interface says; the arguments are
        // those of the kernel, whose accesses stay within them.
        unsafe {
            (info.entry)(
                &described,
                block.start(),
                *first,
                *last,
                local.start(),
                scratch.start(),
            );
        }
    }
    if !scratch.intact() || !block.intact() {
        return Err("something wrote outside of its memory".to_owned());
    }
    Ok(local)
}
