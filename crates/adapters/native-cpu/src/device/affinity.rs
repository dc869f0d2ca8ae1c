//! CPUs that share something: NUMA nodes and caches, as the kernel lists them under `/sys`.

use crate::command::Work;
use crate::share::Pace;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use ur_api::*;

/// The affinity domains that a device can be partitioned by, from the widest down.
pub const DOMAINS: [ur_device_affinity_domain_flag_t; 5] = [
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA,
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L4_CACHE,
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L3_CACHE,
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L2_CACHE,
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L1_CACHE,
];

/// A set of CPUs by their numbers, in order.
pub type Cpus = Vec<usize>;

/// Which CPUs the process may use and how they are grouped.
#[derive(Debug)]
pub struct Topology {
    allowed: Cpus,
    /// Groups for each of [`DOMAINS`]; none where the machine has no such thing.
    groups: [Vec<Cpus>; 5],
}

/// Reads a list of numbers as the kernel writes it: `0-3,8,10-11`.
fn parse(list: &str) -> Cpus {
    let mut cpus = Vec::new();
    for part in list.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
            // No machine has more: a nonsensical range must not fill the memory.
            cpus.extend(first..=last.min(first.saturating_add(1 << 16)));
        }
    }
    cpus
}

/// The CPUs that the calling thread may use.
fn allowed() -> Cpus {
    // SAFETY: all-zero is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a valid place of the size given.
    if unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) } != 0 {
        return Vec::new();
    }
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: the number is below the set's size.
        .filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) })
        .collect()
}

impl Topology {
    /// That of this machine, as it was on the first call.
    pub fn get() -> &'static Topology {
        static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
        crate::fork::once(&TOPOLOGY, || {
            Topology::read(Path::new("/sys/devices/system"), allowed())
        })
    }

    /// Reads what the kernel tells in the folder `system`.
    fn read(system: &Path, allowed: Cpus) -> Topology {
        let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let mut groups: [Vec<Cpus>; 5] = Default::default();
        let mut add = |domain: usize, cpus: Cpus| {
            let cpus: Cpus = cpus
                .into_iter()
                .filter(|cpu| allowed.contains(cpu))
                .collect();
            if let Some(known) = groups.get_mut(domain)
                && !cpus.is_empty()
                && !known.contains(&cpus)
            {
                known.push(cpus);
            }
        };
        for node in parse(&text(&system.join("node/online"))) {
            let list = system.join(format!("node/node{node}/cpulist"));
            add(0, parse(&text(&list)));
        }
        for cpu in &allowed {
            for index in 0.. {
                let cache = system.join(format!("cpu/cpu{cpu}/cache/index{index}"));
                if !cache.is_dir() {
                    break;
                }
                let level: usize = text(&cache.join("level")).trim().parse().unwrap_or(0);
                // Level 4 is the first behind the NUMA nodes, level 1 the last.
                if (1..=4).contains(&level) {
                    add(5 - level, parse(&text(&cache.join("shared_cpu_list"))));
                }
            }
        }
        Topology { allowed, groups }
    }

    /// The CPUs that the process may use.
    pub fn allowed(&self) -> &[usize] {
        &self.allowed
    }

    /// The NUMA nodes with CPUs that the process may use.
    pub fn nodes(&self) -> &[Cpus] {
        let [nodes, ..] = &self.groups;
        nodes
    }

    /// The groups of a domain within `cpus`.
    fn within(&self, domain: usize, cpus: &[usize]) -> Vec<Cpus> {
        self.groups
            .get(domain)
            .into_iter()
            .flatten()
            .map(|group| -> Cpus {
                let inside = group.iter().copied();
                inside.filter(|cpu| cpus.contains(cpu)).collect()
            })
            .filter(|group| !group.is_empty())
            .collect()
    }

    /// The domains that split `cpus`, as flags.
    pub fn splitting(&self, cpus: &[usize]) -> u32 {
        let mut flags = 0;
        for (index, domain) in DOMAINS.iter().enumerate() {
            if self.within(index, cpus).len() > 1 {
                flags |= domain.0;
            }
        }
        if flags != 0 {
            flags |= UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0;
        }
        flags
    }

    /// `cpus` split by a domain, or by the widest one that splits them, and the domain that it was.
    /// None if they are not split by it.
    pub fn split(&self, wanted: u32, cpus: &[usize]) -> Option<(u32, Vec<Cpus>)> {
        let next = wanted == UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0;
        DOMAINS
            .iter()
            .enumerate()
            .filter(|(_, domain)| next || domain.0 == wanted)
            .map(|(index, domain)| (domain.0, self.within(index, cpus)))
            .find(|(_, groups)| groups.len() > 1)
    }
}

/// Work for a part of the device: on at most as many threads as it has compute units, and on its CPUs.
pub struct Pinned {
    work: Box<dyn Work>,
    threads: u32,
    cpus: Option<Arc<Cpus>>,
}

impl Pinned {
    /// Runs `work` on at most `threads` threads, on `cpus` if they are given.
    pub fn new(work: Box<dyn Work>, threads: u32, cpus: Option<Arc<Cpus>>) -> Pinned {
        Pinned {
            work,
            threads,
            cpus,
        }
    }
}

/// Gives a thread its CPUs back.
struct Restore(libc::cpu_set_t);

