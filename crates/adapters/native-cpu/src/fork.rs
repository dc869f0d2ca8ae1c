//! What makes a forked child whole: it has none of its parent's other threads, neither the workers
//! nor one that was in the middle of a change.
//!
//! Changes of what a child may use are made in [`section`]s, mostly by way of the [`Mutex`] here; a
//! fork waits until no thread is in one, and holds newcomers up until it is over. So the child finds
//! every such lock free and all behind it consistent.
//!
//! The number of forks between the process that loaded the library and this one, the *generation*,
//! is counted by a handler in the child. Commands remember the generation they were made in; one
//! that was unfinished at the fork can never finish in the child and is reported as lost.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, compiler_fence, fence};
use std::sync::{MutexGuard, OnceLock, PoisonError};

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The generation of this process.
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Starts counting forks; cheap when called again.
pub fn watch() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    // No `Once`: a child forked by another thread during this would wait for its end.
    if WATCHED.load(Ordering::Relaxed) || WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    ask_for_barriers();
    // SAFETY: the handlers only touch atomics and the calling thread's own memory, and the library
    // is never unloaded (it is linked `nodelete`).
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// Low bits of [`GATE`]: how many threads fork.
const FORKS: u32 = 0xffff;

/// Bit of [`GATE`]: a thread that enters a section must make that visible by itself.
const FENCE: u32 = 1 << 31;

/// 0 in the usual case, in which entering a section takes no more than a look at this.
static GATE: AtomicU32 = AtomicU32::new(FENCE);

/// A place where a thread notes how deep in sections it is.
#[repr(align(64))]
struct Slot {
    taken: AtomicBool,
    depth: AtomicU32,
}

const SLOTS: usize = 512;

static OWN: [Slot; SLOTS] = [const {
    Slot {
        taken: AtomicBool::new(false),
        depth: AtomicU32::new(0),
    }
}; SLOTS];

/// For all threads that found every other slot taken.
static COMMON: AtomicU32 = AtomicU32::new(0);

/// The thread's slot by number; [`SLOTS`] for the common one.
const UNKNOWN: usize = usize::MAX;

thread_local! {
    static NUMBER: Cell<usize> = const { Cell::new(UNKNOWN) };
    /// Depth of a thread in the common slot.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LEASE: Lease = const { Lease(Cell::new(None)) };
}

/// Gives a slot back when its thread ends.
struct Lease(Cell<Option<&'static Slot>>);

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            // Sections of later destructors use the common slot.
            NUMBER.set(SLOTS);
            slot.taken.store(false, Ordering::Release);
        }
    }
}

#[cold]
fn lease() -> usize {
    let free = |slot: &Slot| !slot.taken.swap(true, Ordering::Acquire);
    let number = OWN.iter().position(free).unwrap_or(SLOTS);
    if let Some(slot) = OWN.get(number) {
        let kept = LEASE.try_with(|lease| lease.0.set(Some(slot)));
        if kept.is_err() {
            // The thread is ending and would not give it back.
            slot.taken.store(false, Ordering::Release);
            NUMBER.set(SLOTS);
            return SLOTS;
        }
    }
    NUMBER.set(number);
    number
}

