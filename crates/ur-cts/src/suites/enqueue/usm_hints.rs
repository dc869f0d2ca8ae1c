//! `urEnqueueUSMPrefetch` and `urEnqueueUSMAdvise`, which change nothing that can be seen.

use super::bytes::{bytes, named};
use super::command::{Command, Scene, Subject, Wait};
use super::common;
use super::memories::{Area, Home};
use crate::failure::{Stop, check};
use crate::objects::UsmKind;
use crate::test::Suite;
use crate::{Outcome, ur};
use std::ptr::null_mut;
use ur_api::*;

const PREFETCH: Subject = Subject::new("urEnqueueUSMPrefetch", UR_COMMAND_USM_PREFETCH, |scene| {
    let flags = UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0;
    Ok(Box::new(Hint::new(
        scene,
        UsmKind::Shared,
        Way::Prefetch,
        flags,
        4096,
    )?))
});

const ADVISE: Subject = Subject {
    waits: false,
    ..Subject::new("urEnqueueUSMAdvise", UR_COMMAND_USM_ADVISE, |scene| {
        let flags = UR_USM_ADVICE_FLAG_DEFAULT.0;
        Ok(Box::new(Hint::new(
            scene,
            UsmKind::Shared,
            Way::Advise,
            flags,
            4096,
        )?))
    })
};

#[derive(Clone, Copy)]
enum Way {
    Prefetch,
    Advise,
}

/// A hint about memory.
struct Hint {
    area: Area,
    way: Way,
    flags: u32,
    size: usize,
}

impl Hint {
    fn new(scene: &Scene, kind: UsmKind, way: Way, flags: u32, size: usize) -> Result<Hint, Stop> {
        Ok(Hint {
            area: Area::of(scene, Home::Usm(kind), &bytes(size, 1))?,
            way,
            flags,
            size,
        })
    }

    fn call(&self) -> &'static str {
        match self.way {
            Way::Prefetch => PREFETCH.call,
            Way::Advise => ADVISE.call,
        }
    }
}

impl Command for Hint {
    fn enqueue(
        &mut self,
        queue: ur_queue_handle_t,
        _: bool,
        wait: Wait,
        event: *mut ur_event_handle_t,
    ) -> ur_result_t {
        let (at, size, flags) = (self.area.at().cast_const().cast(), self.size, self.flags);
        let (count, list) = (wait.count, wait.list);
        match self.way {
            Way::Prefetch => ur!(urEnqueueUSMPrefetch(
                queue, at, size, flags, count, list, event
            )),
            Way::Advise => ur!(urEnqueueUSMAdvise(queue, at, size, flags, event)),
        }
    }

    fn happened(&mut self, _: &Scene) -> Result<Option<bool>, Stop> {
        Ok(None)
    }

    fn end(&mut self, scene: &Scene) -> Outcome {
        self.area
            .same(scene, &bytes(self.area.bytes(scene)?.len(), 1))
    }
}

/// The ways to move memory.
const MOVES: [(&str, u32); 2] = [
    ("host_to_device", UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE.0),
    ("device_to_host", UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST.0),
];

/// All advice.
pub(crate) const ADVICE: [(&str, ur_usm_advice_flag_t); 17] = [
    ("default", UR_USM_ADVICE_FLAG_DEFAULT),
    ("read_mostly", UR_USM_ADVICE_FLAG_SET_READ_MOSTLY),
    ("not_read_mostly", UR_USM_ADVICE_FLAG_CLEAR_READ_MOSTLY),
    (
        "preferred_location",
        UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION,
    ),
    (
        "no_preferred_location",
        UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION,
    ),
    (
        "non_atomic_mostly",
        UR_USM_ADVICE_FLAG_SET_NON_ATOMIC_MOSTLY,
    ),
    (
        "not_non_atomic_mostly",
        UR_USM_ADVICE_FLAG_CLEAR_NON_ATOMIC_MOSTLY,
    ),
    ("bias_cached", UR_USM_ADVICE_FLAG_BIAS_CACHED),
    ("bias_uncached", UR_USM_ADVICE_FLAG_BIAS_UNCACHED),
    (
        "accessed_by_device",
        UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_DEVICE,
    ),
    (
        "not_accessed_by_device",
        UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_DEVICE,
    ),
    ("accessed_by_host", UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_HOST),
    (
        "not_accessed_by_host",
        UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_HOST,
    ),
    (
        "preferred_location_host",
        UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION_HOST,
    ),
    (
        "no_preferred_location_host",
        UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION_HOST,
    ),
    ("non_coherent", UR_USM_ADVICE_FLAG_SET_NON_COHERENT_MEMORY),
    (
        "not_non_coherent",
        UR_USM_ADVICE_FLAG_CLEAR_NON_COHERENT_MEMORY,
    ),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    let mut prefetch = suite.part("usm_prefetch");
    common::tests(&mut prefetch, PREFETCH);
    for kind in UsmKind::ALL {
        for (name, flags) in MOVES {
            for size in [1, 4096, 1 << 20] {
                let name = format!("{}::{name}::{}", kind.name(), named(size));
                add(&mut prefetch, name, kind, Way::Prefetch, flags, size);
            }
        }
    }
    refused(&mut prefetch, Way::Prefetch, MOVES[0].1);
    let mut advise = suite.part("usm_advise");
    common::tests(&mut advise, ADVISE);
    for kind in UsmKind::ALL {
        for (name, flags) in ADVICE {
            let name = format!("{}::{name}", kind.name());
            add(&mut advise, name, kind, Way::Advise, flags.0, 4096);
        }
    }
    refused(&mut advise, Way::Advise, UR_USM_ADVICE_FLAG_DEFAULT.0);
}

fn add(suite: &mut Suite<'_>, name: String, kind: UsmKind, way: Way, flags: u32, size: usize) {
    suite.device(name, move |cx| {
        let scene = Scene::new(cx, 0)?;
        let mut hint = Hint::new(&scene, kind, way, flags, size)?;
        let code = hint.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
        check(hint.call(), UR_RESULT_SUCCESS, code)?;
        scene.queue.finish()?;
        hint.end(&scene)
    });
}

fn refused(suite: &mut Suite<'_>, way: Way, flags: u32) {
    suite.device("errors::no_size", move |cx| {
        let scene = Scene::new(cx, 0)?;
        let mut hint = Hint::new(&scene, UsmKind::Shared, way, flags, 4096)?;
        hint.size = 0;
        let code = hint.enqueue(scene.queue.get(), false, Wait::NONE, null_mut());
        check(hint.call(), UR_RESULT_ERROR_INVALID_SIZE, code)?;
        Ok(())
    });
}
