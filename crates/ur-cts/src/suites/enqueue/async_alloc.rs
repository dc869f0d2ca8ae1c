//! `urEnqueueUSMDeviceAllocExp`, `urEnqueueUSMSharedAllocExp`, `urEnqueueUSMHostAllocExp` and
//! `urEnqueueUSMFreeExp`.

use super::bytes::{Host, alike, bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use crate::failure::{Stop, check};
use crate::info;
use crate::objects::{Pool, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const SIZE: usize = 4096;

const fn allocating(
    call: &'static str,
    command: ur_command_t,
    make: fn(&Scene) -> Result<Box<dyn Command>, Stop>,
) -> Subject {
    Subject::new(call, command, make)
}

const DEVICE: Subject = allocating(
    "urEnqueueUSMDeviceAllocExp",
    UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP,
    |scene| alloc(scene, UsmKind::Device),
);
const SHARED: Subject = allocating(
    "urEnqueueUSMSharedAllocExp",
    UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP,
    |scene| alloc(scene, UsmKind::Shared),
);
const HOST: Subject = allocating(
    "urEnqueueUSMHostAllocExp",
    UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP,
    |scene| alloc(scene, UsmKind::Host),
);
const FREE: Subject = Subject::new(
    "urEnqueueUSMFreeExp",
    UR_COMMAND_ENQUEUE_USM_FREE_EXP,
    |scene| {
        needed(&scene.cx, UsmKind::Device)?;
        let mut free = Free(Vec::new());
        // As many as any case needs: the queues may be blocked later.
        for _ in 0..64 {
            let mut place = null_mut();
            let (context, device) = (scene.context.get(), scene.cx.device());
            ok!(urUSMDeviceAlloc(
                context,
                device,
                null(),
                null_mut(),
                SIZE,
                &raw mut place
            ))?;
            free.0.push(place);
        }
        Ok(Box::new(free))
    },
);

/// Ends the test unless the device has these functions and the kind of memory.
#[track_caller]
fn needed(cx: &Cx, kind: UsmKind) -> Outcome {
    cx.needs(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)?;
    kind.needed(cx)
}

fn alloc(scene: &Scene, kind: UsmKind) -> Result<Box<dyn Command>, Stop> {
    needed(&scene.cx, kind)?;
    Ok(Box::new(Alloc {
        kind,
        pool: null_mut(),
        size: SIZE,
        places: Vec::new(),
    }))
}

/// Allocations.
struct Alloc {
    kind: UsmKind,
    pool: ur_usm_pool_handle_t,
    size: usize,
    places: Vec<*mut c_void>,
}

impl Alloc {
    fn call(&self) -> &'static str {
        match self.kind {
            UsmKind::Device => DEVICE.call,
            UsmKind::Shared => SHARED.call,
            UsmKind::Host => HOST.call,
        }
    }
}

impl Command for Alloc {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (pool, size, mut place) = (self.pool, self.size, null_mut());
        let (count, list, out) = (wait.count, wait.list, &raw mut place);
        let code = match self.kind {
            UsmKind::Device => ur!(urEnqueueUSMDeviceAllocExp(
                queue,
                pool,
                size,
                null(),
                count,
                list,
                out,
                event
            )),
            UsmKind::Shared => ur!(urEnqueueUSMSharedAllocExp(
                queue,
                pool,
                size,
                null(),
                count,
                list,
                out,
                event
            )),
            UsmKind::Host => ur!(urEnqueueUSMHostAllocExp(
                queue,
                pool,
                size,
                null(),
                count,
                list,
                out,
                event
            )),
        };
        if code == UR_RESULT_SUCCESS {
            self.places.push(place);
        }
        code
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        // Whether the memory may be used already is all that the command says.
        Ok(None)
    }

    fn end(&mut self, scene: &Scene) -> Outcome {
        let mut free = Free(std::mem::take(&mut self.places));
        for place in free.0.clone() {
            ensure!(!place.is_null(), "{} gave null", self.call());
            let code = free.enqueue(scene.other.get(), false, Wait::NONE, null_mut());
            check(FREE.call, UR_RESULT_SUCCESS, code)?;
        }
        scene.other.finish()
    }
}

/// Allocations to be freed, one by each call.
struct Free(Vec<*mut c_void>);

impl Command for Free {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let place = self.0.pop().unwrap_or_default();
        let (count, list) = (wait.count, wait.list);
        ur!(urEnqueueUSMFreeExp(
            queue,
            null_mut(),
            place,
            count,
            list,
            event
        ))
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(None)
    }

    fn end(&mut self, scene: &Scene) -> Outcome {
        for place in self.0.drain(..) {
            ok!(urUSMFree(scene.context.get(), place))?;
        }
        Ok(())
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, subject, kind) in [
        ("usm_device_alloc", DEVICE, UsmKind::Device),
        ("usm_shared_alloc", SHARED, UsmKind::Shared),
        ("usm_host_alloc", HOST, UsmKind::Host),
    ] {
        let mut suite = suite.part(name);
        common::tests(&mut suite, subject);
        for (pool, pooled) in [("no_pool", false), ("pool", true)] {
            for size in [1, 100, 4096, 1 << 20] {
                suite.device(format!("{pool}::{}", named(size)), move |cx| {
                    used(cx, kind, size, pooled)
                });
            }
        }
    }
    common::tests(&mut suite.part("usm_free"), FREE);
}

/// Memory that is allocated, written, read and freed by commands of a queue, none of which is waited
/// for.
fn used(cx: &Cx, kind: UsmKind, size: usize, pooled: bool) -> Outcome {
    needed(cx, kind)?;
    let scene = Scene::new(cx, 0)?;
    let pool = if pooled {
        cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
        Some(Pool::new(&scene.context)?)
    } else {
        None
    };
    let mut alloc = Alloc {
        kind,
        pool: pool.as_ref().map_or(null_mut(), Pool::get),
        size,
        places: Vec::new(),
    };
    let queue = scene.queue.get();
    let code = alloc.enqueue(queue, false, Wait::NONE, null_mut());
    check(alloc.call(), UR_RESULT_SUCCESS, code)?;
    let place = alloc.places[0];
    let context = scene.context.get();
    let ty: ur_usm_type_t = info::value("urUSMGetMemAllocInfo", |size, value, out| {
        let query = UR_USM_ALLOC_INFO_TYPE;
        ur!(urUSMGetMemAllocInfo(
            context, place, query, size, value, out
        ))
    })?;
    same!("type", ty, kind.answer());
    let (mut from, mut to) = (Host::of(&bytes(size, 1)), Host::new(size));
    let copies = [(place, from.at().cast::<c_void>()), (to.at().cast(), place)];
    for (target, source) in copies {
        ok!(urEnqueueUSMMemcpy(
            queue,
            false,
            target,
            source,
            size,
            0,
            null(),
            null_mut()
        ))?;
    }
    let freed = Free(vec![place]).enqueue(queue, false, Wait::NONE, null_mut());
    scene.queue.finish()?;
    check(FREE.call, UR_RESULT_SUCCESS, freed)?;
    alike("memory", to.bytes(), &bytes(size, 1))
}
