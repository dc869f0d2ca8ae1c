//! What the machine can do: bandwidth of its memory and single-precision arithmetic, measured by
//! code of our own on all processors that this process may use.

use crate::report::Limits;
use crate::stats;
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `a[i] = b[i] + s * c[i]`.
    Triad,
    /// `a[i] = b[i]`.
    Copy,
    /// Fused multiply-adds in registers.
    Fma,
}

/// A loop that all processors run together, this thread among them. Each takes the next piece when it
/// is done with one, so that a processor that something else uses does not hold up the others.
pub struct Reference {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
}

/// What the threads share.
struct Shared {
    kind: Kind,
    /// Floats of each array, or iterations of all threads together.
    amount: usize,
    memory: [Array; 3],
    /// The next piece to take.
    next: AtomicUsize,
    /// Pieces that are done.
    done: AtomicUsize,
    call: Mutex<Call>,
    called: Condvar,
}

/// What helpers wait for.
#[derive(Default)]
struct Call {
    /// The number of the run.
    run: u64,
    over: bool,
}

/// Floats in large pages, if the system has them. Pieces of it belong to whoever took their number.
struct Array(Vec<UnsafeCell<f32>>);

// SAFETY: a piece is reached by the one thread only that took its number.
unsafe impl Sync for Array {}

impl Array {
    fn new(len: usize) -> Self {
        const PAGE: usize = 2 << 20;
        let mut array: Vec<UnsafeCell<f32>> = Vec::with_capacity(len);
        let start = array.as_ptr().addr();
        let (first, last) = (
            start.next_multiple_of(PAGE),
            (start + 4 * len) & !(PAGE - 1),
        );
        if first < last {
            let pages = array.as_mut_ptr().with_addr(first).cast();
            // SAFETY: advice about whole pages of our own allocation; it changes no content.
            unsafe { libc::madvise(pages, last - first, libc::MADV_HUGEPAGE) };
        }
        array.resize_with(len, || UnsafeCell::new(1.0));
        Self(array)
    }

    /// A piece to read.
    ///
    /// # Safety
    /// The caller took the piece's number, and holds no other reference to it that may write.
    unsafe fn piece(&self, range: &Range<usize>) -> &[f32] {
        let cells = &self.0[range.clone()];
        // SAFETY: the cells hold floats; nobody else reaches them.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) }
    }

    /// A piece to write.
    ///
    /// # Safety
    /// The caller took the piece's number, and holds no other reference to it.
    #[allow(clippy::mut_from_ref, reason = "the caller has the piece to itself")]
    unsafe fn piece_mut(&self, range: &Range<usize>) -> &mut [f32] {
        let cells = &self.0[range.clone()];
        // SAFETY: the cells may be written through; nobody else reaches them.
        unsafe {
            let first = UnsafeCell::raw_get(cells.as_ptr());
            std::slice::from_raw_parts_mut(first, cells.len())
        }
    }
}

/// Floats of each array.
pub const ELEMENTS: usize = 4 << 20;
/// Iterations of the arithmetic, all threads together.
pub const ITERATIONS: usize = 1 << 18;
/// Pieces that the work is cut into.
const PIECES: usize = 64;

impl Reference {
    /// Starts the threads. `amount` is the number of floats in each array or, for arithmetic, of
    /// iterations.
    pub fn new(kind: Kind, amount: usize) -> Self {
        let count = threads();
        let arrays = match kind {
            Kind::Triad => 3,
            Kind::Copy => 2,
            Kind::Fma => 0,
        };
        let shared = Arc::new(Shared {
            kind,
            amount,
            memory: [0, 1, 2].map(|array| Array::new(if array < arrays { amount } else { 0 })),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            call: Mutex::default(),
            called: Condvar::new(),
        });
        let helpers = (1..count)
            .map(|_| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.help())
            })
            .collect();
        Self { shared, helpers }
    }

    /// Does it once. A helper that comes late is not waited for.
    pub fn run(&self) {
        let shared = &self.shared;
        shared.done.store(0, Ordering::Relaxed);
        // Whoever takes a piece from now on counts it as one of this run.
        shared.next.store(0, Ordering::Release);
        shared.call().run += 1;
        shared.called.notify_all();
        shared.pieces();
        while shared.done.load(Ordering::Acquire) < shared.count() {
            std::thread::yield_now();
        }
    }

    /// Bytes or floating-point operations of one run.
    pub fn work(&self) -> u64 {
        let amount = self.shared.amount;
        (match self.shared.kind {
            Kind::Triad => 12 * amount,
            Kind::Copy => 8 * amount,
            Kind::Fma => 2 * amount * operations(),
        }) as u64
    }

    /// Billions a second of what [`Self::work`] counts, the median of some runs.
    fn rate(&self, samples: usize) -> f64 {
        self.run();
        let times: Vec<f64> = (0..samples)
            .map(|_| {
                let start = Instant::now();
                self.run();
                start.elapsed().as_secs_f64()
            })
            .collect();
        stats::spread(&times).map_or(0.0, |time| self.work() as f64 / time.median / 1e9)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.shared.call().over = true;
        self.shared.called.notify_all();
        for helper in self.helpers.drain(..) {
            let _ = helper.join();
        }
    }
}

