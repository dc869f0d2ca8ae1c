//! USM, buffers, copies, fills and maps.

mod common;

use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// The ways to allocate USM.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Usm {
    Host,
    Device,
    Shared,
}

fn try_alloc(context: &Context, kind: Usm, align: u32, size: usize) -> Result<usize, ur_result_t> {
    let desc = ur_usm_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_DESC,
        align,
        ..Default::default()
    };
    let mut memory = null_mut();
    let (pool, device) = (null_mut(), device());
    let outcome = match kind {
        Usm::Host => ur!(USM.pfnHostAlloc(context.0, &desc, pool, size, &mut memory)),
        Usm::Device => ur!(USM.pfnDeviceAlloc(context.0, device, &desc, pool, size, &mut memory)),
        Usm::Shared => ur!(USM.pfnSharedAlloc(context.0, device, &desc, pool, size, &mut memory)),
    };
    match outcome {
        UR_RESULT_SUCCESS => Ok(memory as usize),
        error => Err(error),
    }
}

fn free(context: &Context, address: usize) -> ur_result_t {
    ur!(USM.pfnFree(context.0, address as *mut c_void))
}

fn info<T: Copy + Default>(context: &Context, address: usize, name: ur_usm_alloc_info_t) -> T {
    let mut value = T::default();
    let place = (&raw mut value).cast();
    let at = address as *const c_void;
    ok!(USM.pfnGetMemAllocInfo(context.0, at, name, size_of::<T>(), place, null_mut()));
    value
}

#[test]
fn usm_is_aligned_and_known_by_every_pointer_into_it() {
    let context = Context::new();
    for kind in [Usm::Host, Usm::Device, Usm::Shared] {
        for align in [0, 1, 2, 8, 64, 128, 4096, 65536, 2 << 20, 8 << 20] {
            for size in [1, 7, 64, 1000, 100_000] {
                let base = try_alloc(&context, kind, align, size).unwrap();
                assert!(base.is_multiple_of(align.max(1) as usize));
                assert!(base.is_multiple_of(128), "the widest vector fits");
                for at in [base, base + size / 2, base + size - 1] {
                    let expected = match kind {
                        Usm::Host => UR_USM_TYPE_HOST,
                        Usm::Device => UR_USM_TYPE_DEVICE,
                        Usm::Shared => UR_USM_TYPE_SHARED,
                    };
                    assert_eq!(
                        info::<u32>(&context, at, UR_USM_ALLOC_INFO_TYPE),
                        expected.0
                    );
                    assert_eq!(
                        info::<usize>(&context, at, UR_USM_ALLOC_INFO_BASE_PTR),
                        base
                    );
                    assert_eq!(info::<usize>(&context, at, UR_USM_ALLOC_INFO_SIZE), size);
                    let device = match kind {
                        Usm::Host => 0,
                        _ => device() as usize,
                    };
                    assert_eq!(
                        info::<usize>(&context, at, UR_USM_ALLOC_INFO_DEVICE),
                        device
                    );
                }
                // SAFETY: the allocation has `size` bytes.
                unsafe { std::ptr::write_bytes(base as *mut u8, 0x5a, size) };
                assert_eq!(free(&context, base), UR_RESULT_SUCCESS);
            }
        }
        for align in [3, 5, 6, 96, 4097] {
            assert_eq!(
                try_alloc(&context, kind, align, 64),
                Err(UR_RESULT_ERROR_INVALID_VALUE)
            );
        }
        for size in [0, usize::MAX, usize::MAX / 2] {
            assert_eq!(
                try_alloc(&context, kind, 0, size),
                Err(UR_RESULT_ERROR_INVALID_USM_SIZE)
            );
        }
    }
}

#[test]
fn other_pointers_are_unknown_and_cannot_be_freed() {
    let context = Context::new();
    let other = Context::new();
    let local = 5u32;
    let stranger = (&raw const local) as usize;
    let base = try_alloc(&context, Usm::Shared, 0, 100).unwrap();
    for (context, at) in [(&context, stranger), (&other, base), (&context, base + 100)] {
        let kind: u32 = info(context, at, UR_USM_ALLOC_INFO_TYPE);
        assert_eq!(kind, UR_USM_TYPE_UNKNOWN.0);
        assert_eq!(free(context, at), UR_RESULT_ERROR_INVALID_MEM_OBJECT);
    }
    assert_eq!(free(&context, base + 1), UR_RESULT_ERROR_INVALID_MEM_OBJECT);
    assert_eq!(free(&context, base), UR_RESULT_SUCCESS);
    assert_eq!(free(&context, base), UR_RESULT_ERROR_INVALID_MEM_OBJECT);
    assert_eq!(free(&context, 0), UR_RESULT_ERROR_INVALID_NULL_POINTER);
}

