//! Events for tools that subscribe to XPTI's stream `ur.call`.
//!
//! The library of XPTI is opened when tracing is turned on and somebody asked for events; it is
//! never closed, since tools may still run code in it.

use crate::site;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use ur_api::{UR_API_VERSION_CURRENT, ur_code_location_t, ur_function_t, ur_result_t};

/// The stream.
const STREAM: &CStr = c"ur.call";

/// What events are called.
const CALL: &CStr = c"Unified Runtime call";

/// A call with its arguments begins.
const BEGIN: u16 = 14 << 1;
/// It ends.
const END: u16 = 14 << 1 | 1;

/// The kind of event that the stream's events are of, and whether an event is going on.
const GRAPH: u16 = 1;
const ACTIVE: u8 = 1;

/// What a tool gets about a call.
#[repr(C)]
struct Arguments {
    function: u32,
    name: *const c_char,
    /// The struct of pointers to the arguments.
    arguments: *const c_void,
    /// The result; null at the beginning.
    result: *const c_void,
    user: *const c_void,
}

/// Where an event comes from, as the library wants it.
#[repr(C)]
struct Payload {
    name: *const c_char,
    stack_trace: *const c_char,
    source_file: *const c_char,
    line: u32,
    column: u32,
    code: *const c_void,
    internal: u64,
    flags: u64,
    uid: [u64; 3],
    padding: [u64; 8],
}

type Initialize = unsafe extern "C" fn(*const c_char, u32, u32, *const c_char) -> i32;
type Finalize = unsafe extern "C" fn(*const c_char);
type RegisterStream = unsafe extern "C" fn(*const c_char) -> u8;
type CheckTraceEnabled = unsafe extern "C" fn(u8, u16) -> bool;
type UniqueId = unsafe extern "C" fn() -> u64;
type Notify =
    unsafe extern "C" fn(u8, u16, *const c_void, *const c_void, u64, *const c_void) -> i32;
type MakeEvent =
    unsafe extern "C" fn(*const c_char, *const Payload, u16, u8, *mut u64) -> *const c_void;

/// The functions of the library that are used.
struct Library {
    finalize: Finalize,
    check: CheckTraceEnabled,
    unique: UniqueId,
    notify: Notify,
    make_event: MakeEvent,
}

/// Set once, and never freed.
static LIBRARY: AtomicPtr<Library> = AtomicPtr::new(null_mut());
static STREAM_ID: AtomicU8 = AtomicU8::new(0);
/// The event of calls about which the program says nothing.
static EVENT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

fn library() -> Option<&'static Library> {
    // SAFETY: it is null or points to what was leaked for good.
    unsafe { LIBRARY.load(Ordering::Acquire).as_ref() }
}

/// Opens the library and the stream. False if the library says that events are off.
///
/// # Errors
/// A sentence saying why it cannot be used.
pub(crate) fn open(path: &CStr) -> Result<bool, String> {
    // SAFETY: opening a library runs its constructors, which is what the user asked for.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        // SAFETY: dlerror gives the text of the failure, or null.
        let text = unsafe { libc::dlerror() };
        let text = (!text.is_null()).then(|| {
            // SAFETY: it is not null, so it is text.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        });
        return Err(text.unwrap_or_else(|| "it cannot be opened".to_owned()));
    }
    let symbol = |name: &CStr| {
        // SAFETY: the handle is that of an open library.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        if found.is_null() {
            Err(format!("it lacks {}", name.to_string_lossy()))
        } else {
            Ok(found)
        }
    };
    let enabled = symbol(c"xptiTraceEnabled")?;
    // SAFETY: the function of that name has this type.
    let enabled: unsafe extern "C" fn() -> bool = unsafe { std::mem::transmute(enabled) };
    // SAFETY: it takes nothing.
    if !unsafe { enabled() } {
        return Ok(false);
    }
    let (initialize, register) = (symbol(c"xptiInitialize")?, symbol(c"xptiRegisterStream")?);
    // SAFETY: the functions of these names have these types.
    let (initialize, register, functions) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Initialize>(initialize),
            std::mem::transmute::<*mut c_void, RegisterStream>(register),
            Library {
                finalize: std::mem::transmute::<*mut c_void, Finalize>(symbol(c"xptiFinalize")?),
                check: std::mem::transmute::<*mut c_void, CheckTraceEnabled>(symbol(
                    c"xptiCheckTraceEnabled",
                )?),
                unique: std::mem::transmute::<*mut c_void, UniqueId>(symbol(c"xptiGetUniqueId")?),
                notify: std::mem::transmute::<*mut c_void, Notify>(symbol(
                    c"xptiNotifySubscribers",
                )?),
                make_event: std::mem::transmute::<*mut c_void, MakeEvent>(symbol(
                    c"xptiMakeEvent",
                )?),
            },
        )
    };
    let (major, minor) = (
        UR_API_VERSION_CURRENT.0 >> 16,
        UR_API_VERSION_CURRENT.0 & 0xffff,
    );
    let version = std::ffi::CString::new(format!("{major}.{minor}")).unwrap_or_default();
    // SAFETY: names and version are texts, which the library copies.
    unsafe {
        STREAM_ID.store(register(STREAM.as_ptr()), Ordering::Relaxed);
        initialize(STREAM.as_ptr(), major, minor, version.as_ptr());
    }
    let event = functions.event(None);
    EVENT.store(event.cast_mut(), Ordering::Relaxed);
    if library().is_none() {
        LIBRARY.store(Box::into_raw(Box::new(functions)), Ordering::Release);
    }
    Ok(true)
}

