//! The frame: what a sub-group keeps across its waits.

use super::set::Set;
use crate::llvm::edit::{Builder, Type};

/// Alignment in a frame.
pub(super) fn alignment(b: &Builder<'_>, ty: Type<'_>) -> u32 {
    let bytes = b.size_of(ty).max(1).next_power_of_two();
    u32::try_from(bytes).unwrap_or(64).min(64)
}

/// Where values stand in the frame. Those that never live across the same wait share places.
#[derive(Default)]
pub(super) struct Layout {
    taken: Vec<(u64, u64, Option<Set>)>,
    pub(super) size: u64,
}

impl Layout {
    /// Finds a place for a value that lives across the waits `at`, or across all.
    pub(super) fn place(&mut self, bytes: u64, align: u64, at: Option<Set>) -> u64 {
        let mut offset = 0;
        loop {
            let clash = self.taken.iter().find(|(start, end, other)| {
                *start < offset + bytes
                    && offset < *end
                    && match (other, &at) {
                        (Some(a), Some(b)) => a.meets(b),
                        _ => true,
                    }
            });
            match clash {
                Some((_, end, _)) => offset = end.next_multiple_of(align.max(1)),
                None => break,
            }
        }
        self.taken.push((offset, offset + bytes, at));
        self.size = self.size.max(offset + bytes);
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::vector::phases::set::tests::set;

    #[test]
    fn frames_share_places_between_values_that_never_meet() {
        let mut layout = Layout::default();
        assert_eq!(layout.place(4, 4, Some(set(&[1]))), 0);
        assert_eq!(layout.place(32, 32, Some(set(&[1, 70]))), 32);
        assert_eq!(layout.place(8, 8, Some(set(&[2]))), 0);
        assert_eq!(layout.place(4, 4, Some(set(&[1, 2]))), 8);
        assert_eq!(layout.place(16, 16, None), 16);
        assert_eq!(layout.place(4, 4, Some(set(&[3]))), 0);
        assert_eq!(layout.size, 64);
    }
}
