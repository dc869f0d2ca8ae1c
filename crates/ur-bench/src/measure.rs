//! Samples of several devices, side by side.

use crate::case::{Case, Job, Work};
use crate::device::{Device, Ready};
use crate::limits::Reference;
use crate::report::Row;
use crate::stats;
use crate::turns::alternate;
use std::time::Instant;

/// The least time of a sample; a shorter launch is repeated within it.
const SAMPLE: f64 = 1e-3;
/// A device whose launch takes longer gets fewer samples.
const SLOW: f64 = 0.15;
/// Their number.
const FEW: usize = 5;
/// Seconds that a participant runs in a round of the warm-up, or one launch if that is longer.
const TURN: f64 = 0.05;
/// The least number of rounds of the warm-up, and its least seconds: a device may make better code of a
/// kernel in the background once it has run for a while, and that is what a program sees in the long run.
const WARM_UP: (usize, f64) = (3, 0.7);

/// Something that takes part: it does its work once and waits.
type Run<'a> = Box<dyn FnMut() -> Result<(), String> + 'a>;

/// A participant with its name.
struct Participant<'a> {
    name: &'static str,
    run: Run<'a>,
    repeats: u32,
}

impl Participant<'_> {
    /// Seconds of one run, from several.
    fn sample(&mut self) -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..self.repeats {
            (self.run)()?;
        }
        Ok(start.elapsed().as_secs_f64() / f64::from(self.repeats))
    }
}

/// How the machine itself is called among the participants.
const MACHINE: &str = "machine";

/// Resets, launches once and compares with the reference.
pub fn verify(ready: &mut dyn Ready, job: &Job) -> Result<(), String> {
    ready.reset()?;
    ready.launch()?;
    (job.check)(&ready.contents()?).map_err(|text| format!("wrong: {text}"))
}

/// Measures a kernel on all devices. A device that cannot build it, or gives wrong results before
/// or after the samples, has a note in the row instead of a time.
pub fn kernel(
    case: &Case,
    job: &Job,
    devices: &[Box<dyn Device>],
    reference: Option<&Reference>,
    samples: usize,
) -> Row {
    let mut row = Row::new(case.name, "ms");
    let mut ready = Vec::new();
    for device in devices {
        let prepared = device.prepare(case, job).and_then(|mut prepared| {
            verify(&mut *prepared, job)?;
            Ok(prepared)
        });
        match prepared {
            Ok(prepared) => ready.push((device.name(), prepared)),
            Err(reason) => note(&mut row, device.name(), &reason),
        }
    }
    let mut participants: Vec<Participant<'_>> = ready
        .iter_mut()
        .map(|(name, ready)| Participant {
            name,
            run: Box::new(|| ready.launch()),
            repeats: 1,
        })
        .collect();
    if let Some(reference) = reference {
        participants.push(Participant {
            name: MACHINE,
            run: Box::new(|| {
                reference.run();
                Ok(())
            }),
            repeats: 1,
        });
    }
    let times = match interleaved(&mut participants, samples) {
        Ok(times) => times,
        Err(reason) => {
            row.notes.push(reason);
            return row;
        }
    };
    let names: Vec<&str> = participants.iter().map(|each| each.name).collect();
    drop(participants);

    // Code that is chosen only after some launches must be right as well.
    let wrong: Vec<&str> = ready
        .iter_mut()
        .filter_map(|(name, ready)| {
            let reason = verify(&mut **ready, job).err()?;
            note(&mut row, name, &reason);
            Some(*name)
        })
        .collect();
    let right: Vec<(&str, Vec<f64>)> = names
        .into_iter()
        .zip(times)
        .filter(|(name, _)| !wrong.contains(name))
        .collect();
    enter(&mut row, &right, 1e3);
    if let Some(ours) = row.ours {
        let (amount, unit) = match job.work {
            Work::Bytes(count) => (count, "B"),
            Work::Flops(count) => (count, "FLOP"),
            Work::Elements(count) => (count, "element"),
        };
        row.rate = Some(amount as f64 / (ours * 1e-3) / 1e9);
        row.rate_unit = Some(unit.to_owned());
    }
    // The reference does its own amount of work.
    if let (Some(reference), Some(limit)) = (reference, row.of_limit) {
        let (Work::Bytes(work) | Work::Flops(work) | Work::Elements(work)) = job.work;
        row.of_limit = Some(limit * work as f64 / reference.work() as f64);
    }
    row
}

