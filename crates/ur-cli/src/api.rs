//! The UR calls that the command makes, with Rust results and objects that release themselves.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A call that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The function's name.
    pub call: &'static str,
    /// What it returned.
    pub code: ur_result_t,
    /// What the adapter adds, if anything.
    pub message: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.code)?;
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// What a call gives.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Turns a call's code into a result.
pub fn check(call: &'static str, code: ur_result_t) -> Result<()> {
    if code == UR_RESULT_SUCCESS {
        return Ok(());
    }
    Err(Failure {
        call,
        code,
        message: None,
    })
}

/// Calls a UR function by name and checks its result; the caller's block is `unsafe`.
macro_rules! ur {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::api::check(stringify!($name), ur_loader::$name($($arg),*))
    };
}
pub(crate) use ur;

/// Starts the loader; it ends when this is dropped.
#[derive(Debug)]
pub struct Loader(());

impl Loader {
    /// Loads the adapters.
    pub fn start() -> Result<Self> {
        // SAFETY: no configuration object is passed.
        unsafe { ur!(urLoaderInit(0, null_mut())) }?;
        Ok(Self(()))
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        // SAFETY: started in `start`; all objects borrow from or outlive nothing of it, because they
        // are dropped before.
        let _ = unsafe { ur!(urLoaderTearDown()) };
    }
}

/// An object that belongs to us: one reference, given back on drop.
#[derive(Debug)]
pub struct Owned<H: Copy> {
    handle: H,
    release: unsafe extern "C" fn(H) -> ur_result_t,
}

impl<H: Copy> Owned<H> {
    /// Takes over one reference.
    ///
    /// # Safety
    /// `handle` names a live object, one of whose references is the caller's, and `release` gives it
    /// back.
    pub unsafe fn new(handle: H, release: unsafe extern "C" fn(H) -> ur_result_t) -> Self {
        Self { handle, release }
    }

    /// The handle, valid as long as this lives.
    pub fn get(&self) -> H {
        self.handle
    }
}

impl<H: Copy> Drop for Owned<H> {
    fn drop(&mut self) {
        // SAFETY: the reference is ours, as `new` demands.
        unsafe { (self.release)(self.handle) };
    }
}

/// An adapter.
pub type Adapter = Owned<ur_adapter_handle_t>;
/// A device.
pub type Device = Owned<ur_device_handle_t>;

/// As many adapters as are asked for at first.
const FEW: usize = 16;

/// All adapters that are loaded. An adapter without a driver may look for it each time that it is
/// asked, so all are asked once, unless there are many.
pub fn adapters() -> Result<Vec<Adapter>> {
    let get = |room: usize| {
        let mut handles = vec![null_mut(); room];
        let mut count = 0;
        let entries = u32::try_from(room).unwrap_or(u32::MAX);
        // SAFETY: there is room for `entries` handles.
        unsafe { ur!(urAdapterGet(entries, handles.as_mut_ptr(), &raw mut count)) }?;
        handles.truncate(count as usize);
        let adapters: Vec<Adapter> = handles
            .into_iter()
            // SAFETY: urAdapterGet gives a reference with each handle.
            .map(|handle| unsafe { Owned::new(handle, ur_loader::urAdapterRelease) })
            .collect();
        Ok((adapters, count as usize))
    };
    let (adapters, all) = get(FEW)?;
    if all <= FEW {
        return Ok(adapters);
    }
    // The references of those that were got already go back.
    Ok(get(all)?.0)
}

/// The platforms of an adapter; they are not counted and live as long as it.
pub fn platforms(adapter: &Adapter) -> Result<Vec<ur_platform_handle_t>> {
    listed("urPlatformGet", |entries, out, count| {
        // SAFETY: the adapter is alive; `out` has room for `entries` handles.
        unsafe { ur_loader::urPlatformGet(adapter.get(), entries, out, count) }
    })
}