#[test]
fn copies_and_fills_of_all_sizes() {
    let context = Context::new();
    let mut random = Random(7);
    for queue in [
        context.queue(),
        context.queue_with(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0),
    ] {
        // Small ones run at once, large ones in pieces on several threads.
        for size in [
            1,
            3,
            64,
            4096,
            32 << 10,
            (32 << 10) + 1,
            1 << 20,
            (5 << 20) + 17,
        ] {
            let from: Vec<u8> = (0..size).map(|_| random.below(256) as u8).collect();
            let mut to = vec![0u8; size + 8];
            let (dst, src) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
            ok!(Enqueue.pfnUSMMemcpy(
                queue.0,
                size % 2 == 0,
                dst,
                src,
                size,
                0,
                null(),
                null_mut()
            ));
            queue.finish();
            assert_eq!(to[..size], from[..]);
            assert_eq!(to[size..], [0; 8]);
            for width in [1usize, 2, 3, 4, 16, 128] {
                if !size.is_multiple_of(width) {
                    continue;
                }
                let pattern: Vec<u8> = (0..width).map(|_| random.below(256) as u8).collect();
                let mut event = null_mut();
                let bytes = pattern.as_ptr().cast();
                ok!(Enqueue.pfnUSMFill(queue.0, dst, width, bytes, size, 0, null(), &mut event));
                Event(event).wait();
                assert!(to[..size].chunks(width).all(|chunk| chunk == pattern));
                assert_eq!(to[size..], [0; 8]);
            }
        }
        let place = [0u8; 8];
        let (dst, src) = (place.as_ptr().cast_mut().cast(), place.as_ptr().cast());
        assert_eq!(
            ur!(Enqueue.pfnUSMMemcpy(queue.0, true, dst, src, 0, 0, null(), null_mut())),
            UR_RESULT_ERROR_INVALID_SIZE
        );
        assert_eq!(
            ur!(Enqueue.pfnUSMFill(queue.0, dst, 3, src, 8, 0, null(), null_mut())),
            UR_RESULT_ERROR_INVALID_SIZE
        );
        assert_eq!(
            ur!(Enqueue.pfnUSMMemcpy(queue.0, true, null_mut(), src, 8, 0, null(), null_mut())),
            UR_RESULT_ERROR_INVALID_NULL_POINTER
        );
    }
}

/// Copies rectangles through the API and in a model; both must agree.
#[test]
fn rectangles_equal_the_naive_model() {
    const SIDE: usize = 12;
    let context = Context::new();
    let queue = context.queue();
    let mut random = Random(99);
    let start: Vec<u8> = (0..SIDE * SIDE * SIDE)
        .map(|i| (i * 7 % 251) as u8)
        .collect();
    let buffer = context.buffer(&start);
    let other = context.buffer(&vec![0; start.len()]);
    let mut model = start.clone();
    let mut other_model = vec![0; start.len()];
    let mut host = vec![0u8; start.len()];
    for step in 0..600 {
        let size = [
            1 + random.below(5),
            1 + random.below(5),
            1 + random.below(5),
        ];
        let mut place = || {
            let row = size[0] + random.below(SIDE - size[0] - 4);
            let rows = size[1] + random.below(3);
            let at = [random.below(3), random.below(3), random.below(3)];
            (at, row, rows * row)
        };
        let (from, row_a, slice_a) = place();
        let (to, row_b, slice_b) = place();
        let offset = |at: [usize; 3]| ur_rect_offset_t {
            x: at[0] as u64,
            y: at[1] as u64,
            z: at[2] as u64,
        };
        let region = ur_rect_region_t {
            width: size[0] as u64,
            height: size[1] as u64,
            depth: size[2] as u64,
        };
        let index = |at: [usize; 3], row, slice, [x, y, z]: [usize; 3]| {
            (at[2] + z) * slice + (at[1] + y) * row + at[0] + x
        };
        let each = |copy: &mut dyn FnMut(usize, usize)| {
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        let p = [x, y, z];
                        copy(index(from, row_a, slice_a, p), index(to, row_b, slice_b, p));
                    }
                }
            }
        };
        let host_at = host.as_mut_ptr().cast();
        let (a, b) = (offset(from), offset(to));
        match step % 3 {
            0 => {
                let mut expected = host.clone();
                each(&mut |from, to| expected[to] = model[from]);
                ok!(Enqueue.pfnMemBufferReadRect(
                    queue.0,
                    buffer.0,
                    true,
                    a,
                    b,
                    region,
                    row_a,
                    slice_a,
                    row_b,
                    slice_b,
                    host_at,
                    0,
                    null(),
                    null_mut(),
                ));
                assert_eq!(host, expected);
            }
            1 => {
                each(&mut |from, to| model[to] = host[from]);
                ok!(Enqueue.pfnMemBufferWriteRect(
                    queue.0,
                    buffer.0,
                    true,
                    b,
                    a,
                    region,
                    row_b,
                    slice_b,
                    row_a,
                    slice_a,
                    host_at,
                    0,
                    null(),
                    null_mut(),
                ));
            }
            _ => {
                each(&mut |from, to| other_model[to] = model[from]);
                ok!(Enqueue.pfnMemBufferCopyRect(
                    queue.0,
                    buffer.0,
                    other.0,
                    a,
                    b,
                    region,
                    row_a,
                    slice_a,
                    row_b,
                    slice_b,
                    0,
                    null(),
                    null_mut(),
                ));
            }
        }
        let mut now = vec![0; start.len()];
        queue.read(&buffer, &mut now);
        assert_eq!(now, model);
        queue.read(&other, &mut now);
        assert_eq!(now, other_model);
    }
}

