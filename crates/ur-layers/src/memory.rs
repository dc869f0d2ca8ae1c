//! Allocations that adapters were asked about lately, so that they need not be asked for each
//! command.
//!
//! What is kept says how much of an allocation lies behind an address, for as long as no memory has
//! been freed since: calls that may free some are counted when they begin and when they end. What
//! was learned while one of them ran is not kept, and the beginning of the next makes all that is
//! kept worthless. So nothing is ever said of memory that is no longer what it was.

// The model test brings atomics of its own.
use super::atomic::{AtomicU64, Ordering, fence};

/// Who asks about what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The context's number, which is not 0.
    pub(crate) context: u32,
    /// An address in the allocation.
    pub(crate) address: u64,
}

/// One answer. Writers make the version odd while they write; who reads looks at it before and
/// after.
#[derive(Debug)]
#[repr(align(64))]
struct Cell {
    version: AtomicU64,
    context: AtomicU64,
    address: AtomicU64,
    /// Bytes from the address to the end of its allocation.
    left: AtomicU64,
    /// How many calls that may free memory had begun, and ended, when the answer was given.
    freed: AtomicU64,
}

/// Answers, by the addresses that were asked for.
#[derive(Debug)]
pub(crate) struct Answers<const N: usize> {
    cells: [Cell; N],
    begun: AtomicU64,
    ended: AtomicU64,
}

/// What an adapter is asked under; see [`Answers::ask`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking(u64);

impl<const N: usize> Answers<N> {
    /// No answers.
    #[allow(dead_code, reason = "a test's; others are zero from the start")]
    pub(crate) fn new() -> Answers<N> {
        let zero = || AtomicU64::new(0);
        Answers {
            cells: std::array::from_fn(|_| Cell {
                version: zero(),
                context: zero(),
                address: zero(),
                left: zero(),
                freed: zero(),
            }),
            begun: zero(),
            ended: zero(),
        }
    }

    #[inline(always)]
    fn cell(&self, address: u64) -> &Cell {
        // The lowest bits are those of places in an allocation's first bytes.
        let mixed = (address >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.cells[(mixed >> 58) as usize % N]
    }

    /// A call begins that may free memory. [`Answers::end_free`] follows when it has ended; if the
    /// memory may go later than that, nothing does.
    pub(crate) fn begin_free(&self) {
        self.begun.fetch_add(1, Ordering::AcqRel);
    }

    /// The call has ended.
    pub(crate) fn end_free(&self) {
        self.ended.fetch_add(1, Ordering::AcqRel);
    }

    /// The bytes from an address to the end of its allocation, if that was answered before and
    /// still holds.
    #[inline(always)]
    pub(crate) fn find(&self, question: Question) -> Option<u64> {
        let cell = self.cell(question.address);
        let version = cell.version.load(Ordering::Acquire);
        let address = cell.address.load(Ordering::Relaxed);
        let context = cell.context.load(Ordering::Relaxed);
        let left = cell.left.load(Ordering::Relaxed);
        let freed = cell.freed.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let found = address == question.address
            && context == u64::from(question.context)
            && cell.version.load(Ordering::Relaxed) == version
            && version & 1 == 0
            // Acquire: frees that happened before this command are seen.
            && self.begun.load(Ordering::Acquire) == freed;
        found.then_some(left)
    }

    /// An adapter is going to be asked. `None` while memory may be going away: then the answer must
    /// not be kept.
    pub(crate) fn ask(&self) -> Option<Asking> {
        // In this order: if no more calls have begun than had ended before, none is under way.
        let ended = self.ended.load(Ordering::Acquire);
        let begun = self.begun.load(Ordering::Acquire);
        (begun == ended).then_some(Asking(begun))
    }

    /// Keeps an answer, unless another thread is keeping one in the same place.
    pub(crate) fn keep(&self, question: Question, asking: Asking, left: u64) {
        let cell = self.cell(question.address);
        let version = cell.version.load(Ordering::Relaxed);
        let odd = version & 1 == 1;
        if odd
            || cell
                .version
                .compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed)
                .is_err()
        {
            return;
        }
        // What follows must not be seen before the odd version is.
        fence(Ordering::Release);
        let context = u64::from(question.context);
        cell.context.store(context, Ordering::Relaxed);
        cell.address.store(question.address, Ordering::Relaxed);
        cell.left.store(left, Ordering::Relaxed);
        cell.freed.store(asking.0, Ordering::Relaxed);
        cell.version.store(version + 2, Ordering::Release);
    }

    /// Makes all that is kept worthless. Nothing else may be going on.
    pub(crate) fn forget(&self) {
        let begun = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        self.ended.store(begun, Ordering::Release);
    }
}
