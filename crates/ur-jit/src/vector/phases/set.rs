//! Sets of small numbers.

/// A set of instructions or of pieces, by their numbers.
#[derive(Clone, PartialEq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(super) fn add(&mut self, id: usize) {
        self.0[id / 64] |= 1 << (id % 64);
    }

    pub(super) fn has(&self, id: usize) -> bool {
        self.0[id / 64] >> (id % 64) & 1 != 0
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    pub(super) fn remove_all(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| 64 * at + bit)
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Set;

    /// A set of some numbers below 100.
    pub(in crate::vector::phases) fn set(ids: &[usize]) -> Set {
        let mut set = Set::new(100);
        ids.iter().for_each(|id| set.add(*id));
        set
    }

    #[test]
    fn sets_give_back_what_is_in_them() {
        let one = set(&[0, 63, 64, 99]);
        assert_eq!(one.all().collect::<Vec<_>>(), [0, 63, 64, 99]);
        assert!(one.has(64) && !one.has(65));
        assert!(one.meets(&set(&[99])) && !one.meets(&set(&[1])));
    }
}
