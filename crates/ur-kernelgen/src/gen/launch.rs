//! Random launches.

use super::bits;
use crate::ast::{Kernel, MAX_GROUP};
use crate::launch::Launch;
use crate::rng::Rng;

/// Work-items of the largest launch that writes for each of them.
const ITEMS: u64 = 700;
const PRIMES: [u64; 14] = [2, 3, 5, 7, 13, 17, 31, 61, 97, 127, 131, 199, 251, 257];

/// Launches of a kernel, a small one first.
pub fn launches(rng: &mut Rng, kernel: &Kernel, huge: bool) -> Vec<Launch> {
    (0..3)
        .map(|number| {
            let most = if number == 0 { 16 } else { MAX_GROUP as u64 };
            launch(rng, kernel, huge, most)
        })
        .collect()
}

fn launch(rng: &mut Rng, kernel: &Kernel, huge: bool, most: u64) -> Launch {
    let dims = rng.between(1, 3) as u32;
    let local = local_size(rng, dims as usize, most);
    let mut offset = [0; 3];
    let mut global = if huge {
        huge_size(rng, dims as usize)
    } else {
        small_size(rng, dims as usize, local)
    };
    for dim in 0..dims as usize {
        if rng.chance(30) {
            offset[dim] = rng.below(1000) as u64;
        }
        if rng.chance(2) {
            global[dim] = 0;
        }
    }
    let types = kernel.members.iter().chain(&kernel.functions[0].params);
    let values = types
        .map(|ty| (0..ty.lanes).map(|_| bits(rng, ty.scalar)).collect())
        .collect();
    let mut launch = Launch {
        dims,
        global,
        offset,
        local,
        ranges: Vec::new(),
        values,
        seed: rng.bits(),
    };
    let groups: u64 = launch.group_counts().iter().product();
    launch.ranges = if huge && groups > 4 {
        let middle = rng.bits() % (groups - 2);
        vec![(0, 1), (middle, middle + 1), (groups - 2, groups)]
    } else if groups > 1 && rng.chance(50) {
        let cut = rng.below(groups as usize + 1) as u64;
        vec![(cut, groups), (0, cut)]
    } else {
        vec![(0, groups)]
    };
    launch
}

fn local_size(rng: &mut Rng, dims: usize, most: u64) -> [u64; 3] {
    let number = |rng: &mut Rng, most: u64| {
        let value = match rng.below(4) {
            0 => rng.pick(&PRIMES),
            1 => 1 << rng.below(9),
            2 => rng.pick(&[1, 2, 3, 4, 8, 16, 64, 256]),
            _ => rng.between(1, MAX_GROUP) as u64,
        };
        value.min(most)
    };
    let mut local = [1; 3];
    let mut left = most;
    let first = rng.below(dims);
    for step in 0..dims {
        let dim = (first + step) % dims;
        let limit = if step + 1 == dims {
            left
        } else {
            rng.between(1, left as usize) as u64
        };
        local[dim] = number(rng, limit.max(1));
        left /= local[dim];
    }
    local
}

fn small_size(rng: &mut Rng, dims: usize, local: [u64; 3]) -> [u64; 3] {
    let mut global = [1; 3];
    let mut left = ITEMS;
    for dim in 0..dims {
        let value = match rng.below(8) {
            0 => rng.pick(&PRIMES),
            1 => 1,
            2..5 => local[dim] * rng.between(1, 3) as u64,
            _ => rng.between(1, 3 * local[dim] as usize) as u64,
        };
        global[dim] = value.min(left).max(1);
        left /= global[dim];
    }
    global
}

fn huge_size(rng: &mut Rng, dims: usize) -> [u64; 3] {
    let around = |rng: &mut Rng| rng.pick(&[(1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) + 5]);
    let mut global = [1; 3];
    match dims {
        1 => global[0] = around(rng),
        2 => {
            global[0] = rng.pick(&[1, 3, 65_537]);
            global[1] = around(rng);
        }
        _ => {
            global = [65_537, 32_771, 3];
            let at = rng.below(3);
            global[at] = rng.pick(&[1, 2, 1 << 20]);
        }
    }
    global
}
