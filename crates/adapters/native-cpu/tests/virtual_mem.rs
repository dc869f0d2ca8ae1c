//! Virtual and physical memory through the C tables.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const PAGE: usize = 4096;
const NONE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_NONE.0;
const WRITE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
const READ: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY.0;

/// Physical memory, released at the end.
struct Physical(ur_physical_mem_handle_t);

impl Drop for Physical {
    fn drop(&mut self) {
        ok!(PhysicalMem.pfnRelease(self.0));
    }
}

impl Physical {
    fn new(context: &Context, size: usize) -> Physical {
        Physical::with(context, size, 0)
    }

    fn with(context: &Context, size: usize, flags: u32) -> Physical {
        let properties = ur_physical_mem_properties_t {
            stype: UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
            flags,
            ..Default::default()
        };
        let mut memory = null_mut();
        ok!(PhysicalMem.pfnCreate(context.0, device(), size, &properties, &mut memory));
        Physical(memory)
    }
}

/// A reserved range, freed at the end.
struct Range<'a> {
    context: &'a Context,
    start: *mut u8,
    size: usize,
}

impl Drop for Range<'_> {
    fn drop(&mut self) {
        ok!(VirtualMem.pfnFree(self.context.0, self.start.cast(), self.size));
    }
}

impl<'a> Range<'a> {
    fn new(context: &'a Context, size: usize) -> Range<'a> {
        let mut start = null_mut();
        ok!(VirtualMem.pfnReserve(context.0, null(), size, &mut start));
        Range {
            context,
            start: start.cast(),
            size,
        }
    }

    fn at(&self, page: usize) -> *mut u8 {
        self.start.wrapping_add(page * PAGE)
    }

    fn map(
        &self,
        page: usize,
        pages: usize,
        memory: &Physical,
        from: usize,
        access: u32,
    ) -> ur_result_t {
        ur!(VirtualMem.pfnMap(
            self.context.0,
            self.at(page).cast(),
            pages * PAGE,
            memory.0,
            from * PAGE,
            access
        ))
    }

    fn unmap(&self, page: usize, pages: usize) -> ur_result_t {
        ur!(VirtualMem.pfnUnmap(self.context.0, self.at(page).cast(), pages * PAGE))
    }

    fn set(&self, page: usize, pages: usize, access: u32) -> ur_result_t {
        ur!(VirtualMem.pfnSetAccess(self.context.0, self.at(page).cast(), pages * PAGE, access))
    }

    fn access(&self, page: usize, pages: usize) -> Result<u32, ur_result_t> {
        let mut access = 0u32;
        let outcome = ur!(VirtualMem.pfnGetInfo(
            self.context.0,
            self.at(page).cast(),
            pages * PAGE,
            UR_VIRTUAL_MEM_INFO_ACCESS_MODE,
            4,
            (&raw mut access).cast(),
            null_mut()
        ));
        if outcome == UR_RESULT_SUCCESS {
            Ok(access)
        } else {
            Err(outcome)
        }
    }
}

/// How the kernel lets the page at `address` be used: `rw-s` and the like.
fn protection(address: *const u8) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| {
        let (start, rest) = line.split_once('-').unwrap();
        let (end, _) = rest.split_once(' ').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        (number(start)..number(end)).contains(&(address as usize))
    });
    line.map_or(String::new(), |line| {
        line.split(' ').nth(1).unwrap().to_owned()
    })
}

#[test]
fn granularity() {
    let context = Context::new();
    let get = |name, size| {
        let mut value = 0usize;
        ok!(VirtualMem.pfnGranularityGetInfo(
            context.0,
            device(),
            size,
            name,
            8,
            (&raw mut value).cast(),
            null_mut()
        ));
        value
    };
    assert_eq!(get(UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM, 1), PAGE);
    assert_eq!(get(UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED, 1), PAGE);
    assert_eq!(
        get(UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED, 8 << 20),
        2 << 20
    );
    let mut yes = 0u8;
    let (name, place) = (UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT, (&raw mut yes).cast());
    ok!(Device.pfnGetInfo(device(), name, 1, place, null_mut()));
    assert_eq!(yes, 1);
}

