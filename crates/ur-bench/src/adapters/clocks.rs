//! The clocks that are read around a batch.

use serde::Serialize;
use std::fmt;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Clock {
    /// What all threads of the process have run.
    Process,
    /// What the calling thread has run.
    Thread,
    /// The one on the wall.
    Wall,
}

/// All of them.
pub(super) const CLOCKS: [Clock; 3] = [Clock::Process, Clock::Thread, Clock::Wall];

impl Clock {
    /// Nanoseconds since some moment.
    fn read(self) -> f64 {
        let clock = match self {
            Clock::Process => libc::CLOCK_PROCESS_CPUTIME_ID,
            Clock::Thread => libc::CLOCK_THREAD_CPUTIME_ID,
            Clock::Wall => libc::CLOCK_MONOTONIC,
        };
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the place is ours.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    }

    /// Whether it is one of those for which there is a limit: what else the machine does shows on the
    /// wall only.
    pub(super) fn is_limited(self) -> bool {
        self != Clock::Wall
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Clock::Process => "process",
            Clock::Thread => "thread",
            Clock::Wall => "wall",
        })
    }
}

/// Nanoseconds by each of [`CLOCKS`].
pub(super) type Times = [f64; CLOCKS.len()];

/// Times of one of so many repeats of a batch.
///
/// # Errors
/// That of the batch.
pub(super) fn timed(
    repeats: u32,
    batch: impl FnOnce() -> Result<(), String>,
) -> Result<Times, String> {
    let start = CLOCKS.map(Clock::read);
    batch()?;
    let mut times = CLOCKS.map(Clock::read);
    for (time, start) in times.iter_mut().zip(start) {
        *time = (*time - start) / f64::from(repeats);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::timed;

    fn work() -> u64 {
        (0..2_000_000u64).fold(0, |sum, i| std::hint::black_box(sum ^ i))
    }

    #[test]
    fn each_clock_counts_what_is_its_own() {
        let [process, thread, wall] = timed(2, || {
            let other = std::thread::spawn(work).join().expect("no panic");
            assert_eq!(other, work());
            Ok(())
        })
        .expect("no failure");
        // The other thread did as much as this one.
        assert!(thread > 0.0 && wall > 0.0);
        assert!(process > 1.3 * thread, "{process} {thread}");
        assert_eq!(timed(1, || Err("no".into())), Err("no".to_owned()));
    }
}
