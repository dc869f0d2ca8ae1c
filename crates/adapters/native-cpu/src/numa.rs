//! NUMA nodes: how many this process uses, and which one a thread is on.

use crate::device::affinity::Topology;
use crate::fork;
use std::cell::Cell;
use std::sync::OnceLock;

/// Which node each CPU is on, by its number.
struct Nodes {
    count: u64,
    of_cpu: Vec<usize>,
}

fn get() -> &'static Nodes {
    static NODES: OnceLock<Nodes> = OnceLock::new();
    fork::once(&NODES, || Nodes::of(Topology::get().nodes()))
}

impl Nodes {
    fn of(nodes: &[Vec<usize>]) -> Nodes {
        let last = nodes.iter().flatten().max();
        let mut of_cpu = vec![0; last.map_or(0, |last| last + 1)];
        for (number, cpus) in nodes.iter().enumerate() {
            for cpu in cpus {
                if let Some(node) = of_cpu.get_mut(*cpu) {
                    *node = number;
                }
            }
        }
        Nodes {
            count: nodes.len().max(1) as u64,
            of_cpu,
        }
    }
}

/// Number of nodes with CPUs that this process may use, at least 1.
pub fn nodes() -> u64 {
    get().count
}

thread_local! {
    /// The node that a worker was put on.
    static HOME: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The node that the calling thread is on, counted from 0.
pub fn here() -> usize {
    if let Some(home) = HOME.get() {
        return home;
    }
    // SAFETY: asks for a number.
    let cpu = unsafe { libc::sched_getcpu() };
    let node = usize::try_from(cpu)
        .ok()
        .and_then(|cpu| get().of_cpu.get(cpu));
    node.copied().unwrap_or(0)
}

/// Puts the calling thread, worker `number`, on a node, if there are several: they are filled in turn.
pub fn settle(number: usize) {
    let nodes = Topology::get().nodes();
    if nodes.len() < 2 {
        return;
    }
    let node = number % nodes.len();
    if let Some(cpus) = nodes.get(node)
        && crate::device::affinity::stay_on(cpus)
    {
        HOME.set(Some(node));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_know_their_nodes() {
        let nodes = Nodes::of(&[vec![0, 2], vec![1, 5]]);
        assert_eq!((nodes.count, nodes.of_cpu), (2, vec![0, 1, 0, 0, 0, 1]));
        let none = Nodes::of(&[]);
        assert_eq!((none.count, none.of_cpu.len()), (1, 0));
    }

    #[test]
    fn every_thread_is_on_a_node() {
        assert!((here() as u64) < nodes());
    }
}