impl Shared {
    fn call(&self) -> MutexGuard<'_, Call> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another thread: takes part in every run.
    fn help(&self) {
        let mut last = 0;
        loop {
            {
                let waiting = |call: &mut Call| call.run == last && !call.over;
                let call = self.called.wait_while(self.call(), waiting);
                let call = call.unwrap_or_else(PoisonError::into_inner);
                if call.over {
                    return;
                }
                last = call.run;
            }
            self.pieces();
        }
    }

    /// Number of pieces.
    fn count(&self) -> usize {
        self.amount.div_ceil(self.size())
    }

    /// Size of all pieces but the last.
    fn size(&self) -> usize {
        self.amount.div_ceil(PIECES).max(1)
    }

    /// Takes pieces until there are no more.
    fn pieces(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Acquire);
            if number >= self.count() {
                return;
            }
            let first = number * self.size();
            let range = first..self.amount.min(first + self.size());
            let [a, b, c] = &self.memory;
            // SAFETY: the counter gives each piece to one thread in a run, and a run begins when all
            // pieces of the last are done.
            unsafe {
                match self.kind {
                    Kind::Triad => triad(a.piece_mut(&range), b.piece(&range), c.piece(&range)),
                    Kind::Copy => copy(a.piece_mut(&range), b.piece(&range)),
                    Kind::Fma => fma(range.len()),
                }
            }
            self.done.fetch_add(1, Ordering::Release);
        }
    }
}

/// Processors that this process may use.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Measures all, each the median of so many runs.
pub fn measure(samples: usize) -> Limits {
    let rate = |kind, amount| Reference::new(kind, amount).rate(samples);
    Limits {
        threads: threads(),
        triad: rate(Kind::Triad, ELEMENTS),
        copy: rate(Kind::Copy, ELEMENTS),
        fma_f32: rate(Kind::Fma, ITERATIONS),
    }
}

/// Calls the version for the widest vectors that the processor has.
macro_rules! widest {
    ($name:ident($($arg:expr),*)) => {{
        // SAFETY: each version is called on processors that have its instructions only.
        unsafe {
            if is_x86_feature_detected!("avx512f") {
                x86::avx512::$name($($arg),*)
            } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                x86::avx2::$name($($arg),*)
            } else {
                x86::sse2::$name($($arg),*)
            }
        }
    }};
}

fn triad(a: &mut [f32], b: &[f32], c: &[f32]) {
    widest!(triad(a, black_box(b), black_box(c)));
    black_box(a);
}

fn copy(a: &mut [f32], b: &[f32]) {
    widest!(copy(a, black_box(b)));
    black_box(a);
}

fn fma(iterations: usize) {
    black_box(widest!(fma(black_box(iterations), black_box(0.5))));
}

/// Single-precision multiply-adds of one iteration.
fn operations() -> usize {
    if is_x86_feature_detected!("avx512f") {
        x86::avx512::OPERATIONS
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        x86::avx2::OPERATIONS
    } else {
        x86::sse2::OPERATIONS
    }
}

/// The loops for each width of vectors.
mod x86 {
    use std::arch::x86_64::*;

