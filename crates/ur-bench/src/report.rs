//! What a run finds out, in the form of its JSON.

use crate::stats::{Spread, geometric_mean};
use serde::{Deserialize, Serialize};

/// One measurement on all devices. Times are medians; a ratio is the median of the peer's time
/// divided by ours, sample by sample, so above 1 ours is faster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// The unit of the times.
    pub unit: String,
    /// Our time.
    pub ours: Option<f64>,
    /// Intel's time.
    pub intel: Option<f64>,
    /// PoCL's time.
    pub pocl: Option<f64>,
    /// The time of the bare driver that our device is made of.
    #[serde(default)]
    pub bare: Option<f64>,
    /// Intel's time divided by ours.
    pub ratio_intel: Option<f64>,
    /// Quartiles of that ratio.
    pub spread_intel: Option<[f64; 2]>,
    /// PoCL's time divided by ours.
    pub ratio_pocl: Option<f64>,
    /// Quartiles of that ratio.
    pub spread_pocl: Option<[f64; 2]>,
    /// The bare driver's time divided by ours.
    #[serde(default)]
    pub ratio_bare: Option<f64>,
    /// Quartiles of that ratio.
    #[serde(default)]
    pub spread_bare: Option<[f64; 2]>,
    /// What ours does in a second, in billions of `rate_unit`.
    pub rate: Option<f64>,
    /// `B`, `FLOP` or `element`.
    pub rate_unit: Option<String>,
    /// The speed of ours as a fraction of the machine's, measured side by side with it.
    pub of_limit: Option<f64>,
    /// Why a time is missing.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Row {
    /// A row without figures.
    pub fn new(name: &str, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            ..Self::default()
        }
    }

    /// Whether a note says why this device has no time.
    pub fn failed_on(&self, device: &str) -> bool {
        let of = |note: &String| {
            note.strip_prefix(device)
                .is_some_and(|rest| rest.starts_with(": "))
        };
        self.notes.iter().any(of)
    }

    /// Enters a device's time.
    pub fn set_time(&mut self, device: &str, time: f64) {
        match device {
            "ours" => self.ours = Some(time),
            "intel" => self.intel = Some(time),
            "pocl" => self.pocl = Some(time),
            "bare" => self.bare = Some(time),
            _ => {}
        }
    }

    /// Enters a peer's ratio.
    pub fn set_ratio(&mut self, device: &str, ratio: Spread) {
        let (median, spread) = (Some(ratio.median), Some([ratio.low, ratio.high]));
        match device {
            "intel" => (self.ratio_intel, self.spread_intel) = (median, spread),
            "pocl" => (self.ratio_pocl, self.spread_pocl) = (median, spread),
            "bare" => (self.ratio_bare, self.spread_bare) = (median, spread),
            _ => {}
        }
    }
}

/// A device beside ours, and where its figures are.
pub struct Peer {
    /// How it is called where figures are shown.
    pub name: &'static str,
    /// Its time.
    pub time: fn(&Row) -> Option<f64>,
    /// Its time divided by ours.
    pub ratio: fn(&Row) -> Option<f64>,
    /// Quartiles of that ratio.
    pub spread: fn(&Row) -> Option<[f64; 2]>,
}

/// All devices that can be beside ours.
pub const PEERS: [Peer; 3] = [
    Peer {
        name: "Intel",
        time: |row| row.intel,
        ratio: |row| row.ratio_intel,
        spread: |row| row.spread_intel,
    },
    Peer {
        name: "PoCL",
        time: |row| row.pocl,
        ratio: |row| row.ratio_pocl,
        spread: |row| row.spread_pocl,
    },
    Peer {
        name: "bare",
        time: |row| row.bare,
        ratio: |row| row.ratio_bare,
        spread: |row| row.spread_bare,
    },
];

impl Peer {
    /// Whether a row has a figure of it.
    pub fn is_in(&self, row: &Row) -> bool {
        (self.time)(row).is_some() || (self.ratio)(row).is_some()
    }
}

