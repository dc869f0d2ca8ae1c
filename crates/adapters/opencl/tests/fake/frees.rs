//! Memory goes after the commands that may use it, also those of queues that are released, and also
//! when calls of the driver fail.

use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::{case, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use ur_adapter_opencl::cl;
use ur_api::*;

/// A platform with shared virtual memory in the place of USM.
const SVM: &str = "2.0 svm fine il cl_khr_il_program";

/// A pool of a context.
struct Pool(ur_usm_pool_handle_t);

impl Pool {
    /// One that keeps nothing.
    fn new(context: &Context) -> Self {
        let mut limits = ur_usm_pool_limits_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_POOL_LIMITS_DESC,
            ..Default::default()
        };
        let mut desc = ur_usm_pool_desc_t {
            stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
            pNext: (&raw mut limits).cast(),
            ..Default::default()
        };
        let mut raw = null_mut();
        ur!(USM.pfnPoolCreate(context.0, &mut desc, &mut raw)).expect("a pool");
        Self(raw)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        ur!(USM.pfnPoolRelease(self.0)).expect("a release");
    }
}

/// A command on memory, which waits for an event.
struct Scene {
    queue: Option<Queue>,
    memory: *mut c_void,
    _wait: Event,
    until: cl::cl_event,
    _pool: Option<Pool>,
    context: Context,
}

impl Scene {
    fn new(pooled: bool) -> Self {
        let context = Context::new().expect("a context");
        let pool = pooled.then(|| Pool::new(&context));
        let raw = pool.as_ref().map_or(null_mut(), |pool| pool.0);
        let mut memory = null_mut();
        ur!(USM.pfnHostAlloc(context.0, null(), raw, 64, &mut memory)).expect("memory");
        let queue = context.queue(0).expect("a queue");
        let (wait, until) = context.user_event().expect("an event");
        let (to, from) = (memory, memory.wrapping_byte_add(32));
        ur!(Enqueue.pfnUSMMemcpy(queue.0, false, to, from, 32, 1, &wait.0, null_mut()))
            .expect("a copy");
        Self {
            queue: Some(queue),
            memory,
            _wait: wait,
            until,
            _pool: pool,
            context,
        }
    }

    fn free(&self) -> Result {
        ur!(USM.pfnFree(self.context.0, self.memory))
    }

    /// Does something during which the command ends, as soon as the driver waits for one. Fails if it
    /// returns before, or if memory goes before.
    fn expect_wait(&self, driver: &Driver, body: impl FnOnce() -> Result) {
        let frees = || driver.calls("clSVMFree") + driver.calls("clMemFreeINTEL");
        let before = frees();
        let returned = AtomicBool::new(false);
        let until = self.until.to_native();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                while driver.waiting() == 0 && !returned.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
                let waited = !returned.load(Ordering::Acquire) && frees() == before;
                complete(cl::cl_event::from_native(until), cl::CL_COMPLETE);
                waited
            });
            let result = body();
            returned.store(true, Ordering::Release);
            assert!(other.join().expect("an end"), "nothing waited");
            result.expect("it succeeds");
        });
    }
}

/// Frees memory that a command uses, of a queue that is there or released, after something was done to
/// the driver. Nothing is left then.
fn free(driver: &Driver, pooled: bool, released: bool, fail: fn(&Driver)) {
    driver.reset();
    let mut scene = Scene::new(pooled);
    fail(driver);
    if released {
        scene.queue = None;
    }
    scene.expect_wait(driver, || scene.free());
    assert_eq!(
        driver.calls("clSVMFree") + driver.calls("clMemFreeINTEL"),
        1
    );
    driver.reset();
    drop(scene);
    assert_eq!(driver.alive(), 0);
}

/// As above, for every failure that there is something to be done about.
fn frees(driver: &Driver, pooled: bool) {
    let failures: [fn(&Driver); 6] = [
        |_| {},
        |driver| driver.fail("clRetainCommandQueue", -5, 0, u64::MAX),
        |driver| driver.fail("clRetainEvent", -5, 0, u64::MAX),
        |driver| driver.fail("clFinish", -5, 0, u64::MAX),
        |driver| driver.fail("clEnqueueMarkerWithWaitList", -5, 0, u64::MAX),
        |driver| driver.fail("clSetEventCallback", -5, 0, u64::MAX),
    ];
    for fail in failures {
        for released in [false, true] {
            free(driver, pooled, released, fail);
        }
    }
}

case! { shared_virtual_memory_goes_after_commands, SVM, |driver| frees(driver, false) }
case! { pooled_shared_virtual_memory_goes_after_commands, SVM, |driver| frees(driver, true) }
case! { pooled_memory_goes_after_commands, EVERYTHING, |driver| frees(driver, true) }

case! {
    /// A driver that cannot tell whether commands have ended keeps the memory, and so does the program.
    memory_that_may_be_used_stays, SVM, |driver: &Driver| {
        let scene = Scene::new(false);
        // Neither way to wait is there.
        driver.fail("*", cl::CL_OUT_OF_RESOURCES, 0, 2);
        assert_eq!(scene.free(), Err(UR_RESULT_ERROR_OUT_OF_RESOURCES));
        assert_eq!((driver.failed(), driver.calls("clSVMFree")), (2, 0));
        scene.expect_wait(driver, || scene.free());
        assert_eq!(scene.free(), Err(UR_RESULT_ERROR_INVALID_MEM_OBJECT));
        drop(scene);
        assert_eq!(driver.alive(), 0);
    }
}

case! {
    /// A command that failed has ended, too.
    memory_of_failed_commands_goes, SVM, |driver: &Driver| {
        let scene = Scene::new(false);
        complete(scene.until, cl::CL_OUT_OF_RESOURCES);
        scene.free().expect("it is freed");
        assert_eq!(driver.calls("clSVMFree"), 1);
    }
}

case! {
    /// A wait for a device is for released queues, too.
    devices_wait_for_released_queues, EVERYTHING, |driver: &Driver| {
        let failures: [fn(&Driver); 3] = [
            |_| {},
            |driver| driver.fail("clEnqueueMarkerWithWaitList", -5, 0, 1),
            |driver| driver.fail("clSetEventCallback", -5, 0, 1),
        ];
        for fail in failures {
            let mut scene = Scene::new(false);
            fail(driver);
            scene.queue = None;
            driver.reset();
            scene.expect_wait(driver, || ur!(DeviceExp.pfnWaitExp(device())));
            scene.free().expect("it is freed");
            drop(scene);
            assert_eq!(driver.alive(), 0);
        }
    }
}
