//! Medians and spreads.

use serde::{Deserialize, Serialize};

/// The middle of a set of samples and where its middle half lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile.
    pub high: f64,
}

/// The value below which a fraction of the sorted samples lies, between neighbours in proportion.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let place = fraction * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Median and quartiles; none without samples.
pub fn spread(samples: &[f64]) -> Option<Spread> {
    if samples.is_empty() {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Spread {
        median: quantile(&sorted, 0.5),
        low: quantile(&sorted, 0.25),
        high: quantile(&sorted, 0.75),
    })
}

/// Median and quartiles of `of[i] / by[i]`, for samples taken side by side.
pub fn ratios(of: &[f64], by: &[f64]) -> Option<Spread> {
    let each: Vec<f64> = of.iter().zip(by).map(|(of, by)| of / by).collect();
    spread(&each)
}

/// The geometric mean; none without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::{geometric_mean, ratios, spread};

    #[test]
    fn medians_and_quartiles() {
        let odd = spread(&[5.0, 1.0, 3.0, 2.0, 4.0]).expect("samples");
        assert_eq!((odd.low, odd.median, odd.high), (2.0, 3.0, 4.0));
        let even = spread(&[4.0, 1.0, 3.0, 2.0]).expect("samples");
        assert_eq!((even.low, even.median, even.high), (1.75, 2.5, 3.25));
        let one = spread(&[7.0]).expect("a sample");
        assert_eq!((one.low, one.median, one.high), (7.0, 7.0, 7.0));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn ratios_are_taken_side_by_side() {
        // The ratio of the medians would be 2 / 2.
        let found = ratios(&[2.0, 8.0, 2.0], &[1.0, 2.0, 4.0]).expect("samples");
        assert_eq!(found.median, 2.0);
    }

    #[test]
    fn means_are_geometric() {
        let mean = geometric_mean([0.5, 2.0, 8.0]).expect("values");
        assert!((mean - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }
}
