//! Contexts and queues of all adapters, made, asked and released by several threads: the few calls
//! that are enough to send a loader with a table of handles to the wrong adapter.
//!
//! Each thread keeps a number of slots. A cycle empties a random slot and fills it with a context
//! and a queue of a random adapter, and asks each which objects it was made from. The queue or the
//! context is given back first, by chance.

use crate::api::check;
use crate::reuse::Reuse;
use crate::rng::Rng;
use crate::world::World;
use anyhow::{Result, anyhow, bail};
use std::ffi::c_void;
use ur_api::*;

/// Contexts that a thread keeps.
const SLOTS: usize = 16;

/// What a run saw.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Cycles done.
    pub cycles: u64,
    /// Addresses that went from one adapter to another.
    pub across: u64,
}

/// Runs `cycles` on each of `threads` threads.
///
/// # Errors
/// The first call that fails or answers with another object.
pub fn run(world: &World, cycles: u64, threads: u64, seed: u64) -> Result<Outcome> {
    let reuse = Reuse::default();
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(thread));
                let reuse = &reuse;
                scope.spawn(move || work(world, reuse, rng, cycles))
            })
            .collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Result<()>>| {
            worker.join().unwrap_or_else(|_| Err(anyhow!("a panic")))
        };
        workers.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<()>>()?;
    Ok(Outcome {
        cycles: cycles * threads,
        across: reuse.across(),
    })
}

/// A context and a queue on it.
#[derive(Clone, Copy)]
struct Pair {
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
}

fn work(world: &World, reuse: &Reuse, mut rng: Rng, cycles: u64) -> Result<()> {
    let mut slots: [Option<Pair>; SLOTS] = [None; SLOTS];
    for _ in 0..cycles {
        let slot = rng.below(SLOTS);
        if let Some(pair) = slots[slot].take() {
            release(world, pair, rng.below(2) == 0)?;
        }
        let adapter = rng.below(world.adapters.len());
        slots[slot] = Some(make(world, reuse, adapter)?);
    }
    for pair in slots.into_iter().flatten() {
        release(world, pair, true)?;
    }
    Ok(())
}

fn make(world: &World, reuse: &Reuse, adapter: usize) -> Result<Pair> {
    let api = &world.api;
    let Some(device) = world.adapters.get(adapter).map(|a| a.device) else {
        bail!("no adapter {adapter}");
    };
    let (mut context, mut queue) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: each call gets live handles and room for what it returns.
    unsafe {
        let code = (api.urContextCreate)(1, &raw const device, std::ptr::null(), &raw mut context);
        check("urContextCreate", code)?;
        reuse.created(context as usize, adapter);
        let code = (api.urQueueCreate)(context, device, std::ptr::null(), &raw mut queue);
        check("urQueueCreate", code)?;
        reuse.created(queue as usize, adapter);
        let ask = |name, property, want: *mut c_void| {
            let mut of: *mut c_void = std::ptr::null_mut();
            let size = size_of::<*mut c_void>();
            let to = (&raw mut of).cast();
            check(
                name,
                (api.urQueueGetInfo)(queue, property, size, to, std::ptr::null_mut()),
            )?;
            if of == want {
                Ok(())
            } else {
                Err(anyhow!(
                    "{name} on adapter {adapter}: another object's answer"
                ))
            }
        };
        ask(
            "urQueueGetInfo(CONTEXT)",
            UR_QUEUE_INFO_CONTEXT,
            context.cast(),
        )?;
        ask(
            "urQueueGetInfo(DEVICE)",
            UR_QUEUE_INFO_DEVICE,
            device.cast(),
        )?;
        let mut of: ur_device_handle_t = std::ptr::null_mut();
        let code = (api.urContextGetInfo)(
            context,
            UR_CONTEXT_INFO_DEVICES,
            size_of::<ur_device_handle_t>(),
            (&raw mut of).cast(),
            std::ptr::null_mut(),
        );
        check("urContextGetInfo(DEVICES)", code)?;
        if of != device {
            bail!("urContextGetInfo(DEVICES) on adapter {adapter}: another device");
        }
    }
    Ok(Pair { context, queue })
}

fn release(world: &World, pair: Pair, queue_first: bool) -> Result<()> {
    let api = &world.api;
    // SAFETY: both are live and the references are ours; the queue keeps its context.
    unsafe {
        if queue_first {
            check("urQueueRelease", (api.urQueueRelease)(pair.queue))?;
            check("urContextRelease", (api.urContextRelease)(pair.context))
        } else {
            check("urContextRelease", (api.urContextRelease)(pair.context))?;
            check("urQueueRelease", (api.urQueueRelease)(pair.queue))
        }
    }
}
