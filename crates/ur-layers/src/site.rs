//! Where in the program a call comes from.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};
use ur_api::{ur_code_location_callback_t, ur_code_location_t};

/// How many calls of the stack are kept.
const FRAMES: usize = 32;

static LOCATION: Mutex<(ur_code_location_callback_t, usize)> = Mutex::new((None, 0));

/// Sets what tells where a call comes from; none is none.
pub(crate) fn set(location: (ur_code_location_callback_t, usize)) {
    *LOCATION.lock().unwrap_or_else(PoisonError::into_inner) = location;
}

/// What the program says about the current call.
pub(crate) fn told() -> Option<ur_code_location_t> {
    let (callback, data) = *LOCATION.lock().unwrap_or_else(PoisonError::into_inner);
    // The lock is given back: the program's function may do as it likes.
    // SAFETY: the program gave the function with its argument.
    let location = callback
        .map(|callback| unsafe { callback(std::ptr::with_exposed_provenance_mut::<c_void>(data)) });
    // A program may have nothing to say about a call.
    location.filter(|told| !told.functionName.is_null() || !told.sourceFile.is_null())
}

/// The place of a call: what the program says of it, and the stack.
#[derive(Debug)]
pub(crate) struct Site {
    told: Option<String>,
    frames: [usize; FRAMES],
    count: usize,
}

impl Site {
    /// The place of the current call.
    pub(crate) fn here() -> Site {
        let mut frames = [0usize; FRAMES];
        // SAFETY: there is room for so many addresses.
        let count = unsafe { libc::backtrace(frames.as_mut_ptr().cast(), FRAMES as c_int) };
        Site {
            told: told().map(|location| sentence(&location)),
            frames,
            count: usize::try_from(count).unwrap_or(0),
        }
    }

    /// One line for each call of the stack, the innermost first, without those of the library
    /// that this is part of; the program's own word comes before.
    pub(crate) fn lines(&self) -> Vec<String> {
        let own = own_library();
        let frames = self.frames[..self.count].iter().map(|at| Frame::of(*at));
        let outside = frames.skip_while(|frame| own.as_ref() == Some(&frame.library));
        let numbered = outside
            .enumerate()
            .map(|(i, frame)| format!("#{i} {frame}"));
        let told = self.told.iter().cloned();
        told.chain(numbered).collect()
    }
}

/// The library that this crate is linked into; `None` if that is the program itself.
fn own_library() -> Option<String> {
    let function: fn() -> Option<String> = own_library;
    let own = Frame::of(function as usize).library;
    // SAFETY: reads the auxiliary vector, which the kernel wrote before the program began.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    let program = Frame::of(entry as usize).library;
    (!own.is_empty() && own != program).then_some(own)
}

/// `name (file:line:column)`
fn sentence(location: &ur_code_location_t) -> String {
    let text = |pointer: *const c_char| {
        if pointer.is_null() {
            "?".to_owned()
        } else {
            // SAFETY: not null, so it is the program's text.
            let text = unsafe { CStr::from_ptr(pointer) };
            text.to_string_lossy().into_owned()
        }
    };
    format!(
        "{} ({}:{}:{})",
        text(location.functionName),
        text(location.sourceFile),
        location.lineNumber,
        location.columnNumber
    )
}

/// An address of code, by name.
struct Frame {
    library: String,
    /// The nearest exported name before it and how far it is from there, else how far it is from
    /// the library's start.
    place: String,
    address: usize,
}

impl Frame {
    fn of(address: usize) -> Frame {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr takes any address and writes what it finds.
        let found = unsafe { libc::dladdr(address as *const c_void, info.as_mut_ptr()) };
        // SAFETY: all zero is a valid value, and what was written is too.
        let info = unsafe { info.assume_init() };
        let text = |pointer: *const c_char| {
            // SAFETY: dladdr's texts belong to the dynamic linker and end with a NUL.
            let text = (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) });
            text.map(|text| text.to_string_lossy().into_owned())
        };
        let (library, name) = if found == 0 {
            (None, None)
        } else {
            (text(info.dli_fname), text(info.dli_sname))
        };
        let place = match name {
            Some(name) => format!(
                "{name}+{:#x}",
                address.wrapping_sub(info.dli_saddr as usize)
            ),
            None => format!("+{:#x}", address.wrapping_sub(info.dli_fbase as usize)),
        };
        Frame {
            library: library.unwrap_or_default(),
            place,
            address,
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.library.is_empty() {
            return write!(f, "[{:#x}]", self.address);
        }
        write!(f, "{}({}) [{:#x}]", self.library, self.place, self.address)
    }
}
