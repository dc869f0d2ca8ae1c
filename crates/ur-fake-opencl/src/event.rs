//! Events and the commands behind them. A command ends as soon as what it waits for has ended; nothing
//! but the thread that brings that about is needed for it.

pub mod command;

use crate::call::{Raw, call, code, list, made, tell, wait};
use crate::cl::*;
use crate::world::{Body, Kind};
use std::ffi::c_void;

/// An event.
#[derive(Debug)]
pub struct Event {
    context: usize,
    /// None for a user event.
    queue: Option<usize>,
    command: cl_uint,
    status: cl_int,
    /// What the command ends with.
    outcome: cl_int,
    waits: Vec<usize>,
    flushed: bool,
    profiled: bool,
    /// Whether the driver has no times for it.
    timeless: bool,
    times: [u64; 4],
    callbacks: Vec<Callback>,
}

/// A function to be called at a status.
#[derive(Clone, Copy, Debug)]
struct Callback {
    status: cl_int,
    function: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
    data: usize,
}

/// A callback that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    event: usize,
    status: cl_int,
    callback: Callback,
}

impl Event {
    /// How far it is.
    pub fn status(&self) -> cl_int {
        self.status
    }

    /// When its command was enqueued, which no two are at once.
    pub fn queued(&self) -> u64 {
        self.times[0]
    }
}

impl Due {
    /// Makes the callback. The lock must be free.
    pub fn call(self) {
        let Callback { function, data, .. } = self.callback;
        let event = cl_event::from_native(self.event);
        // SAFETY: the program gave the function for this call.
        unsafe { function(event, self.status, data as *mut c_void) };
        // The event was held for the callback.
        crate::call::world().unhold(self.event);
    }
}

/// Waits for events.
pub unsafe extern "C" fn clWaitForEvents(count: cl_uint, events: *const cl_event) -> cl_int {
    // SAFETY: as the caller says.
    let events = unsafe { list(events, count as usize) };
    let events: Vec<_> = events.iter().map(|event| event.to_native()).collect();
    let flushed = call("clWaitForEvents", |world| {
        if events.is_empty() {
            return Err(CL_INVALID_VALUE);
        }
        for event in &events {
            if let Some(queue) = world.event(*event)?.queue {
                world.flush(queue);
            }
        }
        Ok(())
    });
    code(flushed.and_then(|()| {
        wait("clWaitForEvents", |world| {
            let mut failed = false;
            for event in &events {
                match world.event(*event) {
                    Ok(event) if event.status > CL_COMPLETE => return None,
                    Ok(event) => failed |= event.status < CL_COMPLETE,
                    Err(code) => return Some(Err(code)),
                }
            }
            Some(match failed {
                true => Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                false => Ok(()),
            })
        })
    }))
}

/// Answers a question about an event.
pub unsafe extern "C" fn clGetEventInfo(
    event: cl_event,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetEventInfo", |world| {
        let event = world.event(event.to_native())?;
        let answer = match name {
            CL_EVENT_COMMAND_QUEUE => event.queue.unwrap_or(0).raw(),
            CL_EVENT_COMMAND_TYPE => event.command.raw(),
            CL_EVENT_COMMAND_EXECUTION_STATUS => event.status.raw(),
            CL_EVENT_CONTEXT => event.context.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Tells a time of a command.
pub unsafe extern "C" fn clGetEventProfilingInfo(
    event: cl_event,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetEventProfilingInfo", |world| {
        let event = world.event(event.to_native())?;
        if !event.profiled || event.status != CL_COMPLETE {
            return Err(CL_PROFILING_INFO_NOT_AVAILABLE);
        }
        let place = match name {
            CL_PROFILING_COMMAND_QUEUED => 0,
            CL_PROFILING_COMMAND_SUBMIT => 1,
            CL_PROFILING_COMMAND_START => 2,
            CL_PROFILING_COMMAND_END => 3,
            _ => return Err(CL_INVALID_VALUE),
        };
        let time = match event.timeless {
            true => 0,
            false => event.times[place],
        };
        // SAFETY: as the caller says.
        unsafe { tell(&time.raw(), size, value, told) }
    }))
}

/// Sets a function to be called at a status.
pub unsafe extern "C" fn clSetEventCallback(
    event: cl_event,
    status: cl_int,
    notify: EventNotify,
    data: *mut c_void,
) -> cl_int {
    code(call("clSetEventCallback", |world| {
        let function = notify.ok_or(CL_INVALID_VALUE)?;
        if !(CL_COMPLETE..=CL_SUBMITTED).contains(&status) {
            return Err(CL_INVALID_VALUE);
        }
        let callback = Callback {
            status,
            function,
            data: data as usize,
        };
        let handle = event.to_native();
        let event = world.event(handle)?;
        let now = event.status;
        match now <= status {
            true => world.order(handle, now, callback),
            false => event.callbacks.push(callback),
        }
        Ok(())
    }))
}

/// Makes an event that the program completes.
pub unsafe extern "C" fn clCreateUserEvent(context: cl_context, place: *mut cl_int) -> cl_event {
    let result = call("clCreateUserEvent", |world| {
        let context = context.to_native();
        let platform = world.platform_of(context, Kind::Context)?;
        let event = Event {
            context,
            queue: None,
            command: CL_COMMAND_USER,
            status: CL_SUBMITTED,
            outcome: CL_COMPLETE,
            waits: Vec::new(),
            flushed: true,
            profiled: false,
            timeless: false,
            times: [0; 4],
            callbacks: Vec::new(),
        };
        Ok(world.add(platform, Body::Event(event), vec![context]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_event::from_native) }
}

/// Completes a user event, or lets it fail.
pub unsafe extern "C" fn clSetUserEventStatus(event: cl_event, status: cl_int) -> cl_int {
    code(call("clSetUserEventStatus", |world| {
        let handle = event.to_native();
        let event = world.event(handle)?;
        if event.command != CL_COMMAND_USER {
            return Err(CL_INVALID_EVENT);
        }
        if status > CL_COMPLETE {
            return Err(CL_INVALID_VALUE);
        }
        if event.status <= CL_COMPLETE {
            return Err(CL_INVALID_OPERATION);
        }
        world.end(handle, status);
        world.progress();
        Ok(())
    }))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainEvent(event: cl_event) -> cl_int {
    code(call("clRetainEvent", |world| {
        world.retain(event.to_native(), Kind::Event)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseEvent(event: cl_event) -> cl_int {
    code(call("clReleaseEvent", |world| {
        world.release(event.to_native(), Kind::Event)
    }))
}
