//! USM: allocations of each kind, what is known of them, and pools.

mod pool;

use crate::failure::{Stop, check};
use crate::objects::{Context, Queue, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const SIZES: [usize; 10] = [
    1,
    3,
    64,
    1000,
    4096,
    4097,
    65_536,
    1 << 20,
    (1 << 20) + 1,
    16 << 20,
];

const ALIGNMENTS: [u32; 14] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

fn copy(queue: &Queue, to: *mut c_void, from: *const c_void, size: usize) -> Outcome {
    ok!(urEnqueueUSMMemcpy(
        queue.get(),
        true,
        to,
        from,
        size,
        0,
        null(),
        null_mut()
    ))?;
    Ok(())
}

/// Numbers that no byte beside has.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i % 251) as u8).collect()
}

/// Every byte can be written and read back, through the queue, and by the host where it reaches it.
fn holds(cx: &Cx, context: &Context, usm: &mut Usm, kind: UsmKind) -> Outcome {
    let queue = Queue::new(context, cx.device(), 0)?;
    let wrote = pattern(usm.size);
    copy(&queue, usm.at, wrote.as_ptr().cast(), usm.size)?;
    let mut read = vec![0u8; usm.size];
    copy(&queue, read.as_mut_ptr().cast(), usm.at, usm.size)?;
    ensure!(read == wrote, "what was copied there did not come back");
    if kind != UsmKind::Device {
        ensure!(*usm.bytes() == wrote[..], "the host sees something else");
        usm.bytes().fill(0x5a);
        copy(&queue, read.as_mut_ptr().cast(), usm.at, usm.size)?;
        let seen = read.iter().all(|byte| *byte == 0x5a);
        ensure!(seen, "the device sees something else than the host wrote");
    }
    Ok(())
}

fn size(cx: &Cx, kind: UsmKind, size: usize) -> Outcome {
    let context = cx.context()?;
    let mut usm = Usm::new(cx, &context, kind, size)?;
    holds(cx, &context, &mut usm, kind)?;
    usm.free()
}

fn alignment(cx: &Cx, kind: UsmKind, align: u32, size: usize) -> Outcome {
    kind.needed(cx)?;
    let context = cx.context()?;
    let desc = ur_usm_desc_t {
        align,
        ..Default::default()
    };
    let mut several = Vec::new();
    for _ in 0..8 {
        // An alignment that is too large for the adapter may be refused as a value.
        let mut at = null_mut();
        let code = kind.allocate(
            context.get(),
            cx.device(),
            Some(&desc),
            null_mut(),
            size,
            &raw mut at,
        );
        if align > 1024 && code == UR_RESULT_ERROR_INVALID_VALUE {
            let reason = format!("an alignment of {align} is refused");
            return Err(Stop::Unsupported(reason));
        }
        check(kind.call(), UR_RESULT_SUCCESS, code)?;
        let usm = Usm::adopt(&context, at, size);
        ensure!(
            usm.at.addr().is_multiple_of(align.max(1) as usize),
            "{:?} is not aligned to {align}",
            usm.at
        );
        several.push(usm);
    }
    Ok(())
}

/// No two of many allocations overlap.
fn many(cx: &Cx, kind: UsmKind, number: usize, size: usize) -> Outcome {
    let context = cx.context()?;
    let mut all = Vec::new();
    for _ in 0..number {
        all.push(Usm::new(cx, &context, kind, size)?);
    }
    let mut starts: Vec<usize> = all.iter().map(|usm| usm.at.addr()).collect();
    starts.sort_unstable();
    let apart = starts.windows(2).all(|w| w[1] - w[0] >= size);
    ensure!(apart, "two allocations overlap");
    // Every second one goes; the others must stay whole.
    let mut kept = Vec::new();
    for (at, usm) in all.into_iter().enumerate() {
        match at % 2 {
            0 => kept.push(usm),
            _ => usm.free()?,
        }
    }
    let last = kept.len() - 1;
    holds(cx, &context, &mut kept[last], kind)
}

fn query(cx: &Cx, kind: UsmKind, offset: usize, total: usize) -> Outcome {
    let context = cx.context()?;
    let usm = Usm::new(cx, &context, kind, total)?;
    let inside = usm.at.wrapping_byte_add(offset);
    macro_rules! answer {
        ($query:ident, $ty:ty) => {
            crate::info::value::<$ty>("urUSMGetMemAllocInfo", |size, value, out| {
                ur!(urUSMGetMemAllocInfo(
                    context.get(),
                    inside,
                    $query,
                    size,
                    value,
                    out
                ))
            })?
        };
    }
    let found = answer!(UR_USM_ALLOC_INFO_TYPE, ur_usm_type_t);
    same!("the type", found, kind.answer());
    let base = answer!(UR_USM_ALLOC_INFO_BASE_PTR, *mut c_void);
    same!("the beginning", base, usm.at);
    let size = answer!(UR_USM_ALLOC_INFO_SIZE, usize);
    ensure!(size >= total, "{size} of {total} bytes");
    if kind != UsmKind::Host {
        let device = answer!(UR_USM_ALLOC_INFO_DEVICE, ur_device_handle_t);
        same!("the device", device, cx.device());
    }
    Ok(())
}

