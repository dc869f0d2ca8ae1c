//! Time.

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

/// The devices' time at a time of the host, in ticks.
pub fn device_at(host: u64) -> u64 {
    (host / TICK) & ((1 << BITS) - 1)
}

/// The devices' time, in ticks.
pub fn device() -> u64 {
    device_at(host())
}

/// The time as commands measure it, in ticks.
pub fn kernel() -> u64 {
    (host() / TICK) & ((1 << KERNEL_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_go_together() {
        let (first, ticks, second) = (host(), device(), host());
        assert!((device_at(first)..=device_at(second)).contains(&ticks));
        assert_eq!(device_at(80 << BITS), 0);
    }
}