impl Drop for Restore {
    fn drop(&mut self) {
        // SAFETY: a set that the kernel gave, of the size given.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), &self.0) };
    }
}

/// Moves the calling thread onto `cpus` until the result is dropped. None if the kernel refuses,
/// because the process lost those CPUs meanwhile: the work is done all the same.
fn pin(cpus: &[usize]) -> Option<Restore> {
    // SAFETY: all-zero is an empty set.
    let (mut old, mut new): (libc::cpu_set_t, libc::cpu_set_t) =
        unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    let size = size_of_val(&old);
    // SAFETY: both are valid sets of the size given; the numbers came from such a set.
    unsafe {
        if libc::sched_getaffinity(0, size, &mut old) != 0 {
            return None;
        }
        for cpu in cpus {
            libc::CPU_SET(*cpu, &mut new);
        }
        (libc::sched_setaffinity(0, size, &new) == 0).then_some(Restore(old))
    }
}

/// Moves the calling thread onto `cpus` for good; says whether the kernel let it.
pub fn stay_on(cpus: &[usize]) -> bool {
    pin(cpus).map(std::mem::forget).is_some()
}

impl Work for Pinned {
    fn run(&self, piece: u64) -> Result<(), ur_result_t> {
        self.run_all(piece..piece + 1)
    }

    fn run_all(&self, pieces: Range<u64>) -> Result<(), ur_result_t> {
        let _there = self.cpus.as_ref().and_then(|cpus| pin(cpus));
        self.work.run_all(pieces)
    }

    fn pace(&self) -> Option<(&Pace, u64)> {
        self.work.pace()
    }

    fn proved(&self) {
        self.work.proved();
    }

    fn threads(&self) -> Option<u32> {
        Some(self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        assert_eq!(parse("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse("5"), [5]);
        assert!(parse("").is_empty());
        assert!(parse("x-y,,").is_empty());
        assert!(parse("0-18446744073709551615").len() < 100_000);
    }

    /// Two nodes of four CPUs; pairs share their second level cache.
    fn machine() -> Topology {
        let cpus: Cpus = (0..8).collect();
        let chunks = |size| cpus.chunks(size).map(<[usize]>::to_vec).collect::<Vec<_>>();
        Topology {
            groups: [chunks(4), vec![], chunks(4), chunks(2), chunks(1)],
            allowed: cpus,
        }
    }

    #[test]
    fn domains_that_split() {
        let machine = machine();
        let next = UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0;
        let numa = UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA.0;
        let l2 = UR_DEVICE_AFFINITY_DOMAIN_FLAG_L2_CACHE.0;
        let l4 = UR_DEVICE_AFFINITY_DOMAIN_FLAG_L4_CACHE.0;
        let all = machine.allowed();
        assert_eq!(machine.splitting(all), 0x1 | 0x4 | 0x8 | 0x10 | next);
        let (domain, parts) = machine.split(next, all).unwrap();
        assert_eq!((domain, parts.len()), (numa, 2));
        assert_eq!(parts[1], [4, 5, 6, 7]);
        // Inside of a node the next is the second level cache.
        assert_eq!(machine.split(next, &parts[1]).unwrap().0, l2);
        assert!(machine.split(numa, &parts[1]).is_none());
        assert!(machine.split(l4, all).is_none());
        assert_eq!(machine.splitting(&[3]), 0);
        assert!(machine.split(next, &[3]).is_none());
    }

    #[test]
    fn reads_what_the_kernel_writes() {
        let folder = std::env::temp_dir().join(format!("ur-topology-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("node/online", "0-1\n");
        write("node/node0/cpulist", "0-1\n");
        write("node/node1/cpulist", "2-3\n");
        for cpu in 0..4 {
            write(&format!("cpu/cpu{cpu}/cache/index0/level"), "1\n");
            write(
                &format!("cpu/cpu{cpu}/cache/index0/shared_cpu_list"),
                &format!("{cpu}\n"),
            );
            write(&format!("cpu/cpu{cpu}/cache/index1/level"), "3\n");
            write(
                &format!("cpu/cpu{cpu}/cache/index1/shared_cpu_list"),
                "0-3\n",
            );
        }
        // The process may not use CPU 3.
        let topology = Topology::read(&folder, vec![0, 1, 2]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(topology.groups[0], [vec![0, 1], vec![2]]);
        assert_eq!(topology.groups[2], [vec![0, 1, 2]]);
        assert_eq!(topology.groups[4], [[0], [1], [2]]);
    }

    struct Where(std::sync::Mutex<Vec<usize>>);
    impl Work for Arc<Where> {
        fn run(&self, _: u64) -> Result<(), ur_result_t> {
            *self.0.lock().unwrap() = allowed();
            Ok(())
        }
    }

    #[test]
    fn pinned_work_runs_there_and_the_thread_goes_back() {
        let before = allowed();
        let last = *before.last().unwrap();
        let seen = Arc::new(Where(Default::default()));
        let pinned = Pinned::new(Box::new(seen.clone()), 1, Some(Arc::new(vec![last])));
        assert_eq!(pinned.run(0), Ok(()));
        assert_eq!(*seen.0.lock().unwrap(), [last]);
        assert_eq!(allowed(), before);
    }
}