/// A stretch of a thread's work in which no fork happens. It is short and waits for nothing but
/// other sections, and no code of the program runs in it.
pub struct Section(Option<&'static Slot>);

/// Enters a section; sections nest.
pub fn section() -> Section {
    let mut number = NUMBER.get();
    if number == UNKNOWN {
        number = lease();
    }
    let Some(slot) = OWN.get(number) else {
        return common();
    };
    let depth = slot.depth.load(Ordering::Relaxed);
    slot.depth.store(depth + 1, Ordering::Relaxed);
    // A forking thread closes the gate and then has the kernel order the memory of all threads:
    // either this one sees the gate closed, or the forking one sees the depth.
    compiler_fence(Ordering::SeqCst);
    if depth == 0 && GATE.load(Ordering::Relaxed) != 0 {
        pass(slot);
    }
    Section(Some(slot))
}

#[cold]
fn pass(slot: &Slot) {
    loop {
        fence(Ordering::SeqCst);
        if GATE.load(Ordering::SeqCst) & FORKS == 0 {
            return;
        }
        slot.depth.store(0, Ordering::Release);
        wait_for_opening();
        slot.depth.store(1, Ordering::Relaxed);
    }
}

#[cold]
fn common() -> Section {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    if depth == 0 {
        COMMON.fetch_add(1, Ordering::SeqCst);
        while GATE.load(Ordering::SeqCst) & FORKS != 0 {
            COMMON.fetch_sub(1, Ordering::Release);
            wait_for_opening();
            COMMON.fetch_add(1, Ordering::SeqCst);
        }
    }
    Section(None)
}

/// A fork takes a fraction of a millisecond.
fn wait_for_opening() {
    while GATE.load(Ordering::Acquire) & FORKS != 0 {
        std::thread::yield_now();
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        match self.0 {
            Some(slot) => {
                let depth = slot.depth.load(Ordering::Relaxed);
                slot.depth.store(depth - 1, Ordering::Release);
            }
            None => {
                let depth = DEPTH.get() - 1;
                DEPTH.set(depth);
                if depth == 0 {
                    COMMON.fetch_sub(1, Ordering::Release);
                }
            }
        }
    }
}

const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call orders memory and touches none.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Has forks order the memory of other threads, where the kernel can, so that sections need not.
fn ask_for_barriers() {
    if membarrier(REGISTER_PRIVATE_EXPEDITED) && membarrier(PRIVATE_EXPEDITED) {
        GATE.fetch_and(!FENCE, Ordering::SeqCst);
    } else {
        GATE.fetch_or(FENCE, Ordering::SeqCst);
    }
}

extern "C" fn before() {
    let gate = GATE.fetch_add(1, Ordering::SeqCst);
    if gate & FENCE == 0 {
        membarrier(PRIVATE_EXPEDITED);
    }
    let number = NUMBER.get();
    // The thread itself is in none, or it would be in the middle of a change.
    let others = OWN.iter().enumerate().filter(|(other, _)| *other != number);
    for (_, slot) in others {
        wait_until(|| slot.depth.load(Ordering::SeqCst) == 0);
    }
    wait_until(|| COMMON.load(Ordering::SeqCst) == 0);
}

/// Most sections take microseconds; a compilation is one too, and needs the CPU.
fn wait_until(is_so: impl Fn() -> bool) {
    let mut turns = 0u32;
    while !is_so() {
        if turns < 1000 {
            turns += 1;
            std::thread::yield_now();
        } else {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
    }
}

extern "C" fn in_parent() {
    GATE.fetch_sub(1, Ordering::SeqCst);
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    let number = NUMBER.get();
    for (other, slot) in OWN.iter().enumerate() {
        if other != number {
            slot.depth.store(0, Ordering::Relaxed);
            slot.taken.store(false, Ordering::Relaxed);
        }
    }
    GATE.fetch_and(FENCE, Ordering::SeqCst);
    ask_for_barriers();
    crate::pool::forget();
    crate::standstill::forget();
}

/// A mutex that is free in a forked child unless the forking thread itself holds it. A panic with
/// the lock held does not poison it.
#[derive(Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

/// The right to use what a [`Mutex`] guards.
pub struct Guard<'a, T> {
    // Given back before the section ends.
    inner: MutexGuard<'a, T>,
    _section: Section,
}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> Guard<'_, T> {
        let section = section();
        Guard {
            inner: self.0.lock().unwrap_or_else(PoisonError::into_inner),
            _section: section,
        }
    }

    /// What it guards, for its only user.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// What `cell` holds, made by the first call; a child never finds it half made.
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    match cell.get() {
        Some(made) => made,
        None => {
            let _section = section();
            cell.get_or_init(make)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Forks; the child answers with its exit code.
    fn fork(child: impl FnOnce() -> i32) -> i32 {
        // SAFETY: the child runs `child`, which only takes locks, and ends.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            // SAFETY: a signal without a handler ends a child that hangs.
            unsafe { libc::alarm(20) };
            let code = child();
            // SAFETY: ends the process.
            unsafe { libc::_exit(code) };
        }
        let mut status = -1;
        // SAFETY: waits for the child just made.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        status
    }

    /// Threads that take several locks all the time, in nests; every child finds them free, and the
    /// two values as equal as they always are outside of the lock.
    #[test]
    fn a_child_finds_locks_free_and_values_whole() {
        static OUTER: Mutex<(u64, u64)> = Mutex::new((0, 0));
        static INNER: Mutex<(u64, u64)> = Mutex::new((0, 0));
        watch();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let mut outer = OUTER.lock();
                        outer.0 += 1;
                        let mut inner = INNER.lock();
                        inner.0 += 1;
                        std::hint::black_box(&mut inner).1 += 1;
                        drop(inner);
                        std::hint::black_box(&mut outer).1 += 1;
                    }
                });
            }
            let generation = generation();
            for _ in 0..100 {
                let status = fork(|| {
                    let (outer, inner) = (OUTER.lock(), INNER.lock());
                    let whole = outer.0 == outer.1 && inner.0 == inner.1;
                    i32::from(!whole || super::generation() != generation + 1)
                });
                assert_eq!(status, 0);
            }
            stop.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn slots_are_given_back() {
        for _ in 0..2 * SLOTS {
            std::thread::spawn(|| drop(section())).join().unwrap();
        }
        std::thread::spawn(|| {
            let outer = section();
            assert!(NUMBER.get() < SLOTS);
            drop((section(), outer));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn more_threads_than_slots_share_one() {
        NUMBER.with(|number| {
            let own = number.replace(SLOTS);
            let before = COMMON.load(Ordering::Relaxed);
            let (outer, inner) = (section(), section());
            assert!(COMMON.load(Ordering::Relaxed) > before);
            drop(inner);
            drop(outer);
            number.set(own);
        });
        assert_eq!(DEPTH.get(), 0);
    }

    #[test]
    fn a_panic_does_not_poison() {
        let mutex = Mutex::new(1);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = mutex.lock();
            panic!("on purpose");
        }));
        assert!(caught.is_err());
        assert_eq!(*mutex.lock(), 1);
    }
}