#[test]
fn one_memory_at_two_places() {
    let context = Context::new();
    let range = Range::new(&context, 8 * PAGE);
    assert_eq!(protection(range.at(0)), "---p");
    let memory = Physical::new(&context, 2 * PAGE);
    assert_eq!(range.map(1, 2, &memory, 0, WRITE), UR_RESULT_SUCCESS);
    assert_eq!(range.map(5, 1, &memory, 1, READ), UR_RESULT_SUCCESS);
    assert_eq!(protection(range.at(2)), "rw-s");
    assert_eq!(protection(range.at(5)), "r--s");
    assert_eq!(protection(range.at(3)), "---p");
    // Commands write through one and read through the other.
    let queue = context.queue();
    let value = 0x77u8;
    ok!(Enqueue.pfnUSMFill(
        queue.0,
        range.at(2).cast(),
        1,
        (&raw const value).cast(),
        PAGE,
        0,
        null(),
        null_mut()
    ));
    let mut read = vec![0u8; PAGE];
    ok!(Enqueue.pfnUSMMemcpy(
        queue.0,
        true,
        read.as_mut_ptr().cast(),
        range.at(5).cast_const().cast(),
        PAGE,
        0,
        null(),
        null_mut()
    ));
    assert!(read.iter().all(|byte| *byte == value));
    // The memory lives as long as a mapping does.
    drop(memory);
    // SAFETY: mapped for writing.
    unsafe { range.at(1).write(9) };
    assert_eq!(range.unmap(1, 2), UR_RESULT_SUCCESS);
    assert_eq!(protection(range.at(1)), "---p");
    // SAFETY: mapped for reading.
    assert_eq!(unsafe { range.at(5).read() }, value);
}

