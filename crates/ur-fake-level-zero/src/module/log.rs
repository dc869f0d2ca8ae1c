//! What the compiler said.

use super::write;
use crate::call::{call, put};
use crate::world::{Body, Kind, World};
use crate::ze::*;
use std::ffi::c_char;

/// What the compiler said.
#[derive(Debug)]
pub struct BuildLog {
    text: String,
}

impl World {
    /// Makes a log, if the program wants one.
    ///
    /// # Safety
    /// `place` is null or has room for a handle.
    pub unsafe fn add_log(
        &mut self,
        context: usize,
        text: &str,
        place: *mut ze_module_build_log_handle_t,
    ) -> Answer {
        if place.is_null() {
            return Ok(());
        }
        let driver = self.object(context, Kind::Context)?.driver;
        let log = BuildLog {
            text: text.to_owned(),
        };
        let handle = self.add(driver, Body::BuildLog(log), vec![context]);
        // SAFETY: as the caller says.
        unsafe { put(place, ze_module_build_log_handle_t::from_native(handle)) }
    }
}

/// Takes a log away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleBuildLogDestroy(log: ze_module_build_log_handle_t) -> ze_result_t {
    call("zeModuleBuildLogDestroy", |world| {
        world.destroy(log.to_native(), Kind::BuildLog)?;
        Ok(())
    })
}

/// Tells a log, terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeModuleBuildLogGetString(
    log: ze_module_build_log_handle_t,
    size: *mut usize,
    place: *mut c_char,
) -> ze_result_t {
    call("zeModuleBuildLogGetString", |world| {
        let mut bytes = world.build_log(log.to_native())?.text.clone().into_bytes();
        bytes.push(0);
        // SAFETY: as the caller says.
        unsafe { write(&bytes, size, place.cast()) }
    })
}