fn flags(cx: &Cx, kind: UsmKind, hints: u32, next: *mut c_void) -> Outcome {
    kind.needed(cx)?;
    let context = cx.context()?;
    let desc = ur_usm_desc_t {
        hints,
        pNext: next,
        ..Default::default()
    };
    let mut usm = Usm::with(cx, &context, kind, Some(&desc), null_mut(), 4096)?;
    holds(cx, &context, &mut usm, kind)
}

const HINTS: [ur_usm_advice_flag_t; 17] = [
    UR_USM_ADVICE_FLAG_DEFAULT,
    UR_USM_ADVICE_FLAG_SET_READ_MOSTLY,
    UR_USM_ADVICE_FLAG_CLEAR_READ_MOSTLY,
    UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION,
    UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION,
    UR_USM_ADVICE_FLAG_SET_NON_ATOMIC_MOSTLY,
    UR_USM_ADVICE_FLAG_CLEAR_NON_ATOMIC_MOSTLY,
    UR_USM_ADVICE_FLAG_BIAS_CACHED,
    UR_USM_ADVICE_FLAG_BIAS_UNCACHED,
    UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_DEVICE,
    UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_DEVICE,
    UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_HOST,
    UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_HOST,
    UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION_HOST,
    UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION_HOST,
    UR_USM_ADVICE_FLAG_SET_NON_COHERENT_MEMORY,
    UR_USM_ADVICE_FLAG_CLEAR_NON_COHERENT_MEMORY,
];