/// The devices of a platform: those that ONEAPI_DEVICE_SELECTOR leaves, or all.
pub fn devices(platform: ur_platform_handle_t, selected: bool) -> Result<Vec<Device>> {
    let (name, get): (_, unsafe extern "C" fn(_, _, _, _, _) -> _) = if selected {
        ("urDeviceGetSelected", ur_loader::urDeviceGetSelected)
    } else {
        ("urDeviceGet", ur_loader::urDeviceGet)
    };
    let handles = listed(name, |entries, out, count| {
        // SAFETY: the platform is alive; `out` has room for `entries` handles.
        unsafe { get(platform, UR_DEVICE_TYPE_ALL, entries, out, count) }
    });
    let handles = match handles {
        Err(failure) if failure.code == UR_RESULT_ERROR_DEVICE_NOT_FOUND => Vec::new(),
        other => other?,
    };
    Ok(handles
        .into_iter()
        // SAFETY: both functions give a reference with each handle.
        .map(|handle| unsafe { Owned::new(handle, ur_loader::urDeviceRelease) })
        .collect())
}

/// Asks for the number, then for that many handles.
fn listed<H>(
    call: &'static str,
    get: impl Fn(u32, *mut *mut H, *mut u32) -> ur_result_t,
) -> Result<Vec<*mut H>> {
    let mut count = 0;
    check(call, get(0, null_mut(), &raw mut count))?;
    let mut handles = vec![null_mut(); count as usize];
    if count != 0 {
        let mut found = 0;
        check(call, get(count, handles.as_mut_ptr(), &raw mut found))?;
        handles.truncate(found.min(count) as usize);
    }
    Ok(handles)
}

/// The value of an info query, as bytes: asks for the size, then for the value.
pub fn query(
    call: &'static str,
    get: impl Fn(usize, *mut c_void, *mut usize) -> ur_result_t,
) -> Result<Vec<u8>> {
    let mut size = 0;
    check(call, get(0, null_mut(), &raw mut size))?;
    // The value may hold anything up to 64 bits wide; words keep it aligned.
    let mut words = vec![0u64; size.div_ceil(8)];
    if size != 0 {
        check(call, get(size, words.as_mut_ptr().cast(), null_mut()))?;
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.truncate(size);
    Ok(bytes)
}

/// An info value that is text, without its terminator.
pub fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A value of a device.
pub fn device_info(device: ur_device_handle_t, name: ur_device_info_t) -> Result<Vec<u8>> {
    query("urDeviceGetInfo", |size, value, size_out| {
        // SAFETY: the device is alive; `value` has room for `size` bytes.
        unsafe { ur_loader::urDeviceGetInfo(device, name, size, value, size_out) }
    })
}

/// A value of a platform.
pub fn platform_info(platform: ur_platform_handle_t, name: ur_platform_info_t) -> Result<Vec<u8>> {
    query("urPlatformGetInfo", |size, value, size_out| {
        // SAFETY: the platform is alive; `value` has room for `size` bytes.
        unsafe { ur_loader::urPlatformGetInfo(platform, name, size, value, size_out) }
    })
}

/// A value of an adapter.
pub fn adapter_info(adapter: &Adapter, name: ur_adapter_info_t) -> Result<Vec<u8>> {
    query("urAdapterGetInfo", |size, value, size_out| {
        // SAFETY: the adapter is alive; `value` has room for `size` bytes.
        unsafe { ur_loader::urAdapterGetInfo(adapter.get(), name, size, value, size_out) }
    })
}

/// Adds the adapter's own words to a failure, if it has any.
pub fn explain(adapter: &Adapter, mut failure: Failure) -> Failure {
    let mut message: *const c_char = null();
    let mut code = 0;
    // SAFETY: the adapter is alive; the out-parameters are ours.
    let result =
        unsafe { ur_loader::urAdapterGetLastError(adapter.get(), &raw mut message, &raw mut code) };
    if result == UR_RESULT_SUCCESS && !message.is_null() {
        // SAFETY: the adapter gave a terminated text that lasts until this thread's next call.
        let text = unsafe { CStr::from_ptr(message) };
        if !text.is_empty() {
            failure.message = Some(text.to_string_lossy().into_owned());
        }
    }
    failure
}
