//! Queues.
use crate::test::Suite;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("finish::empty", |cx| {
        let (_context, queue) = cx.queue(0)?;
        queue.finish()
    });
}
