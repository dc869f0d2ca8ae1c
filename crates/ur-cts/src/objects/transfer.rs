//! Copies and fills through a queue.

use super::event::{Event, or_null};
use super::queue::Queue;
use crate::failure::Stop;
use crate::ur;
use std::ffi::c_void;
use ur_api::*;

impl Queue {
    /// Enqueues filling USM with a byte.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn fill(
        &self,
        at: *mut c_void,
        size: usize,
        value: u8,
        wait: &[ur_event_handle_t],
    ) -> Result<Event, Stop> {
        Event::made("urEnqueueUSMFill", |out| {
            ur!(urEnqueueUSMFill(
                self.get(),
                at,
                1,
                (&raw const value).cast(),
                size,
                wait.len() as u32,
                or_null(wait),
                out
            ))
        })
    }

    /// Enqueues a copy between pointers.
    ///
    /// # Errors
    /// When the call does not succeed.
    #[track_caller]
    pub fn copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        wait: &[ur_event_handle_t],
    ) -> Result<Event, Stop> {
        Event::made("urEnqueueUSMMemcpy", |out| {
            ur!(urEnqueueUSMMemcpy(
                self.get(),
                false,
                to,
                from,
                size,
                wait.len() as u32,
                or_null(wait),
                out
            ))
        })
    }

    /// Copies out of USM of any kind and waits.
    ///
    /// # Errors
    /// When a call does not succeed.
    #[track_caller]
    pub fn fetch(&self, from: *const c_void, size: usize) -> Result<Vec<u8>, Stop> {
        let mut bytes = vec![0; size];
        self.copy(bytes.as_mut_ptr().cast(), from, size, &[])?
            .wait()?;
        Ok(bytes)
    }

    /// Copies into USM of any kind and waits.
    ///
    /// # Errors
    /// When a call does not succeed.
    #[track_caller]
    pub fn put(&self, to: *mut c_void, bytes: &[u8]) -> Result<(), Stop> {
        self.copy(to, bytes.as_ptr().cast(), bytes.len(), &[])?
            .wait()
    }
}
