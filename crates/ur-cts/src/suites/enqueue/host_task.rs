//! `urEnqueueHostTaskExp`.

use super::buffers::{SIZE, filled, same_buffer};
use super::bytes::{Host, bytes};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::{Stop, check};
use crate::objects::{Dam, Event, Usm, UsmKind, problem};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use ur_api::*;

const SUBJECT: Subject = Subject::new("urEnqueueHostTaskExp", UR_COMMAND_HOST_TASK_EXP, |scene| {
    scene
        .cx
        .needs(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP)?;
    Ok(Box::new(Counting(Box::default())))
});

/// A task that counts its calls.
struct Counting(Box<AtomicUsize>);

unsafe extern "C" fn count(calls: *mut c_void) {
    // SAFETY: the counter lives until the queue was finished.
    unsafe { &*calls.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

impl Command for Counting {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let data = std::ptr::from_ref(&*self.0).cast_mut().cast();
        let (count_of, list) = (wait.count, wait.list);
        ur!(urEnqueueHostTaskExp(
            queue,
            Some(count),
            data,
            null(),
            count_of,
            list,
            event
        ))
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(Some(self.0.load(Ordering::SeqCst) > 0))
    }
}

/// Enqueues a call of a closure, which must live until the queue was finished.
fn task<F: Fn() + Sync>(
    scene: &Scene,
    closure: &F,
    properties: Option<&ur_exp_host_task_properties_t>,
    event: *mut ur_event_handle_t,
) -> ur_result_t {
    unsafe extern "C" fn call<F: Fn()>(closure: *mut c_void) {
        // SAFETY: the closure lives until the queue was finished.
        let closure = unsafe { &*closure.cast::<F>() };
        closure();
    }
    let data = std::ptr::from_ref(closure).cast_mut().cast();
    let properties = properties.map_or(null(), std::ptr::from_ref);
    ur!(urEnqueueHostTaskExp(
        scene.queue.get(),
        Some(call::<F>),
        data,
        properties,
        0,
        null(),
        event
    ))
}

fn scene(cx: &Cx) -> Result<Scene, Stop> {
    cx.needs(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP)?;
    Scene::new(cx, 0)
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    common::tests(suite, SUBJECT);
    suite.device("called_once_for_each_call", |cx| {
        let scene = scene(cx)?;
        let mut counting = Counting(Box::default());
        for _ in 0..100 {
            let code = counting.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
            check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
        }
        scene.queue.finish()?;
        same!("calls", counting.0.load(Ordering::SeqCst), 100);
        Ok(())
    });
    suite.device("without_data", |cx| {
        unsafe extern "C" fn look(data: *mut c_void) {
            if !data.is_null() {
                problem("the task got data that nobody gave".into());
            }
        }
        let scene = scene(cx)?;
        ok!(urEnqueueHostTaskExp(
            scene.queue.get(),
            Some(look),
            null_mut(),
            null(),
            0,
            null(),
            null_mut()
        ))?;
        scene.queue.finish()
    });
    for (name, flags) in [
        ("with_properties", 0),
        ("flag_tbd", UR_EXP_HOST_TASK_FLAG_TBD.0),
    ] {
        suite.device(name, move |cx| {
            let scene = scene(cx)?;
            let calls = AtomicUsize::new(0);
            let properties = ur_exp_host_task_properties_t {
                flags,
                ..Default::default()
            };
            let count = || {
                calls.fetch_add(1, Ordering::SeqCst);
            };
            let code = task(&scene, &count, Some(&properties), null_mut());
            let finished = scene.queue.finish();
            check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
            finished?;
            same!("calls", calls.load(Ordering::SeqCst), 1);
            Ok(())
        });
    }
    suite.device("in_the_order_of_an_in_order_queue", |cx| {
        let scene = scene(cx)?;
        let order = Mutex::new(Vec::new());
        let note = |number: u32| {
            if let Ok(mut order) = order.lock() {
                order.push(number);
            }
        };
        let tasks: Vec<_> = (0..50).map(|number| move || note(number)).collect();
        let codes: Vec<_> = tasks
            .iter()
            .map(|one| task(&scene, one, None, null_mut()))
            .collect();
        let finished = scene.queue.finish();
        for code in codes {
            check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
        }
        finished?;
        let order = order.lock().map(|order| order.clone()).unwrap_or_default();
        same!("order of the tasks", order, (0..50).collect::<Vec<_>>());
        Ok(())
    });
    suite.device("sees_commands_before_and_is_seen_behind", seen);
    suite.device("may_call_the_api", calls_api);
    suite.device("may_enqueue", enqueues);
    suite.device("waits_for_a_task_of_another_queue", |cx| {
        let scene = scene(cx)?;
        let dam = Dam::of(cx, &scene.context, &scene.other)?;
        let mut counting = Counting(Box::default());
        let event = SUBJECT.event(&mut counting, &scene.queue, false, &[dam.event()])?;
        let early = event.ended()? || counting.0.load(Ordering::SeqCst) > 0;
        dam.pass()?;
        event.wait()?;
        ensure!(!early, "the task ran before what it waits for has ended");
        Ok(())
    });
    suite.device("honest", |cx| {
        let scene = Scene::new(cx, 0)?;
        if cx.has(UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP)? {
            return Ok(());
        }
        let mut counting = Counting(Box::default());
        let code = counting.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
        check(SUBJECT.call, UR_RESULT_ERROR_UNSUPPORTED_FEATURE, code)?;
        Ok(())
    });
}

/// A copy, a task that changes what was copied, and a copy of that.
fn seen(cx: &Cx) -> Outcome {
    let scene = scene(cx)?;
    let buffer = filled(&scene, SIZE, 1)?;
    let target = filled(&scene, SIZE, 2)?;
    let mut host = Host::new(SIZE);
    let at = host.at().expose_provenance();
    let change = move || {
        // SAFETY: the command before has ended, and the one behind has not begun.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut::<u8>(at), SIZE)
        };
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    };
    let (queue, place) = (scene.queue.get(), host.at());
    let read = ur!(urEnqueueMemBufferRead(
        queue,
        buffer.get(),
        false,
        0,
        SIZE,
        place.cast(),
        0,
        null(),
        null_mut()
    ));
    let changed = task(&scene, &change, None, null_mut());
    let written = ur!(urEnqueueMemBufferWrite(
        queue,
        target.get(),
        false,
        0,
        SIZE,
        place.cast_const().cast(),
        0,
        null(),
        null_mut()
    ));
    let finished = scene.queue.finish();
    check("urEnqueueMemBufferRead", UR_RESULT_SUCCESS, read)?;
    check(SUBJECT.call, UR_RESULT_SUCCESS, changed)?;
    check("urEnqueueMemBufferWrite", UR_RESULT_SUCCESS, written)?;
    finished?;
    let wanted: Vec<u8> = bytes(SIZE, 1).iter().map(|byte| !byte).collect();
    same_buffer(&scene, &target, &wanted)
}

