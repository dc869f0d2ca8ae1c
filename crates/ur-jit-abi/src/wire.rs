//! Reading and writing the byte form of what is saved: little-endian numbers, and bytes behind their
//! length.

/// Why bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(
    /// The part that is wrong.
    pub &'static str,
);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "bad {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Appends values to bytes.
#[derive(Debug, Default)]
pub struct Writer(
    /// What was written so far.
    pub Vec<u8>,
);

impl Writer {
    /// Writes a number.
    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes a number.
    pub fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes how many elements follow. More than 2^32 do not occur: all that is saved is smaller.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Writes bytes behind their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Takes values off bytes, never beyond their end.
#[derive(Clone, Debug)]
pub struct Reader<'a>(
    /// What is left.
    pub &'a [u8],
);

impl<'a> Reader<'a> {
    /// The next `len` bytes.
    ///
    /// # Errors
    /// There are fewer.
    pub fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(Malformed(what))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk().ok_or(Malformed(what))?;
        self.0 = rest;
        Ok(*head)
    }

    /// A number.
    ///
    /// # Errors
    /// The bytes end before it.
    pub fn u32(&mut self, what: &'static str) -> Result<u32, Malformed> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// A number.
    ///
    /// # Errors
    /// The bytes end before it.
    pub fn u64(&mut self, what: &'static str) -> Result<u64, Malformed> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A number of elements of at least `size` bytes each, which is refused if so many cannot
    /// follow: what a caller reserves for them is bounded by what it was given.
    ///
    /// # Errors
    /// The bytes end before it, or fewer follow than it says.
    pub fn count(&mut self, size: usize, what: &'static str) -> Result<usize, Malformed> {
        let count = self.u32(what)? as usize;
        match count.checked_mul(size) {
            Some(needed) if needed <= self.0.len() => Ok(count),
            _ => Err(Malformed(what)),
        }
    }

    /// `count` elements, with room made for them once; the count is one that [`Reader::count`] gave.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn list<T>(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Bytes behind their length.
    ///
    /// # Errors
    /// There are fewer than it says.
    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let len = usize::try_from(self.u64(what)?).map_err(|_| Malformed(what))?;
        self.take(len, what)
    }

    /// Text behind its length.
    ///
    /// # Errors
    /// There is less than it says, or it is no UTF-8.
    pub fn text(&mut self, what: &'static str) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes(what)?).map_err(|_| Malformed(what))
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// Something is.
    pub fn end(&self, what: &'static str) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Malformed(what))
        }
    }
}
