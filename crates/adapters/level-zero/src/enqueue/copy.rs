//! Copies between addresses.

use crate::event::Call;
use crate::ze::{self, Functions, check};
use std::ffi::c_void;
use ur_adapter::Result;

/// Where a box of bytes lies.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The address of its first byte.
    pub at: *mut c_void,
    /// Bytes from one row to the next.
    pub row_pitch: usize,
    /// Bytes from one slice to the next.
    pub slice_pitch: usize,
}

impl Area {
    fn at(&self, row: usize, slice: usize) -> *mut c_void {
        let offset = row * self.row_pitch + slice * self.slice_pitch;
        self.at.wrapping_byte_add(offset)
    }

    /// Whether rows, and slices, follow each other without gaps.
    fn is_tight(&self, [width, height, depth]: [usize; 3]) -> bool {
        (height == 1 || self.row_pitch == width)
            && (depth == 1 || self.slice_pitch == height * width)
    }
}

/// Events of one command of Level Zero's.
#[derive(Clone, Copy, Debug)]
struct Ends {
    list: ze::ze_command_list_handle_t,
    signal: ze::ze_event_handle_t,
    count: u32,
    waits: *const ze::ze_event_handle_t,
}

impl Ends {
    fn of(call: &Call) -> Self {
        Self {
            list: call.list,
            signal: call.signal,
            count: call.count,
            waits: call.waits,
        }
    }

    fn none(list: ze::ze_command_list_handle_t) -> Self {
        Self {
            list,
            signal: ze::ze_event_handle_t::NULL,
            count: 0,
            waits: std::ptr::null(),
        }
    }
}

