//! When commands were enqueued, began and ended.

use super::Bound;
use crate::device::Device;
use crate::queue::backlog::End;
use crate::ze;
use crate::ze::error::failed;
use ur_adapter::{Error, Result};
use ur_api::*;

/// A device's time in ticks, if it tells.
pub fn ticks(device: &Device) -> Option<u64> {
    let get = device.api().later.zeDeviceGetGlobalTimestamps?;
    let (mut host, mut ticks) = (0, 0);
    // SAFETY: a live device and places of ours.
    let code = unsafe { get(device.native(), &raw mut host, &raw mut ticks) };
    (code == ze::ZE_RESULT_SUCCESS).then_some(ticks)
}

/// A time of a command in nanoseconds of the device's clock; none if it has not ended or no times were
/// to be recorded.
///
/// # Errors
/// `UNSUPPORTED_ENUMERATION` for a time that there is not; what the driver says.
pub fn of(bound: Option<&Bound>, name: ur_profiling_info_t) -> Result<Option<u64>> {
    let known = [
        UR_PROFILING_INFO_COMMAND_QUEUED,
        UR_PROFILING_INFO_COMMAND_SUBMIT,
        UR_PROFILING_INFO_COMMAND_START,
        UR_PROFILING_INFO_COMMAND_END,
        UR_PROFILING_INFO_COMMAND_COMPLETE,
    ];
    if !known.contains(&name) {
        return Err(Error::unsupported_query());
    }
    let Some(bound) = bound.filter(|bound| bound.signal.is_timed()) else {
        return Ok(None);
    };
    let Some(queue) = &bound.queue else {
        return Ok(None);
    };
    let timer = queue.device().facts().timer;
    if matches!(
        name,
        UR_PROFILING_INFO_COMMAND_QUEUED | UR_PROFILING_INFO_COMMAND_SUBMIT
    ) && let Some(enqueued) = bound.enqueued
    {
        return Ok(Some(timer.nanoseconds(enqueued)));
    }
    if bound.signal.is_by_host() {
        let [start, end] = match bound.signal.span() {
            Some(span) if bound.signal.has_ended() => span,
            _ => return Ok(None),
        };
        let is_start = name == UR_PROFILING_INFO_COMMAND_START;
        return Ok(Some(timer.nanoseconds(if is_start { start } else { end })));
    }
    bound.push()?;
    let mut times = ze::ze_kernel_timestamp_result_t::default();
    let get = queue.context().api().zeEventQueryKernelTimestamp;
    // SAFETY: a live event and a place of ours.
    match unsafe { get(bound.signal.native(), &raw mut times) } {
        ze::ZE_RESULT_SUCCESS => {}
        ze::ZE_RESULT_NOT_READY => return Ok(None),
        code => return Err(failed(code)),
    }
    let (from, to) = (times.global.kernelStart, times.global.kernelEnd);
    // A kernel's time has fewer bits than the device's. It began after it was enqueued, so the rest is
    // what the device's time was then.
    let start = match bound.enqueued {
        Some(enqueued) => timer.nanoseconds(enqueued) + timer.kernel_span(enqueued, from),
        None => timer.nanoseconds(from),
    };
    Ok(Some(match name {
        UR_PROFILING_INFO_COMMAND_END | UR_PROFILING_INFO_COMMAND_COMPLETE => {
            start + timer.kernel_span(from, to)
        }
        _ => start,
    }))
}