/// Sizes and alignments that are refused, also where nobody checks parameters.
fn refused(cx: &Cx, kind: UsmKind, align: u32, size: usize, codes: &[ur_result_t]) -> Outcome {
    kind.needed(cx)?;
    let context = cx.context()?;
    let desc = ur_usm_desc_t {
        align,
        ..Default::default()
    };
    let mut at = null_mut();
    let (context, desc, out) = (context.get(), Some(&desc), &raw mut at);
    let code = kind.allocate(context, cx.device(), desc, null_mut(), size, out);
    check(kind.call(), codes, code)?;
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for kind in UsmKind::ALL {
        let name = kind.name();
        for bytes in SIZES {
            suite.device(format!("{name}_alloc::{bytes}_bytes"), move |cx| {
                size(cx, kind, bytes)
            });
        }
        for align in ALIGNMENTS {
            for bytes in [1, 100, 4096] {
                let case = format!("{name}_alloc::{bytes}_bytes_aligned_to_{align}");
                suite.device(case, move |cx| alignment(cx, kind, align, bytes));
            }
        }
        for align in [3, 5, 6, 7, 12, 48, 100] {
            suite.device(
                format!("{name}_alloc::no_alignment_of_{align}"),
                move |cx| refused(cx, kind, align, 64, &[UR_RESULT_ERROR_INVALID_VALUE]),
            );
        }
        suite.device(format!("{name}_alloc::no_bytes"), move |cx| {
            refused(cx, kind, 0, 0, &[UR_RESULT_ERROR_INVALID_USM_SIZE])
        });
        let too_large = [
            UR_RESULT_ERROR_INVALID_USM_SIZE,
            UR_RESULT_ERROR_OUT_OF_HOST_MEMORY,
            UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
            UR_RESULT_ERROR_OUT_OF_RESOURCES,
        ];
        suite.device(format!("{name}_alloc::more_than_there_can_be"), move |cx| {
            refused(cx, kind, 0, usize::MAX, &too_large)?;
            refused(cx, kind, 0, isize::MAX as usize, &too_large)
        });
        suite.device(
            format!("{name}_alloc::more_than_the_device_allows"),
            move |cx| {
                let most = cx.device_info::<u64>(UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE)?;
                let size = most.unwrap_or(0).saturating_add(4096) as usize;
                refused(cx, kind, 0, size, &too_large)
            },
        );
        for (number, bytes) in [(100, 16), (1000, 100), (100, 65_536)] {
            let case = format!("{name}_alloc::{number}_times_{bytes}_bytes");
            suite.device(case, move |cx| many(cx, kind, number, bytes));
        }
        for hint in HINTS {
            let short = hint.to_string().to_lowercase();
            let short = short.trim_start_matches("ur_usm_advice_flag_").to_owned();
            suite.device(format!("{name}_alloc::hint_{short}"), move |cx| {
                flags(cx, kind, hint.0, null_mut())
            });
        }
        for (offset, total) in [
            (0, 1),
            (0, 4096),
            (1, 4096),
            (4095, 4096),
            (70_000, 100_000),
        ] {
            let case = format!("get_mem_alloc_info::{name}_at_{offset}_of_{total}");
            suite.device(case, move |cx| query(cx, kind, offset, total));
        }
        suite.device(
            format!("get_mem_alloc_info::{name}_after_free"),
            move |cx| {
                let context = cx.context()?;
                let usm = Usm::new(cx, &context, kind, 1 << 20)?;
                let at = usm.at;
                usm.free()?;
                let mut found = ur_usm_type_t(77);
                let code = ur!(urUSMGetMemAllocInfo(
                    context.get(),
                    at,
                    UR_USM_ALLOC_INFO_TYPE,
                    4,
                    (&raw mut found).cast(),
                    null_mut()
                ));
                let unknown = code == UR_RESULT_SUCCESS && found == UR_USM_TYPE_UNKNOWN;
                let refused = code == UR_RESULT_ERROR_INVALID_MEM_OBJECT;
                ensure!(unknown || refused, "{code} with {found}");
                Ok(())
            },
        );
        suite.device(format!("free::{name}_in_any_order"), move |cx| {
            let context = cx.context()?;
            let all: Result<Vec<Usm>, Stop> = (1..100)
                .map(|i| Usm::new(cx, &context, kind, i * 37))
                .collect();
            let mut all = all?;
            while !all.is_empty() {
                let at = all.len() * 7 % all.len().max(1);
                all.swap_remove(at).free()?;
            }
            Ok(())
        });
        suite.device(
            format!("{name}_alloc::outlives_a_handle_of_the_context"),
            move |cx| {
                use crate::objects::Counted;
                let context = cx.context()?;
                let other = context.retain()?;
                let usm = Usm::new(cx, &other, kind, 64)?;
                drop(other);
                usm.free()
            },
        );
    }
    suite.device("host_alloc::initial_placement", |cx| {
        let mut next = ur_usm_host_desc_t {
            flags: UR_USM_HOST_MEM_FLAG_INITIAL_PLACEMENT.0,
            ..Default::default()
        };
        flags(cx, UsmKind::Host, 0, (&raw mut next).cast())
    });
    for flag in [
        UR_USM_DEVICE_MEM_FLAG_WRITE_COMBINED,
        UR_USM_DEVICE_MEM_FLAG_INITIAL_PLACEMENT,
    ] {
        for kind in [UsmKind::Device, UsmKind::Shared] {
            let short = flag.to_string().to_lowercase();
            let short = short
                .trim_start_matches("ur_usm_device_mem_flag_")
                .to_owned();
            suite.device(format!("{}_alloc::{short}", kind.name()), move |cx| {
                let mut next = ur_usm_device_desc_t {
                    flags: flag.0,
                    ..Default::default()
                };
                flags(cx, kind, 0, (&raw mut next).cast())
            });
        }
    }
    suite.device("shared_alloc::device_read_only", |cx| {
        UsmKind::Shared.needed(cx)?;
        let context = cx.context()?;
        let mut next = ur_usm_device_desc_t {
            flags: UR_USM_DEVICE_MEM_FLAG_DEVICE_READ_ONLY.0,
            ..Default::default()
        };
        let desc = ur_usm_desc_t {
            pNext: (&raw mut next).cast(),
            ..Default::default()
        };
        let kind = UsmKind::Shared;
        let mut usm = Usm::with(cx, &context, kind, Some(&desc), null_mut(), 256)?;
        usm.bytes().fill(9);
        let queue = Queue::new(&context, cx.device(), 0)?;
        let mut read = [0u8; 256];
        copy(&queue, read.as_mut_ptr().cast(), usm.at, 256)?;
        same!("what the device sees", read, [9; 256]);
        Ok(())
    });
    suite.device("get_mem_alloc_info::memory_of_the_host", |cx| {
        let context = cx.context()?;
        let own = Box::new(0u64);
        let mut found = ur_usm_type_t(77);
        let code = ur!(urUSMGetMemAllocInfo(
            context.get(),
            (&raw const *own).cast(),
            UR_USM_ALLOC_INFO_TYPE,
            4,
            (&raw mut found).cast(),
            null_mut()
        ));
        check("urUSMGetMemAllocInfo", UR_RESULT_SUCCESS, code)?;
        same!("the type", found, UR_USM_TYPE_UNKNOWN);
        Ok(())
    });
    pool::tests(&mut suite.part("pool"));
}
