//! What the suite consists of: a kernel, its launch, and what must come out.

/// A kernel argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Device memory with its first content.
    Buffer(Vec<u8>),
    /// A number in its bytes.
    Value(Vec<u8>),
    /// So many bytes of local memory.
    Local(usize),
}

impl Arg {
    /// The first content, if this is a buffer.
    pub fn content(&self) -> Option<&[u8]> {
        match self {
            Arg::Buffer(content) => Some(content),
            _ => None,
        }
    }
}

/// Sizes of a launch.
#[derive(Clone, Debug)]
pub struct Range {
    /// Global size, a number for each dimension.
    pub global: Vec<usize>,
    /// Work-group size; the device chooses when there is none.
    pub local: Option<Vec<usize>>,
}

impl Range {
    /// One dimension, work-groups as the device likes.
    pub fn line(global: usize) -> Self {
        Self {
            global: vec![global],
            local: None,
        }
    }

    /// One dimension in work-groups of a size.
    pub fn groups(global: usize, local: usize) -> Self {
        Self {
            global: vec![global],
            local: Some(vec![local]),
        }
    }

    /// Two dimensions in square work-groups.
    pub fn plane(width: usize, height: usize, side: usize) -> Self {
        Self {
            global: vec![width, height],
            local: Some(vec![side, side]),
        }
    }
}

/// What one launch does at least; gives figures that compare with the machine's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Bytes to and from memory.
    Bytes(u64),
    /// Floating-point operations; a fused multiply-add is two.
    Flops(u64),
    /// Anything else, counted in elements.
    Elements(u64),
}

/// A kernel's code in both forms.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// OpenCL C.
    pub source: &'static str,
    /// SPIR-V made of it.
    pub il: &'static [u8],
}

/// Judges the contents of the buffers after one launch, in their order.
pub type Check = Box<dyn Fn(&[Vec<u8>]) -> Result<(), String>>;

/// One launch with its reference.
pub struct Job {
    /// Sizes.
    pub range: Range,
    /// The arguments.
    pub args: Vec<Arg>,
    /// What a launch does.
    pub work: Work,
    /// Whether the buffers hold what they should.
    pub check: Check,
}

/// How large a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Milliseconds on two cores.
    Full,
    /// A fraction of that, so that a slow build can run it.
    Small,
}

impl Scale {
    /// One of two sizes.
    pub fn pick(self, full: usize, small: usize) -> usize {
        match self {
            Scale::Full => full,
            Scale::Small => small,
        }
    }
}

/// A kernel of the suite.
pub struct Case {
    /// How it is called in reports.
    pub name: &'static str,
    /// The code that it is in.
    pub code: Code,
    /// The kernel's name.
    pub kernel: &'static str,
    /// Options for a build from OpenCL C.
    pub options: &'static str,
    /// Its launch.
    pub job: fn(Scale) -> Job,
}

/// Values in their bytes.
pub fn bytes<T: Copy, const N: usize>(values: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| to(*value)).collect()
}

/// Bytes of single-precision numbers.
pub fn from_f32(values: &[f32]) -> Vec<u8> {
    bytes(values, f32::to_le_bytes)
}

/// Bytes of 32-bit integers.
pub fn from_u32(values: &[u32]) -> Vec<u8> {
    bytes(values, u32::to_le_bytes)
}

/// Single-precision numbers in bytes.
pub fn to_f32(bytes: &[u8]) -> Vec<f32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// 32-bit integers in bytes.
pub fn to_u32(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Fails at the first element that is not what it should be.
pub fn equal<T: PartialEq + std::fmt::Debug>(found: &[T], wanted: &[T]) -> Result<(), String> {
    if found.len() != wanted.len() {
        return Err(format!("{} elements, not {}", found.len(), wanted.len()));
    }
    match found.iter().zip(wanted).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => Err(format!(
            "element {at} is {:?}, not {:?}",
            found[at], wanted[at]
        )),
    }
}

/// Fails at the first number that is further from its reference than `relative` of it, and further
/// than `absolute`.
pub fn close(
    found: impl IntoIterator<Item = f64>,
    wanted: impl IntoIterator<Item = f64>,
    relative: f64,
    absolute: f64,
) -> Result<(), String> {
    let (mut found, mut wanted) = (found.into_iter(), wanted.into_iter());
    for at in 0.. {
        let (a, b) = match (found.next(), wanted.next()) {
            (None, None) => break,
            (Some(a), Some(b)) => (a, b),
            _ => return Err(format!("the number of elements is not {at}")),
        };
        // Written so that a NaN fails.
        let near = (a - b).abs() <= (relative * b.abs()).max(absolute);
        if !near {
            return Err(format!("element {at} is {a:e}, not {b:e}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{close, equal};

    #[test]
    fn differences_are_found() {
        assert!(equal(&[1, 2], &[1, 2]).is_ok());
        assert!(equal(&[1, 2], &[1, 3]).is_err_and(|text| text.contains("element 1")));
        assert!(equal(&[1], &[1, 3]).is_err());
        assert!(close([1.0, 100.0], [1.0, 100.1], 0.01, 0.0).is_ok());
        assert!(close([1.0, 100.0], [1.0, 102.0], 0.01, 0.0).is_err());
        assert!(close([0.001], [0.0], 0.01, 0.01).is_ok());
        assert!(close([f64::NAN], [1.0], 0.01, 0.01).is_err());
        assert!(close([1.0], [1.0, 2.0], 0.01, 0.01).is_err());
    }
}
