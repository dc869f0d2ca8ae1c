//! Mathematical functions. Limits are OpenCL's in units of the last place, as a fraction.

use super::{Rng, code, float, wide, zeros};
use crate::case::{Arg, Case, Code, Job, Range, Scale, Work, close, from_f32};

const CODE: Code = code!("maths");

/// One unit of the last place of a single-precision number, at most, as a fraction of it.
const ULP: f64 = 1.2e-7;

pub fn cases() -> Vec<Case> {
    let named = |name, kernel, job| Case {
        name,
        kernel,
        ..super::case(CODE, name, job)
    };
    vec![
        named("sin", "apply_sin", |scale| {
            unary(scale, -10.0, 10.0, f64::sin, 4.0)
        }),
        named("exp", "apply_exp", |scale| {
            unary(scale, -20.0, 20.0, f64::exp, 3.0)
        }),
        named("log", "apply_log", |scale| {
            unary(scale, 0.001, 1000.0, f64::ln, 3.0)
        }),
        named("pow", "apply_pow", power),
        named("sqrt", "apply_sqrt", |scale| {
            unary(scale, 0.0, 1000.0, f64::sqrt, 3.0)
        }),
        named("black_scholes", "black_scholes", black_scholes),
    ]
}

/// Elements of a launch.
fn count(scale: Scale) -> usize {
    scale.pick(1 << 20, 1 << 12)
}

fn unary(scale: Scale, low: f32, high: f32, function: fn(f64) -> f64, ulp: f64) -> Job {
    let count = count(scale);
    let input = Rng(11).reals(count, low, high);
    Job {
        range: Range::line(count),
        args: vec![zeros(count), Arg::Buffer(from_f32(&input))],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let wanted = input.iter().map(|x| function(f64::from(*x)));
            close(wide(&buffers[0]), wanted, ulp * ULP, 1e-30)
        }),
    }
}

fn power(scale: Scale) -> Job {
    let count = scale.pick(1 << 18, 1 << 12);
    let mut rng = Rng(12);
    let (input, powers) = (rng.reals(count, 0.1, 50.0), rng.reals(count, -5.0, 5.0));
    Job {
        range: Range::line(count),
        args: vec![
            zeros(count),
            Arg::Buffer(from_f32(&input)),
            Arg::Buffer(from_f32(&powers)),
        ],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let wanted = input.iter().zip(&powers);
            let wanted = wanted.map(|(x, y)| f64::from(*x).powf(f64::from(*y)));
            close(wide(&buffers[0]), wanted, 16.0 * ULP, 1e-30)
        }),
    }
}

/// The normal distribution by the kernel's polynomial.
fn normal(x: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let factors = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_530,
    ];
    let sum = factors.iter().fold(0.0, |sum, factor| k * sum + factor);
    let tail = 0.398_942_28 * (-0.5 * x * x).exp() * k * sum;
    if x < 0.0 { tail } else { 1.0 - tail }
}

fn black_scholes(scale: Scale) -> Job {
    let count = scale.pick(1 << 19, 1 << 10);
    let (rate, volatility) = (0.02, 0.3);
    let mut rng = Rng(13);
    let price = rng.reals(count, 5.0, 30.0);
    let strike = rng.reals(count, 1.0, 100.0);
    let years = rng.reals(count, 0.25, 10.0);
    Job {
        range: Range::line(count),
        args: vec![
            zeros(count),
            zeros(count),
            Arg::Buffer(from_f32(&price)),
            Arg::Buffer(from_f32(&strike)),
            Arg::Buffer(from_f32(&years)),
            float(rate),
            float(volatility),
        ],
        work: Work::Elements(count as u64),
        check: Box::new(move |buffers| {
            let (rate, volatility) = (f64::from(rate), f64::from(volatility));
            let prices = |at: usize| {
                let wide = |list: &[f32]| f64::from(list[at]);
                let (s, x, t) = (wide(&price), wide(&strike), wide(&years));
                let root = t.sqrt();
                let drift = (rate + 0.5 * volatility * volatility) * t;
                let d1 = ((s / x).ln() + drift) / (volatility * root);
                let d2 = d1 - volatility * root;
                let discounted = x * (-rate * t).exp();
                let call = s * normal(d1) - discounted * normal(d2);
                (call, call + discounted - s)
            };
            let calls = (0..count).map(|at| prices(at).0);
            close(wide(&buffers[0]), calls, 1e-4, 1e-4)?;
            let puts = (0..count).map(|at| prices(at).1);
            close(wide(&buffers[1]), puts, 1e-4, 1e-4)
        }),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_normal_distribution_is_one() {
        for (x, wanted) in [(0.0, 0.5), (1.0, 0.841_345), (-1.96, 0.024_998)] {
            assert!((super::normal(x) - wanted).abs() < 1e-6, "{x}");
        }
    }
}
