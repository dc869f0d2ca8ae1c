//! What a list says of itself, and lists that are appended to immediate ones.

use super::open_immediate;
use crate::call::{call, code, list, put};
use crate::command::Command;
use crate::command_queue::until_ended;
use crate::engine::Target;
use crate::event::Count;
use crate::world::Kind;
use crate::ze::*;
use std::sync::Arc;

/// Appends closed lists to an immediate one: their commands begin when the events are signalled, and
/// the signal comes when they have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListImmediateAppendCommandListsExp(
    of: ze_command_list_handle_t,
    number: u32,
    lists: *const ze_command_list_handle_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *const ze_event_handle_t,
) -> ze_result_t {
    let name = "zeCommandListImmediateAppendCommandListsExp";
    let mut wanted = Vec::new();
    let result = call(name, |world| {
        world.needs(of.to_native(), Kind::CommandList, 9)?;
        let (owner, own) = open_immediate(world, of)?;
        // SAFETY: as the caller says.
        let (lists, waits) =
            unsafe { (list(lists, number as usize)?, list(waits, count as usize)?) };
        let mut begin = Command::new(name);
        begin.drains = own.in_order;
        begin.blocks = true;
        for event in waits {
            begin.waits.extend(world.wait_on(event)?);
        }
        let mut end = Command::new(name);
        end.drains = true;
        end.blocks = own.in_order;
        if !signal.is_null() {
            let event = world.refer(signal.to_native(), Kind::Event)?;
            let body = world.event(event.handle)?;
            if body.count.is_some() {
                body.count = Some(Count::Recorded);
            }
            end.signal = Some(event);
        }
        let target = Target {
            engine: own.engine,
            owner,
            list: owner,
            in_order: own.in_order,
            fence: None,
        };
        // Nothing is submitted if a list cannot be executed.
        for one in &lists {
            let one = world.command_list(one.to_native())?;
            if !one.closed {
                return world.wrong(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "a list is executed that is not closed",
                );
            }
        }
        world.submit(target, &Arc::new(begin));
        world.execute((owner, own.engine), &lists, None)?;
        let last = world.submit(target, &Arc::new(end));
        if own.is_synchronous {
            wanted.push(last);
        }
        Ok(())
    });
    match result {
        ZE_RESULT_SUCCESS => code(until_ended(name, &wanted)),
        error => error,
    }
}

/// The device of a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListGetDeviceHandle(
    list: ze_command_list_handle_t,
    place: *mut ze_device_handle_t,
) -> ze_result_t {
    call("zeCommandListGetDeviceHandle", |world| {
        world.needs(list.to_native(), Kind::CommandList, 9)?;
        let device = world.command_list(list.to_native())?.engine.device;
        // SAFETY: as the caller says.
        unsafe { put(place, ze_device_handle_t::from_native(device)) }
    })
}

/// The context of a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListGetContextHandle(
    list: ze_command_list_handle_t,
    place: *mut ze_context_handle_t,
) -> ze_result_t {
    call("zeCommandListGetContextHandle", |world| {
        world.needs(list.to_native(), Kind::CommandList, 9)?;
        let context = world.command_list(list.to_native())?.context;
        // SAFETY: as the caller says.
        unsafe { put(place, ze_context_handle_t::from_native(context)) }
    })
}

/// The group of engines of a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListGetOrdinal(
    list: ze_command_list_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeCommandListGetOrdinal", |world| {
        world.needs(list.to_native(), Kind::CommandList, 9)?;
        let ordinal = world.command_list(list.to_native())?.engine.ordinal;
        // SAFETY: as the caller says.
        unsafe { put(place, ordinal) }
    })
}

/// Whether a list is immediate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListIsImmediate(
    list: ze_command_list_handle_t,
    place: *mut ze_bool_t,
) -> ze_result_t {
    call("zeCommandListIsImmediate", |world| {
        world.needs(list.to_native(), Kind::CommandList, 9)?;
        let immediate = world.command_list(list.to_native())?.immediate;
        // SAFETY: as the caller says.
        unsafe { put(place, immediate.into()) }
    })
}

/// The number of an immediate list's engine in its group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListImmediateGetIndex(
    list: ze_command_list_handle_t,
    place: *mut u32,
) -> ze_result_t {
    call("zeCommandListImmediateGetIndex", |world| {
        world.needs(list.to_native(), Kind::CommandList, 9)?;
        let (_, own) = open_immediate(world, list)?;
        // SAFETY: as the caller says.
        unsafe { put(place, own.engine.index) }
    })
}