#[test]
fn rectangles_that_leave_the_buffer_are_refused() {
    let context = Context::new();
    let queue = context.queue();
    let buffer = context.buffer(&[0; 64]);
    let mut host = [0u8; 64];
    let mut read = |x: u64, width: u64, height: u64, row: usize| {
        let region = ur_rect_region_t {
            width,
            height,
            depth: 1,
        };
        let origin = ur_rect_offset_t { x, y: 0, z: 0 };
        let zero = ur_rect_offset_t::default();
        let to = host.as_mut_ptr().cast();
        ur!(Enqueue.pfnMemBufferReadRect(
            queue.0,
            buffer.0,
            true,
            origin,
            zero,
            region,
            row,
            0,
            0,
            0,
            to,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(read(0, 8, 8, 8), UR_RESULT_SUCCESS);
    assert_eq!(read(1, 8, 8, 8), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(read(0, 8, 8, 9), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(read(0, 8, 8, 7), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(read(0, 0, 8, 8), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(read(0, u64::MAX, 8, 0), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(read(u64::MAX, 8, 1, 0), UR_RESULT_ERROR_INVALID_SIZE);
}

#[test]
fn rows_are_copied_and_filled() {
    let context = Context::new();
    let queue = context.queue();
    let from: Vec<u8> = (0..100).collect();
    let mut to = vec![0u8; 120];
    let (dst, src) = (to.as_mut_ptr().cast::<c_void>(), from.as_ptr().cast());
    ok!(Enqueue.pfnUSMMemcpy2D(
        queue.0,
        true,
        dst,
        12,
        src,
        10,
        7,
        10,
        0,
        null(),
        null_mut()
    ));
    for (i, byte) in to.iter().enumerate() {
        let (y, x) = (i / 12, i % 12);
        assert_eq!(*byte, if x < 7 { (y * 10 + x) as u8 } else { 0 });
    }
    let pattern = [1u8, 2];
    let bytes = pattern.as_ptr().cast();
    ok!(Enqueue.pfnUSMFill2D(queue.0, dst, 12, 2, bytes, 6, 10, 0, null(), null_mut()));
    queue.finish();
    for (i, byte) in to.iter().enumerate() {
        let (y, x) = (i / 12, i % 12);
        match x {
            0..6 => assert_eq!(*byte, pattern[x % 2]),
            6 => assert_eq!(*byte, (y * 10 + 6) as u8),
            _ => assert_eq!(*byte, 0),
        }
    }
    for (pitch, width, height) in [(5, 6, 1), (0, 1, 1), (8, 0, 1), (8, 1, 0)] {
        assert_eq!(
            ur!(Enqueue.pfnUSMMemcpy2D(
                queue.0,
                true,
                dst,
                pitch,
                src,
                10,
                width,
                height,
                0,
                null(),
                null_mut()
            )),
            UR_RESULT_ERROR_INVALID_SIZE
        );
    }
}

#[test]
fn buffers_hold_what_was_written() {
    let context = Context::new();
    let queue = context.queue();
    let bytes: Vec<u8> = (0..=255).collect();
    let buffer = context.buffer(&bytes);
    let mut back = vec![0; 256];
    queue.read(&buffer, &mut back);
    assert_eq!(back, bytes);
    let new = [9u8; 16];
    let from = new.as_ptr().cast();
    ok!(Enqueue.pfnMemBufferWrite(queue.0, buffer.0, true, 8, 16, from, 0, null(), null_mut()));
    ok!(Enqueue.pfnMemBufferCopy(
        queue.0,
        buffer.0,
        buffer.0,
        8,
        100,
        16,
        0,
        null(),
        null_mut()
    ));
    let pattern = [1u8, 2, 3, 4];
    let from = pattern.as_ptr().cast();
    ok!(Enqueue.pfnMemBufferFill(queue.0, buffer.0, from, 4, 200, 8, 0, null(), null_mut()));
    queue.read(&buffer, &mut back);
    let mut expected = bytes;
    expected[8..24].fill(9);
    expected[100..116].fill(9);
    expected[200..208].copy_from_slice(&[1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(back, expected);
    let to: *mut c_void = back.as_mut_ptr().cast();
    for (offset, size) in [(0, 257), (256, 1), (usize::MAX, 2)] {
        assert_eq!(
            ur!(Enqueue.pfnMemBufferRead(
                queue.0,
                buffer.0,
                true,
                offset,
                size,
                to,
                0,
                null(),
                null_mut()
            )),
            UR_RESULT_ERROR_INVALID_SIZE
        );
    }
    for (width, offset, size) in [(3, 0, 9), (4, 2, 8), (4, 0, 6), (0, 0, 4), (4, 0, 0)] {
        assert_eq!(
            ur!(Enqueue.pfnMemBufferFill(
                queue.0,
                buffer.0,
                from,
                width,
                offset,
                size,
                0,
                null(),
                null_mut()
            )),
            UR_RESULT_ERROR_INVALID_SIZE
        );
    }
    let mut size = 0usize;
    let place = (&raw mut size).cast();
    ok!(Mem.pfnGetInfo(buffer.0, UR_MEM_INFO_SIZE, 8, place, null_mut()));
    assert_eq!(size, 256);
}

fn part(buffer: &Mem, flags: u32, origin: usize, size: usize) -> Result<Mem, ur_result_t> {
    let region = ur_buffer_region_t {
        stype: UR_STRUCTURE_TYPE_BUFFER_REGION,
        pNext: null(),
        origin,
        size,
    };
    let mut mem = null_mut();
    let kind = UR_BUFFER_CREATE_TYPE_REGION;
    match ur!(Mem.pfnBufferPartition(buffer.0, flags, kind, &region, &mut mem)) {
        UR_RESULT_SUCCESS => Ok(Mem(mem)),
        error => Err(error),
    }
}

#[test]
fn sub_buffers_share_and_outlive_their_buffer() {
    let context = Context::new();
    let queue = context.queue();
    let buffer = context.buffer(&(0..64).collect::<Vec<u8>>());
    let flags = UR_MEM_FLAG_READ_WRITE.0;
    assert_eq!(
        part(&buffer, flags, 0, 0).err(),
        Some(UR_RESULT_ERROR_INVALID_BUFFER_SIZE)
    );
    assert_eq!(
        part(&buffer, flags, 60, 5).err(),
        Some(UR_RESULT_ERROR_INVALID_BUFFER_SIZE)
    );
    let host = UR_MEM_FLAG_USE_HOST_POINTER.0;
    assert_eq!(
        part(&buffer, host, 0, 8).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
    let sub = part(&buffer, flags, 16, 8).unwrap();
    assert_eq!(
        part(&sub, flags, 0, 4).err(),
        Some(UR_RESULT_ERROR_INVALID_MEM_OBJECT)
    );
    let pattern = [0xffu8];
    let from = pattern.as_ptr().cast();
    ok!(Enqueue.pfnMemBufferFill(queue.0, sub.0, from, 1, 0, 4, 0, null(), null_mut()));
    let mut whole = [0; 64];
    queue.read(&buffer, &mut whole);
    assert_eq!(whole[14..22], [14, 15, 255, 255, 255, 255, 20, 21]);
    drop(buffer);
    let mut bytes = [0; 8];
    queue.read(&sub, &mut bytes);
    assert_eq!(bytes, [255, 255, 255, 255, 20, 21, 22, 23]);
}

#[test]
fn maps_are_the_buffer_and_host_memory_is_used_in_place() {
    let context = Context::new();
    let queue = context.queue();
    let mut memory = vec![1u8; 64];
    let properties = ur_buffer_properties_t {
        stype: UR_STRUCTURE_TYPE_BUFFER_PROPERTIES,
        pHost: memory.as_mut_ptr().cast(),
        ..Default::default()
    };
    let flags = UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_USE_HOST_POINTER.0;
    let mut mem = null_mut();
    ok!(Mem.pfnBufferCreate(context.0, flags, 64, &properties, &mut mem));
    let buffer = Mem(mem);
    let (go, blocked) = queue.block();
    let mut at = null_mut();
    let mut event = null_mut();
    let both = UR_MAP_FLAG_READ.0 | UR_MAP_FLAG_WRITE.0;
    ok!(Enqueue.pfnMemBufferMap(
        queue.0,
        buffer.0,
        false,
        both,
        8,
        16,
        0,
        null(),
        &mut event,
        &mut at
    ));
    let event = Event(event);
    assert_eq!(at as usize, memory.as_ptr() as usize + 8);
    assert_ne!(event.status(), UR_EVENT_STATUS_COMPLETE);
    drop(go);
    event.wait();
    blocked.wait();
    // SAFETY: the mapped range lies in `memory`.
    unsafe { at.cast::<u8>().write(77) };
    ok!(Enqueue.pfnMemUnmap(queue.0, buffer.0, at, 0, null(), null_mut()));
    let mut back = [0; 64];
    queue.read(&buffer, &mut back);
    assert_eq!(back[8], 77);
    let stray: *mut c_void = (&raw mut back).cast();
    assert_eq!(
        ur!(Enqueue.pfnMemUnmap(queue.0, buffer.0, stray, 0, null(), null_mut())),
        UR_RESULT_ERROR_INVALID_VALUE
    );
    assert_eq!(
        ur!(Enqueue.pfnMemBufferMap(
            queue.0,
            buffer.0,
            true,
            both,
            60,
            5,
            0,
            null(),
            null_mut(),
            &mut at
        )),
        UR_RESULT_ERROR_INVALID_SIZE
    );
    drop(buffer);
    assert_eq!(memory[8], 77);
}

#[test]
fn bad_buffers_are_refused() {
    let context = Context::new();
    let create = |flags, size, host: *mut c_void| {
        let properties = ur_buffer_properties_t {
            stype: UR_STRUCTURE_TYPE_BUFFER_PROPERTIES,
            pHost: host,
            ..Default::default()
        };
        let mut mem = null_mut();
        let outcome = ur!(Mem.pfnBufferCreate(context.0, flags, size, &properties, &mut mem));
        if !mem.is_null() {
            ok!(Mem.pfnRelease(mem));
        }
        outcome
    };
    let mut byte = 0u8;
    let host: *mut c_void = (&raw mut byte).cast();
    let read_write = UR_MEM_FLAG_READ_WRITE.0;
    let use_host = UR_MEM_FLAG_USE_HOST_POINTER.0;
    assert_eq!(
        create(read_write, 0, null_mut()),
        UR_RESULT_ERROR_INVALID_BUFFER_SIZE
    );
    assert_eq!(
        create(read_write, usize::MAX, null_mut()),
        UR_RESULT_ERROR_INVALID_BUFFER_SIZE
    );
    assert_eq!(
        create(use_host, 1, null_mut()),
        UR_RESULT_ERROR_INVALID_HOST_PTR
    );
    assert_eq!(
        create(read_write, 1, host),
        UR_RESULT_ERROR_INVALID_HOST_PTR
    );
    assert_eq!(
        create(1 << 30, 1, null_mut()),
        UR_RESULT_ERROR_INVALID_ENUMERATION
    );
    assert_eq!(create(7, 1, null_mut()), UR_RESULT_ERROR_INVALID_VALUE);
    assert_eq!(create(read_write, 1, null_mut()), UR_RESULT_SUCCESS);
}

/// A buffer that a pending command needs is released, and the command still finds its bytes.
#[test]
fn pending_commands_keep_their_buffers() {
    let context = Context::new();
    let queue = context.queue();
    let mut back = vec![0u8; 1 << 16];
    for _ in 0..20 {
        let (go, blocked) = queue.block();
        let buffer = context.buffer(&vec![42; 1 << 16]);
        let to = back.as_mut_ptr().cast();
        let mut event = null_mut();
        ok!(Enqueue.pfnMemBufferRead(
            queue.0,
            buffer.0,
            false,
            0,
            1 << 16,
            to,
            0,
            null(),
            &mut event
        ));
        let event = Event(event);
        drop(buffer);
        // Memory of the same size, so that a freed block would be overwritten.
        let other = context.buffer(&vec![7; 1 << 16]);
        drop(go);
        event.wait();
        blocked.wait();
        assert!(back.iter().all(|byte| *byte == 42));
        back.fill(0);
        drop(other);
    }
}
