//! What is behind memory objects.

use crate::context::Context;
use crate::event::Engine;
use crate::image::Image;
use crate::usm::driver::{self, Request};
use crate::ze::{self, Owned};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// Memory or an image. Commands that use it hold it, and not the memory objects, so that the count of
/// those is the program's alone.
#[derive(Debug)]
pub struct Storage {
    place: Place,
    /// The program's memory that the contents are shown in while they are mapped; 0 for none.
    host: usize,
    maps: Mutex<Vec<Map>>,
    context: Handle<Context>,
}

/// What a storage is.
#[derive(Debug)]
pub enum Place {
    /// An allocation of the driver's.
    Memory {
        /// Its address.
        start: usize,
        /// Whether the host reaches it.
        visible: bool,
        /// Whether it is freed with this.
        ours: bool,
    },
    /// An image.
    Image {
        /// Level Zero's own.
        native: Owned<ze::ze_image_handle_t>,
        /// What it is.
        image: Image,
    },
}

/// A part of a storage that is mapped.
#[derive(Clone, Debug)]
pub struct Map {
    /// The address that the program got.
    pub at: usize,
    /// Where the part begins in the storage.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// Whether the program writes to it.
    pub writes: bool,
    /// Where its bytes are meanwhile.
    pub through: Through,
}

/// Where the bytes of a mapped part are.
#[derive(Clone, Debug)]
pub enum Through {
    /// In the storage, which the host reaches.
    Itself,
    /// In memory of the program's that a buffer was made with.
    Program,
    /// In memory of ours.
    Staging(Arc<Staging>),
}

/// Memory of the host that goes with the last command that uses it.
#[derive(Debug)]
pub struct Staging {
    start: usize,
    context: Handle<Context>,
}

impl Staging {
    /// New memory of the host.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(context: &Object<Context>, size: usize) -> Result<Arc<Self>> {
        let request = Request::plain(UR_USM_TYPE_HOST, size, 0);
        Ok(Arc::new(Self {
            start: driver::allocate(context, None, &request)? as usize,
            context: context.handle(),
        }))
    }

    /// Its address.
    pub fn at(&self) -> *mut c_void {
        self.start as *mut c_void
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // SAFETY: an allocation of this one's own that no command uses any more. A driver that refuses
        // leaves nothing to be done.
        let _ = unsafe { driver::free(&self.context, self.at()) };
    }
}

impl Storage {
    /// A storage; `host` is null, or memory of the program's for all of it that stays while it does.
    pub fn new(context: &Object<Context>, place: Place, host: *mut c_void) -> Self {
        Self {
            place,
            host: host as usize,
            maps: Mutex::default(),
            context: context.handle(),
        }
    }

    /// New memory for a buffer: that of the device if there is only one and it has its own, otherwise
    /// the host's, which all devices reach.
    ///
    /// # Errors
    /// `INVALID_BUFFER_SIZE` for too much, and what the driver says.
    pub fn allocate(
        context: &Object<Context>,
        size: usize,
        flags: ur_mem_flags_t,
        host: *mut c_void,
    ) -> Result<Self> {
        let on_host = flags & UR_MEM_FLAG_ALLOC_HOST_POINTER.0 != 0;
        let only = match context.devices() {
            [only] if !on_host && !only.facts().is_integrated() => Some(&***only),
            _ => None,
        };
        let kind = match only {
            Some(_) => UR_USM_TYPE_DEVICE,
            None => UR_USM_TYPE_HOST,
        };
        let request = Request::plain(kind, size, 0);
        let memory = driver::allocate(context, only, &request);
        let start = memory.map_err(|error| match error.code {
            UR_RESULT_ERROR_INVALID_USM_SIZE => Error {
                code: UR_RESULT_ERROR_INVALID_BUFFER_SIZE,
                ..error
            },
            _ => error,
        })?;
        let place = Place::Memory {
            start: start as usize,
            visible: only.is_none(),
            ours: true,
        };
        Ok(Self::new(context, place, host))
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    /// What it is.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The program's memory that shows it while it is mapped, or null.
    pub fn host(&self) -> *mut c_void {
        self.host as *mut c_void
    }

    /// The parts that are mapped.
    pub fn maps(&self) -> MutexGuard<'_, Vec<Map>> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes bytes of the host to the beginning, at once.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// It is memory that no command uses, and `from` and it have that many bytes.
    pub unsafe fn fill_from(&self, from: *const c_void, size: usize) -> Result {
        let Place::Memory { start, visible, .. } = self.place else {
            return Ok(());
        };
        let to = start as *mut c_void;
        if visible {
            // SAFETY: as the caller says; the host reaches this memory.
            unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), size) };
            return Ok(());
        }
        let copy = self.context.api().zeCommandListAppendMemoryCopy;
        let (none, nothing) = (ze::ze_event_handle_t::NULL, std::ptr::null());
        let device = &self.context.devices()[0];
        self.context.serve(device, Engine::Copy, |list| {
            // SAFETY: a list of ours; memory as the caller says.
            unsafe { copy(list, to, from, size, none, 0, nothing) }
        })
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Place::Memory {
            start, ours: true, ..
        } = self.place
        {
            // SAFETY: an allocation of this one's own that no command uses any more. A driver that
            // refuses leaves nothing to be done.
            let _ = unsafe { driver::free(&self.context, start as *mut c_void) };
        }
    }
}
