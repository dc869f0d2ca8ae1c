//! The figures of all settings.

use super::child::Turn;
use super::operations::OPERATIONS;
use super::setting::{Layers, Loader, Setting};
use crate::stats::{self, Spread};
use serde::Serialize;
use std::fmt::Write as _;

/// The most that our loader may add to a call, in nanoseconds.
const LOADER: f64 = 1.0;

/// How much more three adapters may look than one: what two processes with the same setting differ
/// by.
const NOISE: f64 = 0.3;

/// What one loader adds to the calls of one operation, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cell {
    /// What it adds to a call: the difference of the shortest times, which nothing disturbed.
    pub added: f64,
    /// What it adds in the middle half of the turns, with whatever else the machine did.
    pub spread: [f64; 2],
    /// The shortest time of the whole operation.
    pub whole: f64,
}

/// A setting of one operation.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The operation.
    pub operation: &'static str,
    /// Of how many calls it consists.
    pub calls: u32,
    /// Adapters that are loaded.
    pub adapters: usize,
    /// The layers that are on.
    pub layers: String,
    /// Nanoseconds that the adapter's own functions take, the shortest time of all turns.
    pub direct: f64,
    /// Without layers: loader minus adapter. With layers: what they add to that.
    pub ours: Cell,
    /// The released loader's.
    pub released: Option<Cell>,
    /// The most that ours may be.
    pub limit: f64,
    /// Whether it is no more.
    pub within: bool,
}

/// All rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// One for each operation and setting.
    pub rows: Vec<Row>,
    /// Turns of each setting.
    pub turns: usize,
}

/// What the loader adds to each call of an operation, turn by turn.
fn added(turns: &[Turn], operation: usize) -> Vec<f64> {
    let calls = f64::from(OPERATIONS[operation].calls);
    turns
        .iter()
        .map(|turn| (turn.through[operation] - turn.direct[operation]) / calls)
        .collect()
}

/// The same of the shortest times of all turns.
fn shortest(turns: &[Turn], operation: usize) -> f64 {
    let calls = f64::from(OPERATIONS[operation].calls);
    let through = least(turns.iter().map(|turn| turn.through[operation]));
    let direct = least(turns.iter().map(|turn| turn.direct[operation]));
    (through - direct) / calls
}

/// The figures of some turns, less those of the turns without layers.
fn cell(turns: &[Turn], without: Option<&[Turn]>, operation: usize) -> Option<Cell> {
    let mut each = added(turns, operation);
    let mut least_added = shortest(turns, operation);
    if let Some(without) = without {
        for (each, without) in each.iter_mut().zip(added(without, operation)) {
            *each -= without;
        }
        least_added -= shortest(without, operation);
    }
    let Spread { low, high, .. } = stats::spread(&each)?;
    Some(Cell {
        added: least_added,
        spread: [low, high],
        whole: least(turns.iter().map(|turn| turn.through[operation])),
    })
}

fn least(times: impl Iterator<Item = f64>) -> f64 {
    times.fold(f64::INFINITY, f64::min)
}

impl Report {
    /// The report of so many turns of each setting.
    pub(super) fn of(settings: &[Setting], turns: &[Vec<Turn>]) -> Report {
        let at = |loader, adapters, layers| {
            let wanted = Setting {
                loader,
                adapters,
                layers,
            };
            let at = settings.iter().position(|setting| *setting == wanted)?;
            Some(&turns[at][..])
        };
        let mut report = Report {
            rows: Vec::new(),
            turns: turns.iter().map(Vec::len).min().unwrap_or(0),
        };
        for (index, operation) in OPERATIONS.iter().enumerate() {
            // With layers the difference to none, turn by turn: processes took turns.
            let figure = |loader, adapters, layers| {
                let these = at(loader, adapters, layers)?;
                let without = match layers {
                    Layers::None => None,
                    _ => Some(at(loader, adapters, Layers::None)?),
                };
                cell(these, without, index)
            };
            let one = figure(Loader::Ours, 1, Layers::None).map_or(0.0, |cell| cell.added);
            for setting in settings.iter().filter(|s| s.loader == Loader::Ours) {
                let Setting {
                    adapters, layers, ..
                } = *setting;
                let Some(ours) = figure(Loader::Ours, adapters, layers) else {
                    continue;
                };
                let limit = match (layers, adapters) {
                    (Layers::None, 1) => LOADER,
                    (Layers::None, _) => LOADER.min(one + NOISE),
                    _ => layers.limit(),
                };
                let these = at(Loader::Ours, adapters, layers).unwrap_or_default();
                report.rows.push(Row {
                    operation: operation.name,
                    calls: operation.calls,
                    adapters,
                    layers: layers.to_string(),
                    direct: least(these.iter().map(|turn| turn.direct[index])),
                    ours,
                    released: figure(Loader::Released, adapters, layers),
                    limit,
                    within: ours.added <= limit,
                });
            }
        }
        report
    }