fn calls_api(cx: &Cx) -> Outcome {
    let scene = scene(cx)?;
    let done = AtomicUsize::new(0);
    let work = || {
        let made = Usm::new(cx, &scene.context, UsmKind::Host, 64);
        match made.and_then(|mut usm| {
            usm.bytes().fill(1);
            usm.free()
        }) {
            Ok(()) => {
                done.fetch_add(1, Ordering::SeqCst);
            }
            Err(stop) => problem(format!("in the task: {stop:?}")),
        }
    };
    let code = task(&scene, &work, None, null_mut());
    let finished = scene.queue.finish();
    check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
    finished?;
    same!("calls", done.load(Ordering::SeqCst), 1);
    Ok(())
}

fn enqueues(cx: &Cx) -> Outcome {
    let scene = scene(cx)?;
    let buffer = filled(&scene, SIZE, 1)?;
    let from = bytes(SIZE, 2);
    let work = || {
        let event = Event::made("urEnqueueMemBufferWrite", |out| {
            let (queue, buffer) = (scene.other.get(), buffer.get());
            let from = from.as_ptr().cast();
            ur!(urEnqueueMemBufferWrite(
                queue,
                buffer,
                false,
                0,
                SIZE,
                from,
                0,
                null(),
                out
            ))
        });
        if let Err(stop) = event.and_then(|event| event.wait()) {
            problem(format!("in the task: {stop:?}"));
        }
    };
    let code = task(&scene, &work, None, null_mut());
    let finished = scene.queue.finish();
    check(SUBJECT.call, UR_RESULT_SUCCESS, code)?;
    finished?;
    same_buffer(&scene, &buffer, &bytes(SIZE, 2))
}
