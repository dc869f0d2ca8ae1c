//! All that the drivers have: their objects, what they were told to do, and what they were asked.

use crate::command_list::CommandList;
use crate::command_queue::CommandQueue;
use crate::context::Context;
use crate::device::Device;
use crate::driver::Driver;
use crate::engine::Engines;
use crate::event::Event;
use crate::event_pool::EventPool;
use crate::fence::Fence;
use crate::image::Image;
use crate::kernel::Kernel;
use crate::memory::Allocation;
use crate::module::{BuildLog, Module};
use crate::physical_mem::PhysicalMem;
use crate::sampler::Sampler;
use crate::settings::Settings;
use crate::virtual_mem::Reservation;
use crate::ze::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A kind of objects: its number for tests is its place in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Driver,
    Device,
    Context,
    CommandQueue,
    CommandList,
    Fence,
    EventPool,
    Event,
    Image,
    Sampler,
    Module,
    BuildLog,
    Kernel,
    PhysicalMem,
}

/// What an object is.
#[expect(missing_docs, reason = "the names say it")]
pub enum Body {
    Driver(Driver),
    Device(Device),
    Context(Context),
    CommandQueue(CommandQueue),
    CommandList(CommandList),
    Fence(Fence),
    EventPool(EventPool),
    Event(Event),
    Image(Image),
    Sampler(Sampler),
    Module(Module),
    BuildLog(BuildLog),
    Kernel(Kernel),
    PhysicalMem(PhysicalMem),
}

/// An object at a place: another one that gets the place later is not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The place.
    pub handle: usize,
    generation: u64,
}

/// An object.
pub struct Object {
    /// Which driver it is of, by its number.
    pub driver: usize,
    generation: u64,
    /// What must be there as long as it is.
    parents: Vec<usize>,
    /// How many objects need it.
    children: usize,
    /// How many commands need it that have not ended.
    pub uses: usize,
    /// What it is.
    pub body: Body,
}

/// A failure that was ordered.
#[derive(Debug)]
pub struct Plan {
    /// The function, or `*` for any but those whose failure nothing can make up for.
    pub name: String,
    /// The error.
    pub code: ze_result_t,
    /// How many calls pass before.
    pub skip: u64,
    /// How many calls fail then.
    pub times: u64,
}

/// All that the drivers have.
#[derive(Default)]
pub struct World {
    /// What they are like.
    pub settings: Vec<Arc<Settings>>,
    /// The drivers' handles.
    pub drivers: Vec<usize>,
    /// Whether the drivers were initialised.
    pub initialised: bool,
    objects: HashMap<usize, Object>,
    generation: u64,
    /// Places of handles that are no more, the last one last.
    free: Vec<usize>,
    /// Whether places are used again, the last one first.
    pub recycles: bool,
    /// How often each function was called.
    pub calls: BTreeMap<&'static str, u64>,
    /// The calls in their order, if a test wants to know.
    pub record: Option<Vec<&'static str>>,
    /// The failure that was ordered.
    pub plan: Option<Plan>,
    /// The functions that failed by order.
    pub failed: Vec<String>,
    /// What was done wrong.
    pub faults: Vec<String>,
    /// What runs commands.
    pub engines: Engines,
    /// Allocations by their addresses.
    pub allocations: BTreeMap<usize, Allocation>,
    /// Reserved addresses by where they begin.
    pub reservations: BTreeMap<usize, Reservation>,
    /// Memory of the program's that was imported: where it begins, and its bytes.
    pub imported: BTreeMap<usize, usize>,
    /// The last number that an allocation got.
    pub allocation_id: u64,
}

impl Body {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Driver(_) => Kind::Driver,
            Body::Device(_) => Kind::Device,
            Body::Context(_) => Kind::Context,
            Body::CommandQueue(_) => Kind::CommandQueue,
            Body::CommandList(_) => Kind::CommandList,
            Body::Fence(_) => Kind::Fence,
            Body::EventPool(_) => Kind::EventPool,
            Body::Event(_) => Kind::Event,
            Body::Image(_) => Kind::Image,
            Body::Sampler(_) => Kind::Sampler,
            Body::Module(_) => Kind::Module,
            Body::BuildLog(_) => Kind::BuildLog,
            Body::Kernel(_) => Kind::Kernel,
            Body::PhysicalMem(_) => Kind::PhysicalMem,
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
                /// As [`Self::object`].
                pub fn $name(&mut self, handle: usize) -> Answer<&mut $kind> {
                    match self.object(handle, Kind::$kind)?.body {
                        Body::$kind(ref mut body) => Ok(body),
                        _ => Err(ZE_RESULT_ERROR_INVALID_NULL_HANDLE),
                    }
                }
            )*
        }
    };
}

getters! {
    driver: Driver;
    device: Device;
    context: Context;
    command_queue: CommandQueue;
    command_list: CommandList;
    fence: Fence;
    event_pool: EventPool;
    event: Event;
    image: Image;
    sampler: Sampler;
    module: Module;
    build_log: BuildLog;
    kernel: Kernel;
    physical_mem: PhysicalMem;
}

