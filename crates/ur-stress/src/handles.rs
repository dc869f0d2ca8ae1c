//! Random life cycles of contexts, queues, events and buffers of several adapters at once.
//!
//! Each thread keeps slots of every kind full of objects of randomly chosen adapters and, step by
//! step, creates, retains, queries, uses and releases in random order. Every answer says which
//! adapter gave it: handles that a query returns must be those the object was made from, and any
//! error is one, since every call made here is right. What goes astray is counted as misdirected.

use crate::api::Api;
use crate::reuse::Reuse;
use crate::rng::Rng;
use crate::world::World;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use ur_api::*;

/// Objects of each kind that a thread keeps.
const SLOTS: usize = 16;
const BUFFER_SIZE: usize = 64;

/// What a run is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Steps of all threads together.
    pub steps: u64,
    /// Threads.
    pub threads: u64,
    /// Where the random sequence begins.
    pub seed: u64,
    /// Misdirected calls after which a run ends early; a broken loader would crash before long.
    pub give_up_after: u64,
}

/// What a run saw.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Steps done.
    pub steps: u64,
    /// Calls that did not reach the object's adapter.
    pub misdirected: u64,
    /// The first of them.
    pub first: Option<String>,
    /// Addresses that went from one adapter to another.
    pub across: u64,
    /// Time it took.
    pub time: Duration,
}

struct Run<'a> {
    world: &'a World,
    plan: Plan,
    reuse: Reuse,
    done: AtomicU64,
    misdirected: AtomicU64,
    first: Mutex<Option<String>>,
    finished: AtomicU64,
}

/// Tells the waiting thread that a worker has ended, whichever way.
struct Finished<'a, 'w>(&'a Run<'w>, &'a std::thread::Thread);

impl Drop for Finished<'_, '_> {
    fn drop(&mut self) {
        self.0.finished.fetch_add(1, Ordering::Release);
        self.1.unpark();
    }
}

impl Run<'_> {
    /// Counts a call that went astray.
    fn astray(&self, what: impl FnOnce() -> String) {
        if self.misdirected.fetch_add(1, Ordering::Relaxed) == 0 {
            *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(what());
        }
    }

    /// Whether the call succeeded, as all of them should.
    fn good(&self, what: &str, adapter: usize, code: ur_result_t) -> bool {
        if code != UR_RESULT_SUCCESS {
            self.astray(|| format!("{what} on adapter {adapter}: {code}"));
        }
        code == UR_RESULT_SUCCESS
    }

    fn over(&self) -> bool {
        self.misdirected.load(Ordering::Relaxed) >= self.plan.give_up_after
    }
}

/// Runs the plan, telling `progress` the steps done about once a second.
pub fn run(world: &World, plan: Plan, progress: impl Fn(u64)) -> Outcome {
    let start = Instant::now();
    let run = Run {
        world,
        plan,
        reuse: Reuse::default(),
        done: AtomicU64::new(0),
        misdirected: AtomicU64::new(0),
        first: Mutex::new(None),
        finished: AtomicU64::new(0),
    };
    let waiting = std::thread::current();
    std::thread::scope(|scope| {
        for thread in 0..plan.threads {
            let share = plan.steps / plan.threads + u64::from(thread < plan.steps % plan.threads);
            let rng = Rng::new(plan.seed.wrapping_mul(1_000_003).wrapping_add(thread));
            let (run, waiting) = (&run, &waiting);
            scope.spawn(move || {
                let _finished = Finished(run, waiting);
                Worker::new(run, rng).work(share);
            });
        }
        while run.finished.load(Ordering::Acquire) < plan.threads {
            std::thread::park_timeout(Duration::from_secs(1));
            progress(run.done.load(Ordering::Relaxed));
        }
    });
    Outcome {
        steps: run.done.into_inner(),
        misdirected: run.misdirected.into_inner(),
        first: run
            .first
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
        across: run.reuse.across(),
        time: start.elapsed(),
    }
}

/// A live object: which adapter made it, what it was made from and how many references are ours.
#[derive(Clone, Copy)]
struct Live<H> {
    handle: H,
    adapter: usize,
    context: ur_context_handle_t,
    /// The queue of an event, null for other kinds.
    queue: ur_queue_handle_t,
    references: u32,
}

