//! Programs: any bytes are taken, and any kernel name is found in them.

use crate::Mock;
use crate::context::Context;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use ur_adapter::{Error, Handle, Info, Object, ProgramFns, Result};
use ur_api::*;

/// A program keeps its bytes.
#[derive(Debug)]
pub struct Program {
    /// Its context.
    pub context: Handle<Context>,
    il: Vec<u8>,
}

impl ProgramFns for Mock {
    unsafe fn program_create_with_il(
        context: &Object<Context>,
        il: *const c_void,
        length: usize,
        _properties: Option<&ur_program_properties_t>,
    ) -> Result<Handle<Program>> {
        let Some(il) = NonNull::new(il.cast_mut().cast::<u8>()).filter(|_| length > 0) else {
            return Err(UR_RESULT_ERROR_INVALID_BINARY.into());
        };
        // SAFETY: the program says that its memory holds `length` bytes.
        let il = unsafe { std::slice::from_raw_parts(il.as_ptr(), length) }.to_vec();
        Handle::new(Program {
            context: context.handle(),
            il,
        })
    }

    fn program_build(
        _context: &Object<Context>,
        _program: &Object<Program>,
        _options: Option<&CStr>,
    ) -> Result {
        Ok(())
    }

    fn program_get_info(
        program: &Object<Program>,
        prop: ur_program_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_PROGRAM_INFO_CONTEXT => info.handle(&program.context),
            UR_PROGRAM_INFO_NUM_DEVICES => info.value(program.context.devices().len() as u32),
            UR_PROGRAM_INFO_DEVICES => info.handles(program.context.devices()),
            UR_PROGRAM_INFO_IL => info.bytes(&program.il),
            _ => Err(Error::unsupported_query()),
        }
    }
}
