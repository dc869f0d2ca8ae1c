//! The kit's promises, seen from the C side of a small adapter.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use ur_adapter::logger::Logger;
use ur_adapter::ur_api::*;
use ur_adapter::*;

struct Tiny;
struct Adapter;
struct Platform;
struct Device;
struct Context(Handle<Device>);
struct Queue(#[allow(dead_code, reason = "held, not read")] Handle<Context>);
struct Event;

thread_local! {
    /// Contexts alive that this test made.
    static CONTEXTS: Cell<usize> = const { Cell::new(0) };
}

impl Drop for Context {
    fn drop(&mut self) {
        CONTEXTS.set(CONTEXTS.get() - 1);
    }
}

macro_rules! absent {
    ($($kind:ident),*) => { $(type $kind = Absent<Self, kind::$kind>;)* };
}

impl Backend for Tiny {
    type Adapter = Adapter;
    type Platform = Platform;
    type Device = Device;
    type Context = Context;
    type Queue = Queue;
    type Event = Event;
    absent!(Mem, Sampler, UsmPool, PhysicalMem, Program, Kernel);
    absent!(CommandBuffer, CommandBufferCommand, Graph, ExecutableGraph);
    absent!(ExternalMem, ExternalSemaphore);
    fn table() -> &'static ur_dditable_t {
        &TABLE
    }
    fn logger() -> &'static Logger {
        static LOGGER: Logger = Logger::new();
        &LOGGER
    }
}

ur_adapter::values!(Tiny: Adapter = Adapter, Platform = Platform, Device = Device,
    Context = Context, Queue = Queue, Event = Event);
ur_adapter::adapter!(Tiny);

fn adapter() -> &'static Object<Adapter> {
    static ADAPTER: OnceLock<Object<Adapter>> = OnceLock::new();
    ADAPTER.get_or_init(|| Object::kept(Adapter))
}

fn platform() -> &'static Object<Platform> {
    static PLATFORM: OnceLock<Object<Platform>> = OnceLock::new();
    PLATFORM.get_or_init(|| Object::fixed(Platform))
}

fn devices() -> &'static [Object<Device>; 3] {
    static DEVICES: OnceLock<[Object<Device>; 3]> = OnceLock::new();
    DEVICES.get_or_init(|| std::array::from_fn(|_| Object::fixed(Device)))
}

impl AdapterFns for Tiny {
    fn adapter_get() -> Result<Vec<Handle<Adapter>>> {
        Ok(vec![adapter().handle()])
    }
}

impl PlatformFns for Tiny {
    fn platform_get(_: &Object<Adapter>) -> Result<Vec<Handle<Platform>>> {
        Ok(vec![platform().handle()])
    }
}

impl DeviceFns for Tiny {
    fn device_get(_: &Object<Platform>, _: ur_device_type_t) -> Result<Vec<Handle<Device>>> {
        Ok(devices().iter().map(Object::handle).collect())
    }
}

impl ContextFns for Tiny {
    fn context_create(
        devices: &[&Object<Device>],
        _: Option<&ur_context_properties_t>,
    ) -> Result<Handle<Context>> {
        let first = devices.first().ok_or(UR_RESULT_ERROR_INVALID_SIZE)?;
        CONTEXTS.set(CONTEXTS.get() + 1);
        Handle::new(Context(first.handle()))
    }

    fn context_get_info(
        context: &Object<Context>,
        prop: ur_context_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_CONTEXT_INFO_DEVICES => info.handle(&context.0),
            UR_CONTEXT_INFO_NUM_DEVICES => panic!("a bug in the adapter"),
            _ => Err(Error::unsupported_query()),
        }
    }
}

impl QueueFns for Tiny {
    fn queue_create(
        context: &Object<Context>,
        _: &Object<Device>,
        _: Option<&ur_queue_properties_t>,
    ) -> Result<Handle<Queue>> {
        Handle::new(Queue(context.handle()))
    }

    fn queue_finish(_: &Object<Queue>) -> Result {
        Err(Error::new(UR_RESULT_ERROR_ADAPTER_SPECIFIC, "it is stuck").with_native(-5))
    }
}

