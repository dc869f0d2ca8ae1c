//! Recording one command.

use super::{BufferCommand, CommandBuffer, Kept, invalid};
use crate::cl::{self, check};
use crate::event::Event;
use std::mem::MaybeUninit;
use ur_adapter::{Error, Handle, Object, Result, Slot};
use ur_api::*;

/// How a recorded command is reached later: what every append takes and gives besides the command.
pub struct Links<'a> {
    points: &'a [ur_exp_command_buffer_sync_point_t],
    point: Option<&'a mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
    command: &'a mut Slot<BufferCommand>,
}

impl<'a> Links<'a> {
    /// From the last parameters of an append.
    ///
    /// # Errors
    /// `UNSUPPORTED_FEATURE` for events: commands of a command buffer have none in OpenCL.
    pub fn new(
        points: &'a [ur_exp_command_buffer_sync_point_t],
        waits: &[&Object<Event>],
        point: Option<&'a mut MaybeUninit<ur_exp_command_buffer_sync_point_t>>,
        event: &Slot<Event>,
        command: &'a mut Slot<BufferCommand>,
    ) -> Result<Self> {
        if !waits.is_empty() || event.wanted() {
            return Err(Error::unsupported());
        }
        Ok(Self {
            points,
            point,
            command,
        })
    }

    /// Whether the program wants to change the command later.
    pub fn wants_command(&self) -> bool {
        self.command.wanted()
    }
}

/// What every function that records takes.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The command buffer.
    pub buffer: cl::cl_command_buffer_khr,
    /// No queue: that of the command buffer.
    pub queue: cl::cl_command_queue,
    /// How many places to wait for.
    pub count: cl::cl_uint,
    /// The places to wait for; null if there are none.
    pub points: *const cl::cl_sync_point_khr,
    /// Where the new place goes.
    pub point: *mut cl::cl_sync_point_khr,
    /// Where the command goes; null if nobody wants to change it.
    pub command: *mut cl::cl_mutable_command_khr,
}

impl CommandBuffer {
    /// Records a command by a call of OpenCL, which may also fail by itself. `kept` is what the command
    /// uses; `launch` makes the handle of a launch, for which there may be changes.
    ///
    /// # Errors
    /// `INVALID_OPERATION` after the recording has ended, and for a handle from a command buffer that
    /// is not to be changed; what the driver says.
    pub(super) fn record(
        &self,
        links: Links<'_>,
        kept: Vec<Kept>,
        launch: Option<super::update::Launch>,
        call: impl FnOnce(Call) -> Result<cl::cl_int>,
    ) -> Result {
        if links.command.wanted() && !self.is_updatable {
            return Err(invalid("the command buffer is not updatable"));
        }
        let mut state = self.state();
        if state.is_final {
            return Err(invalid("the command buffer is finalized"));
        }
        let (mut point, mut native) = (0, cl::cl_mutable_command_khr::NULL);
        let changes = links.command.wanted() && launch.is_some();
        let code = call(Call {
            buffer: self.native(),
            queue: cl::cl_command_queue::NULL,
            count: links.points.len() as u32,
            points: match links.points {
                [] => std::ptr::null(),
                points => points.as_ptr(),
            },
            point: &raw mut point,
            command: match changes {
                true => &raw mut native,
                false => std::ptr::null_mut(),
            },
        })?;
        match code {
            cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR => {
                let result = UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP;
                return Err(Error::new(result, "no such sync point").with_native(code));
            }
            code => check(code)?,
        }
        state.kept.extend(kept);
        if links.command.wanted() {
            let launch = launch.filter(|_| changes);
            let command = Handle::new(BufferCommand::new(self, native, launch))?;
            state.given.push(command.clone());
            links.command.put(command);
        }
        if let Some(place) = links.point {
            place.write(point);
        }
        Ok(())
    }
}