unsafe fn copy(
    api: &Functions,
    ends: Ends,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Result {
    let copy = api.zeCommandListAppendMemoryCopy;
    // SAFETY: a list that the caller has for itself, live events, memory as the caller says.
    check(unsafe {
        copy(
            ends.list,
            to,
            from,
            size,
            ends.signal,
            ends.count,
            ends.waits,
        )
    })
}

/// Appends a copy; one of no bytes does nothing but signal.
///
/// # Errors
/// What the driver says.
///
/// # Safety
/// Both addresses have `size` bytes until the command ends.
pub unsafe fn bytes(call: &Call, to: *mut c_void, from: *const c_void, size: usize) -> Result {
    if size == 0 {
        return call.several(|_| Ok(()));
    }
    // SAFETY: forwarded.
    unsafe { copy(call.api, Ends::of(call), to, from, size) }
}

/// Appends a copy to a list, for use in [`Call::several`].
///
/// # Errors
/// What the driver says.
///
/// # Safety
/// As [`bytes`].
pub unsafe fn piece(
    call: &Call,
    list: ze::ze_command_list_handle_t,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Result {
    // SAFETY: forwarded.
    unsafe { copy(call.api, Ends::none(list), to, from, size) }
}

/// How a box is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As bytes without gaps.
    Whole,
    /// As one box of Level Zero's, whose numbers have 32 bits.
    Region,
    /// Each slice as a box.
    Slices,
    /// Each row by itself.
    Rows,
}

fn way(to: &Area, from: &Area, extent: [usize; 3]) -> Way {
    if to.is_tight(extent) && from.is_tight(extent) {
        return Way::Whole;
    }
    let fits = |number: usize| u32::try_from(number).is_ok();
    let slices = extent[2] == 1 || fits(to.slice_pitch) && fits(from.slice_pitch);
    let rows = extent.into_iter().all(fits) && fits(to.row_pitch) && fits(from.row_pitch);
    match (rows, slices) {
        (true, true) => Way::Region,
        (true, false) => Way::Slices,
        (false, _) => Way::Rows,
    }
}

/// Appends the copy of a box that Level Zero has numbers for.
unsafe fn region(
    api: &Functions,
    ends: Ends,
    to: Area,
    from: Area,
    [width, height, depth]: [usize; 3],
) -> Result {
    // None of these has more than 32 bits. A slice that is the only one needs no pitch.
    let part = ze::ze_copy_region_t {
        width: width as u32,
        height: height as u32,
        depth: depth as u32,
        ..Default::default()
    };
    let slice = |area: &Area| match depth {
        1 => 0,
        _ => area.slice_pitch as u32,
    };
    let copy = api.zeCommandListAppendMemoryCopyRegion;
    // SAFETY: a list that the caller has for itself, live events, memory as the caller says.
    check(unsafe {
        copy(
            ends.list,
            to.at,
            &raw const part,
            to.row_pitch as u32,
            slice(&to),
            from.at,
            &raw const part,
            from.row_pitch as u32,
            slice(&from),
            ends.signal,
            ends.count,
            ends.waits,
        )
    })
}

/// Appends a copy of a box of bytes, rows and slices, none of which is 0.
///
/// # Errors
/// What the driver says.
///
/// # Safety
/// Both areas have the box until the command ends.
pub unsafe fn boxes(call: &Call, to: Area, from: Area, extent: [usize; 3]) -> Result {
    match way(&to, &from, extent) {
        // SAFETY: forwarded; no gaps are left out.
        Way::Whole => unsafe { bytes(call, to.at, from.at, extent.iter().product()) },
        // SAFETY: forwarded.
        Way::Region => unsafe { region(call.api, Ends::of(call), to, from, extent) },
        // SAFETY: forwarded.
        _ => call.several(|list| unsafe { box_piece(call, list, to, from, extent) }),
    }
}

/// Appends the copy of a box to a list, for use in [`Call::several`].
///
/// # Errors
/// What the driver says.
///
/// # Safety
/// As [`boxes`].
pub unsafe fn box_piece(
    call: &Call,
    list: ze::ze_command_list_handle_t,
    to: Area,
    from: Area,
    extent: [usize; 3],
) -> Result {
    let ends = Ends::none(list);
    let [width, height, depth] = extent;
    let slice_of = |area: &Area, slice| Area {
        at: area.at(0, slice),
        ..*area
    };
    match way(&to, &from, extent) {
        // SAFETY: forwarded; so in all of these.
        Way::Whole => unsafe { copy(call.api, ends, to.at, from.at, width * height * depth) },
        // SAFETY: as above.
        Way::Region => unsafe { region(call.api, ends, to, from, extent) },
        Way::Slices => (0..depth).try_for_each(|slice| {
            let (to, from) = (slice_of(&to, slice), slice_of(&from, slice));
            // SAFETY: as above.
            unsafe { region(call.api, ends, to, from, [width, height, 1]) }
        }),
        Way::Rows => (0..depth).try_for_each(|slice| {
            (0..height).try_for_each(|row| {
                let (to, from) = (to.at(row, slice), from.at(row, slice));
                // SAFETY: as above.
                unsafe { copy(call.api, ends, to, from, width) }
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(row_pitch: usize, slice_pitch: usize) -> Area {
        Area {
            at: std::ptr::null_mut(),
            row_pitch,
            slice_pitch,
        }
    }

    #[test]
    fn boxes_are_as_few_commands_as_can_be() {
        let tight = area(4, 12);
        assert_eq!(way(&tight, &tight, [4, 3, 2]), Way::Whole);
        assert_eq!(way(&tight, &area(4, 13), [4, 3, 2]), Way::Region);
        assert_eq!(way(&tight, &area(4, 13), [4, 3, 1]), Way::Whole);
        assert_eq!(way(&area(8, 24), &tight, [4, 1, 1]), Way::Whole);
        assert_eq!(way(&area(8, 24), &tight, [4, 3, 2]), Way::Region);
        let far = area(8, 1 << 32);
        assert_eq!(way(&far, &tight, [4, 3, 2]), Way::Slices);
        assert_eq!(way(&far, &tight, [4, 3, 1]), Way::Region);
        let farther = area(1 << 32, 1 << 40);
        assert_eq!(way(&farther, &tight, [4, 3, 1]), Way::Rows);
    }
}