    /// A table for a terminal.
    pub fn terminal(&self) -> String {
        let mut out = String::from(
            "Nanoseconds that a call takes longer: through the loader than the adapter's function\n\
             itself, with layers than without. The shortest times are compared; the middle half of\n\
             the turns is in brackets.\n\n",
        );
        let _ = writeln!(
            out,
            "{:<30} {:>8} {:<24} {:>8} {:>22} {:>6}  {:>22}",
            "operation", "adapters", "layers", "direct", "ours", "limit", "released"
        );
        let show = |cell: &Cell| {
            format!(
                "{:.2} ({:.2}–{:.2})",
                cell.added, cell.spread[0], cell.spread[1]
            )
        };
        for row in &self.rows {
            let released = row.released.as_ref().map_or("–".to_owned(), show);
            let _ = writeln!(
                out,
                "{:<30} {:>8} {:<24} {:>8.2} {:>22} {:>6.2}{} {:>22}",
                row.operation,
                row.adapters,
                row.layers,
                row.direct,
                show(&row.ours),
                row.limit,
                if row.within { ' ' } else { '!' },
                released
            );
        }
        let within = self.rows.iter().filter(|row| row.within).count();
        let _ = writeln!(
            out,
            "\n{within} of {} within their limits, {} turns of each",
            self.rows.len(),
            self.turns
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{OPERATIONS, Report};
    use crate::calls::child::Turn;
    use crate::calls::setting;

    /// Turns in which the loader adds so much to each call.
    fn turns(added: f64) -> Vec<Turn> {
        let direct = vec![10.0; OPERATIONS.len()];
        let calls = OPERATIONS.map(|operation| f64::from(operation.calls));
        let through = calls.map(|calls| 10.0 + calls * added).to_vec();
        vec![Turn { through, direct }; 3]
    }

    #[test]
    fn layers_are_held_against_no_layers() {
        let settings = setting::all(true);
        // In the order of the settings: ours, then released.
        let added = [0.5, 0.6, 1.4, 3.6, 8.4, 2.0, 2.2, 12.0, 8.0, 18.0];
        let turns: Vec<_> = added.into_iter().map(turns).collect();
        let report = Report::of(&settings, &turns);
        assert_eq!(report.rows.len(), 5 * OPERATIONS.len());
        for rows in report.rows.chunks(5) {
            let figures: Vec<f64> = rows.iter().map(|row| row.ours.added).collect();
            let expected = [0.5, 0.6, 0.9, 3.1, 7.9];
            for (figure, expected) in figures.iter().zip(expected) {
                assert!((figure - expected).abs() < 1e-9, "{figures:?}");
            }
            let within: Vec<bool> = rows.iter().map(|row| row.within).collect();
            assert_eq!(within, [true, true, true, false, true]);
            let released = rows[4].released.expect("a figure").added;
            assert!((released - 16.0).abs() < 1e-9);
        }
        assert!(report.terminal().contains("24 of 30 within their limits"));
    }

    #[test]
    fn without_a_released_loader_ours_is_alone() {
        let settings = setting::all(false);
        let turns: Vec<_> = settings.iter().map(|_| turns(1.0)).collect();
        let report = Report::of(&settings, &turns);
        assert!(report.rows.iter().all(|row| row.released.is_none()));
    }
}