#[test]
fn access_changes_part_by_part() {
    let context = Context::new();
    let range = Range::new(&context, 8 * PAGE);
    let memory = Physical::new(&context, 6 * PAGE);
    assert_eq!(range.map(0, 6, &memory, 0, WRITE), UR_RESULT_SUCCESS);
    assert_eq!(range.access(0, 6), Ok(WRITE));
    assert_eq!(range.set(2, 2, READ), UR_RESULT_SUCCESS);
    assert_eq!(range.access(0, 2), Ok(WRITE));
    assert_eq!(range.access(2, 2), Ok(READ));
    assert_eq!(range.access(3, 1), Ok(READ));
    assert_eq!(range.access(4, 2), Ok(WRITE));
    assert_eq!(range.access(1, 2), Err(UR_RESULT_ERROR_INVALID_VALUE));
    assert_eq!(protection(range.at(2)), "r--s");
    assert_eq!(range.set(0, 6, NONE), UR_RESULT_SUCCESS);
    assert_eq!(range.access(0, 6), Ok(NONE));
    assert_eq!(protection(range.at(5)), "---s");
    // A hole in the middle, and the same memory elsewhere in it.
    assert_eq!(range.set(0, 6, WRITE), UR_RESULT_SUCCESS);
    for page in 0..6 {
        // SAFETY: mapped for writing.
        unsafe { range.at(page).write(page as u8) };
    }
    assert_eq!(range.unmap(2, 1), UR_RESULT_SUCCESS);
    assert_eq!(range.access(0, 6), Err(UR_RESULT_ERROR_INVALID_VALUE));
    assert_eq!(range.access(3, 3), Ok(WRITE));
    assert_eq!(range.set(1, 3, READ), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(range.map(2, 1, &memory, 5, READ), UR_RESULT_SUCCESS);
    // SAFETY: mapped for reading.
    assert_eq!(unsafe { (range.at(2).read(), range.at(3).read()) }, (5, 3));
}

#[test]
fn what_is_wrong_is_refused() {
    let (context, other) = (Context::new(), Context::new());
    let range = Range::new(&context, 4 * PAGE);
    let memory = Physical::new(&context, 2 * PAGE);
    let foreign = Physical::new(&other, PAGE);
    let value = UR_RESULT_ERROR_INVALID_VALUE;
    let size = UR_RESULT_ERROR_INVALID_SIZE;
    assert_eq!(
        range.map(3, 2, &memory, 0, WRITE),
        value,
        "beyond the range"
    );
    assert_eq!(
        range.map(0, 2, &memory, 1, WRITE),
        size,
        "beyond the memory"
    );
    assert_eq!(range.map(0, 0, &memory, 0, WRITE), size);
    assert_eq!(
        range.map(0, 1, &foreign, 0, WRITE),
        UR_RESULT_ERROR_INVALID_CONTEXT
    );
    assert_eq!(range.map(0, 1, &memory, 0, READ | WRITE), value);
    assert_eq!(
        range.map(0, 1, &memory, 0, 1 << 9),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
    assert_eq!(range.map(1, 1, &memory, 0, WRITE), UR_RESULT_SUCCESS);
    assert_eq!(range.map(0, 2, &memory, 0, WRITE), value, "mapped already");
    assert_eq!(range.unmap(0, 2), value, "not all of it is mapped");
    assert_eq!(
        ur!(VirtualMem.pfnFree(context.0, range.at(0).cast(), PAGE)),
        value,
        "only whole ranges"
    );
    assert_eq!(
        ur!(VirtualMem.pfnFree(other.0, range.at(0).cast(), 4 * PAGE)),
        value
    );
    let mut none: *mut c_void = null_mut();
    assert_eq!(
        ur!(VirtualMem.pfnReserve(context.0, null(), 100, &mut none)),
        size
    );
    let mut no_memory = null_mut();
    assert_eq!(
        ur!(PhysicalMem.pfnCreate(context.0, device(), 100, null(), &mut no_memory)),
        size
    );
}

#[test]
fn physical_memory_tells_of_itself() {
    let context = Context::new();
    let memory = Physical::with(&context, 3 * PAGE, UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0);
    macro_rules! ask {
        ($name:ident, $type:ty, $start:expr) => {{
            let mut value: $type = $start;
            let size = size_of::<$type>();
            let place = (&raw mut value).cast();
            ok!(PhysicalMem.pfnGetInfo(memory.0, $name, size, place, null_mut()));
            value
        }};
    }
    assert_eq!(ask!(UR_PHYSICAL_MEM_INFO_SIZE, usize, 0), 3 * PAGE);
    assert_eq!(ask!(UR_PHYSICAL_MEM_INFO_REFERENCE_COUNT, u32, 0), 1);
    assert_eq!(
        ask!(
            UR_PHYSICAL_MEM_INFO_CONTEXT,
            ur_context_handle_t,
            null_mut()
        ),
        context.0
    );
    assert_eq!(
        ask!(UR_PHYSICAL_MEM_INFO_DEVICE, ur_device_handle_t, null_mut()),
        device()
    );
    let properties = ask!(
        UR_PHYSICAL_MEM_INFO_PROPERTIES,
        ur_physical_mem_properties_t,
        Default::default()
    );
    assert_eq!(properties.flags, UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0);
}

#[test]
fn physical_memory_is_opened_by_its_bytes() {
    let context = Context::new();
    let memory = Physical::with(&context, 2 * PAGE, UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0);
    let (mut data, mut size) = (null_mut(), 0);
    ok!(IPCExp.pfnGetPhysMemHandleExp(context.0, memory.0, &mut data, &mut size));
    let mut twin = null_mut();
    ok!(IPCExp.pfnOpenPhysMemHandleExp(context.0, device(), data, size, &mut twin));
    ok!(IPCExp.pfnPutPhysMemHandleExp(context.0, data));
    let range = Range::new(&context, 4 * PAGE);
    assert_eq!(range.map(0, 2, &memory, 0, WRITE), UR_RESULT_SUCCESS);
    let map =
        |flags| ur!(VirtualMem.pfnMap(context.0, range.at(2).cast(), 2 * PAGE, twin, 0, flags));
    assert_eq!(map(READ), UR_RESULT_SUCCESS);
    // SAFETY: both are mapped, the first for writing.
    unsafe {
        range.at(1).write(0x5C);
        assert_eq!(range.at(3).read(), 0x5C);
    }
    ok!(IPCExp.pfnClosePhysMemHandleExp(context.0, twin));
    // Memory that was not made for it is not shared.
    let private = Physical::new(&context, PAGE);
    assert_eq!(
        ur!(IPCExp.pfnGetPhysMemHandleExp(context.0, private.0, &mut data, &mut size)),
        UR_RESULT_ERROR_INVALID_ARGUMENT
    );
    assert_eq!(
        ur!(IPCExp.pfnClosePhysMemHandleExp(context.0, private.0)),
        UR_RESULT_ERROR_INVALID_VALUE
    );
}
