//! Short operations: what a launch or a copy costs besides its work.

use crate::device::{Device, LARGE, QUERIES, Step, Steps};
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
/// Queries in a sample.
const ASKED: u32 = 1000;
/// Runs before the first sample.
const WARM_UP: usize = 2;

/// A measurement: its name, the unit, how many of the unit a second has, bytes that it moves (0 if
/// it is about something else), and one sample in seconds.
struct Item {
    name: &'static str,
    unit: &'static str,
    scale: f64,
    moves: usize,
    sample: fn(&mut dyn Steps) -> Result<f64, String>,
}

const ITEMS: [Item; 11] = [
    Item {
        name: "empty kernel: submit",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: submit,
    },
    Item {
        name: "empty kernel: round trip",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: |steps| timed(wall, MANY, |_| trip(steps, Step::Empty)),
    },
    Item {
        name: "empty kernel: round trip, CPU time",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: |steps| timed(cpu, MANY, |_| trip(steps, Step::Empty)),
    },
    Item {
        name: "chain of 10,000 empty kernels",
        unit: "ms",
        scale: 1e3,
        moves: 0,
        sample: |steps| batch(steps, Step::Empty, CHAIN),
    },
    Item {
        name: "out-of-order fan of 1,000 empty kernels",
        unit: "ms",
        scale: 1e3,
        moves: 0,
        sample: |steps| batch(steps, Step::Fan, FAN),
    },
    Item {
        name: "copy of 64 B",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: |steps| timed(wall, MANY, |_| trip(steps, Step::CopySmall)),
    },
    Item {
        name: "copy of 64 MiB",
        unit: "ms",
        scale: 1e3,
        // Read and written, as in the kernel `copy`.
        moves: 2 * LARGE,
        sample: |steps| timed(wall, 1, |_| trip(steps, Step::CopyLarge)),
    },
    Item {
        name: "write of 64 MiB from the host",
        unit: "ms",
        scale: 1e3,
        moves: LARGE,
        sample: |steps| timed(wall, 1, |_| steps.write()),
    },
    Item {
        name: "read of 64 MiB to the host",
        unit: "ms",
        scale: 1e3,
        moves: LARGE,
        sample: |steps| timed(wall, 1, |_| steps.read()),
    },
    Item {
        name: "memory of 1 MiB: make, give back",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: |steps| timed(wall, MANY, |_| steps.allocate()),
    },
    Item {
        name: "1,000 queries of the device",
        unit: "µs",
        scale: 1e6,
        moves: 0,
        sample: queries,
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

/// Time of all queries.
fn queries(steps: &mut dyn Steps) -> Result<f64, String> {
    timed(wall, 1, |_| {
        (0..ASKED / QUERIES).try_for_each(|_| steps.query())
    })
}

/// Enters what ours moves in a second.
fn enter_rate(row: &mut Row, item: &Item) {
    if let Some(ours) = row.ours
        && item.moves > 0
    {
        row.rate = Some(item.moves as f64 / (ours / item.scale) / 1e9);
        row.rate_unit = Some("B".to_owned());
    }
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
                enter_rate(&mut row, item);
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
    use super::{ITEMS, batch, cpu, enter_rate, submit, timed, wall};
    use crate::device::{Step, Steps};
    use crate::report::Row;

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

        fn write(&mut self) -> Result<(), String> {
            self.0.push("write");
            Ok(())
        }

        fn read(&mut self) -> Result<(), String> {
            self.0.push("read");
            Ok(())
        }

        fn allocate(&mut self) -> Result<(), String> {
            self.0.push("allocate");
            Ok(())
        }

        fn query(&mut self) -> Result<(), String> {
            self.0.push("query");
            Ok(())
        }
    }

    #[test]
    fn each_measurement_does_what_it_is_called() {
        for (start, step, count) in [
            ("write", "write", 1),
            ("read", "read", 1),
            ("memory", "allocate", super::MANY as usize),
            ("1,000 queries", "query", 1000 / super::QUERIES as usize),
            ("copy of 64 MiB", "finish", 1),
        ] {
            let item = ITEMS.iter().find(|item| item.name.starts_with(start));
            let mut fake = Fake::default();
            (item.expect(start).sample)(&mut fake).expect("no failure");
            let found = fake.0.iter().filter(|found| **found == step);
            assert_eq!(found.count(), count, "{start}");
        }
    }

    #[test]
    fn what_moves_bytes_has_a_rate() {
        let item = |name: &str| ITEMS.iter().find(|item| item.name.starts_with(name));
        let mut row = Row::new("write", "ms");
        row.ours = Some(1000.0 * super::LARGE as f64 / 1e9);
        enter_rate(&mut row, item("write").expect("it is there"));
        assert!((row.rate.expect("a rate") - 1.0).abs() < 1e-9);
        assert_eq!(row.rate_unit.as_deref(), Some("B"));
        let mut row = Row::new("queries", "µs");
        row.ours = Some(1.0);
        enter_rate(&mut row, item("1,000 queries").expect("it is there"));
        assert_eq!(row.rate, None);
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
