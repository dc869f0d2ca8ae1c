//! Launches of kernels.

use crate::device::{LOCAL_MEMORY, MAX_COOPERATIVE};
use crate::kernel::Arg;
use crate::ze::ze_group_count_t;
use std::sync::Arc;
use ur_adapter_native_cpu::code::Compiled;
use ur_adapter_native_cpu::command::Work;
use ur_adapter_native_cpu::launch::Ready;
use ur_jit_abi::LOCAL_ALIGN;

/// How many work-groups there are.
#[derive(Clone, Copy, Debug)]
pub enum Groups {
    /// So many.
    Given([u32; 3]),
    /// As memory says when the launch begins.
    At(usize),
}

/// A launch of a kernel.
#[derive(Clone)]
pub struct Launch {
    /// The kernel's name.
    pub name: Arc<ur_spirv::Kernel>,
    /// Its code.
    pub code: Arc<Compiled>,
    /// Its arguments.
    pub args: Vec<Option<Arg>>,
    /// Work-items of a work-group.
    pub group: [u32; 3],
    /// Where ids begin.
    pub offset: [u32; 3],
    /// Work-groups.
    pub groups: Groups,
    /// Whether the work-groups may wait for each other.
    pub cooperative: bool,
    /// Where a number stands that its own must be below, or it does not run.
    pub below: Option<(usize, u32)>,
}

impl Launch {
    /// Addresses among the arguments.
    pub fn addresses(&self) -> Vec<usize> {
        let args = self.args.iter().flatten();
        args.filter_map(|arg| match arg {
            Arg::Pointer(address) if *address != 0 => Some(*address),
            _ => None,
        })
        .collect()
    }

    /// The first argument that is not set.
    pub fn missing(&self) -> Option<usize> {
        self.args.iter().position(Option::is_none)
    }

    fn counts(&self) -> Option<[u32; 3]> {
        if let Some((place, number)) = self.below {
            // SAFETY: there was memory when the launch was appended, and the command holds it.
            let count = unsafe { (place as *const u32).read_unaligned() };
            if number >= count {
                return None;
            }
        }
        Some(match self.groups {
            Groups::Given(groups) => groups,
            Groups::At(place) => {
                // SAFETY: as above.
                let groups = unsafe { (place as *const ze_group_count_t).read_unaligned() };
                [groups.groupCountX, groups.groupCountY, groups.groupCountZ]
            }
        })
    }

    /// Runs it.
    ///
    /// # Errors
    /// Why it cannot be run.
    pub fn run(&self) -> Result<(), String> {
        let Some(counts) = self.counts().filter(|counts| !counts.contains(&0)) else {
            return Ok(());
        };
        let code = self.code.best();
        let global = |axis: usize| u64::from(counts[axis]) * u64::from(self.group[axis]);
        // A launch does not say how many dimensions it has; drivers take those without which it would be
        // smaller.
        let work_dim = match (global(1), global(2)) {
            (1, 1) => 1,
            (_, 1) => 2,
            _ => 3,
        };
        let launch = ur_jit_abi::Launch {
            global_size: [global(0), global(1), global(2)],
            global_offset: self.offset.map(u64::from),
            local_size: self.group.map(u64::from),
            group_count: counts.map(u64::from),
            work_dim,
            local_bytes: 0,
        };
        let failed = |error: ur_adapter::Error| format!("{error:?}");
        let mut ready = Ready::none();
        ready.fill(code, launch).map_err(failed)?;
        let local = self.write_args(code, &mut ready)?;
        ready.complete(code, local).map_err(failed)?;
        let (work, groups) = ready.take_work(code.clone());
        match self.cooperative {
            true => together(&*work, groups),
            false => work.run_all(0..groups).map_err(|code| format!("{code:?}")),
        }
    }

    /// Writes the arguments, and gives the bytes of local memory of a work-group.
    fn write_args(&self, code: &Compiled, ready: &mut Ready) -> Result<u32, String> {
        let mut local = code.info().local_size as usize;
        for (number, (info, arg)) in code.args().iter().zip(&self.args).enumerate() {
            let place = info.offset as usize;
            let fits = match arg {
                None => return Err(format!("argument {number} is not set")),
                Some(Arg::Bytes(bytes)) => ready.args.write(place, bytes),
                Some(Arg::Pointer(address)) => ready.args.write(place, &address.to_ne_bytes()),
                Some(Arg::Local(size)) => {
                    let start = local.next_multiple_of(LOCAL_ALIGN);
                    local = start + size;
                    ready.args.write(place, &(start as u64).to_ne_bytes())
                }
                Some(Arg::Image(_, texels)) => {
                    let descriptor = std::ptr::from_ref(&texels.descriptor) as u64;
                    ready.args.write(place, &descriptor.to_ne_bytes())
                }
                Some(Arg::Sampler(bits)) => ready.args.write(place, &bits.0.to_ne_bytes()),
            };
            if !fits {
                return Err(format!("argument {number} has no room"));
            }
        }
        match local > LOCAL_MEMORY as usize {
            true => Err(format!("{local} bytes of local memory")),
            false => Ok(local as u32),
        }
    }
}

/// Runs all work-groups at the same time, each on a thread of its own.
fn together(work: &dyn Work, groups: u64) -> Result<(), String> {
    if groups > u64::from(MAX_COOPERATIVE) {
        return Err(format!("{groups} work-groups that may wait for each other"));
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..groups)
            .map(|group| scope.spawn(move || work.run(group)))
            .collect();
        let mut results = threads.into_iter().map(|thread| thread.join());
        match results.all(|result| matches!(result, Ok(Ok(())))) {
            true => Ok(()),
            false => Err("a work-group failed".to_owned()),
        }
    })
}
