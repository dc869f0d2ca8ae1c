//! Two queues, two threads, and commands that wait for each other's.

use crate::case;
use crate::driver::{Driver, NEWEST};
use crate::support::*;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};

/// Commands of a thread in a round.
const COMMANDS: usize = 12;

/// A thread enqueues to its queue; every command waits for the last that the other thread has told of.
fn work(
    queue: &Queue,
    to: &std::sync::mpsc::Sender<Arc<Event>>,
    from: &std::sync::mpsc::Receiver<Arc<Event>>,
) {
    let mut theirs: Option<Arc<Event>> = None;
    for _ in 0..COMMANDS {
        if let Ok(event) = from.try_recv() {
            theirs = Some(event);
        }
        let waits: Vec<&Event> = theirs.iter().map(Arc::as_ref).collect();
        let own = Arc::new(queue.marker(&waits).expect("a marker"));
        let _ = to.send(own.clone());
        theirs.get_or_insert(own);
    }
    queue.finish().expect("an end");
}

case! {
    /// 1,000 schedules of the driver's.
    queues_that_wait_for_each_other_go_on, &[NEWEST, "1.0", "1.15 one-stream"], cross
}

fn cross(driver: &Driver) {
    let context = Context::new().expect("a context");
    for round in 0..1000 {
        driver.seed(round);
        let kinds = [0, BATCHED, FREE, BATCHED | FREE];
        let one = context.queue(kinds[round as usize % 4]).expect("a queue");
        let two = context
            .queue(kinds[round as usize / 4 % 4])
            .expect("a queue");
        let ((to_two, from_one), (to_one, from_two)) = (channel(), channel());
        let start = Barrier::new(2);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                // The ends move to their threads.
                let (to_two, from_two) = (to_two, from_two);
                start.wait();
                work(&one, &to_two, &from_two);
            });
            start.wait();
            work(&two, &to_one, &from_one);
        });
        assert_eq!(driver.unfinished(), 0, "round {round}");
    }
}