impl EnqueueFns for Tiny {
    fn enqueue_events_wait(
        _: &Object<Queue>,
        wait: &[&Object<Event>],
        event: &mut Slot<Event>,
    ) -> Result {
        // With two events to wait for, the adapter fails after it has made the event.
        if event.wanted() {
            event.put(Handle::new(Event)?);
        }
        if wait.len() == 2 {
            return Err(UR_RESULT_ERROR_OUT_OF_RESOURCES.into());
        }
        Ok(())
    }
}

macro_rules! nothing {
    ($($table:ident),* $(,)?) => { $(impl $table for Tiny {})* };
}
nothing!(
    EventFns,
    EventExpFns,
    ProgramFns,
    ProgramExpFns,
    KernelFns,
    QueueExpFns,
    SamplerFns,
    MemFns,
    PhysicalMemFns,
    EnqueueExpFns,
    UsmFns,
    UsmExpFns,
    BindlessImagesExpFns,
    CommandBufferExpFns,
    GraphExpFns,
    IpcExpFns,
    MemoryExportExpFns,
    UsmP2PExpFns,
    VirtualMemFns,
    DeviceExpFns,
);

/// Another adapter: all that matters is that its table is not ours.
#[repr(C)]
struct Foreign(&'static ur_dditable_t, [u64; 8]);
static FOREIGN_TABLE: ur_dditable_t = ur_adapter::generated::table::table::<Tiny>();

/// Calls a table entry.
macro_rules! ur {
    ($table:ident.$entry:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: every test passes live handles, or what the call must refuse without touching.
        unsafe { (TABLE.$table.$entry.expect("every entry is filled"))($($arg),*) }
    };
}

fn context() -> ur_context_handle_t {
    let (device, mut context) = (devices()[0].raw(), null_mut());
    let code = ur!(Context.pfnCreate(1, &raw const device, null(), &raw mut context));
    assert_eq!(code, UR_RESULT_SUCCESS);
    context
}

fn queue(context: ur_context_handle_t) -> ur_queue_handle_t {
    let mut queue = null_mut();
    let code = ur!(Queue.pfnCreate(context, devices()[0].raw(), null(), &raw mut queue));
    assert_eq!(code, UR_RESULT_SUCCESS);
    queue
}

fn count(context: ur_context_handle_t) -> u32 {
    let mut count = 0u32;
    let code = ur!(Context.pfnGetInfo(
        context,
        UR_CONTEXT_INFO_REFERENCE_COUNT,
        4,
        (&raw mut count).cast(),
        null_mut()
    ));
    assert_eq!(code, UR_RESULT_SUCCESS);
    count
}

#[test]
fn one_count_for_calls_and_objects() {
    let context = context();
    assert_eq!(count(context), 1);
    assert_eq!(ur!(Context.pfnRetain(context)), UR_RESULT_SUCCESS);
    assert_eq!(count(context), 2);
    let queue = queue(context);
    assert_eq!(count(context), 3);
    for _ in 0..2 {
        assert_eq!(ur!(Context.pfnRelease(context)), UR_RESULT_SUCCESS);
    }
    // The queue alone keeps its context.
    assert_eq!(count(context), 1);
    assert_eq!(CONTEXTS.get(), 1);
    assert_eq!(ur!(Queue.pfnRelease(queue)), UR_RESULT_SUCCESS);
    assert_eq!(CONTEXTS.get(), 0);
}

#[test]
fn queries_change_no_count() {
    let context = context();
    let mut device: ur_device_handle_t = null_mut();
    for _ in 0..10 {
        let code = ur!(Context.pfnGetInfo(
            context,
            UR_CONTEXT_INFO_DEVICES,
            8,
            (&raw mut device).cast(),
            null_mut()
        ));
        assert_eq!(code, UR_RESULT_SUCCESS);
        assert_eq!(device, devices()[0].raw());
    }
    assert_eq!(count(context), 1);
    assert_eq!(devices()[0].count(), 1);
    assert_eq!(ur!(Context.pfnRelease(context)), UR_RESULT_SUCCESS);
}

#[test]
fn wrong_handles_are_refused() {
    let context = context();
    let queue = queue(context);
    let null_code = ur!(Context.pfnRetain(null_mut()));
    assert_eq!(null_code, UR_RESULT_ERROR_INVALID_NULL_HANDLE);
    // A queue is no context, and a context no device.
    let code = ur!(Context.pfnRetain(queue.cast()));
    assert_eq!(code, UR_RESULT_ERROR_INVALID_CONTEXT);
    let mut made = null_mut();
    let code = ur!(Queue.pfnCreate(context, context.cast(), null(), &raw mut made));
    assert_eq!((code, made), (UR_RESULT_ERROR_INVALID_DEVICE, null_mut()));
    // Another adapter's object is refused by its table, whatever else it holds.
    let foreign = Foreign(&FOREIGN_TABLE, [0; 8]);
    let code = ur!(Context.pfnRelease((&raw const foreign).cast_mut().cast()));
    assert_eq!(code, UR_RESULT_ERROR_INVALID_CONTEXT);
    // An array with a null element.
    let some = [devices()[0].raw(), null_mut()];
    let mut made = null_mut();
    let code = ur!(Context.pfnCreate(2, some.as_ptr(), null(), &raw mut made));
    assert_eq!(
        (code, made),
        (UR_RESULT_ERROR_INVALID_NULL_HANDLE, null_mut())
    );
    let code = ur!(Context.pfnCreate(2, null(), null(), &raw mut made));
    assert_eq!(code, UR_RESULT_ERROR_INVALID_NULL_POINTER);
    let device = devices()[0].raw();
    let code = ur!(Context.pfnCreate(1, &raw const device, null(), null_mut()));
    assert_eq!(code, UR_RESULT_ERROR_INVALID_NULL_POINTER);
    ur!(Queue.pfnRelease(queue));
    ur!(Context.pfnRelease(context));
}

#[test]
fn events_come_out_only_of_success() {
    let context = context();
    let queue = queue(context);
    let mut event: ur_event_handle_t = null_mut();
    let wait = |count, list: *const ur_event_handle_t, event| {
        ur!(Enqueue.pfnEventsWait(queue, count, list, event))
    };
    assert_eq!(wait(0, null(), null_mut()), UR_RESULT_SUCCESS);
    assert_eq!(wait(0, null(), &raw mut event), UR_RESULT_SUCCESS);
    assert!(!event.is_null());
    let list = [event, event];
    let mut second: ur_event_handle_t = null_mut();
    assert_eq!(
        wait(2, list.as_ptr(), &raw mut second),
        UR_RESULT_ERROR_OUT_OF_RESOURCES
    );
    assert!(second.is_null());
    assert_eq!(
        wait(1, null(), null_mut()),
        UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST
    );
    let hole = [event, null_mut()];
    assert_eq!(
        wait(2, hole.as_ptr(), null_mut()),
        UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST
    );
    assert_eq!(
        wait(1, (&raw const context).cast(), null_mut()),
        UR_RESULT_ERROR_INVALID_EVENT
    );
    // A client's empty vector has an address.
    assert_eq!(wait(0, list.as_ptr(), null_mut()), UR_RESULT_SUCCESS);
    ur!(Event.pfnRelease(event));
    ur!(Queue.pfnRelease(queue));
    ur!(Context.pfnRelease(context));
}

#[test]
fn errors_have_a_message_and_panics_end_here() {
    let context = context();
    let queue = queue(context);
    let (mut text, mut number) = (null(), 0);
    let mut last = || {
        let code = ur!(Adapter.pfnGetLastError(adapter().raw(), &raw mut text, &raw mut number));
        assert_eq!(code, UR_RESULT_SUCCESS);
        // SAFETY: the call gave a terminated text.
        let text = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned();
        (text, number)
    };
    assert_eq!(
        ur!(Queue.pfnFinish(queue)),
        UR_RESULT_ERROR_ADAPTER_SPECIFIC
    );
    assert_eq!(last(), ("it is stuck".into(), -5));
    let mut size = 0;
    let code = ur!(Context.pfnGetInfo(
        context,
        UR_CONTEXT_INFO_NUM_DEVICES,
        0,
        null_mut(),
        &raw mut size
    ));
    assert_eq!(code, UR_RESULT_ERROR_UNKNOWN);
    assert_eq!(last().0, "the adapter panicked: a bug in the adapter");
    // What the adapter leaves out says so.
    let code = ur!(Queue.pfnFlush(queue));
    assert_eq!(code, UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ur!(Queue.pfnRelease(queue));
    ur!(Context.pfnRelease(context));
}

#[test]
fn listings() {
    let mut count = 0u32;
    let get = |entries, out: *mut ur_device_handle_t, count: *mut u32| {
        ur!(Device.pfnGet(platform().raw(), UR_DEVICE_TYPE_ALL, entries, out, count))
    };
    assert_eq!(get(0, null_mut(), &raw mut count), UR_RESULT_SUCCESS);
    assert_eq!(count, 3);
    let mut some = [null_mut(); 4];
    assert_eq!(get(2, some.as_mut_ptr(), null_mut()), UR_RESULT_SUCCESS);
    let all: Vec<_> = devices().iter().map(Object::raw).collect();
    assert_eq!(some, [all[0], all[1], null_mut(), null_mut()]);
    assert_eq!(get(4, some.as_mut_ptr(), &raw mut count), UR_RESULT_SUCCESS);
    assert_eq!((&some[..3], count), (&all[..], 3));
    assert_eq!(
        get(0, some.as_mut_ptr(), null_mut()),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    assert_eq!(
        get(1, null_mut(), &raw mut count),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

#[test]
fn adapters_can_be_released_to_nothing_and_got_again() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    let mut handle = null_mut();
                    let code = ur!(Adapter.pfnGet(1, &raw mut handle, null_mut()));
                    assert_eq!(code, UR_RESULT_SUCCESS);
                    assert_eq!(handle, adapter().raw());
                    assert_eq!(ur!(Adapter.pfnRelease(handle)), UR_RESULT_SUCCESS);
                }
            });
        }
    });
    assert_eq!(adapter().count(), 0);
    // One release too many changes nothing.
    assert_eq!(ur!(Adapter.pfnRelease(adapter().raw())), UR_RESULT_SUCCESS);
    assert_eq!(adapter().count(), 0);
}

