//! Time.

use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds of a tick of the devices' clock.
pub const TICK: u64 = 80;
/// Bits of the devices' clock.
pub const BITS: u32 = 36;
/// Bits of the times of commands.
pub const KERNEL_BITS: u32 = 32;

/// The host's time in nanoseconds.
pub fn host() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What is added to the host's time, in ticks.
static OFFSET: AtomicU64 = AtomicU64::new(0);

/// Ticks at a time of the host, with all bits.
pub fn ticks_at(host: u64) -> u64 {
    (host / TICK).wrapping_add(OFFSET.load(Ordering::Relaxed))
}

/// Sets the devices' clock, in ticks.
pub fn set(ticks: u64) {
    let now = host() / TICK;
    OFFSET.store(ticks.wrapping_sub(now), Ordering::Relaxed);
}

/// The devices' time at a time of the host, in ticks.
pub fn device_at(host: u64) -> u64 {
    ticks_at(host) & ((1 << BITS) - 1)
}

/// The devices' time, in ticks.
pub fn device() -> u64 {
    device_at(host())
}

/// The time as commands measure it, in ticks.
pub fn kernel() -> u64 {
    ticks_at(host()) & ((1 << KERNEL_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_go_together() {
        let (first, ticks, second) = (host(), device(), host());
        assert!((device_at(first)..=device_at(second)).contains(&ticks));
        assert_eq!(device_at(80 << BITS), device_at(0));
    }
}
