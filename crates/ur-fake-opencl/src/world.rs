//! All that the driver has: its objects with their references, what it was told to do, and what it was
//! asked.

use crate::cl::*;
use crate::command_buffer::CommandBuffer;
use crate::context::Context;
use crate::device::Device;
use crate::dispatch::Address;
use crate::event::{Due, Event};
use crate::kernel::{Kernel, Launch};
use crate::memory::Mem;
use crate::platform::Platform;
use crate::program::Program;
use crate::queue::Queue;
use crate::sampler::Sampler;
use crate::usm::Allocation;
use std::collections::{BTreeMap, HashMap};

/// Where a handle points.
#[repr(C, align(64))]
struct Cell {
    /// What the OpenCL library calls through.
    dispatch: *const Address,
}

/// A kind of objects: its number for tests is its place in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Platform,
    Device,
    Context,
    Queue,
    Event,
    Mem,
    Sampler,
    Program,
    Kernel,
    CommandBuffer,
}

/// What an object is.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Body {
    Platform(Platform),
    Device(Device),
    Context(Context),
    Queue(Queue),
    Event(Event),
    Mem(Mem),
    Sampler(Sampler),
    Program(Program),
    Kernel(Kernel),
    CommandBuffer(CommandBuffer),
}

/// An object with its references.
#[derive(Debug)]
pub struct Object {
    /// Which platform it is of.
    pub platform: usize,
    /// References of the program.
    pub refs: usize,
    /// References of other objects and of commands that have not ended.
    held: usize,
    /// What it holds.
    holds: Vec<usize>,
    /// What it is.
    pub body: Body,
}

/// A failure that was ordered.
#[derive(Debug)]
pub struct Plan {
    /// The function, or `*` for any but those whose failure nothing can make up for: what releases,
    /// and what completes user events.
    pub name: String,
    /// The error.
    pub code: cl_int,
    /// How many calls pass before.
    pub skip: u64,
    /// How many calls fail then.
    pub times: u64,
}

/// All that the driver has.
#[derive(Debug, Default)]
pub struct World {
    /// The platforms' handles.
    pub platforms: Vec<usize>,
    objects: HashMap<usize, Object>,
    /// Places of handles that are no more, the last one last.
    free: Vec<usize>,
    /// Whether places are used again, the last one first.
    pub recycles: bool,
    /// Whether commands begin only when their queue is flushed.
    pub lazy: bool,
    /// How often each function was called.
    pub calls: BTreeMap<&'static str, u64>,
    /// The failure that was ordered.
    pub plan: Option<Plan>,
    /// What the commands to come end with, the next one first.
    pub outcomes: Vec<cl_int>,
    /// The functions that failed by order.
    pub failed: Vec<String>,
    /// What was done wrong.
    pub faults: Vec<String>,
    /// Launches in their order.
    pub launches: Vec<Launch>,
    /// Commands that have not ended, in their order.
    pub pending: Vec<usize>,
    /// Callbacks to be made.
    pub due: Vec<Due>,
    /// Allocations by their addresses.
    pub allocations: BTreeMap<usize, Allocation>,
    /// How many threads wait.
    pub waiting: usize,
    /// The next time of an event.
    pub clock: u64,
    /// How many handles of recorded commands there are.
    commands: usize,
}

impl Kind {
    /// What a call gets for a handle that is none of this kind.
    pub fn invalid(self) -> cl_int {
        match self {
            Kind::Platform => CL_INVALID_PLATFORM,
            Kind::Device => CL_INVALID_DEVICE,
            Kind::Context => CL_INVALID_CONTEXT,
            Kind::Queue => CL_INVALID_COMMAND_QUEUE,
            Kind::Event => CL_INVALID_EVENT,
            Kind::Mem => CL_INVALID_MEM_OBJECT,
            Kind::Sampler => CL_INVALID_SAMPLER,
            Kind::Program => CL_INVALID_PROGRAM,
            Kind::Kernel => CL_INVALID_KERNEL,
            Kind::CommandBuffer => CL_INVALID_COMMAND_BUFFER_KHR,
        }
    }
}

impl Body {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Platform(_) => Kind::Platform,
            Body::Device(_) => Kind::Device,
            Body::Context(_) => Kind::Context,
            Body::Queue(_) => Kind::Queue,
            Body::Event(_) => Kind::Event,
            Body::Mem(_) => Kind::Mem,
            Body::Sampler(_) => Kind::Sampler,
            Body::Program(_) => Kind::Program,
            Body::Kernel(_) => Kind::Kernel,
            Body::CommandBuffer(_) => Kind::CommandBuffer,
        }
    }

    /// Whether it stays as long as the driver does.
    fn stays(&self) -> bool {
        match self {
            Body::Platform(_) => true,
            Body::Device(device) => device.parent.is_none(),
            _ => false,
        }
    }
}

macro_rules! getters {
    ($($name:ident: $kind:ident;)*) => {
        impl World {
            $(
                #[doc = concat!("The `", stringify!($kind), "` behind a handle.")]
                ///
                /// # Errors
                /// The error for a handle that is none; it is noted as a fault.
                pub fn $name(&mut self, handle: usize) -> Result<&mut $kind, cl_int> {
                    match self.object(handle, Kind::$kind)?.body {
                        Body::$kind(ref mut body) => Ok(body),
                        _ => Err(Kind::$kind.invalid()),
                    }
                }
            )*
        }
    };
}

