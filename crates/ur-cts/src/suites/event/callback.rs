//! Functions that are called when an event reaches a status.

use crate::failure::{Stop, check};
use crate::objects::{Event, Gate};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::c_void;
use std::sync::{Condvar, Mutex};
use std::time::Duration;
use ur_api::*;

/// The calls so far, each with its event and status.
#[derive(Debug, Default)]
struct Calls {
    all: Mutex<Vec<(usize, ur_execution_info_t)>>,
    more: Condvar,
}

/// How long a call may take to come; only a call that never comes needs it.
const PATIENCE: Duration = Duration::from_secs(20);

impl Calls {
    fn leaked() -> &'static Calls {
        // A call that comes late, which would be a failure, must find it still.
        Box::leak(Box::default())
    }

    fn set(&'static self, event: &Event, status: ur_execution_info_t) -> Outcome {
        let data = (&raw const *self).cast_mut().cast();
        ok!(urEventSetCallback(event.get(), status, Some(called), data))?;
        Ok(())
    }

    fn wait(&self, number: usize) -> Result<Vec<(usize, ur_execution_info_t)>, Stop> {
        let all = self.all.lock().expect("no panic");
        let (all, _) = self
            .more
            .wait_timeout_while(all, PATIENCE, |all| all.len() < number)
            .expect("no panic");
        ensure!(all.len() >= number, "{} calls of {number} came", all.len());
        Ok(all.clone())
    }
}

extern "C" fn called(event: ur_event_handle_t, status: ur_execution_info_t, data: *mut c_void) {
    // SAFETY: the tests give calls that live for ever.
    let calls = unsafe { &*data.cast::<Calls>() };
    let mut all = calls.all.lock().expect("no panic");
    all.push((event.expose_provenance(), status));
    calls.more.notify_all();
}

/// A function set while the command is blocked is called once, when it may.
fn blocked(cx: &Cx, status: ur_execution_info_t) -> Outcome {
    let (context, queue) = cx.queue(0)?;
    let gate = Gate::new(cx, &context)?;
    let event = gate.block(&queue)?;
    let calls = Calls::leaked();
    calls.set(&event, status)?;
    if status == UR_EXECUTION_INFO_COMPLETE {
        let early = calls.all.lock().expect("no panic").len();
        same!("calls before the gate opens", early, 0);
    }
    gate.open();
    event.wait()?;
    let all = calls.wait(1)?;
    same!("the event", all[0].0, event.get().expose_provenance());
    // A later status may be told for an earlier one that was asked for.
    ensure!(all[0].1.0 <= status.0, "{} for {status}", all[0].1);
    queue.finish()
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("complete::while_blocked", |cx| {
        blocked(cx, UR_EXECUTION_INFO_COMPLETE)
    });
    suite.device("running::while_blocked", |cx| {
        blocked(cx, UR_EXECUTION_INFO_RUNNING)
    });
    suite.device("submitted::while_blocked", |cx| {
        blocked(cx, UR_EXECUTION_INFO_SUBMITTED)
    });
    suite.device("complete::after_the_end", |cx| {
        let (_context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        event.wait()?;
        let calls = Calls::leaked();
        calls.set(&event, UR_EXECUTION_INFO_COMPLETE)?;
        same!("calls", calls.wait(1)?.len(), 1);
        Ok(())
    });
    for number in [2, 16] {
        suite.device(format!("complete::{number}_functions"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let gate = Gate::new(cx, &context)?;
            let event = gate.block(&queue)?;
            let calls = Calls::leaked();
            for _ in 0..number {
                calls.set(&event, UR_EXECUTION_INFO_COMPLETE)?;
            }
            gate.open();
            event.wait()?;
            same!("calls", calls.wait(number)?.len(), number);
            queue.finish()
        });
    }
    suite.device("complete::the_event_is_released_before", |cx| {
        let (context, queue) = cx.queue(0)?;
        let gate = Gate::new(cx, &context)?;
        let event = gate.block(&queue)?;
        let calls = Calls::leaked();
        calls.set(&event, UR_EXECUTION_INFO_COMPLETE)?;
        drop(event);
        gate.open();
        queue.finish()?;
        same!("calls", calls.wait(1)?.len(), 1);
        Ok(())
    });
    suite.validated().device("queued::is_refused", |cx| {
        let (_context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        let calls = Calls::leaked();
        let data = (&raw const *calls).cast_mut().cast();
        let status = UR_EXECUTION_INFO_QUEUED;
        let code = ur!(urEventSetCallback(event.get(), status, Some(called), data));
        let refused = UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
        check("urEventSetCallback", refused, code)?;
        Ok(())
    });
}
