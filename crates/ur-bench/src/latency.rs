//! Short operations: what a launch or a copy costs besides its work.

use crate::device::{Device, Step, Steps};
use crate::measure::{enter, note};
use crate::report::Row;
use crate::turns::alternate;
use std::time::Instant;

/// Operations in a sample of short ones.
const MANY: u32 = 200;
/// Kernels of the chain.
const CHAIN: u32 = 10_000;
/// Kernels of the fan.
const FAN: u32 = 1000;
/// Runs before the first sample.
const WARM_UP: usize = 2;

/// A measurement: its name, the unit, how many of the unit a second has, and one sample in seconds.
struct Item {
    name: &'static str,
    unit: &'static str,
    scale: f64,
    sample: fn(&mut dyn Steps) -> Result<f64, String>,
}

const ITEMS: [Item; 7] = [
    Item {
        name: "empty kernel: submit",
        unit: "µs",
        scale: 1e6,
        sample: submit,
    },
    Item {
        name: "empty kernel: round trip",
        unit: "µs",
        scale: 1e6,
        sample: |steps| timed(wall, MANY, |_| trip(steps, Step::Empty)),
    },
    Item {
        name: "empty kernel: round trip, CPU time",
        unit: "µs",
        scale: 1e6,
        sample: |steps| timed(cpu, MANY, |_| trip(steps, Step::Empty)),
    },
    Item {
        name: "chain of 10,000 empty kernels",
        unit: "ms",
        scale: 1e3,
        sample: |steps| batch(steps, Step::Empty, CHAIN),
    },
    Item {
        name: "out-of-order fan of 1,000 empty kernels",
        unit: "ms",
        scale: 1e3,
        sample: |steps| batch(steps, Step::Fan, FAN),
    },
    Item {
        name: "copy of 64 B",
        unit: "µs",
        scale: 1e6,
        sample: |steps| timed(wall, MANY, |_| trip(steps, Step::CopySmall)),
    },
    Item {
        name: "copy of 64 MiB",
        unit: "ms",
        scale: 1e3,
        sample: |steps| timed(wall, 1, |_| trip(steps, Step::CopyLarge)),
    },
];

/// Names of all measurements.
pub fn names() -> impl Iterator<Item = &'static str> {
    ITEMS.iter().map(|item| item.name)
}

/// Seconds of the clock on the wall since some moment.
fn wall() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    START.with(|start| start.elapsed().as_secs_f64())
}

/// Seconds that all threads of this process have run.
fn cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Time of one of `count` operations by a clock.
fn timed(
    clock: fn() -> f64,
    count: u32,
    mut operation: impl FnMut(u32) -> Result<(), String>,
) -> Result<f64, String> {
    let start = clock();
    for number in 0..count {
        operation(number)?;
    }
    Ok((clock() - start) / f64::from(count))
}

/// Enqueues and waits.
fn trip(steps: &mut dyn Steps, step: Step) -> Result<(), String> {
    steps.enqueue(step)?;
    steps.finish(step)
}

/// Time of an enqueue; what was enqueued is waited for without being timed.
fn submit(steps: &mut dyn Steps) -> Result<f64, String> {
    let time = timed(wall, MANY, |_| steps.enqueue(Step::Empty))?;
    steps.finish(Step::Empty)?;
    Ok(time)
}

/// Time of so many operations until the last is done.
fn batch(steps: &mut dyn Steps, step: Step, count: u32) -> Result<f64, String> {
    timed(wall, 1, |_| {
        for _ in 0..count {
            steps.enqueue(step)?;
        }
        steps.finish(step)
    })
}

/// Measures those of the operations that are wanted; `done` is told of each row.
pub fn measure(
    devices: &[Box<dyn Device>],
    samples: usize,
    wanted: impl Fn(&str) -> bool,
    mut done: impl FnMut(&Row),
) -> Vec<Row> {
    let items: Vec<&Item> = ITEMS.iter().filter(|item| wanted(item.name)).collect();
    if items.is_empty() {
        return Vec::new();
    }
    let mut able = Vec::new();
    let mut unable = Vec::new();
    for device in devices {
        match device.steps() {
            Ok(steps) => able.push((device.name(), steps)),
            Err(reason) => unable.push((device.name(), reason)),
        }
    }
    let mut rows = Vec::new();
    for item in items {
        let mut row = Row::new(item.name, item.unit);
        for (name, reason) in &unable {
            note(&mut row, name, reason);
        }
        let mut sample = |at: usize| {
            let (name, steps): &mut (&str, Box<dyn Steps>) = &mut able[at];
            (item.sample)(&mut **steps).map_err(|reason| format!("{name}: {reason}"))
        };
        let count = devices.len() - unable.len();
        let warm = alternate(count, WARM_UP, &mut sample);
        match warm.and_then(|_| alternate(count, samples, sample)) {
            Ok(times) => {
                let names = able.iter().map(|(name, _)| *name);
                let times: Vec<_> = names.zip(times).collect();
                enter(&mut row, &times, item.scale);
            }
            Err(reason) => row.notes.push(reason),
        }
        done(&row);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{batch, cpu, submit, timed, wall};
    use crate::device::{Step, Steps};

    #[derive(Default)]
    struct Fake(Vec<&'static str>);

    impl Steps for Fake {
        fn enqueue(&mut self, step: Step) -> Result<(), String> {
            self.0.push(if step == Step::Fan { "fan" } else { "other" });
            Ok(())
        }

        fn finish(&mut self, _: Step) -> Result<(), String> {
            self.0.push("finish");
            Ok(())
        }
    }

    #[test]
    fn batches_wait_once() {
        let mut fake = Fake::default();
        batch(&mut fake, Step::Fan, 3).expect("no failure");
        assert_eq!(fake.0, ["fan", "fan", "fan", "finish"]);
        let mut fake = Fake::default();
        submit(&mut fake).expect("no failure");
        assert_eq!(fake.0.len(), super::MANY as usize + 1);
        assert_eq!(fake.0.last(), Some(&"finish"));
    }

    #[test]
    fn clocks_go_forward() {
        for clock in [wall, cpu] {
            let mut sum = 0u64;
            let time = timed(clock, 4, |number| {
                sum = (0..1_000_000).fold(sum, |sum, i| std::hint::black_box(sum ^ i));
                assert!(number < 4);
                Ok(())
            });
            assert!(time.expect("no failure") > 0.0);
        }
    }
}
