//! `urEnqueueNativeCommandExp`.

use super::buffers::{SIZE, filled};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::{Stop, check};
use crate::objects::Memory;
use crate::test::Suite;
use crate::{Outcome, ensure, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use ur_api::*;

const SUBJECT: Subject = Subject::new(
    "urEnqueueNativeCommandExp",
    UR_COMMAND_ENQUEUE_NATIVE_EXP,
    |scene| {
        scene
            .cx
            .needs(UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP)?;
        Ok(Box::new(Native {
            seen: Box::default(),
            taken: 0,
            memories: Vec::new(),
            properties: None,
        }))
    },
);

/// What the function saw.
#[derive(Default)]
struct Seen {
    calls: AtomicUsize,
    queue: AtomicUsize,
}

unsafe extern "C" fn submit(queue: ur_queue_handle_t, seen: *mut c_void) {
    // SAFETY: the call gave this, and it lives until the queue was finished.
    let seen = unsafe { &*seen.cast::<Seen>() };
    seen.queue
        .store(queue.expose_provenance(), Ordering::SeqCst);
    seen.calls.fetch_add(1, Ordering::SeqCst);
}

struct Native {
    seen: Box<Seen>,
    /// How many calls were taken.
    taken: usize,
    memories: Vec<Memory>,
    properties: Option<ur_exp_enqueue_native_command_properties_t>,
}

impl Command for Native {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let data = std::ptr::from_ref(&*self.seen).cast_mut().cast();
        let memories: Vec<_> = self.memories.iter().map(Memory::get).collect();
        let number = memories.len() as u32;
        let memories = if memories.is_empty() {
            null()
        } else {
            memories.as_ptr()
        };
        let properties = self.properties.as_ref();
        let properties = properties.map_or(null(), std::ptr::from_ref);
        let (count, list) = (wait.count, wait.list);
        let code = ur!(urEnqueueNativeCommandExp(
            queue,
            Some(submit),
            data,
            number,
            memories,
            properties,
            count,
            list,
            event
        ));
        self.taken += usize::from(code == UR_RESULT_SUCCESS);
        code
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        // The function runs when it is submitted; what it submits itself is nothing.
        Ok(None)
    }

    fn end(&mut self, _: &Scene) -> Outcome {
        let calls = self.seen.calls.load(Ordering::SeqCst);
        same!("calls of the function", calls, self.taken);
        Ok(())
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    suite.device("called_once_with_the_queue", |cx| {
        let scene = Scene::new(cx, 0)?;
        scene
            .cx
            .needs(UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP)?;
        let mut native = Native {
            seen: Box::default(),
            taken: 0,
            memories: vec![filled(&scene, SIZE, 1)?, filled(&scene, SIZE, 2)?],
            properties: Some(Default::default()),
        };
        let code = native.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
        check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
        scene.queue.finish()?;
        let calls = native.seen.calls.load(Ordering::SeqCst);
        ensure!(calls == 1, "the function was called {calls} times");
        let queue = native.seen.queue.load(Ordering::SeqCst);
        ensure!(
            queue == scene.queue.get().expose_provenance(),
            "the function was called with another queue"
        );
        Ok(())
    });
    suite.device("honest", |cx| {
        let scene = Scene::new(cx, 0)?;
        let query = UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP;
        if scene.cx.has(query)? {
            return Ok(());
        }
        let mut native = Native {
            seen: Box::default(),
            taken: 0,
            memories: Vec::new(),
            properties: None,
        };
        let code = native.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
        check(SUBJECT.call, UR_RESULT_ERROR_UNSUPPORTED_FEATURE, code)?;
        let calls = native.seen.calls.load(Ordering::SeqCst);
        ensure!(calls == 0, "a call that was declined called the function");
        Ok(())
    });
}