impl World {
    /// Notes that something was done wrong.
    pub fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Notes that something was done wrong, and gives the number for the caller.
    pub fn wrong<T>(&mut self, code: ze_result_t, what: impl Into<String>) -> Answer<T> {
        self.fault(what);
        Err(code)
    }

    /// The object behind a handle, which must be alive and of that kind.
    ///
    /// # Errors
    /// `INVALID_NULL_HANDLE` for null; `INVALID_ARGUMENT` for a handle that is none, which is a fault.
    pub fn object(&mut self, handle: usize, kind: Kind) -> Answer<&mut Object> {
        if handle == 0 {
            return Err(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        }
        let found = self.objects.get(&handle).map(|object| object.body.kind());
        if found != Some(kind) {
            return self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format!("{handle:#x} is no {kind:?} but {found:?}"),
            );
        }
        let object = self.objects.get_mut(&handle);
        object.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    }

    /// The object behind a handle as what cannot be mistaken for a later one at the same place.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn refer(&mut self, handle: usize, kind: Kind) -> Answer<Ref> {
        let generation = self.object(handle, kind)?.generation;
        Ok(Ref { handle, generation })
    }

    /// Whether an object is still there.
    pub fn is_alive(&self, object: Ref) -> bool {
        let found = self.objects.get(&object.handle);
        found.is_some_and(|found| found.generation == object.generation)
    }

    /// The event behind a reference, if it is still there.
    pub fn peek(&self, event: Ref) -> Option<&Event> {
        let found = self.objects.get(&event.handle)?;
        match &found.body {
            Body::Event(body) if found.generation == event.generation => Some(body),
            _ => None,
        }
    }

    /// The settings of the driver that an object is of.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn settings_of(&mut self, handle: usize, kind: Kind) -> Answer<Arc<Settings>> {
        let driver = self.object(handle, kind)?.driver;
        Ok(self.settings[driver].clone())
    }

    /// The settings of the driver that a device is of.
    pub fn settings_of_device(&self, device: usize) -> Option<&Settings> {
        let driver = self.objects.get(&device)?.driver;
        self.settings.get(driver).map(|settings| &**settings)
    }

    /// Checks that the driver of an object is of version 1.`minor` or later.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE`; as [`Self::object`].
    pub fn needs(&mut self, handle: usize, kind: Kind, minor: u16) -> Answer {
        match self.settings_of(handle, kind)?.since(minor) {
            true => Ok(()),
            false => Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE),
        }
    }

    /// Checks that the driver of an object has a part that can be left out.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE`; as [`Self::object`].
    pub fn needs_part(&mut self, handle: usize, kind: Kind, part: &str) -> Answer {
        match self.settings_of(handle, kind)?.has(part) {
            true => Ok(()),
            false => Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE),
        }
    }

    /// A new object that needs others, which must be of its driver. Gives its handle.
    pub fn add(&mut self, driver: usize, body: Body, parents: Vec<usize>) -> usize {
        // A place of its own for each, and no place inside of another one.
        let handle = self
            .free
            .pop()
            .unwrap_or_else(|| Box::into_raw(Box::new([0u64; 8])) as usize);
        for parent in &parents {
            if let Some(object) = self.objects.get_mut(parent) {
                object.children += 1;
            }
        }
        self.generation += 1;
        let object = Object {
            driver,
            generation: self.generation,
            parents,
            children: 0,
            uses: 0,
            body,
        };
        self.objects.insert(handle, object);
        handle
    }

    /// Takes an object away. That something still needs it is a fault.
    ///
    /// # Errors
    /// As [`Self::object`]; `HANDLE_OBJECT_IN_USE`.
    pub fn destroy(&mut self, handle: usize, kind: Kind) -> Answer<Body> {
        let object = self.object(handle, kind)?;
        let (children, uses) = (object.children, object.uses);
        if children + uses > 0 {
            return self.wrong(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                format!(
                    "{kind:?} {handle:#x} is destroyed while {children} objects and {uses} commands need it"
                ),
            );
        }
        let object = self.objects.remove(&handle);
        let object = object.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        for parent in &object.parents {
            if let Some(parent) = self.objects.get_mut(parent) {
                parent.children -= 1;
            }
        }
        if self.recycles {
            self.free.push(handle);
        }
        Ok(object.body)
    }

    /// Notes that an unfinished command needs objects.
    pub fn hold(&mut self, objects: &[Ref]) {
        for one in objects {
            if let Some(object) = self.objects.get_mut(&one.handle) {
                object.uses += 1;
            }
        }
    }

    /// Notes that a command which needed objects has ended.
    pub fn unhold(&mut self, objects: &[Ref]) {
        for one in objects {
            if let Some(object) = self.objects.get_mut(&one.handle)
                && object.generation == one.generation
            {
                object.uses -= 1;
            }
        }
    }

    /// How many objects of a kind are alive.
    pub fn alive(&self, kind: Kind) -> usize {
        let all = self.objects.values();
        all.filter(|object| object.body.kind() == kind).count()
    }

    /// Whether a call fails by order; the error then.
    pub fn fails(&mut self, name: &str) -> Option<ze_result_t> {
        let plan = self.plan.as_mut()?;
        let last = ["Destroy", "Free", "zeEventHostSignal", "Unmap", "CloseIpc"];
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
