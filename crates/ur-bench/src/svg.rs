//! The report as a picture: a bar for each kernel and peer, on a scale where each step doubles.

use crate::report::{PEERS, Peer, Report, Row};
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
/// Room for the names.
const LEFT: f64 = 150.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 64.0;
/// Room for one bar.
const BAR: f64 = 11.0;
/// Room for a kernel.
const STEP: f64 = 30.0;

/// The colours of the bars, one for each peer.
const COLOURS: [&str; PEERS.len()] = ["#2f6db5", "#e08a2b", "#4c9a52"];

/// The peers that have a bar, with their colours.
fn peers(report: &Report) -> Vec<(&'static Peer, &'static str)> {
    let rows = || report.kernels.iter();
    let there = |peer: &Peer| rows().any(|row| (peer.ratio)(row).is_some());
    let all = PEERS.iter().zip(COLOURS);
    all.filter(|(peer, _)| there(peer)).collect()
}

/// Text of a picture, with what has a meaning there replaced.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The scale: powers of two around all values.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (-1f64, 1f64);
        for value in values.filter(|value| *value > 0.0) {
            low = low.min(value.log2().floor());
            high = high.max(value.log2().ceil());
        }
        Self { low, high }
    }

    /// Where a value lies from left to right.
    fn place(&self, value: f64) -> f64 {
        let part = (value.log2().clamp(self.low, self.high) - self.low) / (self.high - self.low);
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    /// The exponents that get a line.
    fn lines(&self) -> impl Iterator<Item = i32> {
        self.low as i32..=self.high as i32
    }
}

/// How often ours is faster, a bar for each kernel that was compared.
pub fn picture(report: &Report) -> String {
    let peers = peers(report);
    let rows: Vec<&Row> = report
        .kernels
        .iter()
        .filter(|row| peers.iter().any(|(peer, _)| (peer.ratio)(row).is_some()))
        .collect();
    let values = rows.iter().flat_map(|row| {
        peers.iter().flat_map(|(peer, _)| {
            [(peer.ratio)(row)]
                .into_iter()
                .flatten()
                .chain((peer.spread)(row).into_iter().flatten())
        })
    });
    let scale = Scale::of(values);
    let bottom = TOP + STEP * rows.len() as f64;
    let height = bottom + 40.0;
    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12" fill="#333333">"##
    );
    let _ = writeln!(
        out,
        r##"<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>"##
    );
    let _ = writeln!(
        out,
        r#"<text x="16" y="26" font-size="15">Speed of our device divided by the peer's; right of 1 ours is faster</text>"#
    );
    for (number, (peer, colour)) in peers.iter().enumerate() {
        let x = LEFT + 90.0 * number as f64;
        let _ = writeln!(
            out,
            r#"<rect x="{x}" y="38" width="12" height="12" fill="{colour}"/><text x="{}" y="48">{}</text>"#,
            x + 18.0,
            peer.name
        );
    }
    for exponent in scale.lines() {
        let x = scale.place(2f64.powi(exponent));
        let (colour, width) = if exponent == 0 {
            ("#333333", 1.5)
        } else {
            ("#dddddd", 1.0)
        };
        let label = match exponent {
            0.. => format!("{}", 1u64 << exponent),
            _ => format!("1/{}", 1u64 << -exponent),
        };
        let _ = writeln!(
            out,
            r#"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{bottom}" stroke="{colour}" stroke-width="{width}"/><text x="{x:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            bottom + 18.0
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + STEP * number as f64;
        let _ = writeln!(
            out,
            r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#,
            LEFT - 10.0,
            top + STEP / 2.0 + 4.0,
            escaped(&row.name)
        );
        for (number, (peer, colour)) in peers.iter().enumerate() {
            if let Some(ratio) = (peer.ratio)(row) {
                let y = top + 3.0 + (BAR + 2.0) * number as f64;
                bar(&mut out, &scale, colour, ratio, (peer.spread)(row), y);
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

/// One bar from 1 to the ratio, with a line over its spread and the figure.
fn bar(
    out: &mut String,
    scale: &Scale,
    colour: &str,
    ratio: f64,
    spread: Option<[f64; 2]>,
    y: f64,
) {
    let (one, x) = (scale.place(1.0), scale.place(ratio));
    let _ = writeln!(
        out,
        r#"<rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{BAR}" fill="{colour}"/>"#,
        one.min(x),
        (x - one).abs().max(1.0)
    );
    let mut right = x.max(one);
    if let Some([low, high]) = spread {
        let (low, high) = (scale.place(low), scale.place(high));
        let middle = y + BAR / 2.0;
        let _ = writeln!(
            out,
            r##"<line x1="{low:.1}" y1="{middle:.1}" x2="{high:.1}" y2="{middle:.1}" stroke="#111111"/>"##
        );
        right = right.max(high);
    }
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" font-size="10">{ratio:.2}</text>"#,
        right + 4.0,
        y + BAR - 2.0
    );
}

#[cfg(test)]
mod tests {
    use super::{Scale, picture};
    use crate::report::Report;
    use crate::report::tests::{bare, sample};

    /// Checks that elements are closed in order, and gives their number.
    fn elements(xml: &str) -> usize {
        let mut open = Vec::new();
        let mut count = 0;
        let mut rest = xml;
        while let Some((text, tag)) = rest.split_once('<') {
            assert!(!text.contains('>'), "{text}");
            let (tag, after) = tag.split_once('>').expect("an end of the tag");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            count += 1;
            if !tag.ends_with('/') {
                open.push(tag.split(' ').next().expect("a name"));
            }
        }
        assert!(open.is_empty(), "{open:?} are open");
        for part in xml.split('&').skip(1) {
            assert!(
                ["amp;", "lt;", "gt;", "quot;"]
                    .iter()
                    .any(|e| part.starts_with(e)),
                "{part}"
            );
        }
        count
    }

    #[test]
    fn pictures_are_well_formed() {
        let text = picture(&sample());
        assert!(text.contains("slow &lt;&amp;&gt;"), "{text}");
        assert!(!text.contains(">failed<"), "nothing to show");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let with = elements(&text);
        assert!(with > elements(&picture(&Report::default())));
        let text = picture(&bare());
        elements(&text);
        assert!(
            text.contains(">bare<") && !text.contains(">PoCL<"),
            "{text}"
        );
    }

    #[test]
    fn scales_hold_all_values() {
        let scale = Scale::of([0.3, 5.0].into_iter());
        assert_eq!(scale.lines().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
        assert!(scale.place(0.25) < scale.place(1.0) && scale.place(1.0) < scale.place(8.0));
        assert_eq!(scale.place(0.25), super::LEFT);
    }
}
