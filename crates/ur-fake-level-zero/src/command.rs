//! What a command does.

use crate::copy::{Rect, Region};
use crate::image::Texels;
use crate::launch::Launch;
use crate::world::Ref;
use std::sync::Arc;

/// What a command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// An event that is to be signalled.
    Event(Ref),
    /// A command that is to end, which a counter-based event stood for when the wait was appended.
    Command(u64),
}

/// What is done.
#[derive(Clone)]
pub enum Action {
    /// Nothing: it only waits and signals.
    Nothing,
    /// An event is reset.
    Reset(Ref),
    /// Bytes are copied.
    Copy {
        /// Where to.
        dst: usize,
        /// Where from.
        src: usize,
        /// How many.
        size: usize,
    },
    /// Bytes are filled.
    Fill {
        /// Where.
        dst: usize,
        /// How many.
        size: usize,
        /// With what, again and again.
        pattern: Arc<[u8]>,
    },
    /// Rows of bytes are copied.
    Rect {
        /// Where to.
        dst: Rect,
        /// Where from.
        src: Rect,
        /// How many.
        region: Region,
        /// The images among them.
        keep: Vec<Arc<Texels>>,
    },
    /// The device's time is written.
    Clock {
        /// Where to.
        dst: usize,
    },
    /// Times of events are written.
    Times {
        /// The events.
        events: Vec<Ref>,
        /// Where to.
        dst: usize,
        /// At which bytes from there; one behind the other without.
        offsets: Option<Vec<usize>>,
    },
    /// Kernels are run one after the other.
    Launch(Vec<Launch>),
}

/// A command as it was appended.
#[derive(Clone)]
pub struct Command {
    /// The function that appended it.
    pub name: &'static str,
    /// What it does.
    pub action: Action,
    /// Whether it begins only when all before it have ended.
    pub drains: bool,
    /// Whether nothing behind it begins before it has ended.
    pub blocks: bool,
    /// The event that it signals.
    pub signal: Option<Ref>,
    /// What it waits for.
    pub waits: Vec<Wait>,
    /// Kernels, images and events that it needs besides.
    pub needs: Vec<Ref>,
    /// Addresses that it uses.
    pub memory: Vec<usize>,
    /// Kinds of allocations that its kernels may reach without being told, by Level Zero's flags, and
    /// the context that they are of.
    pub indirect: (u32, usize),
    /// Its number for changes, if it can be changed.
    pub number: Option<u64>,
}

impl Command {
    /// A command that only waits and signals.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            action: Action::Nothing,
            drains: false,
            blocks: false,
            signal: None,
            waits: Vec::new(),
            needs: Vec::new(),
            memory: Vec::new(),
            indirect: (0, 0),
            number: None,
        }
    }

    /// Does it, as far as that takes no look at events.
    ///
    /// # Errors
    /// What went wrong.
    pub fn perform(&self) -> Result<(), String> {
        match &self.action {
            Action::Nothing | Action::Reset(_) | Action::Clock { .. } | Action::Times { .. } => {}
            // SAFETY: the ranges were found to be mapped when the command was appended, and memory of
            // the driver is not freed while a command uses it.
            Action::Copy { dst, src, size } => unsafe {
                std::ptr::copy(*src as *const u8, *dst as *mut u8, *size);
            },
            // SAFETY: as above.
            Action::Fill { dst, size, pattern } => unsafe {
                let first = pattern.len().min(*size);
                std::ptr::copy_nonoverlapping(pattern.as_ptr(), *dst as *mut u8, first);
                let mut done = first;
                // What is there is as much again, up to the end.
                while done < *size {
                    let more = done.min(size - done);
                    let (from, to) = (*dst as *const u8, (dst + done) as *mut u8);
                    std::ptr::copy_nonoverlapping(from, to, more);
                    done += more;
                }
            },
            Action::Rect {
                dst, src, region, ..
            } => {
                for (to, from) in dst.rows(*region).zip(src.rows(*region)) {
                    // SAFETY: as above; images are held by the command.
                    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, region.width) };
                }
            }
            Action::Launch(launches) => {
                for launch in launches {
                    launch.run()?;
                }
            }
        }
        Ok(())
    }
}