struct Worker<'a, 'w> {
    run: &'a Run<'w>,
    rng: Rng,
    contexts: Vec<Live<ur_context_handle_t>>,
    queues: Vec<Live<ur_queue_handle_t>>,
    events: Vec<Live<ur_event_handle_t>>,
    buffers: Vec<Live<ur_mem_handle_t>>,
}

/// Asks an object for a property of type `T`.
fn query<H, P, T: Copy>(
    get: unsafe extern "C" fn(H, P, usize, *mut c_void, *mut usize) -> ur_result_t,
    handle: H,
    property: P,
    zero: T,
) -> (ur_result_t, T) {
    let mut value = zero;
    // SAFETY: the object is alive, and the value has the property's size.
    let code = unsafe {
        get(
            handle,
            property,
            size_of::<T>(),
            (&raw mut value).cast(),
            std::ptr::null_mut(),
        )
    };
    (code, value)
}

macro_rules! life {
    ($retain:ident, $release:ident, $slots:ident) => {
        /// Takes one more reference of a random object.
        fn $retain(&mut self) {
            let Some(index) = self.random(self.$slots.len()) else {
                return;
            };
            let api = self.api();
            let Some(live) = self.$slots.get_mut(index) else {
                return;
            };
            // SAFETY: the object is alive.
            let code = unsafe { (api.$retain)(live.handle) };
            if self.run.good(stringify!($retain), live.adapter, code) {
                live.references += 1;
            }
        }

        /// Gives one reference of a random object up; the last one frees its slot.
        fn $release(&mut self) {
            let Some(index) = self.random(self.$slots.len()) else {
                return;
            };
            let api = self.api();
            let Some(live) = self.$slots.get_mut(index) else {
                return;
            };
            // SAFETY: the object is alive and one reference is ours.
            let code = unsafe { (api.$release)(live.handle) };
            self.run.good(stringify!($release), live.adapter, code);
            live.references -= 1;
            if live.references == 0 {
                self.$slots.swap_remove(index);
            }
        }
    };
}

#[allow(non_snake_case)]
impl<'a, 'w> Worker<'a, 'w> {
    fn new(run: &'a Run<'w>, rng: Rng) -> Self {
        Self {
            run,
            rng,
            contexts: Vec::new(),
            queues: Vec::new(),
            events: Vec::new(),
            buffers: Vec::new(),
        }
    }

