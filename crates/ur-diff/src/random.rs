//! Random kernels, with the interpreter's word on what they do.

use crate::job::{Arg, Bytes, Code, Job, Launch, Ran};
use ur_kernelgen::check::STEPS;
use ur_kernelgen::emit;
use ur_kernelgen::r#gen::{self as kernels, Case, Size};
use ur_kernelgen::interp::{self, Stop};
use ur_kernelgen::launch::{self, Memory};
use ur_kernelgen::ops;

/// The newest minor version of SPIR-V that all drivers with a compiler for it take.
const MINOR: u8 = 4;

/// Work-items of the largest launch that is compared: every device runs all of them.
const ITEMS: u64 = 4096;

/// The case of a seed, as far as every device can run it: no launch that is too large to run whole, none that is
/// empty, and all work-groups of one size.
pub fn case(seed: u64) -> Option<Case> {
    let size = Size {
        statements: 8,
        depth: 3,
        ..Size::default()
    };
    let mut case = kernels::case(seed, size);
    case.kernel.minor = case.kernel.minor.min(MINOR);
    for launch in &mut case.launches {
        for (global, local) in launch.global.iter_mut().zip(launch.local) {
            *global = global.div_ceil(local) * local;
        }
        launch.ranges = vec![(0, launch.group_counts().iter().product())];
    }
    case.launches
        .retain(|launch| (1..=ITEMS).contains(&launch.items()));
    (!case.launches.is_empty()).then_some(case)
}

/// What devices are to do.
pub fn job(case: &Case) -> Job {
    let words = emit::portable_module(&case.kernel);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Job {
        code: Code::Il(Bytes(bytes)),
        options: String::new(),
        kernel: emit::NAME.to_owned(),
        launches: case
            .launches
            .iter()
            .map(|launch| self::launch(case, launch))
            .collect(),
    }
}

fn launch(case: &Case, launch: &ur_kernelgen::launch::Launch) -> Launch {
    let kernel = &case.kernel;
    let memory = Memory::new(kernel, launch);
    let buffer = |bytes: &Vec<u8>| Arg::Buffer(Bytes(bytes.clone()));
    let mut args = vec![
        buffer(&memory.input),
        buffer(&memory.shared[0]),
        buffer(&memory.shared[1]),
    ];
    args.extend(memory.own.iter().map(buffer));
    let items: u64 = launch.local.iter().product();
    for (scalar, argument) in &kernel.local {
        if *argument {
            args.push(Arg::Local(scalar.bytes() * items as usize));
        }
    }
    let members = kernel.members.len();
    let mut lanes = launch.values.iter().map(|value| {
        let mut lanes = [0; 16];
        lanes[..value.len()].copy_from_slice(value);
        lanes
    });
    if members > 0 {
        let (offsets, size, _) = kernel.member_offsets();
        let mut bytes = vec![0xee; size];
        for ((offset, ty), value) in offsets.iter().zip(&kernel.members).zip(&mut lanes) {
            launch::write(&mut bytes, *offset, *ty, &value);
        }
        args.push(Arg::Value(Bytes(bytes)));
    }
    for (value, ty) in lanes.zip(&kernel.functions[0].params) {
        let mut bytes = vec![0xdd; ty.size()];
        launch::write(&mut bytes, 0, *ty, &value);
        args.push(Arg::Value(Bytes(bytes)));
    }
    Launch {
        dims: launch.dims,
        global: launch.global.map(|n| n as usize),
        offset: launch.offset.map(|n| n as usize),
        local: launch.local.map(|n| n as usize),
        args,
    }
}

/// How a launch compares with the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As the interpreter says.
    Right,
    /// Not so, and where.
    Wrong(String),
    /// The result depends on which work-items form a sub-group, and the device does not form them
    /// as the interpreter does.
    OwnSubGroups,
    /// Something was computed whose result SPIR-V leaves open, and the device's is another than ours.
    Open,
    /// The kernel has no definite result, or takes too long to interpret.
    Senseless,
}

/// What the interpreter makes of launch `number`, with sub-groups of `width`, and whether something
/// was computed whose result SPIR-V leaves open.
fn expected(case: &Case, number: usize, width: u32) -> Option<(Vec<Vec<u8>>, bool)> {
    let launch = &case.launches[number];
    let mut memory = Memory::new(&case.kernel, launch);
    ops::took_liberties();
    match interp::run(
        &case.kernel,
        launch,
        &mut memory,
        width.max(1) as usize,
        STEPS,
    ) {
        Ok(()) => {}
        Err(Stop::Invalid(_) | Stop::TooLong) => return None,
    }
    let [cells, wide] = memory.shared;
    let mut buffers = vec![memory.input, cells, wide];
    buffers.extend(memory.own);
    Some((buffers, ops::took_liberties()))
}

/// Judges what a device left of launch `number`. `ours` says whether it promises what the interpreter
/// does where SPIR-V leaves things open, and forms sub-groups in the order of linear local ids.
pub fn judge(case: &Case, number: usize, ran: &Ran, ours: bool) -> Verdict {
    let Some((wanted, open)) = expected(case, number, ran.width) else {
        return Verdict::Senseless;
    };
    let Some(text) = difference(&wanted, &ran.buffers) else {
        return Verdict::Right;
    };
    let depends = || {
        let others = [1, 3, 8, 64].map(|width| expected(case, number, width));
        let same = |other: &Option<(Vec<Vec<u8>>, bool)>| {
            other.as_ref().is_some_and(|(other, _)| *other == wanted)
        };
        !others.iter().all(same)
    };
    if !ours && open {
        return Verdict::Open;
    }
    if !ours && depends() {
        return Verdict::OwnSubGroups;
    }
    Verdict::Wrong(format!("launch {number}: {text}"))
}

fn difference(wanted: &[Vec<u8>], found: &[Bytes]) -> Option<String> {
    for (number, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        let place = wanted.iter().zip(&found.0).position(|(a, b)| a != b);
        if let Some(place) = place {
            let differing = wanted.iter().zip(&found.0).filter(|(a, b)| a != b).count();
            return Some(format!(
                "buffer {number}, byte {place}: {:02x} expected, {:02x} found ({differing} bytes \
                 differ)",
                wanted[place], found.0[place]
            ));
        }
    }
    None
}