/// What the machine can do, measured by code of our own on all processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Threads that took part.
    pub threads: usize,
    /// `a[i] = b[i] + s * c[i]`, 10^9 bytes a second.
    pub triad: f64,
    /// `a[i] = b[i]`, 10^9 bytes a second.
    pub copy: f64,
    /// Single-precision fused multiply-add, 10^9 operations a second, two for each.
    pub fma_f32: f64,
}

/// All that a run found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name and version of each device.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Samples of each measurement.
    #[serde(default)]
    pub samples: usize,
    /// The kernels.
    #[serde(default)]
    pub kernels: Vec<Row>,
    /// Launches, copies and the start of a process.
    #[serde(default)]
    pub latency: Vec<Row>,
    /// Builds of modules.
    #[serde(default)]
    pub build: Vec<Row>,
    /// Functions of dpnp, from start to finish.
    #[serde(default)]
    pub dpnp: Vec<Row>,
    /// What the machine can do.
    #[serde(default)]
    pub limits: Limits,
    /// Means over the kernels.
    #[serde(default)]
    pub summary: Summary,
}

/// Figures over all kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Geometric mean of the ratios to Intel.
    pub intel: Option<f64>,
    /// The smallest ratio to Intel, and whose it is.
    pub worst_intel: Option<(String, f64)>,
    /// Geometric mean of the ratios to PoCL.
    pub pocl: Option<f64>,
    /// Geometric mean of the ratios to the bare driver.
    #[serde(default)]
    pub bare: Option<f64>,
    /// The smallest of them, and whose it is.
    #[serde(default)]
    pub worst_bare: Option<(String, f64)>,
    /// Kernels that ours did not run, or ran wrongly.
    pub failed: Vec<String>,
    /// Kernels that the driver below ours does not run either, or runs wrongly.
    #[serde(default)]
    pub beyond: Vec<String>,
    /// Geometric mean of the ratios to Intel of dpnp's functions.
    #[serde(default)]
    pub dpnp: Option<f64>,
}

