//! The door of a queue, in all interleavings of a few threads.

use loom::sync::atomic;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;

#[path = "../src/door.rs"]
mod door;

use door::Door;

/// What a queue does with its door, as in `order.rs`: the lock guards whether somebody waits for those
/// inside.
struct Queue {
    door: Door,
    waited_for: Mutex<bool>,
    /// How often those who waited were told that nobody is inside any more.
    told: AtomicU64,
    /// What work reads and writes without any order of its own.
    value: loom::cell::UnsafeCell<u64>,
}

impl Queue {
    fn new(single: bool) -> Queue {
        Queue {
            door: Door::new(single, 0),
            waited_for: Mutex::new(false),
            told: AtomicU64::new(0),
            value: loom::cell::UnsafeCell::new(0),
        }
    }

    fn leave(&self) {
        if self.door.leave() && std::mem::take(&mut *self.waited_for.lock().unwrap()) {
            self.told.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Work on the spot, which needs the value for itself; false if it was held back.
    fn at_once(&self) -> bool {
        if !self.door.enter(0) {
            return false;
        }
        // SAFETY: the model fails if anybody else looks at the value meanwhile.
        self.value.with_mut(|value| unsafe { *value += 1 });
        self.leave();
        true
    }

    /// Closes the door; true if somebody is to be waited for.
    fn close(&self) -> bool {
        let mut waited_for = self.waited_for.lock().unwrap();
        if self.door.close() {
            *waited_for = true;
        }
        *waited_for
    }
}

#[test]
fn only_one_is_inside_of_a_single_door() {
    loom::model(|| {
        let queue = Arc::new(Queue::new(true));
        let other = queue.clone();
        let there = thread::spawn(move || u64::from(other.at_once()));
        let here = u64::from(queue.at_once());
        let done = here + there.join().unwrap();
        assert!(done >= 1);
        assert!(queue.door.is_quiet(0));
        // SAFETY: nobody else is left.
        assert_eq!(queue.value.with(|value| unsafe { *value }), done);
    });
}

#[test]
fn who_closes_the_door_waits_exactly_for_those_inside() {
    for single in [true, false] {
        loom::model(move || {
            let queue = Arc::new(Queue::new(single));
            let other = queue.clone();
            let inside = thread::spawn(move || other.at_once());
            let waits = queue.close();
            if !waits {
                // Nobody was inside and nobody can come in: the value is ours.
                // SAFETY: the model fails if anybody else looks at the value meanwhile.
                queue.value.with_mut(|value| unsafe { *value += 1 });
            }
            let ran = inside.join().unwrap();
            // Whoever waits is told, once, and nobody else is.
            assert_eq!(queue.told.load(Ordering::Relaxed), u64::from(waits));
            assert!(ran || !waits);
            assert!(queue.door.is_empty() && !queue.door.is_quiet(0) && !queue.door.enter(0));
            // SAFETY: nobody else is left.
            let value = queue.value.with(|value| unsafe { *value });
            assert_eq!(value, u64::from(!waits) + u64::from(ran));
        });
    }
}

#[test]
fn the_last_of_several_tells() {
    loom::model(|| {
        let queue = Arc::new(Queue::new(false));
        assert!(queue.door.enter(0));
        let (other, closing) = (queue.clone(), queue.clone());
        let inside = thread::spawn(move || {
            if other.door.enter(0) {
                other.leave();
            }
        });
        let waits = thread::spawn(move || closing.close());
        queue.leave();
        inside.join().unwrap();
        let waits = waits.join().unwrap();
        assert_eq!(queue.told.load(Ordering::Relaxed), u64::from(waits));
    });
}

#[test]
fn one_or_many_inside() {
    loom::model(|| {
        let (single, many) = (Door::new(true, 3), Door::new(false, 3));
        assert!(single.is_single() && single.is_quiet(3) && single.enter(3));
        assert!(!single.enter(3) && !single.is_quiet(3) && !single.is_empty());
        assert!(!many.is_single() && many.enter(3) && many.enter(3));
        assert!(!single.leave() && !many.leave() && !many.leave());
        assert!(single.enter(3) && !single.leave() && many.is_quiet(3));
    });
}

#[test]
fn a_closed_door_opens_again() {
    loom::model(|| {
        let door = Door::new(false, 0);
        assert!(door.enter(0) && door.enter(0));
        assert!(door.close() && !door.enter(0));
        assert!(!door.leave() && door.leave());
        assert!(!door.is_quiet(0) && !door.close());
        door.open();
        assert!(door.is_quiet(0) && door.enter(0));
    });
}

#[test]
fn nobody_is_inside_in_a_child() {
    loom::model(|| {
        let door = Door::new(true, 0);
        assert!(door.enter(0));
        assert!(door.is_current(0) && !door.is_current(1) && !door.enter(1) && !door.is_quiet(1));
        door.renew(1);
        assert!(!door.enter(1) && !door.close());
        door.open();
        assert!(door.enter(1));
    });
}