#[test]
fn tables_are_given_for_the_right_version_only() {
    let mut table = std::mem::MaybeUninit::<ur_context_dditable_t>::uninit();
    let give = |version, table| {
        // SAFETY: the table has room, or the call must refuse it.
        unsafe { shim::give_table(version, table, &TABLE.Context) }
    };
    assert_eq!(
        give(UR_API_VERSION_CURRENT, table.as_mut_ptr()),
        UR_RESULT_SUCCESS
    );
    // SAFETY: filled by the call above.
    let table = unsafe { table.assume_init_mut() };
    assert!(table.pfnCreate.is_some());
    assert_eq!(
        give(UR_API_VERSION_0_11, table),
        UR_RESULT_ERROR_UNSUPPORTED_VERSION
    );
    assert_eq!(
        give(UR_API_VERSION_CURRENT, null_mut()),
        UR_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

#[test]
fn chains_are_searched_by_type() {
    let location = ur_usm_alloc_location_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_ALLOC_LOCATION_DESC,
        pNext: null(),
        location: 7,
    };
    let device = ur_usm_device_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_DEVICE_DESC,
        pNext: (&raw const location).cast(),
        flags: 0,
    };
    let first: *const c_void = (&raw const device).cast();
    // SAFETY: a chain of two structures of the types that their tags say.
    let found = unsafe {
        chain::find::<ur_usm_alloc_location_desc_t>(
            first,
            UR_STRUCTURE_TYPE_USM_ALLOC_LOCATION_DESC,
        )
    };
    assert_eq!(found.map(|f| f.location), Some(7));
    // SAFETY: as above.
    let none = unsafe { chain::find::<ur_usm_host_desc_t>(first, UR_STRUCTURE_TYPE_USM_HOST_DESC) };
    assert!(none.is_none());
}
