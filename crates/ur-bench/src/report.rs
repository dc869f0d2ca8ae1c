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
    /// Intel's time divided by ours.
    pub ratio_intel: Option<f64>,
    /// Quartiles of that ratio.
    pub spread_intel: Option<[f64; 2]>,
    /// PoCL's time divided by ours.
    pub ratio_pocl: Option<f64>,
    /// Quartiles of that ratio.
    pub spread_pocl: Option<[f64; 2]>,
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

    /// Enters a device's time.
    pub fn set_time(&mut self, device: &str, time: f64) {
        match device {
            "ours" => self.ours = Some(time),
            "intel" => self.intel = Some(time),
            "pocl" => self.pocl = Some(time),
            _ => {}
        }
    }

    /// Enters a peer's ratio.
    pub fn set_ratio(&mut self, device: &str, ratio: Spread) {
        let (median, spread) = (Some(ratio.median), Some([ratio.low, ratio.high]));
        match device {
            "intel" => (self.ratio_intel, self.spread_intel) = (median, spread),
            "pocl" => (self.ratio_pocl, self.spread_pocl) = (median, spread),
            _ => {}
        }
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
    /// Kernels that ours did not run, or ran wrongly.
    pub failed: Vec<String>,
    /// Geometric mean of the ratios to Intel of dpnp's functions.
    #[serde(default)]
    pub dpnp: Option<f64>,
}

impl Summary {
    /// The figures of these kernels and of dpnp's functions.
    pub fn of(kernels: &[Row], dpnp: &[Row]) -> Self {
        let intel = kernels.iter().filter_map(|row| row.ratio_intel);
        let named = kernels
            .iter()
            .filter_map(|row| Some((row.name.clone(), row.ratio_intel?)));
        Self {
            intel: geometric_mean(intel),
            worst_intel: named.min_by(|a, b| a.1.total_cmp(&b.1)),
            pocl: geometric_mean(kernels.iter().filter_map(|row| row.ratio_pocl)),
            failed: kernels
                .iter()
                .filter(|row| row.ours.is_none())
                .map(|row| row.name.clone())
                .collect(),
            dpnp: geometric_mean(dpnp.iter().filter_map(|row| row.ratio_intel)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Limits, Report, Row, Summary};
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
        assert!((summary.dpnp.expect("a ratio") - 3.0).abs() < 1e-12);
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
