//! Creating and releasing over and over: whatever is kept per cycle shows in the resident memory.

use crate::api::check;
use crate::world::World;
use anyhow::{Context, Result};
use std::ffi::c_void;
use ur_api::*;

/// Runs the cycles on each adapter; whether memory stayed flat.
///
/// # Errors
/// The first call that fails.
pub fn run(world: &World, cycles: u64, allow_kib: u64) -> Result<bool> {
    let mut flat = true;
    for (index, adapter) in world.adapters.iter().enumerate() {
        // The first tenth fills the allocators' own caches.
        for _ in 0..cycles / 10 {
            cycle(world, adapter.device)?;
        }
        let before = resident_kib()?;
        for _ in 0..cycles {
            cycle(world, adapter.device)?;
        }
        let after = resident_kib()?;
        let grown = after.saturating_sub(before);
        println!(
            "adapter {index}: {cycles} cycles, resident memory {before} KiB, then {after} KiB"
        );
        flat &= grown <= allow_kib;
    }
    let live = world.live_objects();
    if live > 0 {
        println!("{live} objects of the mock adapters were not destroyed");
    }
    println!("memory {}", if flat { "stays flat" } else { "grows" });
    Ok(flat && live == 0)
}

fn cycle(world: &World, device: ur_device_handle_t) -> Result<()> {
    let api = &world.api;
    let (mut context, mut queue) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (mut buffer, mut event) = (std::ptr::null_mut(), std::ptr::null_mut());
    let bytes = [1u8; 64];
    // SAFETY: each call gets live handles made just before, and room for what it returns.
    unsafe {
        let code = (api.urContextCreate)(1, &raw const device, std::ptr::null(), &raw mut context);
        check("urContextCreate", code)?;
        let code = (api.urQueueCreate)(context, device, std::ptr::null(), &raw mut queue);
        check("urQueueCreate", code)?;
        let mut of: *mut c_void = std::ptr::null_mut();
        let code = (api.urQueueGetInfo)(
            queue,
            UR_QUEUE_INFO_CONTEXT,
            size_of::<*mut c_void>(),
            (&raw mut of).cast(),
            std::ptr::null_mut(),
        );
        check("urQueueGetInfo", code)?;
        let flags = UR_MEM_FLAG_READ_WRITE.0;
        let code = (api.urMemBufferCreate)(context, flags, 64, std::ptr::null(), &raw mut buffer);
        check("urMemBufferCreate", code)?;
        let code = (api.urEnqueueMemBufferWrite)(
            queue,
            buffer,
            true,
            0,
            64,
            bytes.as_ptr().cast(),
            0,
            std::ptr::null(),
            &raw mut event,
        );
        check("urEnqueueMemBufferWrite", code)?;
        check("urEventRelease", (api.urEventRelease)(event))?;
        check("urMemRelease", (api.urMemRelease)(buffer))?;
        check("urQueueRelease", (api.urQueueRelease)(queue))?;
        check("urContextRelease", (api.urContextRelease)(context))?;
    }
    Ok(())
}

/// Resident memory of this process in KiB.
fn resident_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .context("no VmRSS in /proc/self/status")
}