getters! {
    platform: Platform;
    device: Device;
    context: Context;
    queue: Queue;
    event: Event;
    mem: Mem;
    sampler: Sampler;
    program: Program;
    kernel: Kernel;
    command_buffer: CommandBuffer;
}

impl World {
    /// Notes that something was done wrong.
    pub fn fault(&mut self, what: String) {
        self.faults.push(what);
    }

    /// The object behind a handle, which must be alive and of that kind.
    ///
    /// # Errors
    /// The error for a handle that is none; it is noted as a fault.
    pub fn object(&mut self, handle: usize, kind: Kind) -> Result<&mut Object, cl_int> {
        let found = self.objects.get(&handle).map(|object| object.body.kind());
        if found != Some(kind) {
            self.fault(format!("{handle:#x} is no {kind:?} but {found:?}"));
            return Err(kind.invalid());
        }
        self.objects.get_mut(&handle).ok_or(kind.invalid())
    }

    /// The event behind a handle, if it is one.
    pub fn peek(&self, handle: usize) -> Option<&Event> {
        match &self.objects.get(&handle)?.body {
            Body::Event(event) => Some(event),
            _ => None,
        }
    }

    /// Which platform an object is of.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn platform_of(&mut self, handle: usize, kind: Kind) -> Result<usize, cl_int> {
        Ok(self.object(handle, kind)?.platform)
    }

    /// A new object with one reference of the program's, which holds others. Gives its handle.
    pub fn add(&mut self, platform: usize, body: Body, holds: Vec<usize>) -> usize {
        let dispatch = crate::dispatch::table(platform);
        let handle = match self.free.pop() {
            Some(handle) => {
                // SAFETY: a cell from below, which lives for ever and which nobody has now; who reads
                // its first word has a handle of an object that is no more.
                unsafe { (handle as *mut Cell).write(Cell { dispatch }) };
                handle
            }
            None => Box::into_raw(Box::new(Cell { dispatch })) as usize,
        };
        for held in &holds {
            self.hold(*held);
        }
        let object = Object {
            platform,
            refs: 1,
            held: 0,
            holds,
            body,
        };
        self.objects.insert(handle, object);
        handle
    }

    /// Which kind of object is behind a handle, if any is.
    pub fn kind_of(&self, handle: usize) -> Option<Kind> {
        Some(self.objects.get(&handle)?.body.kind())
    }

    /// A handle for a recorded command, which no other ever has.
    pub fn next_command(&mut self) -> usize {
        self.commands += 1;
        self.commands
    }

    /// Lets an object hold another one, too.
    pub fn tie(&mut self, handle: usize, held: usize) {
        if let Some(object) = self.objects.get_mut(&handle) {
            object.holds.push(held);
            self.hold(held);
        }
    }

    /// Adds a reference of the driver's own.
    pub fn hold(&mut self, handle: usize) {
        if let Some(object) = self.objects.get_mut(&handle) {
            object.held += 1;
        }
    }

    /// Gives a reference of the driver's own up.
    pub fn unhold(&mut self, handle: usize) {
        if let Some(object) = self.objects.get_mut(&handle) {
            object.held -= 1;
        }
        self.sweep(handle);
    }

    /// Adds a reference of the program's.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn retain(&mut self, handle: usize, kind: Kind) -> Result<(), cl_int> {
        self.object(handle, kind)?.refs += 1;
        Ok(())
    }

    /// Gives a reference of the program's up. More than there are is a fault.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn release(&mut self, handle: usize, kind: Kind) -> Result<(), cl_int> {
        let object = self.object(handle, kind)?;
        if object.body.stays() {
            object.refs = object.refs.saturating_sub(1).max(1);
            return Ok(());
        }
        match object.refs.checked_sub(1) {
            Some(refs) => object.refs = refs,
            None => {
                self.fault(format!("{kind:?} {handle:#x} is released too often"));
                return Err(kind.invalid());
            }
        }
        self.sweep(handle);
        Ok(())
    }

    /// Removes an object that nobody refers to, and what only it held.
    fn sweep(&mut self, handle: usize) {
        let alive = |object: &Object| object.refs + object.held > 0 || object.body.stays();
        if self.objects.get(&handle).is_none_or(alive) {
            return;
        }
        let Some(object) = self.objects.remove(&handle) else {
            return;
        };
        if self.recycles {
            self.free.push(handle);
        }
        for held in object.holds {
            self.unhold(held);
        }
    }

    /// How many objects of a kind are alive, without those that stay.
    pub fn alive(&self, kind: Kind) -> usize {
        let all = self.objects.values();
        all.filter(|object| object.body.kind() == kind && !object.body.stays())
            .count()
    }

    /// Whether a call fails by order; the error then.
    pub fn fails(&mut self, name: &str) -> Option<cl_int> {
        let plan = self.plan.as_mut()?;
        let last = ["Release", "Free", "clSetUserEventStatus"];
        let any = plan.name == "*" && !last.iter().any(|word| name.contains(word));
        if (plan.name != name && !any) || plan.times == 0 {
            return None;
        }
        if plan.skip > 0 {
            plan.skip -= 1;
            return None;
        }
        plan.times -= 1;
        self.failed.push(name.to_owned());
        Some(plan.code)
    }
}