    /// Makes the module of one width: vector type, lanes, number of independent sums, and
    /// intrinsics.
    macro_rules! width {
        ($module:ident, $features:literal, $vector:ty, $lanes:literal, $sums:literal,
         $load:ident, $store:ident, $set:ident, $multiply_add:expr) => {
            pub mod $module {
                use super::*;

                /// Multiply-adds of one iteration of `fma`.
                pub const OPERATIONS: usize = $lanes * $sums;

                /// `a = b + 3 c`.
                ///
                /// # Safety
                /// The processor has the instructions.
                #[target_feature(enable = $features)]
                pub unsafe fn triad(a: &mut [f32], b: &[f32], c: &[f32]) {
                    let (a, rest) = a.as_chunks_mut::<$lanes>();
                    let (b, b_rest) = b.as_chunks::<$lanes>();
                    let (c, c_rest) = c.as_chunks::<$lanes>();
                    let scale = $set(3.0);
                    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                        // SAFETY: chunks of as many lanes.
                        unsafe {
                            let (b, c) = ($load(b.as_ptr()), $load(c.as_ptr()));
                            $store(a.as_mut_ptr(), $multiply_add(scale, c, b));
                        }
                    }
                    for ((a, b), c) in rest.iter_mut().zip(b_rest).zip(c_rest) {
                        *a = b + 3.0 * c;
                    }
                }

                /// `a = b`.
                ///
                /// # Safety
                /// The processor has the instructions.
                #[target_feature(enable = $features)]
                pub unsafe fn copy(a: &mut [f32], b: &[f32]) {
                    let (a, rest) = a.as_chunks_mut::<$lanes>();
                    let (b, b_rest) = b.as_chunks::<$lanes>();
                    for (a, b) in a.iter_mut().zip(b) {
                        // SAFETY: chunks of as many lanes.
                        unsafe { $store(a.as_mut_ptr(), $load(b.as_ptr())) };
                    }
                    rest.copy_from_slice(b_rest);
                }

                /// Independent chains of multiply-adds, enough of them to fill the units.
                ///
                /// # Safety
                /// The processor has the instructions.
                #[target_feature(enable = $features)]
                pub unsafe fn fma(iterations: usize, factor: f32) -> f32 {
                    let factor = $set(factor);
                    let mut sums = [$set(1.0); $sums];
                    for _ in 0..iterations {
                        for sum in &mut sums {
                            *sum = $multiply_add(*sum, factor, factor);
                        }
                    }
                    let mut total = 0.0;
                    for sum in sums {
                        let mut lanes = [0f32; $lanes];
                        // SAFETY: as many lanes.
                        unsafe { $store(lanes.as_mut_ptr(), sum) };
                        total += lanes.iter().sum::<f32>();
                    }
                    total
                }
            }
        };
    }

    width!(
        avx512,
        "avx512f",
        __m512,
        16,
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        |a, b, c| _mm512_fmadd_ps(a, b, c)
    );
    width!(
        avx2,
        "avx2,fma",
        __m256,
        8,
        12,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        |a, b, c| _mm256_fmadd_ps(a, b, c)
    );
    width!(
        sse2,
        "sse2",
        __m128,
        4,
        12,
        _mm_loadu_ps,
        _mm_storeu_ps,
        _mm_set1_ps,
        |a, b, c| _mm_add_ps(_mm_mul_ps(a, b), c)
    );
}

#[cfg(test)]
mod tests {
    use super::{Kind, Reference, x86};

    #[test]
    fn loops_do_what_they_say() {
        let (b, c) = ([1.0f32, 2.0, 3.0, 4.0, 5.0], [1.0f32; 5]);
        let mut a = [0f32; 5];
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { x86::sse2::triad(&mut a, &b, &c) };
        assert_eq!(a, [4.0, 5.0, 6.0, 7.0, 8.0]);
        // SAFETY: as above.
        unsafe { x86::sse2::copy(&mut a, &b) };
        assert_eq!(a, b);
        // One iteration gives 1 * 0.5 + 0.5 in each of the lanes.
        // SAFETY: as above.
        let sum = unsafe { x86::sse2::fma(1, 0.5) };
        assert_eq!(sum, x86::sse2::OPERATIONS as f32);
    }

    #[test]
    fn references_count_their_work() {
        let reference = Reference::new(Kind::Triad, 1000);
        assert_eq!(reference.work(), 12_000);
        assert!(reference.rate(2) > 0.0);
        // SAFETY: nothing runs.
        let sums = unsafe { reference.shared.memory[0].piece(&(0..1000)) };
        assert!(sums.iter().all(|sum| *sum == 4.0), "each piece is done");
        let reference = Reference::new(Kind::Fma, 10);
        assert_eq!(reference.work(), (20 * super::operations()) as u64);
        assert!(reference.rate(2) > 0.0);
    }
}
