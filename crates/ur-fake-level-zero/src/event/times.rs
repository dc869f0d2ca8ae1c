//! Times that events tell.

use crate::call::{call, get, put};
use crate::clock;
use crate::world::{Kind, Ref, World};
use crate::ze::*;

/// Times of a command as Level Zero tells them: the two clocks are the same.
fn result((begin, end): (u64, u64)) -> ze_kernel_timestamp_result_t {
    let data = ze_kernel_timestamp_data_t {
        kernelStart: begin,
        kernelEnd: end,
    };
    ze_kernel_timestamp_result_t {
        global: data,
        context: data,
    }
}

impl World {
    /// The times of an event.
    ///
    /// # Errors
    /// As [`World::object`]; `NOT_READY`; `INVALID_ARGUMENT` for an event that tells none, which is a
    /// fault.
    fn times(&mut self, event: ze_event_handle_t) -> Answer<ze_kernel_timestamp_result_t> {
        let event = self.refer(event.to_native(), Kind::Event)?;
        let body = self.event(event.handle)?;
        let (timed, times) = (body.timed, body.times);
        if !timed {
            return self.wrong(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "times are asked of an event that has none",
            );
        }
        let over = self.peek(event);
        let over = over.is_some_and(|event| event.is_signalled(&self.engines));
        match times {
            // One that the host has signalled has no times.
            Some(times) if over => Ok(result(times)),
            _ => Err(ZE_RESULT_NOT_READY),
        }
    }

    /// Writes the times of events; those without get zeros.
    pub fn write_times(&mut self, events: &[Ref], dst: usize, offsets: Option<&[usize]>) {
        for (number, event) in events.iter().enumerate() {
            let size = size_of::<ze_kernel_timestamp_result_t>();
            let offset = offsets.map_or(number * size, |offsets| offsets[number]);
            let times = self.peek(*event).and_then(|event| event.times);
            let times = times.map(result).unwrap_or_default();
            // SAFETY: the memory was found to be mapped when the command was appended.
            unsafe { ((dst + offset) as *mut ze_kernel_timestamp_result_t).write_unaligned(times) };
        }
    }
}

/// Tells the times of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryKernelTimestamp(
    event: ze_event_handle_t,
    place: *mut ze_kernel_timestamp_result_t,
) -> ze_result_t {
    call("zeEventQueryKernelTimestamp", |world| {
        let times = world.times(event)?;
        // SAFETY: as the caller says.
        unsafe { put(place, times) }
    })
}

/// Tells the times of an event on a device, of which there are those of one run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryTimestampsExp(
    event: ze_event_handle_t,
    device: ze_device_handle_t,
    count: *mut u32,
    place: *mut ze_kernel_timestamp_result_t,
) -> ze_result_t {
    call("zeEventQueryTimestampsExp", |world| {
        world.needs(event.to_native(), Kind::Event, 2)?;
        world.device(device.to_native())?;
        let times = world.times(event)?;
        // SAFETY: as the caller says.
        unsafe { crate::call::tell(&[times], count, place) }
    })
}

/// Tells the times of an event by the device's clock and by the host's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeEventQueryKernelTimestampsExt(
    event: ze_event_handle_t,
    device: ze_device_handle_t,
    count: *mut u32,
    results: *mut ze_event_query_kernel_timestamps_results_ext_properties_t,
) -> ze_result_t {
    call("zeEventQueryKernelTimestampsExt", |world| {
        world.needs_part(event.to_native(), Kind::Event, "timestamps")?;
        world.device(device.to_native())?;
        let times = world.times(event)?;
        // SAFETY: as the caller says.
        let room = unsafe { get(count) }?;
        if room == 0 {
            // SAFETY: as the caller says.
            return unsafe { put(count, 1) };
        }
        // SAFETY: as the caller says; places that the structure names have room for as many.
        unsafe {
            put(count, 1)?;
            let places = get(results)?;
            put(places.pKernelTimestampsBuffer, times)?;
            if !places.pSynchronizedTimestampsBuffer.is_null() {
                let host = synchronised(times.global);
                let both = ze_kernel_timestamp_result_t {
                    global: host,
                    context: host,
                };
                put(places.pSynchronizedTimestampsBuffer, both)?;
            }
        }
        Ok(())
    })
}

/// Times of a command, which lose their upper bits, by the host's clock: they are not far from now.
fn synchronised(times: ze_kernel_timestamp_data_t) -> ze_kernel_timestamp_data_t {
    let host = clock::host();
    let now = clock::ticks_at(host);
    let mask = (1 << clock::KERNEL_BITS) - 1;
    let before = |ticks: u64| host - (now.wrapping_sub(ticks) & mask) * clock::TICK;
    ze_kernel_timestamp_data_t {
        kernelStart: before(times.kernelStart),
        kernelEnd: before(times.kernelEnd),
    }
}
