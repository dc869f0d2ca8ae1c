//! What a device is asked to do and what it answers, as it goes between processes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes, written as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
        let text: String = self
            .0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs
            .iter()
            .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
            .collect();
        bytes
            .filter(|_| rest.is_empty())
            .map(Bytes)
            .ok_or_else(|| serde::de::Error::custom("no bytes"))
    }
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// Device memory with its first content.
    Buffer(Bytes),
    /// A number, vector or structure.
    Value(Bytes),
    /// So many bytes of local memory.
    Local(usize),
}

/// One NDRange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Number of dimensions.
    pub dims: u32,
    /// Global size.
    pub global: [usize; 3],
    /// Global offset.
    pub offset: [usize; 3],
    /// Work-group size.
    pub local: [usize; 3],
    /// The arguments.
    pub args: Vec<Arg>,
}

/// Code in the form that a device takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// SPIR-V.
    Il(Bytes),
    /// OpenCL C.
    Source(String),
}

/// A kernel to build and launches to run, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The program.
    pub code: Code,
    /// Build options.
    pub options: String,
    /// The kernel's name.
    pub kernel: String,
    /// What to run.
    pub launches: Vec<Launch>,
}

/// What a launch left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The buffers among the arguments, in their order.
    pub buffers: Vec<Bytes>,
    /// Work-items of a full sub-group, 0 if the device does not say.
    pub width: u32,
}

/// A device's answer to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// One result for each launch.
    Ran(Vec<Ran>),
    /// The device does not do it, and why.
    Refused(String),
}