    fn api(&self) -> &'a Api {
        &self.run.world.api
    }

    fn random(&mut self, length: usize) -> Option<usize> {
        (length > 0).then(|| self.rng.below(length))
    }

    fn work(mut self, steps: u64) {
        let mut since = 0;
        for _ in 0..steps {
            if self.run.over() {
                break;
            }
            self.step();
            since += 1;
            if since == 1024 {
                self.run.done.fetch_add(since, Ordering::Relaxed);
                since = 0;
            }
        }
        self.run.done.fetch_add(since, Ordering::Relaxed);
        if !self.run.over() {
            self.release_all();
        }
    }

    fn step(&mut self) {
        // An object that cannot be made for lack of a parent is made up for by later steps.
        match self.rng.below(24) {
            0 | 1 if self.contexts.len() < 2 * SLOTS => self.create_context(),
            2 | 3 if self.queues.len() < 2 * SLOTS => self.create_queue(),
            4 | 5 if self.buffers.len() < 2 * SLOTS => self.create_buffer(),
            6 | 7 if self.events.len() < 2 * SLOTS => self.create_event(),
            8 => self.urContextRetain(),
            9 => self.urQueueRetain(),
            10 => self.urEventRetain(),
            11 => self.urMemRetain(),
            12 | 13 if self.contexts.len() > SLOTS => self.urContextRelease(),
            14 | 15 if self.queues.len() > SLOTS => self.urQueueRelease(),
            16 | 17 if self.events.len() > SLOTS => self.urEventRelease(),
            18 | 19 if self.buffers.len() > SLOTS => self.urMemRelease(),
            20 => self.query_context(),
            21 => self.query_queue(),
            22 => self.query_event_and_buffer(),
            23 => self.use_queue(),
            _ => self.query_queue(),
        }
    }

    life!(urContextRetain, urContextRelease, contexts);
    life!(urQueueRetain, urQueueRelease, queues);
    life!(urEventRetain, urEventRelease, events);
    life!(urMemRetain, urMemRelease, buffers);

    fn device(&self, adapter: usize) -> ur_device_handle_t {
        self.run
            .world
            .adapters
            .get(adapter)
            .map_or(std::ptr::null_mut(), |a| a.device)
    }

    fn create_context(&mut self) {
        let adapter = self.rng.below(self.run.world.adapters.len());
        let device = self.device(adapter);
        let mut handle = std::ptr::null_mut();
        // SAFETY: the device is alive, and there is room for the handle.
        let code = unsafe {
            (self.api().urContextCreate)(1, &raw const device, std::ptr::null(), &raw mut handle)
        };
        if self.run.good("urContextCreate", adapter, code) {
            self.run.reuse.created(handle as usize, adapter);
            self.contexts.push(Live {
                handle,
                adapter,
                context: handle,
                queue: std::ptr::null_mut(),
                references: 1,
            });
        }
    }

    fn create_queue(&mut self) {
        let Some(index) = self.random(self.contexts.len()) else {
            return self.create_context();
        };
        let Some(context) = self.contexts.get(index).copied() else {
            return;
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: context and device are alive, and there is room for the handle.
        let code = unsafe {
            (self.api().urQueueCreate)(
                context.handle,
                self.device(context.adapter),
                std::ptr::null(),
                &raw mut handle,
            )
        };
        if self.run.good("urQueueCreate", context.adapter, code) {
            self.run.reuse.created(handle as usize, context.adapter);
            self.queues.push(Live {
                handle,
                adapter: context.adapter,
                context: context.handle,
                queue: std::ptr::null_mut(),
                references: 1,
            });
        }
    }

    fn create_buffer(&mut self) {
        let Some(index) = self.random(self.contexts.len()) else {
            return self.create_context();
        };
        let Some(context) = self.contexts.get(index).copied() else {
            return;
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the context is alive, and there is room for the handle.
        let code = unsafe {
            (self.api().urMemBufferCreate)(
                context.handle,
                UR_MEM_FLAG_READ_WRITE.0,
                BUFFER_SIZE,
                std::ptr::null(),
                &raw mut handle,
            )
        };
        if self.run.good("urMemBufferCreate", context.adapter, code) {
            self.run.reuse.created(handle as usize, context.adapter);
            self.buffers.push(Live {
                handle,
                adapter: context.adapter,
                context: context.handle,
                queue: std::ptr::null_mut(),
                references: 1,
            });
        }
    }

    fn create_event(&mut self) {
        let Some(index) = self.random(self.queues.len()) else {
            return self.create_queue();
        };
        let Some(queue) = self.queues.get(index).copied() else {
            return;
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the queue is alive, and there is room for the handle.
        let code = unsafe {
            (self.api().urEnqueueEventsWait)(queue.handle, 0, std::ptr::null(), &raw mut handle)
        };
        if self.run.good("urEnqueueEventsWait", queue.adapter, code) {
            self.run.reuse.created(handle as usize, queue.adapter);
            self.events.push(Live {
                handle,
                adapter: queue.adapter,
                context: queue.context,
                queue: queue.handle,
                references: 1,
            });
        }
    }

    /// Checks a query's answer.
    fn expect<T: PartialEq>(
        &self,
        what: &str,
        adapter: usize,
        (code, value): (ur_result_t, T),
        want: &T,
    ) {
        if self.run.good(what, adapter, code) && value != *want {
            self.run
                .astray(|| format!("{what} on adapter {adapter}: another object's answer"));
        }
    }

    fn query_context(&mut self) {
        let Some(index) = self.random(self.contexts.len()) else {
            return;
        };
        let Some(live) = self.contexts.get(index).copied() else {
            return;
        };
        let get = self.api().urContextGetInfo;
        let device = query(
            get,
            live.handle,
            UR_CONTEXT_INFO_DEVICES,
            std::ptr::null_mut(),
        );
        self.expect(
            "urContextGetInfo(DEVICES)",
            live.adapter,
            device,
            &self.device(live.adapter),
        );
        let (code, count) = query(get, live.handle, UR_CONTEXT_INFO_REFERENCE_COUNT, 0u32);
        let what = "urContextGetInfo(REFERENCE_COUNT)";
        if self.run.good(what, live.adapter, code) && count < live.references {
            self.run
                .astray(|| format!("{what}: {count} for {}", live.references));
        }
    }

    fn query_queue(&mut self) {
        let Some(index) = self.random(self.queues.len()) else {
            return;
        };
        let Some(live) = self.queues.get(index).copied() else {
            return;
        };
        let get = self.api().urQueueGetInfo;
        let context = query(
            get,
            live.handle,
            UR_QUEUE_INFO_CONTEXT,
            std::ptr::null_mut(),
        );
        self.expect(
            "urQueueGetInfo(CONTEXT)",
            live.adapter,
            context,
            &live.context,
        );
        let device = query(get, live.handle, UR_QUEUE_INFO_DEVICE, std::ptr::null_mut());
        self.expect(
            "urQueueGetInfo(DEVICE)",
            live.adapter,
            device,
            &self.device(live.adapter),
        );
    }

    fn query_event_and_buffer(&mut self) {
        if let Some(index) = self.random(self.events.len())
            && let Some(live) = self.events.get(index).copied()
        {
            let get = self.api().urEventGetInfo;
            let context = query(
                get,
                live.handle,
                UR_EVENT_INFO_CONTEXT,
                std::ptr::null_mut(),
            );
            self.expect(
                "urEventGetInfo(CONTEXT)",
                live.adapter,
                context,
                &live.context,
            );
            let of = query(
                get,
                live.handle,
                UR_EVENT_INFO_COMMAND_QUEUE,
                std::ptr::null_mut(),
            );
            self.expect(
                "urEventGetInfo(COMMAND_QUEUE)",
                live.adapter,
                of,
                &live.queue,
            );
        }
        if let Some(index) = self.random(self.buffers.len())
            && let Some(live) = self.buffers.get(index).copied()
        {
            let get = self.api().urMemGetInfo;
            let context = query(get, live.handle, UR_MEM_INFO_CONTEXT, std::ptr::null_mut());
            self.expect(
                "urMemGetInfo(CONTEXT)",
                live.adapter,
                context,
                &live.context,
            );
            let size = query(get, live.handle, UR_MEM_INFO_SIZE, 0usize);
            self.expect("urMemGetInfo(SIZE)", live.adapter, size, &BUFFER_SIZE);
        }
    }

    /// Runs a command with objects that belong together, and waits for an event.
    fn use_queue(&mut self) {
        if let Some(index) = self.random(self.buffers.len())
            && let Some(buffer) = self.buffers.get(index).copied()
            && let Some(queue) = self.queues.iter().find(|q| q.context == buffer.context)
        {
            let bytes = [7u8; BUFFER_SIZE];
            // SAFETY: queue and buffer are alive and of one context; the write is blocking.
            let code = unsafe {
                (self.api().urEnqueueMemBufferWrite)(
                    queue.handle,
                    buffer.handle,
                    true,
                    0,
                    BUFFER_SIZE,
                    bytes.as_ptr().cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                )
            };
            self.run
                .good("urEnqueueMemBufferWrite", queue.adapter, code);
        }
        if let Some(index) = self.random(self.events.len())
            && let Some(event) = self.events.get(index).copied()
        {
            // SAFETY: the event is alive.
            let code = unsafe { (self.api().urEventWait)(1, &raw const event.handle) };
            self.run.good("urEventWait", event.adapter, code);
            if self.queues.iter().any(|q| q.handle == event.queue) {
                // SAFETY: the queue is one of the thread's own, so alive.
                let code = unsafe { (self.api().urQueueFinish)(event.queue) };
                self.run.good("urQueueFinish", event.adapter, code);
            }
        }
    }

    fn release_all(&mut self) {
        while !self.events.is_empty() {
            self.urEventRelease();
        }
        while !self.buffers.is_empty() {
            self.urMemRelease();
        }
        while !self.queues.is_empty() {
            self.urQueueRelease();
        }
        while !self.contexts.is_empty() {
            self.urContextRelease();
        }
    }
}
