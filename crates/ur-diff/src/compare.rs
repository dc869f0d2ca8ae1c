//! Comparing what devices computed.

/// Type of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// Integers and bytes of that size.
    Int(usize),
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
}

impl Elem {
    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Elem::Int(size) => size,
            Elem::F32 => 4,
            Elem::F64 => 8,
        }
    }
}

/// How far the values of a buffer may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Bit for bit, but that one NaN is as good as another.
    Exact,
    /// So many ULP.
    Ulp(f64),
    /// So many ULP for each value in turn, over and over; infinity leaves one out.
    Each(&'static [f64]),
    /// Not compared.
    Ignored,
}

/// Two devices may both be off, in opposite directions.
const SIDES: f64 = 2.0;

/// Where the first value stands that is too far off, and both values.
pub fn difference(a: &[u8], b: &[u8], elem: Elem, limit: Limit) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} bytes", a.len(), b.len()));
    }
    if limit == Limit::Ignored {
        return None;
    }
    let size = elem.size();
    let pairs = a.chunks(size).zip(b.chunks(size));
    for (index, (a, b)) in pairs.enumerate() {
        if a == b {
            continue;
        }
        let allowed = match limit {
            Limit::Exact => 0.0,
            Limit::Ulp(ulp) => ulp * SIDES,
            Limit::Each(list) => list[index % list.len()] * SIDES,
            Limit::Ignored => f64::INFINITY,
        };
        let distance = match elem {
            Elem::Int(_) => f64::INFINITY,
            Elem::F32 => ulps32(bits(a) as u32, bits(b) as u32),
            Elem::F64 => ulps64(bits(a), bits(b)),
        };
        if distance > allowed || (elem == Elem::Int(size) && allowed.is_finite()) {
            return Some(format!(
                "[{index}]: {} and {}",
                show(a, elem),
                show(b, elem)
            ));
        }
    }
    None
}

fn bits(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(word)
}

fn show(bytes: &[u8], elem: Elem) -> String {
    match elem {
        Elem::Int(_) => format!("{:#x}", bits(bytes)),
        Elem::F32 => format!("{:e}", f32::from_bits(bits(bytes) as u32)),
        Elem::F64 => format!("{:e}", f64::from_bits(bits(bytes))),
    }
}

/// Distance in steps from one number to the next; zeros of both signs differ by one.
fn ulps32(a: u32, b: u32) -> f64 {
    if f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan() {
        return 0.0;
    }
    if f32::from_bits(a).is_nan() != f32::from_bits(b).is_nan() {
        return f64::INFINITY;
    }
    let place = |bits: u32| match bits >> 31 {
        0 => i64::from(bits),
        _ => -1 - i64::from(bits & 0x7fff_ffff),
    };
    (place(a) - place(b)).unsigned_abs() as f64
}

/// As [`ulps32`].
fn ulps64(a: u64, b: u64) -> f64 {
    if f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan() {
        return 0.0;
    }
    if f64::from_bits(a).is_nan() != f64::from_bits(b).is_nan() {
        return f64::INFINITY;
    }
    let place = |bits: u64| match bits >> 63 {
        0 => i128::from(bits),
        _ => -1 - i128::from(bits & (u64::MAX >> 1)),
    };
    (place(a) - place(b)).unsigned_abs() as f64
}

#[cfg(test)]
mod tests {
    use super::{Elem, Limit, difference};

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn limits_hold_on_both_sides() {
        let next = f32::from_bits(1.0f32.to_bits() + 8);
        let (a, b) = (floats(&[0.5, 1.0]), floats(&[0.5, next]));
        let at = |limit| difference(&a, &b, Elem::F32, limit);
        assert_eq!(at(Limit::Ulp(4.0)), None);
        assert!(at(Limit::Ulp(3.0)).is_some_and(|text| text.starts_with("[1]:")));
        assert!(at(Limit::Exact).is_some());
        assert!(at(Limit::Each(&[4.0, 0.0])).is_some());
        assert_eq!(at(Limit::Each(&[0.0, f64::INFINITY])), None);
        assert_eq!(at(Limit::Ignored), None);
    }

    #[test]
    fn special_values_are_told_apart() {
        let nan = f32::from_bits(0x7fc0_1234);
        let same = |a, b| difference(&floats(&[a]), &floats(&[b]), Elem::F32, Limit::Exact);
        assert_eq!(same(f32::NAN, nan), None);
        assert!(same(f32::NAN, 1.0).is_some());
        assert!(same(0.0, -0.0).is_some());
        let (a, b) = (1.0f64.to_le_bytes(), 1.5f64.to_le_bytes());
        assert!(difference(&a, &b, Elem::F64, Limit::Ulp(1e6)).is_some());
        assert!(difference(&[1], &[2], Elem::Int(1), Limit::Ulp(9.0)).is_some());
        assert!(difference(&[1], &[1, 2], Elem::Int(1), Limit::Exact).is_some());
    }
}