/// Adds the first line of a reason.
pub fn note(row: &mut Row, device: &str, reason: &str) {
    let telling = |line: &&str| line.to_lowercase().contains("error:");
    let line = reason.lines().find(telling).or(reason.lines().next());
    let line = line.unwrap_or_default().trim();
    let short: String = line.chars().take(160).collect();
    row.notes.push(format!("{device}: {short}"));
}

/// Enters medians and ratios; times are seconds, `scale` makes them the row's unit.
pub fn enter(row: &mut Row, times: &[(&str, Vec<f64>)], scale: f64) {
    let ours = times.iter().find(|(name, _)| *name == "ours");
    for (name, samples) in times {
        if let Some(spread) = stats::spread(samples) {
            row.set_time(name, spread.median * scale);
        }
        if let Some(ratio) = ours.and_then(|(_, ours)| stats::ratios(samples, ours)) {
            match *name {
                MACHINE => row.of_limit = Some(ratio.median),
                _ => row.set_ratio(name, ratio),
            }
        }
    }
}

/// Warms all up, then takes samples in turn. Before each sample its participant runs once without
/// being timed, so that its threads are awake and its data is where it would be in a program that
/// runs nothing else. Seconds, for each participant.
fn interleaved(
    participants: &mut [Participant<'_>],
    samples: usize,
) -> Result<Vec<Vec<f64>>, String> {
    let mut least = vec![f64::INFINITY; participants.len()];
    let start = Instant::now();
    for round in 1.. {
        for (each, least) in participants.iter_mut().zip(&mut least) {
            *least = f64::INFINITY;
            let turn = Instant::now();
            while turn.elapsed().as_secs_f64() < TURN {
                *least = least.min(each.sample()?);
            }
        }
        if round >= WARM_UP.0 && start.elapsed().as_secs_f64() >= WARM_UP.1 {
            break;
        }
    }
    let mut slowest: f64 = 0.0;
    for (each, last) in participants.iter_mut().zip(least) {
        each.repeats = (SAMPLE / last.max(1e-9)).ceil().clamp(1.0, 1000.0) as u32;
        slowest = slowest.max(last);
    }
    let slow = slowest > SLOW;
    let samples = if slow { samples.min(FEW) } else { samples };
    alternate(participants.len(), samples, |at| {
        let each = &mut participants[at];
        if !slow {
            (each.run)()?;
        }
        each.sample()
    })
}

#[cfg(test)]
mod tests {
    use super::{Participant, enter, interleaved};
    use crate::report::Row;
    use std::cell::RefCell;

    #[test]
    fn a_run_that_is_not_timed_goes_before_each_sample() {
        let all = RefCell::new(Vec::new());
        let order = &all;
        let mut participants: Vec<Participant<'_>> = ["a", "b", "c"]
            .into_iter()
            .map(|name| Participant {
                name,
                run: Box::new(move || {
                    order.borrow_mut().push(name);
                    // Long enough to be a sample by itself, and to be warm.
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    Ok(())
                }),
                repeats: 1,
            })
            .collect();
        let times = interleaved(&mut participants, 2).expect("nothing fails");
        assert_eq!(times.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2]);
        drop(participants);
        let order = all.into_inner();
        // The warm-up has as many launches as there is time for.
        let order = order.join("");
        assert!(order.ends_with("aabbccccbbaa"), "{order}");
        assert!(order.len() > 12 + 9, "{order}");
    }

    #[test]
    fn failures_end_a_measurement() {
        let mut participants = [Participant {
            name: "a",
            run: Box::new(|| Err("no".to_owned())),
            repeats: 1,
        }];
        assert_eq!(interleaved(&mut participants, 2), Err("no".to_owned()));
    }

    #[test]
    fn ratios_say_how_much_faster_ours_is() {
        let mut row = Row::new("k", "ms");
        let times = [
            ("ours", vec![1.0, 2.0]),
            ("intel", vec![3.0, 6.0]),
            ("machine", vec![0.5, 1.0]),
        ];
        enter(&mut row, &times, 1000.0);
        assert_eq!(row.ours, Some(1500.0));
        assert_eq!(row.intel, Some(4500.0));
        assert_eq!(row.ratio_intel, Some(3.0));
        assert_eq!(row.of_limit, Some(0.5));
        assert_eq!(row.ratio_pocl, None);
    }
}