/// Tells the tools that no more events come.
pub(crate) fn close() {
    if let Some(library) = library() {
        // SAFETY: the name is a text.
        unsafe { (library.finalize)(STREAM.as_ptr()) };
    }
}

impl Library {
    /// The event of a place in the program.
    fn event(&self, location: Option<&ur_code_location_t>) -> *const c_void {
        let told = |text: fn(&ur_code_location_t) -> *const c_char| {
            location.map(text).filter(|text| !text.is_null())
        };
        // An event without a name is none.
        let name = told(|l| l.functionName).unwrap_or(CALL.as_ptr());
        let source_file = told(|l| l.sourceFile).unwrap_or(null());
        // Which of the members say something: name, source file, line, column.
        let place = u64::from(location.is_some());
        let flags = 1 | u64::from(!source_file.is_null()) << 1 | place << 3 | place << 4;
        let payload = Payload {
            name,
            stack_trace: null(),
            source_file,
            line: location.map_or(0, |l| l.lineNumber),
            column: location.map_or(0, |l| l.columnNumber),
            code: null(),
            internal: 0,
            flags,
            uid: [0; 3],
            padding: [0; 8],
        };
        let mut instance = 0;
        // SAFETY: the texts and the payload live as long as the call, which copies them.
        unsafe {
            (self.make_event)(
                CALL.as_ptr(),
                &raw const payload,
                GRAPH,
                ACTIVE,
                &raw mut instance,
            )
        }
    }
}

/// A call that was reported to begin.
pub(crate) struct Event {
    library: &'static Library,
    event: *const c_void,
    instance: u64,
}

/// Reports that a call begins; `None` if no tool listens.
pub(crate) fn begin(
    function: ur_function_t,
    name: &'static CStr,
    params: *const c_void,
) -> Option<Event> {
    let library = library()?;
    let stream = STREAM_ID.load(Ordering::Relaxed);
    // SAFETY: both are numbers.
    let listened = unsafe { (library.check)(stream, BEGIN) || (library.check)(stream, END) };
    if !listened {
        return None;
    }
    let event = match site::told() {
        Some(location) => library.event(Some(&location)),
        None => EVENT.load(Ordering::Relaxed).cast_const(),
    };
    let event = Event {
        library,
        event,
        // SAFETY: it takes nothing.
        instance: unsafe { (library.unique)() },
    };
    event.notify(BEGIN, function, name, params, null());
    Some(event)
}

impl Event {
    /// Reports that the call has ended.
    pub(crate) fn end(
        self,
        function: ur_function_t,
        name: &'static CStr,
        params: *const c_void,
        result: ur_result_t,
    ) {
        self.notify(END, function, name, params, (&raw const result).cast());
    }

    fn notify(
        &self,
        kind: u16,
        function: ur_function_t,
        name: &CStr,
        arguments: *const c_void,
        result: *const c_void,
    ) {
        let arguments = Arguments {
            function: function.0,
            name: name.as_ptr(),
            arguments,
            result,
            user: null(),
        };
        let stream = STREAM_ID.load(Ordering::Relaxed);
        // SAFETY: the arguments live as long as the call, and the event is the library's.
        unsafe {
            (self.library.notify)(
                stream,
                kind,
                null(),
                self.event,
                self.instance,
                (&raw const arguments).cast(),
            )
        };
    }
}
