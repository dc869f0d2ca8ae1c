//! A driver that a test has for itself: each runs in a process of its own, whose settings the
//! environment says.

use std::ffi::{CString, c_void};
use std::process::{Command, Stdio};
use ze_fake::command_list::*;
use ze_fake::context::*;
use ze_fake::control::*;
use ze_fake::device::*;
use ze_fake::driver::*;
use ze_fake::event::*;
use ze_fake::event_pool::*;
use ze_fake::memory::*;
use ze_fake::ze::*;

/// The variable that says which test the process is for.
const CASE: &str = "UR_FAKE_LEVEL_ZERO_CASE";

/// Runs a test with drivers as said, and expects no fault to be left.
pub fn alone(test: &str, settings: &str, body: fn(&Fake)) {
    if std::env::var_os(CASE).is_some_and(|case| case == test) {
        let fake = Fake::new();
        body(&fake);
        assert_eq!(faults(), "");
        return;
    }
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CASE, test)
        .env("UR_FAKE_LEVEL_ZERO", settings)
        .stdin(Stdio::null());
    let output = command.output().expect("the test starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A test with the driver: `case! { name, "settings", |fake| … }`.
#[macro_export]
macro_rules! case {
    ($(#[$doc:meta])* $name:ident, $settings:expr, $body:expr) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            let module = module_path!().split_once("::").map_or("", |(_, module)| module);
            let name = format!("{module}::{}", stringify!($name));
            $crate::support::alone(&name, $settings, $body);
        }
    };
}

/// Expects success.
#[track_caller]
pub fn good(result: ze_result_t) {
    assert_eq!(result, ZE_RESULT_SUCCESS, "{result:#x}");
}

/// What was done wrong, a line for each.
pub fn faults() -> String {
    let mut bytes = vec![0; 1 << 16];
    let size = unsafe { fake_faults(bytes.as_mut_ptr(), bytes.len()) };
    bytes.truncate(size);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Expects one fault, with these words, and forgets it.
#[track_caller]
pub fn fault(words: &str) {
    let all = faults();
    assert!(all.contains(words) && all.lines().count() == 1, "{all:?}");
    fake_reset();
}

/// Has calls of a function fail.
pub fn fail(name: &str, code: ze_result_t, skip: u64, times: u64) {
    let name = CString::new(name).expect("a name");
    unsafe { fake_fail(name.as_ptr(), code, skip, times) };
}

/// No event.
pub const NONE: ze_event_handle_t = ze_event_handle_t::NULL;

/// A driver with a context.
pub struct Fake {
    pub driver: ze_driver_handle_t,
    pub devices: Vec<ze_device_handle_t>,
    pub context: ze_context_handle_t,
}

impl Fake {
    fn new() -> Self {
        unsafe {
            good(zeInit(0));
            let mut count = 1;
            let mut driver = ze_driver_handle_t::NULL;
            good(zeDriverGet(&mut count, &mut driver));
            let mut count = 0;
            good(zeDeviceGet(driver, &mut count, std::ptr::null_mut()));
            let mut devices = vec![ze_device_handle_t::NULL; count as usize];
            good(zeDeviceGet(driver, &mut count, devices.as_mut_ptr()));
            let mut context = ze_context_handle_t::NULL;
            let desc = ze_context_desc_t::new();
            good(zeContextCreate(driver, &desc, &mut context));
            Self {
                driver,
                devices,
                context,
            }
        }
    }

    pub fn device(&self) -> ze_device_handle_t {
        self.devices[0]
    }

    /// Memory of a device, filled with zeros.
    pub fn memory(&self, size: usize) -> *mut u8 {
        let mut place: *mut c_void = std::ptr::null_mut();
        let desc = ze_device_mem_alloc_desc_t::new();
        let device = self.device();
        good(unsafe { zeMemAllocDevice(self.context, &desc, size, 64, device, &mut place) });
        place.cast()
    }

    pub fn free(&self, place: *mut u8) {
        good(unsafe { zeMemFree(self.context, place.cast()) });
    }

    /// An immediate list.
    pub fn immediate(&self, flags: u32) -> ze_command_list_handle_t {
        self.immediate_on(self.device(), 0, 0, flags)
    }

    pub fn immediate_on(
        &self,
        device: ze_device_handle_t,
        ordinal: u32,
        index: u32,
        flags: u32,
    ) -> ze_command_list_handle_t {
        let mut desc = ze_command_queue_desc_t::new();
        desc.ordinal = ordinal;
        desc.index = index;
        desc.flags = flags;
        desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        let mut list = ze_command_list_handle_t::NULL;
        good(unsafe { zeCommandListCreateImmediate(self.context, device, &desc, &mut list) });
        list
    }

    /// A list to be closed.
    pub fn list(&self, flags: u32) -> ze_command_list_handle_t {
        let mut desc = ze_command_list_desc_t::new();
        desc.flags = flags;
        let mut list = ze_command_list_handle_t::NULL;
        good(unsafe { zeCommandListCreate(self.context, self.device(), &desc, &mut list) });
        list
    }

    /// A pool of events that the host may look at.
    pub fn pool(&self, count: u32, flags: u32) -> ze_event_pool_handle_t {
        let mut desc = ze_event_pool_desc_t::new();
        desc.flags = flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
        desc.count = count;
        let mut pool = ze_event_pool_handle_t::NULL;
        let none = std::ptr::null();
        good(unsafe { zeEventPoolCreate(self.context, &desc, 0, none, &mut pool) });
        pool
    }

    /// As many events in a pool of their own.
    pub fn events<const N: usize>(
        &self,
        flags: u32,
    ) -> (ze_event_pool_handle_t, [ze_event_handle_t; N]) {
        let pool = self.pool(N as u32, flags);
        let mut place = 0;
        let events = [(); N].map(|()| {
            let event = event(pool, place);
            place += 1;
            event
        });
        (pool, events)
    }

    pub fn drop_events(&self, (pool, events): (ze_event_pool_handle_t, &[ze_event_handle_t])) {
        for event in events {
            good(unsafe { zeEventDestroy(*event) });
        }
        good(unsafe { zeEventPoolDestroy(pool) });
    }

    /// Ends the test with the context, in which nothing may be left.
    pub fn end(&self) {
        good(unsafe { zeContextDestroy(self.context) });
        assert_eq!(fake_alive(u32::MAX), 0);
    }
}

/// An event at a place of a pool.
pub fn event(pool: ze_event_pool_handle_t, index: u32) -> ze_event_handle_t {
    let mut desc = ze_event_desc_t::new();
    desc.index = index;
    let mut event = NONE;
    good(unsafe { zeEventCreate(pool, &desc, &mut event) });
    event
}

/// Appends a copy.
pub fn copy(
    list: ze_command_list_handle_t,
    dst: *mut u8,
    src: *const u8,
    size: usize,
    signal: ze_event_handle_t,
    waits: &[ze_event_handle_t],
) -> ze_result_t {
    let (count, waits) = (waits.len() as u32, waits.as_ptr());
    unsafe {
        zeCommandListAppendMemoryCopy(list, dst.cast(), src.cast(), size, signal, count, waits)
    }
}

/// Appends a fill with one byte.
pub fn fill(
    list: ze_command_list_handle_t,
    dst: *mut u8,
    byte: u8,
    size: usize,
    signal: ze_event_handle_t,
    waits: &[ze_event_handle_t],
) -> ze_result_t {
    let (count, waits) = (waits.len() as u32, waits.as_ptr());
    let pattern = (&raw const byte).cast();
    unsafe {
        zeCommandListAppendMemoryFill(list, dst.cast(), pattern, 1, size, signal, count, waits)
    }
}

/// Waits for an event.
pub fn synchronise(event: ze_event_handle_t) {
    good(unsafe { zeEventHostSynchronize(event, u64::MAX) });
}