impl Summary {
    /// The figures of these kernels and of dpnp's functions.
    pub fn of(kernels: &[Row], dpnp: &[Row]) -> Self {
        let mean =
            |ratio: fn(&Row) -> Option<f64>| geometric_mean(kernels.iter().filter_map(ratio));
        let worst = |ratio: fn(&Row) -> Option<f64>| {
            let named = kernels
                .iter()
                .filter_map(|row| Some((row.name.clone(), ratio(row)?)));
            named.min_by(|a, b| a.1.total_cmp(&b.1))
        };
        let without = |bare_too: bool| {
            let rows = kernels.iter().filter(|row| row.ours.is_none());
            rows.filter(|row| row.failed_on("bare") == bare_too)
                .map(|row| row.name.clone())
                .collect()
        };
        Self {
            intel: mean(|row| row.ratio_intel),
            worst_intel: worst(|row| row.ratio_intel),
            pocl: mean(|row| row.ratio_pocl),
            bare: mean(|row| row.ratio_bare),
            worst_bare: worst(|row| row.ratio_bare),
            failed: without(false),
            beyond: without(true),
            dpnp: geometric_mean(dpnp.iter().filter_map(|row| row.ratio_intel)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Limits, PEERS, Report, Row, Summary};
    use crate::stats::Spread;

    /// A report with a bit of everything.
    pub(crate) fn sample() -> Report {
        let mut fast = Row::new("fast", "ms");
        fast.set_time("ours", 1.0);
        fast.set_time("intel", 4.0);
        let spread = |median| Spread {
            median,
            low: median * 0.9,
            high: median * 1.1,
        };
        fast.set_ratio("intel", spread(4.0));
        let mut slow = Row::new("slow <&>", "ms");
        slow.set_time("ours", 2.0);
        slow.set_ratio("intel", spread(1.0));
        slow.set_ratio("pocl", spread(9.0));
        let mut failed = Row::new("failed", "ms");
        failed.notes.push("ours: wrong".to_owned());
        let kernels = vec![fast, slow, failed];
        let mut sum = Row::new("sum", "ms");
        sum.set_ratio("intel", spread(3.0));
        let dpnp = vec![sum];
        Report {
            devices: vec!["ours: a processor".to_owned()],
            samples: 3,
            summary: Summary::of(&kernels, &dpnp),
            kernels,
            dpnp,
            latency: vec![Row::new("round trip", "µs")],
            build: Vec::new(),
            limits: Limits {
                threads: 2,
                triad: 20.0,
                copy: 18.0,
                fma_f32: 200.0,
            },
        }
    }

    #[test]
    fn summaries_name_the_worst_and_the_failed() {
        let summary = sample().summary;
        assert!((summary.intel.expect("ratios") - 2.0).abs() < 1e-12);
        assert_eq!(summary.worst_intel, Some(("slow <&>".to_owned(), 1.0)));
        assert_eq!(summary.failed, ["failed"]);
        assert_eq!((summary.bare, summary.worst_bare), (None, None));
        assert!((summary.dpnp.expect("a ratio") - 3.0).abs() < 1e-12);
    }

    /// The same beside the bare driver only.
    pub(crate) fn bare() -> Report {
        let mut report = sample();
        for row in &mut report.kernels {
            *row = Row {
                bare: row.intel,
                ratio_bare: row.ratio_intel,
                spread_bare: row.spread_intel,
                ours: row.ours,
                notes: row.notes.clone(),
                ..Row::new(&row.name, &row.unit)
            };
        }
        report.dpnp.clear();
        report.summary = Summary::of(&report.kernels, &report.dpnp);
        report.limits = Limits::default();
        report
    }

    #[test]
    fn the_bare_driver_has_figures_of_its_own() {
        let mut row = Row::new("k", "ms");
        row.set_time("bare", 3.0);
        row.set_ratio(
            "bare",
            Spread {
                median: 1.5,
                low: 1.0,
                high: 2.0,
            },
        );
        assert_eq!((row.bare, row.ratio_bare), (Some(3.0), Some(1.5)));
        assert_eq!(row.spread_bare, Some([1.0, 2.0]));
        let there: Vec<&str> = PEERS
            .iter()
            .filter(|peer| peer.is_in(&row))
            .map(|peer| peer.name)
            .collect();
        assert_eq!(there, ["bare"]);
        let summary = bare().summary;
        assert!((summary.bare.expect("ratios") - 2.0).abs() < 1e-12);
        assert_eq!(summary.worst_bare, Some(("slow <&>".to_owned(), 1.0)));
        assert_eq!(summary.intel, None);
    }

    #[test]
    fn what_the_driver_lacks_is_no_failure_of_ours() {
        let mut rows = bare().kernels;
        assert_eq!(Summary::of(&rows, &[]).failed, ["failed"]);
        rows[2].notes.push("bare: no such function".to_owned());
        let summary = Summary::of(&rows, &[]);
        assert!(summary.failed.is_empty());
        assert_eq!(summary.beyond, ["failed"]);
        // Nor does a failure of the driver alone count.
        rows[0].notes.push("bare: wrong".to_owned());
        assert_eq!(Summary::of(&rows, &[]), summary);
    }

    #[test]
    fn reports_of_before_can_be_read() {
        let text = serde_json::to_string(&sample()).expect("JSON");
        let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let row = value["kernels"][0].as_object_mut().expect("a row");
        for name in ["bare", "ratio_bare", "spread_bare"] {
            assert!(row.remove(name).is_some(), "{name}");
        }
        let report: Report = serde_json::from_value(value).expect("a report");
        assert_eq!(report, sample());
    }

    #[test]
    fn json_has_the_promised_shape_and_reads_back() {
        let report = sample();
        let text = serde_json::to_string(&report).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["kernels"][0]["name"], "fast");
        assert_eq!(value["kernels"][0]["ours"], 1.0);
        assert_eq!(value["kernels"][0]["ratio_intel"], 4.0);
        assert!(value["kernels"][0]["ratio_pocl"].is_null());
        assert!(value["latency"].is_array() && value["build"].is_array());
        assert_eq!(value["limits"]["triad"], 20.0);
        assert_eq!(
            serde_json::from_str::<Report>(&text).expect("a report"),
            report
        );
    }
}
