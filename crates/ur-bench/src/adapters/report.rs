//! The figures.

use super::clocks::{CLOCKS, Clock, Times};
use crate::stats::{self, Spread};
use serde::Serialize;
use std::fmt::Write as _;

/// The most of the other adapter's CPU time that ours may take.
const LIMIT: f64 = 1.0;

/// What an operation takes of one clock on one side, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The shortest time of all turns, which nothing disturbed.
    pub shortest: f64,
    /// The middle of all turns.
    pub spread: Spread,
}

/// One operation by one clock.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The operation.
    pub operation: &'static str,
    /// The clock.
    pub clock: Clock,
    /// Our time.
    pub ours: Figure,
    /// The other adapter's.
    pub theirs: Figure,
    /// Our shortest time divided by theirs.
    pub ratio: f64,
    /// The same turn by turn.
    pub ratios: Spread,
    /// Whether the ratio is within the limit; none where there is no limit.
    pub within: Option<bool>,
}

/// All rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The device, as it calls itself.
    pub device: String,
    /// The two libraries, ours first.
    pub adapters: [String; 2],
    /// Turns of each operation and side.
    pub turns: usize,
    /// One for each operation and clock.
    pub rows: Vec<Row>,
}

fn figure(times: &[f64]) -> Option<Figure> {
    Some(Figure {
        shortest: times.iter().copied().reduce(f64::min)?,
        spread: stats::spread(times)?,
    })
}

impl Report {
    /// Enters the turns of an operation, ours and theirs side by side.
    pub(super) fn enter(&mut self, operation: &'static str, [ours, theirs]: [&[Times]; 2]) {
        for (at, clock) in CLOCKS.into_iter().enumerate() {
            let by = |turns: &[Times]| turns.iter().map(|times| times[at]).collect::<Vec<_>>();
            let (ours, theirs) = (by(ours), by(theirs));
            let row = || {
                let [own, other] = [figure(&ours)?, figure(&theirs)?];
                let ratio = own.shortest / other.shortest;
                Some(Row {
                    operation,
                    clock,
                    ours: own,
                    theirs: other,
                    ratio,
                    ratios: stats::ratios(&ours, &theirs)?,
                    within: clock.is_limited().then_some(ratio <= LIMIT),
                })
            };
            self.rows.extend(row());
        }
    }

    /// How many rows are within their limit, and how many have one.
    pub fn within(&self) -> (usize, usize) {
        let limited = || self.rows.iter().filter_map(|row| row.within);
        (
            limited().filter(|within| *within).count(),
            limited().count(),
        )
    }

    /// A table for a terminal; the last line says how many are within the limit.
    pub fn terminal(&self) -> String {
        let mut out = format!(
            "{}\nours: {}\ntheirs: {}\n\n",
            self.device, self.adapters[0], self.adapters[1]
        );
        out.push_str(
            "Nanoseconds of an operation: CPU time of the process and of the calling thread, and time\n\
             on the wall. The first three columns compare the shortest times, the others the middle of\n\
             the turns; the middle half of the ratios is in brackets. An ! marks what is above 1.\n\n",
        );
        let _ = writeln!(
            out,
            "{:<42} {:<7} {:>8} {:>8} {:>6}  {:>8} {:>8} {:>19}",
            "operation", "clock", "ours", "theirs", "ratio", "ours", "theirs", "ratio"
        );
        let mut before = "";
        for row in &self.rows {
            let name = if row.operation == before {
                ""
            } else {
                row.operation
            };
            before = row.operation;
            let _ = writeln!(
                out,
                "{name:<42} {:<7} {:>8.0} {:>8.0} {:>6.3}{} {:>8.0} {:>8.0} {:>19}",
                row.clock,
                row.ours.shortest,
                row.theirs.shortest,
                row.ratio,
                if row.within == Some(false) { '!' } else { ' ' },
                row.ours.spread.median,
                row.theirs.spread.median,
                format!(
                    "{:.3} ({:.2}–{:.2})",
                    row.ratios.median, row.ratios.low, row.ratios.high
                ),
            );
        }
        let (within, all) = self.within();
        let _ = writeln!(
            out,
            "\n{within} of {all} CPU times within {LIMIT:.1} of the other adapter's, {} turns of each",
            self.turns
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Report};

    fn report() -> Report {
        let mut report = Report {
            turns: 3,
            ..Report::default()
        };
        // The process takes more, the thread as much, and the wall, which counts nothing, far more.
        let ours = [[12.0, 6.0, 90.0], [11.0, 7.0, 90.0], [40.0, 9.0, 90.0]];
        let theirs = [[10.0, 8.0, 30.0], [20.0, 6.0, 30.0], [10.0, 9.0, 30.0]];
        report.enter("one", [&ours, &theirs]);
        report
    }

    #[test]
    fn the_shortest_times_are_held_against_the_limit() {
        let report = report();
        let row = |clock| report.rows.iter().find(|row| row.clock == clock);
        let process = row(Clock::Process).expect("a row");
        assert_eq!(
            (process.ours.shortest, process.theirs.shortest),
            (11.0, 10.0)
        );
        assert_eq!((process.ratio, process.within), (1.1, Some(false)));
        // Turn by turn 1.2, 0.55 and 4.
        assert_eq!(process.ratios.median, 1.2);
        let thread = row(Clock::Thread).expect("a row");
        assert_eq!((thread.ratio, thread.within), (1.0, Some(true)));
        let wall = row(Clock::Wall).expect("a row");
        assert_eq!((wall.ratio, wall.within), (3.0, None));
        assert_eq!(report.within(), (1, 2));
    }

    #[test]
    fn the_table_names_an_operation_once_and_marks_what_is_above() {
        let text = report().terminal();
        assert_eq!(text.matches("one ").count(), 1, "{text}");
        let marked: Vec<&str> = text.lines().filter(|line| line.contains("! ")).collect();
        assert_eq!(marked.len(), 2, "{text}");
        assert!(marked[1].contains("1.100!"), "{text}");
        assert!(
            text.ends_with("1 of 2 CPU times within 1.0 of the other adapter's, 3 turns of each\n")
        );
    }

    #[test]
    fn nothing_measured_is_no_row() {
        let mut report = Report::default();
        report.enter("one", [&[], &[]]);
        assert!(report.rows.is_empty());
        assert_eq!(report.within(), (0, 0));
    }
}
