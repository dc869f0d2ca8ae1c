//! What adapters whose driver keeps a kernel's arguments must look at: that a launch gives all of them,
//! since the driver would take what an earlier launch left.

/// Which arguments are given.
#[derive(Clone, Debug)]
pub struct Given {
    /// The first 64.
    first: u64,
    /// All others.
    others: Vec<bool>,
}

impl Given {
    /// None of `count`.
    #[inline]
    pub fn new(count: u32) -> Self {
        Self {
            first: 0,
            others: match count {
                0..=64 => Vec::new(),
                _ => vec![false; count as usize - 64],
            },
        }
    }

    /// Notes that an argument is given; one beyond the last is not noted.
    #[inline]
    pub fn set(&mut self, index: u32) {
        if index < 64 {
            self.first |= 1 << index;
        } else if let Some(given) = self.others.get_mut(index as usize - 64) {
            *given = true;
        }
    }

    /// The first of `count` that is missing.
    #[inline]
    pub fn missing(&self, count: u32) -> Option<u32> {
        let first = self.first.trailing_ones();
        if first < count.min(64) {
            return Some(first);
        }
        let other = self.others.iter().position(|given| !given);
        other.map(|at| at as u32 + 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_missing_argument_is_found() {
        for count in [0, 1, 63, 64, 65, 200] {
            let mut given = Given::new(count);
            for index in 0..count {
                assert_eq!(given.missing(count), Some(index));
                given.set(index);
            }
            given.set(count + 1000);
            assert_eq!(given.missing(count), None);
        }
    }
}
